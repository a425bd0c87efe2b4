"""Changing a job document from the command line before it is sent."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

import typer


def override(text: str, settings: Sequence[str]) -> dict[str, Any]:
    """The document with each ``path=value`` set; values are read as YAML.

    A path is ``priority``, ``labels.team``, ``groups[0].replicas``, or ``groups.worker.replicas`` with the
    group's name. Raises BadParameter when the document is no mapping or a path leads nowhere.
    """
    document = _load(text, "the document")
    if not isinstance(document, dict):
        raise typer.BadParameter("the document is not a mapping of fields")
    for setting in settings:
        path, equals, value = setting.partition("=")
        if not equals or not path:
            raise typer.BadParameter(f"--set wants path=value, got {setting!r}")
        _set(document, path, _load(value, f"the value of {path}"))
    return document


def _load(text: str, what: str) -> Any:
    import yaml

    try:
        return yaml.safe_load(text)
    except yaml.YAMLError as error:
        raise typer.BadParameter(f"{what} is not YAML: {error}") from error


def _set(document: dict[str, Any], path: str, value: Any) -> None:
    *parents, last = re.sub(r"\[(\d+)\]", r".\1", path).split(".")
    holder: Any = document
    for key in parents:
        if isinstance(holder, dict):
            holder = holder.setdefault(key, {})
        else:
            holder = holder[_position(holder, key, path)]
    if isinstance(holder, dict):
        holder[last] = value
    else:
        holder[_position(holder, last, path)] = value


def _position(holder: Any, key: str, path: str) -> int:
    if isinstance(holder, list):
        for index, item in enumerate(holder):
            if key == str(index) or (isinstance(item, dict) and item.get("name") == key):
                return index
    raise typer.BadParameter(f"--set {path}: the document has no {key!r} there")
