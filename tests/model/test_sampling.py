"""How tokens are drawn: what a request asks for holds whatever the model's kind of numbers."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from agentmemory.model.engine import Prompt, Sampling
from tests.model.conftest import SETTINGS, Folder, needs_mlx, words

ASKED = Prompt(({"role": "user", "content": words(20, "asked")},))


@needs_mlx
@pytest.mark.parametrize("kind", ["float32", "float16", "bfloat16"])
def test_a_temperature_next_to_nothing_draws_the_likeliest(kind: str, model_folder: Folder, tmp_path: Path) -> None:
    import mlx.core as mx

    from agentmemory.model.mlx_engine import MlxEngine

    folder = shutil.copytree(model_folder(), tmp_path / kind)
    weights = {name: array.astype(getattr(mx, kind)) for name, array in mx.load(f"{folder}/model.safetensors").items()}
    mx.save_safetensors(f"{folder}/model.safetensors", weights, {"format": "mlx"})
    engine = MlxEngine(str(folder), str(tmp_path / "home"), SETTINGS)
    likeliest = engine.generate(ASKED, Sampling(max_tokens=6)).text
    coldest = [1e-4, 1e-5, 1e-7, 1e-37, 1e-40, 5e-324]
    drawn = {t: engine.generate(ASKED, Sampling(max_tokens=6, temperature=t, seed=3)).text for t in coldest}
    engine.close()
    assert drawn == dict.fromkeys(coldest, likeliest)
