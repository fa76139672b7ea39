"""The tool calls of a client's transcript, as the hook would have seen them. Knows no guards."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from agentmemory.learn.json_lines import parsed


def made(transcript: str) -> Iterator[dict[str, Any]]:
    """The tool calls of a transcript file, in order."""
    for line, part in _parts(transcript, "tool_use"):
        if isinstance(part.get("input"), dict):
            yield {
                "tool_name": str(part.get("name") or ""),
                "tool_input": part["input"],
                "tool_use_id": str(part.get("id")),
                "cwd": str(line.get("cwd") or ""),
                "session_id": str(line.get("sessionId") or ""),
                "timestamp": line.get("timestamp"),
            }


def failed(transcript: str) -> set[str]:
    """Ids of the tool calls of a transcript that were refused or failed."""
    return {str(part.get("tool_use_id")) for _, part in _parts(transcript, "tool_result") if part.get("is_error")}


def _parts(transcript: str, sort: str) -> Iterator[tuple[dict[str, Any], dict[str, Any]]]:
    """The parts of this sort of all messages, each with its line; unknown and broken lines are stepped over."""
    sign = f'"{sort}"'.encode()
    with open(transcript, "rb") as lines:
        for raw in lines:
            line = parsed(raw) or {} if sign in raw else {}
            message = line.get("message")
            content = message.get("content") if isinstance(message, dict) else None
            for part in content if isinstance(content, list) else ():
                if isinstance(part, dict) and part.get("type") == sort:
                    yield line, part
