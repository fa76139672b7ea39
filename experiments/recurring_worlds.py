"""Worlds in which topics come back: every fact is told in several sessions, each time in other words, some then change.

In the form of CodeRecall's worlds; names and values are random, so nothing can be known beforehand. `world(seed)`.
"""

from __future__ import annotations

import random
from datetime import UTC, datetime, timedelta
from typing import Any

SERVICES = 4
SESSIONS = 12
TOLD = 3  # sessions in which a fact comes up
CHANGED = 0.25  # share of the facts that change after that
START = datetime(2026, 3, 2, 9, tzinfo=UTC)
PROBED_AFTER = timedelta(days=20)

#: a fact of a service {s} with a value {v}: how it is told, how it changes from {o}, what asks for it, how it is called
FACTS: dict[str, tuple[tuple[str, ...], str, tuple[str, ...], str]] = {
    "deploy": (
        (
            "for {s} the deploy is always {v}, nothing else", "remember: {s} goes out with {v}, never by hand",
            "no, {s} is shipped through {v}. always",
        ),
        "{s} is not shipped with {o} anymore, from now on it is {v}",
        ("ship {s} to production please", "how does {s} go live?"), "how it goes live",
    ),
    "port": (
        (
            "{s} listens on port {v}, on every machine", "the port of {s} is {v}, please keep it",
            "no, clients reach {s} at {v} and nowhere else",
        ),
        "{s} moved: it is not on port {o} anymore but on port {v} from now on",
        ("which port do clients of {s} use?", "write a health check that calls {s}"), "the port",
    ),
    "config": (
        (
            "settings of {s} live in {v}, always edit them there",
            "{s} reads its settings from {v}, never from the environment",
            "no, the configuration of {s} belongs into {v}",
        ),
        "the settings of {s} moved from {o} to {v}, use that from now on",
        ("change the timeout setting of {s}", "where is {s} configured?"), "configuration",
    ),
    "test": (
        (
            "before you push {s} always run {v}", "the tests of {s} are run with {v}, never plain pytest",
            "no, for {s} the checks are {v}",
        ),
        "for {s} we do not run {o} anymore, from now on its checks are {v}",
        ("i changed {s}, run its checks", "how are the tests of {s} run?"), "tests",
    ),
    "owner": (
        (
            "{v} owns {s}, always ask before you change its schema", "questions about {s} go to {v}",
            "the person for {s} is {v}, never merge without a review from there",
        ),
        "{o} has left, {s} belongs to {v} from now on",
        ("who should review a change to {s}?", "whom do i ask about {s}?"), "who to ask",
    ),
    "store": (
        (
            "{s} keeps its data in {v}, we decided that", "the database behind {s} is {v}",
            "no, {s} writes to {v} only",
        ),
        "{s} does not write to {o} anymore, from now on its database is {v}",
        ("which database does {s} use?", "back up the data of {s}"), "database",
    ),
}  # fmt: skip
CHAT = (
    "the build is red again, can you look", "thanks, that works", "why is this slow", "fix the typo in the readme",
    "lunch, back in an hour", "rename the variable in that loop", "what does this error mean", "show me the diff first",
)  # fmt: skip
REPLIES = (
    "Done, the build is green again.", "I changed it and ran everything once.", "It was a missing import; fixed.",
    "Here is the diff, two lines.", "The log shows a timeout in the client, nothing on our side.",
)  # fmt: skip


def world(seed: int) -> dict[str, Any]:
    """A world, the same one for the same seed."""
    rng = random.Random(seed)
    services = [f"{_word(rng, 2)}-{rng.choice(('api', 'web', 'sync', 'jobs'))}" for _ in range(SERVICES)]
    said: list[list[str]] = [[] for _ in range(SESSIONS)]
    facts: list[dict[str, Any]] = []
    stands: dict[tuple[str, str], dict[str, Any]] = {}
    for service in services:
        for kind in FACTS:
            for fact in _tell(rng, service, kind, said):
                facts.append({**fact, "id": f"f{len(facts) + 1:02}"})
                if "supersedes" in fact:
                    facts[-1]["supersedes"] = facts[-2]["id"]
                stands[service, kind] = facts[-1]
    return {
        "world": f"recurring{seed}", "about": "facts told again and again",
        "sessions": [_session(rng, i, mine) for i, mine in enumerate(said)],
        "facts": [{"supersedes": None, **fact} for fact in facts], "traps": [],
        "probes": _probes(rng, services, stands),
    }  # fmt: skip


def _tell(rng: random.Random, service: str, kind: str, said: list[list[str]]) -> list[dict[str, Any]]:
    """Put the wordings of a fact, and perhaps its change, into sessions; the facts that follow."""
    ways, changes, _, _ = FACTS[kind]
    old, new = _value(rng, kind), _value(rng, kind)
    changed = rng.random() < CHANGED
    when = sorted(rng.sample(range(SESSIONS), TOLD + changed))
    told = rng.sample(ways, TOLD)
    for at, way in zip(when, told):
        said[at].append(way.format(s=service, v=old))
    fact = {"kind": "fact", "said_in": f"s{when[0] + 1:02}", "turn": 0, "text": f"{kind} of {service}", "key": [old]}
    if not changed:
        return [fact]
    said[when[-1]].append(changes.format(s=service, v=new, o=old))
    return [fact, {**fact, "said_in": f"s{when[-1] + 1:02}", "key": [new], "supersedes": True}]


def _session(rng: random.Random, number: int, said: list[str]) -> dict[str, Any]:
    rng.shuffle(said)
    turns = []
    for text in said or [rng.choice(CHAT)]:
        if rng.random() < 0.6:
            turns += [("user", rng.choice(CHAT)), ("assistant", rng.choice(REPLIES))]
        turns += [("user", text), ("assistant", "Understood, I will keep to that.")]
    return {
        "id": f"s{number + 1:02}", "start": _iso(START + timedelta(days=3 * number)),
        "turns": [{"role": role, "text": text} for role, text in turns],
    }  # fmt: skip


def _probes(
    rng: random.Random, services: list[str], stands: dict[tuple[str, str], dict[str, Any]]
) -> list[dict[str, Any]]:
    at = _iso(START + timedelta(days=3 * SESSIONS) + PROBED_AFTER)
    out = []
    for (service, kind), fact in stands.items():
        out.append(("direct", rng.choice(FACTS[kind][2]).format(s=service), [fact]))
    for service in services:
        for n in (3, 5, 6):
            kinds = rng.sample(sorted(FACTS), n)
            names = ", ".join(FACTS[kind][3] for kind in kinds)
            prompt = f"i take over {service} tomorrow, tell me all about it: {names}"
            out.append(("multi", prompt, [stands[service, kind] for kind in kinds]))
    return [
        {
            "id": f"p{i:02}", "prompt": prompt, "at": at, "style": style, "needs": [fact["id"] for fact in facts],
            "forbids": [fact["supersedes"] for fact in facts if fact.get("supersedes")],
        }
        for i, (style, prompt, facts) in enumerate(out, 1)
    ]  # fmt: skip


def _value(rng: random.Random, kind: str) -> str:
    word = _word(rng, 3)
    return {
        "deploy": f"make ship-{word}", "port": str(rng.randrange(3000, 9900)), "config": f"conf/{word}.toml",
        "test": f"tox -e {word}", "owner": word.capitalize(), "store": f"{word}_db",
    }[kind]  # fmt: skip


def _word(rng: random.Random, syllables: int) -> str:
    return "".join(rng.choice("bdfgklmnprstvz") + rng.choice("aeiou") for _ in range(syllables))


def _iso(at: datetime) -> str:
    return at.strftime("%Y-%m-%dT%H:%M:%SZ")
