"""Finds the reader of a text."""

from __future__ import annotations

from collections.abc import Mapping

from vast.vendors.readers import ascend, metax, mthreads, nvidia
from vast.vendors.readers.base import Reader, Readout, UnreadableText

READERS: Mapping[str, tuple[Reader, ...]] = {
    "ascend": ascend.READERS,
    "metax": metax.READERS,
    "mthreads": mthreads.READERS,
    "nvidia": nvidia.READERS,
}


def read(vendor: str, command: str, text: str) -> Readout:
    """What the text tells. ``vendor`` is a key of READERS; ``command`` the command line that printed it, "" when
    it is not known.

    The text decides where the command does not: a command may be wrapped, and one tool has many forms. Raises
    UnreadableText when no reader of the vendor knows the text.
    """
    readers = READERS.get(vendor)
    if readers is None:
        raise UnreadableText(f"{vendor!r} has no readers; known are {', '.join(sorted(READERS))}")
    asked = [reader for reader in readers if command and reader.command.search(command)]
    for reader in [*asked, *readers]:
        if reader.recognises(text):
            return reader.parse(text)
    if asked:
        return asked[0].parse(text)
    raise UnreadableText(
        f"no reader of {vendor} knows this text; they read {', '.join(reader.name for reader in readers)}"
    )
