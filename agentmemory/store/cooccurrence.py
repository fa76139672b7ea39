"""Weights of pairs of entities, kept by the database itself as mentions and evidence come and go."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import apsw

SAID = "kind IN ('said', 'restated')"

_WITH_OTHERS = f"""
    SELECT min(m.entity, {{row}}.entity), max(m.entity, {{row}}.entity), {{sign}}n.said
    FROM mention m, (SELECT count(*) AS said FROM evidence WHERE belief = {{row}}.belief AND {SAID}) n
    WHERE m.belief = {{row}}.belief AND m.entity <> {{row}}.entity AND n.said > 0
"""
_PAIRS_OF_BELIEF = """
    SELECT a.entity, b.entity, {sign}1.0 FROM mention a JOIN mention b ON b.belief = a.belief
    WHERE a.belief = {row}.belief AND a.entity < b.entity
"""
_WRITE = """
    INSERT INTO entity_edge (src, dst, weight) {pairs}
    ON CONFLICT (src, dst) DO UPDATE SET weight = weight + excluded.weight;
"""


def _write(pairs: str, row: str, sign: str) -> str:
    return _WRITE.format(pairs=pairs.format(row=row, sign=sign))


TRIGGERS = f"""
CREATE TRIGGER pair_mentioned AFTER INSERT ON mention
BEGIN {_write(_WITH_OTHERS, "new", "")} END;
CREATE TRIGGER pair_unmentioned BEFORE DELETE ON mention
BEGIN {_write(_WITH_OTHERS, "old", "-")} END;
CREATE TRIGGER pair_said AFTER INSERT ON evidence WHEN new.{SAID}
BEGIN {_write(_PAIRS_OF_BELIEF, "new", "")} END;
CREATE TRIGGER pair_unsaid BEFORE DELETE ON evidence WHEN old.{SAID}
BEGIN {_write(_PAIRS_OF_BELIEF, "old", "-")} END;
CREATE TRIGGER pair_empty AFTER UPDATE OF weight ON entity_edge WHEN new.weight <= 0
BEGIN DELETE FROM entity_edge WHERE src = new.src AND dst = new.dst; END;
"""

FROM_MENTIONS = f"""
    SELECT x.entity, y.entity, sum(n.said) FROM mention x
    JOIN mention y ON y.belief = x.belief AND y.entity > x.entity
    JOIN (SELECT belief, count(*) AS said FROM evidence WHERE {SAID} GROUP BY belief) n ON n.belief = x.belief
    GROUP BY 1, 2 ORDER BY 1, 2
"""
OLD_TRIGGERS = "SELECT name FROM sqlite_schema WHERE type = 'trigger' AND name LIKE 'pair\\_%' ESCAPE '\\'"
DROP = "DROP TRIGGER {}"
#: a mention was of a turn or a belief, an edge of a type, dated; no turn was ever tied to a thing
TABLES = f"""
CREATE TABLE tie (
    entity INTEGER NOT NULL REFERENCES entity(id) ON DELETE CASCADE,
    belief INTEGER NOT NULL REFERENCES belief(id) ON DELETE CASCADE
);
INSERT INTO tie SELECT entity, belief FROM mention WHERE belief IS NOT NULL;
DROP TABLE mention;
ALTER TABLE tie RENAME TO mention;
CREATE UNIQUE INDEX mention_belief ON mention(entity, belief);
CREATE INDEX mention_of_belief ON mention(belief);

DROP TABLE entity_edge;
CREATE TABLE entity_edge (                  -- how often two things were named together
    src INTEGER NOT NULL REFERENCES entity(id) ON DELETE CASCADE,
    dst INTEGER NOT NULL REFERENCES entity(id) ON DELETE CASCADE,
    weight REAL NOT NULL,
    PRIMARY KEY (src, dst)
) WITHOUT ROWID;
CREATE INDEX entity_edge_dst ON entity_edge(dst);
INSERT INTO entity_edge {FROM_MENTIONS};
"""


def co_occurrence(db: apsw.Connection) -> None:
    """Migration: its triggers counted what no session said; `said_together` has others."""


def said_together(db: apsw.Connection) -> None:
    """Migration: two things count as named together each time a belief that mentions both was said."""
    for (name,) in db.execute(OLD_TRIGGERS).fetchall():
        db.execute(DROP.format(name))
    db.execute(TABLES)
    db.execute(TRIGGERS)
