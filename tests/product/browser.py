"""A real browser, and the words in which tests drive it."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect, sync_playwright

from tests.product.instance import Instance

SCREENSHOTS = Path(__file__).resolve().parents[1] / "screenshots"
NAMES = ("chromium", "chromium-browser", "google-chrome")
# Without these Chromium looks up hosts of its maker at every start.
QUIET = [
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
]


@contextmanager
def chromium() -> Iterator[Browser]:
    """The distribution's browser; nothing is downloaded."""
    program = next((path for name in NAMES if (path := shutil.which(name))), None)
    if program is None:
        pytest.fail("no Chromium on this machine; scripts/ensure-browser.sh installs it or says how")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=program, args=[*QUIET, "--no-sandbox"])
        yield browser
        browser.close()


class Console:
    """The console in one window, with a note of everything that went wrong in it."""

    def __init__(self, context: BrowserContext, instance: Instance) -> None:
        self.context, self.instance = context, instance
        self.page: Page = context.new_page()
        self.errors: list[str] = []
        self.page.on("pageerror", lambda error: self.errors.append(str(error)))

    def go(self, path: str) -> None:
        self.page.goto(f"{self.instance.url}{path}")

    def sign_in(self, username: str = "admin", password: str = "demo") -> None:
        self.go("/")
        self.page.get_by_role("textbox", name="User name").fill(username)
        self.page.get_by_role("textbox", name="Password").fill(password)
        self.page.get_by_role("button", name="Sign in").click()
        expect(self.page.get_by_role("heading", name="Overview")).to_be_visible()

    def shot(self, name: str) -> None:
        SCREENSHOTS.mkdir(exist_ok=True)
        self.page.screenshot(path=SCREENSHOTS / f"{name}.png")
