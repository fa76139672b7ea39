"""One sentence said of two things is two facts; the same thing with another value is a change."""

from __future__ import annotations

from pathlib import Path

import apsw
import pytest

from agentmemory.learn.parallel import narrows, parallel, restated
from agentmemory.memory import Memory
from agentmemory.values import Added, Superseded
from tests.learn.talk import WEEK, held, play

TWO_THINGS = (
    ("{a}-api listens on port 8080", "{b}-api listens on port 9090"),
    ("the configuration of {a} belongs into conf/{a}.toml", "no, the configuration of {b} belongs into conf/{b}.toml"),
    ("{a} keeps its data in {a}_db, we decided that", "{b} keeps its data in {b}_db, we decided that"),
    ("clients reach {a} at 6724 and nowhere else", "no, clients reach {b} at 4901 and nowhere else"),
    ("the cache of {a} holds 40 entries", "from now on the cache of {b} holds 90 entries"),
    ("settings of {a} live in conf/one.yaml", "settings of {b} live in conf/two.yaml"),
    ("shard 1 of {a} lives on db-7", "shard 2 of {a} lives on db-8"),
    ("replica a of {a} lives in us-east", "replica b of {a} lives in us-west"),
    ("team A owns {a}", "team B owns {b}"),
    ("service number 1 of {a} listens on port 7000", "service number 2 of {a} listens on port 7010"),
)
ONE_THING = (
    ("{a}-api listens on port 8080", "{a}-api listens on port 9090 from now on"),
    ("metrics go to {a} on the host, port 8480", "metrics go to {b} on the host, port 9009 from now on"),
    ("the cache of {a} holds 40 entries", "from now on the cache of {a} holds 90 entries"),
)


@pytest.mark.parametrize(
    ("old", "new", "two"),
    [
        ("training data sits in the bucket cats-raw", "training data is read from the bucket cats-clean", False),
        ("the docs live on the host wren", "the docs are served from the host heron", False),
        ("alerts go to channel ops-red", "alerts are posted in channel ops-blue", False),
        ("port 8080 is for billing", "port 9090 is for ledger", True),
        ("photos live on the host wren", "invoices are kept on the host heron", True),
    ],
)
def test_the_name_of_where_something_is_at_the_end_is_no_other_thing(old: str, new: str, two: bool) -> None:
    assert parallel(new, old) == two


@pytest.mark.parametrize("pair", TWO_THINGS)
def test_of_two_things_both_stand(tmp_path: Path, token: str, pair: tuple[str, str]) -> None:
    with Memory(str(tmp_path), project="") as memory:
        first, second = (memory.remember(each.format(a=token, b=f"x{token[::-1]}")) for each in pair)
        assert isinstance(first, Added) and isinstance(second, Added)


OTHER_LETTERS = (
    ("disk c of {a} holds the logs", "disk d of {a} holds the logs"),
    ("plan A of {a} is the rollout on monday", "plan B of {a} is the rollout on monday"),
    ("{a}の環境Aは本番です", "{a}の環境Bは本番です"),
)


@pytest.mark.parametrize("pair", OTHER_LETTERS)
def test_what_is_named_by_another_letter_is_not_known_already(
    tmp_path: Path, token: str, pair: tuple[str, str]
) -> None:
    with Memory(str(tmp_path), project="") as memory:
        assert isinstance(memory.remember(pair[0].format(a=token)), Added)
        assert isinstance(memory.remember(pair[1].format(a=token)), Added | Superseded)


@pytest.mark.parametrize("pair", ONE_THING)
def test_of_one_thing_the_later_stands(tmp_path: Path, token: str, pair: tuple[str, str]) -> None:
    with Memory(str(tmp_path), project="") as memory:
        memory.remember(pair[0].format(a=token, b=f"x{token[::-1]}"))
        assert isinstance(memory.remember(pair[1].format(a=token, b=f"x{token[::-1]}")), Superseded)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("the client retries 3 times with 20 seconds between", "the client retries 5 times with 40 seconds between"),
        ("batches hold 40 rows and 2 files", "batches hold 90 rows and 4 files"),
        ("we keep 3 backups for 7 days", "we keep 5 backups for 9 days"),
    ],
)
def test_how_many_is_no_number_of_a_thing(one: str, other: str) -> None:
    assert not parallel(one, other)


@pytest.mark.parametrize(
    ("old", "new", "so"),
    [
        ("geese do 10 damage", "geese do 14 on hard mode only", True),
        ("backups are kept 30 days", "backups are kept 3 days in staging", True),
        ("rows are kept 90 days", "for the trial accounts 14 days", True),
        ("the lamp dims to 40 percent", "at night the lamp dims to 5 percent", True),
        ("das backup läuft um 2:00", "am wochenende läuft das backup um 5:00", True),
        ("el riego dura 20 minutos", "en verano el riego dura 45 minutos", True),
        ("at night the lamp dims to 5 percent", "at night the lamp dims to 9 percent", False),
        ("the timeout of production is 3 s", "in prod the timeout is 5 s", False),
        ("rows are kept 90 days", "rows are kept 60 days for all customers", False),
        ("standup is at 9:30 on mondays", "standup is at 10:15 on tuesdays", False),
        ("we tried 32 in jan", "i ran 48 on it over the weekend", False),
        ("updates run at 03:00", "it gets light early in summer, nobody should see it. 01:00", False),
        ("the preload is 256 kB", "That is too much for the parish laptops. 96 must do.", False),
        ("the preload is 256 kB", "Testers asked twice. For the parish laptops 96 kB.", True),
    ],
)
def test_what_holds_for_one_case_leaves_what_holds_for_all(old: str, new: str, so: bool) -> None:
    assert narrows(new, old) is so


@pytest.mark.parametrize(
    ("old", "new"),
    [("search timeout is 3 s", "checkout timeout is 4 s"), ("berlin shop closes at 18", "hamburg shop closes at 20")],
)
def test_a_few_words_said_of_two_things_are_two_facts(db: apsw.Connection, tmp_path: Path, old: str, new: str) -> None:
    play(db, tmp_path, "saves are json", old, new, reply="Set.")

    assert {old, new} <= set(held(db))


@pytest.mark.parametrize(
    ("old", "new", "stands"),
    [
        ("the queue holds 500 jobs", "the queue holds 900 jobs", [False, True]),
        ("sessions last 8 hours", "make sessions last 4 hours", [False, True]),
        ("the queue holds 500 jobs", "the queue holds 50 jobs in dev", [True, True]),
    ],
)
def test_on_another_day_the_same_words_tell_what_is_so_now(
    db: apsw.Connection, tmp_path: Path, old: str, new: str, stands: list[bool]
) -> None:
    play(db, tmp_path, "saves are json", old, reply="Set.")
    play(db, tmp_path, new, at=WEEK, reply="Set, it is that now.")

    assert [each in held(db) for each in (old, new)] == stands


@pytest.mark.parametrize(
    ("old", "new", "so"),
    [
        ("sessions last 8 hours", "no, make sessions last 4 hours", True),
        ("the port is 80", "ok so the port is 81", True),
        ("no deploys on friday", "deploys on monday from now on", False),
    ],
)
def test_how_a_statement_begins_is_no_part_of_what_it_says_but_for_a_no(old: str, new: str, so: bool) -> None:
    assert restated(new, old) is so


def test_another_file_is_no_repetition(tmp_path: Path, token: str) -> None:
    with Memory(str(tmp_path), project="") as memory:
        memory.remember(f"settings of the {token} importer live in conf/a.toml")
        done = memory.remember(f"settings of the {token} importer live in conf/b.toml now")
        assert isinstance(done, Added | Superseded)


def test_a_rule_does_not_come_on_the_line_of_a_fact_that_replaced_another(tmp_path: Path, token: str) -> None:
    with Memory(str(tmp_path), project="") as memory:
        said = f"NEVER use git push {token} directly. Use scripts/publish-to-{token}.sh."
        rule = memory.remember(said, "rule", at="20260101")
        old = memory.remember(f"the {token} remote is git@{token}.com:oldorg/tool.git", at="20260102")
        moved = f"we moved: the {token} remote is git@{token}.com:neworg/tool.git now, not oldorg anymore"
        new = memory.remember(moved, at="20260301")

        assert isinstance(rule, Added) and isinstance(old, Added) and isinstance(new, Superseded)
        assert new.old == (old.id,)
        ties = "SELECT count(*) FROM edge WHERE detail = 'later' AND src = ? AND dst = ?"
        assert memory.db.execute(ties, (new.id, rule.id)).fetchone() == (0,)


@pytest.mark.parametrize("at", [90_000, 600])
def test_a_thing_that_moves_is_no_other_thing(db: apsw.Connection, tmp_path: Path, token: str, at: int) -> None:
    play(db, tmp_path, f"the {token} api runs on port 8080")
    play(db, tmp_path, "hi", f"the {token} api moved to port 9090", at=at)

    assert held(db) == [f"the {token} api moved to port 9090"]


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("the {a} api runs on port 8080", "the {a} api runs on port 9090 now"),
        ("docs of {a} are written in rst", "docs of {a} are written in markdown now"),
        ("{a} logs go to loki", "{a} logs go to elastic search from now on"),
        ("we use jest for {a}", "from now on we use vitest for {a}"),
        ("Der Zeitraum für {a} sind die letzten 8 Wochen.", "Zeitraum für {a} sind jetzt die letzten 12 Wochen."),
    ],
)
@pytest.mark.parametrize("at", [90_000, 600])
@pytest.mark.parametrize("reply", ["Done, changed it.", "I've updated the settings module; all tests pass."])
def test_who_says_the_same_sentence_with_another_value_and_now_is_taken_at_the_word(
    db: apsw.Connection, tmp_path: Path, token: str, old: str, new: str, at: int, reply: str
) -> None:
    play(db, tmp_path, old.format(a=token), reply="Got it, noted.")
    play(db, tmp_path, "hi", new.format(a=token), at=at, reply=reply)

    assert held(db, "superseded") == [old.format(a=token)] and held(db) == [new.format(a=token)]


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("{a} tests run on linux", "{a} tests run on mac too now"),
        ("{a} logs go to loki", "{a} logs do not go to elastic now"),
        ("{a} gate 11 opens at 8", "{a} gate 12 opens at 8 now"),
        ("{a} listens on 8080", "b{a} listens on 8080 now"),
        ("the {a} queue is in redis and nobody reads it by hand", "the {a} queue is in redis"),
    ],
)
def test_what_adds_denies_or_speaks_of_another_thing_is_no_restatement(token: str, old: str, new: str) -> None:
    assert not restated(new.format(a=token), old.format(a=token))


@pytest.mark.parametrize(
    ("old", "new", "so"),
    [
        ("the {a} db is called orca", "the {a} db is called walrus now", True),
        ("the {a} bot goes by robin", "the {a} bot goes by wren now", True),
        ("the {a} job is labelled nightly", "the {a} job is labelled hourly now", True),
        ("the {a} mascot is known as Otto", "the {a} mascot is known as Egon now", True),
        ("the {a} prefix means internal", "the {a} prefix means public now", True),
        ("{a} prices are shown net", "{a} prices are shown gross now", True),
        ("the {a} button reads Send", "the {a} button reads Submit now", True),
        ("the cron user of {a} is called jobs", "from now on the cron user of {a} is called batch", True),
        ("the {a} db is called orca", "the {a} db was renamed to walrus", True),
        ("the {a} db is called orca", "the {a} queue is called walrus now", False),
        ("the {a} db is called orca", "the {a} db is also called walrus now", False),
        ("the {a} db is called orca", "the {a} db is not called walrus now", False),
        ("the cluster called orca runs {a}", "the cluster called walrus runs {a} now", False),
        ("the {a} api is on port 8080", "the {a} api is called core now", False),
        ("the {a} cache is called warm", "the {a} cache is on redis now", False),
        ("{a} prices are shown net", "{a} prices are cached now", False),
        ("{a} rehearsals are on tuesdays", "{a} rehearsals move to thursdays", True),
        ("the {a} server is in Madrid", "the {a} server moves to Lisbon", True),
        ("{a} standup is at 10:00", "{a} standup was moved to 9:30", True),
        ("docs of {a} live in confluence", "docs of {a} are moving to notion", True),
        ("{a} rehearsals are loud", "{a} rehearsals move to thursdays", False),
        ("{a} rehearsals are on tuesdays", "{a} rehearsals will move to thursdays", False),
        ("{a} rehearsals are on tuesdays", "{a} rehearsals move to thursdays in May", False),
        ("{a} rehearsals are on tuesdays", "{a} concerts move to thursdays", False),
        ("the {a} api is written in go", "the {a} api moves to port 9090", False),
        ("the {a} header is sticky", "the {a} header moves to the left", False),
    ],
)
def test_another_value_is_what_stands_behind_what_leads_to_it(token: str, old: str, new: str, so: bool) -> None:
    assert restated(new.format(a=token), old.format(a=token)) is so


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("dns is {} on the pi", "swapped {} for technitium yesterday"),
        ("our search is powered by {}", "got rid of {} last week, typesense does the search"),
    ],
)
def test_a_change_that_was_made_on_a_day_that_is_past_holds_from_then_on(
    db: apsw.Connection, tmp_path: Path, token: str, before: str, after: str
) -> None:
    done = "Okay. I exported the rewrites and adapted the playbook, its role is removed."
    play(db, tmp_path, before.format(token), reply="Got it. I'll keep that in mind.")
    play(db, tmp_path, "hi", after.format(token), at=900_000, reply=done)

    assert held(db) == [after.format(token)] and held(db, "superseded") == [before.format(token)]
