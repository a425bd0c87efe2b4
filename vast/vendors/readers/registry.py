"""Finds the reader of a text."""

from __future__ import annotations

from collections.abc import Mapping

from vast.vendors.readers import ascend, metax, mthreads, nvidia, rocm_json
from vast.vendors.readers.base import Reader, Readout, UnreadableText

READERS: Mapping[str, tuple[Reader, ...]] = {
    "amd": rocm_json.READERS,
    "ascend": ascend.READERS,
    "hygon": rocm_json.READERS,
    "metax": metax.READERS,
    "mthreads": mthreads.READERS,
    "nvidia": nvidia.READERS,
}


def read(vendor: str, command: str, text: str) -> Readout:
    """What the text tells. ``vendor`` is a key of READERS; ``command`` the command line that printed it, "" when
    it is not known.

    A reader of another command gets its turn where the command's own refuses: a command may be wrapped, and one tool has
    many forms. Raises UnreadableText when no reader of the vendor knows the text.
    """
    readers = READERS.get(vendor)
    if readers is None:
        raise UnreadableText(f"{vendor!r} has no readers; known are {', '.join(sorted(READERS))}")
    asked = [reader for reader in readers if command and reader.command.search(command)]
    refusal = UnreadableText(
        f"no reader of {vendor} knows this text; they read {', '.join(reader.name for reader in readers)}"
    )
    for reader in [*asked, *(reader for reader in readers if reader not in asked)]:
        try:
            return _parsed(reader, text)
        except UnreadableText as refused:
            refusal = refused if reader in asked[:1] else refusal
    raise refusal


def _parsed(reader: Reader, text: str) -> Readout:
    """What a reader trips over in a broken text, such as a number of a thousand digits, is a refusal too."""
    try:
        return reader.parse(text)
    except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError) as error:
        raise UnreadableText(f"{reader.name}: the text is broken ({error})") from error
