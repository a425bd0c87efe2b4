"""What can go wrong, as one exception family. Light to import: the command line catches these."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class FieldError:
    """One thing wrong with the input. ``field`` is a path such as ``groups[0].request.cores``."""

    field: str
    code: str
    detail: str
    allowed: Any = None

    def __str__(self) -> str:
        return f"{self.field}: {self.detail}" if self.field else self.detail


class VastError(Exception):
    """The server refused a call, or could not be asked.

    ``status`` is the HTTP status (0 when there was no answer), ``code`` a stable word for programs,
    ``errors`` one entry for each field that was wrong.
    """

    def __init__(
        self,
        detail: str,
        *,
        status: int = 0,
        code: str = "error",
        title: str = "",
        errors: tuple[FieldError, ...] = (),
    ) -> None:
        super().__init__(detail)
        self.status = status
        self.code = code
        self.title = title
        self.detail = detail
        self.errors = errors

    def __str__(self) -> str:
        head = self.detail or self.title or f"HTTP {self.status}"
        return "\n  ".join([head, *map(str, self.errors)])

    @classmethod
    def from_problem(cls, status: int, problem: Mapping[str, Any]) -> VastError:
        """The error of an ``application/problem+json`` body."""
        return cls(
            str(problem.get("detail") or problem.get("title") or f"HTTP {status}"),
            status=status,
            code=str(problem.get("code") or "error"),
            title=str(problem.get("title") or ""),
            errors=tuple(
                FieldError(
                    field=str(item.get("field") or ""),
                    code=str(item.get("code") or ""),
                    detail=str(item.get("detail") or ""),
                    allowed=item.get("allowed"),
                )
                for item in problem.get("errors") or ()
            ),
        )


class NotConfigured(VastError):
    """No server is known: nothing was given, and there is no local instance."""

    def __init__(self, detail: str) -> None:
        super().__init__(detail, code="not_configured")


class Unreachable(VastError):
    """The server gave no usable answer, however often it was asked within the time allowed."""

    def __init__(self, detail: str, *, status: int = 0) -> None:
        super().__init__(detail, status=status, code="unreachable")


class JobTimeout(VastError):
    """The job had not ended when the waiting time was over. The job goes on."""

    def __init__(self, detail: str) -> None:
        super().__init__(detail, code="timeout")
