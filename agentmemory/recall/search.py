"""Search on demand: beliefs and turns that speak to a query, together. Unlike the prompt's block it has no floor."""

from math import log

from agentmemory.recall.episodes import search_turns
from agentmemory.records import Hit, Query, Row
from agentmemory.text import stems

TYPE_CHECKING = False  # the hot path does not import typing
if TYPE_CHECKING:
    from agentmemory.store.rows import Database

WIDE = 4  # candidates read for each hit asked for: superseded ones fold into their heads
CUES = 0.5  # what a cue is worth beside a word of the statement itself

B_COLUMNS = ", ".join(f"b.{name.strip()}" for name in Row.COLUMNS.split(","))
IDF = "SELECT stem, beliefs FROM term WHERE beliefs > 0 AND stem IN ({})"
HOW_MANY = "SELECT count(*) FROM belief"
SPEAKING = f"""
    SELECT {B_COLUMNS}, b.cues FROM belief_fts f JOIN belief b ON b.id = f.rowid
    WHERE belief_fts MATCH ? AND b.scope IN ({{}}) AND {{}} ORDER BY bm25(belief_fts, 1.0, {CUES}) LIMIT ?
"""
NOW_TRUE = "b.state IN ('active', 'superseded')"
THEN_TRUE = "b.state <> 'proposed' AND b.valid_from <= ? AND (b.valid_to IS NULL OR b.valid_to > ?)"
BELIEF = f"SELECT {Row.COLUMNS} FROM belief WHERE id = ?"
NEIGHBOURS = f"""
    SELECT e.type, e.src, {B_COLUMNS} FROM edge e JOIN belief b ON b.id = e.dst
    WHERE e.src = :id AND e.type <> 'supersedes' AND b.state = 'active'
    UNION ALL
    SELECT e.type, e.src, {B_COLUMNS} FROM edge e JOIN belief b ON b.id = e.src
    WHERE e.dst = :id AND e.type <> 'supersedes' AND b.state = 'active'
"""


def search(db: "Database", query: Query, limit: int, *, turns: bool = True, links: bool = False) -> "list[Hit]":
    """At most *limit* hits, best first; with *links*, what one edge leads to from them follows, labelled."""
    query.stems = query.stems or list(dict.fromkeys(stems(query.text)))
    hits = search_beliefs(db, query, limit)
    if turns:
        hits += search_turns(db, query, limit)
        hits.sort(key=lambda hit: (-hit.score, hit.what, -hit.id))
    hits = hits[:limit]
    return hits + neighbours(db, query, hits) if links else hits


def search_beliefs(db: "Database", query: Query, limit: int) -> "list[Hit]":
    """Beliefs that hold words of the query; a superseded one gives its place to the head of its chain."""
    if not query.stems:
        return []
    worth = _worths(db, query.stems)
    asked = " OR ".join(f'"{stem}"' for stem in worth)
    if not asked:
        return []
    then = () if query.as_of is None else (query.as_of, query.as_of)
    sql = SPEAKING.format(", ".join("?" * len(query.scopes)), NOW_TRUE if query.as_of is None else THEN_TRUE)
    found: dict[int, Hit] = {}
    for *columns, cues in db.execute(sql, (asked, *query.scopes, *then, WIDE * limit)).fetchall():
        row = Row(*columns)
        score = _coverage(worth, row.terms, cues)
        head = row if query.as_of is not None else _head(db, row)
        if head is None:
            continue
        hit = found.setdefault(head.id, Hit(head.id, head))
        hit.score = max(hit.score, score)
        if head.id != row.id:
            hit.was.append(row)
            hit.reasons.append(f"stands in place of belief {row.id}")
        else:
            hit.reasons.append("shares words")
    hits = sorted(found.values(), key=lambda hit: (-hit.score, -hit.row.valid_from, -hit.id))
    for hit in hits:
        hit.scores["lexical"] = hit.score
    return hits[:limit]


def neighbours(db: "Database", query: Query, hits: "list[Hit]") -> "list[Hit]":
    """Beliefs one edge away from the hits that are not among them, each once, labelled `linked:`."""
    known = {(hit.what, hit.id) for hit in hits}
    out = []
    for hit in hits:
        if hit.what != "belief":
            continue
        for type, src, *columns in db.execute(NEIGHBOURS, {"id": hit.id}).fetchall():
            row = Row(*columns)
            if ("belief", row.id) in known or row.scope not in query.scopes:
                continue
            known.add(("belief", row.id))
            near = Hit(row.id, row)
            near.score = near.scores["linked"] = hit.score / 2
            near.reasons.append(f"linked: {type} {'from' if src == hit.id else 'to'} belief {hit.id}")
            out.append(near)
    return out


def _worths(db: "Database", asked: "list[str]") -> "dict[str, float]":
    count = int(db.execute(HOW_MANY).fetchone()[0])
    rows = db.execute(IDF.format(", ".join("?" * len(asked))), tuple(asked)).fetchall()
    return {stem: log(1 + max(0.0, count - n + 0.5) / (n + 0.5)) for stem, n in rows}


def _coverage(worth: "dict[str, float]", terms: str, cues: str) -> float:
    """How much of what the query's words are worth the belief holds, 0 to 1."""
    said, cued = set(terms.split()), set(cues.split())
    have = sum(w if stem in said else CUES * w if stem in cued else 0.0 for stem, w in worth.items())
    return have / (sum(worth.values()) or 1.0)


def _head(db: "Database", row: Row) -> "Row | None":
    """The belief that stands at the end of this one's chain, None when the chain was taken back."""
    seen = 0
    while row.superseded_by is not None and seen < 1000:
        row = Row(*db.execute(BELIEF, (row.superseded_by,)).fetchone())
        seen += 1
    return row if row.state == "active" else None
