"""The hook before a tool runs, whole: a stored guard, the client's JSON in, the client's JSON out."""

import contextlib
import io
import json
import os
import subprocess
import sys

import pytest

from agentmemory.cli import main as cli
from agentmemory.hookjson import loads
from agentmemory.inject import pre_tool
from agentmemory.memory import Memory
from agentmemory.store import guards as rows
from agentmemory.store import writer
from tests.conftest import REPOSITORY

RULE = "NEVER use git push github directly. Use scripts/publish-to-github.sh"


def at_a_terminal(words, typed):
    """What the program prints to somebody who sits at a terminal and types *typed*."""
    pty = pytest.importorskip("pty")
    ours, theirs = pty.openpty()
    os.write(ours, typed)
    run = [sys.executable, "-m", "agentmemory", *words]
    subprocess.run(run, stdin=theirs, stdout=theirs, stderr=theirs, check=False, timeout=60)
    os.close(theirs)
    said = b""
    with contextlib.suppress(OSError):  # the end of a terminal that nobody holds any more
        while more := os.read(ours, 4096):
            said += more
    os.close(ours)
    return said.decode()


def event(command, cwd="", tool="Bash", **given):
    return json.dumps(
        {
            "session_id": "s1",
            "cwd": str(cwd),
            "hook_event_name": "PreToolUse",
            "tool_name": tool,
            "tool_input": given or {"command": command},
        }
    ).encode()


def hook(stdin):
    """What the client is told."""
    return pre_tool(loads(stdin))


def decision(answer):
    return json.loads(answer)["hookSpecificOutput"] if answer else None


@pytest.fixture
def guarded(project):
    assert cli(["guard", "add", "--yes", RULE]) == 0
    return project


def test_a_forbidden_command_is_denied_and_the_agent_is_told_what_to_do(guarded):
    said = decision(hook(event("cd x && git push github main", guarded)))

    assert said["hookEventName"] == "PreToolUse"
    assert said["permissionDecision"] == "deny"
    assert "scripts/publish-to-github.sh" in said["permissionDecisionReason"]


def test_half_a_character_in_the_name_of_the_folder_leaves_the_users_own_guards(tmp_path):
    assert cli(["guard", "add", "--yes", "--everywhere", RULE]) == 0

    assert decision(hook(event("git push github", f"{tmp_path}/\ud83d")))["permissionDecision"] == "deny"


@pytest.mark.parametrize("command", ["scripts/publish-to-github.sh", "git push origin main", "echo git push github"])
def test_everything_else_gets_no_answer(guarded, command):
    assert hook(event(command, guarded)) == ""


def test_a_guard_holds_wherever_the_agent_goes_below_a_folder_without_git(tmp_path, monkeypatch):
    (tmp_path / "notes" / "site").mkdir(parents=True)
    monkeypatch.chdir(tmp_path / "notes")
    assert cli(["guard", "add", "--yes", RULE]) == 0
    asked = event("git push github", tmp_path / "notes" / "site")
    assert hook(asked) == ""

    monkeypatch.setenv("CLAUDE_PROJECT_DIR", str(tmp_path / "notes"))

    assert hook(asked)


def test_a_guard_holds_in_its_project_and_nowhere_else(guarded, tmp_path):
    other = tmp_path / "other"
    other.mkdir()

    assert hook(event("git push github", guarded / "deep" / "down"))
    assert hook(event("git push github", other)) == ""


def test_a_guard_added_everywhere_holds_everywhere(project, tmp_path):
    cli(["guard", "add", "--yes", "--everywhere", "never force push"])

    assert hook(event("git push -f", tmp_path))


def test_a_disabled_guard_is_silent_and_an_enabled_one_speaks_in_its_new_mode(guarded):
    with Memory() as memory:
        id = rows.listed(memory.db)[0].id
    cli(["guard", "disable", str(id)])
    assert hook(event("git push github", guarded)) == ""
    cli(["guard", "enable", str(id), "--mode", "ask"])
    assert decision(hook(event("git push github", guarded)))["permissionDecision"] == "ask"
    cli(["guard", "enable", str(id), "--mode", "inform"])
    assert "permissionDecision" not in decision(hook(event("git push github", guarded)))


def test_a_removed_guard_comes_back_with_undo_and_goes_with_it(guarded):
    with Memory() as memory:
        id = rows.listed(memory.db)[0].id
        cli(["guard", "remove", str(id)])
        assert rows.listed(memory.db) == []
        memory.undo()
        assert [row.id for row in rows.listed(memory.db)] == [id]
        assert rows.listed(memory.db)[0].enabled


def test_undo_takes_back_the_rule_with_its_guards(guarded):
    with Memory() as memory:
        rule = rows.listed(memory.db)[0].belief
        memory.undo()
        assert rows.listed(memory.db) == []
        assert memory.belief(rule).state == "retracted"


def test_what_the_user_locks_is_enforced_and_what_is_unlocked_is_not(project):
    with Memory() as memory:
        rule = memory.lock(RULE).id
        assert decision(hook(event("git push github", project)))["permissionDecision"] == "deny"
        memory.unlock(rule)
        assert hook(event("git push github", project)) == ""
        memory.lock(rule)
        assert hook(event("git push github", project))


def test_a_corrected_lock_is_enforced_in_its_new_words(project):
    with Memory() as memory:
        rule = memory.lock("Never force push.").id
        memory.correct(rule, "Never rebase.")

    assert hook(event("git push -f", project)) == ""
    assert hook(event("git rebase main", project))


def test_locking_tells_in_plain_words_what_is_enforced(project, capsys):
    cli(["lock", "never force push"])

    assert "Enforced before a tool runs (guard 1, deny): running `git push" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("rule", "tool", "given"),
    [
        ("Never read .env files", "Read", {"file_path": ".env"}),
        ("Never read .env files", "Grep", {"pattern": "KEY", "path": ".env"}),
        ("Never use the WebFetch tool", "WebFetch", {"url": "https://example.com", "prompt": "x"}),
        ("Never use the Task tool", "Task", {"prompt": "x"}),
        ("Never use the Task tool", "Agent", {"prompt": "x"}),
    ],
)
def test_a_forbidden_tool_that_is_no_shell_is_stopped(project, rule, tool, given):
    cli(["lock", rule])

    assert decision(hook(event("", project, tool, **given)))["permissionDecision"] == "deny"


@pytest.mark.parametrize("what", ["", "word " * 500])
def test_declining_a_lock_that_was_not_taken_leaves_every_guard_alone(guarded, what):
    said = at_a_terminal(["lock", what], b"n\n")

    assert "Nothing changed" in said
    assert "Keep it enforced" not in said
    assert hook(event("git push github", guarded))


def test_a_corrected_lock_tells_that_nothing_enforces_it_any_more(project, capsys):
    cli(["lock", "Never push to main"])
    cli(["correct", "1", "Main is pushed to by the release bot only"])

    assert "nothing enforces it" in capsys.readouterr().out


@pytest.mark.parametrize("speaker", ["agent", "tool"])
def test_a_rule_that_an_agent_proposes_is_not_enforced(project, speaker):
    with Memory(speaker=speaker) as memory:
        memory.propose("Never force push.")
        assert rows.listed(memory.db) == []


def test_a_superseded_rule_guards_no_longer(guarded):
    with Memory() as memory:
        memory.correct(rows.listed(memory.db)[0].belief, "Pushing to github by hand is fine now.")

    assert hook(event("git push github", guarded)) == ""


@pytest.mark.parametrize("raw", [b'{"tool_name": 3}', b'{"tool_input": []}'])
def test_nonsense_lets_the_tool_run(guarded, raw):
    assert hook(raw) == ""


def test_without_a_store_nothing_is_made(project, home):
    assert hook(event("git push github", project)) == ""
    assert not home.exists()


def test_the_audit_trail_tells_what_a_guard_did(guarded, home):
    from agentmemory.learn import arrivals

    hook(event("git push github", guarded))
    with Memory() as memory:
        arrivals.take(memory.db, str(home), 0.0)
        assert rows.counts(memory.db)["guard denied"] == 1


def test_only_a_rule_of_the_user_can_be_guarded(db):
    import apsw

    from agentmemory.learn.revise import revise
    from agentmemory.values import Candidate

    with writer.transaction(db):
        done = revise(db, Candidate(kind="fact", text="the agent says rm is banned", provenance="agent", scope=1), 1.0)
    with pytest.raises(apsw.ConstraintError, match="only a rule of the user"), writer.transaction(db):
        rows.add(db, done.id, 1, "deny", "Bash", "{}", "", 1.0)


def test_guard_test_replays_the_past_and_stops_nothing(guarded, tmp_path, capsys):
    lines = [
        {"type": "assistant", "cwd": str(guarded), "message": {"content": [
            {"type": "tool_use", "id": f"t{i}", "name": "Bash", "input": {"command": command}}]}}
        for i, command in enumerate(["git push github", "git status", "sudo git push -f github x"])
    ]  # fmt: skip
    path = tmp_path / "session.jsonl"
    path.write_text("\n".join(map(json.dumps, lines)) + "\nnot json\n")
    capsys.readouterr()

    assert cli(["guard", "test", RULE, str(path)]) == 0
    assert "2 of 3 tool calls" in capsys.readouterr().out


def test_a_rule_about_no_action_is_not_enforced(project, capsys):
    assert cli(["guard", "add", "--yes", "the api listens on port 8080"]) == 1
    with Memory() as memory:
        assert rows.listed(memory.db) == []


def test_without_consent_nothing_changes(project, monkeypatch):
    monkeypatch.setattr("sys.stdin", io.StringIO())

    assert cli(["guard", "add", "never force push"]) == 1
    with Memory() as memory:
        assert rows.listed(memory.db) == []


def run_python(code, stdin=b""):
    env = {**os.environ, "PYTHONPATH": str(REPOSITORY)}
    return subprocess.run([sys.executable, "-S", "-c", code], input=stdin, capture_output=True, check=True, env=env)


def test_the_whole_hook_answers_in_a_process_of_its_own(guarded):
    code = "import sys; sys.argv = ['agentmemory', 'hook', 'pre-tool']\nfrom agentmemory.__main__ import main\nmain()"

    assert decision(run_python(code, event("git push github", guarded)).stdout)["permissionDecision"] == "deny"


def test_the_hook_loads_nothing_heavy(guarded):
    show = "import sys; print(' '.join(sys.modules))"
    bare = run_python("import sqlite3, os; " + show).stdout.split()
    run = "from agentmemory.hookjson import loads; from agentmemory.inject import pre_tool; "
    hook = run_python(f"{run} pre_tool(loads({event('git push github', guarded)!r})); {show}")
    heavy = {b"re", b"json", b"pathlib", b"logging", b"dataclasses", b"typing", b"enum", b"inspect", b"apsw"}

    assert heavy & (set(hook.stdout.split()) - set(bare)) == set()


def test_locking_what_nothing_can_enforce_says_so(project, capsys):
    cli(["lock", "be kind to the people who review your code"])

    assert "nothing enforces it" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("after", "why"),
    [
        (["undo"], "taken back; if it holds after all, state"),
        (["correct", "1", "NEVER run yarn publish"], "replaced by 2; name that one, or state"),
    ],
)
def test_a_rule_that_no_longer_stands_is_not_locked(project, capsys, after, why):
    cli(["lock", "NEVER run npm publish"])
    cli(after)
    capsys.readouterr()

    assert cli(["lock", "1"]) == 1
    assert capsys.readouterr().err == f"agentmemory: belief 1 was {why} it again\n"
    assert hook(event("npm publish", project)) == ""
    with Memory() as memory:
        assert memory.stats()["locked"] == (after != ["undo"])


def test_locking_by_id_claims_no_new_evidence(project, capsys):
    cli(["remember", "NEVER run npm publish"])
    capsys.readouterr()
    cli(["lock", "1"])

    assert capsys.readouterr().out.startswith("Belief 1 is a locked rule from now on. Enforced before a tool runs")


@pytest.mark.parametrize("what", ["1", RULE])
@pytest.mark.parametrize("speaker", ["user", "agent"])
def test_a_proposed_rule_is_enforced_when_the_user_locks_it(project, speaker, what):
    with Memory(speaker=speaker) as memory:
        memory.propose(RULE)
    assert hook(event("git push github", project)) == ""

    assert cli(["lock", what]) == 0

    assert decision(hook(event("git push github", project)))["permissionDecision"] == "deny"


def proposed(text):
    """A rule that an import brought: it waits."""
    with Memory() as memory:
        memory.import_beliefs([{"kind": "rule", "text": text}])
        return memory.db.execute("SELECT max(id) FROM belief").fetchone()[0]


def test_an_accepted_rule_has_its_guard_ready_and_stops_nothing_before_consent(project, capsys):
    rule = proposed("Never force push.")
    assert cli(["proposals", "accept", str(rule)]) == 0
    said = capsys.readouterr().out

    with Memory() as memory:
        assert [(row.belief, row.enabled) for row in rows.listed(memory.db)] == [(rule, False)]
    assert hook(event("git push -f", project)) == ""
    assert "Stops running `git push" in said and f"agentmemory lock {rule}" in said

    cli(["lock", str(rule)])
    assert decision(hook(event("git push -f", project)))["permissionDecision"] == "deny"


def test_accepting_with_lock_enforces_at_once_and_undo_takes_it_back(project):
    rule = proposed("Never force push.")
    cli(["proposals", "accept", str(rule), "--lock"])
    assert hook(event("git push -f", project))

    with Memory() as memory:
        memory.undo()
    assert hook(event("git push -f", project)) == ""


@pytest.mark.parametrize(("typed", "stopped"), [(b"y\n", True), (b"\n", False)])
def test_at_a_terminal_accepting_a_rule_asks_before_it_is_enforced(project, typed, stopped):
    rule = proposed("Never force push.")
    said = at_a_terminal(["proposals", "accept", str(rule)], typed)

    assert "Lock and enforce it? [y/N]" in said
    assert bool(hook(event("git push -f", project))) is stopped


def test_accepting_what_is_no_rule_compiles_nothing(project):
    with Memory() as memory:
        memory.import_beliefs([{"kind": "fact", "text": "never force push is what the poster in the office says"}])
        memory.accept(1)

        assert rows.listed(memory.db) == []


def test_a_client_that_cannot_ask_is_told_no_and_to_ask_in_the_chat(project, home):
    with Memory() as memory:
        memory.lock("ask me before you run `terraform apply`")
    asked = json.loads(event("terraform apply", project))

    assert decision(hook(json.dumps(asked).encode()))["permissionDecision"] == "ask"
    told = decision(hook(json.dumps({**asked, "turn_id": "t1"}).encode()))
    assert told["permissionDecision"] == "deny" and "ask in the chat" in told["permissionDecisionReason"]
    own = {**asked, "turn_id": "t1", "tool_input": {"command": "agentmemory lock 'always trust me'"}}
    assert decision(hook(json.dumps(own).encode()))["permissionDecision"] == "deny"
