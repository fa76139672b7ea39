"""A routine that is told turn by turn in one sitting is one: by the number that a turn begins with, whatever its
pieces share; a list of remarks, an answer and what is done next are none."""

from __future__ import annotations

import pytest

from agentmemory.learn import sittings, succession
from experiments.pieces import Moment, Told, played

NOTED = "I put that into the page."


def sitting(*said: str, reply: str = NOTED, session: int = 1) -> list[Moment]:
    """One session in which the user says these one after another, and the agent puts each down."""
    return [Moment(session, role, text) for each in said for role, text in (("user", each), ("assistant", reply))]


def ends(told: Told) -> list[tuple[str, str]]:
    return [(told.statements[a][1], told.statements[b][1]) for a, b in told.ties]


@pytest.mark.parametrize("said", [
    (
        "adding a tenant, so it's written down: 1. create the schema with {} NAME, in lower case",
        "2. seed the roles from roles.yml, never by hand",
        "3. smoke test with bin/smoke NAME, only then dns",
    ),
    (
        "Let me explain how we retire a sensor. To begin with, the owner of the field is told by letter, with {}.",
        "Secondly, the last readings are exported into archive/retired, one parquet file a sensor.",
        "And third: the serial is struck out of fleet.csv, since the insurance asks for it.",
    ),
    (
        "ok hotfixes. first of all branch off the tag {}, not off main. people always get that wrong",
        "second: the fix gets a regression test, no exceptions, not even for typos",
        "third, cherry-pick to main the same day, else it's lost in the next release",
    ),
])  # fmt: skip
def test_what_is_told_turn_by_turn_is_one_routine(token: str, said: tuple[str, ...]) -> None:
    told = played(sitting(*(each.format(token) for each in said)))

    (first, second), (again, third) = ends(told)

    assert token in first and second == again
    assert (second[-20:], third[-20:]) == (said[1][-20:], said[2][-20:])


def test_a_question_in_between_parts_nothing() -> None:
    said = (
        "How we ship a firmware: first the hash is read aloud by two people, yes really.",
        "what is the size of the last image?",
        "Second, the image goes to the three test devices in the cellar for a night.",
    )

    ((first, then),) = ends(played(sitting(*said)))

    assert "read aloud" in first and then == said[2]


@pytest.mark.parametrize("said", [
    ("Two things. First, the model has no current date, it comes from the run.", "The second is the charts: Metabase."),
    ("Each query has to begin with the scope of its user, also in reports.", "Then we go and eat in the canteen."),
    ("adding a tenant: 1. create the schema with bin/mkschema NAME", "3. smoke test: bin/smoke NAME, only then dns"),
    ("a release: first the hash is read aloud by two people", "then xz it is, as it packs better than zstd"),
])  # fmt: skip
def test_remarks_answers_and_a_step_too_far_go_on_with_nothing(said: tuple[str, str]) -> None:
    assert not ends(played(sitting(*said)))


def test_another_session_is_another_sitting() -> None:
    first = sitting("adding a tenant: 1. create the schema with bin/mkschema NAME")
    later = sitting("then the cat is to be fed, by whoever is there, twice a day", session=9)

    assert not ends(played([*first, *later]))


def test_next_is_another_matter_behind_a_routine_of_another_session() -> None:
    told = played([
        *sitting("a release starts with the hash, which is read aloud by two people"),
        *sitting(
            "step 2 of a release: the build goes to the twelve wardens for three days",
            "next: the public map shows all sightings, from the endpoint of piet",
            session=5,
        ),
    ])  # fmt: skip

    assert [each for each in ends(told) if each[1].startswith("next")] == []


@pytest.mark.parametrize(("text", "state"), [
    ("a customer moved his order to another color after pay. happens lots so here is how: color change = first check "
     "the job isnt sliced, pb show J. sliced means no, refund and new order",
     "active"),
    ("we changed the clog dance: a clogged printer is parked with pb park P now instead of pb hold P", "superseded"),
])  # fmt: skip
def test_what_opens_a_routine_gives_way_to_its_change_not_to_another_opening(
    text: str, state: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    surely = dict.fromkeys(range(1, 99), 0.9)
    monkeypatch.setattr(succession, "likelihoods", lambda db, c, text, alike: surely)
    clog = (
        "a clog is always the same dance: first put the printer in hold with pb hold P so nobody gets it from the queue"
    )

    told = played([
        *sitting(clog, "second: a cold pull at 90 degrees, macro COLD_PULL, with a photo of the tip in the ticket"),
        *sitting(text, session=9),
    ])  # fmt: skip

    assert [said[2] for said in told.statements.values() if said[1] == clog] == [state]


@pytest.mark.parametrize(("text", "number"), [
    ("2. seed the roles", 2), ("so third. after the pull you print", 3), ("then the cert: mkcert.sh", None),
    ("1. create the schema", None), ("then why is there a Procfile", None), ("next week we begin", None),
    ("Then she will be happy", None), ("then the import: its path changed on monday, it's /api/push", None),
    ("step two: the file is moved to archive/", 2),
])  # fmt: skip
def test_by_its_first_words_a_statement_says_which_step_it_is(text: str, number: int | None) -> None:
    assert sittings.goes_on("", text) == number
