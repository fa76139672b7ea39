"""The one thread in which every local model runs, each a step in turn. Knows decoders only by `busy` and `step`.

It lives as long as the process: where a thread that has used mlx 0.32 ends shortly before the process does, the
process aborts (5 of 12 times).
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import Future
from typing import Any, Protocol, TypeVar

T = TypeVar("T")


class Stepped(Protocol):
    """Something that works in steps."""

    @property
    def busy(self) -> bool: ...
    def step(self) -> None: ...


class Loop:
    """Runs steps while there are any, sleeps otherwise."""

    def __init__(self) -> None:
        self._members: list[Stepped] = []
        self._calls: list[tuple[Future[Any], Callable[[], Any]]] = []
        self._wake = threading.Condition()
        self._thread = threading.Thread(target=self._run, name="engine", daemon=True)
        self._thread.start()

    def add(self, member: Stepped) -> None:
        """Step *member* from now on."""
        with self._wake:
            self._members.append(member)
            self._wake.notify()

    def remove(self, member: Stepped) -> None:
        """Step *member* no more."""
        with self._wake:
            if member in self._members:
                self._members.remove(member)

    def wake(self) -> None:
        """A member has something to do."""
        with self._wake:
            self._wake.notify()

    def call(self, function: Callable[[], T]) -> T:
        """Run *function* in the thread, between steps; its result or exception."""
        future: Future[T] = Future()
        with self._wake:
            self._calls.append((future, function))
            self._wake.notify()
        return future.result()

    def _run(self) -> None:
        while True:
            with self._wake:
                while not (self._calls or any(m.busy for m in self._members)):
                    self._wake.wait()
                calls, self._calls = self._calls, []
                busy = [m for m in self._members if m.busy]
            for future, function in calls:
                _answer(future, function)
            for member in busy:
                member.step()


_shared: list[Loop] = []
_making = threading.Lock()


def shared() -> Loop:
    """The process's loop, begun when first asked for."""
    with _making:
        if not _shared:
            _shared.append(Loop())
        return _shared[0]


def _answer(future: Future[Any], function: Callable[[], Any]) -> None:
    try:
        future.set_result(function())
    except BaseException as e:  # whatever it is belongs to who asked
        future.set_exception(e)
