"""Memory behind the JSON-lines protocol of a retrieval benchmark: one conversation a store, no model.

    {"op":"index","items":[{"id","text","speaker","session","when","order"},...]}  -> {"ok":true}
    {"op":"search","query":"...","k":50,"when":"..."}                               -> {"ids":["D1:3",...]}

Every index message begins a fresh store in a temporary folder. Only the public `Memory` is used; with `--sleep` a
night follows each conversation.
"""

from __future__ import annotations

import json
import os
import sys
import tempfile
from typing import Any

from agentmemory import paths
from agentmemory.eval_locomo import index
from agentmemory.memory import Memory
from agentmemory.sleep.night import sleep


def main() -> None:
    """Answer line by line until standard input ends."""
    os.environ.setdefault("AGENTMEMORY_NOW", "2026-01-01T00:00:00Z")  # the same clock every time, the same answers
    with tempfile.TemporaryDirectory(prefix="agentmemory-retrieval-") as folder:
        memory, ids = Memory(folder, project=""), {}
        for number, line in enumerate(sys.stdin):
            asked = json.loads(line)
            if asked["op"] == "index":
                memory.close()
                memory = Memory(f"{folder}/{number}", project="")
                ids = index(memory, asked["items"])
                if "--sleep" in sys.argv:
                    sleep(memory.db, paths.now())
                answer: dict[str, Any] = {"ok": True}
            else:
                answer = {"ids": search(memory, ids, asked["query"], asked["k"], asked.get("when", ""))}
            print(json.dumps(answer), flush=True)
        memory.close()


def search(memory: Memory, ids: dict[int, str], query: str, k: int, when: str) -> list[str]:
    """Items for a question, best first. A question's own date stands for that whole day."""
    as_of = paths.parse_time(when[:10] + "T23:59:59") if when else None
    found = memory.search(query, k, as_of=as_of)
    return [ids[f.id] for f in found if f.what == "turn"]


if __name__ == "__main__":
    main()
