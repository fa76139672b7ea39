"""A transcript becomes turns, and what its user taught becomes beliefs. Owns the transactions, decides nothing.

Reading goes on where the last call ended; the offset commits together with what was read.
"""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from itertools import groupby, islice, takewhile
from typing import TYPE_CHECKING

from agentmemory import paths
from agentmemory.learn import register, transcripts
from agentmemory.learn.candidates import candidates
from agentmemory.learn.passages import EDITED
from agentmemory.learn.redact import redact
from agentmemory.learn.revise import hear
from agentmemory.store import arrivals, changes, federation, scopes, tiers, turns, writer
from agentmemory.values import Added, Ignored, Reinforced, Retracted, Superseded, Utterance, counted

if TYPE_CHECKING:
    import apsw

    from agentmemory.learn.transcripts import Heard
    from agentmemory.values import Outcome

BATCH_TURNS = 400  # in one transaction: a tenth of a second or two while other writers wait
BATCH_BYTES = 4_000_000  # of text in one transaction; memory stays flat whatever the file holds
READ_BYTES = 64_000_000  # of transcript between two commits of the offset, where nothing is said
BEFORE = 6  # turns that a new turn is read against
TALK = 4 * register.BEFORE  # turns of a project among which its user's last ones are
ANSWERED = 40  # lines after it that may answer it
ANSWER = 4_000  # characters of what they say that are looked at


@dataclass(slots=True)
class Report:
    """What one call of `digest` did."""

    turns: int = 0
    added: int = 0
    reinforced: int = 0
    superseded: int = 0
    retracted: int = 0
    ignored: int = 0
    offset: int = 0
    anew: bool = False  # whether the file is another one than the one that was read before
    batch: int = 0  # the changes of beliefs, all in one
    forks: dict[str, tuple[str, float]] = field(default_factory=dict)  # session -> what it copies, up to which moment

    def __str__(self) -> str:
        parts = [counted(self.turns, "turn")]
        for name in ("added", "reinforced", "superseded", "retracted"):
            if count := getattr(self, name):
                parts.append(f"{count} {name}")
        return ", ".join(parts)

    def count(self, outcome: Outcome) -> None:
        """Take note of what became of one candidate."""
        match outcome:
            case Added():
                self.added += 1
            case Reinforced():
                self.reinforced += 1
            case Superseded():
                self.superseded += 1
            case Retracted():
                self.retracted += 1
            case Ignored():
                self.ignored += 1


@dataclass(slots=True)
class _Session:
    """A session that this call meets: its rows and the last things said in it."""

    id: int
    scope: int
    before: deque[tuple[str, str]]
    talk: deque[float]  # how the user talked in the project (see register), the last message last
    copied: deque[int]  # the last turn that it copies; empty from where it says something of its own


_Known = dict[tuple[str, str], _Session]  # by the client's session id and the folder


def digest(db: apsw.Connection, path: str, now: float, batch: int = 0) -> Report:
    """Learn from a transcript, from where the last call ended; what it changes is undone together, with all of *batch*.

    Idempotent: a turn that is known by its place, or by its words and time, is neither stored nor learned from again.
    *now* is when it is learned; when it was said stands in the transcript.

    Raises:
        OSError: the transcript cannot be read.
    """
    key = arrivals.DIGEST + os.path.realpath(path)
    offset = arrivals.offset(db, key)
    anew = not transcripts.goes_on(path, offset)
    report = Report(offset=0 if anew else offset, anew=anew, batch=batch)
    known: _Known = {}
    for heard in _batches(transcripts.read(path, report.offset)):
        with writer.transaction(db):
            report.batch = changes.begin(db, "learn", report.batch)
            _take(db, heard, known, now, report)
            report.offset = heard[-1].end
            arrivals.set_offset(db, key, report.offset)
    return report


def _batches(heard: Iterator[Heard]) -> Iterator[list[Heard]]:
    """Lines with something said, bounded by number and size; the last line of a batch ends what was read."""
    batch: list[Heard] = []
    size, start, last = 0, 0, None
    for each in heard:
        last = each
        start = start or each.end
        if each.said is not None:
            batch.append(each)
            size += len(each.said.text)
        if len(batch) >= BATCH_TURNS or size >= BATCH_BYTES or each.end - start >= READ_BYTES:
            yield batch if batch and batch[-1] is each else [*batch, each]
            batch, size, start, last = [], 0, 0, None
    if last is not None:
        yield batch if batch and batch[-1] is last else [*batch, last]


def _take(db: apsw.Connection, batch: list[Heard], known: _Known, now: float, report: Report) -> None:
    """Store a batch of turns, then revise the beliefs by what its user turns say, in the order they were said."""
    heard = []
    once: set[tuple[int, str, str, float]] = set()
    for each in batch:
        if each.said is not None:
            session = known.get((each.session, each.folder)) or _meet(db, each, now, known)
            text, changed = redact(each.said.text), redact(each.said.changed)
            said = replace(each.said, text=text, changed=changed, at=each.said.at or now)
            copy = _copied(db, each, session, said, report.anew)
            if copy is None and each.client and each.said.at and text:
                line = (session.id, said.role, text, said.at)
                if line in once:  # its client wrote it twice
                    continue
                once.add(line)
            heard.append((session, said, copy))
    for id, run in groupby(heard, key=lambda each: each[0].id):
        told = list(run)
        _branch(db, id, [copy for _, said, copy in told if said.text], report)
        own = [said for _, said, copy in told if said.text and copy is None]
        stored = iter(turns.add(db, id, turns.placed(db, id, own)))
        to_come = (register.odds(said.text) for _, said, copy in told if _speaks(said, copy))
        anew = {said.follows: i for i, (_, said, _) in enumerate(told) if said.follows}
        ahead: deque[float] = deque()
        for i, (session, said, copy) in enumerate(told):
            turn = next(stored) if said.text and copy is None else None
            talk = register.STRANGERS
            if _speaks(said, copy):
                ahead.extend(islice(to_come, register.AFTER - len(ahead)))
                talk = register.talk([*session.talk, *ahead])
                session.talk.append(ahead.popleft())
            if turn is not None:
                report.turns += 1
                if said.role == "user" and anew.get(said.follows, i) == i:  # not taken back and typed anew
                    reply = answer_of([each for _, each, _ in told[i + 1 : i + 1 + ANSWERED]])
                    _learn(db, said, turn, reply, session, talk, now, report)
            if text := said.text if copy is None else copy.text:
                session.before.append((said.role, text))
        if session.talk:
            scopes.set_register(db, session.scope, register.talk(session.talk).register)


def _speaks(said: Utterance, copy: turns.Copied | None) -> bool:
    """Whether the user says something here that was not said before."""
    return said.role == "user" and bool(said.text) and copy is None


def _copied(
    db: apsw.Connection, each: Heard, session: _Session, said: Utterance, anew: bool
) -> turns.Copied | None:  # fmt: skip
    """The turn that this one copies. A client's copies have the time of what they copy, to the millisecond; where times
    are coarse or given anew, a fork is what begins with the turns of another session."""
    copy = None
    if not said.text:
        return None
    if each.said and each.said.at and (each.client or session.copied or anew):
        copy = turns.copied(db, session.id, said)
    if copy is None and session.copied:
        copy = turns.taken_over(db, session.id, said, each.parents, session.copied[0])
    if copy is None:
        session.copied.clear()
    elif session.copied:
        session.copied.append(copy.turn)
    return copy


def _branch(db: apsw.Connection, session: int, copies: list[turns.Copied | None], report: Report) -> None:
    """A fork of a session begins with copies of its turns: they are neither stored nor learned from again.

    Nor are a session's own, in a file that was written anew.
    """
    for copy in copies:
        if copy is None:
            return
        if copy.session != session:
            federation.branch(db, session, copy.session, copy.idx)
            report.forks[turns.key_of(db, session)] = (turns.key_of(db, copy.session), copy.at)


def answer_of(after: list[Utterance]) -> str:
    """What the assistant said before the user spoke again, and as blocks of code what it changed in files."""
    answers = list(takewhile(lambda each: each.role == "assistant", after))
    said = "\n".join(each.text[:ANSWER] for each in answers if each.text)[:ANSWER]
    changed = dict.fromkeys(each.changed for each in answers if each.changed)
    return said + "".join(f"{EDITED}{name}\n```" for name in changed)


def _learn(
    db: apsw.Connection, said: Utterance, turn: int, reply: str, session: _Session, talk: register.Talk, now: float,
    report: Report,
) -> None:  # fmt: skip
    found = candidates(said, tuple(session.before), tentative=True, reply=reply, talk=talk)
    held = [replace(c, scope=c.scope or session.scope, turn=turn, at_work=talk.works) for c in found]
    for outcome in hear(db, held, now):
        report.count(outcome)


def _meet(db: apsw.Connection, heard: Heard, now: float, known: _Known) -> _Session:
    """The session's rows; a session that changes folder keeps what was said before, and below its first its project."""
    folder = paths.settled(heard.folder, turns.began(db, heard.session))
    scope = _project(db, folder or os.getcwd(), heard.session, now)
    at = heard.said.at if heard.said and heard.said.at else now
    session = turns.session(db, heard.session, scope, at, heard.client)
    for (name, _), other in known.items():
        if name == heard.session:
            before, copied = other.before, other.copied
            break
    else:
        copied = deque(turns.end_of_copy(db, session), maxlen=1)
        before = deque(((turn.role, turn.text) for turn in tiers.of_session(db, session, BEFORE)), maxlen=BEFORE)
    talk = next((other.talk for other in known.values() if other.scope == scope), None) or _talk(db, scope)
    return known.setdefault((heard.session, heard.folder), _Session(session, scope, before, talk, copied))


def _talk(db: apsw.Connection, scope: int) -> deque[float]:
    """How the user talked in a project so far."""
    last = tiers.latest(db, [scope], TALK)
    return deque((register.odds(turn.text) for turn in last if turn.role == "user"), maxlen=register.BEFORE)


def _project(db: apsw.Connection, folder: str, session: str, now: float) -> int:
    """The scope of the project at *folder*; of a folder that is gone the one it was, or that of the session so far."""
    key, fingerprint = paths.project_of(folder)
    gone = None
    if not fingerprint and not os.path.isdir(folder):  # a removed worktree, a deleted or renamed repository
        gone = scopes.find_project(db, os.path.join(key, ".git"), "") or turns.scope_of(db, session)
    return gone or scopes.project(db, key, fingerprint, now)
