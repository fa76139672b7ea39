"""A shell command line, read as the shell would: which commands it holds. Runs nothing, reads no file.

Standard library only and no `re`: the guard's hook imports this file. What wraps a command (sudo, sh -c, xargs,
find -exec ...) is opened in unwrap.py.
"""

from itertools import islice, product

from agentmemory.shellstate import READS, State
from agentmemory.shelltext import said_by, taken
from agentmemory.shellword import BLANKS, DEEPEST, NAMES, VALUES, Command, Word, positions

MOST = 1 << 16  # commands of one line that are looked at; a hook judges so many within the five seconds it has

NESTED = 100  # subshells within one another that have variables and a folder of their own

RESERVED = frozenset("if then else elif fi do done while until esac { } ! coproc".split())
OPENS = {"{": "}", "if": "fi", "while": "done", "until": "done", "do": "done"}
LOOPS = ("while", "until")


def commands(
    text: str,
    env: "dict[str, list[str]] | None" = None,
    depth: int = 0,
    folder: str = "",
    held: "dict[str, str] | None" = None,
) -> "list[Command]":
    """Every simple command of a script that runs in *folder*, in order, those inside substitutions and subshells too.

    held: files that were written before it. Comments, here-documents and quoted text are no commands. Never raises:
    what does not parse ends the reading.
    """
    if depth > DEEPEST:
        return []
    reader = _Reader(text.replace("\0", ""), env or {}, depth)  # as a shell reads it
    reader.folder, reader.held = folder, {} if held is None else held
    try:
        reader.read("")
    except IndexError:  # an open quote or bracket at the end of the text
        reader.finish()
    return reader.found[:MOST]


class _Group:
    """Commands that stand together: by what they are opened, where the text of them begins and ends, what prints."""

    __slots__ = ("begin", "body", "end", "fed", "folder", "mark", "name", "shown")

    def __init__(self, mark: str, name: str, begin: int, reader: "_Reader") -> None:
        self.mark = mark
        self.name = name  # of the function
        self.begin = begin
        self.end = begin
        self.body = mark not in LOOPS  # `do` is still to come
        self.folder, self.fed, self.shown = reader.folder, reader.fed, len(reader.shown)


class _Reader(State):
    def __init__(self, text: str, env: "dict[str, list[str]]", depth: int) -> None:
        super().__init__(text, env, depth)
        self.words: list[list[str]] = []  # of the command being read: the values of each word
        self.writes: list[str] = []
        self.reads: list[str] = []
        self.stdin: str | None = None
        self.waiting: list[tuple[str, bool, bool]] = []  # here-documents whose bodies follow this line
        self.owner: list[tuple[Command, _Group | None]] = []  # commands that they belong to, and the group before them
        self.piped: list[Command] = []
        self.named = ""  # the function whose body comes next
        self.open: list[_Group] = []
        self.closed: _Group | None = None  # the group that has just ended
        self.fed: list[Command] = []  # those whose output the open group reads
        self.nested = 0  # subshells that are open
        self.rereads = False  # reads a group again

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
        shown, group = len(self.shown), self.closed
        self.finish()
        if group:
            shown = group.shown
        self.piped = self.shown[shown:] if pipe else []
        if pipe:
            del self.shown[shown:]

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
        if self.nested == NESTED:
            self.named = ""
            return
        before, left = self.env, list(self.left)
        group = self.begin("(")
        self.nested += 1
        self.read(")")
        self.nested -= 1
        self.env, self.left = before, left
        self.end(group, self.at - 1)
        self.folder = group.folder

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
            self.words.append([self.substituted()])
            return
        if mark.endswith("-") and not mark.startswith("<<"):
            return
        self.blanks()
        if text.startswith(("<(", ">("), self.at):
            self.at += 1
            (self.reads if mark == "<" else self.writes).append(self.substituted())
            return
        word = self.one()
        self.found.extend(word.inner)
        target = word.values[0]
        if mark in ("<<", "<<-"):
            self.waiting.append((target, mark == "<<-", word.plain))
            self.stdin = ""
        elif mark == "<<<":
            self.stdin = target
        elif mark.startswith("<"):
            self.reads.extend(word.values)
        elif not (mark.endswith("&") and target.isdigit()):
            self.writes.extend(word.values)

    def substituted(self) -> str:
        """The file that a process substitution stands for; its commands are found, and what they print is held."""
        self.at += 1
        found, shown = self.inside()
        self.found.extend(found)
        path, said = f"/dev/fd/{63 + len(self.held)}", said_by(shown) or ""
        if len(self.held) < NAMES and self.fits(len(said)):
            self.held[path] = said
        return path

    def blanks(self) -> None:
        while self.at < len(self.text) and self.text[self.at] in BLANKS:
            self.at += 1

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
        top = self.open[-1] if self.open else None
        if mark == "do" and top and not top.body:
            top.body = True
        elif mark in OPENS:
            self.open.append(self.begin(mark))
        elif top and mark == OPENS[top.mark]:
            self.end(self.open.pop(), start)

    def loops(self) -> bool:
        """Whether this is inside `while ... done`."""
        return any(group.mark in LOOPS for group in self.open)

    def begin(self, mark: str) -> _Group:
        """A group begins here; what is piped into it is there for all of its commands."""
        group = _Group(mark, self.named, self.at, self)
        self.named = ""
        self.fed = self.piped or self.fed
        return group

    def end(self, group: _Group, at: int) -> None:
        group.end = at
        self.closed, self.fed, self.piped = group, group.fed, []
        if group.name:
            self.functions[group.name] = self.text[group.begin : at]
            self.folder = group.folder  # it goes nowhere before it is called

    def call(self, command: Command) -> None:
        """Read what a function of this text does with the words that it is given."""
        name, *given = command.words
        others = {each: body for each, body in self.functions.items() if each != name}
        self.again(self.functions[name], positions(given), others, command.sources)

    def again(
        self, text: str, env: "dict[str, list[str]]", functions: "dict[str, str]", fed: "list[Command] | None" = None
    ) -> None:
        """Read what has been read before: with other words, or with something to read."""
        if self.depth >= DEEPEST or len(self.found) >= MOST:
            return
        reader = self.below(text, env)
        reader.found, reader.shown = self.found, self.shown  # what is found counts for all, so that it ends
        reader.functions, reader.fed, reader.rereads = functions, fed or self.fed, self.rereads
        try:
            reader.read("")
        except IndexError:
            reader.finish()
        self.folder = reader.folder

    def feed(self, group: "_Group | None", command: Command) -> None:
        """Read a group again, now that it is known what its commands are given to read: `while read x ... done < y`."""
        text = self.text[group.begin : group.end] if group else ""
        known = group and not self.rereads and any(name in text for name in READS) and taken(command)
        if group and known and self.fits(len(text)):
            source = Command(["cat"])
            source.stdin = taken(command)
            loop = f"{group.mark} {text} done" if group.mark in LOOPS else text
            self.rereads = True
            self.again(loop, {}, dict(self.functions), [source])
            self.rereads = False

    def finish(self) -> "Command | None":
        """The command that ends here, noted; None where there is none."""
        words, assigned, group = self.words, self.assigned, self.closed
        self.words, self.assigned, self.closed = [], {}, None
        first: Command | None = None
        piped = self.piped
        if not words:
            if assigned:  # a line of its own: holds from here on
                self.env = {**self.env, **assigned}
            if self.writes or self.reads or self.stdin is not None:  # redirections of a loop or a group
                first = self.note([":"], self.env, piped)
                self.keep(first, self.shown[group.shown : -1] if group else [])
                self.await_bodies(first, group)
                self.feed(group, first)
            return first
        self.piped = []
        noted = len(self.found)
        if words[0] in (["for"], ["select"]) and len(words) > 3 and words[2] == ["in"]:
            self.export(words[1][0], [value for item in words[3:] for value in item][:VALUES] or [""])
        elif words[0] not in (["case"], ["function"], ["select"]):
            env = {**self.env, **assigned} if assigned else self.env
            for chosen in _choices(words):
                first = self.note(chosen, env, piped)
                self.keep(first, [first])
        ran = self.found[noted:]
        if first:
            self.await_bodies(first, None)
            self.built_in(words, first, self.loops())
        self.writes, self.reads, self.stdin = [], [], None
        for command in ran:
            if command.words[0] in self.functions:
                self.call(command)
        return first

    def await_bodies(self, command: Command, group: "_Group | None") -> None:
        """The here-documents that have been announced are this command's."""
        self.owner.extend([(command, group)] * (len(self.waiting) - len(self.owner)))
        self.writes, self.reads, self.stdin = [], [], None

    def note(self, words: "list[str]", env: "dict[str, list[str]]", piped: "list[Command]") -> Command:
        command = Command(words, env)
        command.writes, command.reads, command.stdin = self.writes, self.reads, self.stdin
        command.sources = piped or (self.fed if words[0] in READS else [])
        command.folder, command.held = self.folder, self.held
        self.found.append(command)
        self.shown.append(command)
        return command

    def bodies(self) -> None:
        """The here-documents that begin on the line just ended."""
        waiting, owners = self.waiting, self.owner
        self.waiting, self.owner = [], []
        for i, (mark, tabs, expands) in enumerate(waiting):
            start = self.at
            while True:
                end = self.text.find("\n", self.at)
                line = self.text[self.at : end if end >= 0 else len(self.text)]
                after = len(self.text) if end < 0 else end + 1
                if (line.lstrip("\t") if tabs else line) == mark or end < 0:
                    break
                self.at = after
            body = self.text[start : self.at]
            self.at = after
            if expands:
                body = self.expanded(body)
            if i < len(owners):
                command, group = owners[i]
                command.stdin = body
                self.keep(command, [command])
                if command.words[0] in READS:
                    self.built_in([], command, self.loops())
                self.feed(group, command)

    def expanded(self, body: str) -> str:
        """A here-document as its reader gets it; the commands in it run."""
        if not any(c in body for c in "$`"):
            return body
        said = Word()
        reader = self.below(body, {})
        try:
            while reader.at < len(body):
                reader.double(said)
                said.add('"')
        except IndexError:  # its end
            pass
        self.found.extend(said.inner)
        return said.values[0]


def _choices(words: "list[list[str]]") -> "list[list[str]]":
    """Each way to read the words where some of them have several values, the first few."""
    return [list(chosen) for chosen in islice(product(*words), VALUES)]
