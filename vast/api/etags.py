"""Weak ETags from a row's version, and conditional writes."""

from __future__ import annotations

from typing import Any

from rest_framework.request import Request
from rest_framework.response import Response

from vast.common.errors import VastError
from vast.common.models import Entity
from vast.common.sentences import say


class PreconditionFailed(VastError):
    code = "changed_meanwhile"
    status = 412
    title = say("title.changed_meanwhile")


def etag(row: Entity) -> str:
    return f'W/"{row.version}"'


def require_match(request: Request, row: Entity) -> None:
    """Raises PreconditionFailed when the caller's If-Match names another version."""
    wanted = request.headers.get("If-Match")
    if wanted and wanted.strip() != "*" and etag(row) not in [part.strip() for part in wanted.split(",")]:
        raise PreconditionFailed


def with_etag(row: Entity, data: Any, status: int = 200) -> Response:
    return Response(data, status=status, headers={"ETag": etag(row)})


class EtagOnRetrieve:
    """For viewsets: GET of one object carries its ETag."""

    def retrieve(self, request: Request, *args: Any, **kwargs: Any) -> Response:
        row = self.get_object()  # type: ignore[attr-defined]
        return with_etag(row, self.get_serializer(row).data)  # type: ignore[attr-defined]
