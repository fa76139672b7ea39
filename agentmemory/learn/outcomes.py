"""What became of an injected belief: heeded, ignored, contradicted, said again, or it did not bear on the session.

Judged once a session is over, from its turns and tool calls. Evidence moves the belief; mistakes that come back
propose a guard; what never bears fades from injection.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from agentmemory import guard
from agentmemory.guardedits import changes_files
from agentmemory.guardspec import contains, strings
from agentmemory.learn import guards, tool_calls
from agentmemory.learn.guard_clauses import clauses
from agentmemory.learn.guard_sentences import CODE
from agentmemory.learn.retired import VAGUE
from agentmemory.learn.transcripts import moment
from agentmemory.learn.valued import values
from agentmemory.shelltext import base_name
from agentmemory.store import arrivals, beliefs, changes, jobs, writer
from agentmemory.store import guards as guard_rows
from agentmemory.store import outcomes as rows
from agentmemory.text import stems
from agentmemory.unwrap import command_line, vectors

if TYPE_CHECKING:
    import apsw

    from agentmemory.records import Row
    from agentmemory.store.jobs import Job
    from agentmemory.store.rows import Database

HEEDED = 0.5  # half of what the user's own repetition counts (1.0): an agent may do right by chance
IGNORED = -0.25  # an agent that passes a belief over says little about whether it holds
ESCALATE = 2  # sessions in which a mistake came back before a guard is proposed
FADE_SESSIONS = 8  # sessions a belief is given in, never bearing, before it rests
NAMED = re.compile(r"\b(?:called|named)\s+[\"'`]?([A-Za-z][\w.-]*)")  # what a thing is said to be called
TAUGHT = ("rule", "correction", "preference", "decision", "procedure")
WEIGHTS = {
    "heeded": HEEDED,
    "ignored": IGNORED,
    "contradicted": 0.0,
    "recurred": 0.0,
}  # revise has counted the last two


@dataclass(frozen=True, slots=True)
class Judgement:
    """What a session made of a belief; *turn* is the last thing said in it since the belief was given."""

    belief: int
    outcome: str
    turn: int | None


def weigh(db: Database, session: str, calls: Sequence[dict[str, Any]] = ()) -> list[Judgement]:
    """What became of every injection into a finished session; *calls* are its tool calls.

    Reads only, and takes its time with a long session: in no transaction, so that others can write meanwhile.
    """
    spoken = rows.said(db, session)
    given = [(beliefs.get(db, belief), since) for belief, since in rows.open_injections(db, session)]
    told = _told([(row, since) for row, since in given if row.kind == "fact"], spoken)
    out = []
    for row, since in given:
        outcome = _outcome(db, session, row, since, spoken, calls)
        if outcome == "unused" and row.id in told:
            outcome = "heeded"
        out.append(Judgement(row.id, outcome, next((t for t, _, _, when in reversed(spoken) if when >= since), None)))
    return out


def judge(db: Database, session: str, weighed: Sequence[Judgement], at: float) -> list[Judgement]:
    """Write down what became of injections, but of beliefs that are gone since. The caller owns the transaction."""
    still = {belief for belief, _ in rows.open_injections(db, session)}
    out = [each for each in weighed if each.belief in still]
    for each in out:
        rows.judged(db, session, each.belief, each.outcome)
        if each.outcome in WEIGHTS:
            weight = WEIGHTS[each.outcome]
            beliefs.witness(db, each.belief, each.outcome, weight, at, each.turn, detail=session)
        _escalate(db, beliefs.get(db, each.belief), each.outcome, at)
    _fade(db, at)
    return out


def run(db: apsw.Connection, job: Job, now: float) -> None:
    """The cold job: judge the session that the job names, with the tool calls of its transcript where it is there."""
    path, session = str(job.payload.get("path") or ""), str(job.payload["session"])
    calls = list(tool_calls.made(path)) if os.path.isfile(path) else []
    weighed, overridden = weigh(db, session, calls), list(_overridden(db, path, calls))
    with writer.transaction(db):
        changes.begin(db, "judge")
        judge(db, session, weighed, now)
        if "ended" in job.payload:  # nobody saw it end
            arrivals.session_ended(db, session, float(job.payload["ended"]))
        arrivals.has_ended(db, session, now)
        for id, detail, at in overridden:
            guard_rows.spoke(db, id, guard_rows.OVERRIDDEN, detail, at)
        jobs.add(db, "contradictions", now)


def _outcome(
    db: Database, session: str, row: Row, since: float,
    spoken: Sequence[tuple[int, str, str, float]], calls: Sequence[dict[str, Any]],
) -> str:  # fmt: skip
    kinds = [kind for kind, _ in rows.witnessed(db, session, row.id, since)]
    if any(kind in ("corrected", "retracted", "contradicted") for kind in kinds):
        return "contradicted"
    if "restated" in kinds and row.kind in TAUGHT:
        return "recurred"
    later = [call for call in calls if moment(call.get("timestamp"), since) >= since]
    found = [p for p in guards.compile(row.text) if p.mode != "inform" and p.spec.get("only") not in ("new", "old")]
    held = [guards.guard_of(p) for p in found]  # whether a file was there before, nobody knows by now
    broken = {one.mode for one in held for call in later if guard.check(call, [one])}
    if "deny" in broken:
        return "ignored"
    if not broken and held and any(_same_kind(call, held) for call in later):
        return "heeded"
    done = "\n".join(text for call in later for text in strings(call.get("tool_input")))
    answers = "\n".join(text for _, role, text, when in spoken if role == "assistant" and when >= since)
    asked = "\n".join(text for _, role, text, when in spoken if role == "user")
    marks = _marks(row.text)
    if any(contains(mark, done) or (contains(mark, answers) and mark not in asked) for mark in marks):
        return "heeded"
    return "unused"


def _told(given: Sequence[tuple[Row, float]], spoken: Sequence[tuple[int, str, str, float]]) -> set[int]:
    """Which of the facts *given* since a time the answers tell: a line and what it answers hold half of the telling
    words, and one of them is no word of the user's."""
    users = {stem for _, role, said, _ in spoken if role == "user" for stem in stems(said)}
    telling = [(row.id, since, set(stems(row.text)) - VAGUE) for row, since in given]
    waiting = {id: (since, held, held - users) for id, since, held in telling if held - users}
    told: set[int] = set()
    asked: set[str] = set()
    for _, role, said, when in spoken:
        if role == "user":
            asked = set(stems(said))
        elif role == "assistant" and waiting:
            for line in map(set, map(stems, said.splitlines())):
                told |= {
                    id for id, (since, held, own) in waiting.items()
                    if when >= since and own & line and 2 * len(held & (line | asked)) >= len(held)
                }  # fmt: skip
    return told


def _same_kind(call: dict[str, Any], held: list[guard.Guard]) -> bool:
    """Whether a call could have broken the rule and did not: the same program, or an edit where edits are ruled."""
    tool = str(call.get("tool_name") or "")
    if changes_files(tool):
        return any(one.tool == "Edit" and "content" in one.spec for one in held)
    given = call.get("tool_input")
    if tool != "Bash" or not isinstance(given, dict):
        return False
    ran = vectors(command_line(given))
    for one in held:
        programs, args = one.spec.get("program"), one.spec.get("args")
        first = args[0] if isinstance(args, list) and args and isinstance(args[0], list) else []
        for command in ran:
            named = base_name(command.words[0])
            if isinstance(programs, list) and named in programs and (not first or set(first) & set(command.words)):
                return True
    return False


def _marks(text: str) -> list[str]:
    """What shows that a belief was used: its commands, paths, names and values; nothing that is an everyday word."""
    found = CODE.findall(text)
    found += [value for kind, held in values(text).items() if kind != "day" for value in held]
    found += re.findall(r"\b[A-Za-z][\w-]*(?:\d|_)[\w-]*", text) + NAMED.findall(text)
    found += [command for clause in clauses(text) for command in clause.instead_commands]
    bare = [mark.strip("`").rstrip(".,;:") for mark in found]
    return [mark for mark in bare if len(mark) > 3 and re.search(r"[\W\d_]", mark)]


def _escalate(db: Database, row: Row, outcome: str, at: float) -> None:
    """A mistake that comes back for the second time proposes guards; they rest until the user enables them."""
    if outcome not in ("recurred", "ignored") or row.provenance != "user":
        return
    if rows.sessions_with(db, row.id, "recurred", "ignored") < ESCALATE:
        return
    for p in guards.compile(row.text):
        guard_rows.add(db, row.id, row.scope, p.mode, p.tool, p.json(), p.says, at)


def _fade(db: Database, at: float) -> None:
    """Beliefs that were given often and never bore rest in the archive: prompts do not bring them."""
    for belief in rows.unbearing(db, FADE_SESSIONS):
        beliefs.set_state(db, belief, "archived", at)
        beliefs.witness(db, belief, "faded", 0.0, at)


def _overridden(
    db: Database, path: str, calls: Sequence[dict[str, Any]]
) -> Iterator[tuple[int, dict[str, str], float]]:  # fmt: skip
    """`(guard, detail, when)` of what a guard asked about and the user let happen, for the audit trail."""
    asking = [row for row in guard_rows.listed(db) if row.enabled and row.mode == "ask"]
    failed = tool_calls.failed(path) if calls and asking else set()
    for call in calls:
        for row in asking:
            one = guard.Guard(row.id, row.belief, row.mode, row.tool, json.loads(row.spec), row.says)
            if call["tool_use_id"] not in failed and guard.check(call, [one]):
                detail = {"session": call["session_id"], "tool": call["tool_name"]}
                yield row.id, detail, moment(call.get("timestamp"), 0.0)
