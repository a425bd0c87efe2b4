"""HTTP with the manners the API asks for: problem+json into errors, retries that cannot do a thing twice."""

from __future__ import annotations

import os
import random
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from importlib.metadata import version
from typing import Any
from urllib.parse import parse_qs, urlsplit

import httpx

from vast.client.connection import Connection
from vast.client.errors import Unreachable, VastError

API = "/api/v1/"
BUSY = frozenset({429, 502, 503, 504})
FIRST_PAUSE_S = 0.2
LONGEST_PAUSE_S = 5.0
LONGEST_RETRY_AFTER_S = 30.0


@dataclass(frozen=True, slots=True)
class Body:
    """A request body as it goes over the wire."""

    content: bytes
    media_type: str


class Transport:
    """One server. Safe to share between threads.

    ``retry_for_s``: how long a call that may be repeated is repeated before Unreachable is raised.
    ``on_retry`` is told of each failure that is not the last word.
    """

    def __init__(
        self,
        connection: Connection,
        *,
        timeout_s: float,
        retry_for_s: float,
        on_retry: Callable[[VastError], None] | None = None,
    ) -> None:
        self.connection = connection
        self.retry_for_s = retry_for_s
        self._on_retry = on_retry
        self._timeout_s = timeout_s
        headers = {"Accept": "application/json", "User-Agent": f"vast-client/{version('vast')}"}
        headers["Accept-Language"] = language()
        if connection.token:
            headers["Authorization"] = f"Bearer {connection.token}"
        self._http = httpx.Client(
            base_url=connection.url + API,
            headers=headers,
            timeout=httpx.Timeout(timeout_s, connect=5.0),
            limits=httpx.Limits(max_connections=64),
        )

    def close(self) -> None:
        self._http.close()

    def get(
        self,
        path: str,
        params: Mapping[str, Any] | None = None,
        *,
        wait_s: float = 0.0,
        retry_for_s: float | None = None,
    ) -> Any:
        """The JSON answer of a GET. ``wait_s``: how long the server may hold the answer back."""
        return self.call("GET", path, params=params, wait_s=wait_s, repeatable=True, retry_for_s=retry_for_s)

    def pages(self, path: str, params: Mapping[str, Any] | None = None) -> Iterator[Mapping[str, Any]]:
        """Every object of a list, page after page (short lists come whole, as a plain array)."""
        query: Mapping[str, Any] | None = params
        while True:
            page = self.get(path, query)
            if isinstance(page, list):
                yield from page
                return
            yield from page["results"]
            if not page.get("next"):
                return
            # Only the query of the link is used: behind a proxy its host may be one that we cannot reach, and
            # a token must not follow a link to another host.
            query = parse_qs(urlsplit(page["next"]).query)

    def call(
        self,
        method: str,
        path: str,
        *,
        params: Mapping[str, Any] | None = None,
        json: Any = None,
        body: Body | None = None,
        headers: Mapping[str, str] | None = None,
        wait_s: float = 0.0,
        repeatable: bool = False,
        retry_for_s: float | None = None,
    ) -> Any:
        """The JSON answer (None when it is empty).

        A ``repeatable`` call is repeated after any connection error and after 429, 502, 503 and 504. Any
        other is repeated only where the server cannot have acted: no connection came about, or it said 429.
        Raises VastError for a refusal, Unreachable when the retries are used up.
        """
        sent = dict(headers or {})
        if body is not None:
            sent["Content-Type"] = body.media_type
        deadline = time.monotonic() + (self.retry_for_s if retry_for_s is None else retry_for_s)
        attempt = 0
        while True:
            pause_s = min(FIRST_PAUSE_S * 2**attempt, LONGEST_PAUSE_S) * random.uniform(0.5, 1.0)  # noqa: S311
            attempt += 1
            try:
                response = self._http.request(
                    method,
                    path,
                    params=_clean(params),
                    json=json,
                    content=body.content if body else None,
                    headers=sent,
                    timeout=httpx.Timeout(self._timeout_s + wait_s, connect=5.0),
                )
            except httpx.TransportError as error:
                safe = repeatable or isinstance(error, httpx.ConnectError | httpx.ConnectTimeout)
                failure: VastError = Unreachable(f"{self.connection.url} does not answer: {_words(error)}")
            else:
                if response.status_code < 400:
                    return _answer(response)
                safe = response.status_code == 429 or (repeatable and response.status_code in BUSY)
                failure = _refusal(response)
                pause_s = max(pause_s, _retry_after_s(response))
            if not safe or time.monotonic() + pause_s > deadline:
                raise failure
            if self._on_retry:
                self._on_retry(failure)
            time.sleep(pause_s)


def language() -> str:
    """What the user reads, by the usual variables: ``zh``, or ``en`` for all that the server has no texts in."""
    locale = next(
        (value for name in ("LC_ALL", "LC_MESSAGES", "LANG") if (value := os.environ.get(name))), ""
    )
    return "zh" if locale.lower().startswith("zh") else "en"


def _clean(params: Mapping[str, Any] | None) -> dict[str, Any]:
    chosen = {name: value for name, value in (params or {}).items() if value is not None}
    return {name: str(value).lower() if isinstance(value, bool) else value for name, value in chosen.items()}


def _words(error: httpx.TransportError) -> str:
    return str(error) or type(error).__name__


def _answer(response: httpx.Response) -> Any:
    if not response.content:
        return None
    try:
        return response.json()
    except ValueError as error:
        raise VastError(
            f"{response.url} answered {response.headers.get('Content-Type', 'something')} instead of JSON: "
            "is this the address of a VAST server?",
            status=response.status_code,
            code="bad_answer",
        ) from error


def _refusal(response: httpx.Response) -> VastError:
    try:
        problem = response.json()
    except ValueError:
        problem = None
    if isinstance(problem, dict):
        return VastError.from_problem(response.status_code, problem)
    detail = f"HTTP {response.status_code} {response.reason_phrase}".strip()
    if response.status_code in BUSY:
        return Unreachable(f"{response.url.host} does not answer: {detail}", status=response.status_code)
    return VastError(detail, status=response.status_code, title=response.reason_phrase)


def _retry_after_s(response: httpx.Response) -> float:
    text = response.headers.get("Retry-After", "")
    return min(float(text), LONGEST_RETRY_AFTER_S) if text.isdigit() else 0.0
