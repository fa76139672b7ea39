"""Recall, false stops and cost of the guard on the corpus in tests/data; writes experiments/results/guard.json.

python experiments/guard_corpus.py
"""

from __future__ import annotations

import json
import re
import resource
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from agentmemory import guard
from agentmemory.learn.guards import compile, guard_of

ROOT = Path(__file__).resolve().parent.parent
Guarded = tuple[dict[str, Any], list[guard.Guard]]  # a rule and its guards
RUNS = 30  # processes of each kind; the median is reported


def rows(name: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (ROOT / f"tests/data/guard_{name}.jsonl").read_text("utf-8").splitlines()]


def event(row: dict[str, Any]) -> dict[str, Any]:
    given = row.get("input") or {"command": row["command"]}
    return {"tool_name": row.get("tool", "Bash"), "tool_input": given, "cwd": "/home/u/app"}


def stops(row: dict[str, Any], guards: list[guard.Guard]) -> bool:
    """Whether guards stop a command of the corpus."""
    verdict = guard.check(event(row), guards)
    return verdict is not None and verdict.mode != "inform"


def corpus() -> dict[str, Any]:
    guards = {rule["id"]: [guard_of(p) for p in compile(rule["rule"])] for rule in rows("rules")}

    def stopped(row: dict[str, Any]) -> bool:
        return stops(row, guards[row["rule"]])

    out: dict[str, Any] = {"rules": len(guards)}
    for split in ("tune", "held", "later", "last", "voices", "aside", "fresh"):
        forbidden = [row for row in rows("forbidden") if row["split"] == split]
        allowed = [row for row in rows("allowed") if row["split"] == split]
        out[split] = {
            "forbidden": len(forbidden),
            "recall": round(sum(map(stopped, forbidden)) / len(forbidden), 4),
            "similar": sum(row["why"] == "similar" for row in allowed),
            "similar_stopped": sum(row["why"] == "similar" and stopped(row) for row in allowed),
            "prescribed": sum(row["why"] == "prescribed" for row in allowed),
            "prescribed_stopped": sum(row["why"] == "prescribed" and stopped(row) for row in allowed),
        }
    first = [rule["id"] for rule in rows("rules") if rule["split"] in ("tune", "held")]
    everything = [one for rule in first for one in guards[rule]]
    ordinary = rows("ordinary")
    false = [row["command"] for row in ordinary if guard.check(event(row), everything)]
    out["ordinary"] = {"commands": len(ordinary), "stopped": len(false), "share": round(len(false) / len(ordinary), 5)}
    out["odd"] = odd(ordinary)
    return out


def odd(ordinary: list[dict[str, Any]]) -> dict[str, int]:
    """Oddly worded rules, each alone against every ordinary command: stops that the rule means, and others."""
    rules = oddly_worded()
    stopped = [meant for _, _, meant in oddly_stopped(ordinary, rules)]
    compiled = sum(bool(guards) for _, guards in rules)
    return {"rules": len(rules), "compiled": compiled, "meant": sum(stopped), "false": len(stopped) - sum(stopped)}


def oddly_worded() -> list[Guarded]:
    """Each oddly worded rule with its guards."""
    return [(rule, [guard_of(proposal) for proposal in compile(rule["rule"])]) for rule in rows("odd")]


def oddly_stopped(ordinary: list[dict[str, Any]], rules: list[Guarded]) -> Iterator[tuple[str, str, bool]]:
    """Each rule with each command that its guards alone stop, and whether it means that; all guards together are asked
    first, which stop few of such commands."""
    every = [one for _, guards in rules for one in guards]
    for row in ordinary:
        for rule, guards in rules if stops(row, every) else ():
            if stops(row, guards):
                meant = bool(rule["means"]) and re.search(rule["means"], row["command"]) is not None
                yield rule["rule"], row["command"], meant


def cost() -> dict[str, float]:
    """Processor milliseconds of a whole hook process against a bare interpreter."""
    with tempfile.TemporaryDirectory() as home:
        env = {"AGENTMEMORY_HOME": home, "PATH": "/usr/bin:/bin"}
        add = [sys.executable, "-m", "agentmemory", "guard", "add", "--yes", "--everywhere"]
        for rule in rows("rules")[:5]:
            subprocess.run([*add, rule["rule"]], env=env, cwd=ROOT, check=True, capture_output=True)
        said = json.dumps({**event({"command": "cd web && git push github main"}), "session_id": "s"}).encode()
        bare = _median([sys.executable, "-c", "pass"], env, said)
        hook = _median([sys.executable, "-m", "agentmemory", "hook", "pre-tool"], env, said)
    return {"bare_ms": bare, "hook_ms": hook, "times": round(hook / bare, 2)}


def _median(command: list[str], env: dict[str, str], said: bytes) -> float:
    spent = []
    for _ in range(RUNS):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run(command, env=env, cwd=ROOT, input=said, check=True, capture_output=True)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        spent.append(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
    return round(sorted(spent)[RUNS // 2] * 1000, 1)


if __name__ == "__main__":
    result = {**corpus(), "hook": cost()}
    (ROOT / "experiments/results/guard.json").write_text(json.dumps(result, indent=1) + "\n")
    print(json.dumps(result, indent=1))
