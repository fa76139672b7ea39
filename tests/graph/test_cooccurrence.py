"""The weights kept while things come and go are those that counting anew gives."""

from __future__ import annotations

import tempfile
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st

from agentmemory.explore.things import related
from agentmemory.learn.entities import mention
from agentmemory.learn.revise import revise
from agentmemory.store import entities as rows
from agentmemory.store import forget, turns, writer
from agentmemory.values import Candidate, Utterance

NAMES = ("Anna", "Bodo", "Cleo", "Dora", "Enno")
steps = st.lists(
    st.tuples(
        st.sampled_from(("turn", "belief", "restated", "from-turn", "forget-belief", "forget-turn")),
        st.lists(st.sampled_from(NAMES), min_size=1, max_size=4, unique=True),
        st.integers(0, 9),
    ),
    max_size=24,
)


@settings(max_examples=60, deadline=None)
@given(steps)
def test_incremental_equals_rebuilt(steps) -> None:
    with tempfile.TemporaryDirectory() as home:
        db = writer.open_store(home)
        with writer.transaction(db):
            play(db, steps)
        kept = rows.pairs(db)
        assert kept == rows.recount(db)
        db.close()
        again = writer.open_store(home)
        assert rows.pairs(again) == kept
        again.close()


def play(db, steps) -> None:
    session = turns.session(db, "s", 1, 0.0)
    said: list[int] = []
    beliefs: list[int] = []
    for i, (what, names, pick) in enumerate(steps):
        text = f"see `{'` with `'.join(names)}` in case {i}"
        at = float(i + 1)
        if what in ("turn", "from-turn"):
            (turn,) = turns.add(db, session, [Utterance(i, "user", text, at)])
            mention(db, 1, text, turn=turn, at=at)
            said.append(turn)
        if what in ("belief", "from-turn"):
            turn = said[-1] if what == "from-turn" else None
            beliefs.append(revise(db, Candidate("fact", text, scope=1, at=at, turn=turn), at).id)
        if what == "restated" and beliefs:
            live = beliefs[pick % len(beliefs)]
            found = db.execute("SELECT text FROM belief WHERE id = ?", (live,)).fetchone()
            if found:
                revise(db, Candidate("fact", found[0], scope=1, at=at), at)
        if what == "forget-belief" and beliefs:
            forget.erase(db, [beliefs.pop(pick % len(beliefs))], [])
        if what == "forget-turn" and said:
            forget.erase(db, [], [said.pop(pick % len(said))])


def test_who_stands_together_once_is_not_near(home: Path, token: str) -> None:
    """Acceptance 11."""
    alice, bob, redis, carol = (f"{name}{token}" for name in ("Alice", "Bob", "Redis", "Carol"))
    db = writer.open_store(str(home))
    texts = [f"{alice} and {bob} use {redis}", f"{alice} and {bob} use {redis}", f"{alice} met {carol}"]
    with writer.transaction(db):
        session = turns.session(db, "s", 1, 0.0)
        ids = turns.add(db, session, [Utterance(i, "user", t, 1.0) for i, t in enumerate(texts)])
        for id, text in zip(ids, texts, strict=True):
            mention(db, 1, text, turn=id, at=1.0)
    db.close()

    again = writer.open_store(str(home))
    weights = {t.name: t.weight for t in related(again, alice, (1,), hops=1, least=1)}
    near = {t.name for t in related(again, alice, (1,), hops=2)}
    again.close()

    assert weights[bob] == 2 and weights[carol] == 1
    assert bob in near and carol not in near


def test_what_is_said_twice_outside_a_transcript_counts_twice(db, token: str) -> None:
    a, b = f"{token}-api", f"{token}-db"
    with writer.transaction(db):
        for at in (1.0, 2.0):
            revise(db, Candidate("fact", f"{a} writes to {b}", scope=1, at=at), at)

    assert [t.weight for t in related(db, a, (1,))] == [2.0]


def test_another_project_is_not_walked_into(db, token: str) -> None:
    from agentmemory.store import scopes

    with writer.transaction(db):
        other = scopes.project(db, "/elsewhere/.git", "", 1.0)
        for at in (1.0, 2.0):
            revise(db, Candidate("fact", f"{token}-api writes to {token}-db case {at}", scope=other, at=at), at)

    assert related(db, f"{token}-api", (1,)) == []
    assert related(db, f"{token}-api", (other,)) != []
