"""The table of processes."""

from __future__ import annotations

from pathlib import Path

import pytest

from vast.runtime.home import Home
from vast.runtime.table import Instance, agent_process, allowed_hosts, prepare_process, server_processes

SECRETS = ("database-secret", "redis-secret", "key-secret")


@pytest.fixture
def instance(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Instance:
    monkeypatch.setenv("VAST_SECRET_KEY", "key-secret")
    return Instance(
        home=Home(tmp_path),
        host="127.0.0.1",
        port=8400,
        database_url="postgresql://vast:database-secret@127.0.0.1:1/vast",
        redis_url="redis://:redis-secret@127.0.0.1:2/0",
    )


def test_no_secret_is_in_a_command_line(instance: Instance) -> None:
    specs = [
        *server_processes(instance),
        agent_process(instance, "local", Path("token")),
        prepare_process(instance, demo=True),
    ]
    assert len(specs) == 6
    assert [spec.name for spec in specs if any(secret in " ".join(spec.argv) for secret in SECRETS)] == []


def test_servers_get_the_secrets_and_agents_do_not(instance: Instance) -> None:
    web = server_processes(instance)[0]
    agent = agent_process(instance, "local", Path("token"))
    assert all(any(secret in value for value in web.env.values()) for secret in SECRETS)
    assert not any(secret in value for value in agent.env.values() for secret in SECRETS)


def test_agents_stop_first_and_web_outlives_those_who_use_it(instance: Instance) -> None:
    specs = [agent_process(instance, "local", Path("token")), *server_processes(instance)]
    ordered = [spec.name for spec in sorted(specs, key=lambda spec: spec.stage)]
    assert ordered == ["agent", "scheduler", "beat", "worker", "web"]


def test_an_agent_is_killed_with_its_supervisor_so_that_its_tasks_live_on(instance: Instance) -> None:
    assert agent_process(instance, "local", Path("token")).argv[:3] == ("setpriv", "--pdeathsig", "KILL")


@pytest.mark.parametrize(
    ("host", "url"),
    [
        ("127.0.0.1", "http://127.0.0.1:8400"),
        ("0.0.0.0", "http://127.0.0.1:8400"),
        ("::", "http://[::1]:8400"),
        ("10.1.2.3", "http://10.1.2.3:8400"),
    ],
)
def test_the_url_is_one_that_this_machine_can_reach(instance: Instance, host: str, url: str) -> None:
    assert Instance(instance.home, host, 8400, "", "").url == url


def test_the_listening_address_is_an_allowed_host() -> None:
    assert allowed_hosts("10.1.2.3") == ["127.0.0.1", "localhost", "[::1]", "10.1.2.3"]
    assert "127.0.0.1" in allowed_hosts("0.0.0.0")
