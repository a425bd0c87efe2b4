"""Saved views of the console's lists: whose they are, and the one that is the default."""

from __future__ import annotations

from typing import Any

import pytest
from rest_framework.test import APIClient

from tests.api.clients import fields, problem
from tests.api.conftest import Other
from vast.api.models import SavedView
from vast.api.saved_views import MOST_A_PAGE

pytestmark = pytest.mark.django_db
PATH = "/api/v1/views/"


def make(api: APIClient, name: str = "waiting long", **about: Any) -> Any:
    body = {"page": "jobs", "name": name, "search": {"tab": "waiting"}, "columns": ["name", "age"], **about}
    return api.post(PATH, body, format="json")


def test_a_view_comes_back_as_it_was_saved(mia: APIClient) -> None:
    made = make(mia)
    assert made.status_code == 201, made.content
    found = mia.get(PATH).json()["results"]
    assert [(row["name"], row["search"], row["columns"], row["is_default"]) for row in found] == [
        ("waiting long", {"tab": "waiting"}, ["name", "age"], False)
    ]


def test_a_view_of_somebody_else_does_not_exist(mia: APIClient, other: Other, root: APIClient) -> None:
    made = make(mia).json()
    for stranger in (other.api, root):
        assert stranger.get(PATH).json()["results"] == []
        problem(stranger.patch(f"{PATH}{made['id']}/", {"name": "x"}, format="json"), 404, "not_found")
        problem(stranger.delete(f"{PATH}{made['id']}/"), 404, "not_found")
    assert SavedView.objects.get().name == "waiting long"


def test_without_signing_in_there_are_no_views() -> None:
    problem(APIClient().get(PATH), 401)


def test_a_new_default_takes_the_place_of_the_former_one_on_its_page(mia: APIClient) -> None:
    first = make(mia, "one", is_default=True).json()
    nodes = make(mia, "nodes", page="nodes", is_default=True).json()
    second = make(mia, "two", is_default=True).json()
    defaults = {row["id"]: row["is_default"] for row in mia.get(PATH).json()["results"]}
    assert defaults == {first["id"]: False, nodes["id"]: True, second["id"]: True}
    mia.patch(f"{PATH}{first['id']}/", {"is_default": True}, format="json")
    assert {str(view.pk) for view in SavedView.objects.filter(page="jobs", is_default=True)} == {first["id"]}


def test_a_view_is_renamed_and_deleted(mia: APIClient) -> None:
    made = make(mia).json()
    assert mia.patch(f"{PATH}{made['id']}/", {"name": "short"}, format="json").json()["name"] == "short"
    assert mia.delete(f"{PATH}{made['id']}/").status_code == 204
    assert mia.get(PATH).json()["results"] == []


def test_a_name_is_there_once_a_page_and_person(mia: APIClient, other: Other) -> None:
    make(mia)
    assert fields(make(mia)) == {"name": "unique"}
    assert make(mia, page="devices").status_code == 201
    assert make(other.api).status_code == 201
    second = make(mia, "second").json()
    renamed = mia.patch(f"{PATH}{second['id']}/", {"name": "waiting long"}, format="json")
    assert fields(renamed) == {"name": "unique"}


@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"page": "secrets"}, "page"),
        ({"name": ""}, "name"),
        ({"search": {"a": "x" * 501}}, "search.a"),
        ({"search": {str(n): "x" for n in range(41)}}, "search"),
        ({"search": ["tab"]}, "search"),
        ({"columns": "name"}, "columns"),
        ({"columns": ["x" * 41]}, "columns[0]"),
    ],
)
def test_what_is_no_view_is_refused_by_its_field(mia: APIClient, change: dict[str, Any], field: str) -> None:
    (named,) = fields(make(mia, **change))
    assert named.startswith(field)


def test_a_view_stays_on_its_page(mia: APIClient) -> None:
    made = make(mia).json()
    assert "page" in fields(mia.patch(f"{PATH}{made['id']}/", {"page": "nodes"}, format="json"))


def test_the_number_of_views_of_a_page_has_a_most(mia: APIClient) -> None:
    for number in range(MOST_A_PAGE):
        assert make(mia, f"v{number}").status_code == 201
    problem(make(mia, "one more"), 409, "conflict")
