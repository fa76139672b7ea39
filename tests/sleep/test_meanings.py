"""With a sentence encoder beliefs are found by their meaning, where a process has it in memory; never in a hook."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import apsw
import pytest

pytest.importorskip("tokenizers")

from agentmemory import paths, worker
from agentmemory.cli import main as cli
from agentmemory.install import doctor
from agentmemory.memory import Memory
from agentmemory.serve.injection import FromMemory
from agentmemory.sleep import meanings, models
from agentmemory.store import beliefs, jobs, places, scopes, writer
from agentmemory.values import Added
from tests import encoders
from tests.conftest import older_store

NOW = paths.parse_time("2026-06-01T12:00:00Z")
MEANINGS = ("kangaroo marsupial", "quokka wallaby", "server machine", "database postgres", "lunch", "invoice", "colour")
FACT = "Every kangaroo is fed before noon."
OTHERS = [
    f"The {word} of team {n} is described in its folder." for n, word in enumerate(" ".join(MEANINGS[2:]).split())
]
ASKED = "Please change how the marsupial module is built."


@pytest.fixture
def told(home: Path, project: Path) -> int:
    """A store with a fact and seven others; the id of the first."""
    with Memory() as memory:
        added = memory.remember(FACT)
        for text in OTHERS:
            memory.remember(text)
    assert isinstance(added, Added)
    return added.id


def name_encoder(home: Path, folder: Path | str) -> None:
    (home / "sidecar.toml").write_text(f'on_battery = true\n[embedding]\nmodel = "{folder}"\n')


@pytest.fixture
def encoder(home: Path, tmp_path: Path) -> Path:
    """A folder with a model that knows which of the words above mean the same."""
    return encoders.table(tmp_path / "encoder", MEANINGS)


@pytest.fixture
def placed(home: Path, told: int, encoder: Path) -> int:
    """The same store after the worker has had time for it."""
    name_encoder(home, encoder)
    worker.once(str(home), sleep_seconds=0)
    return told


def ids_of(found: list[object]) -> list[int]:
    return [hit.id for hit in found]  # type: ignore[attr-defined]


def stored(home: Path) -> dict[int, bytes]:
    with Memory() as memory:
        return dict(memory.db.execute("SELECT belief, at FROM place").fetchall())


def test_a_belief_without_a_word_of_the_question_is_found_by_its_meaning(home: Path, told: int, encoder: Path) -> None:
    with Memory() as memory:
        assert told not in ids_of(memory.search("marsupial module"))
    name_encoder(home, encoder)
    worker.once(str(home), sleep_seconds=0)
    with Memory() as memory:
        found = memory.search("marsupial module")
        assert found[0].id == told and found[0].reasons == ("meaning: near in meaning",)
        assert told in ids_of(memory.search("quokka or marsupial", turns=False))


def test_the_block_of_a_process_with_the_encoder_has_it_and_the_hook_does_not(home: Path, placed: int) -> None:
    prompt = "Please change how the marsupial server of team 0 is built."
    event = {"session_id": "s", "cwd": str(Path.cwd()), "hook_event_name": "UserPromptSubmit", "prompt": prompt}
    with Memory() as memory:
        block, why = memory.recall(prompt), memory.why(prompt)
    segments = FromMemory(str(home))("", str(Path.cwd()), [{"role": "user", "content": prompt}])
    hook = subprocess.run(
        [sys.executable, "-m", "agentmemory", "hook", "prompt-submit"],
        input=json.dumps(event), text=True, capture_output=True, check=True,
    )  # fmt: skip

    assert FACT in block and "meaning" in why
    assert any(segment.name == "recall" and placed in segment.beliefs for segment in segments)
    hook_block = json.loads(hook.stdout)["hookSpecificOutput"]["additionalContext"]
    assert OTHERS[0] in hook_block and f"meaning {placed}" not in hook_block
    with Memory() as memory:
        (home / "sidecar.toml").unlink()
        assert memory.recall(prompt) == hook_block


def test_what_is_nearest_in_meaning_does_not_break_the_silence(home: Path, placed: int) -> None:
    with Memory() as memory:
        assert memory.recall("what is a good name for a marsupial?") == ""


def test_every_belief_that_may_be_recalled_has_a_place_and_no_other(home: Path, placed: int) -> None:
    with Memory() as memory:
        assert len(stored(home)) == 1 + len(OTHERS)
        done = memory.correct(placed, "Every quokka is fed before noon.")
        worker.once(str(home), sleep_seconds=0)
        assert {placed, done.id} <= set(stored(home))  # type: ignore[union-attr]
        with writer.transaction(memory.db):
            memory.db.execute("UPDATE belief SET state = 'archived' WHERE id = ?", (placed,))
        worker.once(str(home), sleep_seconds=0)
        assert placed not in stored(home)
        assert memory.search("wallaby", turns=False)[0].text == "Every quokka is fed before noon."


def test_forgetting_leaves_no_byte_of_a_place(home: Path, placed: int) -> None:
    at = bytes(range(100, 140))
    with Memory() as memory:
        with writer.transaction(memory.db):
            places.put(memory.db, [(placed, at)])
        assert any(at in path.read_bytes() for path in home.iterdir() if path.is_file())
        assert memory.forget(placed)
        assert not any(at in path.read_bytes() for path in home.iterdir() if path.is_file())
        assert placed not in stored(home)


def test_another_encoder_gives_every_belief_another_place(home: Path, placed: int, tmp_path: Path) -> None:
    before = stored(home)
    name_encoder(home, encoders.table(tmp_path / "other", (*MEANINGS, "noon midday")))
    models._NEAR.clear()
    models._OPEN.clear()
    with Memory() as memory:
        assert placed not in ids_of(memory.search("marsupial module"))  # places of another space say nothing here
        worker.once(str(home), sleep_seconds=0)
        after = stored(home)
        assert after.keys() == before.keys() and after[placed] != before[placed]
        assert memory.search("marsupial midday", turns=False)[0].id == placed


def test_a_slice_ends_and_the_next_goes_on(
    db: apsw.Connection, home: Path, told: int, encoder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(meanings, "BATCH", 3)
    name_encoder(home, encoder)
    ticks = iter([0.0, 0.0, meanings.SLICE_SECONDS, 0.0, 0.0, 0.0, 0.0])
    meanings.ask(db, NOW)
    (job,) = jobs.due(db, "embed", NOW)
    meanings.run(db, job, NOW, lambda: next(ticks))
    assert places.count(db)[0] == 3
    assert len(jobs.due(db, "embed", NOW)) == 2  # this one, which its caller marks done, and the next
    meanings.run(db, jobs.due(db, "embed", NOW)[1], NOW, lambda: next(ticks))
    assert places.count(db)[0] == 1 + len(OTHERS)


def test_few_beliefs_are_left_to_their_words(home: Path, project: Path, encoder: Path) -> None:
    with Memory() as memory:
        memory.remember(FACT)
        name_encoder(home, encoder)
        worker.once(str(home), sleep_seconds=0)
        assert len(stored(home)) == 1
        assert memory.search("marsupial module") == []


def test_without_a_name_nothing_is_written_and_no_job_waits(home: Path, told: int) -> None:
    worker.once(str(home), sleep_seconds=0)
    assert stored(home) == {}
    (home / "sidecar.toml").write_text('model = "fake"\n[embedding]\nmodel = "fake"\n')
    worker.once(str(home), sleep_seconds=0)
    with Memory() as memory:
        assert stored(home) == {} and jobs.count(memory.db).get("embed") is None


def test_an_encoder_that_is_not_there_costs_a_sentence_and_no_answer(
    home: Path, told: int, capsys: pytest.CaptureFixture[str]
) -> None:
    name_encoder(home, "/nowhere/encoder")
    assert cli(["search", "kangaroo", "--json"]) == 0
    out, err = capsys.readouterr()
    assert json.loads(out)[0]["id"] == told
    assert err == "agentmemory: by words alone: there is no model folder /nowhere/encoder\n"
    (found,) = [f for f in doctor.examine(str(home)) if f.what == "embedding"]
    assert found.level == doctor.WARN and "there is no model folder" in found.says
    worker.once(str(home), sleep_seconds=0)
    log = (home / "worker.log").read_text()
    assert "jobs of kind embed wait: there is no model folder" in log and "Traceback" not in log


def test_a_name_put_right_does_not_wait_with_the_one_that_could_not_be_had(
    home: Path, told: int, encoder: Path
) -> None:
    name_encoder(home, "/nowhere/encoder")
    worker.once(str(home), sleep_seconds=0)
    models._OPEN.clear()
    name_encoder(home, encoder)
    worker.once(str(home), sleep_seconds=0)
    assert len(stored(home)) == 1 + len(OTHERS)


def test_without_the_extra_one_sentence_says_what_to_install(home: Path, told: int, encoder: Path) -> None:
    name_encoder(home, encoder)
    hidden = "import sys, importlib.util as u\nreal = u.find_spec\n" + (
        "u.find_spec = lambda name, *a: None if name in ('tokenizers', 'safetensors') else real(name, *a)\n"
    )
    run = hidden + "from agentmemory.cli import main\nsys.exit(main(['search', 'kangaroo', '--json']))"
    done = subprocess.run([sys.executable, "-c", run], text=True, capture_output=True, check=True)
    assert json.loads(done.stdout)[0]["id"] == told
    assert done.stderr.count("\n") == 1 and "pip install 'agentmemory[embedding]'" in done.stderr


def test_the_doctor_counts_what_has_a_place(home: Path, placed: int) -> None:
    (found,) = [f for f in doctor.examine(str(home)) if f.what == "embedding"]
    assert (found.level, found.says) == (doctor.OK, f"{1 + len(OTHERS)} beliefs found by their meaning too")


def test_a_store_of_the_schema_before_gets_the_table(home: Path, encoder: Path) -> None:
    home.mkdir()
    old = older_store(home, places.places)
    for text in (FACT, *OTHERS):
        beliefs.add(old, beliefs.New(scopes.USER, "fact", text, "user", 0.0, 0.0))
    old.close()
    name_encoder(home, encoder)
    worker.once(str(home), sleep_seconds=0)
    assert len(stored(home)) == 1 + len(OTHERS)


def test_a_place_keeps_the_direction_of_a_vector() -> None:
    given = [[0.6, -0.8, 0.0], [0.0, 0.0, 0.0], [1e-3, 1e-3, 1e-3]]
    back = meanings.unpacked([meanings.packed(row) for row in given])
    assert back[0] == pytest.approx([0.6, -0.8, 0.0], abs=0.01)
    assert list(back[1]) == [0.0, 0.0, 0.0]
    assert back[2] == pytest.approx([3**-0.5] * 3, abs=0.01)


def test_a_prompt_is_taken_apart_into_its_demands() -> None:
    text = "Fix the login of the shop. Then write a test for it, and deploy the whole thing; ok?"
    assert meanings.demands(text) == [
        "Fix the login of the shop.", "write a test for it", "deploy the whole thing;",
    ]  # fmt: skip
    assert meanings.demands("deploy the shop") == ["deploy the shop"]
    assert len(meanings.demands("this is a sentence. " * 50)) == meanings.DEMANDS
