"""What is said around a request changes nothing of what stands beside it."""

from __future__ import annotations

import apsw
import pytest

from agentmemory.recall import talk
from agentmemory.recall.pipeline import block
from tests.recall.conftest import Ask, Teach

SAID = "add a column to the events table"
LED_IN = (
    "So the thing is,", "I'm trying to get this done before lunch, so,", "My manager just asked me about this:",
    "I might be wrong here, but", "Honestly, I have no idea how to go about it.",
    "Hi!", "Hey Claude,", "Good morning.", "Could you help me with something?", "I have a question:", "Hello there,",
    "Sorry to bother you again, one more thing:", "Okay, next task.",
    "Guten Morgen!", "Bonjour,", "Thanks a lot! Now the following:", "That works.",
    "Perfect, looks good to me!", "lgtm.", "yes, all green now. Next:",
)  # fmt: skip
ENDED = (
    "Any ideas?", "It's a bit urgent.", "I'd rather get it right the first time.", "You know what I mean.",
    "Thanks!", "Thank you very much in advance.", "Think hard before you answer.", "Take your time, be thorough.",
    "Don't rush it.", "I'd appreciate it, cheers.", "ultrathink", "Keep it brief.", "Vielen Dank!", "muchas gracias",
)  # fmt: skip


@pytest.mark.parametrize("around", LED_IN)
def test_what_leads_in_a_request_is_left_out(around: str) -> None:
    assert talk.apart(f"{around} {SAID}")[0].removeprefix("but ") == SAID


@pytest.mark.parametrize("around", ENDED)
def test_what_ends_it_is_left_out(around: str) -> None:
    for stop in (". ", "!\n\n"):
        assert talk.apart(f"{SAID}{stop}{around}")[0] == f"{SAID}{stop}".strip()


@pytest.mark.parametrize(
    "ending", ["thanks", "many thanks", "and thanks a lot", "thank you so much for your help", "ultrathink"]
)
def test_no_stop_needs_to_stand_before_a_goodbye(ending: str) -> None:
    assert talk.apart(f"{SAID} {ending}") == (SAID, "")


def test_blank_lines_are_no_end_of_it() -> None:
    assert talk.apart(f"Hi!\n\nI have a question:\n\n{SAID}\n\nThanks!\n\nCheers\n") == (SAID, "")


def test_what_is_named_around_a_request_is_told_apart() -> None:
    assert talk.apart(f"My boss told me about Zephyr, {SAID}. Sorry!") == (f"{SAID}.", "Zephyr,")


@pytest.mark.parametrize(
    "text",
    [
        "thanks", "help, please", "help me with the release", "what is the Swahili word for thanks",
        "be careful with the prod database", "are we still in time?", "think about the cache layer",
        "hello world in rust", "which question did the customer ask", "", "\n",
        "works only on mondays, is that right?",
        "the tuesday job needs more time. how long does it take?", "every evening, families get a reminder",
        "deploy the api, then the workers, and tell me the version", "not the staging host, the one for invoices",
    ],
)  # fmt: skip
def test_what_is_asked_for_stays(text: str) -> None:
    assert talk.apart(text) == (text, "")


@pytest.mark.parametrize(
    "prompt", ["{}", "Hi! Could you please help me with this? {} Think hard before you answer, thanks!"]
)
def test_a_polite_question_of_anybodys_is_met_with_silence(
    db: apsw.Connection, teach: Teach, ask: Ask, prompt: str
) -> None:
    for said in (
        "no answer at all is also an answer: the importer returns nothing", "help is what the desk is for",
        "you must not call the host online, the replica answers", "think of the auditors: this log line has no names",
    ):  # fmt: skip
        teach(said)

    assert block(db, ask(prompt.format("what is a bloom filter?"))) == ""


def test_a_polite_request_gets_what_a_plain_one_gets(db: apsw.Connection, teach: Teach, ask: Ask, token: str) -> None:
    teach(f"columns of the {token} table are added by a migration, never by hand")
    plain = f"add a column to the {token} table"

    assert token in block(db, ask(plain))
    assert block(db, ask(f"Good morning, one quick thing: {plain}. Many thanks")) == block(db, ask(f"{plain}."))


@pytest.mark.parametrize(
    "prompt", ["thanks, that's it for today", "hi", "good morning!", "perfect, thank you", "see you tomorrow"]
)
def test_talk_alone_is_told_nothing(db: apsw.Connection, teach: Teach, ask: Ask, prompt: str) -> None:
    teach("today the mornings of the team are for reviews, tomorrow too")
    teach("a good morning job takes a perfect minute")

    assert block(db, ask(prompt)) == ""
