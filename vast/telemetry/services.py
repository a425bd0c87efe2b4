"""Writers of stored samples."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta

from django.db import connection

from vast.common import clock
from vast.telemetry.latest import Reading
from vast.telemetry.models import DeviceSample


def store(readings: Sequence[tuple[str, Reading]]) -> int:
    """Write one sample per device by COPY. Returns how many."""
    if not readings:
        return 0
    table = DeviceSample._meta.db_table
    columns = "device_id, at, util_pct, memory_used_mib, temperature_c, power_w"
    with connection.cursor() as cursor, cursor.copy(f"COPY {table} ({columns}) FROM STDIN") as copy:
        for device, reading in readings:
            copy.write_row(
                (
                    device,
                    clock.from_unix(reading.at),
                    reading.util_pct,
                    reading.memory_used_mib,
                    reading.temperature_c,
                    reading.power_w,
                )
            )
    return len(readings)


def prune(*, keep: timedelta) -> int:
    """Delete samples older than ``keep``. Returns how many."""
    deleted, _ = DeviceSample.objects.filter(at__lt=clock.now() - keep).delete()
    return deleted
