"""The brief wording of a belief: its sentences that carry what it says, for a block that has no room for all of it.

Of "I asked Ines. No article is ever deleted, it gets a note. The council may want it" the second carries the statement.
Which do is a logistic regression over the marks and words of each, whether the assistant had asked and what its answer
took up. Weights are data (data/briefs.toml); `python experiments/briefs_fit.py --save` makes them from the worlds of
experiments/worlds.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from agentmemory.learn import answered, fitted, lasting
from agentmemory.learn.cues import SHAPES
from agentmemory.learn.passages import Sentence, sentences
from agentmemory.learn.rated import Rated
from agentmemory.learn.rating import rate

WEIGHTS = fitted.weights("briefs")
CARRIES = 0.06  # likelihood from which a sentence is part of the brief wording
SAVES = 8  # characters (two tokens) from which a shorter wording is worth having
OMITTED = " … "  # stands for what was left out between two sentences
#: of these also how much less a sentence has than the best of its text
COMPARED = ("met answer", "share answer", "met code", "stems", "score")


def brief(text: str, asked: str = "", answer: str = "") -> tuple[str, float]:
    """The brief wording of a text, and how likely what it leaves out carries something; ("", 0.0) where all has to
    stay. *asked*: what the assistant had asked. *answer*: what it said to the text, with code in fences."""
    said = sentences(text)
    if len(said) < 2:
        return "", 0.0
    rated = [rate(each) for each in said]
    if any("complaint" in r.marks for r in rated):
        return "", 0.0  # it says sideways what it wants ("where is the digest"), and few do: the fit has seen seven
    likely = likelihoods(rated, asked, answer)
    kept = {i for i, each in enumerate(likely) if each >= CARRIES or each == max(likely) or _stays(rated[i])}
    for i in range(len(rated) - 1, 0, -1):
        if i in kept and _leans(rated[i].plain):
            kept.add(i - 1)
    short = _joined(text, said, sorted(kept))
    if len(short) > len(text) - SAVES:
        return "", 0.0
    return short, min(1.0, sum(each for i, each in enumerate(likely) if i not in kept))


def likelihoods(rated: list[Rated], asked: str, answer: str) -> list[float]:
    """Of each sentence of a text that it carries what the text says, between 0 and 1."""
    return [fitted.likelihood(WEIGHTS, each) for each in features(rated, asked, answer)]


def features(rated: list[Rated], asked: str, answer: str) -> list[dict[str, float]]:
    """What the weights are for, of each sentence; a feature that is missing is 0."""
    out = [
        lasting.sentence(rated, i) | answered.echoes(r.said.text, answer)
        | {"rest": 1.0, "sentences": len(rated) / 3.0, "place": i / len(rated)}
        | {"asked": float(bool(asked)), "answers": float(bool(asked) and i == 0)}
        for i, r in enumerate(rated)
    ]  # fmt: skip
    for name in COMPARED:
        best = max(each.get(name, 0.0) for each in out)
        for each in out:
            each[f"less {name}"] = best - each.get(name, 0.0)
    return out


def _stays(r: Rated) -> bool:
    """Whether it orders something by its name ("make it for_each"): so few do and last that no fit can know."""
    return r.order and r.named


def _leans(plain: str) -> bool:
    """Whether a sentence cannot be understood without the one before it."""
    return bool(SHAPES["pronoun"].match(plain) or SHAPES["dependent"].match(plain))


def _joined(text: str, said: Sequence[Sentence], kept: list[int]) -> str:
    """The kept sentences as they stand in the text, with a sign where some between them were left out."""
    out = ""
    last = None
    for i in kept:
        if last is not None:
            out += text[said[last].end : said[i].start] if i == last + 1 else OMITTED
        out += text[said[i].start : said[i].end]
        last = i
    tail = re.match(r"[.!?)\"'`]+", text[said[kept[-1]].end :])
    return out + (tail.group() if tail else "")
