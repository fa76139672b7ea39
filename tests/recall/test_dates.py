"""Times that a question names become stretches of days."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentmemory.recall import dates

EPOCH = date(1970, 1, 1)
NOW = datetime(2026, 6, 17, 12, tzinfo=UTC).timestamp()  # a Wednesday


def spoken(text: str, now: float = NOW) -> list[tuple[str, str]]:
    """The windows of a text as ISO dates."""
    return [(str(EPOCH + timedelta(a)), str(EPOCH + timedelta(b))) for a, b in dates.said(text, now)]


@given(st.dates(min_value=EPOCH, max_value=date(2200, 1, 1)))
def test_a_day_number_counts_days_of_the_calendar(day: date) -> None:
    number = (day - EPOCH).days

    assert dates.day_number(day.year, day.month, day.day) == number
    assert dates.year_of(number) == day.year


@pytest.mark.parametrize(
    ("text", "first", "last"),
    [
        ("what did we say on 3 May 2026?", "2026-05-03", "2026-05-03"),
        ("what broke on May 3rd, 2026?", "2026-05-03", "2026-05-03"),
        ("the outage of 2026-05-03", "2026-05-03", "2026-05-03"),
        ("decisions of February 2024", "2024-02-01", "2024-02-29"),
        ("what did I plan in December 2025", "2025-12-01", "2025-12-31"),
        ("what happened in 2024?", "2024-01-01", "2024-12-31"),
        ("what did I break yesterday", "2026-06-16", "2026-06-16"),
        ("what did I promise last Friday", "2026-06-12", "2026-06-12"),
        ("three days ago", "2026-06-14", "2026-06-14"),
        ("two weeks ago", "2026-05-31", "2026-06-06"),
        ("what broke in the last two weeks", "2026-06-03", "2026-06-17"),
        ("what did we say in the past 3 days", "2026-06-14", "2026-06-17"),
        ("what broke a couple of weeks ago", "2026-05-31", "2026-06-06"),
        ("what broke in the last couple of weeks", "2026-06-03", "2026-06-17"),
        ("what did we say a fortnight ago", "2026-05-27", "2026-06-10"),
        ("what did we say half a year ago", "2025-09-17", "2026-03-18"),
        ("what did we change over the past month", "2026-05-18", "2026-06-17"),
        ("what did I break the day before yesterday", "2026-06-15", "2026-06-15"),
        ("what did we do over the weekend", "2026-06-13", "2026-06-14"),
        ("what failed on Tuesday night", "2026-06-16", "2026-06-16"),
        ("what did you tell me Monday morning", "2026-06-15", "2026-06-15"),
        ("what did we do Monday", "2026-06-15", "2026-06-15"),
        ("what happened Wednesday?", "2026-06-10", "2026-06-10"),
        ("what did I ask Friday about the parser", "2026-06-12", "2026-06-12"),
        ("what did we decide this Wednesday", "2026-06-17", "2026-06-17"),
        ("what has changed since Friday", "2026-06-12", "2026-06-17"),
        ("what has changed since the 3rd of May", "2026-05-03", "2026-06-17"),
        ("what broke from last Tuesday to yesterday", "2026-06-16", "2026-06-16"),
        ("what we said the week before 3 May 2026", "2026-05-03", "2026-05-03"),
        ("what broke between March and May 2026", "2026-03-01", "2026-05-31"),
        ("what broke from November 2025 to February 2026", "2025-11-01", "2026-02-28"),
        ("what broke from 3 to 10 May 2026", "2026-05-03", "2026-05-10"),
        ("what broke between the 3rd and the 10th of May 2026", "2026-05-03", "2026-05-10"),
        ("moved from production to staging last night", "2026-06-16", "2026-06-17"),
        ("what did I ask two hours ago", "2026-06-17", "2026-06-17"),
        ("what broke in the last 24 hours", "2026-06-16", "2026-06-17"),
        ("what did I ask 10 minutes ago", "2026-06-17", "2026-06-17"),
        ("what broke in the last 30 minutes", "2026-06-17", "2026-06-17"),
        ("what broke in the last hour", "2026-06-17", "2026-06-17"),
        ("what broke in the last day", "2026-06-16", "2026-06-17"),
        ("what broke on the last day of May 2026", "2026-05-01", "2026-05-31"),
        ("what did I decide this week", "2026-06-15", "2026-06-21"),
        ("what did I decide this month", "2026-06-01", "2026-06-30"),
        ("what did I ask this morning", "2026-06-17", "2026-06-17"),
        ("what failed last night", "2026-06-16", "2026-06-17"),
        ("decisions of 2026-04", "2026-04-01", "2026-04-30"),
        ("what broke at 2026-05-03T10:30?", "2026-05-03", "2026-05-03"),
        ("what did we say on 5.4.2026", "2026-04-05", "2026-04-05"),
        ("what did we say on 05.04.2026.", "2026-04-05", "2026-04-05"),
        ("the outage of 13/05/2026", "2026-05-13", "2026-05-13"),
        ("the outage of 05/13/2026", "2026-05-13", "2026-05-13"),
        ("the outage of 13-05-2026", "2026-05-13", "2026-05-13"),
        ("the outage of 2026/5/13", "2026-05-13", "2026-05-13"),
        ("decisions of 05/2026", "2026-05-01", "2026-05-31"),
        ("the deadline 31/02/2026 that cannot be", "2026-01-01", "2026-12-31"),
    ],
)
def test_a_time_is_understood(text: str, first: str, last: str) -> None:
    assert spoken(text) == [(first, last)]


def test_a_year_said_once_holds_for_all_days_of_the_question() -> None:
    assert spoken("between August 11 and August 15 2023") == [("2023-08-11", "2023-08-15")]
    assert spoken("August 11 or August 15 2023") == [("2023-08-11", "2023-08-11"), ("2023-08-15", "2023-08-15")]


def test_a_stretch_without_a_year_is_looked_for_in_each_and_what_goes_on_till_today_in_the_latest() -> None:
    assert ("2025-05-03", "2025-05-10") in spoken("what broke May 3-10?")
    assert ("2025-11-01", "2026-02-28") in spoken("between November and February")
    assert spoken("since November") == [("2025-11-01", "2026-06-17")]


def test_a_day_without_a_year_is_looked_for_in_each() -> None:
    found = spoken("the release of 3 June")

    assert ("2026-06-03", "2026-06-03") in found
    assert ("2025-06-03", "2025-06-03") in found


@pytest.mark.parametrize(
    "text",
    ["may I march on?", "port 8080", "version 3", "99999 days ago", "", "ago", "last", "31 February", "next weekend",
     "every Friday", "what is due Friday", "did we move the Friday meeting", "what did we plan for Friday",
     "was it due by Friday", "a last minute change", "a couple of servers", "since version 3", "after a retry",
     "from 3 to 10"],
)  # fmt: skip
def test_words_that_only_look_like_times_are_none(text: str) -> None:
    assert spoken(text) == []


@given(st.text(max_size=60))
def test_any_text_is_read(text: str) -> None:
    for first, last in dates.said(text, NOW):
        assert first <= last


@given(st.integers(0, 60))
def test_closeness_falls_with_every_day(away: int) -> None:
    window = [(20_000, 20_002)]
    at = [dates.closeness((20_002 + d) * 86_400.0, window) for d in (0, away, away + 1)]

    assert at[0] == 1.0
    assert 1.0 >= at[1] >= at[2] >= 0.0


def test_a_date_that_can_be_read_two_ways_means_both_days() -> None:
    assert spoken("what did we decide on 04/05/2026?") == [("2026-05-04", "2026-05-04"), ("2026-04-05", "2026-04-05")]
    assert spoken("on 5/5/2026") == [("2026-05-05", "2026-05-05")]


def test_both_ends_of_a_stretch_in_digits_are_found() -> None:
    assert spoken("between 2026-05-03 and 7.5.2026") == [("2026-05-03", "2026-05-07")]
    assert spoken("2026-05-03..2026-05-07") == [("2026-05-03", "2026-05-03"), ("2026-05-07", "2026-05-07")]


def test_the_last_weekend_is_over_and_the_weekend_may_be_now() -> None:
    sunday = datetime(2026, 6, 21, 12, tzinfo=UTC).timestamp()

    assert spoken("what did we do this weekend", sunday) == [("2026-06-20", "2026-06-21")]
    assert spoken("what did we do last weekend", sunday) == [("2026-06-13", "2026-06-14")]


def test_a_day_that_a_year_lacks_is_looked_for_in_the_others() -> None:
    assert spoken("the bug of 29 February") == [("2020-02-29", "2020-02-29"), ("2024-02-29", "2024-02-29")]


@pytest.mark.parametrize(
    ("text", "alone"),
    [
        ("What did we discuss earlier today?", True),
        ("What changed half an hour ago?", True),
        ("What did I say 20 minutes ago?", True),
        ("what did we do last Tuesday?", True),
        ("yesterday", True),
        ("summarize the last 3 days", True),
        ("what happened on November 10", True),
        ("what did you suggest on 2026-05-03", True),
        ("November 10", False),
        ("2026", False),
        ("what did we deploy yesterday", False),
        ("what did Bartholomew say yesterday", False),
        ("what did we decide in May?", True),
        ("which decisions have I made since Monday", True),
        ("what did we decide about lamps in May?", False),
    ],
)
def test_a_question_may_ask_for_a_time_alone(text: str, alone: bool) -> None:
    assert dates.alone(text) is alone
