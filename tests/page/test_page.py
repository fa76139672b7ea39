"""The page in a real browser: what a person sees and does, and who is refused."""

from __future__ import annotations

import json
import os
import random
import re
import shutil
import socket
import subprocess
import sys
import urllib.error
import urllib.request
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page

from agentmemory.memory import Memory
from agentmemory.store import beliefs, writer
from tests.conftest import REPOSITORY

NOW = 1_780_315_200.0  # 2026-06-01T12:00:00Z, as AGENTMEMORY_NOW says


def test_the_graph_shows_every_belief_and_the_token_leaves_the_address(page: Page) -> None:
    assert page.get_attribute("body", "data-dots") == "6"
    assert "token" not in page.url
    assert page.inner_text("#waiting") == "1"
    assert page.evaluate("getComputedStyle(document.querySelector('#legend i')).backgroundColor") == "rgb(209, 73, 91)"


def test_a_beliefs_life_is_shown_as_text(page: Page) -> None:
    page.evaluate("open(5)")
    page.wait_for_selector("h2:has-text('onerror')")

    assert page.query_selector("#panel img") is None
    assert "said" in page.inner_text("#panel")


def test_search_finds_and_the_keyboard_opens(page: Page) -> None:
    page.keyboard.press("/")
    page.keyboard.type("staging cluster")
    page.wait_for_selector("#results button.row")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")

    page.wait_for_selector("h2:has-text('wren')")


def test_search_says_what_a_belief_was_and_who_said_it(page: Page) -> None:
    page.fill("#search", "sendgrid")
    page.wait_for_selector("#results button.row")

    assert 'was "mail goes through sendgrid" until 2026-06-01' in page.inner_text("#results")
    assert "by user" in page.inner_text("#results")


@pytest.mark.parametrize("late", ["the answer", "the question"])
def test_a_search_that_ends_late_takes_nothing_away(page: Page, late: str) -> None:
    """What is typed last is still to be searched for, or on its way, when a hit of what was typed before is opened."""
    page.keyboard.press("/")
    page.keyboard.type("staging cluste")
    page.wait_for_selector("#results button.row")
    if late == "the answer":
        page.evaluate(
            "() => { const way = ask; ask = async (...all) => { const found = await way(...all); "
            "if (all[0].startsWith('search')) await new Promise((done) => setTimeout(done, 400)); return found; }; }"
        )
    page.keyboard.type("r")
    if late == "the answer":
        page.wait_for_timeout(200)
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    page.wait_for_selector("h2:has-text('wren')")
    page.wait_for_timeout(500)

    assert page.is_visible("h2:has-text('wren')")


def test_lock_correct_undo_and_forget_from_the_page(page: Page) -> None:
    page.evaluate("open(2)")
    page.wait_for_selector("h2:has-text('wren')")
    page.keyboard.press("l")
    page.wait_for_selector("text=Unlock (l)")
    page.keyboard.press("c")
    page.fill("dialog textarea", "the staging cluster is called heron")
    page.click("dialog .yes")
    page.wait_for_selector("h2:has-text('heron')")
    page.keyboard.press("u")
    page.wait_for_selector("h2.gone:has-text('heron')")
    page.evaluate("open(2)")
    page.wait_for_selector("h2:not(.gone):has-text('wren')")
    page.click("text=Forget")
    page.click("dialog .yes")
    page.wait_for_selector("#said:has-text('Forgotten for good')")
    with Memory() as memory:
        assert [b for b in memory.export() if "wren" in b["text"]] == []


def test_a_proposal_waits_until_it_is_accepted(page: Page) -> None:
    page.click("#tabs [data-tab=proposals]")
    page.click("text=Accept")
    page.wait_for_selector("#said:has-text('Accepted.')")
    with Memory() as memory:
        (rule,) = [b for b in memory.export() if "squash" in b["text"]]
    assert (rule["state"], rule["provenance"]) == ("active", "user")


def test_what_was_learned_is_kept_or_dropped(page: Page, tmp_path: Path, token: str) -> None:
    said = ("user", f"the {token} importer moved to port 8081"), ("assistant", "Understood, port 8081 from now on.")
    lines = [{"role": role, "text": text, "at": NOW, "session": "s", "cwd": os.getcwd()} for role, text in said]
    (tmp_path / "s.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    with Memory() as memory:
        assert memory.learn(str(tmp_path / "s.jsonl")).added == 1

    page.click("#tabs [data-tab=review]")
    page.wait_for_selector(f"#panel button:has-text('{token}')")
    page.click("#panel button:has-text('Drop')")
    page.wait_for_selector("#panel p:has-text('You have seen all that was learned.')")

    assert page.inner_text("#said") == "Dropped."
    with Memory() as memory:
        assert [row["state"] for row in memory.export() if token in row["text"]] == ["retracted"]


def test_the_time_slider_shows_the_memory_as_it_was(page: Page) -> None:
    page.evaluate(
        "() => { const s = document.querySelector('#when'); s.value = 0; s.dispatchEvent(new Event('input')); }"
    )

    assert re.fullmatch(r"\d{4}-\d\d-\d\d", page.inner_text("#date"))


def seen(page: Page) -> str:
    """What the graph shows once it rests."""
    page.wait_for_timeout(400)
    return str(page.evaluate("document.querySelector('#graph canvas').toDataURL()"))


def still(page: Page) -> None:
    page.evaluate("() => { graph.stop(); graph.fit(); graph.draw(); }")


def test_a_hand_moves_the_graph_and_a_key_brings_it_back(page: Page) -> None:
    still(page)
    whole = seen(page)
    page.mouse.move(300, 600)
    page.mouse.down()
    page.mouse.move(360, 560, steps=4)
    page.mouse.up()
    dragged = seen(page)
    page.mouse.wheel(0, -300)
    zoomed = seen(page)
    page.focus("#graph")
    page.keyboard.press("ArrowLeft")
    walked = seen(page)
    page.keyboard.press("0")

    assert len({whole, dragged, zoomed, walked}) == 4
    assert seen(page) == whole


def test_a_dot_says_its_words_and_opens(page: Page) -> None:
    still(page)
    seen(page)
    i = page.evaluate("graph.dots.findIndex((d) => d[6].includes('onerror'))")
    x, y = page.evaluate(f"[graph.screen[2 * {i}] / graph.scale, graph.screen[2 * {i} + 1] / graph.scale]")
    box = page.locator("#graph").bounding_box()
    assert box is not None
    page.mouse.move(box["x"] + x, box["y"] + y)

    assert page.inner_text("#tip") == "<img src=x onerror=alert(1)> is how the editor shows pictures"
    page.mouse.click(box["x"] + x, box["y"] + y)
    page.wait_for_selector("h2:has-text('onerror')")


def test_kinds_and_time_say_what_is_drawn(page: Page) -> None:
    drawn = "() => [...graph.share].filter((s) => s > 0).length"
    assert page.evaluate(drawn) == 6
    page.click("#legend button:has-text('decision')")
    assert page.evaluate(drawn) == 5  # the decision that was replaced; what replaced it is a correction
    page.evaluate("graph.show({ at: 1 })")
    assert page.evaluate(drawn) == 0


def test_three_thousand_beliefs_are_drawn_whole_when_the_hand_rests(
    browser: Browser, home: Path, project: Path, tmp_path: Path
) -> None:
    rng = random.Random(3)
    with Memory() as memory, writer.transaction(memory.db):
        for i in range(3000):
            kind = rng.choice(("rule", "decision", "fact", "procedure", "preference", "correction"))
            new = beliefs.New(memory.scope, kind, f"belief number {i} of many", "user", NOW - i * 3600, NOW)
            id = beliefs.add(memory.db, new)
            for other in {rng.randint(max(1, id - 25), id) for _ in range(2)} - {id}:
                beliefs.link(memory.db, rng.choice(("relates", "supports", "contradicts")), id, other, NOW)
    command = [sys.executable, "-m", "agentmemory", "ui", "--no-open"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=os.environ) as server:
        assert server.stdout is not None
        tab = browser.new_page(viewport={"width": 1280, "height": 800})
        tab.goto(server.stdout.readline().strip())
        tab.wait_for_selector("body[data-dots='3000'][data-ready=yes]")
        whole = seen(tab)
        tab.screenshot(path=tmp_path / "page-many.png")
        tab.mouse.move(432, 430)
        tab.mouse.wheel(0, -700)
        near = seen(tab)
        tab.mouse.wheel(0, 700)
        moving = tab.evaluate("graph.moving")
        resting = seen(tab)
        tab.close()
        server.terminate()
    if os.environ.get("AGENTMEMORY_PICTURES"):
        shutil.copy(tmp_path / "page-many.png", REPOSITORY / "docs" / "images" / "page-many.png")

    assert moving
    assert near != whole
    assert len(resting) > len(whole) * 0.9  # lines and labels are there again


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_light_and_dark(page: Page, tmp_path: Path, scheme: str) -> None:
    page.emulate_media(color_scheme=scheme)  # type: ignore[arg-type]
    page.evaluate("open(4)")
    page.wait_for_selector("h2:has-text('brevo')")
    ground = page.evaluate("getComputedStyle(document.body).backgroundColor")
    picture = tmp_path / f"page-{scheme}.png"
    page.screenshot(path=picture)
    if os.environ.get("AGENTMEMORY_PICTURES"):
        shutil.copy(picture, REPOSITORY / "docs" / "images" / picture.name)

    assert (sum(map(int, re.findall(r"\d+", ground)[:3])) > 384) == (scheme == "light")


def status(url: str, **headers: str) -> int:
    try:
        with urllib.request.urlopen(urllib.request.Request(url, headers=headers)) as answer:
            return int(answer.status)
    except urllib.error.HTTPError as error:
        return error.code


def test_strangers_are_refused(address: str) -> None:
    front, token = address.split("?token=")
    right = {"Authorization": f"Bearer {token}"}

    assert status(front + "api/graph", **right) == 200
    assert status(front + "api/graph") == 401
    assert status(front + "api/graph", Authorization="Bearer wrong") == 401
    assert status(front + "static/page.js") == 401
    assert status(front + "api/graph", **right, Origin="http://evil.example") == 403
    assert status(front + "api/graph", **right, Origin="null") == 403
    assert status(front + "api/graph", **right, Host="evil.example") == 421


def test_a_request_that_makes_no_sense_gets_a_sentence(address: str) -> None:
    front, token = address.split("?token=")
    for path, body in (
        ("lock", b"{"),
        ("lock", b'{"id": 999}'),
        ("correct", b'{"id": 2}'),
        ("forget", b'{"id": "all"}'),
    ):
        request = urllib.request.Request(front + f"api/{path}", data=body, headers={"Authorization": f"Bearer {token}"})
        with pytest.raises(urllib.error.HTTPError) as refused:
            urllib.request.urlopen(request)
        assert refused.value.code == 400
        refused.value.close()


def ui(port: str = "0") -> tuple[subprocess.Popen[str], str]:
    """Another server of the page, and its address."""
    command = [sys.executable, "-m", "agentmemory", "ui", "--no-open", "--port", port]
    server = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=os.environ)
    assert server.stdout is not None
    return server, server.stdout.readline().strip()


def opened(tab: Page, address: str) -> int:
    """The status that a browser sees."""
    answer = tab.goto(address)
    assert answer is not None
    return answer.status


def test_a_browser_opens_one_page_after_another_and_several_at_once(browser: Browser, address: str) -> None:
    context = browser.new_context()
    tab = context.new_page()
    assert opened(tab, address) == 200
    beside, theirs = ui()
    with beside:
        assert opened(tab, theirs) == 200
        assert opened(tab, address.split("?")[0]) == 200
        beside.terminate()
    again, anew = ui(theirs.split(":")[2].split("/")[0])
    with again:
        assert opened(tab, anew) == 200
        assert opened(tab, theirs) == 200, "an old address, with the right cookie"
        assert opened(tab, anew.split("?")[0]) == 200
        again.terminate()
    context.close()


@pytest.mark.parametrize("other", ['prefs={"a":1}', "x[1]=2", "flag", "prefs=a b", "pr@ef:s=1", "=", "a=b=c"])
def test_cookies_of_other_programs_change_nothing(address: str, other: str) -> None:
    front, token = address.split("?token=")
    mine = f"agentmemory-{front.split(':')[2].strip('/')}={token}"

    for cookie in (f"{other}; {mine}", f"{mine}; {other}"):
        assert status(front + "api/graph", Cookie=cookie) == 200
    assert status(front + "api/graph", Cookie=other) == 401


def test_only_the_loopback_interface_is_bound(address: str) -> None:
    port = int(address.split(":")[2].split("/")[0])
    with socket.socket() as other:
        other.bind(("127.0.0.2", port))  # free: nobody listens on all interfaces
