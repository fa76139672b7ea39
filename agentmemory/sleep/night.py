"""Sleep: what the day brought is scored, told apart by topic, summed up and linked; a report says what was learned.

Every batch of turns is one transaction that also moves the mark, so a killed night goes on where it stood and ends
with the same rows; batches do not depend on how long a slice of sleep was.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from dataclasses import asdict
from itertools import groupby
from typing import TYPE_CHECKING

from agentmemory.learn import anew
from agentmemory.sleep import (
    bridges,
    federation,
    forgetting,
    gists,
    heat,
    importance,
    places,
    procedures,
    profile,
    restatements,
    topics,
    wording,
)
from agentmemory.sleep.report import Night, tell
from agentmemory.store import anchors, beliefs, changes, graph, jobs, meta, nights, writer

if TYPE_CHECKING:
    import apsw

    from agentmemory.store.nights import Turn
    from agentmemory.store.rows import Database

BATCH = 200  # turns in one transaction: a quarter of a second in which another writer waits
NOVEL_AGAINST = 12  # earlier turns that a turn's novelty is measured against
RESCORED = 40  # earlier turns of a session that are scored again when it goes on
TURNS = "turns"  # name of the mark: the last turn slept on
BACK = 2_000  # turns: what was said longer ago is not looked at when a model is set for the first time
TALLY = "sleep_tally"
READ = "read"  # name of the mark: the reading by which profile and procedures were made
READING = 4  # one more when what was read before is to be looked at again


def sleep(
    db: apsw.Connection,
    now: float,
    seconds: float | None = None,
    clock: Callable[[], float] = time.monotonic,
    cap: int = forgetting.CAP,
) -> Night:
    """Consolidate what is new, for about *seconds* (one batch at least); what is left is the next slice's.

    The night is told in `meta` (`sleep_last`) when it is finished.
    """
    end = None if seconds is None else clock() + seconds
    night = _begun(db)
    _reread(db, now)
    while anew.judge(db, now):
        if end is not None and clock() >= end:
            return night
    while _batch(db, now, night) or _reword(db, now, night):
        if end is not None and clock() >= end:
            return night
    _finish(db, now, night, cap)
    return night


def due(db: apsw.Connection, threshold: float, window: int) -> bool:
    """Whether it is time: a session ended since the last night, or one has filled *threshold* of a window since."""
    mark = int(nights.mark(db, TURNS))
    if nights.last(db) <= mark:
        return False
    if nights.ended_since(db, mark):
        return True
    return any(
        full(nights.unslept(db, session, mark) // 4, threshold, window) for session in nights.sessions_since(db, mark)
    )


def waiting(db: Database, mark: str, most: int) -> list[Turn]:
    """The next turns that were slept on and that a model has yet to look at; *mark*: name of how far it has come."""
    slept = int(nights.mark(db, TURNS))
    start = max(int(nights.mark(db, mark)), slept - BACK)
    return [turn for turn in nights.after(db, start, most) if turn.id <= slept]


def full(tokens: int, threshold: float, window: int) -> bool:
    """Whether so many tokens are more than *threshold* of a context window."""
    return tokens > threshold * window


def _reread(db: apsw.Connection, now: float) -> None:
    """Once after an upgrade: what an earlier release read wrongly out of old turns is taken back."""
    if int(nights.mark(db, READ)) == READING:
        return
    with writer.transaction(db):
        changes.begin(db, "upgrade")
        profile.reread(db, now)
        procedures.recount(db, now)
        nights.set_mark(db, READ, READING)


def _batch(db: apsw.Connection, now: float, night: Night) -> bool:
    """The next turns, in one transaction; False when none are left."""
    # an embedding is asked for while nobody waits for the lock
    where = places.ask(db, int(nights.mark(db, TURNS)), BATCH, topics.BACK, topics.POOL)
    with writer.transaction(db):
        mark = int(nights.mark(db, TURNS))
        new = nights.after(db, mark, BATCH)
        if not new:
            return False
        night.turns += len(new)
        by_session = [list(group) for _, group in groupby(sorted(new, key=_place), key=lambda t: t.session)]
        night.sessions += len(by_session)
        _score(db, by_session)
        changes.begin(db, "sleep")
        night.traits += profile.learn(db, new, now)
        for turns in by_session:
            changes.begin(db, "sleep")  # what was learned here is undone without what was learned elsewhere
            added, ended = procedures.mine(db, turns, now)
            night.procedures += added
            night.ended += ended
        for scope in sorted({turn.scope for turn in new}):
            changes.begin(db, "sleep")
            mine = [turn for turn in new if turn.scope == scope]
            night.summaries += topics.consolidate(db, scope, mine, mark, now, where)
        nights.set_mark(db, TURNS, new[-1].id)
        meta.put(db, TALLY, json.dumps(asdict(night)))
    return True


def _reword(db: apsw.Connection, now: float, night: Night) -> bool:
    """The next beliefs, in one transaction: their shorter wordings and what they repeat; False when none are left."""
    with writer.transaction(db):
        changes.begin(db, "sleep")
        shortened, restated = gists.shorten(db), restatements.find(db, now)
        night.shortened += shortened or 0
        night.restated += restated or 0
        if shortened is None and restated is None:
            return False
        meta.put(db, TALLY, json.dumps(asdict(night)))
    return True


def _finish(db: apsw.Connection, now: float, night: Night, cap: int) -> None:
    """What is done once a night, whatever the day brought; each part can be repeated."""
    found = bridges.fit(db) if bridges.due(db) else None  # reads only, and takes the longest: outside the transaction
    with writer.transaction(db):
        changes.begin(db, "sleep")
        if found is not None:
            night.bridges = bridges.write(db, found)
        night.promoted += heat.promote(db, now)
        night.archived += forgetting.forget(db, now, cap)
        night.shared += federation.promote_all(db, now)
        federation.retire(db, now)
        graph.expire(db, now)
        wording.ask(db, list(beliefs.texts(db, night.summaries)), now)
        for scope in anchors.projects(db):
            jobs.add(db, "anchor", now, ref=scope)
        night.finished = True
        if night.turns or night.archived:
            tell(db, night, now)
        meta.put(db, TALLY, "")


def _begun(db: apsw.Connection) -> Night:
    """The night that was interrupted, else a new one."""
    told = meta.get(db, TALLY)
    return Night(**json.loads(told)) if told else Night()


def _score(db: apsw.Connection, by_session: list[list[Turn]]) -> None:
    """Importance of new turns and, moved by the new signal, of those just before them."""
    total = nights.last(db)
    rows: list[tuple[float, int]] = []
    for turns in by_session:
        earlier = nights.before(db, turns[0].session, turns[0].idx, RESCORED)
        every = [*earlier, *turns]
        lessons = nights.taught(db, [turn.id for turn in every])
        df = nights.frequencies(db, sorted({stem for turn in every for stem in turn.terms.split()}))
        stems = [turn.terms.split() for turn in every]
        sets = [set(mine) for mine in stems]
        for i, turn in enumerate(every):
            said, since = sets[max(0, i - NOVEL_AGAINST) : i], len(every) - 1 - i
            lesson = lessons.get(turn.id, 0.0)
            worth = importance.score_stems(turn.text, stems[i], said, since, lesson, df, total)
            rows.append((importance.ema(turn.importance, worth.total), turn.id))
    nights.score(db, rows)


def _place(turn: Turn) -> tuple[int, int]:
    return turn.session, turn.idx
