"""Layer 3: beliefs whose triggers (verb, target, tool, path, file type) the request activates, unasked.

Triggers were written when the belief was; here they are only compared with what layer 0 found.
"""

from agentmemory.recall import found
from agentmemory.records import Hit, Query, Row
from agentmemory.text import stems

TYPE_CHECKING = False
if TYPE_CHECKING:
    from agentmemory.store.rows import Database

PER_WORD = 24  # newest beliefs looked at for a word of the request
WORDS = 10  # words of the request that are looked up
PATH_BITS = 5.0  # a path that the trigger names: as telling as a word one belief in 32 has
TYPE_BITS = 2.0  # a file type
CARRIED = 1.4  # a trigger's word against a word of the text

CUED = f"""
    SELECT {", ".join("b." + c.strip() for c in Row.COLUMNS.split(","))} FROM
        (SELECT rowid AS id FROM belief_fts WHERE belief_fts MATCH ? ORDER BY rowid DESC LIMIT {PER_WORD}) f
    CROSS JOIN belief b ON b.id = f.id
    WHERE b.triggers <> '' AND +b.scope IN ({{}}) AND +b.state IN ('active', 'superseded')
"""


def action(db: "Database", query: Query, hits: "list[Hit]") -> "list[Hit]":
    """Add what the request calls for, and raise what it called for among the hits."""
    rows = {hit.id: hit.row for hit in hits if hit.row.triggers}
    sql = CUED.format(found.marks(query.scopes))
    for token in looked_up(query):
        for row in db.execute(sql, (f'cues : "{token}"', *query.scopes)).fetchall():
            if row[0] not in rows:
                rows[row[0]] = Row(*row)
    matched = {id: called(row, query) for id, row in rows.items() if found.true_then(row, query)}
    called_for = {id: rows[id] for id, keys in matched.items() if keys}
    out = found.bring(hits, called_for, "action", {id: sum(k.values()) for id, k in matched.items()}, "")
    for hit in out:
        for key, bits in matched.get(hit.id, {}).items():
            hit.matched[key] = max(bits, hit.matched.get(key, 0.0))
        if hit.id in called_for:
            hit.reasons[-1] += "called for by " + ", ".join(sorted(matched[hit.id]))
    return out


def looked_up(query: Query) -> "list[str]":
    """The words of the request that triggers may name: verbs first, then what it names, rare ones first."""
    endings = [name.rpartition(".")[2].lower() for name in query.files if "." in name]
    targets = sorted(query.targets, key=lambda s: -query.weights.get(s, 0.0))
    return list(dict.fromkeys([*query.verbs, *endings, *targets]))[:WORDS]


def called(row: Row, query: Query) -> "dict[str, float]":
    """Which words, paths and file types of the request activate the belief's triggers, with bits."""
    out: dict[str, float] = {}
    for trigger in row.triggers.replace(",", " ").split():
        if any(c in trigger for c in "/*.") and fits(trigger, query.files):
            out["path " + trigger] = TYPE_BITS if trigger.startswith("*.") else PATH_BITS
            continue
        for stem in stems(trigger):
            if stem in query.weights:
                out[stem] = CARRIED * query.weights[stem]
    return out


def fits(pattern: str, files: "list[str]") -> bool:
    """Whether one of the files is meant by a trigger: `*.tsx`, `envs/`, `src/lib/**`, `Dockerfile`."""
    bare = pattern.strip("*")
    for name in files:
        if pattern.startswith("*"):
            if name.endswith(bare):
                return True
        elif pattern.endswith(("*", "/")):
            if name.startswith(bare) or "/" + bare in name:
                return True
        elif name == pattern or name.endswith("/" + pattern) or name.startswith(pattern + "/"):
            return True
    return False
