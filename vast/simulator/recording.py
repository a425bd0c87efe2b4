"""Cycles of the scheduler on file: what it saw and what it decided, to be decided again on another machine."""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter, ValidationError

from vast.common.reasons import Reason
from vast.scheduling.decisions import Decision
from vast.scheduling.engine import decide
from vast.scheduling.snapshot import Snapshot

FORMAT = 1
_SNAPSHOT = TypeAdapter(Snapshot)


class RecordingError(Exception):
    """The file is not a recording that this version reads; the message says why."""


@dataclass(frozen=True, slots=True)
class Recording:
    """One cycle. ``now`` in seconds since the epoch, ``budget`` in search steps."""

    snapshot: Snapshot
    now: int
    budget: int
    decisions: tuple[Any, ...]

    @classmethod
    def of(cls, snapshot: Snapshot, now: int, budget: int, decisions: Sequence[Decision]) -> Recording:
        return cls(snapshot, now, budget, tuple(plain(decision) for decision in decisions))

    def write(self, path: Path) -> None:
        """Compressed; whole or not at all. The same recording gives the same bytes."""
        data = {
            "format": FORMAT,
            "now": self.now,
            "budget": self.budget,
            "snapshot": _SNAPSHOT.dump_python(self.snapshot, mode="json"),
            "decisions": self.decisions,
        }
        text = json.dumps(data, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
        half = path.with_name(f".{path.name}.part")
        half.write_bytes(gzip.compress(text.encode(), compresslevel=6, mtime=0))
        half.replace(path)

    @classmethod
    def read(cls, path: Path) -> Recording:
        """Raises RecordingError."""
        try:
            data = json.loads(gzip.decompress(path.read_bytes()))
            if data["format"] != FORMAT:
                raise RecordingError(f"{path}: format {data['format']}; this version reads format {FORMAT}")
            snapshot = _SNAPSHOT.validate_python(data["snapshot"])
            return cls(snapshot, data["now"], data["budget"], tuple(data["decisions"]))
        except (OSError, ValueError, KeyError, TypeError, ValidationError) as error:
            raise RecordingError(f"{path}: not a recording: {str(error).splitlines()[0]}") from error


def plain(decision: Decision) -> dict[str, Any]:
    """A decision as JSON would give it back, so that both sides compare alike."""
    found: dict[str, Any] = json.loads(
        json.dumps({"decision": type(decision).__name__, **asdict(decision)}, default=_plain)
    )
    return found


def _plain(value: object) -> object:
    return value.as_dict() if isinstance(value, Reason) else list(value)  # type: ignore[call-overload]


def differences(recording: Recording) -> Iterator[str]:
    """Decide again and say where the answer is another one; nothing = identical, reasons included."""
    again = [plain(d) for d in decide(recording.snapshot, recording.now, recording.budget)]
    for number, (was, now) in enumerate(zip(recording.decisions, again, strict=False), start=1):
        if was != now:
            yield f"decision {number}: recorded {_short(was)}, now {_short(now)}"
    if len(again) != len(recording.decisions):
        yield f"recorded {len(recording.decisions)} decisions, now {len(again)}"


def _short(decision: dict[str, Any]) -> str:
    return json.dumps(decision, ensure_ascii=False)[:400]


class Ring:
    """The last cycles of a scheduler process, as files in one folder. ``keep`` 0 = nothing is written."""

    def __init__(self, folder: Path, keep: int) -> None:
        self._folder = folder
        self._keep = keep

    def add(self, snapshot: Snapshot, now: int, budget: int, decisions: Sequence[Decision]) -> None:
        if self._keep <= 0:
            return
        self._folder.mkdir(parents=True, exist_ok=True)
        files = sorted(self._folder.glob("cycle-*.json.gz"))
        number = int(files[-1].name[6:16]) + 1 if files else 0
        Recording.of(snapshot, now, budget, decisions).write(self._folder / f"cycle-{number:010d}.json.gz")
        for old in files[: max(0, len(files) + 1 - self._keep)]:
            old.unlink(missing_ok=True)
