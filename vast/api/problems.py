"""Errors over HTTP as RFC 9457 problem+json."""

from __future__ import annotations

import http
import logging
from typing import Any

from django.core.exceptions import PermissionDenied, RequestDataTooBig, ValidationError
from django.db import DataError, InterfaceError, OperationalError
from django.http import Http404, HttpRequest, JsonResponse
from django.views.decorators.csrf import csrf_exempt
from rest_framework import exceptions
from rest_framework.response import Response
from rest_framework.views import set_rollback

from vast.common.errors import FieldError, VastError, field_path
from vast.common.sentences import Sentence, catalog, say

log = logging.getLogger(__name__)
CONTENT_TYPE = "application/problem+json"


def problem(
    status: int, code: str, title: str | Sentence, detail: str | Sentence = "", errors: Any = ()
) -> dict[str, Any]:
    """The body. ``errors``: one entry per field, with what is allowed there."""
    return {
        "type": f"https://vast.invalid/problems/{code}",
        "title": str(title),
        "status": status,
        "code": code,
        "detail": str(detail or title),
        "errors": [error.as_dict() if isinstance(error, FieldError) else error for error in errors],
    }


def exception_handler(error: Exception, context: dict[str, Any]) -> Response | None:
    """DRF's hook: every error that a view raises becomes a problem."""
    body, headers = _describe(error)
    if body is None:
        return None
    set_rollback()
    return Response(body, status=body["status"], headers=headers, content_type=CONTENT_TYPE)


def _describe(error: Exception) -> tuple[dict[str, Any] | None, dict[str, str]]:
    if isinstance(error, VastError):
        return problem(error.status, error.code, error.title, error.detail, error.errors), {}
    if isinstance(error, exceptions.ValidationError):
        fields = list(_flatten(error.detail, ()))
        return problem(422, "invalid", say("title.invalid"), errors=fields), {}
    if isinstance(error, exceptions.APIException):
        headers = {}
        if header := getattr(error, "auth_header", None):
            headers["WWW-Authenticate"] = header
        if wait := getattr(error, "wait", None):
            headers["Retry-After"] = str(int(wait))
        code = str(getattr(error.detail, "code", error.default_code))
        return problem(error.status_code, code, _phrase(error.status_code), str(error.detail)), headers
    if isinstance(error, Http404):
        return problem(404, "not_found", say("title.not_found")), {}
    if isinstance(error, PermissionDenied):
        return problem(403, "not_allowed", say("title.not_allowed")), {}
    if isinstance(error, RequestDataTooBig):
        return problem(413, "too_large", say("title.too_large")), {}
    if isinstance(error, ValidationError):
        # A value of the query string that is of another type than the column it is compared with.
        return problem(422, "invalid", say("title.invalid"), " ".join(error.messages)), {}
    if isinstance(error, DataError):
        log.warning("refused by the database: %s", str(error).splitlines()[:1])
        return problem(422, "invalid", say("title.cannot_store")), {}
    if isinstance(error, OperationalError | InterfaceError):
        log.warning("database away: %s", str(error).splitlines()[:1])
        return problem(503, "unavailable", say("title.database_away")), {"Retry-After": "1"}
    return None, {}


def _phrase(status: int) -> str | Sentence:
    key = f"title.http_{status}"
    return say(key) if key in catalog("en") else http.HTTPStatus(status).phrase


def _flatten(detail: Any, location: tuple[int | str, ...]) -> Any:
    if isinstance(detail, dict):
        for key, value in detail.items():
            yield from _flatten(value, location if key == "non_field_errors" else (*location, key))
    elif isinstance(detail, list) and any(isinstance(item, dict) for item in detail):
        for index, item in enumerate(detail):
            yield from _flatten(item, (*location, index))
    else:
        for item in detail if isinstance(detail, list) else [detail]:
            yield FieldError(field_path(location), str(getattr(item, "code", "invalid")), str(item))


@csrf_exempt
def not_found(request: HttpRequest, exception: Exception | None = None) -> JsonResponse:
    """A path below /api/ that leads nowhere."""
    return JsonResponse(
        problem(404, "not_found", say("title.no_address")), status=404, content_type=CONTENT_TYPE
    )


def server_error(request: HttpRequest) -> JsonResponse:
    return JsonResponse(
        problem(500, "server_error", say("title.server_error")),
        status=500,
        content_type=CONTENT_TYPE,
    )
