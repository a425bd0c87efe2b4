"""The console in a real browser: what a person sees and does."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect

from tests.product.browser import Console, chromium
from tests.product.instance import Instance

pytestmark = [pytest.mark.product, pytest.mark.browser]
AXE = Path(__file__).resolve().parents[2] / "frontend" / "node_modules" / "axe-core" / "axe.min.js"

RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"]
# The heat map's cells are smaller than a finger; every card is also a row of the devices page (WCAG 2.5.8: equivalent).
SCOPE = "{exclude: [['.heat']]}"


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with chromium() as found:
        yield found


@pytest.fixture
def console(browser: Browser, demo: Instance) -> Iterator[Console]:
    context = browser.new_context(viewport={"width": 1440, "height": 900}, locale="en-US")
    made = Console(context, demo)
    yield made
    context.close()
    assert made.errors == []


def test_a_wrong_password_is_refused_and_the_right_one_leads_to_where_one_wanted_to_go(
    console: Console,
) -> None:
    console.go("/devices")
    console.page.get_by_role("textbox", name="User name").fill("admin")
    console.page.get_by_role("textbox", name="Password").fill("not this one")
    console.page.get_by_role("button", name="Sign in").click()
    expect(console.page.get_by_text("The user name or the password is wrong.")).to_be_visible()
    console.page.get_by_role("textbox", name="Password").fill("demo")
    console.page.get_by_role("button", name="Sign in").click()
    expect(console.page.get_by_role("heading", name="Devices")).to_be_visible()


def test_a_job_from_the_form_runs_live_and_its_log_is_read_without_a_reload(console: Console) -> None:
    page = console.page
    console.sign_in()
    page.evaluate("window.notReloaded = true")
    page.get_by_role("link", name="Jobs").click()
    page.get_by_role("button", name="Submit job").or_(
        page.get_by_role("link", name="Submit job")
    ).first.click()
    page.get_by_label("Name").first.fill("from-the-form")
    page.get_by_text("Shell line").click()
    page.get_by_role("textbox", name="Command").fill(
        "for i in 1 2 3 4 5; do echo line $i; sleep 1; done; echo all done"
    )
    expect(page.get_by_label("YAML")).to_have_value(re.compile("line \\$i"))
    page.get_by_role("button", name="Submit", exact=True).click()
    expect(page.get_by_role("heading", name="from-the-form")).to_be_visible()
    expect(page.get_by_text("running").first).to_be_visible()
    page.get_by_role("tab", name="Logs").click()
    expect(page.get_by_text("line 2")).to_be_visible()
    expect(page.get_by_text("all done")).to_be_visible(timeout=15_000)
    expect(page.get_by_text("succeeded").first).to_be_visible(timeout=10_000)
    assert page.evaluate("window.notReloaded")


def test_a_refused_field_is_named_in_the_form(console: Console) -> None:
    page = console.page
    console.sign_in()
    console.go("/jobs/new")
    page.get_by_label("Memory of each device, MiB").fill("9999999")
    page.get_by_role("button", name="Submit", exact=True).click()
    expect(page.get_by_text("1 field needs another value")).to_be_visible()
    assert page.url.endswith("/jobs/new")


def test_the_load_on_the_overview_moves_by_itself(console: Console) -> None:
    page = console.page
    frames: list[str] = []
    page.on("websocket", lambda socket: socket.on("framereceived", lambda data: frames.append(str(data))))
    requests: list[str] = []
    console.sign_in()
    expect(page.get_by_text("live", exact=True)).to_be_visible()
    page.wait_for_timeout(1500)
    page.on("request", lambda request: requests.append(request.url))
    before = len(frames)
    page.wait_for_timeout(4000)
    assert len(frames) - before >= 4
    assert [url for url in requests if "/api/" in url] == []


def test_the_console_recovers_when_the_web_process_is_killed(console: Console) -> None:
    page = console.page
    console.sign_in()
    expect(page.get_by_text("live", exact=True)).to_be_visible()
    page.evaluate("window.notReloaded = true")
    console.instance.kill("web")
    expect(page.get_by_text("reconnecting")).to_be_visible(timeout=15_000)
    expect(page.get_by_text("live", exact=True)).to_be_visible(timeout=30_000)
    console.instance.wait_ready()
    with console.instance.client() as client:
        group = {"command": ["true"], "request": {"cores": 1, "memory_mib": 256}}
        client.jobs.submit({"name": "after-the-crash", "queue": "demo/research", "groups": [group]})
    expect(page.get_by_text("after-the-crash").first).to_be_visible(timeout=15_000)
    assert page.evaluate("window.notReloaded")


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("language", ["en", "zh"])
def test_pages_look_right_in_both_languages_and_themes(console: Console, language: str, theme: str) -> None:
    page = console.page
    console.sign_in()
    page.evaluate(
        "([language, theme]) => { localStorage.setItem('vast.language', language);"
        " localStorage.setItem('mantine-color-scheme-value', theme); }",
        [language, theme],
    )
    with console.instance.client() as client:
        job = next(job for job in client.jobs.list(search="foundation-model"))
    trouble: list[tuple[str, str, list[str]]] = []
    for name, path in {
        "overview": "/", "devices": "/devices", "nodes": "/nodes", "jobs": "/jobs", "queues": "/queues",
        "submit": "/jobs/new", "job": f"/jobs/{job.id}",
    }.items():  # fmt: skip
        console.go(path)
        expect(page.locator("html")).to_have_attribute("data-mantine-color-scheme", theme)
        expect(page.locator("html")).to_have_attribute("lang", re.compile(f"^{language}"))
        expect(page.locator("main h1, main h2").first).to_be_visible()
        page.wait_for_timeout(1200)
        console.shot(f"{name}-{language}-{theme}")
        page.evaluate(AXE.read_text())
        found = page.evaluate(f"axe.run({SCOPE}, {{runOnly: {RULES}}})")
        trouble += [(name, v["id"], [n["html"][:160] for n in v["nodes"][:3]]) for v in found["violations"]]
    assert trouble == []
