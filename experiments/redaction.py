"""Recall and false alarms of redaction; writes experiments/results/redaction.json.

    python experiments/redaction.py [FOLDER ...]     folders of ordinary text (default: the standard library)

Positive: the token formats of tests/learn/test_redact.py, each written in every way that code and configuration do.
Negative: every line of ordinary source text; a line that changes counts, whatever it holds.
"""

from __future__ import annotations

import json
import random
import sys
import sysconfig
import time
from pathlib import Path

from agentmemory.learn.redact import redact, secrets

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))
SEED, EACH = 5, 20
ENDINGS = {".py", ".md", ".txt", ".rst", ".toml", ".json", ".cfg", ".js", ".ts", ".yaml", ".yml"}
LARGEST = 200_000  # bytes of a file that is read


def positive() -> dict[str, float]:
    from tests.learn.test_redact import BESIDE_A_NAME, SELF_NAMING, written

    rng = random.Random(SEED)
    samples = [
        (secret, text)
        for name, make in (SELF_NAMING | BESIDE_A_NAME).items()
        for secret in (make(rng) for _ in range(EACH))
        for text in written(name.replace("-", "_"), secret)
    ]
    kept = sum(secret in redact(text) for secret, text in samples)
    return {"samples": len(samples), "recall": round(1 - kept / len(samples), 4)}


def negative(folders: list[Path]) -> dict[str, float]:
    lines = hits = size = 0
    spent = 0.0
    for path in sorted(p for folder in folders for p in folder.rglob("*")):
        if path.suffix not in ENDINGS or not path.is_file() or path.stat().st_size > LARGEST:
            continue
        text = path.read_text("utf-8", "replace")
        before = time.process_time()
        found = secrets(text)
        spent += time.process_time() - before
        lines, hits, size = lines + text.count("\n"), hits + len(found), size + len(text)
    return {"lines": lines, "hits": hits, "share": round(hits / lines, 7), "mb_per_s": round(size / spent / 1e6, 1)}


if __name__ == "__main__":
    folders = [Path(name) for name in sys.argv[1:]] or [Path(sysconfig.get_paths()["stdlib"])]
    result = {"positive": positive(), "negative": negative(folders)}
    (ROOT / "experiments/results/redaction.json").write_text(json.dumps(result, indent=1) + "\n")
    print(json.dumps(result, indent=1))
