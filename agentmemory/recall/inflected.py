"""The words of a German, French or Spanish prompt in the other forms that what is stored may have: "sensor" for
"sensoren", "guardamos" for "guardan"; in German also what a word is joined with: "rechnung" for "rechnungslauf",
"lager" and "daten" for "lagerdaten". Stems are English ones; of a language this knows its endings. Only what some
belief holds is told. Loaded for such prompts only."""

from agentmemory.records import marks
from agentmemory.text import GERMAN, STRUCTURE, stem, words

TYPE_CHECKING = False
if TYPE_CHECKING:
    from agentmemory.store.rows import Database

#: for each language of `STRUCTURE`: endings of its words
ENDINGS = (
    ("", *"e en er es em ern n s".split()),
    ("", *"e s es ent er ez ons ee ees ait".split()),
    ("", *"a o e s as os es an en ar er ir amos emos imos ado ada ados adas".split()),
)
LINKS = ("", "s", "es", "n", "en", "e")  # between the parts of a joined word
SHORTEST = 4  # letters of what is left without an ending, and of a part
JOINED_FROM = 8  # letters of a word that may be a joined one
BEGINS_WITH = 5  # letters from which a joined word is known by its first part
MOST_WORDS = 16  # of a prompt
MOST_JOINED = 8  # words that begin with one
LAST = "\U0010ffff"

HELD = "SELECT stem FROM term WHERE beliefs > 0 AND stem IN ({})"
BEGUN = "SELECT stem FROM term WHERE stem > ? AND stem < ? AND beliefs > 0 LIMIT {}"

Others = dict[str, dict[str, bool]]


def others(db: "Database", text: str, typed: "list[str]", place: int) -> Others:
    """Stem of a prompt -> what beliefs hold instead: another stem, and whether that is another form of the word
    rather than a word that has a part in common with it."""
    said = {stem(word): word for word in words(text) if word.isalpha() and word not in STRUCTURE[place]}
    said = {s: word for s, word in said.items() if s in typed and len(word) >= SHORTEST}
    asked = {s: forms(word, place) for s, word in list(said.items())[:MOST_WORDS]}
    joined = {s: parts(said[s]) - asked[s] if place == GERMAN else set() for s in asked}
    tokens = sorted(frozenset().union(*asked.values(), *joined.values()))
    held = {row[0] for row in db.execute(HELD.format(marks(tokens)), tokens).fetchall()}
    found: Others = {}
    for s in asked:
        each = found[s] = dict.fromkeys(asked[s] & held - {s}, True)
        each.update(dict.fromkeys(joined[s] & held - {s}, False))
        first = min(_bases(said[s], place), key=len)
        if place == GERMAN and len(first) >= BEGINS_WITH:
            begun = db.execute(BEGUN.format(MOST_JOINED), (first, first + LAST)).fetchall()
            each.update({row[0]: False for row in begun if len(row[0]) >= len(first) + SHORTEST and row[0] not in each})
    return found


def forms(word: str, place: int = GERMAN) -> "set[str]":
    """The stems of a word with other endings."""
    return {stem(base + ending) for base in _bases(word, place) for ending in ENDINGS[place]}


def parts(word: str) -> "set[str]":
    """What a word may be joined of, as stems of German mostly are: the part without its ending, and without an "e"."""
    out: set[str] = set()
    for at in range(SHORTEST, len(word) - SHORTEST + 1 if len(word) >= JOINED_FROM else 0):
        head, tail = word[:at], word[at:]
        out.update(head.removesuffix(link) for link in LINKS if head.endswith(link))
        out.update(base.removesuffix("e") for base in _bases(tail))
        out.update(_bases(tail))
    return {part for part in out if len(part) >= SHORTEST}


def _bases(word: str, place: int = GERMAN) -> "set[str]":
    """A word with and without its ending."""
    short = {word.removesuffix(ending) for ending in ENDINGS[place] if word.endswith(ending)}
    return {base for base in short if len(base) >= SHORTEST}
