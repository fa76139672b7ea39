"""Reads transcripts of clients line by line: Claude Code and Codex JSONL, and plain `{"role", "text", "at"}`.

Gives what a person typed and what the assistant answered, nothing else. Knows no store and no beliefs.
"""

from __future__ import annotations

import math
import os
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, BinaryIO

from agentmemory import paths, typed
from agentmemory.learn import at_calls, used
from agentmemory.learn.json_lines import object_in, parsed, text_in
from agentmemory.values import Utterance

TOOL_RESULT = b'"tool_result"'  # within a text its quotes would be escaped: such a line is a tool's answer
AT_ONCE = 1_000_000  # bytes that are read at once: most lines are tools' answers, stepped over as they come
LONGEST_LINE = 64_000_000  # bytes; a longer line is no message, it is stepped over piece by piece
PIECES = 200  # beginnings of objects that are tried in a line that is no message, from its end
YEAR_10000 = 253_402_300_800
HEAD_LINES = 20  # where a Codex rollout names its session and its folder
RECENT = 200_000  # bytes before the place where reading goes on, of which the last calls are known
NOT_SAID = (
    "isMeta", "isSidechain", "isCompactSummary", "isVisibleInTranscriptOnly", "isApiErrorMessage", "isVirtual",
    "textNotTyped", "handedOff", "queueSkipAttachments", "queueTranscriptOnly", "wakeupSource", "turnCompanion",
    "verifiedSlackHumanTurn", "fromAnotherSession", "promptRewritten",
)  # fmt: skip
NOT_TYPED = ("system", "suggestion_accepted")  # where Claude Code says that a prompt comes from,
NOT_A_PERSONS = (
    "scheduled",
    "task_notification",
    "auto_continuation",
    "peer",
    "host_synthetic",
    "system",
)  # and a turn
TOOL_MARKS = ("toolUseResult", "sourceToolUseID", "sourceToolAssistantUUID")
#: a line that holds none of these is neither a message nor the head of a rollout
SIGNS = (
    b'"user"', b'"assistant"', b'"queued_command"', b'"queue-operation"', b'"session_meta"', b'"turn_context"',
    b"*** Begin Patch", b'"function_call"', b'\\"answers\\"',
)  # fmt: skip
CALLS = 500  # whose names are remembered until they are answered


@dataclass(frozen=True, slots=True)
class Heard:
    """What one line of a transcript gives.

    said: None when the line holds nothing that was said. session: the client's session id. folder: where the
    client worked, "" when unknown. end: the byte after the line, from where reading goes on. parents: the sessions
    whose turns a fork begins with, where its client dates them anew.
    """

    said: Utterance | None
    session: str
    folder: str
    client: str
    end: int
    parents: tuple[str, ...] = ()


@dataclass(slots=True)
class _Place:
    """What the lines so far say of the ones to come."""

    session: str
    folder: str = ""
    client: str = ""
    at: float = 0.0
    aside: bool = False  # whether an agent talks with an agent
    parents: tuple[str, ...] = ()
    queue: list[tuple[int, dict[str, Any]]] = field(default_factory=list)  # what waits for the agent, and where
    calls: dict[str, str] = field(default_factory=dict)  # tools that the agent called, or what it asked, by call
    used: set[str] = field(default_factory=set)  # with what it has worked since the user spoke last
    worked: int | None = None  # how many times the user has spoken since it has last changed or run something


def read(path: str, offset: int = 0) -> Iterator[Heard]:
    """What was said in the transcript from byte *offset* on, in order.

    A position is the byte offset of its message: stable in a file that only grows. The last line is left for
    the next call while it is cut. Unknown types, broken lines and invalid UTF-8 are stepped over.
    """
    place = _Place(session=os.path.realpath(path))
    with open(path, "rb", buffering=AT_ONCE) as f:
        if offset:
            _learn_recent(f, place, _learn_head(f, place, offset), offset)
            place.queue.clear()
            f.seek(offset)
        for start, end, raw in _lines(f, offset):
            for at, to, line in _objects(raw, place):
                said = _said(line, start + at, place)
                read_to = place.queue[0][0] if place.queue else end if to == len(raw) else start + to
                yield Heard(said, place.session, place.folder, place.client, read_to, place.parents)


def began(path: str) -> float:
    """When the first turn was said in the transcript, seconds since 1970; infinity where none is dated."""
    return next((heard.said.at for heard in read(path) if heard.said and heard.said.at), math.inf)


def goes_on(path: str, offset: int) -> bool:
    """Whether a line still ends at *offset*, where reading ended; otherwise the file was written anew."""
    with open(path, "rb") as f:
        size = f.seek(0, os.SEEK_END)
        f.seek(max(0, offset - 1))
        return offset in (0, size) or (offset < size and b"\n" in f.read(2))


def moment(given: object, otherwise: float) -> float:
    """Seconds since 1970 of a time in seconds or in ISO 8601; *otherwise* of what is none that the calendar has."""
    if isinstance(given, int | float) and not isinstance(given, bool):
        return float(given) if 0 <= given < YEAR_10000 else otherwise
    try:
        return paths.parse_time(given) if isinstance(given, str) else otherwise
    except ValueError:
        return otherwise


def _learn_head(f: BinaryIO, place: _Place, offset: int) -> int:
    """Take note of the first lines, and return where they end."""
    end = 0
    for number, (start, end, raw) in enumerate(_lines(f, 0)):
        _take_note(raw, start, place)
        if number >= HEAD_LINES or end >= offset:
            break
    return end


def _learn_recent(f: BinaryIO, place: _Place, start: int, offset: int) -> None:
    """Take note of the last lines before *offset*, none before *start*."""
    f.seek(max(start, offset - RECENT))
    at = f.tell() + (len(f.readline(RECENT)) if f.tell() > start else 0)
    for begin, end, raw in _lines(f, at):
        if end > offset:
            return
        _take_note(raw, begin, place)


def _take_note(raw: bytes, start: int, place: _Place) -> None:
    for at, _, line in _objects(raw, place):
        _said(line, start + at, place)


def _lines(f: BinaryIO, start: int) -> Iterator[tuple[int, int, bytes]]:
    """Whole lines as (start, end, bytes); a line beyond the bound comes as empty bytes."""
    while raw := f.readline(LONGEST_LINE):
        end = start + len(raw)
        if not raw.endswith(b"\n"):
            if len(raw) == LONGEST_LINE:
                rest = raw
                while rest and not rest.endswith(b"\n"):
                    rest = f.readline(LONGEST_LINE)
                    end += len(rest)
                if not rest:
                    return
                raw = b""
            elif not _whole(raw):
                return
        yield start, end, raw
        start = end


def _whole(raw: bytes) -> bool:
    """Whether a last line without a line break is a whole message; a cut one is never valid JSON."""
    return raw.rstrip().endswith(b"}") and parsed(raw) is not None


def _objects(raw: bytes, place: _Place) -> list[tuple[int, int, dict[str, Any]]]:
    """The message of a line with where it stands, or all that a crash left in one line; {} where nobody speaks."""
    nothing: tuple[int, int, dict[str, Any]] = (0, len(raw), {})
    result = raw.rfind(TOOL_RESULT)
    told = result >= 0 and any(map(raw.__contains__, at_calls.SIGNS))
    if not any(map(raw.__contains__, SIGNS)) or (result >= 0 and not told and raw.find(b'"message"', result) < 0):
        return [nothing]
    line = parsed(raw)
    if line is None:
        return _glued(raw, place) or [nothing]
    return [nothing if result >= 0 and not told else (0, len(raw), line)]


def _glued(raw: bytes, place: _Place) -> list[tuple[int, int, dict[str, Any]]]:
    """Whole messages at the end of a line that begins with one that was cut: its writer crashed and went on there.

    What a tool was given inside the cut message must not pass for one: a client's own lines are dated.
    """
    found: list[tuple[int, int, dict[str, Any]]] = []
    start = end = len(raw)
    for _ in range(PIECES):
        start = raw.rfind(b'{"', 0, start)
        line = parsed(raw[start:end]) if start >= 0 else None
        if line is not None and (not place.client or "timestamp" in line):
            found.insert(0, (start, end, {} if raw.find(TOOL_RESULT, start, end) >= 0 else line))
            end = start
        if start <= 0:
            break
    return found


def _said(line: dict[str, Any], position: int, place: _Place) -> Utterance | None:
    how = ""
    if "payload" in line:
        role, text, how = _codex(line, place)
    elif "message" in line or "attachment" in line:
        role, text, how = _claude(line, place)
    elif line.get("type") == "queue-operation":
        line = _delivered(line, position, place)
        role, text = "user", _typed(line.get("content"), "text")
    else:
        role, text = _plain(line, place)
    place.at = moment(line.get("timestamp", line.get("at")), place.at)
    changed = used.changed(line) if role == "assistant" else ""
    text = text.strip()
    if changed or place.used:
        place.worked = 0
    if role not in ("user", "assistant") or not (text or changed):
        return None
    provenance = "user" if role == "user" else "agent"
    speaker, refuses, asked = text_in(line.get("speaker")), how == at_calls.REFUSED, how == at_calls.ANSWERED
    if role == "assistant":
        return Utterance(position, role, text, place.at, provenance, speaker, changed)
    follows = text_in(line.get("parentUuid")) if "message" in line and not how else ""
    at_work, worked = frozenset(place.used), place.worked
    place.used.clear()
    place.worked = None if worked is None else worked + 1
    return Utterance(position, role, text, place.at, provenance, speaker, "", refuses, asked, follows, at_work, worked)


def _claude(line: dict[str, Any], place: _Place) -> tuple[str, str, str]:
    """Role and text of a line of Claude Code, empty when nobody said it, and how it was said at a tool's call."""
    place.client = "claude-code"
    if line.get("sessionId"):
        place.session = str(line["sessionId"])
    place.folder = _folder(line, place)
    if "attachment" in line:
        return *_queued(line, line["attachment"]), ""
    role, message = line.get("type"), line["message"]
    if role not in ("user", "assistant") or not isinstance(message, dict) or message.get("role", role) != role:
        return "", "", ""
    content, plan = message.get("content"), text_in(line.get("planContent"))
    if plan and role == "user" and not line.get("isSidechain"):
        return role, _typed(at_calls.on_a_plan("\n\n".join(_parts(content, "text")), plan), "text"), ""
    if any(line.get(mark) for mark in NOT_SAID):
        return "", "", ""
    if role == "assistant":
        _note_calls(content, place)
        return role, "\n\n".join(_parts(content, "text")), ""
    if not _by_a_human(line):
        return "", "", ""
    if result := _result(content):
        how, text = at_calls.said(line, content, place.calls.get(text_in(result.get("tool_use_id")), ""))
        return role, _typed(text, "text"), how
    if any(mark in line for mark in TOOL_MARKS):
        return "", "", ""
    return role, _typed(content, "text"), ""


def _note_calls(content: object, place: _Place) -> None:
    """Remember which tools a message of the agent calls, and with what it works."""
    for part in content if isinstance(content, list) else ():
        if isinstance(part, dict) and part.get("type") == "tool_use":
            if len(place.calls) >= CALLS:
                place.calls.clear()
            place.calls[text_in(part.get("id"))] = text_in(part.get("name"))
            place.used |= used.by_call(object_in(part.get("input")))


def _queued(line: dict[str, Any], given: object) -> tuple[str, str]:
    """Role and text of what a person typed while the agent worked; it stands in no message of its own."""
    if not isinstance(given, dict) or (given.get("type"), given.get("commandMode")) != ("queued_command", "prompt"):
        return "", ""
    if any(any(each.get(mark) for mark in NOT_SAID) or not _by_a_human(each) for each in (line, given)):
        return "", ""
    return "user", _typed(given.get("prompt"), "text")


def _delivered(line: dict[str, Any], position: int, place: _Place) -> dict[str, Any]:
    """The line that queued a message which reaches the agent now; {} if there is none, or if that message also has a
    line of its own.

    Older Claude Code does not write down what it puts beside a tool's answer: what was typed meanwhile is in its queue.
    """
    operation = line.get("operation")
    if operation == "enqueue":
        place.queue.append((position, line))
    elif operation == "popAll":  # taken back to be typed on
        place.queue.clear()
    elif operation in ("dequeue", "remove") and place.queue:
        _, queued = place.queue.pop(0)
        return queued if operation == "remove" and "content" not in line and "reason" not in line else {}
    return {}


def _by_a_human(given: dict[str, Any]) -> bool:
    """Whether Claude Code says of no other agent, plugin, channel or schedule that a prompt came from there."""
    origin = given.get("origin") or {"kind": "human"}
    source = given.get("promptSource", given.get("inputSource"))
    turned = source in NOT_TYPED or given.get("turnOrigin") in NOT_A_PERSONS
    return not turned and object_in(origin).get("kind") == "human"


def _codex(line: dict[str, Any], place: _Place) -> tuple[str, str, str]:
    """The same of a line of a Codex rollout; its first line names the session, a fork copies others' behind it."""
    first, place.client = place.client != "codex", "codex"
    payload = line["payload"]
    if not isinstance(payload, dict):
        return "", "", ""
    if line.get("type") in ("session_meta", "turn_context"):
        if line["type"] == "session_meta" and first:
            place.session = str(payload.get("id") or place.session)
            place.aside = payload.get("thread_source") == "subagent" or "subagent" in object_in(payload.get("source"))
        elif line["type"] == "session_meta" and payload.get("id") != place.session:
            place.parents = (*place.parents, str(payload.get("id")))
        place.folder = _folder(payload, place)
        return "", "", ""
    if line.get("type") != "response_item" or place.aside:
        return "", "", ""
    call = text_in(payload.get("call_id"))
    if payload.get("type") == "function_call_output" and call in place.calls:
        asked, told = place.calls.pop(call), parsed(text_in(payload.get("output")).encode())
        return "user", _typed(at_calls.chosen_in_codex(parsed(asked.encode()), told), "text"), at_calls.ANSWERED
    if payload.get("name") == at_calls.CODEX_QUESTIONS:
        place.calls[call] = text_in(payload.get("arguments"))
    place.used |= used.by_arguments(text_in(payload.get("arguments")))
    if payload.get("type") in ("custom_tool_call", "function_call"):
        return "assistant", "", ""
    if payload.get("type") != "message":
        return "", "", ""
    role = text_in(payload.get("role"))
    if role == "assistant":
        return role, "\n\n".join(_parts(payload.get("content"), "output_text")), ""
    return role, _typed(_by_the_user(payload), "input_text"), ""


def _by_the_user(payload: dict[str, Any]) -> object:
    """The parts of a message that Codex does not say come from elsewhere: a hook, a file, itself."""
    content = payload.get("content")
    told = object_in(payload.get("internal_chat_message_metadata_passthrough")).get("content_item_metadata")
    if not isinstance(content, list) or not isinstance(told, list) or len(told) != len(content):
        return content
    whose = (object_in(object_in(each).get("provenance")).get("type", "user") for each in told)
    return [part for part, who in zip(content, whose) if who == "user"]


def _plain(line: dict[str, Any], place: _Place) -> tuple[str, str]:
    """Role and text of `{"role", "text", "at"}`; `session` and `cwd` may stand beside them."""
    if not isinstance(line.get("role"), str) or not isinstance(line.get("text"), str):
        return "", ""
    place.session = text_in(line.get("session")) or place.session
    place.folder = _folder(line, place)
    role = line["role"]
    return role, typed.by_a_person(line["text"]) if role == "user" else line["text"]


def _typed(content: object, kind: str) -> str:
    return "\n\n".join(filter(None, (typed.by_a_person(part) for part in _parts(content, kind))))


def _parts(content: object, kind: str) -> list[str]:
    if isinstance(content, str):
        return [content]
    if not isinstance(content, list):
        return []
    return [p["text"] for p in content if isinstance(p, dict) and p.get("type") == kind and text_in(p.get("text"))]


def _result(content: object) -> dict[str, Any] | None:
    """The first part of a message that hands the agent what its tools returned."""
    parts = content if isinstance(content, list) else ()
    return next((p for p in parts if isinstance(p, dict) and p.get("type") == "tool_result"), None)


def _folder(line: dict[str, Any], place: _Place) -> str:
    """The folder that a line names, or the one so far; no folder's name holds a null byte."""
    named = text_in(line.get("cwd"))
    return named if named and "\0" not in named else place.folder
