"""Layer 2: what the prompt names leads to what was said about it, also under its other names."""

from agentmemory.recall import found
from agentmemory.recall.lexical import COUNT, bits
from agentmemory.records import Hit, Query, marks
from agentmemory.text import spelled, stems

TYPE_CHECKING = False
if TYPE_CHECKING:
    from agentmemory.store.rows import Database

ENDS = "\"'`,;:!?()[]{}<>."
BEGINS = "\"'`,;:!?()[]{}<"  # a dot begins a file's name
NAMES = 40  # names of a prompt that are looked up
MENTIONS = 200  # an entity that more beliefs mention tells nothing
PER_ENTITY = 40  # newest beliefs of an entity
A_NAME = 2.0  # a word that is somebody's or something's name tells more than a word
NAMED = "SELECT coalesce(alias_of, id), norm FROM entity WHERE norm IN ({}) AND +scope IN ({})"
FAMILY = "SELECT id, alias_of FROM entity WHERE alias_of IN ({})"
MENTIONING = "SELECT belief FROM mention WHERE entity = ? ORDER BY belief DESC LIMIT ?"


def entities(db: "Database", query: Query, hits: "list[Hit]") -> "list[Hit]":
    """Add beliefs that mention an entity of the prompt, rarer entities more."""
    asked = names(query)
    if not asked:
        return hits
    sql = NAMED.format(marks(asked), marks(query.scopes))
    meant: dict[int, str] = dict(db.execute(sql, (*asked, *query.scopes)).fetchall())
    if not meant:
        return hits
    aliases = db.execute(FAMILY.format(marks(list(meant))), list(meant)).fetchall()
    family = [*meant.items(), *((id, meant[head]) for id, head in aliases)]
    n = max(1, db.execute(COUNT).fetchone()[0] or 0)
    scores: dict[int, float] = {}
    keys: dict[int, dict[str, float]] = {}
    for id, norm in family:
        beliefs = [row[0] for row in db.execute(MENTIONING, (id, MENTIONS + 1)).fetchall()]
        if len(beliefs) > MENTIONS:
            continue
        worth = bits(n, len(beliefs))
        for belief in beliefs[:PER_ENTITY]:
            scores[belief] = scores.get(belief, 0.0) + worth
            keys.setdefault(belief, {})[norm] = worth
    rows = found.rows(db, list(scores), query)
    rows = {id: row for id, row in rows.items() if found.true_then(row, query)}
    out = found.bring(hits, rows, "entities", scores, "")
    for hit in out:
        if hit.id in rows:
            hit.reasons[-1] += "mentions " + ", ".join(sorted(keys[hit.id]))
            known = set(hit.matched)
            for norm, worth in keys[hit.id].items():
                shared = known & set(stems(norm))
                for stem in shared:
                    hit.matched[stem] *= A_NAME
                if not shared:
                    hit.matched["@" + norm] = worth
    return out


def names(query: Query) -> "list[str]":
    """Spellings under which an entity of the prompt may be filed: as a file or host, and as any other name."""
    out: list[str] = []
    for name in (*query.files, *query.symbols, *query.said[:2000].split()):
        low = name.rstrip(ENDS).lstrip(BEGINS).lower()
        for one in _read_as(low) if len(low) > 2 else ():
            out += [spelled(one, True), spelled(one, False)]
    return [each for each in dict.fromkeys(out) if len(each) > 1][:NAMES]


def _read_as(low: str) -> "list[str]":
    """What a word may name: itself, or the thing that it points into or says something of."""
    out = [low]
    if low[-2:-1] in ("'", "\u2019"):  # billing-api's
        out.append(low[:-2])
    if "://" in low:
        out.append(low.partition("://")[2].partition("/")[0])
    elif "/" in low or "." in low:
        bare, colon, place = low.partition(":")
        if colon and place.replace(":", "").replace("-", "").isdigit():  # src/app.py:12
            out.append(bare)
        bare = out[-1].rstrip("/")
        out += [bare, f"./{bare}" if bare[:1] not in (".", "/", "~", "@") else bare.removeprefix("./")]
    return out
