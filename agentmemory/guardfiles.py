"""Which files an action changes or shows, and whether a guard's spec names them (form: docs/guard.md).

Standard library only and no `re`: the guard's hook imports this file.
"""

import os

from agentmemory import paths
from agentmemory.guardspec import contains, folder_of, glob, listed, split
from agentmemory.shellword import Command, base_name
from agentmemory.unwrap import below

OVERWRITES = frozenset(
    "tee rm rmdir unlink shred truncate touch mkdir chmod chown vim vi nvim nano emacs ed ex patch sponge".split()
)
COPIES = frozenset("cp mv install ln rsync scp".split())
READS = frozenset(
    "cat less more head tail bat batcat nl od xxd hexdump strings grep rg egrep awk sed cut sort source . view base64"
    " diff jq yq cp scp rsync mv tar zip vim vi nano code open tac wc".split()
)
# What makes a program change the files that it is given. `-i` also stands in a cluster or before a suffix (-pi.bak).
IN_PLACE = {
    "sed": "-i --in-place", "gsed": "-i --in-place", "perl": "-i", "ruby": "-i", "yq": "-i --inplace",
    "awk": "inplace", "gawk": "inplace", "clang-format": "-i", "autopep8": "-i --in-place", "yapf": "-i --in-place",
    "gofmt": "-w", "goimports": "-w", "gofumpt": "-w", "shfmt": "-w --write", "prettier": "-w --write",
    "biome": "--write --fix", "eslint": "--fix", "oxlint": "--fix", "stylelint": "--fix", "standard": "--fix",
    "ruff": "--fix", "golangci-lint": "--fix", "markdownlint": "--fix", "markdownlint-cli2": "--fix",
    "rubocop": "-a -A --autocorrect --autocorrect-all",
}  # fmt: skip
SCRIPTED = frozenset("sed gsed perl ruby awk gawk yq grep egrep rg jq chmod chown".split())  # first comes no file
FINDS = frozenset("find fd fdfind grep egrep rg git".split())  # what they print are files below those they are given
PATCH = "*** Begin Patch"
TOUCHED = ("*** Add File: ", "*** Update File: ", "*** Delete File: ", "*** Move to: ")
NEW = ("content", "new_string", "new_source", "file_text", "new_str")
OLD = ("old_string", "old_str")

Edit = tuple[str, str, str]  # path, text that comes, text that goes


def match_files(spec: "dict[str, object]", command: Command, cwd: str) -> bool:
    """Whether a command changes (`writes`) or shows (`reads`) a file that *spec* names."""
    edits = patched(_patch_of(command))
    if "reads" in spec:
        touched = read(command)
    else:
        touched = [path for path, _, _ in edits] or written(command)
    if not _named(spec, touched, folder_of(command, cwd), cwd):
        return False
    texts = listed(spec, "content")
    said = [new for _, new, _ in edits] or [command.stdin or "", *command.words[1:]]
    return not texts or any(contains(want, text) for want in texts for text in said)


def match_edit(spec: "dict[str, object]", given: "dict[str, object]", cwd: str) -> bool:
    """Whether an editing tool's input falls under *spec*: a path of it, and the text that is added there."""
    texts = listed(spec, "content")
    return any(
        _named(spec, [path], cwd, cwd) and (not texts or any(contains(t, new) > contains(t, old) for t in texts))
        for path, new, old in _edits(given)
    )


def _edits(given: "dict[str, object]") -> "list[Edit]":
    """What a tool's input does to files: one edit, several in one file, or a patch."""
    text = given.get("command") or given.get("input")
    if isinstance(text, str) and text.lstrip().startswith(PATCH):
        return patched(text)
    path = next((given[key] for key in ("file_path", "notebook_path", "path") if isinstance(given.get(key), str)), "")
    edits = given.get("edits")
    parts = [part for part in edits if isinstance(part, dict)] if isinstance(edits, list) else [given]
    return [(str(path), _said(part, NEW), _said(part, OLD)) for part in parts]


def _said(part: "dict[str, object]", keys: "tuple[str, ...]") -> str:
    return " ".join(str(part[key]) for key in keys if key in part)


def patched(text: str) -> "list[Edit]":
    """The edits of a patch in the form of `apply_patch`."""
    out: list[Edit] = []
    for line in text.split("\n"):
        mark = next((mark for mark in TOUCHED if line.startswith(mark)), "")
        if mark:
            out.append((line[len(mark) :].strip(), "", ""))
        elif out and line[:1] in ("+", "-"):
            path, new, old = out[-1]
            out[-1] = (path, new + line[1:] + "\n", old) if line[0] == "+" else (path, new, old + line[1:] + "\n")
    return out


def _patch_of(command: Command) -> str:
    """The patch that a command is given as an argument or a here-document."""
    return "\n".join((*command.words[1:], command.stdin or "")) if base_name(command.words[0]) == "apply_patch" else ""


def _named(spec: "dict[str, object]", touched: "list[str]", folder: str, cwd: str) -> bool:
    """Whether one of the files, seen from *folder*, is named by the spec and is no exception."""
    wanted = listed(spec, "path") or listed(spec, "writes") or listed(spec, "reads")
    skipped = listed(spec, "skip")
    if not wanted and not skipped:
        return True
    return any(
        (not wanted or any(path_matches(want, *seen) for want in wanted))
        and not any(path_matches(skip, *seen) for skip in skipped)
        for seen in (place(path, folder, cwd) for path in touched)
    )


def written(command: Command) -> "list[str]":
    """The files that a command changes, as far as its words say."""
    words, out = command.words, list(command.writes)
    name = base_name(words[0])
    plain = [word for word, _ in split(name, words)[1]]
    if name in OVERWRITES or _in_place(name, words):
        out.extend(_files(name, plain) + _handed(command))
    elif name == "git":
        out.extend(_by_git(words, plain))
    elif name in COPIES:
        out.extend(plain + _handed(command) if name == "mv" else plain[-1:])
    elif name == "find" and "-delete" in words:
        out.extend(below(words))
    elif name == "dd":
        out.extend(word[3:] for word in plain if word.startswith("of="))
    elif name in ("curl", "wget"):
        out.extend(words[i + 1] for i, word in enumerate(words[:-1]) if word in ("-o", "-O", "--output"))
    return out


def read(command: Command) -> "list[str]":
    """The files that a command shows or takes in."""
    name = base_name(command.words[0])
    plain = [word for word, _ in split(name, command.words)[1]]
    return [*command.reads, *(_files(name, plain) if name in READS else [])]


def _files(name: str, plain: "list[str]") -> "list[str]":
    """The arguments that may be files: not the script of sed, the pattern of grep, the mode of chmod."""
    return plain[1:] if name in SCRIPTED and len(plain) > 1 else plain


def _in_place(name: str, words: "list[str]") -> bool:
    flags = IN_PLACE.get(name, "").split()
    for word in words[1:] if flags else []:
        if word.partition("=")[0] in flags:
            return True
        letters = word.partition(".")[0][1:]  # -ni, -pi.bak, but not -Ilib, -Mstrict
        if "-i" in flags and word[:1] == "-" and letters.isalpha() and "i" in letters[:4] and letters[0] not in "IMm":
            return True
    return False


def _by_git(words: "list[str]", plain: "list[str]") -> "list[str]":
    """The files that git takes away, moves, or brings back from another state."""
    verb, rest = (plain or [""])[0], plain[1:]
    if verb == "mv" or (verb == "rm" and "--cached" not in words) or (verb == "clean" and "-n" not in words):
        return rest
    if verb == "restore" and ("--staged" not in words or "--worktree" in words):
        return rest
    if verb == "checkout":
        return words[words.index("--") + 1 :] if "--" in words else rest[1:]
    return []


def _handed(command: Command) -> "list[str]":
    """What a search hands to the command that xargs runs: the files that were searched."""
    out, source = [], command.source if "xargs" in command.under else None
    while source:
        out.extend(_given(source) if base_name(source.words[0]) in FINDS else [])
        source = source.source
    return out


def _given(command: Command) -> "list[str]":
    """Where a search looks: the arguments before the conditions of find, behind the pattern of grep."""
    name = base_name(command.words[0])
    return below(command.words) if name == "find" else [word for word, _ in split(name, command.words)[1]][1:]


def place(path: str, folder: str, cwd: str) -> "tuple[str, str]":
    """*path*, as *folder* sees it, from the root of the project of *cwd*, "" where it lies outside; and in full."""
    if not path or not cwd:
        return path, path
    whole = os.path.normpath(os.path.join(folder, os.path.expanduser(path)))
    here = os.path.realpath(cwd)
    root = paths.root_of(here)
    for top in (os.path.normpath(os.path.join(cwd, os.path.relpath(root, here))), root):
        if whole.startswith(top.rstrip("/") + "/"):
            return whole[len(top.rstrip("/")) + 1 :], whole
    return "", whole


def path_matches(pattern: str, inside: str, whole: str) -> bool:
    """Whether a file is, or lies below, what *pattern* names, anywhere in the tree unless it begins with `/`.

    *inside*: its path in the project, *whole*: its full path. `generated/` and `generated/**` are the folder and all
    in it; `*.lock` any such file; `src/*.py` by segments; `*` is every file of the project.
    """
    if pattern == "*":
        return bool(inside)
    folder = pattern.endswith(("/", "/**")) or "." not in pattern.rsplit("/", 1)[-1]
    want = [part for part in pattern.removesuffix("**").split("/") if part not in ("", ".")]
    path = whole if pattern.startswith("/") else inside or whole
    have = [part for part in path.split("/") if part not in ("", ".")]
    if not want or not have:
        return False
    for start in [0] if pattern.startswith("/") else range(len(have) - len(want) + 1):
        end = start + len(want)
        if end > len(have) or not (folder or end == len(have)):
            continue
        if all(w == "**" or glob(w, h) for w, h in zip(want, have[start:end])):
            return True
    return False
