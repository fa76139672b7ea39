"""What stands in the place of what: which names are given up, what a statement without a mark may do, and what becomes
of what was tied to a belief before it was replaced."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import apsw
import pytest

from agentmemory.learn import compared, match, retired, succession
from agentmemory.learn.revise import revise
from agentmemory.paths import DAY
from agentmemory.store import beliefs, lineage, scopes, writer
from agentmemory.values import Added, Candidate, Superseded
from tests.learn.talk import AT, answered, held, told

TIED = "SELECT dst FROM edge WHERE type = 'relates' AND detail = 'later' AND src = ? ORDER BY dst"


@pytest.fixture
def store(tmp_path: Path) -> Iterator[tuple[apsw.Connection, int]]:
    db = writer.open_store(tmp_path)
    with writer.transaction(db):
        yield db, scopes.project(db, "/p/.git", "", 1.0)
    db.close()


@pytest.mark.parametrize(
    ("said", "gone"),
    [
        ("postmark is out", {"postmark"}),
        ("the artemis cluster of the hospital will be closed at the end of march", {"artemi", "cluster", "hospit"}),
        ("rhai can count operations but it cant stop native code", {"rhai", "count", "oper"}),
        ("we nearly published a thing whose poet only died in 1961", {"poet"}),
        ("i never explained how a new score gets out", set()),
        ("a thermocouple in the crown died", set()),
        ("nothing gets rolled out", set()),
        ("so nextflow goes, and we run cwl", {"nextflow"}),
        ("heron02 gets scrapped, they have the new interface", {"heron02"}),
        ("vouchers for kiosks are over for both of us", {"voucher", "kiosk"}),
        ("the meeting is over lunch", set()),
        ("we do not run tox -e zezela anymore, its checks are nox", {"tox", "zezela"}),
        ("billing is not shipped with make ship-it any longer", {"ship"}),
        ("dana has left, billing belongs to luis from now on", {"dana"}),
        ("marek took over the payments service from ingrid", {"ingrid"}),
        ("nobody uses jenkins these days", {"jenkin"}),
        ("there is no meilisearch now", {"meilisearch"}),
        ("the gamma2 box got wiped", {"gamma2", "box"}),
        ("we said goodbye to heroku", {"heroku"}),
        ("ripping howler out then, we are on tone.js now", {"howler"}),
        ("took the redis cluster down for good", {"redi", "cluster"}),
        ("we let sendgrid go last month", {"sendgrid"}),
        ("the pampero can rest, minuano runs for all farms", {"pampero"}),
        ("celery got thrown overboard", {"celeri"}),
        ("storybook got too slow, we do component pages", {"storybook"}),
        ("das NAS ist abgeschaltet, rohdaten liegen im bucket", {"nas"}),
        ("on a quitté ovh pour les sms", {"ovh"}),
        ("take it out of the box and let us go", set()),
        ("you can stop native code now", set()),
    ],
)
def test_what_ends_is_what_was_known_before(said: str, gone: set[str]) -> None:
    assert retired.named(retired.with_code(said)) == gone


def test_what_no_mark_calls_lasting_comes_beside_what_it_speaks_of(
    store: tuple[apsw.Connection, int], token: str
) -> None:
    db, scope = store
    old = revise(db, Candidate("rule", f"the young driver product of {token} is MYD", scope=scope, at=DAY), DAY)
    new = Candidate("fact", f"now the young driver model of {token}.", scope=scope, at=9 * DAY, updates=True)

    done = revise(db, replace(new, tentative=True), 9 * DAY)

    assert isinstance(old, Added) and isinstance(done, Added)
    assert db.execute(TIED, (done.id,)).fetchall() == [(old.id,)]


def test_what_may_have_changed_it_before_comes_under_what_replaces_it(
    store: tuple[apsw.Connection, int], token: str
) -> None:
    db, scope = store
    first = revise(db, Candidate("fact", f"orders of {token} come as csv on fs2", scope=scope, at=DAY), DAY)
    second = revise(
        db, Candidate("fact", f"the {token} import reads a view of its orders", scope=scope, at=2 * DAY), DAY
    )
    assert isinstance(first, Added) and isinstance(second, Added)
    beliefs.link(db, "relates", second.id, first.id, 2 * DAY, 0.5, detail=lineage.LATER)

    said = f"no longer csv on fs2: orders of {token} come as json posts from now on"
    third = revise(db, Candidate("rule", said, scope=scope, at=9 * DAY, updates=True), 9 * DAY)

    assert isinstance(third, Superseded) and first.id in third.old
    assert second.id in third.old or (second.id,) in db.execute(TIED, (third.id,)).fetchall()


def likeness(store: tuple[apsw.Connection, int], old: str, new: str) -> compared.Likeness:
    db, scope = store
    revise(db, Candidate("fact", old, scope=scope, at=DAY), DAY)
    (found,) = compared.likenesses(db, Candidate("fact", new, scope=scope, at=9 * DAY), new)
    return found


@pytest.mark.parametrize(
    ("old", "new", "type"),
    [
        ("{} listens on 9411", "{} listens on 9511 these days", "port"),
        ("{} listens on 9411", "{} listens on 9511 from today", "port"),
        ("{} may offer 75 000 EUR", "{} offers up to 90 000 EUR", "amount of money"),
        ("{} waits 5 m", "{} waits 7 m now", "amount of length"),
    ],
)
def test_another_value_of_a_type_is_told(
    store: tuple[apsw.Connection, int], token: str, old: str, new: str, type: str
) -> None:
    assert likeness(store, old.format(token), new.format(token)).retyped == {type}


def test_a_value_that_a_text_sets_itself_apart_from_says_what_is_meant(store: tuple[apsw.Connection, int]) -> None:
    found = likeness(store, "a parcel lies in the locker for 72 hours", "a parcel is held 5 days instead of 72 hours")

    assert found.named


def test_how_something_was_names_nothing(store: tuple[apsw.Connection, int]) -> None:
    found = likeness(
        store, "the hook hangs, tomcat is full after 10 min", "the hook waits 96 hours, since walls were full"
    )

    assert not found.named


@pytest.mark.parametrize(
    ("old", "new", "named"),
    [
        ("no html from users goes into {}, never", "we settled on json rather than html for the articles", False),
        ("{} never uses yarn", "we moved from yarn to pnpm", False),
        ("use yarn for everything", "we moved from yarn to pnpm", True),
    ],
)
def test_what_the_older_one_rules_out_is_not_given_up_with_it(
    store: tuple[apsw.Connection, int], token: str, old: str, new: str, named: bool
) -> None:
    assert likeness(store, old.format(token), new).named is named


def test_a_name_is_shared_that_one_of_the_texts_cuts_short(store: tuple[apsw.Connection, int], token: str) -> None:
    found = likeness(store, f"{token} stood up meilisearch", f"meili locks up, {token} takes typesense")

    assert found.shared == 2


@pytest.mark.parametrize(
    ("said", "adds"), [("too many dead nodes", False), ("the bots too", True), ("also on hal", True)]
)
def test_too_many_adds_nothing(said: str, adds: bool) -> None:
    assert bool(succession.ADDS.search(said)) is adds


@pytest.mark.parametrize(
    ("then", "gone"),
    [
        ("from now on the logs go to /var/lib/{}/logs", False),
        ("exports are too slow for s3, we go with files per day in /var/lib/{}/exports", False),
        ("the tle cache moved to /srv/{}/tle", True),
    ],
)
def test_what_lies_in_the_same_folder_is_another_thing(
    db: apsw.Connection, tmp_path: Path, token: str, then: str, gone: bool
) -> None:
    said = f"we keep the tle cache under /var/lib/{token}/tle"

    told(db, tmp_path, said, then.format(token))

    assert held(db, "superseded" if gone else "active")[0] == said


def test_a_statement_is_known_again_however_many_shorter_ones_share_its_rarest_words(store) -> None:
    db, scope = store

    def said(text: str) -> int:
        new = beliefs.New(scope=scope, kind="fact", text=text, provenance="user", valid_from=1.0, created=1.0)
        return beliefs.add(db, new)

    whole = said("amber bronze cobalt damask ebony flint granite hazel")
    for number in range(30):
        said(f"amber bronze cobalt damask w{number}")
        said(f"ebony flint granite hazel w{number}")

    assert match.same(db, scope, "Amber, bronze, cobalt, damask, ebony, flint, granite, hazel") == whole
    assert match.same(db, scope, "amber bronze cobalt damask ebony flint granite hazel 9443") is None


def test_words_of_change_are_not_what_two_statements_speak_of(store: tuple[apsw.Connection, int], token: str) -> None:
    db, scope = store
    revise(db, Candidate("rule", f"show the name of {token} instead of its number", scope=scope, at=DAY), DAY)
    text = "ask which settings are to be used instead"

    (like,) = compared.likenesses(db, Candidate("correction", text, scope=scope, at=9 * DAY), text)

    assert like.shared == 0


@pytest.mark.parametrize(
    ("likely", "heard", "gives_way"), [(0.45, True, True), (0.35, True, False), (0.45, False, False)]
)
def test_a_change_that_talk_announces_is_believed_where_the_talk_may_last(
    store: tuple[apsw.Connection, int], monkeypatch: pytest.MonkeyPatch, likely: float, heard: bool, gives_way: bool
) -> None:
    db, scope = store
    old = revise(db, Candidate("fact", 'alerts go to pagerduty, service "edge"', scope=scope, at=DAY), DAY)
    monkeypatch.setattr(succession, "likelihoods", lambda db, c, text, alike: {old.id: likely})

    c = Candidate("fact", "alerts: pagerduty since monday, incident.io", scope=scope, at=9 * DAY, tentative=True)
    done = revise(db, replace(c, heard=heard, updates=True), 9 * DAY)

    assert isinstance(done, Superseded) is gives_way


def test_what_is_surely_given_another_value_gives_way_though_nothing_says_that_it_lasts(
    db: apsw.Connection, tmp_path: Path
) -> None:
    old, new = "the dive alarm sounds below 30 meters", "testers want the dive alarm from 25 meters on"
    answered(db, tmp_path, (old, f"Set: {old}"))
    said = Candidate("fact", new, scope=2, turn=1, at=AT + 30 * DAY, answer=f"Set: {new}", tentative=True)

    replaced = match.judged(db, said, new).replaced

    assert [beliefs.get(db, each).text for each in replaced] == [old]
    assert not match.judged(db, replace(said, at_work=True, heard=True), new).replaced
