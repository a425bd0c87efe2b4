"""Waking the scheduler: NOTIFY inside the transaction, so that it fires exactly on commit and survives a lost Redis."""

from __future__ import annotations

from django.db import connection

CHANNEL = "vast_scheduler"


def wake_scheduler() -> None:
    """Call inside the transaction whose commit gives the scheduler something to do."""
    with connection.cursor() as cursor:
        cursor.execute(f"NOTIFY {CHANNEL}")
