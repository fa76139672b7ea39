"""Layer 0: what the words of a prompt do: its demands, verbs, targets, files, symbols; is it about the past,
is it about us at all. Reads no table and brings no hit."""

from itertools import pairwise

from agentmemory.records import Hit, Query
from agentmemory.text import stem, stems, words

TYPE_CHECKING = False
if TYPE_CHECKING:
    from agentmemory.store.rows import Database

MAX_CHARS = 6_000  # of a longer prompt (pasted logs) the head and the tail are read: requests stand there
TAIL_CHARS = 2_000
SMALL_PART = 2  # stems below which a clause is no demand of its own

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
OURS = frozenset("we our ours us weve wed well were here again remind my mine ive".split())
ASKING = frozenset(
    "what whats which who whos whom whose where wheres when whens why how hows is are was were do does did can could"
    " should shall would will may has have had am isnt arent".split()
)
WH = frozenset("what which who whom whose where why how when".split())
PAST = frozenset(
    "was were used before earlier previously formerly originally initially once past history timeline evolution"
    " evolved changed ever always first start beginning back ago until former previous old older original then"
    " legacy leftover stale outdated obsolete valid current currently still anymore longer did since".split()
)
#: pairs of words that ask about time, whatever else they say
PAST_PAIRS = frozenset(
    "at_first|the_first|very_first|the_start|the_beginning|used_to|back_then|over_time|up_to|so_far|since_when|"
    "still_valid|still_true|still_current|still_right|still_correct|still_apply|still_hold|is_still|are_still|"
    "we_still|before_that|before_this|before_the|after_that|was_the|was_it|were_the|were_we|did_we|we_had|it_was|"
    "no_longer|not_anymore|any_more|out_of_date|up_to_date|or_leftover|or_stale|or_outdated|or_old|"
    "always_this|always_the|always_like|always_been|history_of|the_history|the_timeline|timeline_for|timeline_of|"
    "can_stay|line_stay|that_stay|it_stay".split("|")
)
MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
#: openings of requests for common knowledge, and words that ask for a snippet anybody could write
LECTURES = (
    "how do i ", "how to ", "how can i ", "how does one ", "how would i ", "how would one ", "how does ",
    "how do you ", "explain ", "whats the difference ", "what is the difference ", "difference between ",
    "translate ", "what does ", "what is a ", "what is an ", "whats a ", "whats an ", "what are ", "define ",
    "what do you call ", "whats the actual ", "convert ", "is there a ", "give me a ", "write a ", "write me a ",
    "example of ", "show me how ", "why does ", "why do ",
)  # fmt: skip
SNIPPETS = frozenset(
    "regex regexp oneliner liner snippet cheatsheet syntax shortcut keybinding english translate synonym difference"
    " stand stands mean means meaning acronym abbreviation vs versus example examples explain".split()
)
TOOLS = frozenset(
    "bash zsh sh shell awk sed jq grep find css html sql python perl ruby rust go java javascript js typescript ts"
    " c cpp excel vim emacs vscode git tmux latex markdown powershell regex curl docker kubectl linux mac macos windows"
    " numpy pandas react php kotlin swift".split()
)
DEFINITE = frozenset("the this these those its their his her".split())
INDEFINITE = frozenset("a an any some every".split())

#: bits for and against "this is about our own work"; experiments/LOG.md
OURS_BITS = 4.0
FILE_BITS = 4.0
SYMBOL_BITS = 1.5
TASK_BITS = 1.5
DEFINITE_BITS = 0.8
PAST_BITS = 1.5
ASKS_BITS = 1.0
LECTURE_BITS = -4.0
SNIPPET_BITS = -3.0
TOOL_BITS = -2.5
INDEFINITE_BITS = -1.5


def structure(db: "Database", query: Query, hits: "list[Hit]") -> "list[Hit]":
    """Fill the query; the hits stay as they are."""
    text = query.text
    if len(text) > MAX_CHARS:
        text = f"{text[: MAX_CHARS - TAIL_CHARS]}\n{text[-TAIL_CHARS:]}"
    raw = words(text)
    query.stems = list(dict.fromkeys(stems(text)))
    query.pairs = list(dict.fromkeys(f"{a} {b}" for a, b in pairwise(raw)))
    query.parts = demands(text)
    query.files, query.symbols = names(text)
    query.verbs = [s for s in query.stems if s in VERBS]
    query.targets = [s for s in query.stems if s not in VERBS]
    query.tasks = list(dict.fromkeys(VERBS[s] for s in query.verbs))
    query.asks = "?" in text or (bool(raw) and raw[0] in ASKING)
    query.about_past = asks_about_time(raw, query.asks)
    query.work = not query.about_past and wants_work(raw, query.asks)
    query.prior = prior(words(unquoted(text)), query)
    return hits


def demands(text: str) -> list[list[str]]:
    """The parts of a request, each a list of stems; a clause of a word or two belongs to its neighbour."""
    low = text.lower()
    for mark in ("\n", ". ", "? ", "! ", "; ", ": ", ", ", " and ", " then ", " also ", " plus "):
        low = low.replace(mark, "\x00")
    parts: list[list[str]] = []
    for clause in low.split("\x00"):
        found = list(dict.fromkeys(stems(clause)))
        if parts and (len(found) < SMALL_PART or len(parts[-1]) < SMALL_PART):
            parts[-1].extend(s for s in found if s not in parts[-1])
        elif found:
            parts.append(found)
    return parts


def names(text: str) -> tuple[list[str], list[str]]:
    """Paths and file names, and other identifiers (camelCase, snake_case, flags), as they are written."""
    files: list[str] = []
    symbols: list[str] = []
    for token in text.split():
        token = token.strip("\"'`,;:!?()[]{}<>…").rstrip(".")
        if len(token) < 3 or len(token) > 200 or not any(c.isalpha() for c in token):
            continue
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


def wants_work(raw: list[str], asks: bool) -> bool:
    """Whether the prompt asks for something to be done, rather than to be told."""
    if asks or not raw:
        return False
    return stem(raw[0]) in VERBS or WH.isdisjoint(raw)


def asks_about_time(raw: list[str], asks: bool) -> bool:
    """Whether the prompt asks how things were, since when, or whether they still are so."""
    pairs = {f"{a}_{b}" for a, b in pairwise(raw)}
    told = sum(1 for w in raw if w in PAST)
    dated = any(w[:3] in MONTHS and len(w) <= 9 and w not in ("may", "mark", "market", "mars", "second") for w in raw)
    if pairs & PAST_PAIRS:
        return True
    return told >= 2 or (told >= 1 and (dated or asks)) or (dated and asks)


def prior(raw: list[str], query: Query) -> float:
    """Bits for the prompt's being about the user's own work: "our", files and definite things speak for it,
    the form of a lecture or of a snippet for anybody speaks against it."""
    bits = 0.0
    ours = any(w in OURS for w in raw)
    opening = " ".join(raw[:6]) + " "
    if ours:
        bits += OURS_BITS
    if query.files:
        bits += FILE_BITS
    if query.symbols:
        bits += SYMBOL_BITS
    if any(stem(w) in VERBS for w in raw[:1]):
        bits += TASK_BITS
    if query.about_past:
        bits += PAST_BITS
    if raw and raw[0] in ASKING and not INDEFINITE & set(raw):
        bits += ASKS_BITS
    definite = min(3, sum(1 for w in raw if w in DEFINITE))
    bits += DEFINITE_BITS * definite
    if INDEFINITE & set(raw) and not (definite or ours or query.files):
        bits += INDEFINITE_BITS
    if opening.startswith(LECTURES) and not ours:
        bits += LECTURE_BITS
    if SNIPPETS & set(raw):
        bits += SNIPPET_BITS
    if TOOLS & set(raw[:2]) and not query.files:
        bits += TOOL_BITS
    return bits


def unquoted(text: str) -> str:
    """The text without what stands in double quotes: that is somebody else's wording."""
    parts = text.replace("“", '"').replace("”", '"').split('"')
    return " ".join(parts[::2]) if len(parts) % 2 else text


def _inner_capital(token: str) -> bool:
    return token.isascii() and any(c.isupper() for c in token[1:]) and any(c.islower() for c in token)
