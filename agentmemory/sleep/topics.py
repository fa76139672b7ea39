"""Turns of one topic get a summary belief that stands for exactly them; topics that return rise a level.

New turns are clustered together with the latest ones that belong to nothing yet, so a night costs what it brought.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from agentmemory import paths
from agentmemory.learn.likeness import cosine, idf
from agentmemory.learn.revise import revise
from agentmemory.sleep import clusters, extracts
from agentmemory.store import beliefs, nights, summaries
from agentmemory.text import content
from agentmemory.values import Added, Candidate, Superseded

if TYPE_CHECKING:
    from agentmemory.sleep.places import Places
    from agentmemory.store.nights import Turn
    from agentmemory.store.rows import Database

POOL = 160  # earlier turns of no topic that are looked at again
BACK = 2_000  # ids back in which they are looked for
LEAST_STEMS = 3  # words of a turn that can tell its topic
LONGEST_STEMS = 120  # words of a turn that are looked at; what follows is detail or paste
LONGEST = 4_000  # characters of a turn in which these are looked for
#: cosine of the keywords of two summaries of one topic, each weighed by its rarity and its place among them (a trial,
#: experiments/LOG.md of 2026-11-28: nearly all pairs of one topic in other sentences have it, none of two topics)
SAME_TOPIC = 0.25
#: turns that a young store is taken to hold beside its own: where all talk is of one topic its words would look common
YOUNG = 500
ALIKE = 12  # summaries a new one is compared with
RISES_AT = 3  # sessions of a topic at which it is no chance: level 2; its square: level 3
MAX_LEVEL = 3
MOST_FAMILY = 24  # summaries of one topic that are gathered for a higher one
REWRITTEN_AT = frozenset(RISES_AT * 2**n for n in range(1, 20))  # summaries below it


def consolidate(db: Database, scope: int, new: Sequence[Turn], mark: int, now: float, places: Places) -> list[int]:
    """Summaries for the topics among *new* turns of a scope and the loose ones before; the caller owns the transaction.

    *places*: where they stand in a configured embedding; without it the store's own words tell them apart.

    Returns the ids of the beliefs that were added.
    """
    turns = [t for t in (*nights.loose(db, scope, mark, BACK, POOL), *new) if len(t.terms.split()) >= LEAST_STEMS]
    # in every language without its words of structure: what "der" and "les" hold together is no topic
    texts = [content(t.text[:LONGEST])[:LONGEST_STEMS] for t in turns]
    total = nights.last(db)
    df = nights.frequencies(db, sorted({stem for text in texts for stem in text}))
    vectors = places.of(turns)
    labels = clusters.topics_placed(vectors, places.eps) if vectors else clusters.topics(texts, df, total)
    rarity = {stem: idf(n, total) for stem, n in df.items()}
    out: list[int] = []
    for label in range(max(labels, default=-1) + 1):
        members = [turn for turn, mine in zip(turns, labels) if mine == label]
        out += _summarise(db, scope, members, rarity, now)
    return out


def level_for(sessions: int) -> int:
    """The level of a topic that came up in so many sessions."""
    level = 1
    while level < MAX_LEVEL and sessions >= RISES_AT**level:
        level += 1
    return level


def _summarise(db: Database, scope: int, members: Sequence[Turn], rarity: dict[str, float], now: float) -> list[int]:
    said = [turn.text for turn in members]
    found = extracts.summarise(_lasting(db, members), rarity, said, lambda stems: nights.believed(db, stems))
    sessions = {turn.session for turn in members}
    if not found.sentences:
        days = sorted({paths.date(turn.at) for turn in members})
        when = " to ".join(dict.fromkeys((days[0], days[-1])))
        found = replace(found, title=f"{found.title} ({len(members)} turns, {when})")
    belief = _write(db, scope, found, level_for(len(sessions)), max(turn.at for turn in members), now)
    if belief is None:
        return []
    summaries.stand_for(db, belief, [turn.id for turn in members])
    for other in _same_topic(db, scope, belief, found.keywords):
        # from the older to the newer: notes are linked the other way round, and an edge has one meaning
        beliefs.link(db, "relates", other, belief, now, detail="topic")
    return [belief, *_rise(db, scope, belief, now)]


def _lasting(db: Database, members: Sequence[Turn]) -> list[str]:
    """What a summary may quote: of a session that the learner has read only what it believes, else all.

    A one-off order, a question or a paste would otherwise come back as something that is believed.
    """
    read = {session for session in {turn.session for turn in members} if nights.was_read(db, session)}
    spans = nights.spans(db, [turn.id for turn in members if turn.session in read])
    out = []
    for turn in members:
        if turn.session in read:
            out += [turn.text[start:stop] for start, stop in spans.get(turn.id, ())]
        else:
            out.append(turn.text)
    return out


def _write(
    db: Database, scope: int, found: extracts.Extract, level: int, at: float, now: float, old: tuple[int, ...] = ()
) -> int | None:
    """The belief of an extract, None when it says nothing."""
    done = revise(
        db,
        Candidate(
            "summary", found.text, "agent", scope, at, keywords=" ".join(found.keywords), level=level, supersedes=old,
        ),
        now,
    )  # fmt: skip
    if not isinstance(done, Added | Superseded):
        return None
    summaries.index(db, done.id, scope, found.keywords)
    return done.id


def _same_topic(db: Database, scope: int, belief: int, keywords: Sequence[str]) -> list[int]:
    near = [(id, theirs.split()) for id, theirs, _ in summaries.alike(db, scope, keywords, ALIKE) if id != belief]
    total = nights.last(db) + YOUNG
    df = nights.frequencies(db, sorted({stem for _, theirs in near for stem in theirs} | set(keywords)))

    def weighed(stems: Sequence[str]) -> dict[str, float]:
        return {stem: idf(df.get(stem, 0), total) / math.sqrt(place) for place, stem in enumerate(stems, 1)}

    mine = weighed(keywords)
    return [id for id, theirs in near if cosine(mine, weighed(theirs)) >= SAME_TOPIC]


def _rise(db: Database, scope: int, belief: int, now: float) -> list[int]:
    """The topic came up in enough sessions: a summary of its summaries, one level up."""
    above = next((p for p in (summaries.parent(db, b) for b in summaries.same_topic(db, belief)) if p), None)
    if above is None:
        family = sorted(_family(db, belief))
        if beliefs.get(db, belief).level >= level_for(_sessions(db, family)):
            return []
        return _write_higher(db, scope, family, (), now)
    beliefs.link(db, "summarizes", above, belief, now)
    family = summaries.children(db, above)
    # its words stay until the topic has doubled
    return _write_higher(db, scope, family, (above,), now) if len(family) in REWRITTEN_AT else []


def _write_higher(db: Database, scope: int, family: Sequence[int], old: tuple[int, ...], now: float) -> list[int]:
    rows = [beliefs.get(db, child) for child in family]
    sessions = _sessions(db, family)
    parts = [row.text.partition(": ") for row in rows]
    # where a summary is no more than a title, that is no sentence to quote
    found = extracts.summarise([said for _, _, said in parts if said], {}, [said or title for title, _, said in parts])
    found = replace(found, title=f"{found.title} (in {sessions} sessions)")
    higher = _write(db, scope, found, max(2, level_for(sessions)), max(row.valid_from for row in rows), now, old)
    if higher is None or higher in family:
        return []
    for child in family:
        beliefs.link(db, "summarizes", higher, child, now)
    return [higher]


def _sessions(db: Database, family: Sequence[int]) -> int:
    """In how many sessions a topic came up."""
    return len(set[int]().union(*(summaries.sessions_of(db, b) for b in family)))


def _family(db: Database, belief: int) -> list[int]:
    """The live summaries of turns that topic edges lead to from this one, itself first."""
    found, at = [belief], 0
    while at < len(found) < MOST_FAMILY:
        found += [b for b in summaries.same_topic(db, found[at]) if b not in found and _is_base(db, b)]
        at += 1
    return found


def _is_base(db: Database, belief: int) -> bool:
    return beliefs.get(db, belief).state == "active" and bool(summaries.sessions_of(db, belief))
