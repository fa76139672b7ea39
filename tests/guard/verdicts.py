"""What the guards of a rule say of a tool's input."""

from agentmemory import guard
from agentmemory.learn.guards import compile, guard_of


def mode(rule, cwd, tool="Bash", **given):
    event = {"tool_name": tool, "tool_input": given, "cwd": str(cwd)}
    verdict = guard.check(event, [guard_of(p) for p in compile(rule)])
    return verdict.mode if verdict else None
