"""A restored prefix gives the same logits, bit for bit, as a computed one: for every kind of cache."""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from agentmemory.model.engine import Prompt, Sampling, Segment
from tests.conftest import REPOSITORY
from tests.model.conftest import SETTINGS, Folder, Open, chat, distribution, needs_mlx, words
from tests.model.tiny import FAMILIES

pytestmark = needs_mlx
#: name -> prompts that came before, the prompt asked
CASES: dict[str, tuple[list[Prompt], Prompt]] = {
    "asked again": ([chat()], chat()),
    "another question": ([chat()], chat(query="new", recall="new")),
    "a changed digest": ([chat()], chat(digest="new")),
    "a changed profile": ([chat()], chat(profile="new")),
    "the conversation went on": ([chat(), chat(query=0, turns=2)], chat(query=0, turns=4)),
    "the conversation went back": ([chat(query=0, turns=4)], chat(query=0, turns=1)),
    "another conversation": ([chat(query=0, turns=3)], chat(query="else", turns=2)),
}


@pytest.mark.parametrize("family", FAMILIES)
def test_warm_is_cold_bit_for_bit(family: str, open_engine: Open, tmp_path: Path) -> None:
    for i, (case, (before, asked)) in enumerate(CASES.items()):
        cold, none = distribution(open_engine(tmp_path / f"cold{i}", family), asked)
        home = tmp_path / f"warm{i}"
        first = open_engine(home, family)
        for prompt in before:
            distribution(first, prompt)
        hot, used = distribution(first, asked)
        first.close()
        second = open_engine(home, family)
        disk, restored = distribution(second, asked)
        assert (none.cached, case) == (0, case)
        assert used.cached > 0 and restored.cached >= used.cached, case
        assert hot == cold, f"{family}: {case}, from memory"
        assert disk == cold, f"{family}: {case}, from disk"


@pytest.mark.parametrize("family", FAMILIES)
def test_a_short_end_is_one_pass_and_the_same_bits_warm_and_cold(
    family: str, open_engine: Open, tmp_path: Path
) -> None:
    import mlx.core as mx

    def asked(words_of: str) -> Prompt:
        return Prompt(text=words_of, segments=(Segment("profile", words(60, "p"), (1,)),))

    passes: list[int] = []
    ends = ["go", "go on", "and the port of the service?", words(40, "long")]
    cold = [distribution(open_engine(tmp_path / f"cold{i}", family), asked(end))[0] for i, end in enumerate(ends)]
    warm = open_engine(tmp_path / "warm", family)
    distribution(warm, asked("first of all"))
    model = warm._decoder._one_pass._model

    class Counted:
        def __call__(self, tokens: Any, cache: Any) -> Any:
            passes.append(tokens.shape[1])
            return model(tokens, cache=cache)

    warm._decoder._one_pass._model = Counted()
    for end, right in zip(ends, cold, strict=True):
        passes.clear()
        tail = len(warm._laid(asked(end)).tail)
        assert distribution(warm, asked(end))[0] == right, end
        assert passes[0] == (tail if 2 < tail <= 17 else min(max(1, tail - 1), SETTINGS.step)), "one pass if short"
    texts = [c.text for c in warm.batch([asked(end) for end in ends], Sampling(max_tokens=9))]
    if mx.default_device() == mx.gpu:
        return  # its kernels add up in another order where several are decoded together
    assert texts == [warm.generate(asked(end), Sampling(max_tokens=9)).text for end in ends]


@pytest.mark.parametrize("family", ["llama", "gemma3_text", "qwen3_next"])
def test_a_batch_of_different_lengths_begins_as_each_alone(family: str, open_engine: Open, tmp_path: Path) -> None:
    prompts = [chat(query=q, turns=q % 3, digest=q % 2) for q in range(5)]
    alone = [distribution(open_engine(tmp_path / f"{i}", family), p)[0] for i, p in enumerate(prompts)]
    warm = open_engine(tmp_path / "warm", family)
    warm.batch(prompts, Sampling(max_tokens=6))
    texts = [c.text for c in warm.batch(prompts, Sampling(max_tokens=12))]
    assert [distribution(warm, p)[0] for p in prompts] == alone
    assert texts == [warm.generate(p, Sampling(max_tokens=12)).text for p in prompts]


def test_another_process_restores_the_same_bits(open_engine: Open, model_folder: Folder, tmp_path: Path) -> None:
    cold, _ = distribution(open_engine(tmp_path / "cold"), chat())
    distribution(warmed := open_engine(tmp_path / "warm"), chat())
    warmed.close()
    program = (
        "import json, sys; from agentmemory.model.mlx_engine import MlxEngine;"
        "from tests.model.conftest import SETTINGS, chat, distribution;"
        "e = MlxEngine(sys.argv[1], sys.argv[2], SETTINGS); d, u = distribution(e, chat()); e.close();"
        "print(json.dumps([d, u.cached]))"
    )
    command = [sys.executable, "-c", program, model_folder(), str(tmp_path / "warm")]
    out = subprocess.run(command, cwd=REPOSITORY, capture_output=True, text=True, check=True, timeout=120).stdout
    warm, cached = json.loads(out.splitlines()[-1])
    assert cached > 100
    assert warm == cold


@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.parametrize(("kind", "worst"), [("q8", 0.15), ("q4", 3.0)])
def test_quantised_prefixes_are_smaller_and_close(
    kind: str, worst: float, family: str, open_engine: Open, tmp_path: Path
) -> None:
    exact, _ = distribution(open_engine(tmp_path / "cold", family), chat())
    settings = replace(SETTINGS, kv=kind)
    first = open_engine(tmp_path / kind, family, settings)
    distribution(first, chat())
    first.close()
    second = open_engine(tmp_path / kind, family, settings)
    near, used = distribution(second, chat())
    assert used.cached > 0
    difference = sum(abs(a - b) for a, b in zip(exact, near, strict=True)) / len(exact)
    assert difference < worst


def test_models_that_differ_in_one_weight_share_nothing(open_engine: Open, tmp_path: Path) -> None:
    one = open_engine(tmp_path, seed=0)
    distribution(one, chat())
    one.close()
    other = open_engine(tmp_path, seed=1)
    assert distribution(other, chat())[1].cached == 0
    assert distribution(other, chat())[0] == distribution(open_engine(tmp_path / "x", seed=1), chat())[0]


def test_a_miss_explains_itself(open_engine: Open, tmp_path: Path) -> None:
    def lines(engine: Any, prompt: Prompt) -> list[str]:
        return [str(line) for line in engine.explain(prompt)]

    engine = open_engine(tmp_path, seed=0)
    assert "never computed" in lines(engine, chat())[0]
    distribution(engine, chat())
    system, profile, digest = lines(engine, chat(digest="new"))
    assert system.endswith("in memory") and profile.endswith("in memory")
    assert "differs from the digest that is kept at its token" in digest
    system, profile, digest = lines(engine, chat(profile="new"))
    assert "missing" in profile and digest.endswith("recomputed, it follows profile")
    engine.close()  # waits until every segment has its file
    engine = open_engine(tmp_path, seed=0)
    engine.forget([2])
    assert "forgotten" in lines(engine, chat())[2]
    engine.close()
    assert "differs in weights" in lines(open_engine(tmp_path, seed=1), chat())[0]


def test_a_miss_is_explained_by_what_no_file_has_yet(open_engine: Open, tmp_path: Path) -> None:
    full = replace(SETTINGS, limits=replace(SETTINGS.limits, budget=0))
    engine = open_engine(tmp_path, settings=full)
    distribution(engine, chat())
    digest = str(engine.explain(chat(digest="new"))[2])
    assert "differs from the digest that is kept at its token" in digest
