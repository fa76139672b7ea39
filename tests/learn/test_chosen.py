"""Who chooses one of several things without a verb that says so ("rspamd it is", "ok then orca") has decided, also
where more is said with it and the agent does it at once; "there it is" and "then go" choose nothing."""

from __future__ import annotations

import pytest

from agentmemory.learn.candidates import candidates
from agentmemory.learn.cues import FLAGS, plain
from agentmemory.learn.register import Talk
from agentmemory.values import Utterance

DONE = (
    "Installed in its own jail.\n\n```\npkg install {0}\n```\n\nI ran both side by side on a copy of yesterday's mail."
)


@pytest.mark.parametrize("said", [
    "{0} it is. The old one goes. On the relay host, milter protocol, the queue on localhost",
    "ok then {0}. I'm not writing it forty times. Their flow is right, I tried on three parts at night",
    "48 hours it is then, like {0}. do the batch",
])  # fmt: skip
def test_a_choice_is_held_as_a_decision(token: str, said: str) -> None:
    before = [("user", "what else is there"), ("assistant", f"{token} finds more, the other one is known to you.")]
    text = said.format(token)

    found = candidates(Utterance(2, "user", text, 0.0), before, True, DONE.format(token), Talk(20.0, 0.5))

    assert [c.kind for c in found if token in c.text and not (c.tentative or c.sequel == "only")] == ["decision"]


@pytest.mark.parametrize("said", [
    "There it is.", "ok then go", "it is what it is", "good, leave it as it is", "yes it is", "Is that what it is?",
])  # fmt: skip
def test_nothing_is_chosen(said: str) -> None:
    assert not FLAGS["chosen"].search(plain(said))
