"""Numbers out of what vendors' tools print, where a unit may hang on them and "not told" has many
spellings.
"""

from __future__ import annotations

import re

from vast.vendors.base import ToolError

_NUMBER = re.compile(r"-?\d+(?:\.\d+)?")


def number(text: object) -> float | None:
    """The number a cell begins with (``30 C``, ``96.66W``, ``(36.0)``); None for N/A, a dash, ERR! or
    nothing.
    """
    match = _NUMBER.match(str(text).strip().lstrip("("))
    return float(match.group()) if match else None


def whole_number(text: object) -> int | None:
    """Like ``number``, without the part after the point."""
    value = number(text)
    return None if value is None else int(value)


def needed(value: int | None, what: str) -> int:
    """The value, which the tool must have told; ToolError names ``what`` otherwise."""
    if value is None:
        raise ToolError(f"{what} is missing")
    return value
