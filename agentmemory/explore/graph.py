"""The neighbourhood of some beliefs as a small graph: beliefs and the things they mention are its nodes."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import networkx as nx

from agentmemory.explore.seeds import STATES, Start
from agentmemory.recall.wordings import brief
from agentmemory.records import Row
from agentmemory.store import entities as entity_rows
from agentmemory.store import graph as read
from agentmemory.store.lineage import LATER

if TYPE_CHECKING:
    from agentmemory.store.rows import Database

MOST = 220  # beliefs of one neighbourhood: reading them takes 5 ms, walking them 10
PER_ENTITY = 12  # newest beliefs taken of one thing that a seed mentions
MOST_ENTITIES = 40  # things followed from the seeds, rarest first
MOST_GROUPED = 120  # nodes sorted into communities: Louvain takes 20 ms on them
MOST_EDGES = 1_500
BRIDGES = 3  # shown of those between communities
DAMPING, ROUNDS = 0.6, 6  # of the walk that heats: the rest is below 0.6 ** 6 = 5 percent
NEAR_TURNS = 4  # turns apart in one session that two beliefs still belong together
LOOSE = ("said-near", "supersedes")  # edges that join no two subjects
WARM = 0.1  # of the salience of a belief counts beside how likely it is needed
PAST = 0.5  # of the salience of what is history, unless the topic asks for the past
COUNTS = {
    "rule": 1.3,
    "preference": 1.2,
    "correction": 1.2,
    "procedure": 1.2,
    "summary": 0.8,
}  # of a kind beside a fact
STANDS = 0.25  # salience of a rule or preference that the topic does not lead to: it still stands
WEIGHTS = {
    "supersedes": 1.0, "contradicts": 0.9, "supports": 0.8, "summarizes": 0.6, "relates": 0.5, "next": 0.5,
    "mentions": 0.4, "said-near": 0.25,
}  # fmt: skip
"""How much of a belief's activation crosses an edge of each type; speculation carries none."""


@dataclass(frozen=True, slots=True)
class Scene:
    """Beliefs around a topic and how they hang together.

    graph: nodes are belief ids (int) and entities ("e", head); edges carry `type` and `weight`.
    rows: the beliefs. edges: typed edges `(type, src, dst, weight, created, detail)` between them, speculation apart.
    heads: superseded belief -> what stands now. after: belief that stands -> what was said last, on a later day, of its
    matter (learn/match.py ties them). names: entity head -> (name, kind). heat: node -> activation.
    hottest: the largest heat of a belief.
    """

    start: Start
    now: float
    graph: nx.Graph[Any]
    rows: Mapping[int, Row]
    edges: tuple[tuple[str, int, int, float, float, str], ...]
    guesses: tuple[tuple[int, int, float, str], ...]
    heads: Mapping[int, int]
    after: Mapping[int, Row]
    names: Mapping[int, tuple[str, str]]
    heat: Mapping[Any, float]
    hottest: float

    def mentions(self, belief: int) -> set[int]:
        """Heads of the entities a belief mentions."""
        if belief not in self.graph:
            return set()
        return {n[1] for n in self.graph[belief] if isinstance(n, tuple)}

    def replaced(self, head: int | None) -> list[int]:
        """What a belief stands in the place of."""
        return [id for id, top in self.heads.items() if top == head and id != head]

    def chain(self, head: int | None) -> list[int]:
        """The same, oldest first."""
        return sorted(self.replaced(head), key=lambda id: (self.rows[id].valid_from, id))

    def salience(self, row: Row) -> float:
        """How much a belief matters here: its heat against the hottest, more for what binds and what is locked."""
        worth = math.sqrt(self.heat.get(row.id, 0.0) / self.hottest) * COUNTS.get(row.kind, 1.0)
        if row.state == "superseded":
            if not self.start.query.about_past:
                return worth * PAST
            head = self.rows.get(self.heads.get(row.id, 0))  # a question about the past asks what came before it
            return worth if head is None or head.id == row.id else max(worth, self.salience(head))
        return max(worth, STANDS if row.kind in ("rule", "preference") or row.locked else 0.0) + (
            1.0 if row.locked else 0.0
        )

    def weight(self, row: Row) -> float:
        """What orders beliefs where not all have room: how likely each is needed, then how much it matters here."""
        return self.start.needed.get(row.id, 0.0) + WARM * self.salience(row)

    def ranked(self, ids: Iterable[int]) -> list[int]:
        """These beliefs, hottest first."""
        return sorted(ids, key=lambda id: (-self.heat.get(id, 0.0), -self.rows[id].valid_from, id))


def scene(db: Database, begin: Start, scopes: Sequence[int], now: float) -> Scene:
    """Read the neighbourhood of the seeds: chains, typed edges, shared entities, what was said close by."""
    ids = _with_chains(db, list({**begin.worth, **begin.needed}))
    seeds = ids[:MOST]
    typed = read.edges(db, seeds, now, MOST_EDGES)
    ids += [end for type, src, dst, *_ in typed if type != "speculates" for end in (src, dst)]
    ids += _by_entities(db, seeds)
    near = read.said_near(db, seeds, NEAR_TURNS, MOST_EDGES)
    ids += [other for _, other, _ in near]
    ids = list(dict.fromkeys(ids))[: MOST * 2]
    allowed = read.within(db, ids, scopes, STATES)
    near_by = [id for id in ids if id in allowed][:MOST]
    chained = _with_chains(db, near_by)
    if len(chained) > MOST:  # half of the room is for what the others stand in the place of, and what stands now
        chained = _with_chains(db, near_by[: MOST // 2])
    kept = [id for id in chained if id in allowed or id not in ids][:MOST]
    rows = {id: row for id, row in read.rows(db, kept).items() if row.scope in scopes}
    brief(db, list(rows.values()))
    typed = [e for e in read.edges(db, list(rows), now, MOST_EDGES) if e[1] in rows and e[2] in rows]
    return _assemble(db, begin, now, rows, typed, near)


def _assemble(
    db: Database, begin: Start, now: float, rows: dict[int, Row],
    typed: list[tuple[str, int, int, float, float, str]], near: list[tuple[int, int, int]],
) -> Scene:  # fmt: skip
    graph: nx.Graph[Any] = nx.Graph()
    graph.add_nodes_from(rows)
    for type, src, dst, weight, *_ in typed:
        if type != "speculates":
            _join(graph, src, dst, type, WEIGHTS.get(type, 0.3) * min(1.0, max(weight, 0.1)))
    for belief, other, apart in near:
        if belief in rows and other in rows:
            _join(graph, belief, other, "said-near", WEIGHTS["said-near"] / (1 + apart))
    names: dict[int, tuple[str, str]] = {}
    for belief, _, head, name, kind in read.mentioned(db, rows):
        names.setdefault(head, (name, kind))
        graph.add_edge(belief, ("e", head), type="mentions", weight=WEIGHTS["mentions"])
    for head in list(names):  # a thing that everything mentions joins nothing
        degree = graph.degree(("e", head))
        for neighbour in graph[("e", head)]:
            graph[("e", head)][neighbour]["weight"] = WEIGHTS["mentions"] / math.log2(1 + degree)
    named = entity_rows.names(db, list(names))
    names = {head: (named[head][1], named[head][2]) if head in named else names[head] for head in names}
    heads = {id: _head(id, rows) for id, row in rows.items() if row.superseded_by is not None}
    facts = tuple(e for e in typed if e[0] != "speculates")
    guesses = tuple((src, dst, weight, detail) for type, src, dst, weight, _, detail in typed if type == "speculates")
    heat = activation(graph, {id: s * s for id, s in begin.worth.items() if id in rows})
    hottest = max((heat.get(id, 0.0) for id in rows), default=0.0) or 1.0
    return Scene(begin, now, graph, rows, facts, guesses, heads, _after(rows, facts), names, heat, hottest)


def _after(rows: Mapping[int, Row], edges: Iterable[tuple[str, int, int, float, float, str]]) -> dict[int, Row]:
    ties = [(rows[src], dst) for type, src, dst, _, _, detail in edges if (type, detail) == ("relates", LATER)]
    standing = [(row, dst) for row, dst in ties if row.state == rows[dst].state == "active"]
    return {dst: row for row, dst in sorted(standing, key=lambda tie: (tie[0].valid_from, tie[0].id))}


def activation(graph: nx.Graph[Any], seeds: Mapping[Any, float]) -> dict[Any, float]:
    """Random walk with restart at the seeds (personalised PageRank, Page et al. 1999): share of time at each node."""
    total = sum(seeds.values())
    if not total:
        return {}
    restart = {node: weight / total for node, weight in seeds.items()}
    out = {node: sum(data["weight"] for data in graph[node].values()) for node in graph}
    heat = dict(restart)
    for _ in range(ROUNDS):
        spread: dict[Any, float] = {node: (1 - DAMPING) * weight for node, weight in restart.items()}
        for node, amount in heat.items():
            if not out.get(node):
                spread[node] = spread.get(node, 0.0) + DAMPING * amount
                continue
            share = DAMPING * amount / out[node]
            for other, data in graph[node].items():
                spread[other] = spread.get(other, 0.0) + share * data["weight"]
        heat = spread
    return heat


def communities(scene: Scene) -> list[set[int]]:
    """Groups of beliefs that hang together more than with the rest (Louvain), largest first."""
    hot = sorted(scene.graph, key=lambda node: -scene.heat.get(node, 0.0))[:MOST_GROUPED]
    near = scene.graph.subgraph(hot)
    if near.number_of_edges() == 0:
        return []
    found = nx.community.louvain_communities(near, weight="weight", seed=1)
    groups = [{n for n in group if isinstance(n, int)} for group in found]
    return sorted((g for g in groups if len(g) > 1), key=lambda g: (-sum(scene.heat.get(n, 0) for n in g), min(g)))


def bridges(scene: Scene, groups: Sequence[set[int]]) -> list[tuple[int, int, str]]:
    """Beliefs of two groups joined where little else joins them: `(belief, belief, what joins them)`."""
    of = {id: i for i, group in enumerate(groups) for id in group}
    crossing: dict[tuple[int, int], list[tuple[float, int, int, str]]] = {}
    for node in scene.graph:
        if isinstance(node, int):
            ends = [(b, d) for b, d in scene.graph[node].items() if isinstance(b, int) and node < b]
            pairs = [(node, b, d["weight"], d["type"]) for b, d in ends if d["type"] not in LOOSE]
        else:
            members = [n for n in scene.graph[node] if isinstance(n, int)]
            if len(members) != 2:
                continue
            name = scene.names.get(node[1], ("", ""))[0]
            pairs = [(members[0], members[1], WEIGHTS["mentions"], f"both mention {name}")]
        for a, b, weight, type in pairs:
            if a in of and b in of and of[a] != of[b]:
                key = (min(of[a], of[b]), max(of[a], of[b]))
                crossing.setdefault(key, []).append((weight, a, b, type))
    ranked = sorted((len(found), -max(found)[0], max(found)) for found in crossing.values())
    return [(a, b, type) for _, _, (_, a, b, type) in ranked[:BRIDGES]]


def _join(graph: nx.Graph[Any], a: int, b: int, type: str, weight: float) -> None:
    if a == b or a not in graph or b not in graph:
        return
    if not graph.has_edge(a, b) or graph[a][b]["weight"] < weight:
        graph.add_edge(a, b, type=type, weight=weight)


def _with_chains(db: Database, ids: Sequence[int]) -> list[int]:
    """The ids and everything on their chains of supersession, older and newer."""
    seen = dict.fromkeys(ids)
    frontier = list(seen)
    for _ in range(12):  # a chain longer than a dozen corrections is cut: its ends are what matters
        rows = read.rows(db, frontier)
        nearby = [row.superseded_by for row in rows.values() if row.superseded_by is not None]
        nearby += [older for older, _ in read.older(db, frontier)]
        frontier = [id for id in dict.fromkeys(nearby) if id not in seen]
        if not frontier:
            break
        seen.update(dict.fromkeys(frontier))
    return list(seen)


def _by_entities(db: Database, seeds: Sequence[int]) -> list[int]:
    counts: dict[int, int] = {}
    for _, entity, _, _, _ in read.mentioned(db, seeds):
        counts[entity] = counts.get(entity, 0) + 1
    out: list[int] = []
    for entity in sorted(counts, key=lambda e: (-counts[e], -e))[:MOST_ENTITIES]:
        out += read.mentioning(db, entity, PER_ENTITY)
    return out


def _head(id: int, rows: Mapping[int, Row]) -> int:
    seen = {id}
    while (after := rows[id].superseded_by) is not None and after in rows and after not in seen:
        seen.add(after)
        id = after
    return id
