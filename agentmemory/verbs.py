"""What the verbs of memory do and answer, as JSON values: the MCP tools and the command line's `--json` say the same.

Who speaks is the given Memory's business; what a caller may not do alone is decided before it comes here.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from agentmemory import paths
from agentmemory.recall.render import LEFT, clean
from agentmemory.store import backup, beliefs, changes, graphview, lineage, listing, traits, writer
from agentmemory.values import Added, Ignored, Outcome, Reinforced, Retracted, Superseded, counted

if TYPE_CHECKING:
    from agentmemory.memory import Memory

FOUND = 10  # hits of a search that does not say how many
FEW, BRIEF = 3, 200  # statements that a remembered one may change of which its answer tells, characters of each
CROWDED = " The locked rules are longer than what a client takes; the last ones are not shown."
Answer = dict[str, Any]


def search(memory: Memory, query: str, limit: int = FOUND, as_of: str = "", links: bool = False) -> list[Answer]:
    """What speaks to a query, best first; *as_of* is an ISO time, without an offset the user's own, or a day, at its
    end.

    Raises:
        ValueError: *as_of* is no time, or *limit* is below 1.
    """
    if limit < 1:
        raise ValueError(f"a limit of {limit} finds nothing; name 1 or more")
    at = paths.parse_until(as_of) if as_of else None
    return [hit.as_json() for hit in memory.search(query, limit, as_of=at, links=links)]


def nowhere(memory: Memory, query: str) -> str:
    """`"PCL-999" or "yarn_v2"`: what a query names and nothing stored holds; "" where all that it names is known."""
    return " or ".join(f'"{name}"' for name in memory.nowhere(query))


def remember(
    memory: Memory, text: str, kind: str = "fact", when: str = "", everywhere: bool = False, at: str = "",
    replaces: int | None = None,
) -> Answer:  # fmt: skip
    """Hold a statement; *at*: since when it is true; *replaces*: what it makes untrue. The answer names what else it
    may.

    Raises:
        ValueError: *at* is no time.
        UnknownBelief: *replaces* is none that stands here.
    """
    if replaces is not None and graphview.scope_of(memory.db, replaces) not in memory.scopes:
        raise beliefs.UnknownBelief(f"there is no belief {replaces} here")
    done = outcome(memory.remember(text, kind, when=when, everywhere=everywhere, at=at, replaces=replaces))
    if replaces is not None and replaces not in done.get("old", ()) and "id" in done:
        done["note"] += f" Belief {replaces} stays: a rule, or what is locked, gives way to the user alone."
    near = lineage.may_change(memory.db, done["id"], FEW) if "id" in done else []
    done["may_change"] = [{"id": id, "text": text[:BRIEF]} for id, text in near if id != replaces]
    if done["may_change"]:
        told = "; ".join(
            f'belief {each["id"]}, "{clean(each["text"].rstrip("."), BRIEF)}"' for each in done["may_change"]
        )
        done["note"] += f" It may change {told}. If that no longer holds, remember this again with replaces and its id."
    return done


def lock(memory: Memory, what: str | int, when: str = "", everywhere: bool = False) -> Answer:
    """Make a rule stand always, by the user's word: new words, or a belief by its id."""
    done = outcome(memory.lock(what, when=when, everywhere=everywhere))
    if "id" in done:
        from agentmemory.learn import enforcement  # searching does not need what compiles rules

        known = f"Belief {what}{_of(memory, done['id'])}" if done["id"] == what else f"{done['note']} It"
        crowded = CROWDED if LEFT.partition("{}")[2] in memory.recall("") else ""
        done["note"] = f"{known} is a locked rule from now on. {enforcement.told(memory.db, done['id'])}{crowded}"
    return done


def unlock(memory: Memory, belief: int) -> str:
    """Let a rule be an ordinary belief again, and say so. Raises UnknownBelief."""
    was = memory.belief(belief).locked
    memory.unlock(belief)
    return f"Belief {belief}{_of(memory, belief)} {'is no longer' if was else 'was not'} locked."


def correct(memory: Memory, what: str | int, text: str) -> Answer:
    """Replace a belief (by id, or by words only it holds); of a locked rule it says what is enforced from now on."""
    done = outcome(memory.correct(what, text))
    if "id" in done and _of(memory, done["id"]):
        done["note"] += f" Both are{_of(memory, done['id'])}."
    if "id" in done and memory.belief(done["id"]).locked:
        from agentmemory.learn import enforcement

        done["note"] += f" {enforcement.told(memory.db, done['id'])}"
    return done


def propose(memory: Memory, text: str, when: str = "", everywhere: bool = False) -> Answer:
    """Hold a rule back until the user agrees to it."""
    done = outcome(memory.propose(text, when=when, everywhere=everywhere))
    if "id" in done:
        from agentmemory.learn import enforcement

        ask = f"Not in force yet: only the user can lock it. Ask them to type /mem:lock {done['id']}"
        done["note"] = f"{ask} (or `agentmemory lock {done['id']}` in a terminal). {enforcement.foretold(text)}"
    return done


def feedback(memory: Memory, id: int, how: str, detail: str = "") -> Answer:
    """How a belief turned out, as evidence. Raises UnknownBelief."""
    held = memory.belief(id)
    memory.feedback(id, how, detail)
    was = how if how == "helped" else f"was {how}"
    return {"note": f"Noted as evidence: belief {id}{_of(memory, id)} {was}.", "id": id, "text": held.text}


def forget(memory: Memory, what: str | int, everywhere: bool = False) -> Answer:
    """Remove for good: a belief and the turns that said it by its id, or everything here that holds the words."""
    of = _of(memory, what) if isinstance(what, int) else ""
    gone = memory.forget(what, everywhere=everywhere)
    said = [
        f"Forgotten for good: {counted(len(gone['beliefs']), 'belief')} and {counted(len(gone['turns']), 'turn')}{of}."
    ]
    if not gone:
        none = f"there is no belief {what}" if isinstance(what, int) else "nothing holds these words"
        said = [f"Nothing to forget: {none}."]
    if gone.again:
        said.append(f"What was replaced holds again: {', '.join(map(str, gone.again))}.")
    if gone.cleaned:
        said.append(f"Only cues of {', '.join(map(str, gone.cleaned))} held the words: taken out, the beliefs stay.")
    if not gone.scrubbed:
        said.append(
            "The old bytes are still in the store's files while another process reads them: they go when it has ended "
            "and the store is used again (`agentmemory doctor` says when)."
        )
    if isinstance(what, str) and not everywhere and memory.holding(what, everywhere=True):
        said.append("Other projects hold these words too (`--everywhere`).")
    copies = backup.copies(memory.home) if gone else []
    if copies:
        said.append(f"Copies made before may still hold it, delete them yourself: {', '.join(copies)}")
    return {"note": " ".join(said), "forgotten": bool(gone), **gone}


def elsewhere(memory: Memory, belief: int) -> str:
    """The name of the other project that a belief stands in, "" for one that is seen from here, or for none."""
    scope = graphview.scope_of(memory.db, belief)
    return "" if scope in (None, *memory.scopes) else listing.named(memory.db, belief)[1]


def _of(memory: Memory, belief: int) -> str:
    """ " of another project (name)" for a belief that is not seen from here."""
    other = elsewhere(memory, belief)
    return f" of another project ({other})" if other else ""


def decide(memory: Memory, how: str, ids: Sequence[int]) -> None:
    """The user's decision on each: accept or reject a proposal, keep or drop what was learned. On all, or on none.

    Raises:
        UnknownBelief: one of them does not wait for it.
    """
    from agentmemory.learn import proposals, review

    one = {"accept": proposals.accept, "reject": proposals.reject, "keep": review.keep, "drop": review.drop}[how]
    with writer.transaction(memory.db):
        changes.begin(memory.db, how)
        for id in ids:
            one(memory.db, id, paths.now())


def undo(memory: Memory, batch: int | None = None) -> list[str]:
    """Take a batch back, the last one by default; a sentence for each change. Raises CannotUndo."""
    out = []
    for what, id in memory.undo(batch):
        scope, name, text = listing.named(memory.db, id)
        where = f" ({name})" if scope != memory.scope else ""
        out.append(f"Taken back: {what}, belief {id}{where}: {text}")
    return out


def profile(memory: Memory) -> list[Answer]:
    """What the user said of himself or herself, with the turn that said it, and how it changed."""
    out = []
    for id, tag, value, text, state, since, until, turn in traits.every(memory.db, memory.scopes):
        until_then = paths.iso(until) if until else None
        out.append({
            "id": id, "attribute": tag.partition(":")[2], "value": value, "text": text, "state": state,
            "since": paths.iso(since), "until": until_then, "turn": turn,
        })  # fmt: skip
    return out


def trail(memory: Memory, limit: int) -> list[Answer]:
    """The newest lines of the audit trail, each with what its belief says (None of another project's, or a forgotten
    one)."""
    lines = changes.recent(memory.db, limit)
    says = beliefs.texts(memory.db, [line["belief"] for line in lines if line["belief"]], memory.scopes)
    return [{**line, "text": says.get(line["belief"])} for line in lines]


def outcome(done: Outcome) -> Answer:
    """What a revision did: a sentence, and the ids."""
    return {"note": say(done), **asdict(done)}


def imported(done: list[Outcome]) -> str:
    """What became of the beliefs of an import, counted."""
    left = [each.why for each in done if isinstance(each, Ignored)]
    known = sum(isinstance(each, Reinforced) for each in done)
    new = len(done) - known - len(left)
    out = f"{counted(len(done), 'belief')} read: {new} waiting as proposals for your consent, {known} known already"
    return f"{out}, {len(left)} left out ({'; '.join(dict.fromkeys(left))})." if left else f"{out}."


def say(done: Outcome) -> str:
    """What a revision did, as a sentence."""
    match done:
        case Added(id):
            return f"Remembered as belief {id}."
        case Reinforced(id):
            return f"Known already as belief {id}; that it was said again is noted."
        case Superseded(id, old):
            return f"Belief {id} now stands in place of {', '.join(map(str, old))}."
        case Retracted(old):
            return f"Taken back: {', '.join(map(str, old))}."
        case Ignored(why):
            return f"Nothing changed: {why}."
