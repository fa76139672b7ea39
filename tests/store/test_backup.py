"""Copies of the store: whole, taken in use, put back without the old log, saved from damage."""

from __future__ import annotations

import os
import resource
import stat
import subprocess
import sys
from pathlib import Path

import apsw
import pytest

from agentmemory import seen
from agentmemory.learn import arrivals
from agentmemory.memory import Memory
from agentmemory.store import backup, beliefs, check, inbox, meta, outcomes, salvage, writer
from tests.conftest import older_store


def tell(*texts: str) -> None:
    with Memory() as memory:
        for text in texts:
            memory.remember(text)


def told() -> set[str]:
    with Memory() as memory:
        return {row["text"] for row in memory.export()}


def files(folder: Path) -> set[str]:
    return {p.name for p in folder.iterdir()}


def test_a_backup_is_one_whole_file_for_its_owner(home: Path, project: Path, token: str) -> None:
    tell(f"the port of {token} is 8443")

    path = Path(backup.backup(str(home)))

    assert files(path.parent) == {path.name}
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert backup.verify(str(path)) == writer.last_mark(str(home))


def test_what_came_after_the_backup_is_set_aside_not_deleted(home: Path, project: Path, token: str) -> None:
    tell(f"the port of {token} is 8443")
    path = backup.backup(str(home))
    tell(f"the host of {token} is new.example.org")

    aside = backup.restore(str(home), path)

    assert told() == {f"the port of {token} is 8443"}
    assert (Path(aside) / "memory.db").exists()
    tell(f"the colour of {token} is red")
    assert len(told()) == 2


def test_what_a_session_was_given_before_a_restore_hides_nothing_after_it(
    home: Path, project: Path, tmp_path: Path
) -> None:
    tell("the port is 8443")
    kept = backup.backup(str(home), str(tmp_path / "kept.db"))
    tell("the cache is redis on cache-1")
    inbox.note_seen(str(home), "running", '{"belief": 1}', '{"belief": 2}')

    aside = Path(backup.restore(str(home), kept))
    tell("the mail relay is smtp-9")  # it has the id that the cache had

    assert seen.already(str(home), "running")[0] == frozenset()
    assert (aside / "seen" / "running.log").exists()


def test_what_a_session_is_given_after_a_restore_is_counted(home: Path, project: Path, tmp_path: Path) -> None:
    def given() -> int:
        inbox.note_seen(str(home), "running", '{"belief": 1, "at": 1.0}')
        inbox.append(str(home), "1970-01-01", '{"event": "stop", "session_id": "running"}')
        with Memory() as memory:
            arrivals.take(memory.db, str(home), 1.0)
            return int(memory.stats()["injections"])

    tell("the port is 8443")
    assert given() == 1
    backup.restore(str(home), backup.backup(str(home), str(tmp_path / "kept.db")))

    assert given() == 2


def test_a_restore_does_not_meet_the_log_of_the_old_file(home: Path, project: Path, token: str) -> None:
    tell(f"the port of {token} is 8443")
    path = backup.backup(str(home))
    crash = f"""
import os
from agentmemory import seen
from agentmemory.learn import arrivals
from agentmemory.memory import Memory
memory = Memory()
for n in range(200): memory.remember(f"machine {token}{{n}} stands in room {{n}}")
os._exit(1)
"""
    subprocess.run([sys.executable, "-c", crash], check=False)
    assert (home / "memory.db-wal").exists(), "the crash left no log; the test means nothing then"

    backup.restore(str(home), path)

    db = writer.open_store(str(home))
    assert check.structure(db) + check.texts(db) + check.indexes(db) + check.high_water(db, str(home)) == []
    db.close()
    assert told() == {f"the port of {token} is 8443"}


def test_who_has_the_old_store_open_is_told_instead_of_writing_where_nobody_reads(
    home: Path, project: Path, token: str
) -> None:
    tell(f"the port of {token} is 8443")
    path = backup.backup(str(home))
    with Memory() as memory:
        backup.restore(str(home), path)
        with pytest.raises(writer.StoreReplaced):
            memory.remember(f"the host of {token} is new.example.org")

    tell(f"the colour of {token} is red")
    with Memory() as memory:
        assert check.high_water(memory.db, str(home)) == []


def test_a_backup_while_others_write_is_of_one_moment(home: Path, project: Path, token: str) -> None:
    tell(f"the port of {token} is 8443")
    write = f"""
from agentmemory import seen
from agentmemory.learn import arrivals
from agentmemory.memory import Memory
with Memory() as memory:
    print("go", flush=True)
    for n in range(300): memory.remember(f"machine {token}{{n}} stands in room {{n}}")
"""
    with subprocess.Popen([sys.executable, "-c", write], stdout=subprocess.PIPE) as other:
        assert other.stdout is not None
        other.stdout.readline()
        paths = [backup.backup(str(home), str(home / f"copy{n}.db")) for n in range(3)]
    assert other.returncode == 0

    for path in paths:
        db = apsw.Connection(path)
        (commits,) = db.execute("SELECT value FROM meta WHERE key = 'commits'").fetchone()
        (beliefs,) = db.execute("SELECT count(*) FROM belief").fetchone()
        assert beliefs <= commits <= beliefs + 4  # opening and the project's scope are commits too
        assert check.texts(db) == []
        db.close()


@pytest.mark.parametrize("content", [b"", b"not a database at all" * 100, b"SQLite format 3\x00" + b"\x00" * 4000])
def test_what_is_no_store_is_not_restored(
    home: Path, project: Path, token: str, tmp_path: Path, content: bytes
) -> None:
    tell(f"the port of {token} is 8443")
    before = files(home)
    bad = tmp_path / "bad.db"
    bad.write_bytes(content)

    with pytest.raises(backup.BadBackup):
        backup.restore(str(home), str(bad))

    assert told() == {f"the port of {token} is 8443"}
    assert files(home) == before


def test_a_backup_never_overwrites(home: Path, project: Path, tmp_path: Path) -> None:
    tell("the port is 8443")
    there = tmp_path / "mine.db"
    there.write_text("mine")

    with pytest.raises(FileExistsError):
        backup.backup(str(home), str(there))

    assert there.read_text() == "mine"


def test_backups_within_a_second_are_two(home: Path, project: Path) -> None:
    tell("the port is 8443")
    first = backup.backup(str(home))
    tell("the queue is drained at night")
    second = backup.backup(str(home))

    assert first != second
    assert backup.verify(first) < backup.verify(second)


def test_on_a_full_disk_it_is_said_that_there_is_no_copy(home: Path, project: Path) -> None:
    tell("the port is 8443")

    ran = subprocess.run(
        [sys.executable, "-m", "agentmemory", "backup"], capture_output=True, text=True,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 16, 1 << 16)),
    )  # fmt: skip

    assert ran.returncode == 1
    assert ran.stderr.startswith(f"agentmemory: no copy was made in {home}/backups: the disk ")
    assert list((home / "backups").iterdir()) == []


def test_a_backup_that_is_not_there_is_named(home: Path, project: Path, tmp_path: Path) -> None:
    tell("the port is 8443")
    before = files(home)

    with pytest.raises(FileNotFoundError, match="there is no file"):
        backup.restore(str(home), str(tmp_path / "typo.db"))
    assert files(home) == before


def test_a_backup_makes_no_folder_that_nobody_asked_for(home: Path, project: Path, tmp_path: Path) -> None:
    tell("the port is 8443")

    with pytest.raises(FileNotFoundError, match="there is no folder"):
        backup.backup(str(home), str(tmp_path / "typo" / "mine.db"))

    assert not (tmp_path / "typo").exists()


def test_without_a_store_there_is_nothing_to_copy(home: Path) -> None:
    with pytest.raises(FileNotFoundError, match="no store"):
        backup.backup(str(home))


def test_a_whole_store_is_not_mended(home: Path, project: Path) -> None:
    tell("the port is 8443")
    before = files(home)

    assert backup.mend(str(home)) == ""
    assert files(home) == before


def test_a_store_that_is_no_database_is_set_aside(home: Path, project: Path, token: str) -> None:
    tell(f"the port of {token} is 8443")
    store = home / "memory.db"
    damaged = os.urandom(len(store.read_bytes()))
    store.write_bytes(damaged)

    aside = Path(backup.mend(str(home)))

    assert (aside / "memory.db").read_bytes() == damaged
    assert told() == set()
    tell(f"the port of {token} is 9000")
    assert told() == {f"the port of {token} is 9000"}


def test_what_a_damaged_store_still_holds_is_taken_over(home: Path, project: Path, token: str) -> None:
    texts = {f"machine {token}{n} stands in room {n} on floor {n * 7} of the house {n * 13}" for n in range(400)}
    tell(*sorted(texts))
    pages = damage_some_pages(home / "memory.db", token)

    assert backup.is_damaged(str(home)), f"pages {pages} were not damaged enough"
    aside = backup.mend(str(home))

    assert aside
    rescued = told()
    assert rescued <= texts and len(rescued) > 200
    db = writer.open_store(str(home))
    assert check.structure(db) + check.texts(db) + check.indexes(db) + check.word_counts(db) == []
    db.close()
    with Memory() as memory:
        memory.lock(f"never push {token}")
        assert token in memory.recall(f"push {token}")


def test_a_damaged_store_that_cannot_be_mended_stays_where_it_is(home: Path, project: Path, token: str) -> None:
    tell(*(f"machine {token}{n} stands in room {n} on floor {n * 7} of the house {n * 13}" for n in range(400)))
    damage_some_pages(home / "memory.db", token)
    before = files(home)
    no_room = f"""
import resource
resource.setrlimit(resource.RLIMIT_FSIZE, (50_000, 50_000))
from agentmemory.store import backup
backup.mend({str(home)!r})
"""

    ran = subprocess.run([sys.executable, "-c", no_room], capture_output=True, text=True, check=False)

    assert "FullError" in ran.stderr or "IOError" in ran.stderr, ran.stderr
    assert files(home) == before and backup.is_damaged(str(home))
    assert backup.mend(str(home)) and len(told()) > 200


def damage_some_pages(store: Path, token: str) -> list[int]:
    """Overwrite every ninth page that holds texts, but not the schema's."""
    db = apsw.Connection(str(store))
    db.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
    (size,) = db.execute("PRAGMA page_size").fetchone()
    db.close()
    raw = bytearray(store.read_bytes())
    holding = [n for n in range(20, len(raw) // size) if token.encode() + b"1" in raw[n * size : (n + 1) * size]]
    for n in holding[::9]:
        raw[n * size : (n + 1) * size] = b"\xff" * size
    store.write_bytes(raw)
    return holding[::9]


def test_of_a_damaged_store_of_an_earlier_release_what_it_lacks_is_made_up_for(tmp_path: Path) -> None:
    db = older_store(tmp_path, outcomes.called_for)
    beliefs.add(db, beliefs.New(1, "fact", "the port is 8443", "user", valid_from=1.0, created=1.0))
    db.execute("INSERT INTO injection (session, belief, at, tokens) VALUES ('s', 1, 1.0, 5)")
    db.close()

    new = apsw.Connection(salvage.salvage(str(tmp_path / "memory.db"), str(tmp_path / "new")))

    assert new.execute("SELECT session, belief, tokens, called FROM injection").fetchall() == [("s", 1, 5, 1)]


def test_no_row_that_comes_after_a_loss_has_a_number_that_was_done_with(tmp_path: Path) -> None:
    db = writer.open_store(str(tmp_path))
    with writer.transaction(db):
        for key, value in (
            ("sleep:turns", 900),
            ("sleep:restatements", 50),
            ("sleep:heat", "[50, 7]"),
            ("thesaurus", "x"),
        ):
            meta.put(db, key, value)
        meta.put(db, "speaker", "agent")
        meta.put(db, "sleep:read", 3)
    db.close()

    salvage.salvage(str(tmp_path / "memory.db"), str(tmp_path / "new"))

    new = writer.open_store(str(tmp_path / "new"))
    with writer.transaction(new):
        id = beliefs.add(new, beliefs.New(1, "fact", "the port is 8443", "user", valid_from=1.0, created=1.0))
    assert id > 50
    keys = ("sleep:turns", "sleep:heat", "thesaurus", "speaker", "sleep:read")
    assert [meta.get(new, key, 0) for key in keys] == [0, 0, "", "user", 3]


def test_of_a_store_that_was_cut_short_all_that_is_there_is_taken_over(home: Path, project: Path, token: str) -> None:
    texts = {f"machine {token}{n} stands in room {n} on floor {n * 7} of the house {n * 13}" for n in range(100)}
    tell(*sorted(texts))
    store = home / "memory.db"
    db = apsw.Connection(str(store))
    db.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
    db.close()
    os.truncate(store, store.stat().st_size - 20_000)  # a copy that broke off

    assert backup.mend(str(home))

    assert told() <= texts and len(told()) > 10


def test_a_restore_that_breaks_off_leaves_the_store_with_all_that_it_held(
    home: Path, project: Path, token: str
) -> None:
    tell(f"the port of {token} is 8443")
    path = backup.backup(str(home))
    memory = Memory()
    memory.remember(f"the host of {token} is new.example.org")  # in the log alone, as long as somebody has it open
    replace = os.replace

    def breaks(source: str, target: str) -> None:
        if target == str(home / "memory.db"):
            raise OSError("the machine stops")
        replace(source, target)

    with memory, pytest.MonkeyPatch.context() as patch:
        patch.setattr(os, "replace", breaks)
        with pytest.raises(OSError, match="the machine stops"):
            backup.restore(str(home), path)

    assert len(told()) == 2
