"""Rows of scopes: the user, projects, agents below a project. Reading works on either SQLite binding."""

import os

TYPE_CHECKING = False  # the hooks read scopes; importing typing would cost them 5 ms
if TYPE_CHECKING:
    from agentmemory.store.rows import Database

USER = 1

BY_KEY = "SELECT id FROM scope WHERE kind = 'project' AND key = ?"
SETTLED = f"{BY_KEY} AND (fingerprint <> '' OR ? = '')"
#: SQLite uses the partial index only where the statement repeats its condition
BY_FINGERPRINT = """
    SELECT id FROM scope WHERE kind = 'project' AND fingerprint = ? AND fingerprint <> '' ORDER BY id DESC LIMIT 1
"""
BY_BIRTH = "SELECT id, key FROM scope WHERE kind = 'project' AND fingerprint GLOB '*:' || ? ORDER BY id DESC"
ADD = "INSERT INTO scope (kind, key, fingerprint, parent, name, created) VALUES (?, ?, ?, ?, ?, ?) RETURNING id"
MOVED = "UPDATE scope SET key = ?, fingerprint = CASE fingerprint WHEN '' THEN ? ELSE fingerprint END WHERE id = ?"
AGENTS = "SELECT key FROM scope WHERE kind = 'agent' AND parent = ? ORDER BY id"
AGENT = "SELECT id FROM scope WHERE kind = 'agent' AND key = ? AND parent = ?"
REGISTER = "SELECT value FROM meta WHERE key = 'at work ' || ?"
SET_REGISTER = """
    INSERT INTO meta (key, value) VALUES ('at work ' || ?, ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value
"""
#: how the user talks with the agent in a project: telling it how things are, at work with it, neither surely
TELLS, WORKS, BETWEEN = 0, 1, 2
READS = "SELECT dst FROM scope_edge WHERE type = 'reads' AND src = ?"


def find_project(db: "Database", key: str, fingerprint: str) -> "int | None":
    """The project at this place; else the one that was renamed to it (same fingerprint), or the folder before git."""
    found = db.execute(BY_KEY, (key,)).fetchone()
    if found is None and fingerprint:
        found = db.execute(BY_FINGERPRINT, (fingerprint,)).fetchone() or _came_from_afar(db, fingerprint)
    if found is None and key[-5:] in ("/.git", "\\.git"):
        found = db.execute(BY_KEY, (key[:-5],)).fetchone()
    return int(found[0]) if found else None


def _came_from_afar(db: "Database", fingerprint: str) -> "tuple[int] | None":
    """The project that was moved here from another disk or machine: born at the same moment, and gone where it was."""
    birth = fingerprint.partition(":")[2]
    if birth.endswith("000000000"):  # whole seconds: many may share them
        return None
    gone = [int(id) for id, key in db.execute(BY_BIRTH, (birth,)).fetchall() if not os.path.exists(key)]
    return (gone[0],) if len(gone) == 1 else None


def project(db: "Database", key: str, fingerprint: str, now: float) -> int:
    """The project's scope, created when it is new, its place brought up to date when it was renamed.

    Its fingerprint stays: another repository at its old place is not the one that was moved away.
    """
    found = find_project(db, key, fingerprint)
    if found is None:
        name = _name(key)
        return int(db.execute(ADD, ("project", key, fingerprint, USER, name, now)).fetchone()[0])
    db.execute(MOVED, (key, fingerprint, found))
    return found


def settled(db: "Database", key: str, fingerprint: str, name: str = "") -> "int | None":
    """The scope of a project, or of an agent below it, of which `project` and `agent` would change nothing."""
    found = db.execute(SETTLED, (key, fingerprint)).fetchone()
    return (find_agent(db, name, int(found[0])) if name else int(found[0])) if found else None


def find_agent(db: "Database", name: str, parent: int | None) -> "int | None":
    """The namespace of an agent below a project."""
    found = db.execute(AGENT, (name, parent)).fetchone()
    return int(found[0]) if found else None


def agent(db: "Database", name: str, parent: int, now: float) -> int:
    """The namespace of an agent below a project, created when it is new."""
    found = find_agent(db, name, parent)
    if found is not None:
        return found
    return int(db.execute(ADD, ("agent", name, "", parent, name, now)).fetchone()[0])


def agents(db: "Database", parent: int) -> list[str]:
    """The names of the agents below a project, the oldest first."""
    return [str(row[0]) for row in db.execute(AGENTS, (parent,)).fetchall()]


def visible(db: "Database", scope: int | None) -> tuple[int, ...]:
    """What a query from this scope may read, nearest first: itself, what it links to, the user's own."""
    if scope is None or scope == USER:
        return (USER,)
    linked = [int(row[0]) for row in db.execute(READS, (scope,)).fetchall()]
    return (scope, *linked, USER)


def register(db: "Database", scope: int) -> int:
    """In which register the user talks in a project: TELLS, WORKS or BETWEEN; who has said nothing is taken to tell."""
    found = db.execute(REGISTER, (scope,)).fetchone()
    return int(found[0]) if found else TELLS


def set_register(db: "Database", scope: int, register: int) -> None:
    """Keep in which register the user talks in a project."""
    db.execute(SET_REGISTER, (scope, register))


def _name(key: str) -> str:
    parts = [p for p in key.replace("\\", "/").split("/") if p]
    return parts[-2] if len(parts) > 1 and parts[-1] == ".git" else (parts[-1] if parts else key)
