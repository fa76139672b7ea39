"""A repository becomes memory: what its files and history say, as proposals that wait for the user's consent.

Run again, it updates: what is known stays, what reads differently now supersedes its proposal, what is gone is taken
back, what the user rejected is not proposed again. Nothing of the tree is executed.
"""

from __future__ import annotations

import os
import time
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from rapidfuzz import fuzz

from agentmemory import paths
from agentmemory.learn import onboard_config, onboard_history, onboard_rules
from agentmemory.learn.onboard_commands import commands
from agentmemory.learn.onboard_found import Finding, clean
from agentmemory.learn.onboard_git import Commit
from agentmemory.learn.onboard_git import commits as commits_of
from agentmemory.learn.onboard_retired import deprecated
from agentmemory.learn.onboard_tree import Tree, listed
from agentmemory.learn.redact import redact
from agentmemory.learn.revise import retract, revise
from agentmemory.store import beliefs, changes, proposals, scopes
from agentmemory.store.proposals import Proposed
from agentmemory.store.writer import transaction
from agentmemory.values import Added, Candidate, Reinforced, Superseded, counted

if TYPE_CHECKING:
    import apsw

    from agentmemory.store.rows import Database

MOST = 600  # findings of one tree, the most telling sorts first
REWORDED = 70.0  # rapidfuzz ratio from which a new text of the same place is the old one reworded
LASTING = ("reverts", "commits")  # readers of what was once said for good: newer commits do not take it back
SEEN = "onboarded"  # evidence that ties a belief to the place of the tree that says it

Reader = Callable[[Tree, Sequence[Commit]], Iterator[Finding]]
Progress = Callable[[str, float], None]

READERS: tuple[tuple[str, Reader], ...] = (
    ("rules", lambda tree, log: onboard_rules.rules(tree)),
    ("commands", lambda tree, log: commands(tree)),
    ("settings", lambda tree, log: onboard_config.settings(tree)),
    ("decisions", lambda tree, log: onboard_rules.decisions(tree)),
    ("deprecated", lambda tree, log: deprecated(tree)),
    ("history", onboard_history.history),
    ("structure", lambda tree, log: onboard_config.structure(tree)),
)


@dataclass(frozen=True, slots=True)
class Onboarded:
    """What an onboarding did: the batch that takes it back, and counts of proposals by what became of them.

    whole: the tree was read to its end; False when a bound was met (then nothing is taken back).
    """

    scope: int
    batch: int
    files: int
    commits: int
    proposed: int
    updated: int
    unchanged: int
    gone: int
    whole: bool
    seconds: float

    def __str__(self) -> str:
        cut = "" if self.whole else "; the tree is larger than what was read"
        return (
            f"{counted(self.files, 'file')} and {counted(self.commits, 'commit')} read in {self.seconds:.1f} s: "
            f"{counted(self.proposed, 'proposal')}, "
            f"{self.updated} updated, {self.unchanged} known, {self.gone} taken back{cut}"
        )


def onboard(db: apsw.Connection, folder: str, now: float, progress: Progress | None = None) -> Onboarded:
    """Read the working tree that *folder* lies in and propose what it says to the project's scope: one batch to undo.

    Raises:
        NotADirectoryError: there is no such folder.
    """
    begin = time.monotonic()
    tell = progress or (lambda what, share: None)
    tell("files", 0.0)
    tree = listed(paths.root_of(folder) if os.path.isdir(folder) else folder)
    log = commits_of(tree.root)
    found = findings(tree, log, tell)
    tell("proposals", 0.7)
    with transaction(db):
        batch = changes.begin(db, "onboard")
        scope = scopes.project(db, *paths.project_of(tree.root), now)
        proposed, updated, unchanged, gone = _settle(db, scope, found, tree, now, tell)
    tell("done", 1.0)
    return Onboarded(
        scope, batch, len(tree.files), len(log), proposed, updated, unchanged, gone, tree.whole,
        time.monotonic() - begin,
    )  # fmt: skip


def findings(tree: Tree, log: Sequence[Commit], tell: Progress = lambda what, share: None) -> list[Finding]:
    """What all readers find, made plain and without secrets, each statement once, at most `MOST`."""
    out: dict[str, Finding] = {}
    for i, (name, read) in enumerate(READERS):
        tell(name, 0.1 + 0.6 * i / len(READERS))
        for raw in read(tree, log):
            found = clean(raw)
            if found is None:
                continue
            if len(out) >= MOST:
                tree.cut.add(found.group)
                continue
            text = " ".join(redact(found.text).split())
            out.setdefault(text.lower(), replace(found, text=text))
    return list(out.values())


def _settle(
    db: Database, scope: int, found: list[Finding], tree: Tree, now: float, tell: Progress
) -> tuple[int, int, int, int]:
    """Compare with what was proposed before; returns how many are new, updated, unchanged, gone."""
    before: dict[str, list[Proposed]] = defaultdict(list)
    for old in proposals.onboarded(db, scope, SEEN):
        before[old.group].append(old)
    said = {(o.group, o.text): o for olds in before.values() for o in olds if not o.gone}
    anywhere = {_words(o.text): o for o in said.values()}
    claimed: set[int] = set()
    fresh: dict[str, list[Finding]] = defaultdict(list)
    unchanged = 0
    for finding in found:
        here = said.get((finding.group, finding.text))
        known = here or anywhere.get(_words(finding.text))
        if known is None:
            fresh[finding.group].append(finding)
            continue
        claimed.add(known.belief)
        unchanged += 1
        if here is None:
            _seen(db, known.belief, finding, now)
    proposed = updated = 0
    read = {group: [] if _is_cut(group, tree.cut) else olds for group, olds in before.items()}
    pairs = [pair for group, news in fresh.items() for pair in _paired(news, read.get(group, []), claimed)]
    for i, (finding, old_one) in enumerate(pairs):
        tell("proposals", 0.7 + 0.3 * i / len(pairs))
        id, replaced = _propose(db, scope, finding, old_one, now)
        claimed.add(id)
        updated += replaced
        proposed += id > 0 and not replaced
    gone = _take_back(db, read, claimed, now) if tree.whole else 0
    return proposed, updated, unchanged, gone


def _is_cut(group: str, cut: set[str]) -> bool:
    """Whether a bound left something of this place unread: what it no longer says it may still say."""
    reader, _, source = group.partition(":")
    return not cut.isdisjoint((group, reader, source))


def _paired(news: list[Finding], olds: list[Proposed], claimed: set[int]) -> Iterator[tuple[Finding, Proposed | None]]:
    """Each new statement with the old one of the same place that it rewords, the closest pairs first."""
    live = [old for old in olds if old.state in ("proposed", "active") and old.belief not in claimed]
    scored = sorted(
        ((fuzz.ratio(new.text, old.text), i, j) for i, new in enumerate(news) for j, old in enumerate(live)),
        reverse=True,
    )
    of: dict[int, int] = {}
    for score, i, j in scored:
        if score >= REWORDED and i not in of and j not in of.values():
            of[i] = j
    for i, new in enumerate(news):
        yield new, live[of[i]] if i in of else None


def _propose(db: Database, scope: int, finding: Finding, old: Proposed | None, now: float) -> tuple[int, bool]:
    """Bring a finding before `revise`; returns the belief and whether it replaces an older reading."""
    candidate = Candidate(
        kind=finding.kind, text=finding.text, provenance="import", scope=scope, at=finding.at or now,
        context=finding.context, triggers=finding.triggers, proposal=True,
        supersedes=(old.belief,) if old is not None else (),
    )  # fmt: skip
    match revise(db, candidate, now):
        case Added(id) | Reinforced(id) | Superseded(id):
            _seen(db, id, finding, now)
            return id, old is not None
    return -1, False


def _seen(db: Database, belief: int, finding: Finding, now: float) -> None:
    """Tie a belief to the place that says it, with the words there when they are not its own."""
    same = beliefs.get(db, belief).text == finding.text
    beliefs.witness(db, belief, SEEN, 0.0, now, detail=finding.group if same else f"{finding.group}\t{finding.text}")


def _words(text: str) -> str:
    """A statement whatever its first letter's case and its full stop."""
    return text[:1].lower() + text[1:].rstrip(".")


def _take_back(db: Database, before: dict[str, list[Proposed]], claimed: set[int], now: float) -> int:
    """Proposals that the tree no longer says; what the user accepted stays the user's."""
    places = [olds for group, olds in before.items() if group.partition(":")[0] not in LASTING]
    over = {old.belief: old for olds in places for old in olds if old.state == "proposed"}
    gone = [old for id, old in over.items() if id not in claimed and not _replaced(db, id)]
    for old in gone:
        retract(db, old.belief, now, "import")
    return len(gone)


def _replaced(db: Database, belief: int) -> bool:
    return beliefs.get(db, belief).state != "proposed"
