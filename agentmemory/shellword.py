"""One word of a shell command line: quotes, expansions, substitutions. Runs nothing, reads no file.

Standard library only and no `re`: the guard's hook imports this file.
"""

import os

from agentmemory.shelltext import printed, reshaped, said_by

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Self

DEEPEST = 12  # nesting of substitutions and of shells in shells
VALUES = 16  # values that one word may take (loops over lists)
FORKS = 64  # expansions of one word that bring more than one value
NAMES = 400  # names that one line may assign; a line with more was written by a program
ROOM = 1 << 20  # characters that the names of one line may bring into its words; `x=$x$x` doubles without end
LONGEST_PATH = 1 << 15  # no system takes a longer one
LONGEST_LIST = 1 << 12  # characters of a list in braces
POSITIONS = "0123456789@*"  # what a function or a script was given
BLANKS = " \t\r"
ENDS = " \t\r\n;&|()<>"
QUOTING = "$`\\'\""
COSTLY = 4 * LONGEST_LIST  # of the room, where what is opened is closed nowhere near
CLOSED_BY = {"{": "}", "(": ")", '"': '"'}


class Command:
    """One simple command. words: program and arguments. env: names assigned in front of it or before it.

    writes, reads: files of its redirections. stdin: text given to it on the spot (here-document, here-string).
    sources: the commands whose output is piped into it. under: the wrappers that run it. folder: where the line has
    gone with `cd` before it, "" for where it began. held: what stands in files, as far as the line has written it.
    parts: its words taken apart, once (guardspec.split).
    """

    __slots__ = ("env", "folder", "held", "parts", "reads", "sources", "stdin", "under", "words", "writes")

    def __init__(self, words: "list[str]", env: "dict[str, list[str]] | None" = None) -> None:
        self.words = words
        self.env = env or {}
        self.writes: list[str] = []
        self.reads: list[str] = []
        self.stdin: str | None = None
        self.sources: list[Command] = []
        self.held: dict[str, str] = {}
        self.under: tuple[str, ...] = ()
        self.folder = ""
        self.parts: tuple[set[str], list[tuple[str, bool]]] | None = None

    @property
    def source(self) -> "Command | None":
        """The last of the commands whose output is piped into it."""
        return self.sources[-1] if self.sources else None


class Word:
    """A word being read: its possible values, and whether it began unquoted (an assignment, a comment ...)."""

    __slots__ = ("begun", "forks", "inner", "many", "plain", "said", "split")

    def __init__(self) -> None:
        self.begun = [""]  # the values up to the last expansion that had several
        self.said: list[str] = []  # what follows it, in pieces
        self.forks = 0
        self.plain = True  # no quote so far
        self.split = False  # an unquoted expansion brought blanks
        self.many = False  # brace expansion: the values are words of their own
        self.inner: list[Command] = []

    @property
    def values(self) -> "list[str]":
        if self.said:
            text, self.said = "".join(self.said), []
            self.begun = [value + text for value in self.begun]
        return self.begun

    def add(self, text: str) -> None:
        self.said.append(text)

    def add_any(self, texts: "list[str]") -> None:
        if len(texts) == 1 or self.forks == FORKS:
            self.add(texts[0])
        elif texts:
            self.forks += 1
            self.begun = [value + text for value in self.values for text in texts][:VALUES]


class Words:
    """Reads words of *text* from *at* on. What reads whole commands (shell.py) is made of it."""

    def __init__(self, text: str, env: "dict[str, list[str]]", depth: int) -> None:
        self.text = text
        self.at = 0
        self.depth = depth
        self.env = env
        self.found: list[Command] = []
        self.assigned: dict[str, list[str]] = {}
        self.folder = ""
        self.shown: list[Command] = []  # those found whose output goes where that of all goes
        self.held: dict[str, str] = {}  # files that the line has written; one for all its readers
        self.room = [ROOM]  # one for all readers of a line

    def fits(self, size: int) -> bool:
        """Whether the line has room for so many characters more; they are taken of it."""
        enough = size <= self.room[0]
        self.room[0] -= size if enough else 0
        return enough

    def below(self, text: str, env: "dict[str, list[str]]") -> "Self":
        """A reader for what stands inside: a substitution, a function."""
        reader = type(self)(text, {**self.env, **self.assigned, **env}, self.depth + 1)
        reader.folder, reader.room, reader.held = self.folder, self.room, self.held
        return reader

    def read(self, until: str) -> None:
        """Read commands up to *until*; the reader of commands says how."""
        raise NotImplementedError

    def one(self) -> Word:
        """Read one word with its quotes and expansions."""
        text, word = self.text, Word()
        while self.at < len(text):
            c = text[self.at]
            if c in ENDS:
                break
            self.at += 1
            if c == "\\":
                word.plain = False
                if text[self.at : self.at + 1] != "\n":
                    word.add(text[self.at : self.at + 1])
                self.at += 1
            elif c == "'":
                end = text.find("'", self.at)
                end = len(text) if end < 0 else end
                word.plain = False
                word.add(text[self.at : end])
                self.at = end + 1
            elif c == '"':
                word.plain = False
                self.double(word)
            elif c == "$":
                self.dollar(word, quoted=False)
            elif c == "`":
                self.backticks(word)
            elif c == "{" and self.brace(word):
                pass
            else:
                word.add(c)
        return word

    def double(self, word: Word) -> None:
        text = self.text
        while True:
            c = text[self.at]
            self.at += 1
            if c == '"':
                return
            if c == "\\" and text[self.at : self.at + 1] in ("$", "`", '"', "\\", "\n"):
                if text[self.at] != "\n":
                    word.add(text[self.at])
                self.at += 1
            elif c == "$":
                self.dollar(word, quoted=True)
            elif c == "`":
                self.backticks(word)
            else:
                word.add(c)

    def dollar(self, word: Word, quoted: bool) -> None:
        """What follows a `$`: a command, arithmetic, a parameter, a quoted string, or nothing."""
        text = self.text
        c = text[self.at : self.at + 1]
        if c == "(" and text[self.at + 1 : self.at + 2] == "(":
            end = text.find("))", self.at)
            self.at = len(text) if end < 0 else end + 2
            word.add("0")
        elif c == "(":
            self.at += 1
            self.substitute(word, *self.inside())
        elif c == "'" and not quoted:
            self.at += 1
            word.plain = False
            self.ansi(word)
        elif c == '"' and not quoted:
            self.at += 1
            word.plain = False
            self.double(word)
        elif c == "{":
            end = self.closing(quoted)
            inner = text[self.at + 1 : end if end > 0 else len(text)]
            self.at = len(text) if end < 0 else end + 1
            self.parameter(word, inner, quoted)
        elif c and c in POSITIONS and (c in self.env or c in self.assigned):
            self.at += 1
            self.parameter(word, c, quoted)
        elif c.isalpha() or c == "_":
            start = self.at
            while self.at < len(text) and (text[self.at].isalnum() or text[self.at] == "_"):
                self.at += 1
            self.parameter(word, text[start : self.at], quoted)
        else:
            word.add("$")

    def closing(self, quoted: bool) -> int:
        """Where the `${` that has been opened is closed: not in quotes, not in what stands in it. -1: nowhere."""
        text, at = self.text, self.at + 1
        end = text.find("}", at)
        if end < 0 or not any(c in text[at:end] for c in QUOTING) or not self.fits(COSTLY):
            return end
        inside, stop = ["{"], min(len(text), at + LONGEST_LIST)
        while at < stop:
            c, last = text[at], inside[-1]
            if c == "\\":
                at += 1
            elif c == "'" and (last == "(" or not (quoted or '"' in inside)):
                at = text.find("'", at + 1)
                if at < 0:
                    break
            elif c == CLOSED_BY[last]:
                inside.pop()
                if not inside:
                    self.room[0] += COSTLY - (at - self.at)
                    return at
            elif c == '"' or (c == "(" and last == "("):
                inside.append(c)
            elif c == "$" and text[at + 1 : at + 2] in ("{", "("):
                at += 1
                inside.append(text[at])
            at += 1
        return end

    def parameter(self, word: Word, inner: str, quoted: bool) -> None:
        size = next((i for i, c in enumerate(inner) if not (c.isalnum() or c == "_")), len(inner))
        size = inner.find("]", size) + 1 or size if inner[size : size + 1] == "[" else size
        name, rest = inner[:size] or inner[:1], inner[size or 1 :]
        mark = rest[: 2 if rest[:1] == ":" else 1]
        default = rest[len(mark) :] if mark in (":-", ":=", "-", "=") else ""
        every = name.endswith(("[@]", "@"))
        name = name.removesuffix("[@]").removesuffix("[*]") if not rest or mark[-1] in "-=?" else inner
        known = self.assigned.get(name) or self.env.get(name) or self.worked_out(inner, size)
        if known and not self.fits(sum(map(len, known))):
            known = None
        values = known or (self.instead(word, default, quoted) if default else ["${" + name + "}"])
        word.add_any(values)
        if any(" " in value for value in values) and (not quoted or every):
            word.split = True

    def worked_out(self, inner: str, size: int) -> "list[str] | None":
        """The values that a name's are changed to (`${b%x}`, `${b,,}`), or one item of a list (`${b[0]}`)."""
        bare = inner[:size].partition("[")[0]
        known = self.assigned.get(bare) or self.env.get(bare)
        if not known or len(bare) == len(inner):
            return None
        if inner[len(bare)] == "[":
            index = inner[len(bare) + 1 : size - 1]
            items = [value.split() for value in known if index.isdecimal() and len(index) < 6]
            found = [each[int(index)] for each in items if int(index) < len(each)]
            return found if size == len(inner) or inner[size] in ":-=?" else None
        made = [reshaped(value, inner[size:]) for value in known if self.fits(len(value))]
        return [value for value in made if value is not None] if None not in made else None

    def instead(self, word: Word, text: str, quoted: bool) -> "list[str]":
        """What the default of a parameter may be; the commands in it run for *word*."""
        reader = self.below(text, {})
        if reader.depth > DEEPEST or not any(c in text for c in QUOTING):
            return [text]
        said = Word()
        try:
            while reader.at < len(text):
                if quoted:
                    reader.double(said)
                    continue
                part = reader.one()
                said.add_any(part.values)
                said.inner += part.inner
                said.add(text[reader.at : reader.at + 1])
                reader.at += 1
        except IndexError:  # its end
            pass
        word.inner += said.inner
        return said.values

    def ansi(self, word: Word) -> None:
        """The text of `$'...'` with its escapes."""
        text = self.text
        while True:
            c = text[self.at]
            self.at += 1
            if c == "'":
                return
            if c != "\\":
                word.add(c)
                continue
            c = text[self.at]
            self.at += 1
            digits = 2 if c == "x" else 4 if c == "u" else 3 if c in "01234567" else 0
            if not digits:
                word.add({"n": "\n", "t": "\t", "r": "\r", "e": "\x1b"}.get(c, c))
                continue
            start = self.at if c in "xu" else self.at - 1
            end, base = start, 16 if c in "xu" else 8
            while end < start + digits and text[end] in ("0123456789abcdefABCDEF" if base == 16 else "01234567"):
                end += 1
            self.at = end
            code = int(text[start:end] or "0", base)
            if not code:  # no argument goes on behind a NUL
                self.at = _end_of_ansi(text, end)
                return
            word.add("\ufffd" if 0xD800 <= code < 0xE000 else chr(code))

    def backticks(self, word: Word) -> None:
        text, start = self.text, self.at
        while text[self.at] != "`":
            self.at += 2 if text[self.at] == "\\" else 1
        inner = text[start : self.at].replace("\\`", "`").replace("\\$", "$").replace("\\\\", "\\")
        self.at += 1
        reader = self.below(inner, {})
        try:
            if reader.depth <= DEEPEST:
                reader.read("")
        except IndexError:
            pass
        self.substitute(word, reader.found, reader.shown)

    def inside(self) -> "tuple[list[Command], list[Command]]":
        """The commands up to the closing bracket of a substitution just opened, and those of them that print there."""
        reader = self.below(self.text, {})
        reader.at = self.at
        if reader.depth <= DEEPEST:
            try:
                reader.read(")")
            finally:
                self.at = max(reader.at, self.at)
        else:
            self.at = len(self.text)
        return reader.found, reader.shown

    def substitute(self, word: Word, found: "list[Command]", shown: "list[Command]") -> None:
        word.inner.extend(found)
        said = said_by(shown) if shown and printed(shown[-1]) is not None else None
        if said is not None and not self.fits(len(said)):
            said = None
        word.add(said.rstrip("\n") if said is not None else "$(...)")
        word.split = word.split or (said is not None and " " in said and word.plain)

    def brace(self, word: Word) -> bool:
        """`{a,b}` makes words of their own; else the brace is an ordinary character."""
        end = self.text.find("}", self.at, self.at + LONGEST_LIST)
        inner = self.text[self.at : end] if end > 0 else ""
        if "," not in inner or any(c in ENDS + "'\"$`{" for c in inner):
            return False
        self.at = end + 1
        word.many = True
        word.add_any(inner.split(","))
        return True


def _end_of_ansi(text: str, at: int) -> int:
    """Where the text behind `$'...'` begins. Raises IndexError where it does not end."""
    while text[at] != "'":
        at += 2 if text[at] == "\\" else 1
    return at + 1


def positions(words: "list[str]", name: str = "") -> "dict[str, list[str]]":
    """What `$1`, `$2`, `$@` stand for in a function or a script that is given *words*; `$0` where it has a *name*."""
    whole = [" ".join(words)]
    numbered = {str(i): [word] for i, word in enumerate(words[:9], 1)}
    return {**numbered, "@": whole, "*": whole, **({"0": [name]} if name else {})}


def from_home(path: str) -> str:
    """*path* with the user's folder in the place of `~`; as it is where no user can have that name."""
    try:
        return os.path.expanduser(path)
    except ValueError:  # a NUL, or half a character
        return path
