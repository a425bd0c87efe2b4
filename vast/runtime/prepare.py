"""``python -m vast.runtime.prepare [--demo]``: tables up to date, first rows made; in one process, since
starting Django takes longer than the work itself.

The last line printed is the JSON object of the ``bootstrap`` command.
"""

from __future__ import annotations

import sys


def prepare(*, demo: bool) -> None:
    import django

    django.setup()
    from django.core.management import call_command

    if _has_pending_migrations():
        call_command("migrate", interactive=False, skip_checks=True)
    call_command("bootstrap", *(["--demo"] if demo else []), "--json", skip_checks=True)


def _has_pending_migrations() -> bool:
    from django.db import connection
    from django.db.migrations.executor import MigrationExecutor

    executor = MigrationExecutor(connection)
    return bool(executor.migration_plan(executor.loader.graph.leaf_nodes()))


if __name__ == "__main__":
    prepare(demo="--demo" in sys.argv[1:])
