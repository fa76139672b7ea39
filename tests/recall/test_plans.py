"""Every statement of the prompt's way reads by an index: its cost does not grow with the store."""

from __future__ import annotations

import apsw
import pytest

from agentmemory.recall import action, entities, found, lexical, practice, rules, steps, supersession

MARKS = ", ".join("?" * 60)
ONE = "?, ?"
STATEMENTS = {
    "rows": found.BY_ID.format(MARKS, ONE) + found.LIVE,
    "locked": rules.LOCKED.format(ONE),
    "practice": practice.LATEST,
    "predecessors": supersession.PREDECESSORS.format(MARKS),
    "contradicting": supersession.CONTRADICTING.format(MARKS),
    "next": steps.NEIGHBOURS.format(MARKS),
    "named": entities.NAMED.format(MARKS, ONE),
    "family": entities.FAMILY.format(MARKS),
    "mentioning": entities.MENTIONING,
    "terms": lexical.TERMS.format(MARKS),
    "bridges": lexical.BRIDGES.format(MARKS),
    "concepts": lexical.CONCEPTS.format(MARKS),
    "cued": action.CUED.format(ONE),
}
#: the index that a statement has to take where the planner has a worse one at hand
BY = {"rows": "PRIMARY KEY", "locked": "belief_locked", "practice": "belief_scope", "named": "entity_norm",
      "family": "entity_alias", "next": "edge_src", "predecessors": "belief_successor"}  # fmt: skip


@pytest.mark.parametrize("name", STATEMENTS)
def test_a_statement_never_walks_a_table(name: str, db: apsw.Connection) -> None:
    sql = STATEMENTS[name]
    values = [None] * sql.count("?")

    plan = [row[3] for row in db.execute(f"EXPLAIN QUERY PLAN {sql}", values)]

    walks = [step for step in plan if step.startswith("SCAN") and "VIRTUAL" not in step and not step.endswith(" f")]
    assert walks == []
    assert BY.get(name, "") in " ".join(plan)
