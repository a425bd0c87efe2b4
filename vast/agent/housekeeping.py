"""Folders of ended tasks go after a day, ids of allocations after a month."""

from __future__ import annotations

import asyncio
import logging
import shutil
from pathlib import Path

from vast.agent.journal import Journal

log = logging.getLogger(__name__)
KEEP_FOLDERS_S = 24 * 3600.0
KEEP_FOLDERS = 1000
# No server repeats an order for so long.
KEEP_IDS_S = 30 * 24 * 3600.0


async def prune(journal: Journal, tasks: Path, now: float) -> None:
    """Remove what is no longer needed of tasks whose end the server has confirmed."""
    waiting = {item["allocation"] for item in journal.ledger.unacked.values()}
    ended = sorted(
        (entry.final["at"], entry.allocation)
        for entry in journal.ledger.entries.values()
        if entry.final is not None and entry.allocation not in waiting
    )
    present = {path.name for path in tasks.iterdir()}
    kept = [pair for pair in ended if pair[1] in present]
    surplus = len(kept) - KEEP_FOLDERS
    for number, (at, allocation) in enumerate(kept):
        if at < now - KEEP_FOLDERS_S or number < surplus:
            await asyncio.to_thread(_remove, tasks / allocation)
    old = [allocation for at, allocation in ended if at < now - KEEP_IDS_S]
    if old:
        journal.write(*(["forget", allocation] for allocation in old))


def _remove(folder: Path) -> None:
    try:
        shutil.rmtree(folder)
    except OSError as error:
        log.warning("%s cannot be removed: %s", folder, error)
