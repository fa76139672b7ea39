"""Who answers in an evaluation: nobody (the best line is quoted), the configured model, or one behind a chat API."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence

from agentmemory.model.engine import Completion, Engine, Prompt, Sampling, Usage
from agentmemory.text import stems, tokens

QUOTE, CONFIGURED = "quote", "configured"
NOTHING = "no information available"
#: the prompt, the question in it, the remembered lines in it, a seed -> the answer
Answerer = Callable[[Prompt, str, Sequence[str], int], Completion]


def answerer(who: str, model: str, home: str, most_tokens: int) -> tuple[str, Answerer]:
    """The name and the function of *who*: quote, configured, or the address of an OpenAI-compatible server.

    A key for that server is taken from OPENAI_API_KEY.

    Raises:
        EngineError: no model is configured, or it cannot be had. ValueError: *who* is none of these.
    """
    if who == QUOTE:
        return QUOTE, quote
    if who == CONFIGURED:
        from agentmemory.sleep import models

        found: Engine = models.engines(home).get(model)
        return found.name, asking(found, most_tokens)
    if not who.startswith(("http://", "https://")):
        raise ValueError(f"the answerer is {QUOTE}, {CONFIGURED} or the address of a server, not {who!r}")
    from agentmemory.model.remote import RemoteEngine

    remote = RemoteEngine(who, model, os.environ.get("OPENAI_API_KEY", ""))
    return model or who, asking(remote, most_tokens)


def asking(engine: Engine, most_tokens: int) -> Answerer:
    """A model as it is, greedy."""

    def answer(prompt: Prompt, question: str, lines: Sequence[str], seed: int) -> Completion:
        return engine.generate(prompt, Sampling(max_tokens=most_tokens, seed=seed))

    return answer


def quote(prompt: Prompt, question: str, lines: Sequence[str], seed: int) -> Completion:
    """The floor of answering: of the remembered lines the one that holds most of the question's words, verbatim."""
    asked = set(stems(question))
    best = max(lines, key=lambda line: len(asked & set(stems(line))), default=NOTHING)
    given = sum(tokens(str(m["content"])) for m in prompt.messages) + sum(tokens(s.text) for s in prompt.segments)
    return Completion(best, "stop", Usage(int(given), int(tokens(best)), 0))
