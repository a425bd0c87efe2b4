"""The embedded PostgreSQL: it starts, survives, and leaves everything outside of its folder alone."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import psycopg
import pytest

from vast.runtime import launch
from vast.runtime.errors import StartError
from vast.runtime.postgres import EmbeddedPostgres


def _value(url: str, query: str) -> object:
    with psycopg.connect(url, connect_timeout=5) as connection:
        row = connection.execute(query).fetchone()
    return row[0] if row else None


def _mode(path: Path) -> int:
    return path.stat().st_mode & 0o777


def test_a_new_folder_becomes_a_server_with_our_database(tmp_path: Path) -> None:
    with EmbeddedPostgres(tmp_path / "postgres", durable=False) as server:
        assert _value(server.url, "SELECT current_database()") == "vast"
        assert _value(server.url, "SHOW server_encoding") == "UTF8"
        assert _value(server.url, "SELECT datcollate FROM pg_database WHERE datname = 'vast'") == "C.UTF-8"


def test_rows_outlive_a_clean_stop(tmp_path: Path) -> None:
    with EmbeddedPostgres(tmp_path, durable=False) as server, psycopg.connect(server.url) as connection:
        connection.execute("CREATE TABLE kept AS SELECT 7 AS number")
    with EmbeddedPostgres(tmp_path, durable=False) as server:
        assert _value(server.url, "SELECT number FROM kept") == 7


def test_committed_rows_outlive_a_kill(tmp_path: Path) -> None:
    with EmbeddedPostgres(tmp_path) as server:
        with psycopg.connect(server.url) as connection:
            connection.execute("CREATE TABLE kept AS SELECT 7 AS number")
        server.kill()
        server.start()
        assert _value(server.url, "SELECT number FROM kept") == 7


def test_stopping_leaves_no_process_and_no_pid_file(tmp_path: Path) -> None:
    server = EmbeddedPostgres(tmp_path, durable=False)
    server.start()
    pid = server.pid
    assert pid is not None
    server.stop()
    assert not Path(f"/proc/{pid}").exists()
    assert not (server.data / "postmaster.pid").exists()


def test_a_wrong_password_is_refused(tmp_path: Path) -> None:
    with EmbeddedPostgres(tmp_path, durable=False) as server:
        wrong = server.url.replace(server.password, "wrong")
        with pytest.raises(psycopg.OperationalError, match="password authentication failed"):
            psycopg.connect(wrong)


def test_a_pid_file_that_names_another_live_process_does_not_block_the_start(tmp_path: Path) -> None:
    server = EmbeddedPostgres(tmp_path, durable=False)
    server.prepare()
    with subprocess.Popen(["sleep", "60"]) as stranger:
        pid_file = server.data / "postmaster.pid"
        pid_file.write_text(f"{stranger.pid}\n{server.data}\n0\n5432\n\n127.0.0.1\n")
        with server:
            assert _value(server.url, "SELECT 1") == 1
        assert stranger.poll() is None
        stranger.kill()


def test_a_second_server_is_refused_while_one_runs_on_the_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("vast.runtime.postgres._PREDECESSOR_TIMEOUT_S", 0.1)
    with (
        EmbeddedPostgres(tmp_path, durable=False) as server,
        pytest.raises(StartError, match=f"process {server.pid}"),
    ):
        EmbeddedPostgres(tmp_path).start()


def test_a_half_made_data_folder_is_made_again(tmp_path: Path) -> None:
    unfinished = tmp_path / "data.new"
    unfinished.mkdir()
    (unfinished / "PG_VERSION").write_text("18\n")
    with EmbeddedPostgres(tmp_path, durable=False) as server:
        assert _value(server.url, "SELECT 1") == 1
    assert not unfinished.exists()


def test_data_of_another_major_version_is_refused_and_kept(tmp_path: Path) -> None:
    data = tmp_path / "data"
    data.mkdir()
    (data / "PG_VERSION").write_text("15\n")
    with pytest.raises(StartError, match="written by PostgreSQL 15"):
        EmbeddedPostgres(tmp_path).start()
    assert (data / "PG_VERSION").read_text() == "15\n"


def test_a_path_longer_than_a_socket_may_have_works(tmp_path: Path) -> None:
    folder = tmp_path.joinpath(*["a-rather-long-folder-name"] * 6)
    assert len(str(folder)) > 107
    with EmbeddedPostgres(folder, durable=False) as server:
        assert _value(server.url, "SELECT 1") == 1


def test_no_mode_outside_of_the_folder_is_changed(tmp_path: Path) -> None:
    closed = tmp_path / "closed"
    closed.mkdir(mode=0o700)
    open_folder = closed / "open"
    open_folder.mkdir()
    open_folder.chmod(0o755)
    with EmbeddedPostgres(open_folder / "postgres", durable=False) as server:
        assert (_mode(closed), _mode(open_folder)) == (0o700, 0o755)
        assert _mode(server.folder) == _mode(server.data) == 0o700
        assert _mode(server.folder / "password") == 0o600
        assert server.folder.stat().st_uid == os.geteuid()


def test_the_password_is_in_no_command_line(tmp_path: Path) -> None:
    server = EmbeddedPostgres(tmp_path, durable=False)
    assert not any(server.password in part for part in server.command())


def test_root_without_user_namespaces_is_told_what_to_do(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    monkeypatch.setattr(launch, "_namespace_problem", lambda: "unshare failed: Operation not permitted")
    with pytest.raises(StartError, match="as an ordinary user, or set DATABASE_URL"):
        launch.as_ordinary_user()


def test_an_ordinary_user_runs_the_programs_directly(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    assert launch.as_ordinary_user() == ()
