"""What memory asks of a model: how much a turn matters, how a note is found, what a passage says.

Each kind of question has one instruction, which is the same prefix every time and so computed once. An answer is
checked against what it was given; one that does not fit raises `Unfit` and leaves nothing behind.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Sequence
from typing import Annotated, Protocol

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from agentmemory.model.engine import Completion, EngineError, Prompt, Sampling

MOST_CHARACTERS = 6_000  # of what is asked about
MARKS = ("1", "2", "3", "4", "5")
IMPORTANCE = (
    "You rate how much a message from a developer's session is worth remembering for later sessions.\n"
    "5: a rule, decision, correction or fact that later work depends on, with names or numbers.\n"
    "4: a preference or a finding about the project that will matter again.\n"
    "3: useful for this task only.\n"
    "2: an ordinary step, a question without its answer.\n"
    "1: small talk, thanks, acknowledgement.\n"
    "Answer with one digit from 1 to 5 and nothing else."
)
ANNOTATION = (
    "You help a search engine find a note again. Read the note and answer with one JSON object and nothing else:\n"
    '{"keywords": [3 to 8 words or names copied from the note], "context": "one sentence: what the note is about",'
    ' "tags": [1 to 5 general topics, one or two words each]}'
)
SUMMARY = (
    "Summarise passages of a developer's sessions in at most three sentences. Keep every name, number, path and"
    " command as it is written. State facts only, address nobody, add nothing."
)
NAMES = re.compile(r"[\w./-]*[\d_/][\w./-]*\w|`[^`]+`")  # what looks like a name, number, path or command
LEAST_SUMMARY = 20


class Unfit(EngineError):
    """The model's answer is not what was asked for; nothing is to be kept of it."""


class Asked(Protocol):
    """What tasks need of an engine; `engine.Engine` and `allowance.Background` both have it."""

    def generate(self, prompt: Prompt, sampling: Sampling = ...) -> Completion: ...
    def score(self, prompt: Prompt, options: Sequence[str]) -> list[float]: ...


Word = Annotated[str, Field(min_length=1, max_length=60)]


class Annotation(BaseModel):
    """How a note is found: keywords that it holds, one sentence, topics."""

    model_config = ConfigDict(extra="ignore", str_strip_whitespace=True)
    keywords: Annotated[list[Word], Field(min_length=1, max_length=12)]
    context: Annotated[str, Field(min_length=3, max_length=300)]
    tags: Annotated[list[Word], Field(min_length=1, max_length=8)]


def importance(engine: Asked, text: str) -> float:
    """How much *text* matters, 0 to 1: the mean of the marks, weighted by the probability the model gives each.

    Raises:
        EngineError: no model can be asked now.
    """
    scores = engine.score(prompt(IMPORTANCE, text), MARKS)
    top = max(scores)
    weights = [math.exp(score - top) for score in scores]
    mean = sum(int(mark) * weight for mark, weight in zip(MARKS, weights, strict=True)) / sum(weights)
    return (mean - 1.0) / 4.0


def annotate(engine: Asked, text: str) -> Annotation:
    """Keywords, context and tags of a note; keywords that the note does not hold are dropped.

    Raises:
        Unfit: the answer is no such thing. EngineError: no model can be asked now.
    """
    said = engine.generate(prompt(ANNOTATION, text), Sampling(max_tokens=300)).text
    begin, end = said.find("{"), said.rfind("}")
    try:
        found = Annotation.model_validate(json.loads(said[begin : end + 1]))
    except (ValueError, ValidationError) as e:
        raise Unfit("the model's answer is no annotation") from e
    held = text.lower()
    keywords = [word for word in found.keywords if word.lower() in held]
    if not keywords:
        raise Unfit("none of the model's keywords is in the note")
    return found.model_copy(update={"keywords": keywords})


def summarise(engine: Asked, text: str) -> str:
    """What *text* says, shorter, with names and numbers that it holds and no others.

    Raises:
        Unfit: the answer invents, is empty or longer. EngineError: no model can be asked now.
    """
    made = engine.generate(prompt(SUMMARY, text), Sampling(max_tokens=300))
    said = " ".join(made.text.split())
    if made.finish != "stop" or not LEAST_SUMMARY <= len(said) < max(len(text), LEAST_SUMMARY + 1):
        raise Unfit("the summary is cut off, empty or longer than what it summarises")
    invented = [name for name in NAMES.findall(said) if name.strip("`.").lower() not in text.lower()]
    if invented:
        raise Unfit(f"the summary names what the text does not: {invented[0]}")
    return said


def prompt(instruction: str, text: str) -> Prompt:
    """The instruction as a system message, the same for every text: the prefix that is computed once."""
    return Prompt(({"role": "system", "content": instruction}, {"role": "user", "content": text[:MOST_CHARACTERS]}))
