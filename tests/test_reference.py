"""Pages of docs/ that are made from the code say what the code says."""

from __future__ import annotations

from pathlib import Path

import pytest

from vast.config import reference

DOCS = Path(__file__).resolve().parents[1] / "docs"


@pytest.mark.parametrize("name", sorted(reference.pages()))
def test_the_page_is_what_the_code_says(name: str) -> None:
    assert (DOCS / name).read_text(encoding="utf-8") == reference.pages()[name], "run: vast manage reference"
