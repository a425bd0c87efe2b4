from __future__ import annotations

from pathlib import Path

import pytest

from vast.agent import housekeeping
from vast.agent.journal import Journal

NOW = 10_000_000.0
HOUR = 3600.0


@pytest.fixture
def journal(tmp_path: Path) -> Journal:
    journal = Journal(tmp_path / "journal.jsonl")
    journal.open()
    return journal


@pytest.fixture
def tasks(tmp_path: Path) -> Path:
    folder = tmp_path / "tasks"
    folder.mkdir()
    return folder


def ended(
    journal: Journal, tasks: Path, allocation: str, hours_ago: float, *, confirmed: bool = True
) -> None:
    item = {"allocation": allocation, "event": "exited", "at": NOW - hours_ago * HOUR}
    journal.write(journal.ledger.status(item))
    if confirmed:
        journal.write(["ack", journal.ledger.next_number - 1])
    (tasks / allocation).mkdir()
    (tasks / allocation / "log").write_text("text")


def left(tasks: Path) -> set[str]:
    return {path.name for path in tasks.iterdir()}


async def test_folders_of_long_ended_and_confirmed_tasks_go_and_their_ids_stay(
    journal: Journal, tasks: Path
) -> None:
    ended(journal, tasks, "old", 25)
    ended(journal, tasks, "recent", 23)
    ended(journal, tasks, "unconfirmed", 25, confirmed=False)
    journal.write(["order", {"allocation": "running"}])
    (tasks / "running").mkdir()
    await housekeeping.prune(journal, tasks, NOW)
    assert left(tasks) == {"recent", "unconfirmed", "running"}
    assert "old" in journal.ledger.entries


async def test_the_oldest_folders_go_when_there_are_too_many(
    journal: Journal, tasks: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(housekeeping, "KEEP_FOLDERS", 2)
    for hours_ago in (4, 3, 2, 1):
        ended(journal, tasks, f"h{hours_ago}", hours_ago)
    await housekeeping.prune(journal, tasks, NOW)
    assert left(tasks) == {"h2", "h1"}


async def test_ids_are_forgotten_after_a_month(journal: Journal, tasks: Path) -> None:
    ended(journal, tasks, "ancient", 31 * 24)
    ended(journal, tasks, "old", 29 * 24)
    await housekeeping.prune(journal, tasks, NOW)
    assert set(journal.ledger.entries) == {"old"}
