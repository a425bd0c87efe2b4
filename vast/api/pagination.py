"""Lists that grow are paged by cursor and cost the same on every page; short ones say how many there are."""

from __future__ import annotations

from typing import Any

from django.core.exceptions import ValidationError
from django.db.models import QuerySet
from rest_framework import pagination
from rest_framework.exceptions import NotFound
from rest_framework.request import Request


class CountedPages(pagination.PageNumberPagination):
    page_size = 50
    max_page_size = 1000
    page_size_query_param = "page_size"


class Cursors(pagination.CursorPagination):
    page_size_query_param = "page_size"

    def paginate_queryset(
        self, queryset: QuerySet[Any], request: Request, view: Any = None
    ) -> list[Any] | None:
        try:
            page: list[Any] | None = super().paginate_queryset(queryset, request, view)
        except (ValueError, ValidationError) as error:
            if self.cursor is None or self.cursor.position is None:
                raise
            # The position in a cursor is compared with a column; a made-up one may be of another type.
            raise NotFound(str(self.invalid_cursor_message)) from error
        return page


class NewestFirst(Cursors):
    page_size = 50
    max_page_size = 500
    ordering = ("-submitted_at", "-id")


class ById(Cursors):
    page_size = 200
    max_page_size = 1000
    ordering = "id"


class NewestIdFirst(ById):
    page_size = 50
    ordering = "-id"
