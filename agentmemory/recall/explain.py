"""Why a block is what it is: every layer's hits with their scores, what was cut and where, and, term by term, where
a lexical score came from. For people at a terminal; nothing here runs in a hook.

FTS5 has no matchinfo, so the candidates are put into a temporary FTS4 table in memory and `sqlite-fts4` shows
the BM25 of each column and term there.
"""

from __future__ import annotations

import sqlite3

from sqlite_fts4 import register_functions

from agentmemory import paths
from agentmemory.recall.anchors import moved, state
from agentmemory.recall.fuse import fuse
from agentmemory.recall.pipeline import LAYERS, answer, candidates, choose
from agentmemory.recall.render import clean, render
from agentmemory.recall.rules import locked
from agentmemory.recall.structure import VERBS, structure
from agentmemory.records import FOLLOWED, Hit, Query, Row
from agentmemory.store import anchors, beliefs, federation, scopes
from agentmemory.text import tokens

TYPE_CHECKING = False
if TYPE_CHECKING:
    from agentmemory.store.rows import Database

SHOWN = 24  # hits of a layer that are listed
BRIEF = 88  # characters of a text

EXPLAINED = "CREATE VIRTUAL TABLE found USING fts4(terms, cues)"
FILL = "INSERT INTO found (docid, terms, cues) VALUES (?, ?, ?)"
SCORED = """
    SELECT docid, rank_bm25(matchinfo(found, 'pcnalx')) FROM found WHERE found MATCH ? ORDER BY 2
"""


def why(db: Database, query: Query, folder: str = "") -> str:
    """Every layer's hits for a prompt, with scores, what was cut, and the block. *folder*: where it is asked."""
    out = [f"prompt: {clean(query.text, 400)}"]
    hits: list[Hit] = []
    for layer in LAYERS:
        known = {hit.id: dict(hit.scores) for hit in hits}
        hits = layer(db, query, hits)
        out.append(f"\n-- {layer.__name__} " + "-" * max(0, 62 - len(layer.__name__)))
        out.extend(_query(query) if layer is structure else _changes(known, hits))
    hits = fuse(hits)
    always = frozenset(rule.id for rule in locked(db, query))
    chosen, budget = choose(query, candidates(db, query, hits, first=True), always)
    out.append("\n-- chosen " + "-" * 55)
    between = "" if query.tells else "; the talk in this project is mostly work"
    talk = "; the talk in this project is at work" if query.works else between
    out.append(f"{query.surely:+.1f} bits for its being about our own work; {budget:.0f} tokens to spend{talk}")
    out.extend(_line(hit) + f"\n      {_reasons(hit)}" for hit in chosen)
    cut = [hit for hit in hits if hit not in chosen and hit.id not in always]
    if cut:
        out.append("\n-- cut " + "-" * 58)
        out.extend(_line(hit) + f"\n      {_reasons(hit)}" for hit in cut[:SHOWN])
    out.extend(_lexical(query, hits))
    again = Query(query.text, query.now, query.scopes, query.as_of, query.near)
    again.saved = query.saved
    rules, fresh = answer(db, again)
    out.extend(_anchors(db, [*rules, *(row for hit in fresh for row in (hit.steps or [hit.row]))], folder))
    block = render(query, rules, fresh, moved(db, query.scopes[0], folder, rules, fresh))
    out.append(f"\n-- block, {tokens(block):.0f} tokens " + "-" * 45)
    out.append(block or "(silence)")
    return "\n".join(out)


def why_not(db: Database, belief: int, query: Query) -> str:
    """Where on its way a belief was lost for a prompt, or that it was not."""
    try:
        row = beliefs.get(db, belief)
    except beliefs.UnknownBelief:
        return f"There is no belief {belief}."
    if row.scope not in query.scopes:
        here = [f"what belongs to {federation.name(db, scope)}" for scope in query.scopes if scope != scopes.USER]
        read = " and ".join([*here, "what holds everywhere"])
        return f"Belief {belief} belongs to {federation.name(db, row.scope)}; a prompt here reads {read}."
    if row.state not in FOLLOWED:
        return f"Belief {belief} is {row.state}; only what holds is recalled."
    if belief in {rule.id for rule in locked(db, query)}:
        return f"It is in the block: belief {belief} is locked and stands with every prompt."
    return _lost(db, belief, query) + _succeeded(db, row)


def _succeeded(db: Database, row: Row) -> str:
    """What replaced a belief, and what stands now where that was replaced, too."""
    if row.superseded_by is None:
        return ""
    last = beliefs.head(db, row)
    then = f"; what came of that is belief {last.id}" if last.id != row.superseded_by else ""
    return f" Its successor is belief {row.superseded_by}{then}."


def _lost(db: Database, belief: int, query: Query) -> str:
    hits: list[Hit] = []
    inside = ""
    for layer in LAYERS:
        hits = layer(db, query, hits)
        if any(belief in _ids(hit) for hit in hits):
            inside = inside or layer.__name__
        elif inside:
            return f"Found by {inside}, taken away by {layer.__name__}."
    hits = fuse(hits)
    kept = candidates(db, query, hits, first=True)
    hit = next((hit for hit in [*kept, *hits] if belief in _ids(hit)), None)
    if hit is None:
        return "No layer found it: it shares no known word, entity, trigger, bridge or concept with the prompt."
    found = f"found by {inside}" if inside else "brought as what was said last"
    always = frozenset(rule.id for rule in locked(db, query))
    chosen, _ = choose(query, kept, always)
    if any(belief == row.id and row.state == "superseded" for row in hit.was):  # told as what was, if at all
        where = "is in the block" if hit in chosen else "was cut"
        return f"It was replaced; belief {hit.id} stands for it and {where}, {found}: {_reasons(hit)}."
    if hit in chosen and belief in _ids(hit):
        return f"It is in the block, {found}: {_reasons(hit)}."
    return f"{found.capitalize()}, then cut. {_reasons(hit)}."


def _ids(hit: Hit) -> set[int]:
    return {hit.id, *(row.id for row in hit.was), *(row.id for row in hit.steps)}


def _query(query: Query) -> list[str]:
    said = [f"stems: {' '.join(query.stems)}"]
    tasks = list(dict.fromkeys(VERBS[verb] for verb in query.verbs))
    for name, value in (
        ("verbs", query.verbs), ("tasks", tasks), ("targets", query.targets), ("files", query.files),
        ("symbols", query.symbols),
    ):  # fmt: skip
        if value:
            said.append(f"{name}: {' '.join(value)}")
    said.append(f"asks: {query.asks}; about the past: {query.about_past}")
    return said


def _changes(known: dict[int, dict[str, float]], hits: list[Hit]) -> list[str]:
    """What a layer added, raised or took away."""
    new = [hit for hit in hits if hit.id not in known]
    raised = [hit for hit in hits if hit.id in known and hit.scores != known[hit.id]]
    gone = set(known) - {hit.id for hit in hits}
    out = [_line(hit) for hit in sorted(new + raised, key=lambda h: -max(h.scores.values(), default=0.0))[:SHOWN]]
    if gone:
        out.append("taken away: " + " ".join(f"#{id}" for id in sorted(gone)))
    return out or ["(nothing)"]


def _line(hit: Hit) -> str:
    scores = " ".join(f"{layer} {score:.2f}" for layer, score in hit.scores.items())
    return f"#{hit.id} {hit.row.kind}: {clean(hit.row.text, BRIEF)}\n      {scores}" + (
        f"; fused {hit.score:.4f}" if hit.score else ""
    )


def _reasons(hit: Hit) -> str:
    bits = ", ".join(f"{key} {worth_:.1f}" for key, worth_ in sorted(hit.matched.items(), key=lambda kv: -kv[1]))
    said = "; ".join(dict.fromkeys(reason for reason in hit.reasons if not reason.startswith("lexical: ")))
    weighed = f"needed with {hit.likely:.1%}; " if hit.likely else ""
    return f"bits: {bits or 'none'}; {weighed}{said}"


def _anchors(db: Database, rows: list[Row], folder: str) -> list[str]:
    """What of the project's folder the beliefs name, and what became of it."""
    root = paths.root_of(folder) if folder else ""
    out = []
    for a in (anchor for row in rows for anchor in anchors.of_belief(db, row.id)):
        became = (state(root, a.path, a.symbol, a.mark, a.size, a.changed) if root else "") or "stands"
        place = f" in {a.path}" if a.symbol else ""
        out.append(f"#{a.belief} {clean(a.name, BRIEF)}{place}: {became} (since {paths.date(a.seen)})")
    return ["\n-- code they name " + "-" * 48, *out] if out else []


def _lexical(query: Query, hits: list[Hit]) -> list[str]:
    """BM25 of the words of the prompt over the candidates, by sqlite-fts4."""
    own = [stem for stem in query.stems if stem in query.weights and stem.isalnum()]
    if not own or not hits:
        return []
    db = sqlite3.connect(":memory:")
    register_functions(db)  # type: ignore[no-untyped-call]
    db.execute(EXPLAINED)
    db.executemany(FILL, [(hit.id, hit.row.terms, hit.row.cues) for hit in hits])
    rows = db.execute(SCORED, (" OR ".join(own),)).fetchall()
    db.close()
    out = ["\n-- where the words are (sqlite-fts4, among the candidates) " + "-" * 8, f"terms asked: {' '.join(own)}"]
    by_id = {hit.id: hit for hit in hits}
    for id, score in rows[:SHOWN]:
        row = by_id[id].row
        held = {"terms": set(row.terms.split()), "cues": set(row.cues.split())}
        where = "; ".join(
            f"{stem} ({query.weights[stem]:.1f} bits) in {' and '.join(c for c in held if stem in held[c])}"
            for stem in own
            if any(stem in words for words in held.values())
        )
        out.append(f"#{id} bm25 {abs(score):.2f}: {where}")
    return out
