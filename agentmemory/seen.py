"""What a session has been given already, so that it is not given again. One file a session, a line a belief. And how
many large blocks the user's prompts have saved or overdrawn (`recall/cover.py`): one number in a file of its own.

The worker turns the lines into rows of `injection`; lines it does not know (a reset) it passes over.
"""

import os

from agentmemory.recall.cover import held, saved_after
from agentmemory.records import Hit
from agentmemory.store import inbox
from agentmemory.text import tokens

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection

MARK = '{"belief": '
GIVEN = '{"given": '  # told to the session that this one was forked from
PAST = '{"past": '  # told as what no longer holds: where it holds again, the session has to hear so
RESET = '{"reset": '
HINT = ', "hint": 1}'  # how the line of a belief ends that was told as a hint
ROOM = "room"


def already(home: str, session: str) -> "tuple[frozenset[int], bool]":
    """Ids of the beliefs that the session's context still holds, and whether all of them were told as hints."""
    lines = _since_reset(inbox.seen(home, session)) if session else []
    return _held(lines), all(line.endswith(HINT) for line in lines if line.startswith((MARK, GIVEN)))


def take_over(home: str, fork: str, parent: str, upto: float) -> None:
    """The context of *fork* begins as that of *parent* was at a moment: it holds what that one had been given."""
    own, lines = inbox.seen(home, fork), []
    for line in inbox.seen(home, parent):
        if _at(line) > upto:
            break
        lines.append(line)
    held = sorted(_held(_since_reset(lines)) - _held(own))
    if held and not any(line.startswith(RESET) for line in own):
        inbox.note_seen(home, fork, *(f"{GIVEN}{id}}}" for id in held))


def forget(home: str, gone: "Collection[int]", again: "Collection[int]") -> None:
    """Nothing tells any more that a session was given what is *gone*; what holds *again* it is to hear anew.

    A line is blanked in its place: hooks may append meanwhile, and the worker knows how far it has read.
    """
    folder = os.path.join(home, inbox.SEEN)
    for name in os.listdir(folder) if os.path.isdir(folder) else ():
        try:
            f = open(os.path.join(folder, name), "r+b")  # noqa: SIM115 - closed below
        except FileNotFoundError:  # the worker tidies up
            continue
        with f:
            at, found = 0, set[int]()
            for line in f.read().split(b"\n"):
                id = _id(line.decode("utf-8", "replace"))
                if id is not None and id in gone:
                    f.seek(at)
                    f.write(b" " * len(line))
                elif id is not None and id in again:
                    found.add(id)
                at += len(line) + 1
        if found:
            inbox.note_seen(home, name.removesuffix(".log"), *(f"{PAST}{id}}}" for id in sorted(found)))


def _id(line: str) -> "int | None":
    """The belief of which a line tells."""
    number = line.partition(" ")[2].partition(",")[0].rstrip("}")
    return int(number) if number.isdigit() and line.startswith((MARK, GIVEN, PAST)) else None


def _since_reset(lines: "list[str]") -> "list[str]":
    resets = [n for n, line in enumerate(lines) if line.startswith(RESET)]
    return lines[resets[-1] + 1 :] if resets else lines


def _held(lines: "list[str]") -> frozenset[int]:
    out: set[int] = set()
    for line in lines:
        id = _id(line)
        if id is not None and line.startswith(PAST):
            out.discard(id)
        elif id is not None:
            out.add(id)
    return frozenset(out)


def _at(line: str) -> float:
    """When a line was written; 0 where it does not say so."""
    found = line.removeprefix(RESET) if line.startswith(RESET) else line.partition('"at": ')[2]
    try:
        return float(found.partition(",")[0].rstrip("}"))
    except ValueError:
        return 0.0


def note(home: str, session: str, hits: "list[Hit]", now: float, prompt: str, hint: bool = False) -> None:
    """Remember what the session is being given with a prompt; of the prompt only a number is kept. *hint*: the block
    is no more than that."""
    end = HINT if hint else "}"
    number = sum(ord(c) * (i + 1) for i, c in enumerate(prompt[:4_000])) % 0xFFFFFFFF
    lines = []
    for hit in hits:
        own = hit.steps or [hit.row]
        lines += [f"{PAST}{row.id}}}" for row in hit.was if row.state == "superseded"]
        for row in own + [row for row in hit.was if row.state != "superseded"]:  # what is told on its line as well
            taken = tokens(row.gist or row.text)
            called = int(row in own and bool(hit.matched))  # 0: it only stood beside what the prompt called for
            line = f'{MARK}{row.id}, "at": {now!r}, "tokens": {taken!r}, "prompt": "{number:08x}", "called": {called}'
            lines.append(line + end)
    if lines:
        inbox.note_seen(home, session, *lines)


def reset(home: str, session: str, now: float) -> None:
    """The session's context was emptied or summarised: all may be given again."""
    inbox.note_seen(home, session, f"{RESET}{now!r}}}")


def saved(home: str) -> float:
    """Large blocks that earlier prompts saved; 0 where nothing is known."""
    try:
        fd = os.open(os.path.join(home, ROOM), os.O_RDONLY)
        try:
            return held(float(os.read(fd, 32)))
        finally:
            os.close(fd)
    except (OSError, ValueError):
        return 0.0


def spend(home: str, saved: float, block: str) -> None:
    """Keep what is saved after one more block; of two prompts at the same moment one counts."""
    fd = os.open(os.path.join(home, ROOM), os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    try:
        os.write(fd, b"%.2f\n" % saved_after(saved, tokens(block)))
    finally:
        os.close(fd)
