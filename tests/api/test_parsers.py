"""Reading bodies: YAML as people write it, bounded whatever it holds."""

from __future__ import annotations

from contextlib import suppress
from io import BytesIO
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from vast.api.parsers import (
    MOST_DOCUMENT_BYTES,
    MOST_NODES,
    DocumentJSONParser,
    Malformed,
    TooLarge,
    YAMLParser,
    load_yaml,
    plain,
)
from vast.common.errors import Invalid


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("a: 1", {"a": 1}),
        ("{a: [1, x, null, true]}", {"a": [1, "x", None, True]}),
        ("a: &x {b: 1}\nc: *x", {"a": {"b": 1}, "c": {"b": 1}}),
        ("a: &x {b: 1}\nc: {<<: *x, d: 2}", {"a": {"b": 1}, "c": {"b": 1, "d": 2}}),
        ("a: |\n  x\n  y\n", {"a": "x\ny\n"}),
        ('{"a": "\\u4f5c"}', {"a": "作"}),
        ("", None),
    ],
)
def test_plain_yaml_is_read(text: str, value: Any) -> None:
    assert load_yaml(text.encode()) == value


def test_a_document_has_a_most_of_values_whether_written_or_referred_to() -> None:
    line = "x: [" + ",".join(["1"] * (MOST_NODES - 3)) + "]"
    assert len(load_yaml(line.encode())["x"]) == MOST_NODES - 3
    with pytest.raises(Malformed):
        load_yaml(b"x: [" + b",".join([b"1"] * MOST_NODES) + b"]")
    with pytest.raises(Malformed):
        load_yaml(b"x: &x [" + b",".join([b"1"] * 1000) + b"]\ny: [" + b",".join([b"*x"] * 30) + b"]")


def test_an_error_says_where_it_is() -> None:
    with pytest.raises(Malformed) as caught:
        load_yaml(b"a: 1\nb: [")
    assert str(caught.value.errors[0].detail).startswith("line 3, column 1") or "line 2" in str(
        caught.value.errors[0].detail
    )


@pytest.mark.parametrize("parser", [YAMLParser(), DocumentJSONParser()])
def test_a_document_has_a_most_of_bytes(parser: Any) -> None:
    room = MOST_DOCUMENT_BYTES - 2
    assert parser.parse(BytesIO(b'"' + b"x" * room + b'"')) == "x" * room
    with pytest.raises(TooLarge):
        parser.parse(BytesIO(b'"' + b"x" * (room + 1) + b'"'))


@pytest.mark.parametrize(
    ("body", "field"),
    [("\0", ""), ({"a": [{"b": "x\0"}]}, "a[0].b"), ({"a": {"b\0": 1}}, "a.b\\0"), (["", "\0"], "[1]")],
)
def test_a_nul_is_refused_where_it_stands(body: Any, field: str) -> None:
    with pytest.raises(Invalid) as caught:
        plain(body)
    assert caught.value.errors[0].field == field


@settings(max_examples=200, deadline=None)
@given(
    st.binary(max_size=60) | st.text(alphabet="{}[]:,&*a1-?!|>'\"\n\t #%@<\\\0", max_size=60).map(str.encode)
)
def test_any_bytes_are_read_or_malformed(data: bytes) -> None:
    with suppress(Malformed):
        load_yaml(data)
