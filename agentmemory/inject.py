"""What a client's hook runs: an event comes in as JSON, a block or nothing goes out, and the exit status is 0.

It fails open by construction: output is held to the end, a watchdog ends the process in time, and whatever
goes wrong becomes one line in `hook.log`. No lock, no socket, no model; hooks only read the store.
"""

import gc
import os
import sys
import time
from _thread import start_new_thread

from agentmemory import paths
from agentmemory.hookjson import begun, dumps, loads

PATIENCE = 4.0  # seconds; we tell clients to give a hook five (hooks/hooks.json, install/codex.py)
MOST_INPUT = 8_000_000  # bytes of an event that are read
MOST_OF_TOOLS = 32_000_000  # and of one that may bring a whole file
LOG = "hook.log"
EMPTY = "store nothing has been learned yet"
MOST_LOG = 200_000  # bytes; then the log starts anew
ALONE = ("-E", "-P")  # Python loads nothing from the current folder or as its variables say; the user's own site counts

Event = dict[str, object]


def main(event: str) -> int:
    """Run one hook: event name in the command, client JSON on stdin and stdout. Always 0."""
    gc.disable()  # the process ends before there is anything to collect
    out = ""
    try:
        start_new_thread(_watchdog, (event,))
    except RuntimeError as error:  # no thread is to be had; the client's own limit holds
        _log(event, error)
    try:
        raw = _read(MOST_OF_TOOLS if event == "pre-tool" else MOST_INPUT)
        try:
            given = _event(raw)
        except (ValueError, RecursionError) as error:
            instead = _UNREAD.get(event)
            if not instead or instead[0] not in raw:
                raise
            _log(event, error)
            out = instead[1](begun(raw))
        else:
            out = _EVENTS[event](given)
    except BaseException as error:
        _log(event, error)
    _leave(out)
    return 0


def prompt_submit(given: Event) -> str:
    """The block for a prompt, as the client takes it; "" for silence."""
    prompt = _text(given, "prompt")
    if not prompt.strip() or prompt.lstrip().startswith("/mem:"):
        return ""
    from agentmemory import seen
    from agentmemory.recall.anchors import moved
    from agentmemory.recall.cover import hints
    from agentmemory.recall.pipeline import answer
    from agentmemory.recall.render import render
    from agentmemory.recall.rules import locked
    from agentmemory.records import Query
    from agentmemory.typed import asked

    home, session, now = paths.home(), _text(given, "session_id"), paths.now()
    db = _store(home)
    if db is None:
        return ""
    folder, scopes = _place(db, given)
    query = Query(asked(prompt), now, scopes)
    query.saved = seen.saved(home)
    try:
        rules, hits = answer(db, query, *seen.already(home, session))
        block = render(query, rules, hits, moved(db, query.scopes[0], folder, rules, hits))
    except Exception as error:  # whatever fails, what is locked stands
        _log("prompt-submit", error)
        hits, block = [], render(query, locked(db, query), [])
    if hits:
        try:
            seen.note(home, session, hits, now, prompt, hints(query))
            seen.spend(home, query.saved, block)
        except OSError as error:  # a folder that cannot be written: the block is still worth having
            _log("prompt-submit", error)
    return _context("UserPromptSubmit", block)


def standing(given: Event) -> str:
    """What stands whatever a prompt says, where its event is too long or broken; *given*: what could be read of it."""
    from agentmemory.recall.render import render
    from agentmemory.recall.rules import locked
    from agentmemory.records import Query

    db = _store(paths.home())
    if db is None:
        return ""
    query = Query("", paths.now(), _place(db, given)[1])
    return _context("UserPromptSubmit", render(query, locked(db, query), []))


def session_start(given: Event) -> str:
    """What stands at the beginning of a session, and again after its context was compacted or cleared."""
    from agentmemory import seen
    from agentmemory.recall.latest import opening

    home, now = paths.home(), paths.now()
    try:
        if _text(given, "source") in ("compact", "clear"):
            seen.reset(home, _text(given, "session_id"), now)
        if _text(given, "transcript_path"):
            _leave_for_worker("session-start", given, home, now)
        if _text(given, "source") == "fork":  # what it takes over is known when its user has typed
            _start_worker(home)
    except OSError as error:  # a folder that cannot be written: the rules stand all the same
        _log("session-start", error)
    db = _store(home)
    if db is None:
        return ""
    folder, scopes = _place(db, given)
    return _context("SessionStart", opening(db, scopes, now, folder))


def leave(event: str) -> "Hook":
    """A hook that leaves one line for the worker and starts one if none runs."""

    def hook(given: Event) -> str:
        home = paths.home()
        _leave_for_worker(event, given, home, paths.now())
        _start_worker(home)
        return ""

    return hook


def pre_tool(given: Event) -> str:
    """The verdict on a tool that is about to run."""
    from agentmemory.guard import main as verdict

    return verdict(given, _log)


TYPE_CHECKING = False
if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Callable

    Hook = Callable[[Event], str]

_EVENTS: "dict[str, Hook]" = {
    "prompt-submit": prompt_submit,
    "session-start": session_start,
    "pre-tool": pre_tool,
    "stop": leave("stop"),
    "session-end": leave("session-end"),
    "pre-compact": leave("pre-compact"),
}


#: what is done with the part that can be read of an event that is too long, too deep or broken, if it says this
_UNREAD: "dict[str, tuple[bytes, Hook]]" = {
    "prompt-submit": (b'"prompt"', standing), "pre-tool": (b'"tool_input"', pre_tool),
}  # fmt: skip


def _read(most: int) -> bytes:
    """An event, or its beginning: what is too much is taken all the same, so that the client can write it."""
    raw = sys.stdin.buffer.read(most)
    while len(raw) == most and sys.stdin.buffer.read(most):
        pass
    return raw


def _event(raw: bytes) -> Event:
    event = loads(raw)
    if not isinstance(event, dict):
        raise ValueError("the event is no JSON object")
    return event


def _store(home: str) -> "sqlite3.Connection | None":
    """The store, read-only; None when there is none yet (said once)."""
    path = paths.store_path(home)
    if not os.path.exists(path):
        if not os.path.exists(os.path.join(home, LOG)):
            paths.make_home(home)
            _log(*EMPTY.split(maxsplit=1))
        return None
    from agentmemory.store.db import open_read

    return open_read(path)


def _place(db: "sqlite3.Connection", given: Event) -> "tuple[str, tuple[int, ...]]":
    """The folder of a session, and the scopes that it may read: its project, what it links to, the user's own. Where
    the folder cannot be told the user's own alone."""
    from agentmemory.store import scopes

    try:
        folder = paths.of_hook(_text(given, "cwd"))
        key = paths.project_of(folder) if folder else None
    except (OSError, ValueError) as error:
        _log("cwd", error)
        folder, key = "", None
    return folder, scopes.visible(db, scopes.find_project(db, *key) if key else None)


def _context(name: str, block: str) -> str:
    if not block:
        return ""
    return dumps({"hookSpecificOutput": {"hookEventName": name, "additionalContext": block}})


def _text(given: Event, name: str) -> str:
    value = given.get(name)
    return value if isinstance(value, str) else ""


def _leave_for_worker(event: str, given: Event, home: str, now: float) -> None:
    """One inbox line; what was said stays in the transcript."""
    from agentmemory.store import inbox

    paths.make_home(home)
    line: Event = {"event": event, "at": now}
    line.update((name, _text(given, name)) for name in ("session_id", "transcript_path", "cwd"))
    inbox.append(home, paths.utc_date(now), dumps(line))


def _start_worker(home: str) -> None:
    """Start `worker --once`, detached, unless one holds the lock. Nothing waits for it."""
    if os.environ.get("AGENTMEMORY_WORKER") == "off" or _locked(os.path.join(home, paths.WORKER)):
        return
    from subprocess import DEVNULL, Popen

    Popen(
        [sys.executable, *ALONE, "-m", "agentmemory", "worker", "--once"],
        stdin=DEVNULL, stdout=DEVNULL, stderr=DEVNULL, cwd=home, start_new_session=True, close_fds=True,
    )  # fmt: skip


def _locked(path: str) -> bool:
    """Whether somebody holds this lock file."""
    try:
        import fcntl
    except ImportError:
        return False  # the worker that is one too many ends by itself
    try:
        fd = os.open(path, os.O_RDWR)
    except OSError:
        return False
    try:
        fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return True
    finally:
        os.close(fd)
    return False


def _watchdog(event: str) -> None:
    time.sleep(PATIENCE)
    _log(event, f"gave up after {PATIENCE:.0f} s")
    os._exit(0)


def _leave(out: str) -> None:
    """Write the held output in one piece and end without the interpreter's farewells."""
    try:
        data = out.encode("utf-8")
        while data:
            data = data[os.write(1, data) :]
    except OSError:
        pass
    os._exit(0)


def _log(event: str, error: object) -> None:
    """One line; a log that cannot be written is no reason to fail."""
    try:
        home = paths.home()
        if not os.path.isdir(home):
            return
        path = os.path.join(home, LOG)
        flags = os.O_WRONLY | os.O_CREAT | os.O_APPEND
        if os.path.exists(path) and os.path.getsize(path) > MOST_LOG:
            flags |= os.O_TRUNC
        fd = os.open(path, flags, 0o600)
        said = " ".join(str(error).split())[:300]
        name = f"{type(error).__name__}: " if isinstance(error, BaseException) else ""
        os.write(fd, f"{paths.iso(time.time())} {event} {name}{said}{_where(error)}\n".encode("utf-8", "replace"))
        os.close(fd)
    except OSError:
        pass


def _where(error: object) -> str:
    """File and line of an error, innermost last."""
    trace = error.__traceback__ if isinstance(error, BaseException) else None
    places = []
    while trace is not None:
        places.append(f"{os.path.basename(trace.tb_frame.f_code.co_filename)}:{trace.tb_lineno}")
        trace = trace.tb_next
    return " at " + " > ".join(places[-4:]) if places else ""
