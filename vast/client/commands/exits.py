"""Exit codes, and errors turned into them. docs/cli.md lists them for users."""

from __future__ import annotations

from vast.client.errors import FieldError, JobTimeout, NotConfigured, Unreachable, VastError

FAILED = 1
BAD_INPUT = 2
CANCELLED = 3
NOT_ALLOWED = 4
UNREACHABLE = 5
NOT_FOUND = 6
CONFLICT = 7
TIMED_OUT = 124
INTERRUPTED = 130

BY_STATUS = {
    400: BAD_INPUT,
    401: NOT_ALLOWED,
    403: NOT_ALLOWED,
    404: NOT_FOUND,
    409: CONFLICT,
    412: CONFLICT,
    413: BAD_INPUT,
    415: BAD_INPUT,
    422: BAD_INPUT,
    429: UNREACHABLE,
    502: UNREACHABLE,
    503: UNREACHABLE,
    504: UNREACHABLE,
}
BOUNDS = {"le": "at most", "lt": "less than", "ge": "at least", "gt": "more than"}
BY_JOB_STATE = {"succeeded": 0, "failed": FAILED, "cancelled": CANCELLED, "skipped": CANCELLED}


def code_of(error: VastError) -> int:
    if isinstance(error, JobTimeout):
        return TIMED_OUT
    if isinstance(error, NotConfigured | Unreachable):
        return UNREACHABLE
    return BY_STATUS.get(error.status, FAILED)


def lines_of(error: VastError) -> list[str]:
    """The error in words: what, then one line for each field, then what to do where that is known."""
    lines = [f"error: {error.detail or error.title}", *(f"  {_field_line(item)}" for item in error.errors)]
    if error.status == 401:
        lines.append("  sign in with: vast login --url URL")
    return lines


def _field_line(item: FieldError) -> str:
    return f"{item} (allowed: {_words(item.allowed)})" if item.allowed else str(item)


def _words(allowed: object) -> str:
    if isinstance(allowed, dict):
        return ", ".join(f"{BOUNDS.get(name, name)} {value}" for name, value in allowed.items())
    return ", ".join(map(str, allowed)) if isinstance(allowed, list | tuple) else str(allowed)
