"""To what a statement gives a value: the same thing told anew gives way, what is named as the reason or in another case
stays."""

from __future__ import annotations

from pathlib import Path

import apsw
import pytest

from agentmemory.learn import given
from tests.learn.talk import held, taken_up


@pytest.mark.parametrize(
    ("reason", "before", "now"),
    [
        ("search timeout is 3s", "checkout timeout is 5s", "checkout timeout 8s then, search got slower"),
        ("web gets 2 GB of memory", "worker gets 3 GB of memory", "worker at 4 GB then, web got hungrier"),
        ("small parcels cost 4 euros", "big parcels cost 9 euros", "big parcels 10 euros, the small ones got popular"),
        ("the login call may take 4 s", "the upload call may take 20 s", "upload 40 s, login eats half of it"),
        (
            "train set is 80 percent",
            "validation set is 10 percent",
            "validation set 15 percent then, train has more than enough",
        ),
    ],
)
def test_what_is_named_as_the_reason_stays_and_what_is_told_anew_gives_way(
    db: apsw.Connection, tmp_path: Path, reason: str, before: str, now: str
) -> None:
    taken_up(db, tmp_path, reason, before, now)

    assert reason in held(db) and now in held(db) and before in held(db, "superseded")


@pytest.mark.parametrize(
    ("before", "now"),
    [
        ("the boss has 300 hp", "boss at 450 hp because players one-shot it"),
        ("rehearsals start at 19:00", "rehearsals start at 19:30 because the bus comes late"),
        ("the api timeout is 10s", "fix the flaky test, it still assumes 15s, the api timeout is 20s now"),
        ("submission is august 15", "the chair is ill so the submission moves to september 30, what a mess"),
        ("der beitrag ist 40 euro", "schreib die mail, der beitrag ist ab jetzt 45 euro"),
        ("grafana listens on 3000", "grafana is on 3005, the debugger took the port"),
    ],
)
def test_a_clause_that_gives_the_same_thing_another_value_is_enough(
    db: apsw.Connection, tmp_path: Path, before: str, now: str
) -> None:
    taken_up(db, tmp_path, before, now)

    assert before in held(db, "superseded") and now in held(db)


def test_what_the_answer_says_in_full_is_told_anew(db: apsw.Connection, tmp_path: Path) -> None:
    taken_up(db, tmp_path, "payout has 2 replicas", "payout lags, give it 4", answer="payout has 4 replicas.")

    assert "payout has 2 replicas" in held(db, "superseded")


@pytest.mark.parametrize(
    "values",
    [
        ("the api timeout is 10s", "write the changelog, and say the api timeout is 15s now", "the api timeout is 20s"),
        ("the boss has 300 hp", "new tutorial text, the boss has 350 hp now", "the boss has 400 hp after the playtest"),
        ("probe ist dienstags", "schick die mail, dass probe jetzt mittwochs ist", "probe ist jetzt donnerstags"),
    ],
)
def test_of_three_values_one_of_them_said_in_passing_the_last_one_stands(
    db: apsw.Connection, tmp_path: Path, values: tuple[str, str, str]
) -> None:
    taken_up(db, tmp_path, *values)

    assert values[2] in held(db) and not set(values[:2]) & {*held(db), *held(db, "heard")}


@pytest.mark.parametrize(
    ("first", "then", "again"),
    [
        ("cache ttl is 60s", "cache ttl is 300s now", "Cache ttl is 60s again"),
        ("we deploy with ansible", "we deploy with fabric now", "we deploy with ansible again"),
        ("grafana listens on 3000", "grafana listens on 3005 now", "grafana is on 3000 again"),
        ("geese do 10 damage", "geese do 14 damage now", "geese do 10 again, 14 was too much"),
        ("der beitrag ist 40 euro", "der beitrag ist jetzt 45 euro", "der beitrag ist wieder 40 euro"),
    ],
)
def test_what_is_so_again_ends_what_had_replaced_it(
    db: apsw.Connection, tmp_path: Path, first: str, then: str, again: str
) -> None:
    taken_up(db, tmp_path, first, then, again)

    assert again in held(db) and {first, then} <= set(held(db, "superseded"))


@pytest.mark.parametrize(
    ("everywhere", "here"),
    [
        ("geese do 10 damage", "on hard mode geese do 14"),
        ("pods get 2 GB", "on the gpu nodes pods get 8 GB"),
        ("uploads may have 10 MB", "when logged in uploads may have 50 MB"),
        ("entry costs 12 euros", "for students entry costs 6 euros"),
        ("the form has 6 fields", "if they are logged in the form has 3 fields"),
        ("swords cost 40 gold", "magic swords cost 90 gold"),
        ("logs are kept 14 days", "error logs are kept 90 days"),
    ],
)
def test_a_value_for_one_case_that_is_named_first_leaves_the_one_for_all(
    db: apsw.Connection, tmp_path: Path, everywhere: str, here: str
) -> None:
    taken_up(db, tmp_path, everywhere, here)

    assert {everywhere, here} <= set(held(db))


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("archers do 8 damage", "knights do 11 damage"),
        ("goblins have 20 hp", "trolls have 60 hp"),
    ],
)
def test_the_same_sentence_of_another_thing_replaces_nothing(
    db: apsw.Connection, tmp_path: Path, one: str, other: str
) -> None:
    taken_up(db, tmp_path, one, other)

    assert {one, other} <= set(held(db))


def test_with_how_many_something_starts_is_no_step_of_a_routine(db: apsw.Connection, tmp_path: Path) -> None:
    taken_up(db, tmp_path, "players start with 3 lives", "update the wiki, players start with 5 lives now")

    assert "players start with 3 lives" in held(db, "superseded")


@pytest.mark.parametrize(
    ("before", "now"),
    [
        ("geese do 10 damage", "from now on geese do 14 damage"),
        ("uploads may have 10 MB", "for the record uploads may have 50 MB now"),
        ("the cart holds 20 items", "in the end the cart holds 30 items"),
        ("pods get 2 GB", "after the upgrade pods get 4 GB"),
        ("the timeout is 5s", "if you ask me the timeout is 9s"),
    ],
)
def test_what_only_sounds_like_a_case_is_none(before: str, now: str) -> None:
    assert not given.in_one_case(now, before) and not given.of_a_kind(now, before)


@pytest.mark.parametrize(
    ("before", "new"),
    [
        ("the dev server listens on 3100", "admin panel dev server: port 3200"),
        ("exercise videos: max 8 MB each", "coach voice clips: max 300 KB"),
        ("logs are kept 15 days", "the boxes are watched by a single node, retention 90 days"),
        ("billing retries 3 times", "billing at 04:00"),
        ("search timeout is 3s", "perhaps the search timeout is 5s"),
        ("the session lasts 20 minutes", "the reset link lasts 30 minutes"),
    ],
)
def test_another_thing_another_kind_of_value_and_a_doubt_tell_nothing_anew(before: str, new: str) -> None:
    assert not given.anew(new, before)


@pytest.mark.parametrize(
    ("before", "new"),
    [
        ("licence apache 2.0, base is llama 3 8b", "redo the card, from today base is qwen 3 8b, licence MIT"),
        (
            "eta is shown in steps of 15 min",
            "retrain eta with june data. display steps are 5 minutes since the new app",
        ),
        ("p95 budget is 400 ms", "tighten the p95 to 250, product promised that, so it's the budget from now on"),
        ("the honeypot runs ssh on port 2222", "note: firewall forwards 22 to 22022, the honeypot is there"),
        ("payout has 2 replicas", "payout lags, give it 4"),
        ("default size 50Gi if they don't ask", "one microscope stack is 70 gigs, i was told. default 200 then"),
    ],
)
def test_what_the_value_is_of_may_be_named_before_or_after_it(before: str, new: str) -> None:
    assert not given.only_a_reason(new, before)


def test_a_value_may_say_behind_it_of_what_it_is() -> None:
    before = "The goal is 60 fps on the deck, full stop"

    assert given.anew("OK so we're at 40 fps on the deck, locked", before)
    assert not given.anew("OK so we're at 40 fps on the laptop, locked", before)
    assert not given.anew("the deck has 40 fps in the menu and 60 fps on the deck", before)
