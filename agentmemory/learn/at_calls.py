"""What a person says where Claude Code asks for leave: why a tool's call is refused, what goes with the leave to make
it, what is typed where a plan is agreed to. Reads single lines.
"""

from __future__ import annotations

from typing import Any

REFUSED, ALLOWED = "refused", "allowed"
REASON = "userFeedback"  # why a person refused a call, where the client says so beside its result,
DENIED = "toolDenialKind"  # and that it was refused
PERSONS = "holdsPersonsWords"  # that a result holds what a person said
#: how the result of a refused call begins, and what stands before the person's words in it
TOLD = ("The user doesn't want to proceed with this tool use.", "Permission for this tool use was denied.")
SAID = "he user said:\n"  # "To tell you how to proceed, the user said:", "The user said:"
LEAD = 400  # characters within which they begin
NOTE = "\n\nNote: The user's next message may contain a correction or preference."  # the client's own, behind them
OTHERS = "mcp"  # stands in the names of tools that are not the client's own: these write their errors as they like
ON_A_PLAN = "\n\nUser feedback on this plan: "
RAN = ("toolUseResult", "sourceToolAssistantUUID")
#: a line with a tool's result that holds none of these holds no word of a person's
SIGNS = (b'"userFeedback"', b"he user said:\\n", b'"type":"text","text":')


def said(line: dict[str, Any], content: object, tool: str) -> tuple[str, str]:
    """How and what a person said on the line whose message *content* brings what the *tool* returned, "" for nothing.

    *tool* is the name of the tool that was called, "" where that is not known.
    """
    parts = [part for part in content if isinstance(part, dict)] if isinstance(content, list) else []
    results = [part for part in parts if part.get("type") == "tool_result"]
    if len(results) != 1:
        return "", ""
    if results[0].get("is_error") or line.get(DENIED):
        return REFUSED, _reason(line, results[0], bool(tool) and OTHERS not in tool.lower())
    beside = [part["text"] for part in parts if part.get("type") == "text" and isinstance(part.get("text"), str)]
    return ALLOWED, "\n\n".join(beside) if any(mark in line for mark in RAN) else ""


def on_a_plan(text: str, plan: str) -> str:
    """What was typed where the *plan* was agreed to, of the prompt *text* that the client makes of it: the plan itself
    is the agent's."""
    return text.partition(plan)[2].partition(ON_A_PLAN)[2]


def _reason(line: dict[str, Any], result: dict[str, Any], own: bool) -> str:
    """Why a call was refused. *own*: the client's own tool was called."""
    denied, reason, told = line.get(DENIED), line.get(REASON), result.get("content")
    if denied and isinstance(reason, str):
        return reason
    if not (own or (denied and line.get(PERSONS))) or not isinstance(told, str) or not told.startswith(TOLD):
        return ""
    at = told.find(SAID, 0, LEAD)
    return told[at + len(SAID) :].partition(NOTE)[0] if at >= 0 else ""
