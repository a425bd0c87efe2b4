from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
import typer
import yaml
from typer.testing import CliRunner, Result

from tests.client.fake_api import JOB_ID, TASK_ID, Answer, Asked, FakeApi, job, log_of, page, problem, task
from vast import __main__ as program
from vast.client.commands import build_app
from vast.client.models import Job

DOCUMENT = "name: train\nqueue: demo/research\ngroups: [{name: worker, replicas: 2, command: [x]}]\n"
Vast = Callable[..., Result]


@pytest.fixture
def vast(api: FakeApi, monkeypatch: pytest.MonkeyPatch) -> Vast:
    monkeypatch.setenv("VAST_URL", api.url)
    monkeypatch.setenv("VAST_TOKEN", "vast_abc_secret")
    app = build_app()
    return lambda *arguments, **keywords: CliRunner().invoke(app, list(arguments), **keywords)


@pytest.fixture
def file(tmp_path: Path) -> str:
    path = tmp_path / "job.yaml"
    path.write_text(DOCUMENT)
    return str(path)


def script(api: FakeApi, *states: dict[str, Any], tasks: list[dict[str, Any]], log: str) -> None:
    api.on("POST", "jobs/", Answer(job(), 201))
    api.on("GET", f"jobs/{JOB_ID}/", *states)
    api.on("GET", f"jobs/{JOB_ID}/tasks/", tasks)
    for one in tasks:
        api.on("GET", f"tasks/{one['id']}/log/", log_of(log))


def test_submit_sends_the_file_as_it_is_and_says_the_id(vast: Vast, api: FakeApi, file: str) -> None:
    api.on("POST", "jobs/", Answer(job(), 201))
    result = vast("job", "submit", "-f", file)
    assert (result.exit_code, result.stdout) == (0, f"job train submitted: {JOB_ID}\n")
    assert api.asked[0].body == DOCUMENT.encode()
    assert api.asked[0].headers["Content-Type"] == "application/yaml"


def test_submit_reads_standard_input_and_prints_only_the_id_on_demand(vast: Vast, api: FakeApi) -> None:
    api.on("POST", "jobs/", Answer(job(), 201))
    result = vast("job", "submit", "-f", "-", "-o", "name", input=DOCUMENT)
    assert result.stdout == f"{JOB_ID}\n"
    assert api.asked[0].body == DOCUMENT.encode()


def test_submit_changes_fields_before_it_sends(vast: Vast, api: FakeApi, file: str) -> None:
    api.on("POST", "jobs/", Answer(job(), 201))
    changes = ["groups[0].replicas=4", "groups.worker.env.MODE=fast", "priority=high", "array=3"]
    options = [part for change in changes for part in ("--set", change)]
    result = vast("job", "submit", "-f", file, *options, "--queue", "acme/training", "--name", "other")
    assert result.exit_code == 0
    assert json.loads(api.asked[0].body) == {
        "name": "other",
        "queue": "acme/training",
        "priority": "high",
        "array": 3,
        "groups": [{"name": "worker", "replicas": 4, "command": ["x"], "env": {"MODE": "fast"}}],
    }


@pytest.mark.parametrize("change", ["groups[7].replicas=1", "groups.nobody.replicas=1", "noequals", "a=[1"])
def test_a_change_that_leads_nowhere_is_bad_input(vast: Vast, api: FakeApi, file: str, change: str) -> None:
    result = vast("job", "submit", "-f", file, "--set", change)
    assert result.exit_code == 2
    assert api.asked == []


def test_a_missing_file_is_bad_input(vast: Vast) -> None:
    result = vast("job", "submit", "-f", "/nowhere/job.yaml")
    assert result.exit_code == 2
    assert "No such file" in result.stderr


def test_each_wrong_field_is_printed(vast: Vast, api: FakeApi, file: str) -> None:
    errors = [
        {"field": "queue", "code": "unknown", "detail": "no queue x", "allowed": ["demo/research"]},
        {"field": "groups[0].replicas", "code": "min", "detail": "too few", "allowed": {"ge": 1}},
    ]
    api.on("POST", "jobs/", problem(422, "invalid", "The job document is not valid.", errors))
    result = vast("job", "submit", "-f", file, "--wait")
    assert result.exit_code == 2
    assert result.stderr.splitlines() == [
        "error: The job document is not valid.",
        "  queue: no queue x (allowed: demo/research)",
        "  groups[0].replicas: too few (allowed: at least 1)",
    ]


def test_waiting_for_a_job_that_succeeds_exits_0_and_tells_changed_reasons_once(
    vast: Vast, api: FakeApi, file: str
) -> None:
    reason = {"code": "NO_ROOM", "params": {}, "evidence": [], "message": "4 devices are too full"}
    waiting = job("pending", reason=reason)
    script(api, job(), waiting, waiting, job("running", version=2), job("succeeded"), tasks=[task()], log="")
    result = vast("job", "submit", "-f", file, "--wait")
    assert result.exit_code == 0
    assert result.stdout == ""
    assert result.stderr.splitlines()[1:] == [
        "pending",
        "pending: 4 devices are too full",
        "running",
        "job train succeeded",
    ]


def test_waiting_for_a_job_that_fails_exits_1_and_says_which_task_why_and_its_last_lines(
    vast: Vast, api: FakeApi, file: str
) -> None:
    stopped = task("failed", id=TASK_ID[:-1] + "2", index=1, cause="stopped", exit_code=143)
    failed = task("failed", exit_code=3, cause="exit", message="", ended_at="2026-12-02T08:00:09Z")
    script(
        api, job("running"), job("failed", version=2), tasks=[stopped, failed], log="loading\nno checkpoint\n"
    )
    result = vast("job", "submit", "-f", file, "--wait")
    assert result.exit_code == 1
    assert result.stderr.splitlines()[2:] == [
        "job train failed",
        "  task worker/0 on node-1: exit code 3",
        "  task worker/1 on node-1: exit code 143, stopped",
        "  last lines of worker/0:",
        "    loading",
        "    no checkpoint",
    ]


def test_a_task_killed_by_a_signal_is_told_so(vast: Vast, api: FakeApi, file: str) -> None:
    killed = task("failed", signal=9, cause="exit", message="out of memory")
    script(api, job("failed"), tasks=[killed], log="")
    result = vast("job", "submit", "-f", file, "--wait")
    assert "task worker/0 on node-1: killed by signal 9, out of memory" in result.stderr


def test_waiting_for_a_job_that_is_cancelled_exits_3(vast: Vast, api: FakeApi, file: str) -> None:
    script(api, job("cancelled"), tasks=[], log="")
    assert vast("job", "submit", "-f", file, "--wait").exit_code == 3


def test_logs_of_all_tasks_are_printed_with_the_task_in_front(vast: Vast, api: FakeApi, file: str) -> None:
    tasks = [task("succeeded"), task("succeeded", id=TASK_ID[:-1] + "2", index=1)]
    script(api, job("running"), job("succeeded", version=2), tasks=tasks, log="hello\nlast line without end")
    result = vast("job", "submit", "-f", file, "--logs")
    assert result.exit_code == 0
    assert sorted(result.stdout.splitlines()) == [
        "worker/0 | hello",
        "worker/0 | last line without end",
        "worker/1 | hello",
        "worker/1 | last line without end",
    ]


def test_the_log_of_a_job_too_quick_to_be_seen_running_is_printed_all_the_same(
    vast: Vast, api: FakeApi, file: str
) -> None:
    script(api, job("succeeded"), tasks=[task("succeeded")], log="quick\n")
    assert vast("job", "submit", "-f", file, "--logs").stdout == "worker/0 | quick\n"


def test_an_array_is_waited_for_whole(vast: Vast, api: FakeApi, file: str) -> None:
    def of_array(index: int, state: str) -> dict[str, Any]:
        return job(state, id=JOB_ID[:-1] + str(index), array={"id": "arr", "index": index, "size": 2})

    api.on("POST", "jobs/", Answer(of_array(1, "pending"), 201))
    api.on("GET", "jobs/", page(of_array(1, "succeeded"), of_array(2, "failed")))
    api.on("GET", f"jobs/{JOB_ID[:-1]}2/tasks/", [])
    result = vast("job", "submit", "-f", file, "--wait")
    assert result.exit_code == 1
    assert "array train: 1 failed, 1 succeeded" in result.stderr
    assert api.of("GET", "jobs/")[0].query["array"] == "arr"


def test_ctrl_c_while_waiting_detaches_and_does_not_cancel(
    vast: Vast, api: FakeApi, file: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(*_: object, **__: object) -> Job:
        raise KeyboardInterrupt

    api.on("POST", "jobs/", Answer(job(), 201))
    monkeypatch.setattr("vast.client.jobs.Jobs.wait", interrupted)
    result = vast("job", "submit", "-f", file, "--wait")
    assert result.exit_code == 130
    assert f"vast job cancel {JOB_ID}" in result.stderr
    assert [asked.method for asked in api.asked] == ["POST"]


def test_wait_gives_up_with_124(vast: Vast, api: FakeApi) -> None:
    api.on("GET", f"jobs/{JOB_ID}/", job("running"))
    assert vast("job", "wait", JOB_ID, "--timeout", "0.1").exit_code == 124


@pytest.mark.parametrize(("status", "code"), [(401, 4), (403, 4), (404, 6), (409, 7), (422, 2), (500, 1)])
def test_refusals_have_exit_codes(vast: Vast, api: FakeApi, status: int, code: int) -> None:
    api.on("GET", f"jobs/{JOB_ID}/", problem(status, "x", "refused"))
    result = vast("job", "get", JOB_ID)
    assert result.exit_code == code
    assert "error: refused" in result.stderr


def test_a_server_that_is_not_there_is_5(api: FakeApi, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("vast.client.commands.server.RETRY_S", 0.1)
    monkeypatch.setenv("VAST_URL", api.url)
    api.stop()
    result = CliRunner().invoke(build_app(), ["whoami"])
    api.start()
    assert result.exit_code == 5
    assert api.url in result.stderr


def test_nothing_known_is_5_and_says_what_to_do() -> None:
    result = CliRunner().invoke(build_app(), ["job", "list"])
    assert result.exit_code == 5
    assert "vast login" in result.stderr


def test_list_prints_aligned_columns_that_are_never_cut(vast: Vast, api: FakeApi) -> None:
    api.on("GET", "jobs/", page(job("running", name="a" * 63), job("pending")))
    lines = vast("job", "list").stdout.splitlines()
    assert [line.split()[0] for line in lines] == ["NAME", "a" * 63, "train"]
    assert len({line.index("-7000-") for line in lines[1:]}) == 1


def test_a_list_that_was_cut_says_so_and_a_whole_one_does_not(vast: Vast, api: FakeApi) -> None:
    api.on("GET", "jobs/", page(job("running"), job("pending")))
    assert "newest 1" in vast("job", "list", "--limit", "1").stderr
    assert vast("job", "list", "--limit", "2").stderr == ""


def test_list_as_json_and_yaml_is_what_the_api_said(vast: Vast, api: FakeApi) -> None:
    api.on("GET", "jobs/", page(job(brand_new=[1])))
    assert json.loads(vast("job", "list", "-o", "json").stdout) == [job(brand_new=[1])]
    assert yaml.safe_load(vast("job", "list", "-o", "yaml").stdout) == [job(brand_new=[1])]


def _why(**about: Any) -> dict[str, Any]:
    checks = [
        {"code": "QUEUE_OPEN", "ok": True, "params": {}, "message": "the queue is open"},
        {"code": "NO_ROOM", "ok": False, "params": {}, "message": "there is room"},
        {"code": "LATER", "ok": None, "params": {}, "message": "all fit at once"},
    ]
    evidence = [
        {"code": "SHORT", "params": {"need": 30, "best": 20}, "evidence": [], "message": "at most 20 % free"},
        {"code": "SICK", "params": {"devices": 2}, "evidence": [], "message": "not healthy: 2"},
    ]
    headline = {"code": "NO_ROOM", "params": {}, "evidence": evidence, "message": "no room"}
    return {
        "state": "pending",
        "headline": headline,
        "message": "no room: at most 20 % free; not healthy: 2",
        "position": 8,
        "ahead": [{"id": TASK_ID, "name": "other", "priority": 5, "position": 1}],
        "checks": checks,
    } | about


def test_why_says_one_thing_a_line(vast: Vast, api: FakeApi) -> None:
    api.on("GET", f"jobs/{JOB_ID}/", job())
    api.on("GET", f"jobs/{JOB_ID}/why/", _why())
    assert vast("job", "why", JOB_ID).stdout.splitlines() == [
        "train is pending: no room",
        "",
        "  ✓ the queue is open",
        "  ✗ there is room",
        "      - not healthy: 2",
        "  · all fit at once",
        "",
        "nearest fit",
        "  - at most 20 % free",
        "",
        "position in its queue: 8; ahead of it",
        f"  1. other ({TASK_ID}), priority 5",
        "  ... and 6 more",
    ]


def test_why_of_a_job_that_runs_is_short(vast: Vast, api: FakeApi) -> None:
    api.on("GET", f"jobs/{JOB_ID}/", job("running"))
    api.on(
        "GET",
        f"jobs/{JOB_ID}/why/",
        _why(state="running", headline=None, message="", position=None, ahead=[], checks=[]),
    )
    assert vast("job", "why", JOB_ID).stdout.splitlines() == ["train is running"]


@pytest.mark.parametrize(
    ("variables", "wanted"),
    [
        ({"LANG": "zh_CN.UTF-8"}, "zh"),
        ({"LANG": "zh_CN.UTF-8", "LC_ALL": "C"}, "en"),
        ({"LANG": "de_DE.UTF-8"}, "en"),
        ({}, "en"),
    ],
)
def test_the_server_is_asked_for_the_users_language(
    vast: Vast, api: FakeApi, monkeypatch: pytest.MonkeyPatch, variables: dict[str, str], wanted: str
) -> None:
    for name in ("LANG", "LC_ALL", "LC_MESSAGES"):
        monkeypatch.delenv(name, raising=False)
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    api.on("GET", "jobs/", page(job()))
    vast("job", "list")
    assert api.of("GET", "jobs/")[0].headers["Accept-Language"] == wanted


def test_a_change_to_a_name_that_several_live_jobs_have_is_refused(vast: Vast, api: FakeApi) -> None:
    other = JOB_ID[:-1] + "2"
    api.on("GET", "jobs/", page(job("running"), job("pending", id=other)))
    result = vast("job", "cancel", "train")
    assert result.exit_code == 2
    assert other in result.stderr
    assert {asked.method for asked in api.asked} == {"GET"}


def test_a_change_to_a_name_means_the_one_job_that_has_not_ended(vast: Vast, api: FakeApi) -> None:
    api.on("GET", "jobs/", page(job("failed", id=JOB_ID[:-1] + "2"), job("running")))
    api.on("POST", f"jobs/{JOB_ID}/cancel/", Answer(job("stopping"), 202))
    assert vast("job", "cancel", "train").stdout == f"job train ({JOB_ID}) is being stopped\n"


def test_logs_of_one_task_come_without_a_prefix(vast: Vast, api: FakeApi) -> None:
    script(api, job("running"), tasks=[task(), task(id=TASK_ID[:-1] + "2", index=1)], log="plain\n")
    assert vast("job", "logs", JOB_ID, "--task", "worker/1").stdout == "plain\n"
    assert vast("job", "logs", JOB_ID).stdout == "worker/0 | plain\nworker/1 | plain\n"


def test_cordoning_a_node_by_name(vast: Vast, api: FakeApi) -> None:
    node = {"id": "n1", "name": "node-1", "state": "ready"}
    api.on("GET", "nodes/", page(node))
    api.on("PATCH", "nodes/n1/", {**node, "cordoned": True})
    assert vast("node", "cordon", "node-1").stdout == "node node-1 is cordoned\n"
    assert json.loads(api.asked[-1].body) == {"cordoned": True}


def test_the_queue_tree_is_indented(vast: Vast, api: FakeApi) -> None:
    quota = {"device_class": "nvidia-80g", "guaranteed": 2500, "limit": None, "weight": 1, "reserved": 0}
    root = {"id": "1", "name": "demo", "path": "demo", "depth": 0, "quotas": [quota]}
    leaf = {"id": "2", "name": "research", "path": "demo/research", "depth": 1, "held": {"nvidia-80g": 500}}
    api.on("GET", "queues/", page(root, leaf))
    lines = vast("queue", "tree").stdout.splitlines()
    assert lines[1].startswith("demo ")
    assert lines[1].endswith("nvidia-80g 2.5")
    assert lines[2].startswith("  research ")
    assert "nvidia-80g 0.5" in lines[2]


def test_the_overview_shows_unknown_load_as_a_dash(vast: Vast, api: FakeApi) -> None:
    usage = {"devices": 8, "devices_reporting": 0, "util_pct": None, "memory_mib": 1}
    totals = {**usage, "jobs": {"running": 2}}
    body = {"pools": [{"id": "p", "name": "default", **usage}], "vendors": [], "totals": totals}
    api.on("GET", "overview/", {**body, "waiting": {"jobs": 1, "oldest_s": 5}, "unhealthy": {"devices": 1}})
    lines = vast("overview").stdout.splitlines()
    assert lines[1].split()[:4] == ["default", "8", "0", "-"]
    assert lines[-3:] == ["jobs       2 running", "waiting    1, the oldest for 5 s", "unhealthy  1 devices"]


def test_login_reads_the_token_from_standard_input_and_stores_it_when_it_works(
    api: FakeApi, home: Path
) -> None:
    def me(asked: Asked) -> Answer:
        right = asked.headers["Authorization"] == "Bearer vast_x_y"
        return (
            Answer({"id": "u", "username": "ada"}) if right else problem(401, "no", "The token is not valid.")
        )

    api.on("GET", "me/", me)
    refused = CliRunner().invoke(build_app(), ["login", "--url", api.url], input="wrong\n")
    assert refused.exit_code == 4
    assert not (home / "cli.json").exists()
    result = CliRunner().invoke(build_app(), ["login", "--url", api.url], input="vast_x_y\n")
    assert result.exit_code == 0
    assert json.loads((home / "cli.json").read_text())["token"] == "vast_x_y"
    lines = CliRunner().invoke(build_app(), ["whoami"]).stdout.splitlines()
    assert {tuple(line.split()) for line in lines} >= {("user", "ada"), ("server", api.url)}
    assert "vast_x_y" not in result.output


def test_help_loads_neither_the_http_library_nor_rich_tables() -> None:
    code = (
        "import sys; from vast.client.commands import build_app\n"
        "try: build_app()(['--help'])\n"
        "except SystemExit: pass\n"
        "print(sorted({'httpx', 'yaml', 'django', 'rich.table'} & set(sys.modules)))"
    )
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert result.stdout.splitlines()[-1] == "[]"


def test_the_servers_commands_are_added_where_they_are_installed(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    commands = ModuleType("vast.runtime.commands")
    commands.register = lambda app: app.command("up")(lambda: typer.echo("started"))  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "vast.runtime.commands", commands)
    monkeypatch.setattr(sys, "argv", ["vast", "up"])
    with pytest.raises(SystemExit) as ended:
        program.main()
    assert ended.value.code == 0
    assert capsys.readouterr().out == "started\n"


def test_a_missing_package_is_named_with_the_extra_that_brings_it(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def without_redis(name: str) -> ModuleType:
        raise ModuleNotFoundError(f"No module named {name!r}", name="redis")

    monkeypatch.setattr(program, "import_module", without_redis)
    monkeypatch.setattr(sys, "argv", ["vast", "up"])
    with pytest.raises(SystemExit) as ended:
        program.main()
    assert ended.value.code == 2
    assert "pip install 'vast[server]'" in capsys.readouterr().err


def test_a_package_missing_inside_a_command_is_named_too(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    def without(name: str) -> ModuleType:
        raise ModuleNotFoundError("No module named 'numpy'", name="numpy")

    monkeypatch.setattr("vast.client.commands.fleet.import_module", without)
    (tmp_path / "fleet.yaml").touch()
    result = CliRunner().invoke(build_app(), ["fleet", "check", str(tmp_path / "fleet.yaml")])
    assert result.exit_code == 1
    assert "numpy, which comes with: pip install 'vast[server]'" in result.stderr


def what_if_answer(outcome: str, **about: Any) -> dict[str, Any]:
    foretold = {
        "outcome": outcome,
        "nodes": ["n1", "n2"],
        "starts_at": None,
        "position": None,
        "reason": None,
    }
    found = {"job": {**foretold, "message": "", **about}, "evicted": [], "started": [], "spared": []}
    return {**found, "no_longer_started": [], "others": {"evicted": 0}}


def test_what_if_sends_the_document_and_submits_nothing(vast: Vast, api: FakeApi, file: str) -> None:
    api.on("POST", "what-if/", what_if_answer("starts"))
    result = vast("job", "what-if", "-f", file, "--set", "groups[0].replicas=3", "--queue", "demo/other")
    assert (result.exit_code, result.stdout) == (0, "it would start at once on n1, n2\n")
    sent = json.loads(api.asked[0].body)["submit"]
    assert (sent["queue"], sent["groups"][0]["replicas"]) == ("demo/other", 3)
    assert [asked.path for asked in api.asked] == ["/api/v1/what-if/"]


def test_what_if_names_own_victims_and_counts_those_of_others(vast: Vast, api: FakeApi, file: str) -> None:
    answer = what_if_answer("evicts")
    answer["evicted"] = [{"job": JOB_ID, "name": "old", "rule": "share", "message": "above its share"}]
    api.on("POST", "what-if/", answer | {"others": {"evicted": 2}})
    assert vast("job", "what-if", "-f", file).stdout.splitlines() == [
        "others would be stopped for it; then it starts on n1, n2",
        f"  old ({JOB_ID}) would be stopped: above its share",
        "  2 of other tenants would be stopped",
    ]


def test_what_if_says_why_it_would_wait(vast: Vast, api: FakeApi, file: str) -> None:
    api.on("POST", "what-if/", what_if_answer("waits", nodes=[], position=3, message="The queue is full."))
    result = vast("job", "what-if", "-f", file)
    assert result.stdout == "it would wait, at position 3 of its queue: The queue is full.\n"


def test_what_if_prints_the_whole_answer_as_json(vast: Vast, api: FakeApi, file: str) -> None:
    answer = what_if_answer("reserved", starts_at=1_800_000_000)
    api.on("POST", "what-if/", answer)
    assert json.loads(vast("job", "what-if", "-f", file, "-o", "json").stdout) == answer
    assert "seats reserved on n1, n2, expected 20" in vast("job", "what-if", "-f", file).stdout


def test_what_if_of_a_refused_document_is_bad_input(vast: Vast, api: FakeApi, file: str) -> None:
    api.on(
        "POST", "what-if/", problem(422, "invalid", "no queue", [{"field": "queue", "detail": "no queue"}])
    )
    assert vast("job", "what-if", "-f", file).exit_code == 2
