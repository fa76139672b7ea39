"""The block that an agent reads: three headings, one line a fact, every stored text as a quoted string.

What is stored may be hostile: `quoted` lets no text end its string, open a tag or hide a character. The
standing part depends on the locked rules alone, so it is the same bytes prompt after prompt.
"""

from agentmemory.paths import date, day
from agentmemory.records import Hit, Query, Row

STANDING = "== STANDING CONSTRAINTS =="
STATE = "== OPERATIONAL STATE =="
BACKGROUND = "== BACKGROUND =="

MOST_TEXT = 600  # characters of one text
MOST_CONTEXT = 80
SAYS_LITTLE = 30  # characters of a text that says next to nothing itself; such a one has room for more:
MOST_OF_LITTLE = 160
LONG = 120  # characters of a text that says itself what it is about
TERSE = 60  # the same where the line says what it replaces, too
MOST_LINKS = 8  # of a chain that are told
LEFT = "- {} more locked rules have no room here; `agentmemory locked` lists them"
MOST_CHARS = 9_000  # of a block; the client makes a file of what is longer than 10,000
BINDING = frozenset({"rule", "correction", "preference"})

#: names that a `<placeholder>` of the user's may not have: what clients and models give a meaning to
RESERVED = frozenset(
    "system user assistant human tool tools function functions result results instruction instructions invoke command"
    " prompt important context admin developer reminder script style iframe img svg object embed link meta html body"
    " head form input thinking think memory message messages role claude model output stdout stderr a b i s p br hr"
    " div span pre tr td".split()
)
#: letters and marks that show nothing: fillers and variation selectors, which can carry a hidden text byte by byte
IGNORABLE = frozenset(
    map(chr, (0x34F, 0x115F, 0x1160, 0x17B4, 0x17B5, 0x2800, 0x3164, 0xFFA0, *range(0x180B, 0x1810),
              *range(0xFE00, 0xFE10), *range(0xE0100, 0xE01F0)))
)  # fmt: skip
#: signs that a block tells otherwise; the rest of ASCII stays (what a table lacks costs `translate` an exception)
ESCAPED: dict[int, int | str] = {code: code for code in range(128)} | str.maketrans(
    {"<": "\\u003c", ">": "\\u003e", "&": "\\u0026", "`": "'", '"': '\\"', "\\": "\\\\"}
)
TYPED = ESCAPED | {ord(sign): sign for sign in ">&"}


Moved = dict[int, str]  # by belief: what became of the code that it names


def render(query: Query, rules: "list[Row]", hits: "list[Hit]", moved: "Moved | None" = None) -> str:
    """The block; empty when there is nothing to say. *rules* are the locked ones, *hits* what was chosen, best first:
    of more than a client takes the last ones leave the list, so that none counts as told that is not.

    *moved*: what is to be said of beliefs whose code has moved on (`recall/anchors.py`).
    """
    block = _written(query, rules, hits, moved or {})
    while hits and len(block) > MOST_CHARS:
        hits.pop()
        block = _written(query, rules, hits, moved or {})
    return fit(block)


def _written(query: Query, rules: "list[Row]", hits: "list[Hit]", moved: Moved) -> str:
    """All of it, under its headings."""
    standing = [f"- {quoted(row)} ({row.kind}, locked, {date(row.valid_from)}{mark(row, moved)})" for row in rules]
    state: list[str] = []
    background: list[str] = []
    for hit in hits:
        if hit.row.locked and not hit.steps and not hit.was:
            continue
        changed = (hit.row.kind in BINDING and hit.row.state != "heard") or bool(hit.was)
        (state if changed and not hit.steps else background).extend(lines(hit, query.now, moved))
    parts = []
    for heading, body in ((STANDING, standing), (STATE, state), (BACKGROUND, background)):
        if body:
            parts.append("\n".join((heading, *body)))
    return "\n".join(parts)


def lines(hit: Hit, now: float, moved: Moved) -> "list[str]":
    """The lines of a hit: one, or one for each step of a procedure."""
    if hit.steps:
        name = f" ({clean(hit.row.context, MOST_CONTEXT)})" if hit.row.context else ""
        return [f"- procedure{name}, {len(hit.steps)} steps:"] + [
            f"  {i}. {quoted(row)} ({day(row.valid_from, now)}{mark(row, moved)})" for i, row in enumerate(hit.steps, 1)
        ]
    row = hit.row
    doubt = f"; contradicts #{hit.against}, ask which holds" if hit.against else ""
    once = "heard once, " if row.state == "heard" else "an agent's note, " if doubts(hit) else ""
    told = f"{once}{day(row.valid_from, now)}{doubt}{mark(row, moved)}"
    if hit.was:
        changed = "now " if any(was.state == "superseded" and not was.of for was in hit.was) else ""
        twice = any(was.text == row.context for was in hit.was[:MOST_LINKS])  # what it is about, told on the same line
        return [f"- {changed}{quoted(row)}{'' if twice else about(row, TERSE)} ({told}; {history(hit, now)})"]
    return [f"- {quoted(row)}{about(row)} ({told})"]


def mark(row: Row, moved: Moved) -> str:
    """What a line adds where the code it names has moved on."""
    return f"; {moved[row.id]}" if row.id in moved else ""


def replaces(hit: Hit) -> bool:
    """Whether something that no longer holds is told on the hit's line."""
    return any(was.state == "superseded" for was in hit.was)


def doubts(hit: Hit) -> bool:
    """Whether an agent's note leads a line on which the user's own words still hold."""
    return hit.row.provenance == "agent" and any(
        was.provenance == "user" and was.state != "superseded" for was in hit.was[:MOST_LINKS]
    )


def history(hit: Hit, now: float) -> str:
    """What a belief replaced, on the same line, newest first: "was A until D", the oldest with its beginning; then what
    was said before of its matter and never taken back, and what was said with it (the day left out where it is the
    same), each with what it replaced itself, and what it is about where it says next to nothing."""
    told = hit.was[:MOST_LINKS]
    before = past([row for row in told if row.state == "superseded" and not row.of], now)
    today = day(hit.row.valid_from, now)
    for row in told:
        if row.state == "superseded":
            continue
        began = day(row.valid_from, now)
        word = "also" if row.perhaps else "before"
        own = past([each for each in told if each.of == row.id], now)
        replaced = f" ({'; '.join(own)})" if own else ""
        before.append(
            f"{word}{'' if began == today else f', {began}'}: {quoted(row)}{about(row, SAYS_LITTLE)}{replaced}"
        )
    return "; ".join(before)


def past(rows: "list[Row]", now: float) -> "list[str]":
    """A chain of what one belief replaced, newest first, the oldest with its beginning if that is another day; what it
    changes a part of, with its day. What ended before it began, because the clock went back, is told without days."""
    out = []
    for row in rows:
        if row.in_part:
            out.append(f"changes {quoted(row)} of {day(row.valid_from, now)}")
            continue
        if row.valid_to is not None and row.valid_to < row.valid_from:
            out.append(f"was {quoted(row)}")
            continue
        began = day(row.valid_from, now) if row is rows[-1] else ""  # the others began where the next ended
        until = day(row.valid_to, now) if row.valid_to is not None else "?"
        out.append(f"was {quoted(row)}{f' from {began}' if began not in ('', until) else ''} until {until}")
    return out


def about(row: Row, longest: int = LONG) -> str:
    """What a text of at most so many characters is about, where its own words do not say so."""
    own = row.text.lower()
    if not row.context or len(own) > longest or all(word in own for word in row.context.lower().split()):
        return ""
    return f" [{clean(row.context, MOST_OF_LITTLE if len(own) <= SAYS_LITTLE else MOST_CONTEXT)}]"


def quoted(row: Row) -> str:
    """A stored text, or its shorter wording, as one string that nothing in it can leave."""
    return '"' + clean(row.gist or row.text, MOST_TEXT, row.provenance == "user") + '"'


def clean(text: str, most: int, typed: bool = False) -> str:
    """*text* on one line, normalised, without what cannot be seen, escaped, at most *most* characters.

    *typed*: the person wrote it; `<placeholders>`, `&&` and `2>&1` stay as they are where there is no other markup.
    """
    if not text.isascii():
        text = visible(text)
    if not text.isprintable():
        text = "".join(c if c.isprintable() else " " for c in text)
    text = " ".join(text.split())
    if len(text) > most:
        text = text[: most - 1].rstrip() + "…"
    if not typed:
        return text.translate(ESCAPED)
    pieces, markup = [], False  # what is escaped, and what stays, in turn
    while text:
        before, mark, after = text.partition("<")
        name, end, rest = after.partition(">")
        stays = bool(end) and placeholder(name)
        markup = markup or bool(mark) > stays
        pieces += [before if stays else before + mark, f"<{name}>" if stays else ""]
        text = rest if stays else after
    table = ESCAPED if markup else TYPED
    return "".join([piece if n % 2 else piece.translate(table) for n, piece in enumerate(pieces)])


def placeholder(name: str) -> bool:
    """Whether `<name>` only stands for a value: a short lower-case name that no client gives a meaning to."""
    words = name.replace("-", " ").replace("_", " ").split()
    if " " in name:
        return False
    plain = all(word.isalnum() and word.isascii() and word.islower() for word in words)
    return bool(words) and plain and len(name) <= 24 and len(words) < 4 and not RESERVED & set(words)


def visible(text: str) -> str:
    """NFKC, without controls, format characters (bidi, zero width, tags), surrogates, and what else shows nothing."""
    from unicodedata import category, normalize

    return "".join(c for c in normalize("NFKC", text) if c == "\n" or (category(c)[0] != "C" and c not in IGNORABLE))


def fit(block: str) -> str:
    """The locked rules, and how many of them exceed what a client takes."""
    left = 0
    while len(block) > MOST_CHARS - len(LEFT) * (left > 0):
        block, left = block.rpartition("\n")[0], left + 1
    return f"{block}\n{LEFT.format(left)}" if left else block
