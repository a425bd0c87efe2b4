"""The reference of the case form, made from its descriptions."""

from __future__ import annotations

import types
from collections.abc import Iterator
from typing import Any, Union, get_args, get_origin

from pydantic import BaseModel
from pydantic_core import PydanticUndefined

from vast.simulator.cases import form

PARTS = (
    form.Case,
    form.Pool,
    form.Node,
    form.Model,
    form.Template,
    form.Policy,
    form.Queue,
    form.Job,
    form.Group,
    form.Alternative,
    form.Topology,
    form.Link,
    form.Expect,
    form.Waiting,
    form.Place,
    form.Step,
)


def tables() -> str:
    """One section with a table for each part of a case."""
    return "\n".join(line for part in PARTS for line in _section(part))


def _section(part: type[BaseModel]) -> Iterator[str]:
    yield f"### {part.__name__.lower()}"
    yield ""
    yield " ".join((part.__doc__ or "").split())
    yield ""
    yield "| field | value | default | meaning |"
    yield "|---|---|---|---|"
    for name, field in part.model_fields.items():
        default = "required" if field.is_required() else _default(field)
        meaning = (field.description or "").replace("|", "\\|")
        yield f"| `{name}` | {_type(field.annotation)} | {default} | {meaning} |"
    yield ""


def _default(field: Any) -> str:
    value = field.default if field.default is not PydanticUndefined else field.default_factory()
    if isinstance(value, BaseModel) or value in (None, "", [], {}):
        return "–"
    return f"`{str(value).lower() if isinstance(value, bool) else value}`"


def _type(annotation: Any) -> str:
    """The type in words."""
    origin, inner = get_origin(annotation), get_args(annotation)
    if origin in (Union, types.UnionType):
        return " or ".join(_type(part) for part in inner if part is not type(None))
    if origin is list:
        return f"list of {_type(inner[0])}"
    if origin is dict:
        return f"{{{_type(inner[0])}: {_type(inner[1])}}}"
    if origin is not None and hasattr(annotation, "__metadata__"):
        return _type(inner[0])
    if origin is not None:
        return " or ".join(f"`{value}`" for value in inner)
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return f"[{annotation.__name__.lower()}](#{annotation.__name__.lower()})"
    names = {str: "text", int: "whole number", float: "number", bool: "true or false"}
    return names.get(annotation, "anything")
