"""Celery tasks of the drivers. A lost message costs time, never work: beat repeats each of them."""

from __future__ import annotations

import logging
from datetime import timedelta

from celery import shared_task
from kombu.exceptions import OperationalError

from vast.allocation.services import put_back_late_launches
from vast.config.env import environment
from vast.drivers.outbox import LIMIT, send_due
from vast.inventory.services import mark_unreachable

log = logging.getLogger(__name__)


@shared_task
def deliver() -> None:
    """Send the orders that are due, new ones and those not confirmed."""
    while send_due() >= LIMIT:
        pass


@shared_task
def reconcile() -> None:
    """Notice nodes that fell silent and launches that take too long."""
    mark_unreachable(silent_for=timedelta(seconds=environment().unreachable_after_s))
    if put_back_late_launches(older_than=timedelta(seconds=environment().launch_timeout_s)):
        deliver_now()


def deliver_now() -> None:
    """Ask a worker to deliver at once. When the broker is away the periodic run does it a little later."""
    try:
        deliver.apply_async(expires=10, retry=False)
    except OperationalError as error:
        log.warning("broker unreachable, orders go out with the next sweep: %s", error)
