"""How far a prefix kept in 8 or 4 bits moves the next token's log-probabilities, and what it saves, by family.

    python experiments/kv_kinds.py

Random weights, float32, heads of 64. Writes experiments/results/kv_kinds.json: mean and largest difference over the
vocabulary at three places, whether the likeliest token stays, bytes on disk against native.
"""

from __future__ import annotations

import json
import os
import sys
import tempfile
from dataclasses import replace
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))
os.environ["MLX_DISABLE_COMPILE"] = "1"

PROMPTS = 5


def main() -> None:
    """Run every family and kind and write the receipt."""
    from agentmemory.model.mlx_engine import MlxEngine
    from tests.model import tiny
    from tests.model.conftest import SETTINGS, chat, distribution

    rows = []
    with tempfile.TemporaryDirectory() as folder:
        for family in tiny.FAMILIES:
            model = tiny.make(Path(folder) / family / "model", family)
            exact, sizes = [], {}
            for kind in ("native", "q8", "q4"):
                near, size = [], 0
                for i in range(PROMPTS):
                    home = Path(folder) / family / f"{kind}{i}"
                    for _ in range(2):  # computed and kept, then restored in a new engine
                        engine = MlxEngine(model, str(home), replace(SETTINGS, kv=kind))
                        found, _ = distribution(engine, chat(profile=i, digest=i, query=i))
                        engine.close()
                    near.append(found)
                    size += sum(p.stat().st_size for p in home.rglob("*.safetensors"))
                sizes[kind] = size
                exact = exact or near
                rows.append(row(family, kind, exact, near, sizes, tiny.VOCAB))
                print(json.dumps(rows[-1]), flush=True)
    receipt = {"command": "python experiments/kv_kinds.py", "prompts": PROMPTS, "rows": rows}
    (ROOT / "experiments/results/kv_kinds.json").write_text(json.dumps(receipt, indent=1) + "\n")


def row(
    family: str, kind: str, exact: list[list[float]], near: list[list[float]], sizes: dict[str, int], vocabulary: int
) -> dict[str, object]:
    """One line of the table. Differences are in nats."""
    gaps = [abs(a - b) for e, n in zip(exact, near, strict=True) for a, b in zip(e, n, strict=True)]
    same = places = 0
    for e, n in zip(exact, near, strict=True):
        for at in range(0, len(e), vocabulary):
            one, other = e[at : at + vocabulary], n[at : at + vocabulary]
            same += one.index(max(one)) == other.index(max(other))
            places += 1
    return {
        "family": family, "kind": kind, "mean": round(sum(gaps) / len(gaps), 5), "largest": round(max(gaps), 4),
        "same_first": f"{same}/{places}", "size_of_native": round(sizes[kind] / sizes["native"], 3),
    }  # fmt: skip


if __name__ == "__main__":
    main()
