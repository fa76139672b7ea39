"""Sleep's last job: the prefix of the next session, where a local model has been used."""

from __future__ import annotations

from pathlib import Path

import pytest

from agentmemory.model.allowance import Spent
from agentmemory.serve import warm
from agentmemory.serve.heads import Heads, head_of
from agentmemory.store import jobs, writer
from agentmemory.worker import RUNNERS
from tests.model.conftest import *  # noqa: F403  (fixtures that make models)
from tests.model.conftest import Folder, needs_mlx

JOB = jobs.Job(1, "prefill", None, {}, 0)


def test_the_worker_knows_the_job() -> None:
    assert RUNNERS["prefill"] == f"{warm.__name__}:prefill"


def test_without_a_model_or_a_past_request_there_is_nothing_to_do(tmp_path: Path) -> None:
    db = writer.open_store(str(tmp_path))
    warm.prefill(db, JOB, 0.0)
    (tmp_path / "sidecar.toml").write_text('model = "/nowhere"\n')
    warm.prefill(db, JOB, 0.0)
    db.close()


@needs_mlx
def test_the_job_fills_segments_once_and_respects_the_allowance(tmp_path: Path, model_folder: Folder) -> None:
    (tmp_path / "sidecar.toml").write_text(f'model = "{model_folder()}"\nfree_gib = 0\non_battery = true\n')
    Heads(str(tmp_path)).note(head_of("model", "", "", [{"role": "system", "content": "Be kind. " * 20}], ()))
    db = writer.open_store(str(tmp_path))
    warm.prefill(db, JOB, 0.0)
    written = {p: p.stat().st_ino for p in tmp_path.rglob("*.safetensors")}
    assert len(written) == 1
    warm.prefill(db, JOB, 0.0)
    assert {p: p.stat().st_ino for p in tmp_path.rglob("*.safetensors")} == written
    db.close()


@needs_mlx
def test_without_an_allowance_the_job_waits_and_loads_nothing(tmp_path: Path, model_folder: Folder) -> None:
    (tmp_path / "sidecar.toml").write_text(
        f'model = "{model_folder()}"\nfree_gib = 0\non_battery = true\nday_tokens = 0\n'
    )
    Heads(str(tmp_path)).note(head_of("model", "", "", [{"role": "system", "content": "Be kind. " * 20}], ()))
    with pytest.raises(Spent):
        warm.prefill(writer.open_store(str(tmp_path)), JOB, 0.0)


def test_jobs_that_may_not_run_now_wait_without_a_traceback(tmp_path: Path) -> None:
    from agentmemory.worker import LOG, drain

    (tmp_path / "sidecar.toml").write_text('model = "/nowhere"\non_battery = true\nday_tokens = 0\n')
    Heads(str(tmp_path)).note(head_of("nowhere", "", "", [], ()))
    db = writer.open_store(str(tmp_path))
    with writer.transaction(db):
        jobs.add(db, "prefill", 0.0)
    assert drain(db, str(tmp_path), 1.0) == 0
    said = (tmp_path / LOG).read_text()
    assert "jobs of kind prefill wait" in said
    assert "Traceback" not in said
    assert jobs.count(db)["prefill"] == {"pending": 1}
    db.close()
