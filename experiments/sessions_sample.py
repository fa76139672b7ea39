"""What is kept of real transcripts, for a person to judge: is it durable, is it faithful?

    python experiments/sessions_sample.py [--sessions DIR] [--worlds WORLD.json ...] [--size 50]

Learns every transcript of DIR (default: ../shared/sessions) and, as real sessions teach little, fills the sample up
with beliefs of CodeRecall worlds drawn with a fixed seed. A row without a verdict has `durable` and `faithful` null:
a person fills them in, by hand, in experiments/results/sessions_sample.jsonl; verdicts are kept by the belief's text.
"""

from __future__ import annotations

import argparse
import json
import random
import tempfile
from pathlib import Path

from agentmemory import paths
from agentmemory.learn.digest import digest
from agentmemory.store import listing, writer

ROOT = Path(__file__).resolve().parent.parent
SHARED = ROOT.parent / "shared"
RESULT = ROOT / "experiments" / "results" / "sessions_sample.jsonl"


def of_sessions(folder: Path, home: str) -> list[dict[str, object]]:
    """Beliefs kept of real transcripts, with the transcript they came from."""
    db = writer.open_store(home)
    rows: list[dict[str, object]] = []
    for path in sorted(folder.glob("*.jsonl")):
        known = {b["id"] for b in listing.export(db)}
        digest(db, str(path), paths.now())
        fresh = [b for b in listing.export(db) if b["id"] not in known]
        rows += [{"from": path.name, "kind": b["kind"], "state": b["state"], "text": b["text"]} for b in fresh]
    db.close()
    return rows


def of_world(path: Path, home: str, folder: str) -> list[dict[str, object]]:
    """Beliefs kept of a world's sessions, played in the order of time."""
    world = json.loads(path.read_text())
    db = writer.open_store(home)
    for session in sorted(world["sessions"], key=lambda s: str(s["start"])):
        at = paths.parse_time(session["start"])
        transcript = Path(folder) / f"{world['world']}-{session['id']}.jsonl"
        turns = enumerate(session["turns"])
        lines = [
            {**t, "at": at + 60 * i, "session": f"{world['world']}/{session['id']}", "cwd": folder} for i, t in turns
        ]
        transcript.write_text("".join(json.dumps(line) + "\n" for line in lines))
        digest(db, str(transcript), at)
    rows = [
        {"from": world["world"], "kind": b["kind"], "state": b["state"], "text": b["text"]} for b in listing.export(db)
    ]
    db.close()
    return rows


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sessions", type=Path, default=SHARED / "sessions")
    parser.add_argument("--worlds", type=Path, nargs="*", default=sorted((SHARED / "coderecall").glob("world_*.json")))
    parser.add_argument("--size", type=int, default=50)
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        rows = of_sessions(args.sessions, f"{folder}/sessions")
        more = [row for path in args.worlds for row in of_world(path, f"{folder}/{path.stem}", folder)]
    rows += random.Random(11).sample(more, max(0, min(len(more), args.size - len(rows))))
    judged = {}
    if RESULT.exists():
        judged = {row["text"]: row for row in map(json.loads, RESULT.read_text().splitlines())}
    for row in rows:
        before = judged.get(row["text"], {})
        row |= {name: before.get(name) for name in ("durable", "faithful")}
    RESULT.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows))
    real = [row for row in rows if str(row["from"]).endswith(".jsonl")]
    for name, of in (("real transcripts", real), ("all", rows)):
        done = [row for row in of if row["durable"] is not None]
        good = sum(bool(row["durable"] and row["faithful"]) for row in done)
        print(f"{name}: {len(of)} beliefs, {len(done)} judged, {good} durable and faithful")


if __name__ == "__main__":
    main()
