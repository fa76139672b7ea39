"""What the user takes back or puts right, at once or by name, and what stays."""

from __future__ import annotations

from pathlib import Path

import apsw
import pytest

from agentmemory.learn import cues, retired
from agentmemory.store import changes, listing, undo, writer
from tests.learn.talk import held, play, told


def test_a_retraction_takes_back_and_restores_what_had_been_replaced(db: apsw.Connection, tmp_path: Path) -> None:
    play(
        db,
        tmp_path,
        "the cards have class rounded-md, always",
        "from now on the cards have class rounded-xl instead of rounded-md",
        "hm no, scratch that",
    )

    assert held(db) == ["the cards have class rounded-md, always"]
    assert held(db, "retracted") == ["from now on the cards have class rounded-xl instead of rounded-md"]
    assert held(db, "superseded") == []


def test_a_long_session_is_taken_back_at_once(db: apsw.Connection, tmp_path: Path, token: str) -> None:
    play(db, tmp_path, f"never deploy {token} on fridays", *["ok"] * 250, f"never call {token} from unit tests")
    assert len(held(db)) == 2
    with writer.transaction(db):
        undo.undo(db, int(db.execute("SELECT max(batch) FROM change").fetchone()[0]), 1.0)

    assert held(db) == []


def test_a_batch_that_goes_on_later_leaves_other_batches_theirs(db: apsw.Connection) -> None:
    def note(what: str, batch: int = 0) -> int:
        with writer.transaction(db):
            number = changes.begin(db, "user", batch)
            changes.log(db, what, None, None, None, 1.0)
        return number

    first, second = note("one"), note("two")
    note("three", first)
    last = note("four")

    assert last not in (first, second)
    lines = db.execute("SELECT batch, what FROM change ORDER BY id").fetchall()
    assert lines == [(first, "one"), (second, "two"), (first, "three"), (last, "four")]


SAID = (
    "always run ruff as the linter, never flake8",
    "releases are always cut by pushing a tag v*, never by hand",
    "never deploy on Fridays, Ana packs the orders then",
)


@pytest.mark.parametrize(
    ("back", "gone", "then"),
    [
        ("ignore what I said about the linter", 0, ""),
        ("forget what I said about the tag", 1, ""),
        ("I changed my mind about the linter, use flake8", 0, "use flake8"),
        ("forget what I said about the tag, releases are cut by release-please", 1, "release-please"),
        ("ignore what I said about the colours", None, ""),
        ("forget what I said about Fridays", 2, ""),
        ("wait, forget what I said about Fridays \N{EM DASH} no deploys on Thursdays", 2, "no deploys on Thursdays"),
    ],
)
def test_what_is_taken_back_by_name_goes_and_nothing_else(
    db: apsw.Connection, tmp_path: Path, token: str, back: str, gone: int | None, then: str
) -> None:
    last = f"never call the payment sandbox {token} from unit tests"

    play(db, tmp_path, *SAID, last, back)

    left = [text for i, text in enumerate(SAID) if i != gone]
    new = [text for text in held(db) if text not in (*left, last)]
    assert set(held(db)) >= {*left, last} and (SAID[gone] not in held(db) if gone is not None else not new)
    assert bool(then) == bool(new) and all(then in text for text in new)


@pytest.mark.parametrize(
    ("said", "right"),
    [
        ("the {} service listens on port 9442", "no, sorry, it's 9443"),
        ("the {} import runs at 02:00", "wait, not 02:00. it runs at 03:30"),
        ("always use tabs in the code of {}", "hm no, I meant spaces, always spaces in the code of {}"),
    ],
)
def test_what_the_next_turn_puts_right_is_replaced_and_says_of_what(
    db: apsw.Connection, tmp_path: Path, token: str, said: str, right: str
) -> None:
    said, right = said.format(token), right.format(token)

    play(db, tmp_path, "fix the flaky login test please", said, right)

    assert held(db) == [right]
    assert said in next(b["context"] for b in listing.export(db) if b["state"] == "active")


@pytest.mark.parametrize(
    ("said", "back"),
    [
        ("the nightly {} job runs at 02:00 on the batch host", "scratch that, it runs at 04:00"),
        ("the nightly {} job runs at 02:00 on the batch host", "scratch that. it runs at 04:00"),
        ("the nightly {} job runs at 02:00 on the batch host", "hm, forget that, we run it at 04:00 now"),
        ("Frau Behrens gets the {} export on the 5th of each month", "scratch the 5th, she wants it on the 10th"),
        ("for queues of {} we use rabbitmq, decided", "no, strike that - we use nats"),
    ],
)
def test_what_is_taken_back_and_said_anew_at_once_is_replaced(
    db: apsw.Connection, tmp_path: Path, token: str, said: str, back: str
) -> None:
    said = said.format(token)

    play(db, tmp_path, said, back)

    assert (held(db), held(db, "superseded"), held(db, "retracted")) == ([back], [said], [])
    new = next(b for b in listing.export(db) if b["state"] == "active")
    assert said in new["context"] and new["kind"] == "correction"


@pytest.mark.parametrize(
    "anew",
    [
        "the start interval is 5 min between classes. scratch that, 6 min",
        "no, we use pnpm here. the api listens on port 9443 now. Scratch that, it's 9444",
        "the api listens on port 9443 now. Scratch that. It's 9444.",
        "for queues we use rabbitmq. no wait, scratch that, we use nats",
    ],
)
def test_what_a_turn_says_takes_back_and_says_anew_is_held_as_it_was_said(
    db: apsw.Connection, tmp_path: Path, token: str, anew: str
) -> None:
    said = f"from now on photos of {token} go to /srv/photos"

    play(db, tmp_path, said, anew)

    assert held(db) == [said, anew]


@pytest.mark.parametrize(
    "back",
    [
        "the start interval is 5 min between classes. scratch that",
        "we could use redis for that. scratch that, fix the typo in the header",
        "use tabs everywhere in the shop. forget it, I'll ask Ana",
        "the api listens on port 9443 now. Scratch that. can you fix the test on port 22?",
    ],
)
def test_what_a_turn_says_and_takes_back_at_once_takes_nothing_else_with_it(
    db: apsw.Connection, tmp_path: Path, token: str, back: str
) -> None:
    said = f"from now on photos of {token} go to /srv/photos"

    play(db, tmp_path, said, back)

    assert held(db) == [said]
    assert not held(db, "retracted") and not held(db, "heard")


def test_what_takes_back_nothing_is_not_held(db: apsw.Connection, tmp_path: Path) -> None:
    play(db, tmp_path, "fix the header", "my mistake, the header is blue")

    assert held(db) == []


@pytest.mark.parametrize("back", ["scratch that, I need to ask Ana first", "scratch that. fix the typo in the header"])
def test_what_is_taken_back_without_a_word_of_what_holds_is_gone(
    db: apsw.Connection, tmp_path: Path, token: str, back: str
) -> None:
    said = f"the nightly {token} job runs at 02:00 on the batch host"

    play(db, tmp_path, said, back)

    assert (held(db), held(db, "retracted")) == ([], [said])


@pytest.mark.parametrize(
    ("said", "back"),
    [
        ("let's make every button of {} pill-shaped from now on", "oh, forget the pills. It looks like a pharmacy."),
        ("we always lock the {} form for 24 hours", "you are right, forget about the 24 hours (that was the old one)"),
        ("from now on the {} PDFs are landscape", "nah, forget the landscape, the printer jams. Back to how it was."),
        (
            "make all {} headings orange from now on",
            "you cant read it in the sun. scratch that, back to the dark green",
        ),
        ("from now on ISO dates everywhere in {}", "Ana took it for a telephone number. As you were, please."),
        ("from now on net price of {} big and gross small", "ugh. undo that, gross big like before"),
        ("from now on use tabs everywhere in {}", "put it back as it was, please"),
    ],
)
def test_what_the_next_turn_drops_is_gone(
    db: apsw.Connection, tmp_path: Path, token: str, said: str, back: str
) -> None:
    play(db, tmp_path, "fix the header", said.format(token), back)

    assert (held(db), held(db, "heard"), held(db, "retracted")) == ([], [], [said.format(token)])


@pytest.mark.parametrize(
    ("said", "then"),
    [
        ("never deploy {} on fridays", "undo that last commit, it broke the tests"),
        ("never deploy {} on fridays", "41 files changed. undo that please"),
        ("never deploy {} on fridays", "forget the deploy script, run the rest"),
        ("from now on use tabs in {}", "leave everything as it is."),
    ],
)
def test_what_speaks_of_the_work_drops_nothing(
    db: apsw.Connection, tmp_path: Path, token: str, said: str, then: str
) -> None:
    play(db, tmp_path, "fix the header", said.format(token), then)

    assert held(db) == [said.format(token)]


def test_what_is_dropped_by_name_was_said_just_before(db: apsw.Connection, tmp_path: Path, token: str) -> None:
    said = f"we always lock the {token} form for 24 hours"

    play(db, tmp_path, said, "fix the typo in the header", "forget the 24 hours, please")

    assert said in held(db)


TOLD = (
    "the staging api listens on port 8443",
    "our warehouse database is db-3.acme.internal, always use it for exports",
    "we deploy to eu-west-1, always",
    "the log retention is 30 days, legal wants that",
    "for queues we use rabbitmq, decided",
    "the redis of the cache listens on port 6379",
    "nightly exports go to the bucket s3://acme-nightly-eu",
)


@pytest.mark.parametrize(
    ("right", "wrong"),
    [
        ("wait, the port I told you for redis was wrong, it is 6380", 5),
        ("hold on, the database host I gave you earlier is wrong, it's db-7.acme.internal", 1),
        ("no, that was a typo when I told you the region, we deploy to eu-central-1 since legal wants Frankfurt", 2),
        ("I misspoke about the log retention, it is 14 days", 3),
        ("scratch that, what I said about the queue was wrong, we use nats", 4),
        ("I gave you the wrong port for redis, it's 6390", 5),
        ("the bucket name I gave you is wrong. It's s3://acme-nightly-us", 6),
        ("Sorry, the staging port I gave you was wrong. The api listens on 8444.", 0),
        ("the redis port I told you yesterday was wrong. Use 6390.", 5),
        ("The region I gave you was wrong. We deploy to eu-central-1.", 2),
        ("I was wrong about the queue. We use nats.", 4),
    ],
)
def test_what_was_told_wrongly_some_turns_ago_is_replaced_and_nothing_else(
    db: apsw.Connection, tmp_path: Path, right: str, wrong: int
) -> None:
    play(db, tmp_path, *TOLD, "now fix the typo in the header", right)

    rows = {b["text"]: b for b in listing.export(db)}
    assert [text for text in TOLD if rows[text]["superseded_by"]] == [TOLD[wrong]]
    assert rows[right]["state"] == "active" and TOLD[wrong] in rows[right]["context"]


@pytest.mark.parametrize(
    ("right", "wrong"),
    [
        ("the redis port I told you yesterday was wrong, it's 6390", 5),
        ("the bucket name I gave you is wrong. It's s3://acme-nightly-us", 6),
        ("I misspoke about the log retention. It is 14 days", 3),
        ("the port I gave you was wrong, it's 6390", None),
        ("the postgres port I gave you was wrong. It's 5433", None),
        ("the invoice I gave you is wrong. It is missing the VAT of 19%.", None),
    ],
)
def test_what_was_told_wrongly_in_another_session_is_replaced_where_it_is_named(
    db: apsw.Connection, tmp_path: Path, right: str, wrong: int | None
) -> None:
    play(db, tmp_path, *TOLD)
    play(db, tmp_path, "look at the failing build", right, at=90_000)

    rows = {b["text"]: b for b in listing.export(db)}
    assert [text for text in TOLD if rows[text]["superseded_by"]] == ([] if wrong is None else [TOLD[wrong]])


@pytest.mark.parametrize(
    "back", ["no, I was wrong about that, forget it", "I was wrong about the region, sorry for the noise"]
)
def test_what_was_told_wrongly_and_is_not_said_anew_is_taken_back(
    db: apsw.Connection, tmp_path: Path, back: str
) -> None:
    play(db, tmp_path, *TOLD[:3], back)

    assert held(db, "retracted") == [TOLD[2]]


@pytest.mark.parametrize(
    "then",
    [
        "if the port I gave you was wrong, ask ops",
        "the port I gave you was not wrong, it was the firewall on 9443",
        "the postgres port I gave you was wrong, it's 5433",
        "the log I gave you was wrong, here is the one of today",
        "the exports I mentioned are wrong. They miss the VAT.",
        "you gave me the wrong port. The one in the file is 5000.",
        "I told you the region was wrong. It is us-east-1 in your diff, why?",
        "the exports I mentioned are wrong, they miss the VAT",
        "the number I gave you for the phone contract was wrong, its 0171 223344",
        "you gave me the wrong port, the one in the file is 5000",
        "the port you told me was wrong, nothing answers on 9000",
        "I told you the region was wrong, why did you keep it",
        "I told you wrong, the demo for the customer is at 14:00",
        "we told the customer the wrong price, write them that it is 49 euro",
    ],
)
def test_what_was_wrong_elsewhere_replaces_nothing(db: apsw.Connection, tmp_path: Path, then: str) -> None:
    play(db, tmp_path, *TOLD, "now fix the typo in the header", then)

    rows = {b["text"]: b for b in listing.export(db)}
    assert [text for text in TOLD if rows[text]["superseded_by"] or rows[text]["state"] == "retracted"] == []


@pytest.mark.parametrize("then", ["no, that fails: make {} needs the venv", "no, the tests come first"])
def test_a_no_to_the_agent_replaces_nothing_of_the_user(
    db: apsw.Connection, tmp_path: Path, token: str, then: str
) -> None:
    rule = f"always run make {token} before a push"

    play(db, tmp_path, rule, then.format(token))

    assert rule in held(db)


def test_half_of_what_was_replaced_is_still_known(db: apsw.Connection, tmp_path: Path) -> None:
    play(db, tmp_path, "the NAS is at 192.168.1.40 and the backups go there every night at 3 via restic")
    play(db, tmp_path, "the NAS got a new address, 192.168.1.55", at=90_000)

    play(db, tmp_path, "the backups moved from restic to borg", at=180_000)

    assert held(db) == ["the NAS got a new address, 192.168.1.55", "the backups moved from restic to borg"]


@pytest.mark.parametrize(
    ("text", "gone"),
    [
        ("once the {} volume is gone nobody gets the files back", False),
        ("if the {} volume is deleted the build fails with code 3", False),
        ("when the {} volume is closed we write the report", False),
        ("we wait until the {} volume is removed", False),
        ("check that cancelling {} leaves the form intact", False),
        ("when {} died we moved to the other rack", True),
        ("since {} is gone the files are on the nas", True),
        ("we heard that {} is deprecated", True),
        ("{} leaves us in may", True),
    ],
)
def test_what_would_end_under_a_condition_has_not_ended(token: str, text: str, gone: bool) -> None:
    plain = cues.plain(text.format(token))

    assert (token in retired.named(plain), retired.settles(plain)) == (gone, gone)


def test_what_shares_some_words_with_what_a_rule_sets_itself_apart_from_stands(
    db: apsw.Connection, tmp_path: Path, token: str
) -> None:
    old = f"the string that goes to {token} only contains the last command of the shell, always"
    new = f"from now on I'd like literal expectations in every test of {token} instead of strings.Contains checks"
    told(db, tmp_path, *SAID, old, new)

    assert set(held(db)) == {*SAID, old, new}
