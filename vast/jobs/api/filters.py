from __future__ import annotations

from uuid import UUID

import django_filters
from django.db.models import Q, QuerySet

from vast.jobs.choices import JobState
from vast.jobs.models import Job


class StatesFilter(django_filters.BaseInFilter, django_filters.ChoiceFilter):
    """``?state=pending,running``."""


class JobFilter(django_filters.FilterSet):
    state = StatesFilter(field_name="state", choices=JobState.choices)
    queue = django_filters.CharFilter(method="by_queue", help_text="Path of a queue; queues below it count.")
    pool = django_filters.CharFilter(field_name="queue__pool__name")
    tenant = django_filters.CharFilter(field_name="queue__tenant__name")
    owner = django_filters.CharFilter(field_name="owner__username")
    array = django_filters.UUIDFilter(field_name="array_id")
    label = django_filters.CharFilter(
        method="by_label", help_text="key:value; give it several times for several."
    )
    search = django_filters.CharFilter(
        method="by_text", help_text="Part of the name, or the beginning of the id."
    )
    submitted_after = django_filters.IsoDateTimeFilter(field_name="submitted_at", lookup_expr="gte")
    submitted_before = django_filters.IsoDateTimeFilter(field_name="submitted_at", lookup_expr="lt")

    class Meta:
        model = Job
        fields = ["state", "queue", "pool", "tenant", "owner", "array", "priority"]

    def by_queue(self, rows: QuerySet[Job], name: str, value: str) -> QuerySet[Job]:
        return rows.filter(Q(queue__path=value) | Q(queue__path__startswith=f"{value}/"))

    def by_label(self, rows: QuerySet[Job], name: str, value: str) -> QuerySet[Job]:
        for item in self.data.getlist("label"):
            key, _, wanted = item.partition(":")
            rows = rows.filter(labels__contains={key: wanted})
        return rows

    def by_text(self, rows: QuerySet[Job], name: str, value: str) -> QuerySet[Job]:
        found = Q(name__icontains=value)
        digits = value.replace("-", "").lower()
        if 8 <= len(digits) <= 32 and all(c in "0123456789abcdef" for c in digits):
            low, high = UUID(hex=digits.ljust(32, "0")), UUID(hex=digits.ljust(32, "f"))
            found |= Q(pk__gte=low, pk__lte=high)
        return rows.filter(found)
