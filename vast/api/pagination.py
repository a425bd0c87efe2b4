"""Lists that grow are paged by cursor and cost the same on every page; short ones say how many there are."""

from __future__ import annotations

from rest_framework import pagination


class CountedPages(pagination.PageNumberPagination):
    page_size = 50
    max_page_size = 1000
    page_size_query_param = "page_size"


class NewestFirst(pagination.CursorPagination):
    page_size = 50
    max_page_size = 500
    page_size_query_param = "page_size"
    ordering = ("-submitted_at", "-id")


class ById(pagination.CursorPagination):
    page_size = 200
    max_page_size = 1000
    page_size_query_param = "page_size"
    ordering = "id"
