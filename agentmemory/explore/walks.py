"""The walks that wonder takes: each looks at the same neighbourhood for one kind of thing and knows no other."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from agentmemory.explore.graph import Scene, bridges, communities
from agentmemory.explore.lines import Line, line_of, short
from agentmemory.paths import date
from agentmemory.store import graph as read

if TYPE_CHECKING:
    from agentmemory.store.rows import Database

CONSEQUENT = ("rule", "procedure", "preference", "correction")


@dataclass(frozen=True, slots=True)
class Walk:
    """A walk: its name, the title of what it brings, and the way it goes."""

    name: str
    title: str
    go: Callable[[Database, Scene, Sequence[int]], list[Line]]


def missing(db: Database, scene: Scene, scopes: Sequence[int]) -> list[Line]:
    """Questions nobody answered, words nothing speaks to, things named without a word about them."""
    out = []
    rare = sorted(scene.start.idf, key=lambda s: -scene.start.idf[s])[:2]
    for turn, text, at in read.asked(db, rare, scopes, 3):
        out.append(
            Line(
                f"Asked {date(at)} and not settled by a belief: {short(text, 160)}",
                (),
                state="open",
                note=f"turn {turn}",
            )
        )
    proposed = [id for id in scene.ranked(scene.rows) if scene.rows[id].state == "proposed"]
    out += [line_of(scene.rows[id], scene.now, "waits for consent") for id in proposed[:3]]
    if scene.start.unknown:
        out.append(Line(f"No belief holds: {', '.join(scene.start.unknown[:8])}", (), state="open"))
    return out


def contradiction(db: Database, scene: Scene, scopes: Sequence[int]) -> list[Line]:
    """Pairs that cannot both stand."""
    out = []
    for type, src, dst, *_ in scene.edges:
        if type == "contradicts" and scene.rows[src].state == scene.rows[dst].state == "active":
            out += [line_of(scene.rows[src], scene.now, f"against #{dst}"), line_of(scene.rows[dst], scene.now)]
    return out


def entity(db: Database, scene: Scene, scopes: Sequence[int]) -> list[Line]:
    """What stands now, closest to the topic first."""
    current = [id for id in scene.ranked(scene.rows) if scene.rows[id].state == "active"]
    return [line_of(scene.rows[id], scene.now) for id in current[:24]]


def time(db: Database, scene: Scene, scopes: Sequence[int]) -> list[Line]:
    """How it came to be: chains of what was true before."""
    out = []
    for id in scene.ranked(id for id in scene.rows if scene.rows[id].state == "superseded")[:12]:
        out.append(line_of(scene.rows[id], scene.now, head=scene.heads.get(id)))
    return sorted(out, key=lambda line: line.date)


def communities_and_bridges(db: Database, scene: Scene, scopes: Sequence[int]) -> list[Line]:
    """What hangs together, and the thin places between."""
    groups = communities(scene)
    return [Line(f"#{a} and #{b} join two themes ({why})", (a, b)) for a, b, why in bridges(scene, groups, 3)]


WALKS = (
    Walk("open", "OPEN QUESTIONS", missing),
    Walk("contradictions", "CONTRADICTIONS", contradiction),
    Walk("things", "WHAT STANDS NOW", entity),
    Walk("time", "HOW IT CAME TO BE", time),
    Walk("bridges", "BRIDGES", communities_and_bridges),
)
