"""What is quoted of others is held where who tells it, or the agent, takes it up; else it is not."""

from __future__ import annotations

from pathlib import Path

import apsw
import pytest

from agentmemory.learn.candidates import candidates
from agentmemory.values import Utterance
from tests.learn.talk import QUEUE, exchanged, held

SAME = "Left as it is."


@pytest.mark.parametrize(
    ("said", "reply"),
    [
        ('An auditor wrote "{} has to be changed every 30 days". That is his standard paragraph. We keep ours.', SAME),
        ('the old wiki still has golden rules, "never merge {} on mondays" and so on. the page can go', "Deleted it."),
        ('My predecessor left a sheet on the wall: "Always restart {} after the import." Pay no attention.', SAME),
        ('the pdf of the vendor: "customers must open {} to our support". yeah no. close the ticket', "Closed."),
        ('In the review Pavel put "every function of {} needs an example". He puts that everywhere.', SAME),
        ('"Kein Deployment von {} ohne Ticket" steht im dritten Stock auf einem Schild. Bei uns nicht.', SAME),
        ('The style guide says "all reports of {} must be in Arial". We have never used Arial here.', SAME),
    ],
)
def test_what_others_say_and_nobody_takes_up_is_not_held(
    db: apsw.Connection, tmp_path: Path, token: str, said: str, reply: str
) -> None:
    exchanged(db, tmp_path, QUEUE, (said.format(token), reply))

    assert not any(token in each for each in held(db))


@pytest.mark.parametrize(
    ("said", "reply"),
    [
        ('Legal sent a note: "names of {} must not appear in file names". So we do that from now on.', "Done."),
        ("The auditor says that every export of {} has to be signed, and he is right.", "All exports are signed now."),
        ("supplier told us {} is limited to 5 calls a second. keep to it or they block us", "Limited to 5 a second."),
        ("our security people require that tokens of {} expire. Not negotiable.", "Tokens expire after 15 minutes."),
        (
            "Rosa says that shifts of {} must be published two weeks ahead. That is the law here.",
            "Published earlier now.",
        ),
        ("my co-founder says that {} does not ship on fridays any more. fine with me", "No releases on Fridays."),
        ('commits of {} read like "fix the sorting of names", never anything longer', "Reworded."),
    ],
)
def test_what_is_taken_up_is(db: apsw.Connection, tmp_path: Path, token: str, said: str, reply: str) -> None:
    exchanged(db, tmp_path, QUEUE, (said.format(token), reply))

    assert any(token in each for each in held(db))


@pytest.mark.parametrize("said", [
    "Ana says {} will be rate limited from Monday, no idea whether that is true",
    "someone in the office thinks {} only takes A5. not sure",
    "apparently the vendor drops {} in june, can't confirm",
    "Tom reckons {} is warmed at midnight, take it with a grain of salt",
    "rumour has it we'll move {} to gitlab next year",
])  # fmt: skip
@pytest.mark.parametrize("before", [(), (QUEUE,)])
def test_what_is_told_of_others_and_doubted_is_not_held(
    db: apsw.Connection, tmp_path: Path, token: str, said: str, before: tuple[tuple[str, str], ...]
) -> None:
    exchanged(db, tmp_path, *before, (said.format(token), "OK."))

    assert not any(token in each for each in held(db))


@pytest.mark.parametrize("said", [
    "Tom confirmed that {} is warmed at midnight", "our ops team says deploys of {} are only allowed before 15:00",
    "legal says we must keep {} for ten years. I doubt it helps. So we keep it from now on",
])  # fmt: skip
def test_what_is_told_of_others_as_sure_is(db: apsw.Connection, tmp_path: Path, token: str, said: str) -> None:
    exchanged(db, tmp_path, QUEUE, (said.format(token), "Good, set."))

    assert any(token in each for each in held(db))


@pytest.mark.parametrize(
    ("said", "reply"),
    [
        ("Marek said in the retro we must never let {} run over five minutes. He meant his pipeline, not ours.", SAME),
        ("Legal told everybody that each run of {} needs two approvals. That is about contracts, we do code.", SAME),
        ("my old prof used to say always test {} first. bless him. here we dont care", "Fine."),
        ("the client wrote that {} must use metric units, he talks about the drawings, not our api", SAME),
        ("The handbook from 2022 says to restart {} by hand. Do not mind that handbook, it is about Redshift.", "OK."),
        ("there's a readme in ops/ about {}, pay no attention, jenkins is gone for two years", "Skipping it."),
    ],
)
def test_what_others_say_of_a_thing_of_theirs_and_what_is_not_to_be_heeded_is_not_held(
    db: apsw.Connection, tmp_path: Path, token: str, said: str, reply: str
) -> None:
    exchanged(db, tmp_path, QUEUE, (said.format(token), reply))

    assert not any(token in each for each in held(db))


def test_what_others_say_of_a_thing_of_theirs_is_held_where_it_is_taken_up(
    db: apsw.Connection, tmp_path: Path, token: str
) -> None:
    said = f"Ben said {token} only ships on mondays. That is for his api, so we do that from now on, too."
    exchanged(db, tmp_path, QUEUE, (said, "Noted, it ships on Mondays from now on."))

    assert any(token in each for each in held(db))


def test_who_says_what_not_to_heed_and_how_it_is_says_how_it_is() -> None:
    said = "dont listen to the old wiki, we deploy with fly"

    assert [c.text for c in candidates(Utterance(0, "user", said, 1.0))] == [said]
