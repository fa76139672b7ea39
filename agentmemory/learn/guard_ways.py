"""The ways to forbid: which actions a sentence forbids, in its words. Knows the words of rules, nothing of options."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import NamedTuple

from agentmemory.learn.guard_deeds import LIMITS
from agentmemory.learn.guard_lists import goes_on
from agentmemory.learn.guard_sentences import without_code
from agentmemory.learn.guard_subjects import VERB


class Prohibition(NamedTuple):
    """What a sentence forbids, in its words. verb: as of a `Clause`; rest: what follows; good: what is prescribed."""

    action: str
    verb: str = ""
    rest: str = ""
    good: str = ""


FORBIDDING = (
    r"never(?:\s+ever)?", r"do\s*n[o'’]?t(?:\s+ever)?", r"dont", r"must\s*n[o'’]?t", r"must\s+never",
    r"should\s*n[o'’]?t",
    r"should\s+never", r"may\s+not", r"can\s*n[o'’]?t", r"cannot", r"shall\s+not", r"will\s+not", r"need\s+not",
    r"avoid",
    r"refrain\s+from", r"stop", r"quit", r"under\s+no\s+circumstances", r"it\s+is\s+forbidden\s+to",
    r"(?:it\s+is|it['’]?s)\s+(?:(?:not|never)\s+(?:ok|okay|allowed|acceptable|fine|permitted)|wrong|an?\s+mistake|prohibited)\s+to",
    r"you\s+are\s+not\s+(?:allowed|permitted)\s+to", r"not\s+allowed\s+to", r"no\s*(?:one|body)\s+may", r"hands\s+off",
    r"keep\s+(?:your\s+)?hands\s+off", r"stay\s+away\s+from", r"leave",
)  # fmt: skip
NOT = f"(?:{'|'.join(FORBIDDING)})"
START = r"(?:^|(?<=[\s,;:(—–-]))"
FORBIDS = re.compile(rf"{START}{NOT}\s+(?P<action>.+)", re.IGNORECASE | re.DOTALL)
NO = re.compile(
    r"(?:^|[,;:—–(]\s*|\s-\s|\band\s+|\bwe\s+(?:have|allow|want)\s+)no(?:\s+more)?\s+(?P<action>.+)",
    re.IGNORECASE | re.DOTALL,
)
USE_NOT = re.compile(
    r"\b(?P<soft>prefer|favou?r)?(?:use|using|run|call|go\s+with|stick\s+(?:to|with)|switch\s+to|install\s+with"
    r"|it'?s|is|are|do)?\s*"
    r"(?P<good>[^,;]+?),?\s+(?:and\s+)?(?:not|never|instead\s+of|rather\s+than|in\s+place\s+of|over"
    r"|as\s+opposed\s+to)\s+"
    r"(?:by\s+|with\s+|via\s+|using\s+|use\s+|the\s+)?(?P<bad>.+)",
    re.IGNORECASE | re.DOTALL,
)  # fmt: skip
IS_FORBIDDEN = re.compile(
    r"^(?:.*[,:;]\s+)?(?P<action>[^,:;]+?)\s+(?:is|are)\s+(?:strictly\s+|absolutely\s+)?(?:forbidden|banned|prohibited"
    r"|not\s+(?:allowed|permitted|available|used|supported|installed|ok|okay|"
    r"acceptable)|off[\s-]limits|never\s+(?:ok|okay|allowed|acceptable)|disallowed|read[\s-]?only|a\s+no-?go"
    r"|taboo|verboten)\b(?P<rest>.*)",
    re.IGNORECASE | re.DOTALL,
)  # fmt: skip
DONE = (
    "edited|changed|modified|touched|altered|updated|deleted|removed|overwritten|committed|read|opened|printed|pushed"
    "|run|used|called"
)
PASSIVE = re.compile(
    r"^(?P<what>.+?)\s+(?:must|should|may|can|shall|are|is)\s*(?:not|never"
    rf"|n't)\s+(?:ever\s+)?(?:be\s+)(?:\w+ly\s+)?(?P<verb>{DONE})\b",
    re.IGNORECASE,
)
WANTED = re.compile(r",\s*(?:because\s+|as\s+)?(?:we|i)\s*$", re.IGNORECASE)
OR_DONE = re.compile(rf"(?P<more>(?:\s+(?:or|and|nor)\s+(?:{DONE})\b)+)", re.IGNORECASE)
SWAPPED = re.compile(
    r"^(?:instead\s+of\s+(?P<bad>[^,]+?),?\s+(?:please\s+)?(?:use|run|call|prefer)\s+(?P<good>.+)"
    r"|replace\s+(?:any\s+|all\s+|every\s+)?(?:uses?\s+of\s+|calls?\s+(?:of|to)\s+)?(?P<old>[^,]+?)\s+(?:with|by)\s+(?P<new>.+))$",
    re.IGNORECASE,
)
PARTICIPLES = {
    "committed": "commit",
    "read": "read",
    "opened": "read",
    "printed": "read",
    "pushed": "push",
    "run": "run",
    "used": "use",
    "called": "call",
}
GENERATED = re.compile(r"^(?P<action>.+?)\s+(?:is|are)\s+(?:auto-?)?generated\b", re.IGNORECASE)
ASK = re.compile(
    r"\b(?:always\s+)?ask\s+(?:me\s+)?(?:first\s+)?before\s+(?:you\s+)?(?P<action>.+)|check\s+with\s+me\s+before\s+(?:you\s+)?(?P<also>.+)",
    re.IGNORECASE,
)
UNASKED = re.compile(
    r"\b(?:never|no|not|needn['’]?t|do\s*n[o'’]?t|dont)(?:\s+(?:have|need|ever|to))*\s*$", re.IGNORECASE
)
#: another prohibition of the same sentence
GOES_ON = re.compile(
    r"(?:and\s+|or\s+|but\s+|also\s+)*(?:(?:you|we)\s+)?"
    r"(?:no|never|don['’]?t|do\s+not|(?:must|should|may)\s+(?:not|never))\s",
    re.IGNORECASE,
)
NAMED_AFTER = re.compile(r"\s*:\s*(`[^`]+`)(?!\s+(?:does|handles|instead|is\s+the))")
SUBJECT = re.compile(rf"\s+only\b|{VERB.pattern}", re.IGNORECASE)
CUT = re.compile(
    r"""\s*(?:[;!?](?=\s|$|\W)|(?<=\S)(?<!/\.\.)[.](?=\s|$)(?!\s*`)|(?<!\bcheckout)(?<!\brestore)\s[—–-]{1,2}\s(?![.<*/])|:\s|\s+and\s+no\s|\s+\((?=(?:no|never|use|prefer|already|see|it|it['’]s|listed)\s)
      |,\s*
      |\s+(?:instead\b|because\b|since\b|so\s+that\b|otherwise\b|but\s+(?:use|run|always|only|instead)\b|and\s+(?:always\s+)?(?:use|run)\b
         |use\s+(?=`)|yourself\b|in\s+favou?r\s+of\b)
      |(?<!\bthat)(?<!\bwhat)(?<!\bwhich)(?<!\bif)\s+(?:I|you|we|they)['’](?:m|ll|re|ve|d)\b).*""",
    re.IGNORECASE | re.DOTALL | re.VERBOSE,
)  # fmt: skip
GOOD = re.compile(r"\b(?:use|run|prefer|through|via)\b|^\s*`|\bonly\W*$", re.IGNORECASE)


def forbidden(sentence: str) -> list[Prohibition]:
    """The prohibitions of a sentence, and those in what follows the first ("...: no `aws s3 rb`", ", never yarn")."""
    found = next(filter(None, (way(sentence) for way in WAYS)), [])
    if not found or found[-1].good:
        return found
    action, rest = found[-1].action, found[-1].rest
    behind = action[len(cut(action)) :]
    tail = (behind + rest).strip().removeprefix("yourself").lstrip(" ,;:—–-(")
    more = forbidden(tail) if GOES_ON.match(tail) else []
    named = NAMED_AFTER.match(behind)
    if named and not more:
        more = [Prohibition(f"run {named[1]}")]
    return found + more


def _asked(sentence: str) -> list[Prohibition]:
    """ "Ask me before X": X unasked."""
    asked = ASK.search(sentence)
    told = asked and not UNASKED.search(sentence[: asked.start()])
    return [Prohibition(asked["action"] or asked["also"])] if asked and told else []


def _swapped(sentence: str) -> list[Prohibition]:
    """ "Instead of X use Y", "replace X with Y"."""
    swapped = SWAPPED.match(sentence)
    if not swapped:
        return []
    return [Prohibition(swapped["bad"] or swapped["old"], "use", good=swapped["good"] or swapped["new"])]


def _passive(sentence: str) -> list[Prohibition]:
    """ "X must not be edited or committed": a prohibition for each of the verbs."""
    passive = PASSIVE.match(sentence)
    if not passive:
        return []
    more = OR_DONE.match(sentence, passive.end())
    done = [passive["verb"], *(more["more"].split()[1::2] if more else [])]
    behind = sentence[more.end() if more else passive.end() :]
    verbs = dict.fromkeys(PARTICIPLES.get(verb.lower(), "edit") for verb in done)
    return [Prohibition(f"{verb} {_gerund(passive['what'])}{behind}") for verb in verbs]


def _stated(sentence: str) -> list[Prohibition]:
    """ "X is forbidden on production", "X is off limits while ...": with where or when."""
    stated = None if FORBIDS.match(sentence) else IS_FORBIDDEN.match(sentence)
    if not stated:
        return []
    verb = "edit" if re.search(r"read.?only|off.limits|auto-?generated", sentence, re.I) else ""
    place = re.match(r"\s*(?:here\s+)?((?:in|on|against|to|at|from)\s+[\w/.-]+)", stated["rest"])
    when = LIMITS.match(stated["rest"].lstrip())
    where = stated["rest"] if when else f" {place[1]}" if place and place[1] != "in favour" else ""
    return [Prohibition(_gerund(stated["action"]) + where, verb, "" if when else stated["rest"])]


def _ordered(sentence: str) -> list[Prohibition]:
    """ "Never X": with what the sentence names before for "it", and with "..., never Y"."""
    found = FORBIDS.search(sentence)
    if not found or USE_NOT.search(_unreasoned(sentence, found)):
        return []
    action, before = found["action"], sentence[: found.start()]
    leave = re.match(r"leave\b", sentence[found.start() :], re.I)
    if leave and not re.search(r"\balone\b|untouched|as\s+(?:is|it\s+is)", action):
        return []
    head = re.sub(
        r"^(?:to|ever|again|please|just|directly|manually|even|anymore|try\s+to|the\s+use\s+of)\s+",
        "",
        action,
        flags=re.I,
    )
    told = SUBJECT.split(before.strip(" ,;:—–-"))[0]  # "npm run build is slow, never run it": no other way
    more = FORBIDS.search(cut(head)) if " never " in head.lower() else None
    head = re.sub(r"\s+(?:alone|untouched|as\s+is)\b", "", head)
    verb = "edit" if re.match(r"(?:hands|keep|stay|leave)", sentence[found.start() :].strip(), re.I) else ""
    head = re.sub(
        r"^(\w+(?:\s+\w+)?\s+)(?:it|them|these|those)\b",
        lambda m: m[1] + told,
        head,
    )
    good = before if GOOD.search(before) and len(before) > 4 and told not in head else ""
    return [Prohibition(head, verb, good=good), *([Prohibition(more["action"])] if more else [])]


def _unreasoned(sentence: str, found: re.Match[str]) -> str:
    """What stands before a reason that forbids: "npm ci not npm install, we don't want ..."; "" where it is none."""
    reason = WANTED.search(sentence[: found.start()])
    return sentence[: reason.start()] if reason else ""


def _chosen(sentence: str) -> list[Prohibition]:
    """ "Use A, not B", "A over B"."""
    found = FORBIDS.search(sentence)
    chosen = USE_NOT.search(_unreasoned(sentence, found) if found else "") or USE_NOT.search(sentence)
    return [Prohibition(chosen["bad"], "use", good=chosen["good"])] if chosen else []


def _none(sentence: str) -> list[Prohibition]:
    """ "No X in src/"."""
    none = NO.search(sentence)
    return [Prohibition(_gerund(none["action"]), "use")] if none else []


def _made(sentence: str) -> list[Prohibition]:
    """ "X is generated": nobody edits it."""
    made = GENERATED.match(sentence)
    return [Prohibition(made["action"], "edit")] if made else []


def _gerund(action: str) -> str:
    return re.sub(r"^(?:the\s+|any\s+|all\s+)", "", action, flags=re.I)


def cut(action: str) -> str:
    """The action without reasons and alternatives behind it; code stays whole."""
    hidden, shown = without_code(action)
    found = CUT.search(hidden)
    while found and found[0].lstrip().startswith(",") and goes_on(hidden[found.start() :]):
        found = CUT.search(hidden, hidden.index(",", found.start()) + 1)
    return shown(hidden[: found.start()] if found else hidden).strip()


#: the ways to forbid; the first that reads a sentence says what it forbids
WAYS: tuple[Callable[[str], list[Prohibition]], ...] = (
    _asked, _swapped, _passive, _stated, _ordered, _chosen, _none, _made,
)  # fmt: skip
