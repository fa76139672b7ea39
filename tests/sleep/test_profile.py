"""The profile: what people say of themselves, and nothing else."""

from __future__ import annotations

import apsw
import pytest

from agentmemory.sleep import profile
from agentmemory.sleep.night import READ, sleep
from agentmemory.store import beliefs, nights, traits, undo, writer
from tests.sleep.talk import DAY, NOW, a_project, name, say

SAID = {
    "I'm Tom, data scientist in San Francisco": {
        "name": "Tom", "occupation": "data scientist", "location": "San Francisco"},
    "My name is Ana María López and I work as a backend developer at Initech.": {
        "name": "Ana María López", "occupation": "backend developer", "employer": "Initech"},
    "I'm a senior site reliability engineer, based in Zürich": {
        "occupation": "senior site reliability engineer", "location": "Zürich"},
    "hi, call me Jo. I live in New York and my pronouns are they/them": {
        "name": "Jo", "location": "New York", "pronouns": "they/them"},
    "I moved to Berlin": {"location": "Berlin"},
    "I just moved from Lyon to Porto, so mornings are free": {"location": "Porto"},
    "my timezone is Europe/Berlin": {"timezone": "Europe/Berlin"},
    "I now work for Globex.": {"employer": "Globex"},
    "I work at Initech. Actually I work for Globex now": {"employer": "Globex"},
    "I live in Berlin. No wait, I live in Porto.": {"location": "Porto"},
    "My time zone is CET": {"timezone": "CET"},
    "I live in Oslo and work at Globex": {"location": "Oslo", "employer": "Globex"},
    "I work for Globex, live in Oslo and my pronouns are she/her": {
        "employer": "Globex", "location": "Oslo", "pronouns": "she/her"},
    "I moved to Porto last year and now work as a nurse": {"location": "Porto", "occupation": "nurse"},
    "I'm Tom and currently live in St. Louis": {"name": "Tom", "location": "St. Louis"},
    "I relocated to McAllen for a new job": {"location": "McAllen"},
    "I moved to Lyon for my studies": {"location": "Lyon"},
    "I've moved from Berlin to São Paulo": {"location": "São Paulo"},
    "I’ve recently relocated to Turin and work as a nurse": {"location": "Turin", "occupation": "nurse"},
    "I work for Acme Corp as a backend developer": {"employer": "Acme Corp", "occupation": "backend developer"},
    "I'm Adrian, data scientist in Oslo": {"name": "Adrian", "occupation": "data scientist", "location": "Oslo"},
    "My name is Kish": {"name": "Kish"},
    "I'm Brian, by the way": {"name": "Brian"},
    "I'm Tom, data scientist in San Francisco. Nice to meet you": {
        "name": "Tom", "occupation": "data scientist", "location": "San Francisco"},
    "I'm a nurse, based in St. Louis. Please be brief": {"occupation": "nurse", "location": "St. Louis"},
    "Call me Bo. I work as a plumber in Leeds.": {"name": "Bo", "occupation": "plumber", "location": "Leeds"},
    "I've been ill, but now I work as a sheep farmer and I live in Bergen": {
        "occupation": "sheep farmer", "location": "Bergen"},
    "I work as a tour guide for Globex in New Orleans": {
        "occupation": "tour guide", "employer": "Globex", "location": "New Orleans"},
    "I work as a backend developer today": {"occupation": "backend developer"},
    "I work as a roofer these days": {"occupation": "roofer"},
    "I live in Berlin today": {"location": "Berlin"},
    "I changed jobs, I'm a judge now": {"occupation": "judge"},
    "I'm the CTO of a startup": {"occupation": "CTO"},
    "i'm a data engineer in Oslo": {"occupation": "data engineer", "location": "Oslo"},
    "i moved to Hamburg and i work as an electrician": {"location": "Hamburg", "occupation": "electrician"},
    "I'm Ingrid, systems analyst in Trondheim and I love coffee": {
        "name": "Ingrid", "occupation": "systems analyst", "location": "Trondheim"},
    "I'm Signe, brewer in Aarhus": {"name": "Signe", "occupation": "brewer", "location": "Aarhus"},
    "I'm Pat, a tram dispatcher in Zagreb.": {
        "name": "Pat", "occupation": "tram dispatcher", "location": "Zagreb"},
    "I'm Ravi, QA in Chennai": {"name": "Ravi", "occupation": "QA", "location": "Chennai"},
    "I'm Dr. Lena Fischer, cardiologist in Bonn": {
        "name": "Lena Fischer", "occupation": "cardiologist", "location": "Bonn"},
    "I'm Tom - data scientist based out of San Francisco": {
        "name": "Tom", "occupation": "data scientist", "location": "San Francisco"},
    "I'm Carlos, CTO of Nimbus in Madrid": {"name": "Carlos", "occupation": "CTO", "location": "Madrid"},
    "I'm Gus, head of marketing in Turin": {"name": "Gus", "occupation": "head of marketing", "location": "Turin"},
    "I moved to Munich yesterday": {"location": "Munich"},
    "I moved back to Porto on Monday": {"location": "Porto"},
    "I've moved over to Rio de Janeiro": {"location": "Rio de Janeiro"},
    "I relocated to the Netherlands two weeks ago": {"location": "Netherlands"},
    "I'm now a staff engineer": {"occupation": "staff engineer"},
    "I recently became a product manager": {"occupation": "product manager"},
    "I found a new job at Globex": {"employer": "Globex"},
    "im Sara, by the way": {"name": "Sara"},
    "Ich bin Lena, Krankenschwester in Hamburg": {
        "name": "Lena", "occupation": "Krankenschwester", "location": "Hamburg"},
    "Ich heiße Jonas und wohne seit Mai in Bremen": {"name": "Jonas", "location": "Bremen"},
    "Ich bin letzte Woche von Ulm nach Bad Tölz gezogen.": {"location": "Bad Tölz"},
    "Mein Name ist Zoë Müller, ich arbeite als Lehrerin bei Initech": {
        "name": "Zoë Müller", "occupation": "Lehrerin", "employer": "Initech"},
    "Je suis Claire, infirmière à Lille": {"name": "Claire", "occupation": "infirmière", "location": "Lille"},
    "Je m'appelle Luc et je travaille chez Globex": {"name": "Luc", "employer": "Globex"},
    "J'ai récemment déménagé de Paris à Lyon": {"location": "Lyon"},
    "J’habite à Saint-Malo, je travaille comme sage-femme": {"location": "Saint-Malo", "occupation": "sage-femme"},
    "Soy Pablo, arquitecto en Bogotá": {"name": "Pablo", "occupation": "arquitecto", "location": "Bogotá"},
    "Me llamo Sofía, vivo en San Sebastián": {"name": "Sofía", "location": "San Sebastián"},
    "Me mudé a Valencia y trabajo como enfermera": {"location": "Valencia", "occupation": "enfermera"},
}  # fmt: skip
NOT_SAID = (
    "I'm sure the tests pass", "I'm using Postgres here", "If I lived in Berlin I would bike", "I'm not a designer",
    "do I live in Berlin?", "I'm a bit confused by the manager class", "I moved to Rust last year",
    "the docs say: `I'm Bob, engineer in Paris`", '> I live in Rome', 'she said "I work at Initech"',
    "imagine I'm Alice, a pilot in Oslo", "I moved to TypeScript and it is fine", "I'm Done", "I used to live in Rome",
    "I'm in favour of tabs", "my name is on the list", "I wish I lived in Lisbon",
    "We moved to Slack", "we have finally moved to Frankfurt", "Recently I moved to Staging",
    "I moved to Slack last week", "I moved to Supabase", "I moved to Kestrel for auth", "I just moved to PlanetScale",
    "I finally moved to Zuplo instead of Redis", "I have moved to Fly.io",
    "I know that they live in Oslo and work at Globex",
    "I work with people who live in Oslo and work at Globex", "I'm going to stay here and work for Globex",
    "I'm German, please answer in English", "I'm Danish", "I've moved to Supabase", "If I've moved to Rome, say so",
    "I'm not sure whether Anna and Bo live in Oslo and work at Globex",
    "i died to it and i am ENRAGED",
    "I work as a rule on weekdays", "I work as part of a team", "I work as a member of the core team",
    "I work as usual", "I work as a bridge between the teams", "we work as a team", "I work as a team",
    "I'm a stakeholder in Project Orion", "I'm a contributor in Apache Kafka", "I'm an admin in Jira",
    "I'm a guest in Rome",
    "Der Fehler ist im Backend.", "Im Keller, da steht der Server.", "das steht im Handbuch, schau mal",
    "Ich wohne nicht in Berlin", "Wenn ich in Berlin wohne, frag", "Ich sagte, dass ich in Bonn wohne",
    "Ich bin nach Rust gezogen", "Ich bin mit dem Dienst nach Frankfurt gezogen", "Ich arbeite als Nächstes am Login",
    "Ich bin Entwickler, Schwerpunkt Backend in Berlin", "Ich lebe in Angst", "Je suis content à Paris",
    "Si j'habite à Lyon, dis-le", "je n'habite pas à Lyon", "Je travaille comme d'habitude", "No vivo en Madrid",
    "Si vivo en Madrid, dilo", "¿Vivo en Madrid?", "Trabajo como siempre", "Soy consciente",
    "I would work as a plumber", "the service I work as a proxy for is down", "I work as the docs say",
)  # fmt: skip


@pytest.mark.parametrize("text", SAID, ids=lambda t: t[:30])
def test_first_person_statements_become_traits_verbatim(text: str) -> None:
    found = profile.read(text)
    assert {t.attribute: t.value for t in found} == SAID[text]
    assert all(text[t.start : t.end] == t.value for t in found)


@pytest.mark.parametrize("text", NOT_SAID, ids=lambda t: t[:30])
def test_what_is_quoted_asked_supposed_or_about_tools_is_no_trait(text: str) -> None:
    assert profile.read(text) == []


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("Hi, I'm Jonas, backend dev at Acme.", {"name": "Jonas", "occupation": "backend dev", "employer": "Acme"}),
        ("I'm a mobile dev based in Oslo", {"occupation": "mobile dev", "location": "Oslo"}),
        ("I'm an SRE at Globex", {"occupation": "SRE", "employer": "Globex"}),
        ("I'm a PM, so explain it simply", {"occupation": "PM"}),
        ("I'm the product owner here", {"occupation": "product owner"}),
        ("I'm a dev branch kind of person", {}), ("I'm in the dev environment", {}),
        ("I'm the owner of this file", {}), ("I'm the admin of this repo", {}),
    ],
)  # fmt: skip
def test_what_is_short_for_a_trade_is_one_unless_it_goes_on(text: str, said: dict[str, str]) -> None:
    assert {t.attribute: t.value for t in profile.read(text)} == said


@pytest.mark.parametrize("more", [
    "please answer in English", "reply in Spanish", "check weather in Oslo", "book a hotel in Paris",
    "meet me in Paris", "new in Berlin", "back in Rome", "running in Docker", "server in Frankfurt is down",
    "show restaurants in Paris",
])  # fmt: skip
def test_what_follows_a_name_is_a_trade_only_where_it_can_be_one(more: str) -> None:
    assert [(t.attribute, t.value) for t in profile.read(f"I'm Tom, {more}")] == [("name", "Tom")]


def told(db: apsw.Connection, *said: str) -> dict[str, str]:
    """The profile after each was said on a day of its own."""
    for day, text in enumerate(said):
        say(db, [text], key=f"day {day}", at=NOW + day * DAY)
        sleep(db, NOW + day * DAY)
    return traits.current(db, [1])


def test_what_is_denied_holds_no_longer(db: apsw.Connection) -> None:
    assert told(db, "I live in Oslo. I work at Globex.", "I moved to Lyon") == {
        "location": "Lyon",
        "employer": "Globex",
    }
    denied = ("I no longer live in Lyon", "I don't like Globex", "I don't live in Oslo")
    assert told(db, *denied) == {"employer": "Globex"}
    assert told(db, "I don't work at Globex anymore, now I work for Initech.") == {"employer": "Initech"}
    assert told(db, "Ich wohne in Bremen", "Ich wohne nicht mehr in Bremen") == {"employer": "Initech"}
    assert told(db, "Vivo en Madrid", "Ya no vivo en Madrid") == {"employer": "Initech"}


def test_what_a_clock_dated_ahead_is_replaced_all_the_same(db: apsw.Connection) -> None:
    say(db, ["I live in Oslo."], key="ahead", at=NOW + 1e8)
    sleep(db, NOW + 1e8)
    assert told(db, "I live in Lyon.", "I moved to Porto") == {"location": "Porto"}


def test_what_an_earlier_release_read_wrongly_is_taken_back_by_the_next_night(db: apsw.Connection) -> None:
    assert told(db, "I live in Oslo and work at Globex") == {"location": "Oslo", "employer": "Globex"}
    for day, tool in enumerate(("Redis", "Supabase"), start=1):
        at = NOW + day * DAY
        (id,) = say(db, [f"I moved to {tool}"], key=tool, at=at)
        with writer.transaction(db):  # what a release left behind that did not know these
            profile.believe(db, 1, profile.Trait("location", tool, 11, 11 + len(tool)), nights.by_id(db, [id])[0], at)
            nights.set_mark(db, READ, 0)
    assert traits.current(db, [1])["location"] == "Supabase"

    sleep(db, NOW + 9 * DAY)
    assert traits.current(db, [1]) == {"location": "Oslo", "employer": "Globex"}
    batch = undo.last(db, [1])  # the user's `undo` does not bring the mistake back
    assert db.execute("SELECT DISTINCT actor FROM change WHERE batch = ?", (batch,)).fetchall() == [("sleep",)]


def test_what_the_user_locked_is_not_read_again(db: apsw.Connection) -> None:
    (id,) = say(db, ["I moved to Redis"], key="s")
    with writer.transaction(db):
        belief = profile.believe(db, 1, profile.Trait("location", "Redis", 11, 16), nights.by_id(db, [id])[0], NOW)
        beliefs.set_locked(db, int(belief or 0), True, NOW)

    sleep(db, NOW + DAY)
    assert traits.current(db, [1]) == {"location": "Redis"}


def test_what_an_earlier_release_let_a_model_describe_is_of_the_profile_again(db: apsw.Connection) -> None:
    told(db, "I'm Tom and live in Oslo")
    with writer.transaction(db):
        db.execute("UPDATE belief SET tags = 'personal details', keywords = 'person' WHERE kind = 'trait'")
    assert told(db, "I moved to Bergen") == {"": "person", "location": "Bergen"}
    with writer.transaction(db):
        nights.set_mark(db, READ, 2)

    sleep(db, NOW + 2 * DAY)

    assert traits.current(db, [1]) == {"name": "Tom", "location": "Bergen"}
    assert [(value, state) for _, tag, value, _, state, *_ in traits.every(db, [1]) if tag == "trait:location"] == [
        ("Oslo", "retracted"), ("Bergen", "active"),
    ]  # fmt: skip


def test_what_an_earlier_release_put_away_as_unused_holds_again_the_last_of_each(db: apsw.Connection) -> None:
    """It took what the user had said of himself or herself for a fact that prompts made no use of."""
    for i, text in enumerate(("I live in Oslo and work at Globex.", "I moved to Bergen.")):
        say(db, [text], key=f"s{i}", at=NOW + i * DAY)
        sleep(db, NOW + i * DAY)
        with writer.transaction(db):
            for id, *_ in [*traits.live(db, 1, "trait:location"), *traits.live(db, 1, "trait:employer")]:
                beliefs.set_state(db, id, "archived", NOW + i * DAY)
                beliefs.witness(db, id, "faded", 0.0, NOW + i * DAY)
    assert traits.current(db, [1]) == {}
    with writer.transaction(db):
        nights.set_mark(db, READ, 1)

    sleep(db, NOW + 2 * DAY)

    assert traits.current(db, [1]) == {"employer": "Globex", "location": "Bergen"}


def test_only_the_users_own_words_count(db: apsw.Connection) -> None:
    say(db, [("assistant", f"I'm {name()}, a writer in Paris")])
    assert sleep(db, NOW).traits == []


def test_an_older_statement_read_later_changes_nothing(db: apsw.Connection) -> None:
    say(db, ["I live in Oslo."], key="new", at=NOW)
    say(db, ["I live in Bergen."], key="old", at=NOW - 1e6)
    sleep(db, NOW)
    assert [text for _, text, _ in traits.live(db, 1, "trait:location")] == ["The user lives in Oslo."]


def test_an_agents_user_has_a_profile_of_his_own(db: apsw.Connection) -> None:
    scope = a_project(db, agent="a")
    say(db, ["I live in Oslo."], scope=scope)
    sleep(db, NOW)
    assert traits.live(db, scope, "trait:location") and not traits.live(db, 1, "trait:location")

    say(db, ["I live in Porto.", "I work for Globex."], key="own")
    sleep(db, NOW)
    assert traits.current(db, (scope, 1)) == {"location": "Oslo", "employer": "Globex"}, "the nearest has the word"


@pytest.mark.parametrize(
    "reply",
    ["", "Error: overloaded", "{", "[]", '{"location": 7}', '{"location": "Atlantis"}', '{"shoe size": "Oslo"}'],
)
def test_a_reply_that_says_nothing_literal_changes_nothing(db: apsw.Connection, reply: str) -> None:
    (id,) = say(db, ["in Oslo the sun is back"])
    assert profile.read_reply(reply, nights.by_id(db, [id])[0]) == []


def test_a_reply_that_quotes_the_turn_is_taken(db: apsw.Connection) -> None:
    (id,) = say(db, ["in Oslo the sun is back"])
    (trait,) = profile.read_reply('Sure! {"location": "Oslo"}', nights.by_id(db, [id])[0])
    assert (trait.attribute, trait.value, trait.start) == ("location", "Oslo", 3)
