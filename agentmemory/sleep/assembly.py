"""The memory of a chat under caps: six labelled sections, the stable ones first, so that a prefix can be kept.

Knows tokens and sections; what goes into them comes from the tiers.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from agentmemory.paths import date
from agentmemory.recall.render import clean, quoted
from agentmemory.recall.rules import locked
from agentmemory.records import Query, Row
from agentmemory.text import tokens

if TYPE_CHECKING:
    from agentmemory.sleep.federation import Shared
    from agentmemory.sleep.tiers import Composition, Page, Tiers

#: of a context window that memory may take; the rest is the task's
MEMORY_SHARE = 0.6
#: of memory's share
SHARES = {"constraints": 0.05, "habits": 0.07, "shared": 0.03, "knowledge": 0.20, "episodes": 0.25, "working": 0.40}
TITLES = {
    "constraints": "STANDING CONSTRAINTS AND PROFILE", "habits": "WHAT IS USUALLY DONE", "shared": "FROM OTHER AGENTS",
    "knowledge": "WHAT IS KNOWN", "episodes": "FROM EARLIER", "working": "THE CONVERSATION",
}  # fmt: skip
STABLE = ("constraints",)
#: in the prompt: what stays the same comes first
ORDER = ("constraints", "working", "knowledge", "episodes", "habits", "shared")
#: behind the kind of what is known: whose word it is, where it is not the user's
WORD_OF = {"agent": ", an agent's word", "tool": ", what a tool said", "import": ", imported"}
MOST_TURN = 2_000  # characters of one turn
LAMBDA = 0.5  # relevance against difference


@dataclass(frozen=True, slots=True)
class Context:
    """Sections by name in the order of the prompt."""

    sections: Mapping[str, str]

    @property
    def text(self) -> str:
        return _joined(self.sections.values())

    @property
    def stable(self) -> str:
        """What only a changed rule or profile changes: the prefix worth keeping."""
        return _joined(section for name, section in self.sections.items() if name in STABLE)

    @property
    def called(self) -> str:
        """What the question calls for."""
        return _joined(section for name, section in self.sections.items() if name not in STABLE)


def caps(window: int) -> dict[str, int]:
    """Tokens that each section may take of a window."""
    return {name: int(round(window * MEMORY_SHARE * share, 6)) for name, share in SHARES.items()}


def assemble(tiers: Tiers, query: str, window: int, now: float, shared: Sequence[Shared] = ()) -> Context:
    """The sections for a question, with what other agents *shared* about it.

    A locked rule is never left out: for it the first section takes from the last.
    """
    found = tiers.compose(query, now)
    rules = [f"- {quoted(row)}" for row in locked(tiers.db, Query(query, now, tiers.scopes))]
    limits = caps(window)
    must = tokens(_section("constraints", rules)) if rules else 0.0
    over = max(0, int(must) + 1 - limits["constraints"])
    limits["constraints"] += over
    limits["working"] = max(0, limits["working"] - over)
    given = {
        "constraints": rules + [f"- the user's {k}: {v}" for k, v in sorted(found.profile.items())],
        **_lines(found),
        "shared": [f'- "{clean(each.text, MOST_TURN)}" (from "{clean(each.name, MOST_TURN)}")' for each in shared],
    }
    sections = {name: fill(name, given[name], limits[name]) for name in ORDER}
    return Context(sections)


def fill(name: str, lines: Sequence[str], cap: int) -> str:
    """A section of the lines that fit under the cap, in order; the conversation keeps its newest ones."""
    kept: list[str] = []
    for line in reversed(lines) if name == "working" else lines:
        tried = [line, *kept] if name == "working" else [*kept, line]
        if tokens(_section(name, tried)) <= cap:
            kept = tried
        elif name == "working":
            break
    return _section(name, kept) if kept else ""


def mmr(items: Sequence[tuple[float, set[str]]], k: int, weight: float = LAMBDA) -> list[int]:
    """Places of the *k* items `(relevance, stems)` of maximal marginal relevance.

    J. Carbonell, J. Goldstein, The use of MMR, SIGIR 1998: `weight * relevance - (1 - weight) * likeness`.
    """
    chosen: list[int] = []
    left = list(range(len(items)))
    while left and len(chosen) < k:
        best = max(left, key=lambda i: (weight * items[i][0] - (1.0 - weight) * _likest(items, i, chosen), -i))
        left.remove(best)
        chosen.append(best)
    return chosen


def _likest(items: Sequence[tuple[float, set[str]]], i: int, chosen: Sequence[int]) -> float:
    return max((_jaccard(items[i][1], items[j][1]) for j in chosen), default=0.0)


def _jaccard(a: set[str], b: set[str]) -> float:
    return len(a & b) / len(a | b) if a | b else 0.0


def _lines(found: Composition) -> dict[str, list[str]]:
    known = _diverse([*found.user_knowledge, *found.agent_knowledge])
    return {
        "working": [_said(page) for page in found.working],
        "episodes": [f"[{date(page.turns[0].at)}] {_said(page)}" for page in found.segments],
        "knowledge": [f"- {quoted(r)} ({r.kind}{WORD_OF.get(r.provenance, '')})" for r in known if not r.locked],
        "habits": [f'- {h.ask} -> "{clean(h.did, MOST_TURN)}" ({h.support} times)' for h in found.habits],
    }


def _said(page: Page) -> str:
    """An exchange, each turn one string that nothing in it can leave."""
    return "\n".join(f'{t.role}: "{clean(t.text, MOST_TURN, t.role == "user")}"' for t in page.turns)


def _diverse(rows: Sequence[Row]) -> list[Row]:
    """The rows by maximal marginal relevance; they come in order of relevance."""
    items = [(1.0 - i / max(1, len(rows)), set(row.terms.split())) for i, row in enumerate(rows)]
    return [rows[i] for i in mmr(items, len(items))]


def _joined(sections: Iterable[str]) -> str:
    return "\n\n".join(section for section in sections if section)


def _section(name: str, lines: Sequence[str]) -> str:
    return "\n".join((f"== {TITLES[name]} ==", *lines))
