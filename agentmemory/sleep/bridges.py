"""Words of prompts that lead to other words of beliefs, learned from which words keep company in this store.

Positive pointwise mutual information of words and exchanges, factorised (O. Levy, Y. Goldberg, Neural word embedding as
implicit matrix factorization, NIPS 2014). Fitted to the latest exchanges only, so a fit costs the same in any store.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from agentmemory.sleep.vectors import Matrix, unit
from agentmemory.store import bridges as store
from agentmemory.store import nights

if TYPE_CHECKING:
    from agentmemory.store.rows import Database

Bridge = tuple[str, str, float]

MARK = "bridges"  # id of the turn up to which they were fitted
LATEST = 4_000  # turns that are read
WORDS = 1_000  # that are compared
LEAST_TURNS = 60  # before that, company is chance
LEAST_TOGETHER = 3  # exchanges in which both words stand
LEAST_SESSIONS = 2  # in as many sessions
MOST_SHARE = 0.08  # of the exchanges; a word of more is about nothing
RANK = 64
CLOSE = 0.85  # cosine; below it chance pairs take the places of what was asked for, experiments/LOG.md 2026-11-22
EACH = 2  # bridges from one word
REFIT = 1_000  # turns after which they are fitted again; earlier where the store has grown by a quarter


def due(db: Database) -> bool:
    """Whether enough was said since the last fit."""
    last, fitted = nights.last(db), int(nights.mark(db, MARK))
    return last >= LEAST_TURNS and last - fitted >= max(1, min(REFIT, fitted // 4))


def fit(db: Database) -> tuple[int, list[Bridge]]:
    """Bridges of the store as it is, and the turn they were fitted up to. Reads only."""
    end = nights.last(db)
    turns = store.latest(db, LATEST)
    believed = store.believed(db)
    return end, pairs(_exchanges(turns), believed)


def write(db: Database, found: tuple[int, list[Bridge]]) -> int:
    """Put them in the place of the old ones; returns how many. The caller owns the transaction."""
    store.replace(db, found[1])
    nights.set_mark(db, MARK, found[0])
    return len(found[1])


def pairs(exchanges: Sequence[tuple[int, set[str]]], believed: dict[str, int]) -> list[Bridge]:
    """`(word, word of beliefs, closeness)` from exchanges `(session, stems)`."""
    df = Counter(stem for _, stems in exchanges for stem in stems)
    most = max(LEAST_TOGETHER, MOST_SHARE * len(exchanges))
    kept = [s for s, n in df.items() if LEAST_TOGETHER <= n <= most and not s.isdigit()]
    words = sorted(kept, key=lambda s: (-df[s], s))[:WORDS]
    targets = [i for i, word in enumerate(words) if word in believed]
    if len(words) < 3 or not targets:
        return []
    place = {word: i for i, word in enumerate(words)}
    rows = np.zeros((len(exchanges), len(words)), dtype=np.float32)
    for row, (_, stems) in zip(rows, exchanges):
        row[[place[s] for s in stems if s in place]] = 1.0
    together = rows.T @ rows
    close = _closeness(together, len(exchanges))
    return _choose(words, targets, together, close, exchanges)


def _closeness(together: Matrix | np.ndarray, total: int) -> Matrix:
    """Cosines of words in the factorised space of their positive mutual information."""
    counts = np.diag(together).copy()
    expected = np.outer(counts, counts) / total
    with np.errstate(divide="ignore"):
        information = np.log(np.where(together > 0, together, 1e-12) / np.maximum(expected, 1e-12))
    positive = np.maximum(information, 0.0)
    values, vectors = np.linalg.eigh(positive.astype(np.float64))
    top = np.argsort(-np.abs(values))[:RANK]
    places = unit(vectors[:, top] * np.sqrt(np.abs(values[top])))
    found: Matrix = places @ places.T
    return found


def _choose(
    words: Sequence[str], targets: Sequence[int], together: np.ndarray, close: Matrix,
    exchanges: Sequence[tuple[int, set[str]]],
) -> list[Bridge]:  # fmt: skip
    out: list[Bridge] = []
    for i, word in enumerate(words):
        near = [j for j in targets if j != i and close[i, j] >= CLOSE and together[i, j] >= LEAST_TOGETHER]
        near.sort(key=lambda j: (-close[i, j], words[j]))
        for j in near[:EACH]:
            other = words[j]
            sessions = {session for session, stems in exchanges if word in stems and other in stems}
            if len(sessions) >= LEAST_SESSIONS:
                out.append((word, other, round(float(min(1.0, close[i, j])), 4)))
    return sorted(out)


def _exchanges(turns: Sequence[tuple[int, int, str]]) -> list[tuple[int, set[str]]]:
    """Each turn together with the one after it in its session."""
    out = []
    for k, (session, idx, terms) in enumerate(turns):
        stems = set(terms.split())
        if k + 1 < len(turns) and turns[k + 1][0] == session and turns[k + 1][1] == idx + 1:
            stems |= set(turns[k + 1][2].split())
        out.append((session, stems))
    return out
