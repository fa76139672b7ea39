"""What a rule forbids and what it prescribes, as texts. Knows the words of rules, nothing of programs' options."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from functools import lru_cache

from agentmemory.learn import guard_idioms, guard_mentions, guard_permits, guard_sentences
from agentmemory.learn.guard_commands import is_english, is_program, is_typical
from agentmemory.learn.guard_deeds import CONDITION, LIMITS, is_deed
from agentmemory.learn.guard_lists import goes_on
from agentmemory.learn.guard_sentences import CODE, split, without_code
from agentmemory.learn.guard_subjects import VERB
from agentmemory.learn.guard_tongues import english


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


Prohibition = tuple[str, str, str, str]  # verb, action, what follows, what is prescribed with it
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
GOOD = re.compile(r"\b(?:use|run|prefer|through|via)\b|^\s*`|\bonly\W*$", re.IGNORECASE)
NEGATED = re.compile(rf"{START}(?:{NOT}|no|not)(?:\s+to)?\s*$", re.IGNORECASE)
CONDITIONS = re.compile(
    r"\s+(?:without|unless|until|except\s+when|when|while|if|before|after|on\s+(?:an?|any|the)\s+\w+day)(?:\s+|$)"
)

OPTION_MISSING = re.compile(r"\bwithout\s+(?:the\s+|an?\s+)?(?:`--?\w[^`]*`|--?\w[\w=-]*)")


def clauses(rule: str) -> list[Clause]:
    """The forbidden actions of a rule, in order; empty when it forbids nothing."""
    out: list[Clause] = []
    sentences = [sentence for said in guard_idioms.plain(_english(rule)) for sentence in split(said)]
    for i, sentence in enumerate(sentences):
        after = " ".join(sentences[i + 1 :])
        for verb, action, rest, good in _all_forbidden(sentence):
            cut = _cut(action)
            tail = good or f"{action[len(cut) :]} {rest} {after}"
            instead = _instead(good, tail) or _instead("", " ".join(sentences[:i]))
            instead = "" if instead.strip("`") in CODE.findall(cut) else instead
            mode = _mode(sentence, cut)
            out.append(Clause(_strip(cut, mode), verb, mode, instead, tuple(_commands(instead))))
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
        out.append(Clause(_strip(_cut(action), mode), "", mode, instead, tuple(_commands(instead))))
    return out


def _forbidden(sentence: str) -> list[Prohibition]:
    """The prohibitions of a sentence, as the first way of saying so that fits reads them."""
    asked = ASK.search(sentence)
    if asked and not UNASKED.search(sentence[: asked.start()]):
        return [("", asked["action"] or asked["also"], "", "")]
    swapped = SWAPPED.match(sentence)
    if swapped:
        return [("use", swapped["bad"] or swapped["old"], "", swapped["good"] or swapped["new"])]
    passive = PASSIVE.match(sentence)
    if passive:
        return _passive(sentence, passive)
    stated = None if FORBIDS.match(sentence) else IS_FORBIDDEN.match(sentence)
    found = None if stated else FORBIDS.search(sentence)
    reason = WANTED.search(sentence[: found.start()]) if found else None
    if found and reason and USE_NOT.search(sentence[: reason.start()]):  # "npm ci not npm install, we don't want ..."
        sentence, found = sentence[: reason.start()], None
    if found and re.match(r"leave\b", sentence[found.start() :], re.I):
        found = found if re.search(r"\balone\b|untouched|as\s+(?:is|it\s+is)", found["action"]) else None
    if found:
        return _ordered(sentence, found)
    if stated:
        return [_stated(sentence, stated)]
    chosen = USE_NOT.search(sentence)
    if chosen:
        return [("use", chosen["bad"], "", chosen["good"])]
    none = NO.search(sentence)
    if none:
        return [("use", _gerund(none["action"]), "", "")]
    made = GENERATED.match(sentence)
    return [("edit", made["action"], "", "")] if made else []


def _passive(sentence: str, passive: re.Match[str]) -> list[Prohibition]:
    """ "X must not be edited or committed": a prohibition for each of the verbs."""
    more = OR_DONE.match(sentence, passive.end())
    done = [passive["verb"], *(more["more"].split()[1::2] if more else [])]
    behind = sentence[more.end() if more else passive.end() :]
    verbs = dict.fromkeys(PARTICIPLES.get(verb.lower(), "edit") for verb in done)
    return [("", f"{verb} {_gerund(passive['what'])}{behind}", "", "") for verb in verbs]


def _ordered(sentence: str, found: re.Match[str]) -> list[Prohibition]:
    """ "Never X": with what the sentence names before for "it", and with "..., never Y"."""
    action, before = found["action"], sentence[: found.start()]
    head = re.sub(
        r"^(?:to|ever|again|please|just|directly|manually|even|anymore|try\s+to|the\s+use\s+of)\s+",
        "",
        action,
        flags=re.I,
    )
    told = SUBJECT.split(before.strip(" ,;:—–-"))[0]  # "npm run build is slow, never run it": no other way
    more = FORBIDS.search(_cut(head)) if " never " in head.lower() else None
    head = re.sub(r"\s+(?:alone|untouched|as\s+is)\b", "", head)
    verb = "edit" if re.match(r"(?:hands|keep|stay|leave)", sentence[found.start() :].strip(), re.I) else ""
    head = re.sub(
        r"^(\w+(?:\s+\w+)?\s+)(?:it|them|these|those)\b",
        lambda m: m[1] + told,
        head,
    )
    good = before if GOOD.search(before) and len(before) > 4 and told not in head else ""
    return [(verb, head, "", good), *([("", more["action"], "", "")] if more else [])]


def _stated(sentence: str, stated: re.Match[str]) -> Prohibition:
    """ "X is forbidden on production", "X is off limits while ...": with where or when."""
    verb = "edit" if re.search(r"read.?only|off.limits|auto-?generated", sentence, re.I) else ""
    place = re.match(r"\s*(?:here\s+)?((?:in|on|against|to|at|from)\s+[\w/.-]+)", stated["rest"])
    when = LIMITS.match(stated["rest"].lstrip())
    where = stated["rest"] if when else f" {place[1]}" if place and place[1] != "in favour" else ""
    return verb, _gerund(stated["action"]) + where, "" if when else stated["rest"], ""


def _all_forbidden(sentence: str) -> list[Prohibition]:
    """The prohibitions of a sentence, and those in what follows the first ("...: no `aws s3 rb`", ", never yarn")."""
    found = _forbidden(sentence)
    if not found or found[-1][3]:
        return found
    _, action, rest, _ = found[-1]
    behind = action[len(_cut(action)) :]
    tail = (behind + rest).strip().removeprefix("yourself").lstrip(" ,;:—–-(")
    more = _all_forbidden(tail) if GOES_ON.match(tail) else []
    named = NAMED_AFTER.match(behind)
    if named and not more:
        more = [("", f"run {named[1]}", "", "")]
    return found + more


def _gerund(action: str) -> str:
    return re.sub(r"^(?:the\s+|any\s+|all\s+)", "", action, flags=re.I)


def _cut(action: str) -> str:
    """The action without reasons and alternatives behind it; code stays whole."""
    hidden, shown = without_code(action)
    found = CUT.search(hidden)
    while found and found[0].lstrip().startswith(",") and goes_on(hidden[found.start() :]):
        found = CUT.search(hidden, hidden.index(",", found.start()) + 1)
    return shown(hidden[: found.start()] if found else hidden).strip()


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
    return sentence[: found.start()] + found["action"][len(_cut(found["action"])) :]


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
