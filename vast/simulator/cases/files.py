"""Case files: reading them, with errors that say where, and running them one by one."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import yaml
from pydantic import ValidationError

from vast.simulator.cases import form
from vast.simulator.cases.build import CaseError
from vast.simulator.cases.run import run


class CaseFileError(Exception):
    """A file cannot be read as cases; the message has a line for each fault."""


def found(paths: Iterable[Path]) -> Iterator[Path]:
    """The files named, and those below the folders named, in the order of their names."""
    for path in paths:
        if path.is_dir():
            yield from sorted(p for p in path.rglob("*") if p.suffix in (".yaml", ".yml"))
        elif path.exists():
            yield path
        else:
            raise CaseFileError(f"{path}: there is no such file or folder")


def load(path: Path) -> list[form.Case]:
    """The cases of one file. Raises CaseFileError."""
    try:
        data = yaml.safe_load(path.read_text(encoding="utf-8"))
    except (yaml.YAMLError, UnicodeDecodeError) as error:
        raise CaseFileError(f"{path}: not YAML: {error}") from error
    rows = [data] if isinstance(data, dict) else data
    if not isinstance(rows, list):
        raise CaseFileError(f"{path}: a list of cases, each a mapping with at least id and pool")
    cases: list[form.Case] = []
    faults: list[str] = []
    for number, row in enumerate(rows):
        name = row.get("id", f"case {number + 1}") if isinstance(row, dict) else f"case {number + 1}"
        try:
            cases.append(form.Case.model_validate(row))
        except ValidationError as error:
            faults += [f"{path}: {name}: {line}" for line in _faults(error)]
    twice = {case.id for case in cases if sum(other.id == case.id for other in cases) > 1}
    faults += [f"{path}: {name}: this id is there twice" for name in sorted(twice)]
    if faults:
        raise CaseFileError("\n".join(faults))
    return cases


def _faults(error: ValidationError) -> Iterator[str]:
    for item in error.errors(include_url=False):
        where = ".".join(str(part) for part in item["loc"]) or "the case"
        allowed = ""
        if item["type"] == "extra_forbidden":
            allowed = f"; allowed here: {', '.join(_fields(item['loc'][:-1]))}"
        yield f"{where}: {item['msg']}{allowed}"


def _fields(location: tuple[Any, ...]) -> list[str]:
    """The fields of the part of a case at this place."""
    model: Any = form.Case
    for step in location:
        if isinstance(step, str) and step in model.model_fields:
            inner = list(_models(model.model_fields[step].annotation))
            model = inner[0] if inner else model
    return sorted(model.model_fields)


def _models(annotation: Any) -> Iterator[Any]:
    if isinstance(annotation, type) and issubclass(annotation, form.Part):
        yield annotation
    for inner in getattr(annotation, "__args__", ()):
        yield from _models(inner)


def check(case: form.Case) -> list[str]:
    """What is wrong with the case's outcome; a case that describes no possible world is wrong too."""
    try:
        return run(case)
    except CaseError as error:
        return [f"not a possible world: {error}"]


def run_files(paths: Iterable[Path], say: Any = print) -> int:
    """Run all cases, a line each, and a last line ``N passed, N failed``. Returns 1 when one failed."""
    passed = failed = 0
    try:
        for path in found(paths):
            for case in load(path):
                wrong = check(case)
                passed, failed = passed + (not wrong), failed + bool(wrong)
                say(f"{'FAIL' if wrong else 'ok  '} {case.id}  {case.title}".rstrip())
                for line in wrong:
                    say(f"       {line}")
    except CaseFileError as error:
        say(str(error))
        failed += 1
    say(f"{passed} passed, {failed} failed")
    return 1 if failed else 0
