"""Beliefs by their meaning: a job stores the vector of each by a sentence encoder; a process that has the encoder in
memory compares prompts with them. Knows nothing of how evidence is weighed."""

from __future__ import annotations

import os
import re
import time
from typing import TYPE_CHECKING, Any

import numpy as np

from agentmemory.model.engine import EngineError, NotNow
from agentmemory.model.settings import BadSettings
from agentmemory.sleep import models
from agentmemory.store import jobs, places, writer

if TYPE_CHECKING:
    from collections.abc import Callable

    import apsw
    from numpy.typing import NDArray

    from agentmemory.model.encoder import Encoder

BATCH = 64  # beliefs in one transaction
SLICE_SECONDS = 20.0  # of one job; what is left is the next one's, behind whatever waits
LONGEST = 2_000  # characters of a text that are read
MOST = 20_000  # newest beliefs of a scope that are compared: as many as sleep keeps live
FEWEST = 8  # beliefs below which nobody can tell what is unusually near
NEAREST = 12  # beliefs a demand may bring
DEMANDS = 8  # of a prompt
SHORTEST = 3  # words of a demand
BETWEEN = re.compile(r"(?<=[.!?;])\s+|\n+|,\s+(?:and|then)\s+|\bthen\b", re.IGNORECASE)


class Nearness:
    """Calling it gives, for each demand of a text, how near the beliefs of some scopes stand: a `records.Near`."""

    def __init__(self, encoder: Encoder) -> None:
        self._encoder = encoder

    def __call__(self, db: Any, text: str, scopes: tuple[int, ...]) -> list[dict[int, float]]:
        """0: as near as beliefs usually are to this demand; 1: the same. Only the nearest, by id."""
        if places.space(db) != self._encoder.space:
            return []
        rows = places.of_scopes(db, scopes, MOST)
        if len(rows) < FEWEST:
            return []
        ids, stand = [belief for belief, _ in rows], unpacked([at for _, at in rows])
        asked = self._encoder.vectors([demand[:LONGEST] for demand in demands(text)])
        out = []
        for likeness in asked @ stand.T:
            usual = max(0.0, float(likeness.mean()))  # each encoder has its own: unrelated texts are not at 0
            nearest = np.argsort(-likeness, kind="stable")[:NEAREST]
            found = {ids[i]: (float(likeness[i]) - usual) / (1.0 - usual) for i in nearest if likeness[i] > usual < 1.0}
            out.append(found)
        return out


def ask(db: apsw.Connection, now: float) -> None:
    """Put the job in the queue, where an encoder is named and beliefs have no place yet."""
    named = models.encodes(os.path.dirname(db.filename))
    if named:
        with writer.transaction(db):
            places.drop_unused(db)
            if places.without(db, 1) or not places.space(db).startswith(f"{named}, "):
                jobs.add(db, "embed", now, model=named)  # another name does not wait with one that could not be had


def run(db: apsw.Connection, job: jobs.Job, now: float, clock: Callable[[], float] = time.monotonic) -> None:
    """Give beliefs their places, for a slice of time; the rest is another job's.

    Raises:
        NotNow: the encoder cannot be had, or may not work now.
    """
    home = os.path.dirname(db.filename)
    end = clock() + SLICE_SECONDS
    try:
        encoder = models.engines(home).encoder(fetch=True)
        while rows := _next(db, encoder.space):
            if clock() >= end:
                with writer.transaction(db):
                    jobs.add(db, "embed", now, ref=rows[0][0])
                return
            found = models.embed(home, encoder, [text[:LONGEST] for _, text in rows])
            with writer.transaction(db):
                places.put(db, [(id, packed(vector)) for (id, _), vector in zip(rows, found, strict=True)])
    except NotNow:
        raise
    except (EngineError, OSError, BadSettings) as e:
        raise NotNow(str(e)) from e


def packed(vector: list[float]) -> bytes:
    """A signed byte for each dimension; the length of the vector is lost."""
    row = np.asarray(vector)
    return bytes(np.rint(row * (127.0 / max(float(np.abs(row).max()), 1e-12))).astype(np.int8).tobytes())


def unpacked(rows: list[bytes]) -> NDArray[np.float32]:
    """Unit rows `(rows, dimensions)`; a row of zeros stays zero."""
    out = np.frombuffer(b"".join(rows), np.int8).reshape(len(rows), -1).astype(np.float32)
    norms = np.sqrt(np.einsum("ij,ij->i", out, out))
    out /= np.maximum(norms, 1.0)[:, None]
    return out


def demands(text: str) -> list[str]:
    """The sentences of a prompt and the parts of a list, the whole where there is only one."""
    parts = [part.strip() for part in BETWEEN.split(text) if len(part.split()) >= SHORTEST]
    return parts[:DEMANDS] if len(parts) > 1 else [text]


def _next(db: apsw.Connection, space: str) -> list[tuple[int, str]]:
    """The next beliefs without a place in this space; entering another one leaves all old places."""
    if places.space(db) != space:
        with writer.transaction(db):
            places.enter(db, space)
    return places.without(db, BATCH)
