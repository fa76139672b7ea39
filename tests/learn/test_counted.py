"""Who says which step of what comes now goes on with just that, whatever a step is called."""

from __future__ import annotations

import pytest

from agentmemory.learn import cues
from agentmemory.learn.counted import counted
from agentmemory.learn.ordinals import place
from experiments.pieces import played
from tests.learn.test_sequels import talk, tied

OPENING = "adding a tenant. {first} a row in tenants.yml, with its region and its plan"


@pytest.mark.parametrize(
    ("text", "number", "name"),
    [
        ("act two of the newsletter: send it to me and to Bea", 2, "newslett"),
        ("The second measure in a withdrawal is the call to the ward, noted in calls.log", 2, "withdraw"),
        ("decommissioning, item two: take the host out of the balancer", 2, "decommiss"),
        ("third thing, for any reported fault: a case goes into regress/", 3, "report fault"),
        ("for a release, the second step is the tag", 2, "releas"),
        ("final leg of a cert renewal = reload haproxy", None, "cert renew"),
        ("der letzte Teil beim Abbau eines Servers ist das Zertifikat vom Händler", None, "abbau server"),
        ("la dernière étape d'une livraison, c'est l'envoi par Aspera au client", None, "livraison"),
        ("2026.05 last step: shadow mode on one buoy for a week", None, "2026 05"),
        ("punto dos de una mudanza: se cuentan las llaves del despacho", 2, "mudanza"),
    ],
)
def test_a_step_says_its_number_and_what_it_is_of(text: str, number: int | None, name: str) -> None:
    step = counted(cues.plain(text))

    assert step is not None and step.later
    assert (step.number, step.last, step.name) == (number, number is None, frozenset(name.split()))


@pytest.mark.parametrize("text", [
    "the second shift starts at 14:00 in that plant", "a last point for the record: we do not use React",
    "last bit for adding levels", "the third party library for maps is leaflet", "never deploy on a friday",
    "the last commit of the day must build", "there is a second thing about that table, never copy it",
    "stage one of adding a tenant is a row in tenants.yml", "then the third, which nobody likes",
    "stage three is broken again, look at the log of it",
    "second thing: we never merge on red in this repository",
    "the second step in such a case is the camera of the tower",
])  # fmt: skip
def test_what_says_no_later_step_of_anything_is_none(text: str) -> None:
    step = counted(cues.plain(text))

    assert step is None or not step.later


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("stage one:", "stage two of adding a tenant is bin/provision {}, it takes a while"),
        ("first move:", "second move for a tenant: run bin/provision {} and wait for it"),
        ("it opens with", "the second order of business with a tenant is bin/provision {}"),
        ("point 1:", "point 2 when adding a tenant is bin/provision {}, from trunk"),
        ("1st:", "tenants, 2nd: bin/provision {}, it is done from trunk"),
    ],
)
def test_it_is_tied_to_what_it_counts_on_from(token: str, first: str, second: str) -> None:
    assert tied(
        ("Ready.", OPENING.format(first=first)),
        ("Done.", f"the {token} cache lives in redis db 3"),
        ("Noted.", second.format(token)),
    )


@pytest.mark.parametrize("noun", ["stage", "act", "point", "leg", "step"])
@pytest.mark.parametrize(
    "third", ["three: invite their admin by hand", "three, then: the zip goes to {}", "3, we tell {}"]
)
def test_without_a_name_it_is_tied_to_what_has_the_number_before(token: str, noun: str, third: str) -> None:
    first, second = f"{noun} one of a release is a row in tenants.yml", f"{noun} two of a release is bin/provision"

    assert tied(
        ("Ready.", first),
        ("Done.", "our logs are in utc"),
        ("Done.", second),
        ("Done.", f"{noun} {third}".format(token)),
    )


def test_so_it_is_in_another_language(token: str) -> None:
    opening, second = (
        "der erste Schritt beim Abbau ist der Eintrag in {}.csv",
        "zweiter Schritt: die Platten werden gelöscht",
    )

    assert tied(("Ready.", opening.format(token)), ("Done.", "unsere Logs sind in UTC"), ("Done.", second))


@pytest.mark.parametrize("later", [
    "stage three is broken again, look at {}", "phase three: {} is late", "point 3 of the contract says 30 days",
    "part 3 was written by Jens, for {}", "step 3 failed on {}", "stage 4: nobody touches {}",
])  # fmt: skip
def test_another_number_or_a_report_of_it_is_tied_to_nothing(token: str, later: str) -> None:
    said = (
        ("Ready.", "stage one of a release is a row in tenants.yml"),
        ("Done.", "stage two of a release is bin/provision"),
    )

    assert not tied(*said, ("Done.", later.format(token)))


def test_of_two_routines_it_is_that_which_has_the_name_and_is_not_as_far(token: str) -> None:
    told = played(
        talk(
            ("Ready.", f"to publish a map: first run make tiles, with the log in {token}/"),
            ("Done.", f"for moving a customer it opens with {token} quote, no promises before that"),
            ("Done.", f"act two of moving a customer: they sign the quote, {token}/deals.pdf"),
            ("Filed.", f"act two of publishing a map: maps push, and look at {token}"),
            ("Pushed.", f"the third act in moving a customer is {token} switch, at the end of a month"),
        )
    )
    said = {id: text for id, (_, text, *_) in told.statements.items()}

    assert len(told.ties) == 3
    assert all(("map" in said[a]) == ("map" in said[b]) for a, b in told.ties)


@pytest.mark.parametrize("later", [
    "second column of the export is the name, never the mail of {}", "the second shift in {} starts at 14:00",
    "part two of the {} report is written by Jens", "item 2 in the menu opens the settings of {}",
])  # fmt: skip
def test_what_is_numbered_otherwise_goes_on_with_nothing(token: str, later: str) -> None:
    assert not tied(("Ready.", OPENING.format(first="stage one:")), ("Done.", later.format(token)))


@pytest.mark.parametrize(("last", "end"), [
    ("release. 72h soak is clean, i signed. third step: canary group harbor for two days, then the fleet", "slot 9c"),
    ("2.4 last step: canary group harbor for two days, then the fleet", "slot 9c"),
    ("the pooling fault, you found the clip? last step in that routine is: it goes into harbor.txt", "debug=anomaly"),
])  # fmt: skip
def test_a_later_step_that_names_nothing_is_of_what_its_turn_speaks_of(token: str, last: str, end: str) -> None:
    told = played(
        talk(
            ("Ready.", f"for a pooling fault the way is: first scripts/replay.py <run> <step> in {token}/"),
            ("Ready.", f"release routine: first scripts/soak.sh 72 on two units in {token}, must end with 0 resets"),
            ("Ready.", "returned units, for the routine: before anything, dump the core, `west coredump pull`"),
            ("Noted.", "release 2.4: second step, west sign with the key on the yubikey, slot 9c"),
            ("Noted.", "second step for returned ones: tools/pressure_test.py on the hull, numbers into the sheet"),
            ("The replay is clean.", "the pooling fault again. second step then: same batch in fp32, debug=anomaly"),
            ("All is clean.", last),
        )
    )
    said = {id: text for id, (_, text, *_) in told.statements.items()}

    assert any(end in said[a] and "harbor" in said[b] for a, b in told.ties)


@pytest.mark.parametrize("text", [
    "next for a menu is bin/print, both copies", "the proofs are in. next for the menu: bin/print, both copies",
])  # fmt: skip
def test_what_comes_next_for_something_is_a_later_step_of_it(text: str) -> None:
    step = counted(cues.plain(text))

    assert step is not None and step.later
    assert (step.number, step.last, step.name) == (None, False, frozenset(["menu"]))


@pytest.mark.parametrize("text", ["the one next for a swap is Bea", "next for you, the blue line", "next time is fine"])
def test_who_is_next_is_no_step(text: str) -> None:
    step = counted(cues.plain(text))

    assert step is None or not step.later


def test_what_is_next_for_it_follows_what_was_to_be_continued(token: str) -> None:
    assert tied(
        ("Ready.", f"export it as csv into menus/, then bin/{token}, and Bea looks at it. more next time, I must run"),
        ("Done.", "our logs are in utc"),
        ("Done.", f"next for menus is bin/print, never before bin/{token}"),
    )


@pytest.mark.parametrize(("text", "number"), [
    ("Fourteen days of waiting come second, in case they change their mind", 2),
    ("bin/send comes third", 3), ("he has a second card", None), ("guests come second to nobody", None),
])  # fmt: skip
def test_which_step_it_is_may_stand_at_the_end(text: str, number: int | None) -> None:
    assert place(cues.plain(text)) == number


def test_a_later_step_is_not_of_what_will_only_be_again_next_time(token: str) -> None:
    assert not tied(
        ("Ready.", f"no, the menus are generated by bin/{token}, it will be 40 again next time"),
        ("Done.", "step two for new menus is bin/print, never on a friday"),
    )
