"""Reasons: why something waits, failed or was refused, as a code + parameters + evidence.

They are stored and sent as data and turned into a sentence late, in the reader's language, from
``catalog/en.json`` and ``catalog/zh.json`` (the console reads the same files). A test holds the codes here and
both catalogs together.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

CATALOG_DIR = Path(__file__).parent / "catalog"
LANGUAGES = ("en", "zh")


@dataclass(frozen=True, slots=True)
class Reason:
    """One explanation.

    ``params`` fill the sentence; ``evidence`` is a list of finer reasons (each a dict in this same form, for
    example one per filter that nodes failed, with its count).
    """

    code: str
    params: Mapping[str, Any] = field(default_factory=dict)
    evidence: tuple[Reason, ...] = ()

    def as_dict(self) -> dict[str, Any]:
        return {
            "code": self.code,
            "params": dict(self.params),
            "evidence": [item.as_dict() for item in self.evidence],
        }


@cache
def catalog(language: str) -> dict[str, str]:
    """The sentences of one language, by reason code."""
    chosen = language if language in LANGUAGES else "en"
    loaded: dict[str, str] = json.loads((CATALOG_DIR / f"{chosen}.json").read_text(encoding="utf-8"))
    return loaded


class _Blank(dict[str, Any]):
    """A missing parameter shows as a dash instead of breaking the whole sentence."""

    def __missing__(self, key: str) -> str:
        return "–"


def spelled_out(reason: Mapping[str, Any], language: str) -> dict[str, Any]:
    """The reason with its own sentence, and each finer reason with its own, for readers who want one a line."""
    return {
        **reason,
        "message": render({**reason, "evidence": ()}, language),
        "evidence": [spelled_out(item, language) for item in reason.get("evidence") or ()],
    }


def render(reason: Mapping[str, Any] | Reason, language: str = "en") -> str:
    """The reason as one sentence; an unknown code renders as the code itself."""
    data = reason.as_dict() if isinstance(reason, Reason) else reason
    template: str = catalog(language).get(data["code"], data["code"])
    sentence: str = template.format_map(_Blank(data.get("params") or {}))
    details = [render(item, language) for item in data.get("evidence") or ()]
    if not details:
        return sentence
    joiner, opening, closing = ("; ", ": ", "") if language == "en" else ("；", "：", "")
    return sentence.rstrip(".。") + opening + joiner.join(d.rstrip(".。") for d in details) + closing
