"""Beat's clockwork, telling in one line that the broker is away, and in one that it is back."""

from __future__ import annotations

import logging
from typing import Any

from celery.beat import PersistentScheduler, ScheduleEntry, SchedulingError
from kombu.exceptions import OperationalError

log = logging.getLogger(__name__)


class Scheduler(PersistentScheduler):
    """Celery's own writes a traceback for every task that it cannot send, some each second.

    Nothing is lost with such a task: all that beat starts looks at the database, and is due again within seconds.
    """

    _away = False

    def apply_entry(self, entry: ScheduleEntry, producer: Any = None) -> None:
        try:
            self.apply_async(entry, producer=producer, advance=False)
        except SchedulingError as error:
            if not isinstance(error.__context__, OperationalError | OSError):
                log.exception("%s cannot be sent", entry.name)
            elif not self._away:
                self._away = True
                log.warning("the broker is away (%s); periodic work waits for it", error.__context__)
        else:
            if self._away:
                self._away = False
                log.warning("the broker is back; periodic work goes on")
