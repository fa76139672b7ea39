"""What a prefix depends on besides its tokens: weights, config, tokenizer, libraries, kind of arithmetic.

Prefixes of two models that differ in any of these never meet, because their chains have different roots.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TypeVar

from agentmemory.model.engine import EngineError
from agentmemory.model.private import replace_json

ROOT_FILE = "root.json"
HASHES = "weights.json"
TOKENIZER = (
    "tokenizer.json", "tokenizer.model", "tokenizer_config.json", "special_tokens_map.json", "vocab.json",
    "merges.txt", "added_tokens.json", "chat_template.jinja", "chat_template.json",
)  # fmt: skip
CONFIG = ("config.json", "hf_quant_config.json")
CHUNK = 1 << 22
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Root:
    """The root of chains: its parts by name, and the name all segments descend from."""

    parts: Mapping[str, str]
    name: str = field(init=False)

    def __post_init__(self) -> None:
        words = json.dumps(dict(self.parts), sort_keys=True).encode()
        object.__setattr__(self, "name", hashlib.blake2b(words, digest_size=12).hexdigest())

    def differs(self, other: Root) -> list[str]:
        """Names of the parts that are not the same."""
        return sorted(k for k in {*self.parts, *other.parts} if self.parts.get(k) != other.parts.get(k))

    def write(self, folder: str) -> None:
        """Leave the parts beside the segments, for who explains a miss."""
        replace_json(os.path.join(folder, ROOT_FILE), dict(self.parts))

    @classmethod
    def read(cls, folder: str) -> Root | None:
        """The root whose segments are in *folder*, None where nobody said."""
        try:
            with open(os.path.join(folder, ROOT_FILE), encoding="utf-8") as f:
                return cls({str(k): str(v) for k, v in json.load(f).items()})
        except (OSError, ValueError, AttributeError):
            return None


def loaded(folder: str, cache: str, load: Callable[[], T], **others: str) -> tuple[T, Root]:
    """What *load* makes of a model folder, and the root of what it has read; the rest is as in `of_model`.

    Raises:
        EngineError: somebody changed the folder meanwhile. And what *load* raises.
    """
    before = of_model(folder, cache, **others)
    made = load()
    if of_model(folder, cache, **others) != before:
        raise EngineError(f"the model in {folder} was exchanged while it was loaded: ask again")
    return made, before


def of_model(folder: str, cache: str, **others: str) -> Root:
    """The root for a model folder. *others*: library versions, kind of KV, device, chunk size.

    Hashing weights reads every byte once; *cache* (a folder of ours) remembers it by path, size and times.
    """
    weights = [n for n in sorted(os.listdir(folder)) if n.endswith((".safetensors", ".npz", ".gguf"))]
    return Root({
        "weights": _join([_known_hash(os.path.join(folder, n), cache) for n in weights]),
        "config": "".join(_hash(os.path.join(folder, n)) for n in CONFIG),
        "tokenizer": _join([_hash(os.path.join(folder, n)) for n in TOKENIZER]),
        **others,
    })  # fmt: skip


def _known_hash(path: str, cache: str) -> str:
    stat = os.stat(path)
    key = f"{os.path.realpath(path)}|{stat.st_size}|{stat.st_mtime_ns}|{stat.st_ctime_ns}|{stat.st_ino}"
    file = os.path.join(cache, HASHES)
    try:
        with open(file, encoding="utf-8") as f:
            known = json.load(f)
    except (OSError, ValueError):
        known = {}
    if not isinstance(known, dict) or not isinstance(known.get(key), str):
        known = {**(known if isinstance(known, dict) else {}), key: _hash(path)}
        replace_json(file, known)
    return str(known[key])


def _hash(path: str) -> str:
    digest = hashlib.blake2b(digest_size=20)
    try:
        with open(path, "rb") as f:
            while chunk := f.read(CHUNK):
                digest.update(chunk)
    except FileNotFoundError:
        return ""
    return digest.hexdigest()


def _join(hashes: list[str]) -> str:
    return hashlib.blake2b("|".join(hashes).encode(), digest_size=20).hexdigest()
