"""What the API says about requests, in the reader's language: a key with parameters, a sentence as late as possible.

The sentences are in ``catalog/api.en.json`` and ``catalog/api.zh.json``. Codes for programs are elsewhere and never change
with the language. Errors of Django and REST framework follow the same choice, through their own catalogues.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from django.utils import translation

CATALOG_DIR = Path(__file__).parent / "catalog"
# Ours -> Django's.
LOCALES = {"en": "en", "zh": "zh-hans"}


def current_language() -> str:
    """``en`` or ``zh``: that of the request being answered; English outside of one."""
    return "zh" if (translation.get_language() or "").startswith("zh") else "en"


def speak(language: str) -> None:
    """Answer the present request in this language; nothing changes for one that there is not."""
    if language in LOCALES:
        translation.activate(LOCALES[language])


@dataclass(frozen=True, slots=True)
class Sentence:
    """``str()`` gives it in the language of the moment. Parameters may be sentences themselves."""

    key: str
    params: Mapping[str, Any]

    def __str__(self) -> str:
        return catalog(current_language())[self.key].format_map(self.params)


def say(key: str, /, **params: Any) -> Sentence:
    return Sentence(key, params)


class Wrong(ValueError):
    """For validators of pydantic: a rule that is broken, as a sentence."""

    def __init__(self, sentence: Sentence) -> None:
        super().__init__(sentence)
        self.sentence = sentence


@cache
def catalog(language: str) -> dict[str, str]:
    loaded: dict[str, str] = json.loads((CATALOG_DIR / f"api.{language}.json").read_text(encoding="utf-8"))
    return loaded
