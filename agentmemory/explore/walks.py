"""The walks that wonder takes: each looks at the neighbourhood for one kind of thing and knows none of the others."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from agentmemory.explore.graph import Scene, bridges, communities
from agentmemory.explore.lines import LONGEST, Line, line_of, short, told
from agentmemory.paths import date
from agentmemory.recall.render import BINDING
from agentmemory.records import Row
from agentmemory.store import graph as read
from agentmemory.text import stems, words

if TYPE_CHECKING:
    from agentmemory.store.rows import Database

PER_WALK = 40  # lines one walk brings at most
STANDING = 24  # rules that stand whatever the topic is
UNSURE = 0.6  # confidence below which what stands is an open question
ASKED = 3  # unanswered questions shown
GUESSES = 4
FARAWAY = 0.01  # weight of what no walk came to
LEAST = 0.06  # salience below which a belief is only somewhere near,
LIKELY = 0.02  # unless it is as likely as that to be needed
REASON = re.compile(
    r"\b(?:because|since|so that|due to|in order to|otherwise|as (?:it|they|we|the)|reason)\b", re.IGNORECASE
)

Go = Callable[["Database", Scene, Sequence[int]], list[Line]]


@dataclass(frozen=True, slots=True)
class Walk:
    """A walk: its name, the title of what it brings, and the way it goes."""

    name: str
    title: str
    go: Go


def shown(scene: Scene, row: Row, note: str = "") -> Line:
    """A belief of the neighbourhood as a line that weighs what it matters here; what was said again of its matter, on a
    later day, stands on the line too, because it may have changed it."""
    line = line_of(row, scene.now, note, scene.heads.get(row.id), scene.weight(row))
    after = scene.after.get(row.id)
    if after is None:
        return line
    text = f"{told(row, LONGEST // 2)}; later, {date(after.valid_from)}: {told(after, LONGEST // 2)}"
    return replace(line, text=text, ids=(row.id, after.id))


def missing(db: Database, scene: Scene, scopes: Sequence[int]) -> list[Line]:
    """What is not settled: proposals, weak evidence, decisions without a reason, questions, unknown words."""
    out = [shown(scene, row, "waits for consent") for row in _near(scene, lambda r: r.state == "proposed")[:ASKED]]
    near = _near(scene, lambda r: r.state == "active" and r.id in scene.start.worth)[:PER_WALK]
    weak = [shown(scene, row, "weak evidence") for row in near if not row.locked]
    out += [line for line in weak if line.confidence < UNSURE][:ASKED]
    unexplained = [r for r in near if r.kind == "decision" and not REASON.search(r.text) and not _reasons(scene, r.id)]
    out += [shown(scene, row, "no reason is known") for row in unexplained[:ASKED]]
    rare = sorted(scene.start.bits, key=lambda s: -scene.start.bits[s])[:2]
    for turn, text, at in read.asked(db, rare, scopes, ASKED):
        out.append(
            Line(f"Asked {date(at)}, no belief came of it: {short(text, 160)}", (), state="open", note=f"turn {turn}")
        )
    if scene.start.unknown:
        spelled = {stem: word for word in reversed(words(scene.start.query.text)) for stem in stems(word)}
        missed = ", ".join(dict.fromkeys(spelled.get(stem, stem) for stem in scene.start.unknown[:8]))
        out.append(Line(f"No belief holds the words {missed}", (), state="open"))
    return out


def contradiction(db: Database, scene: Scene, scopes: Sequence[int]) -> list[Line]:
    """Pairs of which both stand and only one can."""
    out = []
    for type, src, dst, *_ in scene.edges:
        a, b = scene.rows[src], scene.rows[dst]
        if type == "contradicts" and a.state == b.state == "active":
            out += [shown(scene, a, f"against #{dst}"), shown(scene, b, f"against #{src}")]
    return out[:PER_WALK]


def binding(db: Database, scene: Scene, scopes: Sequence[int]) -> list[Line]:
    """Rules, preferences and corrections that whoever acts here must keep, nearest first; then what always stands."""
    near = _near(scene, lambda r: r.state == "active" and r.kind in BINDING)
    standing = read.rows(db, read.binding(db, scopes, STANDING))
    known = {row.id for row in near}
    rest = sorted((r for r in standing.values() if r.id not in known), key=lambda r: (-r.locked, -r.confirmed, r.id))
    lines = [shown(scene, row, "locked" if row.locked else "") for row in near[:PER_WALK]]
    return lines + [shown(scene, row, "stands in general") for row in rest]


def procedures(db: Database, scene: Scene, scopes: Sequence[int]) -> list[Line]:
    """How it is done: procedures near the topic, each with its steps in order."""
    after = {src: dst for type, src, dst, *_ in scene.edges if type == "next"}
    before = {dst: src for src, dst in after.items()}
    out: dict[int, Line] = {}
    for row in _near(scene, lambda r: r.state == "active" and r.kind == "procedure"):
        step, seen = row.id, {row.id}
        while step in before and before[step] not in seen:
            step = before[step]
            seen.add(step)
        number = 1
        while True:
            note = f"step {number}" if step in after or step in before else ""
            out.setdefault(step, shown(scene, scene.rows[step], note))
            if step not in after or after[step] in out:
                break
            step, number = after[step], number + 1
    return list(out.values())[:PER_WALK]


def decisions(db: Database, scene: Scene, scopes: Sequence[int]) -> list[Line]:
    """What was decided, each followed by what hangs on it."""
    out: dict[int, Line] = {}
    for row in _near(scene, lambda r: r.state == "active" and r.kind == "decision"):
        out.setdefault(row.id, shown(scene, row))
        for other, type in _consequences(scene, row.id)[:2]:
            out.setdefault(other, shown(scene, scene.rows[other], f"{type} #{row.id}"))
    return list(out.values())[:PER_WALK]


def things(db: Database, scene: Scene, scopes: Sequence[int]) -> list[Line]:
    """What stands now, by the entities it mentions, nearest first."""
    return [shown(scene, row) for row in _near(scene, lambda r: r.state == "active")[:PER_WALK]]


def time(db: Database, scene: Scene, scopes: Sequence[int]) -> list[Line]:
    """How it came to be: what was true before, whole chains oldest first, the nearest chain first."""
    out: dict[int, Line] = {}
    for row in _near(scene, lambda r: r.state == "superseded"):
        head = scene.heads.get(row.id)
        for id in [*scene.chain(row.id), row.id] if head is None else scene.chain(head):  # none: it was forgotten
            out.setdefault(id, shown(scene, scene.rows[id]))
    return list(out.values())[:PER_WALK]


def themes(db: Database, scene: Scene, scopes: Sequence[int]) -> list[Line]:
    """What hangs together, and the thin places between: a theme's three hottest beliefs, then the bridges."""
    groups = communities(scene)
    out = []
    for group in groups[:4]:
        top = scene.ranked(id for id in group if scene.rows[id].state == "active")[:3]
        shared = [scene.names[e][0] for e in _shared(scene, group)][:3]
        if len(top) > 1 and shared:
            out.append(Line(f"Theme {', '.join(shared)}: {', '.join(f'#{id}' for id in top)}", tuple(top)))
    out += [Line(f"Bridge: #{a} and #{b} ({why})", (a, b)) for a, b, why in bridges(scene, groups)]
    return out


def elsewhere(db: Database, scene: Scene, scopes: Sequence[int]) -> list[Line]:
    """What the project last confirmed and no other walk came to, for those with room to read on; nothing beside a topic
    that nobody spoke of."""
    if scene.start.strange:
        return []
    rows = read.rows(db, read.recent(db, scopes[:1], PER_WALK))
    far = [row for row in rows.values() if row.id not in scene.rows or not _matters(scene, row)]
    newest = sorted(far, key=lambda row: (-row.confirmed, -row.id))
    return [line_of(row, scene.now, weight=FARAWAY) for row in newest]


def guesses(db: Database, scene: Scene, scopes: Sequence[int]) -> list[Line]:
    """Links that were guessed and not yet confirmed; they expire."""
    ranked = sorted(scene.guesses, key=lambda g: (-g[2], g[0], g[1]))
    return [Line(f"#{a} may bear on #{b}: {why}", (a, b), state="speculation") for a, b, _, why in ranked[:GUESSES]]


WALKS = (
    Walk("open", "OPEN QUESTIONS", missing),
    Walk("contradictions", "CONTRADICTIONS", contradiction),
    Walk("binding", "WHAT BINDS", binding),
    Walk("procedures", "HOW IT IS DONE", procedures),
    Walk("decisions", "DECISIONS AND WHAT HANGS ON THEM", decisions),
    Walk("things", "WHAT STANDS NOW", things),
    Walk("time", "HOW IT CAME TO BE", time),
    Walk("themes", "THEMES AND BRIDGES", themes),
    Walk("elsewhere", "ELSEWHERE IN THIS PROJECT", elsewhere),
    Walk("guesses", "GUESSES (links, not facts)", guesses),
)


def _near(scene: Scene, wanted: Callable[[Row], bool]) -> list[Row]:
    """Beliefs that matter here, what is likeliest needed first."""
    rows = [row for row in scene.rows.values() if wanted(row) and _matters(scene, row)]
    return sorted(rows, key=lambda row: (-scene.weight(row), -row.valid_from, row.id))


def _matters(scene: Scene, row: Row) -> bool:
    return scene.salience(row) >= LEAST or scene.start.needed.get(row.id, 0.0) >= LIKELY


def _reasons(scene: Scene, id: int) -> bool:
    return any(type == "supports" and id in (src, dst) for type, src, dst, *_ in scene.edges)


def _consequences(scene: Scene, id: int) -> list[tuple[int, str]]:
    """Active beliefs one edge away that bind or instruct."""
    out = []
    for type, src, dst, *_ in scene.edges:
        other = dst if src == id else src if dst == id else None
        if other is not None and type != "supersedes" and scene.rows[other].state == "active":
            out.append((other, {"supports": "supports", "contradicts": "against"}.get(type, "with")))
    return out


def _shared(scene: Scene, group: Iterable[int]) -> list[int]:
    """Entities that at least two beliefs of a group mention, most mentioned first."""
    counts: dict[int, int] = {}
    for id in group:
        for entity in scene.mentions(id):
            counts[entity] = counts.get(entity, 0) + 1
    return sorted((e for e, n in counts.items() if n > 1), key=lambda e: (-counts[e], e))
