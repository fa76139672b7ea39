"""The programs' door to what compares a prompt with beliefs by their meaning, where a sentence encoder is named."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from agentmemory import paths

if TYPE_CHECKING:
    from agentmemory.records import Near


def of(home: str) -> Near | None:
    """None where no encoder is named or it cannot be had; nothing is loaded where there are no settings at all."""
    if not os.path.exists(os.path.join(home, paths.SIDECAR)):
        return None
    from agentmemory.sleep import models

    return models.near(home)


def problem(home: str) -> str:
    """Why the encoder that is named takes no part, in a sentence; "" when it does or none is named."""
    if not os.path.exists(os.path.join(home, paths.SIDECAR)):
        return ""
    from agentmemory.sleep import models

    return models.near_problem(home)
