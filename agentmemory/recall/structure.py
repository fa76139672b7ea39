"""Layer 0: what the words of a prompt do: its verbs, targets, files, symbols; is it about the past. Reads no table and
brings no hit."""

from itertools import pairwise

from agentmemory.recall import past, pasted, talk
from agentmemory.records import Hit, Query
from agentmemory.text import content, stem, tongue, words

TYPE_CHECKING = False
if TYPE_CHECKING:
    from agentmemory.store.rows import Database

MAX_CHARS = 6_000  # of a longer prompt (pasted logs) the head and the tail are read: requests stand there
TAIL_CHARS = 2_000

#: stems of verbs of developers' requests, by the kind of work they ask for
TASKS = {
    "change": "add alter adjust bump chang convert edit extend fix hotfix increas lower make migrat modifi "
    "move patch put rais refactor remov renam replac rewrit set shuffl split updat upgrad",
    "create": "build creat design draft draw gener implement instal introduc onboard scaffold sketch write",
    "ship": "commit deploy merg promot publish push releas roll ship sync tag",
    "debug": "debug diagnos investig repair reproduc trace troubleshoot",
    "check": "audit check review test valid verifi",
}
VERBS = {verb: task for task, verbs in TASKS.items() for verb in verbs.split()}

#: closed-class words only: they tell how a request is built, not what it is about
LEADING = frozenset(
    "ok okay please pls kindly then now and so yes well hi hey can could would will you we lets also".split()
)
BEFORE_RELATIVES = frozenset("in on from to at with for by of through".split())
TELLING = frozenset(
    "tell me us him her them say know explain show remind wonder wonders asks remember describe list see".split()
)
RELATIVE = frozenset("which who whose where when while".split())
TO_WORK = frozenset(
    "bring take get give make do construct develop program code prepare handle deal finish complete open close start"
    " stop run try examine inspect investigate explore analyse analyze compute calculate plot count collect find"
    " look onboard provision configure enable disable turn switch hook wire connect format clean tidy restore rollback"
    " bump"
    " cut let redo rework extract wrap port translate draft compose put hand send".split()
)
#: per cent of which something is said to be nearly full, as the thesaurus has it
NEARLY = frozenset(str(n) for n in range(85, 101))
NEARLY_FULL = "nearly full"
#: a whole routine is asked for
ROUTINE = frozenset(
    "step steps checklist routine procedure runbook playbook sequence walkthrough recipe drill precautions"
    " prerequisites registrations formalities".split()
)
ROUTINE_PAIRS = frozenset(
    "which_order the_order of_operations in_order whole_thing whole_way the_way all_of of_it what_all walk_me has_to"
    " must_happen must_precede end_to to_end do_everything everything_that everything_needed until_it is_to to_finish"
    " are_all all_over".split()
)
SAYS = frozenset("says said claims mentions states still".split())  # "the runbook says 02:30": not asked for as a whole
HELPING = frozenset("do must should may does has have did can".split())
ASKING = frozenset(
    "what whats which who whos whom whose where wheres when whens why how hows is are was were do does did can could"
    " should shall would will may has have had am isnt arent".split()
)
WH = frozenset("what whats which who whos whom whose where wheres why how hows when whens".split())
BEGINS = "\"'`,;:!?()[]{}<>…"  # what may stand before a name
ENDS = BEGINS + "."  # and behind it
SENTENCE_ENDS = (". ", "? ", "! ", ".\n", "?\n", "!\n")


def structure(db: "Database", query: Query, hits: "list[Hit]") -> "list[Hit]":
    """Fill the query; the hits stay as they are."""
    text, beside = looked_at(query.text)
    query.said = text
    raw = words(text)
    query.stems = list(dict.fromkeys(content(text)))
    query.pairs = list(dict.fromkeys(f"{a} {b}" for a, b in pairwise(raw)))
    if any(token.endswith("%") and token[:-1] in NEARLY for token in text.split()):
        query.pairs.append(NEARLY_FULL)
    query.files, query.symbols = names(f"{text}\n{beside}" if beside else text)
    query.verbs = [s for s in query.stems if s in VERBS]
    query.targets = [s for s in query.stems if s not in VERBS]
    query.beside = list(dict.fromkeys([*query.stems, *content(beside)]))[len(query.stems) :]
    query.plain, query.tongue = in_english(text, raw)
    raw = words(query.plain)
    query.asks = "?" in text or (bool(raw) and raw[0] in ASKING)
    query.about_past = past.likely(raw, query.asks) >= past.FROM
    query.routine = wants_all(raw)
    query.work = wants_work(query.plain, query)
    return hits


def in_english(text: str, raw: list[str]) -> "tuple[str, int]":
    """The text with its words of structure in English, where they are Spanish, French or German, and the place of its
    language in `text.STRUCTURE`; -1 for English. *raw*: its words."""
    if tongue(set(raw)) < 0:
        return text, -1
    from agentmemory.recall import spoken  # its tables are loaded for few prompts

    place = spoken.language(text)
    return spoken.in_english(text, place), place


def looked_at(text: str) -> "tuple[str, str]":
    """What is read of a prompt: what is asked for, and what was pasted or is named around that; of a long one its head
    and its tail."""
    if len(text) > MAX_CHARS:
        text = f"{text[: MAX_CHARS - TAIL_CHARS]}\n{text[-TAIL_CHARS:]}"
    typed, beside = pasted.apart(text)
    typed, around = talk.apart(typed)
    return typed, f"{beside}\n{around}" if around else beside


def names(text: str) -> tuple[list[str], list[str]]:
    """Paths and file names, and other identifiers (camelCase, snake_case, flags), as they are written."""
    files: list[str] = []
    symbols: list[str] = []
    for token in text.split():
        token = token.rstrip(ENDS).lstrip(BEGINS)
        if '"' in token:
            continue  # data rather than a name
        if len(token) < 3 or len(token) > 200 or not any(c.isalpha() for c in token):
            continue
        if token[0] == "@" and ("." in token.rpartition("/")[2] or token[-1] == "/"):
            token = token[1:]  # how clients let people point at a file or folder; "@scope/package" is none
        stem_, dot, ending = token.rpartition(".")
        if "://" in token:
            symbols.append(token)
        elif (
            ("/" in token and not token.startswith("/") and "//" not in token)
            or (dot and stem_ and 1 <= len(ending) <= 5 and ending.isalnum() and not ending.isdigit())
            or (token.startswith(("/", "./", "~/")) and token.count("/") > 1)
        ):
            files.append(token)
        elif "_" in token or token.startswith("--") or "@" in token or _inner_capital(token):
            symbols.append(token)
    return files, symbols


def wants_work(text: str, query: Query) -> bool:
    """Whether the prompt asks for something to be done, rather than to be told."""
    said = sentences(text)
    asked = any(questions(sentence) for sentence in said)
    if any(orders(words(clause)) for sentence in said for clause in clauses(sentence)):
        return not (query.about_past and asked)
    return not (asked or query.about_past or query.routine)


def questions(sentence: str) -> bool:
    """Whether a sentence asks: by its mark, by its first word or that of a clause, or "tell me which"; a relative
    clause does not."""
    if sentence.rstrip().endswith("?"):
        return True
    return any(_asks(words(clause), not place) for place, clause in enumerate(clauses(sentence)))


def _asks(raw: list[str], first: bool) -> bool:
    """Whether a clause asks; *first*: it begins its sentence, so that "which" is no relative."""
    if raw[:1] == ["tell"] or any(word in WH and before in TELLING for before, word in pairwise(raw)):
        return True
    start = next((at for at, word in enumerate(raw) if word not in LEADING or word in ASKING), 0)
    if raw[start : start + 1] and raw[start] in BEFORE_RELATIVES:
        start += 1  # "in which file"
    opening, rest = raw[start : start + 1], raw[start + 1 : start + 4]
    if not opening or opening[0] not in ASKING:
        return False
    return first or opening[0] not in RELATIVE or not HELPING.isdisjoint(rest)


def clauses(sentence: str) -> list[str]:
    """The pieces of a sentence between commas and colons."""
    return sentence.replace(": ", ", ").split(", ")


def wants_all(raw: list[str]) -> bool:
    """Whether the prompt asks for a whole routine: "all the steps", "in which order", "what has to be done until"."""
    asked = any(word in ROUTINE and after not in SAYS for word, after in pairwise([*raw, ""]))
    return asked or any(f"{a}_{b}" in ROUTINE_PAIRS for a, b in pairwise(raw))


def orders(raw: list[str]) -> bool:
    """Whether the first word that says something is a verb of work: "ok commit that", "could you please add"."""
    first = next((word for word in raw if word not in LEADING), "")
    return first in TO_WORK or stem(first) in VERBS


def sentences(text: str) -> list[str]:
    """The text cut where a sentence or a line ends."""
    for end in SENTENCE_ENDS:
        text = text.replace(end, "\x00")
    return text.replace("\n", "\x00").split("\x00")


def _inner_capital(token: str) -> bool:
    return token.isascii() and any(c.isupper() for c in token[1:]) and any(c.islower() for c in token)
