"""How likely a statement is the next piece of a routine that was taught in pieces: "and when you have that log, you
hold it against the ledger" weeks after "for complaints, first psp:log <order>".

A choice between the routines (and single statements) that a text may go on with, and none of them: a conditional
logistic regression (D. McFadden, Conditional logit analysis of qualitative choice behavior, 1974) over words of
sequence in the text, and over how both hang together (numbers, names, what the last piece spoke of, what the assistant
just said and answered). Weights are data (data/sequels.toml); `python experiments/sequels_fit.py --save` makes them
from labelled histories.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import TYPE_CHECKING

from agentmemory.learn import cues, exchanges, tables
from agentmemory.learn.counted import Counted, counted, counts_on, goes_with
from agentmemory.learn.fitted import total
from agentmemory.learn.likeness import alike, bag, rarity
from agentmemory.learn.ordinals import NUMBERS, closes, goes_on, place
from agentmemory.learn.retired import VAGUE
from agentmemory.learn.routines import named
from agentmemory.store import lineage
from agentmemory.store.beliefs import DERIVED
from agentmemory.text import stem, stems, words

if TYPE_CHECKING:
    from agentmemory.store.lineage import Known
    from agentmemory.store.rows import Database
    from agentmemory.values import Candidate

FLAGS = tables.Patterns(tables.read("sequence")["flags"])
_FITTED = tables.read("sequels")
WEIGHTS: dict[str, float] = _FITTED["weights"]
LEAST: float = _FITTED["least"]  # worth of a text's own words below which nothing makes a next piece of it
#: what a step counts that says which one it is of what ("act two of a release"); those who wrote what is labelled say
#: step and part, hardly anything else: too little to fit it by
COUNTED_ON = 12.0
STRENGTH = 2.0  # what the strength of a statement counts
#: the most that kind, number, strength and change may add to what the words of a run of talk are worth
AROUND = (
    WEIGHTS["only"] + max(weight for name, weight in WEIGHTS.items() if name.startswith("kind "))
    + max(0.0, WEIGHTS["number"]) + max(0.0, WEIGHTS["strength"]) * STRENGTH + max(0.0, WEIGHTS["updates"])
)  # fmt: skip
ELSEWHERE = 0.5  # of a step's number counts where its turn speaks of something else
COMPARED = 24  # statements that share words, looked at closely
LATEST = 6  # pieces of routines taught last, whatever words they share
MOST = 12  # pieces of one routine
OPENS = ("first", "routine", "teaches", "general", "you", "when", "before")  # flags of what may open a routine
TAUGHT = ("first", "routine", "teaches", "later")  # flags of the turn that may have opened one
DEFINITE = re.compile(
    r"\b(?:the|that|this|those|these|its|your|with|after|once) ([\w./-]+(?: [\w./-]+)?)"  # what is spoken of as known
)
BARE = re.compile(
    r"(?:^|\bas |\bthe |[.:;] )(second|third|fourth|fifth)"
    r"(?:,| and (?:last|final)\b| (?:is|comes|thing|step|part|bit|act|stage|case)\b)"
    r"|\bnumber (two|three|four|five)\b"
)
OPENS_WITH = re.compile(r"\b(?:first|1st|begins?|beginning|starts?|opens?|opening)\b")  # what may open a routine
IDENTIFIER = re.compile(r"[\w-]*[_/.:\d][\w./:-]*\w|\b[a-z]+[A-Z]\w+|\b[A-Z]{2,}\b")

Rare = Callable[[str], float]


@dataclass(frozen=True, slots=True)
class Said:
    """A statement with what stands around it: stems of its text, of the *rest* of its turn, and of what the assistant
    said before (*led*); what it calls its routine, which step it says it is; flags: features of it alone."""

    stems: frozenset[str]
    rest: frozenset[str]
    led: frozenset[str]
    definite: frozenset[str]
    names: frozenset[str]
    number: int | None
    session: int
    turn: int
    flags: dict[str, float]
    counted: Counted | None


@dataclass(frozen=True, slots=True)
class Read:
    """A known statement as it is compared; about: its stems and those of its cues."""

    stems: frozenset[str]
    about: frozenset[str]
    names: frozenset[str]
    flags: frozenset[str]
    closes: bool
    number: int | None
    counted: Counted | None


@dataclass(frozen=True, slots=True)
class Routine:
    """What a statement may go on with: pieces in order, or one statement that nothing follows yet.

    told: (session, turn, whole text of the turn) that said the last piece. turns: stems of all turns that said a piece.
    """

    pieces: tuple[Known, ...]
    told: tuple[int, int, str]
    turns: frozenset[str]
    stems: frozenset[str]
    about: frozenset[str]
    names: frozenset[str]

    @property
    def end(self) -> Known:
        """Its last piece."""
        return self.pieces[-1]

    @property
    def begun(self) -> bool:
        """Whether it is known for a routine, rather than a statement that may turn out to be the opening of one."""
        return len(self.pieces) > 1 or self.end.kind == "procedure"


def worth(found: dict[str, float]) -> float:
    """What features are worth, on the scale of the logarithm of odds."""
    return total(WEIGHTS, found) + COUNTED_ON * found.get("counted on", 0.0)


def likelihoods(options: list[dict[str, float]]) -> list[float]:
    """How likely a text goes on with each of some things, by their features; they sum up to at most 1."""
    weighed = [math.exp(min(30.0, worth(found))) for found in options]
    return [w / (1.0 + sum(weighed)) for w in weighed]


def compared(db: Database, c: Candidate, text: str, least: float = -math.inf) -> list[tuple[dict[str, float], Routine]]:
    """The features of each routine or single statement that a text may go on with; a feature that is missing is 0.

    Nothing where its own words are worth less than *least*.
    """
    if not counts_on(cues.plain(text)) and worth(_spoken(c, text, _around(db, c)[1])) < least:
        return []
    said = read(db, c, text)
    options, rare = _options(db, c.scope, said)
    whole = [alike(said.stems - VAGUE, o.stems, rare) for o in options]
    around = exchanges.alike(db, c, [p for o in options for p in o.pieces])
    out = []
    for o, near in zip(options, whole):
        away = not said.session or said.session != o.told[0]
        found = said.flags | _pair(said, o) | _called(said, o, rare) | {"counted on": _counted_on(said, o, rare)}
        told = [around[p.id] for p in o.pieces if p.id in around]
        found |= {name: max([each[name] for each in told], default=0.0) * away for name in exchanges.MOST}
        found |= {
            "near whole": min(0.6, near) * 5, "best": near > 0 and near == max(whole),
            "led": min(0.25, alike(said.led - VAGUE, o.about, rare)) * 5 * away,
            "alone": not around,
            "turns": min(0.3, alike((said.stems | said.rest) - VAGUE, o.turns, rare)) * 5 * away,
        }  # fmt: skip
        out.append(({name: float(value) for name, value in found.items() if value}, o))
    return out


def chain(db: Database, piece: Known) -> tuple[Known, ...]:
    """The routine that a statement is a piece of, in order; itself alone if it is of none."""
    return max(_routines(db, {piece.id: piece}), key=len)


def ending(db: Database, piece: Known) -> Known:
    """The last piece of the routine that a statement is a piece of, itself if nothing follows it."""
    return chain(db, piece)[-1]


def may_go_on(text: str) -> bool:
    """Whether a run of talk, whatever stands around it, could go on with something: most talk could not."""
    plain = cues.plain(text)
    return counts_on(plain) or worth(_alone(text, plain)) + AROUND >= LEAST


def _alone(text: str, plain: str) -> dict[str, float]:
    """What the words of a text say for and against its being a next piece."""
    return {
        "rest": 1.0, "going on": goes_on(plain), "named things": bool(IDENTIFIER.search(text)),
        "ordered": bool(cues.SHAPES["order"].match(cues.start(plain))),
        "promised": bool(cues.SHAPES["promised"].search(plain)),
        "short": len(text) < 60, "long": min(2.0, len(text) / 200.0),
        **{f"says {name}": 1.0 for name in _flags(plain)},
        **{f"says {name}": bool(cues.FLAGS[name].search(plain)) for name in ("habit", "mine")},
    }  # fmt: skip


def read(db: Database, c: Candidate, text: str) -> Said:
    """A statement with what stands around it."""
    session, rest = _around(db, c)
    led = lineage.led_to(db, c.turn) if c.turn is not None else ""
    plain, own = cues.plain(text), bag(text)
    return Said(
        stems=own, rest=bag(rest) - own, led=bag(led) - own,
        definite=frozenset(s for m in DEFINITE.finditer(plain) for s in stems(m.group(1))),
        names=frozenset(stem(w) for each in (text, rest) for w in named(each)), number=_step(plain, rest),
        session=session, turn=c.turn or 0, flags=_spoken(c, text, rest), counted=counted(plain),
    )  # fmt: skip


def _around(db: Database, c: Candidate) -> tuple[int, str]:
    """The session of a statement, and the rest of its turn."""
    if c.turn is None:
        return 0, ""
    session, whole = lineage.told(db, c.turn)
    return session, f"{whole[: c.start]} {whole[c.end :]}"


def _spoken(c: Candidate, text: str, rest: str) -> dict[str, float]:
    """What a statement says by itself for and against its being a next piece."""
    plain = cues.plain(text)
    number = _step(plain, rest)
    return _alone(text, plain) | {
        f"kind {c.kind}": 1.0, "number 1": number == 1, "number": number is not None and number > 1,
        "strength": c.strength * STRENGTH, "updates": c.updates, "only": c.sequel == "only",
    }  # fmt: skip


def _step(plain: str, rest: str) -> int | None:
    """Which step a statement says it is, or the rest of its turn does."""
    return _place(plain) or (_place(cues.plain(rest)) if rest.strip() else None)


def _options(db: Database, scope: int, said: Said) -> tuple[list[Routine], Rare]:
    alike, counts, total = lineage.alike(db, scope, sorted(said.stems | said.rest | said.led), COMPARED)
    found = {k.id: k for k in [*alike, *lineage.steps(db, scope, LATEST)] if not (k.locked or k.kind in DERIVED)}
    routines = _routines(db, found)
    told = lineage.said_at(db, [piece.id for pieces in routines for piece in pieces])
    options = []
    for pieces in routines:
        turns = [told.get(piece.id, (0, 0, piece.text)) for piece in pieces]
        if said.turn and turns[-1][1] == said.turn:
            continue
        each = [_read(piece) for piece in pieces]
        options.append(
            Routine(
                pieces, turns[-1], _union(bag(text) for _, _, text in turns) - VAGUE, _union(r.stems for r in each),
                _union(r.about for r in each), _union(r.names for r in each),
            )
        )  # fmt: skip

    @cache
    def rare(s: str) -> float:
        return rarity(counts.get(s, exchanges.TYPICAL), total)

    return options, rare


def _routines(db: Database, found: dict[int, Known]) -> list[tuple[Known, ...]]:
    """The routines that these statements are of, in order, and those alone that are of none."""
    edges: set[tuple[int, int]] = set()
    front = list(found)
    for _ in range(MOST):
        fresh = set(lineage.follows(db, front)) - edges
        if not fresh:
            break
        edges |= fresh
        front = [id for edge in fresh for id in edge]
    missing = {id for edge in edges for id in edge} - found.keys()
    if missing:
        found |= {k.id: k for k in lineage.known(db, sorted(missing))}
    before: dict[int, list[int]] = {}
    for a, b in edges:
        before.setdefault(b, []).append(a)
    followed = {a for a, _ in edges}
    out = []
    for id in found.keys() - followed:
        chain, front, seen = [found[id]], before.get(id, []), {id}
        while front and len(chain) < MOST:
            earlier = [i for i in front if i in found and i not in seen]
            seen.update(earlier)
            chain[:0] = [found[i] for i in sorted(earlier)]
            front = [a for i in earlier for a in before.get(i, [])]
        out.append(tuple(chain))
    return sorted(out, key=lambda chain: chain[-1].id)


def _pair(said: Said, o: Routine) -> dict[str, float]:
    """How a statement stands to what it may go on with."""
    end, number, length = _read(o.end), _number(o), len(o.pieces)
    told = _flags(cues.plain(o.told[2]))
    shared = len((said.stems & o.stems) - VAGUE)
    found: dict[str, float] = {
        "loose": not o.begun, "length 2": length == 2, "length 3": length == 3, "length 4": length > 3,
        "closed": end.closes or "closes" in told, "closed last": end.closes,
        "again": said.number is not None and said.number <= number,
        "due": said.number is not None and said.number == number + 1,
        "last of many": "says last" in said.flags and length > 1,
        "ordinal loose": "says ordinal" in said.flags and not o.begun,
        "shared 1": shared > 0, "shared 2": shared > 1, "shared 4": shared > 3,
        "definite": min(2, len(said.definite & end.stems)),
        "definite chain": min(2, len(said.definite & (o.stems - end.stems))),
    }  # fmt: skip
    if not o.begun:
        found |= {f"loose {name}": name in end.flags for name in OPENS}
        found |= {f"loose told {name}": name in told for name in TAUGHT}
    return found


def _called(said: Said, o: Routine, rare: Rare) -> dict[str, float]:
    """How much of what a statement calls its routine the other calls itself, speaks of, has in its turns; by rarity."""
    so = _share(said.names, o.names, rare)
    return {
        "called so": so, "called": _share(said.names, o.about, rare),
        "called in turns": _share(said.names, o.turns, rare),
        "called another": bool(said.names) and bool(o.names) and not so,
        "its name": _share(o.names, said.stems | said.rest, rare),
    }  # fmt: skip


def _counted_on(said: Said, o: Routine, rare: Rare) -> float:
    """How much of what a statement names as that of which it is a later step the other speaks of, where that is not as
    far yet; where it names nothing, whether what the other ends with is called so and has the number before; else 0."""
    step, steps = said.counted, [each for each in (_read(p).counted for p in o.pieces) if each]
    if step is not None and not step.name:
        end = _read(o.end).counted
        follows = (end.noun, (end.number or 0) + 1) == (step.noun, step.number) if end and step.later else False
        met = _in_its_turn(said, step, steps, o, rare)
        elsewhere = follows and not met and o.begun and bool((step.head or said.rest) - VAGUE)
        return max(ELSEWHERE if elsewhere else float(follows), met)
    if step is None or not step.later or (step.last and any(each.last for each in steps)):
        return 0.0
    told = max([each.number or 0 for each in steps], default=0)
    continued = {"later", "remains"} <= _flags(cues.plain(o.told[2]))  # "more next time"
    if not (o.begun or told or continued or OPENS_WITH.search(o.told[2].lower())):
        return 0.0
    if step.number is not None and step.number <= max(told, len(o.pieces)):
        return 0.0
    return _share(step.name, _spoken_in(o), rare)


def _in_its_turn(said: Said, step: Counted, steps: list[Counted], o: Routine, rare: Rare) -> float:
    """How much of what the turn of a later step speaks of, where it does not say of what it is one, the other does."""
    if not (goes_with(step) and o.begun) or (step.last and any(each.last for each in steps)):
        return 0.0
    if step.number is not None and step.number <= len(o.pieces):
        return 0.0
    return _share((step.head or said.rest) - VAGUE, _spoken_in(o), rare)


def _spoken_in(o: Routine) -> frozenset[str]:
    """Stems of what a routine speaks of, its turns included."""
    return _union([bag(o.told[2]), o.turns, *(frozenset([*p.terms.split(), *p.cues.split()]) for p in o.pieces)])


def _share(these: frozenset[str], those: frozenset[str], rare: Rare) -> float:
    whole = math.fsum(map(rare, these))
    return math.fsum(map(rare, these & those)) / whole if whole else 0.0


def _place(plain: str) -> int | None:
    """Which step a sentence says it is; "before anything" is no first step where another number stands."""
    number = place(plain)
    later = BARE.search(plain) if number in (None, 1) else None
    return NUMBERS[later.group(1) or later.group(2)] if later else number


def _number(o: Routine) -> int:
    """Which number the last piece of a routine has, as far as it or those before it say."""
    places = [_read(p).number for p in o.pieces]
    known = [at + len(places) - 1 - i for i, at in enumerate(places) if at]
    return max([*known, len(places)])


@lru_cache(maxsize=4_096)
def _read(piece: Known) -> Read:
    plain = cues.plain(piece.text)
    own = frozenset(piece.terms.split()) - VAGUE
    return Read(
        own, own | (frozenset(piece.cues.split()) - VAGUE),
        frozenset(stem(w) for w in [*words(piece.context), *named(piece.text)]),
        _flags(plain), closes(plain), _place(plain), counted(plain),
    )  # fmt: skip


@lru_cache(maxsize=4_096)
def _flags(plain: str) -> frozenset[str]:
    return frozenset(name for name, shape in FLAGS.items() if shape.search(plain))


def _union(sets: Iterable[frozenset[str]]) -> frozenset[str]:
    return frozenset().union(*sets)
