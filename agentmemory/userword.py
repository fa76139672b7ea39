"""Commands that carry the user's word: an agent that would run one in a shell has to ask the person first.

The command line counts as the user, so without this an agent with a shell could make rules. A client runs the `/mem:`
commands that a person types without this hook. Standard library only: the guard's hook imports this file.
"""

from agentmemory.shelltext import base_name
from agentmemory.unwrap import TOOLS, command_line, vectors

#: `ask` keeps the question as the user's turn; `ui` prints the user's key
#: `learn` and `hook` take what stands in a file for the user's turns; `feedback` and `agents trust` are his verdict
#: (so does `onboard --transcripts`, and its files lie where an environment variable says)
SPEAKS = frozenset(
    "remember lock unlock correct forget undo import guard proposals review restore setup slash ask ui learn hook"
    " feedback agents".split()
)
ONLY_LOOKS = (
    ["guard", "list"], ["guard", "test"], ["proposals", "list"], ["review", "list"], ["agents", "ask"],
    ["agents", "list"],
)  # fmt: skip
LISTS = (["proposals"], ["review"])
LEARNS = "--transcripts"
HELPS = frozenset(("-h", "--help"))  # before a `--`: behind it they are words of what is said
ASKS = (
    "This speaks to agentmemory in the user's name, so the user has to agree. To keep something yourself, use"
    " the tool `remember`; to propose a rule, the tool `lock`."
)


def question(event: "dict[str, object]") -> str:
    """What to ask about a tool call (`tool_name`, `tool_input`); "" where it does not speak for the user."""
    given = event.get("tool_input")
    command = command_line(given) if isinstance(given, dict) else ""
    if event.get("tool_name") not in TOOLS or "agentmemory" not in command:
        return ""
    ran = vectors(command)
    return ASKS if any(_speaks([str(w) for w in one.words]) or _calls(one.words, one.stdin) for one in ran) else ""


def _calls(words: "list[str]", stdin: "str | None") -> bool:
    """Whether a program given on the spot to Python calls what carries the user's word: `Memory().lock(...)`, or the
    command line: `main(["lock", ...])`."""
    code = " ".join([*words[1:], stdin or ""]) if base_name(words[0]).startswith("python") else ""
    calls = ("main(", *(f".{verb}(" for verb in (*SPEAKS, "accept", "reject")))
    return "agentmemory" in code and any(call in code for call in calls)


def _speaks(words: "list[str]") -> bool:
    if not words or base_name(words[0]) != "agentmemory":
        return False
    said = [word for word in words[1:] if not word.startswith("-")]
    if not HELPS.isdisjoint(words[1 : words.index("--")] if "--" in words else words[1:]):
        return False
    if said[:1] == ["onboard"]:
        return any(len(word) > 2 and LEARNS.startswith(word) for word in words)  # `--trans` says the same
    return bool(said) and said[0] in SPEAKS and said[:2] not in ONLY_LOOKS and words[1:] not in LISTS
