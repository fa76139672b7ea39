"""What an older statement chose gives way where a later one says by name that it is over, or says something of it and
chooses; what is so after all replaces what says that it is not. What only speaks of such a thing stays."""

from __future__ import annotations

from pathlib import Path

import apsw
import pytest

from agentmemory.learn.ended import ended, otherwise, rechosen
from tests.learn.talk import held, later

ENDED = (
    ("mqtt it is, because the backend had a broker anyway", "coap over dtls then. mqtt goes."),
    ("we change transit to Arelion, the contract is signed", "They have a fibre. Transit is Zayo. Arelion ends."),
    ("oh and for the map. google maps we use, the town halls trust it", "we leave google, mapbox now."),
    ("we left the old ones, mapbox now", "maplibre then, own tiles, mapbox out before july"),
    ("everything goes through CUPS now, even the old ones", "so we're divorced from CUPS, back to port 9100"),
    ("littlefs. Decided with Jonas, it came through the test", "Then littlefs goes. FCB on the second bank."),
    ("FCB on the second bank, append only", "So logs leave flash. FCB was a bridge."),
    ("we do it with timefold, pure jvm", "week is over. timefold goes. we make it ourselves"),
    ("sessions are kept in redis", "valkey from today, redis is history"),
    ("search is meilisearch", "we are done with meilisearch, it ate the disk again"),
)
STAYS = (
    ("mqtt topics are written in lower case", "coap over dtls then. mqtt goes."),
    ("we moved from redis to valkey", "redis is gone for good"),
    ("sessions are kept in redis", "if redis goes, sessions are lost"),
    ("sessions are kept in redis", "redis goes in front of the api"),
    ("the report is for carol", "the report for carol goes out on the first monday"),
    ("the release is cut on a branch", "the branch is dead"),
    ("we use sentry for errors", "should we leave sentry?"),
    ("sessions are kept in the cache", "the cache is dead"),
    ("photos are stored in ceph", "hetzner is out"),
)


@pytest.mark.parametrize(("old", "new"), ENDED)
def test_a_choice_is_over_where_its_name_is_said_to_be(old: str, new: str) -> None:
    assert ended(new, old)


@pytest.mark.parametrize(("old", "new"), STAYS)
def test_what_only_speaks_of_it_is_not_over(old: str, new: str) -> None:
    assert not ended(new, old)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("it is three embers a turn and they do NOT carry over", "unspent embers carry over after all, up to five"),
        ("we don't ship the maps with the app", "ok we ship the maps with the app after all"),
        ("we use turbo for the build", "we don't use turbo after all"),
    ],
)
def test_what_is_so_after_all_is_otherwise_than_before(old: str, new: str) -> None:
    assert otherwise(new, old)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("they do not carry over", "embers carry over, after that they burn"),
        ("we don't ship the maps with the app", "we ship on friday after all"),
        ("we use turbo for the build", "we use yarn after all"),
    ],
)
def test_nothing_else_is(old: str, new: str) -> None:
    assert not otherwise(new, old)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("transit is bought from {}, the contract is signed", "Zayo comes up to Kendal with its own fibre. {} ends."),
        ("unspent {} does not carry over to the next turn", "So: unspent {} carries over after all, up to five."),
    ],
)
def test_the_older_statement_gives_way(db: apsw.Connection, tmp_path: Path, token: str, old: str, new: str) -> None:
    old, new = old.format(token), new.format(token)
    later(db, tmp_path, old, new, "Understood.")

    assert (held(db), held(db, "superseded")) == ([new], [old])


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("the element sets come from celestrak, cron every 6h", "celestrak banned our ip. we take space-track"),
        ("we go to mollie, they do klarna too", "the bank wants it daily, mollie pays weekly, so adyen it is"),
        ("we switch the oracle: redstone", "redstone was down 40 min. we go pull with pyth"),
        ("prawn then! it is pure ruby", "with prawn i was two afternoons fighting. we go to grover"),
        ("we take redis, it is there already", "redis ate the jobs again, we take kafka"),
    ],
)
def test_who_says_something_of_a_choice_and_chooses_chooses_anew(old: str, new: str) -> None:
    assert rechosen(new, old)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("we go to mollie, they do klarna too", "mollie stays for the shop, the app takes adyen"),
        ("we go to mollie, they do klarna too", "we take adyen from today"),
        ("we go to mollie, they do klarna too", "mollie pays weekly"),
        ("we chose kotlin for the android app, decided", "we decided to go with swift for the ios app now"),
        ("prices are kept with the mollie id", "mollie pays weekly, so adyen it is"),
        ("we take redis, it is there already", "we take redis for the locks as of today"),
    ],
)
def test_who_does_not_does_not(old: str, new: str) -> None:
    assert not rechosen(new, old)


def test_a_choice_that_is_found_fault_with_gives_way_to_another(db: apsw.Connection, tmp_path: Path) -> None:
    old = "search: we take typesense, one box is enough"
    new = "typesense locked search up for 40 min again. we take vespa, three nodes"
    later(db, tmp_path, old, new, f"Done: {new}")

    assert (held(db), held(db, "superseded")) == ([new], [old])
