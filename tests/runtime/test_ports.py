"""Choosing the port."""

from __future__ import annotations

import socket
from collections.abc import Iterator

import pytest

from vast.runtime.errors import StartError
from vast.runtime.ports import can_listen, choose_port, free_port

HOST = "127.0.0.1"


@pytest.fixture
def taken() -> Iterator[int]:
    """A port that somebody listens on, with a free one above it."""
    while not can_listen(HOST, (port := free_port()) + 1):
        continue
    with socket.socket() as listener:
        listener.bind((HOST, port))
        listener.listen(1)
        yield port


def test_the_usual_port_is_taken_when_free() -> None:
    port = free_port()
    assert choose_port(HOST, None, port) == port


def test_the_next_free_port_follows_a_taken_usual_one(taken: int) -> None:
    assert choose_port(HOST, None, taken) == taken + 1


def test_an_explicit_port_that_is_taken_is_an_error_that_names_it(taken: int) -> None:
    with pytest.raises(StartError, match=f"port {taken} of {HOST} is taken") as caught:
        choose_port(HOST, taken, 8400)
    assert caught.value.exit_code == 2


def test_a_foreign_address_is_an_error_and_not_a_taken_port() -> None:
    with pytest.raises(StartError, match=r"cannot listen on 192\.0\.2\.1") as caught:
        choose_port("192.0.2.1", None, 8400)
    assert caught.value.exit_code == 2


def test_free_ports_lie_below_those_of_outgoing_connections() -> None:
    assert all(20000 <= free_port() < 32000 for _ in range(20))
