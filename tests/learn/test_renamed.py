"""Who gives another name to something changes what gave it its name, and nothing else."""

from __future__ import annotations

from pathlib import Path

import apsw
import pytest

from agentmemory.learn.renamed import renamed
from tests.learn.talk import held, later

CLUSTERS = "k8s clusters are called falcon (prod) and sparrow (staging)"


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("the db is called orca", "the db was renamed to walrus"),
        ("the db is called orca", "renamed the db from orca to walrus"),
        ("the db is called orca", "we're renaming orca to walrus"),
        ("the db is called orca", "orca has been renamed to walrus"),
        ("the db is called orca", "orca is now called walrus"),
        ("the db is called orca", "the db now goes by walrus"),
        ("our cli is called kestrel", "kestrel is now known as merlin"),
        ("the design system is called Pebble", "Pebble is now Gravel"),
        ("servers are called ada, bob and cleo", "bob is called dora from now on"),
        (CLUSTERS, "we renamed sparrow to wren last night"),
        (CLUSTERS, "sparrow was renamed to wren"),
        (CLUSTERS, "sparrow is called wren now"),
    ],
)
def test_another_name_takes_the_place_of_the_one_before(
    db: apsw.Connection, tmp_path: Path, old: str, new: str
) -> None:
    later(db, tmp_path, old, new)

    assert (held(db), held(db, "superseded")) == ([new], [old])


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("the db is called orca", "rename the variable orca to walrus"),
        ("the db is called orca", "the column name was renamed to title"),
        ("the db is called orca", "the orca table was renamed to walruses"),
        ("the db is called orca", "renamed the helper to walrus"),
        ("the db is called orca", "the queue was renamed to walrus"),
        ("the db is called orca", "rename orca.test.ts to walrus.test.ts"),
        ("the db is called orca", "move this file to lib/"),
        ("the db is called orca", "orca is now faster"),
        ("the db is called orca", "orca is now on port 5433"),
        ("the db is called orca", "should orca be renamed to walrus?"),
        ("the db is called orca", "we might rename orca to walrus"),
        ("the db is called orca", "orca will be renamed to walrus"),
        ("the office wifi is called moss", "we rename moss to fern next week"),
        ("heron runs postgres 16", "heron was renamed to egret"),
        ("the api is on port 8080", "the api was renamed to core"),
        (CLUSTERS, "falcon is now monitored by grafana"),
    ],
)
def test_what_is_renamed_in_code_or_later_changes_no_name(
    db: apsw.Connection, tmp_path: Path, old: str, new: str
) -> None:
    later(db, tmp_path, old, new, "Okay, I looked into it.")

    assert held(db, "superseded") == [] and old in [*held(db), *held(db, "heard")]


def test_of_several_names_the_others_still_stand(db: apsw.Connection, tmp_path: Path) -> None:
    later(db, tmp_path, CLUSTERS, "sparrow was renamed to wren")

    assert db.execute("SELECT detail FROM edge WHERE type = 'supersedes'").fetchone() == ("in part",)


@pytest.mark.parametrize(
    ("new", "answer", "so"),
    [
        ("orca is now walrus", "Renamed the database to walrus.", True),
        ("orca is now walrus", "Set DB_NAME=walrus in `.env`.", True),
        ("orca is now walrus_2", "Noted.", True),
        ("orca is now walrus", "Noted.", False),
        ("orca is now huge", "Good to know; I will page the exports.", False),
        ("orca is now live", "Set the state to live.", False),
        ("is orca now walrus", "Not yet.", False),
    ],
)
def test_how_something_is_now_is_no_name_unless_it_is_answered_like_one(new: str, answer: str, so: bool) -> None:
    assert renamed(new, "the db is called orca", answer) is so


@pytest.mark.parametrize(
    ("old", "new", "answer", "so"),
    [
        ("the villain is called Grimsby", "Grimsby -> Mr. Parcel, theres a trademark", "Renamed to Mr. Parcel.", True),
        ("the db host is finch", "finch → heron", "ok, heron", True),
        ("the mail queue is called q_mail", "q_mail is mail.outbound now", "Renamed.", True),
        ("the app is called Bloomr", "bloomr becomes Petal", "Renamed to Petal.", True),
        ("orders are pending until paid", "pending -> done is allowed", "Added the transition.", False),
        ("posts are draft first", "draft -> published", "Added `published`.", False),
        ("the db host is finch", "finch -> heron latency is 20 ms", "Noted.", False),
        ("the main branch is called trunk", "trunk becomes main in may", "Noted.", False),
        ("the cache is called redis", "redis becomes slow under load", "Yes.", False),
    ],
)
def test_an_arrow_leads_to_another_name_where_the_answer_says_so(old: str, new: str, answer: str, so: bool) -> None:
    assert renamed(new, old, answer) is so
