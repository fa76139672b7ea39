"""Ways of forbidding that are no imperative ("X is off the table", "X? Absolutely not.", "keep your fingers off X"),
said as "never X". Works on sentences, knows nothing of options.
"""

from __future__ import annotations

import re

from agentmemory.learn.guard_commands import ENVIRONMENTS, is_of_code, is_program, is_script, mutations, rivals
from agentmemory.learn.guard_deeds import LIMITS
from agentmemory.learn.guard_means import LANGUAGES
from agentmemory.learn.guard_subjects import CLAUSE, PATH, acts, masked, place_in, program_in, resolved, subject_of

SPACE = r"(?:\s+(?:really|strictly|absolutely|simply|just|now|all|also|still|definitely|\w+\s+and))*\s+"
#: what is said of a thing that is not to be done
VERDICT = re.compile(
    rf"""(?:(?:\s+(?:is|are|was|were|has\s+been|have\s+been|stays?|remains?)|['’]s){SPACE}|\s*(?::|->|=>|→)\s+)(?:
        out\b(?!\s+of\b(?!\s+the\s+question)) | off(?:\s+(?:the\s+(?:table|menu)|limits)|-limits)
      | not\s+(?:how|the\s+way|what)\s+(?:we|i|you|it|things) | not\s+an?\s+option | not\s+(?:an?\s+)?(?:thing|place)\b
      | not\s+(?:your|for\s+you|for\s+agents)\b | not\s+(?:welcome|acceptable|wanted|needed|negotiable|cool|on\b|done\b)
      | (?:an?\s+)?(?:hard\s+|firm\s+|big\s+|clear\s+|flat\s+)?no(?:-?\s?go|pe)?(?:\s+(?:from|for)\s+\w+|\s+here)?
        (?=[\s.,;!]*$)
      | wrong\b | (?:switched|turned)\s+off | disabled | (?:strictly\s+)?reserved\s+for | history(?=\W*$)
      | for\s+(?:the\s+)?(?:\w+\s+){{0,2}}(?:team|people|humans|admins?|ops|maintainers|me)\b
      | (?:my|our|\w+'s)\s+(?:job|call|business)\b | taboo | verboten | forbidden | banned | prohibited | disallowed
      | off\s+(?:until|till|for)\b | (?:an?\s+)?dead\s+end | pointless | useless | dangerous | evil
      | (?:an?\s+)?(?:code\s+smell|anti-?pattern|mistake|bad\s+(?:idea|practice|style|habit))
      | (?:the\s+)?\w+['’]s?\s+(?:files?|turf|job|call|business|territory)
      | not\s+(?:allowed|permitted|accepted|tolerated
        |to\s+be\s+(?:used|run|called|touched)) | never(?=\W*$) | don['’]?t(?=\W*$)
      | no(?:ne|t\s+any)\s+of\s+your\s+business | theirs\b | somebody\s+else['’]?s
      | (?:being\s+)?(?:removed|phased\s+out|retired) | frozen\b | sacred\b | protected\b
      | not\s+something\s+(?:that\s+)?(?:you|we|i|agents?|an\s+agent)\b
    )
    | \s+(?:will|must|may|should|shall|can)(?:\s+not|n['’]?t|not|\s+never)\s+happen\b
    | \s+(?:(?:must|should|has\s+to|have\s+to|needs?\s+to|shall|will)\s+)?
      (?:stays?|remains?|be\s+left|be\s+kept|is\s+kept)\s+
      (?:as\s+(?:it|they)|as\s+is|as-is|untouched|unchanged|the\s+way|alone|intact)\b
    | \s+(?:is|are)\s+not\s+to\s+be\s+(?:\w+ed|written|overwritten)\b
    | \s+(?:belongs?|(?:runs?|happens?)\s+only)\s+(?:in|on|from|to)\s+(?:the\s+)?
      (?:ci|pipeline|build\s+server|release\s+bot)\b
    | \s+(?:is|are)\s+(?:done|run|handled|executed)\s+(?:only\s+)?(?:in|on|by|from)\s+(?:the\s+)?
      (?:ci|pipeline|build\s+server)\b
    | \s+only\s+(?:runs?|happens?|works?)\s+(?:in|on|from)\s+(?:the\s+)?(?:ci|pipeline)\b
    | \s+(?:runs?|happens?|works?)\s+(?:in|on|from)\s+(?:the\s+)?(?:ci|pipeline)\s+only\b
    """,
    re.IGNORECASE | re.VERBOSE,
)
#: what is said of a thing that is no good; a file may be mended then
NO_GOOD = re.compile(
    r"wrong|out\b|history|pointless|useless|evil|dangerous|dead\s+end|smell|anti-?pattern|mistake|bad\s|disabled|turned",
    re.I,
)
LEADS = re.compile(r"^(?:(?:the|any|all|raw|bare|also|and|plus)\s+)+", re.IGNORECASE)
#: a sentence that is nothing but a refusal
REFUSAL = re.compile(
    r"^(?:(?:absolutely|definitely|certainly|just|simply|please|sorry|but)[\s,]+)*(?:no|not|nope|never|don'?t|forget\s+it"
    r"|no\s+way|hell\s+no|out\s+of\s+the\s+question|forbidden|banned|not\s+a\s+chance)"
    r"(?:\s+(?:allowed|permitted|here|ever|again|acceptable|okay|ok|happening|for\s+you|in\s+this\s+\w+|on\s+my\s+\w+))*\W*$",
    re.IGNORECASE,
)


#: "npm ci not npm install, because ..."
CHOSEN = re.compile(r"\b(?:not|instead\s+of|rather\s+than)\s+[^,;]+,\s*(?:because\s+|as\s+)?$", re.IGNORECASE)


def _mistaken(m: re.Match[str]) -> str:
    """What an agent was wrong to run, as a prohibition; as it is where it is no command."""
    named = m["what"].startswith("`") or is_program(m["what"].split()[0], more=False)
    return f"never run {m['what']}" if named else m[0]


def _behind(m: re.Match[str]) -> str:
    """ "In src/, never use X" with the place behind; as it is where X is a command and nothing of the code there."""
    named = f"{m['what']} in {m['where']}"
    command = is_program(_first(m["what"])) and not is_of_code(named)
    return m[0] if command else f"{m['no']} {m['verb']} {named}"


def _unwanted(m: re.Match[str]) -> str:
    """ "We don't want X" as "never X"; as it is where it says why something else was chosen."""
    return m[0] if CHOSEN.search(m.string[: m.start()]) else "never "


def _first(named: str) -> str:
    """The first word of what a rule names, "" where its code holds none."""
    return next(iter(named.strip("`").split()), "")


def _only_with(m: re.Match[str]) -> str:
    """ "psql only through X" as a prohibition of psql and a way; as it is where no program is named."""
    what = (m["what"] or m["also"]).strip()
    if not is_program(_first(what)):
        return m[0]
    how = m["how"]
    return f"never run {what} without {how}" if how.strip("`").startswith("-") else f"never run {what}, use {how}"


#: openings that forbid, and how they are said plainly
AGENT = r"(?:you|claude|codex|the\s+(?:agent|assistant|tool|bot|model))"
#: said of what an agent was told to have done
MISTAKEN = r"\s*,\s*(?:and\s+|but\s+)?(?:that|this|which)(?:\s+is|\s+was|['’]s)\s+(?:wrong|a\s+mistake|not\s+allowed)\b"
COMMAND = r"`[^`]+`|[a-z][\w.-]*(?:\s+(?!only\b|commands?\b|is\b|are\b|may\b|must\b|should\b)[a-z][\w:-]*){0,2}"
MAY = r"(?:(?:please|you\s+(?:may|can|should|must))\s+)"
MY_WORD = (
    r"my\s+(?:explicit\s+|prior\s+)?"
    r"(?:approval|ok|okay|permission|consent|confirmation|go(?:-?\s?ahead)?|say-?so|word)\b"
)
UNASKED = r"never \g<what> without asking me"
WITH_WORD = (
    rf"(?:when|if|once|after|with|on|upon)\s+(?:{MY_WORD}|i(?:['’]ve|\s+have)?\s+(?:explicitly\s+)?"
    r"(?:ask|tell|told|say|said|approv|confirm|request|agree)|(?:explicitly\s+)?asked\b|asking\s+me\b)"
)
DEED = "(?:delete|remove|change|touch|edit|modify|write|create|commit|push|merge|install|deploy|publish)"
EDITING = r"(?:edit|chang|modif|touch|writ|work|creat|commit)\w*"
PLAINLY = [
    (re.compile(pattern, re.IGNORECASE | re.DOTALL), said)
    for pattern, said in (
        (rf"^{MAY}?only\s+(?:ever\s+)?(?P<what>(?!i\s)[^,;:]{{3,80}}?)\s+{WITH_WORD}.*$", UNASKED),
        (rf"^{MAY}?(?P<what>[^,;:]{{3,80}}?)\s+(?:only\s+{WITH_WORD}|(?:needs?|requires?)\s+{MY_WORD}).*$", UNASKED),
        (r"^before\s+(?:you\s+)?(?P<what>[^,;:]{3,80}),\s*(?:(?:please|always|first|you\s+(?:must|should|have\s+to))\s+)*"
         r"(?:ask|check\s+with)\b(?!\s+(?:if|whether|for|that|what|yourself)\b).*$", "ask before \\g<what>"),
        (rf"^(?:in|inside|within)\s+(?P<where>(?:(?:the|our|my|any|all)\s+)*(?:(?:{'|'.join(LANGUAGES)})"
         r"(?:\s+(?:code|files?|modules?|tests?))?|`?[\w.-]*/[\w./-]*`?))\s*,?\s+(?P<no>never|do\s+not|don['’]?t|avoid)\s+"
         r"(?P<verb>(?:us|call|add|writ|import|put)\w*)\s+(?P<what>`[^`]+`|[\w.]+(?:\(\))?(?<!\.))(?=\W*$|\s*[,.;:])",
         _behind),
        (rf"^(?:please\s+)?(?:only\s+(?:ever\s+)?(?:run|use|call)\s+(?P<also>{COMMAND})|(?P<what>{COMMAND})(?:\s+commands?)?"
         r"(?:\s+(?:is|are|may|must|should))?(?:\s+(?:be|to\s+be))?(?:\s+(?:run|used|called|allowed))?\s+only)"
         r"(?:\s+(?:run|used|allowed))?\s+(?:(?:ever|directly)\s+)?(?:with(?=\s+(?:the\s+)?`?-)|via|through|using|from(?=\s+\S*/))"
         r"\s+(?:the\s+)?(?P<how>[^,;]+?)(?=\s*(?:[,;]|\.?$))", _only_with),
        (r"^(?:absolutely|definitely|strictly|really|please)\s+(?=(?:no|never)\b)", ""),
        (rf"^at\s+no\s+(?:point|time|moment)\s+(?:may|can|should|must|shall|do)\s+(?:{AGENT}|we|anybody|anyone)\s+",
         "never "),
        (rf"^(?:please\s+)?(?P<what>{DEED})\s+nothing\b(?!\s+(?:but|except|other))", r"never \g<what> anything"),
        (rf"^nothing\s+(?:ever\s+)?(?:gets|may\s+be|can\s+be|should\s+be|must\s+be)\s+(?P<what>{DEED}|writt)"
         r"(?:t?ed|d|en)\b(?!\s+(?:yet|but|except))",
         lambda m: f"never {m['what'].replace('writt', 'write')} anything"),
        (r"\bonly\s+(?:i|humans?|people)\s+(?:(?:am|are)\s+(?:allowed|permitted)\s+to|may|can|get\s+to)\s+",
         "never "),
        (r"\bi\s+(?:do\s+not|don['’]?t)\s+want\s+(?:you\s+to\s+|to\s+see\s+(?:any\s+)?|you\s+(?=\w+ing\b))"
         r"(?:ever\s+)?", _unwanted),
        (r"^push(?:ing|es)?\s+(?:only\s+|is\s+only\s+allowed\s+)to\b|^only\s+(?:ever\s+)?push(?:ing)?\s+(?:\w+\s+)?to\b",
         "never push except to"),
        (r"\bpush(?:ing)?\s+(?:to\s+)?(?:any(?:thing|where)?\s+)?(?:except|but|other\s+than)\s+(?:to\s+|on\s+)?(?:your\s+|an?\s+)?"
         r"(?:feature|topic|working)\s+branch(?:es)?",
         "push to main, master, trunk, develop, staging, production or release"),
        (rf"^(?:you\s+(?:may|can|should|must)\s+)?(?:only\s+(?:ever\s+)?{EDITING}|{EDITING}\s+(?:code\s+|files\s+)?only)\s+(?:(?:any|the)\s+)?(?:files?\s+|code\s+|things\s+)?"
         r"(?:in|in\s?side|within|under|below)\s+(?=\S*[/`])", "never edit anything outside of "),
        (rf"^(?:please\s+)?only\s+(?:ever\s+)?{EDITING}\s+(?P<what>(?:(?:the|files?|in|under)\s+)*\S*[./`]\S*)\s+(?:through|via|using|by\s+(?:running|using|calling))\s+",
         r"never edit \g<what>, use "),
        (rf"^(?:please\s+)?(?:restrict|limit|confine|keep)\s+(?:all\s+)?(?:of\s+)?(?:your\s+|the\s+)?(?:file\s+)?(?:{EDITING}|edits?|changes?)"
         r"\s+(?:to|in|in\s?side|within|under)\s+(?:files?\s+(?:in|under)\s+)?(?=\S*[/`])",
         "never edit anything outside of "),
        (r"\bstay\s+(?:well\s+)?(?:out|clear)\s+of\s+", "never touch "),
        (r"^(?:please\s+)?(?:keep|leave|treat|consider)\s+(?P<what>(?!`[^`]*\s)\S.{0,80}?)\s+(?:exactly\s+|just\s+)?"
         r"(?:(?:as\s+)?(?:read[\s-]?only|immutable|untouched|unchanged|frozen|off[\s-]limits)|alone|intact|as[\s-]is"
         r"|(?:as|the\s+way)\s+(?:it|they)\s+(?:is|are)(?=\s*(?:[.,;:!)]|$)))\b", r"never touch \g<what>"),
        (r"^no\s+(?:new|more|extra|additional|further)\s+(?=(?:\w+\s+)?(?:dependenc|packages?\b|librar))",
         "never add new "),
        (r"\b(?:do\s*n[o'’]?t|never)\s+(?:you\s+)?(?:ever\s+)?(?:dare|bother|(?:even\s+)?think\s+(?:of|about))(?:\s+to)?\s+",
         "never "),
        (r"\b(?:do\s*n[o'’]?t|never)\s+let\s+((?:the\s+|an?\s+)?(?:`[\w-]+`|[\w-]+)(?:\s+mcp)?(?:\s+server)?)\s+(\w+)",
         r"never use \1 to \2"),
        (r"^(?:the\s+)?([\w-]+)\s+mcp(?:\s+server)?\s+(?:must|may|should|can|shall)\s*(?:not|n['’]t|never)\s+(?!be\b)(\w+)",
         r"never use the \1 mcp to \2"),
        (rf"\b(?:get|wait\s+for|you\s+need)\s+{MY_WORD}\s+before\s+(?:you\s+)?",
         "ask before "),
        (r"\bkeep\s+(?:your\s+)?(?:fingers|paws|mitts|nose|hands|out|clear|away)\s*(?:off|out|away|clear)?(?:\s*(?:of|from))?"
         r"\s+", "never touch "),
        (r"\b(?:you\s+have|there\s+is|you['’]ve\s+got)\s+no\s+business\s+(?:being\s+|working\s+)?(?:in|with|near|on|touching|editing)\s+",
         "never touch "),
        (r"\bno(?:\s+one|body|\s+agent)\s+(?:ever\s+)?(?:gets\s+to\s+)?(?=(?:run|use|call|touche|edit|create|delete|pushe|deploy|change|merge|install)s\b)",
         "never "),
        (r"\bif\s+i\s+(?:ever\s+)?(?:see|catch|find)(?:\s+you)?(?:\s+(?:running|using|doing|calling|with|an?|another|one\s+more"
         r"|any))*\s+", "never run "),
        (r"^(?:(\w+):\s+)?(.{3,60}?)\s+(?:is|are)\s+(?:the\s+one|something|one|a)\s+(?:thing\s+)?(?:that\s+)?(?:you|we|agents?)\s+"
         r"(?:must|should|may|can|will)?\s*never\s+(?:ever\s+)?(\w+)",
         r"never \3 \1 \2"),
        (r"(?:^|(?<=\s-\s)|(?<=[,;:–—]\s))((?:`[^`./]+\.(?!py\b|js\b|ts\b|md\b|env\b|json\b|ya?ml\b|toml\b)[^`./]+`(?:\s*(?:,|and|or)\s*)?)+)\s+never\s+gets?\s+\w+",
         r"never use \1"),
        (r"^.*\b(?:forbidden|never|not|don['’]?t|no)\b.*\(((?:`?mcp__\w+__\w+`?(?:,\s*|\s+(?:and|or)\s+)?)+)\).*$",
         lambda m: f"never use {m[1].replace(', ', ' and ')}."),
        (rf"^{AGENT}\s+(?:(?:just|always|still|keeps?|kept|on)\s+)*(?:ran|run(?:s|ning)?|us(?:e[sd]?|ing)|call(?:s|ed|ing)?)"
         rf"\s+(?P<what>`[^`]+`|[^`,;:]{{1,60}}){MISTAKEN}", _mistaken),
        (rf"^(?P<what>`[^`]+`|[^`,;:]{{1,60}}?)\s+is\s+what\s+{AGENT}\s+(?:always\s+|still\s+)*(?:runs?|uses?|calls?){MISTAKEN}",
         _mistaken),
        (r"(?<!n['’]t\s)(?<!not\s)(?<!never\s)\bforget\s+(?:about\s+)?(?=`|[a-z][\w-]+\s+[-\w])", "never "),
        (r"\b(?:i\s+won['’]?t\s+have|we\s+(?:do\s+not|don['’]?t)\s+(?:tolerate|do|want|allow))\s+(?=\S)", _unwanted),
        (r"\b(?:never\s+touch|hands\s+off)\s+(?:the\s+)?(`?[\w./*-]+`?)\s+branch(?:es)?\b", r"never push to \1"),
        (r"\s+(?:straight|directly|right)\s+(?=from\s)", " "),
        (r"([,;:—–]\s*)(?:so|therefore|thus|hence|which\s+means)\s*:?,?\s+(?=(?:no|never|don'?t|do\s+not)\b)", r"\1"),
        (r"(\bno\s+`[^`]+`)\s+(?:from|by|for)\s+(?:you|agents?|bots?)\b", r"\1"),
    )
]  # fmt: skip
ONLY = re.compile(
    r"^(?:please\s+)?(?:only\s+(?:use\s+)?(`?[\w-]+`?)(?:\s+(?:is|may\s+be)\s+(?:allowed|used|permitted|ok|okay))?"
    r"(?:\s+(?:here|in(?:\s\w+){1,3}))?"
    r"|(?:use\s+)?(`?[\w-]+`?)\s+(?:only|exclusively)(?:\s+(?:here|(?:in|on)(?:\s\w+){1,3}))?"
    r"|(?:use\s+)?nothing\s+but\s+(`?[\w-]+`?)"
    r"|(?:all|every)\s+(?:\w+\s+){0,3}?(?:packages?|dependenc\w+|installs?|containers?)\s+(?:\w+\s+){0,2}?"
    r"(?:go|goes|done|happens?)\s+(?:through|via|with)\s+(`?[\w-]+`?))\s*[.!,;]*$",
    re.IGNORECASE,
)
UNTIL = re.compile(r"\s*(?:until|till|unless|without|before)\b", re.IGNORECASE)  # till then it holds
READ_ONLY = re.compile(r"\bread[\s-]?only\b|\b(?:only|just)\s+(?:for\s+)?(?:reading|reads|looking)\b", re.IGNORECASE)
CONTRAST = re.compile(
    r"(?:,\s*(?:but\s+)?|\bbut\s+)(?P<bad>`?[a-z][\w:-]*`?(?:(?:\s*/\s*|,\s*|\s+(?:and|or)\s+)`?[a-z][\w:-]*`?)*)\s+"
    r"(?:no|(?:is|are)\s*(?:not|n['’]t))\s*[.!]*$",
    re.IGNORECASE,
)


def plain(sentences: list[str]) -> list[str]:
    """The sentences with what forbids said as "never ...", and pronouns as what they stand for."""
    out: list[str] = []
    for i, sentence in enumerate(sentences):
        before = sentences[i - 1] if i else ""
        for pattern, said in PLAINLY:
            sentence = pattern.sub(said, sentence)
        sentence = re.sub(r"\bnever touch (`?[a-z][\w.-]*)(?= )", _runs, sentence)
        sentence = _read_only(_only(sentence))
        out.append(_judged(_refused(resolved(sentence, before), before), before))
    return out


def _runs(m: re.Match[str]) -> str:
    """A command is not touched but run."""
    return f"never {m[1]}" if is_program(m[1].strip("`")) else m[0]


def _only(sentence: str) -> str:
    """ "pnpm only", "all installs go through pnpm": the others of its family are never to be used."""
    found = ONLY.match(sentence)
    word = next((w for w in found.groups() if w), "").strip("`") if found else ""
    others = rivals(word)
    return f"never use {' or '.join(others)}, use {word}." if others else sentence


def _read_only(sentence: str) -> str:
    """ "kubectl against production: read only": what the program has for changing things is never to be run."""
    program = program_in(sentence)
    verbs = mutations(program)
    if not verbs or not READ_ONLY.search(sentence):
        return sentence
    place = next((f" on {word}" for word in re.findall(r"\w+", sentence.lower()) if word in ENVIRONMENTS), "")
    return f"never {program} {'/'.join(verbs)}{place}."


def _refused(sentence: str, before: str) -> str:
    """ "az group delete? Absolutely not.": what the sentence before names is refused."""
    refused = subject_of(before)
    return f"never {refused}." if REFUSAL.match(sentence) and acts(refused) else sentence


def _judged(sentence: str, before: str) -> str:
    """ "mamba and pip are off the table" as "never mamba and pip", "plan yes, apply no" as "never terraform apply"."""
    contrast = CONTRAST.search(sentence)
    if contrast:
        program = program_in(sentence[: contrast.start()]) or program_in(before)
        if program and not is_program(contrast["bad"].strip("`").split("/")[0].split(",")[0].split()[0]):
            place = place_in(sentence[: contrast.start()])
            return f"never {program} {_slashes(contrast['bad'])}{place}."
    hidden = masked(sentence)
    verdict = VERDICT.search(hidden)
    if not verdict:
        return sentence
    start = max((m.end() for m in CLAUSE.finditer(hidden, 0, verdict.start())), default=0)
    what = LEADS.sub("", sentence[start : verdict.start()].strip())
    behind = sentence[verdict.end() :]
    rest = re.match(
        r"[^;.]*?(?<!\w)((?:in|on|against|under)\s+`?(?:\w+/[\w/-]*|(?:the\s+)?\w+)(?:\.[\w/-]+)*`?)",
        behind.partition(" except ")[0],
    )
    if not acts(what) or (PATH.match(what) and not is_script(what.strip("`")) and NO_GOOD.search(verdict[0])):
        return sentence
    touched = (
        "touch "
        if (PATH.match(what) or re.match(r"(?:files?|folder|directory)\s", what))
        and not is_program(what.split()[0].strip("`"), False)
        else ""
    )
    place = f" {rest[1]}" if rest and ("/" in rest[1] or rest[1].split()[-1].lower() in ENVIRONMENTS) else ""
    when = LIMITS.match(behind.lstrip()) and not UNTIL.match(behind)
    return f"{sentence[:start]}never {touched}{what}{place}{'' if when else ';'}{behind}"


def _slashes(words: str) -> str:
    """Alternatives in one word: "delete, apply and edit" as "delete/apply/edit"."""
    return re.sub(r"\s*(?:/|,|\s(?:and|or)\s)\s*", "/", words.replace("`", ""))
