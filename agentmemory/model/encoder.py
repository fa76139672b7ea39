"""Texts as unit vectors by a small sentence encoder, in numpy: a BERT, or a static table of word vectors.

J. Devlin et al., BERT, NAACL 2019; N. Reimers, I. Gurevych, Sentence-BERT, EMNLP 2019. Reads folders as
sentence-transformers and model2vec leave them (`model.safetensors`, `tokenizer.json`). Knows nothing of beliefs.
"""

from __future__ import annotations

import importlib.util
import json
import os
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from agentmemory.model.engine import EngineError, NotInstalled, PromptTooLong, Usage

Matrix = NDArray[np.float32]

INSTALL = "no embedding can run here: install the extra with `pip install 'agentmemory[embedding]'`"
WEIGHTS = ("model.safetensors", os.path.join("0_StaticEmbedding", "model.safetensors"))
TOKENIZER = ("tokenizer.json", os.path.join("0_StaticEmbedding", "tokenizer.json"))
WANTED = ("*.json", "*.safetensors")  # of a hub's repository
POOLING = os.path.join("1_Pooling", "config.json")
KNOWN_MODULES = frozenset(("Transformer", "Pooling", "Normalize", "StaticEmbedding"))
LONGEST = 256  # tokens of a text that are read where the model does not say
TOKENS_AT_ONCE = 2_048  # of several texts, one behind the other: no padding; more does not fit a processor's cache


class Encoder:
    """One model in memory. `embed` may be called from any thread."""

    def __init__(self, folder: str, name: str = "") -> None:
        """Load the model of a folder.

        Raises:
            NotInstalled: the packages are missing. EngineError: the folder holds no model that can run here.
        """
        require()
        from safetensors import safe_open
        from tokenizers import Tokenizer

        os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")  # its threads do not survive a fork of ours
        self.name = name or os.path.basename(os.path.normpath(folder))
        try:
            weights = _one_of(folder, WEIGHTS)
            self._size = os.path.getsize(weights)
            with safe_open(weights, framework="numpy") as f:
                tensors = {key: f.get_tensor(key) for key in f.keys()}  # noqa: SIM118  not a mapping
            self._tokenizer = Tokenizer.from_file(_one_of(folder, TOKENIZER))
            self._tokenizer.no_padding()
            _check_modules(folder)
            found = {key.removeprefix("bert."): np.asarray(value, np.float32) for key, value in tensors.items()}
            self._forward = _Table(found, folder) if len(found) == 1 else _Bert(found, folder)
            self._tokenizer.enable_truncation(self._forward.longest)
            self.embed(["a"])  # what the weights lack, a first text shows
        except EngineError:
            raise
        except Exception as e:  # a tokenizer that cannot be read raises nothing narrower
            raise EngineError(f"the model in {folder} cannot be read: {type(e).__name__}: {e}") from e

    @property
    def space(self) -> str:
        """Which model it is, its name first: vectors of another space cannot be compared with its own."""
        return f"{self.name}, {self._forward.dimensions} dimensions, {self._size} bytes"

    def embed(self, texts: Sequence[str]) -> list[list[float]]:
        """See `engine.Engine.embed`; a text without a known word has zeros alone."""
        found: list[list[float]] = self.vectors(texts).tolist()
        return found

    def embedded(self, texts: Sequence[str]) -> tuple[list[list[float]], Usage]:
        """See `engine.Engine.embedded`."""
        encoded = self._tokenizer.encode_batch_fast(list(texts), add_special_tokens=self._forward.marks)
        if any(e.overflowing for e in encoded):
            raise PromptTooLong(f"a text has more than the {self._forward.longest} tokens that the model takes")
        return self.embed(texts), Usage(sum(len(e.ids) for e in encoded))

    def vectors(self, texts: Sequence[str]) -> Matrix:
        """One unit vector for each text: `(texts, dimensions)`, float32; a text without a known word has a zero row."""
        out = np.zeros((len(texts), self._forward.dimensions), np.float32)
        marks = self._forward.marks
        encoded = [e.ids for e in self._tokenizer.encode_batch_fast(list(texts), add_special_tokens=marks)]
        batch: list[int] = []
        held = 0
        for at in sorted(range(len(texts)), key=lambda i: len(encoded[i])):
            if batch and held + len(encoded[at]) > TOKENS_AT_ONCE:
                out[batch] = self._forward([encoded[i] for i in batch])
                batch, held = [], 0
            if encoded[at]:
                batch.append(at)
                held += len(encoded[at])
        if batch:
            out[batch] = self._forward([encoded[i] for i in batch])
        out /= np.maximum(np.linalg.norm(out, axis=1, keepdims=True), 1e-12)
        return out


class _Table:
    """A vector for each token; a text is their mean."""

    marks = False

    def __init__(self, tensors: dict[str, Matrix], folder: str) -> None:
        (self._rows,) = tensors.values()
        if self._rows.ndim != 2:
            raise EngineError(f"the model in {folder} is no table of word vectors")
        self.dimensions = int(self._rows.shape[1])
        self.longest = LONGEST

    def __call__(self, texts: Sequence[Sequence[int]]) -> Matrix:
        known = len(self._rows)
        return np.stack([self._rows[[i for i in ids if i < known]].sum(axis=0) for ids in texts])


class _Bert:
    """A BERT with the mean of its last states, or the first one, as its model folder says."""

    marks = True

    def __init__(self, tensors: dict[str, Matrix], folder: str) -> None:
        config = _json(folder, "config.json")
        if config.get("model_type") != "bert":
            raise EngineError(f"the model in {folder} is a {config.get('model_type', 'model of unknown kind')};"
                              " bert and static tables run here, others behind [remote]")  # fmt: skip
        self._t = tensors
        self._layers, self._heads = int(config["num_hidden_layers"]), int(config["num_attention_heads"])
        self._eps = float(config.get("layer_norm_eps", 1e-12))
        self._first = bool(_json(folder, POOLING).get("pooling_mode_cls_token"))
        said = _json(folder, "sentence_bert_config.json").get("max_seq_length") or LONGEST
        self.longest = min(int(said), int(config["max_position_embeddings"]))
        self.dimensions = int(config["hidden_size"])

    def __call__(self, texts: Sequence[Sequence[int]]) -> Matrix:
        lengths = [len(ids) for ids in texts]
        ends = np.cumsum(lengths)
        spans = [slice(end - n, end) for n, end in zip(lengths, ends)]
        places = np.concatenate([np.arange(n) for n in lengths])
        t = self._t
        x = t["embeddings.word_embeddings.weight"][np.concatenate(texts)]
        x = x + t["embeddings.position_embeddings.weight"][places] + t["embeddings.token_type_embeddings.weight"][0]
        x = self._norm(x, "embeddings.LayerNorm")
        for i in range(self._layers):
            at = f"encoder.layer.{i}"
            x = self._norm(x + self._attended(x, f"{at}.attention", spans), f"{at}.attention.output.LayerNorm")
            y = _gelu(self._linear(x, f"{at}.intermediate.dense"))
            x = self._norm(x + self._linear(y, f"{at}.output.dense"), f"{at}.output.LayerNorm")
        return np.stack([x[span][0] if self._first else x[span].mean(axis=0) for span in spans])

    def _attended(self, x: Matrix, at: str, spans: Sequence[slice]) -> Matrix:
        """What each token takes over from the others of its own text."""
        shape = (len(x), self._heads, -1)
        q, k, v = (self._linear(x, f"{at}.self.{part}").reshape(shape) for part in ("query", "key", "value"))
        scale = np.float32(q.shape[-1] ** -0.5)
        out = np.empty_like(q)
        for span in spans:
            near = q[span].transpose(1, 0, 2) @ (k[span].transpose(1, 2, 0) * scale)  # heads, tokens, tokens
            near = np.exp(near - near.max(axis=-1, keepdims=True))
            near /= near.sum(axis=-1, keepdims=True)
            out[span] = (near @ v[span].transpose(1, 0, 2)).transpose(1, 0, 2)
        return self._linear(out.reshape(len(x), -1), f"{at}.output.dense")

    def _linear(self, x: Matrix, at: str) -> Matrix:
        y: Matrix = x @ self._t[f"{at}.weight"].T
        y += self._t[f"{at}.bias"]
        return y

    def _norm(self, x: Matrix, at: str) -> Matrix:
        x = x - x.mean(axis=-1, keepdims=True)
        x /= np.sqrt((x * x).mean(axis=-1, keepdims=True) + self._eps)
        out: Matrix = x * self._t[f"{at}.weight"] + self._t[f"{at}.bias"]
        return out


def require() -> None:
    """Raises NotInstalled when the packages that read a model are missing."""
    if any(importlib.util.find_spec(package) is None for package in ("tokenizers", "safetensors")):
        raise NotInstalled(INSTALL)


def _gelu(x: Matrix) -> Matrix:
    """`x * P(X <= x)`, by its approximation with tanh (D. Hendrycks, K. Gimpel 2016): off by less than 0.001."""
    inner = x * x
    inner *= np.float32(0.044715)
    inner += np.float32(1.0)
    inner *= x
    inner *= np.float32(0.7978845608)
    np.tanh(inner, out=inner)
    inner += np.float32(1.0)
    inner *= x
    inner *= np.float32(0.5)
    return inner


def _one_of(folder: str, names: Sequence[str]) -> str:
    for name in names:
        path = os.path.join(folder, name)
        if os.path.exists(path):
            return path
    raise EngineError(f"there is no {names[0]} in {folder}")


def _json(folder: str, name: str) -> dict[str, Any]:
    path = os.path.join(folder, name)
    if not os.path.exists(path):
        return {}
    with open(path, encoding="utf-8") as f:
        return dict(json.load(f))


def _check_modules(folder: str) -> None:
    """A model may have further steps behind the ones that run here."""
    path = os.path.join(folder, "modules.json")
    if os.path.exists(path):
        with open(path, encoding="utf-8") as f:
            kinds = {str(step["type"]).rpartition(".")[2] for step in json.load(f)}
        unknown = ", ".join(sorted(kinds - KNOWN_MODULES))
        if unknown:
            raise EngineError(f"the model in {folder} needs {unknown}: this does not run here")
