"""What each request used, written down beside its answer: the client never waits for the store."""

from __future__ import annotations

import queue
import sys
import threading
import traceback
from collections.abc import Iterator

from agentmemory.model.engine import Piece, Stream, Usage
from agentmemory.sleep import models


class Ledger:
    """Counts the calls of one server in the store of its data folder, in a thread of its own."""

    def __init__(self, home: str) -> None:
        self._home = home
        self._calls: queue.Queue[tuple[str, Usage] | None] = queue.Queue()
        self._thread = threading.Thread(target=self._write, name="ledger", daemon=True)
        self._thread.start()

    def counted(self, model: str, stream: Stream) -> Stream:
        """The same stream; its call is noted when it ends, also when its reader hangs up."""
        return _Counted(self, model, stream)

    def note(self, model: str, usage: Usage) -> None:
        """One call, from any thread."""
        self._calls.put((model, usage))

    def flush(self) -> None:
        """Wait until every call noted so far is in the store."""
        self._calls.join()

    def close(self) -> None:
        """Write what is left, then stop."""
        self._calls.put(None)
        self._thread.join()

    def _write(self) -> None:
        while (call := self._calls.get()) is not None:
            try:
                models.count(self._home, *call)
            except Exception:  # the thread's one net: a store that refuses a number is no reason to stop serving
                print(f"a call could not be counted:\n{traceback.format_exc()}", file=sys.stderr)
            finally:
                self._calls.task_done()
        self._calls.task_done()


class _Counted:
    """A stream that is noted once: with its usage at its end, with what is known of it when it is closed before."""

    def __init__(self, ledger: Ledger, model: str, stream: Stream) -> None:
        self._ledger, self._model, self._stream = ledger, model, stream
        self._lock = threading.Lock()
        self._noted = False
        self._pieces = 0

    @property
    def known(self) -> Usage:
        """See `engine.Stream.known`."""
        return self._stream.known

    def __iter__(self) -> Iterator[Piece]:
        return self

    def __next__(self) -> Piece:
        piece = next(self._stream)
        self._pieces += 1
        if piece.finish:
            self._note(piece.usage or self.known)
        return piece

    def close(self) -> None:
        """Stop; tokens made until now were made, and the prompt was read if anything was."""
        self._stream.close()
        known = self.known
        if known.prompt or self._pieces:
            self._note(Usage(known.prompt, self._pieces, known.cached))

    def _note(self, usage: Usage) -> None:
        with self._lock:
            if not self._noted:
                self._noted = True
                self._ledger.note(self._model, usage)
