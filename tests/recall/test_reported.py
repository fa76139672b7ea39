"""Whoever reports a trouble or an event is told what is done then; who orders, asks or praises is not."""

from __future__ import annotations

import apsw
import pytest

from agentmemory.recall.pipeline import block, brought
from tests.recall.conftest import Ask, Teach


@pytest.mark.parametrize(
    ("runbook", "report"),
    [
        ("when a log box fills up: vacuum the journal, drop rotated logs, grow the lv", "log2.fra has no space left"),
        ("runbook disk full: first vacuum the journal, then drop the rotated logs", "disk 91% on log1.ams"),
        ("if the build agent hangs: cancel the job, prune, restart it", "agent-3 hasn't moved for 40 minutes"),
        ("when replication lags: stop the reports job, wait, start it again", "replica is 40 minutes behind"),
        ("cdn down: flip dns to origin, tell support", "cdn.acme.test times out everywhere"),
        ("when a scanner batch comes: check the md5, then run ingest.py --dry", "batch 91 came in from the scanner"),
        ("wenn die Platte voll ist: Journal kürzen, alte Logs löschen", "srv2 hat keinen Platz mehr"),
        ("si la cola se atasca: parar el productor, vaciar", "la cola no avanza desde las 9"),
    ],
)  # fmt: skip
def test_a_report_finds_what_is_done_then(
    db: apsw.Connection, teach: Teach, ask: Ask, clutter: None, runbook: str, report: str
) -> None:
    teach(runbook)

    assert runbook in block(db, ask(report))


def test_all_pieces_of_the_routine_come(db: apsw.Connection, teach: Teach, ask: Ask, clutter: None) -> None:
    first = teach("runbook disk full: first journalctl --vacuum-size=2G")
    then = teach("if it is still over 80, delete the rotated nginx logs older than 7 days", "procedure", after=first)
    teach("if nothing helps grow the volume by 20G and tell the storage people in #storage", "procedure", after=then)

    told = block(db, ask("log2.fra has no space left"))
    assert "vacuum-size" in told and "nginx" in told and "20G" in told


@pytest.mark.parametrize("prompt", ["release 2.1", "we release today", "cut the release"])
def test_who_is_about_to_go_through_a_routine_is_not_told_its_first_step_alone(
    db: apsw.Connection, teach: Teach, ask: Ask, clutter: None, prompt: str
) -> None:
    first = teach("when we cut a release, bump the changelog and the version of the schema first")
    then = teach("then tag it with the version and the date of the day", "procedure", after=first)
    teach("after that push the tag and wait for the pipeline to finish", "procedure", after=then)

    told = block(db, ask(prompt))
    assert "changelog" in told and "tag it" in told and "pipeline" in told


@pytest.mark.parametrize(
    "prompt",
    ["make the banner larger", "what is a mutex?", "explain timeouts", "thanks, that worked", "sort it"],
)
def test_orders_and_questions_are_no_reports(
    db: apsw.Connection, teach: Teach, ask: Ask, clutter: None, prompt: str
) -> None:
    teach("if the worker stalls: cancel the job, prune, restart it")
    teach("log volume full: rotate by hand, gzip yesterday")

    assert not any(hit.meant for hit in brought(db, ask(prompt)))
