"""Who writes waits for its turn, not for ever; who waits no longer leaves nothing behind."""

from __future__ import annotations

import os
import sys
import threading
from pathlib import Path

import apsw
import pytest

from agentmemory.cli import main
from agentmemory.memory import Memory
from agentmemory.store import forget, meta, writer


@pytest.mark.parametrize(
    "command", ["remember the port is 1", "lock never push", "correct 1 nothing", "undo", "forget 1"]
)
def test_who_waited_long_enough_is_told_who_writes_and_changes_nothing(
    project: Path, home: Path, capsys: pytest.CaptureFixture[str], command: str
) -> None:
    main(["remember", "the port is 8443"])
    capsys.readouterr()

    with writer.queue(str(home)), writer.patient(0.05):
        assert main(command.split()) == 1

    out, err = capsys.readouterr()
    lock = home / "store.lock"
    assert out == "" and err.count("\n") == 1
    assert err.startswith("agentmemory: nothing was changed: ") and err.endswith(f" has held {lock} for the last 0 s\n")
    if sys.platform == "linux":
        assert f" process {os.getpid()} (" in err
    with Memory() as memory:
        assert [row["text"] for row in memory.export()] == ["the port is 8443"]


def test_who_gave_up_does_not_take_the_lock_later(home: Path, db: apsw.Connection) -> None:
    with writer.queue(str(home)), writer.patient(0.05), pytest.raises(writer.StoreBusy), writer.transaction(db):
        pass

    with writer.patient(60.0):
        for _ in range(3):
            with writer.transaction(db):
                pass


@pytest.mark.parametrize("seconds", [60.0, None])
def test_the_turn_comes_when_the_other_has_ended(home: Path, db: apsw.Connection, seconds: float | None) -> None:
    held, free = threading.Event(), threading.Event()

    def other() -> None:
        with writer.queue(str(home)):
            held.set()
            free.wait()

    threading.Thread(target=other).start()
    held.wait()
    threading.Timer(0.05, free.set).start()
    with writer.patient(seconds), writer.transaction(db):
        assert free.is_set()
        meta.put(db, "mine", 1)

    assert meta.get(db, "mine") == 1


def test_a_search_is_answered_while_somebody_else_writes(project: Path, home: Path) -> None:
    with Memory() as memory:
        memory.remember("the port is 8443")
        with writer.queue(str(home)):
            assert [hit.text for hit in memory.search("port")] == ["the port is 8443"]


def test_what_is_forgotten_while_somebody_else_writes_is_scrubbed_later(home: Path, db: apsw.Connection) -> None:
    with writer.transaction(db):
        meta.put(db, forget.UNSCRUBBED, 1)
    with writer.queue(str(home)), writer.patient(0.05):
        assert not forget.scrub(db)
    assert forget.scrub(db)
