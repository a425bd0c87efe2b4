"""What pydantic found wrong with a document, in the words of its author: the field as it was written, and a sentence."""

from __future__ import annotations

import difflib
from typing import Any, get_args

from pydantic import BaseModel, ValidationError

from vast.common.errors import FieldError, field_path
from vast.common.sentences import Sentence, Wrong, say

# Sentences by pydantic's types, filled with the error's context. What is missing here says enough as pydantic puts it.
SENTENCES = {
    "bool_type": "document.bool_type",
    "dict_type": "document.mapping_type",
    "float_type": "document.float_type",
    "greater_than_equal": "at_least",
    "int_from_float": "document.int_type",
    "int_type": "document.int_type",
    "less_than_equal": "at_most",
    "list_type": "document.list_type",
    "literal_error": "document.one_of",
    "missing": "document.missing",
    "model_type": "document.mapping_type",
    "string_too_long": "most_characters",
    "string_too_short": "document.empty",
    "string_type": "document.string_type",
    "string_unicode": "document.string_unicode",
    "too_long": "document.most_entries",
    "too_short": "document.least_entries",
}
# What the document's patterns mean; a regular expression helps nobody who fills in a form.
FORMS = {
    r"^[a-z0-9]([a-z0-9.-]*[a-z0-9])?$": "document.form_name",
    r"^[A-Za-z0-9]([A-Za-z0-9._/-]*[A-Za-z0-9])?$": "document.form_label",
    r"^[A-Za-z_][A-Za-z0-9_]*$": "document.form_variable",
    r"^[^\x00]*$": "document.form_no_nul",
    r"^/[^\x00]*$": "document.form_path",
}
LIMITS = ("ge", "le", "gt", "lt", "max_length", "min_length", "pattern", "expected")


def field_errors(error: ValidationError, model: type[BaseModel]) -> list[FieldError]:
    """One error per field, the first that was found."""
    found: dict[str, FieldError] = {}
    branches = set()
    for item in error.errors(include_url=False, include_input=False):
        # A union (command) reports one error per branch, and a mapping its keys, under pseudo-names; the field itself is
        # what the user wrote.
        location = _as_written(item)
        path = field_path(location)
        if location != item["loc"]:
            branches.add(path)
        known = sorted(_fields_at(model, location[:-1])) if item["type"] == "extra_forbidden" else None
        found.setdefault(
            path, FieldError(path, item["type"], _sentence(item, location, known), _allowed(item, known))
        )
    for path in branches:
        if any(other.startswith(f"{path}[") for other in found):
            # Another branch of the union came further: its error is the one that helps.
            found.pop(path, None)
    return list(found.values())


def _as_written(item: Any) -> tuple[int | str, ...]:
    """The location without pydantic's own names: the branches of a union, and ``[key]`` for the key of a mapping."""
    location: tuple[int | str, ...] = item["loc"]
    if item["type"] == "extra_forbidden":
        return location
    if location[-1:] == ("[key]",):
        return location[:-1]
    return tuple(
        part for index, part in enumerate(location) if index == 0 or location[index - 1] != "command"
    )


def _sentence(item: Any, location: tuple[int | str, ...], known: list[str] | None) -> str | Sentence:
    if known is not None:
        names = ", ".join(known)
        near = difflib.get_close_matches(str(location[-1]), known, n=1)
        if near:
            return say("document.unknown_field_near", known=names, near=near[0])
        return say("document.unknown_field", known=names)
    context = item.get("ctx", {})
    if isinstance(context.get("error"), Wrong):
        return context["error"].sentence  # type: ignore[no-any-return]
    key = FORMS.get(context.get("pattern", "")) or SENTENCES.get(item["type"])
    return say(key, **context) if key else str(item["msg"])


def _allowed(item: Any, known: list[str] | None) -> Any:
    if known is not None:
        return known
    context = item.get("ctx", {})
    return {key: context[key] for key in LIMITS if key in context} or None


def _fields_at(model: type[BaseModel], location: tuple[int | str, ...]) -> list[str]:
    """The fields of the part that ``location`` leads to."""
    for part in location:
        if isinstance(part, str):
            model = _part_in(model.model_fields[part].annotation)
    return list(model.model_fields)


def _part_in(annotation: Any) -> type[BaseModel]:
    """The model inside ``Part``, ``list[Part]`` or ``Part | None``."""
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return annotation
    return next(_part_in(inner) for inner in get_args(annotation) if inner is not type(None))
