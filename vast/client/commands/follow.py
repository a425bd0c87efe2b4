"""Watching a job from the terminal: its states, its logs, and how it ended."""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Sequence
from typing import TYPE_CHECKING

import typer

from vast.client.commands import exits
from vast.client.commands.output import STATE_COLOURS, age
from vast.client.commands.server import note
from vast.client.errors import JobTimeout, VastError
from vast.client.models import Job, Task

if TYPE_CHECKING:
    from vast.client.client import Client

# Each followed log holds one connection and one thread.
MOST_LOGS = 32
LOG_COLOURS = ("cyan", "green", "magenta", "yellow", "blue", "bright_cyan", "bright_green", "bright_magenta")
LAST_LOGS_S = 15.0
TAIL_BYTES = 4096
TAIL_LINES = 20
TASKS_REPORTED = 3
ARRAY_POLL_S = 1.0


class LogStream:
    """Prints the logs of many tasks line by line, each line with its task in front."""

    def __init__(self, client: Client) -> None:
        self._client = client
        self._lock = threading.Lock()
        self._threads: dict[str, threading.Thread] = {}
        self._attempts: set[tuple[str, int]] = set()
        self._left_out: set[str] = set()
        self._width = 0

    def follow(self, tasks: Sequence[Task], prefix: str = "") -> None:
        """Begin with those that are not followed yet; one that is started again is followed again."""
        labels = [prefix + task.label for task in tasks]
        self._width = max([self._width, *map(len, labels)])
        for task, label in zip(tasks, labels, strict=True):
            running = self._threads.get(task.id)
            if (task.id, task.attempt) in self._attempts or (running and running.is_alive()):
                continue
            if sum(thread.is_alive() for thread in self._threads.values()) >= MOST_LOGS:
                self._leave_out(task, label)
                continue
            self._attempts.add((task.id, task.attempt))
            colour = LOG_COLOURS[len(self._attempts) % len(LOG_COLOURS)]
            thread = threading.Thread(target=self._print, args=(task.id, label, colour), daemon=True)
            self._threads[task.id] = thread
            thread.start()

    def join(self) -> None:
        """Print until every followed task has ended."""
        for thread in self._threads.values():
            thread.join()

    def finish(self) -> None:
        """Let the last lines of ended tasks come."""
        deadline = time.monotonic() + LAST_LOGS_S
        for thread in self._threads.values():
            thread.join(max(0.0, deadline - time.monotonic()))
        late = sum(thread.is_alive() for thread in self._threads.values())
        if late:
            note(f"warning: {late} logs were not complete after {LAST_LOGS_S:g} s")

    def _leave_out(self, task: Task, label: str) -> None:
        if not self._left_out:
            note(f"note: {MOST_LOGS} logs are followed; for others: vast job logs JOB --task {label}")
        self._left_out.add(task.id)

    def _print(self, task_id: str, label: str, colour: str) -> None:
        rest = ""
        try:
            for chunk in self._client.jobs.logs(task_id):
                *lines, rest = (rest + chunk.data).split("\n")
                self._write(label, colour, lines)
        except VastError as error:
            note(f"warning: the log of {label} broke off: {error.detail}")
        if rest:
            self._write(label, colour, [rest])

    def _write(self, label: str, colour: str, lines: Sequence[str]) -> None:
        front = typer.style(f"{label:{self._width}} |", fg=colour) if sys.stdout.isatty() else f"{label} |"
        with self._lock:
            for line in lines:
                typer.echo(f"{front} {line}")


def until_end(client: Client, job: Job, *, logs: bool, timeout_s: float | None = None) -> int:
    """Watch a job, or every job of its array, to its end. Gives the exit code for it.

    Raises typer.Exit(130) on Ctrl-C: that only ends the watching.
    """
    try:
        if job.array and job.array.size > 1:
            return _until_array_ends(client, job, logs=logs, timeout_s=timeout_s)
        return _until_job_ends(client, job, logs=logs, timeout_s=timeout_s)
    except KeyboardInterrupt:
        note(f"\ndetached; the job goes on. Watch again: vast job wait {job.id}")
        note(f"stop the job:                       vast job cancel {job.id}")
        raise typer.Exit(exits.INTERRUPTED) from None


def _until_job_ends(client: Client, job: Job, *, logs: bool, timeout_s: float | None) -> int:
    stream = LogStream(client) if logs else None
    said = ""

    def changed(now: Job) -> None:
        nonlocal said
        line = _state_line(now)
        if line != said and not now.ended:
            said = line
            note(line)
        if stream and now.state in ("starting", "running", "stopping"):
            stream.follow(client.jobs.tasks(now.id))

    job = client.jobs.wait(job.id, timeout_s, on_change=changed)
    tasks = client.jobs.tasks(job.id)
    if stream:
        # A job may be over before it was ever seen running.
        stream.follow([task for task in tasks if task.started_at is not None])
        stream.finish()
    report_end(client, job, tasks)
    return exits.BY_JOB_STATE[job.state]


def _until_array_ends(client: Client, job: Job, *, logs: bool, timeout_s: float | None) -> int:
    stream = LogStream(client) if logs else None
    deadline = None if timeout_s is None else time.monotonic() + timeout_s
    said = ""
    while True:
        jobs = list(client.jobs.array(job))
        line = _array_line(job.name, jobs)
        if line != said:
            said = line
            note(line)
        if stream:
            for one in jobs:
                if one.started_at is not None and one.array:
                    stream.follow(client.jobs.tasks(one.id), prefix=f"{one.array.index}:")
        if all(one.ended for one in jobs):
            break
        if deadline is not None and time.monotonic() > deadline:
            raise JobTimeout(f"{line} after {timeout_s:g} s")
        time.sleep(ARRAY_POLL_S)
    if stream:
        stream.finish()
    for one in [one for one in jobs if one.state == "failed"][:TASKS_REPORTED]:
        report_end(client, one, client.jobs.tasks(one.id))
    codes = {exits.BY_JOB_STATE[one.state] for one in jobs}
    return next((code for code in (exits.FAILED, exits.CANCELLED) if code in codes), 0)


def report_end(client: Client, job: Job, tasks: Sequence[Task]) -> None:
    """How the job ended; of a failed one also which tasks failed, why, and the last lines of the first."""
    took = f" in {age(job.started_at, job.ended_at)}" if job.started_at and job.ended_at else ""
    state = typer.style(job.state, fg=STATE_COLOURS.get(job.state)) if sys.stderr.isatty() else job.state
    note(
        f"job {job.name} {state}{took}"
        + (f": {job.reason}" if job.reason and job.state != "succeeded" else "")
    )
    if job.state != "failed":
        return
    failed = sorted((task for task in tasks if task.state == "failed"), key=_first_cause_first)
    for task in failed[:TASKS_REPORTED]:
        note(f"  task {task.label}{f' on {task.node.name}' if task.node else ''}: {how_it_ended(task)}")
    if len(failed) > TASKS_REPORTED:
        note(f"  and {len(failed) - TASKS_REPORTED} more; see: vast job get {job.id}")
    if failed:
        _print_tail(client, failed[0])


def how_it_ended(task: Task) -> str:
    """Exit code or signal, and the reason, as far as they are known."""
    parts = []
    if task.signal is not None:
        parts.append(f"killed by signal {task.signal}")
    elif task.exit_code is not None:
        parts.append(f"exit code {task.exit_code}")
    if task.cause and task.cause != "exit":
        parts.append(task.cause.replace("_", " "))
    if task.message:
        parts.append(task.message)
    return ", ".join(parts) or task.state


def _first_cause_first(task: Task) -> tuple[bool, float]:
    # When one task of a gang fails, the others are stopped: those are no cause.
    return task.cause == "stopped", task.ended_at.timestamp() if task.ended_at else float("inf")


def _print_tail(client: Client, task: Task) -> None:
    try:
        tail = client.jobs.tail(task.id, TAIL_BYTES)
    except VastError as error:
        note(f"  its log cannot be read: {error.detail}")
        return
    lines = tail.splitlines()[-TAIL_LINES:]
    note(f"  last lines of {task.label}:" if lines else f"  {task.label} wrote no log")
    for line in lines:
        note(f"    {line}")


def _state_line(job: Job) -> str:
    line = job.state
    if job.state in ("pending", "held", "blocked") and job.reason:
        line += f": {job.reason}"
    if job.state == "pending" and job.position is not None:
        line += f" (position {job.position})"
    return line


def _array_line(name: str, jobs: Sequence[Job]) -> str:
    counts: dict[str, int] = {}
    for job in jobs:
        counts[job.state] = counts.get(job.state, 0) + 1
    return f"array {name}: " + ", ".join(f"{count} {state}" for state, count in sorted(counts.items()))
