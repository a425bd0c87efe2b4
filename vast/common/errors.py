"""Errors that a caller can do something about: a stable code, a sentence, an HTTP status, and fields where they apply."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from vast.common.sentences import Sentence, say


@dataclass(frozen=True, slots=True)
class FieldError:
    """What is wrong with one field. ``field`` is a path such as ``groups[0].request.cores``."""

    field: str
    code: str
    detail: str | Sentence
    allowed: Any = None

    def as_dict(self) -> dict[str, Any]:
        data = {"field": self.field, "code": self.code, "detail": str(self.detail)}
        return data if self.allowed is None else data | {"allowed": self.allowed}


def field_path(location: tuple[int | str, ...]) -> str:
    """``("groups", 0, "request")`` -> ``groups[0].request``."""
    path = ""
    for part in location:
        path += f"[{part}]" if isinstance(part, int) else f".{part}" if path else str(part)
    return path


class VastError(Exception):
    """Base of every error with a meaning for the caller."""

    code = "error"
    status = 400
    title: str | Sentence = say("title.error")

    def __init__(
        self, detail: str | Sentence = "", *, errors: Sequence[FieldError] = (), code: str = ""
    ) -> None:
        super().__init__(detail or self.title)
        self.detail = detail or self.title
        self.errors = tuple(errors)
        self.code = code or self.code


class Invalid(VastError):
    """The input breaks a rule; ``errors`` names the fields."""

    code = "invalid"
    status = 422
    title = say("title.invalid")


class NotAllowed(VastError):
    code = "not_allowed"
    status = 403
    title = say("title.not_allowed")


class NotFound(VastError):
    code = "not_found"
    status = 404
    title = say("title.not_found")


class Conflict(VastError):
    """The object's state does not allow this now."""

    code = "conflict"
    status = 409
    title = say("title.conflict")


class Unavailable(VastError):
    """A part that is needed cannot be reached now; trying again later may work."""

    code = "unavailable"
    status = 503
    title = say("title.unavailable")
