"""Chains of beliefs: what backs a belief, what it replaced, and what follows for whoever acts on it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import networkx as nx

from agentmemory import confidence
from agentmemory.explore.graph import LOOSE, Scene
from agentmemory.explore.lines import Line
from agentmemory.explore.stance import BEARS, Bearing
from agentmemory.explore.walks import binding, elsewhere, procedures, shown, things
from agentmemory.recall.render import BINDING

if TYPE_CHECKING:
    from agentmemory.store.rows import Database

BACKING = 2  # beliefs shown behind one that bears on the question
FURTHEST = 3  # edges a consequence may be away
PAST = 12  # superseded beliefs that a question about the past brings beside those of what is cited
MOST = 60  # consequences shown at most


@dataclass(frozen=True, slots=True)
class Chain:
    """A belief that bears on the question, and the beliefs that back it. strength: the chance that every step holds."""

    steps: tuple[Line, ...]
    strength: float

    def as_json(self) -> dict[str, Any]:
        """The chain as plain values."""
        return {"strength": round(self.strength, 2), "steps": [line.as_json() for line in self.steps]}

    def lines(self) -> Iterator[str]:
        """The steps for a reader, those behind the first one indented."""
        for i, line in enumerate(self.steps):
            yield f"{'  ' if i else ''}{line}"


def chain_of(scene: Scene, bearing: Bearing) -> Chain:
    """The belief that bears, then what supports it, nearest first."""
    first = shown(scene, scene.rows[bearing.id], bearing.why)
    backing = [
        (weight, src if dst == bearing.id else dst)
        for type, src, dst, weight, *_ in scene.edges
        if type == "supports" and bearing.id in (src, dst)
    ]
    steps, strength = [first], first.confidence * bearing.strength
    for weight, id in sorted(backing, reverse=True)[:BACKING]:
        row = scene.rows[id]
        if row.state == "active":
            steps.append(shown(scene, row, f"supports #{bearing.id}"))
            strength *= 1 - (1 - confidence.of(row, scene.now)) * min(1.0, weight)
    return Chain(tuple(steps), strength)


def history(scene: Scene, cited: Sequence[int]) -> list[Line]:
    """What the cited beliefs replaced, and what else of the past the question speaks of: whole chains, oldest first."""
    spoken = [id for id in scene.start.bears if id in scene.heads and scene.start.covered.get(id, 0.0) >= BEARS]
    if scene.start.query.about_past:
        past = [id for id in scene.heads if id in scene.start.worth]
        spoken += sorted(past, key=lambda id: -scene.start.worth[id])[:PAST]
    heads = dict.fromkeys([*cited, *(scene.heads[id] for id in spoken)])
    out: dict[int, Line] = {}
    for head in heads:
        for id in scene.chain(head):
            out.setdefault(id, shown(scene, scene.rows[id]))
    return list(out.values())


def consequences(
    db: Database, scene: Scene, scopes: Sequence[int], cited: Sequence[int], wide: bool = True
) -> list[Line]:
    """What follows for whoever acts on the cited beliefs: what edges and shared things lead to, the steps and rules
    that apply, what else is known nearby and, when *wide*, elsewhere; what matters most first."""
    known = set(cited)
    out: dict[int, Line] = {}
    for id, path in _reached(scene, cited).items():
        row = scene.rows[id]
        if id not in known and row.state == "active" and row.kind in (*BINDING, "procedure", "decision"):
            out[id] = shown(scene, row, _way(scene, path))
    walks = (procedures, binding, things, elsewhere) if wide else (procedures, binding, things)
    for line in (line for walk in walks for line in walk(db, scene, scopes)):
        if line.ids[0] not in known:
            out.setdefault(line.ids[0], line)
    return sorted(out.values(), key=lambda line: -line.weight)[:MOST]


def _reached(scene: Scene, cited: Sequence[int]) -> dict[int, list[Any]]:
    """The shortest way from a cited belief to each other one, along edges that mean something."""
    firm: nx.Graph[Any] = nx.Graph()
    firm.add_edges_from((a, b) for a, b, type in scene.graph.edges(data="type") if type not in LOOSE)
    out: dict[int, list[Any]] = {}
    for start in cited:
        if start in firm:
            for node, path in nx.single_source_shortest_path(firm, start, cutoff=FURTHEST).items():
                if isinstance(node, int) and len(path) > 1 and len(path) < len(out.get(node, path)) + 1:
                    out[node] = path
    return out


def _way(scene: Scene, path: Sequence[Any]) -> str:
    """How a path goes: `#3 supports #5`, `#3 through billing-api`."""
    if len(path) == 2:
        return f"{scene.graph[path[0]][path[1]]['type']} #{path[0]}"
    through = [scene.names[node[1]][0] if isinstance(node, tuple) else f"#{node}" for node in path[1:-1]]
    return f"from #{path[0]} through {', '.join(through)}"
