from __future__ import annotations

from datetime import timedelta

from celery import shared_task

from vast.config.env import environment
from vast.telemetry import services


@shared_task
def prune() -> None:
    """Delete samples that are too old to keep."""
    services.prune(keep=timedelta(days=environment().sample_keep_days))
