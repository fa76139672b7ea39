"""Summary beliefs and the turns they stand for, their topics, visits and heat. Callers own the transaction."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from agentmemory.records import marks
from agentmemory.store.turns import many

if TYPE_CHECKING:
    from agentmemory.store.rows import Database

STAND_FOR = "INSERT INTO summarizes (belief, turn) VALUES (?, ?) ON CONFLICT DO NOTHING"
TURNS_OF = "SELECT turn FROM summarizes WHERE belief = ? ORDER BY turn"
SESSIONS_OF = "SELECT DISTINCT t.session FROM summarizes z JOIN turn t ON t.id = z.turn WHERE z.belief = ?"
LIVE = """
    SELECT id, scope, level, text, keywords, created, confirmed FROM belief
    WHERE kind = 'summary' AND state = 'active' AND scope IN ({}) ORDER BY id
"""
WORD = "INSERT INTO summary_word (stem, scope, belief) VALUES (?, ?, ?) ON CONFLICT DO NOTHING"
ONE_MORE = "INSERT INTO meta (key, value) VALUES ('summaries', 1) ON CONFLICT (key) DO UPDATE SET value = value + 1"
HOLDING = "SELECT belief FROM summary_word WHERE stem = ? AND scope = ? ORDER BY belief DESC LIMIT ?"
BY_ID = "SELECT id, keywords, level FROM belief WHERE id IN ({}) AND state = 'active' ORDER BY id DESC"
NEWEST = 60  # summaries with a word that are looked at: a topic that rests longer begins anew
KEYWORDS = "SELECT keywords FROM belief WHERE id = ?"
PARENT = """
    SELECT e.src FROM edge e INDEXED BY edge_dst JOIN belief b ON b.id = e.src
    WHERE e.dst = ? AND e.type = 'summarizes' AND b.state = 'active' ORDER BY e.src LIMIT 1
"""
CHILDREN = "SELECT dst FROM edge WHERE src = ? AND type = 'summarizes' ORDER BY dst"
RELATED = """
    SELECT dst FROM edge INDEXED BY edge_src WHERE src = :id AND type = 'relates' AND detail = 'topic'
    UNION SELECT src FROM edge INDEXED BY edge_dst WHERE dst = :id AND type = 'relates' AND detail = 'topic' ORDER BY 1
"""
WARM = """
    SELECT b.id, b.scope,
        (SELECT count(*) FROM injection i WHERE i.belief = b.id AND i.at > coalesce(p.at, 0)) AS visits,
        (SELECT count(*) FROM summarizes z WHERE z.belief = b.id AND z.turn > coalesce(p.turn, 0)) AS length,
        max(coalesce((SELECT max(t.at) FROM summarizes z JOIN turn t ON t.id = z.turn WHERE z.belief = b.id), 0),
            coalesce((SELECT max(i.at) FROM injection i WHERE i.belief = b.id), 0)) AS last
    FROM belief b LEFT JOIN promoted p ON p.belief = b.id
    WHERE b.kind = 'summary' AND b.state = 'active' AND {} ORDER BY b.id
"""
SINCE = """
    b.id IN (SELECT id FROM belief WHERE kind = 'summary' AND id > :belief
        UNION SELECT belief FROM injection WHERE id > :injection)
"""
PROMOTE = """
    INSERT INTO promoted (belief, at, turn)
    VALUES (?, ?, (SELECT coalesce(max(turn), 0) FROM summarizes WHERE belief = ?))
    ON CONFLICT (belief) DO UPDATE SET at = excluded.at, turn = excluded.turn, times = times + 1
"""
ENDS = "SELECT (SELECT coalesce(max(id), 0) FROM belief), (SELECT coalesce(max(id), 0) FROM injection)"


@dataclass(frozen=True, slots=True)
class Summary:
    """A live summary belief."""

    id: int
    scope: int
    level: int
    text: str
    keywords: str
    created: float
    confirmed: float


@dataclass(frozen=True, slots=True)
class Warmth:
    """What heat is computed from: visits and turns since the last promotion, time of the last of either."""

    belief: int
    scope: int
    visits: int
    length: int
    last: float


def keywords(db: Database, belief: int) -> str:
    """The stems by which a summary's topic is known."""
    return str(db.execute(KEYWORDS, (belief,)).fetchone()[0])


def stand_for(db: Database, belief: int, turns: Sequence[int]) -> None:
    """The summary *belief* stands for these turns."""
    many(db, STAND_FOR, [(belief, turn) for turn in turns])


def turns_of(db: Database, belief: int) -> list[int]:
    """The turns a summary stands for; of a higher one those of the summaries below it."""
    own = [int(row[0]) for row in db.execute(TURNS_OF, (belief,)).fetchall()]
    return own or sorted({turn for child in children(db, belief) for turn in turns_of(db, child)})


def sessions_of(db: Database, belief: int) -> set[int]:
    """The sessions a summary's own turns come from."""
    return {int(row[0]) for row in db.execute(SESSIONS_OF, (belief,)).fetchall()}


def live(db: Database, scopes: Sequence[int]) -> list[Summary]:
    """The summaries of these scopes, oldest first."""
    sql = LIVE.format(marks(scopes))
    return [Summary(*row) for row in db.execute(sql, tuple(scopes)).fetchall()]


def index(db: Database, belief: int, scope: int, stems: Sequence[str]) -> None:
    """A new summary's topic is known by these stems; recall is told how many ids are summaries'."""
    db.execute(ONE_MORE)
    many(db, WORD, [(stem, scope, belief) for stem in stems])


def alike(db: Database, scope: int, stems: Sequence[str], limit: int) -> list[tuple[int, str, int]]:
    """`(id, keywords, level)` of live summaries of a scope that share most of *stems*."""
    shared: Counter[int] = Counter()
    for stem in stems:
        shared.update(int(row[0]) for row in db.execute(HOLDING, (stem, scope, NEWEST)).fetchall())
    best = sorted(shared, key=lambda id: (-shared[id], -id))[:limit]
    rows = db.execute(BY_ID.format(marks(best)), tuple(best)).fetchall() if best else []
    return [(int(a), str(b), int(c)) for a, b, c in rows]


def parent(db: Database, belief: int) -> int | None:
    """The summary of summaries above this one."""
    found = db.execute(PARENT, (belief,)).fetchone()
    return int(found[0]) if found else None


def children(db: Database, belief: int) -> list[int]:
    """The summaries that this one stands for."""
    return [int(row[0]) for row in db.execute(CHILDREN, (belief,)).fetchall()]


def same_topic(db: Database, belief: int) -> list[int]:
    """Summaries that were found to be of this one's topic."""
    return [int(row[0]) for row in db.execute(RELATED, {"id": belief}).fetchall()]


def warmth(db: Database, since: tuple[int, int] | None = None) -> list[Warmth]:
    """Of every live summary, or of those new or visited since `(belief id, injection id)`."""
    if since is None:
        rows = db.execute(WARM.format("1")).fetchall()
    else:
        rows = db.execute(WARM.format(SINCE), {"belief": since[0], "injection": since[1]}).fetchall()
    return [Warmth(*row) for row in rows]


def promote(db: Database, belief: int, at: float) -> None:
    """Its heat is spent: visits and turns count from here."""
    db.execute(PROMOTE, (belief, at, belief))


def ends(db: Database) -> tuple[int, int]:
    """Newest `(belief id, injection id)`: from there the next night looks."""
    belief, injection = db.execute(ENDS).fetchone()
    return int(belief), int(injection)
