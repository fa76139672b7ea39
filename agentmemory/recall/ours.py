"""Is a prompt about the user's own work? A logistic fit over prompts of many projects and prompts of anybody's.

Three things speak for it: its form ("our", files, definite things, more than a sentence; against it the form of a
lecture), what of this store answers it, and its words: which ones are said rather to one's own agent than to anybody's.
`python experiments/ours_fit.py --save` makes the weights.
"""

from itertools import pairwise
from math import log, log2

from agentmemory.recall.common import of_a_word
from agentmemory.recall.meaning import said
from agentmemory.recall.structure import LEADING, SENTENCE_ENDS, orders
from agentmemory.recall.weights import OURS
from agentmemory.records import Hit, Query
from agentmemory.text import words

#: closed-class words: they tell how a request is built, not what it is about
OUR = frozenset("we our ours us weve wed here again remind my mine ive".split())
#: after "my": nobody's work
PRIVATE = frozenset(
    "aunt uncle mother father mum mom dad parents landlord wife husband friend girlfriend boyfriend son daughter kid"
    " kids cat dog neighbor neighbour grandma grandmother grandfather brother sister doctor holiday vacation".split()
)
#: openings of requests for common knowledge
LECTURES = (
    "how do i ", "how to ", "how can i ", "how does one ", "how would i ", "how would one ", "how does ",
    "how do you ", "explain ", "whats the difference ", "what is the difference ", "difference between ",
    "the difference ",
    "translate ", "what does ", "what is a ", "what is an ", "whats a ", "whats an ", "what are ", "define ",
    "what do you call ", "whats the actual ", "convert ", "is there a ", "give me a ", "write a ", "write me a ",
    "example of ", "show me how ", "why does ", "why do ",
)  # fmt: skip
GENERALLY = "in general"  # what makes a request such a one, wherever it says so
TOOLS = frozenset(
    "bash zsh sh shell awk sed jq grep find css html sql python perl ruby rust go java javascript js typescript ts"
    " c cpp excel vim emacs vscode git tmux latex markdown powershell regex curl docker kubectl linux mac macos windows"
    " numpy pandas react php kotlin swift http dns tcp udp ascii unicode utf8".split()
)
#: words for work on language that is not about any project
CRAFT = frozenset(
    "haiku poem limerick joke rhyme sonnet proofread rewrite rephrase reword shorten summarize summarise summary spell"
    " spelling spellcheck grammar translate translation pronounce pronunciation plural singular synonym antonym polite"
    " politely anagram riddle pun slogan toast congratulate birthday".split()
)
FOREIGN = TOOLS | CRAFT
DEFINITE = frozenset("the this these those its their his her".split())
INDEFINITE = frozenset("a an any some every".split())
#: stems of words of version control, of which alone no prompt of ours is made
LORE = frozenset(
    "alreadi amend branch checkout cherri commit delet first git last list local merg pick previou push rebas "
    "remot renam reset revert show squash stash tag two undo yet".split()
)
EVEN = 0.0  # bits of odds from which a prompt is rather about our own work than about anybody's
OF_A_WORD = -1.0  # bits at most for who asks what one word means: what is surely needed is told, no more than a hint
ORDERED = EVEN  # at least for an order of work on one's own project (see ordered): a hint, as many need nothing
MOST_WORDS = 24  # who describes something at length describes something of theirs
MOST_DEFINITE = 3
MOSTLY = 0.35  # of a prompt that is somebody's text in quotes
UNMET = -10.0  # bits of evidence where no belief is met
MOST_MET = 40.0


def bits(query: Query, hits: "list[Hit]") -> float:
    """Bits of odds for the prompt's being about the user's own work."""
    logit = OURS["rest"]
    for name, value in features(query, hits).items():
        logit += OURS.get(name, 0.0) * value
    odds = logit / log(2.0)
    if of_a_word(query.said, _asked(words(query.said))):
        return min(odds, OF_A_WORD)
    return ORDERED if odds < ORDERED and own_work(query.said) else odds


def own_work(said: str) -> bool:
    """Whether a prompt orders work on one's own project."""
    from agentmemory.recall import ordered  # its words are loaded for few prompts: most that order it are surely ours

    return ordered.own_work(said, FOREIGN)


def features(query: Query, hits: "list[Hit]") -> "dict[str, float]":
    """What the weights are for: the form of the prompt, and the evidence of the best hit against chance.

    Among n beliefs the luckiest reaches log2(n) bits by chance (two words of b1 and b2 bits meet by chance in
    n * 2**-(b1 + b2) beliefs), so that evidence counts less log2(n), whatever the size of the store.
    """
    best = max((said(hit) for hit in hits), default=None)
    found = _form(query.plain, query)
    found["met"] = UNMET if best is None else min(MOST_MET, best - log2(query.beliefs))
    found["covered"] = (best or 0.0) / max(1.0, query.mass)
    found["known"] = query.known
    return found


def _form(text: str, query: Query) -> "dict[str, float]":
    """How a prompt is built, each between 0 and 3."""
    text = text.rstrip()
    own = _unquoted(text)
    raw = words(own)
    heard = set(raw)
    opening = " ".join(_asked(raw)[:6]) + " "
    private = any(a == "my" and b in PRIVATE for a, b in pairwise(raw))
    tools = not TOOLS.isdisjoint(heard) and not query.files
    return {f"word {word}": 1.0 for word in heard} | {
        "words": min(len(raw), MOST_WORDS) / 10.0,
        "definite": float(min(MOST_DEFINITE, sum(1 for word in raw if word in DEFINITE))),
        "ours": float(not private and not OUR.isdisjoint(heard)),
        "files": float(bool(query.files)), "symbols": float(bool(query.symbols)),
        "past": float(query.about_past), "order": float(orders(raw)),
        "sentences": float(any(end in text for end in SENTENCE_ENDS)),
        "indefinite": float(not INDEFINITE.isdisjoint(heard)),
        "lore": float(len(query.stems) > 2 and LORE.issuperset(query.stems)),
        "lecture": float(opening.startswith(LECTURES) or GENERALLY in " ".join(raw)),
        "craft": float(not CRAFT.isdisjoint(heard)),
        "quoted": float(len(own) < (1.0 - MOSTLY) * len(text)),
        "tool": float(tools), "tool first": float(tools and not TOOLS.isdisjoint(raw[:2])),
        "asks": float("?" in text), "capitals": float(any(c.isupper() for c in text[1:])),
        "figures": float(any(c.isdigit() for c in text)), "code": float("`" in text or "(" in text),
    }  # fmt: skip


def _asked(raw: "list[str]") -> "list[str]":
    """The words of a request from where it begins: "hey, tell me how to" -> "how to"."""
    return raw[next((i for i, word in enumerate(raw) if word not in LEADING and word not in ("tell", "me")), 0) :]


def _unquoted(text: str) -> str:
    """The text without what stands in double quotes: that is somebody else's wording."""
    parts = text.replace("“", '"').replace("”", '"').split('"')
    return " ".join(parts[::2]) if len(parts) % 2 else text
