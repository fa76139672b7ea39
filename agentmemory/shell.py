"""A shell command line, read as the shell would: which commands it holds. Runs nothing, reads no file.

Standard library only and no `re`: the guard's hook imports this file. What wraps a command (sudo, sh -c, xargs,
find -exec ...) is opened in unwrap.py.
"""

import os
from itertools import islice, product

from agentmemory.shellword import DEEPEST, LONGEST_PATH, NAMES, VALUES, Command, Word, Words, from_home, positions

MOST = 1 << 16  # commands of one line that are looked at; a hook judges so many within the five seconds it has

NESTED = 100  # subshells within one another that have variables and a folder of their own

BLANKS = " \t\r"
RESERVED = frozenset("if then else elif fi do done while until esac { } ! coproc".split())


def commands(text: str, env: "dict[str, list[str]] | None" = None, depth: int = 0, folder: str = "") -> "list[Command]":
    """Every simple command of a script that runs in *folder*, in order, those inside substitutions and subshells too.

    Comments, here-documents and quoted text are no commands. Never raises: what does not parse ends the reading.
    """
    if depth > DEEPEST:
        return []
    reader = _Reader(text.replace("\0", ""), env or {}, depth)  # as a shell reads it
    reader.folder = folder
    try:
        reader.read("")
    except IndexError:  # an open quote or bracket at the end of the text
        reader.finish()
    return reader.found[:MOST]


class _Reader(Words):
    def __init__(self, text: str, env: "dict[str, list[str]]", depth: int) -> None:
        super().__init__(text, env, depth)
        self.words: list[list[str]] = []  # of the command being read: the values of each word
        self.writes: list[str] = []
        self.reads: list[str] = []
        self.stdin: str | None = None
        self.waiting: list[tuple[str, bool]] = []  # here-documents whose bodies follow this line
        self.owner: list[Command] = []  # commands that they belong to
        self.piped: Command | None = None
        self.left: list[str] = []  # folders that `cd` and `pushd` have left
        self.functions: dict[str, str] = {}  # what they hold, by name
        self.named = ""  # the function whose body comes next
        self.open: list[tuple[str, int, str]] = []  # open groups: the function's name, where it begins, in which folder
        self.nested = 0  # subshells that are open

    def read(self, until: str) -> None:
        """Read commands until the closing character *until* (`)` of a subshell), or the end of the text."""
        text = self.text
        while self.at < len(text) and len(self.found) < MOST:
            c = text[self.at]
            if c in BLANKS:
                self.at += 1
            elif c == "\\" and text[self.at + 1 : self.at + 2] == "\n":
                self.at += 2
            elif c == "#":
                end = text.find("\n", self.at)
                self.at = len(text) if end < 0 else end
            elif c == "\n":
                self.at += 1
                self.finish()
                self.bodies()
            elif c in ";&|":
                self.operator(c)
            elif c == ")":
                self.at += 1
                if until == ")":
                    self.finish()
                    return
                self.words = []  # a pattern of `case`
            elif c == "(":
                self.bracket()
            elif c in "<>" or (c.isdigit() and self.redirects_number()):
                self.redirect()
            else:
                self.word()
        self.finish()

    def operator(self, c: str) -> None:
        text, start = self.text, self.at
        while self.at < len(text) and text[self.at] == c:
            self.at += 1
        if c == "&" and self.at - start == 1 and text[self.at : self.at + 1] == ">":
            self.redirect()
            return
        pipe = c == "|" and self.at - start == 1
        if pipe and text[self.at : self.at + 1] == "&":
            self.at += 1
        last = self.finish()
        self.piped = last if pipe else None

    def bracket(self) -> None:
        """`(` : a subshell, the `()` of a function's name, or arithmetic."""
        text = self.text
        if text.startswith("((", self.at) and not self.words:
            end = text.find("))", self.at)
            self.at = len(text) if end < 0 else end + 2
            return
        self.at += 1
        rest = text[self.at : self.at + 8].lstrip(BLANKS)
        if self.words and rest.startswith(")"):
            self.at = text.index(")", self.at) + 1
            self.named = self.words[-1][0]
            self.words = []
            return
        self.finish()
        self.named = ""
        if self.nested == NESTED:
            return
        before, piped, folder, left = self.env, self.piped, self.folder, list(self.left)
        self.piped = None
        first = len(self.found)
        self.nested += 1
        self.read(")")
        self.nested -= 1
        self.env, self.folder, self.left = before, folder, left
        if piped and len(self.found) > first:
            self.found[first].source = piped

    def redirects_number(self) -> bool:
        at = self.at
        while at < len(self.text) and self.text[at].isdigit():
            at += 1
        return self.text[at : at + 1] in ("<", ">")

    def redirect(self) -> None:
        text = self.text
        while text[self.at].isdigit() or text[self.at] == "&":
            self.at += 1
        start = self.at
        while self.at < len(text) and text[self.at] in "<>|&-":
            self.at += 1
            if text[start : self.at] in ("<(", ">(") or (text[self.at : self.at + 1] == "(" and self.at - start == 1):
                break
        mark = text[start : self.at]
        if text[self.at : self.at + 1] == "(" and mark in ("<", ">"):  # process substitution: its own commands
            self.at += 1
            self.words.append(["/dev/fd/63"])
            self.found.extend(self.inside())
            return
        if mark.endswith("-") and not mark.startswith("<<"):
            return
        self.blanks()
        word = self.one()
        self.found.extend(word.inner)
        target = word.values[0]
        if mark in ("<<", "<<-"):
            self.waiting.append((target, mark == "<<-"))
            self.stdin = ""
        elif mark == "<<<":
            self.stdin = target
        elif mark.startswith("<"):
            self.reads.extend(word.values)
        elif not (mark.endswith("&") and target.isdigit()):
            self.writes.extend(word.values)

    def blanks(self) -> None:
        while self.at < len(self.text) and self.text[self.at] in BLANKS:
            self.at += 1

    def value(self) -> str:
        """The next word's first value."""
        word = self.one()
        self.found.extend(word.inner)
        return word.values[0]

    def word(self) -> None:
        """Take one word: an argument, an assignment or a reserved word."""
        start = self.at
        word = self.one()
        if self.at == start:  # nothing was read: a character that means nothing here
            self.at += 1
            return
        self.found.extend(word.inner)
        raw = self.text[start : self.at]
        if not self.words and self.assignment(raw, word):
            return
        if len(self.words) == 2 and self.words[0] == ["function"] and raw == "{":
            self.named = self.words[1][0]
            self.words = []
        if not self.words and word.plain and raw in RESERVED:
            self.group(raw, start)
            return
        if word.many:
            self.words.extend([value] for value in word.values)
        elif word.split:
            self.words.extend([part] for part in word.values[0].split())
        else:
            self.words.append(word.values)

    def group(self, mark: str, start: int) -> None:
        """A group opens or closes; one behind a function's name is what the function holds."""
        if mark == "{":
            self.open.append((self.named, self.at, self.folder))
            self.named = ""
        elif mark == "}" and self.open:
            name, begin, folder = self.open.pop()
            if name:
                self.functions[name] = self.text[begin:start]
                self.folder = folder  # it goes nowhere before it is called

    def call(self, words: "list[str]") -> None:
        """Read what a function of this text does with the words that it is given."""
        if self.depth >= DEEPEST or len(self.found) >= MOST:
            return
        reader = self.below(self.functions[words[0]], positions(words[1:]))
        reader.found = self.found  # what is found counts for all, so that it ends
        reader.functions = {name: body for name, body in self.functions.items() if name != words[0]}
        try:
            reader.read("")
        except IndexError:
            reader.finish()
        self.folder = reader.folder

    def assignment(self, raw: str, word: Word) -> bool:
        name, equals, _ = raw.partition("=")
        name = name.removesuffix("+")
        if not equals or not name.replace("_", "a").isalnum() or name[:1].isdigit():
            return False
        values = [value.partition("=")[2] for value in word.values]
        if values == [""] and self.text[self.at : self.at + 1] == "(":  # an array
            self.at += 1
            values = [" ".join(self.array())]
        self.hold(self.assigned, name, values)
        return True

    def export(self, name: str, values: "list[str]") -> None:
        """Keep what a name stands for from here on; the commands so far share what they had."""
        self.env = dict(self.env)
        self.hold(self.env, name, values)

    def hold(self, names: "dict[str, list[str]]", name: str, values: "list[str]") -> None:
        """Keep what a name stands for."""
        if name in self.env or len(self.env) + len(self.assigned) < NAMES:
            names[name] = values

    def array(self) -> "list[str]":
        items = []
        while self.text[self.at] != ")":
            start = self.at
            if self.text[self.at] not in BLANKS + "\n":
                items.append(self.value())
            if self.at == start:  # a blank, or what no array holds
                self.at += 1
        self.at += 1
        return items

    def finish(self) -> "Command | None":
        """The command that ends here, noted; None where there is none."""
        words, assigned = self.words, self.assigned
        self.words, self.assigned = [], {}
        first: Command | None = None
        piped = self.piped
        if not words:
            if assigned:  # a line of its own: holds from here on
                self.env = {**self.env, **assigned}
            if self.writes or self.reads:  # redirections of a loop or a group
                first = self.note([":"], self.env, piped)
                self.writes, self.reads = [], []
            return first
        self.piped = None
        if words[0] == ["for"] and len(words) > 3 and words[2] == ["in"]:
            self.export(words[1][0], [value for item in words[3:] for value in item][:VALUES] or [""])
        elif words[0] not in (["case"], ["function"], ["select"]):
            env = {**self.env, **assigned} if assigned else self.env
            for chosen in _choices(words):
                first = self.note(chosen, env, piped)
        if first and words[0][0] in ("export", "declare", "readonly", "local", "typeset"):
            for item in words[1:]:
                name, equals, _ = item[0].partition("=")
                if equals:
                    self.export(name, [value.partition("=")[2] for value in item])
        if first and words[0][0] in ("cd", "pushd", "popd"):
            self.go(first.words)
        if first and words[0] == ["set"] and ["--"] in words:
            self.env = {**self.env, **positions([item[0] for item in words[words.index(["--"]) + 1 :]])}
        self.owner.extend([first] * (len(self.waiting) - len(self.owner)) if first else [])
        self.writes, self.reads, self.stdin = [], [], None
        if first and first.words[0] in self.functions:
            self.call(first.words)
        return first

    def go(self, words: "list[str]") -> None:
        """Follow `cd` and its like to another folder."""
        to = next((word for word in words[1:] if word == "-" or not word.startswith("-")), "~")
        back = words[0] == "popd" or to == "-"
        if back and not self.left:
            return
        here, there = self.folder, self.left.pop() if back else os.path.join(self.folder, from_home(to))
        if len(there) > LONGEST_PATH:  # there is no such folder
            return
        self.folder = there
        if words[0] != "popd":
            self.left.append(here)

    def note(self, words: "list[str]", env: "dict[str, list[str]]", piped: "Command | None") -> Command:
        command = Command(words, env)
        command.writes, command.reads, command.stdin, command.source = self.writes, self.reads, self.stdin, piped
        command.folder = self.folder
        self.found.append(command)
        return command

    def bodies(self) -> None:
        """The here-documents that begin on the line just ended."""
        waiting, owners = self.waiting, self.owner
        self.waiting, self.owner = [], []
        for i, (mark, tabs) in enumerate(waiting):
            start = self.at
            while True:
                end = self.text.find("\n", self.at)
                line = self.text[self.at : end if end >= 0 else len(self.text)]
                after = len(self.text) if end < 0 else end + 1
                if (line.lstrip("\t") if tabs else line) == mark or end < 0:
                    break
                self.at = after
            if i < len(owners):
                owners[i].stdin = self.text[start : self.at]
            self.at = after


def _choices(words: "list[list[str]]") -> "list[list[str]]":
    """Each way to read the words where some of them have several values, the first few."""
    return [list(chosen) for chosen in islice(product(*words), VALUES)]
