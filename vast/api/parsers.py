"""Request bodies: JSON and YAML, both bounded, so that no input costs more than its size."""

from __future__ import annotations

from typing import Any

import orjson
import yaml
from rest_framework import parsers

from vast.common.errors import FieldError, Invalid, VastError, field_path

MOST_BYTES = 1024 * 1024
MOST_DOCUMENT_BYTES = 256 * 1024
MOST_NODES = 20_000


class TooLarge(VastError):
    code = "too_large"
    status = 413
    title = "The request body is too large."


class Malformed(Invalid):
    code = "malformed"
    status = 400
    title = "The request body cannot be read."


def _read(stream: Any, most: int) -> bytes:
    data: bytes = stream.read(most + 1)
    if len(data) > most:
        raise TooLarge(f"At most {most // 1024} KiB are taken here.")
    return data


def _at(line: int, column: int, detail: str) -> list[FieldError]:
    return [FieldError("", "syntax", f"line {line}, column {column}: {detail}")]


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
                raise Invalid(
                    errors=[FieldError(field, "null_characters_not_allowed", "NUL is not allowed here")]
                )
        elif isinstance(value, dict):
            for key, inner in value.items():
                if not isinstance(key, str):
                    raise Invalid(errors=[FieldError(field_path(location), "key_type", "keys must be text")])
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
            raise Malformed(f"Not JSON: {error}", errors=_at(error.lineno, error.colno, error.msg)) from error


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
        raise Malformed("Not UTF-8 text.", errors=_at(1, error.start + 1, "not UTF-8")) from error
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark
        where = _at(mark.line + 1, mark.column + 1, str(error.problem)) if mark else []
        raise Malformed(f"Not YAML: {error.problem}", errors=where) from error
    except (yaml.YAMLError, RecursionError, ValueError) as error:
        raise Malformed(
            f"Not YAML that can be read: {str(error).splitlines()[0] if str(error) else 'nested too deeply'}"
        ) from error


def _construct(loader: yaml.CSafeLoader, node: yaml.Node) -> Any:
    try:
        return loader.construct_document(node)
    except (LookupError, AttributeError, TypeError) as error:
        # PyYAML's own answer to a tag that its text does not fit, such as ``!!bool perhaps`` or ``!!int ""``.
        raise Malformed("Not YAML: a value does not fit its tag.") from error


def _expanded_size(node: yaml.Node, sizes: dict[int, int | None], depth: int) -> int:
    """How many nodes the document has once aliases are followed. Refuses cycles, depth and size."""
    known = sizes.get(id(node), 0)
    if known is None or depth > 100:
        raise Malformed("The YAML refers to itself or is nested too deeply.")
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
                raise Malformed(
                    f"The YAML holds more than {MOST_NODES} values once its aliases are followed."
                )
    sizes[id(node)] = size
    return size
