from __future__ import annotations

import threading
import time
from datetime import UTC, datetime

import pytest

from tests.client.fake_api import JOB_ID, TASK_ID, Answer, Asked, FakeApi, job, log_of, page, problem, task
from vast.client import Client, JobTimeout, VastError

LOG = f"tasks/{TASK_ID}/log/"


def test_answers_are_typed_and_keep_unknown_fields_in_raw(api: FakeApi, client: Client) -> None:
    reason = {"code": "NO_ROOM", "params": {"n": 1}, "evidence": [], "message": "no room"}
    api.on("GET", f"jobs/{JOB_ID}/", job("pending", reason=reason, position=3, brand_new="x"))
    found = client.jobs.get(JOB_ID)
    assert found.queue is not None
    assert (found.queue.path, found.position, str(found.reason)) == ("demo/research", 3, "no room")
    assert found.submitted_at == datetime(2026, 12, 2, 8, tzinfo=UTC)
    assert found.raw["brand_new"] == "x"


def test_telemetry_times_are_unix_seconds(api: FakeApi, client: Client) -> None:
    live = {"util_pct": 12.5, "memory_used_mib": None, "power_w": 90, "at": 1764662400.5}
    api.on("GET", "nodes/", page({"id": "n", "name": "node-1", "state": "ready", "live": live}))
    (node,) = client.nodes.list()
    assert node.live is not None
    assert node.live.at == datetime.fromtimestamp(1764662400.5, UTC)
    assert node.live.memory_used_mib is None


def test_an_answer_without_a_required_field_is_an_error_and_not_a_crash(api: FakeApi, client: Client) -> None:
    api.on("GET", f"jobs/{JOB_ID}/", {"id": JOB_ID})
    with pytest.raises(VastError, match="not a whole Job"):
        client.jobs.get(JOB_ID)


def test_a_name_finds_only_jobs_of_exactly_that_name(api: FakeApi, client: Client) -> None:
    api.on("GET", "jobs/", page(job(name="train-2"), job(name="train")))
    assert [item.name for item in client.jobs.find("train")] == ["train"]


def test_the_beginning_of_an_id_finds_its_job(api: FakeApi, client: Client) -> None:
    api.on("GET", "jobs/", page(job()))
    assert client.jobs.find(JOB_ID[:8])[0].id == JOB_ID


def test_a_name_that_no_job_has_is_not_found(api: FakeApi, client: Client) -> None:
    api.on("GET", "jobs/", page(job(name="other")))
    with pytest.raises(VastError) as caught:
        client.jobs.find("train")
    assert caught.value.status == 404


def test_cancelling_a_cancelled_job_is_no_error_but_a_succeeded_one_is(api: FakeApi, client: Client) -> None:
    api.on("POST", f"jobs/{JOB_ID}/cancel/", problem(409, "ended", "The job has ended."))
    api.on("GET", f"jobs/{JOB_ID}/", job("cancelled"), job("succeeded"))
    assert client.jobs.cancel(JOB_ID).state == "cancelled"
    with pytest.raises(VastError, match="has ended"):
        client.jobs.cancel(JOB_ID)


def test_waiting_tells_each_change_once_and_ends_with_the_job(api: FakeApi, client: Client) -> None:
    states = [job("pending"), job("pending"), job("running", version=2), job("succeeded", version=3)]
    api.on("GET", f"jobs/{JOB_ID}/", *states)
    seen: list[str] = []
    ended = client.jobs.wait(JOB_ID, on_change=lambda now: seen.append(now.state))
    assert ended.state == "succeeded"
    assert seen == ["pending", "running", "succeeded"]


def test_waiting_no_longer_than_asked_leaves_the_job_alone(api: FakeApi, client: Client) -> None:
    api.on("GET", f"jobs/{JOB_ID}/", job("running"))
    with pytest.raises(JobTimeout, match="still running"):
        client.jobs.wait(JOB_ID, timeout=0.3)
    assert {asked.method for asked in api.asked} == {"GET"}


def test_a_followed_log_is_asked_for_with_a_long_poll_and_ends_with_the_task(
    api: FakeApi, client: Client
) -> None:
    api.on("GET", LOG, log_of("one\n", ended=False), log_of("one\ntwo\n"))
    assert [chunk.data for chunk in client.jobs.logs(TASK_ID)] == ["one\n", "two\n"]
    assert [(asked.query["offset"], asked.query["wait"]) for asked in api.asked] == [
        ("0", "10.0"),
        ("4", "10.0"),
    ]


def test_a_log_is_followed_over_a_restart_of_the_server_from_where_it_was(
    api: FakeApi, client: Client
) -> None:
    api.on("GET", LOG, log_of("before\n", ended=False), Answer(drop=True), log_of("before\nafter\n"))
    chunks = client.jobs.logs(TASK_ID)
    assert next(chunks).data == "before\n"
    api.stop()
    # The server comes back while the client is already asking.
    back = threading.Thread(target=lambda: (time.sleep(0.4), api.start()))
    back.start()
    assert [chunk.data for chunk in chunks] == ["after\n"]
    back.join()


def test_the_log_of_a_task_that_was_started_again_is_read_from_its_beginning(
    api: FakeApi, client: Client
) -> None:
    api.on("GET", LOG, log_of("first attempt\n", ended=False), log_of("second\n"))
    assert [chunk.data for chunk in client.jobs.logs(TASK_ID)] == ["first attempt\n", "second\n"]


def test_a_kept_tail_does_not_repeat_what_was_read(api: FakeApi, client: Client) -> None:
    def kept(asked: Asked) -> dict[str, object]:
        return {"data": "", "next_offset": 6, "size": 3, "complete": True, "source": "tail"}

    api.on("GET", LOG, log_of("abcdef", ended=False), kept)
    assert [chunk.data for chunk in client.jobs.logs(TASK_ID)] == ["abcdef"]


def test_without_following_the_log_is_read_to_what_is_there(api: FakeApi, client: Client) -> None:
    api.on("GET", LOG, log_of("so far", ended=False))
    assert [chunk.data for chunk in client.jobs.logs(TASK_ID, follow=False)] == ["so far"]


def test_the_tail_of_a_log_starts_with_a_whole_line(api: FakeApi, client: Client) -> None:
    api.on("GET", LOG, log_of("a long first line\nsecond\nthird\n"))
    assert client.jobs.tail(TASK_ID, 10) == "third\n"
    assert client.jobs.tail(TASK_ID, 1000).startswith("a long first line\n")


def test_tasks_come_as_a_plain_list(api: FakeApi, client: Client) -> None:
    api.on("GET", f"jobs/{JOB_ID}/tasks/", [task(), task(index=1)])
    assert [item.label for item in client.jobs.tasks(JOB_ID)] == ["worker/0", "worker/1"]


def test_a_node_is_found_by_name_and_an_unknown_one_is_not(api: FakeApi, client: Client) -> None:
    api.on("GET", "nodes/", page({"id": "n1", "name": "node-1", "state": "ready"}))
    assert client.nodes.find("node-1").id == "n1"
    with pytest.raises(VastError, match="no such node: node-2"):
        client.nodes.find("node-2")
