"""Time to first token, warm over cold, in CPU time, on a 135M-parameter shape; and the limit that memory sets.

    python experiments/ttft.py [--blas /usr/lib/.../libopenblas.so.0] [--lengths 512,2048,4096]

Every length is measured in two processes with a restart between them: the first computes the prompt and keeps it,
the second restores it from disk. CPU time of all threads from the request to the first piece of text, for the same
prompt again and for five new endings of 16 tokens; warm figures are the least of several, cold is one. Limits are
taken in the second process: file bytes over the rate of reading them, plus bytes of weights and of keys and values
over the rate at which this library multiplies a matrix as large as the weights by a vector, and over the rate of a
plain sum of them. Writes experiments/results/ttft.json.
"""

from __future__ import annotations

import argparse
import ctypes
import json
import os
import platform
import random
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))
os.environ["MLX_DISABLE_COMPILE"] = "1"

#: SmolLM-135M's shape
SHAPE = {
    "hidden_size": 576, "num_hidden_layers": 30, "intermediate_size": 1536, "num_attention_heads": 9,
    "num_key_value_heads": 3, "head_dim": 64, "vocab_size": 49152, "max_position_embeddings": 8192,
}  # fmt: skip
TAIL = 16
TARGETS = {512: 9, 2048: 30, 4096: 55}
KV_BYTES = 30 * 2 * 3 * 64 * 4  # a token's keys and values in float32


def main() -> None:
    """Run all lengths and write the receipt."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--blas", default="", help="a BLAS to preload instead of the wheel's")
    options.add_argument("--lengths", default="512,2048,4096")
    options.add_argument("--out", default=str(ROOT / "experiments/results/ttft.json"))
    options.add_argument("--child", nargs=4, metavar=("WHAT", "MODEL", "HOME", "TOKENS"))
    given = options.parse_args()
    if given.child:
        print(json.dumps(measure(*given.child)))
        return
    with tempfile.TemporaryDirectory() as folder:
        model = made_model(Path(folder) / "model")
        rows = [row(model, Path(folder) / f"home{n}", n, given.blas) for n in map(int, given.lengths.split(","))]
    core = os.environ.get("OPENBLAS_CORETYPE", "")
    chosen = f"OPENBLAS_CORETYPE={core} " if core else ""
    receipt = {
        "what": "CPU seconds to the first token, 135M shape, float32, one restart between cold and warm",
        "command": f"{chosen}python experiments/ttft.py --blas libopenblas.so.0 --lengths {given.lengths}",
        "python": platform.python_version(),
        "machine": platform.machine(), "blas": os.path.basename(given.blas) or "the wheel's",
        "kernel": kernel(given.blas), "rows": rows,
    }  # fmt: skip
    Path(given.out).write_text(json.dumps(receipt, indent=1) + "\n")


def kernel(blas: str) -> str:
    """What OpenBLAS takes the processor for; one that it does not know gets its slowest kernel."""
    if not blas:
        return ""
    name = ctypes.CDLL(blas).openblas_get_corename
    name.restype = ctypes.c_char_p
    return str(name().decode())


def row(model: str, home: Path, tokens: int, blas: str) -> dict[str, Any]:
    """One length: cold in one process, warm in the next."""
    cold = child("cold", model, home, tokens, blas)
    warm = child("warm", model, home, tokens, blas)
    found = {
        "tokens": tokens, "cold_s": cold["exact_s"], "warm_s": warm["exact_s"], "warm_tail_s": warm["tail_s"],
        "speedup": round(cold["exact_s"] / warm["exact_s"], 1),
        "speedup_tail": round(cold["exact_s"] / warm["tail_s"], 1), "target": TARGETS.get(tokens),
        "limit_s": warm["limit_s"], "over_limit": round(warm["exact_s"] / warm["limit_s"], 2),
        "limit_plain_sum_s": warm["limit_sum_s"],
        "over_limit_plain_sum": round(warm["exact_s"] / warm["limit_sum_s"], 2),
        "same_first_token": cold["text"] == warm["text"], "cached": warm["cached"],
        **{k: warm[k] for k in ("file_bytes", "read_gbs", "memory_gbs", "sum_gbs")},
    }  # fmt: skip
    print(json.dumps(found), flush=True)
    return found


def child(what: str, model: str, home: Path, tokens: int, blas: str) -> dict[str, Any]:
    """Measure in a fresh process."""
    env = {**os.environ, "OPENBLAS_NUM_THREADS": "1", **({"LD_PRELOAD": blas} if blas else {})}
    command = [sys.executable, __file__, "--child", what, model, str(home), str(tokens)]
    out = subprocess.run(command, env=env, capture_output=True, text=True, check=True).stdout
    return dict(json.loads(out.splitlines()[-1]))


def measure(what: str, model: str, home: str, tokens: str) -> dict[str, Any]:
    """In the child: the request with an exact repeat of its prompt, and (warm) with another question."""
    from agentmemory.model.mlx_engine import MlxEngine
    from agentmemory.model.segment_disk import Limits
    from agentmemory.model.settings import Settings

    n = int(tokens)
    engine = MlxEngine(model, home, Settings(limits=Limits(1 << 40, 0, 1e12), hot_bytes=0))
    rng = random.Random(n)
    prefix = [rng.randrange(3, 49152) for _ in range(n)]
    first_token(engine, [7, 8], [9])  # the weights have been touched, as in any server that has run
    text, exact, cached = first_token(engine, prefix, [5])
    out: dict[str, Any] = {"exact_s": exact, "text": text, "cached": cached}
    if what == "warm":
        repeats = [first_token(engine, prefix, [5])[1] for _ in range(5)]
        out["exact_s"] = round(min(exact, *repeats), 4)
        tails = [[rng.randrange(3, 49152) for _ in range(TAIL)] for _ in range(5)]
        out["tail_s"] = min(first_token(engine, prefix, tail)[1] for tail in tails)
        out |= limits(engine, home, n)
    engine.close()
    return out


def first_token(engine: Any, prefix: list[int], tail: list[int]) -> tuple[str, float, int]:
    """Text of the first piece, CPU seconds until it, tokens that were cached."""
    from agentmemory.model.decoder import Job
    from agentmemory.model.engine import Sampling
    from agentmemory.model.prompt import MOST_TOKENS, Laid
    from agentmemory.model.segments import Part
    from agentmemory.model.ticket import Ticket

    parts = tuple(Part("system", tuple(prefix[at : at + MOST_TOKENS])) for at in range(0, len(prefix), MOST_TOKENS))
    job = Job(Laid(parts, tuple(tail)), Sampling(max_tokens=2), Ticket())
    settle(engine)
    before = time.process_time()
    pieces = iter(engine._start(job))
    text = next(pieces).text
    spent = time.process_time() - before
    usage = [p.usage for p in pieces if p.usage]
    engine.store.flush()
    return text, round(spent, 4), usage[0].cached if usage else 0


def settle(engine: Any) -> None:
    """Wait for what the last request left: mlx-lm begins a token more than it was asked for, in its own thread."""
    import mlx.core as mx

    engine._loop.call(lambda: mx.synchronize(engine._decoder._generator.stream))


def limits(engine: Any, home: str, n: int) -> dict[str, Any]:
    """What no way of doing it can be faster than, with this library on this machine, now."""
    import mlx.core as mx
    import numpy as np
    from mlx.utils import tree_flatten

    parts = (n + 2047) // 2048
    files = sorted(Path(home).rglob("*.safetensors"), key=lambda p: p.stat().st_size)[-parts:]
    size = sum(f.stat().st_size for f in files)
    buffer = bytearray(size)
    read = best(lambda: read_all(files, buffer))
    weights = engine._loop.call(lambda: sum(v.nbytes for _, v in tree_flatten(engine._model.parameters())))

    def multiply() -> float:
        matrix, vector = mx.ones((weights // 4 // 576, 576)), mx.ones((576, 1))
        mx.eval(matrix, vector)
        return best(lambda: mx.eval(matrix @ vector))

    product = engine._loop.call(multiply)
    plain = np.ones(weights // 4, np.float32)
    added = best(lambda: float(plain.sum()))
    touched = weights + (n + 1) * KV_BYTES
    return {
        "file_bytes": size, "read_gbs": round(size / read / 1e9, 2), "memory_gbs": round(weights / product / 1e9, 2),
        "sum_gbs": round(weights / added / 1e9, 2), "limit_s": round(read + touched / (weights / product), 4),
        "limit_sum_s": round(read + touched / (weights / added), 4),
    }  # fmt: skip


def read_all(files: list[Path], buffer: bytearray) -> None:
    """The files, one after another, into memory that is there already."""
    view, at = memoryview(buffer), 0
    for path in files:
        with path.open("rb", buffering=0) as f:
            while got := f.readinto(view[at:]):
                at += got


def best(work: Any, times: int = 5) -> float:
    """The least CPU seconds of several runs."""
    found = []
    for _ in range(times):
        before = time.process_time()
        work()
        found.append(time.process_time() - before)
    return min(found)


def made_model(folder: Path) -> str:
    """Random weights in the shape, with a tokenizer that has a text for every token."""
    from transformers import AutoTokenizer

    from tests.model import tiny

    path = tiny.make(folder, "llama", **SHAPE)
    tokenizer = AutoTokenizer.from_pretrained(path)
    tokenizer.add_tokens([f"w{i}x" for i in range(len(tokenizer), SHAPE["vocab_size"])])
    tokenizer.save_pretrained(path)
    return path


if __name__ == "__main__":
    main()
