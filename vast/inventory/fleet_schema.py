"""The shape of a fleet file, as JSON Schema, and its violations in words that name the field and what is
allowed.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Sequence
from typing import Any

from jsonschema import Draft202012Validator
from jsonschema.exceptions import ValidationError

MAX_NODES = 100_000
MAX_DEVICES_PER_NODE = 64

_NAME = {"type": "string", "minLength": 1, "maxLength": 63, "pattern": r"^[a-z0-9]([a-z0-9._-]*[a-z0-9])?$"}
_WORDS = {"type": "object", "additionalProperties": {"type": "string", "maxLength": 255}}


def _count(minimum: int, maximum: int) -> dict[str, Any]:
    return {"type": "integer", "minimum": minimum, "maximum": maximum}


DEVICES: dict[str, Any] = {
    "type": "object",
    "additionalProperties": False,
    "required": ["vendor", "model"],
    "properties": {
        "vendor": {"type": "string"},
        "model": {"type": "string"},
        "count": _count(1, MAX_DEVICES_PER_NODE),
        "memory_mib": _count(1, 16_777_216),
        "max_slices": _count(1, 1000),
        "link_groups": _count(0, MAX_DEVICES_PER_NODE),
        "numa_nodes": _count(1, 64),
    },
}

NODE: dict[str, Any] = {
    "type": "object",
    "additionalProperties": False,
    "required": ["name"],
    "properties": {
        "name": {"type": "string", "minLength": 1, "maxLength": 80},
        "count": _count(1, MAX_NODES),
        "address": {"type": "string", "minLength": 1, "maxLength": 255},
        "cpu_millis": _count(1, 100_000_000),
        "memory_mib": _count(1, 1_000_000_000),
        "task_slots": _count(1, 100_000),
        "labels": _WORDS,
        "location": _WORDS,
        "devices": {"type": "array", "items": DEVICES, "maxItems": MAX_DEVICES_PER_NODE},
    },
}

SCHEMA: dict[str, Any] = {
    "$schema": "https://json-schema.org/draft/2020-12/schema",
    "title": "VAST fleet file",
    "type": "object",
    "additionalProperties": False,
    "required": ["name", "nodes"],
    "properties": {
        "name": _NAME,
        "pool": _NAME,
        "topology": {"type": "array", "items": _NAME, "uniqueItems": True, "maxItems": 8},
        "nodes": {"type": "array", "items": NODE, "minItems": 1, "maxItems": MAX_NODES},
    },
}

_VALIDATOR = Draft202012Validator(SCHEMA)
_TYPES = {
    "object": "a mapping",
    "array": "a list",
    "string": "a text (put it in quotes)",
    "integer": "a whole number",
}


def violations(document: object) -> list[str]:
    """Every violation of the schema, in the order of the file: ``field: what is wrong and what is
    allowed``.
    """
    errors = sorted(
        _VALIDATOR.iter_errors(document), key=lambda error: [f"{part!s:>9}" for part in error.path]
    )
    # Each missing field is an error of its own that lists them all.
    return list(dict.fromkeys(text for error in errors for text in _describe(error)))


def field_name(path: Iterable[str | int]) -> str:
    """``nodes[2].devices[0].model`` for a path of keys and positions; ``file`` for the whole."""
    name = ""
    for part in path:
        name += f"[{part}]" if isinstance(part, int) else f".{part}" if name else part
    return name or "file"


def near(word: str, known: Sequence[str]) -> str:
    """``; did you mean ...?`` with the known words that look like this one, or the whole list."""
    by_lower = {name.casefold(): name for name in known}
    matches = difflib.get_close_matches(word.casefold(), by_lower, n=3, cutoff=0.5)
    if matches:
        return f"; did you mean {' or '.join(by_lower[match] for match in matches)}?"
    return f"; known: {', '.join(known)}"


def _describe(error: ValidationError) -> list[str]:
    field = field_name(error.absolute_path)
    limit = error.validator_value
    match error.validator:
        case "additionalProperties":
            fields = list(error.schema["properties"])
            unknown = [key for key in error.instance if key not in fields]
            prefix = "" if field == "file" else f"{field}."
            return [f"{prefix}{key}: unknown field{near(str(key), fields)}" for key in unknown]
        case "required":
            return [f"{field}: {key} is missing" for key in limit if key not in error.instance]
        case "type":
            return [f"{field}: must be {_TYPES[limit]}, not {error.instance!r}"]
        case "minimum" | "maximum":
            low, high = error.schema["minimum"], error.schema["maximum"]
            return [f"{field}: must be from {low} to {high}, not {error.instance}"]
        case "minItems":
            return [f"{field}: needs at least {limit} entry"]
        case "maxItems":
            return [f"{field}: at most {limit} entries are allowed, not {len(error.instance)}"]
        case "pattern":
            allowed = "a-z, 0-9, and inside also . _ -, up to 63 characters"
            return [f"{field}: {error.instance!r} is no name; allowed are {allowed}"]
        case _:
            return [f"{field}: {error.message}"]
