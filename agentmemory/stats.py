"""The store in numbers: how much of everything there is, how it was obeyed, what models cost, what sleep brought."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from agentmemory import paths
from agentmemory.sleep import costs, report
from agentmemory.store import listing, outcomes, traits

if TYPE_CHECKING:
    from agentmemory.store.rows import Database


def stats(db: Database, home: str, scopes: Sequence[int]) -> dict[str, Any]:
    """All of it, with the profile as these scopes (nearest first) see it."""
    out = {**listing.counts(db), "obeyed": outcomes.summary(db), "usage": costs.told(db, home)}
    out["profile"] = traits.current(db, scopes)
    if os.path.isdir(os.path.join(home, paths.SEGMENTS)):  # a local model was used here
        from agentmemory.model.allowance import meter

        out["model_today"] = asdict(meter(home))
    return {**out, "sleep": report.told(db, scopes)}
