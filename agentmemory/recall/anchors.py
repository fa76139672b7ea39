"""Whether the code that a belief names is still what it was when the belief was learned.

Read just before a line is injected: a stat for each anchor, and a read of a small file whose stat has changed.
Only below the root of the project that the prompt came from; what cannot be told leaves no mark.
"""

import os
from stat import S_ISREG

from agentmemory import paths
from agentmemory.recall import found
from agentmemory.recall.render import clean
from agentmemory.records import Hit, Row, marks

TYPE_CHECKING = False
if TYPE_CHECKING:
    from agentmemory.store.rows import Database

MOST = 24  # anchors looked at for one prompt
MOST_BYTES = 262_144  # of a file that is read; of a larger one only its existence is known
MOST_NAME = 80  # characters of a name in a mark

OF = """
    SELECT belief, name, path, symbol, mark, size, changed FROM anchor WHERE belief IN ({})
    ORDER BY belief, name LIMIT ?
"""

#: words before a name that define it
DEFINERS = frozenset(
    "def class function fn func type struct enum trait interface const let var module object record protocol".split()
)


def moved(db: "Database", scope: int, folder: str, rules: "list[Row]", hits: "list[Hit]") -> "dict[int, str]":
    """What to say of each belief whose code has moved on, by id; of the others nothing.

    *scope* is the project's own: beliefs of other scopes name other folders. *folder* lies in the project.
    """
    shown = [*rules, *(row for hit in hits for row in (hit.steps or [hit.row]))]
    ids = [row.id for row in shown if row.scope == scope]
    if not folder or not ids or not found.has_table(db, "anchor"):
        return {}
    rows = db.execute(OF.format(marks(ids)), (*ids, MOST)).fetchall()
    root = paths.root_of(folder) if rows else ""
    out: dict[int, str] = {}
    for belief, name, path, symbol, mark, size, changed in rows:
        said = state(root, path, symbol, mark, size, changed)
        if said and (belief not in out or out[belief].endswith("changed since")):
            out[belief] = f"{clean(name, MOST_NAME)} {said}"
    return out


def state(root: str, path: str, symbol: str, mark: str, size: int, changed: int) -> str:
    """What became of one anchor: "is gone", "is gone from PATH", "changed since", or "" where it stands or is unknown.

    *mark*, *size* and *changed* as `measure` and `stat` gave them when it was recorded.
    """
    at = os.path.join(root, path)
    try:
        if not inside(root, at):
            return ""
        now = os.lstat(at)
        if not mark or not S_ISREG(now.st_mode) or (now.st_size == size and now.st_mtime_ns == changed):
            return ""
        new = measure(read(at, now.st_size), symbol)
    except (FileNotFoundError, NotADirectoryError):
        return "is gone" if os.path.isdir(root) else ""
    except (OSError, ValueError):
        return ""
    if not new:
        return f"is gone from {clean(path, MOST_NAME)}" if symbol and now.st_size <= MOST_BYTES else ""
    return "" if new == mark else "changed since"


def inside(root: str, at: str) -> bool:
    """Whether a path stays below *root* when its links are followed."""
    return os.path.realpath(at).startswith(os.path.join(root, ""))


def read(at: str, size: int) -> str:
    """The text of a plain file, "" of a large one.

    Raises:
        OSError: it cannot be read.
    """
    if size > MOST_BYTES:
        return ""
    with open(at, "rb") as f:
        return f.read(MOST_BYTES + 1).decode("utf-8", "replace")


def measure(text: str, symbol: str) -> str:
    """A mark of a whole text, or of the definition of *symbol* in it; "" where there is none.

    White space at the ends of lines does not count. *symbol* is `name`, or `name:` for the task of that name.
    """
    part = definition(text, symbol) if symbol else text.split("\n")
    data = "\n".join(filter(None, (line.strip().rstrip(",") for line in part))).encode("utf-8", "replace")
    if not data:
        return ""
    from binascii import crc32  # hardly any prompt needs it, and it is a shared library

    return f"{crc32(data):08x}{len(data):x}"


def definition(text: str, symbol: str) -> "list[str]":
    """The lines that define a symbol: from its name to the next line that is indented no deeper."""
    lines = text.split("\n")
    name, task = symbol.rstrip(":"), symbol.endswith(":")
    begins = opens_task if task else opens
    first = next((i for i, line in enumerate(lines) if name in line and begins(line, name)), len(lines))
    end = first + 1
    while end < len(lines) and (not lines[end].strip() or goes_on(lines[end], depth(lines[first]))):
        end += 1
    return lines[first:end]


def opens(line: str, name: str) -> bool:
    """Whether a line of code begins the definition of a name."""
    before, _, after = line.partition(name)
    if any(edge.isalnum() or edge in "_.$" for edge in (before[-1:], after[:1].replace(".", "")) if edge):
        return False
    words = before.split()
    if words and words[0] == "func":  # of Go, with its receiver
        return after.startswith(("(", "["))
    if words:
        return not DEFINERS.isdisjoint(words) and "=" not in before and "(" not in before
    rest = after.lstrip()
    return not before and (rest.startswith(":") or (rest.startswith("=") and not rest.startswith("==")))


def opens_task(line: str, name: str) -> bool:
    """Whether a line begins a target of a Makefile, a recipe of a justfile or a script of a package.json."""
    if line.lstrip().startswith(f'"{name}"'):
        return line.lstrip()[len(name) + 2 :].lstrip().startswith(":")
    after = line.removeprefix(name)
    return len(after) < len(line) and ":" in after and after[0] in ": " and not after.lstrip().startswith((":=", "="))


def goes_on(line: str, depth_of_head: int) -> bool:
    """Whether a line still belongs to a definition: deeper, or only a bracket that closes or opens."""
    return depth(line) > depth_of_head or (depth(line) == depth_of_head and line.lstrip()[0] in ")]}{")


def depth(line: str) -> int:
    """How far a line is indented."""
    return len(line) - len(line.lstrip())
