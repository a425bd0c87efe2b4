"""Whatever is wrong with a request, the answer is a problem that says what, and never a 500."""

from __future__ import annotations

from typing import Any

import pytest
from django.db import OperationalError
from rest_framework.test import APIClient

from tests.api.clients import CONTENT, document, fields, problem
from tests.api.conftest import Other
from tests.domain import Lab
from vast.jobs.models import Job
from vast.jobs.selectors import visible_jobs

pytestmark = pytest.mark.django_db

JOBS = "/api/v1/jobs/"
JSON, YAML = "application/json", "application/yaml"
NOWHERE = "0190f0f0-0000-7000-8000-000000000000"


def post_raw(api: APIClient, body: bytes | str, kind: str = YAML, path: str = JOBS) -> Any:
    return api.generic("POST", path, body, content_type=kind)


def test_signed_out_is_401_and_says_how_to_sign_in(lab: Lab) -> None:
    answer = APIClient().get(JOBS)
    problem(answer, 401, "not_authenticated")
    assert answer["WWW-Authenticate"] == "Bearer"


def test_a_member_may_not_change_what_admins_change(lab: Lab, mia: APIClient) -> None:
    node = lab.node("a")
    problem(
        mia.patch(f"/api/v1/nodes/{node.pk}/", {"cordoned": True}, format="json"), 403, "permission_denied"
    )
    problem(mia.post("/api/v1/queues/", {"name": "q", "pool": "default"}, format="json"), 403)
    problem(mia.get("/api/v1/enrolment-tokens/"), 403)
    node.refresh_from_db()
    assert node.cordoned is False


def test_a_member_may_not_cancel_the_job_of_another_member(lab: Lab, other: Other) -> None:
    from vast.tenancy.models import Membership

    Membership.objects.create(user=other.user, tenant=lab.tenant, role="member")
    job = lab.submit(devices=1)
    problem(other.api.post(f"{JOBS}{job.pk}/cancel/"), 403, "not_allowed")
    assert lab.fresh(job).state == "pending"


@pytest.mark.parametrize(
    "path",
    [
        f"jobs/{NOWHERE}/",
        "jobs/not-a-uuid/",
        f"jobs/{NOWHERE}/why/",
        f"tasks/{NOWHERE}/log/",
        f"nodes/{NOWHERE}/",
        "nodes/not-a-uuid/",
        f"devices/{NOWHERE}/samples/",
        f"queues/{NOWHERE}/",
        "device-classes/none/",
        "no/such/address/",
    ],
)
def test_what_does_not_exist_is_404(mia: APIClient, path: str) -> None:
    problem(mia.get(f"/api/v1/{path}"), 404, "not_found")


def test_nothing_at_all_is_422_and_says_what_is_missing(mia: APIClient) -> None:
    assert fields(post_raw(mia, b"")) == {"name": "missing", "queue": "missing", "groups": "missing"}


def test_a_method_that_is_not_offered_is_405(mia: APIClient) -> None:
    problem(mia.put(f"{JOBS}{NOWHERE}/", {}, format="json"), 405)


def test_an_ended_job_cannot_be_cancelled(lab: Lab, mia: APIClient) -> None:
    job = lab.submit(devices=1)
    assert mia.post(f"{JOBS}{job.pk}/cancel/").status_code == 202
    problem(mia.post(f"{JOBS}{job.pk}/cancel/"), 409, "job_ended")


def test_an_illegal_change_of_state_is_409(lab: Lab, mia: APIClient) -> None:
    job = lab.submit(devices=1)
    problem(mia.post(f"{JOBS}{job.pk}/release/"), 409, "illegal_transition")


def test_another_media_type_is_415(mia: APIClient) -> None:
    problem(post_raw(mia, b"<job/>", "text/xml"), 415, "unsupported_media_type")


def test_an_answer_that_cannot_be_given_as_wanted_is_406(mia: APIClient) -> None:
    problem(mia.get(JOBS, HTTP_ACCEPT="text/html"), 406)


@pytest.mark.parametrize("kind", [JSON, YAML])
def test_a_megabyte_of_garbage_is_413(mia: APIClient, kind: str) -> None:
    problem(post_raw(mia, b"x" * 1_000_000, kind), 413, "too_large")


def test_five_megabytes_are_413_wherever_they_are_sent(root: APIClient) -> None:
    problem(post_raw(root, b'"' + b"x" * 5_000_000 + b'"', JSON, "/api/v1/queues/"), 413, "too_large")


@pytest.mark.parametrize("body", [b"{", b"\xff\xfe", b'{"a": }', b"[1, 2", b'{"a": NaN}', b'"\\ud800"'])
def test_what_is_not_json_is_400(mia: APIClient, body: bytes) -> None:
    problem(post_raw(mia, body, JSON), 400, "malformed")


def test_a_syntax_error_names_line_and_column(mia: APIClient) -> None:
    answer = post_raw(mia, b'{"name": "x",\n "queue" 7}', JSON)
    assert problem(answer, 400)["errors"][0]["detail"].startswith("line 2, column ")


@pytest.mark.parametrize(
    "body",
    [
        b"a: [",
        b"a: b: c",
        b"\t- x",
        b"\xff\xfe\x00",
        b"a: *nobody",
        b"!!python/object/apply:os.system ['true']",
        b"--- 1\n--- 2",
        b"? [a, b]\n: c",
        b"a: " + b"9" * 6000,
        b'a: "\\ud800"',
        b"a: 2020-99-99",
        b"<<: 5",
        b'a: !!int ""',
        b'a: !!int "_"',
        b'a: !!float ""',
        b"a: !!bool perhaps",
        b"a: !!timestamp never",
    ],
)
def test_what_is_not_plain_yaml_is_400(mia: APIClient, body: bytes) -> None:
    problem(post_raw(mia, body), 400, "malformed")


def bomb() -> bytes:
    lines = ["a0: &a0 [x, x, x, x, x, x, x, x, x]"]
    lines += [f"a{i}: &a{i} [{', '.join([f'*a{i - 1}'] * 9)}]" for i in range(1, 12)]
    return "\n".join(lines).encode()


def merge_bomb() -> bytes:
    lines = ["a0: &a0 {k0: 1, k1: 2, k2: 3}"]
    lines += [f"a{i}: &a{i} {{<<: [{', '.join([f'*a{i - 1}'] * 9)}]}}" for i in range(1, 12)]
    return "\n".join(lines).encode()


@pytest.mark.parametrize(
    "body",
    [
        bomb(),
        merge_bomb(),
        b"&a [*a]",
        b"&a {b: {c: *a}}",
        b"a: &a {<<: *a}",
        b"[" * 50_000,
        b"[" * 500 + b"]" * 500,
        b"{a: " * 500 + b"1" + b"}" * 500,
        b"- " * 100_000 + b"x",
    ],
    ids=[
        "bomb",
        "merge bomb",
        "cycle",
        "deeper cycle",
        "merged cycle",
        "open",
        "lists",
        "mappings",
        "dashes",
    ],
)
def test_yaml_that_blows_up_is_400(mia: APIClient, body: bytes) -> None:
    problem(post_raw(mia, body), 400, "malformed")


def test_json_nested_too_deeply_is_400(mia: APIClient) -> None:
    problem(post_raw(mia, b"[" * 100_000, JSON), 400, "malformed")


def test_json_nested_as_deeply_as_is_read_is_no_server_error(mia: APIClient) -> None:
    nested = b'{"name": ' + b"[" * 1000 + b'"\\u0000"' + b"]" * 1000 + b"}"
    assert post_raw(mia, nested, JSON).status_code in {400, 422}


@pytest.mark.parametrize("body", [b"# only a comment", b"~", b"just text", b"[1, 2]"])
def test_yaml_that_is_no_mapping_is_422(mia: APIClient, body: bytes) -> None:
    assert fields(post_raw(mia, body)) == {"": "type"}


@pytest.mark.parametrize("key", [b"1", b"true", b"2020-01-01", b"0x" + b"f" * 6000])
def test_a_key_that_is_no_text_is_422_and_its_place_named(mia: APIClient, key: bytes) -> None:
    answer = post_raw(mia, b"name: x\nlabels: {? " + key + b" : y}")
    assert fields(answer) == {"labels": "key_type"}


@pytest.mark.parametrize("method", ["get", "post", "put", "patch", "delete"])
def test_an_address_that_leads_nowhere_is_a_404_problem_for_every_method(method: str) -> None:
    caller = APIClient(enforce_csrf_checks=True)
    problem(getattr(caller, method)("/api/v1/no/such/address/"), 404, "not_found")


def test_an_offset_longer_than_any_log_is_422(lab: Lab, mia: APIClient) -> None:
    task = lab.submit(devices=1).tasks.get()
    answer = mia.get(f"/api/v1/tasks/{task.pk}/log/?offset={10**30}")
    assert fields(answer) == {"offset": "invalid"}


def test_samples_of_before_there_were_any_are_422(lab: Lab, mia: APIClient) -> None:
    device = lab.node("a").devices.get()
    answer = mia.get(f"/api/v1/devices/{device.pk}/samples/?until=0001-01-01T00:00:00Z")
    assert fields(answer) == {"until": "invalid"}


def test_aliases_of_a_harmless_size_work(lab: Lab, mia: APIClient) -> None:
    lab.node("a")
    body = b"""
name: aliased
queue: research
groups:
  - {name: a, command: [x], request: &r {cores: 10, memory_mib: 1024}}
  - {name: b, command: [x], request: *r}
"""
    answer = post_raw(mia, body)
    assert answer.status_code == 201, answer.content
    assert answer.json()["document"]["groups"][1]["request"]["cores"] == 10


def test_a_wrong_field_is_422_and_named(lab: Lab, mia: APIClient) -> None:
    bad = document(groups=[{"command": ["x"], "request": {"cores": 101, "memory_mib": 1}, "replicas": -1}])
    answer = mia.post(JOBS, bad, format="json")
    assert fields(answer) == {
        "groups[0].request.cores": "less_than_equal",
        "groups[0].replicas": "greater_than_equal",
    }
    assert not Job.objects.exists()


def test_an_unknown_queue_is_422_with_the_queues_one_may_name(lab: Lab, mia: APIClient, other: Other) -> None:
    answer = mia.post(JOBS, document(queue="nowhere"), format="json")
    assert problem(answer, 422)["errors"] == [
        {"field": "queue", "code": "unknown", "detail": "no queue nowhere", "allowed": ["research"]}
    ]


def nul_documents() -> list[dict[str, Any]]:
    group = {"command": ["true"]}
    return [
        document(name="a\x00"),
        document(queue="research\x00"),
        document(labels={"a": "b\x00"}),
        document(labels={"a\x00": "b"}),
        document(groups=[{"command": "a\x00"}]),
        document(groups=[{"command": ["a\x00"]}]),
        document(groups=[{**group, "env": {"A": "\x00"}}]),
        document(groups=[{**group, "name": "\x00"}]),
        document(groups=[{**group, "request": {"selector": [{"vendor": "nvidia\x00"}]}}]),
        document(groups=[{**group, "request": {"selector": [{"labels": {"a": "\x00"}}]}}]),
        {**document(), "\x00": 1},
    ]


@pytest.mark.parametrize("data", nul_documents(), ids=lambda data: repr(data)[:60])
@pytest.mark.parametrize("kind", ["json", "yaml"])
def test_a_nul_byte_in_a_document_is_422(lab: Lab, mia: APIClient, data: dict[str, Any], kind: str) -> None:
    import orjson

    lab.node("a")
    # JSON is YAML, whose double-quoted strings know the same escapes.
    answer = post_raw(mia, orjson.dumps(data), JSON if kind == "json" else YAML)
    assert answer.status_code == 422, answer.content
    assert not Job.objects.exists()


def test_nul_bytes_in_other_bodies_are_422(lab: Lab, root: APIClient) -> None:
    node = lab.node("a")
    for path, body in (
        ("queues/", {"name": "a\x00", "pool": "default"}),
        ("queues/", {"name": "a", "pool": "default\x00"}),
        ("queues/", {"name": "a", "pool": "default", "quotas": [{"device_class": "\x00"}]}),
        ("pools/", {"name": "a", "description": "\x00"}),
        ("tokens/", {"name": "\x00"}),
        ("enrolment-tokens/", {"name": "\x00"}),
        ("agents/enrol/", {"token": "\x00", "nodes": [{"name": "a"}]}),
    ):
        problem(root.post(f"/api/v1/{path}", body, format="json"), 422)
    labels = {"labels": {"a\x00": "b"}}
    problem(root.patch(f"/api/v1/nodes/{node.pk}/", labels, format="json"), 422)
    signing_in = {"username": "a\x00", "password": "b"}
    problem(APIClient().post("/api/v1/auth/login/", signing_in, format="json"), 422)


@pytest.mark.parametrize(
    "query",
    [
        "jobs/?search=%00",
        "jobs/?queue=%00",
        "jobs/?owner=%00",
        "jobs/?label=%00:x",
        "jobs/?label=%00:x&label=a:b",
        "jobs/?array=%00",
        "jobs/?state=%00",
        "jobs/?ordering=%00",
        "jobs/?cursor=%00",
        "jobs/?cursor=cD0lMDA%3D",
        "jobs/?priority=99999999999999999999",
        "jobs/?page_size=99999999999999999999",
        "jobs/?submitted_after=%00",
        "nodes/?search=%00",
        "nodes/?pool=%00",
        "nodes/?vendor=%00",
        "nodes/?page=%00",
        "nodes/?page=99999999999999999999",
        "devices/?search=%00",
        "devices/?model=%00",
        "devices/?node=%00",
        "devices/?mode=%00",
        "queues/?tenant__name=%00",
        "queues/?search=%00",
        "device-models/?vendor=%00",
        "device-classes/%00/",
    ],
)
def test_odd_query_strings_are_no_server_error(lab: Lab, mia: APIClient, query: str) -> None:
    lab.submit(devices=1)
    assert mia.get(f"/api/v1/{query}").status_code in {200, 404, 422}


def test_a_database_that_is_away_is_503(mia: APIClient, monkeypatch: pytest.MonkeyPatch) -> None:
    def away(user: Any) -> Any:
        raise OperationalError("connection refused")

    assert visible_jobs is not None
    monkeypatch.setattr("vast.jobs.api.views.visible_jobs", away)
    answer = mia.get(JOBS)
    problem(answer, 503, "unavailable")
    assert answer["Retry-After"] == "1"


def test_a_bug_of_ours_is_a_problem_too(lab: Lab, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(user: Any) -> Any:
        raise RuntimeError("a bug")

    monkeypatch.setattr("vast.jobs.api.views.visible_jobs", broken)
    api = APIClient(raise_request_exception=False)
    api.force_authenticate(lab.member)
    answer = api.get(JOBS)
    assert answer.status_code == 500
    assert answer["Content-Type"] == CONTENT
    assert "a bug" not in answer.content.decode()
