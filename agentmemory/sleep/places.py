"""Where turns stand in the space of a configured embedding, asked for before a night's transaction begins.

Without an embedding, or when it does not answer now, topics are told apart in the space of the store's own words.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from agentmemory.model.engine import EngineError
from agentmemory.sleep import models
from agentmemory.store import nights

if TYPE_CHECKING:
    import apsw

    from agentmemory.store.nights import Turn

LONGEST = 2_000  # characters of a turn that are embedded


@dataclass(frozen=True, slots=True)
class Places:
    """Vectors by turn, and the cosine distance within a topic that this embedding has."""

    vectors: Mapping[int, Sequence[float]] = field(default_factory=dict)
    eps: float = 0.0

    def of(self, turns: Sequence[Turn]) -> list[Sequence[float]] | None:
        """The vectors of these turns, None where one is missing."""
        found = [self.vectors.get(turn.id) for turn in turns]
        return None if not found or None in found else [vector for vector in found if vector is not None]


def ask(db: apsw.Connection, mark: int, most: int, back: int, pool: int) -> Places:
    """Embed the next *most* turns behind *mark* and the loose ones before them that are looked at again."""
    embedder = models.embedder(os.path.dirname(db.filename))
    turns = nights.after(db, mark, most) if embedder else []
    if embedder is None or not turns:
        return Places()
    embed, eps = embedder
    every = {turn.id: turn for turn in turns}
    for scope in {turn.scope for turn in turns}:
        every |= {turn.id: turn for turn in nights.loose(db, scope, mark, back, pool)}
    try:
        vectors = embed([turn.text[:LONGEST] for turn in every.values()])
    except (EngineError, OSError):
        return Places()
    return Places(dict(zip(every, vectors, strict=True)), eps)
