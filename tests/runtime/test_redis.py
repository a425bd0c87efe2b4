"""The embedded Redis."""

from __future__ import annotations

from pathlib import Path

import pytest
import redis

from vast.runtime.redis import EmbeddedRedis


def _client(server: EmbeddedRedis) -> redis.Redis:
    return redis.Redis.from_url(server.url, socket_timeout=5)


def test_it_answers_and_stops(tmp_path: Path) -> None:
    with EmbeddedRedis(tmp_path) as server, _client(server) as client:
        assert client.set("key", "value")
        assert client.get("key") == b"value"
        pid = server.pid
    assert not Path(f"/proc/{pid}").exists()


def test_after_a_kill_it_is_back_on_its_port_and_empty(tmp_path: Path) -> None:
    with EmbeddedRedis(tmp_path) as server:
        url = server.url
        with _client(server) as client:
            client.set("key", "value")
        server.kill()
        server.start()
        assert server.url == url
        with _client(server) as client:
            assert client.get("key") is None


def test_it_wants_its_password(tmp_path: Path) -> None:
    with (
        EmbeddedRedis(tmp_path) as server,
        redis.Redis(port=server.port) as stranger,
        pytest.raises(redis.AuthenticationError),
    ):
        stranger.ping()


def test_the_password_is_only_in_a_private_file(tmp_path: Path) -> None:
    server = EmbeddedRedis(tmp_path)
    server.prepare()
    settings = tmp_path / "redis.conf"
    assert server.password in settings.read_text()
    assert settings.stat().st_mode & 0o777 == 0o600
    assert not any(server.password in part for part in server.command())


def test_a_folder_with_a_long_and_odd_name_works(tmp_path: Path) -> None:
    folder = tmp_path / ('it\'s a "long" name: 作业 ' * 3).strip() / ("x" * 100)
    with EmbeddedRedis(folder) as server, _client(server) as client:
        assert client.config_get("dir")["dir"] == str(folder)
