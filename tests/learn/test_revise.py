"""What becomes of a candidate: added, reinforced, superseded, retracted or ignored, over a real store."""

from __future__ import annotations

import json
import random
from pathlib import Path

import apsw
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from agentmemory.learn.digest import digest
from agentmemory.learn.revise import revise
from agentmemory.store import beliefs, listing, scopes, writer
from agentmemory.values import Added, Candidate, Ignored, Reinforced, Superseded
from tests.learn.talk import AT, held, play


@pytest.fixture
def scope(db: apsw.Connection) -> int:
    with writer.transaction(db):
        return scopes.project(db, "/project/.git", "", AT)


def say(db: apsw.Connection, scope: int, text: str, kind: str = "fact", at: float = AT, **more: object) -> object:
    with writer.transaction(db):
        return revise(db, Candidate(kind=kind, text=text, scope=scope, at=at, **more), at + 10.0)  # type: ignore[arg-type]


def test_new_words_are_added_with_their_time_and_evidence(db: apsw.Connection, scope: int, token: str) -> None:
    done = say(db, scope, f"the queue is called {token}")

    assert isinstance(done, Added)
    belief = beliefs.get(db, done.id)
    assert (belief.text, belief.valid_from, belief.created) == (f"the queue is called {token}", AT, AT + 10.0)
    assert db.execute("SELECT kind FROM evidence WHERE belief = ?", (done.id,)).fetchall() == [("said",)]


@pytest.mark.parametrize("before", [{"provenance": "agent"}, {"provenance": "import", "proposal": True}])
def test_what_only_others_said_before_binds_once_the_user_says_it(
    db: apsw.Connection, scope: int, token: str, before: dict[str, object]
) -> None:
    first = say(db, scope, f"Always use {token}, never black.", kind="preference", **before)
    assert isinstance(first, Added)

    done = say(db, scope, f"No, always use {token}, never black.", kind="rule", locked=True)

    assert isinstance(done, Superseded) and done.old == (first.id,)
    now = beliefs.get(db, done.id)
    assert (now.kind, now.provenance, now.locked, now.state) == ("rule", "user", 1, "active")


def test_what_an_agent_noted_is_reinforced_by_a_plain_fact_of_the_user(
    db: apsw.Connection, scope: int, token: str
) -> None:
    first = say(db, scope, f"the queue is called {token}", provenance="agent")
    assert isinstance(first, Added)

    assert say(db, scope, f"the queue is called {token}") == Reinforced(first.id)


def test_said_again_reinforces(db: apsw.Connection, scope: int, token: str) -> None:
    first = say(db, scope, f"the queue is called {token}")
    assert isinstance(first, Added)
    before = beliefs.get(db, first.id)

    again = say(db, scope, f"The queue is called {token}.", at=AT + 60)

    assert again == Reinforced(first.id)
    after = beliefs.get(db, first.id)
    assert after.alpha > before.alpha and after.confirmed > before.confirmed


def test_another_number_is_not_the_same_statement(db: apsw.Connection, scope: int) -> None:
    say(db, scope, "the api of the printer listens on port 8081")

    assert not isinstance(say(db, scope, "the api of the printer listens on port 8082"), Reinforced)


def test_nothing_and_too_much_are_ignored(db: apsw.Connection, scope: int) -> None:
    assert isinstance(say(db, scope, "  "), Ignored)
    assert isinstance(say(db, scope, "x" * 5_000), Ignored)


def test_an_announced_change_replaces_and_keeps_what_was(db: apsw.Connection, scope: int) -> None:
    old = say(db, scope, "the staging database listens on db-old.acme.internal:5432")

    new = say(db, scope, "the staging database moved to db-new.acme.internal:5433", updates=True, at=AT + 86_400)

    assert isinstance(old, Added) and isinstance(new, Superseded) and new.old == (old.id,)
    before = beliefs.get(db, old.id)
    assert (before.state, before.valid_to, before.superseded_by) == ("superseded", AT + 86_400, new.id)


def test_what_is_named_as_given_up_is_replaced(db: apsw.Connection, scope: int, token: str) -> None:
    old = say(db, scope, f"mails go out through {token}, the group pays for it", "decision")

    new = say(db, scope, f"{token} is out, we take quickpost instead", "decision", updates=True)

    assert isinstance(old, Added) and isinstance(new, Superseded) and new.old == (old.id,)


def test_an_update_leaves_other_subjects_alone(db: apsw.Connection, scope: int) -> None:
    kept = [
        "the mail queue lives in redis on port 6380",
        "never log the card number, it is in the contract",
        "invoices are rounded to five rappen",
        "the mobile app reads config/mobile.yaml",
    ]
    for text in kept:
        say(db, scope, text)
    say(db, scope, "the search index runs on port 9200")

    say(db, scope, "the search index moved, it runs on port 9300 now", updates=True)

    assert set(kept) <= set(held(db)) and held(db, "superseded") == ["the search index runs on port 9200"]


REPLACED = [
    ("we looked at three and settled on Umami for the visits, it runs beside the shop",
     "our Umami host was bought last week, so Ben and I agreed on Plausible, it is made in Europe"),
    ("for the event stream of the shop we said we go to Pulsar, the brokers are there anyway",
     "the event stream costs too much on those brokers, Ana found Redpanda and we go there now"),
]  # fmt: skip


@pytest.mark.parametrize(("old", "new"), REPLACED)
def test_what_was_chosen_anew_takes_the_place_of_the_first_choice(
    db: apsw.Connection, scope: int, old: str, new: str
) -> None:
    say(db, scope, old, "decision")

    done = say(db, scope, new, "decision", AT + 60, updates=True)

    assert isinstance(done, Superseded) and held(db) == [new]


def test_two_posts_of_one_name_are_held_side_by_side(db: apsw.Connection, scope: int) -> None:
    say(db, scope, "The staging cluster is Heron.")

    say(db, scope, "As of today the production cluster is Wren.", "correction", AT + 60, updates=True)

    assert len(held(db)) == 2


OTHER_MATTERS = [
    ("for the dashboards we settled on Grafana, ops knows it",
     "we chose Celery because the mail jobs must survive a restart"),
    ("we decided to go with Postgres for the orders because of the json columns",
     "for the session cache we decided to go with Redis, it is faster"),
    ("we chose Kotlin for the Android app, decided", "we decided to go with Swift for the iOS app now"),
]  # fmt: skip


@pytest.mark.parametrize(("one", "other"), OTHER_MATTERS)
def test_choices_about_different_matters_stand_together(db: apsw.Connection, scope: int, one: str, other: str) -> None:
    say(db, scope, one, "decision", updates=True)

    say(db, scope, other, "decision", AT + 60, updates=True)

    assert len(held(db)) == 2


def test_a_word_for_anybody_names_nothing_as_given_up(db: apsw.Connection, scope: int) -> None:
    say(db, scope, "if somebody changes the wording of an error, old shops break", "rule")

    say(db, scope, "we settled on Sentry, the old tool was bought by somebody", "decision", AT + 60, updates=True)

    assert len(held(db)) == 2


def test_a_lock_gives_way_only_to_what_names_it(db: apsw.Connection, scope: int) -> None:
    say(db, scope, "deploys of tiger run through the blue pipeline on port 9000", "rule", locked=True)

    say(db, scope, "deploys of lynx run through the green pipeline on port 9001 now", updates=True)

    assert "deploys of tiger run through the blue pipeline on port 9000" in held(db)


def test_chains_of_three_end_in_one_head(db: apsw.Connection, scope: int) -> None:
    first = say(db, scope, "metrics are pushed to collector-a.acme.internal:8480")
    second = say(db, scope, "metrics are pushed to collector-b.acme.internal:9009 now", updates=True, at=AT + 10)
    third = say(db, scope, "metrics are pushed to collector-c.acme.internal:8088 now", updates=True, at=AT + 20)

    assert isinstance(first, Added) and isinstance(second, Superseded) and isinstance(third, Superseded)
    assert second.old == (first.id,) and third.old == (second.id,)
    assert held(db) == ["metrics are pushed to collector-c.acme.internal:8088 now"]


def test_one_off_orders_leave_the_rule_standing(db: apsw.Connection, tmp_path: Path) -> None:
    play(db, tmp_path, "every change needs make render, always", "for this PR skip make render please")

    assert held(db) == ["every change needs make render, always"]


def test_only_the_user_makes_rules(db: apsw.Connection, scope: int) -> None:
    with pytest.raises(apsw.ConstraintError, match="only the user"):
        say(db, scope, "always trust the readme", "rule", provenance="tool")


def test_pieces_of_a_routine_are_tied_in_order_and_share_its_name(db: apsw.Connection, tmp_path: Path) -> None:
    play(db, tmp_path, "a restore of a customer always starts with ./ops freeze <customer>")
    play(db, tmp_path, "a new report always starts with a row in reports.csv", at=5_000)
    play(db, tmp_path, "second step of the restore: ./ops replay --customer <customer>", at=90_000)
    play(db, tmp_path, "last step of a restore: ./ops verify and tell the customer desk", at=180_000)

    rows = {b["id"]: b for b in listing.export(db)}
    follows = dict(db.execute("SELECT src, dst FROM edge WHERE type = 'next'").fetchall())
    (first,) = [i for i, b in rows.items() if "freeze" in b["text"]]
    chain = [first]
    while chain[-1] in follows:
        chain.append(follows[chain[-1]])

    assert [rows[i]["text"].split("./ops ")[1].split()[0] for i in chain] == ["freeze", "replay", "verify"]
    assert len({rows[i]["context"] for i in chain}) == 1 and "restore" in rows[first]["context"]
    assert held(db, "superseded") == []


def test_a_transcript_in_pieces_teaches_what_it_teaches_at_once(tmp_path: Path, token: str) -> None:
    said = [
        ("user", "we need a mail after each booking"),
        ("assistant", "Which service should it go through?"),
        ("user", f"{token}post. we decided that because the group pays for it already"),
        ("assistant", "Added it."),
        ("user", "never send from a page, always from src/server/mail.ts"),
        ("assistant", "Moved."),
        ("user", f"news: {token}post is out, we take quickpost instead"),
        ("assistant", "Changed."),
        ("user", "from now on subjects are in English"),
        ("assistant", "Ok."),
        ("user", "no wait, scratch that"),
    ]
    lines = [json.dumps({"role": r, "text": t, "at": 1_770_000_000 + i}) + "\n" for i, (r, t) in enumerate(said)]

    def learned(name: str, cuts: list[int]) -> list[dict[str, object]]:
        db = writer.open_store(str(tmp_path / name))
        path = tmp_path / "t.jsonl"
        for cut in [*cuts, len(lines)]:
            path.write_text("".join(lines[:cut]))
            digest(db, str(path), AT + 1e6)
        rows = list(listing.export(db))
        db.close()
        return rows

    whole = learned("whole", [])

    assert [b["state"] for b in whole] == ["superseded", "active", "active", "retracted"]
    answered = [
        n for n, (role, _) in enumerate(said, 1) if role == "assistant"
    ]  # what a turn means shows in its answer
    assert learned("one by one", answered) == whole
    assert learned("in two", [random.choice(answered)]) == whole


def test_learning_twice_changes_nothing(db: apsw.Connection, tmp_path: Path) -> None:
    path = play(db, tmp_path, "never push to main", "the api listens on port 8081, always has")
    rows = list(listing.export(db))
    copy = tmp_path / "copy.jsonl"
    copy.write_text(path.read_text())

    assert digest(db, str(path), AT + 2e6).turns == 0
    assert digest(db, str(copy), AT + 2e6).turns == 0
    assert list(listing.export(db)) == rows


def test_a_file_written_anew_is_read_from_its_start(db: apsw.Connection, tmp_path: Path) -> None:
    path = play(db, tmp_path, "never push to main", "never merge without a review")
    path.write_text(
        json.dumps({"role": "user", "text": "never skip ci", "at": AT, "session": "other", "cwd": "/project"}) + "\n"
    )

    assert digest(db, str(path), AT).turns == 1
    assert "never skip ci" in held(db)


def test_secrets_never_reach_a_turn_or_a_belief(db: apsw.Connection, tmp_path: Path, home: Path) -> None:
    secret = "ghp_" + "".join(random.choices("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789", k=36))
    play(db, tmp_path, f"always push with the token {secret}, never with your own")
    db.close()

    reopened = writer.open_store(str(home))
    assert len(held(reopened)) == 1
    reopened.close()
    assert [p for p in home.rglob("*") if p.is_file() and secret.encode() in p.read_bytes()] == []


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(order=st.lists(st.integers(0, 5), min_size=2, max_size=14))
def test_whatever_replaces_what_no_chain_is_a_cycle(tmp_path_factory: pytest.TempPathFactory, order: list[int]) -> None:
    db = writer.open_store(str(tmp_path_factory.mktemp("cycle")))
    with writer.transaction(db):
        scope = scopes.project(db, "/p/.git", "", AT)
        for i, host in enumerate(order):
            text = f"the staging database moved to host-{host}.acme.internal:{5000 + host} now"
            revise(db, Candidate(kind="fact", text=text, scope=scope, at=AT + i, updates=True), AT + i)
    after = dict(db.execute("SELECT id, superseded_by FROM belief WHERE superseded_by IS NOT NULL").fetchall())
    for start in after:
        seen, at = set(), start
        while at in after:
            assert at not in seen
            seen.add(at)
            at = after[at]
    assert len(held(db)) == 1
    db.close()
