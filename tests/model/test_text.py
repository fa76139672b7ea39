"""What is shown of an answer: stops, reasoning and tool calls told apart, however the tokens fall."""

from __future__ import annotations

import json
import random
import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentmemory.model.engine import Prompt, PromptTooLong, Sampling, Segment, collect
from agentmemory.model.fake import FakeTokens
from agentmemory.model.prompt import lay_out, with_memory
from agentmemory.model.stops import StopText
from tests.model.conftest import SETTINGS, Folder, chat, needs_mlx

TOOLS = (
    '{% if tools %}<tools>{{ tools | tojson }}</tools> use <tool_call>{"name": ...}</tool_call> and tool_call.name'
    "{% endif %}{% for m in messages %}{{ m.content }}{% endfor %}<think></think>"
)


@given(st.text("ab\n", max_size=40), st.lists(st.text("ab\n", min_size=1, max_size=4), max_size=3), st.randoms())
def test_stops_cut_the_same_wherever_pieces_begin(text: str, stops: list[str], rng: random.Random) -> None:
    whole = StopText(stops)
    expected = whole.feed(text) + ("" if whole.stopped else whole.flush())
    pieces, shown = StopText(stops), ""
    at = 0
    while at < len(text) and not pieces.stopped:
        step = rng.randint(1, 4)
        shown += pieces.feed(text[at : at + step])
        at += step
    shown += "" if pieces.stopped else pieces.flush()
    assert shown == expected
    assert pieces.stopped == whole.stopped == any(stop in text for stop in stops)
    assert text.startswith(shown)


@given(st.lists(st.text(min_size=1, max_size=30), min_size=3, max_size=3), st.text(max_size=60), st.text(max_size=30))
def test_laying_out_loses_and_adds_no_token(memories: list[str], asked: str, recalled: str) -> None:
    tokens = FakeTokens()
    names = ("profile", "digest", "session")
    segments = tuple(Segment(n, t, (i,)) for i, (n, t) in enumerate(zip(names, memories, strict=True)))
    prompt = Prompt(({"role": "user", "content": asked},), (*segments, Segment("recall", recalled, (9,))))
    laid = lay_out(tokens, prompt)
    joined = [t for part in laid.parts for t in part.tokens] + list(laid.tail)
    assert joined == tokens.encode(tokens.render(with_memory(prompt), ()), (), plain=False)[0]
    assert laid.tail
    assert 9 not in {b for part in laid.parts for b in part.beliefs}


def test_a_text_of_far_more_tokens_than_fit_is_refused_by_its_beginning() -> None:
    class Counted(FakeTokens):
        read = 0

        def encode(self, text: str, cuts: Sequence[int], plain: bool) -> tuple[list[int], list[int]]:
            self.read += len(text)
            return super().encode(text, cuts, plain)

    tokens = Counted()
    with pytest.raises(PromptTooLong, match="more than 200 tokens, the model takes 100"):
        lay_out(tokens, Prompt(text="how do we deploy? " * 10_000), 100)
    assert tokens.read < 10_000

    few = Prompt(text=" " * 10_000)  # of long tokens there may be few
    assert lay_out(FakeTokens(), few, 100) == lay_out(FakeTokens(), few)


@needs_mlx
def test_tool_calls_and_reasoning_are_told_from_text(model_folder: Folder, tmp_path: Path) -> None:
    reader, tokens = reading(model_folder(), TOOLS, tmp_path)
    call = {"name": "search", "arguments": {"query": "deploy"}}
    answer = f"So: <think>hm, a tool</think>I look.<tool_call>{json.dumps(call)}</tool_call>"
    shown = thought = ""
    for token in tokens.continuation(answer):
        text, reasoned = reader.feed(token)
        shown, thought = shown + text, thought + reasoned
    text, reasoned, calls = reader.finish()
    assert shown + text == "So: I look."
    assert thought + reasoned == "hm, a tool"
    assert [(c["function"]["name"], json.loads(c["function"]["arguments"])) for c in calls] == [
        ("search", call["arguments"])
    ]


@needs_mlx
@pytest.mark.parametrize("said", ["{nothing", '"find"', "5", "[7]", '{"name": "search"}', '{"arguments": {}}'])
def test_a_tool_call_that_is_none_is_text(model_folder: Folder, tmp_path: Path, said: str) -> None:
    reader, tokens = reading(model_folder(), TOOLS, tmp_path)
    shown = "".join(reader.feed(token)[0] for token in tokens.continuation(f"I look.<tool_call>{said}</tool_call>"))
    text, _, calls = reader.finish()
    assert calls == []
    assert said in shown + text


@needs_mlx
def test_a_stop_string_that_comes_with_what_was_held_back_ended_the_answer(
    model_folder: Folder, tmp_path: Path
) -> None:
    from agentmemory.model.decoder import Job
    from agentmemory.model.mlx_engine import MlxEngine
    from agentmemory.model.ticket import Ticket

    made = tmp_path / "model"
    shutil.copytree(model_folder(), made)
    retold(str(made), TOOLS, made)
    engine = MlxEngine(str(made), str(tmp_path / "home"), SETTINGS)
    try:
        said = tuple(engine._tokens.continuation("I look <tool"))  # what may begin a call waits for more
        answered = collect(engine._start(Job(engine._laid(chat()), Sampling(stop=("<tool",)), Ticket(), forced=said)))
    finally:
        engine.close()

    assert (answered.text, answered.stop, answered.finish) == ("I look ", "<tool", "stop")


def retold(folder: str, template: str, made: Path) -> None:
    """Write the tokenizer of a model with another chat template."""
    from transformers import AutoTokenizer

    inner = AutoTokenizer.from_pretrained(folder)
    inner.chat_template = template
    inner.add_tokens(["<think>", "</think>", "<tool_call>", "</tool_call>"])
    inner.save_pretrained(str(made))


def reading(folder: str, template: str, made: Path) -> tuple[Any, Any]:
    """A reader over the model's tokenizer with another chat template, as mlx-lm loads it."""
    from mlx_lm.tokenizer_utils import load

    from agentmemory.model.mlx_text import MlxTokens, Reader

    retold(folder, template, made)
    tokens = MlxTokens(load(made))
    return Reader(tokens, (), ({"type": "function", "function": {"name": "search"}},), False), tokens


def test_what_stands_in_front_of_a_talk_comes_in_one_order_however_it_is_given() -> None:
    front = [Segment(name, f"the {name}.") for name in ("recall", "session", "digest", "profile")]
    talk = ({"role": "user", "content": "first"}, {"role": "user", "content": "last"})

    for segments in (front, front[::-1]):
        first, last = (message["content"] for message in with_memory(Prompt(talk, tuple(segments))))
        assert first.split("\n\n") == ["the profile.", "the digest.", "the session.", "first"]
        assert last.split("\n\n") == ["last", "the recall."]
