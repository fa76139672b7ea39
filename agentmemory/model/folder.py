"""Where a model lies on this machine: a folder that a person names, or the hub client's own for a hub id."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence

from agentmemory.model.engine import EngineError

INDEX = "model.safetensors.index.json"  # names the files of weights that come in several


def folder_of(model: str, wanted: Sequence[str], fetch: bool = True) -> str:
    """The folder of a model: *model* itself, or where the hub's client keeps it, or with *fetch* puts *wanted* now.

    The hub is asked only for what is not here whole: a download that was cut short is taken up again.

    Raises:
        EngineError: there is none.
    """
    if os.path.isdir(model):
        return model
    if model.startswith((".", "/", "~")) or model.count("/") != 1:
        raise EngineError(f"there is no model folder {model}")
    from huggingface_hub import snapshot_download

    try:
        here = str(snapshot_download(model, allow_patterns=list(wanted), local_files_only=True))
    except (OSError, ValueError):
        here = ""
    if here and _whole(here):
        return here
    if not fetch:
        raise EngineError(f"the model {model} is not here yet: `agentmemory worker --once` gets it")
    try:
        return str(snapshot_download(model, allow_patterns=list(wanted)))
    except (OSError, ValueError) as e:
        why = " ".join(str(e).split()).rstrip(".")
        raise EngineError(f"the model {model} cannot be had from the hub: {why}") from e


def _whole(folder: str) -> bool:
    """Whether all weights are there; the hub's client leaves what it has got so far."""
    try:
        with open(os.path.join(folder, INDEX), encoding="utf-8") as f:
            weights = set(json.load(f)["weight_map"].values())
        return all(os.path.exists(os.path.join(folder, name)) for name in weights)
    except FileNotFoundError:
        return any(name.endswith(".safetensors") for _, _, names in os.walk(folder) for name in names)
    except (OSError, ValueError, LookupError, TypeError, AttributeError):
        return False
