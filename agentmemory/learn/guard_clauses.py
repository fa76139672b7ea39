"""What a rule forbids, and what it prescribes instead, as texts: an action each. Knows nothing of programs' options."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from functools import lru_cache

from agentmemory.learn import guard_idioms, guard_mentions, guard_permits, guard_sentences
from agentmemory.learn.guard_commands import is_english, is_program, is_typical
from agentmemory.learn.guard_deeds import CONDITION, is_deed
from agentmemory.learn.guard_sentences import CODE, split
from agentmemory.learn.guard_tongues import english
from agentmemory.learn.guard_ways import ASK, FORBIDS, NO, NOT, START, cut, forbidden


@dataclass(frozen=True, slots=True)
class Clause:
    """One forbidden action. action: its words, code in backticks. verb: `use` where only a thing was named.

    mode: deny, ask or inform. instead: what the rule prescribes, as text; instead_commands: the commands in it.
    """

    action: str
    verb: str
    mode: str
    instead: str = ""
    instead_commands: tuple[str, ...] = field(default=())


CONSENT = re.compile(
    r"\b(?:without|unless|until|before)\b[^.;]*?\b(?:ask(?:ing|ed|s)?|discuss\w*|talking|approv\w+|permission|confirm\w*"
    r"|consent\w*|okay|ok|sign-?off|i\s+(?:say|tell)|"
    r"told|explicit\w*|my\s+(?:go|word|yes)|say\s+so|check(?:ing)?\s+with)\b", re.IGNORECASE)  # fmt: skip
#: what narrows an action down to some that look like all others: "... to write files", "a branch that has ..."
NARROWED = re.compile(
    r"\b(?:that|which|whose|who)\s+(?:has|have|had|is|are|was|were|isn|aren|you|i|we|somebody|someone|others?)\b"
    r"|\w\s+(?:you|we|I)\s+(?:(?:have|has|had|did|do|are|were|can|could)(?:n['’]?t|\s+not|\s+never)|never)\s"
    r"|\bon\s+(?:what|whatever|things?)\b|\b(?:an?|any)\s+(?:red|failing|broken|untested|unreviewed|unapproved|stale)\b"
    r"|\b(?:PRs?|pull\s+requests?|merge\s+requests?)\s+(?:as|against|to|into|from)\s+\w+"
    r"|\bmore\s+than\b|\b(?:large|big|huge|binary|multiple)\s+\w+"
    r"|^(?:us(?:e|ing)|call(?:ing)?|run(?:ning)?)\s+`?[\w.-]+`?\s+(?:in\s+order\s+)?to\s+"
    r"(?!edit|modif|chang|alter|install|search|find|run|build|deploy|delet|remov)[a-z]+"
    r"|^(?:call|query|hit|reach|access|test|connect\s+to|talk\s+to)\w*\s+(?:the|our|my|their)\s+[\w -]{3,40}?"
    r"\s+(?:with|via|using)\b",
    re.IGNORECASE,
)
SOFT = re.compile(
    r"\b(?:prefer|try\s+(?:not\s+to|to\s+avoid)|favou?r|ideally|if\s+possible|when\s+possible|rather\s+not)\b",
    re.IGNORECASE,
)
INSTEAD = re.compile(
    r"(?:\b(?:use|run|call|prefer|open|go\s+through|goes\s+through|through|via|try|do|open|execute|using|with"
    r"|only|always)\s+(?:only\s+|the\s+|our\s+|always\s+)*"
    r"(?P<after>.+?)|(?P<before>`[^`]+`|(?<![\w./-])[\w./-]++)\s+instead\b|in\s+favou?r\s+of\s+(?P<favour>.+?)"
    r"|(?P<must>`[^`]+`|--[\w-]+|[a-z][\w-]+(?:\s+--?[\w-]+|\s+[a-z-]+){1,4})(?:\s+[A-Z]+)?\s+if\s+you\s+(?:really\s+|absolutely\s+)?"
    r"(?:have\s+to|must|need)"
    r"|(?P<does>`[^`]+`|(?<![\w./-])(?=\w*[./-][\w./-])[\w./-]++)\s+(?:does|handles)\s+(?:it|that|this)"
    r"|(?P<now>`[^`]+`)\s+now\b|(?P<fine>`[^`]+`|--[\w-]+)\s+is\s+(?:(?:perfectly|always)\s+)?(?:ok|okay|fine|allowed)\b)"
    r"(?:\s+instead(?!\s+of)\b|[;!]|[.](?=\s|$)|,|$)",
    re.IGNORECASE | re.DOTALL,
)  # fmt: skip
#: what leads to the way that is prescribed: "run tests through ..."
WAY = re.compile(
    r"[^`]*?\b(?:use|using|uses|run|through|via|prefer|with|call|is|are)\s+(?:the\s+|our\s+)?", re.IGNORECASE
)
#: "`a` is fine, never `b`": what is said of another command, and whether it is to be used
STATED = re.compile(
    r"^(?:use\s+)?(?P<what>`[^`]+`)\s+(?:is|are)\s+(?:(?P<fine>(?:perfectly\s+|always\s+)?(?:ok|okay|fine|allowed|good)\b)|\w)",
    re.IGNORECASE,
)
#: a rule of its own and no other way to do what is forbidden: "Always run the tests before committing."
OWN_RULE = re.compile(
    r"always\s+[^.;,]*\b(?:before|after|when|whenever)\s+(?:you\s+|every\s+|each\s+|an?\s+)?\w+", re.IGNORECASE
)
NEGATED = re.compile(rf"{START}(?:{NOT}|no|not)(?:\s+to)?\s*$", re.IGNORECASE)
CONDITIONS = re.compile(
    r"\s+(?:without|unless|until|except\s+when|when|while|if|before|after|on\s+(?:an?|any|the)\s+\w+day)(?:\s+|$)"
)
OPTION_MISSING = re.compile(r"\bwithout\s+(?:the\s+|an?\s+)?(?:`--?\w[^`]*`|--?\w[\w=-]*)")


def clauses(rule: str) -> list[Clause]:
    """The forbidden actions of a rule, in order; empty when it forbids nothing."""
    out: list[Clause] = []
    sentences = [sentence for each in guard_idioms.plain(_english(rule)) for sentence in split(each)]
    for i, sentence in enumerate(sentences):
        after = " ".join(sentences[i + 1 :])
        for action, verb, rest, good in forbidden(sentence):
            said = cut(action)
            tail = good or f"{action[len(said) :]} {rest} {after}"
            instead = _instead(good, tail) or _instead("", " ".join(sentences[:i]))
            instead = "" if instead.strip("`") in CODE.findall(said) else instead
            mode = _mode(sentence, said)
            out.append(Clause(_strip(said, mode), verb, mode, instead, tuple(_commands(instead))))
    return [clause for clause in out if clause.action and is_deed(clause.action, rule)]


def _english(rule: str) -> list[str]:
    """The sentences of a rule, those of other languages said in English, what none of them forbids said so."""
    return [said for said in map(guard_permits.plain, map(english, guard_sentences.of(rule))) if said]


def mentioned(rule: str) -> list[Clause]:
    """What a rule is against, where no grammar of prohibitions fits it: the actions it names and denies."""
    sentences = _english(rule)
    narrowed = any(clause.mode == "inform" or NARROWED.search(clause.action) for clause in clauses(rule))
    within = any(map(guard_mentions.of_its_own, sentences))  # what is named is where, not what
    out = []
    for action, tail in guard_mentions.denied(sentences):
        reminds = narrowed or (within and action.startswith("edit "))
        mode = "ask" if CONSENT.search(rule) else "inform" if reminds else "deny"
        instead = _instead("", tail)
        out.append(Clause(_strip(cut(action), mode), "", mode, instead, tuple(_commands(instead))))
    return out


def _strip(action: str, mode: str) -> str:
    """The action without its conditions ("without asking")."""
    plain = action.strip().rstrip(",:")
    plain = plain if "(" in plain else plain.rstrip(")")
    bare = CONDITIONS.split(plain, maxsplit=1)[0] if mode != "deny" else plain
    return bare.strip()


def _mode(sentence: str, action: str) -> str:
    if ASK.search(sentence) or CONSENT.search(sentence):
        return "ask"
    plain = CODE.sub(lambda m: "./" if m[0][-2] == "/" else "", OPTION_MISSING.sub("", action))  # "outside `src/`"
    if CONDITION.search(plain):
        return "inform"
    return "ask" if SOFT.search(sentence) else "deny"


def _instead(good: str, tail: str) -> str:
    stated = STATED.match(good.strip(" ,;:—–-")) if good else None
    if stated:
        return stated["what"] if stated["fine"] else ""
    if good:
        told = good.strip(" ,;:—–-").rstrip(".")
        while way := WAY.match(told):
            told = told[way.end() :]
            if is_program(told.split(" ")[0]):  # "use uv run python": its own words are no way to it
                break
        return re.sub(r"\s+(?:here|only|instead)$", "", told, flags=re.I)
    tail = " ".join(map(_unforbidden, split(re.sub(r"^\s*\.\s", "", tail)))).strip()
    for found in INSTEAD.finditer(tail):
        if NEGATED.search(tail[: found.start()]) or OWN_RULE.match(tail, found.start()):
            continue
        if found[0][:4].lower() == "run " and is_program(tail[: found.start()].rpartition(" ")[0].rpartition(" ")[2]):
            continue  # "npm run build is slow"
        text = found[found.lastgroup or 0]
        text = re.split(r"\s+if\s+you\b", text)[0] if found["after"] else text.strip("`" if found["fine"] else " ")
        text = text.strip(" ,;:").rstrip(".")
        text = text if "(" in text else text.rstrip(")")
        if text and not re.match(r"(?:not|never|it|them|that|this|to|the following)\b", text, re.I) and len(text) < 200:
            return text
    return ""


@lru_cache(1000)
def _unforbidden(sentence: str) -> str:
    """A sentence without what it forbids; what follows that stays (", use Y")."""
    found = FORBIDS.search(sentence) or NO.match(sentence)
    if not found or re.search(r"\bto\s+$", sentence[: found.start()]):  # "use pnpm to avoid conflicts"
        return sentence
    return sentence[: found.start()] + found["action"][len(cut(found["action"])) :]


def _commands(text: str) -> list[str]:
    """The commands named in what a rule prescribes."""
    named = [code for code in CODE.findall(text) if (words := code.split()) and is_program(words[0], len(words) > 1)]
    bare = CODE.sub(" ", text).split()
    for i, word in enumerate(bare):
        more_words = " ".join(bare[i + 1 : i + 2])
        if is_program(word.strip(",.;:"), bool(more_words)) and (not is_english(word) or is_typical(more_words)):
            options: list[str] = []
            for more in bare[i + 1 :]:
                if not (more.startswith("-") or (more.islower() and more.isalpha() and len(options) < 2 and i == 0)):
                    break
                options.append(more)
            named.append(" ".join([word.strip(",;:"), *options]))
            break
    return named
