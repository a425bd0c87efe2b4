"""Private files: readable by their owner only from the first byte, and never half written."""

from __future__ import annotations

import os
import secrets
import tempfile
from pathlib import Path


def private_folder(path: Path) -> Path:
    """Make the folder with mode 700. The modes of folders above it are left as they are."""
    if not path.is_dir():
        path.mkdir(parents=True, exist_ok=True, mode=0o700)
    path.chmod(0o700)
    return path


def write_private(path: Path, text: str) -> None:
    """Replace the file in one step; a reader sees the old or the new text, and only its owner sees either."""
    descriptor, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}-")
    try:
        with os.fdopen(descriptor, "w", encoding="utf-8") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        Path(name).replace(path)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise


def secret(path: Path, length: int = 32) -> str:
    """The random secret kept in the file, made at the first call. ``length`` counts random bytes."""
    try:
        kept = path.read_text("utf-8").strip()
    except FileNotFoundError:
        kept = ""
    if not kept:
        kept = secrets.token_urlsafe(length)
        write_private(path, kept + "\n")
    return kept
