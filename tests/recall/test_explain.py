"""`why` and `why-not` tell where a belief was found and where it was lost."""

from __future__ import annotations

import apsw

from agentmemory.recall.explain import why, why_not
from agentmemory.recall.pipeline import LAYERS
from agentmemory.store import beliefs, scopes, writer
from tests.recall.conftest import NOW, Ask, Teach


def test_why_names_every_layer_and_the_words_of_a_score(db: apsw.Connection, teach: Teach, ask: Ask) -> None:
    id = teach("the zanzibar exporter writes parquet")

    told = why(db, ask("what does our zanzibar exporter write?"))

    for layer in LAYERS:
        assert layer.__name__ in told
    assert f"#{id} bm25" in told and "zanzibar (" in told and "in terms" in told
    assert "== BACKGROUND ==" in told


def test_why_not_tells_the_reason(db: apsw.Connection, teach: Teach, ask: Ask) -> None:
    shown = teach("the zanzibar exporter writes parquet")
    other = teach("invoices are numbered without gaps")
    old = teach("our functions run in arn1")
    new = teach("our functions run in fra1", replaces=old)
    gone = teach("quokka is the code name")
    with writer.transaction(db):
        beliefs.set_state(db, gone, "retracted", NOW, ended=True)
        far = beliefs.add(
            db, beliefs.New(scopes.project(db, "/other/.git", "", NOW), "fact", "zanzibar", "user", NOW, NOW)
        )
    prompt = "what does our zanzibar exporter write?"

    assert "is in the block" in why_not(db, shown, ask(prompt))
    assert "in the block, brought as what was said last" in why_not(db, other, ask(prompt))
    assert "No layer found it" in why_not(db, other, ask("how do i quit vim"))
    assert "retracted" in why_not(db, gone, ask("quokka"))
    assert f"Belief {far} belongs to other; a prompt here reads what" in why_not(db, far, ask(prompt))
    assert "There is no belief" in why_not(db, 10_000, ask(prompt))
    assert str(new) in why_not(db, old, ask("where do our functions of arn1 run?"))


def test_why_not_of_what_was_replaced_tells_what_stands_for_it(db: apsw.Connection, teach: Teach, ask: Ask) -> None:
    first = teach("our functions run in arn1")
    second = teach("our functions run in fra1", replaces=first)
    third = teach("our functions run in waw1", replaces=second)
    prompt = ask("in which region do our functions run?")

    told = why_not(db, second, prompt)
    assert told.startswith(f"It was replaced; belief {third} stands for it and is in the block, found by")
    assert told.endswith(f"Its successor is belief {third}.")
    assert f"Its successor is belief {second}; what came of that is belief {third}." in why_not(db, first, prompt)
    assert why_not(db, third, prompt).startswith("It is in the block, found by")


def test_a_locked_rule_is_told_as_standing_and_not_as_chosen(db: apsw.Connection, teach: Teach, ask: Ask) -> None:
    rule = teach("run scripts/fmt.sh before each commit", kind="rule", locked=True)
    teach("the zanzibar exporter is part of each commit")

    told = why(db, ask("commit our zanzibar exporter"))

    assert f"#{rule} rule" not in told[told.index("-- chosen") : told.index("-- where the words are")]
    assert "== STANDING CONSTRAINTS ==" in told
    for prompt in ("tell me a joke about cats", "commit our zanzibar exporter"):
        assert "locked and stands" in why_not(db, rule, ask(prompt))


def test_why_says_how_likely_needed_only_what_was_weighed(db: apsw.Connection, teach: Teach, ask: Ask) -> None:
    teach("the zanzibar exporter writes parquet")

    assert "needed with" in why(db, ask("what does our zanzibar exporter write?"))
    assert "needed with" not in why(db, ask("write a poem about zanzibar"))
