"""Days are the user's own: what is asked and shown goes by the clock on the wall, what is stored by UTC."""

from __future__ import annotations

import json
from datetime import date, datetime, timedelta
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest

from agentmemory import paths
from agentmemory.cli import main
from agentmemory.memory import Memory
from agentmemory.recall import dates
from agentmemory.recall.latest import opening
from agentmemory.values import Utterance
from tests.conftest import live_in

EPOCH = date(1970, 1, 1)
AUCKLAND, ANGELES, UTC = "Pacific/Auckland", "America/Los_Angeles", "UTC"
#: clocks go forward and back in each; at midnight in the last two, and the last but one leaves a day out
CHANGES = [
    (AUCKLAND, date(2026, 9, 27)), (AUCKLAND, date(2026, 4, 5)), (ANGELES, date(2026, 3, 8)),
    (ANGELES, date(2026, 11, 1)), ("Asia/Beirut", date(2026, 3, 29)), ("Asia/Beirut", date(2026, 10, 25)),
    ("Pacific/Apia", date(2011, 12, 31)), (UTC, date(2026, 3, 8)),
]  # fmt: skip


@pytest.mark.parametrize(("zone", "changed"), CHANGES, ids=str)
def test_a_day_lasts_from_midnight_to_midnight_though_clocks_change(
    monkeypatch: pytest.MonkeyPatch, zone: str, changed: date
) -> None:
    live_in(monkeypatch, zone)
    for away in range(-2, 3):
        day = changed + timedelta(away)
        number, begun = (day - EPOCH).days, paths.begin_of((day - EPOCH).days)
        if zone == "Pacific/Apia" and day == date(2011, 12, 30):  # which was not
            continue
        first, before = (datetime.fromtimestamp(at, ZoneInfo(zone)) for at in (begun, begun - 1.0))
        assert first.date() == day and before.date() < day
        assert paths.day_of(begun) == number > paths.day_of(begun - 1.0)
        assert paths.date(begun) == paths.date(paths.begin_of(number + 1) - 1.0) == str(day)


@pytest.mark.parametrize(("zone", "now", "today"), [
    (AUCKLAND, "2026-06-16T20:00:00Z", "2026-06-17"), (AUCKLAND, "2026-06-17T11:59:00Z", "2026-06-17"),
    (ANGELES, "2026-06-18T06:59:00Z", "2026-06-17"), (ANGELES, "2026-06-17T07:00:00Z", "2026-06-17"),
    (UTC, "2026-06-17T00:00:00Z", "2026-06-17"), (UTC, "2026-06-17T23:59:59Z", "2026-06-17"),
])  # fmt: skip
@pytest.mark.parametrize(("said", "first", "last"), [
    ("what did we say today", 0, 0), ("what broke yesterday", -1, -1), ("what did I ask this morning", 0, 0),
    ("what failed last night", -1, 0), ("in the last three days", -3, 0), ("three days ago", -3, -3),
    ("what did I decide this week", -2, 4), ("what did we do last week", -14, -1), ("last Friday", -5, -5),
    ("what did I decide this month", -16, 13), ("what did we say on 2026-06-17", 0, 0),
])  # fmt: skip
def test_today_is_the_day_on_the_users_calendar(
    monkeypatch: pytest.MonkeyPatch, zone: str, now: str, today: str, said: str, first: int, last: int
) -> None:
    live_in(monkeypatch, zone)
    number = (date.fromisoformat(today) - EPOCH).days

    assert dates.said(said, paths.parse_time(now)) == [(number + first, number + last)]


@pytest.mark.parametrize(("zone", "yesterday", "today"), [
    (AUCKLAND, "2026-06-16T11:30:00Z", "2026-06-16T12:30:00Z"),
    (ANGELES, "2026-06-17T06:30:00Z", "2026-06-17T07:30:00Z"),
    (UTC, "2026-06-16T23:30:00Z", "2026-06-17T00:30:00Z"),
])  # fmt: skip
def test_a_question_about_yesterday_finds_what_was_said_before_the_users_midnight(
    project: Path, monkeypatch: pytest.MonkeyPatch, token: str, zone: str, yesterday: str, today: str
) -> None:
    live_in(monkeypatch, zone)
    now = paths.begin_of(paths.day_of(paths.parse_time(today))) + 15 * 3600.0
    monkeypatch.setenv("AGENTMEMORY_NOW", paths.iso(now))
    with Memory() as memory:
        for at in (yesterday, today):
            memory.add_turns(at, [Utterance(0, "user", f"the {token} gauge leaks", paths.parse_time(at))])

        def first(question: str) -> str:
            return str((memory.search(question)[0].source or {})["session"])

        assert first(f"what did we say of the {token} gauge yesterday?") == yesterday
        assert first(f"what did we say of the {token} gauge today?") == today


@pytest.mark.parametrize(("zone", "shown", "brief"), [
    (AUCKLAND, "2026-03-10", "Mar 10"), (ANGELES, "2026-03-09", "Mar 9"), (UTC, "2026-03-10", "Mar 10"),
])  # fmt: skip
def test_what_is_read_has_the_users_day_and_what_programs_get_has_utc(
    project: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], token: str, zone: str,
    shown: str, brief: str,
) -> None:  # fmt: skip
    monkeypatch.setenv("AGENTMEMORY_NOW", "2026-03-10T05:00:00Z")  # an hour of the evening before in California
    live_in(monkeypatch, zone)
    with Memory() as memory:
        memory.remember(f"the {token} service listens on port 9000")
        memory.lock(f"never restart the {token} service")
        block = memory.recall(f"on which port does our {token} service listen?")
        assert f"(rule, locked, {shown})" in block and f'port 9000" ({brief})' in block
        assert f"(rule, locked, {shown})" in opening(memory.db, memory.scopes, paths.now())
        monkeypatch.setenv("AGENTMEMORY_NOW", "2026-07-20T05:00:00Z")  # in other hours of the year
        standing = block.partition("==")[2].partition("\n== ")[0]
        assert standing in memory.recall(f"on which port does our {token} service listen?")

    assert main(["export", "--format", "markdown"]) == 0
    assert f", {shown}]" in capsys.readouterr().out
    assert main(["export"]) == 0
    assert json.loads(capsys.readouterr().out.splitlines()[0])["valid_from"] == "2026-03-10T05:00:00Z"


@pytest.mark.parametrize(("zone", "typed", "meant"), [
    (AUCKLAND, "2026-03-10", "2026-03-09T11:00:00Z"), (ANGELES, "2026-03-10", "2026-03-10T07:00:00Z"),
    (UTC, "2026-03-10", "2026-03-10T00:00:00Z"), (AUCKLAND, "202603101530", "2026-03-10T02:30:00Z"),
    (ANGELES, "2026-03-10T15:30", "2026-03-10T22:30:00Z"), (ANGELES, "2026-03-10T15:30Z", "2026-03-10T15:30:00Z"),
    (AUCKLAND, "2026-03-10T15:30+01:00", "2026-03-10T14:30:00Z"),
])  # fmt: skip
def test_a_time_that_is_typed_is_the_users_unless_it_says_its_zone(
    project: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], token: str, zone: str,
    typed: str, meant: str,
) -> None:  # fmt: skip
    live_in(monkeypatch, zone)
    assert main(["remember", f"the {token} service listens on port 9000", "--at", typed]) == 0
    with Memory() as memory:
        (held,) = memory.export()
        assert held["valid_from"] == meant
        assert paths.parse_time((memory.read(held["id"]) or {})["timestamp"], local=True) == paths.parse_time(meant)
    capsys.readouterr()

    found = []
    for share in (0, -60):
        at = datetime.fromtimestamp(paths.parse_time(meant) + share, ZoneInfo(zone)).strftime("%Y-%m-%dT%H:%M:%S")
        assert main(["search", token, "--json", "--as-of", at]) == 0
        found.append(len(json.loads(capsys.readouterr().out)))
    assert found == [1, 0]


@pytest.mark.parametrize("zone", [AUCKLAND, ANGELES, UTC])
def test_a_file_without_zones_is_read_alike_everywhere(monkeypatch: pytest.MonkeyPatch, zone: str) -> None:
    live_in(monkeypatch, zone)
    assert paths.parse_time("2026-03-10T15:30") == paths.parse_time("2026-03-10T15:30Z") == 1773156600.0
    assert paths.iso(1773156600.0) == "2026-03-10T15:30:00Z"


@pytest.mark.parametrize(("zone", "at"), [(AUCKLAND, "0001-01-01"), (ANGELES, "9999-12-31T23:59")])
def test_a_time_that_the_users_clock_puts_outside_the_calendar_is_refused(
    project: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], zone: str, at: str
) -> None:
    live_in(monkeypatch, zone)
    assert main(["remember", "the old clock", "--at", at]) == 1
    assert capsys.readouterr().err.startswith(f"agentmemory: '{at}' is no time")


@pytest.mark.parametrize("zone", [AUCKLAND, ANGELES, UTC])
@pytest.mark.parametrize(("asked", "found"), [
    ("2026-03-09", 0), ("2026-03-10", 1), ("20260310", 1), ("2026-03-10T23:58", 0), ("2026-03-11", 2),
])  # fmt: skip
def test_a_day_alone_is_asked_for_at_its_end(
    project: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], token: str, zone: str,
    asked: str, found: int,
) -> None:  # fmt: skip
    live_in(monkeypatch, zone)
    for text, at in (("ostrich", "2026-03-10T23:59"), ("penguin", "2026-03-11T00:00")):
        main(["remember", f"the {token} bird is called {text}", "--at", at])
    capsys.readouterr()

    assert main(["search", token, "--json", "--as-of", asked]) == 0
    assert len(json.loads(capsys.readouterr().out)) == found


def test_what_is_to_be_true_one_day_is_not_remembered_as_true(
    project: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    live_in(monkeypatch, ANGELES)  # it is 05:00 on 1 June
    assert main(["remember", "the kiwi port is 1", "--at", "2026-06-01T05:01"]) == 1
    assert capsys.readouterr().err.startswith("agentmemory: 2026-06-01T05:01 is still to come")
    assert main(["remember", "the kiwi port is 1", "--at", "2026-06-01"]) == 0
