"""VAST_HOME: private, locked while in use, and harmless to what is around it."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from vast.runtime.errors import StartError
from vast.runtime.home import Home


def _mode(path: Path) -> int:
    return path.stat().st_mode & 0o777


def test_home_and_files_are_private_and_parents_keep_their_modes(tmp_path: Path) -> None:
    parent = tmp_path / "parent"
    parent.mkdir()
    parent.chmod(0o755)
    home = Home(parent / "home")
    home.prepare()
    home.write_connection(url="http://127.0.0.1:8400", token="t", pid=1)
    home.secret_key()
    home.folder("agents", "local")
    assert _mode(parent) == 0o755
    assert {_mode(path) for path in (home.path, home.path / "agents", home.path / "agents/local")} == {0o700}
    assert {_mode(home.path / name) for name in ("connection.json", "secret-key")} == {0o600}


def test_a_shared_folder_with_files_of_others_is_refused_and_keeps_its_mode(tmp_path: Path) -> None:
    tmp_path.chmod(0o755)
    (tmp_path / "somebody's").touch()
    with pytest.raises(StartError, match="open to other users"):
        Home(tmp_path).prepare()
    assert _mode(tmp_path) == 0o755


def test_a_home_that_became_open_is_closed_again(tmp_path: Path) -> None:
    home = Home(tmp_path / "home")
    home.prepare()
    home.secret_key()
    home.path.chmod(0o755)
    home.prepare()
    assert _mode(home.path) == 0o700


def test_a_file_in_place_of_the_home_is_named(tmp_path: Path) -> None:
    (tmp_path / "home").touch()
    with pytest.raises(StartError, match="not a folder"):
        Home(tmp_path / "home").prepare()


def test_the_secret_key_is_made_once(tmp_path: Path) -> None:
    assert Home(tmp_path).secret_key() == Home(tmp_path).secret_key()
    assert len(Home(tmp_path).secret_key()) >= 50


def test_two_homes_have_different_secrets(tmp_path: Path) -> None:
    for name in ("a", "b"):
        (tmp_path / name).mkdir()
    assert Home(tmp_path / "a").secret_key() != Home(tmp_path / "b").secret_key()


@pytest.mark.parametrize("text", ["", "{half", "[]"])
def test_a_damaged_connection_file_reads_as_none(tmp_path: Path, text: str) -> None:
    (tmp_path / "connection.json").write_text(text)
    assert Home(tmp_path).read_connection() == {}


def test_a_second_holder_is_told_who_runs_and_where(tmp_path: Path) -> None:
    home = Home(tmp_path)
    with home.locked():
        home.write_connection(url="http://127.0.0.1:8432", token="t", pid=os.getpid())
        with pytest.raises(StartError) as caught, Home(tmp_path).locked():
            pass
    assert "http://127.0.0.1:8432" in str(caught.value)
    assert f"process {os.getpid()}" in str(caught.value)


def test_the_lock_is_free_after_its_holder_was_killed(tmp_path: Path) -> None:
    hold = (
        "import sys, time; from pathlib import Path; from vast.runtime.home import Home\n"
        "with Home(Path(sys.argv[1])).locked():\n    print('held', flush=True); time.sleep(60)"
    )
    holder = subprocess.Popen([sys.executable, "-c", hold, str(tmp_path)], stdout=subprocess.PIPE)
    assert holder.stdout is not None
    assert holder.stdout.readline() == b"held\n"
    with pytest.raises(StartError), Home(tmp_path).locked():
        pass
    holder.kill()
    holder.communicate()
    with Home(tmp_path).locked():
        assert (tmp_path / "lock").read_text() == f"{os.getpid()}\n"
