"""What clients begin their requests with, so that the next session's prefix can be computed before it is asked for.

One file of the data folder holds, for each model, agent and project, the last system messages and tools. Forgetting
anything deletes it: they may have held it.
"""

from __future__ import annotations

import hashlib
import json
import os
import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from agentmemory import paths
from agentmemory.model.engine import Message, Prompt, Usage
from agentmemory.model.private import replace_json
from agentmemory.model.segments import FOLDER, STABLE
from agentmemory.serve.injection import Prefix

MOST_HEADS = 16
MOST_BYTES = 1 << 20  # of one head; a longer one is not noted


@dataclass(frozen=True, slots=True)
class Head:
    """The beginning of an agent's requests."""

    model: str
    agent: str
    project: str
    messages: tuple[Message, ...]
    tools: tuple[Mapping[str, Any], ...]

    @property
    def key(self) -> tuple[str, str, str]:
        """Who begins like this."""
        return self.model, self.agent, self.project


def head_of(model: str, agent: str, project: str, messages: Sequence[Message], tools: Sequence[Any]) -> Head:
    """The messages before the user's first words."""
    before = []
    for message in messages:
        if message.get("role") == "user":
            break
        before.append(dict(message))
    return Head(model, agent, project, tuple(before), tuple(tools))


class Heads:
    """The heads of one data folder, written when one changes."""

    def __init__(self, home: str) -> None:
        self._path = os.path.join(home, FOLDER, paths.HEADS)
        self._known: dict[tuple[str, str, str], str] = {}  # what the file holds, as digests
        self._seen: tuple[int, ...] = ()  # which file that was
        self._lock = threading.Lock()

    def note(self, head: Head) -> None:
        """Remember how this agent's requests begin."""
        raw = _raw(head)
        with self._lock:
            if self._stamp() != self._seen:  # forgotten since, or another server has written
                self._known = {known.key: _digest(_raw(known)) for known in self.all()}
                self._seen = self._stamp()
            if self._known.get(head.key) != _digest(raw) and len(raw) <= MOST_BYTES:
                kept = {known.key for known in self._write(head)}
                self._known[head.key] = _digest(raw)
                self._known = {key: digest for key, digest in self._known.items() if key in kept}
                self._seen = self._stamp()

    def all(self) -> list[Head]:
        """The heads, the last changed one last."""
        try:
            with open(self._path, encoding="utf-8") as f:
                return [Head(m, a, p, tuple(messages), tuple(tools)) for m, a, p, messages, tools in json.load(f)]
        except (OSError, ValueError, TypeError):
            return []

    def _write(self, head: Head) -> list[Head]:
        kept = [*[h for h in self.all() if h.key != head.key][-MOST_HEADS + 1 :], head]
        replace_json(self._path, [[*h.key, h.messages, h.tools] for h in kept])
        return kept

    def _stamp(self) -> tuple[int, ...]:
        try:
            stat = os.stat(self._path)
        except OSError:
            return ()
        return stat.st_ino, stat.st_size, stat.st_mtime_ns


def _raw(head: Head) -> str:
    return json.dumps([head.messages, head.tools], sort_keys=True)


def _digest(raw: str) -> str:
    return hashlib.blake2b(raw.encode(), digest_size=16).hexdigest()


class Prefills(Protocol):
    """What warming needs of an engine; a metered one has it too."""

    def prefill(self, prompt: Prompt) -> Usage: ...


def warm(engine: Prefills, prefix: Prefix, head: Head) -> Usage:
    """Compute what the agent's next session will begin with; *cached* says what was there already."""
    segments = tuple(s for s in prefix(head.agent, head.project, [], "") if s.name in STABLE)
    user = {"role": "user", "content": ""}
    return engine.prefill(Prompt((*head.messages, user), segments, head.tools))
