"""Prefixes put in front of a command: who it runs as, and what happens to it when its parent dies."""

from __future__ import annotations

import os
import shutil
import subprocess
from functools import cache

from vast.runtime.errors import StartError

# "nobody" inside a user namespace of its own. Outside of it the process is still root, so it reaches its
# files below a 700 home and no user or folder mode has to be changed.
_AS_NOBODY = ("unshare", "--user", "--map-user=65534", "--map-group=65534")


def dying_with_parent(death_signal: str) -> tuple[str, ...]:
    """The kernel sends ``death_signal`` (TERM, INT, KILL) when the thread that started the command ends.

    Start such commands from the main thread only, or they end with the thread that started them.
    """
    if shutil.which("setpriv") is None:
        raise StartError("the program `setpriv` (package util-linux) is missing")
    return ("setpriv", "--pdeathsig", death_signal)


def as_ordinary_user() -> tuple[str, ...]:
    """PostgreSQL refuses to run as root. For root: a user namespace; for anybody else: nothing.

    Raises StartError where the system forbids user namespaces, as many containers do.
    """
    if os.geteuid() != 0:
        return ()
    problem = _namespace_problem()
    if problem:
        raise StartError(
            "PostgreSQL does not run as root, and this system does not allow the user namespace that VAST "
            f"would run it in ({problem}). Run `vast up` as an ordinary user, or set DATABASE_URL to a "
            "PostgreSQL server of yours."
        )
    return _AS_NOBODY


@cache
def _namespace_problem() -> str:
    """Why user namespaces cannot be used here; empty when they can."""
    try:
        tried = subprocess.run([*_AS_NOBODY, "true"], capture_output=True, text=True, timeout=10, check=False)
    except (OSError, subprocess.TimeoutExpired) as error:
        return str(error)
    return "" if tried.returncode == 0 else tried.stderr.strip() or f"exit code {tried.returncode}"
