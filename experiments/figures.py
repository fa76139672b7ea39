"""The tables of figures, made from the receipts in experiments/results: all of them, and the README's few.

python experiments/figures.py            # writes the tables into docs/figures.md and README.md
python experiments/figures.py --check    # exit status 1 when one of them says something else
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from experiments import receipts  # noqa: E402

RESULTS = ROOT / "experiments" / "results"
BEGIN, END = "<!-- figures -->", "<!-- /figures -->"

Row = tuple[str, str, Callable[[dict[str, Any]], str], str]

#: by what they are about: what, receipt, how to say it, the command that prints it
ROWS: dict[str, tuple[Row, ...]] = {
    "What stands in front of the agent": (
        (
            "CodeRecall, two worlds",
            "coderecall.json",
            lambda r: (
                f"sound {r['sound']}, current {r['current']}, silence {r['silence']}, {r['tokens']} tokens (median)"
            ),
            "python experiments/coderecall.py",
        ),
        (
            "the same two, verbatim turns with FTS5 in the same budget",
            "coderecall_floor.json",
            lambda r: f"sound {r['sound']}, current {r['current']}, silence {r['silence']}",
            "python experiments/coderecall.py --system fts5",
        ),
        (
            "sixteen more such worlds (blind)",
            "coderecall_aside.json",
            lambda r: (
                f"sound {r['sound']}, current {r['current']}, silence {r['silence']}, {r['tokens']} tokens (median)"
            ),
            "python experiments/coderecall.py --name coderecall_aside experiments/worlds_aside/*.json",
        ),
        (
            "these sixteen, told in other ways: how it is typed, pasted, answered, asked",
            "varied.json",
            receipts.varied,
            "python experiments/varied.py --save",
        ),
        (
            "years of four invented projects with an agent (blind)",
            "years.json",
            receipts.lived,
            "python experiments/years.py --save",
        ),
        (
            "first weeks of fourteen, in which much is put right in a word (blind)",
            "weeks.json",
            receipts.lived,
            "python experiments/years.py --weeks --save",
        ),
        (
            "sittings of six, in which what was settled is put right at once (blind)",
            "sittings.json",
            receipts.lived,
            "python experiments/years.py --sittings --save",
        ),
        (
            "talk of sixteen kinds of developers in one store, three of four changes of a part only (blind)",
            "dialogues_aside.json",
            receipts.conversed,
            "python experiments/dialogues.py --save dialogues_aside experiments/dialogues_aside/*.jsonl",
        ),
        (
            "what agents note with `remember`, where nobody says which note changes which (blind)",
            "noted_aside.json",
            receipts.noted,
            "python experiments/noted.py --save noted_aside experiments/noted_aside/*.jsonl",
        ),
        (
            "284 real coding sessions, in no fit; what is worth keeping was marked message by message",
            "workdays.json",
            lambda r: receipts.worked(r["sessions"]),
            "python experiments/workdays.py --save",
        ),
        (
            "five invented days of work, the same way",
            "workdays.json",
            lambda r: receipts.worked(r["days"]),
            "python experiments/workdays.py --save",
        ),
        (
            "132 histories in which what was told weeks ago changes (blind)",
            "changes.json",
            receipts.changed,
            "python experiments/changes.py --save",
        ),
        (
            "a sentence encoder (an extra) where a process has it in memory, on worlds and lives that no fit has seen:"
            " sound of the block; recall of ten beliefs",
            "embedding.json",
            receipts.by_meaning,
            "python experiments/embedding.py",
        ),
        (
            "before and after sleep: recall (LoCoMo: R@10), tokens for each answered probe",
            "sleep_pays.json",
            receipts.slept,
            "python experiments/sleep_pays.py",
        ),
    ),
    "What is found when it is asked for": (
        (
            "turns found for a question: R@10 / recall in 1,000 tokens",
            "retrieval.json",
            lambda r: "; ".join(
                f"{name} {r[key]['recall@10']:.3f} / {r[key]['recall@1000tok']:.3f}"
                for name, key in (("LoCoMo", "locomo"), ("LongMemEval", "longmemeval"), ("coding sessions", "code"))
            ),
            "python experiments/retrieval.py",
        ),
        (
            "the same, verbatim turns with FTS5",
            "retrieval_floor.json",
            lambda r: "; ".join(
                f"{r[key]['recall@10']:.3f} / {r[key]['recall@1000tok']:.3f}"
                for key in ("locomo", "longmemeval", "code")
            ),
            "python experiments/retrieval.py --floor",
        ),
        (
            "25 turns, facts of turns 1 to 5 asked in turns 16 to 25: answered by quoting what memory brings",
            "eval_talk.json",
            lambda r: "; ".join(f"{way} {r['ways'][way]['answered']:.2f}" for way in ("memory", "recent only", "off")),
            "agentmemory eval talk --shuffles 20",
        ),
        (
            "wonder and reason on sixteen worlds that no fit has seen: all needed cited, nothing stale as current",
            "graph_worlds_aside.json",
            receipts.cited,
            "python experiments/graph_worlds.py experiments/worlds_aside/*.json",
        ),
    ),
    "What it costs": (
        (
            "what the prompt hook costs, whole process, against a bare interpreter in the same run",
            "hook_bench.json",
            receipts.hook_ratios,
            "python experiments/hook_bench.py",
        ),
        (
            "tokens of the provider's prompt cache that injection loses, 50 prompts of the real Claude Code",
            "prompt_cache.json",
            lambda r: f"{r['lost_tokens'] - r['lost_without_memory']} of {r['sent_tokens']:,} sent",
            "python experiments/prompt_cache.py",
        ),
        (
            "a 500 MB transcript is learned",
            "learn_rate.json",
            receipts.learned,
            "python experiments/learn_rate.py",
        ),
        (
            "a night after a day of 2,000 turns, CPU time and memory, by size of the store",
            "sleep_scale.json",
            receipts.nights,
            "python experiments/sleep_scale.py",
        ),
        (
            "the page with 20,000 beliefs and 40,000 lines in chromium without a GPU",
            "page_bench.json",
            receipts.moved,
            "python experiments/page_bench.py",
        ),
        (
            "MCP tools in the client's first request, five sessions",
            "client_start.json",
            receipts.started,
            "python experiments/client_start.py",
        ),
    ),
    "What holds": (
        (
            "32 processes teach, inject and lock for 90 s and are stalled at random",
            "torture_stalls.json",
            lambda r: f"{r['acknowledged']:,} acknowledged writes, {r['lost']} lost, integrity {r['integrity']}",
            "python experiments/torture.py stalls",
        ),
        (
            "2,000 writers killed without warning",
            "torture_kills.json",
            lambda r: f"{r['acknowledged']:,} acknowledged writes, {r['lost']} lost, integrity {r['integrity']}",
            "python experiments/torture.py kills",
        ),
        (
            "guards: forbidden commands stopped, ordinary commands stopped",
            "guard.json",
            lambda r: (
                f"{r['held']['recall']:.3f} and {r['last']['recall']:.3f} of held-out variants; "
                f"{r['ordinary']['stopped']} of {r['ordinary']['commands']:,}"
            ),
            "python experiments/guard_corpus.py",
        ),
        (
            "hostile texts by every door: rules, locks or guards made, lines forged, leaks",
            "poisoning.json",
            lambda r: f"{r['failed']} of {r['cases']} cases",
            "python experiments/poisoning.py",
        ),
        (
            "a hostile tree of 100,000 files: time, memory, poisoned lines learned",
            "hostile_tree.json",
            lambda r: f"{r['runs'][0]['seconds']} s, {r['runs'][0]['peak_mb']} MB, {len(r['poisoned'])}",
            "python experiments/hostile_tree.py",
        ),
        (
            "six public source trees onboarded (Python, TypeScript, Go, Rust)",
            "onboard_sdists.json",
            receipts.onboarded,
            "python experiments/onboard_sdists.py TREES",
        ),
    ),
    "Local models": (
        (
            "first token of a local model, warm prefix over cold, CPU time",
            "ttft.json",
            receipts.first_tokens,
            "python experiments/ttft.py",
        ),
        (
            "damaged prefix files and killed writers: wrong outputs",
            "prefix_faults.json",
            receipts.faults,
            "python experiments/prefix_faults.py",
        ),
    ),
}


#: the receipts whose figures the README has
README = (
    "coderecall.json",
    "coderecall_floor.json",
    "coderecall_aside.json",
    "workdays.json",
    "retrieval.json",
    "retrieval_floor.json",
    "hook_bench.json",
    "prompt_cache.json",
    "learn_rate.json",
    "torture_kills.json",
    "guard.json",
    "ttft.json",
)


def table(rows: list[Row]) -> str:
    """The rows as a table in Markdown; a figure without a receipt is not claimed."""
    lines = ["| what | figure | printed by |", "|---|---|---|"]
    for what, receipt, say, command in rows:
        path = RESULTS / receipt
        if path.exists():
            lines.append(f"| {what} | {say(json.loads(path.read_text()))} | `{command}` |")
    return "\n".join(lines)


def all_tables() -> str:
    """Each group of figures under its heading."""
    return "\n\n".join(f"## {about}\n\n{table([*rows])}" for about, rows in ROWS.items())


def few() -> str:
    """The README's table."""
    return table([row for rows in ROWS.values() for row in rows if row[1] in README])


def with_tables(page: str, tables: str) -> str:
    """*page* with the tables between its two marks."""
    head, rest = page.split(BEGIN, 1)
    _, tail = rest.split(END, 1)
    return f"{head}{BEGIN}\n{tables}\n{END}{tail}"


def main() -> int:
    changed = False
    for path, tables in ((ROOT / "README.md", few()), (ROOT / "docs" / "figures.md", all_tables())):
        old = path.read_text()
        new = with_tables(old, tables)
        changed |= new != old
        if "--check" not in sys.argv:
            path.write_text(new)
    return int(changed and "--check" in sys.argv)


if __name__ == "__main__":
    sys.exit(main())
