"""``vast manage bootstrap``: prepare the database for use; prints what was made as JSON."""

from __future__ import annotations

import dataclasses
import json
from typing import Any

from django.core.management.base import BaseCommand, CommandParser

from vast.config.bootstrap import bootstrap, sample_jobs


class Command(BaseCommand):
    help = "Make the admin, the device catalogue and the first pool; with --demo sample tenants, queues and jobs."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--demo", action="store_true")
        parser.add_argument(
            "--json", action="store_true", help="Accepted for clarity: the output is always JSON."
        )

    def handle(self, *args: Any, **options: Any) -> None:
        made = bootstrap(demo=options["demo"])
        if options["demo"]:
            sample_jobs()
        self.stdout.write(json.dumps(dataclasses.asdict(made)))
