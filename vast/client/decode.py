"""JSON objects into the dataclasses of ``models``: by their hints, so that there is one list of fields."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from types import UnionType
from typing import Any, TypeVar, get_args, get_origin, get_type_hints

from vast.client.errors import VastError
from vast.client.models import Record

T = TypeVar("T", bound=Record)

_KNOWN_HINTS: dict[type[Record], dict[str, Any]] = {}


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


def _hints(kind: type[Record]) -> dict[str, Any]:
    if kind not in _KNOWN_HINTS:
        _KNOWN_HINTS[kind] = {name: hint for name, hint in get_type_hints(kind).items() if name != "raw"}
    return _KNOWN_HINTS[kind]


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
        return _time(value)
    if isinstance(hint, type) and issubclass(hint, Record):
        return decode(hint, value)
    return value


def _time(value: str | float) -> datetime:
    """Records carry ISO text; telemetry carries Unix seconds."""
    if isinstance(value, int | float):
        return datetime.fromtimestamp(value, UTC)
    return datetime.fromisoformat(value)
