"""The one place where beliefs change: a candidate comes in, what became of it goes out.

Hooks, tools, commands, imports and sleep all call `revise`; nobody else adds, supersedes or retracts.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from agentmemory.learn import (
    briefs,
    cues,
    entities,
    evolution,
    links,
    match,
    notes,
    parts,
    proposals,
    retired,
    righted,
    steps,
    takebacks,
    thesaurus,
    vocabulary,
)
from agentmemory.learn.redact import redact
from agentmemory.recall.render import visible
from agentmemory.records import IN_PART
from agentmemory.store import beliefs, changes, jobs, lineage, wordings
from agentmemory.store.proposals import declined, summed_up
from agentmemory.store.scopes import USER
from agentmemory.values import Added, Candidate, Ignored, Outcome, Reinforced, Retracted, Superseded

if TYPE_CHECKING:
    from agentmemory.records import Row
    from agentmemory.store.lineage import Known
    from agentmemory.store.rows import Database

RESTATED = 1.0  # weight of being said again by the user, in pseudo-counts; who has read it here proves nothing by it
DOUBTED = 0.39  # likelihood that another's note changes what the user said: "also" on one line (recall.later.LIKELY)
MAX_TEXT = 2_000  # characters; longer is a document, not a belief


def revise(db: Database, c: Candidate, now: float) -> Outcome:
    """Add, reinforce, supersede, retract or ignore; the caller owns the transaction.

    *now* is when we learn it (`created`); the candidate's `at` is since when it is true.
    """
    if c.provenance == "user":
        return _revise(db, c, now)
    with changes.speaking(db, c.provenance):
        return _revise(db, c, now)


def retract(db: Database, belief: int, now: float, speaker: str = "agent") -> Outcome:
    """Take back what *speaker* had read out of something and reads there no longer."""
    row = beliefs.get(db, belief)
    return revise(db, Candidate(row.kind, row.text, speaker, row.scope, now, retracts=True, supersedes=(belief,)), now)


def _revise(db: Database, c: Candidate, now: float) -> Outcome:
    text = redact(" ".join(redact(c.text).split()))  # some secrets are told by the lines that they stand on
    if not visible(text).strip():
        return Ignored("it says nothing")
    if len(text) > MAX_TEXT:
        return Ignored("it is too long to be one belief")
    at = c.at or now
    if c.retracts or takebacks.dropped(db, c, text):
        return _retract(db, replace(c, retracts=True), text, at)
    same = match.same(db, c.scope, text, c.context) if c.kind not in beliefs.UNINDEXED else None
    known = beliefs.get(db, same) if same is not None and same not in c.supersedes else None
    if known is not None and not _only_others_said(c, known):
        return _stand_for(db, c, known.id, _reinforce(db, c, text, known, now), at)
    if c.proposal and declined(db, c.scope, text):
        return Ignored("the user has declined it")
    if c.proposal and c.kind in beliefs.UNINDEXED and (summary := summed_up(db, c.scope, text)) is not None:
        return Reinforced(summary)
    found = _among(db, c, text)
    if isinstance(found, Ignored):
        return found
    c, before, judged = found
    old = _theirs(db, c, judged.replaced)
    doubted = () if c.provenance == "user" else _users_own(db, judged.replaced, old)
    since = _said_since(db, c, old, at)
    old = tuple(each for each in old if each not in since)
    if known is not None and known.id not in old:
        old = (*old, known.id)
    new = _hold(db, c, text, old, before, now)
    for detail, spoken in ((lineage.LATER, judged.again), (lineage.AT_ONCE, judged.at_once)):
        for each, likely in spoken.items():
            beliefs.link(db, "relates", new, each, at, likely, detail=detail)
    for each in doubted:
        beliefs.link(db, "relates", new, each, at, DOUBTED, detail=lineage.LATER)
    if c.proposal:
        old = proposals.waiting(db, new, old, at)
    for each in old:
        if c.supersedes:
            _give_way(db, c, each, new, at)
            continue
        was = beliefs.get(db, each).text
        rest = parts.beside(was, text)
        _give_way(db, c, each, new, at, IN_PART if not rest and parts.says_more(was, text) else "")
        _keep(db, each, rest, now)
    if since:
        head = max(since, key=lambda each: (since[each], each))
        beliefs.supersede(db, new, head, since[head])
        return Superseded(head, (new, *old))
    return Superseded(new, tuple(old)) if old else Added(new)


def _said_since(db: Database, c: Candidate, old: Sequence[int], at: float) -> dict[int, float]:
    """Of what a turn would replace, what was said after it, and when: an old transcript tells how things were."""
    if c.turn is None or c.supersedes or c.proposal:
        return {}
    return {each: when for each, when in lineage.last_said(db, old).items() if when > at}


def _give_way(db: Database, c: Candidate, old: int, new: int, at: float, how: str = "") -> None:
    beliefs.supersede(db, old, new, at, how)
    beliefs.witness(db, old, "corrected", -RESTATED, at, c.turn, c.start, c.end)


def _stand_for(db: Database, c: Candidate, known: int, done: Outcome, at: float) -> Outcome:
    """What a candidate says by id to replace gives way to what is *known* already, where it says just that."""
    before = done.old if isinstance(done, Superseded) else ()
    old = () if c.proposal else tuple(each for each in _theirs(db, c, c.supersedes) if each not in before)
    for each in old:
        _give_way(db, c, each, known, at)
    return Superseded(known, (*before, *old)) if old else done


def _hold(db: Database, c: Candidate, text: str, old: Sequence[int], before: Known | None, now: float) -> int:
    """Add a belief with all that it is found by; *old*: what it replaces, *before*: the piece that it goes on with."""
    at = c.at or now
    state = "proposed" if c.proposal else "heard" if c.heard else "active"
    given = redact(c.keywords), redact(c.context or _puts_right(db, old, text)), redact(c.tags)
    keywords, context, tags = notes.complete(text, *given)
    triggers = redact(c.triggers) or vocabulary.calls(text, c.kind)
    thesaurus.refresh(db)
    new = beliefs.add(
        db,
        beliefs.New(
            scope=c.scope, kind=c.kind, text=text, provenance=c.provenance, valid_from=at, created=now,
            level=c.level, keywords=keywords, context=context, tags=tags,
            triggers=triggers, expansions=vocabulary.expansions(text, given[1], c.triggers), state=state,
            locked=c.locked,
        ),
    )  # fmt: skip
    _say(db, new, "said", 0.0, c, at)
    short, rest = briefs.brief(text, c.context, c.answer)
    if short:
        wordings.put_brief(db, new, short, rest)
    _place(db, new, c.scope, c.kind, text, given, at, now)
    if c.kind == "procedure" and not c.proposal:
        steps.tie(db, new, text, before, at)
    return new


def _keep(db: Database, old: int, rest: str, now: float) -> None:
    """What is left of a statement of which only a part was replaced or taken back still holds, as it was said then."""
    if not rest:
        return
    was = beliefs.get(db, old)
    _, turn, told = lineage.said_at(db, [old]).get(old, (0, None, ""))
    c = Candidate(
        kind=was.kind, text=rest, provenance=was.provenance, scope=was.scope, at=was.valid_from, turn=turn,
        end=len(told), level=was.level, locked=bool(was.locked),
    )  # fmt: skip
    new = _hold(db, c, rest, (), None, now)
    if c.locked:
        from agentmemory.learn import enforcement  # most of what is learned locks nothing

        enforcement.enforce(db, new, now)


def _among(db: Database, c: Candidate, text: str) -> tuple[Candidate, Known | None, match.Judged] | Ignored:
    """How a text relates to what is known: the candidate (turned into a procedure if it is a step of a routine), the
    step before it, and which beliefs it replaces or speaks of again; or, as Ignored, why it is not held."""
    likely, before = steps.before(db, c, text)
    if before is None and c.sequel in steps.ONLY_A_PIECE:
        return Ignored("no routine goes on with it")
    judged = match.Judged(c.supersedes)
    if not (c.supersedes or c.proposal or c.kind in beliefs.DERIVED):
        judged = match.judged(db, c, text)
    if before is not None and c.kind != "procedure":
        doubtful = c.updates or likely < steps.CERTAINLY
        if judged.replaced and doubtful and likely < steps.SAYS_SO:  # rather that than a piece of a routine
            before = None
            if c.sequel in steps.ONLY_A_PIECE:
                return Ignored("no routine goes on with it")
        else:
            # a piece of a routine replaces pieces only; what else it may change still stands on one line with it
            c = replace(c, kind="procedure", tentative=False, heard=False)
            judged = match.Judged(c.supersedes or match.judged(db, c, text).replaced, judged.again)
    if judged.replaced or (judged.speaks_of_known and not c.at_work):
        # what lifts what holds everywhere holds everywhere
        everywhere = any(beliefs.get(db, each).scope == USER for each in judged.replaced if not c.supersedes)
        c = replace(c, heard=False, scope=USER if everywhere else c.scope)
    elif c.tentative and not c.heard:
        return Ignored("nothing known is spoken of")
    return c, before, judged


def hear(db: Database, found: Sequence[Candidate], now: float) -> list[Outcome]:
    """Revise by all that one turn suggests. What was held as a piece of a routine is not held again in parts, nor an
    order that has taken something back."""
    out: list[Outcome] = []
    held: list[tuple[int, int]] = []
    for c in found:
        if any(start <= c.start and c.end <= end for start, end in held) and not c.retracts:
            continue
        out.append(revise(db, c, now))
        whole = c.sequel in steps.ONLY_A_PIECE and isinstance(out[-1], Added | Superseded | Reinforced)
        if whole or (c.named and isinstance(out[-1], Retracted) and not retired.holds_now(c.text)):
            held.append((c.start, c.end))
    return out


def accept(db: Database, proposal: int, now: float) -> Outcome:
    """The user agrees with a proposal: from now on it is theirs, and what it was to replace gives way."""
    old = proposals.adopt(db, proposal, now)
    for each in old:
        beliefs.supersede(db, each, proposal, now)
        beliefs.witness(db, each, "corrected", -RESTATED, now)
    return Superseded(proposal, tuple(old)) if old else Added(proposal)


def _place(
    db: Database, new: int, scope: int, kind: str, text: str, given: tuple[str, ...], at: float, now: float
) -> None:
    """Put a new belief into the graph; what was missing of its cues a model may improve later."""
    if kind in beliefs.UNINDEXED:
        return
    entities.mention(db, scope, text, new, at)
    links.draw(db, new, at)
    jobs.add(db, "anchor", now, ref=scope)
    if not all(given):
        jobs.add(db, "annotate", now, ref=new, given=[cue for cue, words in zip(evolution.CUES, given) if words])


def _reinforce(db: Database, c: Candidate, text: str, known: Row, now: float) -> Outcome:
    """It is known, and was said again."""
    at, theirs = c.at or now, c.provenance == "user"
    plainly = theirs and not (c.tentative or c.proposal)
    if plainly and known.state == "heard":
        beliefs.set_state(db, known.id, "active", at)
    done = accept(db, known.id, now) if plainly and known.state == "proposed" else Reinforced(known.id)
    _say(db, known.id, "restated", RESTATED if theirs else 0.0, c, at)
    entities.mention(db, c.scope, text, known.id, at)
    jobs.add(db, "anchor", now, ref=c.scope)
    if c.locked:
        beliefs.set_locked(db, known.id, True, now)
    return done


def _retract(db: Database, c: Candidate, text: str, at: float) -> Outcome:
    old = _theirs(db, c, c.supersedes or match.judged(db, c, text).replaced)
    since = _said_since(db, c, old, at)
    old = tuple(each for each in old if each not in since)
    if not old:
        return Ignored("nothing known is taken back by it")
    plain = cues.plain(text)
    about = retired.taken_back(plain) or retired.dropped(plain)
    for each in old:
        beliefs.set_state(db, each, "retracted", at, ended=True)
        _say(db, each, "retracted", -RESTATED, c, at)
        rest = parts.without(beliefs.get(db, each).text, about) if about and not c.supersedes else ""
        _keep(db, each, rest, at)
        # where somebody lived before does not hold again, nor does what a list was of which a part is gone
        for older in lineage.reinstate(db, each, at) if c.kind != "trait" and not rest else ():
            beliefs.witness(db, older, "reinstated", 0.0, at, c.turn, c.start, c.end)
    return Retracted(tuple(old))


def _theirs(db: Database, c: Candidate, old: Sequence[int]) -> tuple[int, ...]:
    """Of what a candidate would replace, what its speaker may: rules and locks give way to the user alone, a rule that
    was only suggested also to a later suggestion of the same source; the user's own words to others only by their id,
    not for being like what these note."""
    if c.provenance == "user":
        return tuple(old)
    rows = [beliefs.get(db, each) for each in old]
    waits = c.provenance if c.proposal or c.retracts else None
    guessed = not (c.supersedes or c.proposal)
    return tuple(
        row.id for row in rows
        if row.provenance == waits
        or not (_binds(row) or (guessed and row.provenance == "user"))
    )  # fmt: skip


def _users_own(db: Database, replaced: Sequence[int], old: Sequence[int]) -> tuple[int, ...]:
    """What the user said, and others cannot replace though they seem to note otherwise; no rule or lock is doubted."""
    rows = [beliefs.get(db, each) for each in replaced if each not in old]
    return tuple(row.id for row in rows if not _binds(row))


def _binds(said: Candidate | Row) -> bool:
    """Whether it is a rule, or locked."""
    return bool(said.locked) or said.kind == "rule"


def _only_others_said(c: Candidate, known: Row) -> bool:
    """Whether the user now says plainly what so far only an agent or an import had said, so that it could not bind: it
    waits for consent, or is to be a rule or a lock. Then the user's words become a belief that replaces it."""
    return (_binds(c) or known.state == "proposed") and c.provenance == "user" != known.provenance and not c.tentative


def _puts_right(db: Database, old: Sequence[int], text: str) -> str:
    """What "no wait, it is 9443" speaks of: what it replaces."""
    return beliefs.get(db, old[0]).text if old and righted.puts_right(text) else ""


def _say(db: Database, belief: int, kind: str, weight: float, c: Candidate, at: float) -> None:
    beliefs.witness(db, belief, kind, weight, at, c.turn, c.start, c.end)
