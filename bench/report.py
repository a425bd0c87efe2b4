"""Figures: printed with the change since the last recorded run, and kept as JSON."""

from __future__ import annotations

import json
import os
import platform
from collections.abc import Iterable
from datetime import UTC, datetime
from pathlib import Path
from typing import TypedDict

OUT = Path(__file__).parent / "out"
RECORDED = Path(__file__).parent / "recorded.json"


class Row(TypedDict):
    name: str
    value: float
    unit: str


class Report:
    """Collects rows part by part. The record committed with the code is the one compared with."""

    def __init__(self) -> None:
        self.rows: dict[str, list[Row]] = {}
        self._last = _figures(json.loads(RECORDED.read_text())) if RECORDED.is_file() else {}

    def add(self, part: str, rows: Iterable[Row]) -> None:
        self.rows[part] = list(rows)
        print(f"\n{part}")
        for row in self.rows[part]:
            before = self._last.get((part, row["name"]))
            change = f"   was {before:g} ({row['value'] / before:.2f} x)" if before else ""
            print(f"  {row['name']:<64} {row['value']:>10g} {row['unit']}{change}", flush=True)

    def write(self) -> Path:
        OUT.mkdir(exist_ok=True)
        path = OUT / f"{datetime.now(UTC):%Y%m%dT%H%M%SZ}.json"
        path.write_text(json.dumps({"machine": machine(), "parts": self.rows}, indent=2) + "\n")
        print(f"\nwritten to {path.relative_to(Path.cwd()) if path.is_relative_to(Path.cwd()) else path}")
        print(f"to compare later runs with this one: cp it to {RECORDED.name} beside bench/__main__.py")
        return path


def machine() -> dict[str, str | int | None]:
    return {
        "at": datetime.now(UTC).isoformat(timespec="seconds"),
        "cores": os.cpu_count(),
        "machine": platform.machine(),
        "python": platform.python_version(),
        "system": platform.system(),
    }


def _figures(data: dict[str, dict[str, list[Row]]]) -> dict[tuple[str, str], float]:
    return {(part, row["name"]): row["value"] for part, rows in data["parts"].items() for row in rows}


def percentile(values: list[float], percent: float) -> float:
    """The value below which ``percent`` of the values lie, by nearest rank."""
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(len(ordered) * percent / 100))]
