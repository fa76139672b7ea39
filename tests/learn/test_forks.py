"""A fork of a session brings its lines again under another name: they are known, and what follows them is learned."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import apsw
import pytest

from agentmemory import paths, seen, worker
from agentmemory.learn import arrivals
from agentmemory.memory import Memory
from agentmemory.store import inbox
from tests.conftest import older_store

HOST = "the staging database host is {}-1.example.org"
COPY = {"said": b"", "forgotten": b"", "session": 1, "position": 0}
MOVED = "we moved: the staging database host is {}-9.example.org now, {}-1 is gone"


class Session:
    """A session of Claude Code in its file; what it took over from another one is written anew, under its own id."""

    def __init__(self, folder: Path, cwd: Path, key: str, day: int, taken_over: Session | None = None) -> None:
        self.path = folder / f"{key}.jsonl"
        self.cwd, self.key, self.at = cwd, key, paths.parse_time(f"2026-05-{day:02}T09:00:00Z")
        self.lines: list[dict[str, Any]] = (
            [{**line, "sessionId": key} for line in taken_over.lines] if taken_over else []
        )

    def turn(self, said: str, answer: str = "Noted.") -> Session:
        for role, text in (("user", said), ("assistant", answer)):
            self.at += 20.125
            self.lines.append(
                {"type": role, "sessionId": self.key, "cwd": str(self.cwd), "uuid": f"{self.key}{len(self.lines)}",
                 "timestamp": f"{paths.iso(self.at)[:-1]}.{round(self.at % 1 * 1000):03}Z",
                 "message": {"role": role, "content": [{"type": "text", "text": text}]}}
            )  # fmt: skip
        return self

    def learned(self, memory: Memory) -> str:
        self.path.write_text("".join(json.dumps(line) + "\n" for line in self.lines))
        return str(memory.learn(str(self.path)))


@pytest.fixture
def first(tmp_path: Path, project: Path, token: str) -> Session:
    return Session(tmp_path, project, "first", 1).turn(HOST.format(token)).turn("list the open pull requests", "None.")


def current(memory: Memory) -> list[str]:
    return [str(row["text"]) for row in memory.export() if row["state"] == "active"]


def turns(memory: Memory) -> list[str]:
    return [str(row[0]) for row in memory.db.execute("SELECT text FROM turn ORDER BY id").fetchall()]


def test_a_line_that_a_client_wrote_twice_is_said_once(first: Session, token: str) -> None:
    """What is heard once becomes a belief when it is said again."""
    with Memory() as memory:
        first.turn(f"the {token} exports go to the blue bucket", "Noted.").turn("what is left to do", "Nothing.")
        first.lines = [line for line in first.lines for _ in range(2)]
        first.learned(memory)

        assert len(turns(memory)) == len(set(turns(memory))) + 1  # "Noted." was said twice
        assert all(kind == "said" for (kind,) in memory.db.execute("SELECT kind FROM evidence"))


def test_a_fork_says_nothing_twice_and_brings_nothing_back(first: Session, tmp_path: Path, token: str) -> None:
    with Memory() as memory:
        first.learned(memory)
        Session(tmp_path, first.cwd, "second", 3).turn(MOVED.format(token, token)).learned(memory)
        before = current(memory)
        fork = Session(tmp_path, first.cwd, "fork", 5, first).turn("carry on with the import screen", "On it.")

        assert fork.learned(memory) == "2 turns"
        assert current(memory) == before and len(before) == 1 and f"{token}-9" in before[0]
        assert len(turns(memory)) == len(set(turns(memory))) + 1  # "Noted." was said twice


def test_a_fork_brings_nothing_forgotten_back(first: Session, home: Path, tmp_path: Path, token: str) -> None:
    with Memory() as memory:
        first.learned(memory)
        memory.forget(f"{token}-1")
        Session(tmp_path, first.cwd, "fork", 5, first).turn("carry on with the import screen").learned(memory)

        assert current(memory) == []
    assert not [path for path in home.rglob("*") if path.is_file() and token.encode() in path.read_bytes()]


@pytest.mark.parametrize("at_once", [True, False])
def test_what_follows_in_a_fork_is_learned_with_what_went_before(
    tmp_path: Path, project: Path, token: str, at_once: bool
) -> None:
    first = Session(tmp_path, project, "first", 1).turn(f"always use the {token} runner for the tests")
    fork = Session(tmp_path, project, "fork", 5, first)
    with Memory() as memory:
        first.learned(memory)
        assert len(current(memory)) == 1
        if not at_once:
            assert fork.learned(memory) == "0 turns"
        fork.turn("no, I was wrong about that, forget it").learned(memory)

        assert current(memory) == []


def test_what_the_fork_was_read_with_first_is_not_learned_from_the_killed_session_again(
    first: Session, tmp_path: Path, token: str
) -> None:
    with Memory() as memory:
        first.learned(memory)
        first.turn(MOVED.format(token, token))  # nobody told us: it was killed
        fork = Session(tmp_path, first.cwd, "fork", 5, first)
        fork.turn(f"the staging database host is {token}-12.example.org now").learned(memory)

        assert first.learned(memory) == "0 turns"
        (held,) = current(memory)
        assert f"{token}-12" in held


def test_in_another_project_it_is_learned(first: Session, tmp_path: Path, token: str) -> None:
    other = Session(tmp_path, tmp_path / "elsewhere", "copy", 5, first)
    other.lines = [{**line, "cwd": str(other.cwd)} for line in other.lines]
    with Memory() as memory:
        first.learned(memory)

        assert other.learned(memory).startswith("4 turns")


def test_an_older_store_knows_a_copy_too(first: Session, home: Path, tmp_path: Path) -> None:
    from agentmemory.store import turns as rows

    home.mkdir()
    older_store(home, rows.by_digest).close()
    with Memory() as memory:
        first.learned(memory)

        assert Session(tmp_path, first.cwd, "fork", 5, first).learned(memory) == "0 turns"
        plan = memory.db.execute("EXPLAIN QUERY PLAN " + rows.COPIED, COPY)
        assert "turn_digest" in str(plan.fetchall())


@pytest.mark.parametrize("cut", ["hello", "the staging"])
def test_a_transcript_that_was_written_anew_says_nothing_twice_and_brings_nothing_forgotten_back(
    tmp_path: Path, project: Path, home: Path, token: str, cut: str
) -> None:
    """Who forgets something may take it out of the transcript too, or something else, while the session goes on."""
    session = Session(tmp_path, project, "s", 1).turn("hello there").turn(HOST.format(token))
    session.turn(f"the pin of the {token} safe is in drawer seven, remember that")
    with Memory() as memory:
        session.turn(MOVED.format(token, token)).learned(memory)
        memory.forget("drawer seven")
        before, said = current(memory), turns(memory)
        session.lines = [line for line in session.lines if not text_of(line).startswith(cut)]
        assert session.learned(memory) == "0 turns"
        session.turn("the canary region is eu-west-3, remember that " * 20).turn("go on")

        assert session.learned(memory).startswith("4 turns")
        assert set(current(memory)) > set(before) and len(turns(memory)) == len(said) + 4
    assert not [path for path in home.rglob("*") if path.is_file() and b"drawer seven" in path.read_bytes()]


def test_what_comes_in_a_transcript_that_was_written_anew_is_read_from_its_first_word(
    tmp_path: Path, project: Path, token: str
) -> None:
    session = Session(tmp_path, project, "s", 1).turn("hello there").turn(HOST.format(token))
    with Memory() as memory:
        session.learned(memory)
        del session.lines[:2]

        assert (
            session.turn(MOVED.format(token, token)).turn("go on", "Gone on. " * 100).learned(memory)[:7] == "4 turns"
        )
        assert [f"{token}-9" in text for text in current(memory)] == [True]


def text_of(line: dict[str, Any]) -> str:
    return str(line["message"]["content"][0]["text"])


def codex(path: Path, cwd: Path, at: str, metas: list[str], said: list[str]) -> Path:
    """A rollout of Codex: a fork begins with the heads of the sessions it copies, all dated when it was made."""
    heads = [{"type": "session_meta", "payload": {"id": id, "cwd": str(cwd)}} for id in metas]
    talk = [
        {"type": "message", "role": role, "content": [{"type": kind, "text": text}]}
        for each in said
        for role, kind, text in (("user", "input_text", each), ("assistant", "output_text", f"{each}: done"))
    ]
    lines = [{"type": "response_item", "payload": message} for message in talk]
    path.write_text("".join(json.dumps({"timestamp": at, **line}) + "\n" for line in heads + lines))
    return path


def plain(path: Path, cwd: Path, *said: tuple[str, str]) -> Path:
    """Lines of a client that names no session; each is the file's."""
    path.write_text(
        "".join(json.dumps({"role": "user", "text": text, "at": at, "cwd": str(cwd)}) + "\n" for at, text in said)
    )
    return path


def times_said(memory: Memory, word: str) -> list[int]:
    sql = "SELECT count(*) FROM evidence e JOIN belief b ON b.id = e.belief WHERE b.text LIKE ? GROUP BY b.id"
    return [int(row[0]) for row in memory.db.execute(sql, (f"%{word}%",)).fetchall()]


def test_a_fork_that_dates_its_copies_anew_says_nothing_twice(tmp_path: Path, project: Path, token: str) -> None:
    said = [HOST.format(token), "list the open pull requests"]
    first = codex(tmp_path / "a", project, "2026-05-01T09:00:00.100Z", ["a"], said)
    copied = [*said[:1], "carry on"]
    fork = codex(tmp_path / "b", project, "2026-05-02T09:00:00.100Z", ["b", "a"], copied)
    forks_fork = codex(tmp_path / "c", project, "2026-05-03T09:00:00.100Z", ["c", "b", "a"], [*copied, "go"])
    with Memory() as memory:
        memory.learn(str(first))

        assert str(memory.learn(str(fork))) == "2 turns"
        assert str(memory.learn(str(forks_fork))) == "2 turns"
        assert times_said(memory, token) == [1]
        assert [text for text in turns(memory) if "done" not in text] == [*said, "carry on", "go"]


def test_what_is_said_anew_in_such_a_fork_is_said_again(tmp_path: Path, project: Path, token: str) -> None:
    said = [HOST.format(token), "list the open pull requests"]
    with Memory() as memory:
        memory.learn(str(codex(tmp_path / "a", project, "2026-05-01T09:00:00.100Z", ["a"], said)))
        later = ["look at the tests", HOST.format(token)]
        memory.learn(str(codex(tmp_path / "b", project, "2026-05-02T09:00:00.100Z", ["b", "a"], [*said, *later])))

        assert times_said(memory, token) == [2]


def test_a_plain_transcript_that_begins_with_anothers_lines_says_them_once(
    tmp_path: Path, project: Path, token: str
) -> None:
    host, asked = ("2026-05-01T09:00:00Z", HOST.format(token)), ("2026-05-01T09:00:40Z", "list the pull requests")
    with Memory() as memory:
        memory.learn(str(plain(tmp_path / "a", project, host, asked)))
        fork = plain(tmp_path / "b", project, host, asked, ("2026-05-02T09:00:00Z", "carry on with the import screen"))

        assert str(memory.learn(str(fork))) == "1 turn"
        assert str(memory.learn(str(plain(tmp_path / "moved", project, host, asked)))) == "0 turns"
        assert times_said(memory, token) == [1]


def test_a_plain_transcript_that_was_written_anew_says_nothing_twice(tmp_path: Path, project: Path, token: str) -> None:
    lines = [(f"2026-05-01T09:0{n}:00Z", text) for n, text in enumerate(["hello there", HOST.format(token), "go on"])]
    with Memory() as memory:
        memory.learn(str(plain(tmp_path / "a", project, *lines)))
        assert str(memory.learn(str(plain(tmp_path / "a", project, *lines[1:])))) == "0 turns"
        later = ("2026-05-01T10:00:00Z", f"the {token} port is 8443 from now on, remember that")
        assert str(memory.learn(str(plain(tmp_path / "a", project, *lines[1:], later)))) == "1 turn, 1 added"

        assert times_said(memory, token) == [1, 1]


@pytest.mark.parametrize("at", ["2026-05-01T09:00:00Z", "2026-05-02T09:00:00Z"])
def test_a_plain_transcript_that_says_the_same_later_on_says_it_again(
    tmp_path: Path, project: Path, token: str, at: str
) -> None:
    """Where times are coarse, two sessions may say the same at the same time: only a beginning is a copy."""
    with Memory() as memory:
        memory.learn(str(plain(tmp_path / "a", project, ("2026-05-01T09:00:00Z", HOST.format(token)))))
        memory.learn(str(plain(tmp_path / "b", project, (at, "hello there"), (at, HOST.format(token)))))

        assert times_said(memory, token) == [2]


def test_a_fork_is_not_given_again_what_its_parent_was_given_before(
    first: Session, home: Path, tmp_path: Path, db: apsw.Connection
) -> None:
    fork = Session(tmp_path, first.cwd, "fork", 5, first).turn("carry on", "On it.")
    for session in (first, fork):
        session.path.write_text("".join(json.dumps(line) + "\n" for line in session.lines))
    given, later = json.dumps({"belief": 7, "at": first.at - 1}), json.dumps({"belief": 8, "at": first.at + 1})
    inbox.note_seen(str(home), "first", given, later)
    for session in (first, fork):
        inbox.append(str(home), "2026-05-09", json.dumps({"event": "stop", "transcript_path": str(session.path)}))
    worker.once(str(home), sleep_seconds=0)

    assert seen.already(str(home), "fork")[0] == {7}
    arrivals.overlooked(db, str(home), first.at + 9e6)
    assert db.execute("SELECT count(*) FROM injection WHERE session = 'fork'").fetchone() == (0,)


def test_a_fork_whose_context_was_emptied_is_given_it_again(home: Path) -> None:
    inbox.note_seen(str(home), "first", '{"belief": 7, "at": 1.0}')
    seen.reset(str(home), "fork", 2.0)
    seen.take_over(str(home), "fork", "first", 1.5)

    assert seen.already(str(home), "fork")[0] == set()


def test_what_the_parents_context_had_lost_or_knew_as_past_is_not_taken_over(home: Path) -> None:
    inbox.note_seen(str(home), "first", '{"belief": 6, "at": 1.0}')
    seen.reset(str(home), "first", 2.0)
    inbox.note_seen(str(home), "first", '{"belief": 7, "at": 3.0}', '{"belief": 8, "at": 3.0}', '{"past": 8}')
    seen.take_over(str(home), "fork", "first", 4.0)

    assert seen.already(str(home), "fork")[0] == {7}


def test_what_a_transcript_that_was_written_anew_says_where_something_else_stood_is_learned_once(
    tmp_path: Path, project: Path, token: str
) -> None:
    first, second, third = (
        (f"2026-05-0{day}T09:00:00Z", f"from now on the {token} {what}")
        for day, what in ((1, "port is 8443"), (2, "host is db-2.example.org"), (3, "tests run with ruff"))
    )
    with Memory() as memory:
        learned = [
            memory.learn(str(plain(tmp_path / "a", project, *lines))).turns
            for lines in ((first,), (second,), (third, second), (third,), (second, third))
        ]

        assert learned == [1, 1, 1, 0, 0]
        assert turns(memory) == [said for _, said in (first, second, third)]


def test_what_is_said_after_a_rewind_that_cut_the_transcript_is_learned(first: Session, token: str) -> None:
    with Memory() as memory:
        first.turn(f"remember the {token} pin").learned(memory)
        del first.lines[-2:]

        assert first.turn(MOVED.format(token, token)).learned(memory) == "2 turns, 1 superseded"
        assert first.learned(memory) == "0 turns"
