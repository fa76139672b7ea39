"""Commands that show or move all that is held: list, export, import."""

from __future__ import annotations

import argparse
import json
from typing import TYPE_CHECKING, Any

from agentmemory import paths, verbs
from agentmemory.cli_memory import here
from agentmemory.store import lineage
from agentmemory.terminal import EMPTY, Commands, natural, table, with_json

if TYPE_CHECKING:
    from agentmemory.memory import Memory

LISTED = 30  # beliefs that are listed, unless more are asked for
STANDS = ("active", "heard")


def register(commands: Commands) -> None:
    """Add this area's commands to the parser."""
    every = commands.add_parser("list", help="what is remembered here, locked rules first, then what was said last")
    every.add_argument("--limit", type=natural, default=LISTED)
    with_json(every, _list)

    export = commands.add_parser("export", help="every belief of this project and your own, to standard output")
    export.add_argument("--format", choices=("jsonl", "markdown"), default="jsonl")
    export.set_defaults(run=_export)

    bring = commands.add_parser("import", help="beliefs of an export, as proposals")
    bring.add_argument("file")
    bring.set_defaults(run=_import)


def _list(args: argparse.Namespace) -> int:
    with here() as memory:
        rows = [row for row in memory.export() if row["state"] in STANDS and row["kind"] != "summary"]
        heard = _heard(memory, rows)
    rows.sort(key=lambda row: (row["locked"], heard[row["id"]], row["id"]), reverse=True)
    first = rows[: args.limit]
    if args.json:
        print(json.dumps(first, ensure_ascii=False))
        return 0
    listed = [(row["id"], _kind(row), row["text"], paths.date(heard[row["id"]])) for row in first]
    table(("id", "kind", "text", "last said"), listed, EMPTY)
    if len(rows) > len(first):
        print(f"{len(rows) - len(first)} more: --limit {len(rows)} shows them all, `search WORDS` finds some.")
    return 0


def _heard(memory: Memory, rows: list[dict[str, Any]]) -> dict[int, float]:
    """When each was said last, which is not when it was learned or judged; what no user said, since when it is so."""
    since = {row["id"]: paths.parse_time(row["valid_from"]) for row in rows}
    return since | lineage.last_said(memory.db, list(since))


def _kind(row: dict[str, object]) -> str:
    """What a belief is, and what sets it apart: locked, of all projects, heard only once."""
    apart = ["locked"] * bool(row["locked"])
    apart += ["everywhere"] * (row["scope"] == "user") + ["heard once"] * (row["state"] == "heard")
    return ", ".join([str(row["kind"]), *apart])


def _export(args: argparse.Namespace) -> int:
    with here() as memory:
        if args.format == "jsonl":
            for row in memory.export():
                print(json.dumps(row, ensure_ascii=False))
            return 0
        last = ""
        for row in sorted(memory.export(), key=lambda r: (r["kind"], r["id"])):
            if row["kind"] != last:
                print(f"\n## {row['kind']}\n")
                last = row["kind"]
            state = ", ".join(["locked"] * row["locked"] + [row["state"]] * (row["state"] != "active"))
            said = f"{row['text']} ({state})" if state else row["text"]
            print(f"- {said} [{row['id']}, {paths.date(paths.parse_time(row['valid_from']))}]")
    return 0


def _import(args: argparse.Namespace) -> int:
    with here() as memory:
        print(verbs.imported(memory.import_file(args.file)))
    return 0
