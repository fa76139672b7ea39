"""Tokens to text and text to tokens with mlx-lm's tokenizer wrapper: rendering, offsets, streaming, tool calls."""

from __future__ import annotations

import json
from bisect import bisect_right
from collections.abc import Mapping, Sequence
from itertools import accumulate
from typing import Any

from mlx_lm.generate import make_text_state_machine
from mlx_lm.server import ToolCallFormatter, convert_chat, process_message_content
from mlx_lm.utils import common_prefix_len

from agentmemory.model.engine import Message
from agentmemory.model.prompt import SEPARATOR, plain_text
from agentmemory.model.stops import StopText


class MlxTokens:
    """`prompt.Tokens` over mlx-lm's `TokenizerWrapper`."""

    def __init__(self, tokenizer: Any) -> None:
        self.tokenizer = tokenizer
        self._inner = tokenizer._tokenizer

    def render(self, messages: list[dict[str, Any]], tools: Sequence[Message]) -> str:
        """The chat in the model's own template; where that knows no system, its words stand before the user's first.

        Raises:
            ValueError: it cannot be rendered.
        """
        try:
            return self._rendered(messages, tools)
        except Exception as e:  # a template is a program in the model folder: jinja raises what it likes
            folded = _without_system(messages)
            if folded == messages:
                raise ValueError(f"these messages cannot be rendered for the model: {e}") from e
            return self.render(folded, tools)

    def _rendered(self, messages: list[dict[str, Any]], tools: Sequence[Message]) -> str:
        copied = json.loads(json.dumps(messages))
        process_message_content(copied)
        if not self.tokenizer.has_chat_template:
            return str(convert_chat(copied))
        return str(self.tokenizer.apply_chat_template(
            copied, tools=[dict(t) for t in tools] or None, tokenize=False, add_generation_prompt=True,
        ))  # fmt: skip

    def encode(self, text: str, cuts: Sequence[int], plain: bool) -> tuple[list[int], list[int]]:
        """See `prompt.Tokens.encode`."""
        special = plain or not self.tokenizer.has_chat_template
        if getattr(self._inner, "is_fast", False):
            found = self._inner(text, add_special_tokens=special, return_offsets_mapping=True)
            ids = list(found["input_ids"])
            ends = list(accumulate((end for _, end in found["offset_mapping"]), max))  # special tokens have none
            return ids, [bisect_right(ends, cut) for cut in cuts]
        ids = list(self._inner.encode(text, add_special_tokens=special))
        return ids, [common_prefix_len(ids, self._inner.encode(text[:cut], add_special_tokens=special)) for cut in cuts]

    def continuation(self, text: str) -> list[int]:
        """Tokens of a text that follows another."""
        return list(self._inner.encode(text, add_special_tokens=False))

    def decode(self, tokens: Sequence[int]) -> str:
        """The text of tokens."""
        return str(self._inner.decode(list(tokens)))


class Reader:
    """The text of one answer as its tokens come: shown text, reasoning and tool calls told apart, stops heeded."""

    def __init__(
        self, tokens: MlxTokens, stop: Sequence[str], tools: Sequence[Mapping[str, Any]], thinking: bool
    ) -> None:
        self._detokenizer = tokens.tokenizer.detokenizer
        self._machine = make_text_state_machine(tokens.tokenizer)
        self._state = self._machine.make_state("reasoning" if thinking else "normal")
        self._stops = StopText(stop)
        self._tools = [dict(t) for t in tools]
        self._parser = tokens.tokenizer.tool_parser
        self._calls: list[str] = []
        self._in_call = False

    @property
    def stop(self) -> str:
        """The stop string that was made, "" for none."""
        return self._stops.found

    def feed(self, token: int) -> tuple[str, str]:
        """Text and reasoning that this token completes."""
        self._detokenizer.add_token(token)
        return self._sort(self._detokenizer.last_segment)

    def finish(self) -> tuple[str, str, list[dict[str, Any]]]:
        """What was held back, and the tool calls. A call that cannot be read is text."""
        self._detokenizer.finalize()
        text, thought = self._sort(self._detokenizer.last_segment)
        self._state, rest, channel = self._machine.flush(self._state)
        more, thought_more = self._channel(channel, rest)
        shown = text + more + self._stops.flush()
        calls = []
        for raw in self._calls:
            made = self._read_call(raw)
            calls += made
            shown += "" if made else raw
        return shown, thought + thought_more, calls

    def _read_call(self, raw: str) -> list[dict[str, Any]]:
        if self._parser is None:
            return []
        try:
            made = ToolCallFormatter(self._parser, self._tools)([raw])
            return [call for call in made if call["function"]["name"]]
        except (ValueError, LookupError, TypeError, AttributeError):  # JSON, but not a call
            return []

    def _sort(self, text: str) -> tuple[str, str]:
        shown = thought = ""
        self._state, pieces = self._machine.split(self._state, text)
        for channel, piece in pieces:
            more, reasoned = self._channel(channel, piece)
            shown, thought = shown + more, thought + reasoned
        return shown, thought

    def _channel(self, channel: str, text: str) -> tuple[str, str]:
        if channel == "reasoning":
            return "", text
        if channel == "tool":
            if not self._in_call:
                self._calls.append("")
            self._in_call = True
            self._calls[-1] += text
            return "", ""
        self._in_call = False
        return self._stops.feed(text), ""


def _without_system(messages: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The same chat, its first system messages as the beginning of the user's first words."""
    first = next((i for i, m in enumerate(messages) if m.get("role") != "system"), 0)
    if not first or messages[first].get("role") != "user":
        return messages
    words = SEPARATOR.join(plain_text(m) for m in messages[: first + 1])
    return [{**messages[first], "content": words}, *messages[first + 1 :]]
