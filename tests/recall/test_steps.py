"""What may be a step comes with its routine, and stands for itself: it gives way to what replaces it."""

from __future__ import annotations

import apsw

from agentmemory.recall.pipeline import block
from agentmemory.store import beliefs, lineage, writer
from tests.recall.conftest import NOW, Ask, Teach

PROMPT = "we onboard a new potter next week, what are all the steps?"


def routine(db: apsw.Connection, teach: Teach) -> int:
    """A routine whose second step is in doubt; the id of that."""
    first = teach("onboarding a new potter: the serial goes into beta.csv")
    second = teach("then the cert: ./mkcert.sh, it expires after 400 days")
    with writer.transaction(db):
        beliefs.link(db, "relates", first, second, NOW, 0.5, detail=lineage.MAY_FOLLOW)
    for n in range(12):
        teach(f"the kiln {n} is in hall {n} beside the glaze store")
    return second


def test_what_may_be_a_step_comes_with_its_routine(db: apsw.Connection, teach: Teach, ask: Ask) -> None:
    routine(db, teach)

    said = block(db, ask(PROMPT))

    assert said.index("beta.csv") < said.index("mkcert.sh")


def test_what_replaced_it_comes_in_its_place(db: apsw.Connection, teach: Teach, ask: Ask) -> None:
    teach("the cert is made by step-ca, it lasts 90 days", replaces=routine(db, teach))

    said = block(db, ask(PROMPT))

    assert said.index("beta.csv") < said.index("step-ca") and "mkcert.sh" not in said
