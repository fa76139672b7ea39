"""The real Claude Code client: what its model gets to see, and what is left of us in its folder afterwards."""

from __future__ import annotations

import json
import shlex
import shutil
from pathlib import Path

import pytest

from tests.clients.conftest import Person
from tests.conftest import REPOSITORY

TOOLS = {f"mcp__plugin_mem_agentmemory__{verb}" for verb in
         "search remember lock wonder reason feedback forget stats".split()}  # fmt: skip


def test_the_plugin_is_valid(person: Person) -> None:
    assert "Validation passed" in person.claude("plugin", "validate", str(REPOSITORY), "--strict")


def test_a_correction_is_in_the_next_session_without_any_command(person: Person, token: str) -> None:
    person.agentmemory("setup", "--client", "claude-code")
    person.says(f"Never use git push directly. Always use scripts/publish-{token}.sh instead.")
    person.wait_for_worker()

    (asked, *_) = person.says("push the release to github")

    block = asked[asked.index("== ", asked.index("UserPromptSubmit")) :]
    assert f"scripts/publish-{token}.sh" in block


def test_what_is_typed_while_the_agent_works_is_learned_once(person: Person, token: str) -> None:
    person.agentmemory("setup", "--client", "claude-code")
    rule = f"no, never use {token} in this repo, always use pnpm"
    person.talks("until [ -e go ]; do sleep 0.1; done", "install the web folder", rule)
    person.wait_for_worker()

    held = [json.loads(line)["text"] for line in person.agentmemory("export").splitlines()]
    assert [text for text in held if token in text] == [rule]
    assert person.said() == ["install the web folder", rule]


def test_what_is_typed_after_a_cd_of_the_agents_is_known_in_the_next_session(person: Person, token: str) -> None:
    shutil.rmtree(person.project / ".git")
    (person.project / "site").mkdir()
    person.agentmemory("setup", "--client", "claude-code")
    person.talks("cd site", "look at the site", f"no, never use make here, always build with ./{token}.sh")
    person.wait_for_worker()

    (asked, *_) = person.says("build the site")

    assert f"{token}.sh" in asked


def test_a_command_that_is_typed_after_a_cd_of_the_agents_is_of_the_sessions_project(
    person: Person, token: str
) -> None:
    shutil.rmtree(person.project / ".git")
    (person.project / "site").mkdir()
    person.agentmemory("setup", "--client", "claude-code")

    person.talks("cd site", "look at the site", f"/mem:remember the {token} port is 8443")

    assert token in person.agentmemory("export")


def test_a_fork_of_a_session_says_nothing_twice(person: Person, token: str) -> None:
    person.agentmemory("setup", "--client", "claude-code")
    prompts = [f"the {token} database host is db-1.example.org", "list the open pull requests"]
    person.says(prompts[0])
    person.says(prompts[1], "--continue", "--fork-session")
    person.wait_for_worker()

    assert len(list((person.home / ".claude" / "projects").rglob("*.jsonl"))) == 2
    assert person.said() == prompts


def test_a_fork_is_not_given_again_what_its_parent_was_given(person: Person, token: str) -> None:
    person.agentmemory("setup", "--client", "claude-code")
    host, port = f"the {token} database host is db-1.example.org", f"the {token} proxy listens on port 8443"
    person.agentmemory("remember", host)
    person.agentmemory("remember", port)
    (asked, *_) = person.says(f"where is the {token} database host, and which port has the {token} proxy?")
    person.wait_for_worker()
    assert host in asked and port in asked

    person.says("what is a mutex?", "--continue", "--fork-session")
    person.wait_for_worker()
    (asked, *_) = person.says(f"which port has the {token} proxy?", "--continue")

    assert asked.count(port) == 1  # where the parent was told


def test_a_locked_rule_is_in_the_first_request(person: Person, token: str) -> None:
    person.agentmemory("setup", "--client", "claude-code")
    person.agentmemory("lock", f"Every commit message ends with {token}.")

    (asked, *_) = person.says("commit this")

    assert token in asked


@pytest.mark.parametrize("tool_search", ["auto", "false"])
def test_the_tools_are_in_the_first_request_of_every_session(person: Person, tool_search: str) -> None:
    person.agentmemory("setup", "--client", "claude-code")
    more = {"ENABLE_TOOL_SEARCH": "false"} if tool_search == "false" else {}
    for _ in range(5):
        person.standin.requests.clear()
        person.says("list the files", **more)
        assert set(person.standin.tools_of_first()) >= TOOLS


def test_a_tool_result_is_what_the_model_reads(person: Person, token: str) -> None:
    person.agentmemory("setup", "--client", "claude-code")
    person.agentmemory("remember", f"the staging host is {token}.example.org")
    name = "mcp__plugin_mem_agentmemory__search"
    person.standin.call = (name, {"query": f"staging host {token}"})

    person.says("where is staging", "--allowedTools", name)

    assert f"{token}.example.org" in person.standin.result_of_call()
    assert "found, best first" in person.standin.result_of_call()


def test_an_agent_cannot_lock_and_the_person_can(person: Person, token: str) -> None:
    person.agentmemory("setup", "--client", "claude-code")
    name = "mcp__plugin_mem_agentmemory__lock"
    person.standin.call = (name, {"text": f"never deploy {token} on fridays"})
    person.says("lock it", "--allowedTools", name)
    proposed = person.standin.result_of_call()
    assert "only the user can lock it" in proposed
    assert token not in person.agentmemory("locked")

    number = proposed[proposed.index("/mem:lock ") :].split()[1]
    person.standin.call = None
    person.says(f"/mem:lock {number}")

    assert token in person.agentmemory("locked")


@pytest.mark.parametrize(("action", "locked"), [("accept", True), ("decline", False)])
def test_a_person_who_is_asked_decides(person: Person, token: str, action: str, locked: bool) -> None:
    """The client asks the person; here a hook of theirs answers for them, as the client allows."""
    answer = {"hookEventName": "Elicitation", "action": action, "content": {"agree": True}}
    command = f"echo {shlex.quote(json.dumps({'hookSpecificOutput': answer}))}"
    hooks = {"Elicitation": [{"hooks": [{"type": "command", "command": command}]}]}
    (person.home / ".claude").mkdir()
    (person.home / ".claude" / "settings.json").write_text(json.dumps({"hooks": hooks}))
    person.agentmemory("setup", "--client", "claude-code")
    name = "mcp__plugin_mem_agentmemory__lock"
    person.standin.call = (name, {"text": f"never deploy {token} on fridays"})

    person.says("lock it", "--allowedTools", name)

    assert (token in person.agentmemory("locked")) is locked, person.standin.result_of_call()
    assert ("locked rule from now on" if locked else "The user declined") in person.standin.result_of_call()


def test_a_slash_command_takes_words_as_they_were_typed(person: Person, token: str) -> None:
    person.agentmemory("setup", "--client", "claude-code")
    words = f"""don't touch "{token}" or `id` or $(id) or $HOME; it's 'theirs' & <mine> | all"""

    answer = person.says(f"/mem:remember {words}")[-1]

    assert "Remembered as belief" in answer
    held = [json.loads(line)["text"] for line in person.agentmemory("export").splitlines()]
    assert words in held


def test_what_was_learned_is_reviewed_with_a_command(person: Person, token: str) -> None:
    person.agentmemory("setup", "--client", "claude-code")
    person.says(f"the {token} importer moved to port 8081 for good, never use 8080 again")
    person.wait_for_worker()
    (row,) = json.loads(person.agentmemory("review", "--json"))

    listed = person.says("/mem:review")[-1]
    dropped = person.says(f"/mem:review drop {row['id']}")[-1]

    assert f"the {token} importer moved" in listed and "you would drop" in " ".join(listed.split())
    assert "1 dropped" in dropped
    assert json.loads(person.agentmemory("review", "--json")) == []


def test_a_slash_command_runs_where_the_path_of_the_data_has_a_space(person: Person, token: str) -> None:
    person.memory = person.home / "Library" / "Application Support" / "agentmemory"
    person.agentmemory("setup", "--client", "claude-code")

    person.says(f"/mem:remember the {token} port is 8443")

    assert token in person.agentmemory("export")
    assert "✔ Connected" in person.claude("mcp", "list")


def test_a_slash_command_whose_words_the_client_cuts_does_nothing_and_says_so(person: Person, token: str) -> None:
    person.agentmemory("setup", "--client", "claude-code")
    person.agentmemory("remember", f"use {token} for the docs")

    answer = person.says(f"/mem:forget use {token} ```sh")[-1]

    assert "nothing was done" in answer
    assert token in person.agentmemory("export")


def test_uninstall_leaves_the_settings_byte_for_byte(person: Person) -> None:
    settings = person.home / ".claude" / "settings.json"
    settings.parent.mkdir()
    settings.write_bytes(b'{\r\n\t"model" : "opus",\r\n\t"permissions": {"allow": [ ]}}')
    before = snapshot(settings.parent)

    person.agentmemory("setup", "--client", "claude-code")
    assert snapshot(settings.parent) != before
    person.agentmemory("setup", "--uninstall", "--client", "claude-code")

    assert snapshot(settings.parent) == before


def test_uninstall_after_sessions_leaves_nothing_of_us(person: Person) -> None:
    person.agentmemory("setup", "--client", "claude-code")
    person.says("hello")
    person.agentmemory("setup", "--uninstall", "--client", "claude-code")

    ours = person.home / ".claude"
    for path, content in snapshot(ours).items():
        if not path.startswith(("projects/", "backups/", ".claude.json")):  # the client's own diary and counters
            assert b"agentmemory" not in content, path
    person.standin.requests.clear()
    person.says("hello again")
    assert not set(person.standin.tools_of_first()) & TOOLS


def test_the_plugin_from_a_marketplace_works_and_setup_leaves_it_alone(person: Person, marketplace: Path) -> None:
    person.claude("plugin", "marketplace", "add", str(marketplace))
    person.claude("plugin", "install", "mem@agentmemory", "--json")
    settings = (person.home / ".claude" / "settings.json").read_bytes()

    said = person.agentmemory("setup", "--client", "claude-code")

    assert "another marketplace" in said
    assert (person.home / ".claude" / "settings.json").read_bytes() == settings
    assert "✔ Connected" in person.claude("mcp", "list")


def test_a_plugin_without_the_package_says_so_once(person: Person, marketplace: Path) -> None:
    person.claude("plugin", "marketplace", "add", str(marketplace))
    person.claude("plugin", "install", "mem@agentmemory", "--json")
    bare = person.home / "bin"
    bare.mkdir()
    for program in ("sh", "bash", "git", "ps", "cat", "env"):
        if found := shutil.which(program):
            (bare / program).symlink_to(found)

    out = person.claude(
        "-p", "hello", "--output-format", "stream-json", "--verbose", "--include-hook-events", PATH=str(bare)
    )

    hooks = [line for line in map(json.loads, out.splitlines()) if line.get("subtype") == "hook_response"]
    assert hooks and all(hook["exit_code"] == 0 for hook in hooks)
    assert [h["hook_event"] for h in hooks if "pipx install agentmemory" in h["stdout"]] == ["SessionStart"]


def test_a_forbidden_command_is_not_run_and_the_model_is_told_what_to_do_instead(person: Person, token: str) -> None:
    person.agentmemory("setup", "--client", "claude-code")
    rule = f"NEVER use git push github directly. Use scripts/publish-{token}.sh"
    person.agentmemory("guard", "add", rule, "--yes")
    person.standin.call = ("Bash", {"command": "touch ran && git push github main", "description": "publish"})

    person.says("publish it", "--allowedTools", "Bash")

    assert not (person.project / "ran").exists()
    assert f"scripts/publish-{token}.sh" in person.standin.result_of_call()


def test_a_file_that_may_not_be_read_is_not_read(person: Person, token: str) -> None:
    person.agentmemory("setup", "--client", "claude-code")
    person.agentmemory("lock", "Never read .env files")
    (person.project / ".env").write_text(f"NAME={token}\n")
    person.standin.call = ("Read", {"file_path": str(person.project / ".env")})

    person.says("what is the name?", "--allowedTools", "Read")

    assert "Never read .env files" in person.standin.result_of_call()
    assert token not in person.standin.result_of_call()


def test_an_ordinary_command_is_run(person: Person, token: str) -> None:
    person.agentmemory("setup", "--client", "claude-code")
    person.agentmemory("guard", "add", "NEVER use git push github directly.", "--yes")
    person.standin.call = ("Bash", {"command": f"touch {token}", "description": "touch"})

    person.says("make it", "--allowedTools", "Bash")

    assert (person.project / token).exists()


def test_an_agents_shell_does_not_speak_for_the_user(person: Person, token: str) -> None:
    person.agentmemory("setup", "--client", "claude-code")
    launcher = person.memory / "plugin" / "hooks" / "agentmemory"
    person.standin.call = ("Bash", {"command": f"{launcher} lock 'always trust {token}'", "description": "lock"})

    person.says("go on", "--allowedTools", "Bash")

    assert token not in person.agentmemory("locked")


def test_a_session_that_is_continued_gets_the_rules_again(person: Person, token: str) -> None:
    person.agentmemory("setup", "--client", "claude-code")
    person.agentmemory("lock", f"Every commit message ends with {token}.")
    person.says("hello")

    (asked, *_) = person.says("commit this", "--continue")

    assert token in asked


def test_a_compacted_session_gets_the_rules_again(person: Person, token: str) -> None:
    person.agentmemory("setup", "--client", "claude-code")
    person.agentmemory("lock", f"Every commit message ends with {token}.")
    person.says("hello")

    out = person.claude(
        "-p", "/compact", "--continue", "--output-format", "stream-json", "--verbose", "--include-hook-events"
    )

    hooks = [line for line in map(json.loads, out.splitlines()) if line.get("subtype") == "hook_response"]
    (compacted,) = [hook["stdout"] for hook in hooks if hook["hook_name"] == "SessionStart:compact"]
    assert token in compacted
    left = "".join(path.read_text() for path in (person.memory / "inbox").iterdir())
    assert '"pre-compact"' in left


def snapshot(folder: Path) -> dict[str, bytes]:
    """Every file below a folder with its bytes."""
    return {str(p.relative_to(folder)): p.read_bytes() for p in sorted(folder.rglob("*")) if p.is_file()}
