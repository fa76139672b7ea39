"""Search on demand: beliefs and turns that speak to a query, together. Unlike the prompt's block it has no floor."""

from agentmemory.recall import found
from agentmemory.recall.action import action
from agentmemory.recall.begun import begun
from agentmemory.recall.entities import entities
from agentmemory.recall.episodes import search_turns
from agentmemory.recall.fuse import fuse
from agentmemory.recall.inherited import inherited
from agentmemory.recall.lexical import lexical
from agentmemory.recall.meaning import meaning, meant, said
from agentmemory.recall.scopes import scopes
from agentmemory.recall.structure import structure
from agentmemory.recall.supersession import supersession, tell_history
from agentmemory.recall.voices import ON_THAT_DAY
from agentmemory.records import HOLDS, Hit, Query, Row, marks

TYPE_CHECKING = False  # the hot path does not import typing
if TYPE_CHECKING:
    from agentmemory.store.rows import Database

#: the prompt's layers, but for those that make one hit of several: wordings of a fact, steps of a procedure
LAYERS = (structure, lexical, entities, action, meaning, supersession, scopes, inherited)
DISTILLED = 1.5  # a belief against a turn that covers as much of the query: it was meant to last
OUTDATED = 0.5  # a turn that said what a belief has since replaced
BY_MEANING = 1 / 3  # of what a hit means: here words are ranked against words, experiments/LOG.md 2026-11-22
MOST_WAS = 6  # of what a hit replaced, newest first
OF_THE_TIME = 1.0 + ON_THAT_DAY  # as a turn of a day that is asked for
LINKED = 0.5  # what one edge leads to, against the hit that leads there

#: of turns of which nothing that they said holds: what came in its place, the ends of the chains
REPLACED = f"""
    WITH RECURSIVE came(turn, belief) AS (
        SELECT e.turn, b.superseded_by FROM evidence e JOIN belief b ON b.id = e.belief
        WHERE e.turn IN ({{}}) AND e.kind IN ('said', 'restated') AND b.superseded_by IS NOT NULL
        AND NOT EXISTS (
            SELECT 1 FROM evidence o JOIN belief c ON c.id = o.belief
            WHERE o.turn = e.turn AND o.kind IN ('said', 'restated') AND c.state IN {HOLDS})
        UNION SELECT came.turn, b.superseded_by FROM came JOIN belief b ON b.id = came.belief
        WHERE b.superseded_by IS NOT NULL)
    SELECT came.turn, b.id, b.state IN {HOLDS} FROM came JOIN belief b ON b.id = came.belief
    WHERE b.superseded_by IS NULL ORDER BY b.id
"""
COLUMNS = ", ".join(f"b.{name.strip()}" for name in Row.COLUMNS.split(","))
LINKS = f"""
    SELECT e.type, {{0}} AS hit, {COLUMNS} FROM edge e JOIN belief b ON b.id = {{1}}
    WHERE {{0}} IN ({{2}}) AND b.scope IN ({{3}}) AND b.state IN {HOLDS}
    AND e.type NOT IN ('supersedes', 'speculates') AND (e.expires IS NULL OR e.expires > ?)
    ORDER BY e.weight DESC, e.id
"""


def search(db: "Database", query: Query, limit: int, *, turns: bool = True, links: bool = False) -> "list[Hit]":
    """At most *limit* hits, best first; with *links*, what one edge leads to from them follows, labelled `linked:`."""
    hits = search_beliefs(db, query)
    if then := begun(db, query):
        hits = then
        for hit in hits:
            hit.score *= DISTILLED * OF_THE_TIME
    if turns:
        said = search_turns(db, query, limit)
        mark_outdated(db, said, lower=query.as_of is None and not query.about_past)
        hits += said
    hits.sort(key=lambda hit: -hit.score)
    hits = hits[:limit]
    if links:
        hits += neighbours(db, query, hits)
    tell_replaced(db, query, [hit for hit in hits if hit.what == "belief"])
    return hits


def search_beliefs(db: "Database", query: Query) -> "list[Hit]":
    """Beliefs that speak to the query, superseded ones replaced by what stands now (or stood, as of then)."""
    hits: list[Hit] = []
    for layer in LAYERS:
        hits = layer(db, query, hits)
    hits = [hit for hit in fuse(hits) if hit.matched]
    for hit in hits:
        bits = said(hit) + BY_MEANING * meant(hit) / max(1, query.demands)
        covered = min(1.0, bits / query.mass) if query.mass else 0.0
        hit.score = DISTILLED * covered * (1.0 + hit.score)  # the fused score is below 0.2: among equals it decides
    return hits


def mark_outdated(db: "Database", said: "list[Hit]", *, lower: bool) -> None:
    """Mark the turns that said what was replaced since, unless something else they said holds; *lower*: halve their
    scores."""
    if not said:
        return
    hits, ids = {hit.id: hit for hit in said}, [hit.id for hit in said]
    for turn, belief, stands in db.execute(REPLACED.format(marks(ids)), ids).fetchall():
        hit = hits[turn]
        if lower and hit.row.state != "superseded":
            hit.score *= OUTDATED
        hit.row.state = "superseded"
        hit.reasons.append(f"supersession: belief {belief} {'stands now' if stands else 'came in its place'}")
    said.sort(key=lambda hit: -hit.score)


def tell_replaced(db: "Database", query: Query, hits: "list[Hit]") -> None:
    """Give each of the hits what it had replaced by the time the query looks from, newest first. Who searches is told
    that always: the words may be those of what was replaced."""
    for hit in hits:
        hit.was = []
    tell_history(db, hits, query, always=True)
    for hit in hits:
        ended = [row for row in hit.was if query.as_of is None or (row.valid_to or query.now) <= query.as_of]
        hit.was = ended[:MOST_WAS]


def neighbours(db: "Database", query: Query, hits: "list[Hit]") -> "list[Hit]":
    """Beliefs one edge away from the hits and not among them, each once; guesses and expired edges lead nowhere."""
    front = {hit.id: hit for hit in hits if hit.what == "belief"}
    ids = tuple(front)
    known = set(front)
    out = []
    for here, there in (("e.src", "e.dst"), ("e.dst", "e.src")):
        sql = LINKS.format(here, there, marks(ids), marks(query.scopes))
        for type, source, *columns in db.execute(sql, (*ids, *query.scopes, query.now)).fetchall():
            row = Row(*columns)
            if row.id in known or not found.true_then(row, query):
                continue
            known.add(row.id)
            hit = Hit(row.id, row)
            hit.score = hit.scores["linked"] = LINKED * front[source].score
            hit.reasons.append(f"linked: {type} {'from' if here == 'e.src' else 'to'} belief {source}")
            out.append(hit)
    out.sort(key=lambda hit: -hit.score)
    least = min((hit.score for hit in hits), default=0.0)
    for hit in out:  # they follow the hits, so none is worth more than one of those
        hit.score = min(hit.score, least)
    return out
