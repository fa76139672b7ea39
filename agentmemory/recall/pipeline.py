"""The way of a prompt: a query goes through the layers in order, what is left is chosen and rendered.

To add a layer, write a function `(db, query, hits) -> hits` in a file of its own and put its name in LAYERS.
"""

from agentmemory.recall.action import action
from agentmemory.recall.anchors import moved
from agentmemory.recall.answering import answering
from agentmemory.recall.cover import SIZE, budget_of, cover, hints, ranked
from agentmemory.recall.entities import entities
from agentmemory.recall.floor import floor, worth
from agentmemory.recall.fuse import fuse
from agentmemory.recall.inherited import inherited
from agentmemory.recall.later import beside, later
from agentmemory.recall.lexical import lexical
from agentmemory.recall.meaning import meaning
from agentmemory.recall.need import weigh
from agentmemory.recall.practice import practice
from agentmemory.recall.render import render
from agentmemory.recall.reported import reported
from agentmemory.recall.restated import restated
from agentmemory.recall.rules import locked
from agentmemory.recall.scopes import scopes
from agentmemory.recall.steps import steps
from agentmemory.recall.structure import structure
from agentmemory.recall.supersession import supersession
from agentmemory.recall.wordings import abridge, briefly
from agentmemory.records import Hit, Query, Row

TYPE_CHECKING = False
if TYPE_CHECKING:
    from agentmemory.store.rows import Database

LAYERS = (
    structure, lexical, entities, action, reported, answering, meaning, restated, supersession, scopes, inherited, steps
)  # fmt: skip


def brought(db: "Database", query: Query) -> "list[Hit]":
    """Everything that the layers bring, fused, best first."""
    hits: list[Hit] = []
    for layer in LAYERS:
        hits = layer(db, query, hits)
    return fuse(hits)


def recall(db: "Database", query: Query, given: "frozenset[int]" = frozenset(), first: bool = True) -> "list[Hit]":
    """The hits worth their place in a prompt; *given* are beliefs that the session has been shown already. *first*:
    nothing but hints was recalled in it yet, whatever stands in it."""
    hits = candidates(db, query, brought(db, query), first)
    chosen, _ = choose(query, hits, given)
    return beside(chosen)


def candidates(db: "Database", query: Query, hits: "list[Hit]", first: bool) -> "list[Hit]":
    """What a block may hold of what was found; *first*: the session has been given nothing but hints."""
    kept = floor(query, hits)
    found = briefly(db, query, later(db, query, practice(db, query, kept) if first else kept))
    return weigh(query, found) if first else worth(db, query, found)


def choose(query: Query, hits: "list[Hit]", given: "frozenset[int]") -> "tuple[list[Hit], float]":
    """What of it the block holds, without what has been shown already, and the tokens that it may take."""
    lines = ranked([hit for hit in hits if not shown(hit, given)], 0.0 if hints(query) else SIZE)
    budget = budget_of(query, lines)
    return cover(query, lines, budget), budget


def answer(
    db: "Database", query: Query, given: "frozenset[int]" = frozenset(), hinted: bool = False
) -> "tuple[list[Row], list[Hit]]":
    """What the block for a prompt holds: the locked rules, and what was chosen beside them. *hinted*: what the session
    has been given so far were hints."""
    rules = locked(db, query)
    standing = given | {row.id for row in rules}
    return rules, abridge(db, recall(db, query, standing, hinted or not given))


def block(db: "Database", query: Query, given: "frozenset[int]" = frozenset(), folder: str = "") -> str:
    """What is put before the agent with its prompt, "" for silence. *folder*: where the session works."""
    rules, hits = answer(db, query, given)
    return render(query, rules, hits, moved(db, query.scopes[0], folder, rules, hits))


def shown(hit: Hit, given: "frozenset[int]") -> bool:
    """Whether all of a hit has been shown before."""
    return all(row.id in given for row in hit.steps) if hit.steps else hit.id in given
