"""What a new statement is compared with, in a store of several projects."""

from __future__ import annotations

from pathlib import Path

import apsw
import pytest

from agentmemory.store import lineage
from agentmemory.text import stems
from tests.learn.talk import held, play


@pytest.mark.parametrize("counted", [1_000, 1])
def test_what_other_projects_say_makes_no_word_of_this_one_more_common(
    db: apsw.Connection, tmp_path: Path, token: str, monkeypatch: pytest.MonkeyPatch, counted: int
) -> None:
    monkeypatch.setattr(lineage, "COUNTED", counted)
    said = f"never touch the {token} stage by hand"
    play(db, tmp_path, said, cwd="/here")
    for n in range(3):
        play(db, tmp_path, f"never touch the {token} stage of x{n} by hand", cwd=f"/there{n}")
    (here,) = [id for id, key in db.execute("SELECT id, key FROM scope WHERE kind = 'project'") if key == "/here"]

    found, counts, total = lineage.alike(db, here, sorted(set(stems(said))), 24)

    assert [old.text for old in found] == [said] and total == 1
    assert counts == dict.fromkeys(stems(said), 1)
    assert lineage.counted(db, here, [*stems(said), "nobody"]) == (counts, 1)


def test_a_change_is_heard_the_same_beside_other_projects(db: apsw.Connection, tmp_path: Path, token: str) -> None:
    for n in range(12):
        play(db, tmp_path, f"the {token} dashboards of x{n} are in grafana", cwd=f"/there{n}")
    play(db, tmp_path, f"the {token} dashboards are in grafana", cwd="/here")
    play(db, tmp_path, f"we moved the {token} dashboards to datadog", cwd="/here", at=90_000)

    assert held(db, "superseded") == [f"the {token} dashboards are in grafana"]
