"""A sentence encoder in numpy: the arithmetic of its paper, whatever stands beside a text; bad folders say why."""

from __future__ import annotations

import json
from collections.abc import Mapping
from math import erf, exp, sqrt
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("tokenizers")

from agentmemory.model import encoder
from agentmemory.model.encoder import Encoder
from agentmemory.model.engine import EngineError
from tests import encoders

WORDS = "we ship the release after every test has passed and never on a friday".split()
SENTENCE = "we never ship the release on a friday"


def by_hand(weights: Mapping[str, np.ndarray], ids: list[int], first: bool) -> np.ndarray:
    """BERT as its paper has it, a number at a time where it matters, in double precision."""
    w = {name: value.astype(np.float64) for name, value in weights.items()}

    def norm(x: np.ndarray, at: str) -> np.ndarray:
        rows = [(row - row.mean()) / sqrt(row.var() + 1e-12) for row in x]
        return np.array(rows) * w[f"{at}.weight"] + w[f"{at}.bias"]

    def linear(x: np.ndarray, at: str) -> np.ndarray:
        return np.array([w[f"{at}.weight"] @ row + w[f"{at}.bias"] for row in x])

    x = np.array([
        w["embeddings.word_embeddings.weight"][id] + w["embeddings.position_embeddings.weight"][place]
        + w["embeddings.token_type_embeddings.weight"][0] for place, id in enumerate(ids)
    ])  # fmt: skip
    x = norm(x, "embeddings.LayerNorm")
    size = encoders.DIMENSIONS // encoders.HEADS
    for i in range(encoders.LAYERS):
        at = f"encoder.layer.{i}"
        q, k, v = (linear(x, f"{at}.attention.self.{part}") for part in ("query", "key", "value"))
        heard = np.zeros_like(x)
        for head in range(encoders.HEADS):
            part = slice(head * size, (head + 1) * size)
            for a in range(len(ids)):
                near = [exp(q[a, part] @ k[b, part] / sqrt(size)) for b in range(len(ids))]
                heard[a, part] = sum(n * v[b, part] for b, n in enumerate(near)) / sum(near)
        x = norm(x + linear(heard, f"{at}.attention.output.dense"), f"{at}.attention.output.LayerNorm")
        inner = linear(x, f"{at}.intermediate.dense")
        inner = np.array([[y * 0.5 * (1.0 + erf(y / sqrt(2.0))) for y in row] for row in inner])
        x = norm(x + linear(inner, f"{at}.output.dense"), f"{at}.output.LayerNorm")
    out = x[0] if first else x.mean(axis=0)
    return out / np.linalg.norm(out)


@pytest.mark.parametrize("first", [False, True], ids=["mean", "first token"])
def test_a_bert_says_what_its_paper_says(tmp_path: Path, first: bool) -> None:
    weights = encoders.bert(tmp_path, WORDS, first)
    ids = [2, *(4 + WORDS.index(word) for word in SENTENCE.split()), 3]
    (row,) = Encoder(str(tmp_path)).vectors([SENTENCE])
    assert np.abs(row - by_hand(weights, ids, first)).max() < 0.002  # gelu is approximated


def test_a_text_has_one_vector_whatever_stands_beside_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(encoder, "TOKENS_AT_ONCE", 30)
    encoders.bert(tmp_path, WORDS)
    model = Encoder(str(tmp_path))
    texts = [" ".join(WORDS[i : i + n]) for i in range(6) for n in (1, 7, 3)]
    together = model.vectors(texts)
    alone = np.concatenate([model.vectors([text]) for text in texts])
    assert np.abs(together - alone).max() < 1e-5
    assert np.abs(np.linalg.norm(together, axis=1) - 1.0).max() < 1e-5
    assert np.abs(together[0] - together[1]).max() > 0.01


def test_order_tells_a_bert_something_and_what_is_too_long_nothing(tmp_path: Path) -> None:
    encoders.bert(tmp_path, WORDS)
    one, turned, long, longer = Encoder(str(tmp_path)).vectors(
        ["ship the test", "test the ship", " ".join(WORDS), " ".join(WORDS * 9)]
    )
    assert np.abs(one - turned).max() > 0.01
    assert np.abs(long - longer).max() < 1e-6


def test_a_table_adds_up_its_words_and_knows_nothing_of_others(tmp_path: Path) -> None:
    model = Encoder(str(encoders.table(tmp_path, ["ship release", "test check"])))
    ship, release, both, unknown = model.embed(["Ship", "release", "release test", "weather"])
    assert ship == release == pytest.approx([1.0, 0.0, 0.0])
    assert both == pytest.approx([sqrt(0.5), sqrt(0.5), 0.0], abs=1e-6)
    assert unknown == [0.0, 0.0, 0.0]
    assert model.embed([]) == []


def change(path: Path, **to: object) -> None:
    encoders.write(path, {**json.loads(path.read_text()), **to})


@pytest.mark.parametrize(
    ("spoil", "said"),
    [
        (lambda f: (f / "model.safetensors").unlink(), "there is no model.safetensors in"),
        (lambda f: (f / "tokenizer.json").write_text("{"), "cannot be read"),
        (lambda f: (f / "model.safetensors").write_bytes(b"\x00" * 99), "cannot be read"),
        (lambda f: encoders.write(f / "config.json", {"model_type": "llama"}), "is a llama; bert and static tables"),
        (lambda f: encoders.write(f / "modules.json", [{"type": "x.models.Dense"}]), "needs Dense"),
        (lambda f: (f / "config.json").write_text("{"), "cannot be read"),
        (lambda f: encoders.write(f / "config.json", [1]), "cannot be read"),
        (lambda f: encoders.write(f / "config.json", {"model_type": "bert"}), "cannot be read: KeyError"),
        (lambda f: encoders.write(f / "modules.json", {"type": 1}), "cannot be read"),
        (lambda f: encoders.write(f / "sentence_bert_config.json", {"max_seq_length": "x"}), "cannot be read"),
        (lambda f: change(f / "config.json", num_hidden_layers=5), "cannot be read: KeyError"),
        (lambda f: change(f / "config.json", num_attention_heads=3), "cannot be read: ValueError"),
    ],
)  # fmt: skip
def test_a_folder_that_cannot_be_used_says_why(tmp_path: Path, spoil: object, said: str) -> None:
    encoders.bert(tmp_path, WORDS)
    spoil(tmp_path)  # type: ignore[operator]
    with pytest.raises(EngineError, match=said):
        Encoder(str(tmp_path))


def test_the_space_of_an_encoder_is_known_by_its_name_and_size(tmp_path: Path) -> None:
    spaces = [Encoder(str(encoders.table(tmp_path / "m", ["ship", *more])), "m").space for more in ([], ["test"])]
    assert spaces[0] != spaces[1]
    assert json.dumps(spaces[0]).isascii()
