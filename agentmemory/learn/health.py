"""What a person should look at: contradictions, mistakes that come back, proposals, what guards did."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from agentmemory.learn import anchors, outcomes
from agentmemory.store import beliefs, conflicts, guards, review
from agentmemory.store import outcomes as rows
from agentmemory.values import counted

if TYPE_CHECKING:
    from agentmemory.store.rows import Database


def report(db: Database, scopes: tuple[int, ...]) -> dict[str, Any]:
    """Plain values: contradictions, recurring, learned (statements that wait for a look), proposed, moved (code that
    beliefs name), guards, outcomes."""
    marked = conflicts.marked(db, scopes)
    return {
        "contradictions": [
            {"newer": _said(db, newer), "older": _said(db, older), "why": why} for newer, older, why in marked
        ],
        "recurring": [
            {**_said(db, belief), "times": times, "guards": [g.id for g in guards.listed(db, belief)]}
            for belief, times in rows.recurring(db, scopes, outcomes.ESCALATE)
        ],
        "learned": review.count(db, scopes),
        "proposed": [_said(db, belief) for belief in rows.proposed(db, scopes)],
        "moved": [{**each, **_said(db, each["id"])} for scope in scopes for each in anchors.moved(db, scope)],
        "guards": guards.counts(db),
        "outcomes": rows.shares(db),
    }


def told(report: dict[str, Any]) -> str:
    """The report in sentences."""
    lines = [f"contradictions: {len(report['contradictions'])}"]
    for each in report["contradictions"]:
        newer, older = each["newer"], each["older"]
        lines.append(f"  {newer['id']}: {newer['text']}\n  {older['id']}: {older['text']}\n    {each['why']}")
        lines.append(f"    keep one: `agentmemory forget {older['id']}` or `agentmemory forget {newer['id']}`")
    lines.append(f"mistakes that came back: {len(report['recurring'])}")
    for each in report["recurring"]:
        way = f"guards {each['guards']}" if each["guards"] else f"`agentmemory guard add {each['id']}` enforces it"
        lines.append(f"  {each['id']}: {each['text']} ({counted(each['times'], 'time')}; {way})")
    lines.append(f"proposals that wait for your word: {len(report['proposed'])}")
    lines.extend(f"  {each['id']}: {each['text']}" for each in report["proposed"])
    lines.append(f"learned of your talk and not seen by you: {report['learned']} (`agentmemory review`)")
    lines.append(f"code that moved on since it was spoken of: {len(report['moved'])}")
    lines.extend(f"  {each['id']}: {each['name']} {each['became']}: {each['text']}" for each in report["moved"])
    spoken = ", ".join(f"{what.removeprefix('guard ')} {n}" for what, n in sorted(report["guards"].items()))
    lines.append(f"guards: {spoken or 'silent so far'}")
    shares = report["outcomes"]
    judged = sum(n for what, n in shares.items() if what not in ("open", "unused"))
    heeded = f", heeded {shares.get('heeded', 0) / judged:.0%}" if judged else ""
    lines.append(f"injections judged: {judged}{heeded}")
    return "\n".join(lines)


def _said(db: Database, belief: int) -> dict[str, Any]:
    row = beliefs.get(db, belief)
    return {"id": row.id, "kind": row.kind, "text": row.text}
