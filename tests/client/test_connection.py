from __future__ import annotations

import json
import stat
from pathlib import Path

import pytest

from vast.client import NotConfigured
from vast.client.connection import find, forget_login, store_login


def write(path: Path, url: str, token: str, mode: int = 0o600) -> None:
    path.write_text(json.dumps({"url": url, "token": token, "pid": 1}))
    path.chmod(mode)


def test_without_anything_the_error_says_what_to_do() -> None:
    with pytest.raises(NotConfigured, match="make up"):
        find()


def test_the_local_instance_is_found_in_vast_home(home: Path) -> None:
    write(home / "connection.json", "http://127.0.0.1:8400/", "local")
    found = find()
    assert (found.url, found.token) == ("http://127.0.0.1:8400", "local")


def test_a_login_goes_before_the_local_instance_until_it_is_forgotten(home: Path) -> None:
    write(home / "connection.json", "http://127.0.0.1:8400", "local")
    store_login("https://far.example", "mine")
    assert find().token == "mine"
    assert forget_login()
    assert find().token == "local"


def test_the_environment_goes_before_files_and_arguments_before_both(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(home / "connection.json", "http://127.0.0.1:8400", "local")
    monkeypatch.setenv("VAST_URL", "http://env.example")
    monkeypatch.setenv("VAST_TOKEN", "env")
    assert (find().url, find().token) == ("http://env.example", "env")
    found = find("http://arg.example", "arg")
    assert (found.url, found.token) == ("http://arg.example", "arg")


def test_a_stored_token_is_not_sent_to_another_server(home: Path) -> None:
    write(home / "connection.json", "http://127.0.0.1:8400", "local")
    assert find("http://elsewhere.example").token is None
    assert find("http://127.0.0.1:8400/").token == "local"


def test_a_token_that_others_can_read_is_warned_about(home: Path) -> None:
    write(home / "connection.json", "http://127.0.0.1:8400", "local", mode=0o644)
    with pytest.warns(UserWarning, match="chmod 600"):
        find()


def test_a_login_is_stored_for_its_user_only(home: Path) -> None:
    path = store_login("https://far.example", "mine")
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert [item.name for item in home.iterdir()] == ["cli.json"]


def test_a_damaged_file_is_named(home: Path) -> None:
    (home / "connection.json").write_text("{")
    (home / "connection.json").chmod(0o600)
    with pytest.raises(NotConfigured, match=r"connection\.json is not a connection file"):
        find()


def test_an_address_that_is_no_url_is_refused() -> None:
    with pytest.raises(NotConfigured, match="not an http or https address"):
        find("localhost:8400")


def test_the_token_does_not_show_in_a_repr() -> None:
    assert "secret" not in repr(find("http://a.example", "secret"))
