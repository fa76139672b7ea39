"""What of a prompt was pasted: code, what a terminal said. It may tell what the request is about, but nobody wrote it
for the agent: its words count less, and how a request is put is asked of what was typed.

By the look of its lines alone; what is learned is told apart more closely (learn/passages.py).
"""

from agentmemory.typed import PASTED

FENCES = ("```", "~~~")
OPENED, CLOSED = PASTED  # as clients mark it
#: how lines of terminals, of logs and of changes begin
OF_A_LOG = (
    "Traceback", 'File "', "Caused by:", "npm ", "diff --git", "@@ ", "+++", "---", "$ ", ">>> ", "> Task", "error[",
    "error:", "warning:", "fatal:", "panic:", "ERROR", "WARN", "INFO", "DEBUG", "FATAL", "FAIL",
    "PASS", "[ERROR", "[WARN", "[INFO", "[DEBUG", "E   ", "✓", "✗", "✘", "✖", "×", "●", "→", "#include",
)  # fmt: skip
ERRORS = ("Error:", "Exception:", "Warning:", "Panic:")  # how the names of errors end
OF_A_TRACE = "at "  # with a place in brackets or behind a colon
OF_CODE = (";", "{", "}", "};", "},", "});", "=>", "/>", "):")  # how lines of code end
BULLETS = "-*•"
INDENT = ("    ", "\t")
STAMP, DIGITS = 16, 6  # characters at the beginning of a line, and digits among them that are a time
SHORT, LETTERS = 20, 0.72  # characters from which a line of less letters and spaces than this share is nobody's


def apart(text: str) -> "tuple[str, str]":
    """What was typed and what was pasted; all of it was typed where nothing else would be."""
    if "\n" not in text:
        return text, ""
    typed: list[str] = []
    pasted: list[str] = []
    until = ""  # the end of what was opened
    for line in text.splitlines():
        bare = line.strip()
        if until:
            until = "" if bare.startswith(until) else until
            pasted.append(line)
        elif bare.startswith((*FENCES, OPENED)):
            until = CLOSED if bare.startswith(OPENED) else bare[:3]
            pasted.append(line)
        else:
            (pasted if bare and _foreign(line, bare) else typed).append(line)
    said = "\n".join(typed).strip()
    return (said, "\n".join(pasted)) if said else (text, "")


def _foreign(line: str, bare: str) -> bool:
    """Whether a line looks like one that nobody types."""
    if bare.startswith(OF_A_LOG) or bare.endswith(OF_CODE) or bare.split(None, 1)[0].endswith(ERRORS):
        return True
    if bare.startswith(OF_A_TRACE) and ("(" in bare or ":" in bare):
        return True
    if line.startswith(INDENT) and bare[0] not in BULLETS and not bare[0].isdigit():
        return True
    start = bare[:STAMP]
    if sum(1 for c in start if c.isdigit()) >= DIGITS and ("-" in start or ":" in start):
        return True
    return len(bare) >= SHORT and sum(1 for c in bare if c.isalpha() or c == " ") < LETTERS * len(bare)
