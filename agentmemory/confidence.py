"""How sure we are of a belief: a Beta distribution over "it holds", with a prior and a half-life.

Read on the hot path, so it imports nothing. Formulas and sources: docs/beliefs.md.
"""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from agentmemory.records import Row

DAY = 86_400.0

#: pseudo-counts (alpha, beta) before any outcome, by who said it
PRIORS = {"user": (9.0, 1.0), "import": (4.0, 2.0), "tool": (2.0, 2.0), "agent": (2.0, 2.0)}
#: what the kind adds to alpha: a correction or a rule is meant, an observation is a guess
KIND_BONUS = {"rule": 6.0, "correction": 6.0, "decision": 3.0, "preference": 2.0, "procedure": 2.0}
#: days after which evidence counts half; rules age slowly, observed facts fast
HALF_LIVES = {
    "rule": 720.0, "correction": 360.0, "preference": 360.0, "decision": 360.0, "procedure": 240.0,
    "trait": 360.0, "summary": 120.0, "fact": 180.0,
}  # fmt: skip


def prior(provenance: str, kind: str) -> tuple[float, float]:
    """Pseudo-counts `(alpha, beta)` of a belief that nothing has tested yet."""
    alpha, beta = PRIORS[provenance]
    return (alpha + KIND_BONUS.get(kind, 0.0), beta) if provenance == "user" else (alpha, beta)


def keep(kind: str, seconds: float) -> float:
    """Share of evidence that is left after *seconds*: `2 ** (-t / half-life)`, in (0, 1]."""
    return float(2.0 ** (-max(0.0, seconds) / (HALF_LIVES[kind] * DAY)))


def at_time(alpha: float, beta: float, provenance: str, kind: str, locked: bool, seconds: float) -> tuple[float, float]:
    """Counts *seconds* after they were written: evidence decays towards the prior, a locked belief not."""
    if locked:
        return alpha, beta
    a0, b0 = prior(provenance, kind)
    left = keep(kind, seconds)
    return a0 + (alpha - a0) * left, b0 + (beta - b0) * left


def mean(alpha: float, beta: float) -> float:
    """Expected probability that the belief holds, in (0, 1)."""
    return alpha / (alpha + beta)


def of(belief: "Row", at: float) -> float:
    """How sure a belief is at a time: what is expected of its counts as they have decayed by then."""
    counts = belief.alpha, belief.beta, belief.provenance, belief.kind, bool(belief.locked)
    return mean(*at_time(*counts, at - belief.confirmed))


def observe(
    alpha: float,
    beta: float,
    written: float,
    provenance: str,
    kind: str,
    locked: bool,
    weight: float,
    at: float,
) -> tuple[float, float, float]:
    """Counts after one more piece of evidence of *weight* (for when > 0, against when < 0) seen at *at*.

    Returns `(alpha, beta, written)`. Evidence older than what is stored is discounted to the stored time, so
    the order in which independent evidence arrives does not matter. Against a lock nothing counts.
    """
    if locked and weight < 0:
        return alpha, beta, max(written, at)
    if at >= written:
        alpha, beta = at_time(alpha, beta, provenance, kind, locked, at - written)
        written = at
    else:
        weight *= 1.0 if locked else keep(kind, written - at)
    return (alpha + weight, beta, written) if weight > 0 else (alpha, beta - weight, written)
