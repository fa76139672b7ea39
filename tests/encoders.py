"""Sentence encoders made on the spot: a table of words whose meanings a test chooses, a BERT with random weights."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
from safetensors.numpy import save_file
from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors

DIMENSIONS, LAYERS, HEADS, INNER, LONGEST = 16, 2, 4, 32, 12


def table(folder: Path, meanings: Sequence[str]) -> Path:
    """A model in which the words of one string mean the same and those of two have nothing in common."""
    words = {word: number for number, group in enumerate(meanings) for word in group.split()}
    rows = np.eye(len(meanings) + 1, dtype=np.float32)[[len(meanings), *words.values()]]
    rows[0] = 0.0  # what is unknown means nothing
    save(folder, {"embeddings": rows}, ["[UNK]", *words])
    return folder


def bert(folder: Path, words: Sequence[str], first: bool = False, seed: int = 1) -> dict[str, np.ndarray]:
    """A model folder as sentence-transformers leaves it; returns its weights."""
    draw = np.random.default_rng(seed)
    vocabulary = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", *words]
    shapes = {
        "embeddings.word_embeddings.weight": (len(vocabulary), DIMENSIONS),
        "embeddings.position_embeddings.weight": (2 * LONGEST, DIMENSIONS),
        "embeddings.token_type_embeddings.weight": (2, DIMENSIONS),
    }
    for name in ("embeddings.LayerNorm", *(f"encoder.layer.{i}.{n}" for i in range(LAYERS) for n in NORMS)):
        shapes |= {f"{name}.weight": (DIMENSIONS,), f"{name}.bias": (DIMENSIONS,)}
    for i in range(LAYERS):
        for name, (out, into) in LINEAR.items():
            shapes |= {f"encoder.layer.{i}.{name}.weight": (out, into), f"encoder.layer.{i}.{name}.bias": (out,)}
    tensors = {name: draw.normal(0.0, 0.5, shape).astype(np.float32) for name, shape in shapes.items()}
    save(folder, tensors, vocabulary, marks=True)
    write(folder / "config.json", {
        "model_type": "bert", "hidden_size": DIMENSIONS, "num_hidden_layers": LAYERS, "num_attention_heads": HEADS,
        "max_position_embeddings": 2 * LONGEST, "layer_norm_eps": 1e-12,
    })  # fmt: skip
    write(folder / "sentence_bert_config.json", {"max_seq_length": LONGEST})
    write(
        folder / "1_Pooling" / "config.json", {"pooling_mode_cls_token": first, "pooling_mode_mean_tokens": not first}
    )
    steps = ("Transformer", "Pooling", "Normalize")
    write(folder / "modules.json", [{"type": f"sentence_transformers.models.{step}"} for step in steps])
    return tensors


NORMS = ("attention.output.LayerNorm", "output.LayerNorm")
LINEAR = {
    **{f"attention.self.{part}": (DIMENSIONS, DIMENSIONS) for part in ("query", "key", "value")},
    "attention.output.dense": (DIMENSIONS, DIMENSIONS),
    "intermediate.dense": (INNER, DIMENSIONS),
    "output.dense": (DIMENSIONS, INNER),
}


def save(folder: Path, tensors: Mapping[str, np.ndarray], vocabulary: Sequence[str], marks: bool = False) -> None:
    """Weights and a tokenizer that knows these words; *marks*: with one before and one behind a text."""
    folder.mkdir(parents=True, exist_ok=True)
    save_file(dict(tensors), folder / "model.safetensors")
    tokenizer = Tokenizer(models.WordLevel({word: i for i, word in enumerate(vocabulary)}, unk_token="[UNK]"))
    tokenizer.normalizer = normalizers.Lowercase()
    tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
    if marks:
        ends = [(mark, vocabulary.index(mark)) for mark in ("[CLS]", "[SEP]")]
        tokenizer.post_processor = processors.TemplateProcessing(single="[CLS] $A [SEP]", special_tokens=ends)
    tokenizer.save(str(folder / "tokenizer.json"))


def write(path: Path, what: object) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(what))
