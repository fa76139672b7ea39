"""What wonder and reason say: lines that name the beliefs behind them, fitted to a budget of tokens."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from agentmemory import confidence
from agentmemory.paths import date
from agentmemory.records import Row
from agentmemory.text import STOP, tokens

BUDGET = 2_000  # tokens of one answer: what an agent can afford to read between two steps
LONGEST = 280  # characters of a belief on one line
CUT = "…"
SENTENCE = re.compile(r"(?<=[.!?;]) ")
#: a figure, a path, an identifier, a name within a sentence
NAMES = re.compile(r"[\d/_@=#`]|\w\.\w|\w-\w|^[A-Z]\w|[a-z][A-Z]")
BINDS = re.compile(r"\b(?:never|always|only|must|not|no|instead|because|from now on|no longer|\w+n['’]t)\b", re.I)
GIST = 75  # characters of a belief that is cited for those who want to look further
CERTAIN = 4  # chains, the strongest, of which a line is shown whatever else there is
IN_FULL = 0.5  # of a budget goes to lines in full; 0.6 left one line of forty answers out


@dataclass(frozen=True, slots=True)
class Line:
    """One statement and the beliefs behind it.

    text: the belief's own words, or ours about the beliefs of *ids*. date: since when it is (was) true.
    confidence: of the belief now, 0 to 1. state: current, superseded, proposed, archived, retracted, speculation
    or open. until, now_is: for what is superseded, when that happened and the belief that stands in its place.
    weight: how much it matters where not everything fits.
    """

    text: str
    ids: tuple[int, ...]
    date: str = ""
    confidence: float = 0.0
    state: str = "current"
    until: str = ""
    now_is: int | None = None
    note: str = ""
    weight: float = 1.0

    def as_json(self) -> dict[str, Any]:
        """The fields that say something; without a `state` the line is current."""
        out: dict[str, Any] = {"text": self.text, "ids": list(self.ids)}
        if self.date:
            out |= {"date": self.date, "confidence": round(self.confidence, 2)}
        state = "" if self.state == "current" else self.state
        out |= {
            k: v for k, v in (("state", state), ("until", self.until), ("now", self.now_is), ("note", self.note)) if v
        }
        return out

    def __str__(self) -> str:
        marks = [", ".join(f"#{id}" for id in self.ids)] if self.ids else []
        if self.date:
            marks.append(self.date)
        if self.confidence:
            marks.append(f"{self.confidence:.2f}")
        if self.state == "superseded":
            marks.append(f"SUPERSEDED {self.until}".rstrip() + (f", now #{self.now_is}" if self.now_is else ""))
        elif self.state not in ("current", "open"):
            marks.append(self.state.upper())
        note = f" ({self.note})" if self.note else ""
        return f"- {self.text}{note}" + (f" [{'; '.join(marks)}]" if marks else "")


def line_of(row: Row, at: float, note: str = "", head: int | None = None, weight: float = 1.0) -> Line:
    """A belief as a line at the time *at*; *head*: what stands in its place at the end of its chain."""
    state = "current" if row.state == "active" else row.state
    if row.state == "active" and row.valid_to is not None and row.valid_to <= at:
        state = "superseded"
    told_end = state in ("superseded", "retracted") and (row.valid_to or 0.0) >= row.valid_from  # the clock may go back
    return Line(
        text=told(row),
        ids=(row.id,),
        date=date(row.valid_from),
        confidence=confidence.of(row, at),
        state=state,
        until=date(row.valid_to) if row.valid_to is not None and told_end else "",
        now_is=head if state == "superseded" else None,
        note=note,
        weight=weight,
    )


def told(row: Row, longest: int = LONGEST) -> str:
    """What a belief says, on one line: the sentences that carry it, where they stand in its text in one piece."""
    whole, brief = _flat(row.text), _flat(row.brief)
    at = whole.find(brief) if brief else -1
    if at < 0:
        return short(whole, longest)
    return short(f"{CUT} " * (at > 0) + brief + f" {CUT}" * (at + len(brief) < len(whole)), longest)


def _flat(text: str) -> str:
    """The text on one line, without what cannot be seen: nobody's terminal or model obeys it."""
    return "".join(c for c in " ".join(text.split()) if c.isprintable())


def short(text: str, longest: int = LONGEST) -> str:
    """The text on one line; of a longer one the sentences that tell most, as many as go in a row, cut at a word."""
    flat = " ".join(text.split()).removeprefix(CUT + " ").removesuffix(" " + CUT)
    if len(flat) <= longest:
        return " ".join(text.split())
    parts = SENTENCE.split(flat)
    tells = [_tells(part) for part in parts]
    rows = [(i, j) for i in range(len(parts)) for j in _rows(parts, i, longest - 4)]
    i, j = max(rows, key=lambda row: (sum(tells[row[0] : row[1]]), -row[0]))
    kept = " ".join(parts[i:j])
    whole = len(kept) <= longest - 4
    if not whole:
        kept = kept[: longest - 3].rsplit(" ", 1)[0].rstrip(",;:")
    return f"{CUT} " * (i > 0) + kept + f" {CUT}" * (not whole or j < len(parts))


def _rows(parts: Sequence[str], i: int, longest: int) -> Iterator[int]:
    """Where the rows of sentences end that begin with the one at *i*: itself, and more as far as *longest* goes."""
    yield i + 1
    length = len(parts[i])
    for j in range(i + 1, len(parts)):
        length += len(parts[j]) + 1
        if length > longest:
            return
        yield j + 1


def _tells(sentence: str) -> int:
    """How much a sentence tells: its names, values and paths, then what binds, then its words."""
    said = sentence.split()
    plain = sum(word.lower().strip(".,;:!?") not in STOP for word in said)
    return 3 * sum(bool(NAMES.search(word)) for word in said[1:]) + 3 * bool(BINDS.search(sentence)) + plain


def fit(blocks: Iterable[tuple[str, Iterable[object]]], budget: float) -> str:
    """Titled blocks of lines, in order, as far as the budget of tokens goes; empty blocks are left out."""
    out: list[str] = []
    left = budget
    for title, lines in blocks:
        wanted = [str(line) for line in lines]
        if not wanted:
            continue
        head = f"\n{title}" if out else title
        cost = tokens(head + "\n")
        kept: list[str] = []
        for line in wanted:
            if cost + tokens(line + "\n") > left:
                break
            kept.append(line)
            cost += tokens(line + "\n")
        if kept:
            out += [head, *kept]
            left -= cost
    return "\n".join(out)


def price(json_form: bool) -> Callable[[Line], float]:
    """What a line takes of a budget, in tokens: as JSON, or as text."""
    if json_form:
        return lambda line: tokens(json.dumps(line.as_json(), ensure_ascii=False) + ", ")
    return lambda line: tokens(f"{line}\n")


def within(
    sections: Sequence[Sequence[Line]], budget: float, cost: Callable[[Line], float], chains: int = 0
) -> list[list[Line]]:
    """What a budget allows: of each section its first line (of chains, those of the first `CERTAIN`), then whatever
    weighs most. Order within stays.

    What matters most stands in full; when `IN_FULL` of the budget is spent, the rest is cut to its gist: an agent that
    needs more of a belief than its first words has its id. *chains*: of the first sections each line is a step of a
    chain; its gist keeps date and confidence.
    """
    ranked = sorted(
        (
            (i >= 1 or CERTAIN <= s < chains, -line.weight, i, s)
            for s, lines in enumerate(sections) for i, line in enumerate(lines)
        ),
        key=lambda key: key[:3],
    )  # fmt: skip
    taken: list[dict[int, Line]] = [{} for _ in sections]
    left = budget
    for _, _, i, s in ranked:
        line = sections[s][i]
        if left < (1 - IN_FULL) * budget:
            line = replace(line, text=short(line.text, GIST))
            if s >= chains and line.state == "current":
                line = replace(line, date="", confidence=0.0)
        price = cost(line)
        if price <= left:
            left -= price
            taken[s][i] = line
    return [[mine[i] for i in sorted(mine)] for mine in taken]
