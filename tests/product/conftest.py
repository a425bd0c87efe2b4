"""One demo product for all tests that only use it; tests that kill parts of it start their own."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.product.instance import Instance, running

# One line for every request of a polling test would drown what failed.
logging.getLogger("httpx").setLevel(logging.WARNING)
ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="session")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Instance]:
    with running(tmp_path_factory.mktemp("product") / "home", "--demo") as instance:
        yield instance


@pytest.fixture
def examples() -> Path:
    return ROOT / "examples" / "jobs"
