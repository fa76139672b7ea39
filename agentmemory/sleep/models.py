"""Whether a model can be asked, and how: sleep's only door to one. Everything in sleep works without."""

from __future__ import annotations

import importlib.util
from collections.abc import Callable

DOOR = "agentmemory.model.ask"


class NoModel(Exception):
    """No model can be asked now."""


def configured(home: str) -> bool:
    """Whether a person has named a model for this data folder."""
    if importlib.util.find_spec(DOOR) is None:
        return False
    from agentmemory.model import ask

    return bool(ask.configured(home))


def asker(home: str) -> Callable[[str], str]:
    """The configured model as a function from a prompt to its answer.

    Raises:
        NoModel: none is configured. EngineError or OSError, now or at a call: it cannot answer.
    """
    if not configured(home):
        raise NoModel("no model is configured")
    from agentmemory.model import ask

    found: Callable[[str], str] = ask.asker(home)
    return found
