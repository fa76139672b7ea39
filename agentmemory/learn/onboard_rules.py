"""What a project's own documents ask of those who work on it: rule files for agents, contributing guides, decisions."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import groupby

from agentmemory.learn.onboard_found import LONGEST_ROUTINE, MARKED_UP, PLAYED, TAG, Finding, plain
from agentmemory.learn.onboard_tree import NEAR, Tree

AGENT_FILES = (
    "claude.md", "claude.local.md", "agents.md", "gemini.md", "copilot-instructions.md", ".cursorrules",
    ".windsurfrules", ".clinerules", "conventions.md",
)  # fmt: skip
GUIDES = (
    "contributing.md", "contributing.rst", "contributing.txt", "contributing", "contributing.adoc", "hacking.md",
    "hacking.rst", "development.md", "development.rst", "developing.md", "styleguide.md", "style_guide.md",
)  # fmt: skip
READMES = ("readme.md", "readme.rst", "readme.txt", "readme")
PER_FILE = 60
MOST_DOCUMENTS = 60

FORBIDS = re.compile(
    r"\b(?:never|must not|mustn't|(?:do not|don't)(?! (?:have|need|want|worry|hesitate|forget))|shall not|may not|"
    r"not allowed|forbidden|prohibited)\b"
    r"|^no (?!need|problem|one\b|matter|longer|worr|prior|question|experience|contribution|more\b)[\w`-]", re.I,
)  # fmt: skip
DEMANDS = re.compile(
    r"\b(?:must|always|shall|required to|is required|are required|mandatory|need to|has to|have to)\b", re.I
)
ADVISES = re.compile(
    r"\b(?:should|prefer|avoid|make sure|ensure|please|recommended|stick to|instead of|rather than)\b", re.I
)
IMPERATIVE = re.compile(
    r"(?:please\s+)?(?:use|run|add|keep|write|put|follow|include|update|avoid|prefer|document|test|format|create|name|"
    r"commit|squash|rebase|import|place|store|check|install|open|submit|target|base|branch|bump|build|call|cover|"
    r"define|describe|ensure|extend|fix|limit|lint|maintain|make|mark|match|mock|move|pin|prefix|propose|read|reference|"
    r"release|remove|rename|respect|return|separate|set|sign|sort|split|start|stay|stick|tag|treat|try|type|validate|"
    r"verify|wrap|log|raise|handle|inherit|annotate|declare|export|group|generate|edit|delete|do|don't|never|always|only)\b",
    re.I,
)
#: what wants somebody's word first
ASKS = re.compile(r"(?:please\s+)?(?:ask|check with|talk to)\b.{0,40}\bbefore\b", re.I)
#: "Before you push, run `make check`"
WHEN = re.compile(r"(?:before|after|when(?:ever)?|every time|each time)\s+(?!that\b)[^,.]{3,60},\s+", re.I)
REASONED = re.compile(
    r"\b(?:we|the project|this project)\b.{0,40}\b(?:decided|chose|switched|moved|migrated|dropped|replaced|settled|"
    r"standardi[sz]ed)\b", re.I,
)  # fmt: skip
ENDS = re.compile(
    r"(?:drop(?:ped|s)?|remov(?:ed|es?)|end(?:ed|s)?)\b.{0,20}\bsupport (?:for|of)\b|"
    r"(?:now )?requires?\b.{0,30}\b\d+\.\d+|[\w. ]{2,30} (?:is|are) no longer supported", re.I,
)  # fmt: skip
HEADINGS = re.compile(
    r"develop|contribut|hack|test|build|style|convention|guideline|lint|format|release|workflow|commit|pull request|"
    r"architecture|rules?\b", re.I,
)  # fmt: skip
#: headings below which every line is about how things are done
MANNERS = re.compile(
    r"style|convention|guideline|rules?\b|naming|format|commit|\bPRs?\b|pull request|principle|practice|don'?ts?\b"
    r"|standard",
    re.I,
)
#: headings below which people are told how to take part, not how things are done here
WAYS = re.compile(
    r"\b(?:ways?|how) to (?:help|contribute)\b|getting started|set ?up|submitting|install|question|report", re.I
)
#: what every guide says of the way of a change
BOILERPLATE = re.compile(
    r"(?:create|make|start|check ?out) (?:an?|your|the) (?:new |own )?(?:feature |topic )*branch"
    r"|commit (?:your|the) (?:changes|work)|push (?:to|your|the)"
    r"|(?:open|submit|create|send|make) (?:an?|the|your) (?:pull request|PR|merge request|issue|patch)\b"
    r"|install (?:the |all )?(?:dependenc|requirement|python|node)|wait for|fix typos",
    re.I,
)
#: headings of what is done step by step
ROUTINES = re.compile(
    r"releas|deploy|publish|migrat|upgrad|roll ?back|hotfix|new (?:version|package|module)|add(?:ing)? an?\b"
    r"|workflow|checklist|\bsteps\b",
    re.I,
)
SOCIAL = re.compile(
    r"code of conduct|licen[sc]e|cla\b|copyright|warrant|respectful|welcom|thank|happy|feel free|newcomer|"
    r"first[- ]time|good first issue|sponsor|donat|stack overflow|discord|slack|mailing list|chat|security vulnerab|"
    r"report(?:ing)? (?:a |an )?(?:bug|issue)|bug report|feature request|e-?mail us|star (?:the|this)|fork the|click|"
    r"\bfork\b|git clone|your (?:name|username|github)|if you (?:have|find|want|would|are|need|think|like)|"
    r"ask (?:a |for )?(?:question|help)|get(?:ting)? help\b|discussion|issue tracker|maintainer|radio button|\bpaid\b|"
    r"funds|contribution is",
    re.I,
)
#: sentences that lean on the one before, or tell what happens instead of what to do
LEANS = re.compile(
    r"^\s*(?:you (?:can|may|might|could|will|won't|probably|don't|do not)|(?:it|this|that|these|those|they|there|he)\b|"
    r"we'll\b|we will\b|for example|e\.g\.|note that|see |if (?:you )?(?:don't|not|so)\b|as long as|sadly|"
    r"however|also\b|therefore|otherwise|since |because |but |and |or |so |thus|then |while |although|unfortunately|"
    r"very |even |in (?:that|this|which) case|again|finally|instead|once |after that|of course|maybe|perhaps|"
    r"yes|no,|ideally)",
    re.I,
)
#: "always" and "never" that tell somebody what to do, not how things are
TOLD = re.compile(r"(?:^|\b(?:should|must|please|and|or|to|you|we|them|it) )(?:always|never)\b", re.I)
HOW_THINGS_ARE = re.compile(r"\b(?:always|never)\b", re.I)
#: what a guide for people says to a machine: rules for agents belong into the files that agents are told to read
TO_A_MODEL = re.compile(
    r"\b(?:AIs?|LLMs?|assistants|language models?|(?:AI|coding|LLM)[ -](?:agents?|assistants?|models?))\b"
    r"[^.]{0,20}(?:[:,]|\b(?:must|should|shall)\b)",
    re.I,
)
SENTENCE = re.compile(r"(?<=[.!?])(?<!\be\.g\.)(?<!\bi\.e\.)\s+(?=[A-Z`\"'(])")
BULLET = re.compile(r"^\s{0,12}(?:[-*+•]|\d{1,3}[.)]|#\.)\s+(?:\[[ xX]\]\s+)?")
UNDERLINE = re.compile(r"^([=\-~^\"'`#*+.])\1{2,}\s*$")


@dataclass(frozen=True, slots=True)
class Statement:
    """A sentence or list item of a document, and the headings above it. step: the number of the item, 0 for none."""

    text: str
    heading: str
    listed: bool
    step: int = 0


def rules(tree: Tree) -> Iterator[Finding]:
    """Rules and preferences of agent files, guides and the developers' part of a readme, as the files say them."""
    agent = [p for p in tree.files if p.rsplit("/", 1)[-1].lower() in AGENT_FILES or _is_rule_folder(p)]
    everywhere: set[str] = set()
    for path in agent[:MOST_DOCUMENTS]:
        folder = path.rpartition("/")[0]
        for found in _of_file(tree, path, "agent"):
            if not folder or folder.startswith("."):
                everywhere.add(found.text)
                yield found
            elif found.text not in everywhere:  # what a folder's file asks is asked there
                yield replace(found, text=f"{found.text} (in `{folder}/`)")
    for path in tree.named(*GUIDES, deepest=NEAR)[:8]:
        yield from _of_file(tree, path, "guide")
    for path in tree.named(*READMES, deepest=0)[:1]:
        yield from _of_file(tree, path, "readme")


def decisions(tree: Tree) -> Iterator[Finding]:
    """What decision records settle, and what the latest changes no longer support."""
    for path in [p for p in tree.files if _is_decision(p)][:MOST_DOCUMENTS]:
        found = _decision(tree.read(path))
        if found:
            yield Finding("decision", found[1], path, "decision", context=found[0])
    for path in tree.named("changelog.md", "changelog.rst", "changes.md", "changes.rst", "history.md", "history.rst")[
        :1
    ]:
        for text in _dropped(tree.read(path, 2_000_000)):
            yield Finding("fact", text, path, "changelog", context="support")


def statements(text: str) -> Iterator[Statement]:
    """Sentences and list items of Markdown or reStructuredText, code blocks left out."""
    text = TAG.sub(" ", PLAYED.sub("", _without_front_matter(text)))
    heading: list[tuple[int, str]] = []
    block: list[str] = []
    fence = ""
    lines = text.split("\n")[:6_000]
    for i, line in enumerate(lines):
        mark = line.strip()[:3]
        if fence or mark in ("```", "~~~"):
            fence = "" if fence and mark == fence else fence or mark
            yield from _sentences(block, heading)
            block = []
            continue
        under = lines[i + 1] if i + 1 < len(lines) else ""
        title = re.match(r"(#{1,6})\s+(.*?)#*\s*$", line)
        if title or (line.strip() and UNDERLINE.match(under) and len(under.rstrip()) >= len(line.strip()) - 1):
            yield from _sentences(block, heading)
            block = []
            level = len(title[1]) if title else {"=": 1, "-": 2}.get(under[0], 3)
            heading = [h for h in heading if h[0] < level] + [(level, (title[2] if title else line).strip())]
        elif UNDERLINE.match(line) or line.lstrip().startswith(("|", ".. ", ">", "$ ", ":")):
            yield from _sentences(block, heading)
            block = []
        elif not line.strip() or (BULLET.match(line) and block):
            yield from _sentences(block, heading)
            block = [line] if line.strip() else []
        elif line.startswith(("    ", "\t")) and not block:
            continue  # an indented code block
        else:
            block.append(line)
    yield from _sentences(block, heading)


def _sentences(block: list[str], heading: list[tuple[int, str]]) -> Iterator[Statement]:
    if not block:
        return
    listed = bool(BULLET.match(block[0]))
    number = re.match(r"\s{0,3}(\d{1,2})[.)]\s", block[0])
    step = int(number[1]) if number else 0
    text = " ".join(line.strip() for line in [BULLET.sub("", block[0]), *block[1:]])
    above = " / ".join(title for _, title in heading[-2:])
    parts = [text] if listed and (step or len(text) <= 280) else SENTENCE.split(text)
    for part in parts:
        yield Statement(part.strip(), above, listed, step)


def _of_file(tree: Tree, path: str, sort: str) -> Iterator[Finding]:
    kept = 0
    for said in _joined(_plain(tree.read(path)), sort):
        kind = "procedure" if said.step < 0 else _kind(said, sort)
        if kind and kept == PER_FILE:
            tree.cut.add(f"rules:{path}")
            return
        if kind:
            kept += 1
            yield Finding(kind, said.text, path, "rules", context=said.heading)


def _plain(text: str) -> Iterator[Statement]:
    for said in statements(text):
        if len(said.text) <= MARKED_UP and len(said.heading) <= MARKED_UP:
            yield replace(said, text=plain(said.text), heading=plain(said.heading))


def _joined(said: Iterable[Statement], sort: str) -> Iterator[Statement]:
    """The statements, the numbered steps of a routine as one of step -1: "Releasing: 1. ... 2. ..."."""
    for (heading, numbered), run in groupby(said, key=lambda each: (each.heading, each.step > 0)):
        steps = list(run)
        title = heading.rsplit(" / ", 1)[-1]
        told = f"{title}: " + " ".join(f"{i}. {each.text}" for i, each in enumerate(steps, 1))
        in_order = [each.step for each in steps] in (list(range(1, len(steps) + 1)), [1] * len(steps))
        orders = any(FORBIDS.search(each.text) or ASKS.match(each.text) for each in steps)  # a numbered list of rules
        routine = numbered and len(steps) > 1 and in_order and ROUTINES.search(title) and not orders
        whole = len(told) <= LONGEST_ROUTINE and not any(
            each.text.endswith(":") or SOCIAL.search(each.text) for each in steps
        )
        if routine and whole and title:
            yield Statement(told, heading, True, -1)
        elif not routine or sort == "agent":  # a step alone is no way to do it
            yield from steps


def _kind(said: Statement, sort: str) -> str:
    """What kind of belief a statement makes, "" for none: strict for a guide, stricter for a readme."""
    if not _is_told(said, sort):
        return ""
    text, agent = said.text, sort == "agent"
    plainly = text if agent or TOLD.search(text) else HOW_THINGS_ARE.sub("", text)
    strong = bool(FORBIDS.search(plainly) or DEMANDS.search(plainly) or ASKS.match(text))
    when = WHEN.match(text)
    imperative = bool(IMPERATIVE.match(text, when.end() if when else 0))
    if sort == "guide" and not strong and _is_manner(said):
        return _wanted(text) if imperative else "fact"
    advises = bool(ADVISES.search(text))
    if strong or (imperative or advises if agent else imperative and ("`" in text or advises)):
        if not agent and (text.count("`") % 2 or re.search(r"\bwon't have to\b|\bthank", text, re.I)):
            return ""
        return "rule" if strong else _wanted(text)
    if REASONED.search(text):
        return "decision"
    return "fact" if agent and (said.listed or MANNERS.search(said.heading)) else ""


def _is_told(said: Statement, sort: str) -> bool:
    """Whether a statement stands by itself and is about the work: none that leans on another, nothing of how people
    meet, and outside of agents' own files nothing that is said to a model."""
    text, agent = said.text, sort == "agent"
    least = 2 if agent and said.listed else 3 if said.listed and FORBIDS.match(text) else 4
    if len(text.split()) < least or text.rstrip().endswith((":", "?", ",")) or LEANS.match(text):
        return False
    forbidden = FORBIDS.search(text) and " without " in text  # "... without a discussion"
    if SOCIAL.search(text) and not forbidden:
        return False
    if agent:
        return True
    about = sort == "guide" or HEADINGS.search(said.heading)
    return bool(about) and not (TO_A_MODEL.search(text) or SOCIAL.search(said.heading))


def _wanted(text: str) -> str:
    runs = re.match(r"(?:please )?(?:run|build|install|generate|release|bump)\b", text, re.I)
    return "procedure" if runs else "preference"


def _is_manner(said: Statement) -> bool:
    """Whether a line of a guide says how things are done here: an item of a list, or what always is, in a few words."""
    told = said.listed or (MANNERS.search(said.heading) and HOW_THINGS_ARE.search(said.text))
    where = HEADINGS.search(said.heading) and not WAYS.search(said.heading)
    return bool(told and where and len(said.text.split()) <= 25 and not BOILERPLATE.search(said.text))


def _is_rule_folder(path: str) -> bool:
    return path.startswith((".cursor/rules/", ".claude/rules/", ".github/instructions/")) and path.endswith(
        (".md", ".mdc")
    )


def _is_decision(path: str) -> bool:
    low = path.lower()
    parts = low.split("/")
    return low.endswith((".md", ".rst")) and any(
        p in ("adr", "adrs", "decisions", "decision-records") for p in parts[:-1]
    )


def _decision(text: str) -> tuple[str, str] | None:
    """Title and the sentence of a decision record that decides; None for what was rejected or replaced."""
    low = text.lower()
    if re.search(r"status\W{0,12}(?:rejected|superseded|deprecated|proposed|draft)", low):
        return None
    title = next((line.lstrip("# ").strip() for line in text.split("\n") if line.startswith("# ")), "")
    title = re.sub(r"^(?:adr[- ]?)?\d+[.:)\s-]+", "", title, flags=re.I)
    for said in statements(text):
        if re.search(r"\bdecision(?: outcome)?\b", said.heading.split(" / ")[-1], re.I) and len(said.text.split()) > 3:
            joined = said.text if len(said.text) > 40 or not title else f"{title}: {said.text}"
            return title, joined
    return (title, title) if title and len(title.split()) > 2 else None


def _dropped(text: str) -> Iterator[str]:
    """Lines of the newest entries that end support for something."""
    kept: dict[str, str] = {}
    for said in statements(text[:20_000]):
        if ENDS.match(said.text) and 3 <= len(said.text.split()) <= 24 and len(kept) < 4:
            version = re.search(r"\d+\.\d+[\w.]*", said.heading)
            plain = said.text.rstrip(". ")
            kept.setdefault(plain, f"{plain} (since {version[0]})" if version else plain)
    yield from kept.values()


def _without_front_matter(text: str) -> str:
    if text.startswith("---\n") and (end := text.find("\n---", 4)) > 0:
        return text[end + 4 :]
    return text
