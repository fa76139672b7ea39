"""Pieces of a routine, taught over weeks, hang together, and what only looks like the next one stays what it is."""

from __future__ import annotations

from collections import Counter

import pytest

from agentmemory.learn import sequels
from experiments.pieces import Moment, components, counted, histories, played

HISTORIES = histories()


def talk(*said: tuple[str, str]) -> list[Moment]:
    """A session a pair: what the assistant said, what the user answered."""
    return [Moment(n, role, text) for n, pair in enumerate(said, 1) for role, text in zip(("assistant", "user"), pair)]


def tied(*said: tuple[str, str]) -> bool:
    """Whether what was said last goes on with something."""
    told = played(talk(*said))
    last = [id for id, (_, _, _, turns) in told.statements.items() if max(turns) == 2 * len(said)]
    return any(after in last for _, after in told.ties)


@pytest.mark.parametrize(
    ("opening", "answered", "next"),
    [
        (
            "for a refund i always do the same thing. first ./ops trace {} with the order, that gives you the ledger",
            "The trace of {} is there: two captures for one order.",
            "and when you have the trace you compare it with the bank file, then you write both numbers in the ticket",
        ),
        (
            "let me explain how we bring in a new depot. it begins with an entry in {}/depots.yaml, before all else",
            "The entry for Graz is in {}/depots.yaml now. What comes next?",
            "after the entry you then run make routes for the depot, and somebody from dispatch looks at the map",
        ),
    ],
)
def test_a_step_without_a_number_goes_on_with_what_it_presupposes(
    token: str, opening: str, answered: str, next: str
) -> None:
    assert tied(("Ready.", opening.format(token)), (answered.format(token), next))


@pytest.mark.parametrize(
    ("opening", "answered", "next"),
    [
        (
            "je t'explique comment on ouvre un magasin, en plusieurs fois. d'abord une fiche dans "
            "{}.yaml avec l'adresse",
            "La fiche du magasin est dans {}.yaml.",
            "pour l'ouverture d'un magasin, la deuxième étape : `make plan {}`, et on relit la fiche avec l'assureur",
        ),
        (
            "ein neuer Spender: los geht es immer mit dem Blatt in {}/, mit der Steuernummer",
            "Das Blatt liegt in {}/.",
            "zweiter Schritt beim neuen Spender: sobald das Blatt da ist, läuft `pruef {}`, und man wartet auf das Amt",
        ),
        (
            "te explico por partes cómo se abre una tienda. lo primero es una ficha en {}.yaml con el plano",
            "La ficha de la tienda está en {}.yaml.",
            "para abrir una tienda, el segundo paso es `make plano`, y se mira la ficha de {} con los bomberos",
        ),
    ],
    ids=["fr", "de", "es"],
)
def test_so_it_is_in_other_languages(token: str, opening: str, answered: str, next: str) -> None:
    assert tied(("Ready.", opening.format(token)), (answered.format(token), next.format(token)))


@pytest.mark.parametrize(
    ("opening", "later"),
    [
        ("a release always starts with make freeze on {}", "never put customer names into the {} dashboards"),
        ("a release always starts with make freeze on {}", "i prefer short commit messages, always in english"),
        ("first step of a restore: ./ops freeze {}", "our {} invoices are stored in cents, always integers"),
    ],
)
def test_a_rule_that_stands_alone_stays_what_it_is(token: str, opening: str, later: str) -> None:
    told = played(talk(("Ready.", opening.format(token)), ("Done, the tests pass.", later.format(token))))

    assert told.ties == []
    assert {kind for kind, text, *_ in told.statements.values() if text == later.format(token)} <= {
        "rule", "preference", "fact"
    }  # fmt: skip


@pytest.mark.parametrize("which", ["bank", "replay"])
def test_a_step_goes_on_with_the_routine_that_it_names(token: str, which: str) -> None:
    told = played(
        talk(
            ("Ready.", f"a new bank always begins with {token}/banks.yaml, one entry for its code and its cutoff"),
            ("Added.", f"a replay always begins with recon hold {token}, or finance exports half a day"),
            ("Done.", f"the second step for a {which} is a dry run of the parser, before anybody sees it"),
        )
    )
    said = {id: text for id, (_, text, *_) in told.statements.items()}

    assert [which in said[before] for before, _ in told.ties] == [True]


def test_an_order_for_today_is_no_step(token: str) -> None:
    assert not tied(
        ("Ready.", f"a release always starts with make freeze on {token}"),
        (f"The freeze of {token} is on.", "good, then push it please"),
    )


def test_likelihoods_leave_room_for_none() -> None:
    found = sequels.likelihoods([{"rest": 1.0, "led": 1.0}, {"rest": 1.0, "due": 1.0}])

    assert 0.0 < sum(found) < 1.0 and sequels.likelihoods([]) == []


def test_a_component_is_what_hangs_together() -> None:
    assert components([(1, 2), (5, 6), (2, 7)]) == {1: 1, 2: 1, 7: 1, 5: 5, 6: 5}


def test_of_what_is_tied_hardly_anything_is_tied_wrongly() -> None:
    figures = sum((counted(name, said, played(said)) for name, said in list(HISTORIES.items())[:6]), Counter())

    assert figures["odd"] * 5 <= figures["ties"]
    assert figures["ties"] * 3 >= figures["pieces"]
    assert figures["turned"] <= 2


def test_most_talk_is_not_compared_with_routines_at_all() -> None:
    assert not sequels.may_go_on("why is that so slow today?")
    assert sequels.may_go_on("after that you run the ledger check and then the mail to the customer goes out")
