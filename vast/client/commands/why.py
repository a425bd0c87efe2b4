"""The answer of ``vast job why``, laid out to be read."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from vast.client.models import Job, Why

Evidence = Mapping[str, Any]
MARKS = {True: "✓", False: "✗", None: "·"}
PLAIN_MARKS = {True: "ok", False: "NO", None: "? "}


def why_lines(job: Job, answer: Why) -> Iterator[str]:
    """The headline, a line for each check, what came nearest to fitting, and who is ahead."""
    headline = answer.headline.message if answer.headline else ""
    yield f"{job.name} is {answer.state}" + (f": {headline or answer.message}" if answer.message else "")
    evidence = answer.headline.evidence if answer.headline else ()
    # What says how much was free at best is about devices and nodes that nearly fit; the rest rules them out.
    near = [item for item in evidence if "best" in item.get("params", {})]
    others = [item for item in evidence if item not in near]
    marks = _marks()
    if answer.checks:
        yield ""
    for check in answer.checks:
        yield f"  {marks[check.ok]} {check.message or check.code}"
        if check.ok is False:
            yield from _each(others, "      - ")
    if near:
        yield from ("", "nearest fit")
        yield from _each(near, "  - ")
    yield from _ahead(answer)


def _each(evidence: Sequence[Evidence], front: str) -> Iterator[str]:
    for item in evidence:
        yield front + str(item.get("message") or item.get("code"))
        yield from _each(item.get("evidence") or (), f"  {front}")


def _ahead(answer: Why) -> Iterator[str]:
    if answer.position is None:
        return
    yield from ("", f"position in its queue: {answer.position}" + ("; ahead of it" if answer.ahead else ""))
    for job in answer.ahead:
        yield f"  {job.position}. {job.name} ({job.id}), priority {job.priority}"
    if answer.ahead and (more := answer.position - 1 - len(answer.ahead)) > 0:
        yield f"  ... and {more} more"


def _marks() -> Mapping[bool | None, str]:
    try:
        "".join(MARKS.values()).encode(sys.stdout.encoding or "ascii")
    except (UnicodeEncodeError, LookupError):
        return PLAIN_MARKS
    return MARKS
