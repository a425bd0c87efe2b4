"""Lists as CSV: whole, filtered, of one's own tenants, and harmless to spreadsheets."""

from __future__ import annotations

import csv
from io import StringIO
from typing import Any

import pytest
from rest_framework.test import APIClient

from tests.api.clients import problem
from tests.api.conftest import Other
from tests.domain import Lab
from vast.api import exports
from vast.api.exports import cell

# The rows are read in threads of their own, which see only what is committed.
pytestmark = pytest.mark.django_db(transaction=True)


def rows(answer: Any) -> list[dict[str, str]]:
    assert answer.status_code == 200, answer.content
    assert answer["Content-Type"] == "text/csv; charset=utf-8"
    text = b"".join(answer).decode()
    assert text.startswith("\ufeff")
    return list(csv.DictReader(StringIO(text.removeprefix("\ufeff"))))


def test_every_job_of_the_list_is_there_in_its_order(
    lab: Lab, mia: APIClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(exports, "ROWS_A_READ", 2)
    for index in (2, 0, 4, 1, 3):
        lab.submit(name=f"j{index}", devices=1)
    found = rows(mia.get("/api/v1/jobs/export/?ordering=name&page_size=1"))
    assert [row["name"] for row in found] == ["j0", "j1", "j2", "j3", "j4"]
    assert found[0]["queue"] == "research"
    assert (found[0]["state"], found[0]["owner"]) == ("pending", "mia")


def test_the_filters_of_the_list_hold(lab: Lab, mia: APIClient) -> None:
    lab.submit(name="alpha", devices=1)
    lab.submit(name="beta", devices=1, top={"held": True})
    assert [row["name"] for row in rows(mia.get("/api/v1/jobs/export/?state=held"))] == ["beta"]
    assert [row["name"] for row in rows(mia.get("/api/v1/jobs/export/?search=alp"))] == ["alpha"]


def test_an_export_holds_nothing_of_another_tenant(lab: Lab, other: Other, mia: APIClient) -> None:
    lab.node("a")
    lab.run(lab.submit(name="hush", cores=25, memory_mib=2048))
    for name in ("jobs", "nodes", "devices"):
        text = b"".join(other.api.get(f"/api/v1/{name}/export/")).decode()
        assert not [secret for secret in ("hush", "research", "mia", "vision") if secret in text], name
    assert rows(other.api.get("/api/v1/jobs/export/")) == []
    assert [row["name"] for row in rows(mia.get("/api/v1/jobs/export/"))] == ["hush"]
    (device,) = rows(other.api.get("/api/v1/devices/export/?load=held"))
    assert (device["node"], device["allocated_cores_pct"]) == ("a", "25")


def test_nodes_are_exported_with_what_is_given_out(lab: Lab, mia: APIClient) -> None:
    lab.node("a", devices=2, labels={"tier": "gold"})
    lab.run(lab.submit(devices=1))
    (node,) = rows(mia.get("/api/v1/nodes/export/?search=a"))
    assert (node["devices"], node["allocated_cores_pct"], node["labels"]) == ("2", "50.0", "tier=gold")


def test_without_signing_in_there_is_no_export(lab: Lab) -> None:
    for name in ("jobs", "nodes", "devices"):
        problem(APIClient().get(f"/api/v1/{name}/export/"), 401)


def test_a_caller_may_accept_csv_only_and_still_gets_problems_as_problems(lab: Lab, mia: APIClient) -> None:
    assert mia.get("/api/v1/jobs/export/", HTTP_ACCEPT="text/csv").status_code == 200
    problem(mia.get("/api/v1/jobs/export/?state=nonsense", HTTP_ACCEPT="text/csv"), 422)


def test_an_export_names_its_file(lab: Lab, mia: APIClient) -> None:
    assert "attachment; filename=" in mia.get("/api/v1/devices/export/")["Content-Disposition"]


def test_a_label_that_looks_like_a_formula_is_only_text(lab: Lab, mia: APIClient) -> None:
    lab.submit(devices=1, top={"labels": {"x": "=cmd()"}})
    (job,) = rows(mia.get("/api/v1/jobs/export/"))
    assert job["labels"] == "x==cmd()"


@pytest.mark.parametrize("text", ["=1+1", "+1", "-1", "@SUM(A1)", "\t=1", "\r=1", "  =1", "＝1", "＠x"])
def test_text_that_a_spreadsheet_would_run_gets_an_apostrophe(text: str) -> None:
    assert cell(text) == f"'{text}"


@pytest.mark.parametrize(
    ("value", "told"),
    [(None, ""), (-3, -3), (0.5, 0.5), (True, "true"), ({"a": 1, "b": 2}, "a=1; b=2"), (["=x"], "'=x")],
)
def test_other_values_are_told_plainly(value: object, told: object) -> None:
    assert cell(value) == told
