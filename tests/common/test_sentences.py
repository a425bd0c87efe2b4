"""The API's sentences: both languages say the same things, and everything that the server says is there."""

from __future__ import annotations

import re
from pathlib import Path
from string import Formatter

import pytest
from django.utils import translation

import vast
from vast.common.sentences import catalog, current_language, say, speak
from vast.jobs.wording import FORMS, SENTENCES

PACKAGE = Path(vast.__file__).parent


def placeholders(sentence: str) -> set[str]:
    return {name for _, name, _, _ in Formatter().parse(sentence) if name}


def said() -> set[str]:
    text = "\n".join(path.read_text(encoding="utf-8") for path in PACKAGE.rglob("*.py"))
    return set(re.findall(r'\bsay\(\s*"([a-z0-9_.]+)"', text)) | {*FORMS.values(), *SENTENCES.values()}


@pytest.mark.parametrize("key", sorted(catalog("en")))
def test_a_sentence_has_the_same_placeholders_in_both_languages(key: str) -> None:
    assert placeholders(catalog("en")[key]) == placeholders(catalog("zh")[key])


def test_both_languages_know_the_same_sentences() -> None:
    assert catalog("en").keys() == catalog("zh").keys()


def test_everything_that_the_server_says_is_in_the_catalogue() -> None:
    assert {"job.no_queue", "document.duration", "title.invalid"} <= said()
    assert said() <= catalog("en").keys()


def test_nothing_is_in_the_catalogue_that_is_never_said() -> None:
    families = ("title.http_", "job.no_", "requested.card", "sharing.")
    assert {key for key in catalog("en") if not key.startswith(families)} <= said()


def test_a_sentence_is_put_into_words_when_it_is_read() -> None:
    sentence = say("job.near", problem=say("job.no_queue", queue="a"), near="b")
    with translation.override("en"):
        assert str(sentence) == "no queue a; did you mean b?"
        speak("zh")
        assert current_language() == "zh"
        assert str(sentence) == "没有队列 a；您是否想写 b？"


def test_an_unknown_language_changes_nothing() -> None:
    with translation.override("zh-hans"):
        speak("")
        assert current_language() == "zh"
