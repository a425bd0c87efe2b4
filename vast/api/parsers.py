"""Request bodies: JSON and YAML, both bounded, so that no input costs more than its size."""

from __future__ import annotations

from typing import Any

import orjson
import yaml
from rest_framework import parsers

from vast.common.errors import FieldError, Invalid, VastError, field_path
from vast.common.sentences import Sentence, say

MOST_BYTES = 1024 * 1024
MOST_DOCUMENT_BYTES = 256 * 1024
MOST_NODES = 20_000


class TooLarge(VastError):
    code = "too_large"
    status = 413
    title = say("title.too_large")


class Malformed(Invalid):
    code = "malformed"
    status = 400
    title = say("title.malformed")


def _read(stream: Any, most: int) -> bytes:
    data: bytes = stream.read(most + 1)
    if len(data) > most:
        raise TooLarge(say("body.most_kib", kib=most // 1024))
    return data


def _at(line: int, column: int, detail: str | Sentence) -> list[FieldError]:
    return [FieldError("", "syntax", say("body.syntax", line=line, column=column, detail=detail))]


def plain(body: Any) -> Any:
    """The body, unless a text in it holds a NUL, which PostgreSQL cannot store, or a key is no text, which JSON does
    not know. Raises Invalid that names the field.
    """
    waiting: list[tuple[tuple[int | str, ...], Any]] = [((), body)]
    while waiting:
        location, value = waiting.pop()
        if isinstance(value, str):
            if "\x00" in value:
                field = field_path(location).replace("\x00", "\\0")
                raise Invalid(errors=[FieldError(field, "null_characters_not_allowed", say("body.nul"))])
        elif isinstance(value, dict):
            for key, inner in value.items():
                if not isinstance(key, str):
                    raise Invalid(errors=[FieldError(field_path(location), "key_type", say("body.key_type"))])
                waiting += [((*location, key), key), ((*location, key), inner)]
        elif isinstance(value, list):
            waiting += [((*location, index), inner) for index, inner in enumerate(value)]
    return body


class JSONParser(parsers.JSONParser):
    most = MOST_BYTES

    def parse(self, stream: Any, media_type: str | None = None, parser_context: Any = None) -> Any:
        data = _read(stream, self.most)
        try:
            return plain(orjson.loads(data))
        except orjson.JSONDecodeError as error:
            raise Malformed(
                say("body.not_json", detail=error), errors=_at(error.lineno, error.colno, error.msg)
            ) from error


class DocumentJSONParser(JSONParser):
    most = MOST_DOCUMENT_BYTES


class YAMLParser(parsers.BaseParser):
    """A job document as people write it."""

    media_type = "application/yaml"

    def parse(self, stream: Any, media_type: str | None = None, parser_context: Any = None) -> Any:
        return plain(load_yaml(_read(stream, MOST_DOCUMENT_BYTES)))


class LegacyYAMLParser(YAMLParser):
    media_type = "application/x-yaml"


def load_yaml(data: bytes) -> Any:
    """One YAML document of plain data. Raises Malformed; aliases that would blow it up are refused."""
    try:
        loader = yaml.CSafeLoader(data.decode("utf-8"))
        try:
            node = loader.get_single_node()
            if node is None:
                return None
            _expanded_size(node, {}, 0)
            return _construct(loader, node)
        finally:
            loader.dispose()
    except UnicodeDecodeError as error:
        where = _at(1, error.start + 1, say("body.not_utf8"))
        raise Malformed(say("body.not_utf8"), errors=where) from error
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark
        where = _at(mark.line + 1, mark.column + 1, str(error.problem)) if mark else []
        raise Malformed(say("body.not_yaml", detail=error.problem), errors=where) from error
    except (yaml.YAMLError, RecursionError, ValueError) as error:
        detail = str(error).splitlines()[0] if str(error) else say("body.too_deep")
        raise Malformed(say("body.not_yaml", detail=detail)) from error


def _construct(loader: yaml.CSafeLoader, node: yaml.Node) -> Any:
    try:
        return loader.construct_document(node)
    except (LookupError, AttributeError, TypeError) as error:
        # PyYAML's own answer to a tag that its text does not fit, such as ``!!bool perhaps`` or ``!!int ""``.
        raise Malformed(say("body.not_yaml", detail=say("body.tag"))) from error


def _expanded_size(node: yaml.Node, sizes: dict[int, int | None], depth: int) -> int:
    """How many nodes the document has once aliases are followed. Refuses cycles, depth and size."""
    known = sizes.get(id(node), 0)
    if known is None or depth > 100:
        raise Malformed(say("body.refers_to_itself"))
    if known:
        return known
    sizes[id(node)] = None
    size = 1
    if isinstance(node, yaml.SequenceNode | yaml.MappingNode):
        children = (
            node.value
            if isinstance(node, yaml.SequenceNode)
            else [part for pair in node.value for part in pair]
        )
        for child in children:
            size += _expanded_size(child, sizes, depth + 1)
            if size > MOST_NODES:
                raise Malformed(say("body.too_many", most=MOST_NODES))
    sizes[id(node)] = size
    return size
