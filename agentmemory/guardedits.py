"""What an editing tool does to files: one edit, several, a patch; the client's tools and those of MCP servers.

Standard library only and no `re`: the guard's hook imports this file.
"""

from agentmemory.guardspec import named_strings
from agentmemory.shelltext import base_name
from agentmemory.shellword import Command

EDITORS = frozenset("Write Edit MultiEdit NotebookEdit str_replace_based_edit_tool apply_patch".split())
READERS = frozenset("Read NotebookRead Grep".split())
# An MCP tool is known by the words of its name: one that says what it does, and none of those that it does it to.
CHANGES = frozenset(
    "write edit create update delete remove move rename replace insert append prepend patch modify overwrite save copy"
    " put set mkdir touch truncate reformat".split()
)
GONE = frozenset("delete remove move rename unlink".split())
SHOWS = frozenset("read view open get load cat show search grep find fetch".split())
NO_FILE = frozenset("comment comments review reviews issue issues pull thread label memory info stat list tree".split())
SOURCES = frozenset("source from src old".split())  # what a copy reads
PLACES = frozenset("path paths file files filename filepath source destination target uri".split())

PATCH = "*** Begin Patch"
TOUCHED = ("*** Add File: ", "*** Update File: ", "*** Delete File: ", "*** Move to: ")
NEW = ("content", "new_string", "new_source", "file_text", "new_str", "insert_text")
OLD = ("old_string", "old_str", "oldText", "old_text")


class Edit:
    """One change of one file: its path, the text that comes and the text that goes. gone: the file is taken away."""

    __slots__ = ("gone", "new", "old", "path")

    def __init__(self, path: str, new: str = "", old: str = "", gone: bool = False) -> None:
        self.path = path
        self.new = new
        self.old = old
        self.gone = gone


def changes_files(tool: str) -> bool:
    """Whether a tool changes the files that it is given."""
    return tool in EDITORS or _does(tool, CHANGES)


def shows_files(tool: str) -> bool:
    """Whether a tool shows the files that it is given."""
    return tool in READERS or (_does(tool, SHOWS) and not _does(tool, CHANGES))


def _does(tool: str, verbs: "frozenset[str]") -> bool:
    if not tool.startswith("mcp__"):
        return False
    words = _words(tool.rsplit("__", 1)[-1])
    return not verbs.isdisjoint(words) and NO_FILE.isdisjoint(words)


def _words(name: str) -> "list[str]":
    """The words of a name, lower case: `filePath`, `file_path` and `file-path` are of the same two."""
    return "".join(" " + c if c.isupper() else c if c.isalnum() else " " for c in name).lower().split()


def edits_of(tool: str, given: "dict[str, object]") -> "list[Edit]":
    """What a tool's input does to files; nothing for one that only looks."""
    if given.get("command") == "view":
        return []
    text = given.get("command") or given.get("input")
    for said in text if isinstance(text, list) else [text]:  # ["apply_patch", "*** Begin Patch ..."]
        if isinstance(said, str) and said.lstrip().startswith(PATCH):
            return patched(said)
    if tool.startswith("mcp__"):
        return _by_server(tool, given)
    path = next((given[key] for key in ("file_path", "notebook_path", "path") if isinstance(given.get(key), str)), "")
    edits = given.get("edits")
    parts = [part for part in edits if isinstance(part, dict)] if isinstance(edits, list) else [given]
    return [Edit(str(path), _said(part, NEW), _said(part, OLD)) for part in parts]


def _said(part: "dict[str, object]", keys: "tuple[str, ...]") -> str:
    return " ".join(str(part[key]) for key in keys if key in part)


def _by_server(tool: str, given: "dict[str, object]") -> "list[Edit]":
    """The files in a tool's input, by the names of its fields, each with all the text that the input brings."""
    words = _words(tool.rsplit("__", 1)[-1])
    texts: dict[str, list[str]] = {"place": [], "old": [], "new": []}
    _sort(given, texts, "copy" in words)
    new, old = " ".join(texts["new"]), " ".join(texts["old"])
    gone = not GONE.isdisjoint(words)
    return [Edit(path.removeprefix("file://"), new, old, gone) for path in texts["place"]]


def _sort(given: "dict[str, object]", texts: "dict[str, list[str]]", copies: bool) -> None:
    """Put the strings of an input where they belong: files, text that goes, text that comes."""
    for key, text in named_strings(given):
        if not text:
            continue
        words = _words(key)
        if not PLACES.isdisjoint(words) and words[-1:] not in (["content"], ["text"]):
            if not (copies and not SOURCES.isdisjoint(words)):
                texts["place"].append(text)
        else:
            texts["old" if key in OLD or "old" in words else "new"].append(text)


def applies(command: Command) -> bool:
    """Whether a command changes files by a patch."""
    words, name = set(command.words), base_name(command.words[0])
    patches = name in ("apply_patch", "patch") or (name == "git" and {"apply", "am"} & words)
    return bool(patches) and not {"--check", "--stat", "--numstat", "--summary", "--dry-run", "--cached"} & words


def patch_files(command: Command) -> "list[str]":
    """The files that a command takes its patch from: `git apply x`, `patch < x`, `patch -i x`, `cat x | patch`."""
    words = command.words
    given = [value for word in words for option, _, value in [word.partition("=")] if option == "--input" and value]
    given += [words[i + 1] for i, word in enumerate(words[:-1]) if word in ("-i", "--input")]
    if command.source and base_name(command.source.words[0]) == "cat":
        given += command.source.words[1:]
    return [*command.reads, *given, *[word for word in words[1:] if word[:1] != "-"][1:]]


def patched(text: str) -> "list[Edit]":
    """The edits of a patch, in the form of `apply_patch` or as `diff -u` and git write them."""
    out: list[Edit] = []
    said: list[str] = []  # the lines of the edit that was begun last
    before = ""
    for line in text.split("\n"):
        mark = next((mark for mark in TOUCHED if line.startswith(mark)), "") if line[:1] == "*" else ""
        begun = len(out)
        if mark:
            if mark == TOUCHED[3] and out:
                out[-1].gone = True
            out.append(Edit(line[len(mark) :].strip(), gone=mark == TOUCHED[2]))
        elif line.startswith("--- ") and not line.startswith("--- a/dev/null"):
            before = _stripped(line[4:])
        elif line.startswith("+++ ") and before:
            after = _stripped(line[4:])
            out.append(Edit(before if after == "/dev/null" else after, gone=after == "/dev/null"))
            before = ""
        elif line.startswith(("rename from ", "rename to ")):
            out.append(Edit(line.split(" ", 2)[2], gone=line.startswith("rename from ")))
        elif line[:1] in ("+", "-"):
            said.append(line)
        if len(out) > begun:
            _tell(out[-2:-1], said)
            said = []
    _tell(out, said)
    return out


def _tell(edits: "list[Edit]", said: "list[str]") -> None:
    """Give the last edit the lines that come and go."""
    if edits:
        edits[-1].new = "".join([line[1:] + "\n" for line in said if line[0] == "+"])
        edits[-1].old = "".join([line[1:] + "\n" for line in said if line[0] == "-"])


def _stripped(path: str) -> str:
    """A path in a patch without the side that git and diff put before it, and without the date behind it."""
    path = path.split("\t")[0].strip()
    return path[2:] if path[:2] in ("a/", "b/") else path
