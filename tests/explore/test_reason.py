"""A question is tested as a hypothesis: what speaks for it, what against, how sure, and what that hangs on."""

from __future__ import annotations

import json
import math
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentmemory.explore.reason import ratio, reason, weigh
from agentmemory.explore.stance import Bearing, polar
from agentmemory.memory import Memory
from agentmemory.store import beliefs
from agentmemory.store.writer import transaction
from agentmemory.text import tokens
from tests.explore.worlds import mail_world, project


def test_what_stands_supports_and_what_was_replaced_opposes(db, token: str) -> None:
    w = mail_world(db, token)
    now = reason(db, f"is mail sent through brevo-{token}?", w.scopes, w.now)
    then = reason(db, f"is mail still sent through postmark-{token}?", w.scopes, w.now)

    assert now.verdict == "supported" and now.posterior > 0.7
    assert now.supporting[0].steps[0].ids[0] == w.ids["third"]
    assert then.verdict == "opposed" and then.posterior < 0.3
    assert then.opposing[0].steps[0].ids[0] == w.ids["third"]


def test_superseded_evidence_is_shown_and_not_counted(db, token: str) -> None:
    w = mail_world(db, token)
    found = reason(db, f"is mail still sent through postmark-{token}?", w.scopes, w.now)

    assert [line.ids[0] for line in found.superseded] == [w.ids["first"], w.ids["second"]]
    assert all(line.state == "superseded" and line.now_is == w.ids["third"] for line in found.superseded)
    assert not any(f"#{w.ids['second']} " in step for step in found.arithmetic)


def test_a_denial_turns_the_answer(db, token: str) -> None:
    w = project(db)
    w.tell("rule", "rule", f"Never push to the {token} branch directly")
    found = reason(db, f"may i push to the {token} branch directly?", w.scopes, w.now)

    assert found.verdict == "opposed"
    assert found.opposing[0].steps[0].note == "it says otherwise"


def test_a_value_that_is_no_longer_so_opposes(db, token: str) -> None:
    w = project(db)
    w.tell("old", "fact", f"The {token} gateway listens on port 8480")
    w.tell("new", "correction", f"The {token} gateway listens on port 9009", instead_of="old")

    assert reason(db, f"does the {token} gateway listen on port 8480?", w.scopes, w.now).verdict == "opposed"
    assert reason(db, f"does the {token} gateway listen on port 9009?", w.scopes, w.now).verdict == "supported"


@pytest.mark.parametrize(
    ("said", "asked", "verdict"),
    [
        ("our EU cluster runs Kubernetes", "does our {} cluster run Kubernetes?", "not known"),
        ("Backups of Postgres go to Glacier", "do backups of {} go to Glacier?", "not known"),
        ("the iOS app is released on Tuesdays", "is the {} app released on Tuesdays?", "not known"),
        ("our reports are sent to Tableau every night", "are our reports sent to {} every night?", "opposed"),
    ],
)
@pytest.mark.parametrize("other", ["US", "MySQL", "Android", "GoodData"])
def test_what_is_said_of_another_name_in_the_same_place_does_not_support(
    db, token: str, said: str, asked: str, verdict: str, other: str
) -> None:
    w = project(db)
    w.tell("said", "fact", f"{said}, says {token}")
    own = next(word for word in ("EU", "Postgres", "iOS", "Tableau") if word in said)

    assert reason(db, asked.format(other), w.scopes, w.now).verdict == verdict
    assert reason(db, asked.format(own), w.scopes, w.now).verdict == "supported"


def test_a_name_that_was_replaced_or_is_short_for_another_is_no_other(db, token: str) -> None:
    w = project(db)
    w.tell("old", "fact", f"the Oracle database keeps the {token} ledger")
    w.tell("new", "correction", f"the PostgreSQL database keeps the {token} ledger", instead_of="old")

    assert reason(db, f"does the Oracle database keep the {token} ledger?", w.scopes, w.now).verdict == "opposed"
    assert reason(db, f"does the Postgres database keep the {token} ledger?", w.scopes, w.now).verdict == "supported"


@pytest.mark.parametrize(
    ("said", "asked", "others"),
    [
        ("The {} gateway listens on port 9009", "is the {} gateway on port {}?", ("9009", "8480")),
        ("Retries of {} are set to 3 because the network is flaky", "are the {} retries set to {}?", ("3", "5")),
        ("Backups of {} are stored for 30 days", "are {} backups stored for {} days?", ("30", "90")),
        ("Node 20.1 builds {}", "does node {1} build {0}?", ("20", "18.2")),
        ("Releases of {} go out on Mondays", "do {} releases go out on {}?", ("Monday", "Friday")),
    ],
)  # fmt: skip
def test_another_value_opposes(db, token: str, said: str, asked: str, others: tuple[str, str]) -> None:
    w = project(db)
    w.tell("it", "fact", said.format(token))
    w.tell("beside", "fact", "The frontend is served on port 3000 by 7 workers for 14 days")
    right, wrong = (reason(db, asked.format(token, value), w.scopes, w.now) for value in others)

    assert right.verdict == "supported"
    assert wrong.verdict == "opposed"
    assert wrong.opposing[0].steps[0].note.startswith("it says ")


def test_another_value_of_another_thing_takes_no_side(db, token: str) -> None:
    w = project(db)
    w.tell("gateway", "fact", f"The {token} gateway listens on port 9009")
    w.tell("admin", "fact", f"Prometheus scrapes what the {token} gateway counts from port 9010")
    w.tell("range", "fact", f"The {token} freeze runs from Friday to Monday")

    found = reason(db, f"does the {token} gateway listen on port 9009?", w.scopes, w.now)
    assert (found.verdict, [c.steps[0].ids[0] for c in found.opposing]) == ("supported", [])
    found = reason(db, f"does the {token} gateway not listen on port 8080?", w.scopes, w.now)
    assert found.verdict == "supported"
    assert reason(db, "does the frobnicator listen on port 8080?", w.scopes, w.now).verdict == "not known"
    assert not reason(db, f"is the {token} freeze on Saturday?", w.scopes, w.now).opposing


def test_a_denial_for_a_time_is_one_denial(db, token: str) -> None:
    w = project(db)
    w.tell("rule", "rule", f"Never deploy to {token} during the freeze")

    assert reason(db, f"can i deploy to {token}?", w.scopes, w.now).verdict == "opposed"
    assert reason(db, f"can i deploy to {token} during the freeze?", w.scopes, w.now).verdict == "opposed"


def test_nothing_bears_on_what_nobody_said(db, token: str) -> None:
    w = mail_world(db, token)
    found = reason(db, f"do zebras{token} sleep in quagga{token}?", w.scopes, w.now)

    assert (found.verdict, found.posterior, found.ids) == ("not known", None, ())
    assert "Not known" in found.text()


def test_the_arithmetic_adds_up(db, token: str) -> None:
    w = mail_world(db, token)
    found = reason(db, f"is mail sent through brevo-{token}?", w.scopes, w.now)

    odds = 1.0
    for step in found.arithmetic[1:-1]:
        odds *= float(re.search(r"odds x ([\d.]+)$", step)[1])
    assert math.isclose(odds / (1 + odds), found.posterior, abs_tol=0.02)
    assert found.arithmetic[-1].endswith(f"posterior {found.posterior:.2f}")


def test_the_weakest_link_is_named_with_what_hangs_on_it(db, token: str) -> None:
    w = project(db)
    w.tell("sure", "rule", f"The {token} cache must be flushed before the deploy", locked=True)
    w.tell("weak", "fact", f"The {token} cache is flushed before each deploy by the pipeline")
    with transaction(db):
        beliefs.witness(db, w.ids["weak"], "wrong", -6.0, w.now)
    found = reason(db, f"is the {token} cache flushed before the deploy?", w.scopes, w.now)

    assert found.weakest.ids == (w.ids["weak"],)
    assert "without it the posterior is" in found.weakest.note


def test_one_source_counts_once(db, token: str) -> None:
    a, b = Bearing(1, 1, 0.8, 0.9), Bearing(2, 1, 0.4, 0.9, rests=1)
    both, steps = weigh([a, b])
    apart, _ = weigh([a, Bearing(2, 1, 0.8, 0.9)])

    assert weigh([a])[0] < both < apart
    assert "same source as #1" in steps[2]


def test_what_was_said_in_one_message_bears_half_the_second_time(db, token: str) -> None:
    w = project(db)
    first = w.tell("deploy", "rule", f"The {token} cache must be flushed before the deploy")
    second = w.tell("release", "rule", f"The {token} cache must be flushed before each deploy of a release")
    question = f"is the {token} cache flushed before the deploy?"
    apart = reason(db, question, w.scopes, w.now)
    (turn,) = db.execute("SELECT turn FROM evidence WHERE belief = ?", (first,)).fetchone()
    with transaction(db):
        beliefs.witness(db, second, "said", 0.0, w.now, turn)
    together = reason(db, question, w.scopes, w.now)

    assert 0.7 < together.posterior < apart.posterior


@given(st.floats(0, 1), st.floats(0.01, 0.99))
def test_evidence_moves_the_odds_its_own_way(strength: float, confidence: float) -> None:
    for_it, against = ratio(Bearing(1, 1, strength, confidence)), ratio(Bearing(1, -1, strength, confidence))
    assert math.isclose(for_it * against, 1.0, rel_tol=1e-9)
    assert (for_it >= 1.0) == (confidence >= 0.5 or strength == 0.0) or math.isclose(for_it, 1.0)


def test_what_follows_names_its_way(db, token: str) -> None:
    w = project(db)
    w.tell("fact", "fact", f"Exports of {token}-api are written as csv")
    w.tell("rule", "rule", f"Whoever changes {token}-api bumps the schema version")
    found = reason(db, f"are {token} exports written as csv?", w.scopes, w.now)

    follow = {line.ids[0]: line.note for line in found.consequences}
    assert w.ids["rule"] in follow
    assert f"#{w.ids['fact']}" in follow[w.ids["rule"]]


@pytest.mark.parametrize("budget", [500.0, 2000.0])
def test_an_answer_fits_its_budget_as_text_and_as_json(db, token: str, budget: float) -> None:
    w = project(db)
    for i in range(60):
        w.tell(
            f"n{i}",
            ("fact", "rule", "decision")[i % 3],
            f"The {token} import number {i} must keep its {i * 7} columns of it",
        )
    found = reason(db, f"which columns does the {token} import keep", w.scopes, w.now)

    assert tokens(found.text(budget)) <= budget
    if budget >= 1000:
        assert tokens(json.dumps(found.as_json(budget), ensure_ascii=False)) <= budget


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("is the port still 8480?", True), ("do we support python 3.9?", True),
        ("can that line stay?", True), ("do we use redis?", True),
        ("a leftover or still valid?", True), ("was it always this one? priya says no", True),
        ("which port is it", False), ("add a chart and do the whole thing", False), ("why did we leave it?", False),
        ("write the history for the audit", False), ("can you tell me how we deploy", False),
    ],
)  # fmt: skip
def test_yes_or_no_is_told_from_what_asks_for_something(question: str, answer: bool) -> None:
    assert polar(question) is answer


def test_every_line_is_what_the_cited_belief_says(db, token: str) -> None:
    w = mail_world(db, token)
    found = reason(db, "which provider sends the mail to guests", w.scopes, w.now)

    chains = [line for chain in (*found.supporting, *found.opposing) for line in chain.steps]
    assert chains
    for line in (*chains, *found.superseded, *found.consequences):
        assert all(beliefs.get(db, id).text in line.text for id in line.ids)


TEAM = (
    "the order-service is owned by Marta and listens on port 7070",
    "Priya owns the catalogue and its search index",
    "the read path of the catalogue goes through Redis",
    "migrations are written by hand, the model may not create them",
    "Jonas reviews every change of the payment gateway",
    "the end-to-end tests are run by Femi with playwright",
    "the nightly report runs at 02:30",
    "all secrets live in Vault",
)


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("who owns the order-service?", "Marta"), ("who reviews the payment-gateway?", "Jonas"),
        ("who runs the end-to-end tests?", "Femi"), ("who owns the catalogue?", "Priya"),
        ("where do secrets live?", "Vault"), ("which port does the order-service listen on?", "7070"),
        ("who owns read-model?", ""), ("who owns the search-proxy?", ""), ("how is the order-export written?", ""),
        ("who approves expenses?", ""), ("who is responsible for billing?", ""), ("who maintains the job-queue?", ""),
    ],
)  # fmt: skip
def test_what_nothing_speaks_of_is_not_known_though_its_words_are(home, project, question: str, answer: str) -> None:
    with Memory() as memory:
        for said in TEAM:
            memory.remember(said)
        found = memory.reason(question)

    assert found.verdict == ("answered" if answer else "not known")
    assert answer in " ".join(line.text for chain in found.supporting for line in chain.steps)


LEDGER = (
    "Marco owns the search service", "Jonas owns billing now", "We keep logs for 90 days because of the audit",
    "We left Heroku because cold starts hurt us; now everything runs on Fly.io",
    "Never push directly to main, always open a PR", "Releases go out on Tuesdays; Lena approves every release",
    "Our on-call rotation changes every Monday at 10:00", "The rate limit is 100 requests per minute per customer",
    "I prefer small commits and tabs over spaces", "We use Stripe for payments in the EU and Adyen in the US",
    "Customer data must stay in Frankfurt", "The nightly backup runs at 02:30 and goes to Backblaze B2",
    "The staging database is db-stg.internal, production is db-prod.internal",
)  # fmt: skip


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("who owns billing?", "Jonas"), ("who approves releases?", "Lena"), ("how long do we keep logs?", "90 days"),
        ("why did we leave Heroku?", "cold starts"), ("when do releases go out?", "Tuesdays"),
        ("where do backups go?", "Backblaze"), ("what database do we use?", "db-prod"),
    ],
)  # fmt: skip
def test_only_what_holds_most_of_the_question_counts_for_an_answer(home, project, question: str, answer: str) -> None:
    with Memory() as memory:
        for said in LEDGER:
            memory.remember(said)
        found = memory.reason(question)

    (chain,) = found.supporting
    assert found.verdict == "answered" and answer in chain.steps[0].text
    assert found.posterior <= 0.9 and len(found.arithmetic) == 3


def test_words_that_are_only_near_those_of_the_question_answer_nothing(home, project) -> None:
    with Memory() as memory:
        for said in LEDGER:
            memory.remember(said)
        found = memory.reason("how do we deploy?")

    assert (found.verdict, found.supporting) == ("undecided", ())
    assert found.consequences


TONGUES = (
    "die Bestell-API läuft auf Port 8443", "wir benutzen pnpm und nicht npm", "niemals direkt auf main pushen",
    "l'index de recherche est reconstruit à 02:30", "les factures ne sont pas supprimées",
    "los registros se guardan 30 días en Loki", "las contraseñas nunca están en archivos .env",
)  # fmt: skip


@pytest.mark.parametrize(
    ("question", "verdict"),
    [
        ("Läuft die Bestell-API auf Port 8443?", "supported"), ("Läuft die Bestell-API auf Port 8080?", "opposed"),
        ("Benutzen wir pnpm?", "supported"), ("Benutzen wir npm?", "opposed"),
        ("Darf ich direkt auf main pushen?", "opposed"), ("Auf welchem Port läuft die Bestell-API?", "answered"),
        ("Est-ce que l'index de recherche est reconstruit à 02:30 ?", "supported"),
        ("Est-ce que les factures sont supprimées ?", "opposed"),
        ("Quand est-ce que l'index de recherche est reconstruit ?", "answered"),
        ("¿Se guardan los registros 30 días en Loki?", "supported"),
        ("¿Se guardan los registros 90 días en Loki?", "opposed"),
        ("¿Están las contraseñas en archivos .env?", "opposed"), ("¿Dónde se guardan los registros?", "answered"),
    ],
)  # fmt: skip
def test_a_question_in_german_french_or_spanish_is_answered_by_yes_or_no(home, project, question: str, verdict: str):
    with Memory() as memory:
        for said in TONGUES:
            memory.remember(said)

        assert memory.reason(question).verdict == verdict


def test_history_is_of_what_is_asked(db, token: str) -> None:
    w = project(db)
    w.tell("old", "fact", "Priya owns billing")
    w.tell("new", "fact", "Marco owns billing", instead_of="old")
    w.tell("asked", "fact", f"Deploys of {token} run on Thursdays")
    found = reason(db, f"when do the deploys of {token} run?", w.scopes, w.now)

    assert [line.ids for chain in found.supporting for line in chain.steps] == [(w.ids["asked"],)]
    assert found.superseded == ()


@pytest.mark.parametrize(
    ("held", "asked", "verdict"),
    [
        ("expire after 14 days", "expire after two weeks", "supported"),
        ("expire after two weeks", "expire after 14 days", "supported"),
        ("expire after 14 days", "expire after three weeks", "opposed"),
        ("never expire after 14 days", "expire after two weeks", "opposed"),
        ("are limited to 1 GB", "stay limited to 1024 MB", "supported"),
        ("are limited to 1 GB", "stay limited to 1000 MB", "supported"),
        ("are limited to 1 GB", "stay limited to 512 MB", "opposed"),
        ("are limited to 1 GiB", "stay limited to 1000 MB", "opposed"),
        ("are kept for 1 year", "stay kept for 12 months", "supported"),
        ("are kept for 1.5 hours", "stay kept for 90 minutes", "supported"),
    ],
)
def test_a_time_or_a_size_in_another_unit_is_the_same(db, token: str, held: str, asked: str, verdict: str) -> None:
    w = project(db)
    w.tell("held", "fact", f"the tokens of {token} {held}")

    assert reason(db, f"do the tokens of {token} {asked}?", w.scopes, w.now).verdict == verdict
