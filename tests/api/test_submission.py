"""Submitting over HTTP: repeated safely, checked without creating, and refused to those who may not."""

from __future__ import annotations

import threading
from typing import Any

import pytest
from django.db import connection
from rest_framework.test import APIClient

from tests.api.clients import document, fields, problem
from tests.api.conftest import Other
from tests.domain import Lab
from vast.jobs.models import Job, JobEvent, SubmissionKey, Task

JOBS = "/api/v1/jobs/"


def submit(api: APIClient, key: str = "", **top: Any) -> Any:
    headers = {"Idempotency-Key": key} if key else {}
    return api.post(JOBS, document(**top), format="json", headers=headers)


@pytest.mark.django_db
class TestIdempotency:
    def test_the_same_key_and_body_give_the_first_job_again(self, mia: APIClient) -> None:
        first, again = submit(mia, "k1"), submit(mia, "k1")
        assert (first.status_code, again.status_code) == (201, 200)
        assert first.json() == again.json()
        assert Job.objects.count() == 1

    def test_the_key_does_not_depend_on_how_the_document_is_written(self, mia: APIClient) -> None:
        first = submit(mia, "k1", priority="high")
        assert submit(mia, "k1", priority=100).json()["id"] == first.json()["id"]

    def test_the_same_key_with_another_body_is_409(self, mia: APIClient) -> None:
        submit(mia, "k1")
        problem(submit(mia, "k1", name="other"), 409, "idempotency_key_reused")
        assert Job.objects.count() == 1

    def test_another_key_makes_another_job(self, mia: APIClient) -> None:
        assert submit(mia, "k1").json()["id"] != submit(mia, "k2").json()["id"]

    def test_keys_of_different_users_are_apart(self, mia: APIClient, root: APIClient) -> None:
        assert submit(mia, "k1").json()["id"] != submit(root, "k1").json()["id"]

    def test_a_key_that_is_too_long_is_422(self, mia: APIClient) -> None:
        assert fields(submit(mia, "k" * 129)) == {"Idempotency-Key": "max_length"}

    def test_an_array_is_repeated_as_a_whole(self, mia: APIClient) -> None:
        first = submit(mia, "k1", array=3)
        assert submit(mia, "k1", array=3).json() == first.json()
        assert Job.objects.count() == 3

    def test_a_refused_submission_does_not_use_up_its_key(self, mia: APIClient) -> None:
        assert submit(mia, "k1", queue="nowhere").status_code == 422
        assert submit(mia, "k1").status_code == 201


@pytest.mark.django_db(transaction=True)
def test_parallel_submissions_under_one_key_make_one_job(lab: Lab) -> None:
    answers: list[Any] = []
    gate = threading.Barrier(2)

    def go() -> None:
        api = APIClient()
        api.force_authenticate(lab.member)
        try:
            gate.wait(10)
            answers.append(submit(api, "together"))
        finally:
            connection.close()

    threads = [threading.Thread(target=go) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(30)
    assert sorted(answer.status_code for answer in answers) == [200, 201]
    assert len({answer.json()["id"] for answer in answers}) == 1
    assert (Job.objects.count(), Task.objects.count(), SubmissionKey.objects.count()) == (1, 1, 1)


@pytest.mark.django_db
class TestSubmission:
    def test_a_submitted_job_waits_with_a_reason(self, mia: APIClient) -> None:
        body = submit(mia).json()
        assert (body["state"], body["reason"]["code"]) == ("pending", "NOT_EVALUATED_YET")
        assert body["reason"]["message"]
        assert body["tasks"] == {"pending": 1}
        assert body["owner"]["username"] == "mia"
        assert body["requested"] == "(10 %, 4096 MiB)"

    def test_a_held_job_is_held(self, mia: APIClient) -> None:
        body = submit(mia, held=True).json()
        assert (body["state"], body["reason"]["code"]) == ("held", "HELD_BY_USER")
        assert mia.post(f"{JOBS}{body['id']}/release/").json()["state"] == "pending"
        assert mia.post(f"{JOBS}{body['id']}/hold/").json()["state"] == "held"

    def test_an_array_makes_numbered_jobs(self, mia: APIClient) -> None:
        body = submit(mia, array=3).json()
        assert body["array"]["size"] == 3
        assert sorted(Job.objects.values_list("name", flat=True)) == ["job-0", "job-1", "job-2"]
        assert mia.get(JOBS, {"array": body["array"]["id"]}).json()["results"][2]["array"]["index"] == 0

    @pytest.mark.parametrize("yes", ["true", "1"])
    def test_a_dry_run_checks_and_creates_nothing(self, mia: APIClient, yes: str) -> None:
        answer = mia.post(
            f"{JOBS}?dry_run={yes}", document(), format="json", headers={"Idempotency-Key": "k"}
        )
        assert answer.status_code == 200
        assert answer.json()["valid"] is True
        assert answer.json()["document"]["groups"][0]["replicas"] == 1
        assert not Job.objects.exists()
        assert not SubmissionKey.objects.exists()

    def test_a_dry_run_of_a_bad_document_names_the_field(self, mia: APIClient) -> None:
        assert fields(mia.post(f"{JOBS}?dry_run=true", document(array=0), format="json")) == {
            "array": "greater_than_equal"
        }

    def test_a_viewer_cannot_submit(self, viewer: APIClient) -> None:
        problem(submit(viewer), 403, "permission_denied")
        problem(viewer.post(f"{JOBS}?dry_run=true", document(), format="json"), 403)
        assert not Job.objects.exists()

    def test_a_viewer_cannot_control_but_can_read(self, lab: Lab, viewer: APIClient) -> None:
        job = lab.submit(devices=1)
        assert viewer.get(f"{JOBS}{job.pk}/").status_code == 200
        for verb in ("cancel", "hold", "release"):
            problem(viewer.post(f"{JOBS}{job.pk}/{verb}/"), 403, "not_allowed")
        problem(viewer.patch(f"{JOBS}{job.pk}/", {"priority": 1}, format="json"), 403, "not_allowed")

    def test_nobody_submits_to_the_queue_of_another_tenant(self, mia: APIClient, other: Other) -> None:
        answer = submit(mia, queue="secret")
        assert fields(answer) == {"queue": "unknown"}
        assert "secret" not in str(problem(answer, 422)["errors"][0]["allowed"])

    def test_an_admin_submits_anywhere(self, root: APIClient, other: Other) -> None:
        assert submit(root, queue="secret").status_code == 201

    def test_nothing_is_half_created_when_a_part_fails(
        self, mia: APIClient, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        def broken(*args: Any) -> None:
            raise RuntimeError("after the job, before its tasks")

        monkeypatch.setattr("vast.jobs.services._tasks", broken)
        with pytest.raises(RuntimeError):
            submit(mia)
        assert not Job.objects.exists()
        assert not JobEvent.objects.exists()

    def test_a_priority_changes_while_the_job_waits(self, lab: Lab, mia: APIClient) -> None:
        lab.node("a")
        job = lab.submit(devices=1)
        assert mia.patch(f"{JOBS}{job.pk}/", {"priority": 5}, format="json").json()["priority"] == 5
        lab.run(job)
        problem(mia.patch(f"{JOBS}{job.pk}/", {"priority": 6}, format="json"), 409)

    @pytest.mark.parametrize("wrong", [1001, "high!", None, True])
    def test_a_wrong_priority_is_422(self, lab: Lab, mia: APIClient, wrong: Any) -> None:
        job = lab.submit(devices=1)
        assert "priority" in fields(mia.patch(f"{JOBS}{job.pk}/", {"priority": wrong}, format="json"))

    def test_an_empty_change_is_422(self, lab: Lab, mia: APIClient) -> None:
        job = lab.submit(devices=1)
        assert fields(mia.patch(f"{JOBS}{job.pk}/", {}, format="json")) == {"priority": "required"}
