"""What prefixes of a model descend from is what was loaded, whoever changes its folder meanwhile."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from agentmemory.model.engine import EngineError
from agentmemory.model.fingerprint import loaded, of_model


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path / "model"
    made.mkdir()
    for name, text in {"config.json": "{}", "model.safetensors": "weights", "tokenizer.json": "{}"}.items():
        (made / name).write_text(text)
    return made


@pytest.mark.parametrize("name", ["model.safetensors", "config.json", "hf_quant_config.json", "model-2.safetensors"])
def test_a_model_that_is_exchanged_while_it_is_loaded_is_not_taken_for_the_new_one(folder: Path, name: str) -> None:
    read: list[bytes] = []

    def load() -> str:
        read.append((folder / "model.safetensors").read_bytes())
        if len(read) == 1:
            (folder / "new").write_text("others")
            shutil.move(folder / "new", folder / name)
        return "a model"

    cache = str(folder.parent / "cache")
    with pytest.raises(EngineError, match="exchanged while it was loaded"):
        loaded(str(folder), cache, load, kv="native")
    made, root = loaded(str(folder), cache, load, kv="native")
    assert (made, root) == ("a model", of_model(str(folder), cache, kv="native"))
