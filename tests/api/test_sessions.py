"""Signing in and out, API tokens, and that nothing is shown to those who are not signed in."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta
from typing import Any

import pytest
from django.core.cache import cache
from django.urls import URLPattern, URLResolver, get_resolver
from rest_framework.test import APIClient

from tests.api.clients import fields, problem
from tests.api.conftest import Other
from tests.domain import Lab
from vast.common import clock
from vast.tenancy.models import ApiToken
from vast.tenancy.services import create_token, digest

pytestmark = pytest.mark.django_db

ME = "/api/v1/me/"
PASSWORD = "a long enough password"


@pytest.fixture(autouse=True)
def _no_throttle_left_over() -> Iterator[None]:
    cache.clear()
    yield
    cache.clear()


def with_token(secret: str) -> APIClient:
    api = APIClient()
    api.credentials(HTTP_AUTHORIZATION=f"Bearer {secret}")
    return api


def sign_in(api: APIClient, username: str = "mia", password: str = PASSWORD, **extra: Any) -> Any:
    body = {"username": username, "password": password}
    return api.post("/api/v1/auth/login/", body, format="json", **extra)


class TestSigningIn:
    def test_the_right_password_opens_a_session(self, lab: Lab) -> None:
        api = APIClient()
        answer = sign_in(api)
        assert answer.status_code == 200
        assert answer.json() == api.get(ME).json()
        assert answer.json()["tenants"] == [{"id": str(lab.tenant.pk), "name": "vision", "role": "member"}]
        assert "jobs.submit" in answer.json()["permissions"]
        assert answer.json()["is_admin"] is False

    def test_a_wrong_password_and_an_unknown_name_get_the_same_answer(self, lab: Lab) -> None:
        wrong = problem(sign_in(APIClient(), password="guess"), 401, "bad_credentials")
        assert problem(sign_in(APIClient(), username="nobody"), 401) == wrong

    def test_someone_who_was_deactivated_cannot_sign_in(self, lab: Lab) -> None:
        lab.member.is_active = False
        lab.member.save()
        problem(sign_in(APIClient()), 401, "bad_credentials")

    def test_an_incomplete_form_is_422(self, lab: Lab) -> None:
        answer = APIClient().post("/api/v1/auth/login/", {"username": "mia"}, format="json")
        assert fields(answer) == {"password": "required"}

    def test_signing_out_ends_the_session(self, lab: Lab) -> None:
        api = APIClient()
        sign_in(api)
        assert api.post("/api/v1/auth/logout/").status_code == 204
        problem(api.get(ME), 401)

    def test_the_language_is_kept(self, mia: APIClient) -> None:
        assert mia.patch(ME, {"language": "zh"}, format="json").status_code == 200
        assert mia.get(ME).json()["language"] == "zh"
        assert fields(mia.patch(ME, {"language": "xx"}, format="json")) == {"language": "invalid_choice"}

    def test_nobody_makes_himself_an_admin(self, lab: Lab, mia: APIClient) -> None:
        mia.patch(ME, {"is_admin": True, "is_superuser": True, "username": "root2"}, format="json")
        lab.member.refresh_from_db()
        assert (lab.member.is_superuser, lab.member.username) == (False, "mia")

    def test_guessing_is_slowed_down_per_name(self, lab: Lab) -> None:
        api = APIClient()
        for _ in range(20):
            assert sign_in(api, password="guess").status_code == 401
        answer = sign_in(api)
        problem(answer, 429, "throttled")
        assert int(answer["Retry-After"]) > 0
        assert sign_in(APIClient(), username="root").status_code == 200


class TestForgery:
    def test_signing_in_needs_the_token_of_the_page(self, lab: Lab) -> None:
        api = APIClient(enforce_csrf_checks=True)
        assert sign_in(api).status_code == 403
        api.get("/api/v1/auth/csrf/")
        assert sign_in(api, HTTP_X_CSRFTOKEN=api.cookies["csrftoken"].value).status_code == 200

    def test_a_write_in_a_session_needs_it_too(self, lab: Lab) -> None:
        api = APIClient(enforce_csrf_checks=True)
        api.get("/api/v1/auth/csrf/")
        sign_in(api, HTTP_X_CSRFTOKEN=api.cookies["csrftoken"].value)
        problem(api.post("/api/v1/tokens/", {"name": "t"}, format="json"), 403)
        token = api.cookies["csrftoken"].value
        answer = api.post("/api/v1/tokens/", {"name": "t"}, format="json", HTTP_X_CSRFTOKEN=token)
        assert answer.status_code == 201

    def test_a_write_with_an_api_token_does_not(self, lab: Lab) -> None:
        _, secret = create_token(user=lab.member, name="t")
        api = APIClient(enforce_csrf_checks=True)
        api.credentials(HTTP_AUTHORIZATION=f"Bearer {secret}")
        assert api.post("/api/v1/tokens/", {"name": "t2"}, format="json").status_code == 201


class TestTokens:
    def test_the_secret_is_shown_once(self, mia: APIClient) -> None:
        made = mia.post("/api/v1/tokens/", {"name": "ci"}, format="json")
        assert made.status_code == 201
        secret = made.json()["token"]
        listed = mia.get("/api/v1/tokens/").json()["results"]
        assert [row["name"] for row in listed] == ["ci"]
        assert secret not in str(listed)
        assert "token" not in listed[0]
        assert with_token(secret).get(ME).json()["username"] == "mia"

    def test_only_a_hash_is_kept(self, lab: Lab) -> None:
        token, full = create_token(user=lab.member, name="t")
        secret = full.removeprefix("vast_").partition("_")[2]
        stored = ApiToken.objects.filter(pk=token.pk).values().get()
        assert secret not in str(stored)
        assert stored["digest"] == digest(secret)

    def test_a_revoked_token_is_refused(self, mia: APIClient) -> None:
        made = mia.post("/api/v1/tokens/", {"name": "ci"}, format="json").json()
        assert mia.delete(f"/api/v1/tokens/{made['id']}/").status_code == 204
        problem(with_token(made["token"]).get(ME), 401, "authentication_failed")

    def test_an_expired_token_is_refused(self, lab: Lab) -> None:
        _, secret = create_token(user=lab.member, name="t", expires_at=clock.now() + timedelta(hours=1))
        assert with_token(secret).get(ME).status_code == 200
        with clock.frozen(clock.now() + timedelta(hours=2)):
            problem(with_token(secret).get(ME), 401)

    def test_the_token_of_someone_deactivated_is_refused(self, lab: Lab) -> None:
        _, secret = create_token(user=lab.member, name="t")
        lab.member.is_active = False
        lab.member.save()
        problem(with_token(secret).get(ME), 401)

    @pytest.mark.parametrize("wrong", ["", "vast_", "vast__", "nonsense", "vast_abc_def", "vast_\x7f_x"])
    def test_a_token_that_is_none_is_refused(self, lab: Lab, wrong: str) -> None:
        problem(with_token(wrong).get(ME), 401)

    def test_a_token_with_another_secret_is_refused(self, lab: Lab) -> None:
        token, _ = create_token(user=lab.member, name="t")
        problem(with_token(f"vast_{token.prefix}_guess").get(ME), 401)

    def test_an_expiry_in_the_past_is_422(self, mia: APIClient) -> None:
        body = {"name": "t", "expires_at": "2020-01-01T00:00:00Z"}
        assert fields(mia.post("/api/v1/tokens/", body, format="json")) == {"expires_at": "invalid"}

    def test_nobody_sees_or_revokes_the_tokens_of_others(self, mia: APIClient, other: Other) -> None:
        token, _ = create_token(user=other.user, name="theirs")
        assert mia.get("/api/v1/tokens/").json()["results"] == []
        problem(mia.delete(f"/api/v1/tokens/{token.pk}/"), 404)

    def test_the_time_of_last_use_is_kept_to_the_minute(self, lab: Lab) -> None:
        token, secret = create_token(user=lab.member, name="t")
        moment = clock.now()
        for seconds in (0, 30, 90):
            with clock.frozen(moment + timedelta(seconds=seconds)):
                with_token(secret).get(ME)
        token.refresh_from_db()
        assert token.last_used_at == moment + timedelta(seconds=90)


# What everybody may call: to sign in, to add nodes by a secret in the body, and the description of the API.
OPEN = {"auth/csrf/", "auth/login/", "agents/enrol/", "schema/", "docs/"}
NIL = "00000000-0000-0000-0000-000000000000"


def addresses(patterns: list[Any], prefix: str = "") -> Iterator[tuple[str, Any]]:
    for pattern in patterns:
        if isinstance(pattern, URLResolver):
            yield from addresses(pattern.url_patterns, prefix + str(pattern.pattern))
        elif isinstance(pattern, URLPattern):
            yield prefix + str(pattern.pattern), pattern


def api_addresses() -> list[str]:
    import re

    found = set()
    for route, _ in addresses(get_resolver("vast.api.urls").url_patterns):
        path = re.sub(r"\(\?P<\w+>(?:[^()]|\([^()]*\))*\)|<uuid:\w+>|<\w+>", NIL, route)
        path = path.replace("^", "").replace("$", "").replace("\\.", ".").replace("\\", "").replace("/?", "/")
        if "<drf_format_suffix" not in route and "format" not in route:
            found.add(path)
    return sorted(found)


def test_the_walk_finds_the_addresses() -> None:
    found = api_addresses()
    assert {"me/", "jobs/", f"jobs/{NIL}/cancel/", f"tasks/{NIL}/log/", f"devices/{NIL}/samples/"} <= set(
        found
    )
    assert len(found) > 35
    assert not [path for path in found if set("()?<>[]") & set(path)]


@pytest.mark.parametrize("path", [path for path in api_addresses() if path not in OPEN])
@pytest.mark.parametrize("method", ["get", "post", "put", "patch", "delete"])
def test_no_address_answers_to_someone_who_is_not_signed_in(db: None, path: str, method: str) -> None:
    answer = getattr(APIClient(), method)(f"/api/v1/{path}")
    problem(answer, 401, "not_authenticated")
