"""The Docker files, as far as they can be checked without a Docker engine."""

from __future__ import annotations

import re
import shlex
from pathlib import Path
from typing import Any

import pytest
import yaml

ROOT = Path(__file__).resolve().parents[2]
OURS = ("setup", "web", "worker", "beat", "scheduler")
SECRETS = ("POSTGRES_PASSWORD", "REDIS_PASSWORD", "VAST_SECRET_KEY")


@pytest.fixture(scope="module")
def compose() -> dict[str, Any]:
    return yaml.safe_load((ROOT / "docker-compose.yml").read_text("utf-8"))


def _dockerfile() -> list[str]:
    text = (ROOT / "Dockerfile").read_text("utf-8").replace("\\\n", " ")
    return [line for line in text.splitlines() if line and not line.startswith("#")]


def test_every_process_of_the_architecture_is_a_service(compose: dict[str, Any]) -> None:
    assert set(compose["services"]) == {"postgres", "redis", *OURS}


def test_no_secret_has_a_default() -> None:
    text = (ROOT / "docker-compose.yml").read_text("utf-8")
    for secret in SECRETS:
        uses = re.findall(rf"\$\{{{secret}[^}}]*\}}", text)
        assert uses, secret
        assert set(uses) == {f"${{{secret}:?set {secret}}}"}


def test_the_example_names_every_secret_and_fills_in_none() -> None:
    lines = (ROOT / "deploy" / "env.example").read_text("utf-8").splitlines()
    assert [line for line in lines if line and not line.startswith("#")] == [f"{name}=" for name in SECRETS]


@pytest.mark.parametrize("name", OURS)
def test_our_services_share_one_image_and_may_gain_no_rights(compose: dict[str, Any], name: str) -> None:
    service = compose["services"][name]
    assert service["image"] == compose["x-vast"]["image"]
    assert service["cap_drop"] == ["ALL"]
    assert service["environment"] == compose["x-vast"]["environment"]


def test_everything_waits_for_the_tables(compose: dict[str, Any]) -> None:
    for name in ("web", "worker", "beat", "scheduler"):
        waits = compose["services"][name]["depends_on"]["setup"]
        assert waits == {"condition": "service_completed_successfully"}


def test_nothing_but_web_is_published_and_that_on_the_loopback(compose: dict[str, Any]) -> None:
    published = {
        name: service["ports"] for name, service in compose["services"].items() if "ports" in service
    }
    assert published == {"web": ["${VAST_BIND:-127.0.0.1}:${VAST_PORT:-8400}:8400"]}


def test_every_file_that_the_image_copies_exists_and_reaches_the_builder() -> None:
    allowed = {
        line[1:] for line in (ROOT / ".dockerignore").read_text("utf-8").splitlines() if line.startswith("!")
    }
    copies = [shlex.split(line)[1:-1] for line in _dockerfile() if line.startswith("COPY ")]
    sources = [source for parts in copies if not parts[0].startswith("--from") for source in parts]
    assert len(sources) > 5
    assert [source for source in sources if not (ROOT / source).exists()] == []
    assert {source.split("/", 1)[0] for source in sources} <= allowed


def test_the_image_does_not_run_as_root() -> None:
    users = [line.split()[1] for line in _dockerfile() if line.startswith("USER ")]
    assert users == ["10001"]
