"""What a source tree says about itself: one finding, and the hygiene that every finding passes."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass, replace

from agentmemory.recall.render import IGNORABLE

LONGEST = 300  # characters of one finding
LONGEST_ROUTINE = 600  # of one that has steps
MARKED_UP = 4 * LONGEST  # the same before its markup is gone; patterns are tried on nothing longer
#: what talks to a model instead of describing the project; provenance is the defence, this is hygiene
POISON = re.compile(
    r"(?:ignore|disregard|forget|override)\s+(?:all\s+|any\s+|the\s+|your\s+)*(?:previous|prior|above|earlier|other|existing)|"
    r"(?:ignore|disregard|forget|override)\s+(?:all|any|the|these|those|your)\s+(?:of\s+\w+\s+)?(?:rules|instructions|guidelines)\b|"
    r"system\s*prompt|you\s+are\s+now\b|</?\s*(?:system|assistant|user|instructions?)\b|new\s+instructions?\s*:|"
    r"\b(?:curl|wget)\b[^|]*\|\s*(?:sudo\s+)?(?:ba|z|da)?sh\b|base64\s+(?:-d|--decode)|/dev/tcp/|\brm\s+-rf?\s+[/~]|"
    r"exfiltrat|(?:send|post|upload|email|leak)\b.{0,60}\b(?:secret|token|password|credential|api[ _-]?key|private key|"
    r"\.env\b)|"
    r"do\s+not\s+(?:tell|mention|inform|show)\b.{0,40}\b(?:user|human|anyone)|without\s+(?:telling|asking)\s+the\s+user",
    re.IGNORECASE,
)
#: a line that plays a part of a model's conversation, whatever else it says
PLAYED = re.compile(r"^.*</?\s*(?:system|assistant|instructions?)\b[^>\n]{0,80}>.*$", re.IGNORECASE | re.MULTILINE)
TAG = re.compile(r"<!--.*?(?:-->|$)|</?(?!https?:|mailto:)[a-zA-Z][^<>\n]{0,200}>", re.DOTALL)
LINK = re.compile(r"!?\[([^\]\n]*)\]\([^)\s]*(?:\s+\"[^\"]*\")?\)|!?\[([^\]\n]*)\]\[[^\]\n]*\]")
RST_LINK = re.compile(r"`([^`<\n]+?)\s*<[^>\n]+>`_{0,2}")
NUMBER = re.compile(r"\s*:(?:pr|issue|gh|user|pull|bpo)\w*:`[^`]*`|\s*\((?:Pull |PR |gh-|see )?#\d+\)")
GENERIC = re.compile(r"(`[^`\n<]*\w<\w[^`\n]*>[^`\n]*`)")
EMPHASIS = re.compile(r"(?<![\w*])\*([^\s*](?:[^*\n]*[^\s*])?)\*(?![\w*])")
RST_NAMED = re.compile(r"(?<![`\w])`([^`<\n]+)`_{1,2}(?![\w`])")  # `text`_, whose target stands elsewhere
ROLE = re.compile(r":[a-z][a-z:-]*:`~?([^`<\n]+?)(?:\s*<[^>\n]*>)?`")  # reStructuredText: :ref:`text <target>`


@dataclass(frozen=True, slots=True)
class Finding:
    """A statement that a file or the history of a tree makes.

    kind: of the belief proposed. source: path below the root, or "git". reader: who found it; (reader, source) is the
    group in which a later reading looks for the same statement. context: heading or subject. triggers: what calls
    for it. at: since when, seconds since 1970, 0 for now.
    """

    kind: str
    text: str
    source: str
    reader: str
    context: str = ""
    triggers: str = ""
    at: float = 0.0

    @property
    def group(self) -> str:
        """What identifies where it was found."""
        return f"{self.reader}:{self.source}"


def clean(finding: Finding) -> Finding | None:
    """The finding with its text made plain, None where it is empty, too long, or talks to a model."""
    if len(finding.text) > MARKED_UP or len(finding.context) > MARKED_UP:
        return None
    text = plain(finding.text)
    longest = LONGEST_ROUTINE if finding.kind == "procedure" else LONGEST
    if not 0 < len(text) <= longest or POISON.search(text) or POISON.search(finding.context):
        return None
    return replace(finding, text=text, context=plain(finding.context)[:80])


def plain(text: str) -> str:
    """One line without markup, links, controls and invisible characters."""
    text = RST_NAMED.sub(r"\1", text)
    text = RST_LINK.sub(r"\1", ROLE.sub(r"`\1`", NUMBER.sub("", text)))
    text = LINK.sub(lambda m: m[1] or m[2] or "", _untagged(text))
    text = unicodedata.normalize("NFC", _unemphasized(text).replace("__init__", "\0").replace("``", "`"))
    shown = (c for c in text if unicodedata.category(c) != "Cf" and c not in IGNORABLE)
    text = "".join(c if c.isprintable() or c == "\0" else " " for c in shown)
    return " ".join(text.replace("\0", "__init__").split()).strip()


def _untagged(text: str) -> str:
    """Without comments and tags; code with a type like `Box<T>` keeps what stands in angle brackets."""
    parts = GENERIC.split(text)
    return "".join(TAG.sub(" ", p) if i % 2 == 0 else p for i, p in enumerate(parts))


def _unemphasized(text: str) -> str:
    """Without the stars of emphasis; what stands in code keeps its own."""
    parts = text.split("`")
    return "`".join(EMPHASIS.sub(r"\1", p.replace("**", "")) if i % 2 == 0 else p for i, p in enumerate(parts))
