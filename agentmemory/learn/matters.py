"""What a sentence speaks of, by what stands before its verb: "the deadline for cancelling moves to 12 hours" does not
change "the reminder goes out 48 hours before", however alike their values are. Pure functions over texts."""

from __future__ import annotations

import re
from functools import lru_cache

from agentmemory.learn import cues, thesaurus, tongues
from agentmemory.learn.cues import SHAPES
from agentmemory.learn.likeness import bag
from agentmemory.learn.valued import numbers, values
from agentmemory.text import stem

SENTENCE = re.compile(r"[.!?;]+\s+")
CLAUSE = re.compile(
    r"[.!?;:]\s+|,\s+|\s[-–—]\s|\s(?:and|but|so|because|since|und|aber|weil|y|pero|porque|et|mais|car)\s"
)
THE = r"(?:the|our|my|an?|each|every|der|die|das|den|unser\w*|el|la|los|las|nuestr[oa]s?|les?|l|nos|notre)"
PRONOUN = frozenset(
    "i we you he she it they that this these those there its here what which who one ones wir ihr er sie es man das "
    "nosotros ellos eso esto on nous vous il elle ils ça now then also too "
    "its thats theyre theres whats whos im ive weve youve theyve youre hes shes "
    "nothing nobody none everything everybody everyone anything anybody something somebody".split()
)
OURS = frozenset("ours mine yours theirs hers".split())
BACK = OURS.union("it its they theyre that thats this these those one ones es eso esto ça".split())
VERB = re.compile(
    r"\b(?:is|are|was|were|isnt|arent|has|have|had|get|gets|got|go|goes|went|moves?|moved|shifts?|changes?|changed|costs?|"
    r"lasts?|expires?|runs?|ran|starts?|begins?|ends?|opens?|closes?|retries|grows?|grew|rises?|rose|falls?|fell|drops?|"
    r"may|can|must|will|should|needs?|takes?|listens?|lives?|sits?|keeps?|kept|stays?|uses?|sends?|works?|charges?|pays?|"
    r"expects?|comes?|came|allows?|holds?|fires?|waits?|stops?|"
    r"ist|sind|war|waren|wird|werden|hat|haben|geht|gehen|sinkt|sinken|steigt|steigen|kostet|kosten|läuft|laufen|dauert|"
    r"es|son|está|están|pasan?|sale|salen|suben?|bajan?|cuestan?|tienen?|van?|"
    r"est|sont|passent?|part|partent|montent?|baissent?|coûtent?|ont|vont)\b"
)
OF = r"(?:of|for|at|in|on|to|from|with|by|für|von|bei|im|in|zum|zur|para|de|del|en|pour|du|des|à|d)"
NAMED = re.compile(
    rf"^(?:{THE}[ '’])?(?P<head>[\w-]+(?: [\w-]+){{0,2}}?)(?: (?P<how>{OF})(?: {THE})? (?P<of>[\w-]+(?: [\w-]+)?))?$"
)
FEW = 6  # words before the verb
TERSE = 4  # words of a sentence that is hardly more than a value
BRIEF = 160  # characters of a text of which each clause speaks of its matter; a longer one tells a story

PREDICATE = re.compile(
    rf"{VERB.pattern}|"
    r"(?<=\w )(?!(?:this|its|always|us)\b)[a-z]{2,}(?<![us])s(?= (?:the|our|an?|all|in|on|at|from|to|\d))"
)
#: which state something is in, but not that it is over: "is read only now", "are behind the vpn"
STATE = re.compile(
    r"(?:is|are) (?:now |only )?(?!(?:the|an?|our|my|your|called|named|now|on|in|at|from|to|out|off|over|done|gone|"
    r"dead|down|retired|moved|replaced|disabled|removed|closed|deprecated|decommissioned|obsolete|outdated|history|empty|"
    r"no|not|(?:\w+(?:ed|en|wn)|made|kept|built|sent|run|held) (?:with|by|via|from|through|to|on|at|in))\b)"
    r"(?:(?:behind|under) (?:the )?[a-z][\w-]*|[a-z][\w-]*(?: (?!now\b)[a-z][\w-]*){1,3}|"
    r"[a-z]+(?:-[a-z]+|able|ible|ed|less))(?: now)?"
)
#: what something is rather than how
IS_WHAT = re.compile(r"(?:is|are) (?:now )?(?:the|an?|our|my|called|named)\b")


Thing = tuple[str, str, str]  # what it is, and "of" or "for" what


def another(new: str, old: str) -> bool:
    """Whether two statements speak of different things: neither says anything of what the other speaks of, or they
    are of two things of one kind ("the mail server", "the staging server")."""
    if max(len(new), len(old)) > BRIEF:
        return False
    mine, theirs = spoken_of(new), spoken_of(old)
    if not mine or not theirs:
        return False
    here, there = bag(new), bag(old)
    return all(_other(a, b, here, there) for a in mine for b in theirs)


def _synonymous(these: frozenset[str], those: frozenset[str]) -> bool:
    """Whether one of these stems is a plain word for one of those."""
    return any(thesaurus.synonyms(s, t) for s in these for t in those)


def other_property(new: str, old: str) -> bool:
    """Whether both say something of one thing, and one of them only in which state it is: "nas1 is read only" after
    "nas1 hosts the tiffs". That something is over or off says what holds no longer."""
    if max(len(new), len(old)) > BRIEF:
        return False
    mine, theirs = _said_of(new), _said_of(old)
    if mine is None or theirs is None or bag(mine[0]) != bag(theirs[0]) or not bag(mine[0]):
        return False
    how, before = ([word for word in says.split() if word not in ("now", "only")][1:2] for _, says in (mine, theirs))
    if how and how == before:  # "is kept in yarn files", "is kept in a sheet"
        return False
    states = [STATE.fullmatch(says) is not None and not values(says) for _, says in (mine, theirs)]
    return states[0] != states[1] and not any(IS_WHAT.match(says) for _, says in (mine, theirs))


@lru_cache(maxsize=512)
def _said_of(text: str) -> tuple[str, str] | None:
    """What a text of one clause speaks of, and what it says of it from its verb on."""
    clauses = [each for each in CLAUSE.split(tongues.in_english(cues.plain(text)).strip(" .!?")) if each.strip()]
    verb = PREDICATE.search(clauses[0]) if len(clauses) == 1 else None
    if verb is None or not 0 < len(clauses[0][: verb.start()].split()) <= FEW:
        return None
    return clauses[0][: verb.start()], clauses[0][verb.start() :].strip()


def newcomer(text: str) -> bool:
    """Whether a text tells of a thing that is new beside another one, which it is like: "there is a demo db now, cloned
    from staging", so that nothing of the other one changes."""
    if len(text) > BRIEF:
        return False
    plain = cues.plain(text)
    return all(SHAPES[shape].match(plain) for shape in ("newcomer", "likened"))


def _other(a: Thing, b: Thing, here: frozenset[str], there: frozenset[str]) -> bool:
    """Whether these name two things, where *here* and *there* are the stems of all that is said with them."""
    one, two = bag(" ".join(a)), bag(" ".join(b))
    mine, theirs = one - two, two - one
    if not mine or not theirs or not (mine.isdisjoint(there) and theirs.isdisjoint(here)):
        return False
    if _of_a_kind(a, b):
        return True
    return one.isdisjoint(two) and not _synonymous(mine, theirs)


def _of_a_kind(a: Thing, b: Thing) -> bool:
    """Whether two names differ in one word that says which thing of a kind is meant: "the docs host", "the build
    server"; "the contact at the bank"."""
    (head, how, of), (other, as_well, theirs) = a, b
    if of and theirs:
        return head == other and how == as_well
    one, two = head.split(), other.split()
    if of or theirs or not len(one) == len(two) == 2:
        return False
    return thesaurus.synonyms(stem(one[1]), stem(two[1])) and not thesaurus.synonyms(stem(one[0]), stem(two[0]))


@lru_cache(maxsize=512)
def spoken_of(text: str) -> tuple[Thing, ...]:
    """The things of which the clauses of a text say something; none where the first is of what was spoken of before
    ("it starts at 3 now"), or a value may be of anything ("the pump is loud. 7:15")."""
    found: list[Thing] = []
    for sentence in SENTENCE.split(cues.plain(text)):
        named = len(found)
        for clause in CLAUSE.split(sentence):
            said = tongues.in_english(clause.strip(" .!?"))
            verb = VERB.search(said)
            if not found and not BACK.isdisjoint(said.split()[:1]):
                return ()
            if verb is None or not 0 < len(said[: verb.start()].split()) <= FEW:
                if numbers(said) and SHAPES["order"].match(cues.start(said)):
                    return ()
                continue
            if not (BACK if not found else OURS).isdisjoint(said[: verb.start()].split()):
                return ()
            name = NAMED.match(said[: verb.start()].strip())
            if name is not None and PRONOUN.isdisjoint(name["head"].split()) and bag(name["head"]):
                found.append((name["head"], name["how"] or "", name["of"] or ""))
        if len(found) == named and numbers(sentence) and len(sentence.split()) <= TERSE:
            return ()
    return tuple(found)
