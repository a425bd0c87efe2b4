from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.client.fake_api import FakeApi
from vast.client import Client


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty VAST_HOME, and nothing known from the environment."""
    for name in ("VAST_URL", "VAST_TOKEN"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("VAST_HOME", str(tmp_path / "home"))
    (tmp_path / "home").mkdir(mode=0o700)
    return tmp_path / "home"


@pytest.fixture
def api() -> Iterator[FakeApi]:
    fake = FakeApi()
    yield fake
    fake.stop()


@pytest.fixture
def client(api: FakeApi) -> Iterator[Client]:
    with Client(api.url, "vast_abc_secret") as made:
        yield made
