"""Writing changed rows: one plain UPDATE each for a few, one statement for many.

Django's ``bulk_update`` builds a CASE for every field and row, which for a single row costs more than the write itself.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import TypeVar

from django.db.models import Model

M = TypeVar("M", bound=Model)
FEW = 4


def write(model: type[M], rows: Collection[M], fields: Sequence[str]) -> None:
    """Save these fields of these rows. The caller holds them locked."""
    if len(rows) > FEW:
        model._default_manager.bulk_update(rows, fields, batch_size=500)
        return
    for row in rows:
        model._default_manager.filter(pk=row.pk).update(**{field: getattr(row, field) for field in fields})
