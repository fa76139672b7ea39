"""Takes out of a user message what no person typed: wrappers of clients, hook output, our own injected block."""

from __future__ import annotations

import re

#: blocks that clients put into a user message; a message that begins with an unclosed one is theirs
WRAPPERS = (
    "system-reminder|local-command-stdout|local-command-stderr|local-command-caveat|command-name|command-message|"
    "command-args|command-contents|bash-input|bash-stdout|bash-stderr|user-prompt-submit-hook|ide_opened_file|"
    "ide_selection|ide_diagnostics|new-diagnostics|task-notification|post-tool-use-hook|session-start-hook|"
    "environment_context|user_instructions|turn_aborted|user_shell_command|persisted-output|agent-notification|"
    "environment_details|permissions instructions|collaboration_mode|skill|INSTRUCTIONS|hook_prompt|user_action|"
    "subagent_notification|recommended_plugins|skill-format|bash-exit-code|teammate-message|"
    "cross-session-message|agent-message|coordinator-relay|slack-ping|slack-tag-message|fork-boilerplate|"
    "remote-review|remote-review-progress|mcp-resource-update|mcp-polling-update|fetched-web-content|system_reminder|"
    "function_results|tool_use_error|sandbox_violations|total_tokens|codex_delegation|context_window_reminder|"
    "image_resize_notice|user_verification_notice"
)
#: other blocks of theirs, by whose names a person may begin a sentence
NAMED_LIKE_ANY = "stdin|tick|terminal|browser|browser_instruction|channel"
OPENED = re.compile(rf"<({WRAPPERS}|{NAMED_LIKE_ANY})(?=[\s>])[^<>]*>")
UNCLOSED = re.compile(rf"\s*<(?:{WRAPPERS})(?=[\s>])")
#: messages that a client writes in the user's name
NOT_TYPED = re.compile(
    r"""\s*(?: Caveat:\ The\ messages\ below
      | This\ session\ is\ being\ continued\ from
      | \[Request\ interrupted
      | Operation\ stopped\ by\ hook
      | (?:UserPromptSubmit|Stop|SessionStart|SubagentStop|PreCompact|PreToolUse|PostToolUse|TeammateIdle
          |TaskCreated|TaskCompleted)(?::\S+)?\ hook\ (?:blocking\ error\ from\ command\b
          |(?:feedback|success|error|additional\ context|stopped\ continuation):)
      | Base\ directory\ for\ this\ skill:
      | \[Tool\ (?:use|result)
      | API\ Error:\ (?:\d{3}\b|Request\ (?:was|rejected|blocked)\b|Connection\ error\b)
      | (?:Unknown|Invalid)\ (?:slash\ )?command:
      | Set\ model\ to\b
      | \#\ AGENTS\.md\ instructions\b
      | Another\ language\ model\ started\ to\ solve\ this\ problem\ and\ produced
      | Please\ continue\ the\ conversation\ from\ where\ we\ left
      | (?:Another\ Claude|A\ peer)\ session\ sent\ a\ message(?::|\ while\ you\ were\ working:)
      | Your\ task\ is\ to\ create\ a\ detailed\ summary\ of\ the\ conversation
      | </?(?:image|audio)(?:\ [^>\n]*)?>\s*\Z
    )""",
    re.X,
)
HASHED = re.compile(r"</?user-memory-input>")  # what a person typed behind a `#` stands between these
PASTED = re.compile(r"</?pasted_content id=\"\w+\">")  # around what was pasted; set on lines of their own
#: the headings of our own block; what follows one, until a blank line, was put there by us
OURS = re.compile(r"^== (?:STANDING CONSTRAINTS|OPERATIONAL STATE|BACKGROUND) ==\n(?:.+(?:\n|\Z))*", re.M)
IMAGE = re.compile(r"\[Image #\d+\]|\[Image: [^\]\n]*\]")
SLASH = re.compile(r"\s*/[a-z][\w-]*:[\w-]+(?:\s|\Z)")


def by_a_person(text: str) -> str:
    """What is left of a user message when all that a program wrote is taken out, "" for nothing."""
    if "<" in text:
        text = _unwrapped(PASTED.sub(r"\n\g<0>\n", HASHED.sub("", text)))
        if UNCLOSED.match(text):
            return ""
    if "== " in text:
        text = OURS.sub("", text)
    if "[Image" in text:
        text = IMAGE.sub("", text)
    if NOT_TYPED.match(text) or SLASH.match(text):
        return ""
    return text.strip()


def _unwrapped(text: str) -> str:
    """The text without the blocks of clients, each up to its first closing tag; without one it is no block."""
    kept, at = [], 0
    last: dict[str, int] = {}  # where the last closing tag of a name stands: looked for once, however many are open
    for opened in OPENED.finditer(text):
        closing = f"</{opened[1]}>"
        if closing not in last:
            last[closing] = text.rfind(closing)
        if at <= opened.start() and opened.end() <= last[closing]:
            kept.append(text[at : opened.start()])
            at = text.find(closing, opened.end()) + len(closing)
    return "".join((*kept, text[at:]))
