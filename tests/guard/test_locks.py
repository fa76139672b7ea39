"""Rules that are locked again, from another project, or taken back: what is told, and what is enforced then."""

import json

import pytest

from agentmemory.cli import main as cli
from agentmemory.learn.guards import compile, unguarded
from agentmemory.memory import Memory
from agentmemory.store import guards, writer


def specs(memory):
    return [json.loads(row.spec) for row in guards.listed(memory.db)]


def test_locking_again_replaces_guards_that_its_words_do_not_make_any_more(project):
    with Memory() as memory:
        rule = memory.lock("Never run terraform destroy").id
        with writer.transaction(memory.db):  # as an older version compiled it
            guards.add(
                memory.db, rule, memory.scope, "deny", "Bash", '{"program": ["terraform"]}', "", 1.0, enabled=True
            )
        memory.lock(rule)
        assert specs(memory) == [{"args": [["destroy"]], "program": ["terraform"]}]

        memory.undo()
        assert {"program": ["terraform"]} in specs(memory)


def test_locking_again_takes_guards_away_that_its_words_make_none_of(project):
    with Memory() as memory:
        rule = memory.lock("Don't forget `npm run lint`").id
        with writer.transaction(memory.db):
            guards.add(memory.db, rule, memory.scope, "deny", "Bash", '{"program": ["npm"]}', "", 1.0, enabled=True)
        memory.lock("Don't forget `npm run lint`")
        assert specs(memory) == []


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["unlock", "1"], "Belief 1 of another project (project) is no longer locked."),
        (["lock", "1"], "Belief 1 of another project (project) is a locked rule from now on."),
        (["correct", "1", "Never run terraform apply"], "Both are of another project (project)."),
        (["feedback", "1", "helped"], "belief 1 of another project (project) helped."),
    ],
)
def test_what_is_done_to_a_belief_of_another_project_says_so(project, tmp_path, capsys, monkeypatch, words, said):
    cli(["lock", "Never run terraform destroy"])
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path / "elsewhere")
    capsys.readouterr()

    assert cli(words) == 0
    assert said in capsys.readouterr().out
    monkeypatch.chdir(project)
    cli(words)
    assert "another project" not in capsys.readouterr().out


def test_the_list_of_guards_names_the_project_of_other_rules(project, tmp_path, capsys, monkeypatch):
    cli(["lock", "Never run terraform destroy"])
    cli(["guard", "list"])
    assert "rule 1: Never run" in capsys.readouterr().out
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path / "elsewhere")
    cli(["guard", "list"])

    assert "rule 1 of project: Never run" in capsys.readouterr().out


def test_the_trail_tells_which_batch_was_taken_back(project, capsys):
    with Memory() as memory:
        memory.remember("the port is 8080")
        memory.remember("the host is alpha")
        memory.undo(1)
    cli(["log", "--limit", "1"])

    assert "batch 3     undo       undone batch 1\n" in capsys.readouterr().out


def test_the_trail_in_json_is_json_throughout_and_says_what_was_changed(project, capsys):
    cli(["remember", "the port is 8080"])
    cli(["correct", "1", "the port is 8081"])
    capsys.readouterr()
    cli(["log", "--json"])
    rows = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    gone = next(row for row in rows if row["what"] == "superseded")

    assert (gone["before"]["state"], gone["after"]["state"]) == ("active", "superseded")
    assert gone["text"] == "the port is 8080"


def test_the_trail_says_what_was_changed_here_and_of_another_project_only_that(project, tmp_path, monkeypatch, capsys):
    with Memory() as memory:
        memory.remember("the port is 8080\x1b[2J")
    cli(["log"])
    assert capsys.readouterr().out.endswith("added 1: the port is 8080[2J\n")
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path / "elsewhere")
    cli(["log"])

    assert capsys.readouterr().out.endswith("added 1\n")


@pytest.mark.parametrize("verb", [["test"], ["add", "--yes"]])
def test_a_rule_that_is_longer_than_any_is_refused_with_its_length(project, capsys, verb):
    assert cli(["guard", *verb, "Never run `make a`. " * 5000]) == 1
    assert "a rule has at most 2000 characters, this one has 100000" in capsys.readouterr().err


def test_of_a_hundred_sentences_those_are_named_that_nothing_enforces():
    rule = " ".join(f"Never `make a{i}`." for i in range(99)) + " You must be kind."
    assert len(compile(rule)) == 99
    assert unguarded(rule) == ["You must be kind."]


def test_a_path_of_a_thousand_folders_is_read_as_one():
    assert [p.spec["program"] for p in compile("never use docker, " + "a/" * 900)] == [["docker"]]


def test_a_sentence_that_repeats_another_is_enforced_as_well():
    assert unguarded("Never force push. Do not ever force push. Never lie.") == ["Never lie."]


def test_what_several_guards_enforce_is_a_list_with_a_line_each(project, capsys):
    cli(["lock", "never skip hooks"])

    first, *lines = capsys.readouterr().out.splitlines()
    assert first.endswith("It is a locked rule from now on. Enforced before a tool runs:")
    assert lines[0].startswith("- guard 1, deny: running `git commit -n/--no-verify`")
    assert any("core.hookspath with '' or /dev/null" in line for line in lines)
