"""Hooks as real processes: what a client sends on stdin, what it gets on stdout, and that nothing ever fails."""

from __future__ import annotations

import json
import os
import resource
import subprocess
import sys
from pathlib import Path
from typing import Any

import apsw
import pytest

from agentmemory import seen
from agentmemory.memory import Memory
from agentmemory.recall.pipeline import recall
from agentmemory.records import Query
from agentmemory.store import db as reading
from agentmemory.store import schema, writer
from tests.conftest import git as new_repository

Found = subprocess.CompletedProcess[bytes]


def hook(event: str, stdin: bytes | dict[str, Any], full_disk: bool = False) -> Found:
    """Run a hook as a client does; a worker is not started. full_disk: no file can grow."""
    given = stdin if isinstance(stdin, bytes) else json.dumps(stdin).encode()
    return subprocess.run(
        [sys.executable, "-m", "agentmemory", "hook", event],
        input=given, capture_output=True, timeout=20, env={**os.environ, "AGENTMEMORY_WORKER": "off"},
        preexec_fn=(lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))) if full_disk else None,
    )  # fmt: skip


def prompt(text: str, project: Path, session: str = "s1") -> dict[str, Any]:
    return {"session_id": session, "cwd": str(project), "hook_event_name": "UserPromptSubmit", "prompt": text}


def block(ran: Found) -> str:
    """The injected block, "" for silence; whatever happens the exit status is 0 and the output valid."""
    assert ran.returncode == 0
    if not ran.stdout:
        return ""
    answer = json.loads(ran.stdout)["hookSpecificOutput"]
    assert answer["hookEventName"] in ("UserPromptSubmit", "SessionStart")
    return str(answer["additionalContext"])


def log(home: Path) -> list[str]:
    path = home / "hook.log"
    return path.read_text().splitlines() if path.exists() else []


def test_a_prompt_gets_the_standing_rule_and_what_speaks_to_it(taught: str, project: Path) -> None:
    said = block(hook("prompt-submit", prompt("which host is our billing on?", project)))

    assert said.startswith('== STANDING CONSTRAINTS ==\n- "never push to github directly')
    assert taught in said


def test_a_prompt_that_nothing_speaks_to_gets_the_standing_part_only(taught: str, project: Path) -> None:
    said = block(hook("prompt-submit", prompt("how do i reverse a list in haskell", project)))

    assert taught not in said
    assert said.count("\n") == 1


def test_what_a_session_has_been_given_is_not_repeated_until_its_context_is_emptied(taught: str, project: Path) -> None:
    asked = prompt("which host is our billing on?", project)
    assert taught in block(hook("prompt-submit", asked))
    assert taught not in block(hook("prompt-submit", asked))

    hook("session-start", {**asked, "source": "compact"})

    assert taught in block(hook("prompt-submit", asked))
    assert taught in block(hook("prompt-submit", prompt("which host is our billing on?", project, "another")))


def test_what_was_told_as_a_hint_is_given_and_no_block_yet(taught: str, home: Path, project: Path) -> None:
    with Memory() as memory:
        hits = recall(memory.db, Query("which host is our billing on?", 1.0, memory.scopes))
        ids = {hit.id for hit in hits}

    seen.note(str(home), "s1", hits, 1.0, "which host", hint=True)

    assert seen.already(str(home), "s1") == (ids, True)
    assert taught not in block(hook("prompt-submit", prompt("which host is our billing on?", project)))
    seen.note(str(home), "s1", hits, 2.0, "which host is our billing on?")
    assert seen.already(str(home), "s1") == (ids, False)
    seen.reset(str(home), "s1", 3.0)
    assert seen.already(str(home), "s1") == (set(), True)


def test_what_holds_again_is_given_again_to_a_session_that_heard_it_was_replaced(taught: str, project: Path) -> None:
    asked = prompt("which host is our billing on?", project)
    assert taught in block(hook("prompt-submit", asked))
    with Memory() as memory:
        memory.correct(f"host is {taught}", f"our billing host is now new{taught}.example.org")
        assert f'now "our billing host is now new{taught}' in block(hook("prompt-submit", asked))
        memory.undo()

    assert f'- "our billing host is {taught}' in block(hook("prompt-submit", asked))
    assert taught not in block(hook("prompt-submit", asked))


def test_the_standing_part_is_the_same_bytes_over_fifty_prompts(taught: str, project: Path) -> None:
    from agentmemory.recall.pipeline import block as whole
    from agentmemory.recall.render import STATE

    with Memory() as memory:
        blocks = [
            whole(memory.db, Query(f"deploy number {i} to our billing host", i, memory.scopes)) for i in range(50)
        ]

    assert len({text.partition(STATE)[0].partition("== BACKGROUND ==")[0].rstrip() for text in blocks}) == 1


def test_commands_of_the_plugin_get_nothing(taught: str, project: Path) -> None:
    assert hook("prompt-submit", prompt("/mem:search billing host", project)).stdout == b""


def test_small_blocks_save_room_for_large_ones(taught: str, project: Path, home: Path) -> None:
    room = home / "room"
    with Memory() as memory:
        for what in ("invoices", "dunning letters", "the yearly statement"):
            memory.remember(f"our billing host also sends {what}, at night, by the queue that the old one had", "fact")
    for session in ("one", "two"):
        assert taught in block(hook("prompt-submit", prompt("which host is our billing on?", project, session)))
    saved = float(room.read_text())
    room.write_text("no number")
    assert taught in block(hook("prompt-submit", prompt("which host is our billing on?", project, "three")))

    assert 0.0 < float(room.read_text()) < saved
    assert room.stat().st_mode & 0o777 == 0o600


HARMLESS = {
    "empty": "",
    "blank": " \n\t ",
    "operators": 'billing AND (host OR NEAR("a b", 3)) -x* ^"y" {terms}: "quoted',
    "quotes": '""" \'\'\' our "billing" host \' OR 1=1 --',
    "cjk": "我们的账单主机在哪里？请把它部署到生产环境",
    "nul": "our billing\x00host\x00",
    "surrogate": "our billing host \ud800 \udfff",
    "megabyte": "our billing host " * 62_000,
    "one long word": "x" * 1_000_000,
}
#: what may stand in a prompt without costing its answer: half an emoji, as a cut in a paste leaves it; a key held down
ODD = ("\ud83d", "cut\ud83d", "src/\udc00.sql", "y" * 2_000)


@pytest.mark.parametrize("name", HARMLESS)
def test_any_prompt_is_answered_in_order_and_nothing_is_logged(
    name: str, taught: str, home: Path, project: Path
) -> None:
    before = store_bytes(home)

    block(hook("prompt-submit", prompt(HARMLESS[name], project)))

    assert log(home) == []
    assert store_bytes(home) == before


@pytest.mark.parametrize("odd", ODD)
def test_an_odd_word_costs_no_answer(odd: str, taught: str, home: Path, project: Path) -> None:
    said = block(hook("prompt-submit", prompt(f"which host is our billing on? {odd}", project)))

    assert taught in said
    assert log(home) == []


@pytest.mark.parametrize("event", ["prompt-submit", "session-start", "stop", "session-end", "pre-compact", "pre-tool"])
@pytest.mark.parametrize("stdin", [b"", b"{", b"[1, 2]", b"\xff\xfe", b'{"prompt": 12', b"null"])
def test_input_that_is_no_event_is_one_line_in_the_log(event: str, stdin: bytes, taught: str, home: Path) -> None:
    ran = hook(event, stdin)

    assert (ran.returncode, ran.stdout) == (0, b"")
    assert len(log(home)) == 1 and "SystemError" not in log(home)[0]


def test_an_unknown_hook_is_one_line_in_the_log(taught: str, home: Path) -> None:
    assert hook("no-such-event", {}).returncode == 0
    assert len(log(home)) == 1


def test_without_a_store_there_is_silence_and_one_line(home: Path, project: Path) -> None:
    for _ in range(2):
        assert hook("prompt-submit", prompt("which host is our billing on?", project)).stdout == b""

    assert len(log(home)) == 1
    assert not (home / "memory.db").exists()


@pytest.mark.parametrize("event", ["prompt-submit", "pre-tool"])
def test_a_corrupt_store_is_left_as_it_is(event: str, taught: str, home: Path, project: Path) -> None:
    store = home / "memory.db"
    for name in ("memory.db-wal", "memory.db-shm"):
        (home / name).unlink(missing_ok=True)
    store.write_bytes(b"no database" * 1000)

    ran = hook(event, {**prompt("which host is our billing on?", project), **PUSH})

    assert (ran.returncode, ran.stdout) == (0, b"")
    assert store.read_bytes() == b"no database" * 1000
    assert len(log(home)) == 1


@pytest.mark.parametrize(
    ("broken", "named"),
    [("DROP TABLE belief_fts", "belief_fts"), ("UPDATE belief SET valid_from = 1e18 WHERE locked = 0", "paths.py")],
)
def test_where_a_block_fails_the_rules_stand(broken: str, named: str, taught: str, home: Path, project: Path) -> None:
    with Memory() as memory:
        memory.db.execute(broken)

    said = block(hook("prompt-submit", prompt("which host is our billing on?", project)))

    assert said.startswith('== STANDING CONSTRAINTS ==\n- "never push to github directly')
    assert [named in line for line in log(home)] == [True]


def test_a_store_of_a_newer_version_is_not_read(taught: str, home: Path, project: Path) -> None:
    db = apsw.Connection(str(home / "memory.db"))
    db.execute("PRAGMA user_version = 9999")
    db.close()

    ran = hook("prompt-submit", prompt("which host is our billing on?", project))

    assert (ran.returncode, ran.stdout) == (0, b"")
    assert len(log(home)) == 1 and "upgrade" in log(home)[0]


def test_a_store_that_somebody_holds_locked_costs_the_block_not_the_prompt(
    taught: str, home: Path, project: Path
) -> None:
    holder = apsw.Connection(str(home / "memory.db"))
    holder.execute("PRAGMA locking_mode = EXCLUSIVE")
    holder.execute("BEGIN IMMEDIATE; UPDATE meta SET value = value; COMMIT; BEGIN EXCLUSIVE")

    ran = hook("prompt-submit", prompt("which host is our billing on?", project))
    holder.execute("ROLLBACK")
    holder.close()

    assert (ran.returncode, ran.stdout) == (0, b"")
    assert len(log(home)) == 1


def test_a_folder_that_cannot_be_written_costs_nothing_but_a_line(taught: str, home: Path, project: Path) -> None:
    (home / "seen").write_text("a file stands where the folder should be")

    said = block(hook("prompt-submit", prompt("which host is our billing on?", project)))

    assert taught in said
    assert len(log(home)) == 1


PUSH = {"session_id": "s1", "tool_name": "Bash", "tool_input": {"command": "git push github"}}
START = {"session_id": "s1", "source": "compact", "transcript_path": "/t/one.jsonl"}


def denied(ran: Found) -> bool:
    """Whether the client is told to stop the tool."""
    answer = json.loads(ran.stdout or "{}").get("hookSpecificOutput", {})
    return bool(answer.get("permissionDecision") == "deny")


def test_an_inbox_that_cannot_be_written_costs_neither_a_verdict_nor_the_rules(
    taught: str, home: Path, project: Path
) -> None:
    (home / "inbox").write_text("a file stands where the folder should be")

    assert denied(hook("pre-tool", {**PUSH, "cwd": str(project)}))
    assert "never push to github directly" in block(hook("session-start", {**START, "cwd": str(project)}))
    assert "Error" in "".join(log(home))


def test_on_a_full_disk_the_verdict_the_rules_and_the_block_come_all_the_same(
    taught: str, home: Path, project: Path
) -> None:
    assert not (home / "memory.db-shm").exists()  # nothing can make it now

    assert denied(hook("pre-tool", {**PUSH, "cwd": str(project)}, full_disk=True))
    given = {**START, "cwd": str(project)}
    assert "never push to github directly" in block(hook("session-start", given, full_disk=True))
    assert taught in block(hook("prompt-submit", prompt("which host is our billing on?", project), full_disk=True))


def test_on_a_full_disk_a_store_is_not_read_without_its_log(taught: str, home: Path, project: Path) -> None:
    store = [home / "memory.db", home / "memory.db-wal"]
    with Memory() as memory:
        memory.unlock(1)
        crashed = [path.read_bytes() for path in store]
    for path, held in zip(store, crashed, strict=True):
        path.write_bytes(held)

    assert not denied(hook("pre-tool", {**PUSH, "cwd": str(project)}, full_disk=True))


def test_a_read_only_folder_is_no_obstacle(taught: str, home: Path, project: Path) -> None:
    (home / "memory.db").chmod(0o400)
    home.chmod(0o500)
    try:
        block(hook("prompt-submit", prompt("which host is our billing on?", project)))
    finally:
        home.chmod(0o700)

    assert len(log(home)) <= 1


@pytest.mark.parametrize(("below", "git"), [("site", False), ("vendored", True)])
def test_a_cd_of_the_agents_leads_into_another_project_only_with_git(
    home: Path, tmp_path: Path, token: str, monkeypatch: pytest.MonkeyPatch, below: str, git: bool
) -> None:
    began = tmp_path / "notes"
    (began / below).mkdir(parents=True)
    if git:
        new_repository(began / below, "init", "-q")
    with Memory(project=str(began)) as memory:
        memory.lock(f"never build {token} with make, use ./render.sh")
    asked = prompt(f"build {token} again", began / below)

    assert token not in block(hook("prompt-submit", asked))  # a session that began there
    monkeypatch.setenv("CLAUDE_PROJECT_DIR", str(began))
    assert (token in block(hook("prompt-submit", asked))) is not git
    assert (token in block(hook("session-start", {**asked, "source": "compact"}))) is not git


@pytest.mark.parametrize("event", ["stop", "session-end", "pre-compact"])
def test_the_end_of_work_leaves_one_line_for_the_worker(event: str, home: Path, project: Path, token: str) -> None:
    given = {"session_id": token, "cwd": str(project), "transcript_path": f"/tmp/{token}.jsonl"}

    ran = hook(event, given)

    assert (ran.returncode, ran.stdout) == (0, b"")
    (line,) = (home / "inbox" / "2026-06-01.jsonl").read_text().splitlines()
    left = json.loads(line)
    assert left.pop("at") > 0
    assert left == {**given, "event": event}


def test_a_session_starts_with_the_rules_and_what_changed(taught: str, home: Path, project: Path) -> None:
    with Memory() as memory:
        memory.correct(f"host is {taught}", f"our billing host is now new{taught}.example.org")

    said = block(hook("session-start", {"session_id": "s9", "cwd": str(project), "source": "startup"}))

    assert "never push to github directly" in said
    assert f"new{taught}" in said and f" {taught}" not in said


def test_a_project_reads_its_own_memory_and_the_users_only(taught: str, home: Path, tmp_path: Path) -> None:
    other = tmp_path / "other"
    other.mkdir()

    assert block(hook("prompt-submit", prompt("which host is our billing on?", other))) == ""


def test_the_reader_knows_the_schema_that_the_writer_makes() -> None:
    assert len(schema.MIGRATIONS) == reading.SCHEMA


def test_the_files_of_hooks_are_the_owners_only(taught: str, home: Path, project: Path) -> None:
    hook("prompt-submit", prompt("which host is our billing on?", project))
    hook("stop", b"{")

    for path in home.rglob("*"):
        assert path.stat().st_mode & 0o077 == 0, path


def store_bytes(home: Path) -> bytes:
    return (home / "memory.db").read_bytes()


def test_of_functools_a_reader_loads_no_more_than_statements_need(home: Path) -> None:
    writer.open_store(str(home)).close()
    program = (
        "import sys; sys.path.append(sys.argv[1]); from agentmemory.store.db import open_read; "
        "assert 'functools' not in sys.modules; db = open_read(sys.argv[2]); "
        "assert [db.execute(f'SELECT {i % 200}').fetchone() for i in range(400)][399] == (199,); "
        "import functools, sqlite3; functools.wraps, functools.partial; "
        "assert sqlite3.connect(':memory:').execute('SELECT 1').fetchone() == (1,)"
    )
    root = str(Path(__file__).parent.parent)
    command = [sys.executable, "-E", "-P", "-S", "-c", program, root, str(home / "memory.db")]

    assert subprocess.run(command, capture_output=True, text=True).stderr == ""
