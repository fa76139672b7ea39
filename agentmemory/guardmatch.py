"""Whether a tool call falls under a guard: which commands of a line and which files of an input are looked at.

Standard library only and little of it: the guard's hook imports this file.
"""

from agentmemory.guardedits import changes_files, shows_files
from agentmemory.guardfiles import match_edit, match_files, touches
from agentmemory.guardspec import NEAR, glob, listed, match_command, match_input
from agentmemory.shelltext import base_name
from agentmemory.unwrap import TOOLS, command_line, vectors

TYPE_CHECKING = False
if TYPE_CHECKING:
    from agentmemory.guard import Guard
    from agentmemory.shellword import Command

MATCHED = 1 << 12  # commands of one line that a guard looks at
SUBAGENTS = ("Task", "Agent")  # two names that the client has given to one tool


def line_of(tool: str, given: "dict[str, object]", guards: "list[Guard]") -> "Line":
    """The commands of a shell tool's input, where a guard is about any."""
    shell = tool in TOOLS and any(guard.tool == "Bash" for guard in guards)
    return Line(vectors(command_line(given)) if shell else [])


class Line:
    """The commands of a line, and which of them a guard has to look at."""

    __slots__ = ("files", "names", "ran")

    def __init__(self, ran: "list[Command]") -> None:
        self.ran = ran
        self.names = [base_name(command.words[0]) for command in ran]
        self.files: list[int] | None = None

    def named(self, spec: "dict[str, object]") -> "list[int]":
        """Where a program of *spec* may run."""
        programs = set(listed(spec, "program"))
        if "script" in spec or any("*" in program or "/" in program for program in programs):
            return list(range(len(self.ran)))
        return [i for i, name in enumerate(self.names) if name in programs]

    def touching(self) -> "list[int]":
        """Where files are changed or shown."""
        if self.files is None:
            self.files = [i for i, command in enumerate(self.ran) if touches(command)]
        return self.files


def matches(guard: "Guard", tool: str, given: "dict[str, object]", line: Line, cwd: str) -> bool:
    """Whether an action falls under a guard; *line*: the commands of it."""
    spec = guard.spec
    if guard.tool == "Bash":
        match = match_files if "writes" in spec or "reads" in spec else match_command
        at = line.touching() if match is match_files else line.named(spec)
        return any(match(spec, line.ran[i], line.ran[max(0, i - NEAR) : i], cwd) for i in at[:MATCHED])
    if guard.tool == "Edit":
        return changes_files(tool) and match_edit(spec, tool, given, cwd)
    if guard.tool == "Read":
        return shows_files(tool) and match_edit(spec, tool, given, cwd)
    return _same_tool(guard.tool, tool) and match_input(spec, given)


def _same_tool(wanted: str, tool: str) -> bool:
    """Whether *tool* is the wanted one: by name, by the start of a name (`mcp__github__*`), or by its last part."""
    if "*" in wanted:
        return glob(wanted.lower(), tool.lower())
    if wanted in SUBAGENTS and tool in SUBAGENTS:
        return True
    return tool == wanted or ("__" in tool and "__" not in wanted and tool.rsplit("__", 1)[-1] == wanted)
