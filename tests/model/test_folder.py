"""A model's folder: named by a person, or the hub client's own, where a download that was cut short is none."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("huggingface_hub", reason="it comes with the extras")

from agentmemory.model.engine import EngineError
from agentmemory.model.folder import folder_of
from tests.conftest import REPOSITORY

INDEX = json.dumps({"weight_map": {"a": "model-1.safetensors", "b": "model-2.safetensors"}})
FIND = "from agentmemory.model.folder import folder_of; print(folder_of('org/name', ('*.json',), fetch={}))"


def kept(hub: Path, files: dict[str, str]) -> Path:
    """A repository as the hub's client keeps it."""
    repository = hub / "models--org--name"
    (repository / "refs").mkdir(parents=True)
    (repository / "refs" / "main").write_text("a" * 40)
    folder = repository / "snapshots" / ("a" * 40)
    folder.mkdir(parents=True)
    for name, text in files.items():
        (folder / name).write_text(text)
    return folder


def found(hub: Path, fetch: bool) -> subprocess.CompletedProcess[str]:
    """`folder_of` in a process of its own, whose hub is a port where nobody is."""
    place = {"HF_HUB_CACHE": str(hub), "HF_ENDPOINT": "http://127.0.0.1:9", "PYTHONPATH": str(REPOSITORY)}
    return subprocess.run(
        [sys.executable, "-c", FIND.format(fetch)], env={**os.environ, **place}, capture_output=True, text=True
    )


def test_a_name_that_is_no_folder_and_no_hub_id_is_refused_without_asking_the_hub() -> None:
    for name in ("/nowhere/at/all", "nothing", "~/gone"):
        with pytest.raises(EngineError, match="there is no model folder"):
            folder_of(name, ("*.json",))


@pytest.mark.parametrize("fetch", [True, False])
@pytest.mark.parametrize(
    "files",
    [
        {"config.json": "{}", "model.safetensors": "w"},
        {"model.safetensors.index.json": INDEX, "model-1.safetensors": "w", "model-2.safetensors": "w"},
    ],
)
def test_what_is_here_whole_is_taken_without_asking_the_hub(tmp_path: Path, files: dict[str, str], fetch: bool) -> None:
    folder = kept(tmp_path, files)
    assert found(tmp_path, fetch).stdout.strip() == str(folder)


@pytest.mark.parametrize(
    "files",
    [{"config.json": "{}"}, {"model.safetensors.index.json": INDEX, "model-1.safetensors": "w"}],
)
def test_a_download_that_was_cut_short_is_no_model_yet(tmp_path: Path, files: dict[str, str]) -> None:
    kept(tmp_path, files)
    told = found(tmp_path, fetch=False)
    assert "is not here yet" in told.stderr


def test_why_the_hub_gives_nothing_is_a_line(tmp_path: Path) -> None:
    told = found(tmp_path, fetch=True).stderr.strip().splitlines()[-1]
    assert "the model org/name cannot be had from the hub: " in told and not told.endswith(".")
