"""Whether an action changes or shows a file that a guard's spec names (form: docs/guard.md).

Standard library only and no `re`: the guard's hook imports this file.
"""

import os

from agentmemory import paths
from agentmemory.guardedits import Edit, applies, edits_of, patch_files, patched
from agentmemory.guardspec import contains, folder_of, glob, listed
from agentmemory.guardwrites import moved_to, picks, read, removed, written
from agentmemory.shelltext import printed, texts_of
from agentmemory.shellword import LONGEST_PATH, Command, from_home

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

LONGEST_PATCH = 1 << 20  # characters of a patch file that are read
FOLLOWED = 16  # paths with a `*` that are followed
MOST = 400  # files that a `*` of the command line is followed to


def touches(command: Command) -> bool:
    """Whether a command changes or shows files at all."""
    return bool(applies(command) or written(command) or read(command) or removed(command))


def match_files(spec: "dict[str, object]", command: Command, before: "list[Command]", cwd: str) -> bool:
    """Whether a command changes (`writes`) or shows (`reads`) a file that *spec* names; *before*: what ran earlier."""
    folder = folder_of(command, cwd)
    edits = _patched(command, before, folder) if applies(command) else []
    gone = [edit.path for edit in edits if edit.gone] + removed(command)
    if "reads" in spec:
        touched = read(command)
    elif spec.get("only") == "gone":
        stays = _named({**spec, "only": ""}, moved_to(command), folder, cwd)  # moved, and still there
        touched = [] if stays else gone
    else:
        touched = [edit.path for edit in edits] or written(command)
        touched = [path for path in touched if path not in gone] if spec.get("only") == "new" else touched
    whole = gone if touched and "writes" in spec and not picks(command) else []
    if not _named(spec, touched, folder, cwd) and not _lost(spec, whole, folder, cwd):
        return False
    texts = listed(spec, "content")
    said = [edit.new for edit in edits] or [command.stdin or "", *command.words[1:]]
    return not texts or any(contains(want, text) for want in texts for text in said)


def _patched(command: Command, before: "list[Command]", folder: str) -> "list[Edit]":
    """The edits of the patch that a command is given, or takes from files that are there or were written before."""
    texts = ["\n".join(texts_of(command))]
    for path in dict.fromkeys(patch_files(command)):
        made = [earlier for earlier in before if path in earlier.writes]
        texts.append((made[-1].stdin or printed(made[-1]) or "") if made else _text(os.path.join(folder, path)))
    return [edit for text in texts if text for edit in patched(text)]


def _text(path: str) -> str:
    """The beginning of a file, "" for none."""
    try:
        with open(path if os.path.isfile(path) else os.devnull, encoding="utf-8", errors="replace") as file:
            return file.read(LONGEST_PATCH)
    except (OSError, ValueError):
        return ""


def match_edit(spec: "dict[str, object]", tool: str, given: "dict[str, object]", cwd: str) -> bool:
    """Whether a file tool's input falls under *spec*: a path of it, and the text that is added there."""
    edits = edits_of(tool, given)
    if spec.get("only") == "gone":
        edits = [edit for edit in edits if edit.gone]
    texts = listed(spec, "content")
    if texts:
        changes = {(edit.old, edit.new) for edit in edits}
        adding = {
            (old, new) for old, new in changes if any(contains(text, new) > contains(text, old) for text in texts)
        }
        edits = [edit for edit in edits if (edit.old, edit.new) in adding]
    return bool(edits) and _named(spec, [edit.path for edit in edits], cwd, cwd)


def _named(spec: "dict[str, object]", touched: "list[str]", folder: str, cwd: str) -> bool:
    """Whether one of the files, seen from *folder*, is named by the spec and is no exception."""
    wanted = listed(spec, "path") or listed(spec, "writes") or listed(spec, "reads")
    skipped, only = listed(spec, "skip"), spec.get("only")
    if not wanted and not skipped and not only:
        return True
    for seen in _places(touched, folder, cwd):
        if only in ("new", "old") and os.path.lexists(seen[1]) != (only == "old"):
            continue
        named = not wanted or any(path_matches(want, *seen) for want in wanted)
        if named and not any(path_matches(skip, *seen) for skip in skipped):
            return True
    return False


def _lost(spec: "dict[str, object]", gone: "list[str]", folder: str, cwd: str) -> bool:
    """Whether a file that the spec names lies in a folder that is taken away: `rm -r config` with `config/prod.yml`."""
    wanted = _writes(spec)
    return any(_holds(whole, want) for _, whole in _places(gone, folder, cwd) for want in wanted)


def _writes(spec: "dict[str, object]") -> "list[list[str]]":
    wanted = [want.removesuffix("**") for want in listed(spec, "writes") if want != "*" and want[:1] != "/"]
    return [[part for part in want.split("/") if part not in ("", ".")] for want in wanted]


def _holds(folder: str, want: "list[str]") -> bool:
    """Whether *folder* holds what these parts of a path lead to, at any step of it."""
    have = folder.split("/")
    if "*" in folder:  # nothing was there for it
        return False
    for size in range(len(want)):
        ends = have[len(have) - size :] if size else []
        if all(glob(w, h) for w, h in zip(want, ends)) and _expanded(os.path.join(folder, *want[size:]), True):
            return True
    return False


def _places(touched: "list[str]", folder: str, cwd: str) -> "Iterator[tuple[str, str]]":
    """The files as `place` tells them; for the first few with a `*` each file there, as the shell would."""
    tops, followed = tops_of(cwd) if touched else (), 0
    for path in dict.fromkeys(path for path in touched if len(path) <= LONGEST_PATH):
        found = [path]
        if "*" in path and tops and followed < FOLLOWED:
            followed += 1
            found = _expanded(os.path.join(folder, from_home(path))) or found
        for each in found:
            yield place(each, folder, tops)


def _expanded(path: str, hidden: bool = False) -> "list[str]":
    """The files that are there for a path with `*` in its parts; *hidden*: also those whose name begins with a dot."""
    found = ["/"] if path[:1] == "/" else ["."]
    for part in path.split("/"):
        if "*" not in part:
            found = [at for at in (os.path.join(at, part) for at in found) if os.path.lexists(at)]
            continue
        names = [(at, name) for at in found for name in _names(at)]
        shown = hidden or part[:1] == "."
        found = [os.path.join(at, name) for at, name in names if (shown or name[:1] != ".") and glob(part, name)][:MOST]
    return found


def _names(folder: str) -> "list[str]":
    try:
        return sorted(os.listdir(folder))
    except (OSError, ValueError):  # no folder, or one that cannot be read
        return []


def tops_of(cwd: str) -> "tuple[str, ...]":
    """The root of the project of *cwd*, as *cwd* sees it and as it is, each with a `/` behind it."""
    if not cwd:
        return ()
    here = os.path.realpath(cwd)
    root = paths.root_of(here)
    seen = os.path.normpath(os.path.join(cwd, os.path.relpath(root, here)))
    return seen.rstrip("/") + "/", root.rstrip("/") + "/"


def place(path: str, folder: str, tops: "tuple[str, ...]") -> "tuple[str, str]":
    """*path*, as *folder* sees it, from the root of its project (`tops_of`), "" where it lies outside; and in full."""
    if not path or not tops:
        return path, path
    whole = os.path.normpath(os.path.join(folder, from_home(path)))
    for top in tops:
        if (whole + "/").startswith(top):
            return whole[len(top) :] or ".", whole
    return "", whole


def path_matches(pattern: str, inside: str, whole: str) -> bool:
    """Whether a file is, or lies below, what *pattern* names, anywhere in the tree unless it begins with `/` or `./`.

    *inside*: its path in the project, *whole*: its full path. `./README.md` is the one at the project's root,
    `generated/` and `generated/**` the folder and all in it, `*.lock` any such file; `src/*.py` goes by segments; `*`
    is every file of the project.
    """
    if pattern == "*":
        return bool(inside)
    folder = pattern.endswith(("/", "/**")) or "." not in pattern.rsplit("/", 1)[-1].lstrip(".")
    want = [part for part in pattern.removesuffix("**").split("/") if part not in ("", ".")]
    rooted = pattern.startswith(("/", "./"))
    path = whole if pattern.startswith("/") else inside if rooted else inside or whole
    have = [part for part in path.split("/") if part not in ("", ".")]
    if not want or not have:
        return False
    for start in [0] if rooted else range(len(have) - len(want) + 1):
        end = start + len(want)
        if end > len(have) or not (folder or end == len(have)):
            continue
        if all(w == "**" or glob(w, h) for w, h in zip(want, have[start:end])):
            return True
    return False
