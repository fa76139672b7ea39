"""What in a user's turn is meant to last: sentences are rated by their marks, joined with what explains them.

Rules and weights, no model. Says what a belief could be; `revise` decides what becomes of it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial

from agentmemory.learn import (
    answered,
    cues,
    for_now,
    lasting,
    lists,
    neighbours,
    others,
    pieces,
    settled,
    topics,
    withdrawn,
)
from agentmemory.learn.conditional import standing
from agentmemory.learn.cues import SHAPES
from agentmemory.learn.groups import BESIDE, PLAINLY, SETTLED, fits, grouped, length, points, runs, valued
from agentmemory.learn.kept import FIRM, put_right
from agentmemory.learn.lines import (
    ASSENTED,
    AT_WORK,
    BRIEFLY,
    IN_TALK,
    NOTED,
    PROMISED,
    Lines,
    chosen,
    scale,
    settle,
    tell,
)
from agentmemory.learn.passages import is_document, item, pasted, sentences, typed, without_edits
from agentmemory.learn.rated import COLOURS, ENOUGH, INSISTS, SURE, VETOES, Rated, Reading, asks, lays_down
from agentmemory.learn.rating import rate
from agentmemory.learn.register import STRANGERS, Talk
from agentmemory.learn.routines import named as named_so
from agentmemory.learn.sequels import may_go_on
from agentmemory.learn.spelled import meant, scaled, spelled, taken
from agentmemory.learn.stated import stated
from agentmemory.learn.used import turned_away
from agentmemory.recall import talk as around
from agentmemory.values import Candidate, Utterance

ALMOST = ENOUGH - 0.1  # sum of marks of a sentence that is not kept by itself
TELLS = 1.6  # sum of marks from which one that is not judged so may
WEAK = 0.4  # sum of marks from which a sentence says something
A_VALUE = 2  # words of what only says to how much what stands before it comes
LONGEST_PIECE = 600  # characters of a piece of a routine
LONGEST_MESSAGE = 200_000  # characters, with what is pasted, that are read
LONG_TURN = 1_200  # characters from which a message is a brief rather than talk
BRIEF_PENALTY = 1.2  # what a sentence of a brief has to have more
CORRECTS = 1.2  # worth of contradicting what the assistant just did
ANSWERS = 1.0  # worth of answering what the assistant just asked
UNASKED = 0.2  # worth of a plain statement that comes first, or after one's own words
WISHED = frozenset(("note", "prefer"))  # marks of a sentence that asks to be remembered, or says what one likes
PLAIN = FIRM | SETTLED | WISHED | {"complaint"}  # and of one that says plainly that it lasts
COLOURED = COLOURS | {"quoted", "elsewhere", "dismissed", "tried", "retraction"}  # nothing of such a sentence may be so
DOUBTED = COLOURED - {"tried", "retraction"}  # and this lasts only if it is likelier than not
CERTAINLY = 0.5


def candidates(
    said: Utterance, before: Sequence[tuple[str, str]] = (), tentative: bool = False, reply: str = "",
    talk: Talk = STRANGERS,
) -> list[Candidate]:  # fmt: skip
    """What the words of one user turn suggest, in the order they were said.

    *before*: the turns (role, text) that went before in the session, the nearest last. *tentative*: also the plain
    statements that count only where they speak of what is known. *reply*: what the assistant answered. *talk*: what
    the user's talk is (see register). The candidates name no scope and no turn; who knows them fills them in.
    """
    if said.asked and "\n" in said.text:
        return _of_each(said, before, tentative, reply, talk)
    found = read(said, before)
    if found is None:
        return []
    for_now.leave(found, said.text, reply)
    others.leave(found, reply)
    rated, works = found.rated, talk.works
    groups, heard = (_at_work if works else _in_talk)(found, said.text, before, reply, talk)
    if (told := topics.previous(before)) and not said.asked and settled.answers(found.typed, told):
        full = taken(found.typed, told, without_edits(reply))
        for r in rated:
            r.spelled = r.spelled or full
    groups, out = withdrawn.without(found, groups, said, before, reply)
    groups = [group for group in groups if not all(_talk(rated[i]) for i in group)]
    weak = _tentative(rated, groups, found.groups) if tentative else []
    _join_values(rated, groups, weak)
    state = partial(stated, rated=rated, said=said, before=before, reply=reply, corrects=found.corrects)
    kept = [state(group) for group in groups]
    if not tentative:
        return out + kept
    steps = {i for group, c in zip(groups, kept) if c.kind == "procedure" for i in group}
    for group in weak:
        c, may = state(group), not heard.isdisjoint(group)
        changes = works and may and c.updates and group in found.groups
        kept.append(replace(c, tentative=not changes, heard=may))
    singly = [*groups, *weak]
    if not works and pieces.noted(reply):
        kept = [_opening(c) if pieces.opens(c.text) else c for c in kept]
    how = "" if works else pieces.told(said.text.strip(), reply)
    if how:
        whole = [i for i, r in enumerate(rated) if not (r.out or r.idle)]
        if whole and whole == [*range(whole[0], whole[-1] + 1)]:
            out.append(replace(state(whole), sequel=how))
    # what is done one after the other at work is no routine yet
    going_on = [] if works else [run for run in runs(rated, said.text, stepping=True) if _holds(rated, run)]
    out += [
        replace(state(run), sequel="only")
        for run in going_on if run not in singly and not steps & set(run) and may_go_on(_text(rated, run, said.text))
    ]  # fmt: skip
    return out + [
        replace(c, sequel="too") if group in going_on or c.kind == "procedure" else c for group, c in zip(singly, kept)
    ]


def _of_each(
    said: Utterance, before: Sequence[tuple[str, str]], tentative: bool, reply: str, talk: Talk
) -> list[Candidate]:  # fmt: skip
    """The same of several questions and their answers: each line is judged as if it were all."""
    out, at = [], 0
    for line in said.text.splitlines(keepends=True):
        found = candidates(replace(said, text=line.rstrip("\n")), before, tentative, reply, talk)
        out += [replace(c, start=at + c.start, end=at + c.end) for c in found]
        at += len(line)
    return out


def _opening(c: Candidate) -> Candidate:
    """What opens a routine that is told piece by piece is held by the routine's name."""
    return replace(c, tentative=False, heard=False, context=" ".join(named_so(c.text)) or c.context)


def _in_talk(
    found: Reading, text: str, before: Sequence[tuple[str, str]], reply: str, talk: Talk
) -> tuple[list[list[int]], set[int]]:
    """The statements of a turn of talk that tells, and the sentences of it that may last all the same."""
    rated, groups = found.rated, found.groups
    if len(found.typed) > LONG_TURN:
        return groups, set()
    heard = {i for i, r in enumerate(rated) if r.score >= TELLS and not r.out}
    alone = len(rated) == 1 or found.listed
    if topics.answers(before) and (alone or not reply):
        groups = put_right(found, text, before[-1][1])
    whole, short = reply, settled.short(found.typed, reply)
    reply = without_edits(reply) if short else reply  # few words lead to edits whether they last or not
    noted = answered.only_notes(reply)
    if not reply or (alone and groups and noted):  # what is a whole turn may be a rule of life
        return groups, heard
    if answered.promises(reply):
        lines = PROMISED
    elif answered.told(reply) > answered.TELLS:
        lines = IN_TALK
    else:
        lines = NOTED if noted or answered.undone(reply) else BRIEFLY
    if short and settled.proposes(topics.previous(before)):
        lines = lines._replace(stands=max(lines.stands, ASSENTED))
    for r in rated:
        r.spelled = "" if r.out and r.idle else spelled(r.said.text, reply)  # what was left out stays so
        r.settles = bool(r.spelled)
        r.idle = r.idle and not r.settles
    if len(rated) == 1 and noted and _tells(rated[0]):
        reply = answered.as_a_note(reply)
    likely = lasting.likelihoods(found, text, before, reply, talk)
    likely = [lists.likely(r, each, reply) for r, each in zip(rated, likely, strict=True)]
    if answered.leaves_it(whole):
        likely = [min(each, lines.heard) for each in likely]
    likely = [max(each, lines.stands) if lays_down(r) else each for r, each in zip(rated, likely, strict=True)]
    if short:
        settle(rated, likely, lines, "" if found.asked else meant(text, topics.previous(before), reply))
        likely = scale(rated, likely, lines, scaled(found.typed, reply))
    likely = _meant(found, likely, lines)
    heard = {i for i in heard if "update" in rated[i].marks}
    heard |= {i for i, r in enumerate(rated) if likely[i] >= lines.heard or (r.marks & WISHED and not r.out)}
    heard |= {i for group in [*groups, *found.groups] for i in group}
    if answered.sort_of(reply)["reply notes"] and (ordered := {i for i, r in enumerate(rated) if standing(r)}):
        heard |= ordered
        least = lines.stands if answered.will_do(reply) else 0.0
        likely = [max(each, least) if i in ordered else each for i, each in enumerate(likely)]
    return _judged(found, text, likely, lines, lasting.taken_up(whole)), heard


def _meant(found: Reading, likely: list[float], lines: Lines) -> list[float]:
    """The likelihoods of sentences, raised by what a turn answers, or turns away, as the client's transcript tells."""
    if found.away:
        firm = [not (r.out or r.order or asks(r.said.text)) for r in found.rated]
        return [max(each, lines.stands) if stands else each for stands, each in zip(firm, likely, strict=True)]
    return chosen(found.rated, likely, lines) if found.asked else likely


def _tells(r: Rated) -> bool:
    """Whether a sentence says how something is, and neither that it is wrong so, nor what is to be done about it."""
    says = bool(lasting.STATES.search(r.plain) or valued(r)) and SHAPES["faulty"].search(r.plain) is None
    says = says and not any(SHAPES["order"].match(cues.start(each)) for each in r.plain.split(", ")[1:])
    return says and not (r.out or r.order or r.idle or asks(r.said.text)) and r.marks.isdisjoint(cues.PASSING)


def _at_work(
    found: Reading, text: str, before: Sequence[tuple[str, str]], reply: str, talk: Talk
) -> tuple[list[list[int]], set[int]]:
    """The same of talk at work: the fit alone decides, but for what begins as a rule does, and lists that last."""
    if found.listed:
        return found.groups, set()
    likely = lasting.likelihoods(found, text, before, reply, talk)
    likely = [
        AT_WORK.stands if lays_down(r) else lists.likely(r, each) for r, each in zip(found.rated, likely, strict=True)
    ]
    lines = PROMISED if answered.promises(reply) else AT_WORK
    likely = _meant(found, likely, lines)
    said = topics.previous(before)
    if not found.asked and settled.short(found.typed, reply):
        full = meant(text, said, without_edits(reply))
        if settled.proposes(said):
            settle(found.rated, likely, lines, full)
        else:
            tell(found.rated, full)
    heard = {i for i, each in enumerate(likely) if each >= lines.heard}
    return _judged(found, text, likely, lines), heard


def _judged(
    found: Reading, text: str, likelihoods: list[float], lines: Lines, taken_up: bool = False
) -> list[list[int]]:
    """The statements of a turn by how likely each of its sentences is meant to last; what says plainly that it does
    and was *taken_up* by the assistant is."""
    for r, likely in zip(found.rated, likelihoods, strict=True):
        plain = not r.out and (r.score >= INSISTS or (r.score >= SURE and r.marks & PLAIN))
        least = lines.plainly if plain else max(lines.stands, CERTAINLY * bool(r.marks & DOUBTED))
        if (plain and taken_up) or likely >= least:
            r.out, r.order, r.score = False, False, max(r.score, ENOUGH)
        elif likely >= lines.beside:
            r.out, r.order, r.score = False, False, min(max(r.score, BESIDE), ALMOST)
        else:
            r.score = min(r.score, ALMOST)
    return grouped(found.rated, text)


def _talk(r: Rated) -> bool:
    """Whether a sentence says nothing that is not said around any request: "Thank you!", "fingers crossed"."""
    plain = r.settles or r.named or r.marks & PLAIN or lays_down(r)
    return not plain and around.only(r.said.text)


def _text(rated: list[Rated], run: list[int], text: str) -> str:
    """A run of sentences as it stands in its turn, on one line."""
    return " ".join(text[rated[run[0]].said.start : rated[run[-1]].said.end].split())


def _holds(rated: list[Rated], run: list[int]) -> bool:
    """Whether a run of talk may be held as a piece of a routine: it says neither too little nor too much."""
    return sum(length(rated[i]) for i in run) >= PLAINLY and fits(rated, run[0], run[-1], LONGEST_PIECE)


def _tentative(rated: list[Rated], groups: list[list[int]], ruled: list[list[int]]) -> list[list[int]]:
    """Plain statements that are not kept by themselves; they count where they speak of what is known already. What the
    rules take for one statement (*ruled*) is one."""
    taken = {i for group in groups for i in group}
    plain = [
        i for i, r in enumerate(rated)
        if i not in taken and not (r.idle or asks(r.said.text) or _talk(r))
        and not r.marks & COLOURED and (length(r) >= PLAINLY or r.settles)
    ]  # fmt: skip
    joined = [group for group in ruled if len(group) > 1 and set(group) <= set(plain)]
    alone = [[i] for i in plain if not any(i in group for group in joined)]
    return sorted(joined + alone)


def _join_values(rated: list[Rated], groups: list[list[int]], weak: list[list[int]]) -> None:
    """Let what is only a value be a part of the statement right before it, not one of its own."""
    ends = {group[-1]: group for group in (*weak, *groups)}
    for i, r in enumerate(rated):
        before = ends.get(i - 1)
        if before is None or length(r) > A_VALUE or not valued(r) or asks(r.said.text) or [i] in groups:
            continue
        if [i] in weak:
            weak.remove([i])
        if ends.get(i) in (None, [i]):
            before.append(i)
            ends[i] = before


def read(said: Utterance, before: Sequence[tuple[str, str]] = ()) -> Reading | None:
    """The sentences of a user's turn as their marks rate them; none where nothing of it was said by the user."""
    if said.role != "user" or len(said.text) > LONGEST_MESSAGE:
        return None
    spans = tuple(pasted(said.text, topics.answers(before)))
    if is_document(wrote := typed(said.text, spans)):
        return None
    rated = [rate(s) for s in neighbours.with_what_holds(sentences(said.text, spans), said.text)]
    if not rated:
        return None
    for r in rated:
        r.idle = r.idle and not item(r.said, said.text)
    corrects = _weigh_by_place(rated, before, wrote, said.refuses)
    listed = lists.weigh(rated, said.text)
    back = withdrawn.first(rated, spans)
    away = turned_away(wrote, said.used)
    return Reading(rated, grouped(rated, said.text), back, corrects or away, wrote, listed, said.asked, away)


def _weigh_by_place(rated: list[Rated], before: Sequence[tuple[str, str]], wrote: str, refuses: bool) -> bool:
    """Adjust scores by what stands around a sentence; returns whether the turn corrects the assistant, as who *refuses*
    a tool's call and says why does."""
    answering = topics.answers(before)
    corrects = refuses or (
        answering
        and (
            any(SHAPES["contradicts"].match(r.plain) or SHAPES["mildly"].search(r.plain) for r in rated[:3])
            or neighbours.asks_back(rated)
        )
    )
    asked = answering and topics.asked(before[-1][1])
    neighbours.colour(rated)
    tells = not answering and not any(r.out or r.order or r.idle or r.marks & set(cues.PASSING) for r in rated)
    for i in range(1, len(rated)):
        neighbours.lend(rated[i - 1], rated[i], not points(rated[i - 1]))
    neighbours.consent(rated)
    neighbours.reject(rated)
    complains = any("complaint" in r.marks for r in rated)
    for i, r in enumerate(rated):
        if (corrects or complains) and i < 5:
            r.score += CORRECTS
            if SHAPES["rhetorical"].match(r.plain) and not r.marks & VETOES:
                r.out = False
                r.score = min(r.score, ALMOST)
        elif asked and i == 0 and "reported" in r.marks and not r.marks & (VETOES | {"dismissed", "question"}):
            r.out, r.score = False, r.score + ANSWERS  # "the supervisor asks us to": the reason that was asked for
        elif asked and i < 2 and not r.order and not r.marks & set(cues.PASSING) and not (i and points(r)):
            r.score += ANSWERS
        elif tells and r.score >= WEAK:
            r.score += UNASKED
        if len(wrote) > LONG_TURN:
            r.score -= BRIEF_PENALTY
        if "dismissed" in r.marks:
            neighbours.dismiss(rated, i)
    return corrects
