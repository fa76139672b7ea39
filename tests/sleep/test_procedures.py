"""Procedures that sleep mines: what was run and helped, never what was refused, offered or put right."""

from __future__ import annotations

import json
from pathlib import Path

import apsw
import pytest

from agentmemory.learn.revise import revise
from agentmemory.memory import Memory
from agentmemory.sleep import report
from agentmemory.sleep.night import READ, sleep
from agentmemory.sleep.procedures import ask_of
from agentmemory.sleep.tiers import Tiers
from agentmemory.store import changes, forget, habits, listing, nights, scopes, writer
from agentmemory.values import Candidate
from tests.sleep.talk import DAY, NOW, name, say


def procedures(db: apsw.Connection) -> list[str]:
    return [
        row["text"] for row in listing.export(db, (1, 2)) if row["kind"] == "procedure" and row["state"] == "active"
    ]


def days(db: apsw.Connection, said: list[str | tuple[str, str]], first: int = 0, last: int = 4) -> None:
    """The same is said on several days, each in a session of its own, and slept on."""
    for n in range(first, last):
        say(db, said, key=f"s{n}", at=NOW + n * DAY)
        sleep(db, NOW + n * DAY)


def failure(answer: str, then: str = "great") -> tuple[str, list[str | tuple[str, str]]]:
    of = f"{name().lower()}.py"
    return of, [f"{of} fails again", ("assistant", answer), then]


@pytest.mark.parametrize(
    "answer",
    [
        "Do NOT run `make clean all` here. The file was stale.", "I won't run `make clean all`; I cleared it by hand.",
        "Shall I run `make clean all`?", "I can run `make clean all` if you like.",
        "I could run `make clean all` next.",
        "I avoided `make clean all` and edited the file.", "I ran `make clean all`, but it failed.",
        "Let me know if `make clean all` is fine. I changed the import.",
    ],
    ids=lambda answer: answer[:24],
)  # fmt: skip
def test_what_is_refused_offered_or_did_not_work_is_no_procedure(db: apsw.Connection, answer: str) -> None:
    days(db, failure(answer)[1])
    assert procedures(db) == []


@pytest.mark.parametrize(
    "then",
    ["no, same thing again", "still the same", "that didn't help", "nope", "why did you run that?", "it is worse"],
)
def test_what_did_not_help_is_no_procedure(db: apsw.Connection, then: str) -> None:
    days(db, failure("I ran `make clean all` and hope for the best.", then)[1])
    assert procedures(db) == []


@pytest.mark.parametrize(
    "answer",
    [
        "I ran `make clean all` and it works.",
        "Run `make clean all` first.",
        "I did not touch it. `make clean all` fixed it.",
    ],
)
def test_what_ended_a_failure_is_known_of_that_failure_alone(db: apsw.Connection, answer: str) -> None:
    of, said = failure(answer)
    days(db, said)
    assert procedures(db) == [f"When {of} fails, `make clean all` has helped."]


def test_what_helped_twice_in_one_session_is_one_task(db: apsw.Connection) -> None:
    of, said = failure("I ran `make clean all` and it works.")
    say(db, [*said, *said], key="one")
    sleep(db, NOW)
    assert procedures(db) == []

    say(db, said, key="another", at=NOW + DAY)
    sleep(db, NOW + DAY)
    assert procedures(db) == [f"When {of} fails, `make clean all` has helped."]


def test_what_is_asked_and_answered_in_several_turns_is_one_exchange(db: apsw.Connection) -> None:
    of, (asked, _, then) = failure("")
    answers = ["I'll look at it.", "I ran `make clean all`.", "It passes now."]
    days(db, [asked, "please fix it", *(("assistant", a) for a in answers), then])
    assert procedures(db) == [f"When {of} fails, `make clean all` has helped."]


def test_an_exchange_that_two_nights_see_counts_as_what_it_became(db: apsw.Connection) -> None:
    _, (asked, _, then) = failure("")
    say(db, [asked, ("assistant", "Looking.")], key="s")
    sleep(db, NOW)
    say(db, [("assistant", "```\nfixed()\n```"), then], key="s")
    sleep(db, NOW + DAY)
    assert db.execute("SELECT ask, did FROM habit").fetchall() == [("bug", "code")]


def test_a_transcript_of_the_client_teaches_what_helped(home: Path, project: Path, tmp_path: Path) -> None:
    of, (asked, _, then) = failure("")
    said = [
        ("user", asked),
        ("assistant", "I'll look."),
        ("assistant", "I ran `make clean all`; it passes."),
        ("user", str(then)),
    ]
    for n in range(3):
        lines = [
            {
                "type": role, "uuid": f"{n}-{i}", "sessionId": f"session-{n}", "cwd": str(project),
                "timestamp": f"2026-05-{10 + n}T10:00:0{i}Z",
                "message": {"role": role, "content": [{"type": "text", "text": text}]},
            }
            for i, (role, text) in enumerate(said)
        ]  # fmt: skip
        path = tmp_path / f"{n}.jsonl"
        path.write_text("".join(json.dumps(line) + "\n" for line in lines))
        with Memory() as memory:
            memory.learn(str(path))
            sleep(memory.db, NOW)
    with Memory() as memory:
        assert procedures(memory.db) == [f"When {of} fails, `make clean all` has helped."]


def test_what_the_user_put_right_is_not_mined_again(db: apsw.Connection, home: Path) -> None:
    of, said = failure("I ran `make clean all` and it works.")
    days(db, said, 0, 2)
    with Memory(project="") as memory:
        memory.correct(f"When {of} fails", f"When {of} fails, run `make schema` and never `make clean all`.")
    days(db, said, 2, 6)
    assert procedures(db) == [f"When {of} fails, run `make schema` and never `make clean all`."]


def test_forgetting_a_command_leaves_no_byte_of_it(db: apsw.Connection, home: Path, token: str) -> None:
    _, said = failure(f"I ran `make {token} all` and it works.")
    days(db, said)
    assert token in str(procedures(db))
    with writer.transaction(db):
        forget.remove(db, forget.matching(db, token), token, scopes.USER, NOW)
    forget.scrub(db)
    assert not any(token.encode() in path.read_bytes() for path in home.rglob("*") if path.is_file())


def test_a_forgotten_procedure_does_not_come_back_with_the_next_failure(db: apsw.Connection) -> None:
    _, said = failure("I ran `make clean all` and it works.")
    days(db, said, 0, 3)
    (id,) = (row["id"] for row in listing.export(db, (1,)) if row["kind"] == "procedure")
    with writer.transaction(db):
        forget.erase(db, [id], [])
    days(db, said, 3, 4)
    assert procedures(db) == []


@pytest.mark.parametrize(
    ("answer", "left"), [("I ran `make clean all` and it works.", 1), ("Do NOT run `make clean all` here.", 0)]
)
def test_what_an_earlier_release_mined_wrongly_is_taken_back_by_the_next_night(
    db: apsw.Connection, answer: str, left: int
) -> None:
    of, said = failure(answer)
    days(db, said, 0, 3)
    asked, did = [row[0] for row in db.execute("SELECT turn FROM habit WHERE ask = 'bug'")], "command:make clean all"
    with writer.transaction(db):  # what a release without NOT_RUN left behind
        habits.saw(db, [(turn, 1, f"fails:{of}", did) for turn in asked] + [(turn, 1, "bug", did) for turn in asked])
        text, tag = f"When {of} fails, `make clean all` has helped.", f"habit:fails:{of}>{did}"
        revise(db, Candidate("procedure", text, "agent", 1, NOW, tags=tag), NOW)
        nights.set_mark(db, READ, 0)
    days(db, ["thanks"], 3, 4)

    assert len(procedures(db)) == left
    days(db, ["thanks"], 4, 5)
    assert len(procedures(db)) == left


def test_reading_again_does_not_count_what_was_forgotten(db: apsw.Connection) -> None:
    _, said = failure("I ran `make clean all` and it works.")
    days(db, said, 0, 3)
    (id,) = (row["id"] for row in listing.export(db, (1,)) if row["kind"] == "procedure")
    with writer.transaction(db):
        forget.erase(db, [id], [])
        nights.set_mark(db, READ, 0)
    days(db, said, 3, 4)
    assert procedures(db) == []


def test_what_was_mined_of_two_kinds_of_requests_is_no_routine_of_two_steps(db: apsw.Connection) -> None:
    for command in ("make seed all", "make clean all"):
        days(db, ["please add a table", ("assistant", f"I ran `{command}`."), "great"])

    assert len(procedures(db)) == 2
    assert db.execute("SELECT 1 FROM edge WHERE type = 'next'").fetchone() is None


@pytest.mark.parametrize(("others", "mined"), [(4, True), (24, False)])
def test_a_command_of_few_of_many_requests_is_not_what_is_run_for_them(
    db: apsw.Connection, others: int, mined: bool
) -> None:
    say(db, [t for _ in range(others) for t in ("please add a column", ("assistant", "Added."))], key="many", at=NOW)
    days(db, ["please add a table", ("assistant", "I ran `make seed all`."), "great"], 0, 3)

    assert procedures(db) == ["When asked to build, `make seed all` is what was run."] * mined


SEED = ["please add a table", ("assistant", "I ran `make seed all`."), "great"]
OTHER = ["please add a column", ("assistant", "I ran `just migrate up`."), "great"]
SEEDED, MIGRATED = (
    f"When asked to build, `{command}` is what was run." for command in ("make seed all", "just migrate up")
)


@pytest.mark.parametrize(("times", "mined"), [(2, False), (3, True)])
def test_three_requests_of_a_kind_show_what_is_run_for_them(db: apsw.Connection, times: int, mined: bool) -> None:
    days(db, SEED, 0, times)

    assert procedures(db) == [SEEDED] * mined


def test_what_is_done_differently_now_is_taken_back_and_comes_back_with_the_habit(db: apsw.Connection) -> None:
    days(db, SEED, 0, 4)
    days(db, OTHER, 4, 22)
    assert procedures(db) == [SEEDED, MIGRATED]  # two of the last twenty
    days(db, OTHER, 22, 24)
    assert procedures(db) == [MIGRATED]
    days(db, SEED, 24, 28)
    assert sorted(procedures(db)) == sorted([SEEDED, MIGRATED])


def test_what_is_no_longer_done_at_all_is_taken_back(db: apsw.Connection) -> None:
    days(db, SEED, 0, 4)
    days(db, ["please add a column", ("assistant", "Added."), "great"], 4, 23)

    assert procedures(db) == []
    assert SEEDED in str(report.told(db, (1,)))


@pytest.mark.parametrize("said", [["thanks"], ["please review it", ("assistant", "I ran `just check up`."), "great"]])
def test_other_talk_ends_no_habit(db: apsw.Connection, said: list[str | tuple[str, str]]) -> None:
    days(db, SEED, 0, 4)
    days(db, said, 4, 30)

    assert SEEDED in procedures(db)


def test_what_is_run_for_a_fifth_stays(db: apsw.Connection) -> None:
    days(db, SEED, 0, 4)
    for n in range(4, 44):
        days(db, SEED if n % 5 == 0 else OTHER, n, n + 1)

    assert SEEDED in procedures(db)


def test_a_habit_that_the_user_brought_back_is_not_taken_again(db: apsw.Connection, home: Path) -> None:
    days(db, SEED, 0, 4)
    days(db, OTHER, 4, 24)
    assert SEEDED not in procedures(db)
    (batch,) = db.execute("SELECT batch FROM change WHERE what = 'retracted'").fetchone()
    with Memory(project="") as memory:
        memory.undo(batch)
    days(db, OTHER, 24, 30)

    assert SEEDED in procedures(db)


def test_what_the_user_took_back_does_not_come_back_with_the_habit(db: apsw.Connection) -> None:
    days(db, SEED, 0, 4)
    (id,) = (row["id"] for row in listing.export(db, (1,)) if row["kind"] == "procedure")
    with writer.transaction(db):
        changes.begin(db, "user")
        revise(db, Candidate("procedure", SEEDED, "user", 1, NOW, retracts=True, supersedes=(id,)), NOW)
    days(db, SEED, 4, 10)

    assert procedures(db) == []


def test_a_failure_that_ends_with_another_command_now_forgets_the_first(db: apsw.Connection) -> None:
    of, (asked, _, then) = failure("")
    days(db, [asked, ("assistant", "I ran `make clean all` and it works."), then], 0, 3)
    days(db, [asked, ("assistant", "I ran `uv sync all` and it works."), then], 3, 23)

    assert procedures(db) == [f"When {of} fails, `uv sync all` has helped."]


FAILS = (
    "{n} dies with SIGSEGV", "the {n} page shows a white screen", "I get a stack trace in {n}", "{n} got stuck again",
    "{n} does not load any more", "{n} stopped responding", "{n} won't start", "null pointer in {n}", "{n} is buggy",
    "HTTP 502 from {n}", "it broke {n}", "{n} fails to connect", "{n} stopped working",
)  # fmt: skip
FIXES = (
    "```python\n{n}()\n```", "def {n}(x):\n    return x", "Like this:\n\n    {n} = load(x);\n    save({n});\n",
    "diff --git a/{n}.py b/{n}.py", "const {n} = load(x);",
)  # fmt: skip


@pytest.mark.parametrize("text", FAILS)
def test_whatever_says_that_something_fails_is_a_bug(db: apsw.Connection, text: str) -> None:
    for session in range(2):
        for n in range(3):
            fix = FIXES[(3 * session + n) % len(FIXES)].format(n=name().lower())
            say(db, [text.format(n=name()), ("assistant", fix)], key=f"s{session}")
        sleep(db, NOW + session * DAY)

    (habit,) = Tiers(db, 1).patterns("it crashes", NOW + DAY)
    assert (habit.ask, habit.did, habit.support) == ("bug", "code", 6)
    assert Tiers(db, 1).patterns("plan the roadmap", NOW + DAY) == []


@pytest.mark.parametrize("text", ["write to the {n} log", "what does {n} stand for", "do not open {n} yet"])
def test_other_requests_are_none(text: str) -> None:
    assert ask_of(text.format(n=name())) != "bug"
