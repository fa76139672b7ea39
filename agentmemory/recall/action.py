"""Layer 3: beliefs whose triggers (verb, target, tool, path, file type) the request activates, unasked.

Triggers were written when the belief was; here they are only compared with what layer 0 found.
"""

from agentmemory.recall import found
from agentmemory.records import FOLLOWED, Hit, Query, marks
from agentmemory.text import stems

TYPE_CHECKING = False
if TYPE_CHECKING:
    from agentmemory.records import Row
    from agentmemory.store.rows import Database

PER_WORD = 18  # newest beliefs looked at for a word of the request
WORDS = 8  # words of the request that are looked up
PATH_BITS = 5.0  # a path that the trigger names: as telling as a word one belief in 32 has
TYPE_BITS = 2.0  # a file type
PATH, TYPE = "path ", "path *."  # how what a path or a file type calls for is told
CARRIED = 1.4  # a trigger's word against a word of the text

CUED = f"""
    SELECT b.id, b.triggers FROM
        (SELECT rowid AS id FROM belief_fts WHERE belief_fts MATCH ? ORDER BY rowid DESC LIMIT {PER_WORD}) f
    CROSS JOIN belief b ON b.id = f.id
    WHERE b.triggers <> '' AND +b.scope IN ({{}}) AND +b.state IN {FOLLOWED}
"""


def action(db: "Database", query: Query, hits: "list[Hit]") -> "list[Hit]":
    """Add what the request calls for, and raise what it called for among the hits."""
    triggers = {hit.id: hit.row.triggers for hit in hits if hit.row.triggers}
    rows = {hit.id: hit.row for hit in hits}
    sql = CUED.format(marks(query.scopes))
    for token in looked_up(query):
        triggers.update(db.execute(sql, (f'cues : "{token}"', *query.scopes)).fetchall())
    matched = {id: keys for id, text in triggers.items() if (keys := called(text, query))}
    rows.update(found.rows(db, [id for id in matched if id not in rows], query))
    called_for = {id: rows[id] for id in matched if id in rows and found.true_then(rows[id], query)}
    out = found.bring(hits, called_for, "action", {id: sum(k.values()) for id, k in matched.items()}, "")
    for hit in out:
        if hit.id in called_for:
            for key, bits in matched[hit.id].items():
                hit.matched[key] = max(bits, hit.matched.get(key, 0.0))
            hit.reasons[-1] += "called for by " + ", ".join(sorted(matched[hit.id]))
            hit.meant = meant(hit.row, matched[hit.id])
    return out


def meant(row: "Row", keys: "dict[str, float]") -> bool:
    """Whether one of the words or paths that call for a belief was given with it ("it matters when we release"), rather
    than read in its text; routines that sleep has found have such words as well, and nobody gave them."""
    if row.kind == "procedure" and row.provenance != "user":
        return False
    terms, text = row.terms.split(), row.text.lower()
    return any(
        key[len(PATH) :].lower() not in text and not key.startswith(TYPE) if key.startswith(PATH) else key not in terms
        for key in keys
    )


def looked_up(query: Query) -> "list[str]":
    """The words of the request that triggers may name: verbs first, then what it names, rare ones first."""
    endings = [end for name in query.files if "." in name and (end := name.rpartition(".")[2].lower()).isalnum()]
    targets = sorted(query.targets, key=lambda s: -query.weights.get(s, 0.0))
    return list(dict.fromkeys([*query.verbs, *endings, *targets]))[:WORDS]


def called(triggers: str, query: Query) -> "dict[str, float]":
    """Which words, paths and file types of the request activate a belief's triggers, with bits."""
    out: dict[str, float] = {}
    if query.files:
        words = triggers.replace(",", " ").split()
        meant = [word for word in words if any(c in word for c in "/*.") and fits(word, query.files)]
        for word in meant:
            out[PATH + word] = TYPE_BITS if word.startswith("*.") else PATH_BITS
        if meant:
            triggers = " ".join(word for word in words if word not in meant)
    for stem in stems(triggers):
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
