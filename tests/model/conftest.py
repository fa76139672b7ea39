"""Random models, made once a session; engines on them, closed when their test ends."""

from __future__ import annotations

import importlib.util
import random
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from agentmemory.model.engine import Prompt, Sampling, Segment, Usage, collect
from agentmemory.model.segment_disk import Limits
from agentmemory.model.settings import Settings
from tests.model import tiny

HAS_MLX = importlib.util.find_spec("mlx_lm") is not None
needs_mlx = pytest.mark.skipif(not HAS_MLX, reason="the extra `sidecar` is not installed")
#: small chunks, so that prompts of some hundred tokens are prefilled in several; no floor, disks of CI are full
SETTINGS = Settings(limits=Limits(budget=1 << 30, floor=0, ttl=1e9), step=32)

Folder = Callable[..., str]
Open = Callable[..., Any]


@pytest.fixture(scope="session")
def model_folder(tmp_path_factory: pytest.TempPathFactory) -> Folder:
    made: dict[str, str] = {}

    def folder(family: str = "llama", seed: int = 0, **changes: Any) -> str:
        if not HAS_MLX:
            pytest.skip("the extra `sidecar` is not installed")
        key = f"{family}-{seed}-{sorted(changes.items())}"
        if key not in made:
            made[key] = tiny.make(tmp_path_factory.mktemp("models") / "model", family, seed, **changes)
        return made[key]

    return folder


@pytest.fixture
def open_engine(model_folder: Folder, tmp_path: Path) -> Iterator[Open]:
    """`open_engine(home, family, settings)`: an engine over the segments of a home."""
    opened = []

    def engine(home: str | Path = "", family: str = "llama", settings: Settings = SETTINGS, **model: Any) -> Any:
        from agentmemory.model.mlx_engine import MlxEngine

        made = MlxEngine(model_folder(family, **model), str(home or tmp_path / "home"), settings)
        opened.append(made)
        return made

    yield engine
    for made in opened:
        made.close()


def words(count: int, seed: object) -> str:
    """Random words that the tokenizer knows."""
    chosen = random.Random(f"{seed}")
    return " ".join(chosen.choice(tiny.WORDS) for _ in range(count))


def chat(
    profile: object = 1, digest: object = 2, query: object = 3, turns: int = 0, system: object = 0, recall: object = 4
) -> Prompt:
    """A chat with memory; equal arguments give equal text, *turns* more turns go on from fewer."""
    messages = [{"role": "system", "content": words(30, f"s{system}")}, {"role": "user", "content": words(25, "u")}]
    for i in range(turns):
        messages.append({"role": "assistant", "content": words(40, f"a{i}")})
        messages.append({"role": "user", "content": words(40, f"u{i}")})
    messages[-1] = (
        {"role": "user", "content": f"{messages[-1]['content']} {words(9, f'q{query}')}"} if query else messages[-1]
    )
    segments = (
        Segment("profile", words(40, f"p{profile}"), (1,)),
        Segment("digest", words(60, f"d{digest}"), (2, 3)),
        Segment("recall", words(12, f"r{recall}"), (9,)),
    )
    return Prompt(tuple(messages), segments)


def distribution(engine: Any, prompt: Prompt) -> tuple[list[float], Usage]:
    """Log-probabilities of the whole vocabulary at three places after *prompt*: what the model knows of it."""
    from agentmemory.model.decoder import Job
    from agentmemory.model.ticket import Ticket

    job = Job(engine._laid(prompt), Sampling(), Ticket(), "scores", (5, 9, 11), rows=range(tiny.VOCAB))
    usage = collect(engine._start(job)).usage
    return job.scores, usage
