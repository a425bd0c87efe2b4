"""Starts the processes of a table, restarts one that dies, gathers their output, and stops them in order.

One thread does all of it: the kernel sends a child's death signal when the *thread* that started it ends, so
children are started from the main thread, and then no other thread is needed.
"""

from __future__ import annotations

import os
import selectors
import signal
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import groupby
from types import FrameType

from vast.runtime.child import Child, ProcessSpec
from vast.runtime.errors import StartError, StopRequested
from vast.runtime.stream import LogStream

_TICK_S = 0.2
_LOOP_AFTER_DEATHS = 3
_HOPELESS_AFTER_DEATHS = 6
_NAME = "vast"


class Supervisor:
    """``add`` processes, ``run`` until a signal asks to stop, and ``stop`` in any case."""

    def __init__(self, stream: LogStream, on_change: Callable[[list[Child]], None] | None = None) -> None:
        self.stream = stream
        self.children: list[Child] = []
        self.stop_requests = 0
        self._on_change = on_change or (lambda children: None)
        self._selector = selectors.DefaultSelector()
        self._stopping = False

    # Signals

    @contextmanager
    def handling_signals(self) -> Iterator[None]:
        """SIGINT and SIGTERM ask to stop (again: to hurry); a closed terminal only ends the output to it."""
        # A signal that arrives between two looks at the flags wakes the wait by a byte in this pipe.
        wake_read, wake_write = os.pipe()
        for end in (wake_read, wake_write):
            os.set_blocking(end, False)
        self._selector.register(wake_read, selectors.EVENT_READ, None)
        old_wakeup = signal.set_wakeup_fd(wake_write, warn_on_full_buffer=False)
        old = {
            signal.SIGINT: signal.signal(signal.SIGINT, self._request_stop),
            signal.SIGTERM: signal.signal(signal.SIGTERM, self._request_stop),
            signal.SIGHUP: signal.signal(signal.SIGHUP, self._terminal_closed),
            # The default action would not write to the pipe.
            signal.SIGCHLD: signal.signal(signal.SIGCHLD, lambda number, frame: None),
        }
        try:
            yield
        finally:
            for number, handler in old.items():
                signal.signal(number, handler)
            signal.set_wakeup_fd(old_wakeup)
            self._selector.unregister(wake_read)
            os.close(wake_read)
            os.close(wake_write)

    def _request_stop(self, number: int, frame: FrameType | None) -> None:
        self.stop_requests += 1

    def _terminal_closed(self, number: int, frame: FrameType | None) -> None:
        # Jobs run for days; losing an SSH session must not stop them. ``vast up`` names the process to stop.
        self.stream.leave_terminal()

    # Starting and watching

    def add(self, spec: ProcessSpec) -> Child:
        """Start the process and keep it running from now on."""
        child = Child(spec, self.stream.line)
        self.children.append(child)
        self._start(child)
        return child

    def run_once(self, spec: ProcessSpec, on_line: Callable[[str, str], None] | None = None) -> list[str]:
        """Run a command to its end and give its lines. Raises StartError when it fails, StopRequested."""
        lines: list[str] = []

        def keep(name: str, text: str) -> None:
            lines.append(text)
            (on_line or self.stream.line)(name, text)

        child = Child(spec, keep)
        try:
            child.start()
            self._watch(child)
            while child.alive:
                self._check_stop()
                self.step()
        except OSError as error:
            raise StartError(f"{spec.name} cannot be started: {error}") from error
        finally:
            child.kill_group()
            self._close(child)
        if child.exit_code() != 0:
            raise StartError(_with_tail(f"{spec.name} failed ({_ending(child.exit_code())})", child))
        return lines

    def wait_until(self, is_ready: Callable[[], bool], child: Child, timeout_s: float) -> None:
        """Keep watching until ``is_ready``.

        Raises StartError when that takes more than ``timeout_s`` or the child keeps dying, or StopRequested.
        """
        deadline = time.monotonic() + timeout_s
        while not is_ready():
            self._check_stop()
            if time.monotonic() >= deadline:
                raise StartError(_with_tail(f"{child.spec.name} is not ready after {timeout_s:.0f} s", child))
            if child.quick_deaths >= _HOPELESS_AFTER_DEATHS:
                raise StartError(_with_tail(f"{child.spec.name} ended {child.quick_deaths} times", child))
            self.step(0.05)

    def run(self) -> None:
        """Watch until a signal asks to stop."""
        while not self.stop_requests:
            self.step()

    def _check_stop(self) -> None:
        if self.stop_requests:
            raise StopRequested

    def step(self, timeout_s: float = _TICK_S) -> None:
        """One round: pass on output, notice deaths, start again what is due."""
        for key, _ in self._selector.select(timeout_s):
            child: Child | None = key.data
            if child is None:
                self._empty(key.fd)
                continue
            child.read()
            if child.output is None:
                self._selector.unregister(key.fd)
        for child in [child for child in self.children if child.restart_at is not None]:
            if not self._stopping and time.monotonic() >= (child.restart_at or 0):
                self._start(child)
        for child in self.children:
            if child.process is not None and child.restart_at is None and not child.alive:
                self._died(child)

    @staticmethod
    def _empty(pipe: int) -> None:
        try:
            os.read(pipe, 4096)
        except BlockingIOError:
            return

    def _start(self, child: Child) -> None:
        try:
            child.start()
        except OSError as error:
            self._note(f"{child.spec.name} cannot be started: {error}")
            child.schedule_restart()
            return
        self._watch(child)

    def _watch(self, child: Child) -> None:
        if child.output is not None:
            self._selector.register(child.output, selectors.EVENT_READ, child)
        try:
            self._on_change(self.children)
        except OSError as error:
            # Only the start after a kill -9 of this supervisor needs the record: no reason to stop now.
            self._note(f"the list of processes cannot be written: {error.strerror}")

    def _close(self, child: Child) -> None:
        """Pass on what an ended process has still printed, and stop listening to it."""
        if child.output is not None and child.output in self._selector.get_map():
            self._selector.unregister(child.output)
        child.drain()

    # Deaths

    def _died(self, child: Child) -> None:
        """A child ended by itself: clear its remains and start it again soon."""
        if self._stopping:
            return
        self._close(child)
        # What it left behind may hold its port or its files.
        child.kill_group()
        delay = child.schedule_restart()
        how = _ending(child.exit_code())
        self._note(f"{child.spec.name} ended ({how}); it starts again in {delay:.1f} s")
        if child.quick_deaths == _LOOP_AFTER_DEATHS or child.quick_deaths % 20 == 0:
            self._note(_with_tail(f"{child.spec.name} ended {child.quick_deaths} times in a row", child))

    def _note(self, text: str) -> None:
        for line in text.splitlines():
            self.stream.line(_NAME, line, important=True)

    # Stopping

    def stop(self) -> None:
        """End every process, stage by stage; returns when none is left."""
        self._stopping = True
        by_stage = sorted(self.children, key=lambda child: child.spec.stage)
        for _, members in groupby(by_stage, key=lambda child: child.spec.stage):
            self._stop_stage(list(members))
        self.children.clear()

    def _stop_stage(self, children: list[Child]) -> None:
        began = time.monotonic()
        requests = self.stop_requests
        for child in children:
            child.restart_at = None
            child.signal(child.spec.stop_signal)
        while any(child.alive for child in children):
            self.step(0.05)
            if self.stop_requests > max(requests, 1):
                # Impatience: say so to the processes too, which may have a shorter way.
                requests = self.stop_requests
                for child in children:
                    child.signal(child.spec.stop_signal)
            self._kill_late(children, time.monotonic() - began)
        for child in children:
            child.kill_group()
            self._close(child)

    def _kill_late(self, children: list[Child], waited_s: float) -> None:
        hurry = self.stop_requests > 1
        for child in children:
            allowed_s = child.spec.hurry_timeout_s if hurry else child.spec.stop_timeout_s
            if child.alive and waited_s >= allowed_s:
                self._note(f"{child.spec.name} did not stop within {allowed_s:.0f} s and is killed")
                child.kill_group()


def _with_tail(text: str, child: Child) -> str:
    lines = list(child.tail) or ["(it printed nothing)"]
    return "\n    ".join([f"{text}. Its last lines:", *lines])


def _ending(code: int | None) -> str:
    if code is not None and code < 0:
        return f"killed by {signal.Signals(-code).name}"
    return f"exit code {code}"
