"""Which texts of a batch speak of one topic: density clustering in a latent space, noise left alone.

M. Ester et al., A density-based algorithm for discovering clusters (DBSCAN), KDD 1996. How many latent dimensions
tell the topics apart is read off the texts: the number whose clusters have the highest modularity.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

import numpy as np

from agentmemory.sleep.vectors import Latent, Matrix, unit

NOISE = -1
MIN_POINTS = 3  # a text and two neighbours: what is said twice is a repetition, three times a topic
EPS = 0.4  # cosine distance in the latent space; experiments/sleep_clusters.py: flat from 0.3 to 0.5
RESOLUTION = 0.5  # below 1, so that one topic alone is found as one
LEAST_LEFT = 0.03  # of a text's length in the latent space; less is not about these topics
RANKS = (1, 2, 3, 4, 5, 6, 7, 8, 10, 12, 14, 17, 20, 24, 28, 34, 40, 48, 57, 68)


def topics(texts: Sequence[Sequence[str]], df: Mapping[str, int], total: int) -> list[int]:
    """A topic's number for each text (given as stems), `NOISE` for texts of no topic.

    Where a text stands more than once, once tells the topics apart: copies are closer to each other than to anything
    else and would be a topic a sentence. One of no topic that was said often enough is one of its own.
    """
    said = Counter(map(tuple, texts))
    labels = dict(zip(said, _apart(list(said), df, total)))
    new = max(labels.values(), default=NOISE) + 1
    for text, times in said.items():
        if labels[text] == NOISE and text and times >= MIN_POINTS:
            labels[text], new = new, new + 1
    return [labels[tuple(text)] for text in texts]


def bound(texts: Sequence[Sequence[str]], labels: Sequence[int]) -> list[int]:
    """The labels without the texts that one word of one or two others holds to their topic: that is chance.

    A text is bound by two words that others of the topic hold, or by one that `MIN_POINTS` or all others do. What is
    left of a topic with fewer texts than that is none. Labels count from 0 in order of first appearance.
    """
    out, before = list(labels), list[int]()
    while out != before:
        before = list(out)
        holders: dict[int, Counter[str]] = {}
        for text, label in zip(texts, before):
            holders.setdefault(label, Counter()).update(set(text))
        sizes = Counter(before)
        for i, (text, label) in enumerate(zip(texts, before)):
            shared = sorted((holders[label][stem] - 1 for stem in set(text)), reverse=True)[:2]
            held = sum(map(bool, shared)) > 1 or sum(shared) >= min(MIN_POINTS, sizes[label] - 1)
            if sizes[label] < MIN_POINTS or not held:
                out[i] = NOISE
    kept = {label: n for n, label in enumerate(dict.fromkeys(label for label in out if label != NOISE))}
    return [kept.get(label, NOISE) for label in out]


def topics_placed(vectors: Sequence[Sequence[float]], eps: float) -> list[int]:
    """The same in the space of an embedding, whose distances mean something else: *eps* is its own."""
    return dbscan(unit(np.asarray(vectors, dtype=np.float64)), eps)


def dbscan(rows: Matrix, eps: float) -> list[int]:
    """A label a unit row, `NOISE` for rows in no dense place; labels count from 0 in order of first appearance.

    Deterministic: rows are visited in order, a border row goes to the first cluster that reaches it.
    """
    near = rows @ rows.T >= 1.0 - eps
    core = near.sum(axis=1) >= MIN_POINTS
    labels = [NOISE] * len(rows)
    label = 0
    for start in range(len(rows)):
        if labels[start] != NOISE or not core[start]:
            continue
        labels[start] = label
        reached = [start]
        while reached:
            at = reached.pop()
            if not core[at]:
                continue
            for other in np.flatnonzero(near[at]):
                if labels[other] == NOISE:
                    labels[other] = label
                    reached.append(int(other))
        label += 1
    return labels


def modularity(likeness: Matrix, labels: Sequence[int]) -> float:
    """How much more alike the texts of a cluster are than chance has it (M. Newman, PNAS 2006)."""
    whole = float(likeness.sum())
    if whole <= 0.0:
        return 0.0
    degrees, given = likeness.sum(axis=1), np.asarray(labels)
    quality = 0.0
    for label in sorted(set(labels) - {NOISE}):
        mine = given == label
        inside = float(likeness[np.ix_(mine, mine)].sum())
        quality += inside / whole - RESOLUTION * (float(degrees[mine].sum()) / whole) ** 2
    return quality


def _apart(texts: Sequence[Sequence[str]], df: Mapping[str, int], total: int) -> list[int]:
    """The same for texts of which no two are one."""
    best, best_labels = 0.0, [NOISE] * len(texts)
    if len(texts) < MIN_POINTS:
        return best_labels
    space = Latent(texts, df, total)
    likeness = space.likeness.copy()
    np.fill_diagonal(likeness, 0.0)
    for rank in RANKS:
        if rank > max(2, len(texts) // 2):
            break
        labels = dbscan(space.rows(rank, LEAST_LEFT), EPS)
        quality = modularity(likeness, labels)
        if quality > best + 1e-9:
            best, best_labels = quality, labels
    return bound(texts, best_labels)
