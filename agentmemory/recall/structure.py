"""Layer 0: what the words of a prompt do: its verbs, targets, files, symbols; is it about the past,
is it about us at all. Reads no table and brings no hit."""

from itertools import pairwise

from agentmemory.records import Hit, Query
from agentmemory.text import stem, stems, words

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
OURS = frozenset("we our ours us weve wed here again remind my mine ive".split())
#: after "my": nobody's work
PRIVATE = frozenset(
    "aunt uncle mother father mum mom dad parents landlord wife husband friend girlfriend boyfriend son daughter kid"
    " kids cat dog neighbor neighbour grandma grandmother grandfather brother sister doctor holiday vacation".split()
)
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
PERSONS = frozenset("i we he she it they one you the my our a an".split())
HELPING = frozenset("do must should may does has have did can".split())
LIKING = frozenset("like want prefer expect".split())
ALLOWED = frozenset("ok okay allowed permitted fine".split())
ASKING = frozenset(
    "what whats which who whos whom whose where wheres when whens why how hows is are was were do does did can could"
    " should shall would will may has have had am isnt arent".split()
)
WH = frozenset("what whats which who whos whom whose where wheres why how hows when whens".split())
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
MONTHS = frozenset(
    "jan january feb february mar march apr april may jun june jul july aug august sep sept september oct october nov"
    " november dec december".split()
)
#: openings of requests for common knowledge, and words that ask for a snippet anybody could write
LECTURES = (
    "how do i ", "how to ", "how can i ", "how does one ", "how would i ", "how would one ", "how does ",
    "how do you ", "explain ", "whats the difference ", "what is the difference ", "difference between ",
    "the difference ",
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
    " numpy pandas react php kotlin swift http dns tcp udp ascii unicode utf8".split()
)
#: words for work on language that is not about any project, and how questions of general knowledge begin
CRAFT = frozenset(
    "haiku poem limerick joke rhyme sonnet proofread rewrite rephrase reword shorten summarize summarise summary spell"
    " spelling spellcheck grammar translate translation pronounce pronunciation plural singular synonym antonym polite"
    " politely anagram riddle pun slogan toast congratulate birthday".split()
)
TRIVIA = frozenset(
    "how_many how_much how_long how_far how_old what_year which_is when_do when_was when_did whats_the what_is"
    " how_would name_three who_invented who_wrote is_a".split()
)
DEFINITE = frozenset("the this these those its their his her".split())
INDEFINITE = frozenset("a an any some every".split())

#: bits for and against "this is about our own work"; experiments/LOG.md
OURS_BITS = 6.0
FILE_BITS = 4.0
WISH_BITS = 3.5
SENTENCES_BITS = 4.5
WHERE_BITS = 2.0
TASK_BITS = 3.0
DEFINITE_BITS = 2.8
ALLOWED_BITS = 1.5
WORD_BITS = 0.55  # who describes something at length describes something of theirs
MOST_WORDS = 24
LECTURE_BITS = -5.0
SNIPPET_BITS = -4.5
TOOL_BITS = -6.0  # a tool that everybody uses,
TOOL_FIRST_BITS = -2.5  # said first
CRAFT_BITS = -5.0
TRIVIA_BITS = -3.0
QUOTED_BITS = -3.0  # for somebody's text in quotes that is most of the prompt
MOSTLY = 0.35
INDEFINITE_BITS = -1.5
LORE_BITS = -1.0  # nothing but words of version control, and of no certain one
#: stems of them
LORE = frozenset(
    "alreadi amend branch checkout cherri commit delet first git last list local merg pick previou push rebas "
    "remot renam reset revert show squash stash tag two undo yet".split()
)
SENTENCE_ENDS = (". ", "? ", "! ", ".\n", "?\n", "!\n")


def structure(db: "Database", query: Query, hits: "list[Hit]") -> "list[Hit]":
    """Fill the query; the hits stay as they are."""
    text = query.text
    if len(text) > MAX_CHARS:
        text = f"{text[: MAX_CHARS - TAIL_CHARS]}\n{text[-TAIL_CHARS:]}"
    raw = words(text)
    query.stems = list(dict.fromkeys(stems(text)))
    query.pairs = list(dict.fromkeys(f"{a} {b}" for a, b in pairwise(raw)))
    query.files, query.symbols = names(text)
    query.verbs = [s for s in query.stems if s in VERBS]
    query.targets = [s for s in query.stems if s not in VERBS]
    query.tasks = list(dict.fromkeys(VERBS[s] for s in query.verbs))
    query.asks = "?" in text or (bool(raw) and raw[0] in ASKING)
    query.about_past = asks_about_time(raw, query.asks) or (
        on_a_day(raw) and any(questions(sentence) for sentence in sentences(text))
    )
    query.routine = wants_all(raw)
    query.work = wants_work(text, raw, query)
    query.prior = prior(words(unquoted(text)), query)
    return hits


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


def wants_work(text: str, raw: list[str], query: Query) -> bool:
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
    return not ROUTINE.isdisjoint(raw) or any(f"{a}_{b}" in ROUTINE_PAIRS for a, b in pairwise(raw))


def orders(raw: list[str]) -> bool:
    """Whether the first word that says something is a verb of work: "ok commit that", "could you please add"."""
    first = next((word for word in raw if word not in LEADING), "")
    return first in TO_WORK or stem(first) in VERBS


def sentences(text: str) -> list[str]:
    """The text cut where a sentence or a line ends."""
    for end in SENTENCE_ENDS:
        text = text.replace(end, "\x00")
    return text.replace("\n", "\x00").split("\x00")


def asks_about_time(raw: list[str], asks: bool) -> bool:
    """Whether the prompt asks how things were, since when, or whether they still are so."""
    pairs = {f"{a}_{b}" for a, b in pairwise(raw)}
    told = sum(1 for w in raw if w in PAST)
    dated = any(word in MONTHS and word != "may" for word in raw)
    if pairs & PAST_PAIRS:
        return True
    return told >= 2 or (told >= 1 and (dated or asks)) or (dated and asks)


def on_a_day(raw: list[str]) -> bool:
    """Whether a day is named: "feb 20", "the 20th of March"."""
    return any(
        word in MONTHS and any(near[:1].isdigit() for near in raw[max(0, at - 2) : at + 2])
        for at, word in enumerate(raw)
    )


def prior(raw: list[str], query: Query) -> float:
    """Bits for the prompt's being about the user's own work: "our", files, definite things, more than a sentence,
    a question for what is wanted or where it goes speak for it; the form of a lecture or of a snippet for anybody
    speaks against it."""
    said = set(raw)
    start = next((i for i, word in enumerate(raw) if word not in LEADING and word not in ("tell", "me")), 0)
    opening = " ".join(raw[start : start + 6]) + " "
    private = any(a == "my" and b in PRIVATE for a, b in pairwise(raw))
    text, common = query.text.rstrip(), not TOOLS.isdisjoint(said) and not query.files
    wish, indefinite = wishes(raw), not INDEFINITE.isdisjoint(said)
    bits = min(len(raw), MOST_WORDS) * WORD_BITS + DEFINITE_BITS * min(3, sum(1 for w in raw if w in DEFINITE))
    bits += OURS_BITS * (not private and not OURS.isdisjoint(said)) + FILE_BITS * bool(query.files)
    bits += TASK_BITS * orders(raw) + SENTENCES_BITS * any(end in text for end in SENTENCE_ENDS)
    bits += WISH_BITS * wish + WHERE_BITS * where(raw) + ALLOWED_BITS * (not ALLOWED.isdisjoint(raw[2:]))
    if indefinite:
        bits += INDEFINITE_BITS + LORE_BITS * LORE.issuperset(query.stems)
    if not wish:
        bits += SNIPPET_BITS * (not SNIPPETS.isdisjoint(said)) + LECTURE_BITS * opening.startswith(LECTURES)
    bits += CRAFT_BITS * (not CRAFT.isdisjoint(said)) + QUOTED_BITS * (len(unquoted(text)) < (1 - MOSTLY) * len(text))
    bits += TRIVIA_BITS * any(f"{a}_{b}" in TRIVIA for a, b in pairwise(raw[:3]))
    return bits + TOOL_BITS * common + TOOL_FIRST_BITS * (common and not TOOLS.isdisjoint(raw[:2]))


def wishes(raw: list[str]) -> bool:
    """Whether the prompt asks what its author likes: "how do i want", "what do we expect"."""
    asked = not WH.isdisjoint(raw) or not {"do", "does"}.isdisjoint(raw)
    return asked and any(a in ("i", "we") and b in LIKING for a, b in pairwise(raw))


def where(raw: list[str]) -> bool:
    """Whether the prompt asks which one or where: "which file do i edit", "on which machine", "where is"."""
    for i, word in enumerate(raw):
        if word == "where" and raw[i + 1 : i + 2] and (raw[i + 1] in HELPING or raw[i + 1] in ("is", "are", "was")):
            return True
        if word in ("which", "what") and (
            (word == "which" and raw[max(0, i - 1)] in ("in", "on", "from", "to", "at", "with", "for"))
            or any(a in HELPING and b in PERSONS for a, b in pairwise(raw[i + 1 : i + 4]))
        ):
            return True
    return False


def unquoted(text: str) -> str:
    """The text without what stands in double quotes: that is somebody else's wording."""
    parts = text.replace("“", '"').replace("”", '"').split('"')
    return " ".join(parts[::2]) if len(parts) % 2 else text


def _inner_capital(token: str) -> bool:
    return token.isascii() and any(c.isupper() for c in token[1:]) and any(c.islower() for c in token)
