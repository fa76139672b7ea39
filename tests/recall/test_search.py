"""Search on demand: beliefs and turns together, what stands now or stood then, links when asked for."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from agentmemory import paths
from agentmemory.learn import proposals
from agentmemory.learn.revise import revise
from agentmemory.memory import Memory
from agentmemory.paths import parse_time
from agentmemory.store import beliefs, turns, writer
from agentmemory.values import Added, Candidate, Found, Retracted, Superseded, Utterance


@pytest.fixture
def memory(project: Path) -> Iterator[Memory]:
    with Memory() as opened:
        yield opened


def held(memory: Memory, text: str, kind: str = "fact") -> int:
    done = memory.remember(text, kind)
    assert isinstance(done, Added)
    return done.id


def keys(found: list[Found]) -> list[tuple[str, int]]:
    return [(f.what, f.id) for f in found]


def test_beliefs_and_turns_come_together_beliefs_first(memory: Memory, token: str) -> None:
    belief = held(memory, f"the {token} gauge is read hourly")
    turn, other = memory.add_turns(
        "s", [Utterance(0, "user", f"check the {token} gauge", 1.0), Utterance(1, "user", "bye", 1.0)]
    )

    assert keys(memory.search(f"{token} gauge"))[:2] == [("belief", belief), ("turn", turn)]
    assert keys(memory.search(f"{token} gauge", turns=False)) == [("belief", belief)]
    assert other is not None


def test_a_search_says_of_which_day_each_thing_is(memory: Memory, token: str) -> None:
    memory.remember(f"the {token} gauge is read hourly", at="2026-03-02T12:00")
    memory.add_turns("s", [Utterance(0, "user", f"check the {token} gauge", parse_time("2026-04-05T12:00Z"))])

    assert [hit.date for hit in memory.search(f"{token} gauge")] == ["2026-03-02", "2026-04-05"]


@pytest.mark.parametrize(
    "written",
    ["schlu\u0308sseldienst", "schlüs\u00adsel\u00addienst", "\ufeffschlüsseldienst", "schlüssel\u200ddienst"],
)
def test_a_word_is_found_however_its_characters_are_put_together(memory: Memory, written: str) -> None:
    belief = held(memory, "der schlüsseldienst läuft auf 9000")
    other = held(memory, f"the {written} restarts at night")

    assert {f.id for f in memory.search(written)} == {belief, other} == {f.id for f in memory.search("schlüsseldienst")}


def test_what_was_replaced_gives_its_place_to_what_stands(memory: Memory, token: str) -> None:
    old = held(memory, f"the {token} service listens on 9000")
    done = memory.correct(old, f"the {token} service listens on 9100")
    assert isinstance(done, Superseded)

    assert keys(memory.search("9000 listens", turns=False)) == [("belief", done.id)]


def test_a_current_decision_stands_before_the_session_that_made_the_old_one(memory: Memory, token: str) -> None:
    said = f"we settled that {token} uploads go to the blue bucket"
    (turn,) = memory.add_turns("s", [Utterance(0, "user", said, 1.0)])
    old = held(memory, said, "decision")
    with writer.transaction(memory.db):
        beliefs.witness(memory.db, old, "said", 0.0, 1.0, turn=turn)
    told = f"the bucket of {token} uploads has changed, have a look at the wiki before any file is sent there by hand"
    (fresh,) = memory.add_turns("t", [Utterance(0, "user", told, 1.0)])
    done = memory.correct(old, f"{token} uploads go to the green bucket")
    assert isinstance(done, Superseded)

    found = memory.search(f"{token} uploads bucket")
    assert keys(found)[0] == ("belief", done.id)
    assert keys(found).index(("turn", turn or 0)) > keys(found).index(("turn", fresh or 0))
    assert f"belief {done.id} stands now" in " ".join(
        next(f for f in found if f.what == "turn" and f.id == turn).reasons
    )


def test_a_turn_that_was_overtaken_says_so_and_names_what_stands(memory: Memory, token: str) -> None:
    said = f"the {token} limit is 60"
    turn, other = memory.add_turns("s", [Utterance(0, "user", said, 1.0), Utterance(1, "assistant", "noted", 1.0)])
    old = held(memory, said)
    with writer.transaction(memory.db):
        beliefs.witness(memory.db, old, "said", 0.0, 1.0, turn=turn)
        beliefs.witness(memory.db, old, "heeded", 0.0, 1.0, turn=other)
    between = memory.correct(old, f"the {token} limit is 120")
    assert isinstance(between, Superseded)
    last = memory.correct(between.id, f"the {token} limit is 240")
    assert isinstance(last, Superseded)

    hits = {f.id: f for f in memory.search(f"{token} limit") if f.what == "turn"}
    first, answer = hits[turn or 0], hits[other or 0]
    assert (first.state, answer.state) == ("superseded", "active")
    assert [r for r in first.reasons if r.startswith("supersession")] == [f"supersession: belief {last.id} stands now"]
    assert {f.state for f in memory.search(f"what was the {token} limit before") if f.id == turn} == {"superseded"}


@pytest.mark.parametrize(("query", "reason"), [
    ("{} uploads", "lexical: speaks of {}, upload"), ("{}", "lexical: speaks of {}"),
    ("are {} assets there", "lexical: speaks of asset, {}"), ("the upload", "lexical: speaks of upload"),
    ("how do we ship it", "lexical: speaks of ship"), ("s3://{}/blue", "entities: mentions s3://{}/blue"),
])  # fmt: skip
def test_every_reason_says_what_it_rests_on(memory: Memory, token: str, query: str, reason: str) -> None:
    held(memory, f"{token} uploads go to s3://{token}/blue, assets too")
    held(memory, "the deploy takes an hour")
    found = memory.search(query.format(token), turns=False)

    assert found and reason.format(token) in found[0].reasons
    assert not [each for hit in found for each in hit.reasons if not each.partition(": ")[2]]


def test_what_stands_for_others_does_not_stand_for_itself_and_gives_each_reason_once(
    memory: Memory, token: str
) -> None:
    old = held(memory, f"the {token} limit is 60")
    done = memory.correct(old, f"the {token} limit is 120")
    assert isinstance(done, Superseded)
    (hit,) = memory.search(f"{token} limit", turns=False)

    assert [r for r in hit.reasons if r.startswith("supersession")] == [f"supersession: stands for #{old}"]
    assert len(set(hit.reasons)) == len(hit.reasons)


def limits(memory: Memory, monkeypatch: pytest.MonkeyPatch, token: str) -> list[int]:
    """A limit of 60 from 2 March on, of 120 from 5 April on, of 240 from 7 May on; seen from June."""
    monkeypatch.setenv("AGENTMEMORY_NOW", "2026-03-02T12:00:00Z")
    ids = [held(memory, f"the {token} limit is 60")]
    for day, limit in (("2026-04-05", 120), ("2026-05-07", 240)):
        monkeypatch.setenv("AGENTMEMORY_NOW", f"{day}T12:00:00Z")
        done = memory.correct(ids[-1], f"the {token} limit is {limit}")
        assert isinstance(done, Superseded)
        ids.append(done.id)
    monkeypatch.setenv("AGENTMEMORY_NOW", "2026-06-20T12:00:00Z")
    return ids


@pytest.mark.parametrize("query", ["history of the {} limit", "what was the {} limit", "{} limit", "{} limit 60"])
def test_what_stands_carries_what_it_was_newest_first(
    memory: Memory, monkeypatch: pytest.MonkeyPatch, token: str, query: str
) -> None:
    first, second, last = limits(memory, monkeypatch, token)
    (hit,) = memory.search(query.format(token), turns=False)

    assert (hit.id, hit.date) == (last, "2026-05-07")
    assert list(hit.was) == [
        {"id": second, "text": f"the {token} limit is 120", "from": "2026-04-05", "until": "2026-05-07",
         "in_part": False},
        {"id": first, "text": f"the {token} limit is 60", "from": "2026-03-02", "until": "2026-04-05",
         "in_part": False},
    ]  # fmt: skip


def test_as_of_a_day_what_stood_then_carries_what_it_had_been(
    memory: Memory, monkeypatch: pytest.MonkeyPatch, token: str
) -> None:
    first, second, _ = limits(memory, monkeypatch, token)

    def then(day: str) -> list[tuple[int, list[int]]]:
        found = memory.search(f"history of the {token} limit", as_of=parse_time(day), turns=False)
        return [(hit.id, [old["id"] for old in hit.was]) for hit in found]

    assert then("2026-03-20") == [(first, [])]
    assert then("2026-04-20") == [(second, [first])]


def test_what_replaced_nothing_was_nothing_and_a_long_chain_is_told_in_part(memory: Memory, token: str) -> None:
    last = held(memory, f"the {token} limit is 0")
    assert [hit.was for hit in memory.search(f"history of the {token} limit")] == [()]

    for limit in range(1, 9):
        done = memory.correct(last, f"the {token} limit is {limit}")
        assert isinstance(done, Superseded)
        last = done.id
    (hit,) = memory.search(f"history of the {token} limit")
    assert [old["text"][-1] for old in hit.was] == ["7", "6", "5", "4", "3", "2"]


def test_as_of_reads_what_was_true_then(memory: Memory, monkeypatch: pytest.MonkeyPatch, token: str) -> None:
    monkeypatch.setenv("AGENTMEMORY_NOW", "2026-01-10T00:00:00Z")
    old = held(memory, f"the {token} service listens on 9000")
    monkeypatch.setenv("AGENTMEMORY_NOW", "2026-03-10T00:00:00Z")
    done = memory.correct(old, f"the {token} service listens on 9100")
    assert isinstance(done, Superseded)
    monkeypatch.setenv("AGENTMEMORY_NOW", "2026-06-10T00:00:00Z")

    def then(day: str) -> list[tuple[str, int]]:
        return keys(memory.search(f"{token} service", as_of=parse_time(day)))

    assert then("2026-02-01") == [("belief", old)]
    assert then("2026-04-01") == [("belief", done.id)]
    assert then("2026-01-01") == []


def test_what_was_taken_back_later_is_found_as_of_a_day_before(
    memory: Memory, monkeypatch: pytest.MonkeyPatch, token: str
) -> None:
    monkeypatch.setenv("AGENTMEMORY_NOW", "2026-01-10T00:00:00Z")
    gone = held(memory, f"the {token} service sleeps at night")
    memory.propose(f"the {token} service ought to sleep by day")
    proposal = max(row["id"] for row in memory.export())
    held(memory, f"the {token} service never sleeps")
    memory.undo()
    monkeypatch.setenv("AGENTMEMORY_NOW", "2026-03-10T00:00:00Z")
    with writer.transaction(memory.db):
        said = Candidate("fact", "it sleeps no more", scope=memory.scope, supersedes=(gone,), retracts=True)
        assert revise(memory.db, said, paths.now()) == Retracted((gone,))
        proposals.reject(memory.db, proposal, paths.now())

    def then(day: str) -> list[tuple[str, int]]:
        return keys(memory.search(f"{token} service", as_of=parse_time(day)))

    assert then("2026-02-01") == [("belief", gone)]
    assert then("2026-04-01") == then("2026-01-01") == keys(memory.search(f"{token} service")) == []


def test_what_was_archived_later_is_found_as_of_a_day_before(memory: Memory, token: str) -> None:
    gone = held(memory, f"the {token} service sleeps at night")
    with writer.transaction(memory.db):
        memory.db.execute("UPDATE belief SET valid_from = ?", (parse_time("2026-01-10"),))
        beliefs.set_state(memory.db, gone, "archived", parse_time("2026-03-10"))

    found = [keys(memory.search(f"{token} service", as_of=parse_time(day))) for day in ("2026-02-01", "2026-04-01")]
    assert found == [[("belief", gone)], []]


def test_what_was_taken_back_or_only_proposed_is_not_found(memory: Memory, token: str) -> None:
    gone = held(memory, f"the {token} service sleeps")
    memory.propose(f"restart the {token} service daily")
    memory.undo()
    with writer.transaction(memory.db):
        beliefs.set_state(memory.db, gone, "retracted", 2.0, ended=True)

    assert memory.search(f"{token} service") == []


def test_links_lead_one_edge_further_and_say_so(memory: Memory, token: str) -> None:
    one, two, three = held(memory, f"{token} tower"), held(memory, "cold water"), held(memory, "green paint")
    guess = held(memory, "pink elephants")
    with writer.transaction(memory.db):
        beliefs.link(memory.db, "supports", two, one, 1.0)
        beliefs.link(memory.db, "relates", two, three, 1.0)
        beliefs.link(memory.db, "speculates", one, guess, 1.0)

    found = {f.id: f for f in memory.search(token, links=True)}
    assert set(found) == {one, two}
    assert found[two].is_neighbor and not found[one].is_neighbor
    assert set(keys(memory.search(token))) == {("belief", one)}


def test_scores_descend_also_where_links_follow(memory: Memory, token: str) -> None:
    best, weak = held(memory, f"{token} tower has nine floors"), held(memory, "nine cold waters run below the old town")
    near, nearer = held(memory, "green paint"), held(memory, "blue velvet")
    with writer.transaction(memory.db):
        beliefs.link(memory.db, "relates", weak, near, 1.0)
        beliefs.link(memory.db, "relates", best, nearer, 1.0)

    found = memory.search(f"{token} tower floors nine", links=True)

    assert [f.id for f in found] == [best, weak, nearer, near]
    assert [f.is_neighbor for f in found] == [False, False, True, True]
    scores = [f.score for f in found]
    assert scores == sorted(scores, reverse=True) and scores[-1] > 0


def test_an_expired_link_leads_nowhere(memory: Memory, token: str) -> None:
    one, two = held(memory, f"{token} tower"), held(memory, "cold water")
    with writer.transaction(memory.db):
        beliefs.link(memory.db, "relates", one, two, 1.0, expires=2.0)

    assert keys(memory.search(token, links=True)) == [("belief", one)]


def test_the_limit_holds_for_both_together(memory: Memory, token: str) -> None:
    for i in range(6):
        held(memory, f"{token} number{i} holds thing{i}")
    memory.add_turns("s", [Utterance(i, "user", f"{token} once more", 1.0) for i in range(6)])

    assert len(memory.search(token, 4)) == 4
    assert len(memory.search(token, 8)) == 8


def test_turns_are_kept_once_and_without_secrets(memory: Memory, token: str) -> None:
    secret = "ghp_" + (token * 4)[3:39]
    said = [
        Utterance(3, "user", f"my key for {token} is {secret}", at=5.0, speaker="Ada"),
        Utterance(4, "user", "ok", at=6.0),
    ]
    first = memory.add_turns("s", said)

    assert memory.add_turns("s", said) == [None, None]
    assert memory.search(token)[0].id == first[0]
    assert all(secret not in f.text for f in memory.search(f"{token} key"))
    assert memory.search(token)[0].source == {"session": "s", "turn": 0}
    assert turns.recent(memory.db, 1, 5)[-1][4] == 6.0
