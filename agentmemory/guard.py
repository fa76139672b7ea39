"""The hook before a tool runs: an action that a locked rule forbids is stopped, and the agent is told what to do.

Standard library only and little of it. Whatever goes wrong here, the tool runs (inject.py).
"""

from agentmemory import paths
from agentmemory.hookjson import dumps, loads

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

STRENGTH = {"inform": 1, "ask": 2, "deny": 3}
UNASKED = " This client cannot put a question here, so ask in the chat; what the user agrees to they run themselves."


class Guard:
    """A row of `guard`, its spec read. tool: Bash, Edit, Read, or the start of another tool's name."""

    __slots__ = ("belief", "id", "mode", "says", "spec", "tool")

    def __init__(self, id: int, belief: int, mode: str, tool: str, spec: "dict[str, object]", says: str) -> None:
        self.id = id
        self.belief = belief
        self.mode = mode
        self.tool = tool
        self.spec = spec
        self.says = says


class Verdict:
    """What is to happen to an action: mode (inform, ask, deny), the guard that says so and what the agent reads."""

    __slots__ = ("guard", "mode", "says")

    def __init__(self, guard: Guard) -> None:
        self.guard = guard
        self.mode = guard.mode
        self.says = guard.says


def main(event: "dict[str, object]", log: "Callable[[str, object], None]") -> str:
    """The client's answer to its PreToolUse event: nothing at all where no guard speaks. *log* hears what failed."""
    home = paths.home()
    verdict = check(event, enabled(home, str(event.get("cwd") or ""), log))
    if verdict is None or verdict.mode == "inform":
        asked = _in_the_users_name(event)
        if asked:
            return _decide(*_put("ask", asked, event))
    if verdict is None:
        return ""
    verdict.mode, verdict.says = _put(verdict.mode, verdict.says, event)
    try:
        _note(home, event, verdict)
    except (OSError, ValueError) as error:  # a folder that cannot be written: the verdict holds all the same
        log("pre-tool", error)
    return _decide(verdict.mode, verdict.says)


def _in_the_users_name(event: "dict[str, object]") -> str:
    """What to ask where a tool call speaks for the user; hardly any names this program."""
    given = event.get("tool_input")
    if not isinstance(given, dict) or "agentmemory" not in str(given.get("command")):
        return ""
    from agentmemory.userword import question

    return question(event)


def check(event: "dict[str, object]", guards: "list[Guard]") -> "Verdict | None":
    """The strongest verdict of *guards* on a tool call (`tool_name`, `tool_input`, `cwd`), or None."""
    tool, given = str(event.get("tool_name") or ""), event.get("tool_input")
    if not guards or not isinstance(given, dict):
        return None
    from agentmemory.guardmatch import line_of, matches  # most projects have no guard

    cwd = str(event.get("cwd") or "")
    line = line_of(tool, given, guards)
    found: Guard | None = None
    for guard in guards:
        if found and STRENGTH[guard.mode] <= STRENGTH[found.mode]:
            continue
        if matches(guard, tool, given, line, cwd):
            found = guard
    return Verdict(found) if found else None


def _put(mode: str, says: str, event: "dict[str, object]") -> "tuple[str, str]":
    """Mode and words as a client takes them: Codex, which numbers its turns, runs the tool where a hook says `ask`."""
    return ("deny", says + UNASKED) if mode == "ask" and "turn_id" in event else (mode, says)


def _decide(mode: str, says: str) -> str:
    """The client's JSON for a verdict."""
    out: dict[str, object] = {"hookEventName": "PreToolUse"}
    if mode == "inform":
        out["additionalContext"] = says
    else:
        out["permissionDecision"] = mode
        out["permissionDecisionReason"] = says
    return dumps({"hookSpecificOutput": out})


def enabled(home: str, cwd: str, log: "Callable[[str, object], None] | None" = None) -> "list[Guard]":
    """The enabled guards that hold in the folder *cwd*: the user's and the project's; the user's alone where the folder
    cannot be told, which *log* hears. None without a store."""
    import os

    path = paths.store_path(home)
    if not os.path.exists(path):
        return []
    from agentmemory.recall import guarded
    from agentmemory.store import db as store
    from agentmemory.store import scopes

    db = store.open_read(path)
    try:
        if not guarded.any_enabled(db):
            return []
        project = None
        try:
            folder = paths.of_hook(cwd)
            project = scopes.find_project(db, *paths.project_of(folder)) if folder else None
        except (OSError, ValueError) as error:
            if log:
                log("cwd", error)
        return [guard for guard in map(_read, guarded.enabled(db, scopes.visible(db, project))) if guard]
    finally:
        db.close()


def _read(row: "tuple[int, int, str, str, str, str]") -> "Guard | None":
    id, belief, mode, tool, spec, says = row
    parsed = loads(spec)
    return Guard(id, belief, mode, tool, parsed, says) if isinstance(parsed, dict) else None


def _note(home: str, event: "dict[str, object]", verdict: Verdict) -> None:
    """One line for the worker: a guard spoke. The audit trail and `stats` come from these."""
    from agentmemory.store import inbox

    now = paths.now()
    line = {
        "event": "guard", "guard": verdict.guard.id, "belief": verdict.guard.belief, "mode": verdict.mode,
        "session": str(event.get("session_id") or ""), "tool": str(event.get("tool_name") or ""), "at": now,
    }  # fmt: skip
    inbox.append(home, paths.utc_date(now), dumps(line))
