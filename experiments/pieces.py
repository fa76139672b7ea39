"""Are procedures that were taught in pieces, over weeks, captured and tied whole, and nothing else tied to them?

    python experiments/pieces.py [--save] [--miss]

Two kinds of material, played in the order of time: project histories written for this (tests/data/pieces.jsonl: turns
over sessions, some of which state the next piece of a procedure, among them many that only look so), and the worlds of
experiments/worlds. `whole`: every piece is held, and they hang together. `odd`: ties between statements that belong to
no procedure in common. `turned`: statements that are no piece and yet are held as one.
Receipt: experiments/results/pieces.json.
"""

from __future__ import annotations

import argparse
import dataclasses
import json
import sys
import tempfile
from collections import Counter
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from agentmemory.learn.candidates import candidates  # noqa: E402
from agentmemory.learn.revise import hear  # noqa: E402
from agentmemory.store import scopes, turns, writer  # noqa: E402
from agentmemory.values import Utterance  # noqa: E402
from experiments.regression import WORLDS  # noqa: E402

HISTORIES = ROOT / "tests" / "data" / "pieces.jsonl"
RECEIPT = ROOT / "experiments" / "results" / "pieces.json"
DAYS = 4 * 86_400.0  # seconds between two sessions
BEFORE = 6  # turns that a turn is read against
SAID = """
    SELECT b.id, b.kind, b.text, b.state, e.turn FROM belief b JOIN evidence e ON e.belief = b.id
    WHERE e.kind IN ('said', 'restated') AND e.turn IS NOT NULL ORDER BY b.id
"""
TIES = "SELECT src, dst FROM edge WHERE type = 'next'"


@dataclasses.dataclass(frozen=True, slots=True)
class Moment:
    """One turn of a history. piece: the procedure and the number that a user's turn states, None where it is
    none; keys: what a statement of that piece must hold, lower case."""

    session: int
    role: str
    text: str
    piece: tuple[str, int] | None = None
    keys: tuple[str, ...] = ()


@dataclasses.dataclass(frozen=True, slots=True)
class Told:
    """What a history left in a store: statements by id as (kind, text, state, turns that said them), ties."""

    statements: dict[int, tuple[str, str, str, list[int]]]
    ties: list[tuple[int, int]]


def main() -> None:
    """Play all histories, print the figures of each set, keep them with --save."""
    ap = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ap.add_argument("--save", action="store_true", help="keep the receipt")
    ap.add_argument("--miss", action="store_true", help="print what is not whole, and what is tied wrongly")
    args = ap.parse_args()
    figures = {}
    for name, group in (("histories", histories()), ("worlds", {path.stem: world(path) for path in WORLDS})):
        total: Counter[str] = Counter()
        for each, moments in group.items():
            total += counted(each, moments, played(moments), args.miss)
        figures[name] = dict(total)
        print(name, json.dumps(figures[name]))
    if args.save:
        RECEIPT.write_text(json.dumps(figures, indent=1) + "\n")


def histories(path: Path = HISTORIES) -> dict[str, list[Moment]]:
    """The histories of a file, by number and voice."""
    out = {}
    for n, line in enumerate(path.read_text("utf-8").splitlines() if path.exists() else (), 1):
        data = json.loads(line)
        moments = []
        for turn in data["turns"]:
            if turn.get("assistant"):
                moments.append(Moment(turn["session"], "assistant", turn["assistant"]))
            name, _, number = (turn["piece"] or "").partition(".")
            moments.append(
                Moment(turn["session"], "user", turn["user"], (name, int(number)) if turn["piece"] else None)
            )
        out[f"{n} {data['voice'][:20]}"] = moments
    return out


def world(path: Path) -> list[Moment]:
    """The sessions of a world of CodeRecall."""
    data = json.loads(path.read_text("utf-8"))
    said = {
        (piece["said_in"], piece["turn"]): ((fact["id"], n), tuple(key.lower() for key in piece["key"]))
        for fact in data["facts"] if fact["kind"] == "procedure" for n, piece in enumerate(fact["pieces"], 1)
    }  # fmt: skip
    return [
        Moment(n, turn["role"], turn["text"], *said.get((session["id"], i), (None, ())))
        for n, session in enumerate(sorted(data["sessions"], key=lambda s: s["start"]), 1)
        for i, turn in enumerate(session["turns"])
    ]


def played(moments: list[Moment]) -> Told:
    """What the learner makes of a history; turn i of it is row i + 1."""
    with tempfile.TemporaryDirectory() as folder:
        db = writer.open_store(folder)
        with writer.transaction(db):
            scope = scopes.project(db, "/p/.git", "", 1.0)
            before: list[tuple[str, str]] = []
            last = 0
            for i, moment in enumerate(moments):
                at = moment.session * DAYS + 60.0 * i
                if moment.session != last:
                    last, before = moment.session, []
                session = turns.session(db, str(last), scope, at)
                (turn,) = turns.add(db, session, [Utterance(i, moment.role, moment.text, at)])
                if moment.role == "user":
                    after = [
                        m.text for m in moments[i + 1 : i + 2] if m.role == "assistant" and m.session == moment.session
                    ]
                    said = Utterance(i, "user", moment.text, at)
                    found = candidates(said, before[-BEFORE:], tentative=True, reply="".join(after))
                    hear(db, [dataclasses.replace(c, scope=scope, turn=turn) for c in found], at)
                before.append((moment.role, moment.text))
            found: dict[int, tuple[str, str, str, list[int]]] = {}
            for id, kind, text, state, turn in db.execute(SAID).fetchall():
                found.setdefault(id, (kind, text, state, []))[3].append(turn)
            told = Told(found, [(a, b) for a, b in db.execute(TIES).fetchall()])
        db.close()
    return told


def counted(name: str, moments: list[Moment], told: Told, miss: bool = False) -> Counter[str]:
    """How many procedures there are, were captured, are whole; ties, odd ones among them, statements turned."""
    of: dict[int, set[tuple[str, int]]] = {}
    for id, (_, text, state, rows) in told.statements.items():
        pieces = [(moments[row - 1].piece, moments[row - 1].keys) for row in rows]
        of[id] = {p for p, keys in pieces if p and (not keys or any(key in text.lower() for key in keys))}
        of[id] = of[id] if state == "active" else set()
    belongs = {
        id: {p[0] for row in rows if (p := moments[row - 1].piece)} for id, (_, _, _, rows) in told.statements.items()
    }
    root = components(told.ties)
    out: Counter[str] = Counter()
    for procedure in sorted({m.piece[0] for m in moments if m.piece}):
        pieces = sorted({m.piece for m in moments if m.piece and m.piece[0] == procedure})
        held = [{root.get(id, id) for id, of_it in of.items() if piece in of_it} for piece in pieces]
        whole = bool(set.intersection(*held))
        out += Counter(procedures=1, pieces=len(pieces), held=sum(map(bool, held)), captured=all(held), whole=whole)
        if miss and not whole:
            print(f"{name} {procedure}: {held}")
            for id, of_it in of.items():
                if {p for p in of_it if p[0] == procedure}:
                    print("    ", id, root.get(id, id), told.statements[id][0], repr(told.statements[id][1]))
            for m in moments:
                if m.piece and m.piece[0] == procedure and not held[pieces.index(m.piece)]:
                    print("     lost", m.piece, repr(m.text))
    for a, b in told.ties:
        odd = not belongs[a] & belongs[b]
        out += Counter(ties=1, odd=odd)
        if miss and odd:
            first, then = told.statements[a][1], told.statements[b][1]
            print(f"{name} odd: {a} {first!r} {belongs[a]} -> {b} {then!r} {belongs[b]}")
    none = [id for id in of if not belongs[id]]
    out += Counter(others=len(none), turned=sum(told.statements[id][0] == "procedure" for id in none))
    return out


def components(ties: list[tuple[int, int]]) -> dict[int, int]:
    """For each statement that is tied, the first of those that it hangs together with."""
    root: dict[int, int] = {}

    def first(id: int) -> int:
        while root.setdefault(id, id) != id:
            id = root[id]
        return id

    for a, b in ties:
        x, y = sorted((first(a), first(b)))
        root[y] = x
    return {id: first(id) for id in root}


if __name__ == "__main__":
    main()
