"""A model rewrites an extractive summary, as a job that may fail or wait: the extract stands until a better text does.

A reply is kept only if it keeps the names and enough of the words of the extract, brings in neither names nor sentences
that nobody said, and is no longer than the extract; a failed call leaves nothing behind.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from agentmemory.learn.revise import revise
from agentmemory.sleep import extracts, models
from agentmemory.store import beliefs, changes, jobs, nights, summaries, writer
from agentmemory.text import stems
from agentmemory.values import Added, Candidate, Superseded

if TYPE_CHECKING:
    import apsw

    from agentmemory.store.jobs import Job
    from agentmemory.store.rows import Database

KIND = "consolidate"
KEEPS = 0.8  # share of the extract's named things that a rewrite must keep
HOLDS = 0.25  # share of the extract's telling words that a rewrite must keep
SAID = 0.5  # share of the telling words of each of its sentences that must have been said
LEAST = 20  # characters
MOST_GIVEN = 6_000  # characters of the turns that the model is shown
TASK = (
    "Summarise these passages of a developer's sessions in at most three sentences. Keep every name, number, path and"
    " command as it is written. State facts only; do not address anybody.\n\n"
)

#: a prompt in, the model's answer out; it raises when the model cannot be asked
Write = Callable[[str], str]


class UnfitReply(Exception):
    """The model's answer is no summary of what it was given."""


def ask(db: apsw.Connection, new: Sequence[int], now: float) -> int:
    """Queue a rewrite of each new summary, where a model is configured; returns how many."""
    if not models.configured(os.path.dirname(db.filename)):
        return 0
    for belief in new:
        jobs.add(db, KIND, now, ref=belief)
    return len(new)


def reword(db: apsw.Connection, job: Job, now: float) -> None:
    """Do one such job with the configured model. Raises to be tried again."""
    apply(db, job, now, models.asker(os.path.dirname(db.filename)))


def apply(db: apsw.Connection, job: Job, now: float, write: Write) -> int | None:
    """Rewrite the summary that the job names; the new belief's id, None when the summary is gone.

    Raises:
        UnfitReply: the answer lost what matters; nothing was changed.
    """
    old = beliefs.get(db, int(job.ref or 0))
    if old.state != "active" or old.kind != "summary":
        return None
    turns = summaries.turns_of(db, old.id)
    said = "\n".join(turn.text for turn in nights.by_id(db, turns[:200]))[:MOST_GIVEN]
    text = " ".join(write(TASK + said).split())
    _check(text, old.text, said)
    with writer.transaction(db):
        changes.begin(db, "model")
        if beliefs.get(db, old.id).state != "active":
            return None
        return _replace(db, old.id, text, turns, now)


def _check(text: str, extract: str, said: str) -> None:
    named = extracts.entities(extract)
    kept = named & extracts.entities(text) if named else named
    if len(text) < LEAST or len(text) > max(len(extract), extracts.LEAST):
        raise UnfitReply("the rewrite is empty or longer than the extract")
    if named and len(kept) < KEEPS * len(named):
        raise UnfitReply("the rewrite lost names that the extract holds")
    if extracts.entities(text) - extracts.entities(said):
        raise UnfitReply("the rewrite names what was not said")
    words, known = set(stems(extract)), {*stems(said), *stems(extract)}
    if len(words & set(stems(text))) < HOLDS * len(words):
        raise UnfitReply("the rewrite holds little of what the extract says")
    for sentence in map(stems, extracts.SENTENCE.findall(text)):
        if sum(stem in known for stem in sentence) < SAID * len(sentence):
            raise UnfitReply("a sentence of the rewrite was not said")


def _replace(db: Database, old: int, text: str, turns: Sequence[int], now: float) -> int | None:
    before = beliefs.get(db, old)
    keywords = summaries.keywords(db, old)
    below = summaries.children(db, old)
    candidate = Candidate(
        "summary", text, "agent", before.scope, before.valid_from, keywords=keywords, level=before.level,
        supersedes=(old,),
    )  # fmt: skip
    match revise(db, candidate, now):
        case Added(id) | Superseded(id, _):
            summaries.index(db, id, before.scope, keywords.split())
            if below:
                for child in below:
                    beliefs.link(db, "summarizes", id, child, now)
            else:
                summaries.stand_for(db, id, turns)
            for other in summaries.same_topic(db, old):
                beliefs.link(db, "relates", other, id, now, detail="topic")
            above = summaries.parent(db, old)
            if above is not None:
                beliefs.link(db, "summarizes", above, id, now)
            return id
    return None
