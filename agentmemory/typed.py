"""Takes out of a user message what no person typed: wrappers of clients, hook output, our own injected block.

Clients send what a program wrote as the user's message: through the prompt hook too, and into the transcript.
Imports nothing: the hook reads each prompt by it.
"""

#: blocks that clients put into a user message; a message that begins with an unclosed one is theirs
WRAPPERS = (
    "system-reminder", "local-command-stdout", "local-command-stderr", "local-command-caveat", "command-name",
    "command-message", "command-args", "command-contents", "bash-input", "bash-stdout", "bash-stderr",
    "user-prompt-submit-hook", "ide_opened_file", "ide_selection", "ide_diagnostics", "new-diagnostics",
    "task-notification", "post-tool-use-hook", "session-start-hook", "environment_context", "user_instructions",
    "turn_aborted", "user_shell_command", "persisted-output", "agent-notification", "environment_details",
    "permissions instructions", "collaboration_mode", "skill", "INSTRUCTIONS", "hook_prompt", "user_action",
    "subagent_notification", "recommended_plugins", "skill-format", "bash-exit-code", "teammate-message",
    "cross-session-message", "agent-message", "coordinator-relay", "slack-ping", "slack-tag-message",
    "fork-boilerplate", "remote-review", "remote-review-progress", "mcp-resource-update", "mcp-polling-update",
    "fetched-web-content", "system_reminder", "function_results", "tool_use_error", "sandbox_violations",
    "total_tokens", "codex_delegation", "context_window_reminder", "image_resize_notice", "user_verification_notice",
)  # fmt: skip
#: other blocks of theirs, by whose names a person may begin a sentence
NAMED_LIKE_ANY = ("stdin", "tick", "terminal", "browser", "browser_instruction", "channel")
#: how messages begin that a client writes in the user's name
NOT_TYPED = (
    "Caveat: The messages below", "This session is being continued from", "[Request interrupted",
    "Operation stopped by hook", "Base directory for this skill:", "[Tool use", "[Tool result", "[SYSTEM NOTIFICATION",
    "API Error: Request was", "API Error: Request rejected", "API Error: Request blocked",
    "API Error: Connection error", "Unknown command:", "Unknown slash command:", "Invalid command:",
    "Invalid slash command:", "Set model to ", "# AGENTS.md instructions ",
    "Another language model started to solve this problem and produced",
    "Please continue the conversation from where we left", "The user wants to clarify these questions.",
    *(f"{who} session sent a message{end}" for who in ("Another Claude", "A peer")
      for end in (":", " while you were working:")),
    "Your task is to create a detailed summary of the conversation",
)  # fmt: skip
FAILED = "API Error: "  # before a status of three digits
HOOKS = frozenset((
    "UserPromptSubmit", "Stop", "SessionStart", "SubagentStop", "PreCompact", "PreToolUse", "PostToolUse",
    "TeammateIdle", "TaskCreated", "TaskCompleted",
))  # fmt: skip
OF_A_HOOK = (
    "blocking error from command", "feedback:", "success:", "error:", "additional context:", "stopped continuation:",
)  # fmt: skip
HASHED = ("<user-memory-input>", "</user-memory-input>")  # what a person typed behind a `#` stands between these
CALLED = "<command-message>"  # begins what a client makes of a command of the user's own
A_SENTENCE = 4  # words behind such a command; fewer are values for it
PASTED = ('<pasted_content id="', '</pasted_content id="')  # around what was pasted; set on lines of their own
#: the headings of our own block; what follows one, until a blank line, was put there by us
OURS = tuple(f"== {of} ==\n" for of in ("STANDING CONSTRAINTS", "OPERATIONAL STATE", "BACKGROUND"))
MARKERS = ("[Image #", "[Image: ", "[Pasted text #")  # a client's signs for a picture, or a paste it has put elsewhere
BLANK = " \t\n\r\f\v"


def by_a_person(text: str) -> str:
    """What is left of a user message when all that a program wrote is taken out, "" for nothing."""
    said = asked(_behind_a_command(text) if text.startswith(CALLED) else text)
    return "" if _a_command(said) else said


def asked(text: str) -> str:
    """The same of a prompt: with it a command of somebody's plugin may ask for something."""
    if "<" in text:
        text = _unwrapped(_pastes_apart(text.replace(HASHED[0], "").replace(HASHED[1], "")))
        start = len(text) - len(text.lstrip())
        if any(_opens(text, start, name) for name in WRAPPERS):
            return ""
    if "== " in text:
        text = _without_ours(text)
    if "[" in text:
        text = _without_markers(text)
    text = text.strip()
    return "" if _by_a_client(text) else text


def _by_a_client(text: str) -> bool:
    """Whether a message is one that a client writes in the user's name."""
    status = text[len(FAILED) : len(FAILED) + 4] if text.startswith(FAILED) else ""
    if text.startswith(NOT_TYPED) or (status[:3].isdigit() and not status[3:].isalnum()):
        return True
    if text[:1] == "<" and text[-1:] == ">" and text[1:-1].lstrip("/").split(" ")[0] in ("image", "audio"):
        return ">" not in text[:-1] and "\n" not in text
    event, hook, rest = text[:200].partition(" hook ")
    name, colon, tool = event.partition(":")
    named = name in HOOKS and bool(tool) == bool(colon) and event.split() == [event]
    return bool(hook) and named and rest.startswith(OF_A_HOOK)


def _behind_a_command(text: str) -> str:
    """What was typed behind a command of the user's own; what stands behind one of a plugin is the plugin's."""
    name, said = (
        text.partition(f"<{of}>")[2].partition(f"</{of}>")[0] for of in ("command-name", "command-args")
    )  # fmt: skip
    return said if ":" not in name and len(said.split()) >= A_SENTENCE else ""


def _a_command(text: str) -> bool:
    """Whether a message is a command of a plugin: "/mem:search redis"."""
    if text[:1] != "/":
        return False
    plugin, colon, command = text.split(None, 1)[0][1:].partition(":")
    named = [each.replace("-", "_") for each in (plugin, command)]
    return bool(colon) and "a" <= plugin[:1] <= "z" and all(each and f"_{each}".isidentifier() for each in named)


def _opens(text: str, at: int, name: str) -> bool:
    """Whether a tag of this name begins there."""
    return text.startswith(f"<{name}", at) and text[at + len(name) + 1 : at + len(name) + 2] in (*BLANK, ">")


def _unwrapped(text: str) -> str:
    """The text without the blocks of clients, each up to its first closing tag; without one it is no block."""
    kept, at = [], 0
    for start, end, name in sorted(_tags(text)):
        if at <= start:
            kept.append(text[at:start])
            closing = f"</{name}>"
            at = text.find(closing, end) + len(closing)
    return "".join((*kept, text[at:]))


def _tags(text: str) -> "list[tuple[int, int, str]]":
    """Where tags of clients that are closed somewhere begin and end, and their names."""
    out = []
    for name in (*WRAPPERS, *NAMED_LIKE_ANY):
        last = text.rfind(f"</{name}>")
        at = text.find(f"<{name}", 0, max(0, last))
        while at >= 0:
            end = text.find(">", at, text.find("<", at + 1)) + 1
            if end and _opens(text, at, name):
                out.append((at, end, name))
            at = text.find(f"<{name}", at + 1, last)
    return out


def _pastes_apart(text: str) -> str:
    """The text with the tags around what was pasted on lines of their own."""
    for tag in PASTED:
        pieces = text.split(tag)
        for i, piece in enumerate(pieces[1:], 1):
            id, closed, rest = piece.partition('">')
            if closed and f"_{id}".isidentifier():
                pieces[i] = f'{tag}{id}">\n{rest}'
                pieces[i - 1] += "\n"
            else:
                pieces[i] = tag + piece
        text = "".join(pieces)
    return text


def _without_ours(text: str) -> str:
    kept = []
    ours = False
    for line in text.splitlines(keepends=True):
        ours = line.startswith(OURS) or (ours and line.strip("\r\n") != "")
        if not ours:
            kept.append(line)
    return "".join(kept)


def _without_markers(text: str) -> str:
    for marker in MARKERS:
        first, *rest = text.split(marker)
        for i, piece in enumerate(rest):
            inside, closed, said = piece.partition("]")
            ours = closed and "\n" not in inside and (marker[-1] != "#" or inside[:1].isdigit())
            rest[i] = said if ours else marker + piece
        text = "".join((first, *rest))
    return text
