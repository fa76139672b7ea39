"""Rows of beliefs. Every change leaves its before-image in `change`; callers own the transaction."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from agentmemory import confidence
from agentmemory.records import Row
from agentmemory.store import changes, habits
from agentmemory.store.turns import digest, many
from agentmemory.text import stems

if TYPE_CHECKING:
    import apsw

    from agentmemory.store.rows import Database


#: begins the tag by which sleep finds its own rows again: traits of the profile, procedures that were mined
OF_SLEEP = ("trait:", habits.TAG)


class UnknownBelief(Exception):
    """No such belief, or not in the state the change needs."""


@dataclass(frozen=True, slots=True)
class New:
    """The columns of a belief to be inserted; `expansions` are further stems for the low-weight column."""

    scope: int
    kind: str
    text: str
    provenance: str
    valid_from: float
    created: float
    level: int = 1
    keywords: str = ""
    context: str = ""
    tags: str = ""
    triggers: str = ""
    expansions: str = ""
    state: str = "active"
    locked: bool = False


#: a summary repeats what beliefs say: indexed beside them it would crowd them out and make their words look common
UNINDEXED = frozenset(("summary",))
DERIVED = ("summary", "trait")  # nobody said them: they replace only what whoever derived them names

LAST = "last_belief"  # in `meta`: the highest id that was ever forgotten; an id is given once
ADD = f"""
    INSERT INTO belief (id, scope, kind, level, text, terms, cues, keywords, context, tags, triggers, provenance,
        state, locked, alpha, beta, valid_from, created, confirmed, digest)
    VALUES (1 + max((SELECT coalesce(max(id), 0) FROM belief),
        coalesce((SELECT value FROM meta WHERE key = '{LAST}'), 0)),
        ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) RETURNING id
"""
GET = f"SELECT {Row.COLUMNS} FROM belief WHERE id = ?"
TEXTS = "SELECT id, text, scope, state FROM belief WHERE id IN (SELECT value FROM json_each(?))"
SUPERSEDE = """
    UPDATE belief SET superseded_by = :new, valid_to = :at, state = 'superseded'
    WHERE id = :old AND superseded_by IS NULL AND state IN ('active', 'heard', 'proposed', 'archived') RETURNING id
"""
RESTATE = "UPDATE belief SET state = ?, valid_to = ? WHERE id = ? RETURNING id"
LOCK = "UPDATE belief SET locked = ? WHERE id = ? RETURNING id"
COUNTED = ("alpha", "beta", "confirmed")
COUNTS = "UPDATE belief SET alpha = ?, beta = ?, confirmed = ? WHERE id = ? RETURNING id"
CUES_OF = "SELECT keywords, context, tags, triggers, cues FROM belief WHERE id = ?"
SET_CUES = "UPDATE belief SET keywords = ?, context = ?, tags = ?, triggers = ?, cues = ? WHERE id = ?"
COUNT_BELIEFS = """
    INSERT INTO term (stem, beliefs) VALUES (?, ?)
    ON CONFLICT (stem) DO UPDATE SET beliefs = beliefs + excluded.beliefs
"""
FEW_SEGMENTS = "INSERT INTO belief_fts(belief_fts, rank) VALUES ('crisismerge', 2)"
EVIDENCE = "INSERT INTO evidence (belief, kind, weight, turn, start, stop, at, detail) VALUES (?, ?, ?, ?, ?, ?, ?, ?)"
EDGE = """
    INSERT INTO edge (type, src, dst, weight, created, expires, detail) VALUES (?, ?, ?, ?, ?, ?, ?)
    ON CONFLICT (type, src, dst) DO UPDATE SET weight = excluded.weight, expires = excluded.expires,
        detail = CASE WHEN excluded.detail <> '' THEN excluded.detail ELSE detail END
"""
CUT = "DELETE FROM edge WHERE type = ? AND src = ? AND dst = ?"


def few_segments(db: apsw.Connection) -> None:
    """Migration: an index of beliefs is written a belief at a time, and each prompt looks up its words in every piece
    of it; two pieces of a size become one at once, not only sixteen."""
    db.execute(FEW_SEGMENTS)


def add(db: Database, new: New) -> int:
    """Insert a belief with its prior; returns its id."""
    alpha, beta = confidence.prior(new.provenance, new.kind)
    found_by_words = new.kind not in UNINDEXED
    terms = stems(new.text) if found_by_words else []
    cues = _cues(new.keywords, new.context, new.tags, new.triggers, new.expansions) if found_by_words else []
    row = (
        new.scope, new.kind, new.level, new.text, " ".join(terms), " ".join(cues), new.keywords, new.context,
        new.tags, new.triggers, new.provenance, new.state, int(new.locked), alpha, beta, new.valid_from,
        new.created, new.created, digest(new.text, repr(new.created)),
    )  # fmt: skip
    belief = int(db.execute(ADD, row).fetchone()[0])
    many(db, COUNT_BELIEFS, sorted(Counter({*terms, *cues}).items()))
    changes.log(db, "added", belief, None, {"state": new.state}, new.created)
    return belief


def get(db: Database, belief: int) -> Row:
    """One belief.

    Raises:
        UnknownBelief: there is none of this id.
    """
    found = db.execute(GET, (belief,)).fetchone()
    if found is None:
        raise UnknownBelief(f"there is no belief {belief}")
    return Row(*found)


def texts(
    db: Database, ids: Sequence[int], scopes: Sequence[int] | None = None, state: str | None = None
) -> dict[int, str]:
    """What these beliefs say, in their order, without what was forgotten or is not of *scopes*, or not in *state*."""
    rows = db.execute(TEXTS, (json.dumps(ids),)).fetchall()
    found = {
        id: str(text)
        for id, text, scope, now in rows
        if (scopes is None or scope in scopes) and (state is None or now == state)
    }
    return {id: found[id] for id in ids if id in found}


def standing(db: Database, belief: int) -> Row:
    """One belief that stands, or may come to.

    Raises:
        UnknownBelief: there is none of this id, or it was taken back or replaced.
    """
    found = get(db, belief)
    if found.state == "superseded":
        last = head(db, found)
        by = f" by {last.id}; name that one, or" if last.id != belief else ";"
        raise UnknownBelief(f"belief {belief} was replaced{by} state it again")
    if found.state == "retracted":
        raise UnknownBelief(f"belief {belief} was taken back; if it holds after all, state it again")
    return found


def head(db: Database, row: Row) -> Row:
    """What stands at the end of the chain of those that replaced a belief: itself where nothing did."""
    passed = {row.id}
    while row.superseded_by is not None and row.superseded_by not in passed:
        passed.add(row.superseded_by)
        row = get(db, row.superseded_by)
    return row


def supersede(db: Database, old: int, new: int, at: float, how: str = "") -> None:
    """Close *old* in favour of *new* at the time *at*. A belief is superseded once. *how*: IN_PART where *new* leaves
    some of it as it is."""
    before = get(db, old)
    if db.execute(SUPERSEDE, {"old": old, "new": new, "at": at}).fetchone() is None:
        raise UnknownBelief(f"belief {old} is already superseded or retracted")
    link(db, "supersedes", new, old, at, detail=how)
    changes.log(
        db, "superseded", old, {"superseded_by": None, "valid_to": before.valid_to, "state": before.state},
        {"superseded_by": new, "valid_to": at, "state": "superseded"}, at,
    )  # fmt: skip


def set_state(db: Database, belief: int, state: str, at: float, ended: bool = False) -> None:
    """Move a belief to another state (retracted, archived, active ...); *ended* closes its validity."""
    before = get(db, belief)
    valid_to = at if ended else (None if state == "active" else before.valid_to)
    db.execute(RESTATE, (state, valid_to, belief)).fetchone()
    changes.log(
        db, state, belief, {"state": before.state, "valid_to": before.valid_to},
        {"state": state, "valid_to": valid_to}, at,
    )  # fmt: skip


def set_locked(db: Database, belief: int, locked: bool, at: float) -> None:
    """Lock or unlock; the database refuses it for what the user did not say. What is locked stands from then on."""
    before = get(db, belief)
    if locked and before.state in ("heard", "proposed", "archived"):
        set_state(db, belief, "active", at)
    if bool(before.locked) == locked:
        return
    db.execute(LOCK, (int(locked), belief)).fetchone()
    changes.log(db, "locked" if locked else "unlocked", belief, {"locked": before.locked}, {"locked": int(locked)}, at)


def witness(
    db: Database, belief: int, kind: str, weight: float, at: float,
    turn: int | None = None, start: int = 0, stop: int = 0, detail: str = "",
) -> None:  # fmt: skip
    """Append evidence; a weight other than 0 moves the belief's counts, which can be undone."""
    db.execute(EVIDENCE, (belief, kind, weight, turn, start, stop, at, detail))
    if weight:
        b = get(db, belief)
        counts = confidence.observe(b.alpha, b.beta, b.confirmed, b.provenance, b.kind, bool(b.locked), weight, at)
        db.execute(COUNTS, (*counts, belief)).fetchone()
        log_counts(db, kind, b, counts, at)


def log_counts(db: Database, kind: str, before: Row, counts: tuple[float, ...], at: float) -> None:
    """Note that evidence of this *kind* moved a belief's counts, so that `withdraw` can take it out again."""
    old = dict(zip(COUNTED, (before.alpha, before.beta, before.confirmed)))
    changes.log(db, changes.EVIDENCE + kind, before.id, old, dict(zip(COUNTED, counts)), at)


def withdraw(db: Database, belief: int, before: Mapping[str, float], after: Mapping[str, float]) -> None:
    """Take out of a belief's counts what one piece of evidence moved; evidence that came since still counts."""
    b = get(db, belief)
    kind, locked = b.kind, bool(b.locked)
    alpha, beta, confirmed = (before[name] for name in COUNTED)
    if (b.alpha, b.beta, b.confirmed) == tuple(after[name] for name in COUNTED):
        counts = alpha, beta, confirmed
    else:
        aged = confidence.at_time(alpha, beta, b.provenance, kind, locked, after["confirmed"] - confirmed)
        left = 1.0 if locked else confidence.keep(kind, b.confirmed - after["confirmed"])
        least = confidence.prior(b.provenance, kind)
        alpha = max(least[0], b.alpha - (after["alpha"] - aged[0]) * left)
        counts = alpha, max(least[1], b.beta - (after["beta"] - aged[1]) * left), b.confirmed
    db.execute(COUNTS, (*counts, belief)).fetchone()


def evolve(
    db: Database, belief: int, at: float, *, keywords: str | None = None, context: str | None = None,
    tags: str | None = None, why: str = "",
) -> None:  # fmt: skip
    """Change how a belief is found, in place; the old cues go to the evidence log and can be undone.

    A field that is None stays as it is, and so do further stems, and keywords and tags by which sleep finds its rows.
    """
    found = db.execute(CUES_OF, (belief,)).fetchone()
    if found is None:
        raise UnknownBelief(f"there is no belief {belief}")
    old_keywords, old_context, old_tags, triggers, old_cues = found
    if old_tags.startswith(OF_SLEEP):
        keywords = tags = None
    new = (
        old_keywords if keywords is None else keywords, old_context if context is None else context,
        old_tags if tags is None else tags,
    )  # fmt: skip
    described = set(_cues(*found[:4]))
    further = [stem for stem in old_cues.split() if stem not in described]
    cues = " ".join(dict.fromkeys([*_cues(*new, triggers), *further]))
    db.execute(SET_CUES, (*new, triggers, cues, belief))
    recount(db, belief, old_cues, cues)
    before = (old_keywords, old_context, old_tags, old_cues)
    names = ("keywords", "context", "tags", "cues")
    changes.log(db, "evolved", belief, dict(zip(names, before)), dict(zip(names, (*new, cues))), at)
    witness(db, belief, "evolved", 0.0, at, detail=why)


def recount(db: Database, belief: int, before: str, after: str) -> None:
    """Count the stems that came among a belief's cues or went, but for those of its text, which count anyway."""
    own, old, new = set(get(db, belief).terms.split()), set(before.split()), set(after.split())
    many(db, COUNT_BELIEFS, sorted([(s, -1) for s in old - new - own] + [(s, 1) for s in new - old - own]))


def link(
    db: Database, type: str, src: int, dst: int, at: float, weight: float = 1.0,
    expires: float | None = None, detail: str = "",
) -> None:  # fmt: skip
    """Draw an edge between two beliefs, or give the one that stands its new weight."""
    db.execute(EDGE, (type, src, dst, weight, at, expires, detail))


def unlink(db: Database, type: str, src: int, dst: int) -> None:
    """Cut an edge."""
    db.execute(CUT, (type, src, dst))


def _cues(*parts: str) -> list[str]:
    return list(dict.fromkeys(stem for part in parts for stem in stems(part)))
