"""What is typed means the same wherever its options stand; what cannot be done is told in a sentence."""

from __future__ import annotations

import os
import resource
import subprocess
import sys
from contextlib import suppress
from functools import partial
from pathlib import Path

import pytest

from agentmemory import paths
from agentmemory.cli import main, parser
from agentmemory.memory import Memory
from agentmemory.store import writer
from agentmemory.terminal import EMPTY


@pytest.mark.parametrize(("one", "other"), [
    ("eval locomo --runs 1 FILE", "eval locomo FILE --runs 1"),
    ("eval --runs 1 locomo FILE", "eval locomo FILE --runs 1"),
    ("proposals accept --json 3 4", "proposals accept 3 4 --json"),
    ("remember we deploy --kind rule by terraform", "remember --kind rule we deploy by terraform"),
    ("search --limit 3 -- --json is here", "search --limit=3 -- --json is here"),
])  # fmt: skip
def test_options_stand_anywhere_among_the_words(one: str, other: str) -> None:
    assert parser().parse_args(one.split()) == parser().parse_args(other.split())


@pytest.mark.parametrize(("command", "does"), [
    ("forget", "Remove for good: a belief by id"), ("guard test", "What a rule or guard would have stopped"),
    ("agents", "What the agents of this project share"), ("worker", "Take in what hooks left"),
])  # fmt: skip
def test_the_help_of_a_command_says_what_it_does(command: str, does: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        parser().parse_args([*command.split(), "--help"])

    assert does in " ".join(capsys.readouterr().out.split())


@pytest.mark.parametrize(
    "typed", ["remember use --verbose always", "eval locomo FILE OTHER", "search --limit 3 x --bogus"]
)
def test_what_no_command_knows_is_named(typed: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as raised:
        parser().parse_args(typed.split())
    assert raised.value.code == 2
    assert "unrecognized arguments" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("command", "said"),
    [
        ("search zanzibar", "Nothing is stored about this."), ("profile", "You have said nothing of yourself yet."),
        ("proposals", "Nothing waits for your consent."), ("agents share", "Nobody shares anything."),
        ("list", EMPTY), ("review", EMPTY), ("why deploy", EMPTY),
    ],
)  # fmt: skip
def test_where_there_is_nothing_a_sentence_says_so(
    project: Path, capsys: pytest.CaptureFixture[str], command: str, said: str
) -> None:
    assert main(command.split()) == 0
    assert capsys.readouterr() == (f"{said}\n", "")


def test_what_was_never_judged_has_no_share(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    main(["health"])
    main(["stats"])
    out = capsys.readouterr().out

    assert "injections judged: 0\n" in out and "None" not in out


def test_the_json_of_no_belief_is_a_sentence_and_no_null(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["read", "999", "--json"]) == 1
    assert capsys.readouterr() == ("", "agentmemory: there is no belief 999\n")


def held(project: Path) -> list[list[tuple[object, ...]]]:
    """All that the store holds of what a command might change."""
    with Memory() as memory:
        tables = ("scope", "belief", "guard", "change", "turn", "session", "evidence")
        return [memory.db.execute(f"SELECT * FROM {table}").fetchall() for table in tables]


@pytest.mark.parametrize("command", [
    "lock -1", "lock -8000", "lock -1 --json", "lock 999 --propose", "lock 99999999999999999999", "correct -1 new",
    "correct -8000 new", "forget -8000 --yes", "forget -1 --yes", "forget -8000 --yes --everywhere", "unlock -1",
    "feedback -8000 wrong", "read -1", "why-not 999 port", "why-not -1 port", "undo 999", "undo -1", "undo 0",
    "guard add -1 --yes", "guard test -1", "guard add kindly --yes", "guard remove -1", "onboard nowhere",
    "import nowhere", "learn nowhere", "restore nowhere", "proposals accept -1", "agents share nobody",
    "remember _", "lock _", "lock _ --propose", "correct 1 _", "correct _ x", "forget _ --yes", "search _", "search",
    "search _ --json", "ask _", "why _", "why-not 1 _", "wonder _", "wonder _ --speculate", "reason _", "entities _",
    "onboard _", "agents fork alice _", "agents share _", "import _", "guard add _ --yes",
])  # fmt: skip
def test_what_cannot_be_done_is_one_sentence_and_changes_nothing(
    project: Path, capsys: pytest.CaptureFixture[str], command: str
) -> None:
    with Memory(agent="alice") as memory:
        memory.remember("the api port is 8000, page 1")
    before = held(project)

    assert main(["" if word == "_" else word for word in command.split()]) == 1
    said = capsys.readouterr()
    assert (said.out + said.err).count("\n") == 1 and "Errno" not in said.err and "int()" not in said.err
    assert held(project) == before


@pytest.mark.parametrize("command", [
    "log --limit -1", "proposals --limit -1", "entities --hops -1", "entities --least nan", "entities x --least -2",
    "usage --days -1", "usage --days nan", "usage --days inf", "sleep --seconds -1", "sleep --seconds nan",
    "log --limit 1.5", "log --limit x",
])  # fmt: skip
def test_a_number_below_nothing_is_no_number(project: Path, capsys: pytest.CaptureFixture[str], command: str) -> None:
    with pytest.raises(SystemExit) as raised:
        main(command.split())

    assert raised.value.code == 2
    assert f"{command.split()[-1]} is not a number from 0 on" in capsys.readouterr().err


@pytest.mark.parametrize("text", ["", "  ", "\u200b", "\u200d \u2060", "\u3164\ufe0f", "\x07"])
@pytest.mark.parametrize("command", ["remember", "lock", "lock --propose", "correct 1"])
def test_what_shows_nothing_says_nothing(
    project: Path, capsys: pytest.CaptureFixture[str], command: str, text: str
) -> None:
    main(["remember", "the port is 8443"])
    capsys.readouterr()

    assert main([*command.split(), text]) == 1

    assert capsys.readouterr().out == "Nothing changed: it says nothing.\n"
    with Memory() as memory:
        assert [row["text"] for row in memory.export()] == ["the port is 8443"]


def test_what_was_taken_back_is_not_taken_back_again(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with Memory() as memory:
        memory.remember("the api port is 8000")
    assert main(["undo", "1"]) == 0 and main(["undo", "1"]) == 1
    assert capsys.readouterr().err.startswith("agentmemory: batch 1 was taken back already")


def test_a_correction_to_what_is_known_already_ends_the_old(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for text in ("the api port is 8000", "the cache lives on host athena"):
        main(["remember", text])
    capsys.readouterr()

    assert main(["correct", "1", "the cache lives on host athena"]) == 0
    assert capsys.readouterr().out == "Belief 2 now stands in place of 1.\n"
    with Memory() as memory:
        assert [row["state"] for row in memory.export()] == ["superseded", "active"]
        memory.undo()
        assert [row["state"] for row in memory.export()] == ["active", "active"]


@pytest.mark.parametrize("command", ["unlock 1", "lock 1", "correct 1 anything"])
def test_of_a_rule_that_was_replaced_the_one_that_stands_is_named(
    project: Path, capsys: pytest.CaptureFixture[str], command: str
) -> None:
    main(["lock", "Never run make nuke"])
    main(["correct", "1", "Never run make boom"])
    before = held(project)
    capsys.readouterr()

    assert main(command.split()) == 1
    assert capsys.readouterr().err == "agentmemory: belief 1 was replaced by 2; name that one, or state it again\n"
    assert held(project) == before


@pytest.mark.parametrize("command", [
    "wonder port", "reason port", "why port", "why-not 1 port", "read 1", "export", "stats", "locked", "log", "profile",
    "proposals", "entities", "health", "guard list",
])  # fmt: skip
def test_who_only_asks_waits_for_no_writer(project: Path, home: Path, command: str) -> None:
    with Memory() as memory:
        memory.remember("the api port is 8000")
    run = [sys.executable, "-m", "agentmemory", *command.split()]

    with writer.queue(str(home)):  # somebody learns
        assert subprocess.run(run, capture_output=True, timeout=60).returncode == 0


@pytest.mark.parametrize(
    "command", ["search zanzibar", "export", "locked", "why zanzibar", "wonder zanzibar", "read 1"]
)
def test_on_a_full_disk_questions_are_answered_and_what_would_write_says_why(
    project: Path, home: Path, command: str
) -> None:
    with Memory() as memory:
        memory.lock("the zanzibar exporter is never run twice")
    full = {"preexec_fn": lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))}
    run = partial(subprocess.run, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, **full)

    asked = run([sys.executable, "-m", "agentmemory", *command.split()])
    assert (asked.returncode, asked.stderr) == (0, "") and "zanzibar exporter" in asked.stdout
    told = run([sys.executable, "-m", "agentmemory", "remember", "it writes parquet"])
    why = f"agentmemory: nothing can be written to {home}: the disk is full or read-only\n"
    assert (told.returncode, told.stderr) == (1, why)


def test_on_a_full_disk_a_search_answers_while_another_program_has_the_store_open(project: Path) -> None:
    full = {"preexec_fn": lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))}
    with Memory() as memory:  # and with it a log beside the store
        memory.remember("the zanzibar exporter writes parquet")
        asked = subprocess.run(
            [sys.executable, "-m", "agentmemory", "search", "zanzibar"], capture_output=True, text=True, **full
        )
    assert (asked.returncode, asked.stderr) == (0, "") and "zanzibar exporter" in asked.stdout


@pytest.mark.parametrize(
    ("command", "says"), [("sleep --report", "Nothing was slept on yet."), ("usage", "calls"), ("profile", "nothing")]
)
def test_what_happened_between_sessions_is_told_where_nothing_can_be_written(
    project: Path, command: str, says: str
) -> None:
    with Memory() as memory:
        memory.remember("the port is 8080")
    full = {"preexec_fn": lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))}
    told = subprocess.run(
        [sys.executable, "-m", "agentmemory", *command.split()], capture_output=True, text=True, **full
    )
    assert (told.returncode, told.stderr) == (0, "") and says in told.stdout


@pytest.mark.parametrize("command", ["backup", "doctor"])
def test_a_store_that_cannot_be_looked_at_is_not_taken_for_none(
    project: Path, home: Path, capsys: pytest.CaptureFixture[str], command: str
) -> None:
    home.mkdir(mode=0o700)
    (home / "memory.db").symlink_to(home / "memory.db")  # whoever may not search the folder gets another reason
    assert main([command]) == 1

    told = " ".join(" ".join(capsys.readouterr()).split())
    assert "levels of symbolic links" in told and "there is no store" not in told and "remembered yet" not in told


@pytest.mark.parametrize("command", ["stats", "search port", "remember x", "undo", "backup", "log", "worker --once"])
def test_a_store_that_is_none_is_named(
    project: Path, home: Path, capsys: pytest.CaptureFixture[str], command: str
) -> None:
    home.mkdir()
    (home / "memory.db").write_bytes(b"not a database at all" * 100)
    before = (home / "memory.db").read_bytes()

    assert main(command.split()) == 1
    said = f"agentmemory: {home}/memory.db: file is not a database; see `agentmemory doctor`\n"
    assert capsys.readouterr().err == said and (home / "memory.db").read_bytes() == before


def test_a_walk_ends_where_nothing_more_is_near(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with Memory() as memory:
        for port in (8000, 8001):
            memory.remember(f"`athena` talks to `hermes` on port {port}")
    assert main(["entities", "athena", "--hops", "99999999999999999999", "--json"]) == 0
    assert "hermes" in capsys.readouterr().out


@pytest.mark.parametrize("command", ["search", "remember", "wonder", "reason", "why", "forget --yes", "ask"])
def test_bytes_that_are_no_text_are_told_so(project: Path, capsys: pytest.CaptureFixture[str], command: str) -> None:
    assert main([*command.split(), os.fsdecode(b"caf\xe9")]) == 1

    assert capsys.readouterr().err == "agentmemory: what was given is no UTF-8\n"


def test_a_terminal_that_cannot_show_a_text_is_told_how_it_can(project: Path) -> None:
    with Memory() as memory:
        memory.remember("the rocket 🚀 is the prefix of releases")
    env = {**os.environ, "PYTHONIOENCODING": "latin-1"}
    ran = subprocess.run([sys.executable, "-m", "agentmemory", "export"], env=env, capture_output=True, text=True)

    assert (ran.returncode, ran.stderr.count("\n")) == (1, 1)
    assert "PYTHONUTF8=1" in ran.stderr


@pytest.mark.parametrize("at", ["0001-01-01T00:00:00+14:00", "9999-12-31T23:00:00-14:00", "04/05/2026"])
def test_a_time_outside_the_calendar_is_refused(project: Path, capsys: pytest.CaptureFixture[str], at: str) -> None:
    assert main(["remember", "the old clock", "--at", at]) == 1

    assert capsys.readouterr().err.startswith(f"agentmemory: '{at}' is no time")


@pytest.mark.parametrize(("folder", "theirs"), [(".", False), ("docs", False), ("..", True), ("../other", True)])
def test_an_onboarding_says_in_which_project_its_proposals_wait(
    project: Path, capsys: pytest.CaptureFixture[str], folder: str, theirs: bool
) -> None:
    (project / "docs").mkdir()
    (project.parent / "other").mkdir()
    (project.parent / "other" / "CLAUDE.md").write_text("Never push to main.\n")

    assert main(["onboard", folder]) == 0

    there = os.path.realpath(project / folder)
    assert (f"in {there}, see them with `agentmemory proposals`" in capsys.readouterr().out) is theirs


def test_an_export_for_people_says_what_is_locked(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with Memory() as memory:
        memory.lock("never push to main")
        memory.remember("the port is 8443")

    main(["export", "--format", "markdown"])

    printed = capsys.readouterr().out
    assert "- never push to main (locked) [" in printed
    assert "- the port is 8443 [" in printed


@pytest.mark.parametrize("verb", ["accept", "reject"])
def test_a_proposal_of_another_project_is_named_as_one(
    project: Path, capsys: pytest.CaptureFixture[str], verb: str
) -> None:
    (project.parent / "other").mkdir()
    with Memory(project=str(project.parent / "other"), speaker="agent") as there, Memory(speaker="agent") as here:
        there.propose("never push to main")
        here.propose("always squash commits")

    assert main(["proposals", verb, "1", "2"]) == 0

    assert capsys.readouterr().out.splitlines()[0] == f"2 {verb}ed; 1 is of another project (other)."


@pytest.mark.parametrize("command", ["unlock", "learn", "import", "agents share", "stats"])
def test_what_was_pasted_does_not_fill_the_terminal(
    project: Path, capsys: pytest.CaptureFixture[str], command: str
) -> None:
    with suppress(SystemExit):
        main([*command.split(), "x" * 100_000])

    told = capsys.readouterr().err
    assert "xxx ... " in told and len(told) < 2_000


def test_what_is_remembered_here_is_listed_the_locked_and_the_latest_first(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with Memory() as memory:
        memory.remember("the staging box is called otter")
        memory.remember("tests run with tox", everywhere=True)
        memory.lock("never push to main")
        (old,) = [row["id"] for row in memory.export() if "otter" in row["text"]]
        memory.correct(old, "the staging box is called heron")

    assert main(["list", "--limit", "2"]) == 0
    said = capsys.readouterr().out

    assert said.index("rule, locked") < said.index("never push to main") < said.index("heron")
    assert "otter" not in said and "tox" not in said and "1 more: --limit 3" in said
    main(["list"])
    assert "fact, everywhere" in capsys.readouterr().out


def test_the_list_tells_when_something_was_said_and_not_when_it_was_judged(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with Memory() as memory:
        memory.remember("the staging box is called otter")
        memory.remember("tests run with tox")
        (old,) = [row["id"] for row in memory.export() if "otter" in row["text"]]
        memory.db.execute("UPDATE evidence SET at = at - 90 * 86400")  # said long ago, found in a transcript today
        memory.db.execute("UPDATE evidence SET at = at - 86400 WHERE belief = ?", (old,))
        now = paths.parse_time(next(iter(memory.export()))["created"])
        memory.feedback(old, "helped")

    assert main(["list"]) == 0
    told = capsys.readouterr().out

    assert paths.date(now - 91 * 86400) in told and paths.date(now) not in told
    assert told.index("tox") < told.index("otter")


@pytest.mark.parametrize(("typed", "said"), [("lsit", "you may mean `list`"), ("show", "`agentmemory help` has all")])
def test_a_command_that_is_not_there_is_answered_by_the_nearest(
    typed: str, said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as raised:
        main([typed])

    told = capsys.readouterr().err
    assert raised.value.code == 2
    assert said in told and "completion" not in told


def test_who_asks_for_help_is_told_what_to_begin_with(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["help"]) == 0

    assert "Begin with `agentmemory setup`" in " ".join(capsys.readouterr().out.split())
