"""A last step that is promised ends nothing."""

from __future__ import annotations

import pytest

from agentmemory.learn import cues, ordinals


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
