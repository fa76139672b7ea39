"""The engine over mlx-lm: a model folder (or hub id), its tokenizer, and the prefixes it has already computed."""

from __future__ import annotations

import os
import platform
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from importlib.metadata import version
from typing import Any

import mlx.core as mx
from mlx_lm import load

from agentmemory.model import fingerprint, heap, segment_wear
from agentmemory.model.decoder import Decoder, Job
from agentmemory.model.engine import (
    DEFAULT,
    DRAIN_SECONDS,
    Answers,
    BadPrompt,
    Closed,
    EngineError,
    Prompt,
    PromptTooLong,
    Sampling,
    Usage,
    collect,
)  # fmt: skip
from agentmemory.model.folder import folder_of
from agentmemory.model.kv_layout import MlxCodec
from agentmemory.model.loop import shared
from agentmemory.model.mlx_text import MlxTokens
from agentmemory.model.prompt import Laid, lay_out
from agentmemory.model.segments import FOLDER, SegmentStore
from agentmemory.model.settings import Settings
from agentmemory.model.ticket import Ticket

WANTED = ("*.json", "*.safetensors", "*.txt", "*.model", "*.jinja")  # of a hub's repository
STEP_GPU, STEP_CPU = 512, 128  # tokens a prefill step: under a second, so that a request can come between


class MlxEngine(Answers):
    """See `engine.Engine`. Everything that touches mlx runs in the loop's thread."""

    def __init__(self, model: str, home: str, settings: Settings, name: str = "") -> None:
        self.name = name or os.path.basename(os.path.normpath(model))
        folder = folder_of(model, WANTED)
        heap.keep_what_is_freed()
        self._loop = shared()
        if mx.default_device() == mx.cpu:
            mx.disable_compile()  # on the CPU it wants a C++ compiler at run time and gains nothing
        step = settings.step or (STEP_GPU if mx.default_device() == mx.gpu else STEP_CPU)
        segments = os.path.join(home, FOLDER)
        load_here = partial(self._loop.call, partial(load, folder, return_config=True))
        try:
            (self._model, tokenizer, self._config), root = fingerprint.loaded(
                folder, segments, load_here, mlx=version("mlx"), mlx_lm=version("mlx-lm"), kv=settings.kv,
                step=str(step), device=f"{mx.default_device()} {platform.machine()}",
                compile=os.environ.get("MLX_DISABLE_COMPILE", ""),
            )  # fmt: skip
        except (OSError, ValueError, KeyError, TypeError, AttributeError, RuntimeError) as e:
            raise EngineError(f"the model in {folder} cannot be loaded: {e}") from e
        self._tokens = MlxTokens(tokenizer)
        try:
            asked = segment_wear.of_folder(segments)
            self.store = SegmentStore(segments, root, MlxCodec(), settings.limits, settings.hot_bytes, asked=asked)
        except OSError as e:
            raise EngineError(f"prefixes cannot be kept in {segments}: {e}") from e
        self._loop.call(lambda: heap.fetch(self.store.disk.longest(root.name)))
        self._decoder = Decoder(self._model, self._tokens, self.store, step=step, kv=settings.kv)
        self.context = _context(self._config)
        self._closed = False
        self._loop.add(self._decoder)

    def stream(self, prompt: Prompt, sampling: Sampling = DEFAULT) -> Ticket:
        """See `engine.Engine.stream`."""
        laid = self._laid(prompt)
        room = self.context - laid.total if self.context else sampling.max_tokens
        job = Job(laid, _at_most(sampling, room), Ticket(), tools=prompt.tools)
        return self._start(job)

    def score(self, prompt: Prompt, options: Sequence[str], background: bool = False) -> list[float]:
        """See `engine.Engine.score`. Options of one token each cost one step together."""
        laid, sampling = self._laid(prompt), Sampling(background=background)
        tokens = [tuple(self._tokens.continuation(o)) for o in options]
        if not all(tokens):
            raise EngineError("an option to score has no tokens")
        if all(len(t) == 1 for t in tokens):
            rows = tuple(t[0] for t in tokens)
            job = Job(laid, sampling, Ticket(), "scores", rows[:1], rows=rows)
            collect(self._start(job))
            return job.scores
        jobs = [Job(laid, sampling, Ticket(), "scores", t) for t in tokens]
        for ticket in [self._start(job) for job in jobs]:
            collect(ticket)
        return [sum(job.scores) for job in jobs]

    def embed(self, texts: Sequence[str]) -> list[list[float]]:
        """See `engine.Engine.embed`: the mean of the last hidden states."""
        if self._closed:
            raise Closed("the engine is shutting down")
        return [self._loop.call(partial(self._embedding, text)) for text in texts]

    def count(self, prompt: Prompt) -> int:
        """See `engine.Engine.count`."""
        return self._parted(prompt).total

    def prefill(self, prompt: Prompt, background: bool = True) -> Usage:
        """See `engine.Engine.prefill`."""
        job = Job(self._laid(prompt), Sampling(max_tokens=1, background=background), Ticket(), "prefill")
        return collect(self._start(job)).usage

    def interrupt(self) -> None:
        """See `engine.Engine.interrupt`."""
        self._loop.call(partial(self._decoder.preempt, "a person's request came in between"))

    def forget(self, beliefs: Sequence[int], texts: Sequence[str] = ()) -> int:
        """See `engine.Engine.forget`."""
        return self.store.forget(beliefs, texts, self._tokens.decode)

    def explain(self, prompt: Prompt) -> list[str]:
        """One line a segment of *prompt*: where it is kept, or why it is not."""
        return self.store.explain(self._laid(prompt).parts, self._tokens.decode)

    def stats(self) -> dict[str, Any]:
        """See `engine.Engine.stats`."""
        return {"model": self.name, "tokens": dict(self._decoder.totals), "prefixes": self.store.stats()}

    def close(self, patience: float = DRAIN_SECONDS) -> None:
        """See `engine.Engine.close`: refuse new work, let what is under way end, write what only memory holds."""
        if self._closed:
            return
        self._closed = True
        self._decoder.shut()
        until = time.monotonic() + patience
        while self._decoder.busy and time.monotonic() < until:
            time.sleep(0.01)
        self._loop.call(self._decoder.abort)
        self._loop.remove(self._decoder)
        self._loop.call(self.store.close)

    def _start(self, job: Job) -> Ticket:
        self._decoder.submit(job)
        self._loop.wake()
        return job.ticket

    def _parted(self, prompt: Prompt, most: int = 0) -> Laid:
        try:
            laid = lay_out(self._tokens, prompt, most)
        except ValueError as e:
            raise BadPrompt(str(e)) from e
        if not laid.tail:
            raise BadPrompt("the prompt is empty")
        return laid

    def _laid(self, prompt: Prompt) -> Laid:
        laid = self._parted(prompt, max(0, self.context - 1))
        if self.context and laid.total >= self.context:
            raise PromptTooLong(f"the prompt has {laid.total} tokens, the model takes {self.context - 1}")
        return laid

    def _embedding(self, text: str) -> list[float]:
        ids = self._tokens.encode(text, (), plain=True)[0][: self.context or None]
        if not ids:
            raise BadPrompt("a text to embed has no tokens")
        hidden = _body(self._model)(mx.array([ids]))
        mean = hidden.astype(mx.float32).mean(axis=(0, 1))
        unit = mean / mx.maximum(mx.linalg.norm(mean), 1e-12)
        return [float(x) for x in unit.tolist()]


def _body(model: Any) -> Callable[[mx.array], mx.array]:
    """The part of a model that ends in hidden states."""
    inner = getattr(model, "language_model", model)
    for name in ("model", "backbone", "transformer"):
        if hasattr(inner, name):
            return getattr(inner, name)  # type: ignore[no-any-return]
    raise EngineError("this kind of model shows no hidden states")


def _context(config: dict[str, Any]) -> int:
    """Tokens the model was made for, 0 where its config does not say."""
    inner = config.get("text_config") or config
    return int(inner.get("max_position_embeddings") or 0)


def _at_most(sampling: Sampling, room: int) -> Sampling:
    return replace(sampling, max_tokens=max(1, min(sampling.max_tokens, room)))
