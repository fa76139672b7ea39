"""`agentmemory eval`: facts told long ago, filler, questions; what the memory brings against what recency brings.

Questions alone fetch contexts, values are random at every run, and with the memory off nothing can be known: a score
that could be had without remembering would show in the baselines beside it.
"""

from __future__ import annotations

import json
import os
import random
import tempfile
import uuid
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from agentmemory import paths
from agentmemory.learn.digest import digest
from agentmemory.sleep import extracts, metrics, night
from agentmemory.sleep.assembly import assemble
from agentmemory.sleep.tiers import Tiers
from agentmemory.store import nights, summaries, tiers, writer
from agentmemory.text import tokens

if TYPE_CHECKING:
    import apsw

WINDOW = 8_000  # tokens; memory gets its share of it
RECENT = 7  # turns of the baseline
START = 1_700_000_000.0
#: (what is said, two questions about it); {n} is a random name, {v} the value
FACTS = (
    ("The {n} gateway listens on port {v}.", "Which port does the {n} gateway use?", "Where does {n} listen?"),
    ("Our {n} cluster keeps backups in bucket {v}.", "Where are the backups of {n}?", "Which bucket has {n} got?"),
    ("The on-call password hint for {n} is {v}.", "What is the hint for {n}?", "How do I get into {n} on call?"),
    ("{n} is owned by team {v}.", "Who owns {n}?", "Which team is behind {n}?"),
    ("We decided to deploy {n} from branch {v}.", "Which branch is {n} deployed from?", "From where do we ship {n}?"),
)
FILLER = (
    "can you rename this variable", "the tests pass now", "add a docstring there", "why is this import unused",
    "make the loop shorter", "looks good", "format the file", "what does this regex do", "remove the dead branch",
    "split this function in two",
)  # fmt: skip

Fetch = Callable[["apsw.Connection", int, str, float], str]


@dataclass(frozen=True, slots=True)
class Probe:
    """A question and what its context must hold."""

    question: str
    answer: str


@dataclass(frozen=True, slots=True)
class Score:
    """What one way of fetching contexts reached: LCS over questions, mean CRS, mean tokens of a context."""

    lcs: float
    crs: float
    tokens: float


def run(shuffles: int = 20, seed: int = 0) -> dict[str, Score]:
    """The 25-turn run, *shuffles* times with other names, values and orders; a score for each way of fetching."""
    rng = random.Random(seed)
    told: dict[str, list[tuple[float, float, float]]] = {name: [] for name in WAYS}
    for _ in range(shuffles):
        said, probes = script(rng)
        with tempfile.TemporaryDirectory(prefix="agentmemory-eval-") as home:
            db = writer.open_store(home)
            try:
                now = play(db, home, [("user", text) for text in said])
                scope = nights.after(db, 0, 1)[0].scope
                for name, fetch in WAYS.items():
                    told[name].append(_score(db, scope, fetch, probes, now))
            finally:
                db.close()
    return {name: Score(*(round(sum(column) / len(rows), 4) for column in zip(*rows))) for name, rows in told.items()}


def script(rng: random.Random) -> tuple[list[str], list[Probe]]:
    """What the user says in order, and the questions asked afterwards; no question holds its answer."""
    facts = list(FACTS)
    rng.shuffle(facts)
    said, probes = [], []
    for fact, *questions in facts:
        name = "".join(rng.choice("bdfgklmnprstvz") + rng.choice("aeiou") for _ in range(3)).capitalize()
        value = str(uuid.UUID(int=rng.getrandbits(128)))
        said.append(fact.format(n=name, v=value))
        probes += [Probe(question.format(n=name), value) for question in questions]
    for probe in probes:
        if probe.answer in probe.question:
            raise ValueError(f"the question gives its answer away: {probe.question}")
    filler = list(FILLER)
    rng.shuffle(filler)
    return said + filler, probes


def summaries_tes(db: apsw.Connection, scopes: Iterable[int]) -> float:
    """Mean TES of the live summaries of these scopes, 0 without any."""
    scores = []
    for summary in summaries.live(db, list(scopes)):
        said = "\n".join(turn.text for turn in nights.by_id(db, summaries.turns_of(db, summary.id)))
        named = extracts.entities(said)
        kept = named & extracts.entities(summary.text)
        scores.append(metrics.tes(tokens(said), tokens(summary.text), len(named), len(kept)))
    return sum(scores) / len(scores) if scores else 0.0


def memory(db: apsw.Connection, scope: int, question: str, now: float) -> str:
    """The whole assembly."""
    return assemble(Tiers(db, scope), question, WINDOW, now).text


def recent_only(db: apsw.Connection, scope: int, question: str, now: float) -> str:
    """The last turns, as an agent without a memory has them."""
    return "\n".join(turn.text for turn in tiers.latest(db, [scope], RECENT))


def off(db: apsw.Connection, scope: int, question: str, now: float) -> str:
    """Nothing."""
    return ""


def chance(db: apsw.Connection, scope: int, question: str, now: float) -> str:
    """As many turns as the baseline has, drawn by the question's own seed."""
    turns = nights.after(db, 0, 10_000)
    drawn = random.Random(question).sample(turns, min(RECENT, len(turns)))
    return "\n".join(turn.text for turn in drawn)


def one_tier(name: str) -> Fetch:
    """The assembly cut down to one section, for the ablation."""

    def fetch(db: apsw.Connection, scope: int, question: str, now: float) -> str:
        return assemble(Tiers(db, scope), question, WINDOW, now).sections.get(name, "")

    return fetch


WAYS: Mapping[str, Fetch] = {
    "memory": memory,
    "recent only": recent_only,
    "random turns": chance,
    "off": off,
    **{f"{name} alone": one_tier(name) for name in ("episodes", "knowledge", "working")},
}


def play(db: apsw.Connection, home: str, said: Sequence[tuple[str, str]]) -> float:
    """Learn a conversation of `(role, text)` as a transcript and sleep over it; returns the time after it."""
    path = os.path.join(home, "conversation.jsonl")
    with open(path, "w", encoding="utf-8") as f:
        for i, (role, text) in enumerate(said):
            f.write(json.dumps({"role": role, "text": text, "at": paths.iso(START + 60 * i)}) + "\n")
    now = START + 60 * len(said)
    digest(db, path, now)
    night.sleep(db, now)
    return now


def _score(
    db: apsw.Connection, scope: int, fetch: Fetch, probes: list[Probe], now: float
) -> tuple[float, float, float]:
    contexts = [fetch(db, scope, probe.question, now) for probe in probes]
    relevance = [metrics.crs(context, probe.question) for context, probe in zip(contexts, probes)]
    found = metrics.lcs(contexts, [probe.answer for probe in probes])
    return found, sum(relevance) / len(probes), sum(map(tokens, contexts)) / len(probes)
