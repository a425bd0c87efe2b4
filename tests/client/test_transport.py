from __future__ import annotations

from pathlib import Path

import pytest

from tests.client.fake_api import JOB_ID, Answer, FakeApi, job, page, problem
from vast.client import Client, FieldError, Unreachable, VastError


def test_a_problem_becomes_an_error_with_its_fields(api: FakeApi, client: Client) -> None:
    entry = {"field": "groups[0].request.cores", "code": "max", "detail": "at most 100", "allowed": [1, 100]}
    api.on("POST", "jobs/", problem(422, "invalid", "The job document is not valid.", [entry]))
    with pytest.raises(VastError) as caught:
        client.jobs.submit({"name": "x"})
    error = caught.value
    assert (error.status, error.code, error.detail) == (422, "invalid", "The job document is not valid.")
    assert error.errors == (FieldError("groups[0].request.cores", "max", "at most 100", [1, 100]),)


def test_the_token_goes_with_every_call(api: FakeApi, client: Client) -> None:
    api.on("GET", "me/", {"id": "u", "username": "ada"})
    assert client.me().username == "ada"
    assert api.asked[0].headers["Authorization"] == "Bearer vast_abc_secret"


@pytest.mark.parametrize("status", [429, 502, 503, 504])
def test_a_read_is_repeated_while_the_server_is_busy(api: FakeApi, client: Client, status: int) -> None:
    api.on("GET", f"jobs/{JOB_ID}/", problem(status, "busy", "later"), job("running"))
    assert client.jobs.get(JOB_ID).state == "running"
    assert len(api.asked) == 2


def test_a_refusal_is_not_repeated(api: FakeApi, client: Client) -> None:
    api.on("GET", f"jobs/{JOB_ID}/", problem(403, "not_allowed", "You may not."))
    with pytest.raises(VastError, match="You may not"):
        client.jobs.get(JOB_ID)
    assert len(api.asked) == 1


def test_a_submission_whose_answer_was_lost_is_repeated_under_the_same_key(
    api: FakeApi, client: Client
) -> None:
    api.on("POST", "jobs/", Answer(drop=True), problem(503, "busy", "later"), Answer(job(), 201))
    assert client.jobs.submit("name: train\n").id == JOB_ID
    keys = [asked.headers["Idempotency-Key"] for asked in api.of("POST", "jobs/")]
    assert len(keys) == 3
    assert len(set(keys)) == 1


def test_two_submissions_have_two_keys(api: FakeApi, client: Client) -> None:
    api.on("POST", "jobs/", Answer(job(), 201))
    client.jobs.submit("name: train\n")
    client.jobs.submit("name: train\n")
    assert len({asked.headers["Idempotency-Key"] for asked in api.asked}) == 2


def test_an_act_that_may_have_happened_is_not_repeated(api: FakeApi, client: Client) -> None:
    api.on("POST", f"jobs/{JOB_ID}/hold/", Answer(drop=True), job("held"))
    with pytest.raises(Unreachable):
        client.jobs.hold(JOB_ID)
    assert len(api.asked) == 1


def test_a_server_that_stays_away_is_reported_with_its_address(api: FakeApi) -> None:
    url = api.url
    api.stop()
    told: list[VastError] = []
    with (
        Client(url, "t", retry_for_s=0.5, on_retry=told.append) as client,
        pytest.raises(Unreachable) as caught,
    ):
        client.me()
    api.start()
    assert url in str(caught.value)
    assert told


def test_a_page_that_is_no_api_is_told_apart(api: FakeApi, client: Client) -> None:
    api.on("GET", "me/", Answer(b"<html>", headers={"Content-Type": "text/html"}))
    with pytest.raises(VastError, match="is this the address of a VAST server"):
        client.me()


def test_lists_run_over_all_pages_and_stay_on_their_own_server(api: FakeApi, client: Client) -> None:
    second = "http://internal.invalid/api/v1/jobs/?cursor=abc&page_size=200"
    api.on("GET", "jobs/", page(job(name="a"), next_url=second), page(job(name="b")))
    assert [item.name for item in client.jobs.list(state="running")] == ["a", "b"]
    assert api.asked[0].query["state"] == "running"
    assert api.asked[1].query == {"cursor": "abc", "page_size": "200"}


@pytest.mark.parametrize(
    ("document", "media_type", "sent"),
    [
        ({"name": "x"}, "application/json", b'{"name": "x"}'),
        ("name: x  # as it is\n", "application/yaml", b"name: x  # as it is\n"),
    ],
)
def test_a_document_is_sent_as_it_was_given(
    api: FakeApi, client: Client, document: object, media_type: str, sent: bytes
) -> None:
    api.on("POST", "jobs/", Answer(job(), 201))
    client.jobs.submit(document)  # type: ignore[arg-type]
    assert (api.asked[0].headers["Content-Type"], api.asked[0].body) == (media_type, sent)


def test_a_path_is_read_and_sent(api: FakeApi, client: Client, tmp_path: Path) -> None:
    api.on("POST", "jobs/", Answer(job(), 201))
    (tmp_path / "job.yaml").write_text("name: x\n")
    client.jobs.submit(tmp_path / "job.yaml")
    assert api.asked[0].body == b"name: x\n"
