"""What a person sets for the sidecar: `sidecar.toml` in the data folder, every key optional.

model = "~/models/Qwen3-4B-4bit"     # a folder or a hub id; AGENTMEMORY_MODEL says the same; "fake": words, no model
kv = "native"                        # how prefixes are kept: native (bit-exact), q8, q4
[models]                             # further models by the name that requests use
small = "mlx-community/Qwen3-0.6B-4bit"
[remote]                             # or an engine that already runs (vLLM, SGLang, any OpenAI-compatible)
base_url = "http://127.0.0.1:8000/v1"
model = "Qwen/Qwen3-32B"
[embedding]                          # tells topics apart during sleep; without it the store's own words do
model = "small"                      # one of the models above, or one of the remote engine's, or a sentence encoder:
                                     # a folder or a hub id, which finds beliefs by their meaning (docs/embedding.md)
eps = 0.35                           # cosine distance within a topic: each has its own; an encoder without it leaves
                                     # topics to the words
"""

from __future__ import annotations

import os
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

FILE = "sidecar.toml"
FAKE = "fake"  # the model that is arithmetic on words: to try the way without one
GIB = 1 << 30
EPS = 0.35


class BadSettings(Exception):
    """The settings file says something that cannot be; the text is one sentence."""


@dataclass(frozen=True, slots=True)
class Limits:
    """budget: bytes of all segments. floor: bytes of the disk that stay free. ttl: seconds without use."""

    budget: int = 20 << 30
    floor: int = 5 << 30
    ttl: float = 30 * 86_400.0


@dataclass(frozen=True, slots=True)
class Settings:
    """models: name -> folder, hub id or `FAKE`, the default one first. step: tokens a prefill step, 0 for its own.

    loaded: models in memory at once. day_tokens, day_seconds: what background work may spend a day.
    on_battery: whether it may run without mains power.
    """

    models: Mapping[str, str] = field(default_factory=dict)
    kv: str = "native"
    limits: Limits = field(default_factory=Limits)
    hot_bytes: int = 2 * GIB
    step: int = 0
    loaded: int = 2
    remote_url: str = ""
    remote_model: str = ""
    remote_key: str = ""
    day_tokens: int = 2_000_000
    day_seconds: float = 3600.0
    on_battery: bool = False
    embedding: str = ""
    eps: float = EPS  # 0: a sentence encoder whose distances nobody has said; it leaves topics to the words

    @property
    def encoder(self) -> str:
        """The sentence encoder that `embedding` names, "" where it names a model or one of the remote engine's."""
        if not self.embedding or self.embedding in self.models:
            return ""
        return self.embedding if os.path.isdir(self.embedding) or not self.remote_url else ""


def read(home: str) -> Settings:
    """The settings of a data folder; defaults where there is no file.

    Raises:
        BadSettings: a key or value is not understood.
    """
    path = os.path.join(home, FILE)
    try:
        with open(path, "rb") as f:
            given = tomllib.load(f)
    except FileNotFoundError:
        given = {}
    except (ValueError, OSError) as e:  # no TOML, or no text at all
        raise BadSettings(f"{path} cannot be read: {e}") from e
    try:
        return _settings(given)
    except (TypeError, ValueError, AttributeError, OverflowError) as e:
        raise BadSettings(f"{path}: {e}") from e


def _settings(given: dict[str, Any]) -> Settings:
    known = {
        "model", "models", "kv", "disk_gib", "free_gib", "keep_days", "memory_gib", "step", "loaded", "remote",
        "day_tokens", "day_seconds", "on_battery", "embedding",
    }  # fmt: skip
    unknown = sorted(set(given) - known)
    if unknown:
        raise ValueError(f"unknown setting {unknown[0]!r}")
    models: dict[str, str] = {}
    first = os.environ.get("AGENTMEMORY_MODEL") or given.get("model", "")
    if first:
        models[_name(first)] = os.path.expanduser(first)
    models |= {str(k): os.path.expanduser(str(v)) for k, v in dict(given.get("models", {})).items()}
    kv = given.get("kv", "native")
    if kv not in ("native", "q8", "q4"):
        raise ValueError(f"kv is native, q8 or q4, not {kv!r}")
    remote, embedding = dict(given.get("remote", {})), dict(given.get("embedding", {}))
    eps = float(embedding.get("eps", EPS))
    if not 0.0 < eps < 2.0:
        raise ValueError(f"eps is a cosine distance, between 0 and 2, not {eps}")
    if int(given.get("loaded", 1)) < 1:
        raise ValueError(f"loaded is how many models may be in memory, at least 1, not {given['loaded']}")
    if int(given.get("step", 0)) < 0:
        raise ValueError(f"step is a number of tokens, 0 for the engine's own, not {given['step']}")
    if not isinstance(given.get("on_battery", False), bool):
        raise ValueError(f"on_battery is true or false, not {given['on_battery']!r}")
    default = Limits()
    limits = Limits(
        int(float(given.get("disk_gib", default.budget / GIB)) * GIB),
        int(float(given.get("free_gib", default.floor / GIB)) * GIB),
        float(given.get("keep_days", default.ttl / 86_400)) * 86_400,
    )
    found = Settings(
        models, kv, limits, int(float(given.get("memory_gib", 2)) * GIB), int(given.get("step", 0)),
        int(given.get("loaded", 2)), str(remote.get("base_url", "")), str(remote.get("model", "")),
        str(remote.get("api_key", "") or os.environ.get(str(remote.get("api_key_env", "")), "")),
        int(given.get("day_tokens", 2_000_000)), float(given.get("day_seconds", 3600.0)),
        given.get("on_battery", False), os.path.expanduser(str(embedding.get("model", ""))), eps,
    )  # fmt: skip
    return found if "eps" in embedding or not found.encoder else replace(found, eps=0.0)


def _name(model: str) -> str:
    return os.path.basename(os.path.normpath(model))
