"""A browser, and the page over a small memory in it."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, sync_playwright

from agentmemory.memory import Memory

FLAGS = (
    "--no-sandbox --use-gl=angle --use-angle=swiftshader --enable-unsafe-swiftshader --no-first-run "
    "--disable-background-networking --disable-component-update --disable-sync --disable-dev-shm-usage"
).split()


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with sync_playwright() as play:
        chromium = play.chromium.launch(executable_path=shutil.which("chromium"), args=FLAGS)
        yield chromium
        chromium.close()


@pytest.fixture
def address(project: Path) -> Iterator[str]:
    """The address, token included, of a page over a small memory."""
    with Memory() as memory:
        memory.lock("never push to github by hand, use scripts/publish.sh", when="push publish github")
        memory.remember("the staging cluster is called wren", "fact")
        old = memory.remember("mail goes through sendgrid", "decision")
        memory.correct(getattr(old, "id"), "mail goes through brevo, not sendgrid anymore")  # noqa: B009
        memory.remember("<img src=x onerror=alert(1)> is how the editor shows pictures", "fact")
        memory.import_beliefs([{"kind": "rule", "text": "always squash before merging"}])
    command = [sys.executable, "-m", "agentmemory", "ui", "--no-open"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=os.environ) as server:
        assert server.stdout is not None
        yield server.stdout.readline().strip()
        server.terminate()


@pytest.fixture
def page(browser: Browser, address: str) -> Iterator[Page]:
    """The page, loaded; a message on the console or a request to elsewhere fails the test."""
    context = browser.new_context(viewport={"width": 1280, "height": 800})
    tab = context.new_page()
    trouble: list[str] = []
    tab.on("console", lambda m: trouble.append(m.text) if m.type in ("error", "warning") else None)
    tab.on("pageerror", lambda e: trouble.append(str(e)))
    tab.on(
        "request",
        lambda r: trouble.append(r.url) if not r.url.startswith(("http://127.0.0.1:", "data:", "blob:")) else None,
    )
    tab.goto(address)
    tab.wait_for_selector("body[data-ready=yes]")
    yield tab
    context.close()
    assert [t for t in trouble if "GPU stall" not in t and "GL Driver" not in t] == []
