"""What layers share: rows by id, and hits that are made once and gather scores."""

from agentmemory.records import FOLLOWED, Hit, Query, Row, marks

TYPE_CHECKING = False
if TYPE_CHECKING:
    from agentmemory.store.rows import Database

# a plus sign keeps the planner from an index: without statistics it walks a whole scope for sixty rows
BY_ID = f"SELECT {Row.COLUMNS} FROM belief WHERE id IN ({{}}) AND +scope IN ({{}})"
#: a summary repeats what other beliefs say; it is for tiers and explorers, not for a prompt (experiments/LOG.md)
LIVE = f" AND +state IN {FOLLOWED} AND kind <> 'summary'"
#: as of a time, also what was taken back or archived only later; what was never more than proposed did not stand
STOOD = f"""
    AND kind <> 'summary' AND (+state IN {FOLLOWED} OR EXISTS (
        SELECT 1 FROM change c WHERE c.belief = belief.id AND c.what = belief.state AND c.undone = 0 AND c.at > ?
        AND instr(c.before, '"active"') > 0))
"""


def has_table(db: "Database", name: str) -> bool:
    """Whether the store has a table; one that no newer writer has opened lacks the latest."""
    return db.execute("SELECT 1 FROM sqlite_master WHERE name = ?", (name,)).fetchone() is not None


def rows(db: "Database", ids: "list[int]", query: Query, live: bool = True) -> "dict[int, Row]":
    """Beliefs by id, those of the query's scopes; *live*: without what was retracted, archived or only proposed
    by the time the query looks from."""
    if not ids:
        return {}
    sql = BY_ID.format(marks(ids), marks(query.scopes))
    values: tuple[float, ...] = (*ids, *query.scopes)
    if live:
        sql += LIVE if query.as_of is None else STOOD
        values += () if query.as_of is None else (query.as_of,)
    return {row[0]: Row(*row) for row in db.execute(sql, values).fetchall()}


def bring(hits: "list[Hit]", found: "dict[int, Row]", layer: str, scores: "dict[int, float]", why: str) -> "list[Hit]":
    """The hits with these rows among them, each with its score of *layer* and the reason."""
    known = {hit.id: hit for hit in hits}
    for id, row in found.items():
        hit = known.get(id)
        if hit is None:
            hit = known[id] = Hit(id, row)
        hit.scores[layer] = max(scores.get(id, 0.0), hit.scores.get(layer, 0.0))
        hit.reasons.append(f"{layer}: {why}")
    return list(known.values())


def credit(hit: Hit, other: Hit, share: float = 1.0) -> None:
    """Let *hit* answer what *other* answers, *share* of it at least."""
    for layer, score in other.scores.items():
        hit.scores[layer] = max(hit.scores.get(layer, 0.0), score * share)
    for key, bits in other.matched.items():
        hit.matched[key] = max(hit.matched.get(key, 0.0), bits * share)
    for name, bits in other.via.items():
        hit.via[name] = max(hit.via.get(name, 0.0), bits * share)


def true_then(row: Row, query: Query) -> bool:
    """Whether the belief had begun at the time the query looks from."""
    return query.as_of is None or row.valid_from <= query.as_of
