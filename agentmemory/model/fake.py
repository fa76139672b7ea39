"""A model that is arithmetic on words: the same contract, no packages, the same answer every time.

For tests and for programs that want to try the way without a model. It knows nothing of any subject.
"""

from __future__ import annotations

import hashlib
import json
import math
import re
import threading
from collections.abc import Callable, Sequence
from typing import Any

from agentmemory.model.engine import (
    DEFAULT,
    DRAIN_SECONDS,
    Answers,
    BadPrompt,
    Closed,
    EngineError,
    Message,
    Piece,
    Prompt,
    PromptTooLong,
    Sampling,
    Usage,
)  # fmt: skip
from agentmemory.model.prompt import Laid, lay_out
from agentmemory.model.segment_file import chain_name
from agentmemory.model.stops import StopText
from agentmemory.model.ticket import Ticket

WORDS = "so the answer is here and it may be that we take one more step before all of this ends well".split()
TOKEN = re.compile(r"\s*\S{1,6}|\s+$")
DIMENSIONS = 64
ENDS, LEAST_WORDS = 1 << 24, 40  # an answer ends after a word with a chance of one in 32, not before so many
Reply = Callable[[Prompt], str]


class FakeTokens:
    """Pieces of words as tokens; their number is their hash."""

    def render(self, messages: list[dict[str, Any]], tools: Sequence[Message]) -> str:
        """A plain chat."""
        lines = [f"tools: {json.dumps([dict(t) for t in tools])}\n"] if tools else []
        lines += [f"[{m.get('role')}]\n{m.get('content') or ''}\n" for m in messages]
        return "".join(lines) + "[assistant]\n"

    def encode(self, text: str, cuts: Sequence[int], plain: bool) -> tuple[list[int], list[int]]:
        """See `prompt.Tokens.encode`."""
        found = [(m.group(), m.end()) for m in TOKEN.finditer(text)]
        ids = [int.from_bytes(hashlib.blake2b(t.encode(), digest_size=4).digest(), "little") for t, _ in found]
        return ids, [sum(end <= cut for _, end in found) for cut in cuts]


class FakeEngine(Answers):
    """See `engine.Engine`. *reply* makes the answers, where a test wants certain ones."""

    def __init__(self, name: str = "fake", reply: Reply | None = None, context: int = 100_000) -> None:
        self.name = name
        self.context = context
        self._reply = reply
        self._tokens = FakeTokens()
        self._kept: dict[str, tuple[int, ...]] = {}
        self._texts: dict[str, str] = {}
        self._lock = threading.Lock()
        self._closed = False
        self._totals = {"requests": 0, "prompt": 0, "cached": 0, "completion": 0}

    def stream(self, prompt: Prompt, sampling: Sampling = DEFAULT) -> Ticket:
        """See `engine.Engine.stream`."""
        laid = self._laid(prompt)
        cached, ticket = self._prefix(laid, prompt), Ticket()
        ticket.known = Usage(laid.total, 0, cached)
        stops, made, why = StopText(sampling.stop), 0, "stop"
        for word in self._words(laid, prompt, sampling):
            if made == sampling.max_tokens:
                why = "length"
                break
            made += 1
            text = stops.feed(word)
            if text:
                ticket.put(Piece(text))
            if stops.stopped:
                break
        rest = "" if stops.stopped else stops.flush()
        with self._lock:
            self._totals["completion"] += made
        ticket.put(Piece(rest, why, Usage(laid.total, made, cached), stop=stops.found))
        return ticket

    def score(self, prompt: Prompt, options: Sequence[str], background: bool = False) -> list[float]:
        """See `engine.Engine.score`: a number between -10 and 0 that depends on every word."""
        laid = self._laid(prompt)
        self._prefix(laid, prompt)
        if not all(options):
            raise EngineError("an option to score has no tokens")
        return [-10.0 * _number(f"{laid}|{option}") for option in options]

    def embed(self, texts: Sequence[str]) -> list[list[float]]:
        """See `engine.Engine.embed`: hashed words."""
        return [_bag(text) for text in texts]

    def count(self, prompt: Prompt) -> int:
        """See `engine.Engine.count`."""
        return self._parted(prompt).total

    def prefill(self, prompt: Prompt) -> Usage:
        """See `engine.Engine.prefill`."""
        laid = self._laid(prompt)
        return Usage(laid.total, 0, self._prefix(laid, prompt))

    def interrupt(self) -> None:
        """Nothing here takes long."""

    def forget(self, beliefs: Sequence[int], texts: Sequence[str] = ()) -> int:
        """See `engine.Engine.forget`."""
        asked = set(beliefs)
        with self._lock:
            gone = {n for n, held in self._kept.items() if asked & set(held) or any(t in self._texts[n] for t in texts)}
            for name in gone:
                del self._kept[name], self._texts[name]
        return len(gone)

    def stats(self) -> dict[str, Any]:
        """See `engine.Engine.stats`."""
        return {"model": self.name, "tokens": dict(self._totals), "prefixes": {"hot": {"segments": len(self._kept)}}}

    def close(self, patience: float = DRAIN_SECONDS) -> None:
        """See `engine.Engine.close`."""
        self._closed = True

    def _parted(self, prompt: Prompt, most: int = 0) -> Laid:
        if self._closed:
            raise Closed("the engine is shutting down")
        laid = lay_out(self._tokens, prompt, most)
        if not laid.tail:
            raise BadPrompt("the prompt is empty")
        return laid

    def _laid(self, prompt: Prompt) -> Laid:
        laid = self._parted(prompt, self.context - 1)
        if laid.total >= self.context:
            raise PromptTooLong(f"the prompt has {laid.total} tokens, the model takes {self.context - 1}")
        return laid

    def _prefix(self, laid: Laid, prompt: Prompt) -> int:
        """Keep the parts; how many tokens of them were there before."""
        cached, name, whole, beliefs = 0, "", True, set[int]()
        words = json.dumps([dict(m) for m in prompt.messages]) + " ".join(s.text for s in prompt.segments) + prompt.text
        with self._lock:
            for part in laid.parts:
                name = chain_name(name, part.tokens)
                beliefs |= set(part.beliefs)
                whole = whole and name in self._kept
                cached += len(part.tokens) if whole else 0
                self._kept[name], self._texts[name] = tuple(beliefs), words
            self._totals["requests"] += 1
            self._totals["prompt"] += laid.total
            self._totals["cached"] += cached
        return cached

    def _words(self, laid: Laid, prompt: Prompt, sampling: Sampling) -> list[str]:
        if self._reply is not None:
            return re.findall(r"\s*\S+\s*$|\s*\S+", self._reply(prompt))
        chance = f"{sampling.seed}" if sampling.temperature else ""
        words: list[str] = []
        for i in range(sampling.max_tokens + 1):
            drawn = _number(f"{laid}|{chance}|{i}")
            words.append(("" if not words else " ") + WORDS[int(drawn * 1e9) % len(WORDS)])
            if i >= LEAST_WORDS and int(drawn * ENDS) % 32 == 0:
                break
        return words


def _number(seed: str) -> float:
    """A number from 0 to 1 that depends on all of *seed*."""
    return int.from_bytes(hashlib.blake2b(seed.encode(), digest_size=6).digest(), "little") / (1 << 48)


def _bag(text: str) -> list[float]:
    vector = [0.0] * DIMENSIONS
    for word in text.lower().split() or [""]:
        place = hashlib.blake2b(word.encode(), digest_size=2).digest()
        vector[place[0] % DIMENSIONS] += 1.0 if place[1] % 2 else -1.0
    length = math.sqrt(sum(x * x for x in vector))
    return [x / length for x in vector] if length else [1.0] + [0.0] * (DIMENSIONS - 1)
