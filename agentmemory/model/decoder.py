"""One model's work in the engine's thread: admit, prefill in parts, decode together, keep segments on the way.

Prefilling and decoding are mlx-lm's `BatchGenerator`; here is only what goes in and what comes out of it. Prompts
are prefilled one at a time, always in the same chunks, so that what a prefix is does not depend on who was there.
"""

from __future__ import annotations

import os
import threading
import time
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import mlx.core as mx
from mlx_lm.generate import BatchGenerator, StopSequences, make_stop_sequences
from mlx_lm.models.cache import make_prompt_cache
from mlx_lm.sample_utils import make_logits_processors, make_sampler

from agentmemory.model import kv_layout
from agentmemory.model.engine import Closed, EngineError, Piece, Preempted, Sampling, Usage
from agentmemory.model.mlx_text import MlxTokens, Reader
from agentmemory.model.one_pass import OnePass
from agentmemory.model.prompt import Laid
from agentmemory.model.segment_file import Damaged
from agentmemory.model.segments import SegmentStore
from agentmemory.model.ticket import Ticket

HAND_OVER = 2e-4  # seconds in which who waits for the first token gets the interpreter, instead of 5 ms later
MAX_TOGETHER = 16  # sequences decoded together; more wait without memory of their own
COLDEST = 1e-6  # a temperature below draws the likeliest token: float32 holds no log-probabilities that are nearer


@dataclass(slots=True, eq=False)
class Job:
    """A request in the engine. wants: text, prefill (parts only), or logprobs of *options*, one after another.

    forced: tokens that are "generated" whatever the model would choose; scores collects their log-probabilities.
    """

    laid: Laid
    sampling: Sampling
    ticket: Ticket
    wants: str = "text"
    forced: tuple[int, ...] = ()
    tools: tuple[Mapping[str, Any], ...] = ()
    scores: list[float] = field(default_factory=list)
    rows: Sequence[int] = ()  # tokens whose log-probability is wanted at the first place, instead of forced ones
    uid: int = -1
    kept: int = 0  # parts of the prompt that its cache holds
    cached: int = 0
    epoch: tuple[int, int] = (0, 0)
    made: int = 0
    ending: bool = False  # only its tail is left to prefill
    early: bool = False  # its first token has been shown before mlx-lm handed it out
    reader: Reader | None = None


class Decoder:
    """The requests of one model. All methods but `submit` belong to the engine's thread."""

    def __init__(
        self, model: Any, tokens: MlxTokens, store: SegmentStore | None, *, step: int, kv: str = "native"
    ) -> None:
        self.model, self.tokens, self.store = model, tokens, store
        self._step, self._kv = step, kv
        self._one_pass = OnePass(model, step)
        self._stops = make_stop_sequences(tokens.tokenizer)
        self._waiting: deque[Job] = deque()
        self._running: dict[int, Job] = {}
        self._prefilling: Job | None = None
        self._closed = False
        self._door = threading.Lock()
        self.totals = {"requests": 0, "prompt": 0, "cached": 0, "completion": 0, "preempted": 0, "failed": 0}
        self._new_generator()

    def submit(self, job: Job) -> None:
        """Queue a request, from any thread."""
        with self._door:
            if not self._closed:
                self._waiting.append(job)
                return
        job.ticket.fail(Closed("the engine is shutting down"))

    @property
    def busy(self) -> bool:
        """There is something to do."""
        return bool(self._waiting or self._prefilling or self._running)

    def step(self) -> None:
        """One step of everything under way. What goes wrong ends the requests concerned, not the thread."""
        try:
            self._drop_cancelled()
            self._make_way()
            self._admit()
            if self._running:
                self._advance()
        except Exception as e:  # the engine's loop: mlx raises RuntimeError, ValueError and what its models raise
            self._fail_all(EngineError(f"the model failed: {type(e).__name__}: {e}"))

    def preempt(self, why: str) -> None:
        """End background work under way; what has not begun waits."""
        for job in [j for j in self._running.values() if j.sampling.background]:
            self._remove(job)
            self.totals["preempted"] += 1
            job.ticket.fail(Preempted(why))

    def shut(self) -> None:
        """Refuse new work; what is under way goes on."""
        with self._door:
            self._closed = True

    def abort(self) -> None:
        """End what is under way."""
        self._fail_all(Closed("the engine was stopped"))

    def _new_generator(self) -> None:
        self._one_pass.ends(0, ())
        self._generator = BatchGenerator(
            self._one_pass, prefill_batch_size=1, completion_batch_size=MAX_TOGETHER, prefill_step_size=self._step
        )

    def _drop_cancelled(self) -> None:
        for job in [j for j in self._waiting if j.ticket.cancelled]:
            self._waiting.remove(job)
        for job in [j for j in self._running.values() if j.ticket.cancelled]:
            self._remove(job)

    def _make_way(self) -> None:
        """A person's request does not wait for background work."""
        if any(not j.sampling.background for j in self._waiting):
            self.preempt("a request came in between")

    def _admit(self) -> None:
        """Start the next prompt once no other is being prefilled: it may begin with what that one has kept."""
        if self._prefilling is not None or not self._waiting or len(self._running) >= MAX_TOGETHER:
            return
        job = next((j for j in self._waiting if not j.sampling.background), self._waiting[0])
        self._prefilling = job  # before it waits no more: who asks whether there is work may ask in between
        self._waiting.remove(job)
        self.totals["requests"] += 1
        with mx.stream(self._generator.stream):
            cache = self._restored(job)
        self.totals["prompt"] += job.laid.total
        self.totals["cached"] += job.cached
        job.ticket.known = Usage(job.laid.total, 0, job.cached)
        if job.wants == "prefill" and job.kept == len(job.laid.parts):
            self._prefilling = None
            self._finish(job, "stop")
            return
        if job.wants == "text":
            thinking = _thinks(self.tokens.tokenizer, job.laid.tail)
            job.reader = Reader(self.tokens, job.sampling.stop, job.tools, thinking)
        rest = [list(p.tokens) for p in job.laid.parts[job.kept :]] + [list(job.laid.tail)]
        before = [t for p in job.laid.parts[: job.kept] for t in p.tokens]
        job.uid = self._generator.insert_segments(
            [rest], [len(job.forced) or job.sampling.max_tokens], [cache], [before], [self._sampler(job)],
            [_processors(job.sampling)], [StopSequences() if job.wants != "text" else self._stops],
        )[0]  # fmt: skip
        self._running[job.uid] = job

    def _restored(self, job: Job) -> list[Any]:
        fresh: list[Any] = make_prompt_cache(self.model)
        if self.store is None or not job.laid.parts:
            return fresh
        if job.wants == "prefill" and self.store.preload(job.laid.parts) == len(job.laid.parts):
            job.kept, job.cached = len(job.laid.parts), sum(len(p.tokens) for p in job.laid.parts)
            return fresh
        found = self.store.restore(job.laid.parts, kv_layout.HEADROOM)
        job.epoch = found.epoch
        if not found.headers:
            return fresh
        try:
            cache = kv_layout.restore(fresh, found.headers, found.arrays)
        except Damaged:
            return list(make_prompt_cache(self.model))
        job.kept, job.cached = len(found.headers), found.tokens
        return cache

    def _advance(self) -> None:
        job = self._prefilling
        if job is not None and not job.ending and job.kept == len(job.laid.parts):
            job.ending = True
            self._one_pass.ends(job.laid.total - len(job.laid.tail), job.laid.tail)
        prefilled, generated = self._generator.next()
        for response in prefilled:
            job = self._running.get(response.uid)
            if job is None:
                continue
            if response.end_of_prompt:
                self._prefilling = None
            elif response.end_of_segment and job.kept < len(job.laid.parts):
                self._keep(job)
        for response in generated:
            job = self._running.get(response.uid)
            if job is not None:
                self._take(job, response)

    def _keep(self, job: Job) -> None:
        """The prompt stands at the end of a part: its cache is worth keeping."""
        parts = job.laid.parts[: job.kept + 1]
        job.kept += 1
        if self.store is not None:
            end = sum(len(p.tokens) for p in parts)
            with mx.stream(self._generator.stream):
                cache = self._generator.extract_cache([job.uid])[job.uid][0]
                arrays, extra = kv_layout.arrays_of(cache, end - len(parts[-1].tokens), end, self._kv)
            self.store.keep(parts, arrays, extra, job.epoch)
        if job.wants == "prefill" and job.kept == len(job.laid.parts):
            self._remove(job)
            self._finish(job, "stop")

    def _take(self, job: Job, response: Any) -> None:
        if job.wants == "scores":
            wanted = job.rows or [response.token]
            job.scores += [float(response.logprobs[t].item()) for t in wanted]
            if response.finish_reason:
                self._running.pop(job.uid, None)
                self._finish(job, "stop")
            return
        ended = response.finish_reason == "stop"
        if job.early:
            job.early = False
        elif not ended:
            self._show(job, response.token)
        if job.reader is not None and job.reader.stop:
            ended = True
        if response.finish_reason:
            self._running.pop(job.uid, None)
        elif ended:
            self._remove(job)
        if response.finish_reason or ended:
            self._finish(job, "stop" if ended else "length")

    def _show(self, job: Job, token: int) -> None:
        assert job.reader is not None
        job.made += 1
        text, thought = job.reader.feed(token)
        if text or thought:
            job.ticket.put(Piece(text, reasoning=thought))

    def _finish(self, job: Job, why: str) -> None:
        usage = Usage(job.laid.total, job.made, job.cached)
        self.totals["completion"] += job.made
        if job.reader is None:
            job.ticket.put(Piece("", why, usage))
            return
        text, thought, calls = job.reader.finish()
        why = "stop" if job.reader.stop else why  # it may have come with what was held back
        calls = calls[:1] if job.sampling.one_call else calls
        job.ticket.put(Piece(text, "tool_calls" if calls else why, usage, tuple(calls), thought, job.reader.stop))

    def _sampler(self, job: Job) -> Callable[[mx.array], mx.array]:
        """mlx-lm's sampler with the request's own seed; the first token is shown as soon as it is known.

        mlx-lm hands a token out after it has begun the next one, and on the CPU that is one whole step later.
        """
        if job.forced:
            forced = iter(job.forced)  # mlx-lm looks one token ahead, beyond the end
            return lambda logprobs: mx.array([next(forced, job.forced[-1])], dtype=mx.uint32)
        choice = job.sampling
        warmth = choice.temperature if choice.temperature >= COLDEST else 0.0
        seed = int.from_bytes(os.urandom(6), "little") if choice.seed is None else choice.seed
        drawn = 0

        def sample(logprobs: mx.array) -> mx.array:
            nonlocal drawn
            if warmth:
                mx.random.seed((seed * 1_000_003 + drawn) & 0xFFFF_FFFF_FFFF)
            best = choice.top_k if choice.top_k < logprobs.shape[-1] else 0  # as many as there are: all
            chosen = make_sampler(warmth, choice.top_p, choice.min_p, top_k=best)
            token: mx.array = chosen(logprobs.astype(mx.float32))  # float16 overflows at low temperatures
            drawn += 1
            if drawn == 1 and job.wants == "text":
                first = int(token.item())
                if first not in self.tokens.tokenizer.eos_token_ids:
                    self._show(job, first)
                    job.early = True
                    time.sleep(HAND_OVER)
            return token

        return sample

    def _remove(self, job: Job) -> None:
        self._running.pop(job.uid, None)
        if self._prefilling is job:
            self._prefilling = None
            self._one_pass.ends(0, ())
        self._generator.remove([job.uid])

    def _fail_all(self, error: EngineError) -> None:
        jobs = [*self._running.values(), *self._waiting] if isinstance(error, Closed) else [*self._running.values()]
        if self._prefilling is not None and self._prefilling not in jobs:
            jobs.append(self._prefilling)
        for job in jobs:
            self.totals["failed"] += 1
            job.ticket.fail(error)
        if isinstance(error, Closed):
            self._waiting.clear()
        self._running.clear()
        self._prefilling = None
        self._new_generator()


def _processors(choice: Sampling) -> list[Any]:
    return list(make_logits_processors(
        presence_penalty=choice.presence_penalty or None, frequency_penalty=choice.frequency_penalty or None
    ))  # fmt: skip


def _thinks(tokenizer: Any, tail: Sequence[int]) -> bool:
    """The prompt ends inside the model's thinking, as some templates have it."""
    if not tokenizer.has_thinking:
        return False
    tokens = list(tail)
    return bool(tokenizer.rfind_think_start(tokens) > tokenizer.rfind_think_end(tokens))
