"""What the commands of a line change for those behind them: names, the folder, functions, files.

Standard library only and no `re`: the guard's hook imports this file. Runs nothing, reads no file.
"""

import os

from agentmemory.shelltext import names_read, place, printed, said_by
from agentmemory.shellword import BLANKS, LONGEST_PATH, NAMES, Command, Word, Words, from_home, positions

READS = ("read", "mapfile", "readarray")


class State(Words):
    """A reader of words that knows what the commands so far have changed."""

    def __init__(self, text: str, env: "dict[str, list[str]]", depth: int) -> None:
        super().__init__(text, env, depth)
        self.left: list[str] = []  # folders that `cd` and `pushd` have left
        self.functions: dict[str, str] = {}  # what they and aliases hold, by name

    def value(self) -> str:
        """The next word's first value."""
        word = self.one()
        self.found.extend(word.inner)
        return word.values[0]

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

    def built_in(self, words: "list[list[str]]", command: Command, loop: bool) -> None:
        """What a command of the shell itself changes for those that follow; *loop*: it stands in `while ... do`."""
        name = command.words[0]
        if name in ("export", "declare", "readonly", "local", "typeset"):
            for item in words[1:]:
                key, equals, _ = item[0].partition("=")
                if equals:
                    self.export(key, [value.partition("=")[2] for value in item])
        elif name in ("cd", "pushd", "popd"):
            self.go(command.words)
        elif name == "set":
            begin = words.index(["--"]) + 1 if ["--"] in words else 1
            if begin > 1 or (words[1:2] and words[1][0][:1] not in ("-", "+")):
                self.env = {**self.env, **positions([item[0] for item in words[begin:]])}
        elif name == "alias":
            for key, equals, body in (item.partition("=") for item in command.words[1:]):
                if equals and len(self.functions) < NAMES:
                    self.functions[key] = body + ' "$@"'
        elif name == "printf" and command.words[1:2] == ["-v"] and len(command.words) > 3:
            self.export(command.words[2], [printed(command) or ""])
        elif name in READS:
            for key, values in names_read(command, loop).items():
                if self.fits(sum(map(len, values))):
                    self.export(key, values)

    def export(self, name: str, values: "list[str]") -> None:
        """Keep what a name stands for from here on; the commands so far share what they had."""
        self.env = dict(self.env)
        self.hold(self.env, name, values)

    def hold(self, names: "dict[str, list[str]]", name: str, values: "list[str]") -> None:
        """Keep what a name stands for."""
        if name in self.env or len(self.env) + len(self.assigned) < NAMES:
            names[name] = values

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

    def keep(self, command: Command, printing: "list[Command]") -> None:
        """Hold what a command writes into files, where it can be seen."""
        into = [*command.writes, *(command.words[1:] if command.words[0] == "tee" else [])]
        said = said_by(printing) if into else None
        for path in into if said else []:
            at = place(command.folder, path)
            if at and said and (at in self.held or len(self.held) < NAMES) and self.fits(len(said)):
                self.held[at] = self.held.get(at, "") + said
