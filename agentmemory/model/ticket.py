"""One request on its way through an engine's thread, and the stream its caller reads."""

from __future__ import annotations

import queue
from collections.abc import Iterator

from agentmemory.model.engine import EngineError, Piece, Usage


class Ticket:
    """Pieces come in from the engine's thread and go out to one reader; either side may end it."""

    def __init__(self) -> None:
        self._pieces: queue.SimpleQueue[Piece | EngineError | None] = queue.SimpleQueue()
        self._done = False
        self.cancelled = False
        self.known = Usage()

    def put(self, piece: Piece) -> None:
        """Another piece, from the engine's thread."""
        self._pieces.put(piece)

    def fail(self, error: EngineError) -> None:
        """It ends here, from the engine's thread."""
        self._pieces.put(error)

    def close(self) -> None:
        """The reader wants no more; the engine stops working on it at its next step."""
        self.cancelled = True
        self._pieces.put(None)

    def __iter__(self) -> Iterator[Piece]:
        return self

    def __next__(self) -> Piece:
        if self._done:
            raise StopIteration
        piece = self._pieces.get()
        if isinstance(piece, Piece):
            self._done = bool(piece.finish)
            return piece
        self._done = True
        if isinstance(piece, EngineError):
            raise piece
        raise StopIteration
