"""Why a job waits."""

from __future__ import annotations

from django.utils import translation

from tests.domain import Lab
from vast.jobs.why import explain


def test_every_piece_of_evidence_has_a_sentence_of_its_own(lab: Lab) -> None:
    lab.node("a")
    lab.run(lab.submit(name="first", cores=80, memory_mib=1024))
    job = lab.submit(cores=50, memory_mib=1024)
    lab.schedule()
    told = explain(lab.fresh(job))
    assert "Too little compute" not in told["headline"]["message"]
    assert "Too little compute" in told["message"]
    assert any("Too little compute" in item["message"] for item in told["headline"]["evidence"])
    with translation.override("zh-hans"):
        assert "空闲算力不足" in explain(lab.fresh(job))["headline"]["evidence"][0]["message"]


def test_those_ahead_in_the_queue_are_named(lab: Lab) -> None:
    lab.node("a")
    lab.run(lab.submit(name="runs", devices=1))
    first = lab.submit(name="first", devices=1, top={"priority": 10})
    job = lab.submit(name="second", devices=1)
    lab.schedule()
    assert [(row["name"], row["priority"]) for row in explain(lab.fresh(job))["ahead"]] == [("first", 10)]
    assert explain(lab.fresh(first))["ahead"] == []
