"""Turns that speak to a question: the words around them, who spoke, when, and where they may be read."""

from __future__ import annotations

import random
import secrets
from collections.abc import Sequence
from datetime import UTC, datetime

import apsw
import pytest

from agentmemory.recall import episodes
from agentmemory.recall.episodes import search_turns
from agentmemory.records import Query
from agentmemory.store import nights, scopes, turns
from agentmemory.store.db import open_read
from agentmemory.values import Utterance

NOW = datetime(2026, 6, 1, 12, tzinfo=UTC).timestamp()
DAY = 86_400.0


def say(
    db: apsw.Connection, *texts: str, session: str = "", at: float = NOW - 400 * DAY, speakers: Sequence[str] = (),
    scope: int = scopes.USER,
) -> list[int]:  # fmt: skip
    """A session in which these texts are said, by user and assistant in turn."""
    row = turns.session(db, session or secrets.token_hex(4), scope, at)
    said = [
        Utterance(
            i,
            "user" if i % 2 == 0 else "assistant",
            text,
            at + i,
            speaker=speakers[i % len(speakers)] if speakers else "",
        )
        for i, text in enumerate(texts)
    ]
    return [id for id in turns.add(db, row, said) if id is not None]


def ask(db: apsw.Connection, text: str, limit: int = 10, **more: object) -> list[int]:
    """Ids of the turns found, best first."""
    query = Query(text, NOW, more.pop("scopes", (scopes.USER,)), **more)  # type: ignore[arg-type]
    return [hit.id for hit in search_turns(db, query, limit)]


def chatter(db: apsw.Connection, sessions: int = 20) -> None:
    """Talk about other things."""
    rng = random.Random(sessions)
    words = ["".join(rng.choices("bcdfglmnprst", k=3)) + rng.choice("aeiou") + "k" for _ in range(400)]
    for _ in range(sessions):
        say(db, *(" ".join(rng.choices(words, k=12)) for _ in range(10)))


def test_the_turn_with_the_words_comes_first(db: apsw.Connection, token: str) -> None:
    chatter(db)
    said = say(db, "good morning", "hello there", f"the {token} gauge leaks", "understood")

    assert ask(db, f"what about the {token} gauge?")[0] == said[2]


def test_an_answer_without_the_words_is_found_by_its_question(db: apsw.Connection, token: str) -> None:
    chatter(db)
    say(db, f"somebody praised {token} once")
    said = say(db, f"Which colour shall the {token} door have?", "Definitely turquoise.", "Fine by all of us.")

    assert set(ask(db, f"{token} door colour", 2)) == {said[0], said[1]}


def test_words_said_later_reach_back_to_the_turn_before(db: apsw.Connection, token: str) -> None:
    said = say(db, "It collapsed on stage.", f"Poor {token}, what a fright!", "Never mind.", "Indeed.", "Bye.", "Bye.")

    assert said[0] in ask(db, token)
    assert said[5] not in ask(db, token)


def test_words_do_not_cross_into_another_session(db: apsw.Connection, token: str) -> None:
    say(db, f"the {token} door")
    (other,) = say(db, "turquoise")

    assert other not in ask(db, token)


def test_who_the_question_names_is_who_said_it(db: apsw.Connection, token: str) -> None:
    said = say(db, f"my {token} is old", f"my {token} is new", speakers=("Annegret", "Bartholomew"))

    assert ask(db, f"How old is Annegret's {token}?")[0] == said[0]
    assert ask(db, f"How old is Bartholomew's {token}?")[0] == said[1]


def test_a_day_in_the_question_finds_what_was_said_that_day(db: apsw.Connection, token: str) -> None:
    days = [datetime(2025, 3, d, 9, tzinfo=UTC).timestamp() for d in (2, 12, 22)]
    said = [say(db, f"we painted the {token} fence", at=at)[0] for at in days]

    assert ask(db, f"What did we do with the {token} fence on 12 March 2025?")[0] == said[1]
    assert ask(db, f"What did we do with the {token} fence on March 2nd, 2025?")[0] == said[0]


@pytest.mark.parametrize("asked", ["in April", "in April 2026", "on 9 April", "between 1 January and 9 April"])
def test_a_time_finds_what_was_said_then_among_much_that_was_said_since(
    db: apsw.Connection, token: str, asked: str
) -> None:
    then = datetime(2026, 4, 9, 12, tzinfo=UTC).timestamp()
    said = say(db, f"the {token} valve was opened by hand", at=then)
    for n in range(400):
        say(db, f"the {token} valve", at=then + DAY * 25 + n)

    assert said[0] in ask(db, f"what was it with the {token} valve {asked}", limit=3)


@pytest.mark.parametrize(
    "asked",
    ["what did we do last Tuesday?", "what did we do Tuesday", "what happened on 26 May 2026",
     "show me everything from the day before yesterday",
     "what have we talked about since Monday?", "and what did I say on Tuesday morning?"],
)  # fmt: skip
def test_a_question_that_names_only_a_time_gets_what_was_said_then(db: apsw.Connection, token: str, asked: str) -> None:
    wednesday = datetime(2026, 5, 27, 12, tzinfo=UTC).timestamp()
    chatter(db)
    say(db, "we did this last Tuesday and said so", "what happened on 26 May, you say", at=wednesday - 30 * DAY)
    then = say(
        db, f"the {token} valve is green", f"Painted the {token} valve, and its door, green.", at=wednesday - DAY
    )
    now = wednesday + (DAY if "yesterday" in asked else 0.0)

    def found(text: str, as_of: float | None = now) -> list[int]:
        return [hit.id for hit in search_turns(db, Query(text, now, (scopes.USER,), as_of), 5)]

    assert found(asked) == (then if " I " in asked else then[::-1])
    assert not set(then) & set(found(asked, wednesday - 20 * DAY))
    assert not set(then) & set(found("what did we do on 3 May?"))


def test_a_time_alone_is_read_in_the_scopes_that_may_be_read(db: apsw.Connection, token: str) -> None:
    with_project = scopes.project(db, "/p/.git", "", NOW)
    said = say(db, f"the {token} valve", scope=with_project, at=NOW - DAY)

    assert ask(db, "what did we do yesterday?") == []
    assert ask(db, "what did we do yesterday?", scopes=(with_project, scopes.USER)) == said


def test_of_equals_the_latest_comes_first(db: apsw.Connection, token: str) -> None:
    old, new = (say(db, f"the {token} review", at=NOW - days * DAY)[0] for days in (30, 1))

    assert ask(db, f"{token} review") == [new, old]


def test_of_equals_the_one_that_sleep_found_worth_more_comes_first(db: apsw.Connection, token: str) -> None:
    older, newer = say(db, f"The {token} is set.")[0], say(db, f"The {token} is set.", at=NOW - 200 * DAY)[0]
    nights.score(db, [(0.8, older), (0.1, newer)])

    assert ask(db, token) == [older, newer]


def test_nothing_said_after_the_time_asked_from_is_found(db: apsw.Connection, token: str) -> None:
    old, new = (say(db, f"the {token} review", at=NOW - days * DAY)[0] for days in (30, 1))

    assert ask(db, f"{token} review", as_of=NOW - 10 * DAY) == [old]
    assert set(ask(db, f"{token} review", as_of=NOW)) == {old, new}


def test_a_neighbour_said_after_the_time_asked_from_stays_hidden(db: apsw.Connection, token: str) -> None:
    row = turns.session(db, "long", scopes.USER, NOW - 9 * DAY)
    first, second = turns.add(
        db, row, [Utterance(0, "user", token, NOW - 9 * DAY), Utterance(1, "user", "aha", NOW - DAY)]
    )

    assert ask(db, token, as_of=NOW - 5 * DAY) == [first]
    assert ask(db, token, as_of=NOW) == [first, second]


def test_a_long_turn_must_earn_its_room(db: apsw.Connection, token: str) -> None:
    filler = " ".join(f"filler{i}" for i in range(400))
    (long,) = say(db, f"the {token} valve {filler}")
    (short,) = say(db, f"the {token} valve sticks")

    assert ask(db, f"{token} valve") == [short, long]


def test_another_scope_is_not_read(db: apsw.Connection, token: str) -> None:
    mine, theirs = (scopes.project(db, f"/p/{name}/.git", "", NOW) for name in ("mine", "theirs"))
    (own,) = say(db, f"{token} here", scope=mine)
    say(db, f"{token} there", f"{token} again", scope=theirs)

    assert ask(db, token, scopes=(mine, scopes.USER)) == [own]


def test_a_small_scope_is_searched_though_a_big_one_shares_its_words(
    db: apsw.Connection, monkeypatch: pytest.MonkeyPatch, token: str
) -> None:
    monkeypatch.setattr(episodes, "CANDIDATES", 5)
    mine, theirs = (scopes.project(db, f"/p/{name}/.git", "", NOW) for name in ("mine", "theirs"))
    (own,) = say(db, f"{token} here", scope=mine)
    say(db, *[f"{token} there"] * 60, scope=theirs)

    assert ask(db, token, scopes=(mine,)) == [own]


def test_a_forgotten_turn_says_nothing_to_its_neighbours(db: apsw.Connection, token: str) -> None:
    from agentmemory.store import forget

    said = say(db, f"the key is {token}", "noted")
    forget.erase(db, [], [said[0]])

    assert ask(db, token) == []


@pytest.mark.parametrize(
    "text", ["", "the and of", "unheard-of-word", '"; DROP TABLE turn; --', "NEAR(a b) OR *", "日本 語"]
)
def test_a_question_without_known_words_finds_nothing(db: apsw.Connection, text: str) -> None:
    say(db, "something else altogether")

    assert ask(db, text) == []


def test_the_hit_names_its_session_and_turn(db: apsw.Connection, token: str) -> None:
    say(db, "hello", f"the {token} gauge", session="s-1")
    (hit, *_) = search_turns(db, Query(token, NOW, (scopes.USER,)), 5)

    assert (hit.what, hit.source, hit.row.text) == ("turn", ("s-1", 1), f"the {token} gauge")


def test_a_reader_of_the_standard_library_finds_the_same(db: apsw.Connection, token: str) -> None:
    say(db, "hello", f"the {token} gauge", "which one?")
    read = open_read(db.filename)

    assert [h.id for h in search_turns(read, Query(token, NOW, (scopes.USER,)), 9)] == ask(db, token)


def test_the_work_does_not_grow_with_the_store(db: apsw.Connection, token: str) -> None:
    """However common its words are, a question reads no more of the index and of the turns than is set."""

    def steps() -> int:
        seen = 0

        def count() -> bool:
            nonlocal seen
            seen += 1
            return False

        db.set_progress_handler(count, 100)
        ask(db, "shared words everywhere")
        db.set_progress_handler(None)
        return seen

    def grow(sessions: int) -> int:
        for _ in range(sessions):
            say(db, *["shared words everywhere"] * 100)
        return steps()

    grow(60)
    small, big = steps(), grow(180)

    assert big < 1.5 * small
