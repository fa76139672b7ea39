"""Which files a program given on the spot changes or reads (`python -c`, `node -e`, a here-document). Runs nothing.

Standard library only and no `re`: the guard's hook imports this file. It reads string literals, names that they are
given to, and the calls that they go into; what is put together at run time it does not see.
"""

from itertools import islice

#: calls that write the file that they are given first
WRITES = frozenset(
    "writefile writefilesync appendfile appendfilesync writetextfile writetextfilesync write createwritestream"
    " file_put_contents rmtree remove removesync rm rmsync rm_rf rm_r unlink unlinksync rmdir rmdirsync rename"
    " renamesync renames move makedirs mkdir mkdirsync mkdir_p touch truncate truncatesync chmod outputfile"
    " outputfilesync emptydir emptydirsync binwrite".split()
)
METHODS = frozenset("write_text write_bytes unlink rmdir rename touch mkdir chmod symlink_to".split())
MOVES = frozenset("rename renamesync renames move".split())
COPIES = frozenset("copy copy2 copyfile copyfilesync copytree cp cpsync cp_r copysync symlink link".split())
READS = frozenset("readfile readfilesync readtextfile read readlines file_get_contents".split())
SHOWS = frozenset("read_text read_bytes".split())
#: calls that write a file only for one of these, or for nobody: `os.remove`, not `names.remove`
OWNERS = {
    "write": "file io bun",
    "remove": "os fs fse",
    "rm": "fs fileutils",
    "move": "shutil fse",
    "touch": "fileutils",
}
OPENS = frozenset(("open", "fopen", "sysopen", "file"))
NAMES = frozenset("path purepath posixpath str join joinpath resolve abspath expanduser expandpath url fspath".split())
PREFIXES = ("f", "r", "b", "rb", "br", "fr", "rf", "u")
MODES = frozenset("waxrbt+><")

REACH = 400  # tokens between a call and its argument
VALUES = 16  # values that one string may take
MOST = 400  # of a list
LONGEST = 1 << 12  # characters of a string that is put together

Token = tuple[str, list[str]]  # a name, a mark of punctuation, or "" and the values of a string


def changed(code: str) -> "list[str]":
    """The files that a program writes, moves or removes, as far as its own text names them."""
    return _files(code, True)


def shown(code: str) -> "list[str]":
    """The files that a program reads."""
    return _files(code, False)


def _files(code: str, written: bool) -> "list[str]":
    tokens = _resolved(_tokens(code))
    out: list[str] = []
    for at, (mark, values) in enumerate(tokens):
        if not mark and any(values) and (_writes if written else _reads)(tokens, at):
            out.extend(value.lstrip("+<> ") for value in values)
    return out


def _writes(tokens: "list[Token]", at: int) -> bool:
    """Whether the string at *at* is a file that a call writes: `open(it, "w")`, `rmtree(it)`, `it.write_text(...)`."""
    call, place = _call(tokens, at)
    method = _method(tokens, at)
    if call in OPENS and _opens(tokens, at, place):
        return tokens[at][1][0][:1] == ">" or "w" in _mode(tokens, at, place)
    if method == "open":
        return "w" in _mode(tokens, at + 1, 0)
    return (call in WRITES and place == 0) or method in METHODS or (call in COPIES | MOVES and place == 1)


def _reads(tokens: "list[Token]", at: int) -> bool:
    call, place = _call(tokens, at)
    method = _method(tokens, at)
    if method == "open" or (call in OPENS and _opens(tokens, at, place)):
        return True
    return (call in READS | COPIES and place == 0) or method in SHOWS


def _opens(tokens: "list[Token]", at: int, place: int) -> bool:
    """Whether a string is what `open` opens: its first argument, or in Perl the one with or behind a mark."""
    before = tokens[at - 2][1] if at > 1 else []
    return place == 0 or tokens[at][1][0][:1] in "<>+" or (bool(before) and set(before[0]) <= MODES)


def _mode(tokens: "list[Token]", at: int, place: int) -> str:
    """ "w" where the strings beside one in a call say that the file is written (`"a"`, `mode="wb"`, `">"`)."""
    before = tokens[at - 2][1] if place and at > 1 and tokens[at - 1][0] == "," and not tokens[at - 2][0] else []
    behind = [values for mark, values in tokens[at + 1 : at + 5] if not mark]
    said = [value for values in [before, *behind] for value in values if value and set(value) <= MODES]
    return "w" if any(set(value) & set("wax+>") for value in said) else ""


def _call(tokens: "list[Token]", at: int) -> "tuple[str, int]":
    """The call that a string is an argument of, lower case, and its place there."""
    place, depth = 0, 0
    for i in range(at - 1, max(at - REACH, 0) - 1, -1):
        mark = tokens[i][0]
        depth += (mark == ")") - (mark == "(")
        if depth < 0:
            return (_owned(tokens, i - 1) if i else "", place)
        place += mark == "," and depth == 0
        if mark in ("\n", ";"):
            break
    return "", 0


def _owned(tokens: "list[Token]", at: int) -> str:
    """The name of a call, "" where one of that name writes a file only for another owner (`list.remove`)."""
    name = tokens[at][0].lower()
    dotted = at > 1 and tokens[at - 1][0] == "."
    owner = (tokens[at - 2][0].lower() or "?") if dotted else ""
    return name if not owner or owner in OWNERS.get(name, owner).split() else ""


def _method(tokens: "list[Token]", at: int) -> str:
    """The method that is called on a string: `unlink` of `Path("a").unlink()`."""
    behind = [mark for mark, _ in tokens[at + 1 : at + 4]]
    return behind[1].lower() if len(behind) == 3 and behind[0] == "." and behind[2] == "(" else ""


def _resolved(tokens: "list[Token]") -> "list[Token]":
    """The tokens with names and paths in the place of what they are: `p = Path("a") / "b"; p.unlink()`."""
    out: list[Token] = []
    known: dict[str, list[str]] = {}
    for at, token in enumerate(tokens):
        mark = token[0]
        if mark in known and not (out and out[-1][0] == ".") and tokens[at + 1 : at + 2] != [("=", [])]:
            token = ("", known[mark])
        elif mark in (")", "]"):
            token = _closed(out, mark) or token
        _push(out, token)
        ends = at + 1 == len(tokens) or tokens[at + 1][0] in ("\n", ";", ":", ")")
        if ends and not out[-1][0] and len(out) > 2 and out[-2][0] in ("=", "in", "of") and out[-3][0].strip():
            known[out[-3][0]] = out[-1][1]
    return out


def _push(out: "list[Token]", token: Token) -> None:
    """Add a token; a string behind `/` or `+` goes on with the string before it."""
    if not token[0] and len(out) > 1 and out[-1][0] in ("/", "+") and not out[-2][0]:
        between = "/" if out.pop()[0] == "/" else ""
        joined = (a.rstrip(between or "\0") + between + b for a in out.pop()[1] for b in token[1])
        token = ("", [value[:LONGEST] for value in islice(joined, VALUES)])
    out.append(token)


def _closed(out: "list[Token]", mark: str) -> "Token | None":
    """The string that a bracket of nothing but strings stands for: `Path("a")`, `join("a", "b")`, `["a", "b"]`."""
    start = len(out) - 1
    while start >= 0 and out[start][0] in ("", ","):
        start -= 1
    inside = [values for token, values in out[start + 1 :] if not token]
    if start < 0 or out[start][0] != {")": "(", "]": "["}[mark] or not inside:
        return None
    name = out[start - 1][0].lower() if start else ""
    if mark == ")" and (name.isidentifier() and name not in (*NAMES, "in", "return")):
        return None
    listed = mark == "]" or name == "in" or (not name.isidentifier() and len(inside) > 1)
    del out[start - (name in NAMES) :]
    while len(out) > 1 and out[-1][0] == "." and out[-2][0].isidentifier():  # os.path.
        del out[-2:]
    if listed or len(inside) == 1:
        return "", [value for values in inside for value in values][:MOST]
    return "", ["/".join(values[0] for values in inside)[:LONGEST]]


def _tokens(code: str) -> "list[Token]":
    """Strings, names and marks of a program, without its comments and blanks."""
    out: list[Token] = []
    at, depth = 0, 0
    while at < len(code) and len(out) < 4000:
        c = code[at]
        if c in "'\"`":
            triple = c * 3
            mark = triple if code.startswith(triple, at) else c
            end = _end(code, at + len(mark), mark)
            if out and out[-1][0].lower() in PREFIXES and code[at - 1 : at].isalpha():
                out.pop()
            out.append(("", [code[at + len(mark) : end]]))
            at = end + len(mark)
        elif c == "#" or (c == "/" and code.startswith("//", at)):
            end = code.find("\n", at)
            at = len(code) if end < 0 else end
        elif c.isalnum() or c in "_$":
            start = at
            while at < len(code) and (code[at].isalnum() or code[at] in "_$"):
                at += 1
            out.append((code[start:at].lstrip("$") or "$", []))
        else:
            depth += (c in "([{") - (c in ")]}")
            if c not in " \t\r" and not (c == "\n" and depth > 0):
                out.append((c, []))
            at += 1
    return out


def _end(code: str, at: int, mark: str) -> int:
    """Where a string ends that begins at *at*."""
    while at < len(code) and not code.startswith(mark, at):
        at += 2 if code[at] == "\\" else 1
    return min(at, len(code))
