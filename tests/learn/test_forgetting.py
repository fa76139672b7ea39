"""`forget` leaves no byte of a text anywhere below the data folder, whatever has happened with the text before."""

import contextlib
import io
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from agentmemory import guard, worker
from agentmemory.cli import main as cli
from agentmemory.memory import Memory
from agentmemory.store import backup, beliefs, check, forget, writer
from agentmemory.values import Utterance
from tests.learn.talk import play


def holding(home, word):
    """Files below the data folder whose bytes hold *word*, in any case."""
    files = [path for path in Path(home).rglob("*") if path.is_file()]
    return [str(path.relative_to(home)) for path in files if word.lower().encode() in path.read_bytes().lower()]


def hook(event, **given):
    subprocess.run(
        [sys.executable, "-m", "agentmemory", "hook", event],
        input=json.dumps(given).encode(),
        capture_output=True,
        check=True,
        env={**os.environ, "AGENTMEMORY_WORKER": "off"},
        cwd=Path(guard.__file__).parent.parent,
    )


def at_a_terminal(args, typed, folder=None):
    """What a command prints at a terminal where a person answers it."""
    pty = pytest.importorskip("pty")
    ours, theirs = pty.openpty()
    os.write(ours, typed)
    program, wide = [sys.executable, "-m", "agentmemory", *args], {**os.environ, "COLUMNS": "160"}
    ran = subprocess.Popen(program, stdin=theirs, stdout=theirs, stderr=theirs, cwd=folder, env=wide)
    ran.wait(60)
    os.close(theirs)
    said = b""
    with contextlib.suppress(OSError):  # of a terminal that nobody writes to any more: all was read
        while some := os.read(ours, 10_000):
            said += some
    os.close(ours)
    return said.decode()


@pytest.fixture
def lived(home, project, tmp_path, token):
    """A store in which *token* was said, believed, locked, guarded, injected, searched, consolidated."""
    transcript = tmp_path / "session.jsonl"
    said = [
        ("user", f"From now on never deploy {token} by hand, use scripts/deploy-{token}.sh"),
        ("assistant", f"Understood: scripts/deploy-{token}.sh it is."),
        ("user", f"the {token} service listens on port 8443"),
        ("assistant", "Noted."),
        ("user", "no wait, that is wrong: it listens on port 9443"),
        ("assistant", f"I changed {token} to 9443."),
    ]
    lines = [
        {"type": role, "sessionId": "s", "cwd": str(project), "timestamp": f"2026-05-01T10:0{i}:00Z",
         "message": {"role": role, "content": text}}
        for i, (role, text) in enumerate(said)
    ]  # fmt: skip
    transcript.write_text("\n".join(map(json.dumps, lines)) + "\n")
    given = {"session_id": "s", "cwd": str(project), "transcript_path": str(transcript)}
    with Memory() as memory:
        memory.learn(str(transcript))
        memory.remember(f"The {token} team meets on Mondays.", "fact", keywords=token, context=f"about {token}")
        memory.propose(f"Ask {token} before every release.")
    cli(["guard", "add", "--yes", f"Never run deploy-{token}.sh --force, use scripts/deploy-{token}.sh"])
    hook("prompt-submit", **given, prompt=f"deploy {token} to production now")
    hook("pre-tool", **given, tool_name="Bash", tool_input={"command": f"./deploy-{token}.sh --force"})
    hook("session-end", **given)
    worker.once(str(home), sleep_seconds=2.0)
    with Memory() as memory:
        memory.search(token)
        memory.correct(f"The {token} team meets", f"The {token} team meets on Tuesdays.")
        memory.undo()
    return token


def test_no_byte_of_a_forgotten_word_is_left(home, lived):
    assert holding(home, lived)  # else this test proves nothing

    with Memory() as memory:
        memory.forget(lived)
        assert memory.search(lived) == []

    assert holding(home, lived) == []


def test_reading_the_transcript_again_does_not_bring_it_back(home, lived, tmp_path):
    with Memory() as memory:
        memory.forget(lived)
        memory.learn(str(tmp_path / "session.jsonl"))

    assert holding(home, lived) == []


def test_what_was_not_forgotten_is_still_there(home, lived):
    with Memory() as memory:
        memory.remember("The billing API listens on port 7443.", "fact")
        memory.forget(lived)
        found = [hit.text for hit in memory.search("billing port")]

    assert found[0] == "The billing API listens on port 7443."
    assert all(found)


def texts(**where):
    with Memory(**where) as memory:
        return [row["text"] for row in memory.export()]


@pytest.mark.parametrize("nothing", ["", "  "])
def test_no_words_forget_nothing(project, capsys, nothing):
    with Memory() as memory:
        memory.remember("the queue is drained at night")

    assert cli(["forget", "--yes", nothing]) == 1
    assert "say which belief" in capsys.readouterr().err
    assert texts() == ["the queue is drained at night"]


def test_whole_words_are_forgotten_in_any_case_and_language(project):
    kept = ["django serves the site", "mongo holds the orders", "cargo builds it", "die Straßenbahn ist gelb"]
    gone = ["go builds the tool", "we deploy in München", "unser Haus steht in der Hauptstraße", "我住在北京市"]
    with Memory() as memory:
        for text in kept + gone:
            memory.remember(text)
        for words in ("Go", "MU\u0308NCHEN", "HAUPTSTRASSE", "北京", "straße"):
            memory.forget(words)

    assert texts() == kept


def test_words_of_a_correction_are_found_in_any_case(project):
    with Memory() as memory:
        memory.remember("die große Übersicht liegt im Wiki")

        assert memory.correct("GROSSE ÜBERSICHT", "die Übersicht liegt im Handbuch").old == (1,)


def test_words_are_forgotten_here_unless_everywhere(project, tmp_path, capsys, token):
    (tmp_path / "other").mkdir()
    there = {"project": str(tmp_path / "other")}
    with Memory(**there) as memory:
        memory.remember(f"the {token} service runs there")
    with Memory() as memory:
        memory.remember(f"the {token} service runs here")
        memory.remember(f"I like {token}", everywhere=True)

    assert cli(["forget", "--yes", token]) == 0
    assert "Forgotten for good: 2 beliefs" in (said := capsys.readouterr().out) and "Other projects" in said
    assert (texts(), texts(**there)) == ([], [f"the {token} service runs there"])

    assert cli(["forget", "--yes", "--everywhere", token]) == 0
    assert texts(**there) == []


def test_cues_are_cleaned_and_the_belief_stays(home, project, db, token):
    with Memory() as memory:
        kept = memory.remember(
            "the queue is drained at night",
            keywords=f"queue, {token.upper()}, night",
            context=f"of {token}",
            tags=token,
        ).id
        memory.feedback(kept, "helped", f"{token} said so")
        with writer.transaction(memory.db):
            beliefs.evolve(memory.db, kept, 5.0, keywords=f"queue, night, {token}", why=f"near {token}")

        done = memory.forget(token)

        assert (bool(done), done, done.cleaned) == (True, {"beliefs": [], "turns": []}, [kept])
        (row,) = memory.export()
        assert (row["text"], row["keywords"]) == ("the queue is drained at night", "queue, night")
        assert check.word_counts(memory.db) + check.indexes(memory.db) == []
        assert [hit.id for hit in memory.search("queue night")] == [kept]
    assert holding(home, token) == []


def test_what_stands_beside_a_forgotten_belief_does_not_tell_it(home, project, db, tmp_path, token):
    said = f"the {token} service listens on port 8443"
    play(
        db,
        tmp_path,
        "fix the footer",
        said,
        "no, sorry, it's 9443",
        "always run make lint before a push",
        cwd=str(project),
    )
    db.close()
    with Memory() as memory:
        rows = {row["text"]: row for row in memory.export()}
        assert token in rows["no, sorry, it's 9443"]["context"]

        memory.forget(rows[said]["id"])

        left = {row["text"]: row for row in memory.export()}
        assert check.word_counts(memory.db) + check.indexes(memory.db) == []
    assert holding(home, token) == []
    assert set(left) == set(rows) - {said}
    assert left["no, sorry, it's 9443"]["context"] == ""
    assert "push" in left["always run make lint before a push"]["triggers"]


def test_neither_the_sentence_nor_the_words_of_a_forgotten_belief_stand_beside_another(home, project, token):
    said = f"the {token} service listens on port 8443"
    with Memory() as memory:
        gone = memory.remember(said).id
        last = memory.remember(f"service port 8443: {token} listens").id  # says each of its words
        beside = memory.remember("it restarts at night", context=said).id
        near = memory.remember("the queue is drained at noon", context=f"which queue of {token}?").id

        def contexts():
            return {row["id"]: row["context"] for row in memory.export() if row["id"] in (beside, near)}

        memory.forget(gone)
        assert contexts() == {beside: "", near: f"which queue of {token}?"}

        memory.forget(last)
        assert contexts() == {beside: "", near: ""}
    assert holding(home, token) == []


def test_what_was_read_from_a_forgotten_turn_is_told_and_stands_in_no_prefix(home, project, token):
    pytest.importorskip("safetensors", reason="it comes with the extra `sidecar`")
    from agentmemory.model.segments import Part
    from tests.model.arrays import fill, store

    with Memory() as memory:
        (turn,) = memory.add_turns("s", [Utterance(0, "user", f"{token} is on port 8443, and I live in Oslo", 1.0)])
        fact, trait = (memory.remember(*said).id for said in ((f"{token} is on 8443",), ("Home is Oslo.", "trait")))
        with writer.transaction(memory.db):
            for each in (fact, trait):
                beliefs.witness(memory.db, each, "said", 0.0, 1.0, turn)
        fill(store(home / "segments"), [Part("profile", (1, 2, 3), (trait,))])

        assert memory.holding(token).beliefs == {fact: f"{token} is on 8443", trait: "Home is Oslo."}
        assert memory.forget(fact) == {"beliefs": [fact, trait], "turns": [turn]}

    assert list((home / "segments").rglob("*.safetensors")) == []


def test_who_is_killed_before_the_bytes_are_scrubbed_leaves_no_prefix_of_what_is_forgotten(home, project, token):
    pytest.importorskip("safetensors", reason="it comes with the extra `sidecar`")
    from agentmemory.model.segments import Part
    from tests.model.arrays import fill, store

    with Memory() as memory:
        fact = memory.remember(f"{token} is on 8443").id
    fill(store(home / "segments"), [Part("profile", (1, 2, 3), (fact,))])
    killed = "import os; from agentmemory.memory import Memory, forget; forget.scrub = lambda db: os._exit(9);"
    assert subprocess.run([sys.executable, "-c", f"{killed} Memory().forget({fact})"]).returncode == 9

    worker.once(str(home), 0.0)
    assert list((home / "segments").rglob("*.safetensors")) == [] and holding(home, token) == []


def test_words_that_somebody_still_says_stay_among_the_cues(home, project, token):
    with Memory() as memory:
        first = memory.remember(f"the {token} service listens on port 8443").id
        memory.remember(f"{token} has two queues")
        kept = memory.remember("the queue is drained at night", keywords=f"queue, {token}").id

        memory.forget(first)

        assert token in next(row for row in memory.export() if row["id"] == kept)["keywords"]


def test_copies_that_remain_are_named(home, project, capsys, token):
    with Memory() as memory:
        memory.remember(f"the {token} service listens on port 8443")
    copy = backup.backup(str(home))

    cli(["forget", "--yes", token])

    assert copy in capsys.readouterr().out
    assert holding(home, token) == [str(Path(copy).relative_to(home))]


def test_bytes_that_could_not_be_scrubbed_yet_are_told(home, project, capsys, monkeypatch, token):
    monkeypatch.setattr(writer, "BUSY_MS", 50)
    with Memory() as memory:
        memory.remember(f"the {token} service listens on port 8443")
    reader = writer.open_to_read(str(home))
    reader.execute("BEGIN")
    reader.execute("SELECT count(*) FROM belief").fetchall()

    cli(["forget", "--yes", token])
    assert "still in the store's files" in capsys.readouterr().out and holding(home, token)
    cli(["doctor"])
    assert "old bytes of what was forgotten" in " ".join(capsys.readouterr().out.split())

    reader.close()
    cli(["doctor"])
    assert "old bytes" not in capsys.readouterr().out
    assert holding(home, token) == []


def test_bytes_that_were_left_when_forgetting_was_killed_go_with_the_next_work(home, project, db, token):
    with Memory() as memory:
        memory.remember(f"the {token} service listens on port 8443")
    with writer.transaction(db):
        forget.remove(db, forget.one(db, 1), token, 1, 5.0)
    assert holding(home, token)

    worker.once(str(home), 0.0)

    assert holding(home, token) == []


def test_a_belief_of_another_project_is_forgotten_with_a_word(project, tmp_path, capsys, monkeypatch, token):
    text = f"the {token} service listens on port 8443"
    with Memory() as memory:
        ids = [memory.remember(text).id, memory.remember(f"{token} has two queues").id]
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path / "elsewhere")

    assert cli(["forget", str(ids[0])]) == 0
    assert "1 belief and 0 turns of another project (project)." in capsys.readouterr().out
    monkeypatch.chdir(project)
    cli(["forget", str(ids[1])])
    assert "another project" not in capsys.readouterr().out


@pytest.mark.parametrize(("typed", "left"), [(b"y\n", 0), (b"\n", 1)])
def test_a_terminal_asks_before_a_belief_of_another_project_is_forgotten(project, tmp_path, token, typed, left):
    text = f"the {token} service listens on port 8443"
    with Memory() as memory:
        memory.remember(text)
    (tmp_path / "elsewhere").mkdir()

    said = at_a_terminal(["forget", "1"], typed, tmp_path / "elsewhere")

    assert text in said and "project" in said and "Forget this for good? [y/N]" in said
    assert len(texts()) == left


def test_without_a_terminal_words_need_yes(project, capsys, token):
    with Memory() as memory:
        memory.remember(f"the {token} service listens on port 8443")

    assert cli(["forget", token]) == 1
    assert "1 belief and 0 turns hold these words" in capsys.readouterr().err
    assert len(texts()) == 1
    assert cli(["forget", "nothing", "of", "it"]) == 1
    assert "Nothing to forget" in capsys.readouterr().out


@pytest.mark.parametrize(("typed", "left"), [(b"y\n", 0), (b"\n", 1)])
def test_a_terminal_shows_what_goes_and_asks(project, token, typed, left):
    text = f"the {token} service listens on port 8443"
    with Memory() as memory:
        memory.remember(text)

    said = at_a_terminal(["forget", token], typed)

    assert text in said and "Forget this for good? [y/N]" in said
    assert len(texts()) == left


def test_the_command_of_the_client_is_consent(project, monkeypatch, capsys, token):
    with Memory() as memory:
        memory.remember(f"the {token} service listens on port 8443")
    monkeypatch.setattr(sys, "stdin", io.StringIO(f"{token}\n"))

    cli(["slash", "forget"])

    assert "Forgotten for good: 1 belief and" in capsys.readouterr().out
    assert texts() == []


def test_a_pasted_log_does_not_fill_the_terminal(project, capsys, token):
    log = f"{token} starts\n" + "\n".join(f"12:00:{n} line {n}" for n in range(1500))
    with Memory() as memory:
        memory.add_turns("s", [Utterance(0, "user", log, 1.0)])

    cli(["search", token])
    assert len(capsys.readouterr().out) < 2_000
    cli(["search", token, "--json"])
    assert json.loads(capsys.readouterr().out)[0]["text"] == log
