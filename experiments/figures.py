"""The README's table of figures, made from the receipts in experiments/results.

python experiments/figures.py            # writes the table into README.md
python experiments/figures.py --check    # exit status 1 when README.md says something else
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
RESULTS = ROOT / "experiments" / "results"
BEGIN, END = "<!-- figures -->", "<!-- /figures -->"

Row = tuple[str, str, Callable[[dict[str, Any]], str], str]

#: what, receipt, how to say it, the command that prints it
ROWS: tuple[Row, ...] = (
    (
        "CodeRecall, two worlds: all needed facts in the block and nothing stale as current",
        "coderecall.json",
        lambda r: f"sound {r['sound']}, current {r['current']}, silence {r['silence']}, {r['tokens']} tokens (median)",
        "python experiments/coderecall.py WORLD.json ...",
    ),
    (
        "the same, verbatim turns with FTS5 in the same budget",
        "coderecall_floor.json",
        lambda r: f"sound {r['sound']}, current {r['current']}, silence {r['silence']}",
        "python experiments/coderecall.py --system fts5 WORLD.json ...",
    ),
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
)


def table() -> str:
    """The table in Markdown; a figure without a receipt is not claimed."""
    lines = ["| what | figure | printed by |", "|---|---|---|"]
    for what, receipt, say, command in ROWS:
        path = RESULTS / receipt
        if path.exists():
            lines.append(f"| {what} | {say(json.loads(path.read_text()))} | `{command}` |")
    return "\n".join(lines)


def with_table(readme: str) -> str:
    """*readme* with the table between its two marks."""
    head, rest = readme.split(BEGIN, 1)
    _, tail = rest.split(END, 1)
    return f"{head}{BEGIN}\n{table()}\n{END}{tail}"


def main() -> int:
    path = ROOT / "README.md"
    old = path.read_text()
    new = with_table(old)
    if "--check" in sys.argv:
        return 0 if new == old else 1
    path.write_text(new)
    return 0


if __name__ == "__main__":
    sys.exit(main())
