"""What a sentence is about: its subject, the command, file or tool that it names, and what "it" and "there" stand for.

Knows how sentences go, nothing of what forbids.
"""

from __future__ import annotations

import re
from itertools import pairwise

from agentmemory.learn.guard_commands import ENVIRONMENTS, PLAIN_FILES, is_english, is_program, is_script, is_typical
from agentmemory.learn.guard_sentences import CODE

#: what another tells: not that one is meant by "that's wrong", but what it tells
TELLS = re.compile(
    r"\b(?:says?|said|tells?|told|claims?|wrote|writes|suggests?|recommends?|mentions?|describes?|shows?)\b", re.I
)
TOLD = re.compile(r":?\s*(?:(?:to|you\s+(?:should|must|can))\s+)?(?:run|use|call|do)?\s*(`[^`]*`)\W*", re.IGNORECASE)
PRONOUN = re.compile(r"^(?:it|that|this|they|those|these)\b", re.IGNORECASE)
OBJECT = re.compile(
    r"\b((?:use|run|call|touch|edit|editing|change|changing|delete|deleting|execute|do|doing|using|running|through|via|read"
    r"|reading|print|open|show|cat|commit|remove|move|rename|write|writing)\s+)"
    r"(?:it|them|that|those|these)\b(?!\s+\w+s\b)", re.IGNORECASE)  # fmt: skip
RUN = re.compile(r"(?:use|run|call|execute|using|running)\s", re.IGNORECASE)
ORDER = re.compile(
    r"^(?:never|do\s*n[o'’]?t|do\s+not|dont|avoid|no)\s+(?:ever\s+)?(?:(?:run|use|call|execute|using|running|calling)\s+)?",
    re.IGNORECASE,
)
BARE = re.compile(
    r"\b((?:do\s*n[o'’]?t|never|not\s+to)\s+(?:touch|edit|change|modify|write))(?=\s*[.,;!]?\s*$)", re.IGNORECASE
)
THERE = re.compile(r"\b(?:in\s+)?there\b(?!\s+(?:is|are|was|were))", re.IGNORECASE)
#: a verb of the sentence; "get", "run", "go" are left out, by which commands go on ("kubectl get", "npm run")
VERB = re.compile(
    r"\s+(?:is|are|was|were|has|have|had|will|must|can|may|should|does|do|gets|got|lives?|goes|comes?|costs?|breaks?|needs?"
    r"|runs|takes?|makes|happens?|hangs?|fails?|crash(?:es)?|wipes?|kills|eats?|wastes?|drops|deletes|removes|destroys"
    r"|rewrites|overwrites|touches|changes|hits|blocks|uses|writes|reads|prints|shows|pushes|starts|stops|restarts|resets|reformats|rebuilds|updates|upgrades)\b"
    r"|\s*\?|['’]s\s",
    re.IGNORECASE,
)
MAKERS = re.compile(
    r"\s+(?:is|are|gets?)\s+(?:auto-?)?(?:produced|written|created|managed|maintained|owned|built|emitted|updated)\s+"
    r"(?:\w+ally\s+)?(?:by|from)\s+(?!hand\b)", re.IGNORECASE)  # fmt: skip
#: what is made so is meant by "them", and not what makes it: "Migrations are created with `x`; don't write them"
MADE = re.compile(
    r"\s(?:is|are)\s+(?:\w+\s+)?(?:generated|created|built|made|produced|written)\s+(?:with|by|from|using)\b", re.I
)
CLAUSE = re.compile(
    r"[,;]\s+|:\s+|\s[–—-]{1,2}\s(?![.<*/])|\b(?:so|because|since|but)\s+|^(?:please|and|also|then)\s+", re.IGNORECASE
)
PATH = re.compile(
    r"`([\w@.~*-]*[/.][\w@./*-]*)`|(?<![\w/:])(~?\.{0,2}/?(?:[\w@.*-]+/)+[\w@.*-]*|/[\w.-]+(?:/[\w.-]+)*|(?<!\.)[\w-]+(?:\.[\w-]+)*\.[a-z]{2,5}\b"
    rf"|\b(?:{PLAIN_FILES})(?![\w.]))"
)
TOOL = re.compile(r"\bmcp__\w+|\b(?:WebFetch|WebSearch|NotebookEdit|TodoWrite)\b")
CLUSTER = re.compile(
    r"\b(\w+)\s+(?:cluster|environment|env|namespace|database|db|account|project|context)\b", re.IGNORECASE
)


def masked(sentence: str) -> str:
    """The sentence with quoted code made unreadable, at the same places."""
    return CODE.sub(lambda m: "`" + "x" * (len(m[0]) - 2) + "`", sentence)


def pieces(sentence: str, ends: re.Pattern[str]) -> list[str]:
    """A sentence cut where something *ends* a piece, that between the pieces; quoted code stays whole."""
    at = [0, *(at for found in ends.finditer(masked(sentence)) for at in found.span()), len(sentence)]
    return [sentence[start:end] for start, end in pairwise(at)]


def resolved(sentence: str, before: str) -> str:
    """The sentence with the thing named before in the place of "it" and "there"."""
    head = subject_of(before)
    if head and PRONOUN.match(sentence):
        sentence = PRONOUN.sub(lambda m: ORDER.sub("", head), sentence, count=1)
    pronoun = OBJECT.search(sentence)
    if pronoun:
        own = run_in(sentence[: pronoun.start()]) if RUN.match(pronoun[1]) else ""
        own = own or named_in(sentence[: pronoun.start()])
        by = MADE.search(masked(before)) is not None and not RUN.match(pronoun[1])
        thing = own or (head if by else named_in(before)) or head
        if thing and (by or acts(thing)):
            sentence = f"{sentence[: pronoun.start()]}{pronoun[1]}{thing}{sentence[pronoun.end() :]}"
    named = PATH.search(sentence) or PATH.search(before)
    path = (named[1] or named[2]) if named else ""
    there = THERE.search(sentence)
    if there and path:
        word = "to" if re.search(r"(?:push|merge|commit)\s+$", sentence[: there.start()]) else "in"
        sentence = f"{sentence[: there.start()]}{word} {path}{sentence[there.end() :]}"
    bare = BARE.search(sentence)
    if bare and path:
        sentence = f"{sentence[: bare.end()]} {path}{sentence[bare.end() :]}"
    made = MAKERS.search(sentence)
    if made and PATH.search(sentence[: made.start()]):
        sentence = f"{sentence[: made.start()]} is generated by {sentence[made.end() :]}"
    return sentence


def subject_of(sentence: str) -> str:
    """What a sentence is about: its words up to the verb, from the last clause before it."""
    hidden = masked(sentence)
    tells = TELLS.search(hidden)
    if tells:
        told = TOLD.fullmatch(sentence[tells.end() :])
        return told[1] if told else ""
    verb = VERB.search(hidden)
    end = verb.start() if verb else len(sentence.rstrip(".!? "))
    start = max((m.end() for m in CLAUSE.finditer(hidden, 0, end)), default=0)
    return sentence[start:end].strip(" .!?,;")


def named_in(text: str) -> str:
    """The tool, path or command that a text names, the last one; "" for none."""
    tools = TOOL.findall(text)
    if tools:
        return str(tools[-1])
    code = CODE.findall(text)
    if code:
        return f"`{code[-1]}`"
    found = PATH.search(text)
    if found:
        return found[1] or found[2]
    subject = subject_of(text)
    return subject if subject and acts(subject) else ""


def run_in(text: str) -> str:
    """The command that a text is about: what "run it" means behind "go get breaks go.mod"."""
    subject = subject_of(text)
    return subject if len(subject.split()) > 1 and is_program(subject.split()[0]) and acts(subject) else ""


def program_in(text: str) -> str:
    """The first program that a text names plainly."""
    words = (word.strip("`,:;.()") for word in text.split())
    return next((word for word in words if is_program(word, False) and not is_english(word)), "")


def place_in(text: str) -> str:
    """Where a text says that it holds: " on production" for "production cluster is ..."."""
    found = CLUSTER.search(text)
    return f" on {found[1]}" if found and found[1].lower() in ENVIRONMENTS else ""


def acts(what: str) -> bool:
    """Whether words name something that a tool call can show: a command, a file, a tool, an option."""
    words = [word.strip("`,;:\"'()") for word in what.split()]
    if not words or len(words) > 14:
        return False
    if re.match(r"(?:the\s+)?`?[\w-]+`?\s+namespace$", what):
        return True
    if (
        TOOL.search(what)
        or what.startswith("`")
        or PATH.match(what)
        or re.match(r"(?:the\s+)?(?:files?|folder|directory)\s", what)
    ):
        return True
    first = words[0].split("/")[0]
    follows = len(words) > 1 and (is_typical(words[1]) or words[1].startswith("-"))
    if is_program(first, len(words) > 1) and (not is_english(first) or follows):
        return True
    return (len(words) > 1 and bool(re.match(r"\w+ing\b", what))) or is_script(words[0])
