"""What a reader is, and what it says when a text is not what it reads."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from vast.vendors.base import ToolError

Readout = dict[str, Any]


class UnreadableText(ToolError):
    """The text is not what the tool prints, or it is broken where nothing can be skipped. Says where."""


@dataclass(frozen=True, slots=True)
class Reader:
    """Reads one kind of output.

    ``command`` is searched in the command line that printed the text. ``parse`` raises UnreadableText for a text of
    another kind; what else it trips over in a broken one is turned into that (``registry``).
    """

    name: str
    command: re.Pattern[str]
    parse: Callable[[str], Readout]
