"""Reading a task's log file, and keeping it from filling the disk.

The command writes straight into the file, so output survives the agent and its shim. A file that grows past
its cap loses its oldest part by punching a hole: what was is no longer stored, and every offset stays what it
was.
"""

from __future__ import annotations

import asyncio
import ctypes
import errno
import logging
import os
import stat
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

log = logging.getLogger(__name__)
CAP_BYTES = 64 * 1024 * 1024
KEEP_BYTES = 32 * 1024 * 1024
TAIL_BYTES = 16 * 1024
MOST_BYTES = 262_144
MOST_WAIT_S = 20.0
_LOOK_S = 0.1
_BLOCK = 4096
_PUNCH_HOLE_KEEP_SIZE = 0x03


@dataclass(frozen=True, slots=True)
class Piece:
    """Part of a log. ``next_offset`` and ``size`` in bytes of the file; ``complete``: nothing will follow."""

    data: str
    next_offset: int
    size: int
    complete: bool


async def follow(path: Path, offset: int, limit: int, wait_s: float, ended: Callable[[], bool]) -> Piece:
    """The log from ``offset`` on; waits up to ``wait_s`` seconds while there is nothing and the task runs."""
    deadline = time.monotonic() + min(wait_s, MOST_WAIT_S)
    while True:
        piece = read(path, offset, limit, ended=ended())
        if piece.data or piece.complete or time.monotonic() >= deadline:
            return piece
        await asyncio.sleep(_LOOK_S)


def read(path: Path, offset: int, limit: int, *, ended: bool) -> Piece:
    """At most ``limit`` bytes (4 to 262,144) from ``offset`` on, cut where a character ends. A missing file
    is empty.
    """
    limit, offset = max(4, min(limit, MOST_BYTES)), max(0, offset)
    try:
        file = _open(path, os.O_RDONLY)
    except FileNotFoundError:
        return Piece("", offset, 0, ended)
    try:
        chunk = os.pread(file, limit, offset)
        size = os.fstat(file).st_size
        if chunk:
            # After reading, so that a hole punched meanwhile is seen too.
            kept_from = _next_data(file, offset, size)
            if kept_from > offset:
                note = f"[... {kept_from - offset} bytes of this log were dropped ...]\n"
                return Piece(note, kept_from, size, complete=False)
    finally:
        os.close(file)
    last = ended and offset + len(chunk) >= size
    if not last:
        chunk = chunk[: len(chunk) - _unfinished(chunk)]
    return Piece(chunk.decode("utf-8", "replace"), offset + len(chunk), size, last)


def tail(path: Path) -> str:
    """The end of the log, at most 16 KiB as UTF-8."""
    try:
        with os.fdopen(_open(path, os.O_RDONLY), "rb") as file:
            start = max(0, file.seek(0, os.SEEK_END) - TAIL_BYTES)
            file.seek(start)
            content = file.read(TAIL_BYTES)
    except FileNotFoundError:
        return ""
    if start:
        content = content.lstrip(bytes(range(0x80, 0xC0)))
    text = content.decode("utf-8", "replace").replace("\x00", "\ufffd")
    return text.encode()[-TAIL_BYTES:].decode("utf-8", "ignore")


def hold_to_cap(path: Path, *, cap: int = CAP_BYTES, keep: int = KEEP_BYTES) -> bool:
    """Drop the oldest part of a log that takes more than ``cap`` bytes of disk. False when the file system
    cannot.
    """
    try:
        file = _open(path, os.O_WRONLY)
    except FileNotFoundError:
        return True
    try:
        now = os.fstat(file)
        if now.st_blocks * 512 <= cap:
            return True
        end = (now.st_size - keep) // _BLOCK * _BLOCK
        libc = ctypes.CDLL(None, use_errno=True)
        failed = libc.fallocate(file, _PUNCH_HOLE_KEEP_SIZE, ctypes.c_long(0), ctypes.c_long(end))
        if failed:
            log.warning("%s cannot be shortened: %s", path, os.strerror(ctypes.get_errno()))
        return not failed
    finally:
        os.close(file)


def _open(path: Path, how: int) -> int:
    """The log, unless the task put something else in its place. Raises FileNotFoundError.

    Opening a pipe would wait for its other end, and with it all nodes of this process.
    """
    try:
        file = os.open(path, how | os.O_NONBLOCK | os.O_NOFOLLOW)
    except OSError as error:
        if error.errno in {errno.ENOENT, errno.ELOOP, errno.ENXIO, errno.EISDIR, errno.ENOTDIR}:
            raise FileNotFoundError(error.errno, error.strerror, str(path)) from error
        raise
    if not stat.S_ISREG(os.fstat(file).st_mode):
        os.close(file)
        raise FileNotFoundError(errno.ENOENT, "not a regular file", str(path))
    return file


def _next_data(file: int, offset: int, size: int) -> int:
    try:
        return os.lseek(file, offset, os.SEEK_DATA)
    except OSError as error:
        # Nothing but a hole up to the end, or a file system that does not tell of holes.
        return size if error.errno == errno.ENXIO else offset


def _unfinished(chunk: bytes) -> int:
    """How many bytes at the end are the beginning of a character whose rest is still to come."""
    for back in range(1, min(3, len(chunk)) + 1):
        byte = chunk[-back]
        if byte >= 0xC0:
            wanted = 2 if byte < 0xE0 else 3 if byte < 0xF0 else 4
            return back if back < wanted else 0
        if byte < 0x80:
            break
    return 0
