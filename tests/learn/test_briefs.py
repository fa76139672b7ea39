"""A brief wording keeps the sentences that carry a belief; a block shows it where it has no room for the whole."""

from __future__ import annotations

import re

import apsw
import pytest

from agentmemory.learn.briefs import brief, likelihoods
from agentmemory.learn.passages import sentences
from agentmemory.learn.rating import rate
from agentmemory.learn.revise import revise
from agentmemory.recall import cover
from agentmemory.recall.pipeline import block
from agentmemory.records import Query
from agentmemory.store import beliefs, scopes, writer
from agentmemory.values import Added, Candidate

NOW = 1_780_000_000.0
TALK = "That is very kind of you. Payments are never retried by hand, the queue does it. He has understood it too."


def believe(db: apsw.Connection, text: str, locked: bool = False) -> int:
    with writer.transaction(db):
        done = revise(db, Candidate("rule", text, scope=scopes.USER, at=NOW, locked=locked), NOW)
    assert isinstance(done, Added)
    return done.id


def asked(db: apsw.Connection, prompt: str) -> str:
    return block(db, Query(prompt, NOW, (scopes.USER,)))


def no_room(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cover, "TO_TELL", 1.0)
    monkeypatch.setattr(cover, "TO_SEEK", 1.0)


def test_what_only_accompanies_a_statement_is_left_out() -> None:
    short, rest = brief(TALK)

    assert "never retried by hand, the queue does it" in short and "kind" not in short
    assert 0.0 < rest < 1.0


@pytest.mark.parametrize(
    "text", ["never retry payments by hand", "Ports start at 9000. Hosts are named after rivers.", "ok", "", "..."]
)
def test_where_all_sentences_carry_something_nothing_is_left_out(text: str) -> None:
    assert brief(text) == ("", 0.0)


def test_what_orders_something_by_its_name_is_not_left_out() -> None:
    order = "Put it into src/queue.py then."
    short, _ = brief(f"That is very kind of you. {order} {TALK}")

    assert order in short and "kind" not in short


def test_what_the_answer_takes_up_counts() -> None:
    rated = [rate(each) for each in sentences("The gauge is read at six. Tomorrow I am away. The skipper knows.")]

    unanswered, answered = likelihoods(rated, "", "Understood."), likelihoods(rated, "", "Noted, the skipper knows.")

    assert answered[2] - unanswered[2] > answered[0] - unanswered[0]


def test_a_complaint_stays_whole() -> None:
    assert brief(TALK)[0] and brief(f"seriously? second time this week i catch that. {TALK}") == ("", 0.0)


def test_what_answers_a_question_carries_more(token: str) -> None:
    rated = [rate(each) for each in sentences(f"{token} lamps. We never leave the pier in the dark.")]

    alone, asked = likelihoods(rated, "", ""), likelihoods(rated, "Which lamps shall I order?", "")

    assert asked[0] > alone[0]


def test_a_sentence_that_leans_on_the_one_before_brings_it() -> None:
    short, _ = brief(
        "Thank you. Nice, thanks. The lift has a brake. It must never be opened at night, always ask Ines."
    )

    assert "It must" not in short or "The lift has a brake. It must" in short


@pytest.mark.parametrize("text", [TALK, "Hm. i guess so. use `make dist` for it! always, (please). thanks a lot, bye."])
def test_a_brief_wording_has_only_sentences_of_the_text_in_their_order(text: str) -> None:
    short, _ = brief(text)
    parts = short.split("…")

    places = [text.index(part.strip()) for part in parts]
    assert places == sorted(places) and len(short) < len(text)
    assert set(re.findall(r"\w+", short)) <= set(re.findall(r"\w+", text))


def test_the_block_is_brief_without_room_and_whole_with_it(
    db: apsw.Connection, token: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = TALK.replace("queue", token)
    id = believe(db, text)

    assert text in asked(db, f"retry our payments of {token} by hand")
    no_room(monkeypatch)
    shown = asked(db, f"retry our payments of {token} by hand")
    assert f"never retried by hand, the {token} does it" in shown and "kind" not in shown
    assert beliefs.get(db, id).text == text


def test_who_asks_why_gets_the_whole(db: apsw.Connection, token: str, monkeypatch: pytest.MonkeyPatch) -> None:
    text = TALK.replace("queue", token)
    believe(db, text)
    no_room(monkeypatch)

    assert text in asked(db, f"why do we not retry our payments of {token} by hand?")


def test_a_why_in_the_middle_of_a_paste_asks_for_nothing(
    db: apsw.Connection, token: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = TALK.replace("queue", token)
    believe(db, text)
    no_room(monkeypatch)
    pasted = "\n" * 5_000 + "why?" + "\n" * 5_000

    assert text not in asked(db, f"retry our payments of {token} by hand {pasted} retry them")


def test_a_locked_rule_stands_word_for_word(db: apsw.Connection, token: str, monkeypatch: pytest.MonkeyPatch) -> None:
    text = TALK.replace("queue", token)
    believe(db, text, locked=True)
    no_room(monkeypatch)

    assert text in asked(db, f"what about our {token}?")
