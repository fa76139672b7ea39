"""What is settled in a word stands with what the agent's answer says of it, and is put right in a word."""

from __future__ import annotations

from pathlib import Path

import apsw
import pytest

from agentmemory.learn.passages import sentences
from agentmemory.learn.spelled import agreed, meant, spelled
from agentmemory.recall.pipeline import block
from agentmemory.records import Query
from agentmemory.store import listing
from tests.learn.talk import AT, beside, held, sat


@pytest.mark.parametrize(
    ("said", "reply", "full"),
    [
        ("500ms", "Search waits 500 ms after the last key.", "Search waits 500 ms after the last key."),
        ("on the tablet 20 is nothing. 36", "36 per page now.", "36 per page now."),
        ("nope. sops", "Encrypted. It is in `web.sops.yml` now.", "It is in `web.sops.yml` now."),
        ("yes but 60", "The mail client's timeout is 60 s.", "The mail client's timeout is 60 s."),
        ("Fifteen, then.", "The hold ends after 15 minutes.", "The hold ends after 15 minutes."),
        ("10000", "The timeout is 10_000 everywhere.", "The timeout is 10_000 everywhere."),
    ],
)
def test_the_answer_spells_out_what_a_word_settles(said: str, reply: str, full: str) -> None:
    assert spelled(said, reply) == full


@pytest.mark.parametrize(
    ("said", "reply"),
    [
        ("500ms", "Done."),
        ("500ms", "500."),
        ("500ms?", "Search waits 500 ms after the last key."),
        ("the search should wait 500 ms after each key", "Search waits 500 ms after the last key."),
        ("500ms", "Search waits 5000 ms after the last key."),
    ],
)
def test_it_does_not_where_it_says_no_more_or_something_else(said: str, reply: str) -> None:
    assert spelled(said, reply) == ""


def test_a_text_may_end_in_what_else_is_an_abbreviation() -> None:
    assert [each.text for each in sentences("The cable is 5 m. long. Its timeout is 60 s.")] == [
        "The cable is 5 m. long.", "Its timeout is 60 s.",
    ]  # fmt: skip


def test_what_agrees_or_chooses_settles_what_the_answer_says() -> None:
    asked, done = "Upon quitting. Shall I save at each lamp post as well?", "The game saves at each lamp post."

    assert agreed("yep", asked, done) == agreed("the second one", "Either is fine.", done) == done
    assert agreed("yep, but only at night", asked, done) == ""
    assert agreed("ok", "Renamed it.", done) == ""
    assert agreed("yep", asked, "Done.") == ""


def test_a_value_in_a_word_is_told_with_what_it_is_of(db: apsw.Connection, tmp_path: Path) -> None:
    sat(db, tmp_path, ("500ms", "Search waits 500 ms after the last key."))

    assert held(db) == ["500ms"]
    told = block(db, Query("what is the search debounce?", AT + 1e6, (1, 2)))
    assert '"500ms" [Search waits 500 ms after the last key.]' in told


def test_the_same_word_of_another_matter_is_another_statement(db: apsw.Connection, tmp_path: Path) -> None:
    sat(
        db, tmp_path, ("24", "`minSdk` is 24 in the manifest."), ("ok. how long are the pages", "Endless. Cut them?"),
        ("24", "Lists are cut at 24 rows."),
    )  # fmt: skip

    assert held(db) == ["24", "24"]


def test_what_was_settled_a_moment_ago_gives_way_to_a_word(db: apsw.Connection, tmp_path: Path) -> None:
    sat(
        db, tmp_path, ("500ms", "Search waits 500 ms after the last key."),
        ("hm feels laggy on my phone. 250", "Search waits 250 ms now."),
    )  # fmt: skip

    beliefs = {b["text"]: b for b in listing.export(db)}
    assert beliefs["500ms"]["state"] == "superseded"
    assert held(db) == ["hm feels laggy on my phone. 250"]
    told = block(db, Query("what is the search debounce?", AT + 1e6, (1, 2)))
    assert 'was "500ms"' in told


def test_what_may_change_what_was_just_settled_shares_its_line(db: apsw.Connection, tmp_path: Path) -> None:
    sat(
        db, tmp_path, ("nothing over 25 MB here", "Uploads above 25 MB are refused."),
        ("photographers need 50", "Uploads up to 50 MB pass."),
    )  # fmt: skip

    told = block(db, Query("how large may an upload be?", AT + 1e6, (1, 2)))
    assert '"photographers need 50" [Uploads up to 50 MB pass.]' in told
    assert any("photographers" in line and "25 MB here" in line for line in told.splitlines())


def test_another_value_of_the_same_sort_leaves_it(db: apsw.Connection, tmp_path: Path) -> None:
    sat(
        db, tmp_path, ("20", "The list loads 20 rows per page."),
        ("and how long does the client wait for the server", "For ever. Shall I set a timeout?"),
        ("yes, 20 s", "The client's timeout is 20 seconds."),
    )  # fmt: skip

    assert "20" in held(db)


LIMIT = ("uploads over 90 seconds were cut, so 90", "`UPLOAD_TIMEOUT` is 90 seconds for every client.")
RETRIES = ("three times, please", "The importer tries three times, a minute apart.")
LONGER = "the firmware has 2 GB by now and was cut again. 240"


def test_what_was_answered_both_times_tells_that_a_value_of_another_day_is_of_one_matter(
    db: apsw.Connection, tmp_path: Path
) -> None:
    sat(db, tmp_path, LIMIT, RETRIES)

    same, likely = beside(db, LONGER, "`UPLOAD_TIMEOUT` is 240 seconds for every client.")[LIMIT[0]]
    other, unlikely = beside(db, LONGER, "Heartbeats go out every 240 ms; the battery lasts a week less.")[LIMIT[0]]

    assert same.answer == LIMIT[1] and same.retold and same.foremost and same.matter > other.matter
    assert likely > unlikely


def test_what_the_agent_says_before_and_after_stands_once() -> None:
    said = "Fixed and tested, 61 passed."

    assert meant("no, the other file", said, said) == said
