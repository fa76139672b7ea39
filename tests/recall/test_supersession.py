"""What is true now answers for what was, in whatever order both were found."""

from __future__ import annotations

import apsw

from agentmemory.recall.supersession import supersession
from agentmemory.records import Hit
from agentmemory.store import beliefs
from tests.recall.conftest import Ask, Teach


def test_what_a_head_matched_itself_counts_in_full_also_behind_its_predecessor(
    db: apsw.Connection, teach: Teach, ask: Ask
) -> None:
    old = teach("the relay listens on 8080")
    new = teach("the relay listens on 9443", replaces=old)

    scores = []
    for order in ((old, new), (new, old)):
        hits = [Hit(id, beliefs.get(db, id)) for id in order]
        for hit in hits:
            hit.scores = {"lexical": 4.0 if hit.id == new else 2.0}
        (head,) = supersession(db, ask("which port?"), hits)
        scores.append((head.id, head.scores))

    assert scores == [(new, {"lexical": 4.0})] * 2
