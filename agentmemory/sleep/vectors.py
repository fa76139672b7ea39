"""Texts as vectors without a model: latent semantic analysis of the batch itself, from the store's own words.

S. Deerwester et al., Indexing by latent semantic analysis, JASIS 1990. Knows stems, nothing of turns or tables.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from agentmemory.learn.likeness import idf

Matrix = NDArray[np.float64]


class Latent:
    """The texts of a batch in the space of their own words, at any number of latent dimensions."""

    def __init__(self, texts: Sequence[Sequence[str]], df: Mapping[str, int], total: int) -> None:
        """*texts*: stems of each. *df*: in how many of *total* texts of the store a stem occurs."""
        rows = tf_idf(texts, df, total)
        self.likeness: Matrix = rows @ rows.T
        # the Gram matrix of n texts is n by n whatever the vocabulary; its eigenvectors are the texts' places
        values, vectors = np.linalg.eigh(self.likeness)
        order = np.argsort(values)[::-1]
        self._places: Matrix = vectors[:, order] * np.sqrt(np.maximum(values[order], 0.0))

    def rows(self, rank: int, least: float) -> Matrix:
        """Unit rows in *rank* dimensions; zero for texts of which less than *least* (0 to 1) is left there."""
        kept = self._places[:, :rank].copy()
        kept[(kept**2).sum(axis=1) < least] = 0.0
        return unit(kept)


def tf_idf(texts: Sequence[Sequence[str]], df: Mapping[str, int], total: int) -> Matrix:
    """Unit rows of `(1 + log tf) * idf`, a column for each stem of the batch."""
    counts = [Counter(stems) for stems in texts]
    shared = Counter(stem for c in counts for stem in c)
    column = {stem: i for i, stem in enumerate(sorted(shared))}
    out = np.zeros((len(texts), max(1, len(column))))
    for row, c in zip(out, counts):
        for stem, tf in c.items():
            row[column[stem]] = (1.0 + math.log(tf)) * idf(df.get(stem, shared[stem]), total)
    return unit(out)


def unit(rows: Matrix) -> Matrix:
    """Rows of length 1; a zero row stays zero."""
    norms = np.linalg.norm(rows, axis=1, keepdims=True)
    out: Matrix = np.divide(rows, norms, out=np.zeros_like(rows), where=norms > 1e-12)
    return out
