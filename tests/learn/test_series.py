"""Several things told in one breath are held as one statement: the steps of a run-book, what belongs to each part."""

from __future__ import annotations

from pathlib import Path

import apsw
import pytest

from agentmemory.learn.passages import spoken
from tests.learn.talk import exchanged, held

BEFORE = ("the worker reads from {}, a small queue of ours", "I had a look at the tree.")
RUN_BOOKS = (
    "db restore drill: 1) snapshot {}, 2) spin up pgtest, 3) warm the cache? no, skip that for now. 3) run bin/verify",
    "rotating the cert: a) keygen --ec, b) hand it to Bo, c) install with certctl (or vaultctl? certctl), d) bounce {}",
    "new laptop setup = install brew; clone {}; do we need docker? no; run make bootstrap; ask Ines for vpn",
    "to publish the sdk: first bump version.txt, then tag {}, then... hm, ah yes, push to pypi, and tell #sdk",
    "tile rebuild: 1. stop {}, 2. rm -r cache/, 3. bin/tiles --full (takes 2h!), 4. start tiler",
    "para cerrar el mes: 1. congelar {}, 2. exportar, 3. ¿enviar a Marta? sí, a Marta, 4. archivar",
)
PARTS = (
    "unit: jest. contract: pact. load: {}. smoke: plain curl",
    "owners: billing Nadia. catalog {}. infra Wen. docs nobody yet",
    "retention: clicks 30 days; orders 10 years; {} one week",
    "Emojis in {} yes, in commits no.",
)


@pytest.mark.parametrize(
    ("said", "reply"),
    [*((said, "Noted.") for said in RUN_BOOKS + PARTS), (RUN_BOOKS[0], "Wrote `runbooks/restore.md`.")],
)
def test_what_is_told_in_one_breath_is_held_whole(
    db: apsw.Connection, tmp_path: Path, token: str, said: str, reply: str
) -> None:
    said = said.format(token)

    exchanged(db, tmp_path, (BEFORE[0].format("amqp"), BEFORE[1]), (said, reply))

    assert any(each.rstrip(".") == said.rstrip(".") for each in held(db))


@pytest.mark.parametrize(
    ("said", "reply"),
    [
        ("please do: 1. rename {} to Bar, 2. update the imports, 3. rebuild", "Renamed, 14 imports, build is green."),
        ("todo for today: fix {}; look at the flaky test; merge Tim's branch", "OK, fixed; it waits on a timer."),
        ("results: unit 412 passed. {} 3 failed. lint clean.", "The three failures share a selector."),
        ("a few bugs: 1) {} overlaps, 2) date is off by one, 3) no favicon", "Fixed all three."),
        ("questions: 1) why is {} off? 2) who added the lock? 3) can we drop it?", "1) For speed. 2) Tim. 3) Yes."),
    ],
)
def test_tasks_and_findings_in_one_breath_are_not_held(
    db: apsw.Connection, tmp_path: Path, token: str, said: str, reply: str
) -> None:
    exchanged(db, tmp_path, (BEFORE[0].format("amqp"), BEFORE[1]), (said.format(token), reply))

    assert not any(token in each for each in held(db))


def test_a_no_beside_a_yes_is_no_abbreviation() -> None:
    said = "Tabs in go yes, in json no. They asked."

    assert [each.text for each in spoken(said)] == ["Tabs in go yes, in json no.", "They asked."]
    assert len(spoken("The rule is no. seven of the book")) == 1
