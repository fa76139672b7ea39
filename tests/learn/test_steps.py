"""A routine that is announced in one sentence and begun in the next is one; a step that says a later number than what
is there changes none of it; and a last step that is promised ends nothing."""

from __future__ import annotations

import pytest

from agentmemory.learn import cues, ordinals, steps
from experiments.pieces import Told, played
from tests.learn.test_sequels import talk

AFAR = ("Done.", "our logs are in utc")


def ends(told: Told) -> list[str]:
    """Both ends of each tie, in the order in which it was drawn."""
    return [told.statements[id][1] for tie in told.ties for id in tie]


def states(told: Told) -> list[str]:
    return sorted(state for _, _, state, _ in told.statements.values())


def test_what_only_announces_a_routine_is_no_step_of_it() -> None:
    opening = (
        "new show starts in 2 wk (foxglove). setup of a show has an order. 1: shotgrid first, project + code of 3 "
        "letters, bc everything else reads code from there. rest as we go."
    )
    second = "cool and foxglove so the second bit of setting up a show is nj show init with the code, it makes folders"

    first, then = ends(played(talk(("Ready.", opening), AFAR, ("Shotgrid is set.", second))))

    assert first.startswith("1: shotgrid first") and then == second


def test_what_one_turn_told_stands_in_no_doubt_of_itself() -> None:
    told = {"loose first": 1.0, "rest": 1.0, "going on": 4.0, "called": 6.0}
    alike = [told, dict(told), {"rest": 1.0}]

    assert steps.decided(alike, [7, 7, 3])[1] == 0
    assert steps.decided(alike, [7, 8, 3])[1] is None
    assert steps.decided(alike, [0, 0, 0])[1] is None


@pytest.mark.parametrize("later", [
    "when a till freezes, second: replay the journal as a new day instead of the old one",
    "when a till freezes, third: no replay but the journal of it saved as a new day, over ssh",
])  # fmt: skip
def test_a_step_that_says_a_later_number_replaces_none_before_it(token: str, later: str) -> None:
    first = f"when a till freezes, 1st: dont unplug it, copy the journal with {token} rescue, over ssh"

    told = played(talk(("Ready.", first), AFAR, ("The journal is there.", later)))

    assert states(told) == ["active"] * 3
    assert ends(told) == [first, later]


def test_the_same_step_told_anew_does(token: str) -> None:
    first = f"when a till freezes, 1st: dont unplug it, copy the journal with {token} rescue, over ssh"
    anew = f"when a till freezes, 1st: copy the journal to a stick instead of {token} rescue, no longer over ssh"

    assert "superseded" in states(played(talk(("Ready.", first), AFAR, ("The journal is there.", anew))))


@pytest.mark.parametrize("said", [
    "the last step comes later, i am in a hurry", "theres one last step after that",
    "last step i show when we are there", "the last part waits for the fee group",
    "the last step i shall explain another day",
])  # fmt: skip
def test_a_last_step_that_is_promised_ends_nothing(said: str) -> None:
    assert not ordinals.closes(cues.plain(said))


@pytest.mark.parametrize("said", [
    "the last step is the tag", "last part, after that nothing follows: mail the client",
    "final step: when it is green, tag", "and theres one last step: the note to the client",
    "the last step of a release is push, then we are done",
])  # fmt: skip
def test_one_that_is_told_does(said: str) -> None:
    assert ordinals.closes(cues.plain(said))
