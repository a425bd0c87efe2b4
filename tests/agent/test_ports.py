from __future__ import annotations

import socket

from vast.agent import ports


def test_a_port_with_a_listener_on_one_address_is_taken_and_free_after_it() -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
        assert not ports.is_free(port)
    assert ports.is_free(port)
