"""The page when something is odd: orders that fail, a server that is gone, little room, much or nothing to show."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page

from agentmemory.memory import Memory
from agentmemory.store import graphview, writer
from agentmemory.values import Utterance


@dataclass
class Tab:
    """A page of its own and the server behind it. thrown: what no handler caught."""

    page: Page
    server: subprocess.Popen[str]
    thrown: list[str]

    def said(self, text: str) -> None:
        self.page.wait_for_selector(f"#said:has-text('{text}')")
        assert self.thrown == []


@pytest.fixture
def tab(browser: Browser, project: Path, token: str) -> Iterator[Tab]:
    with Memory() as memory:
        memory.remember(f"the staging cluster is called {token}", "fact")
    command = [sys.executable, "-m", "agentmemory", "ui", "--no-open"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=os.environ) as server:
        assert server.stdout is not None
        page = browser.new_page(viewport={"width": 1280, "height": 800})
        thrown: list[str] = []
        page.on("pageerror", lambda e: thrown.append(str(e)))
        page.goto(server.stdout.readline().strip())
        page.wait_for_selector("body[data-ready=yes]")
        yield Tab(page, server, thrown)
        page.close()
        server.terminate()


def shown(tab: Tab, belief: int) -> None:
    tab.page.evaluate(f"open({belief})")
    tab.page.wait_for_selector("#life")


def test_a_button_whose_order_fails_says_why(tab: Tab, token: str) -> None:
    shown(tab, 1)
    tab.page.click("text=Correct (c)")
    tab.page.fill("dialog textarea", " ")
    tab.page.click("dialog .yes")
    tab.said("a text")
    with Memory() as memory:
        memory.forget(1)
    tab.page.click("text=Lock (l)")
    tab.said("there is no belief 1 here")
    tab.server.kill()
    tab.server.wait()
    tab.page.click("text=Lock (l)")
    tab.said("No answer")


def test_a_dialog_that_is_left_does_nothing(tab: Tab, token: str) -> None:
    shown(tab, 1)
    tab.page.keyboard.press("c")
    tab.page.fill("dialog textarea", f"the staging cluster is called {token}b")
    tab.page.click("dialog .yes")
    tab.said("Corrected.")
    tab.page.click(".acts >> text=Forget")
    assert tab.page.evaluate("document.querySelector('#ask').returnValue") == ""
    tab.page.keyboard.press("Escape")
    tab.page.wait_for_selector("#ask", state="hidden")
    with Memory() as memory:
        assert len(list(memory.export())) == 2


def test_a_correction_that_is_not_taken_says_so(tab: Tab, token: str) -> None:
    for text, says in ((f"{token} " * 1000, "Nothing changed: it is too long"), (None, "")):
        shown(tab, 1)
        tab.page.click("text=Correct (c)")
        if text:
            tab.page.fill("dialog textarea", text)
        tab.page.click("dialog .yes")
        tab.said(says)
    with Memory() as memory:
        assert [(b["id"], b["state"]) for b in memory.export()] == [(1, "active")]


def test_what_is_forgotten_is_said_to_be_in_a_backup(tab: Tab, home: Path) -> None:
    subprocess.run([sys.executable, "-m", "agentmemory", "backup"], check=True, capture_output=True)
    shown(tab, 1)
    tab.page.click("text=Forget")
    tab.page.click("dialog .yes")
    tab.said("Copies made before may still hold it, delete them yourself")


def test_a_key_that_is_held_down_is_one_order(tab: Tab, token: str) -> None:
    with Memory() as memory:
        memory.remember(f"{token} is closed on Mondays")
    orders: list[str] = []
    tab.page.on("request", lambda request: orders.append(request.url) if "/api/undo" in request.url else None)
    for _ in range(5):
        tab.page.keyboard.down("u")
    tab.said("Taken back: added.")
    assert len(orders) == 1
    with Memory() as memory:
        assert memory.belief(1).state == "active"


def test_keys_act_on_what_is_before_the_eyes(tab: Tab) -> None:
    shown(tab, 1)
    tab.page.click("#tabs [data-tab=log]")
    tab.page.wait_for_selector("#panel h2:has-text('Changes')")
    tab.page.keyboard.press("l")
    tab.page.keyboard.press("c")
    assert not tab.page.evaluate("document.querySelector('#ask').open")
    with Memory() as memory:
        assert not memory.belief(1).locked


def test_the_log_says_what_was_changed_and_opens_what_is_of_this_project(tab: Tab, token: str, tmp_path: Path) -> None:
    with Memory(project=str(tmp_path / "elsewhere")) as memory:
        memory.remember("the cellar floods in spring")
    tab.page.click("#tabs [data-tab=log]")
    tab.page.wait_for_selector("#panel h2:has-text('Changes')")

    assert tab.page.locator("#panel button").all_inner_texts() == [f"added: the staging cluster is called {token}"]
    assert "added: belief 2" in tab.page.inner_text("#panel") and "cellar" not in tab.page.inner_text("#panel")


def test_a_view_with_nothing_in_it_says_so(tab: Tab) -> None:
    for name, said in (("sessions", "No session has been learned here yet."), ("proposals", "Nothing waits")):
        tab.page.click(f"#tabs [data-tab={name}]")
        tab.page.wait_for_selector(f"#panel p:has-text('{said}')")


def test_a_text_is_never_cut_within_a_character(tab: Tab) -> None:
    assert tab.page.evaluate("[33, 34].map((most) => short('😀'.repeat(40), most).isWellFormed())") == [True, True]


def test_escape_takes_the_results_away(tab: Tab, token: str) -> None:
    tab.page.click("#tabs [data-tab=sessions]")
    tab.page.wait_for_selector("#panel h2:has-text('Sessions')")
    tab.page.keyboard.press("/")
    tab.page.keyboard.type(token)
    tab.page.wait_for_selector("#results")
    tab.page.keyboard.press("Escape")
    tab.page.wait_for_selector("#panel h2:has-text('Sessions')")


@pytest.mark.parametrize("wide", [320, 400, 700])
def test_a_narrow_window_has_room_for_everything(tab: Tab, wide: int) -> None:
    tab.page.set_viewport_size({"width": wide, "height": 700})
    shown(tab, 1)
    boxes = {
        name: tab.page.locator(name).bounding_box()
        for name in ("#search", "#legend", "#stage", "#panel", "#undo", "[data-tab=log]")
    }

    assert tab.page.evaluate("document.documentElement.scrollWidth") <= wide
    assert all(box and box["x"] >= 0 and box["x"] + box["width"] <= wide for box in boxes.values())
    assert boxes["#search"] and boxes["#search"]["width"] > wide / 2
    legend, stage = boxes["#legend"], boxes["#stage"]
    assert legend and stage and legend["height"] < stage["height"] / 3


def test_an_empty_graph_can_be_turned_and_filled(tab: Tab) -> None:
    with Memory() as memory:
        memory.forget(1)
    tab.page.reload()
    tab.page.wait_for_selector("body[data-dots='0'][data-ready=yes]")
    tab.page.mouse.move(300, 300)
    tab.page.mouse.wheel(0, -300)
    tab.page.keyboard.press("a")
    with Memory() as memory:
        memory.remember("we deploy on fridays", "fact")
    tab.page.evaluate("reload()")
    tab.page.wait_for_selector("body[data-dots='1']")
    tab.page.wait_for_timeout(300)

    x, y = tab.page.evaluate("[...graph.screen]")
    assert x > 0
    assert y > 0
    assert tab.thrown == []


def test_what_was_taken_back_stands_on_the_days_before(tab: Tab) -> None:
    with Memory() as memory, writer.transaction(memory.db):
        memory.db.execute("UPDATE belief SET state = 'retracted', valid_from = 100, valid_to = 200 WHERE id = 1")
    with Memory() as memory:
        memory.import_beliefs([{"kind": "rule", "text": "always squash before merging"}])
        memory.reject(2)
    tab.page.evaluate("reload()")
    tab.page.wait_for_selector("body[data-dots='2']")

    def drawn(at: str) -> list[int]:
        found = tab.page.evaluate(f"() => {{ graph.show({{ at: {at} }}); return [...graph.share]; }}")
        return [share for share in found if share]

    assert (drawn("150"), drawn("250"), drawn("Infinity"), drawn("1e12")) == ([256], [], [], [])


def test_sessions_are_counted_each_once(home: Path, project: Path, token: str) -> None:
    with Memory() as memory:
        memory.remember(f"the staging cluster is called {token}", "fact")
        memory.add_turns("s", [Utterance(-1, "user", f"turn {i}", 1000.0 + i, "user") for i in range(7)])
        with writer.transaction(memory.db):
            for at in range(5):
                row = ("s", 1, 1000.0 + at, "p", 10)
                memory.db.execute("INSERT INTO injection (session, belief, at, prompt, tokens) VALUES (?,?,?,?,?)", row)
        (session,) = graphview.sessions(memory.db, memory.scopes)

    assert (session["turns"], session["injections"], session["tokens"]) == (7, 5, 50)


def test_more_proposals_than_are_shown_are_counted(tab: Tab, token: str) -> None:
    with Memory() as memory:
        memory.import_beliefs(
            [{"kind": "fact", "text": f"the {token} shelf {i} holds jar {i * 7}"} for i in range(203)]
        )
    tab.page.evaluate("reload()")
    tab.page.wait_for_selector("#waiting:has-text('203')")
    tab.page.click("#tabs [data-tab=proposals]")
    tab.page.wait_for_selector("#panel h2:has-text('203 proposals wait')")
    assert "newest 200" in tab.page.inner_text("#panel")
