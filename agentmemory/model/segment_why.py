"""Why a prefix was or was not there: the first segment that differs, and in what."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from agentmemory.model.fingerprint import Root
from agentmemory.model.segment_disk import Disk, listed
from agentmemory.model.segment_file import Header
from agentmemory.model.segment_hot import Hot

if TYPE_CHECKING:
    from agentmemory.model.segments import Part

AROUND = 8  # tokens shown on each side of a difference
Decode = Callable[[Sequence[int]], str]


def explain(
    disk: Disk, hot: Hot, root: Root, parts: Sequence[Part], names: Sequence[str], decode: Decode | None
) -> list[str]:
    """One line a segment, in order: hot, kept on disk, the reason it is missing, or what it follows."""
    lines, broken, parent = [], "", root.name
    for part, name in zip(parts, names, strict=True):
        what = f"{part.label} ({len(part.tokens)} tokens)"
        if broken:
            lines.append(f"{what}: recomputed, it follows {broken}")
        elif hot.header(name) is not None:
            lines.append(f"{what}: in memory")
        elif disk.find(root.name, name) is not None:
            lines.append(f"{what}: on disk")
        else:
            lines.append(f"{what}: missing, {_why(disk, hot, root, part, name, parent, decode)}")
            broken = part.label
        parent = name
    return lines


def _why(disk: Disk, hot: Hot, root: Root, part: Part, name: str, parent: str, decode: Decode | None) -> str:
    noted = disk.why_removed(name)
    if noted:
        return noted
    siblings = disk.children(root.name, parent) + hot.children(parent)
    if siblings:
        near = max(siblings, key=lambda h: _common(h.tokens, part.tokens))
        return _difference(near, part, decode)
    if parent == root.name:
        changed = _changed_root(disk, root)
        if changed:
            return changed
    return "never computed here"


def _difference(kept: Header, part: Part, decode: Decode | None) -> str:
    at = _common(kept.tokens, part.tokens)
    if at == min(len(kept.tokens), len(part.tokens)):
        return f"it has {len(part.tokens)} tokens and begins like one of {len(kept.tokens)} that is kept"
    where = f"it differs from the {kept.label} that is kept at its token {at}"
    if decode is None:
        return where
    was = decode(kept.tokens[max(0, at - AROUND) : at + AROUND])
    now = decode(part.tokens[max(0, at - AROUND) : at + AROUND])
    return f"{where}: {was!r} is kept, {now!r} was asked"


def _changed_root(disk: Disk, root: Root) -> str:
    """What is different between this model and the one last used here, if that is the reason."""
    others = []
    for item in listed(disk.folder):
        if item.is_dir() and item.name != root.name:
            other = Root.read(item.path)
            if other is not None:
                others.append((item.stat().st_mtime, other))
    if not others:
        return ""
    nearest = min(others, key=lambda pair: (len(root.differs(pair[1])), -pair[0]))[1]
    return f"prefixes are kept for another model here; it differs in {', '.join(root.differs(nearest))}"


def _common(a: Sequence[int], b: Sequence[int]) -> int:
    at = 0
    for x, y in zip(a, b, strict=False):
        if x != y:
            break
        at += 1
    return at
