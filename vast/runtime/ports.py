"""Finding a TCP port to listen on."""

from __future__ import annotations

import errno
import random
import socket

from vast.runtime.errors import StartError

_SEARCH = 100
_SERVER_PORTS = (20000, 32000)


def free_port() -> int:
    """A random port of 127.0.0.1 that nobody listens on.

    It lies below the range that the kernel takes for outgoing connections, where one of them could take it
    while our server is down for a moment.
    """
    for _ in range(_SEARCH):
        port = random.randrange(*_SERVER_PORTS)  # noqa: S311 - spreads instances, guards nothing
        if can_listen("127.0.0.1", port):
            return port
    raise StartError(f"no free port of 127.0.0.1 between {_SERVER_PORTS[0]} and {_SERVER_PORTS[1]}")


def can_listen(host: str, port: int) -> bool:
    """Whether a server could listen there now. Raises StartError when the host is not of this machine."""
    try:
        family, kind, protocol, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
    except socket.gaierror as error:
        raise StartError(f"cannot listen on {host}: {error.strerror}", exit_code=2) from error
    with socket.socket(family, kind, protocol) as probe:
        # As servers do: a port whose last connections are still winding down counts as free.
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(address)
            probe.listen(1)
        except OSError as error:
            if error.errno == errno.EADDRINUSE:
                return False
            raise StartError(f"cannot listen on {host} port {port}: {error.strerror}", exit_code=2) from error
    return True


def choose_port(host: str, wanted: int | None, usual: int) -> int:
    """``wanted`` when given, and then it must be free; else the first free one from ``usual`` on.

    Raises StartError with exit code 2.
    """
    if wanted is not None:
        if not can_listen(host, wanted):
            raise StartError(f"port {wanted} of {host} is taken by another program", exit_code=2)
        return wanted
    for port in range(usual, usual + _SEARCH):
        if can_listen(host, port):
            return port
    raise StartError(f"ports {usual} to {usual + _SEARCH - 1} of {host} are all taken", exit_code=2)
