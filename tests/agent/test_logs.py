from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from vast.agent import logs


@pytest.fixture
def log(tmp_path: Path) -> Path:
    return tmp_path / "log"


def test_a_log_that_is_not_there_yet_is_empty_and_not_complete(log: Path) -> None:
    assert logs.read(log, 0, 100, ended=False) == logs.Piece("", 0, 0, False)


def test_a_piece_ends_before_a_character_that_is_cut(log: Path) -> None:
    log.write_text("aä€😀")
    text, offset = "", 0
    for _ in range(10):
        piece = logs.read(log, offset, 4, ended=True)
        text, offset = text + piece.data, piece.next_offset
    assert text == "aä€😀"
    assert piece.complete


def test_a_character_whose_rest_is_still_to_come_is_held_back_while_the_task_runs(log: Path) -> None:
    log.write_bytes(b"ok\xe2\x82")
    assert logs.read(log, 0, 100, ended=False) == logs.Piece("ok", 2, 4, False)
    assert logs.read(log, 0, 100, ended=True) == logs.Piece("ok\ufffd", 4, 4, True)


def test_bytes_that_are_no_text_are_replaced_and_do_not_stop_the_reader(log: Path) -> None:
    log.write_bytes(b"\xff\xfe\x80\x80\x80\x80")
    piece = logs.read(log, 0, 4, ended=False)
    assert piece.next_offset > 0
    assert set(piece.data) == {"\ufffd"}


def pipe(log: Path) -> None:
    os.mkfifo(log)


def link(log: Path) -> None:
    secret = log.with_name("secret")
    secret.write_text("not the task's")
    log.symlink_to(secret)


@pytest.mark.parametrize("put", [pipe, link, Path.mkdir])
def test_what_a_task_puts_in_place_of_its_log_is_empty_and_nobody_waits_for_it(
    log: Path, put: Callable[[Path], None]
) -> None:
    put(log)
    assert logs.read(log, 0, 100, ended=True) == logs.Piece("", 0, 0, True)
    assert logs.tail(log) == ""
    assert logs.hold_to_cap(log)


def test_a_log_that_its_task_has_stretched_is_not_read_as_nul_bytes_to_its_end(log: Path) -> None:
    log.write_bytes(b"x" * 8192)
    os.truncate(log, 2**40)
    piece = logs.read(log, 8192, 100, ended=True)
    assert piece.next_offset == 2**40
    assert logs.read(log, piece.next_offset, 100, ended=True).complete


@pytest.mark.parametrize("offset", [-5, 0])
def test_an_offset_before_the_beginning_is_the_beginning(log: Path, offset: int) -> None:
    log.write_text("text")
    assert logs.read(log, offset, 100, ended=True).data == "text"


def test_an_offset_behind_the_end_is_complete_once_the_task_has_ended(log: Path) -> None:
    log.write_text("text")
    assert logs.read(log, 9, 100, ended=True) == logs.Piece("", 9, 4, True)


def test_the_tail_is_at_most_16_kib_of_whole_characters(log: Path) -> None:
    log.write_text("€" * 20_000)
    tail = logs.tail(log)
    assert set(tail) == {"€"}
    assert logs.TAIL_BYTES - 3 < len(tail.encode()) <= logs.TAIL_BYTES


def test_the_tail_of_binary_output_keeps_its_size_and_holds_no_nul(log: Path) -> None:
    log.write_bytes(b"\xff\x00" * 20_000)
    tail = logs.tail(log)
    assert len(tail.encode()) <= logs.TAIL_BYTES
    assert "\x00" not in tail


def test_a_log_above_its_cap_loses_its_beginning_and_keeps_its_offsets(log: Path) -> None:
    line = b"x" * 1023 + b"\n"
    log.write_bytes(line * 1024 + b"the end\n")
    assert logs.hold_to_cap(log, cap=512 * 1024, keep=256 * 1024)
    dropped = logs.read(log, 0, 65536, ended=True)
    assert dropped.data == f"[... {dropped.next_offset} bytes of this log were dropped ...]\n"
    assert not dropped.complete
    assert 700 * 1024 < dropped.next_offset <= 768 * 1024
    assert logs.read(log, dropped.next_offset, 1024, ended=True).data.strip("x\n") == ""
    assert logs.read(log, 1024 * 1024, 100, ended=True).data == "the end\n"
    assert log.stat().st_blocks * 512 <= 512 * 1024


def test_a_log_below_its_cap_is_left_alone(log: Path) -> None:
    log.write_bytes(b"x" * 8192)
    assert logs.hold_to_cap(log, cap=16384, keep=4096)
    assert logs.read(log, 0, 100, ended=True).data == "x" * 100
