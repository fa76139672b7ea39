"""A chat with remembered segments as tokens, cut where a prefix is worth keeping.

The whole prompt is rendered and tokenised once, as without a memory; cuts only say where segments of it end. Order:
system and tools, profile, digest, session, conversation, and last what this query recalled.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from agentmemory.model.engine import Message, Prompt, PromptTooLong, Segment
from agentmemory.model.segments import STABLE, Part

CONVERSATION = "conversation"
SYSTEM = "system"
LEAST_TOKENS = 16  # a shorter part costs more as a file than as a computation, unless it holds memories
LEAST_CONVERSATION = 64
LONG = 32  # characters a token of which a prompt is not tokenised whole before it is known that it may fit
SURELY = 2  # times the tokens that a model takes: where a text is cut, its last tokens may be others
MOST_TOKENS = 2048  # longer parts are kept piece by piece, so an interrupted prefill loses little
SEPARATOR = "\n\n"


class Tokens(Protocol):
    """What laying out needs of a tokenizer."""

    def render(self, messages: list[dict[str, Any]], tools: Sequence[Message]) -> str:
        """The chat as one text, ending where the answer begins."""

    def encode(self, text: str, cuts: Sequence[int], plain: bool) -> tuple[list[int], list[int]]:
        """Tokens of *text*, and for each character position in *cuts* how many of them end there or before.

        *plain*: the text was not rendered, so special tokens (a beginning) are to be added.
        """


@dataclass(frozen=True, slots=True)
class Laid:
    """parts: what may be kept, in order. tail: the tokens after them, at least one."""

    parts: tuple[Part, ...]
    tail: tuple[int, ...]

    @property
    def total(self) -> int:
        """Tokens of the whole prompt."""
        return sum(len(p.tokens) for p in self.parts) + len(self.tail)


@dataclass(slots=True)
class _Mark:
    label: str
    end: int
    beliefs: tuple[int, ...] = ()


def lay_out(tokens: Tokens, prompt: Prompt, most: int = 0) -> Laid:
    """Tokens of *prompt* in parts.

    most: tokens that the model takes, 0 for any number. A text of far more is refused by its beginning alone, because
    tokenising 28 MB takes seconds.

    Raises:
        ValueError: the chat cannot be rendered.
        PromptTooLong: it has surely more than *most* tokens.
    """
    stable, recalled = _sorted(prompt)
    if prompt.messages:
        messages = with_memory(prompt)
        text = tokens.render(messages, prompt.tools)
        marks = _marks(text, messages, prompt.messages, stable, recalled)
    else:
        text = SEPARATOR.join([*(s.text.strip() for s in (*stable, *recalled)), prompt.text])
        marks = _stable_marks(text, stable, 0)
    if most and len(text) > most * LONG and len(tokens.encode(text[: most * LONG], (), plain=False)[0]) > most * SURELY:
        raise PromptTooLong(f"the prompt has more than {most * SURELY} tokens, the model takes {most}")
    ids, counts = tokens.encode(text, [m.end for m in marks], plain=not prompt.messages)
    return _cut(ids, marks, counts)


def with_memory(prompt: Prompt) -> list[dict[str, Any]]:
    """The chat as the model sees it.

    Stable segments stand before the user's first words (so after system and tools, wherever a template puts
    those), what was recalled for this query after the user's last.
    """
    stable, recalled = _sorted(prompt)
    out = [dict(m) for m in prompt.messages]
    users = [i for i, m in enumerate(out) if m.get("role") == "user"]
    if (stable or recalled) and not users:
        out.append({"role": "user", "content": ""})
        users = [len(out) - 1]
    if stable:
        words = [*(s.text.strip() for s in stable), plain_text(out[users[0]])]
        out[users[0]]["content"] = SEPARATOR.join(w for w in words if w)
    if recalled:
        words = [plain_text(out[users[-1]]), *(s.text.strip() for s in recalled)]
        out[users[-1]]["content"] = SEPARATOR.join(w for w in words if w)
    return out


def plain_text(message: Message) -> str:
    """The words of a message, whether its content is a string or a list of parts."""
    content = message.get("content") or ""
    if isinstance(content, str):
        return content
    return "".join(str(part.get("text", "")) for part in content if isinstance(part, dict))


def _sorted(prompt: Prompt) -> tuple[list[Segment], list[Segment]]:
    stable = sorted((s for s in prompt.segments if s.name in STABLE), key=lambda s: STABLE.index(s.name))
    return [s for s in stable if s.text.strip()], [
        s for s in prompt.segments if s.name not in STABLE and s.text.strip()
    ]


def _marks(
    text: str,
    messages: Sequence[Message],
    given: Sequence[Message],
    stable: Sequence[Segment],
    recalled: Sequence[Segment],
) -> list[_Mark]:
    users = [i for i, m in enumerate(messages) if m.get("role") == "user"]
    at = 0
    for message in messages[: users[0]] if users else []:
        at = _after(text, plain_text(message), at)
    marks = []
    if users:
        begin = text.find(plain_text(messages[users[0]]).strip(), at)
        if begin > 0:
            marks.append(_Mark(SYSTEM, begin))
        marks += _stable_marks(text, stable, max(begin, at))
        at = marks[-1].end if marks else at
    for i, message in enumerate(messages[:-1]):
        if not users or i < users[0]:
            continue
        own = plain_text(given[i] if i < len(given) else message)
        at = _after(text, own, at)
        beliefs: tuple[int, ...] = ()
        if recalled and i == users[-1]:
            beliefs = tuple(b for s in recalled for b in s.beliefs)
            for segment in recalled:
                at = _after(text, segment.text, at)
        marks.append(_Mark(CONVERSATION, at, beliefs))
    return marks


def _stable_marks(text: str, stable: Sequence[Segment], at: int) -> list[_Mark]:
    """Each segment up to where the next one begins, so that its separator is its own."""
    marks = []
    for segment in stable:
        at = _after(text, segment.text, at)
        while at < len(text) and text[at] == "\n":
            at += 1
        marks.append(_Mark(segment.name, at, segment.beliefs))
    return marks


def _after(text: str, words: str, at: int) -> int:
    """Where *words* end at or after *at*; *at* itself when a template left them out."""
    words = words.strip()
    found = text.find(words, at) if words else -1
    return found + len(words) if found >= 0 else at


def _cut(ids: list[int], marks: Sequence[_Mark], counts: Sequence[int]) -> Laid:
    parts: list[Part] = []
    begin, waiting = 0, set[int]()
    for mark, end in zip(marks, counts, strict=True):
        end = min(end, len(ids) - 1)  # the last token is always computed: its logits are the answer's first
        waiting |= set(mark.beliefs)
        least = {CONVERSATION: LEAST_CONVERSATION, SYSTEM: LEAST_TOKENS}.get(mark.label, 1)
        if end - begin < least:
            continue
        for at in range(begin, end, MOST_TOKENS):
            parts.append(Part(mark.label, tuple(ids[at : min(at + MOST_TOKENS, end)]), tuple(sorted(waiting))))
        begin, waiting = end, set()
    return Laid(tuple(parts), tuple(ids[begin:]))
