"""The Celery application. Tasks are thin: they call services, and everything they do may be repeated."""

from __future__ import annotations

import os

from celery import Celery

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "vast.config.settings")

app = Celery("vast")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks()
# ``expires`` keeps periodic tasks from piling up while no worker runs.
app.conf.beat_schedule = {
    "deliver-overdue-orders": {
        "task": "vast.drivers.tasks.deliver",
        "schedule": 2.0,
        "options": {"expires": 2.0},
    },
    "reconcile": {"task": "vast.drivers.tasks.reconcile", "schedule": 5.0, "options": {"expires": 5.0}},
    "prune": {"task": "vast.telemetry.tasks.prune", "schedule": 3600.0, "options": {"expires": 3600.0}},
}
