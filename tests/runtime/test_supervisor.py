"""The supervisor, with small programs in the place of VAST's processes."""

from __future__ import annotations

import io
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from vast.runtime.child import Child, ProcessSpec
from vast.runtime.errors import StartError, StopRequested
from vast.runtime.identity import start_ticks
from vast.runtime.leftovers import ProcessRecord
from vast.runtime.stream import LogStream
from vast.runtime.supervisor import Supervisor

PATIENCE_S = 20.0


@pytest.fixture
def terminal() -> io.StringIO:
    return io.StringIO()


@pytest.fixture
def supervisor(terminal: io.StringIO) -> Iterator[Supervisor]:
    supervisor = Supervisor(LogStream(terminal))
    yield supervisor
    for child in supervisor.children:
        child.kill_group()


def shell(name: str, script: str, stage: int = 0, **fields: object) -> ProcessSpec:
    return ProcessSpec(name, ("/bin/sh", "-c", script), dict(os.environ), stage, **fields)  # type: ignore[arg-type]


def step_until(supervisor: Supervisor, is_true: Callable[[], bool]) -> None:
    deadline = time.monotonic() + PATIENCE_S
    while not is_true():
        assert time.monotonic() < deadline, "did not happen"
        supervisor.step(0.02)


def pid_of(child: Child) -> int:
    assert child.process is not None
    return child.process.pid


def test_lines_of_processes_carry_their_name(supervisor: Supervisor, terminal: io.StringIO) -> None:
    supervisor.add(shell("web", "echo one; echo two >&2; sleep 60"))
    step_until(supervisor, lambda: "two" in terminal.getvalue())
    assert [line.split(" ", 1)[1] for line in terminal.getvalue().splitlines()] == [
        "web        | one",
        "web        | two",
    ]


def test_a_killed_process_is_started_again(supervisor: Supervisor, terminal: io.StringIO) -> None:
    child = supervisor.add(shell("web", "exec sleep 60"))
    first = pid_of(child)
    os.kill(first, signal.SIGKILL)
    step_until(supervisor, lambda: pid_of(child) != first and child.alive)
    assert "web ended (killed by SIGKILL); it starts again in 0.1 s" in terminal.getvalue()


def test_what_a_dead_process_leaves_behind_is_ended_before_the_restart(
    supervisor: Supervisor, tmp_path: Path
) -> None:
    pid_file = tmp_path / "pid"
    child = supervisor.add(shell("web", f"sleep 60 & echo $! > {pid_file}; wait"))
    step_until(supervisor, lambda: pid_file.exists() and pid_file.read_text() != "")
    heir = int(pid_file.read_text())
    os.kill(pid_of(child), signal.SIGKILL)
    step_until(supervisor, lambda: start_ticks(heir) is None)


def test_a_crash_loop_is_named_with_its_last_lines(supervisor: Supervisor, terminal: io.StringIO) -> None:
    supervisor.add(shell("beat", "echo no such table; exit 3"))
    step_until(supervisor, lambda: "3 times" in terminal.getvalue())
    text = terminal.getvalue()
    assert "beat ended 3 times in a row. Its last lines:" in text
    assert "vast       |     no such table" in text


def test_delays_grow_to_five_seconds_and_start_over_after_a_stable_while(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    now = 1000.0
    monkeypatch.setattr("vast.runtime.child.time.monotonic", lambda: now)
    child = Child(shell("web", "exit 1"), lambda name, text: None)
    child.start()
    delays = [child.schedule_restart() for _ in range(8)]
    now += 31
    after_stable = child.schedule_restart()
    child.kill_group()
    child.drain()
    assert delays == [0.1, 0.2, 0.4, 0.8, 1.6, 3.2, 5.0, 5.0]
    assert after_stable == 0.1


def test_a_program_that_does_not_exist_is_named_and_tried_again(
    supervisor: Supervisor, terminal: io.StringIO
) -> None:
    child = supervisor.add(ProcessSpec("web", ("/no/such/program",), {}, 0))
    assert "web cannot be started" in terminal.getvalue()
    assert child.restart_at is not None


def test_processes_stop_stage_by_stage(supervisor: Supervisor, tmp_path: Path) -> None:
    order = tmp_path / "order"
    for name, stage in (("postgres", 9), ("agent", 0), ("web", 4)):
        script = (
            f"trap 'sleep 0.1; echo {name} >> {order}; exit 0' TERM; echo up; while :; do sleep 0.05; done"
        )
        child = supervisor.add(shell(name, script, stage))
        step_until(supervisor, lambda child=child: bool(child.tail))
    supervisor.stop()
    assert order.read_text().split() == ["agent", "web", "postgres"]


def test_stopping_leaves_no_process_of_any_group(supervisor: Supervisor) -> None:
    child = supervisor.add(shell("worker", "sleep 60 & sleep 60 & echo up; wait"))
    step_until(supervisor, lambda: bool(child.tail))
    group = pid_of(child)
    supervisor.stop()
    assert [pid for pid in _pids() if _group(pid) == group] == []


def test_a_process_that_ignores_the_stop_is_killed(supervisor: Supervisor, terminal: io.StringIO) -> None:
    script = "trap '' TERM; echo up; while :; do sleep 0.05; done"
    child = supervisor.add(shell("web", script, stop_timeout_s=0.3))
    step_until(supervisor, lambda: bool(child.tail))
    supervisor.stop()
    assert child.exit_code() == -signal.SIGKILL
    assert "web did not stop within 0 s and is killed" in terminal.getvalue()


def test_a_second_request_hurries_the_stop(supervisor: Supervisor) -> None:
    script = "trap '' TERM; echo up; while :; do sleep 0.05; done"
    child = supervisor.add(shell("web", script, stop_timeout_s=10 * PATIENCE_S, hurry_timeout_s=0.1))
    step_until(supervisor, lambda: bool(child.tail))
    with supervisor.handling_signals():
        for _ in range(2):
            os.kill(os.getpid(), signal.SIGINT)
        supervisor.run()
        supervisor.stop()
    assert child.exit_code() == -signal.SIGKILL


def test_a_closed_terminal_does_not_stop_anything(supervisor: Supervisor, terminal: io.StringIO) -> None:
    child = supervisor.add(shell("web", "while :; do echo tick; sleep 0.02; done"))
    with supervisor.handling_signals():
        step_until(supervisor, lambda: "tick" in terminal.getvalue())
        os.kill(os.getpid(), signal.SIGHUP)
        supervisor.step()
        shown = terminal.getvalue()
        step_until(supervisor, lambda: len(child.tail) == child.tail.maxlen)
        assert child.alive
        assert supervisor.stop_requests == 0
        assert terminal.getvalue() == shown


def test_a_command_gives_its_lines(supervisor: Supervisor) -> None:
    assert supervisor.run_once(shell("migrate", "echo a; printf b")) == ["a", "b"]
    assert supervisor.children == []


def test_a_command_that_fails_is_shown_with_its_last_lines(supervisor: Supervisor) -> None:
    with pytest.raises(StartError, match=r"migrate failed \(exit code 4\)(.|\n)*relation missing"):
        supervisor.run_once(shell("migrate", "echo relation missing; exit 4"))


def test_a_stop_request_ends_a_running_command(supervisor: Supervisor) -> None:
    supervisor.stop_requests = 1
    with pytest.raises(StopRequested):
        supervisor.run_once(shell("migrate", "sleep 60"))


def test_waiting_for_a_process_that_keeps_dying_gives_up(
    supervisor: Supervisor, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("vast.runtime.child.MAX_DELAY_S", 0.01)
    child = supervisor.add(shell("web", "echo bad port; exit 1"))
    with pytest.raises(StartError, match=r"web ended \d+ times(.|\n)*bad port"):
        supervisor.wait_until(lambda: False, child, PATIENCE_S)


def test_children_die_with_a_killed_supervisor(tmp_path: Path) -> None:
    program = f"""
import sys
from vast.runtime.child import ProcessSpec
from vast.runtime.launch import dying_with_parent
from vast.runtime.leftovers import ProcessRecord
from vast.runtime.stream import LogStream
from vast.runtime.supervisor import Supervisor
from pathlib import Path
supervisor = Supervisor(LogStream(), ProcessRecord(Path({str(tmp_path / "record")!r})).write)
argv = (*dying_with_parent("TERM"), "/bin/sh", "-c", "echo up $$; exec sleep 60")
supervisor.add(ProcessSpec("web", argv, {{"PATH": "/usr/bin:/bin"}}, 0))
with supervisor.handling_signals():
    supervisor.run()
"""
    process = subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    child = int(process.stdout.readline().rsplit(" ", 1)[1])
    process.kill()
    process.communicate()
    ProcessRecord(tmp_path / "record").clear_leftovers()
    assert start_ticks(child) is None


def test_a_stubborn_leftover_of_a_killed_run_is_killed(
    tmp_path: Path, supervisor: Supervisor, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("vast.runtime.leftovers._GRACE_S", 0.2)
    child = supervisor.add(shell("web", "exec sleep 60"))
    record = ProcessRecord(tmp_path / "record")
    record.write(supervisor.children)
    assert record.clear_leftovers() == ["web"]
    assert child.exit_code() == -signal.SIGKILL


def test_a_process_that_got_the_number_of_a_leftover_is_left_alone(tmp_path: Path) -> None:
    record = tmp_path / "record"
    record.write_text(f'[{{"name": "web", "pid": {os.getpid()}, "ticks": 1}}]')
    assert ProcessRecord(record).clear_leftovers() == []


def _pids() -> list[int]:
    return [int(entry.name) for entry in Path("/proc").iterdir() if entry.name.isdigit()]


def _group(pid: int) -> int | None:
    """The process's group, unless it has ended."""
    try:
        return os.getpgid(pid) if start_ticks(pid) is not None else None
    except ProcessLookupError:
        return None
