"""What the history of a repository tells: what was taken back and why, what was decided, what changes together."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import combinations

from agentmemory.learn.onboard_found import Finding
from agentmemory.learn.onboard_git import Commit
from agentmemory.learn.onboard_tree import Tree

MOST = 30  # findings of each sort
MOST_TOGETHER = 12  # files of a commit whose pairs count: a larger commit is a sweep
SEEN_TOGETHER = 4  # commits
TOGETHER = 0.6  # share of the commits of either file that touch both
CONVENTION = re.compile(r"^(?:feat|fix|docs|chore|refactor|test|tests|ci|build|perf|style|revert)(?:\([^)]+\))?!?: ")
CONVENTIONAL = 0.7  # share of commit subjects that makes a convention
ENOUGH = 20  # commits from which a habit can be read
DECIDES = re.compile(
    r"\b(?:switch(?:ed)? (?:from .{2,40} )?to|migrat(?:e|ed) (?:from .{2,40} )?to|mov(?:e|ed) (?:from .{2,40} )to|"
    r"replac(?:e|ed) .{2,50} (?:with|by)|drop(?:ped)? (?:support for|the|python|node)|instead of|in favou?r of|"
    r"(?:we )?decided? to|no longer)\b",
    re.I,
)
REASON = re.compile(
    r"\b(?:because|since|so that|as it|as this|due to|caus(?:es?|ed|ing)|broke|breaks|breaking|regress\w+|to avoid|"
    r"which (?:led|leads)|fail(?:s|ed|ing)?|turns out|too (?:slow|many|much))\b", re.I,
)  # fmt: skip
REAPPLIED = re.compile(
    r"^(?:Reapply [\"“](?P<again>.+)[\"”]|Revert [\"“]Revert [\"“](?P<twice>.+)[\"”][\"”])\s*(?:\(#\d+\))?$"
)
REVERTED = re.compile(r"^Revert(?:s|ed)? [\"“](.+)[\"”]\s*(?:\(#\d+\))?$")
BOT = re.compile(r"dependabot|renovate|pre-commit-ci|\[bot\]|^bump |^merge |^release |^v?\d+\.\d+", re.I)


def history(tree: Tree, log: Sequence[Commit]) -> Iterator[Finding]:
    """Findings from the newest commits."""
    if not log:
        tree.cut.update(("habits", "together"))
    yield from _reverts(log)
    yield from _decisions(log)
    yield from _habits(log)
    yield from _together(tree, log)


def _reverts(log: Sequence[Commit]) -> Iterator[Finding]:
    kept = 0
    back: set[str] = set()  # subjects that a later commit applied again
    for commit in log:
        again, match = REAPPLIED.match(commit.subject), REVERTED.match(commit.subject)
        if again:
            back.add(again["again"] or again["twice"])
        elif match and not match[1].startswith(("Revert", "Reapply")) and kept < MOST:
            kept += 1
            what = "was reverted and later applied again" if match[1] in back else "was reverted"
            back.discard(match[1])
            reason = _reason(commit.body)
            text = f'"{match[1]}" {what}' + (f": {reason}" if reason else "")
            yield Finding("decision", text, commit.id, "reverts", "reverted change", at=commit.at)


def _decisions(log: Sequence[Commit]) -> Iterator[Finding]:
    kept = 0
    for commit in log:
        subject = re.sub(r"\s*\(#\d+\)$", "", CONVENTION.sub("", commit.subject))
        if kept >= MOST or BOT.search(commit.subject) or REVERTED.match(commit.subject) or len(subject.split()) < 4:
            continue
        reason = _reason(commit.body)
        if DECIDES.search(subject) or (reason and re.search(r"\bbecause\b|\bso that\b|\bto avoid\b", reason, re.I)):
            kept += 1
            text = f"{subject.rstrip('.')}" + (f": {reason}" if reason else "")
            yield Finding("decision", text, commit.id, "commits", "commit", at=commit.at)


def _reason(body: str) -> str:
    """The first sentence of a commit's body that gives a reason."""
    lines = [
        line for line in body.split("\n") if not re.match(r"^[\w-]+-by:|^This reverts commit|^\s*[-*] |^#", line, re.I)
    ]
    for sentence in re.split(r"(?<=[.!?])\s+", " ".join(" ".join(lines).split())):
        if REASON.search(sentence) and 4 <= len(sentence.split()) <= 40:
            return sentence
    return ""


def _habits(log: Sequence[Commit]) -> Iterator[Finding]:
    subjects = [c.subject for c in log[:300] if not REVERTED.match(c.subject)]
    if len(subjects) < ENOUGH:
        return
    share = sum(1 for s in subjects if CONVENTION.match(s)) / len(subjects)
    if share >= CONVENTIONAL:
        text = "Commit subjects follow the conventional form `type(scope): summary`"
        yield Finding("preference", text, "git", "habits", "commits", "commit", log[0].at)


def _together(tree: Tree, log: Sequence[Commit]) -> Iterator[Finding]:
    alone: Counter[str] = Counter()
    both: Counter[tuple[str, str]] = Counter()
    listed = frozenset(tree.files)
    for commit in log:
        files = [f for f in commit.files if f in listed]
        if 1 <= len(commit.files) <= MOST_TOGETHER:
            alone.update(files)
            both.update(combinations(sorted(files), 2))
    ranked = sorted(both.items(), key=lambda item: (-item[1], item[0]))
    kept = 0
    for (a, b), n in ranked:
        if n < SEEN_TOGETHER or kept >= MOST:
            return
        if n / (alone[a] + alone[b] - n) >= TOGETHER and not _lock(a) and not _lock(b):
            kept += 1
            yield Finding(
                "fact", f"`{a}` and `{b}` change together", f"{a}+{b}", "together", "co-changed files", f"{a} {b}"
            )


def _lock(path: str) -> bool:
    return path.endswith((".lock", "-lock.json", "-lock.yaml", "go.sum"))
