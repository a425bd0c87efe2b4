"""What a reader is, and what it says when a text is not what it reads."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

Readout = dict[str, Any]


class UnreadableText(ValueError):
    """The text is not what the tool prints, or it is broken where nothing can be skipped. Says where."""


@dataclass(frozen=True, slots=True)
class Reader:
    """Reads one kind of output.

    ``command`` is searched in the command line that printed the text; ``recognises`` looks at the text
    itself, for commands that are wrapped, aliased or not known. ``parse`` raises UnreadableText with a sentence for people;
    what else it trips over is turned into one (``registry``).
    """

    name: str
    command: re.Pattern[str]
    recognises: Callable[[str], bool]
    parse: Callable[[str], Readout]
