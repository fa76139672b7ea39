"""Chains of beliefs: what backs a belief, what it replaced, and what follows for whoever acts on it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import networkx as nx

from agentmemory.explore.graph import Scene
from agentmemory.explore.lines import Line, line_of, sure
from agentmemory.explore.stance import Bearing
from agentmemory.explore.walks import BINDING, binding, procedures

if TYPE_CHECKING:
    from agentmemory.store.rows import Database

BACKING = 2  # beliefs shown behind one that bears on the question
FURTHEST = 3  # edges a consequence may be away
MOST = 24  # consequences shown at most


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
    first = line_of(scene.rows[bearing.id], scene.now, bearing.why)
    backing = [
        (weight, src if dst == bearing.id else dst)
        for type, src, dst, weight, *_ in scene.edges
        if type == "supports" and bearing.id in (src, dst)
    ]
    steps, strength = [first], first.confidence * bearing.strength
    for weight, id in sorted(backing, reverse=True)[:BACKING]:
        row = scene.rows[id]
        if row.state == "active":
            steps.append(line_of(row, scene.now, f"supports #{bearing.id}"))
            strength *= 1 - (1 - sure(row, scene.now)) * min(1.0, weight)
    return Chain(tuple(steps), strength)


def history(scene: Scene, cited: Sequence[int]) -> list[Line]:
    """What the cited beliefs replaced, each chain oldest first, marked."""
    out: dict[int, Line] = {}
    for head in cited:
        old = [id for id, top in scene.heads.items() if top == head and id != head]
        for id in sorted(old, key=lambda id: (scene.rows[id].valid_from, id)):
            out.setdefault(id, line_of(scene.rows[id], scene.now, head=head))
    return list(out.values())


def consequences(db: Database, scene: Scene, scopes: Sequence[int], cited: Sequence[int]) -> list[Line]:
    """What follows for whoever acts on the cited beliefs: what edges lead to, then the steps and rules that apply."""
    known = set(cited)
    out: dict[int, Line] = {}
    graph = scene.graph
    reach: dict[Any, list[Any]] = {}
    for start in cited:
        for node, path in (
            nx.single_source_shortest_path(graph, start, cutoff=FURTHEST).items() if start in graph else ()
        ):
            if isinstance(node, int) and node not in known and (node not in reach or len(path) < len(reach[node])):
                reach[node] = path
    near = [id for id in scene.ranked(reach) if scene.rows[id].state == "active"]
    for id in near:
        if scene.rows[id].kind in (*BINDING, "procedure", "decision"):
            out[id] = line_of(scene.rows[id], scene.now, _way(scene, reach[id]))
    for line in (*procedures(db, scene, scopes), *binding(db, scene, scopes)):
        if line.ids[0] not in known:
            out.setdefault(line.ids[0], line)
    return [replace(line) for line in out.values()][:MOST]


def _way(scene: Scene, path: Sequence[Any]) -> str:
    """How a path goes: `#3 supports #5`, `#3 through billing-api`."""
    if len(path) == 2:
        return f"{scene.graph[path[0]][path[1]]['type']} #{path[0]}"
    through = [scene.names[node[1]][0] if isinstance(node, tuple) else f"#{node}" for node in path[1:-1]]
    return f"from #{path[0]} through {', '.join(through)}"
