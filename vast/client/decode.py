"""JSON objects into the dataclasses of ``models``: by their hints, so that there is one list of fields."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from datetime import datetime
from functools import cache
from types import UnionType
from typing import Any, TypeVar, get_args, get_origin, get_type_hints

from vast.client.errors import VastError
from vast.client.models import Record

T = TypeVar("T", bound=Record)


def decode(kind: type[T], data: Mapping[str, Any]) -> T:
    """``data`` as a ``kind``. Unknown fields stay in ``raw``; VastError when a required one is missing."""
    if not isinstance(data, Mapping):
        raise VastError(f"the server's answer is not a {kind.__name__}: {data!r:.80}", code="bad_answer")
    values = {
        name: _value(hint, data[name])
        for name, hint in _hints(kind).items()
        if name in data and (data[name] is not None or _optional(hint))
    }
    try:
        return kind(**values, raw=data)
    except TypeError as error:
        raise VastError(
            f"the server's answer is not a whole {kind.__name__}: {error}", code="bad_answer"
        ) from error


@cache
def _hints(kind: Hashable) -> dict[str, Any]:
    # Declared as Hashable because mypy takes no generic class for one; it is always a Record's class.
    hints = get_type_hints(kind)
    return {name: hint for name, hint in hints.items() if name != "raw"}


def _optional(hint: Any) -> bool:
    return get_origin(hint) is UnionType and type(None) in get_args(hint)


def _value(hint: Any, value: Any) -> Any:
    if value is None:
        return None
    if get_origin(hint) is UnionType:
        hint = next(item for item in get_args(hint) if item is not type(None))
    if get_origin(hint) is tuple:
        return tuple(_value(get_args(hint)[0], item) for item in value)
    if hint is datetime:
        return datetime.fromisoformat(value)
    if isinstance(hint, type) and issubclass(hint, Record):
        return decode(hint, value)
    return value
