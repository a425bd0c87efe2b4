"""Writing changed rows in one statement.

Django's ``bulk_update`` builds a CASE expression for every field and row, which costs more than all the rest of taking in a
report. Here the new values travel as one array per field.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any

from django.db import connection
from django.db.models import Model

ROWS_AT_ONCE = 1000


def write(model: type[Model], rows: Collection[Any], fields: Sequence[str]) -> None:
    """Save these fields of these rows. The caller holds them locked."""
    if not rows:
        return
    chosen: list[Any] = [model._meta.get_field(name) for name in fields]
    key: Any = model._meta.pk
    quote = connection.ops.quote_name
    sets = ", ".join(f"{quote(field.column)} = v.{quote(field.column)}" for field in chosen)
    names = ", ".join(quote(field.column) for field in (key, *chosen))
    arrays = ", ".join(f"%s::{_array_type(field)}" for field in (key, *chosen))
    table = quote(model._meta.db_table)
    statement = (
        f"UPDATE {table} SET {sets} FROM unnest({arrays}) AS v ({names}) "  # noqa: S608 - names of our own models
        f"WHERE {table}.{quote(key.column)} = v.{quote(key.column)}"
    )
    ordered = list(rows)
    with connection.cursor() as cursor:
        for start in range(0, len(ordered), ROWS_AT_ONCE):
            part = ordered[start : start + ROWS_AT_ONCE]
            cursor.execute(statement, [_values(field, part) for field in (key, *chosen)])


def _array_type(field: Any) -> str:
    # A cast to varchar(n) would cut too long a text without a word; the column itself refuses it.
    kind = str(field.cast_db_type(connection)).partition("(")[0]
    return f"{kind}[]"


def _values(field: Any, rows: Sequence[Any]) -> list[Any]:
    return [field.get_db_prep_save(getattr(row, field.attname), connection) for row in rows]
