"""Shows the start step by step: what is being done, and how long it took."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager

from vast.runtime.errors import StopRequested
from vast.runtime.stream import LogStream

_WIDTH = 34


class Steps:
    def __init__(self, stream: LogStream) -> None:
        self._stream = stream

    @contextmanager
    def step(self, title: str) -> Iterator[None]:
        """Show the title while the block runs, then its seconds; a failed one is marked as such."""
        began = time.monotonic()
        self._stream.show(f"  {title + ' ':.<{_WIDTH}} ", end="")
        try:
            yield
        except StopRequested:
            self._stream.show("stopped")
            raise
        except BaseException:
            self._stream.show("failed")
            raise
        self._stream.show(f"done in {time.monotonic() - began:.1f} s")

    def box(self, lines: list[str]) -> None:
        """A frame around what the user needs to know."""
        width = max(len(line) for line in lines)
        self._stream.show("\n+" + "-" * (width + 2) + "+")
        for line in lines:
            self._stream.show(f"| {line:<{width}} |")
        self._stream.show("+" + "-" * (width + 2) + "+\n")
