"""Turns that speak to a question: what was said, by whom, when. Reads only; knows nothing of beliefs.

The rarest stems of the question bring candidates from the index, their neighbours in the session are read
with them, and `voices` weighs them all. The cost follows the candidates, not the size of the store.
"""

from itertools import pairwise
from math import log

from agentmemory.paths import DAY, begin_of
from agentmemory.recall import dates
from agentmemory.recall.voices import BY_NAMED, REACH, Voice, weigh
from agentmemory.records import Hit, Query, Row, marks
from agentmemory.text import stems, words

TYPE_CHECKING = False  # the hot path does not import typing
if TYPE_CHECKING:
    from agentmemory.store.rows import Database

POSTINGS = 3_000  # entries of the index read for one question
CANDIDATES = 76  # turns whose surroundings are read and weighed
LOOKED_UP = 160  # stems of a question whose rarity is looked up
WEIGHED = 20  # the rarest of them count

HOW_MANY = "SELECT coalesce(max(id), 0) FROM turn"
RARITY = "SELECT stem, turns FROM term WHERE turns > 0 AND stem IN ({}) ORDER BY turns, stem LIMIT ?"
HOLDING = "SELECT rowid AS id, {} AS worth FROM turn_fts WHERE turn_fts MATCH ?"
NEWEST = "SELECT * FROM ({} ORDER BY rowid DESC LIMIT {})"  # of a stem that alone is beyond the budget
BEST = """
    SELECT t.id FROM (SELECT id, sum(worth) AS worth FROM ({}) GROUP BY id) best
    JOIN turn t ON t.id = best.id JOIN session s ON s.id = t.session
    WHERE s.scope IN ({}) AND t.at BETWEEN ? AND ?
    ORDER BY best.worth / (1.0 + max(0.0, t.at - ?) / ?) DESC, t.id DESC LIMIT ?
"""
VOICE = "t.id, t.session, t.idx, t.at, t.speaker, t.text, t.terms, t.importance, t.role, t.provenance, s.scope, s.key"
THEN = f"""
    SELECT {VOICE} FROM (
        SELECT id, scope, key FROM session WHERE scope IN ({{}}) AND started BETWEEN ? AND ?
        ORDER BY started DESC LIMIT ?) s
    JOIN turn t ON t.session = s.id WHERE t.at >= ? AND t.at < ? AND t.at <= ? AND t.text <> ''
    ORDER BY t.at DESC LIMIT ?
"""
AROUND = f"""
    SELECT {VOICE} FROM turn t JOIN session s ON s.id = t.session WHERE t.at <= ? AND t.id IN (
        SELECT n.id FROM turn c JOIN turn n ON n.session = c.session
        AND n.idx BETWEEN c.idx - {REACH} AND c.idx + {REACH} WHERE c.id IN ({{}}))
"""
ENOUGH, FAINT = 50, 0.1  # beyond so many, a turn of less than this share of the best score only shares a word by chance
UNKNOWN = 1.0  # a word of the question that no turn holds: the best turn covers so much less
MATCHED = 4  # stems of a question are matched at least: beside rare ones common ones, where the budget holds fewer
FEW = 4  # times of a question that are looked for on their own, the latest ones
FOREVER = 1e300
SESSIONS, TURNS = 40, 2_000  # of a time that are read where nothing but the time is asked for, the latest ones
SPEAKS, AUXILIARY = {"i": "user", "you": "assistant"}, ("did", "have", "had", "was", "were")
LONGEST = 30 * DAY  # a session that began so long before a time is not looked at
TOLD_AFTER = dates.REACH * DAY  # what is told so long after a time counts half as much as what was said then


def search_turns(db: "Database", query: Query, limit: int) -> "list[Hit]":
    """The turns of the query's scopes that speak to its words, best first; none later than `query.as_of`."""
    now = query.now if query.as_of is None else query.as_of
    windows = dates.said(query.text, now)
    if windows and dates.alone(query.text) and (then := said_then(db, query, windows, now)):
        return then[:limit]
    asked = (query.stems or list(dict.fromkeys(stems(query.text))))[:LOOKED_UP]
    rarity = rarities(db, asked)
    if not rarity:
        return []
    ids = candidates(db, query, rarity, windows)
    until = FOREVER if query.as_of is None else query.as_of
    worth = {stem: idf for stem, (_, idf) in rarity.items()}
    known = frozenset(worth)
    voices = [Voice(known, *row) for row in db.execute(AROUND.format(marks(ids)), (until, *ids)).fetchall()]
    weigh(voices, worth, asked, windows, now)
    total = sum(worth.values()) + UNKNOWN * sum(1 for stem in asked if stem not in worth)
    spoke = (v for v in voices if v.score > 0.0 and v.text)  # a forgotten turn has none
    found = sorted(spoke, key=lambda v: (-v.score, -v.at, -v.id))
    faintest = FAINT * found[0].score if found else 0.0
    return [hit(v, v.score / total) for i, v in enumerate(found[:limit]) if i < ENOUGH or v.score >= faintest]


def said_then(db: "Database", query: Query, windows: "list[dates.Window]", now: float) -> "list[Hit]":
    """The turns of the times that a question names, what says most first: "what did we do last Tuesday?". What "I"
    or "you" said counts more where it asks for that."""
    found: dict[int, Voice] = {}
    for first, last in windows:
        since, end = begin_of(first), begin_of(last + 1)
        bound = (*query.scopes, since - LONGEST, end, SESSIONS, since, end, now, TURNS)
        found.update((row[0], Voice(frozenset(), *row)) for row in db.execute(THEN.format(marks(query.scopes)), bound))
    voices = list(found.values())
    weigh(voices, {}, [], windows, now)
    spoken = words(query.text)
    meant = {SPEAKS[who] for aux, who in pairwise(spoken) if aux in AUXILIARY and who in SPEAKS}
    for v in voices:
        v.score *= BY_NAMED if v.rest[0] in meant else 1.0
    return [hit(v, v.score) for v in sorted(voices, key=lambda v: (-v.score, -v.at, -v.id))]


def rarities(db: "Database", asked: "list[str]") -> "dict[str, tuple[int, float]]":
    """Of the stems that turns hold, rarest first: in how many, and what that is worth (idf)."""
    count = int(db.execute(HOW_MANY).fetchone()[0])
    rows = db.execute(RARITY.format(marks(asked)), (*asked, WEIGHED)).fetchall()
    return {stem: (n, log(1.0 + max(0.0, count - n + 0.5) / (n + 0.5))) for stem, n in rows}


def candidates(
    db: "Database", query: Query, rarity: "dict[str, tuple[int, float]]", windows: "list[dates.Window]"
) -> "list[int]":
    """Ids of the turns whose stems are worth most; where the question names days, also the best of those days."""
    until = FOREVER if query.as_of is None else query.as_of
    sql, values = matches(rarity)

    def best(since: float, until: float, end: float, most: int) -> "list[int]":
        bound = (*values, *query.scopes, since, until, end, TOLD_AFTER, most)
        return [int(row[0]) for row in db.execute(BEST.format(sql, marks(query.scopes)), bound).fetchall()]

    out = best(-FOREVER, until, FOREVER, CANDIDATES)
    if windows and len(out) == CANDIDATES:
        begun = [window for window in windows if begin_of(window[0]) <= min(until, query.now)]
        for first, last in sorted(begun, reverse=True)[:FEW]:
            end = begin_of(last + 1)
            out += best(begin_of(first), min(until, end + TOLD_AFTER), end, CANDIDATES // FEW)
    return out


def matches(rarity: "dict[str, tuple[int, float]]") -> "tuple[str, list[str]]":
    """What the index is asked: SQL that gives `(id, worth)` for each match, and its values.

    The rarest stems that the budget allows are matched, and the next ones where they stand beside one of those.
    """
    rare: list[tuple[str, float]] = []
    beside: list[tuple[str, float]] = []
    spent = 0
    for stem, (n, worth) in rarity.items():
        if rare and (beside or spent + n > POSTINGS):
            beside.append((f'terms : "{stem}"', worth))
        else:
            rare.append((f'terms : "{stem}"', worth))
            spent += n
    either = " OR ".join(match for match, _ in rare)
    chosen = rare + [(f"({either}) AND {match}", worth) for match, worth in beside[: max(0, MATCHED - len(rare))]]
    parts = [HOLDING.format(round(worth, 4)) for _, worth in chosen]
    if spent > POSTINGS:
        parts = [NEWEST.format(part, POSTINGS) for part in parts]
    return " UNION ALL ".join(parts), [match for match, _ in chosen]


def hit(voice: Voice, score: float) -> Hit:
    """The turn as search shows it."""
    role, provenance, scope, key = voice.rest
    at = voice.at
    row = Row(
        voice.id, scope, "turn", 1, voice.text, "", "", "", provenance, "active", 0, 1.0, 1.0, at, None, at, at, None
    )
    out = Hit(voice.id, row, "turn")
    out.score = out.scores["turns"] = score
    out.source = (key, voice.idx)
    out.reasons.append(f"turns: said by {voice.speaker or role} in {key}, turn {voice.idx}")
    return out
