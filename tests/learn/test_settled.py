"""A short turn is judged as a whole, by what the agent's answer makes of it."""

from __future__ import annotations

from pathlib import Path

import apsw
import pytest

from agentmemory.learn import settled
from agentmemory.learn.candidates import candidates
from agentmemory.learn.digest import answer_of
from agentmemory.learn.register import STRANGERS, Talk
from agentmemory.learn.spelled import meant, taken
from agentmemory.recall.pipeline import block
from agentmemory.records import Query
from agentmemory.values import Candidate, Utterance
from tests.learn.talk import AT, held, sat

AT_WORK = Talk(-10.0, -1.0)


def found(before: str, said: str, reply: str, talk: Talk = STRANGERS) -> list[Candidate]:
    return candidates(Utterance(0, "user", said, AT), (("user", "hm"), ("assistant", before)), True, reply, talk)


@pytest.mark.parametrize(
    ("before", "said", "reply"),
    [
        ("With 6.5 all of the gauges fit on a 1280 screen.", "keep that", "Stays at 6.5."),
        ("Shall I move the jump to the space bar?", "yep", "`Space` jumps, `j` is free."),
        ("They are 14 px now. I'd go to 15.", "do so", "Legends are 15 px."),
        ("TOML or YAML would both be easy to edit.", "second", "The stops are read from `stops.yml`."),
        ("`retries=2` at the moment.", "way too few. 9", "`retries=9`."),
    ],
)
def test_what_a_word_or_two_settle_is_held_with_what_says_it(before: str, said: str, reply: str) -> None:
    stands = [c for c in found(before, said, reply) if not c.tentative]

    assert [c.text for c in stands] == [said]
    assert reply.rstrip(".") in stands[0].context


@pytest.mark.parametrize(
    ("before", "said", "reply"),
    [
        ("Added the endpoint.", "run the tests", "41 passed in 38 s."),
        ("Added the endpoint.", "great, push it", "Pushed to main."),
        ("Four files changed.", "show me the diff", "Here it is: 12 lines in `a.py`."),
        ("Added the endpoint.", "why is it slow", "It reads the whole table for each row."),
    ],
)
def test_what_is_asked_for_once_is_not(before: str, said: str, reply: str) -> None:
    assert all(c.tentative for c in found(before, said, reply))


@pytest.mark.parametrize("talk", [STRANGERS, AT_WORK])
@pytest.mark.parametrize(
    ("before", "said", "reply"),
    [
        ("Reports pile up. I'd drop them after 90 days, is that fine?", "fine by me", "Reports go after 90 days."),
        ("Drafts get lost. I could save them each minute, or ask first.", "the first", "Drafts are saved each minute."),
        ("Ich würde Rechnungen nach zehn Tagen anmahnen.", "gut", "Rechnungen werden nach zehn Tagen angemahnt."),
    ],
)
def test_what_the_agent_proposed_and_the_user_settles_is_held_also_at_work(
    before: str, said: str, reply: str, talk: Talk
) -> None:
    stands = [c for c in found(before, said, reply, talk) if not c.tentative]

    assert [reply.rstrip(".") in c.context for c in stands] == [True]


@pytest.mark.parametrize("talk", [STRANGERS, AT_WORK])
@pytest.mark.parametrize(
    ("before", "said", "reply"),
    [
        ("Two tests are red since the clock changed. Shall I fix them now?", "yes", "Fixed, 88 tests pass."),
        ("I can tag the release too. Shall I?", "not yet", "All right."),
        ("The import stops at row 40. Skip it or ask the shop?", "skip it", "Skipped, 911 rows are in."),
    ],
)
def test_a_task_that_is_assented_to_is_not(before: str, said: str, reply: str, talk: Talk) -> None:
    assert all(c.tentative for c in found(before, said, reply, talk))


def test_a_proposal_is_heard_as_one_in_four_tongues() -> None:
    said = ("I'd keep 30 days.", "Ich würde 30 Tage nehmen.", "Je garderais 30 jours.", "Yo pondría 30 días.")

    assert all(settled.proposes(each) for each in said)
    assert not settled.proposes("All 61 tests pass.")


@pytest.mark.parametrize("reply", ["", "Noted.", "Understood.", "danke", "Reverted."])
def test_an_answer_that_only_takes_note_or_undoes_something_tells_nothing_of_a_turn(reply: str) -> None:
    assert not settled.short("the tests of the parser fail", reply)


def test_a_long_turn_is_judged_by_its_sentences() -> None:
    assert settled.short("nine of them", "Nine retries.")
    assert not settled.short(" ".join(["word"] * (settled.MOST + 1)), "Nine retries.")


def test_what_the_agent_proposed_is_told_where_the_turn_agrees_with_it_or_the_answer_takes_it_up() -> None:
    told = "Level 2 raises it."

    assert meant("yes", "Shall a level need 3 keys?", told) == f"Shall a level need 3 keys? {told}"
    assert meant("do that", "Three keys are enough.", told) == f"Three keys are enough. {told}"
    assert meant("sounds reasonable", "I propose level 2.", told) == f"I propose level 2. {told}"
    assert meant("reasonable", "It is 190 MB.", told) == told
    assert meant("level 2", "I propose level 2.", told) == ""  # the words say it
    assert meant("yes", "Shall a level need 3 keys?", "Done.") == "Shall a level need 3 keys?"
    assert meant("the second", "Luxon is slow. Dayjs is not. Either works.", "Took dayjs.") == "Took dayjs."
    assert meant("reasonable", "It is 190 MB.", "Done.") == ""


def test_what_the_answer_says_anew_of_a_proposal_stands_alone() -> None:
    said = "Job logs are kept for 30 days."

    assert meant("fine", "I'd keep job logs for 30 days.", said) == said


def test_an_answer_to_a_proposal_is_held_with_what_takes_it_up_though_it_says_something_itself() -> None:
    before, said, reply = "A fine of 40 then?", "80, they can pay it", "The fine is 80 euros."

    assert taken(said, before, reply) == reply
    assert taken("80 euros is the fine", before, reply) == ""  # it adds no word
    assert [c.context for c in found(before, said, reply) if not c.tentative] == [reply]


def test_the_block_shows_what_was_agreed_on(db: apsw.Connection, tmp_path: Path) -> None:
    sat(db, tmp_path, ("how long do we keep job logs?", "Nothing deletes them. Shall I keep job logs for 30 days?"),
        ("yes please", "A nightly job deletes logs after 30 days."))  # fmt: skip

    assert "yes please" in held(db)
    assert "30 days" in block(db, Query("for how many days do job logs stay?", AT + 1e6, (2, 1)))


@pytest.mark.parametrize(("before", "said", "reply", "told"), [
    ("Plural snake_case would fit: `lifts`, `trail_sets`.", "good, keep it like that everywhere", "Renamed.",
     "snake_case"),
    ("I could answer each error with problem+json.", "do that, always", "Each endpoint returns problem+json.",
     "problem+json"),
    ("I'd take a queue in Postgres rather than Redis.", "yes, let's do that", "Implemented the queue on Postgres.",
     "Postgres"),
])  # fmt: skip
def test_what_only_points_at_a_proposal_is_kept_with_it(before: str, said: str, reply: str, told: str) -> None:
    assert [told in c.context for c in found(before, said, reply)] == [True]


@pytest.mark.parametrize(
    ("said", "joined"),
    [
        (
            "ok i overdid it. nobody ever sinks now, two testers fell asleep. 115. i did like thirty dives with that",
            "two testers fell asleep. 115.",
        ),
        ("nobody waits for the lift any more. 40 then. and thanks", "nobody waits for the lift any more. 40 then."),
    ],
)
def test_a_value_that_is_a_sentence_goes_with_what_it_is_of(said: str, joined: str) -> None:
    texts = [c.text for c in found("Done.", said, "`BASE` is changed.") if c.sequel != "only"]

    assert any(text.endswith(joined) for text in texts)
    assert not any(len(text.split()) <= 2 for text in texts)


@pytest.mark.parametrize(
    ("said", "reply", "written"),
    [
        ("the nightly backup of {} at 3, borg to nas4", "OK, configured.", "0 3 * * * borg create nas4:/backup"),
        ("core of {} switched to 120 columns", "Set 120 columns in core.", "printWidth: 120"),
        ("new tiffs of {} to nas5, same path", "New TIFFs go to nas5:/data/tiff.", "TIFF_ROOT = 'nas5:/data/tiff'"),
    ],
)
def test_a_file_that_is_edited_for_it_takes_nothing_from_what_a_short_turn_settles(
    token: str, said: str, reply: str, written: str
) -> None:
    said = said.format(token)
    answers = [Utterance(1, "assistant", reply, AT), Utterance(2, "assistant", "", AT, changed=f"src/x.py\n{written}")]

    bare, edited = answer_of(answers[:1]), answer_of(answers)

    assert settled.short(said, edited) == settled.short(said, bare)
    assert settled.odds(said, "", edited) == settled.odds(said, "", bare)


@pytest.mark.parametrize(
    ("said", "reply", "written"),
    [
        ("the reminder rather 24 hours before, people forget it", "It goes out 24 hours before now.", "HOURS = 24"),
        ("page size better 50, people scroll", "The page size is 50 now.", "const PAGE = 50"),
        ("el recordatorio mejor 24 horas antes", "Ahora sale 24 horas antes.", "const HORAS = 24;"),
    ],
)
def test_what_a_short_turn_says_is_held_alike_where_a_file_is_edited_for_it(
    said: str, reply: str, written: str
) -> None:
    answers = [Utterance(1, "assistant", reply, AT), Utterance(2, "assistant", "", AT, changed=f"src/x.py\n{written}")]
    before = (("user", "shop backend in kotlin"), ("assistant", "I had a look at the tree."))

    bare, edited = (
        candidates(Utterance(0, "user", said, AT), before, tentative=True, reply=answer_of(each))
        for each in (answers[:1], answers)
    )
    assert [(c.text, c.tentative, c.heard) for c in bare] == [(c.text, c.tentative, c.heard) for c in edited]
    assert any(not c.tentative or c.heard for c in edited)
