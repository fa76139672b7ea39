"""What stands beside a named thing: the subgraph of entities around a question."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import networkx as nx

from agentmemory.learn import entities, names
from agentmemory.store import entities as rows

if TYPE_CHECKING:
    from agentmemory.store.rows import Database

LEAST = 2.0  # times two things must have been named together: once is chance
MOST = 200  # edges read per hop


@dataclass(frozen=True, slots=True)
class Thing:
    """A thing near the one asked for. weight: of the strongest way to it; hops: the length of that way."""

    id: int
    name: str
    kind: str
    weight: float
    hops: int


def subgraph(
    db: Database, question: str, scopes: Sequence[int], *, hops: int = 2, least: float = LEAST
) -> tuple[list[int], nx.Graph[Any]]:
    """The things a question names, and the graph of what stands beside them: `(heads named, graph)`.

    Nodes are entity ids with `name` and `kind`; an edge's `weight` counts how often two were named together.
    Other names of one thing are one node.
    """
    norms = [n.norm for n in entities.extract(question)] + names.plain(question)
    norms += [entities.norm_of("name", word) for word in question.split()]
    heads = rows.named(db, list(dict.fromkeys(norms)), scopes)
    graph: nx.Graph[Any] = nx.Graph()
    graph.add_nodes_from(heads)
    frontier, seen = list(heads), set(heads)
    for _ in range(hops):
        if not frontier:
            break
        family = rows.family(db, frontier)
        pairs = rows.around(db, list(family), MOST)
        known = rows.names(db, [b for _, b, _ in pairs])
        for a, b, weight in pairs:
            if known[b][3] in scopes:
                _add(graph, family[a], known[b][0], a, b, weight)
        _prune(graph, frontier, least)
        frontier = [n for n in graph if n not in seen]
        seen.update(frontier)
    for id, (_, name, kind, _) in rows.names(db, list(graph)).items():
        graph.add_node(id, name=name, kind=kind)
    return heads, graph


def related(db: Database, question: str, scopes: Sequence[int], *, hops: int = 2, least: float = LEAST) -> list[Thing]:
    """What stands beside the things a question names, nearest and most often first."""
    heads, graph = subgraph(db, question, scopes, hops=hops, least=least)
    found: dict[int, Thing] = {}
    for head in heads:
        for node, path in nx.single_source_shortest_path(graph, head, cutoff=hops).items():
            if node in heads:
                continue
            weight = min(graph[a][b]["weight"] for a, b in pairwise(path))
            thing = Thing(node, graph.nodes[node]["name"], graph.nodes[node]["kind"], weight, len(path) - 1)
            known = found.get(node)
            if known is None or (thing.hops, -thing.weight) < (known.hops, -known.weight):
                found[node] = thing
    return sorted(found.values(), key=lambda t: (t.hops, -t.weight, t.name))


def _add(graph: nx.Graph[Any], a: int, b: int, raw_a: int, raw_b: int, weight: float) -> None:
    """Sum the weights of all spellings of a pair, each pair of rows once."""
    if a == b:
        return
    graph.add_edge(a, b)
    rows_seen = graph[a][b].setdefault("rows", {})
    rows_seen[(min(raw_a, raw_b), max(raw_a, raw_b))] = weight
    graph[a][b]["weight"] = sum(rows_seen.values())


def _prune(graph: nx.Graph[Any], frontier: Sequence[int], least: float) -> None:
    weak = [(a, b) for a, b, data in graph.edges(frontier, data=True) if data["weight"] < least]
    graph.remove_edges_from(weak)
    graph.remove_nodes_from(
        [n for pair in weak for n in pair if n in graph and not graph.degree(n) and n not in frontier]
    )
