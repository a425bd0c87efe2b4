"""The tasks of one node: from an order on disk to a report on disk.

An allocation that was ever seen is never started again: its id is in the journal before anything happens, and
a task's folder can be claimed only once.
"""

from __future__ import annotations

import asyncio
import logging
import re
import signal
import time
from collections.abc import Callable, Coroutine, Iterable, Mapping
from pathlib import Path
from typing import Any, Protocol

from vast.agent import logs, ports
from vast.agent.environment import task_environment
from vast.agent.journal import Journal
from vast.agent.ledger import Entry, Item
from vast.agent.outcome import Outcome, RunningTask
from vast.agent.process_task import ProcessTask
from vast.agent.processes import boot_id
from vast.agent.simulated_task import SimulatedTask
from vast.agent.spawner import Spawner

log = logging.getLogger(__name__)
Order = dict[str, Any]
MAX_RUNTIME_GRACE_S = 10.0
UNKNOWN_TO_SERVER_GRACE_S = 10.0
# Starting a task costs some file operations: let the node's other work in between.
BREATH_EVERY = 16
# Names a folder, so nothing that could lead out of it.
_SAFE_ID = re.compile(r"[0-9A-Za-z-]{1,64}")


class Loads(Protocol):
    """Who shows what the tasks do to the devices."""

    def attach(self, allocation: str, order: Mapping[str, Any]) -> None: ...

    def detach(self, allocation: str) -> None: ...


class Workload:
    """``reported`` is called whenever the journal got a report to send."""

    def __init__(self, journal: Journal, folder: Path, spawner: Spawner, loads: Loads) -> None:
        self._journal, self._ledger = journal, journal.ledger
        self._folder, self._spawner, self._loads = folder, spawner, loads
        self._tasks: dict[str, RunningTask] = {}
        self._timers: dict[str, list[asyncio.TimerHandle]] = {}
        self._background: set[asyncio.Task[None]] = set()
        self._closing = False
        self.reported: Callable[[], None] = lambda: None

    def log_file(self, allocation: str) -> Path:
        return self._folder / allocation / "log"

    @property
    def running(self) -> list[str]:
        return list(self._tasks)

    def resume(self) -> None:
        """Take up again what an earlier agent left."""
        boot = boot_id()
        rebooted = self._ledger.boot not in {"", boot}
        self._journal.write(["boot", boot])
        for entry in self._ledger.unfinished():
            self._resume_one(entry, rebooted)

    async def launch(self, orders: Iterable[Order]) -> list[str]:
        """Take orders: on disk, then started. Returns the ids that are on disk. Raises OSError when the disk
        refuses.
        """
        if self._closing:
            return []
        taken = []
        for order in orders:
            allocation = order["allocation"]
            if not _SAFE_ID.fullmatch(allocation):
                log.error("an order with the id %r is refused", allocation)
                continue
            taken.append(allocation)
            if allocation in self._ledger.entries:
                self._repeat(allocation)
            else:
                self._journal.write(["order", order])
        await self._journal.commit()
        # Not only new ones: an order whose commit failed the first time is here but was not started.
        waiting = [self._ledger.entries[pk] for pk in taken if pk not in self._tasks]
        self._later(self._start_all([entry for entry in waiting if entry.final is None]))
        return taken

    async def stop(self, wishes: Iterable[Mapping[str, Any]]) -> list[str]:
        """Take stop orders: on disk, then acted on. Returns their ids."""
        taken = []
        for wish in wishes:
            allocation, grace_s = wish["allocation"], float(wish.get("grace_s", 10))
            if not _SAFE_ID.fullmatch(allocation):
                log.error("a stop for the id %r is refused", allocation)
                continue
            entry = self._ledger.entries.get(allocation)
            taken.append(allocation)
            if entry is None:
                # Stopped before its order came: should the order come still, its end is known already.
                self._report(
                    _item(allocation, "exited", time.time(), cause="stopped", message="never started here")
                )
            elif entry.final is not None:
                self._repeat(allocation)
            else:
                self._order_stop(entry, "stopped", grace_s)
        await self._journal.commit()
        for allocation in taken:
            self._act_on_stop(self._ledger.entries[allocation])
        return taken

    async def end_unknown(self, candidates: Iterable[str], known: Iterable[str]) -> None:
        """End those of the candidates of which the server does not know (any more)."""
        unknown = set(candidates) - set(known)
        running = [entry.allocation for entry in self._ledger.unfinished() if entry.allocation in unknown]
        if running:
            log.warning("the server does not know %d of the tasks here; they are ended", len(running))
            await self.stop({"allocation": pk, "grace_s": UNKNOWN_TO_SERVER_GRACE_S} for pk in running)

    async def shut_down(self, grace_s: float, hurry: asyncio.Event) -> None:
        """End every task, those that resist after ``grace_s`` or once ``hurry`` is set by force."""
        self._closing = True
        entries = [self._ledger.entries[pk] for pk in self._tasks]
        for entry in entries:
            self._order_stop(entry, "agent_shutdown", grace_s)
        await self._journal.commit()
        for entry in entries:
            self._act_on_stop(entry)
        kill_at = time.monotonic() + grace_s
        killed = False
        while self._tasks:
            await asyncio.sleep(0.02)
            if not killed and (hurry.is_set() or time.monotonic() >= kill_at):
                killed = True
                for task in list(self._tasks.values()):
                    task.kill()

    def check(self) -> None:
        """About once a second: notice what no event told."""
        for task in list(self._tasks.values()):
            task.check()

    def hold_logs_to_cap(self) -> None:
        for allocation in self._tasks:
            logs.hold_to_cap(self.log_file(allocation))

    def started(self, allocation: str, pid: int | None, at: float) -> None:
        entry = self._ledger.entries[allocation]
        self._report(_item(allocation, "started", at, pid=pid))
        assert entry.order is not None
        self._loads.attach(allocation, entry.order)
        self._limit_runtime(entry)

    def ended(self, allocation: str, outcome: Outcome) -> None:
        entry = self._ledger.entries[allocation]
        self._tasks.pop(allocation, None)
        for timer in self._timers.pop(allocation, []):
            timer.cancel()
        self._loads.detach(allocation)
        if outcome.launch_failed:
            self._fail(allocation, outcome.launch_failed, outcome.at)
            return
        cause = entry.stop.cause if entry.stop else "lost" if outcome.lost else "exit"
        self._report(
            _item(
                allocation,
                "exited",
                outcome.at,
                pid=entry.started["pid"] if entry.started else None,
                exit_code=outcome.exit_code,
                signal=outcome.signal,
                cause=cause,
                message=_message(entry, cause, outcome),
                log_tail=logs.tail(self.log_file(allocation)),
            )
        )

    async def _start_all(self, entries: list[Entry]) -> None:
        for number, entry in enumerate(entries):
            if number % BREATH_EVERY == BREATH_EVERY - 1:
                await asyncio.sleep(0)
            # While the agent is stopping nothing new begins: the next agent finds the order in the journal.
            if entry.final is None and entry.allocation not in self._tasks and not self._closing:
                self._start(entry)

    def _start(self, entry: Entry) -> None:
        try:
            self._start_order(entry)
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            log.exception("the order of %s makes no sense", entry.allocation)
            self._tasks.pop(entry.allocation, None)
            self._fail(entry.allocation, f"the order makes no sense: {error!r}", time.time())

    def _start_order(self, entry: Entry) -> None:
        order, allocation = entry.order, entry.allocation
        assert order is not None
        if order.get("simulate"):
            simulated = SimulatedTask(allocation, order["simulate"], self)
            self._tasks[allocation] = simulated
            simulated.start()
        elif problem := _obstacle(order):
            self._fail(allocation, problem, time.time())
        else:
            task = self._process_task(allocation)
            self._tasks[allocation] = task
            spec = {
                "command": order["command"],
                "env": task_environment(order),
                "working_dir": order["working_dir"],
            }
            try:
                task.launch(spec)
            except OSError as error:
                del self._tasks[allocation]
                self._fail(allocation, f"its folder cannot be made: {error}", time.time())
        self._act_on_stop(entry)

    def _resume_one(self, entry: Entry, rebooted: bool) -> None:
        order, allocation = entry.order, entry.allocation
        assert order is not None
        if entry.started is not None:
            self._loads.attach(allocation, order)
            self._limit_runtime(entry)
        if order.get("simulate"):
            simulated = SimulatedTask(allocation, order["simulate"], self)
            self._tasks[allocation] = simulated
            simulated.start(entry.started["at"] if entry.started else None)
            self._act_on_stop(entry)
            return
        if rebooted and not (self._folder / allocation / "exit").exists():
            self.ended(allocation, Outcome(time.time(), lost="the machine was restarted"))
            return
        task = self._process_task(allocation)
        self._tasks[allocation] = task
        if task.adopt(told_start=entry.started is not None):
            self._act_on_stop(entry)
        else:
            self._start(entry)

    def _process_task(self, allocation: str) -> ProcessTask:
        return ProcessTask(allocation, self._folder / allocation, self._spawner, self)

    def _limit_runtime(self, entry: Entry) -> None:
        seconds = entry.order.get("max_runtime_s") if entry.order else None
        if seconds and entry.started:
            left = max(0.0, entry.started["at"] + seconds - time.time())
            self._at(entry.allocation, left, lambda: self._later(self._end_overdue(entry)))

    async def _end_overdue(self, entry: Entry) -> None:
        if entry.final is None:
            self._order_stop(entry, "max_runtime", MAX_RUNTIME_GRACE_S)
            await self._journal.commit()
            self._act_on_stop(entry)

    def _order_stop(self, entry: Entry, cause: str, grace_s: float) -> None:
        if entry.stop is None:
            self._journal.write(["stop", entry.allocation, cause, grace_s, time.time()])

    def _act_on_stop(self, entry: Entry) -> None:
        task = self._tasks.get(entry.allocation)
        if entry.stop is None or task is None:
            return
        self._at(entry.allocation, max(0.0, entry.stop.at + entry.stop.grace_s - time.time()), task.kill)
        task.terminate()

    def _at(self, allocation: str, seconds: float, action: Callable[[], None]) -> None:
        timer = asyncio.get_running_loop().call_later(seconds, action)
        self._timers.setdefault(allocation, []).append(timer)

    def _later(self, work: Coroutine[Any, Any, None]) -> None:
        task = asyncio.create_task(work)
        self._background.add(task)
        task.add_done_callback(self._background.discard)

    def _repeat(self, allocation: str) -> None:
        records = self._ledger.repeat(allocation)
        if records:
            self._journal.write(*records)
            self.reported()

    def _fail(self, allocation: str, message: str, at: float) -> None:
        self._report(_item(allocation, "launch_failed", at, cause="launch_failed", message=message))

    def _report(self, item: Item) -> None:
        self._journal.write(self._ledger.status(item))
        self.reported()


def _obstacle(order: Order) -> str:
    """Why the order cannot be started, or nothing."""
    command, port = order.get("command"), order.get("reserve_port")
    if not command or not all(isinstance(word, str) for word in command):
        return "the order has no command"
    try:
        return f"port {port} is taken" if port and not ports.is_free(port) else ""
    except OSError as error:
        return f"port {port} cannot be used: {error.strerror}"


def _message(entry: Entry, cause: str, outcome: Outcome) -> str:
    if cause == "max_runtime" and entry.order is not None:
        return f"ran longer than {entry.order['max_runtime_s']} s"
    if cause == "agent_shutdown":
        return "the node's agent was stopped"
    if cause == "exit" and outcome.signal:
        return f"ended by signal {outcome.signal} ({signal.strsignal(outcome.signal)})"
    return outcome.lost


def _item(
    allocation: str,
    event: str,
    at: float,
    *,
    pid: int | None = None,
    exit_code: int | None = None,
    signal: int | None = None,
    cause: str = "",
    message: str = "",
    log_tail: str | None = None,
) -> Item:
    item: Item = {
        "allocation": allocation,
        "event": event,
        "at": at,
        "pid": pid,
        "exit_code": exit_code,
        "signal": signal,
        "cause": cause,
        "message": message,
    }
    return item if log_tail is None else item | {"log_tail": log_tail}
