"""Errors in the reader's language: the user's own, else the browser's. Codes stay what they are."""

from __future__ import annotations

from typing import Any

import pytest
from rest_framework.test import APIClient

from tests.api.clients import document, fields, problem
from tests.domain import Lab
from vast.tenancy.services import create_token

ZH = {"HTTP_ACCEPT_LANGUAGE": "zh-CN,zh;q=0.9,en;q=0.5"}
WRONG = document(max_runtime="soon", labels={"a": 1}, nmae="x", queue="nowhere")


def details(answer: Any) -> dict[str, str]:
    return {error["field"]: error["detail"] for error in problem(answer, 422)["errors"]}


@pytest.fixture
def token(lab: Lab) -> APIClient:
    client = APIClient()
    client.credentials(HTTP_AUTHORIZATION=f"Bearer {create_token(user=lab.member, name='test')[1]}")
    return client


def test_an_unknown_queue_is_told_together_with_the_other_errors(lab: Lab, mia: APIClient) -> None:
    assert fields(mia.post("/api/v1/jobs/", WRONG, format="json")).keys() == {
        "max_runtime",
        "labels.a",
        "nmae",
        "queue",
    }


def test_an_unknown_queue_is_told_together_with_an_unknown_model(lab: Lab, mia: APIClient) -> None:
    lab.node("a")
    wanted = document(queue="nowhere")
    wanted["groups"][0]["request"]["selector"] = [{"vendor": "acme"}]
    found = fields(mia.post("/api/v1/jobs/", wanted, format="json"))
    assert found == {"queue": "unknown", "groups[0].request.selector[0].vendor": "unknown"}


def test_a_document_that_is_no_mapping_names_no_queue(lab: Lab, mia: APIClient) -> None:
    assert fields(mia.post("/api/v1/jobs/", [], format="json")) == {"": "type"}


def test_the_documents_errors_are_chinese_for_a_chinese_browser(lab: Lab, mia: APIClient) -> None:
    english = mia.post("/api/v1/jobs/", WRONG, format="json")
    chinese = mia.post("/api/v1/jobs/", WRONG, format="json", **ZH)
    assert fields(chinese) == fields(english)
    assert details(english)["queue"] == "no queue nowhere"
    assert details(chinese)["queue"] == "没有队列 nowhere"
    assert details(chinese)["max_runtime"].startswith("秒数")
    assert details(chinese)["nmae"].startswith("未知字段")
    assert chinese.json()["title"] == "输入无效。"


def test_rest_frameworks_own_errors_follow_the_browser_too(lab: Lab, root: APIClient) -> None:
    answer = root.post("/api/v1/pools/", {}, format="json", **ZH)
    assert details(answer)["name"] == "该字段是必填项。"
    assert fields(answer)["name"] == "required"


def test_the_users_language_overrules_the_browsers(lab: Lab, token: APIClient) -> None:
    lab.member.language = "zh"
    lab.member.save()
    assert details(token.post("/api/v1/jobs/", WRONG, format="json"))["queue"] == "没有队列 nowhere"
    lab.member.language = "en"
    lab.member.save()
    assert details(token.post("/api/v1/jobs/", WRONG, format="json", **ZH))["queue"] == "no queue nowhere"


def test_what_a_job_asks_for_and_waits_for_is_told_in_the_readers_language(lab: Lab, mia: APIClient) -> None:
    job = lab.submit(devices=2)
    there = f"/api/v1/jobs/{job.pk}/"
    assert mia.get(there).json()["requested"] == "2 cards"
    assert mia.get(there, **ZH).json()["requested"] == "2 张整卡"
    assert mia.get(there, **ZH).json()["reason"]["message"].startswith("调度器")
    assert mia.get(f"{there}why/", **ZH).json()["message"].startswith("调度器")
