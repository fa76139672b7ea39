"""What a person says where a client asks for leave: why a tool's call is refused, what goes with the leave to make
it, what the client's own questions are answered with, what is typed where a plan is agreed to. Reads single lines.
"""

from __future__ import annotations

from typing import Any

from agentmemory.learn import topics
from agentmemory.learn.json_lines import object_in

REFUSED, ANSWERED, ALLOWED = "refused", "answered", "allowed"
REASON = "userFeedback"  # why a person refused a call, where the client says so beside its result,
DENIED = "toolDenialKind"  # and that it was refused
PERSONS = "holdsPersonsWords"  # that a result holds what a person said
#: how the result of a refused call begins, and what stands before the person's words in it
TOLD = ("The user doesn't want to proceed with this tool use.", "Permission for this tool use was denied.")
FROM, BY_PROGRAM = "entrypoint", "sdk"  # what the client runs in: an editor asks a person, a program may not
SAID = "he user said:\n"  # "To tell you how to proceed, the user said:", "The user said:"
LEAD = 400  # characters within which they begin
NOTE = "\n\nNote: The user's next message may contain a correction or preference."  # the client's own, behind them
QUESTIONS = "AskUserQuestion"
CODEX_QUESTIONS = "request_user_input"
TYPED = "user_note: "  # how Codex begins what was typed beside an option
RECOMMENDED = " (Recommended)"  # what an agent sets behind an option
OTHERS = "mcp"  # stands in the names of tools that are not the client's own: these write their errors as they like
ON_A_PLAN = "\n\nUser feedback on this plan: "
RAN = ("toolUseResult", "sourceToolAssistantUUID")
#: a line with a tool's result that holds none of these holds no word of a person's
SIGNS = (b'"userFeedback"', b"he user said:\\n", b'"holdsPersonsWords"', b'"answers"', b'"type":"text","text":')


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
    if tool == QUESTIONS:
        return ANSWERED, _answers(line.get("toolUseResult"))
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
    marked = bool(denied and line.get(PERSONS))
    if not (own or marked) or not isinstance(told, str):
        return ""
    if told.startswith(TOLD):
        at = told.find(SAID, 0, LEAD)
        return told[at + len(SAID) :].partition(NOTE)[0] if at >= 0 else ""
    asked_a_person = not str(line.get(FROM, BY_PROGRAM)).startswith(BY_PROGRAM)
    return told if marked and asked_a_person else ""


def chosen_in_codex(call: object, output: object) -> str:
    """The same of the questions of Codex: what it was called with names them, what came of it tells their answers."""
    asked, given = object_in(call).get("questions"), object_in(object_in(output).get("answers"))
    questions = [each for each in asked if isinstance(each, dict)] if isinstance(asked, list) else []
    told = {str(each.get("question")): object_in(given.get(str(each.get("id")))).get("answers") for each in questions}
    return _answers({"questions": questions, "answers": told})


def _answers(result: object) -> str:
    """Each question with its answer, a line each, or what was typed instead; "" where nobody answered."""
    given = object_in(result)
    asked, answers, beside = (
        given.get("questions"),
        object_in(given.get("answers")),
        object_in(given.get("annotations")),
    )
    if given.get("afkTimeoutMs") or not isinstance(asked, list):
        return ""
    lines = []
    for each in map(object_in, asked):
        question = str(each.get("question"))
        chosen = [_text(answers.get(question)), _text(object_in(beside.get(question)).get("notes"))]
        if any(chosen):
            of = topics.question(question) or f"{_text(each.get('header')) or question}:"
            lines.append(" ".join(filter(None, (of, *chosen))))
    return "\n".join((*lines, *filter(None, (_text(given.get("response")),))))


def _text(value: object) -> str:
    """An answer in words: one option or several, as they are named to the person, or what was typed."""
    several = value if isinstance(value, list) else [value]
    words = [" ".join(each.split()) for each in several if isinstance(each, str)]
    options = [each.removeprefix(TYPED).removesuffix(RECOMMENDED) for each in words]
    return "" if options == ["(notes only)"] else ", ".join(filter(None, options))
