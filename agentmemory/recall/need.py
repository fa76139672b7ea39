"""How likely a belief is among those that a prompt needs: a logistic fit over the probes of many projects
(experiments/recall_fit.py). It orders what a block may hold; whether there is a block at all is the floor's."""

from math import exp, log2

from agentmemory.paths import DAY, day_of
from agentmemory.recall.render import ESCAPED, MOST_CONTEXT, MOST_TEXT, SAYS_LITTLE, TERSE, about, doubts
from agentmemory.recall.weights import NEEDED
from agentmemory.records import Hit, Query, Row
from agentmemory.text import CHARS_PER_TOKEN, MONTHS, words

STOOD_THEN = 1.2  # log-odds of what took the place of what stood when a question about the past asks of
DAYS = frozenset(" ".join(MONTHS).split()) | frozenset("yesterday ago last this previous".split())  # of dates
TO_DATE = frozenset("since till until onwards".split())  # "all limits from feb till date": a stretch that is not over
LATELY = 14.0  # days for which a belief is new, less and less
MOST_STEPS = 4  # more pieces of a procedure say no more
LINE = 10.0  # tokens around a text: quotes, kind, date
#: characters around a text on a line of its own, told as what was or also holds on the line of another, as a piece
WRITTEN, WAS, ALSO, STEP = 14, 21, 19, 17
HEARD, NOTED = 12, 17  # of "heard once, ", of "an agent's note, "
NOW, FROM = 4, 12  # of "now ", of the day from which the oldest of what was held
STEPS = 26  # of the line over a procedure


def weigh(query: Query, hits: "list[Hit]", weights: "dict[str, float] | None" = None) -> "list[Hit]":
    """The hits, each with how likely it is needed; by default as talk that tells has it."""
    weights = weights or NEEDED
    top = max((sum(hit.matched.values()) for hit in hits), default=0.0)
    stretches = _asked_of(query)
    for hit in hits:
        logit = weights["bias"]
        for name, value in features(query, hit, top).items():
            logit += weights.get(name, 0.0) * value
        hit.stood = bool(stretches) and _stood_then(hit, stretches)
        logit += STOOD_THEN * hit.stood
        hit.likely = 1.0 / (1.0 + exp(-logit))
    return hits


def _asked_of(query: Query) -> "list[tuple[int, int]]":
    """The stretches of days, over by now, that a question about the past names: "where did it connect in february"."""
    said = words(query.said) if query.about_past else []
    if not any(word.isdecimal() or word in DAYS for word in said) or not TO_DATE.isdisjoint(said):
        return []
    from agentmemory.recall import dates  # loaded for few prompts

    return [(first, last) for first, last in dates.said(query.said, query.now) if last < day_of(query.now)]


def _stood_then(hit: Hit, stretches: "list[tuple[int, int]]") -> bool:
    """Whether what a hit says took the place of what stood in one of the stretches, at its beginning at least."""
    for first, last in stretches:
        if day_of(hit.row.valid_from) > first:
            for row in hit.was:
                if row.valid_to is not None and day_of(row.valid_from) <= last and day_of(row.valid_to) >= first:
                    return True
    return False


def features(query: Query, hit: Hit, top: float) -> "dict[str, float]":
    """What is known of a hit beside a prompt whose best hit has *top* bits: its own bits by how they were met, its
    kind beside what the prompt wants, its size, its age in days, its history and its steps."""
    bits = sum(hit.matched.values())
    via, kind = hit.via, "heard" if hit.row.state == "heard" else hit.row.kind
    own, cue, concept = via.get("own", 0.0), via.get("cue", 0.0), via.get("concept", 0.0)
    days = max(0.0, query.now - hit.row.valid_from) / DAY
    found = {
        "own": own, "root own": own**0.5, "cue": cue, "root cue": cue**0.5, "concept": concept,
        "root concept": concept**0.5, "loose": via.get("loose", 0.0),
        "relative": bits / max(top, 1.0), "covered": bits / max(query.mass, 1.0), "unmatched": float(not bits),
        "size": log2(1.0 + size(hit)), "age": log2(1.0 + days), "lately": max(0.0, 1.0 - days / LATELY),
        "known": query.known,
        "steps": min(len(hit.steps), MOST_STEPS), kind: 1.0,
    }  # fmt: skip
    if hit.was:
        found["history"] = 1.0
    for asked, name in ((query.work, "work"), (query.about_past, "past"), (query.routine, "routine")):
        if asked:
            found[name] = 1.0
    if query.work:
        found["work " + kind] = 1.0
        found["work steps"] = float(bool(hit.steps))
    if query.routine:
        found["routine steps"] = float(bool(hit.steps))
    if query.about_past:
        found["past history"] = float(bool(hit.was))
    return found


def size(hit: Hit) -> float:
    """Tokens of what a hit says, without its history."""
    if not hit.steps:
        return line(hit.row)
    return sum([line(row) for row in hit.steps])


def cost(hit: Hit) -> float:
    """Tokens that a hit takes in the block (render.py), but for what became of code that it names."""
    if hit.steps:
        named = min(len(hit.row.context), MOST_CONTEXT) + 3 if hit.row.context else 0
        return (STEPS + named + sum([STEP + text(row) for row in hit.steps])) / CHARS_PER_TOKEN
    chars = WRITTEN + text(hit.row) + HEARD * (hit.row.state == "heard")
    if not hit.was:
        return (chars + len(about(hit.row))) / CHARS_PER_TOKEN
    chars += len(about(hit.row, TERSE))
    replaced = [row.state == "superseded" for row in hit.was]
    chars += NOW * any(replaced) + FROM * replaced[-1] + NOTED * (hit.row.state != "heard" and doubts(hit))
    told = [
        WAS + text(row) if was else ALSO + text(row) + len(about(row, SAYS_LITTLE))
        for was, row in zip(replaced, hit.was)
    ]
    return (chars + sum(told)) / CHARS_PER_TOKEN


def text(row: Row) -> int:
    """Characters of a text as it is shown."""
    return shown(row.brief or row.text)


def shown(words: str) -> int:
    """Characters that words take in a block, those of what is escaped as well."""
    return min(len(words.translate(ESCAPED)), MOST_TEXT)


def rest(hit: Hit) -> "tuple[float, float]":
    """Tokens that the whole of what a hit says takes beyond its brief wording, and how likely they carry something."""
    rows = [row for row in hit.steps or [hit.row] if row.brief]
    more = sum([shown(row.text) - text(row) for row in rows])
    return max(0, more) / CHARS_PER_TOKEN, max([row.rest for row in rows], default=0.0)


def line(row: Row) -> float:
    """Tokens of a text and what stands around it, generously."""
    return LINE + text(row) / CHARS_PER_TOKEN
