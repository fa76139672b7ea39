"""The weights kept while things come and go are those that counting anew gives."""

from __future__ import annotations

import json
import tempfile
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st

from agentmemory.explore.things import related
from agentmemory.learn.revise import revise
from agentmemory.memory import Memory
from agentmemory.store import cooccurrence, forget, turns, writer
from agentmemory.values import Candidate, Utterance
from tests.conftest import older_store

NAMES = ("Anna", "Bodo", "Cleo", "Dora", "Enno")
steps = st.lists(
    st.tuples(
        st.sampled_from(("belief", "restated", "from-turn", "forget-belief", "forget-turn")),
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
        kept = pairs(db)
        assert kept == pairs(db, cooccurrence.FROM_MENTIONS)
        db.close()
        again = writer.open_store(home)
        assert pairs(again) == kept
        again.close()


def pairs(db, sql: str = "SELECT src, dst, weight FROM entity_edge") -> dict[tuple[int, int], float]:
    """The weights as the triggers keep them, or as another statement counts them."""
    return {(a, b): weight for a, b, weight in db.execute(sql).fetchall()}


def play(db, steps) -> None:
    session = turns.session(db, "s", 1, 0.0)
    said: list[int] = []
    beliefs: list[int] = []
    for i, (what, names, pick) in enumerate(steps):
        text = f"see `{'` with `'.join(names)}` in case {i}"
        at = float(i + 1)
        turn = None
        if what == "from-turn":
            (turn,) = turns.add(db, session, [Utterance(i, "user", text, at)])
            said.append(turn)
        if what in ("belief", "from-turn"):
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


def learned(folder: Path, project: Path, n: int, *said: str) -> None:
    """Learn a day's session as the client writes it down."""
    session = f"s{n}"
    lines = [
        {"type": role, "sessionId": session, "cwd": str(project), "timestamp": f"2026-05-{n + 1:02d}T10:{i:02d}:00Z",
         "message": {"role": role, "content": text}}
        for i, told in enumerate(said) for role, text in (("user", told), ("assistant", "Noted."))
    ]  # fmt: skip
    path = folder / f"{session}.jsonl"
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    with Memory() as memory:
        memory.learn(str(path))


def test_what_four_sessions_named_together_stands_together(project: Path, tmp_path: Path, token: str) -> None:
    one, other = f"{token}-service", f"{token}-eu1"
    said = (
        f"remember: the {one} reads its topics from {other}", f"remember: the {one} reads its topics from {other}",
        f"the {one} must never write to {other} directly", f"we always restart the {one} after an upgrade of {other}",
    )  # fmt: skip
    for i, text in enumerate(said):
        learned(tmp_path, project, i, text)

    with Memory() as memory:
        assert [(t.name, t.weight) for t in related(memory.db, one, memory.scopes)] == [(other, 4.0)]


def test_who_stands_together_once_is_not_near(project: Path, tmp_path: Path, token: str) -> None:
    """Acceptance 11."""
    alice, bob, redis, carol = (f"{name}{token}" for name in ("Alice", "Bob", "Redis", "Carol"))
    together, met = f"remember: {alice} and {bob} use {redis}", f"{alice} is on call with {carol} every Monday"
    for i, text in enumerate((together, together, met)):
        learned(tmp_path, project, i, text)

    with Memory() as again:
        weights = {t.name: t.weight for t in related(again.db, alice, again.scopes, hops=1, least=1)}
        near = {t.name for t in related(again.db, alice, again.scopes, hops=2)}

    assert weights[bob] == 2 and weights[carol] == 1
    assert bob in near and carol not in near


def test_an_older_store_is_counted_anew(tmp_path: Path) -> None:
    old = older_store(tmp_path, cooccurrence.said_together)
    old.execute("""
        INSERT INTO entity (id, scope, kind, name, norm, created)
            VALUES (1, 1, 'name', 'a', 'a', 0), (2, 1, 'name', 'b', 'b', 0);
        INSERT INTO session (id, key, scope, started) VALUES (1, 's', 1, 0);
        INSERT INTO turn (id, session, position, idx, role, provenance, text, terms, at, digest)
            VALUES (1, 1, 0, 0, 'user', 'user', 'a b', '', 0, x'');
        INSERT INTO belief
            (id, scope, kind, text, terms, provenance, alpha, beta, valid_from, created, confirmed, digest)
            VALUES (1, 1, 'fact', 'a b', '', 'user', 1, 1, 0, 0, 0, x'');
        INSERT INTO evidence (belief, kind, turn, at)
            VALUES (1, 'said', 1, 0), (1, 'restated', NULL, 0), (1, 'heeded', 1, 0);
        INSERT INTO mention (entity, belief) VALUES (1, 1), (2, 1);
        INSERT INTO mention (entity, turn) VALUES (1, 1), (2, 1);
        INSERT INTO entity_edge (type, src, dst, weight, last)
            VALUES ('co-occurs', 1, 2, 9, 0), ('alias-of', 1, 2, 1, 0);
        CREATE TRIGGER pair_untied AFTER UPDATE OF turn ON evidence
            BEGIN UPDATE entity_edge SET type = 'alias-of'; END;
    """)  # fmt: skip
    old.close()

    db = writer.open_store(str(tmp_path))
    assert pairs(db) == {(1, 2): 2.0}
    with writer.transaction(db):
        forget.erase(db, [], [1])
        db.execute("INSERT INTO evidence (belief, kind, at) VALUES (1, 'restated', 1)")
    assert pairs(db) == pairs(db, cooccurrence.FROM_MENTIONS) == {(1, 2): 3.0}
    db.close()


def test_what_is_remembered_twice_counts_twice(db, token: str) -> None:
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
