"""Worlds of which a few sessions were heard: what a store is in its first days. For the fits of recall."""

from __future__ import annotations

import json
import random
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from experiments import years  # noqa: E402
from experiments.regression import WORLDS  # noqa: E402

LIVED = 3.0  # times as much a prompt of a year, of weeks or of sittings counts
YOUNG = 1.0  # and one in a store that has heard a few sessions
STORES = 3  # of each world
MOST_NEEDED = 3  # sessions that a prompt needs
OTHERS = (0, 0, 1, 2)  # sessions beside them


def every_world() -> Iterator[tuple[str, float, str, dict[str, Any]]]:
    """The worlds, then the years, weeks and sittings, then both with a few of their sessions: the kind, what a prompt
    counts there, the name that all of one world have, the world."""
    worlds = [(path.stem, json.loads(path.read_text("utf-8"))) for path in WORLDS]
    lives = [(path.stem, years.world(path)) for path in years.LIVES]
    for kind, counts, of in (("worlds", 1.0, worlds), ("years, weeks and sittings", LIVED, lives)):
        yield from ((kind, counts, name, world) for name, world in of)
    few = ((name, each) for name, world in [*worlds, *lives] for each in young(world))
    yield from (("a few sessions", YOUNG, name, world) for name, world in few)


def young(world: dict[str, Any]) -> list[dict[str, Any]]:
    """Worlds of a few sessions of this one each, with the prompts that they answer and those that need nothing."""
    rng = random.Random(world["world"])
    place = {session["id"]: n for n, session in enumerate(world["sessions"])}
    said = {fact["id"]: _said_in(fact) for fact in world["facts"]}
    asked = [(probe, set().union(*(said[id] for id in probe["needs"]))) for probe in world["probes"]]
    begins = [few for probe, few in asked if probe["needs"] and len(few) <= MOST_NEEDED]
    out = []
    for n, begun in enumerate(rng.sample(begins, min(STORES, len(begins)))):
        few = begun | set(rng.sample(sorted(place), min(rng.choice(OTHERS), len(place))))
        out.append(world | {
            "world": f"{world['world']} {n}",
            "sessions": [session for session in world["sessions"] if session["id"] in few],
            "probes": [probe for probe, of in asked if of <= few],
        })  # fmt: skip
    return out


def _said_in(fact: dict[str, Any]) -> set[str]:
    """The sessions in which a fact was said, all of its pieces."""
    pieces = fact.get("parts") or fact.get("pieces") or []
    return {fact["said_in"], *(each["said_in"] if isinstance(each, dict) else each[0] for each in pieces)}
