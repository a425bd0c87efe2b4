"""The reason catalogs: both languages say the same things, and everything the engine says."""

from __future__ import annotations

import re
from pathlib import Path
from string import Formatter

import pytest

import vast.scheduling
from vast.common.reasons import LANGUAGES, Reason, catalog, render
from vast.jobs.why import NOT_LOOKED_AT, ORDER, STOPS_AT

ENGINE = Path(vast.scheduling.__file__).parent
CODE = re.compile(r'"([A-Z]{2,}(?:_[A-Z]+)+)"')


def placeholders(sentence: str) -> set[str]:
    return {name for _, name, _, _ in Formatter().parse(sentence) if name}


def engine_codes() -> set[str]:
    return {code for path in ENGINE.glob("*.py") for code in CODE.findall(path.read_text(encoding="utf-8"))}


def test_both_languages_know_the_same_codes() -> None:
    assert catalog("en").keys() == catalog("zh").keys()


@pytest.mark.parametrize("code", sorted(catalog("en")))
def test_a_code_has_the_same_placeholders_in_both_languages(code: str) -> None:
    assert placeholders(catalog("en")[code]) == placeholders(catalog("zh")[code])


def test_every_code_that_the_engine_uses_has_a_sentence() -> None:
    codes = engine_codes()
    assert "INSUFFICIENT_RESOURCES" in codes
    assert codes <= catalog("en").keys()


def server_codes() -> set[str]:
    """Codes that are made anywhere in the server, and those that ``why`` knows the place of."""
    text = "\n".join(path.read_text(encoding="utf-8") for path in ENGINE.parent.rglob("*.py"))
    return set(re.findall(r'Reason\(\s*"([A-Z_]+)"', text)) | {*ORDER, *STOPS_AT, *NOT_LOOKED_AT}


def test_every_code_that_the_server_uses_has_a_sentence() -> None:
    codes = server_codes()
    assert {"CANCELLED_BY_USER", "LAUNCH_TIMED_OUT", "CHECK_GANG"} <= codes
    assert codes <= catalog("en").keys()


@pytest.mark.parametrize("language", LANGUAGES)
def test_sentences_end_like_sentences(language: str) -> None:
    assert all(sentence.endswith((".", "。")) for sentence in catalog(language).values())


def test_a_reason_reads_as_one_sentence_with_its_evidence() -> None:
    reason = Reason(
        "GANG_INCOMPLETE", {"placed": 3, "total": 8}, (Reason("DEVICE_UNHEALTHY", {"devices": 2}),)
    )
    assert render(reason, "en").startswith("Only 3 of 8 tasks fit at the same time")
    assert render(reason, "en").endswith(": Not healthy: 2 of the matching devices")
    assert "8 个任务中目前只能同时放下 3 个" in render(reason, "zh")


def test_an_unknown_code_shows_as_itself() -> None:
    assert render(Reason("SOMETHING_NEW")) == "SOMETHING_NEW"
