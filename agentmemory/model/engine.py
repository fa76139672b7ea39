"""What the rest of the program knows of a language model: its verbs, over prompts that are lists of segments.

Knows nothing of mlx, of HTTP or of where prefixes are kept; every engine passes the same contract tests.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

INSTALL = "no local model can run here: install the extra with `pip install 'agentmemory[sidecar]'`"

DRAIN_SECONDS = 30.0  # for what is under way when a program ends

#: one message of a chat as the OpenAI API has it: role, content, and what tools need
Message = Mapping[str, Any]


class EngineError(Exception):
    """A model could not do what was asked; the text is one sentence for a person."""


class NotInstalled(EngineError):
    """The packages a local model needs are not there."""


class BadPrompt(EngineError):
    """What was asked makes no sense to the model; asking again changes nothing."""


class PromptTooLong(BadPrompt):
    """The prompt does not fit into the model's context window."""


class NotNow(EngineError):
    """Nothing is wrong; the same work may be done later."""


class Preempted(NotNow):
    """Background work made room for a person's request; do it again later."""


class Away(EngineError):
    """The server of a model is down or too busy; it may be back at any moment."""


class Closed(EngineError):
    """The engine is shutting down."""


@dataclass(frozen=True, slots=True)
class Segment:
    """A piece of remembered text in front of a conversation.

    name: profile, digest, session (kept as prefixes, in this order) or recall (this query's own, put last).
    beliefs: ids of the beliefs whose words are in *text*; forgetting one deletes what was computed from it.
    """

    name: str
    text: str
    beliefs: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Prompt:
    """A chat (*messages*, *tools*) with remembered *segments*, or plain *text* to continue."""

    messages: tuple[Message, ...] = ()
    segments: tuple[Segment, ...] = ()
    tools: tuple[Mapping[str, Any], ...] = ()
    text: str = ""


@dataclass(frozen=True, slots=True)
class Sampling:
    """How to choose tokens. temperature 0 is greedy; *seed* makes sampling repeatable.

    one_call: of the tools that the model calls only the first is handed out.
    background: may be interrupted (`Preempted`) by a request that is not.
    """

    max_tokens: int = 512
    temperature: float = 0.0
    top_p: float = 1.0
    top_k: int = 0
    min_p: float = 0.0
    seed: int | None = None
    stop: tuple[str, ...] = ()
    frequency_penalty: float = 0.0
    presence_penalty: float = 0.0
    one_call: bool = False
    background: bool = False


DEFAULT = Sampling()


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens of one request; *cached* of the prompt's were restored instead of computed."""

    prompt: int = 0
    completion: int = 0
    cached: int = 0


@dataclass(frozen=True, slots=True)
class Piece:
    """Text as it is made. The last piece has *finish* (stop, length or tool_calls) and *usage*.

    reasoning: what a model thinks before it answers; never part of the answer. stop: the string that ended it.
    """

    text: str
    finish: str = ""
    usage: Usage | None = None
    tool_calls: tuple[Mapping[str, Any], ...] = ()
    reasoning: str = ""
    stop: str = ""


@dataclass(frozen=True, slots=True)
class Completion:
    """A whole answer."""

    text: str
    finish: str
    usage: Usage
    tool_calls: tuple[Mapping[str, Any], ...] = field(default=())
    stop: str = ""


class Stream(Protocol):
    """Pieces of one answer. `close` may be called from any thread and stops the work.

    known: what the prompt costs, once that is known; the last piece has the whole usage.
    """

    @property
    def known(self) -> Usage: ...
    def __iter__(self) -> Iterator[Piece]: ...
    def __next__(self) -> Piece: ...
    def close(self) -> None: ...


class Engine(Protocol):
    """A model that answers. Every verb may be called from any thread."""

    name: str

    def generate(self, prompt: Prompt, sampling: Sampling = ...) -> Completion:
        """The answer to *prompt*. Raises EngineError."""

    def stream(self, prompt: Prompt, sampling: Sampling = ...) -> Stream:
        """The answer piece by piece; the pieces' texts join to what `generate` returns."""

    def batch(self, prompts: Sequence[Prompt], sampling: Sampling = ...) -> list[Completion]:
        """Answers in the order of *prompts*, decoded together."""

    def score(self, prompt: Prompt, options: Sequence[str], background: bool = False) -> list[float]:
        """Log-probability (natural, summed over tokens) of each option as the continuation of *prompt*."""

    def embed(self, texts: Sequence[str]) -> list[list[float]]:
        """One unit vector for each text, all of one length."""

    def embedded(self, texts: Sequence[str]) -> tuple[list[list[float]], Usage]:
        """What `embed` gives, and what it cost; it cuts nothing. Raises PromptTooLong."""

    def count(self, prompt: Prompt) -> int:
        """Tokens of *prompt* as the model reads it, also of one that is too long for it. Raises EngineError."""

    def prefill(self, prompt: Prompt) -> Usage:
        """Compute and keep what *prompt* begins with, generate nothing. *cached* says what was there."""

    def interrupt(self) -> None:
        """End background work under way, from any thread: who waits for it hears `Preempted`."""

    def forget(self, beliefs: Sequence[int], texts: Sequence[str] = ()) -> int:
        """Delete every kept prefix made from these beliefs or holding these texts; returns how many."""

    def stats(self) -> dict[str, Any]:
        """Figures for a person and for `stats`."""

    def close(self, patience: float = DRAIN_SECONDS) -> None:
        """Finish what is under way, for so many seconds, keep what was computed, stop."""


class Embeds(Protocol):
    """What turns texts into vectors: every engine, and a sentence encoder, which can do nothing else."""

    @property
    def name(self) -> str: ...
    def embed(self, texts: Sequence[str]) -> list[list[float]]: ...
    def embedded(self, texts: Sequence[str]) -> tuple[list[list[float]], Usage]: ...


class Asked(Protocol):
    """What jobs need of a model; an engine has it, and `allowance.Background` too."""

    def generate(self, prompt: Prompt, sampling: Sampling = ...) -> Completion: ...
    def score(self, prompt: Prompt, options: Sequence[str]) -> list[float]: ...


class Answers:
    """The verbs that follow from `stream` and `embed`."""

    context = 0  # tokens the model takes, 0 where nobody said

    def stream(self, prompt: Prompt, sampling: Sampling = DEFAULT) -> Stream:
        """See `Engine.stream`; every engine has its own."""
        raise NotImplementedError

    def generate(self, prompt: Prompt, sampling: Sampling = DEFAULT) -> Completion:
        """See `Engine.generate`."""
        return collect(self.stream(prompt, sampling))

    def batch(self, prompts: Sequence[Prompt], sampling: Sampling = DEFAULT) -> list[Completion]:
        """See `Engine.batch`: what is begun together is decoded together."""
        return [collect(stream) for stream in [self.stream(prompt, sampling) for prompt in prompts]]

    def embed(self, texts: Sequence[str]) -> list[list[float]]:
        """See `Engine.embed`; every engine has its own."""
        raise NotImplementedError

    def embedded(self, texts: Sequence[str]) -> tuple[list[list[float]], Usage]:
        """See `Engine.embedded`."""
        tokens = [self.count(Prompt(text=text)) for text in texts]
        if self.context and max(tokens) > self.context:
            raise PromptTooLong(f"a text has {max(tokens)} tokens, the model takes {self.context}")
        return self.embed(texts), Usage(sum(tokens))

    def count(self, prompt: Prompt) -> int:
        """See `Engine.count`: where the tokenizer is elsewhere, the usage of the shortest answer says it."""
        return self.generate(prompt, Sampling(max_tokens=1)).usage.prompt


def collect(stream: Stream) -> Completion:
    """The whole answer of a stream."""
    texts: list[str] = []
    for piece in stream:
        texts.append(piece.text)
        if piece.finish:
            return Completion("".join(texts), piece.finish, piece.usage or Usage(), piece.tool_calls, piece.stop)
    raise EngineError("the stream ended without saying why")
