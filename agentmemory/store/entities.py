"""Rows of entities, what mentions them, and how often two stand together. Callers own the transaction.

Weights are kept by triggers: however a mention or its evidence comes or goes, `entity_edge` follows in the same
statement. The weight of a pair is the number of times that beliefs which mention both were said.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from agentmemory.records import marks

if TYPE_CHECKING:
    from agentmemory.store.rows import Database

NEAR_PREFIX = 4  # letters that two spellings of one name share at least
NEAR_MOST = 200  # names compared with a new one
ALIKE = 93.0  # rapidfuzz ratio: one letter in fourteen; "Daniel" and "Daniela" (92.3) are two people
LONG_ENOUGH = 7  # letters; one edit in a shorter name makes another name

FIND = "SELECT id, kind FROM entity WHERE norm = ? AND +scope = ?"
ADD = "INSERT INTO entity (scope, kind, name, norm, created) VALUES (?, ?, ?, ?, ?) RETURNING id"
SHARPEN = "UPDATE entity SET kind = ? WHERE id = ?"
KNOWN = """
    SELECT e.id, e.kind, e.norm FROM json_each(:norms) j CROSS JOIN entity e ON e.norm = j.value AND +e.scope = :scope
"""
TIE = "INSERT INTO mention (entity, belief) SELECT value, ? FROM json_each(?) WHERE true ON CONFLICT DO NOTHING"
LIKE_NAMED = """
    SELECT id, norm, coalesce(alias_of, id) FROM entity WHERE norm >= ? AND norm < ? AND +scope = ? AND id <> ?
    AND kind IN ('name', 'service', 'package') LIMIT ?
"""
ROOT = "SELECT coalesce(alias_of, id) FROM entity WHERE id = ?"
POINT = "UPDATE entity SET alias_of = ? WHERE id = ? OR id IN (SELECT id FROM entity WHERE alias_of = ?)"
BY_NORM = """
    SELECT coalesce(alias_of, id), norm FROM entity WHERE norm IN ({}) AND +scope IN ({})
"""
FAMILY = """
    SELECT id, coalesce(alias_of, id) FROM entity WHERE id IN ({0})
    UNION SELECT id, alias_of FROM entity WHERE alias_of IN ({0}) AND alias_of IS NOT NULL
"""
AROUND = """
    SELECT src, dst, weight FROM entity_edge WHERE src IN ({0})
    UNION ALL
    SELECT dst, src, weight FROM entity_edge WHERE dst IN ({0})
    ORDER BY 3 DESC, 1, 2 LIMIT ?
"""
NAMES = "SELECT id, coalesce(alias_of, id), name, kind, scope FROM entity WHERE id IN ({})"
TOP = """
    SELECT min(head.id), head.kind, head.name, count(DISTINCT m.belief) FROM mention m
    JOIN entity e ON e.id = m.entity JOIN entity head ON head.id = coalesce(e.alias_of, e.id)
    WHERE e.scope IN ({}) GROUP BY head.norm ORDER BY 4 DESC, 1 LIMIT ?
"""


def tie(
    db: Database, scope: int, found: Sequence[tuple[str, str, str]], plain: Sequence[str], belief: int,
    at: float, rank: Mapping[str, int],
) -> list[int]:  # fmt: skip
    """Mention the things `(kind, name, norm)` and those of the *plain* words that are names already known here."""
    asked = json.dumps([*(norm for _, _, norm in found), *plain])
    known = {norm: (int(id), kind) for id, kind, norm in db.execute(KNOWN, {"norms": asked, "scope": scope}).fetchall()}
    ids = []
    for kind, name, norm in found:
        there = known.pop(norm, None)
        if there is None or rank[kind] > rank.get(there[1], -1):
            ids.append(entity(db, scope, kind, name, norm, at, rank))
        else:
            ids.append(there[0])
    ids = list(dict.fromkeys([*ids, *(id for id, _ in known.values())]))
    if ids:
        db.execute(TIE, (belief, json.dumps(ids)))
    return ids


def entity(db: Database, scope: int, kind: str, name: str, norm: str, at: float, rank: Mapping[str, int]) -> int:
    """The thing of this name in the scope, created when it is new; its kind is the surest one ever read."""
    found = db.execute(FIND, (norm, scope)).fetchone()
    if found is not None:
        if rank[kind] > rank.get(found[1], -1):
            db.execute(SHARPEN, (kind, found[0]))
        return int(found[0])
    id = int(db.execute(ADD, (scope, kind, name, norm, at)).fetchone()[0])
    if kind in ("name", "service", "package") and len(norm) >= LONG_ENOUGH:
        _spelled_alike(db, scope, id, norm)
    return id


def alias(db: Database, other: int, name: int) -> None:
    """*other* is a further name of *name*; whatever pointed to it points on."""
    root = int(db.execute(ROOT, (name,)).fetchone()[0])
    was = int(db.execute(ROOT, (other,)).fetchone()[0])
    if root != was:
        db.execute(POINT, (root, was, was))


def _spelled_alike(db: Database, scope: int, id: int, norm: str) -> None:
    from rapidfuzz import fuzz

    head = norm[:NEAR_PREFIX]
    rows = db.execute(LIKE_NAMED, (head, head + "\U0010ffff", scope, id, NEAR_MOST)).fetchall()
    digits = [c for c in norm if c.isdigit()]
    best: tuple[float, int | None] = (ALIKE, None)
    for _, theirs, root in rows:
        if len(theirs) < LONG_ENOUGH or digits != [c for c in theirs if c.isdigit()]:
            continue
        long, short = (norm, theirs) if len(norm) > len(theirs) else (theirs, norm)
        score = (
            100.0 if long.startswith(short) and long[len(short) :] in ("s", "db", "ql") else fuzz.ratio(norm, theirs)
        )
        if score >= best[0]:
            best = (score, int(root))
    if best[1] is not None:
        alias(db, id, best[1])


def named(db: Database, norms: Sequence[str], scopes: Sequence[int]) -> list[int]:
    """The things (heads of their aliases) that go by one of these norms in one of the scopes."""
    if not norms or not scopes:
        return []
    sql = BY_NORM.format(marks(norms), marks(scopes))
    return list(dict.fromkeys(int(row[0]) for row in db.execute(sql, (*norms, *scopes)).fetchall()))


def family(db: Database, ids: Sequence[int]) -> dict[int, int]:
    """Every entity that is one of *ids* or an alias of one: `{id: head}`."""
    if not ids:
        return {}
    rows = db.execute(FAMILY.format(marks(ids)), (*ids, *ids)).fetchall()
    return {int(id): int(head) for id, head in rows}


def around(db: Database, ids: Sequence[int], limit: int) -> list[tuple[int, int, float]]:
    """`(one of ids, neighbour, weight)` of what stands beside them, heaviest first."""
    if not ids:
        return []
    rows = db.execute(AROUND.format(marks(ids)), (*ids, *ids, limit)).fetchall()
    return [(int(a), int(b), float(w)) for a, b, w in rows]


def names(db: Database, ids: Sequence[int]) -> dict[int, tuple[int, str, str, int]]:
    """`{id: (head, name, kind, scope)}`."""
    if not ids:
        return {}
    rows = db.execute(NAMES.format(marks(ids)), tuple(ids)).fetchall()
    return {int(id): (int(head), name, kind, int(scope)) for id, head, name, kind, scope in rows}


def top(db: Database, scopes: Sequence[int], limit: int) -> list[tuple[int, str, str, int]]:
    """The things that most beliefs of these scopes mention: `(id, kind, name, beliefs)`; one of several scopes or with
    other names is one."""
    rows = db.execute(TOP.format(marks(scopes)), (*scopes, limit)).fetchall()
    return [(int(id), kind, name, int(n)) for id, kind, name, n in rows]
