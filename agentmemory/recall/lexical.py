"""Layer 1: beliefs that share rare words with the prompt, directly, through a bridge or through a concept.

Only the rarest few words are matched, up to a budget of postings, so that the cost does not grow with the
store; idf is summed in SQL and the best few are weighed again here. Knows nothing of other layers.
"""

from math import log2

from agentmemory.recall import found
from agentmemory.records import Hit, Query, Row, marks
from agentmemory.text import stems, words

TYPE_CHECKING = False
if TYPE_CHECKING:
    from agentmemory.recall.inflected import Others
    from agentmemory.store.rows import Database

POSTINGS = 600  # entries of the index read for one prompt: under 2 ms, whatever the size of the store
CONCEPT = "c0"  # how concept tokens begin (learn/thesaurus.py)
TOKENS = 48  # words matched at most; a statement of SQL stays small
LOOKED_UP = 160  # stems of a prompt whose rarity is looked up
CANDIDATES = 48  # weighed again in Python
IN_CUES = 0.6  # a word among the cues against a word of the text
BY_CONCEPT = 0.65  # another word for the same thing, from the thesaurus
BESIDE = 0.5  # a word of what was pasted or said beside the request against one of its own
FURTHER = 0.4  # of the bits of the word before, for each further word of the prompt that means the same concept
BY_SYNONYM = 0.2  # the same from the plain synonyms, which are many and loose
BY_PART = 0.4  # a word of which a German one has a part
BY_TRANSLATION = 0.6  # of a word of another language, whose plain synonyms are its translations
BY_BRIDGE = 0.4  # another word for the same thing, from the store's own co-occurrence; up to 0.8 finds no more
TIMES = frozenset("past quarter noon midnight oclock pm".split())  # words of times of day that are said in words
YOUNG = 20  # beliefs that a store is taken to hold beside its own: in a store of two no word would be rare

#: from ids, because counting a million rows takes 20 ms; without summaries, which are in no index of words
COUNT = "SELECT max(id) - coalesce((SELECT value FROM meta WHERE key = 'summaries'), 0) FROM belief"
TERMS = "SELECT stem, beliefs FROM term WHERE (beliefs > 0 OR turns > 0) AND stem IN ({})"
BRIDGES = "SELECT stem, other, weight FROM bridge WHERE stem IN ({}) ORDER BY weight DESC LIMIT 40"
CONCEPTS = "SELECT stem, concept FROM concept WHERE stem IN ({})"
ONE = "SELECT rowid AS id, {} AS bits FROM belief_fts WHERE belief_fts MATCH ?"
NEWEST = f"SELECT * FROM ({ONE} ORDER BY rowid DESC LIMIT {{}})"
SUM = "SELECT id, sum(bits) FROM ({}) GROUP BY id ORDER BY 2 DESC, 1 DESC LIMIT ?"


class Asked:
    """A token that is matched: itself, how many beliefs hold it, its bits, the prompt's stem behind it."""

    __slots__ = ("bits", "df", "key", "token", "via")

    def __init__(self, token: str, df: int, bits: float, key: str, via: str) -> None:
        self.token = token
        self.df = df
        self.bits = bits
        self.key = key
        self.via = via


def lexical(db: "Database", query: Query, hits: "list[Hit]") -> "list[Hit]":
    """Add the beliefs that share words with the prompt."""
    asked = weigh(db, query)
    ids = candidates(db, rarest(asked))
    rows = {id: row for id, row in found.rows(db, ids, query).items() if found.true_then(row, query)}
    matched = {id: evidence(row, query, asked) for id, row in rows.items()}
    out = found.bring(hits, rows, "lexical", {id: sum(each.values()) for id, (each, _) in matched.items()}, "")
    for hit in out:
        if hit.id in matched:
            each, hit.via = matched[hit.id]
            hit.reasons[-1] += "speaks of " + ", ".join(sorted(each))
            for key, one in each.items():
                hit.matched[key] = max(one, hit.matched.get(key, 0.0))
    return out


def weigh(db: "Database", query: Query) -> "list[Asked]":
    """What can be matched of the prompt, with bits (idf); fills the query's weights, concepts and mass."""
    typed = query.stems[:LOOKED_UP]
    own = [*typed, *query.beside[: LOOKED_UP - len(typed)]]
    if not own:
        return []
    query.beliefs = n = YOUNG + (db.execute(COUNT).fetchone()[0] or 0)
    forms = _forms(db, query, typed)
    means = {key: key for key in typed + query.pairs[:LOOKED_UP]}
    for stem, each in forms.items():
        means.update({form: stem for form, same in each.items() if same and form not in means})
    keys = list(means)
    concepts = db.execute(CONCEPTS.format(marks(keys)), keys).fetchall()
    bridges = db.execute(BRIDGES.format(marks(typed)), typed).fetchall()
    others = list({row[1] for row in bridges} | {row[1] for row in concepts}.union(*forms.values()))
    counts = dict(db.execute(TERMS.format(marks([*own, *others])), (*own, *others)).fetchall())
    known = [s for s in typed if s in counts or any(forms.get(s, {}).values())]
    query.weights = {s: bits(n, counts.get(s, 0)) * (1.0 if i < len(typed) else BESIDE) for i, s in enumerate(own)}
    for s, each in forms.items():
        if met := [counts[form] for form, same in each.items() if same]:
            query.weights[s] = bits(n, max(counts.get(s, 0), *met))
    query.mass = sum([query.weights[s] for s in typed])
    query.known = len(known) / max(1, len(typed))
    counts = {s: df for s, df in counts.items() if df > 0}
    out = [Asked(s, counts[s], query.weights[s], s, "") for s in own if s in counts]
    for s, each in forms.items():
        for form, same in sorted(each.items(), key=lambda one: not one[1]):
            share = query.weights[s] if same else min(query.weights[s], bits(n, counts[form])) * BY_PART
            out.append(Asked(form, counts[form], share, s, "" if same else "part"))
    for stem, other, weight in bridges:
        if other in counts and other not in query.weights:
            out.append(Asked(other, counts[other], bits(n, counts[other]) * weight * BY_BRIDGE, stem, "bridge"))
    loosely = BY_SYNONYM if query.tongue < 0 else BY_TRANSLATION
    for key, other in concepts:
        stem = means[key]
        if not other.startswith(CONCEPT):
            if other in counts and other not in query.weights:
                out.append(Asked(other, counts[other], bits(n, counts[other]) * loosely, stem, "synonym"))
            continue
        query.concepts.setdefault(other, []).append(stem)
    for concept in query.concepts:
        if concept in counts:
            out.append(Asked(concept, counts[concept], bits(n, counts[concept]) * BY_CONCEPT, concept, "concept"))
    return out


def _forms(db: "Database", query: Query, typed: "list[str]") -> "Others":
    """The other forms of the words of a prompt that is not in English, as beliefs hold them, or of a time of day."""
    if query.tongue < 0:
        if TIMES.isdisjoint(words(query.said.lower().replace("'", "").replace("’", ""))):
            return {}
        from agentmemory.recall import clock  # loaded for prompts that may name a time only

        found = clock.others(query.said, typed)
        figures = sorted({figure for each in found.values() for figure in each})
        held = {row[0] for row in db.execute(TERMS.format(marks(figures)), figures).fetchall() if row[1] > 0}
        return {stem: {figure: True for figure in each if figure in held} for stem, each in found.items()}
    from agentmemory.recall import inflected  # loaded for such prompts only

    return inflected.others(db, query.said, typed, query.tongue)


def bits(n: int, df: int) -> float:
    """How much a word tells that *df* of *n* beliefs hold: the idf of BM25, in bits, never negative."""
    return log2(1.0 + (n - df + 0.5) / (df + 0.5)) if df < n else 0.0


def rarest(asked: "list[Asked]") -> "list[Asked]":
    """The tokens to match: the rarest ones whose postings fit the budget, one at least; the prompt's own words
    before what stands for them."""
    chosen: list[Asked] = []
    spent = 0
    for a in sorted(asked, key=lambda a: (a.via != "", a.df)):
        if chosen and spent + min(a.df, POSTINGS) > POSTINGS:
            continue
        if len(chosen) == TOKENS:
            break
        spent += min(a.df, POSTINGS)
        chosen.append(a)
    return chosen


def candidates(db: "Database", chosen: "list[Asked]") -> "list[int]":
    """Ids of the beliefs that hold the most bits of the chosen tokens, best first."""
    if not chosen:
        return []
    branches = " UNION ALL ".join(
        (ONE if a.df <= POSTINGS else NEWEST).format(repr(round(a.bits, 3)), POSTINGS // 2) for a in chosen
    )
    values = [f'"{a.token}"' for a in chosen]
    return [row[0] for row in db.execute(SUM.format(branches), (*values, CANDIDATES)).fetchall()]


def evidence(row: Row, query: Query, asked: "list[Asked]") -> "tuple[dict[str, float], dict[str, float]]":
    """Bits by which a belief speaks to the prompt, by the prompt's stem, and by how the stem was met. A stem counts
    once, for the best it has: itself, else a bridge, else the rarest concept; further stems of a concept count less."""
    terms = set(row.terms.split())
    cues = set(row.cues.split())
    out: dict[str, float] = {}
    via = {"own": 0.0, "cue": 0.0, "concept": 0.0, "loose": 0.0}
    meant: dict[str, Asked] = {}
    for a in asked:  # the prompt's own words come first, then bridges, then concepts
        if a.token not in terms and a.token not in cues:
            continue
        if a.via != "concept":
            if a.key not in out:
                out[a.key] = a.bits if a.token in terms else a.bits * IN_CUES
                via["loose" if a.via else "own" if a.token in terms else "cue"] += out[a.key]
            continue
        for key in query.concepts[a.token]:
            if key not in out and (key not in meant or meant[key].bits < a.bits):
                meant[key] = a
    used: dict[str, int] = {}
    for key, a in meant.items():
        if " " in key and any(stem in out for stem in stems(key)):
            continue
        out[key] = a.bits * FURTHER ** used.get(a.token, 0)
        via["concept"] += out[key]
        used[a.token] = used.get(a.token, 0) + 1
    return out, via
