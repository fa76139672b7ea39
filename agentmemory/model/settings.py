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
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace
from typing import Any
from urllib.parse import urlsplit

from agentmemory import paths

FILE = paths.SIDECAR
FAKE = "fake"  # the model that is arithmetic on words: to try the way without one
DEFAULT = "default"  # what a request calls the first model
KINDS = ("native", "q8", "q4")
KNOWN = {
    "model", "models", "kv", "disk_gib", "free_gib", "keep_days", "memory_gib", "step", "loaded", "remote",
    "day_tokens", "day_seconds", "on_battery", "embedding",
}  # fmt: skip
GIB = 1 << 30
EPS = 0.35
MOST = 1 << 60  # beyond it a number is a slip


class BadSettings(Exception):
    """The settings file says something that cannot be; the text is one sentence."""


@dataclass(frozen=True, slots=True)
class Limits:
    """budget: bytes of all segments. floor: bytes of the disk that stay free. ttl: seconds without use."""

    budget: int = 20 << 30
    floor: int = 5 << 30
    ttl: float = 30 * paths.DAY


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
        return _settings(table_of(path))
    except (TypeError, ValueError, AttributeError, OverflowError) as e:
        raise BadSettings(f"{path}: {e}") from e


def table_of(path: str) -> dict[str, Any]:
    """What a file of settings says; nothing where there is none.

    Raises:
        BadSettings: it cannot be read.
    """
    try:
        with open(path, "rb") as f:
            return tomllib.load(f)
    except FileNotFoundError:
        return {}
    except (ValueError, OSError) as e:  # no TOML, or no text at all
        raise BadSettings(f"{path} cannot be read: {e}") from e


def number(given: dict[str, Any], name: str, default: float, least: int = 0) -> float:
    """A number from *least* on, a whole one where *default* is."""
    value, whole = given.get(name, default), isinstance(default, int)
    kinds = (int,) if whole else (int, float)
    if isinstance(value, bool) or not isinstance(value, kinds) or not least <= value < MOST:
        raise ValueError(f"{name} is a {'whole ' if whole else ''}number from {least} on, not {value!r}")
    return value


def _settings(given: dict[str, Any]) -> Settings:
    remote = _table(given, "remote", {"base_url", "model", "api_key", "api_key_env"})
    embedding = _table(given, "embedding", {"model", "eps"})
    _only(given, KNOWN, "")
    if given.get("kv", "native") not in KINDS:
        raise ValueError(f"kv is {', '.join(KINDS)}, not {given['kv']!r}")
    if not isinstance(given.get("on_battery", False), bool):
        raise ValueError(f"on_battery is true or false, not {given['on_battery']!r}")
    eps = number(embedding, "eps", EPS)
    if not 0.0 < eps < 2.0:
        raise ValueError(f"eps is a cosine distance, between 0 and 2, not {eps}")
    url = _text(remote, "base_url")
    if remote and not _is_address(url):
        raise ValueError(f"base_url is the address of the server below [remote], not {url!r}")
    if remote and not _text(remote, "model") and not _text(embedding, "model"):
        raise ValueError("model is what the server calls its model below [remote], not ''")
    limits = Limits(
        int(number(given, "disk_gib", Limits().budget / GIB) * GIB),
        int(number(given, "free_gib", Limits().floor / GIB) * GIB),
        number(given, "keep_days", Limits().ttl / paths.DAY) * paths.DAY,
    )
    found = Settings(
        _models(given), given.get("kv", "native"), limits, int(number(given, "memory_gib", 2.0) * GIB),
        int(number(given, "step", 0)), int(number(given, "loaded", 2, least=1)), url, _text(remote, "model"),
        _text(remote, "api_key") or os.environ.get(_text(remote, "api_key_env"), ""),
        int(number(given, "day_tokens", 2_000_000)), number(given, "day_seconds", 3600.0),
        given.get("on_battery", False), os.path.expanduser(_text(embedding, "model")), eps,
    )  # fmt: skip
    return found if "eps" in embedding or not found.encoder else replace(found, eps=0.0)


def _models(given: dict[str, Any]) -> dict[str, str]:
    """All models by name, the default one first."""
    first = os.environ.get("AGENTMEMORY_MODEL") or _text(given, "model")
    named = _table(given, "models")
    models = {_name(first): os.path.expanduser(first)} if first else {}
    for name in named:
        path = os.path.expanduser(_text(named, name))
        if not path or name in ("", DEFAULT):
            raise ValueError(f"a model below [models] has a name, other than {DEFAULT}, and a folder or hub id")
        if models.get(name, path) != path:
            raise ValueError(f"two models have the name {name!r}: {models[name]} and {path}")
        models[name] = path
    return models


def _table(given: dict[str, Any], name: str, keys: Collection[str] | None = None) -> dict[str, Any]:
    table = given.get(name, {})
    if not isinstance(table, dict):
        raise ValueError(f"{name} is a table, [{name}], not {table!r}")
    if keys is not None:
        _only(table, keys, f" below [{name}]")
    return table


def _only(given: dict[str, Any], keys: Collection[str], where: str) -> None:
    for key in given:
        if key not in keys:
            raise ValueError(f"unknown setting {key!r}{where}; there are {', '.join(sorted(keys))}")


def _text(given: dict[str, Any], name: str) -> str:
    value = given.get(name, "")
    if not isinstance(value, str):
        raise ValueError(f"{name} is a text in quotes, not {value!r}")
    return value


def _is_address(url: str) -> bool:
    try:
        parts = urlsplit(url)
        return parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:
        return False


def _name(model: str) -> str:
    return os.path.basename(os.path.normpath(model))
