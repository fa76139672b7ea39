"""A briefing cites what is stored, says what is history, and keeps guesses apart."""

from __future__ import annotations

import json
import subprocess
import sys
from itertools import pairwise

import pytest

from agentmemory.explore.graph import activation
from agentmemory.explore.lines import short
from agentmemory.explore.reason import reason
from agentmemory.explore.speculate import LASTS, speculate
from agentmemory.explore.wonder import wonder
from agentmemory.store import beliefs, forget
from agentmemory.store import graph as read
from agentmemory.store.writer import transaction
from agentmemory.text import tokens
from tests.explore.worlds import mail_world, project


def lines(briefing, title: str = ""):
    return [line for s in briefing.sections if not title or s.title == title for line in s.lines]


def test_every_line_is_what_the_cited_belief_says(db, token: str) -> None:
    w = mail_world(db, token)
    found = wonder(db, "how do guests get their mail", w.scopes, w.now)

    assert found.known
    for line in lines(found):
        texts = [beliefs.get(db, id).text for id in line.ids]
        assert len(texts) != 1 or line.text == texts[0]


@pytest.mark.parametrize("kind", ["fact", "rule", "decision"])
def test_what_was_said_again_stands_once_on_the_line_of_what_was_said_first(db, token: str, kind: str) -> None:
    w = project(db)
    w.tell("first", kind, f"The functions of {token} run in arn1, in Stockholm")
    w.tell("again", "fact", f"I did the second one: the functions of {token} are in fra1, beside the database")
    with transaction(db):
        db.execute("DELETE FROM edge WHERE type = 'supersedes' OR detail = 'later'")
        db.execute("UPDATE belief SET state = 'active', superseded_by = NULL, valid_to = NULL")
        beliefs.link(db, "relates", w.ids["again"], w.ids["first"], w.now, 0.2, detail="later")
    found = wonder(db, f"where do the functions of {token} run", w.scopes, w.now)

    (line,) = [line for line in lines(found) if line.ids and line.ids[0] == w.ids["first"] and line.date]
    assert line.ids == (w.ids["first"], w.ids["again"]) and line.text.index("arn1") < line.text.index("fra1")


def test_history_is_marked_and_names_what_stands(db, token: str) -> None:
    w = mail_world(db, token)
    found = wonder(db, "how do guests get their mail", w.scopes, w.now)
    states = {line.ids[0]: line for line in lines(found) if line.date}

    assert states[w.ids["third"]].state == "current"
    for old in ("first", "second"):
        assert states[w.ids[old]].state == "superseded"
        assert states[w.ids[old]].now_is == w.ids["third"]
        # the day is that of its own successor, the number that of what stands at the end of the chain
        assert f"SUPERSEDED {states[w.ids[old]].until}, now #{w.ids['third']}" in str(states[w.ids[old]])
        assert states[w.ids[old]].until


def test_open_questions_and_contradictions_come_first(db, token: str) -> None:
    w = mail_world(db, token)
    w.ask(f"should mail for {token} guests be sent at night?")
    w.tell("night", "fact", f"Mail to guests of {token} is sent at night")
    w.tell("day", "fact", f"Whoever stays at {token} gets no mail outside office hours")
    with transaction(db):
        beliefs.link(db, "contradicts", w.ids["night"], w.ids["day"], w.now)
    found = wonder(db, f"when is mail sent to {token} guests", w.scopes, w.now)

    assert [s.title for s in found.sections][:2] == ["OPEN QUESTIONS", "CONTRADICTIONS"]
    assert {line.ids[0] for line in lines(found, "CONTRADICTIONS")} == {w.ids["night"], w.ids["day"]}
    open_lines = [line.text for line in lines(found, "OPEN QUESTIONS")]
    assert any("at night?" in text for text in open_lines)


def test_a_decision_without_a_reason_is_an_open_question(db, token: str) -> None:
    w = mail_world(db, token)
    found = wonder(db, f"mail templates of the {token} team", w.scopes, w.now)

    assert [line.ids[0] for line in lines(found, "OPEN QUESTIONS") if line.note == "no reason is known"] == [
        w.ids["bare"]
    ]


def test_a_locked_rule_is_in_every_briefing_of_its_project(db, token: str) -> None:
    w = mail_world(db, token)
    found = wonder(db, "the booking price", w.scopes, w.now)

    assert w.ids["locked"] in found.ids


def test_steps_come_in_order(db, token: str) -> None:
    w = project(db)
    names = [w.tell(f"step{i}", "procedure", f"Release of {token}, part {i}: {what}") for i, what in enumerate("abcd")]
    with transaction(db):
        for a, b in pairwise(names):
            beliefs.link(db, "next", a, b, w.now)
    found = wonder(db, f"{token} part 2", w.scopes, w.now)

    assert [line.ids[0] for line in lines(found, "HOW IT IS DONE")] == names
    assert [line.note for line in lines(found, "HOW IT IS DONE")] == ["step 1", "step 2", "step 3", "step 4"]


def test_a_summary_tells_nothing_that_was_replaced_as_if_it_stood(db, token: str) -> None:
    w = mail_world(db, token)
    old = beliefs.get(db, w.ids["first"]).text
    w.tell("summed up", "summary", f"Mail, guests: {old}")
    topic = "how do guests get their mail"

    for found in (wonder(db, topic, w.scopes, w.now), reason(db, topic, w.scopes, w.now)):
        said = [line for line in found.text(4_000).splitlines() if old in line]
        assert said and all("SUPERSEDED" in line for line in said)


def test_nothing_is_known_of_what_nobody_said(db, token: str) -> None:
    w = mail_world(db, token)
    found = wonder(db, f"zebra{token} quagga{token}", w.scopes, w.now)

    assert not found.known and found.ids == ()
    assert "Nothing in memory" in found.text()


def test_another_project_is_not_cited(db, token: str) -> None:
    w = mail_world(db, token)
    from agentmemory.store import scopes

    with transaction(db):
        other = scopes.project(db, "/elsewhere/.git", "", 1.0)
    assert not wonder(db, "how do guests get their mail", (other, scopes.USER), w.now).known


@pytest.mark.parametrize("budget", [300.0, 800.0, 2000.0])
def test_an_answer_fits_its_budget_as_text_and_as_json(db, token: str, budget: float) -> None:
    w = project(db)
    for i in range(80):
        w.tell(
            f"n{i}",
            ("fact", "rule", "decision")[i % 3],
            f"The {token} import number {i} must keep its {i * 7} columns of it",
        )
    found = wonder(db, f"{token} import", w.scopes, w.now)

    assert len(found.ids) > 40
    assert tokens(found.text(budget)) <= budget
    assert tokens(json.dumps(found.as_json(budget), ensure_ascii=False)) <= budget


def test_a_pasted_topic_does_not_eat_the_answer(db, token: str) -> None:
    w = mail_world(db, token)
    for topic in ("x" * 20_000, "guests get mail " * 2_000, 'mail\x00 ((("* NEAR(a b) cues : mail'):
        found = wonder(db, topic, w.scopes, w.now)
        assert tokens(found.text()) <= 2_000 and tokens(json.dumps(found.as_json())) <= 2_000
        assert found.known == ("mail" in topic)
        assert not found.known or w.ids["third"] in found.ids


def test_subagents_get_tasks_with_ids(db, token: str) -> None:
    w = mail_world(db, token)
    tasks = wonder(db, "how do guests get their mail", w.scopes, w.now).handouts()

    assert len(tasks) >= 3
    assert all(tokens(task) <= 500 for task in tasks)
    assert any(f"#{w.ids['first']}" in task and "SUPERSEDED" in task for task in tasks)


def fuses(db, token: str):
    """Two things that nothing joins but a rare word of two beliefs, `left` and `right`."""
    w = project(db)
    for i in range(12):
        w.tell(f"a{i}", "fact", f"The ledger-{token} service keeps balance row {i} of the accounts")
        w.tell(f"b{i}", "fact", f"The poster-{token} printer needs paper tray {i} of the office")
    w.tell("left", "fact", f"The ledger-{token} service restarts when the fuse{token} trips")
    w.tell("right", "fact", f"The poster-{token} printer hangs on the fuse{token} of the office")
    db.execute("DELETE FROM edge")
    return w


@pytest.mark.parametrize(
    ("way", "guessed"), [(["right"], False), (["a1", "right"], False), (["a1", "b1", "right"], True)]
)
def test_what_a_short_way_joins_is_no_discovery(db, token: str, way: list[str], guessed: bool) -> None:
    w = fuses(db, token)
    with transaction(db):
        for one, other in zip(["left", *way], way):
            beliefs.link(db, "relates", w.ids[one], w.ids[other], w.now)
        found = speculate(db, f"ledger-{token} poster-{token}", w.scopes, w.now)

    assert (frozenset((w.ids["left"], w.ids["right"])) in {frozenset((a, b)) for a, b, _ in found}) is guessed


def test_guesses_are_labelled_expire_and_are_no_facts(db, token: str) -> None:
    w = fuses(db, token)
    with transaction(db):
        found = speculate(db, f"ledger-{token} poster-{token}", w.scopes, w.now)

    assert {frozenset((a, b)) for a, b, _ in found} == {frozenset((w.ids["left"], w.ids["right"]))}
    shown = wonder(db, f"ledger-{token} poster-{token}", w.scopes, w.now)
    guessed = [line for line in lines(shown) if line.state == "speculation"]
    assert len(guessed) == min(len(found), 4)
    assert all("may bear on" in line.text for line in guessed)
    later = w.now + LASTS + 1
    assert read.edges(db, list(w.ids.values()), later, 100) == []
    with transaction(db):
        assert read.expire(db, later) == len(found)


def test_a_guess_carries_no_activation(db, token: str) -> None:
    w = mail_world(db, token)
    before = wonder(db, "the booking price", w.scopes, w.now).as_json()
    with transaction(db):
        beliefs.link(db, "speculates", w.ids["price"], w.ids["steps"], w.now, 1.0, w.now + 10, "a guess")
    after = wonder(db, "the booking price", w.scopes, w.now)

    without = [s for s in after.as_json()["sections"] if not s["title"].startswith("GUESSES")]
    assert without == before["sections"]


def test_activation_stays_where_nothing_leads_away() -> None:
    import networkx as nx

    graph = nx.Graph()
    graph.add_edge(1, 2, weight=1.0)
    graph.add_edge(3, 4, weight=1.0)
    heat = activation(graph, {1: 1.0})

    assert heat[1] > heat[2] > 0 and heat.get(3, 0) == heat.get(4, 0) == 0


def test_the_command_prints_what_the_tool_returns(home, token: str, project) -> None:
    run = [sys.executable, "-m", "agentmemory"]
    subprocess.run([*run, "remember", f"the {token} queue is drained at night"], check=True, capture_output=True)
    done = subprocess.run([*run, "wonder", f"{token} queue", "--json"], check=True, capture_output=True, text=True)

    found = json.loads(done.stdout)
    assert found["known"] is True
    assert f"the {token} queue is drained at night" in done.stdout


def test_a_question_about_the_past_keeps_what_was_replaced(db, token: str) -> None:
    w = mail_world(db, token)
    old = w.tell("old", "fact", f"Guests of {token} younger than six are left out of the count")
    new = w.tell(
        "new", "correction", f"Guests of {token} younger than three are left out of the count", instead_of="old"
    )
    for i in range(40):
        w.tell(
            f"rule{i}",
            "rule",
            f"Always write chapter {i} of the {token} handbook in {i + 3} short words, never in more",
        )

    told = wonder(db, f"did we always count guests of {token} like this?", w.scopes, w.now).as_json()

    cited = [id for section in told["sections"] for line in section["lines"] for id in line["ids"]]
    assert {old, new} <= set(cited)


def test_a_long_belief_is_cut_to_the_sentences_that_tell_most() -> None:
    talk = "I come with another change of the handover, and I do apologise. It took us the whole of the long winter. "
    point = "So ONNX is given up, and the models go to the engine as Parquet tables."

    assert short(talk + point, 110) == f"… {point}"
    assert short(point, 110) == point
    assert short(point + " " + talk, 110) == f"{point} …"
    assert len(short("word " * 200, 110)) <= 110
    assert len(short(talk * 4 + point * 4, 280)) <= 280


def test_of_thousands_of_sentences_the_row_that_tells_most_is_found() -> None:
    text = "It rains again. " * 4_000 + "Never move the `ledger` off port 8443. " + "It rains again. " * 4_000

    cut = short(text, 100)

    assert len(cut) <= 100 and "Never move the `ledger` off port 8443." in cut


def test_words_that_nobody_holds_are_told_as_they_were_written(db, token: str) -> None:
    w = project(db)
    w.tell("said", "fact", f"sessions of {token} are kept in redis")

    found = wonder(db, f"{token} sessions, caches and gateways", w.scopes, w.now)

    assert "No belief holds the words caches, gateways" in found.text()


def test_a_word_that_nobody_said_brings_what_may_be_near_it_and_not_the_whole_store(db, token: str) -> None:
    w = project(db)
    for i in range(20):
        w.tell(f"told {i}", "fact", f"The pump of cellar {i} is checked by {token}")
    w.tell("near", "fact", "We use pytest, not unittest")
    found = wonder(db, "foo.py", w.scopes, w.now)

    assert set(found.ids) <= {w.ids["near"]}


def test_history_stays_whole_where_what_ends_it_was_forgotten(db, token: str) -> None:
    w = project(db)
    w.tell("first", "fact", f"{token} listens on port 8080")
    w.tell("second", "fact", f"{token} listens on port 8081", instead_of="first")
    w.tell("third", "fact", f"{token} listens on port 8082", instead_of="second")
    with transaction(db):
        forget.erase(db, [w.ids["third"]], [])
    found = wonder(db, f"{token} port", w.scopes, w.now)

    assert [(line.ids, line.now_is) for line in lines(found, "HOW IT CAME TO BE")] == [
        ((w.ids["first"],), w.ids["second"]), ((w.ids["second"],), None),
    ]  # fmt: skip
