"""A file system that is really full: no bytes left, no files left, or filling up while segments are written."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

pytest.importorskip("safetensors", reason="it comes with the extra `sidecar`")

from agentmemory.model.engine import Sampling
from agentmemory.model.private import replace_json
from agentmemory.model.segment_disk import Limits
from agentmemory.model.settings import Settings
from tests.model.arrays import fill, parts, right, store
from tests.model.conftest import Folder, Open, chat, distribution, needs_mlx
from tests.model.small_disk import NoMount, fill_up, filling_and_freeing, small_disk, take_files
from tests.serve.conftest import Serve, serve  # noqa: F401  (a fixture)

ROOM = Limits(budget=1 << 30, floor=0, ttl=1e12)
WIDTH = 1024  # about 330 kB a segment


@pytest.fixture
def small(tmp_path: Path) -> Iterator[Path]:
    try:
        with small_disk(tmp_path / "small") as folder:
            yield folder
    except NoMount as e:
        pytest.skip(str(e))


def test_no_bytes_left(small: Path) -> None:
    kept = store(small, ROOM, hot=4 << 20)
    ballast = fill_up(small)
    fill(kept, parts("now"), WIDTH)
    assert kept.stats()["cold"]["refused"] == 1
    assert right(kept, parts("now"), WIDTH) == 1, "memory has it"
    assert right(store(small, ROOM), parts("now"), WIDTH) == 0
    ballast.unlink()
    fill(kept, parts("later"), WIDTH)
    assert right(store(small, ROOM), parts("later"), WIDTH) == 1


def test_no_files_left(small: Path) -> None:
    kept = store(small, ROOM, hot=4 << 20)
    fill(kept, parts("first"), 8)
    take_files(small)
    fill(kept, parts("second"), 8)
    assert kept.stats()["cold"]["refused"] == 1
    assert right(kept, parts("second"), 8) == 1
    assert right(store(small, ROOM), parts("first"), 8) == 1
    assert not replace_json(str(small / "x.json"), [])
    assert [p.name for p in small.iterdir() if p.name.startswith("tmp-")] == []


def test_a_disk_that_fills_up_while_segments_are_written(small: Path) -> None:
    kept = store(small, ROOM)
    with filling_and_freeing(small):
        for i in range(60):
            fill(kept, parts(f"{i}"), WIDTH)
            right(kept, parts(f"{i}"), WIDTH)
    cold = kept.stats()["cold"]
    assert cold["written"] + cold["refused"] + cold["declined"] == 60
    again = store(small, ROOM)
    assert sum(right(again, parts(f"{i}"), WIDTH) for i in range(60)) == len(list(small.rglob("*.safetensors")))
    assert [p.name for p in small.iterdir() if p.name.startswith("tmp-")] == []


@needs_mlx
def test_an_engine_answers_the_same_on_a_full_disk(small: Path, open_engine: Open, tmp_path: Path) -> None:
    cold, _ = distribution(open_engine(tmp_path / "cold"), chat())
    engine = open_engine(small)
    fill_up(small)
    assert distribution(engine, chat())[0] == cold
    again, used = distribution(engine, chat())
    assert again == cold
    assert used.cached > 0, "from memory"
    assert engine.generate(chat(query="other"), Sampling(max_tokens=4)).usage.completion == 4


@needs_mlx
def test_a_server_answers_on_a_full_disk(small: Path, serve: Serve, model_folder: Folder, tmp_path: Path) -> None:  # noqa: F811
    (tmp_path / "home").symlink_to(small)
    settings = Settings(models={"llama": model_folder()}, limits=ROOM, step=64)
    running = serve({}, settings=settings)
    asked = {"model": "llama", "messages": [{"role": "user", "content": "how do we deploy?"}], "temperature": 0}
    first = running.client().chat.completions.create(**asked, max_tokens=5)
    fill_up(small)
    second = running.client().chat.completions.create(**asked, max_tokens=5)
    assert second.choices[0].message.content == first.choices[0].message.content
