"""``vast manage reference``: write the pages of docs/ that are made from the code."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from vast.config import reference

ROOT = Path(__file__).resolve().parents[4]


class Command(BaseCommand):
    help = "Write docs/job-document.md and docs/settings.md from the code; with --check only compare."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--check", action="store_true")

    def handle(self, *args: Any, **options: Any) -> None:
        for name, text in reference.pages().items():
            path = ROOT / "docs" / name
            if options["check"] and (not path.is_file() or path.read_text(encoding="utf-8") != text):
                raise CommandError(f"docs/{name} is not what the code says; run: vast manage reference")
            if not options["check"]:
                path.write_text(text, encoding="utf-8")
