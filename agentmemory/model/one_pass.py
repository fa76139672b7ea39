"""A short end of a prompt and its last token in one pass over the weights, where mlx-lm's batches make two.

mlx-lm computes all of a prompt but its last token, whose logits nobody wants, and then that token alone. Behind a
restored prefix only a few tokens are left, and each of the two passes reads all weights.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import mlx.core as mx

LEAST = 16  # tokens; of so few also the logits cost less than another pass (experiments/LOG.md, 2026-11-22)
SHARE = 8  # of a prefill step, which is longer where products cost less beside the weights
HELD = "_held_tokens"  # an attribute of the first cache: it goes where the sequence goes


class OnePass:
    """The model as a `BatchGenerator` calls it. What it holds back is computed with the token that follows."""

    def __init__(self, model: Any, step: int) -> None:
        self._model = model
        self._most = min(step, max(LEAST, step // SHARE))
        self._ending = 0

    def ends(self, prefix: int, tail: Sequence[int]) -> None:
        """The next tokens of a prompt are *tail*, behind *prefix* others; alone they are no reason for a pass.

        One token, or two, look like a generated one from here and are left to mlx-lm, and so is an empty cache.
        """
        waiting = len(tail) - 1
        self._ending = waiting if prefix and 1 < waiting <= self._most else 0

    def __call__(self, tokens: mx.array, cache: list[Any]) -> mx.array | None:
        """Logits of *tokens*, shape (sequences, tokens, vocabulary); None when they wait."""
        if self._ending and tokens.shape[1] == self._ending:
            self._ending = 0
            setattr(cache[0], HELD, tokens)
            return None
        held = vars(cache[0]).pop(HELD, None)
        if held is None:
            return self._model(tokens, cache=cache)
        logits: mx.array = self._model(mx.concatenate([held, tokens], axis=1), cache=cache)
        return logits[:, -1:]
