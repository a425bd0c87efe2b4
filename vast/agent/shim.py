"""The smallest parent a task can have, so that its exit status survives the agent.

Run as a script by the agent, once: it then forks one shim for each task folder named on its standard input,
which costs about a millisecond and little memory where a new interpreter would cost twenty. Only the standard
library is imported, and nothing of ours, since this process knows no secrets and must outlive changes of the
agent's code.

A shim leads a session of its own, claims its folder (whoever links ``claim`` first is the only one ever to
run that task), starts the command, and leaves ``started`` and at last ``exit`` in the folder. It is the
reaper of all that the command leaves behind, and ends only when nothing of the task is alive.

Signals to a shim: TERM, INT, HUP = send TERM to every process of the task; USR2 = KILL them all.
"""

# Without pathlib, which would double the time this takes to start.
# ruff: noqa: PTH104, PTH108, PTH123, PTH208
from __future__ import annotations

import ctypes
import gc
import json
import os
import resource
import signal
import sys
import time
from typing import Any, NoReturn

PR_SET_CHILD_SUBREAPER = 36
ASK = {signal.SIGTERM, signal.SIGINT, signal.SIGHUP}
WATCHED = ASK | {signal.SIGUSR2, signal.SIGCHLD}
# How long processes that outlive the command have to end after TERM, and how often they are looked at.
LEFTOVERS_GRACE_S = 2.0
LOOK_S = 0.05


def serve() -> None:
    """Fork a shim for each line of standard input, until the agent is gone."""
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    gc.freeze()
    rest = b""
    while chunk := os.read(0, 65536):
        *folders, rest = (rest + chunk).split(b"\n")
        for folder in folders:
            try:
                child = os.fork()
            except OSError as error:
                notify("unforked " + os.strerror(error.errno or 0).replace(" ", "_"), folder)
                continue
            if child == 0:
                be_shim(folder)


def be_shim(folder: bytes) -> NoReturn:
    code = 1
    try:
        os.setsid()
        os.chdir(folder)
        os.dup2(os.open(os.devnull, os.O_RDWR), 0)
        os.dup2(os.open("log", os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600), 2)
        if claim():
            run(folder)
        else:
            notify("claimed", folder)
        code = 0
    except BaseException as error:
        # Into the task's log: there is no other place that a human would find.
        os.write(2, f"\nvast: the shim of this task failed: {error!r}\n".encode())
    finally:
        os._exit(code)


def claim() -> bool:
    """Become the one process that runs this task. False when another one has."""
    own = f"claim.{os.getpid()}"
    write(own, {"pid": os.getpid(), "start": start_of(os.getpid())})
    try:
        os.link(own, "claim")
    except FileExistsError:
        return False
    finally:
        os.unlink(own)
    return True


def run(folder: bytes) -> None:
    ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    signal.pthread_sigmask(signal.SIG_BLOCK, WATCHED)
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    child, problem = start()
    if problem:
        settle("exit", {"launch_failed": problem, "at": time.time()})
        notify("failed", folder)
        return
    settle("started", {"pid": child, "start": start_of(child), "at": time.time()})
    notify("started", folder)
    os.dup2(0, 1)
    code = os.waitstatus_to_exitcode(supervise(child))
    settle(
        "exit",
        {
            "exit_code": code if code >= 0 else None,
            "signal": -code if code < 0 else None,
            "at": time.time(),
        },
    )


def start() -> tuple[int, str]:
    """Start the command: its pid, and why it could not be run (then it is gone again)."""
    with open("spec.json", encoding="utf-8") as file:
        spec = json.load(file)
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        execute(spec, writer)
    os.close(writer)
    with open(reader, encoding="utf-8", errors="replace") as problems:
        problem = problems.read()
    if problem:
        os.waitpid(child, 0)
    return child, problem


def execute(spec: dict[str, Any], problems: int) -> NoReturn:
    """In the child: become the command. Any reason not to goes into ``problems``, which exec closes."""
    command = spec["command"]
    try:
        os.setpgid(0, 0)
        for number in signal.valid_signals() - {signal.SIGKILL, signal.SIGSTOP}:
            signal.signal(number, signal.SIG_DFL)
        signal.pthread_sigmask(signal.SIG_SETMASK, [])
        os.dup2(2, 1)
        try:
            os.chdir(spec["working_dir"])
        except OSError as error:
            raise ValueError(f"working directory {spec['working_dir']}: {error.strerror}") from error
        os.execvpe(command[0], command, spec["env"])  # noqa: S606
    except FileNotFoundError as error:
        unknown = "/" not in command[0]
        reason = (
            f"command not found: {command[0]}" if unknown else f"cannot run {command[0]}: {error.strerror}"
        )
        os.write(problems, reason.encode())
    except OSError as error:
        os.write(problems, f"cannot run {command[0]}: {error.strerror}".encode())
    except BaseException as error:
        os.write(problems, (str(error) or repr(error)).encode())
    finally:
        os._exit(127)


def supervise(child: int) -> int:
    """Wait for the command and all that it leaves behind: the command's wait status."""
    status: int | None = None
    kill_at = float("inf")
    while True:
        patience = 3600.0 if status is None and kill_at == float("inf") else LOOK_S
        caught = signal.sigtimedwait(WATCHED, patience)
        if caught is not None and caught.si_signo in ASK:
            send(child, status, signal.SIGTERM)
        elif caught is not None and caught.si_signo == signal.SIGUSR2:
            kill_at = 0.0
        try:
            while (reaped := os.waitpid(-1, os.WNOHANG))[0]:
                if reaped[0] == child:
                    status = reaped[1]
                    kill_at = min(kill_at, time.monotonic() + LEFTOVERS_GRACE_S)
                    send(child, status, signal.SIGTERM)
        except ChildProcessError:
            return status if status is not None else 0
        if time.monotonic() >= kill_at:
            send(child, status, signal.SIGKILL)


def send(child: int, status: int | None, number: int) -> None:
    """Signal every living process of the task."""
    family = descendants(os.getpid())
    if not family and status is None:
        # A kernel that does not list children: the command's own group is what is left to name.
        family = [-child]
    for pid in family:
        try:
            os.kill(pid, number)
        except ProcessLookupError:
            continue


def descendants(root: int) -> list[int]:
    """All that descends from ``root``, as the kernel tells per thread."""
    found: list[int] = []
    ask = [root]
    while ask:
        parent = ask.pop()
        try:
            for thread in os.listdir(f"/proc/{parent}/task"):
                with open(f"/proc/{parent}/task/{thread}/children") as file:
                    children = [int(pid) for pid in file.read().split()]
                found += children
                ask += children
        except (FileNotFoundError, ProcessLookupError):
            continue
    return found


def start_of(pid: int) -> int:
    """When the process started, in the kernel's ticks: with its number this names it for good."""
    with open(f"/proc/{pid}/stat", "rb") as file:
        return int(file.read().rpartition(b")")[2].split()[19])


def write(name: str, content: dict[str, Any]) -> None:
    file = os.open(name, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    os.write(file, json.dumps(content).encode())
    os.close(file)


def settle(name: str, content: dict[str, Any]) -> None:
    """Write a file so that it is there whole or not at all, whatever dies."""
    temporary = name + ".new"
    file = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    os.write(file, json.dumps(content).encode())
    os.fsync(file)
    os.close(file)
    os.rename(temporary, name)


def notify(what: str, folder: bytes) -> None:
    """Tell the agent, if it is still there; the files in the folder say the same."""
    try:
        os.write(1, what.encode() + b" " + folder + b"\n")
    except OSError:
        return


if __name__ == "__main__":
    soft = int(sys.argv[1])
    resource.setrlimit(resource.RLIMIT_NOFILE, (soft, resource.getrlimit(resource.RLIMIT_NOFILE)[1]))
    serve()
