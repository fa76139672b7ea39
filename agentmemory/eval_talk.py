"""The 25-turn conversation from end to end with a model: told early, asked late, and what each tier was worth.

Turns 1 to 15 are a conversation (five facts in random order, ten of filler) in which the model answers; it is learned
and slept on. Turns 16 to 25 are questions, each in a fresh conversation that holds the question and what memory brings
for it. Names and values are random at every run, so a model can know them from the memory alone.
"""

from __future__ import annotations

import random
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from agentmemory.answerers import Answerer
from agentmemory.memory import Memory
from agentmemory.model.engine import Prompt, Segment
from agentmemory.respond import WINDOW, prompt, remembered
from agentmemory.sleep.assembly import SHARES, Context, assemble
from agentmemory.sleep.costs import Price, Tally
from agentmemory.sleep.evaluation import Probe, play, recent_only, script
from agentmemory.sleep.tiers import Tiers
from agentmemory.store import nights

ANSWER_TOKENS = 100
WAYS = (
    "memory", *(f"without {name}" for name in SHARES), *(f"{name} alone" for name in SHARES), "recent only", "off",
)  # fmt: skip
TALK = "You are a developer's assistant. Answer in one short sentence."


@dataclass(slots=True)
class Way:
    """How one way of remembering did: probes, those whose prompt held the value, those whose answer did."""

    probes: int = 0
    held: int = 0
    answered: int = 0
    used: Tally = field(default_factory=Tally)

    def as_json(self, price: Price) -> dict[str, Any]:
        """Shares, tokens and cost; *tokens_per_answer* is None when nothing was answered."""
        told = self.used.prompt + self.used.completion
        return {
            "in_prompt": round(self.held / self.probes, 4), "answered": round(self.answered / self.probes, 4),
            "tokens_per_answer": round(told / self.answered, 1) if self.answered else None,
            **self.used.as_json(price),
        }  # fmt: skip


def run(
    name: str, answer: Answerer, shuffles: int = 3, seed: int = 0, price: Price | None = None,
    only: Sequence[str] = (),
) -> dict[str, Any]:  # fmt: skip
    """Play the conversation *shuffles* times; shares and costs of every way of remembering, or of *only* some."""
    rng, talk = random.Random(seed), Tally()
    ways: dict[str, Way] = {}
    for _ in range(shuffles):
        said, probes = script(rng)
        with tempfile.TemporaryDirectory(prefix="agentmemory-talk-") as home, Memory(home, project="") as memory:
            now = play(memory.db, home, converse(said, answer, seed, talk))
            memory.scope = nights.after(memory.db, 0, 1)[0].scope
            for probe in probes:
                for way, segments in contexts(memory, probe.question, now).items():
                    if only and way not in only:
                        continue
                    ask(ways.setdefault(way, Way()), probe, segments, answer, seed)
    price = price or Price()
    return {
        "answerer": name, "shuffles": shuffles, "seed": seed, "turns": 25, "talk": talk.as_json(price),
        "ways": {way: did.as_json(price) for way, did in ways.items()},
    }  # fmt: skip


def converse(said: Sequence[str], answer: Answerer, seed: int, tally: Tally) -> list[tuple[str, str]]:
    """The first 15 turns with the model's answers; each prompt is the conversation so far."""
    talk: list[tuple[str, str]] = []
    for text in said:
        talk.append(("user", text))
        messages = ({"role": "system", "content": TALK}, *({"role": r, "content": t} for r, t in talk))
        made = answer(Prompt(messages), text, [], seed)
        tally.add(made.usage)
        talk.append(("assistant", made.text.strip() or "..."))
    return talk


def contexts(memory: Memory, question: str, now: float) -> dict[str, list[Segment]]:
    """What a model is given for a question: by the whole memory, without one tier, by one tier, by recency, by none."""
    sections = assemble(Tiers(memory.db, memory.scope), question, WINDOW, now).sections
    out = {"memory": remembered(memory, question, "", WINDOW)[1]}
    out |= {f"without {name}": _segments({n: s for n, s in sections.items() if n != name}) for name in SHARES}
    out |= {f"{name} alone": _segments({n: s for n, s in sections.items() if n == name}) for name in SHARES}
    out["recent only"] = [Segment("recall", recent_only(memory.db, memory.scope, question, now))]
    out["off"] = []
    return out


def ask(way: Way, probe: Probe, segments: Sequence[Segment], answer: Answerer, seed: int) -> None:
    """Put one question; the value counts where the answer holds it letter for letter."""
    asked = prompt(probe.question, segments)
    if any(probe.answer in str(message["content"]) for message in asked.messages):
        raise AssertionError(f"the question gives its answer away: {probe.question}")
    given = [line for segment in segments for line in segment.text.split("\n")]
    made = answer(asked, probe.question, given, seed)
    way.used.add(made.usage)
    way.probes += 1
    way.held += any(probe.answer in line for line in given)
    way.answered += probe.answer in made.text


def _segments(sections: Mapping[str, str]) -> list[Segment]:
    given = Context(sections)
    return [s for s in (Segment("profile", given.stable), Segment("recall", given.called)) if s.text]
