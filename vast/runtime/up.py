"""``vast up``: everything of VAST on this machine, from an empty folder to a URL, until Ctrl-C."""

from __future__ import annotations

import json
import os
import shutil
import sys
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from vast.inventory.fleet import load
from vast.runtime.errors import StartError, StopRequested
from vast.runtime.files import write_private
from vast.runtime.home import Home
from vast.runtime.leftovers import ProcessRecord
from vast.runtime.ports import choose_port
from vast.runtime.readiness import answers, nodes_joined
from vast.runtime.server import EmbeddedServer
from vast.runtime.steps import Steps
from vast.runtime.stream import LogStream
from vast.runtime.supervisor import Supervisor
from vast.runtime.table import (
    Instance,
    agent_process,
    prepare_process,
    server_process,
    server_processes,
)

USUAL_PORT = 8400
DEMO_FLEET = Path(__file__).resolve().parents[2] / "examples" / "fleets" / "eight-vendors.yaml"
_DATABASE_TIMEOUT_S = 300.0  # a crash recovery may replay a lot
_WEB_TIMEOUT_S = 60.0
_NODES_TIMEOUT_S = 180.0


@dataclass(frozen=True)
class UpOptions:
    """What the user asked for. ``port`` None means: the usual one, or the next that is free."""

    demo: bool = False
    host: str = "127.0.0.1"
    port: int | None = None
    fleet: Path | None = None
    agents: bool = True


def up(options: UpOptions, stream: LogStream | None = None) -> int:
    """Run VAST until a signal asks to stop. Gives the exit code; what went wrong has been printed."""
    home = Home.from_environment()
    stream = stream or LogStream()
    try:
        fleet = _fleet(options)
        home.prepare()
        with home.locked():
            stream.open_file(home.folder("logs") / "vast.log")
            return _supervise(home, options, fleet, stream)
    except StartError as error:
        for line in f"cannot start: {error}".splitlines():
            stream.line("vast", line, important=True)
        return error.exit_code
    finally:
        stream.close()


def _fleet(options: UpOptions) -> Path | None:
    fleet = options.fleet or (DEMO_FLEET if options.demo else None)
    if fleet is not None and options.agents and not fleet.is_file():
        raise StartError(f"there is no fleet file {fleet}", exit_code=2)
    return fleet.absolute() if fleet else None


def _supervise(home: Home, options: UpOptions, fleet: Path | None, stream: LogStream) -> int:
    record = ProcessRecord(home.folder("run") / "processes.json")
    supervisor = Supervisor(stream, on_change=record.write)
    start = _Start(home, options, fleet, supervisor, record, Steps(stream))
    with supervisor.handling_signals():
        try:
            start.run()
            stream.quiet = False
            supervisor.run()
            stream.line("vast", "stopping (Ctrl-C again to hurry)", important=True)
        except StopRequested:
            stream.line("vast", "stopping before everything has started", important=True)
        finally:
            supervisor.stop()
            start.mark_stopped()
        stream.line("vast", f"stopped; everything is kept in {home.path}", important=True)
    return 0


class _Start:
    """The steps from nothing to a running instance."""

    def __init__(
        self,
        home: Home,
        options: UpOptions,
        fleet: Path | None,
        supervisor: Supervisor,
        record: ProcessRecord,
        steps: Steps,
    ) -> None:
        self._home = home
        self._options = options
        self._fleet = fleet
        self._supervisor = supervisor
        self._record = record
        self._steps = steps

    def run(self) -> None:
        stream = self._supervisor.stream
        stream.show(f"VAST starts (data in {self._home.path})")
        stream.quiet = True
        left = self._record.clear_leftovers()
        if left:
            stream.line("vast", f"waited for processes of a killed run: {', '.join(left)}", important=True)
        port = choose_port(self._options.host, self._options.port, USUAL_PORT)
        instance = Instance(
            home=self._home,
            host=self._options.host,
            port=port,
            database_url=os.environ.get("DATABASE_URL") or self._embedded("postgres"),
            redis_url=os.environ.get("REDIS_URL") or self._embedded("redis"),
        )
        facts = self._set_up(instance)
        token = facts.get("token") or self._home.read_connection().get("token")
        self._write_connection(instance, token)
        self._start_servers(instance)
        if self._options.agents:
            self._start_agent(instance, facts, token or "")
        self._announce(instance, facts)

    def _embedded(self, name: str) -> str:
        """Start an embedded server; gives its URL. Its wheel is imported only when it is needed."""
        server: EmbeddedServer
        with self._steps.step(f"embedded {name}"):
            folder = self._home.folder(name)
            if name == "postgres":
                from vast.runtime.postgres import EmbeddedPostgres

                server = EmbeddedPostgres(folder)
            else:
                from vast.runtime.redis import EmbeddedRedis

                server = EmbeddedRedis(folder)
            server.prepare()
            child = self._supervisor.add(server_process(server))
            self._supervisor.wait_until(server.is_ready, child, _DATABASE_TIMEOUT_S)
        return server.url

    def _set_up(self, instance: Instance) -> dict[str, Any]:
        """Bring the tables up to date and make what every instance needs."""
        stream = self._supervisor.stream

        def log(name: str, text: str) -> None:
            # The JSON holds the password and the tokens, which belong in no log.
            if not text.startswith("{"):
                stream.line(name, text)

        with self._steps.step("tables and sample data" if self._options.demo else "tables"):
            spec = prepare_process(instance, demo=self._options.demo)
            return _last_json(self._supervisor.run_once(spec, on_line=log))

    def _write_connection(self, instance: Instance, token: str | None) -> None:
        self._home.write_connection(
            url=instance.url,
            token=token,
            pid=os.getpid(),
            database_url=instance.database_url,
            redis_url=instance.redis_url,
        )

    def mark_stopped(self) -> None:
        """Keep URL and token for the next run, but say that nobody answers now."""
        connection = self._home.read_connection()
        if connection.get("pid") == os.getpid():
            self._home.write_connection(url=connection.get("url"), token=connection.get("token"), pid=None)

    def _start_servers(self, instance: Instance) -> None:
        web, *others = server_processes(instance)
        # Web has the cores for itself first: it is what the user waits for.
        with self._steps.step("web"):
            child = self._supervisor.add(web)
            self._supervisor.wait_until(answers(f"{instance.url}/readyz"), child, _WEB_TIMEOUT_S)
        with self._steps.step(", ".join(spec.name for spec in others)):
            for spec in others:
                self._supervisor.add(spec)

    def _start_agent(self, instance: Instance, facts: dict[str, Any], token: str) -> None:
        token_file = self._home.folder("agents") / "enrolment-token"
        if facts.get("enrolment_token"):
            write_private(token_file, f"{facts['enrolment_token']}\n")
        if self._fleet is None:
            spec, nodes = agent_process(instance, "local", token_file), 1
        else:
            nodes = len(load(self._fleet).nodes)
            spec = agent_process(
                instance, f"fleet-{self._fleet.stem}", token_file, "--simulate", str(self._fleet)
            )
        with self._steps.step("simulated nodes" if self._fleet else "agent of this machine"):
            began = datetime.now(UTC)
            child = self._supervisor.add(spec)
            # Who reads that VAST runs wants to use it: a job sent before the devices are known would be refused.
            joined = nodes_joined(instance.url, token, nodes, since=began)
            self._supervisor.wait_until(joined, child, _NODES_TIMEOUT_S)

    def _announce(self, instance: Instance, facts: dict[str, Any]) -> None:
        lines = [f"VAST runs at {instance.url}", ""]
        if self._options.port is None and instance.port != USUAL_PORT:
            lines[1:1] = [f"(port {USUAL_PORT} is taken by another program)"]
        lines += _sign_in(facts)
        command = "vast" if shutil.which("vast") else Path(sys.executable).with_name("vast")
        lines += ["", f"In another shell:  {command} job list   (vast --help shows everything)"]
        if os.environ.get("VAST_HOME"):
            lines += [f"                   with VAST_HOME={self._home.path}"]
        lines += [f"Log: {self._home.path / 'logs' / 'vast.log'}"]
        lines += [f"Stop everything: Ctrl-C here, or: kill {os.getpid()}"]
        self._steps.box(lines)


def _sign_in(facts: dict[str, Any]) -> list[str]:
    username, password = facts.get("admin_username"), facts.get("admin_password")
    if username and password:
        return [f"Sign in:  user {username}  password {password}"]
    if username:
        return [
            f"Sign in:  user {username}  (the password was shown at the first start;",
            f"          a new one: vast manage changepassword {username})",
        ]
    return []


def _last_json(lines: list[str]) -> dict[str, Any]:
    """The command prints one JSON object as its last line."""
    try:
        found = json.loads(lines[-1])
    except (IndexError, ValueError) as error:
        raise StartError("prepare did not print what it made") from error
    if not isinstance(found, dict):
        raise StartError("prepare did not print what it made")
    return found
