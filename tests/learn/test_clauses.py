"""A statement of several clauses that tell of something each: each replaces what was told of its own matter."""

from __future__ import annotations

from pathlib import Path

import apsw
import pytest

from agentmemory.learn import succession
from agentmemory.learn.clauses import apart
from agentmemory.learn.compared import Likeness
from agentmemory.learn.match import AMENDS
from agentmemory.records import IN_PART
from agentmemory.values import Candidate
from tests.learn.talk import SHOP, held, taken_up, told

Alike = list[tuple[int, Likeness]]

TWO = (
    (
        "minimum ios version is 14",
        "crash reports go to crashlytics",
        "we raised the minimum ios version to 16 and crash reports go to sentry",
    ),
    (
        "the physics tick is 50 hz",
        "dialogue text is kept in a google sheet",
        "the physics tick is 60 hz now. dialogue text is kept in yarn files now",
    ),
    (
        "dashboards are built in tableau",
        "the customer table is partitioned by country",
        "dashboards are built in metabase now and the customer table is partitioned by signup month",
    ),
    (
        "rechnungen werden am montag verschickt",
        "fehlgeschlagene zahlungen werden dreimal wiederholt",
        "rechnungen werden jetzt am freitag verschickt, und fehlgeschlagene zahlungen werden fünfmal wiederholt",
    ),
)


@pytest.mark.parametrize(("one", "other", "both"), TWO)
def test_one_message_replaces_two_statements(
    db: apsw.Connection, tmp_path: Path, one: str, other: str, both: str
) -> None:
    taken_up(db, tmp_path, one, other, both)

    assert {one, other} <= set(held(db, "superseded")) and both in held(db)


@pytest.mark.parametrize(
    ("stays", "new"),
    [
        ("the orders topic has 12 partitions", "two things: the payments topic has 24 partitions, refunds have 6"),
        ("the battery lasts 18 months", "uplink is sent every 20 minutes now, the battery was drained too quickly"),
        ("invoices are kept for 10 years", "quotes are kept for 2 years and reminders are kept for 1 year now"),
        ("trial users get a mail on day 10", "the monday digest is out of its misery. The day 10 mail does fine."),
        ("search timeout is 3s", "checkout timeout is 8s now and login timeout is 2s"),
    ],
)
def test_what_no_clause_speaks_of_stays(db: apsw.Connection, tmp_path: Path, stays: str, new: str) -> None:
    taken_up(db, tmp_path, stays, new)

    assert stays in held(db)


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("alerts go to pagerduty, prod runs five nodes", ("alerts go to pagerduty", "prod runs five nodes")),
        ("alerts go to pagerduty now, because it was too loud", ()),
        ("alerts go to pagerduty and slack", ()),
        ("statements are made at 06:00, during the move", ()),
        ("during the move, statements are made at 06:00", ()),
        ("the cache is at 60s; it was 30s, and the queue holds 5", ("the cache is at 60s", "the queue holds 5")),
    ],
)
def test_a_clause_can_be_understood_alone(text: str, found: tuple[str, ...]) -> None:
    assert tuple(each.text for each in apart(Candidate("fact", text, updates=True))) == found
    assert apart(Candidate("fact", text)) == []  # where nothing changes the whole is compared and nothing else


@pytest.mark.parametrize(
    ("old", "new", "answer"),
    [
        (
            "site is built with mkdocs material, preview with `make serve`",
            "we moved the site over to docusaurus last week",
            "OK, the site is on Docusaurus.",
        ),
        (
            "dns is at gandi and mail is at fastmail",
            "moved dns over to cloudflare yesterday",
            "Good, DNS is at Cloudflare.",
        ),
        ("plots are made with matplotlib; tables with tabulate", "plots with altair from here", "Plots use Altair."),
    ],
)
def test_what_is_exchanged_in_one_clause_leaves_the_others(
    db: apsw.Connection, tmp_path: Path, old: str, new: str, answer: str
) -> None:
    told(db, tmp_path, (*SHOP, (old, "OK, I put that into the config.")), [(new, answer)])

    assert old in held(db, "superseded")
    assert (IN_PART,) in db.execute("SELECT detail FROM edge WHERE type = 'supersedes'").fetchall()


@pytest.mark.parametrize(
    ("old", "new", "answer"),
    [
        ("dns is at gandi and mail is at fastmail", "moved the dns docs to the wiki yesterday", "OK, in the wiki."),
        ("sessions live in memcached, carts in redis", "move the session tests over to the slow suite", "Moved."),
    ],
)
def test_another_thing_exchanges_no_clause(
    db: apsw.Connection, tmp_path: Path, old: str, new: str, answer: str
) -> None:
    told(db, tmp_path, (*SHOP, (old, "OK, I put that into the config.")), [(new, answer)])

    assert old in held(db)


@pytest.mark.parametrize(("likely", "tied"), [(AMENDS - 0.01, 0), (AMENDS, 1)])
def test_a_clause_that_is_slightly_like_something_shares_no_line_with_it(
    db: apsw.Connection, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, likely: float, tied: int
) -> None:
    clause = "the paper on bags is due in 3 weeks"

    def of_the_clause(db: apsw.Connection, c: Candidate, text: str, alike: Alike) -> dict[int, float]:
        return {like.old.id: likely if text == clause else 0.0 for _, like in alike}

    monkeypatch.setattr(succession, "likelihoods", of_the_clause)
    taken_up(db, tmp_path, "bags are kept for 30 days", f"{clause} and reviewers want figures now")

    found = db.execute("SELECT count(*) FROM edge WHERE type = 'relates' AND detail = 'later'").fetchone()
    assert found == (tied,)


ANNOUNCED = (
    ("the map is 2 km wide", "the party size is 4", "two updates: party size goes to 5, and the map grows to 3 km"),
    (
        "Ines approves production changes",
        "tickets are filed in jira",
        "two things are different now: approvals are Mateo's business, and tickets are filed in linear",
    ),
    (
        "we keep invoices in dynamo",
        "pdfs are rendered with puppeteer",
        "amendments: invoices are in postgres, pdfs come from typst",
    ),
    (
        "la veille est de 20 minutes",
        "les exports sont en csv",
        "deux choses changent : la veille est de 30 minutes, et les exports sont en parquet",
    ),
)


@pytest.mark.parametrize(("one", "other", "both"), ANNOUNCED)
def test_each_clause_of_announced_amendments_changes_what_it_speaks_of(
    db: apsw.Connection, tmp_path: Path, one: str, other: str, both: str
) -> None:
    taken_up(db, tmp_path, one, other, both)

    assert {one, other} <= set(held(db, "superseded"))


@pytest.mark.parametrize(
    ("stays", "new"),
    [
        ("the garage door locks at 23:00", "two updates: the front door locks at 21:00, and I have a second bike key"),
        ("returns are possible for 30 days", "two updates: the newsletter says summer sale, the big banner is used"),
        ("prod has six nodes", "two things changed: the test cluster has three nodes, and Lars is back from leave"),
    ],
)
def test_announced_amendments_leave_what_they_do_not_speak_of(
    db: apsw.Connection, tmp_path: Path, stays: str, new: str
) -> None:
    taken_up(db, tmp_path, stays, new)

    assert stays in held(db)
