"""Filling an empty pool of 4,000 cards with 4,000 one-card jobs, through the whole product to running."""

from __future__ import annotations

import tempfile
import time
from pathlib import Path

import httpx

from bench.report import Row
from tests.product.instance import running
from vast.inventory.fleet_generate import generate

CARDS = 4000
TIMEOUT_S = 300


def run() -> list[Row]:
    with tempfile.TemporaryDirectory() as folder:
        fleet = Path(folder) / "fleet.yaml"
        fleet.write_text(generate(cards=CARDS, cards_per_node=8, vendors=["nvidia"]))
        with running(Path(folder) / "home", "--fleet", str(fleet)) as instance:
            headers = {"Authorization": f"Bearer {instance.token}"}
            with httpx.Client(base_url=instance.url, headers=headers, timeout=60) as http:
                _wait(http, "devices", lambda totals: totals["devices"], CARDS)
                began = time.monotonic()
                http.post("/api/v1/jobs/", json=_document()).raise_for_status()
                submitted = time.monotonic() - began
                _wait(http, "running", lambda totals: totals["jobs"].get("running", 0), CARDS)
                running_after = time.monotonic() - began
    return [
        {"name": f"submit an array of {CARDS} jobs", "value": round(submitted, 2), "unit": "s"},
        {
            "name": f"{CARDS} one-card jobs on {CARDS} cards: all running after",
            "value": round(running_after, 1),
            "unit": "s",
        },
        {"name": "jobs started", "value": round(CARDS / running_after, 1), "unit": "jobs/s"},
    ]


def _document() -> dict[str, object]:
    group = {"simulate": {"seconds": 3600}, "request": {"devices": 1}}
    return {"name": "fill", "queue": "default", "array": CARDS, "groups": [group]}


def _wait(http: httpx.Client, what: str, read: object, wanted: int) -> None:
    deadline = time.monotonic() + TIMEOUT_S
    got = 0
    while time.monotonic() < deadline:
        got = read(http.get("/api/v1/overview/").json()["totals"])  # type: ignore[operator]
        if got >= wanted:
            return
        time.sleep(0.25)
    raise TimeoutError(f"{got} of {wanted} {what} after {TIMEOUT_S} s")
