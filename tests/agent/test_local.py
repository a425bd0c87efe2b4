"""The agent of a real machine: this one."""

from __future__ import annotations

import socket
import subprocess
import sys

import pytest

from vast.agent import nodes
from vast.agent.__main__ import main


def test_this_machine_is_described_with_what_it_has() -> None:
    spec = nodes.this_machine(None, None, None, "http://127.0.0.1:1")
    inventory = spec.inventory
    assert (spec.name, spec.cluster, spec.pool) == (socket.gethostname(), "local", "default")
    assert inventory["address"] == "127.0.0.1"
    assert inventory["cpu_millis"] >= 1000
    assert inventory["memory_mib"] > 0
    assert inventory["simulated"] is False
    assert isinstance(inventory["devices"], list)


def test_a_fleet_without_the_node_asked_for_is_refused(tmp_path, caplog: pytest.LogCaptureFixture) -> None:  # type: ignore[no-untyped-def]
    fleet = tmp_path / "fleet.yaml"
    fleet.write_text("name: lab\nnodes:\n  - {name: a, devices: []}\n")
    options = ["--server", "http://127.0.0.1:1", "--state", str(tmp_path), "--simulate", str(fleet)]
    assert main([*options, "--node", "b"]) == 2
    assert "no node b" in caplog.text


@pytest.mark.parametrize("server", ["127.0.0.1:8400", "ftp://host"])
def test_a_server_that_is_no_http_address_is_refused(server: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["--server", server, "--state", "x"])
    assert "http://" in capsys.readouterr().err


def test_the_agent_of_a_real_node_needs_neither_django_nor_a_json_schema_package() -> None:
    script = (
        "import sys, vast.agent.__main__ as agent; agent.nodes.local_inventory('http://127.0.0.1:1');"
        "print({'django', 'jsonschema', 'numpy'} & sys.modules.keys())"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout == "set()\n"
