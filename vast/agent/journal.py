"""The ledger on disk: an append-only file, synced once for everything that waits, rewritten when it has
grown.
"""

from __future__ import annotations

import asyncio
import json
import logging
import os
from pathlib import Path

from vast.agent.ledger import Ledger, Record

log = logging.getLogger(__name__)
COMPACT_AFTER_RECORDS = 20_000


class Journal:
    """One node's durable state. ``write`` changes the ledger at once; ``commit`` returns when that is on
    disk.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self.ledger = Ledger()
        self._waiting: list[bytes] = []
        self._written = self._durable = 0
        self._records_in_file = 0
        self._flushing: asyncio.Task[None] | None = None
        self._file = -1
        self._good_size = 0

    def open(self) -> None:
        """Replay what an earlier agent left, and start a fresh file with it."""
        if self._path.exists():
            self._replay(self._path.read_bytes())
        self._rewrite(self._snapshot())

    def write(self, *records: Record) -> None:
        """Take records into the ledger. They are lost by a crash until ``commit``."""
        for record in records:
            self.ledger.apply(record)
            self._waiting.append(_line(record))
        self._written += len(records)

    async def commit(self) -> None:
        """Wait until all that was written so far is on disk. Raises OSError when the disk refuses."""
        ticket = self._written
        while self._durable < ticket:
            if self._flushing is None or self._flushing.done():
                self._flushing = asyncio.create_task(self._flush())
            await asyncio.shield(self._flushing)

    @property
    def committed(self) -> bool:
        return self._durable == self._written

    def close(self) -> None:
        """Write out what waits and close the file."""
        if self._waiting:
            self._append(b"".join(self._waiting))
            self._waiting = []
        os.close(self._file)

    def _replay(self, content: bytes) -> None:
        # What follows the last line break was being written when the agent was killed: nobody was told of it.
        for line in content.split(b"\n")[:-1]:
            try:
                self.ledger.apply(json.loads(line))
            except (ValueError, KeyError) as error:
                log.error("%s: a record cannot be read and is left out: %s", self._path, error)

    async def _flush(self) -> None:
        lines, self._waiting = self._waiting, []
        grown = self._records_in_file + len(lines)
        loop = asyncio.get_running_loop()
        try:
            if grown > COMPACT_AFTER_RECORDS + 4 * len(self.ledger.entries):
                await loop.run_in_executor(None, self._rewrite, self._snapshot())
            else:
                await loop.run_in_executor(None, self._append, b"".join(lines))
                self._records_in_file = grown
        except OSError:
            self._waiting = lines + self._waiting
            raise
        self._durable += len(lines)

    def _snapshot(self) -> list[bytes]:
        return [_line(record) for record in self.ledger.records()]

    def _append(self, data: bytes) -> None:
        try:
            view = memoryview(data)
            while view:
                view = view[os.write(self._file, view) :]
            os.fsync(self._file)
            self._good_size += len(data)
        except OSError:
            os.ftruncate(self._file, self._good_size)
            raise

    def _rewrite(self, lines: list[bytes]) -> None:
        temporary = self._path.with_suffix(".new")
        data = b"".join(lines)
        file = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_APPEND, 0o600)
        try:
            view = memoryview(data)
            while view:
                view = view[os.write(file, view) :]
            os.fsync(file)
            temporary.rename(self._path)
            _sync_folder(self._path.parent)
        except OSError:
            os.close(file)
            raise
        if self._file >= 0:
            os.close(self._file)
        self._file, self._good_size, self._records_in_file = file, len(data), len(lines)


def _line(record: Record) -> bytes:
    return json.dumps(record, separators=(",", ":")).encode() + b"\n"


def _sync_folder(folder: Path) -> None:
    handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
