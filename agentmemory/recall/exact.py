"""Names like codes in a question (PCL-211, yarn_v1) that nothing stored holds: what shares a part of one is found all
the same, and is something else. Knows nothing of hits."""

from agentmemory.recall.dates import NAMES
from agentmemory.records import marks
from agentmemory.text import stems

TYPE_CHECKING = False  # the hot path does not import typing
if TYPE_CHECKING:
    from agentmemory.store.rows import Database

CODE = r"(?<![\w-])[^\W_]+(?:[-_][^\W_]+)+(?![\w-])"
FEW = 8  # of a question that are looked up

HELD = """
    SELECT EXISTS (SELECT 1 FROM belief_fts f JOIN belief b ON b.id = f.rowid
        WHERE belief_fts MATCH ? AND +b.scope IN ({0}))
    OR EXISTS (SELECT 1 FROM turn_fts f JOIN turn t ON t.id = f.rowid JOIN session s ON s.id = t.session
        WHERE turn_fts MATCH ? AND +s.scope IN ({0}))
"""


def nowhere(db: "Database", text: str, scopes: "tuple[int, ...]") -> "list[str]":
    """The names like codes in *text* that no belief and no turn of these scopes holds, however it joins their parts."""
    from re import findall  # not above: what a hook might load leaves it out

    named = [name for name in dict.fromkeys(findall(CODE, text)) if is_code(name)]
    return [name for name in named[:FEW] if not held(db, name, scopes)]


def is_code(name: str) -> bool:
    """Whether it has letters and figures and is neither an amount ("30-minute") nor a day ("May-3")."""
    parts = name.lower().replace("_", "-").split("-")
    amount = parts[0].isdecimal() and all(part.isalpha() for part in parts[1:])
    day = all(part.isdecimal() or part in NAMES for part in parts)
    return any(c.isdigit() for c in name) and any(c.isalpha() for c in name) and not (amount or day)


def held(db: "Database", name: str, scopes: "tuple[int, ...]") -> bool:
    """Whether anything holds its parts in a row, or the name without what joins them. Of parts that are in no index
    (a single letter) nothing can be said: they are taken to be there."""
    parts = " ".join(stems(name.lower()))
    either = f'"{parts}" OR "{"".join(c for c in name.lower() if c.isalnum())}"'
    return not parts or bool(db.execute(HELD.format(marks(scopes)), (either, *scopes, either, *scopes)).fetchone()[0])
