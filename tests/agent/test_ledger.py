from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from vast.agent import journal as journals
from vast.agent.journal import Journal
from vast.agent.ledger import Ledger


def item(allocation: str, event: str = "exited", **more: Any) -> dict[str, Any]:
    return {"allocation": allocation, "event": event, "at": 10.0, "cause": "exit"} | more


def ordered(ledger: Ledger, allocation: str) -> None:
    ledger.apply(["order", {"allocation": allocation, "command": ["true"]}])


def told(ledger: Ledger, allocation: str, event: str, **more: Any) -> None:
    ledger.apply(ledger.status(item(allocation, event, **more)))


def replayed(ledger: Ledger) -> Ledger:
    again = Ledger()
    for record in json.loads(json.dumps(list(ledger.records()))):
        again.apply(record)
    return again


def picture(ledger: Ledger) -> tuple[Any, ...]:
    return (ledger.entries, ledger.unacked, ledger.next_number, ledger.boot, ledger.to_greet_with())


def test_an_allocation_goes_from_starting_over_running_to_exited() -> None:
    ledger = Ledger()
    ordered(ledger, "a")
    assert ledger.entries["a"].state == "starting"
    told(ledger, "a", "started")
    assert ledger.entries["a"].state == "running"
    told(ledger, "a", "exited")
    assert ledger.entries["a"].state == "exited"


def test_an_acknowledgement_confirms_all_up_to_its_number() -> None:
    ledger = Ledger()
    for allocation in ("a", "b", "c"):
        told(ledger, allocation, "exited")
    ledger.apply(["ack", 2])
    assert list(ledger.unacked) == [3]


def test_a_confirmed_end_is_not_greeted_with_but_its_id_is_kept_without_order_and_log() -> None:
    ledger = Ledger()
    ordered(ledger, "a")
    told(ledger, "a", "exited", log_tail="long")
    assert ledger.to_greet_with() == [{"allocation": "a", "state": "exited"}]
    ledger.apply(["ack", 1])
    assert ledger.to_greet_with() == []
    assert ledger.entries["a"].order is None
    assert "log_tail" not in ledger.entries["a"].final  # type: ignore[operator]


def test_a_repeated_end_waits_for_a_new_confirmation() -> None:
    ledger = Ledger()
    told(ledger, "a", "exited")
    ledger.apply(["ack", 1])
    for record in ledger.repeat("a"):
        ledger.apply(record)
    assert list(ledger.unacked) == [2]
    assert ledger.repeat("a") == []


def test_an_allocation_of_which_nothing_was_reported_has_nothing_to_repeat() -> None:
    ledger = Ledger()
    ordered(ledger, "a")
    assert ledger.repeat("a") == []


def test_numbers_go_on_after_everything_was_confirmed() -> None:
    ledger = Ledger()
    told(ledger, "a", "exited")
    ledger.apply(["ack", 1])
    assert replayed(ledger).next_number == 2


def test_the_shortest_history_leads_to_the_same_state() -> None:
    ledger = Ledger()
    ledger.apply(["boot", "boot-1"])
    for allocation in ("waits", "runs", "told", "stops", "done", "ended"):
        ordered(ledger, allocation)
    told(ledger, "told", "started")
    told(ledger, "done", "started")
    told(ledger, "done", "exited", log_tail="x")
    ledger.apply(["ack", ledger.next_number - 1])
    told(ledger, "runs", "started")
    ledger.apply(["stop", "stops", "stopped", 5.0, 2.0])
    told(ledger, "ended", "launch_failed")
    told(ledger, "never", "exited")
    assert picture(replayed(ledger)) == picture(ledger)


def test_an_unknown_record_is_an_error() -> None:
    with pytest.raises(ValueError, match="unknown record"):
        Ledger().apply(["surprise"])


async def test_a_journal_holds_after_commit_what_was_written(tmp_path: Path) -> None:
    first = opened(tmp_path)
    first.write(["order", {"allocation": "a"}])
    await first.commit()
    assert picture(opened(tmp_path).ledger) == picture(first.ledger)


async def test_a_half_written_last_line_is_left_out(tmp_path: Path) -> None:
    first = opened(tmp_path)
    first.write(["order", {"allocation": "a"}])
    await first.commit()
    with (tmp_path / "journal.jsonl").open("a") as file:
        file.write('["order", {"allocation": "b"')
    again = opened(tmp_path)
    assert list(again.ledger.entries) == ["a"]
    again.write(["order", {"allocation": "c"}])
    await again.commit()
    assert list(opened(tmp_path).ledger.entries) == ["a", "c"]


async def test_a_journal_that_has_grown_is_rewritten_with_the_same_state(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(journals, "COMPACT_AFTER_RECORDS", 50)
    journal = opened(tmp_path)
    for _ in range(100):
        journal.write(journal.ledger.status(item("a")))
        journal.write(["ack", journal.ledger.next_number - 1])
        await journal.commit()
    assert len((tmp_path / "journal.jsonl").read_text().splitlines()) < 70
    assert picture(opened(tmp_path).ledger) == picture(journal.ledger)


async def test_what_a_full_disk_refused_is_written_once_there_is_room(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    journal = opened(tmp_path)

    def full(data: bytes) -> None:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patched:
        patched.setattr(journal, "_append", full)
        journal.write(["order", {"allocation": "a"}])
        with pytest.raises(OSError, match="No space left"):
            await journal.commit()
    journal.write(["order", {"allocation": "b"}])
    await journal.commit()
    assert list(opened(tmp_path).ledger.entries) == ["a", "b"]


def opened(folder: Path) -> Journal:
    journal = Journal(folder / "journal.jsonl")
    journal.open()
    return journal
