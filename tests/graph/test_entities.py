"""What a text names, by its spelling alone."""

from __future__ import annotations

import pytest

from agentmemory.learn.entities import MOST, RANK, aliases, extract, mention, norm_of
from agentmemory.recall.entities import MENTIONS, PER_ENTITY
from agentmemory.recall.entities import entities as layer
from agentmemory.records import Query
from agentmemory.store import beliefs, scopes
from agentmemory.store import entities as rows
from agentmemory.store.writer import transaction


def named(text: str) -> dict[str, str]:
    return {n.name: n.kind for n in extract(text)}


@pytest.mark.parametrize(
    ("text", "name", "kind"),
    [
        ("the form lives in web/{t}/form.tsx now", "web/{t}/form.tsx", "file"),
        ("see `{t}.py` first", "{t}.py", "file"),
        ("the old route /v2/{t}/list is gone", "/v2/{t}/list", "path"),
        ("it runs on {t}.internal:8443", "{t}.internal:8443", "host"),
        ("docs at https://{t}.example.org/a/b", "https://{t}.example.org/a/b", "url"),
        ("run make {t}-check before", "make {t}-check", "command"),
        ("then pnpm db:{t} and wait", "pnpm db:{t}", "command"),
        ("use `{t} sync --all` for it", "{t} sync --all", "command"),
        ("call load_{t}() twice", "load_{t}", "symbol"),
        ("that is tracked in ABC-4711 since monday", "ABC-4711", "ticket"),
        ("ask @{t} about it", "@{t}", "person"),
        ("look at @src/{t}/form.py please", "src/{t}/form.py", "file"),
        ("as @{t}.md says", "{t}.md", "file"),
        ("everything in @src/{t}/ is generated", "src/{t}", "path"),
        ("pin {t}==1.4.2 for now", "{t}==1.4.2", "package"),
        ("import from @scope/{t} instead", "@scope/{t}", "package"),
        ("the {t}-gateway times out", "{t}-gateway", "service"),
        ("we are at v3.14.2 since May", "v3.14.2", "version"),
    ],
)
def test_a_named_thing_is_read_with_its_kind(text: str, name: str, kind: str, token: str) -> None:
    assert named(text.format(t=token)).get(name.format(t=token)) == kind


def test_people_are_read_from_what_they_do(token: str) -> None:
    name = token.capitalize()
    assert named(f"yesterday {name} said we ship on friday") == {name: "person"}


@pytest.mark.parametrize("did", ["visited", "emailed", "phoned", "hired", "interviewed", "thanked", "teaches"])
def test_whoever_does_something_to_somebody_is_a_person_also_at_the_head_of_a_sentence(did: str, token: str) -> None:
    name = token.capitalize()
    assert named(f"{name} {did} Zorban") == {name: "person", "Zorban": "name"}


def test_two_who_are_named_together_are_both_names_in_french_and_spanish(token: str) -> None:
    for text in ("{n} et Zorban utilisent le cache", "{n} y Zorban usan el cache"):
        assert {token.capitalize(), "Zorban"} <= set(named(text.format(n=token.capitalize())))


def test_a_state_before_what_somebody_thinks_is_nobody() -> None:
    assert named("we go from there to PARKED I think") == {"PARKED": "name"}


def test_an_identifier_of_a_session_is_no_service() -> None:
    assert named("resume b71c0e52-93ab-4c1f-8e07-5b2d9a64c0fe please") == {}


def test_a_sentence_does_not_make_a_name_of_its_first_word() -> None:
    assert named("Always check the input. Then write the output. Cats sleep.") == {}


def test_and_or_is_no_path() -> None:
    assert named("use this and/or that, read/write either way") == {}
    assert named("it only fails in CI/headless runs, the hook sees userId/teamId") == {}


def test_spellings_of_one_thing_share_a_norm(token: str) -> None:
    spelled = (f"{token}-api", f"{token}_api", f"{token.capitalize()}Api")
    assert len({norm_of("service", name) for name in spelled}) == 1


def test_a_listing_is_cut() -> None:
    assert len(extract("\n".join(f"src/part{i}/file{i}.py" for i in range(500)))) == MOST


def test_a_huge_line_is_read_in_bounded_time() -> None:
    for hostile in ("a-" * 50_000, "/" * 100_000, "A" * 100_000, "a." * 50_000, "`" * 99_999, "x_" * 50_000):
        assert len(extract(hostile)) <= MOST


def test_a_statement_declares_another_name(token: str) -> None:
    assert aliases(f"{token} is our billing gateway") == [(token, "billing gateway")]
    assert aliases(f"is {token} slower than our gateway?") == []


def test_both_names_lead_to_one_thing(db, token: str) -> None:
    with transaction(db):
        mention(db, 1, f"{token} is our payment cluster.", belief_of(db), 1.0)
    first = rows.named(db, [norm_of("name", token)], [1])
    second = rows.named(db, [norm_of("name", "payment cluster")], [1])

    assert first == second and len(first) == 1


def test_a_known_name_is_recognised_in_lower_case(db, token: str) -> None:
    with transaction(db):
        first = mention(db, 1, f"the `{token}` is slow", belief_of(db), 1.0)
        again = mention(db, 1, f"why is {token} slow again", belief_of(db), 2.0)

    assert first == again != []


def test_a_misspelled_name_is_an_alias_but_another_number_is_another_thing(db) -> None:
    with transaction(db):
        ids = [
            mention(db, 1, f"we run `{name}-service` there", belief_of(db), 1.0)[0]
            for name in ("karpentier", "karpenteer", "karpentier2", "karpentier3")
        ]
    heads = [rows.names(db, [id])[id][0] for id in ids]

    assert heads[0] == heads[1]
    assert len({heads[0], heads[2], heads[3]}) == 3


def test_kinds_sharpen_and_never_blur(db, token: str) -> None:
    with transaction(db):
        (id,) = mention(db, 1, f"we use {token.capitalize()} here", belief_of(db), 1.0)
        mention(db, 1, f"yes {token.capitalize()} said so", belief_of(db), 2.0)
        mention(db, 1, f"then {token.capitalize()} again", belief_of(db), 3.0)

    assert rows.names(db, [id])[id][2] == "person"
    assert list(RANK) == sorted(RANK, key=RANK.__getitem__)


def belief_of(db) -> int:
    """A belief that says nothing."""
    return beliefs.add(db, beliefs.New(scopes.USER, "fact", "nothing", "user", 0.0, 0.0))


def test_a_name_that_very_many_beliefs_mention_brings_none_of_them(db, token: str) -> None:
    def brought() -> int:
        return len(layer(db, Query(f"what of {token}-api?", 1.0, (scopes.USER,)), []))

    with transaction(db):
        for n in range(MENTIONS + 1):
            text = f"{token}-api has a part {n}"
            mention(
                db, scopes.USER, text, beliefs.add(db, beliefs.New(scopes.USER, "fact", text, "user", 1.0, 1.0)), 1.0
            )
            if n + 1 == MENTIONS:
                assert brought() == PER_ENTITY

    assert brought() == 0
