"""What background work may ask of a model: so many tokens and seconds a day, on mains power, and never in the way.

A person's request to the local server shows as a touched file; background work of any process ends within a second.
"""

from __future__ import annotations

import contextlib
import json
import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from agentmemory import paths
from agentmemory.model.engine import (
    DEFAULT,
    Completion,
    Embeds,
    Engine,
    EngineError,
    NotNow,
    Preempted,
    Prompt,
    Sampling,
    Usage,
)
from agentmemory.model.private import private, replace_json
from agentmemory.model.settings import Settings
from agentmemory.text import tokens

METER = "sidecar.meter"
ASKED = "serve.asked"
IDLE_SECONDS = 60.0  # after a person's request nothing is begun for so long
LOOK_SECONDS = 0.25
SUPPLIES = "/sys/class/power_supply"


class Spent(NotNow):
    """The day's allowance is used up, the machine runs on battery, or a person is at work."""


@dataclass(frozen=True, slots=True)
class Meter:
    """What background work has used on a day (UTC)."""

    day: str = ""
    calls: int = 0
    tokens: int = 0
    cached: int = 0
    seconds: float = 0.0


def asked_now(home: str) -> None:
    """A person's request has come: background work of every process makes way, where the folder can be written."""
    with contextlib.suppress(OSError):
        path = os.path.join(paths.make_home(home), ASKED)
        with open(path, "a", opener=private):
            os.utime(path)


def meter(home: str) -> Meter:
    """Today's use."""
    today = paths.utc_date(paths.now())
    try:
        with open(os.path.join(home, METER), encoding="utf-8") as f:
            found = Meter(**json.load(f))
    except (OSError, ValueError, TypeError):
        return Meter(today)
    return found if found.day == today else Meter(today)


def may_begin(home: str, settings: Settings, on_battery: Callable[[], bool] | None = None) -> float:
    """When a person last asked; worth calling before a model is loaded at all.

    Raises:
        Spent: nothing may begin now, and why.
    """
    used = meter(home)
    if used.tokens >= settings.day_tokens or used.seconds >= settings.day_seconds:
        raise Spent("background work has used what it may use of the model today")
    if not settings.on_battery and (on_battery or running_on_battery)():
        raise Spent("the machine runs on battery: background work waits for mains power")
    asked = _touched(home)
    if abs(time.time() - asked) < IDLE_SECONDS:  # far ahead lies only what a clock that was wrong has noted
        raise Spent("a person is using the model: background work waits")
    return asked


class Background:
    """An engine for work that nobody waits for: metered, limited, gone when a person asks."""

    def __init__(
        self, engine: Engine, home: str, settings: Settings, on_battery: Callable[[], bool] | None = None
    ) -> None:
        self.name = engine.name
        self._engine, self._home, self._settings = engine, home, settings
        self._on_battery = on_battery

    def generate(self, prompt: Prompt, sampling: Sampling = DEFAULT) -> Completion:
        """The answer. Raises Spent before the work, Preempted during it, EngineError."""
        began = self._begin()
        stream = self._engine.stream(prompt, replace(sampling, background=True))
        texts: list[str] = []
        used: Usage | None = None
        try:
            with _Watch(self._home, began.asked, stream.close) as watch:
                for piece in stream:
                    texts.append(piece.text)
                    if piece.finish:
                        used = piece.usage or Usage()
                        return Completion("".join(texts), piece.finish, used, piece.tool_calls)
        finally:
            _count(self._home, used or Usage(completion=len(texts)), began)
        if watch.interrupted:
            raise Preempted("a person's request came in between")
        raise EngineError("the engine ended the answer early")

    def score(self, prompt: Prompt, options: Sequence[str]) -> list[float]:
        """As the engine's, metered: a step a token of the options, or one for them all. Raises Preempted."""
        began = self._begin()
        try:
            with _Watch(self._home, began.asked, self._engine.interrupt):
                return self._engine.score(prompt, options, background=True)
        finally:
            steps = sum(max(1, round(tokens(option))) for option in options)
            _count(self._home, Usage(completion=steps), began)

    def prefill(self, prompt: Prompt) -> Usage:
        """As the engine's, metered. Raises Preempted; what was computed until then is kept."""
        began = self._begin()
        used = Usage()
        try:
            with _Watch(self._home, began.asked, self._engine.interrupt):
                used = self._engine.prefill(prompt)
        finally:
            _count(self._home, used, began)
        return used

    def _begin(self) -> _Began:
        return _Began(time.monotonic(), may_begin(self._home, self._settings, self._on_battery))


def embed(engine: Embeds, home: str, settings: Settings, texts: Sequence[str]) -> list[list[float]]:
    """Vectors for work that nobody waits for, metered. Raises Spent before the work, EngineError."""
    began = _Began(time.monotonic(), may_begin(home, settings))
    vectors = engine.embed(texts)
    _count(home, Usage(prompt=round(sum(map(tokens, texts)))), began)
    return vectors


def _count(home: str, usage: Usage, began: _Began) -> None:
    """Cached tokens cost next to nothing and count as nothing."""
    used = meter(home)
    spent = Meter(
        used.day, used.calls + 1, used.tokens + usage.prompt - usage.cached + usage.completion,
        used.cached + usage.cached, round(used.seconds + time.monotonic() - began.at, 3),
    )  # fmt: skip
    if not replace_json(os.path.join(home, METER), {name: getattr(spent, name) for name in Meter.__slots__}):
        raise EngineError("the disk is full: what background work uses cannot be counted")


@dataclass(frozen=True, slots=True)
class _Began:
    at: float
    asked: float


class _Watch:
    """Ends the work as soon as a person's request shows."""

    def __init__(self, home: str, asked: float, stop: Callable[[], None]) -> None:
        self._home, self._asked, self._stop = home, asked, stop
        self._over = threading.Event()
        self.interrupted = False
        self._thread = threading.Thread(target=self._look, name="background-watch", daemon=True)

    def __enter__(self) -> _Watch:
        self._thread.start()
        return self

    def __exit__(self, *error: Any) -> None:
        self._over.set()
        self._thread.join()

    def _look(self) -> None:
        while not self._over.wait(LOOK_SECONDS):
            if _touched(self._home) != self._asked:
                self.interrupted = True
                self._stop()  # again, if need be: what waited for its turn may have begun since


def running_on_battery() -> bool:
    """Whether the machine has a battery and no mains power now; False where nobody can tell."""
    if sys.platform == "darwin":
        try:
            told = subprocess.run(["pmset", "-g", "batt"], capture_output=True, text=True, timeout=5, check=False)
        except (OSError, subprocess.TimeoutExpired):
            return False
        return "'Battery Power'" in told.stdout
    return on_battery_by(Path(SUPPLIES))


def on_battery_by(supplies: Path) -> bool:
    """The same from the files that Linux has for power supplies."""
    kinds: dict[str, list[bool]] = {"Mains": [], "Battery": []}
    for supply in sorted(supplies.glob("*")):
        kind = _word(supply / "type")
        if kind == "Mains":
            kinds[kind].append(_word(supply / "online") == "1")
        elif kind == "Battery" and _word(supply / "scope") != "Device":
            kinds[kind].append(_word(supply / "status") == "Discharging")
    return any(kinds["Battery"]) and not any(kinds["Mains"])


def _word(path: Path) -> str:
    try:
        return path.read_text().strip()
    except OSError:
        return ""


def _touched(home: str) -> float:
    try:
        return os.stat(os.path.join(home, ASKED)).st_mtime
    except OSError:
        return 0.0
