"""A statement of several parts: what replaces or takes back one of them leaves the others."""

from __future__ import annotations

from pathlib import Path

import apsw
import pytest

from agentmemory.learn import parts
from agentmemory.memory import Memory
from agentmemory.paths import DAY
from agentmemory.recall.pipeline import block
from agentmemory.records import Query
from agentmemory.store import guards
from tests.learn.talk import held, play, told

REPLACED = (
    (
        "staging of {} lives on host blue7 and deploys happen at 18:00",
        "staging of {} now lives on host green3 instead of blue7",
        "deploys happen at 18:00",
    ),
    (
        "the {} api runs on port 8080 on blue7 and its database is postgres",
        "the {} api now runs on port 9090 on green3 instead of blue7",
        "the {} api's database is postgres",
    ),
    (
        "our ports:\n- api 8080\n- {} 3000\n- db 5432",
        "the {} port is 3001 now instead of 3000",
        "our ports: - api 8080 - db 5432",
    ),
    (
        "certs of {}: certbot renews on lb1, then push to lb2, then reload haproxy",
        "for {} push goes to lb4 now instead of lb2",
        "certs of {}: certbot renews on lb1, then push to lb4, then reload haproxy",
    ),
)
TAKEN_BACK = (
    (
        "every pull request needs these, always:\n- a changelog line\n- a test\n- screenshots of {}",
        "forget what I said about screenshots",
        "every pull request needs these, always: - a changelog line - a test",
    ),
    (
        "our conventions: use tabs, name branches {}/x, squash commits, and never push on Fridays",
        "forget what I said about tabs",
        "our conventions: name branches {}/x, squash commits, never push on Fridays",
    ),
    (
        "to release:\n1. bump the version\n2. call Ana\n3. run {}",
        "forget what I said about Ana",
        "to release: 1. bump the version 2. run {}",
    ),
)


@pytest.mark.parametrize(("said", "then", "left"), REPLACED)
def test_what_is_not_replaced_still_holds(
    db: apsw.Connection, tmp_path: Path, token: str, said: str, then: str, left: str
) -> None:
    told(db, tmp_path, said.format(token), then.format(token))

    assert held(db, "superseded") == [" ".join(said.format(token).split())]
    assert set(held(db)) == {then.format(token), left.format(token)}


@pytest.mark.parametrize(
    ("said", "then", "left"),
    [
        (
            "to publish {}: run bin/predict for the next 7 days, write to the lake, then ping #supply",
            "supply wants 10 days instead of 7",
            "to publish {}: run bin/predict for the next 10 days, write to the lake, then ping #supply",
        ),
        (
            "new hire at {}: create the account, order a laptop with 16 GB, tell petra",
            "petra wants 32 GB instead of 16",
            "new hire at {}: create the account, order a laptop with 32 GB, tell petra",
        ),
        (
            "feed of {}: build feed.xml, check it with xmllint, ping marketing in #ads",
            "marketing wants the feed as csv instead of xml",
            "feed of {}: check it with xmllint, ping marketing in #ads",
        ),
    ],
)
def test_a_step_with_another_value_keeps_its_place(token: str, said: str, then: str, left: str) -> None:
    assert parts.beside(said.format(token), then) == left.format(token)


def test_sentences_behind_a_colon_are_no_list(token: str) -> None:
    said = f"{token} exports: the job still writes raw rows, 9 gb for a day. compress with gzip, every host has that"

    assert parts.beside(said, f"zstd for the {token} rows then, we read far more than we write") == ""


def test_clauses_behind_a_colon_are_no_list(token: str) -> None:
    said = f"A text, through {token}, for a reason: he has an old phone, he wants no other, and it reaches him"

    assert parts.beside(said, "he has a proper phone now, so we push instead") == ""


def test_a_list_does_not_outlive_what_leads_in(token: str) -> None:
    said = f"what the {token} box serves: the wiki, the mirror, and the builds"

    assert parts.beside(said, f"the {token} box is dead, the mirror is on green3") == ""
    assert parts.beside(said, "the mirror is on green3") == f"what the {token} box serves: the wiki, the builds"


def test_the_end_of_a_sentence_without_a_verb_is_no_statement_of_its_own(
    db: apsw.Connection, tmp_path: Path, token: str
) -> None:
    play(db, tmp_path, f"always check that cancelling keeps the {token} branch and sessions intact")
    play(
        db,
        tmp_path,
        f"cancelling drops the {token} branch now, we no longer keep the {token} branch",
        at=90_000,
    )

    assert held(db) == [f"cancelling drops the {token} branch now, we no longer keep the {token} branch"]


@pytest.mark.parametrize(("said", "back", "left"), TAKEN_BACK)
def test_what_is_not_taken_back_still_holds(
    db: apsw.Connection, tmp_path: Path, token: str, said: str, back: str, left: str
) -> None:
    play(db, tmp_path, said.format(token), "never call the sandbox from unit tests", back)

    assert set(held(db)) == {left.format(token), "never call the sandbox from unit tests"}


@pytest.mark.parametrize("back", ["forget what I said about pull requests", "scratch that"])
def test_what_is_taken_back_as_a_whole_goes(db: apsw.Connection, tmp_path: Path, token: str, back: str) -> None:
    play(db, tmp_path, f"every pull request needs these, always:\n- a changelog line\n- a test\n- a {token}", back)

    assert held(db) == []


def test_a_reason_does_not_outlive_what_it_is_of(db: apsw.Connection, tmp_path: Path, token: str) -> None:
    play(
        db, tmp_path, f"never deploy {token} on Fridays. Ana packs the orders then", "forget what I said about Fridays"
    )

    assert held(db) == []


def test_what_is_left_of_a_locked_list_stays_locked_and_guarded(tmp_path: Path, home: Path, project: Path) -> None:
    with Memory(str(home), project=str(project)) as memory:
        memory.lock("rules: never run `npm install`, never edit files in vendor/, never push to main")
        play(memory.db, tmp_path, "hi", "forget what I said about vendor", cwd=str(project), at=11_000_000)

        (left,) = held(memory.db)
        acting = [row.says for row in guards.listed(memory.db) if row.enabled and row.state == "active"]

    assert left == "rules: never run `npm install`, never push to main"
    assert acting and not any("vendor" in says for says in acting)


@pytest.mark.parametrize(
    ("said", "then", "more"),
    [
        ("nas is 10.0.0.5, {} host 10.0.0.2", "the nas got a new address: 10.0.20.5", True),
        ("prod runs in eu-1. never scale {} by hand", "prod was moved to eu-3", True),
        ("jobs of {} go to partition a100, max 2 days walltime", "use the h100 one. walltime still the same", True),
        ("{} runs on 8080, not 8081", "{} runs on 9090 now", False),
        ("{} refreshes at 6:15, so the dbt run has to be through by 6", "{} refreshes at 7 now", False),
        ("the {} timeout is 5s", "raised it to 15 seconds", False),
        ("the remote is git@old/{}.git, in case you need it for the links", "the remote is git@new/x.git now", False),
        ("prod runs in eu-1. never scale {} by hand" + ", whatever the load is" * 9, "prod was moved to eu-3", False),
    ],
)
def test_a_statement_may_say_more_than_what_replaces_it_touches(token: str, said: str, then: str, more: bool) -> None:
    assert parts.says_more(said.format(token), then.format(token)) is more


def test_what_was_changed_in_part_is_told_with_what_changed_it_however_long_ago(
    db: apsw.Connection, tmp_path: Path, token: str
) -> None:
    both, changed = f"the {token} nas is at 10.0.0.5, the proxmox host at 10.0.0.2", "the nas is at 10.0.20.5 now"
    told(db, tmp_path, both, changed)

    scope = db.execute("SELECT scope FROM belief WHERE state = 'active'").fetchone()[0]
    shown = block(db, Query("which address does the proxmox host have", 100 * DAY, (scope,)))

    assert f'now "{changed}" (' in shown and f'; changes "{both}" of' in shown


@pytest.mark.parametrize(
    ("routine", "gone", "left"),
    [
        (
            "month end: close the ledger, export datev, send it to Kurz", "Kurz retires in May, Adam takes exports",
            "month end: close the ledger, export datev",
        ),
        (
            "new client: draft the contract, let Nuria check the contract, sign it",
            "nuria is on maternity leave, oscar checks contracts now", "new client: draft the contract, sign it",
        ),
        (
            "print run: export pdf/x, send it to Mr. Doyle, wait for the proof",
            "mr doyle doesn't work at the printer any more, mrs abara is our contact there",
            "print run: export pdf/x, wait for the proof",
        ),
    ],
)  # fmt: skip
def test_of_who_is_gone_only_the_step_goes_that_names_them(routine: str, gone: str, left: str) -> None:
    assert parts.beside(routine, gone) == left
