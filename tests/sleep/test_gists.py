"""A shorter wording keeps what a belief says; a block shows it, the belief itself stays whole."""

from __future__ import annotations

import re
from pathlib import Path

import apsw
import pytest

from agentmemory.learn import proposals
from agentmemory.recall import cover
from agentmemory.recall.explain import why
from agentmemory.recall.pipeline import block
from agentmemory.records import Query
from agentmemory.sleep.gists import MARK, gist
from agentmemory.sleep.night import sleep
from agentmemory.store import beliefs, nights, scopes, turns, wordings, writer
from agentmemory.store.beliefs import New
from agentmemory.values import Utterance
from tests.conftest import older_store, unheard_of
from tests.sleep.talk import NOW


def believe(db: apsw.Connection, text: str, kind: str = "rule", locked: bool = False) -> int:
    with writer.transaction(db):
        return beliefs.add(db, New(scopes.USER, kind, text, "user", NOW, NOW, locked=locked))


def asked(db: apsw.Connection, prompt: str) -> str:
    return block(db, Query(prompt, NOW, (scopes.USER,)))


@pytest.mark.parametrize(
    ("text", "shorter"),
    [
        ("ok so the relay of Marn is in `the attic`", "relay of Marn is in `the attic`"),
        ("no, by the way, the cap is 40 for the guests", "cap is 40 for guests"),
        ("ok please .env and the --dry are for the so-called night", ".env and the --dry are for so-called night"),
        (
            "please run it once a day, and the rest is for the night crew",
            "run it once a day, and the rest is for night crew",
        ),
        (
            "the shop is the one that runs. Next.js 14 with the app router",
            "shop is the one that runs. Next.js 14 with app router",
        ),
        (
            "ok the eu region, I mean the region in us, is for the guests",
            "eu region, I mean region in us, is for guests",
        ),
    ],
)
def test_what_tells_nothing_is_left_out(text: str, shorter: str) -> None:
    assert gist(text) == shorter


@pytest.mark.parametrize("end", ["so", "not"])
def test_what_one_thinks_of_it_stays_whole(end: str) -> None:
    text = f"yes, I think {end}. the relay of the hall must be opened with the brass key, i think"

    assert gist(text) == f"yes, I think {end}. relay of hall must be opened with brass key"


def test_another_language_is_left_alone() -> None:
    text = "ok, a partir de ahora siempre la rama a la izquierda, por favor, y nunca a la derecha"

    assert gist(text) == text


@pytest.mark.parametrize("seed", range(20))
def test_figures_names_paths_quotations_and_denials_stay(seed: int) -> None:
    word = unheard_of()
    told = [
        f"/opt/{word}/run.sh",
        f"the_{word}",
        str(seed * 37),
        f'"the {word} as a whole"',
        f"--a-{word}",
        "don't",
        "must",
    ]
    text = f"ok so please, the job {told[0]} is for {told[1]} and {told[2]} hosts; it says {told[3]}."
    text += f" you don't pass {told[4]} and it must end before the dump of the night, i think"
    short = gist(text)

    assert len(short) < len(text) and all(each in short for each in told)
    assert set(re.findall(r"\w+", short)) <= set(re.findall(r"\w+", text))


def test_the_block_shows_the_shorter_wording_and_why_the_whole(db: apsw.Connection, token: str) -> None:
    text = f"ok so please, the {token} relay must be opened with the brass key, i think"
    belief = believe(db, text)
    before = asked(db, f"open our {token} relay")
    sleep_after_a_word(db)

    assert text in before
    shown = asked(db, f"open our {token} relay")
    assert f"{token} relay must be opened with brass key" in shown and "please" not in shown
    assert beliefs.get(db, belief).text == text
    assert text[:60] in why(db, Query(f"open our {token} relay", NOW, (scopes.USER,)))


def test_a_locked_rule_stands_word_for_word(db: apsw.Connection, token: str) -> None:
    text = f"ok so please, never touch the {token} valve, of course"
    believe(db, text, locked=True)
    sleep_after_a_word(db)

    assert text in asked(db, f"what about our {token} valve?")


def test_the_brief_wording_is_shortened_too(db: apsw.Connection, token: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cover, "TO_TELL", 1.0)  # no room for more than one brief wording
    belief = believe(db, f"i asked him. the {token} relay is opened with the brass key")
    with writer.transaction(db):
        wordings.put_brief(db, belief, f"the {token} relay is opened with the brass key", 0.0)
    sleep_after_a_word(db)

    shown = asked(db, f"open our {token} relay")
    assert f'"{token} relay is opened with brass key"' in shown


def test_sleep_looks_again_at_what_an_older_version_had_shortened(tmp_path: Path, token: str) -> None:
    old = older_store(tmp_path, wordings.briefs)
    belief = beliefs.add(old, New(scopes.USER, "fact", f"ok so please, the {token} relay is open", "user", NOW, NOW))
    old.execute("INSERT INTO gist (belief, text, lost) VALUES (?, 'relay', 'open')", (belief,))
    nights.set_mark(old, MARK, belief)
    old.close()

    db = writer.open_store(str(tmp_path))
    sleep_after_a_word(db)

    assert db.execute("SELECT belief, text FROM gist").fetchall() == [(belief, f"{token} relay is open")]
    db.close()


def test_forgetting_a_belief_forgets_its_shorter_wording(db: apsw.Connection, token: str) -> None:
    belief = believe(db, f"ok so please, the {token} relay must be opened with the brass key")
    sleep_after_a_word(db)
    assert db.execute("SELECT count(*) FROM gist").fetchone() == (1,)
    with writer.transaction(db):
        db.execute("DELETE FROM belief WHERE id = ?", (belief,))

    assert db.execute("SELECT count(*) FROM gist").fetchone() == (0,)


def test_what_is_accepted_later_has_a_shorter_wording_too(db: apsw.Connection, token: str) -> None:
    text = f"ok so please, the {token} relay must be opened with the brass key, i think"
    with writer.transaction(db):
        waits = beliefs.add(db, New(scopes.USER, "fact", text, "agent", NOW, NOW, state="proposed"))
    sleep_after_a_word(db)

    with writer.transaction(db):
        proposals.accept(db, waits, NOW)

    shown = asked(db, f"open our {token} relay")
    assert f"{token} relay must be opened with brass key" in shown and "please" not in shown


def sleep_after_a_word(db: apsw.Connection) -> None:
    """A night needs a turn to sleep on."""
    with writer.transaction(db):
        turns.add(db, turns.session(db, "s1", scopes.USER, NOW), [Utterance(0, "user", "that is all for today", NOW)])
    sleep(db, NOW)
