"""Whether a task that leads a gang will get the port that its companions are told."""

from __future__ import annotations

import errno
import socket


def is_free(port: int) -> bool:
    """Whether a server could listen on the port, on every address. Raises OSError for a port that none may
    use.
    """
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as probe:
        # As servers do: connections of an earlier server that still fade out are no obstacle.
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(("0.0.0.0", port))  # noqa: S104 - only probed, never listened on
            probe.listen(1)
        except OSError as error:
            if error.errno == errno.EADDRINUSE:
                return False
            raise
    return True
