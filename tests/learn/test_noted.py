"""What is noted with `remember`: a note takes the place of one that it makes untrue, and of no other."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from agentmemory import verbs
from agentmemory.learn.stated import announces
from agentmemory.memory import Memory
from agentmemory.store.beliefs import UnknownBelief
from agentmemory.values import Added, Superseded


@pytest.fixture(params=["user", "agent"])
def memory(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Memory]:
    with Memory(str(tmp_path), project="", speaker=request.param) as opened:
        yield opened


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("The {} API server listens on port 8080.", "{} API server port changed to 9090."),
        ("The on-call lead of {} is Priya.", "The on-call lead of {} is now Marcus."),
        ("Background jobs of {} run on Celery.", "Background jobs of {} were moved from Celery to Temporal."),
        ("mails go out through {}", "{} is out, we take quickpost instead"),
        ("Feature flags are managed in {}.", "Feature flags are in flags.yaml now; {} was cancelled."),
    ],
)
def test_a_note_replaces_what_it_says_has_changed(memory: Memory, token: str, old: str, new: str) -> None:
    was, done = memory.remember(old.format(token)), memory.remember(new.format(token))

    assert isinstance(was, Added) and isinstance(done, Superseded) and done.old == (was.id,)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("The {} index is rebuilt every night.", "The {} index has 3 shards."),
        ("The {} API returns 429 when the quota is exceeded.", "The {} API returns 503 during deploys."),
        ("The build of {} takes 12 minutes on the laptop.", "The build of {} takes 4 minutes on the CI runner."),
        ("Priya owns the billing code of {}.", "Marcus owns the search code of {}."),
        ("My daughter plays the {} on Thursdays.", "My daughter's {} teacher is Mrs. Weber."),
        ("Visited my father at {} hospital, he recovers well.", "Visiting hours at {} hospital end at 7 pm."),
        ("CI of {} caches node_modules by lockfile hash.", "CI of {} caches Docker layers in the registry."),
    ],
)
def test_another_aspect_of_a_thing_replaces_nothing(memory: Memory, token: str, one: str, other: str) -> None:
    assert isinstance(memory.remember(one.format(token)), Added)
    assert isinstance(memory.remember(other.format(token)), Added)


@pytest.mark.parametrize(
    ("text", "announced"),
    [
        ("Project upgraded to Python 3.13.", True), ("User no longer wants emojis.", True),
        ("Tests run with pytest. The release branch was renamed to stable.", True),
        ("Project uses Python 3.13.", False), ("User prefers small functions.", False), ("", False), ("?", False),
        ("```\nmake\n```", False),
    ],
)  # fmt: skip
def test_a_note_announces_a_change_where_its_sentences_do(text: str, announced: bool) -> None:
    assert announces(text) is announced


def test_who_notes_something_is_told_what_it_may_change_and_can_say_that_it_does(memory: Memory, token: str) -> None:
    was = f"Data of {token} is cached in Redis with a TTL of 60 seconds."
    text = f"Data of {token} lives in Redis for 10 minutes, people had complained about slow screens."
    old = verbs.remember(memory, was, at="20200101")
    new = verbs.remember(memory, text)

    assert new["may_change"] == [{"id": old["id"], "text": was}] and f"belief {old['id']}" in new["note"]

    done = verbs.remember(memory, text, replaces=old["id"])
    assert (done["id"], done["old"], done["may_change"]) == (new["id"], (old["id"],), [])
    assert memory.belief(old["id"]).superseded_by == new["id"]


def test_what_was_noted_a_moment_ago_may_be_changed_too(memory: Memory, token: str) -> None:
    old = verbs.remember(memory, f"The {token} importer runs at 02:00 from Airflow.")
    new = verbs.remember(memory, f"The {token} importer is run by dbt Cloud, every night at 04:30.")

    assert [each["id"] for each in new["may_change"]] == [old["id"]]


def test_most_notes_change_nothing_and_nothing_is_asked(memory: Memory, token: str) -> None:
    verbs.remember(memory, f"The {token} index has 3 shards.", at="20200101")

    assert verbs.remember(memory, "User prefers small functions.")["may_change"] == []


def test_what_does_not_stand_cannot_be_replaced(memory: Memory, token: str) -> None:
    with pytest.raises(UnknownBelief):
        verbs.remember(memory, f"{token} is on port 1", replaces=99)

    assert not list(memory.export())


def test_a_rule_of_the_user_stays_whatever_an_agent_says_to_replace(tmp_path: Path, token: str) -> None:
    with Memory(str(tmp_path), project="") as user, Memory(str(tmp_path), project="", speaker="agent") as agent:
        rule = verbs.lock(user, f"never push {token} to main")["id"]
        done = verbs.remember(agent, f"pushing {token} to main is fine now", replaces=rule)

        assert "gives way to the user alone" in done["note"]
        assert user.belief(rule).state == "active"


@pytest.mark.parametrize(
    ("said", "noted"),
    [
        ("no, the poll interval of {} is 300 seconds now", "The poll interval of {} is 30 seconds now."),
        ("mails go out through {}", "{} is out, we take quickpost instead."),
    ],
)
def test_what_the_user_said_gives_way_to_an_agents_note_by_its_id_alone(
    tmp_path: Path, token: str, said: str, noted: str
) -> None:
    with Memory(str(tmp_path), project="") as user, Memory(str(tmp_path), project="", speaker="agent") as agent:
        own = verbs.remember(user, said.format(token), at="20200101")["id"]
        note = verbs.remember(agent, noted.format(token))

        assert "old" not in note and user.belief(own).state == "active"
        assert [each["id"] for each in note["may_change"]] == [own]
        block = user.recall(f"{token}: what is the poll interval, how do mails go out?")
        assert (
            f'"{noted.format(token)}" (an agent\'s note, ' in block
            and f'also, 2020-01-01: "{said.format(token)}"' in block
        )

        assert verbs.remember(agent, noted.format(token), replaces=own)["old"] == (own,)
        assert user.belief(own).state == "superseded"


def test_what_another_project_holds_cannot_be_replaced(tmp_path: Path, token: str) -> None:
    with (
        Memory(str(tmp_path), project=str(tmp_path / "a"), speaker="agent") as one,
        Memory(str(tmp_path), project=str(tmp_path / "b"), speaker="agent") as other,
    ):
        held = verbs.remember(one, f"{token} is on port 1")["id"]
        with pytest.raises(UnknownBelief):
            verbs.remember(other, f"{token} is on port 2", replaces=held)

        assert one.belief(held).state == "active"
