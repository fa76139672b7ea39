"""The memory of a chat under its caps: what is locked always fits, and all of it takes no more than its share."""

from __future__ import annotations

import apsw

from agentmemory.sleep.assembly import MEMORY_SHARE, assemble, caps
from agentmemory.sleep.tiers import Tiers
from agentmemory.store import beliefs, writer
from agentmemory.store.beliefs import New
from agentmemory.text import tokens
from tests.sleep.talk import NOW, say

WINDOW = 1_000


def test_a_rule_that_is_longer_than_its_section_takes_its_room_from_the_conversation(db: apsw.Connection) -> None:
    rule = f"never push before {' and '.join(f'check number {n}' for n in range(24))}"
    said = [f"and then number {i} came, with a crate of apples and a letter for the cook" for i in range(60)]
    say(db, [("user" if i % 2 else "assistant", text) for i, text in enumerate(said)])
    before = assemble(Tiers(db, 1, "s"), "what came?", WINDOW, NOW)
    with writer.transaction(db):
        beliefs.add(db, New(1, "rule", rule, "user", NOW, NOW, locked=True))
    after = assemble(Tiers(db, 1, "s"), "what came?", WINDOW, NOW)

    assert rule in after.stable and tokens(after.stable) > 2 * caps(WINDOW)["constraints"]
    for made in (before, after):
        assert "number 59 came" in made.sections["working"]
        assert sum(map(tokens, made.sections.values())) <= MEMORY_SHARE * WINDOW
    given = tokens(before.sections["working"]) - tokens(after.sections["working"])
    assert given >= tokens(after.stable) - caps(WINDOW)["constraints"] - 20
