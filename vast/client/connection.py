"""Where the server is and with which token: arguments, environment, ``vast login``, the local instance."""

from __future__ import annotations

import json
import os
import stat
import tempfile
import warnings
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

from vast.client.errors import NotConfigured

LOGIN_FILE = "cli.json"
LOCAL_FILE = "connection.json"


@dataclass(frozen=True, slots=True)
class Connection:
    """``source`` says in words where the URL came from."""

    url: str
    token: str | None
    source: str

    def __repr__(self) -> str:
        return f"Connection(url={self.url!r}, token={'...' if self.token else None}, source={self.source!r})"


def vast_home() -> Path:
    """The data folder: ``VAST_HOME``, or ``~/.vast``."""
    return Path(os.environ.get("VAST_HOME") or "~/.vast").expanduser()


def find(url: str | None = None, token: str | None = None) -> Connection:
    """The connection to use. First match: arguments, VAST_URL / VAST_TOKEN, ``vast login``, local instance.

    A stored token is only ever paired with the URL it was stored for, so that pointing the client at another
    server does not hand that server the token of this one.

    Raises NotConfigured when there is no URL, or when the URL is not http(s).
    """
    stored = [found for name in (LOGIN_FILE, LOCAL_FILE) if (found := _read(vast_home() / name))]
    wanted_token = token or os.environ.get("VAST_TOKEN") or None
    for candidate, source in ((url, "argument"), (os.environ.get("VAST_URL"), "VAST_URL")):
        if candidate:
            address = normalise(candidate)
            matching = next((item.token for item in stored if item.url == address), None)
            return Connection(address, wanted_token or matching, source)
    if stored:
        return Connection(stored[0].url, wanted_token or stored[0].token, stored[0].source)
    raise NotConfigured(
        "no server is known: start one with `make up` or `vast up`, sign in with `vast login --url URL`, "
        "or set VAST_URL and VAST_TOKEN"
    )


def normalise(url: str) -> str:
    """The URL without a trailing slash; NotConfigured when it is not an http or https address."""
    parts = urlsplit(url)
    if parts.scheme not in ("http", "https") or not parts.netloc:
        raise NotConfigured(f"not an http or https address: {url!r}")
    return url.rstrip("/")


def store_login(url: str, token: str) -> Path:
    """Keep what ``vast login`` was given, readable by this user only. Gives the file's path."""
    home = vast_home()
    home.mkdir(mode=0o700, parents=True, exist_ok=True)
    # A temporary file of mode 600 renamed into place: at no moment can another user read the token.
    descriptor, name = tempfile.mkstemp(dir=home, prefix=".cli-")
    with os.fdopen(descriptor, "w", encoding="utf-8") as file:
        json.dump({"url": normalise(url), "token": token}, file)
    path = home / LOGIN_FILE
    Path(name).replace(path)
    return path


def forget_login() -> bool:
    """Remove what ``vast login`` stored; False when there was nothing."""
    path = vast_home() / LOGIN_FILE
    existed = path.exists()
    path.unlink(missing_ok=True)
    return existed


def _read(path: Path) -> Connection | None:
    try:
        text = path.read_text(encoding="utf-8")
        mode = stat.S_IMODE(path.stat().st_mode)
    except FileNotFoundError:
        return None
    except OSError as error:
        raise NotConfigured(f"{path} cannot be read: {error.strerror}") from error
    if mode & 0o077:
        warnings.warn(f"{path} holds a token and others may read it: run chmod 600 {path}", stacklevel=4)
    try:
        data = json.loads(text)
        return Connection(normalise(data["url"]), data.get("token"), str(path))
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise NotConfigured(
            f"{path} is not a connection file ({error!r}); remove it or sign in again"
        ) from error
