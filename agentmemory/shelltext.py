"""What the commands of a line print, and what they are given to read, as far as the line itself says so.

Standard library only and no `re`: the guard's hook imports this file. Runs nothing, reads no file.
"""

import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from agentmemory.shellword import Command

LINES = 16  # of what is read by a loop
PIPES = 16  # one behind the other, or within one another, through which a text is followed
FILES = 16  # whose text one command passes on
ROOM = 1 << 20  # characters that one command prints
LONGEST_FILE_NAME = 1 << 12
STDIN = ("-", "/dev/stdin", "/dev/fd/0", "/proc/self/fd/0")
PASSES_ON = frozenset("cat tee head tail sort uniq".split())  # print what they read, or a part of it
BACKSLASHED = {"n": "\n", "t": "\t", "r": "\r", "e": "\x1b", "0": "\0"}
VALUED = {"read": "ptnNdui", "mapfile": "dnOsuCc"}  # letters of the options that take a value; `readarray` is `mapfile`


def printed(command: "Command", deep: int = 0) -> "str | None":
    """What a command prints where that can be seen from the line, None where it cannot. deep: pipes behind it."""
    words = command.words
    if not words or deep > PIPES:
        return None
    name = base_name(words[0])
    if name == "echo":
        at = 1
        while words[at : at + 1] and words[at] in ("-n", "-e", "-E", "-ne", "-en"):
            at += 1
        said = " ".join(words[at:]) + "\n"
        return _unescaped(said) if any("e" in word for word in words[1:at]) else said
    if name == "printf" and len(words) > 1:
        at = 3 if words[1] == "-v" else 2 if words[1] == "--" else 1
        return _filled(words[at], words[at + 1 :]) if words[at:] else None
    if name in PASSES_ON:
        return _passed_on(name, command, deep)
    if name == "tr":
        return _translated(words[1:], taken(command, deep))
    if name == "base64" and not {"-d", "-D", "--decode"}.isdisjoint(words):
        return _decoded(taken(command, deep))
    if name == "yes":
        return " ".join(words[1:]) + "\n"
    if name == "which" and len(words) == 2:
        return words[1]
    if name == "command" and len(words) == 3 and words[1] == "-v":
        return words[2]
    return None


def piped(command: "Command", deep: int = 0) -> str:
    """What is printed into a command by those before it, "" where that cannot be seen."""
    return said_by(command.sources, deep + 1) or "" if command.sources else ""


def said_by(commands: "list[Command]", deep: int = 0) -> "str | None":
    """What commands print one after the other, as far as it can be seen; None where nothing can."""
    said = [text for each in commands if (text := printed(each, deep)) is not None]
    return "".join(said) if said else None


def taken(command: "Command", deep: int = 0) -> str:
    """What a command finds on its standard input, "" where that cannot be seen."""
    if command.stdin:
        return command.stdin
    for path in reversed(command.reads[-FILES:]):
        if path not in STDIN:
            return in_file(command, path)
    return piped(command, deep)


def in_file(command: "Command", path: str, deep: int = 0) -> str:
    """What stands in a file, as far as the line itself has written it; also in the command's standard input."""
    if path in STDIN:
        return taken(command, deep)
    return command.held.get(place(command.folder, path), "") if command.held else ""


def place(folder: str, path: str) -> str:
    """A file's path from where the line began; "" for one that no system takes."""
    return os.path.normpath(os.path.join(folder, path)) if 0 < len(path) < LONGEST_FILE_NAME else ""


def texts_of(command: "Command") -> "list[str]":
    """The texts that a command is given: its arguments, its here-document, what is printed into it."""
    return [*command.words[1:], command.stdin or "", piped(command)]


def names_read(command: "Command", every: bool) -> "dict[str, list[str]]":
    """What `read` and `mapfile` let names stand for: parts of the first line, or of each where a loop reads *every*."""
    text, words = taken(command), command.words
    names, array, ends = _asked(words)
    if words[0] != "read":
        return {(names or ["MAPFILE"])[-1]: [" ".join(text.split("\n"))]} if text else {}
    lines = [line for line in text.split(ends) if line.strip()][: LINES if every else 1]
    if array:
        return {array: lines} if lines else {}
    out: dict[str, list[str]] = {}
    between = command.env.get("IFS", [""])[0]
    for line in lines:
        if between.strip():
            line = "".join(" " if c in between else c for c in line)
        for name, part in zip(names or ["REPLY"], line.split(None, max(0, len(names) - 1)), strict=False):
            out.setdefault(name, []).append(part.strip())
    return out


def _asked(words: "list[str]") -> "tuple[list[str], str, str]":
    """The names that `read` is given, its array, and where what it reads ends."""
    names: list[str] = []
    array, ends, at = "", "\n", 1
    valued, listed = VALUED.get(words[0], VALUED["mapfile"]), "a" if words[0] == "read" else ""
    while at < len(words):
        word = words[at]
        at += 1
        if word[:1] != "-" or names:
            names.append(word)
            continue
        for i, letter in enumerate(word[1:], 2):
            if letter in valued or letter == listed:
                value = word[i:] or "".join(words[at : at + 1])
                at += 0 if word[i:] else 1
                array = value if letter == listed else array
                ends = (value or "\0") if letter == "d" else ends
                break
    return names, array, ends


def reshaped(value: str, how: str) -> "str | None":
    """A name's value as `${name#...}`, `%`, `/`, `,,` and `^^` change it; None where that takes more than words."""
    cases: dict[str, Callable[[str], str]] = {",,": str.lower, "^^": str.upper, "^": str.capitalize}
    if how in cases:
        return cases[how](value)
    mark = how[:2] if how[1:2] == how[:1] else how[:1]
    old = how[len(mark) :]
    if mark in ("/", "//"):
        old, _, new = old.partition("/")
        plain = old and not any(c in "*?[\\$#%" for c in old) and "$" not in new
        return value.replace(old, new, -1 if mark == "//" else 1) if plain else None
    if mark not in ("#", "##", "%", "%%") or any(c in "?[\\$" for c in old):
        return None
    begin, star, end = old.partition("*")
    if mark[0] == "#":
        if not star or begin:
            return value.removeprefix(old) if not star else None
        found = value.find(end) if mark == "#" else value.rfind(end)
        return value[found + len(end) :] if found >= 0 and end else value
    if not star or end:
        return value.removesuffix(old) if not star else None
    found = value.rfind(begin) if mark == "%" else value.find(begin)
    return value[:found] if found >= 0 and begin else value


def _passed_on(name: str, command: "Command", deep: int) -> "str | None":
    """What goes through a program: the text of the files that it names, else of its standard input."""
    files = [word for word in command.words[1:] if word == "-" or word[:1] not in ("-", "+")] if name != "tee" else []
    files = files[1:] if files[:1] and files[0].isdigit() else files  # head -n 1
    said = "".join(in_file(command, path, deep) for path in files[:FILES]) if files else taken(command, deep)
    return said[:ROOM] or (None if command.stdin is None or files else "")


def _filled(form: str, given: "list[str]") -> str:
    """What `printf` makes of its form: used again as long as something is given to it."""
    parts, said, left = _unescaped(form).replace("%%", "\1").split("%"), "", given
    while True:
        said, before = said + parts[0], len(left)
        for part in parts[1:]:
            end = next((i for i, c in enumerate(part) if c.isalpha()), len(part) - 1)
            said += "".join(left[:1]) + part[end + 1 :]
            left = left[1:]
        if not left or len(left) == before or len(said) > ROOM:
            return said.replace("\1", "%")


def _unescaped(text: str) -> str:
    """Text with what stands behind backslashes."""
    first, *parts = text.split("\\")
    out = [first]
    at = 0
    while at < len(parts):
        part = parts[at]
        at += 1
        if part:
            out.append(BACKSLASHED.get(part[0], "\\" + part[0] if part[0].isalpha() else part[0]) + part[1:])
        elif at < len(parts):  # a backslash behind a backslash
            out.append("\\" + parts[at])
            at += 1
    return "".join(out)


def _translated(words: "list[str]", text: str) -> "str | None":
    """What `tr` makes of a text: characters left out, or one in the place of another."""
    sets = [_unescaped(word) for word in words if word[:1] != "-"]
    if not text or not sets or any("-" in each or "[" in each for each in sets):
        return None
    if "-d" in words:
        return "".join(c for c in text if c not in sets[0])
    if len(sets) < 2 or not sets[1]:
        return text
    return text.translate({ord(c): sets[1][min(i, len(sets[1]) - 1)] for i, c in enumerate(sets[0])})


def _decoded(text: str) -> "str | None":
    from binascii import Error, a2b_base64

    try:
        return a2b_base64(text.encode()).decode("utf-8", "replace") if text else None
    except (Error, ValueError):
        return None


def base_name(program: str) -> str:
    """`git` of `/usr/bin/git`, `C:\\Git\\git.exe` and `\\git`, `pip3` of `pip3.12`."""
    name = program.replace("\\", "/").rsplit("/", 1)[-1]
    major, _, minor = name.rpartition(".")
    name = major if minor.isdigit() and major[-1:].isdigit() else name
    return name[:-4] if name[-4:].lower() == ".exe" else name
