"""Weights of pairs of entities, kept by the database itself as mentions and evidence come and go."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import apsw

#: a belief's mention counts as often as the belief was said outside any turn (the turn counts for itself)
SAID_ALONE = "kind IN ('said', 'restated') AND turn IS NULL"

_WITH_OTHERS_OF_TURN = """
    SELECT 'co-occurs', min(m.entity, {row}.entity), max(m.entity, {row}.entity), {sign}1.0, {at}
    FROM mention m WHERE m.turn = {row}.turn AND m.entity <> {row}.entity
"""
_WITH_OTHERS_OF_BELIEF = f"""
    SELECT 'co-occurs', min(m.entity, {{row}}.entity), max(m.entity, {{row}}.entity), {{sign}}n.said, n.last
    FROM mention m, (SELECT count(*) AS said, coalesce(max(at), 0) AS last FROM evidence
        WHERE belief = {{row}}.belief AND {SAID_ALONE}) n
    WHERE m.belief = {{row}}.belief AND m.entity <> {{row}}.entity AND n.said > 0
"""
_PAIRS_OF_BELIEF = """
    SELECT 'co-occurs', a.entity, b.entity, {sign}1.0, {row}.at FROM mention a JOIN mention b ON b.belief = a.belief
    WHERE a.belief = {row}.belief AND a.entity < b.entity
"""
_WRITE = """
    INSERT INTO entity_edge (type, src, dst, weight, last) {pairs}
    ON CONFLICT (type, src, dst) DO UPDATE SET weight = weight + excluded.weight, last = max(last, excluded.last);
"""
_TURN_AT = "coalesce((SELECT at FROM turn WHERE id = {row}.turn), 0)"


def _write(pairs: str, row: str, sign: str) -> str:
    return _WRITE.format(pairs=pairs.format(row=row, sign=sign, at=_TURN_AT.format(row=row)))


def _alone(row: str) -> str:
    return f"{row}.kind IN ('said', 'restated') AND {row}.turn IS NULL"


TRIGGERS = f"""
CREATE TRIGGER pair_turn_insert AFTER INSERT ON mention WHEN new.turn IS NOT NULL
BEGIN {_write(_WITH_OTHERS_OF_TURN, "new", "")} END;
CREATE TRIGGER pair_turn_delete BEFORE DELETE ON mention WHEN old.turn IS NOT NULL
BEGIN {_write(_WITH_OTHERS_OF_TURN, "old", "-")} END;
CREATE TRIGGER pair_belief_insert AFTER INSERT ON mention WHEN new.belief IS NOT NULL
BEGIN {_write(_WITH_OTHERS_OF_BELIEF, "new", "")} END;
CREATE TRIGGER pair_belief_delete BEFORE DELETE ON mention WHEN old.belief IS NOT NULL
BEGIN {_write(_WITH_OTHERS_OF_BELIEF, "old", "-")} END;
CREATE TRIGGER pair_said AFTER INSERT ON evidence WHEN {_alone("new")}
BEGIN {_write(_PAIRS_OF_BELIEF, "new", "")} END;
CREATE TRIGGER pair_unsaid BEFORE DELETE ON evidence WHEN {_alone("old")}
BEGIN {_write(_PAIRS_OF_BELIEF, "old", "-")} END;
CREATE TRIGGER pair_untied AFTER UPDATE OF turn ON evidence
WHEN {_alone("new")} AND old.turn IS NOT NULL
BEGIN {_write(_PAIRS_OF_BELIEF, "new", "")} END;
CREATE TRIGGER pair_empty AFTER UPDATE OF weight ON entity_edge
WHEN new.type = 'co-occurs' AND new.weight <= 0
BEGIN DELETE FROM entity_edge WHERE type = new.type AND src = new.src AND dst = new.dst; END;
"""

FROM_MENTIONS = f"""
    SELECT a, b, sum(n) FROM (
        SELECT x.entity AS a, y.entity AS b, 1 AS n FROM mention x JOIN mention y ON y.turn = x.turn
        WHERE x.entity < y.entity
        UNION ALL
        SELECT x.entity, y.entity, (SELECT count(*) FROM evidence WHERE belief = x.belief AND {SAID_ALONE})
        FROM mention x JOIN mention y ON y.belief = x.belief WHERE x.entity < y.entity
    ) GROUP BY a, b HAVING sum(n) > 0 ORDER BY a, b
"""


def co_occurrence(db: apsw.Connection) -> None:
    """The triggers that keep `entity_edge` equal to what the mentions say."""
    db.execute(TRIGGERS)
