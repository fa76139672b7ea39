"""Time to first token, warm over cold, in CPU time, on a 135M-parameter shape; and the limit that memory sets.

    python experiments/ttft.py [--blas /usr/lib/.../libblis.so.4] [--lengths 512,2048,4096] [--wall]

Every length is measured in two processes with a restart between them: the first computes the prompt and keeps it,
the second restores it from disk. CPU time of all threads from the request to the first piece of text, for the same
prompt again and for new endings of 16 tokens; cold is one. Nothing is held in memory between requests, so each reads,
verifies and joins the whole prefix. What is compared is taken in turn, nine rounds, and the figures are medians; the
first request after the restart has a figure of its own.

The limit: bytes of the kept files over the rate of reading them into memory that is there, plus bytes of weights and of
keys and values over the rate of memory. The rate of memory is that of a plain sum: one thread adds float32 numbers
(numpy) in an array as large as the weights, 540 MB, which no core's cache holds; what a cache shared by many gave would
make the limit lower. Beside it the same with the rate at which mlx multiplies a matrix as large as the weights by a
vector. With --wall all seconds are those of the clock on the wall: for a GPU, which works beside the processor; only
the second limit then says anything. Writes experiments/results/ttft.json.
"""

from __future__ import annotations

import argparse
import ctypes
import json
import os
import platform
import random
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
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
TIMES = 9
WALL = "AGENTMEMORY_TTFT_WALL"  # set for the children
TARGETS = {512: 9, 2048: 30, 4096: 55}
KV_BYTES = 30 * 2 * 3 * 64 * 4  # a token's keys and values in float32


def main() -> None:
    """Run all lengths and write the receipt."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--blas", default="", help="a BLAS to preload instead of the wheel's")
    options.add_argument("--lengths", default="512,2048,4096")
    options.add_argument("--out", default=str(ROOT / "experiments/results/ttft.json"))
    options.add_argument("--wall", action="store_true", help="seconds of the wall's clock instead of CPU time")
    options.add_argument("--child", nargs=4, metavar=("WHAT", "MODEL", "HOME", "TOKENS"))
    given = options.parse_args()
    if given.wall:
        os.environ[WALL] = "1"
    if given.child:
        print(json.dumps(measure(*given.child)))
        return
    with tempfile.TemporaryDirectory() as folder:
        model = made_model(Path(folder) / "model")
        rows = [row(model, Path(folder) / f"home{n}", n, given.blas) for n in map(int, given.lengths.split(","))]
    core = os.environ.get("OPENBLAS_CORETYPE", "")
    chosen = f"OPENBLAS_CORETYPE={core} " if core else ""
    receipt = {
        "what": f"{'wall' if given.wall else 'CPU'} seconds to the first token, 135M shape, float32, one restart "
        "between cold and warm",
        "command": f"{chosen}python experiments/ttft.py --blas {os.path.basename(given.blas)}{' --wall' * given.wall}",
        "python": platform.python_version(),
        "machine": platform.machine(), "blas": os.path.basename(given.blas) or "the wheel's",
        "kernel": kernel(given.blas), "rows": rows,
    }  # fmt: skip
    Path(given.out).write_text(json.dumps(receipt, indent=1) + "\n")


def kernel(blas: str) -> str:
    """What the BLAS takes the processor for; OpenBLAS gives one that it does not know its slowest kernel."""
    library = ctypes.CDLL(blas or None)
    if hasattr(library, "bli_arch_string"):
        library.bli_arch_string.restype = ctypes.c_char_p
        return str(library.bli_arch_string(library.bli_arch_query_id()).decode())
    if hasattr(library, "openblas_get_corename"):
        library.openblas_get_corename.restype = ctypes.c_char_p
        return str(library.openblas_get_corename().decode())
    return ""


def row(model: str, home: Path, tokens: int, blas: str) -> dict[str, Any]:
    """One length: cold in one process, warm in the next."""
    cold = child("cold", model, home, tokens, blas)
    warm = child("warm", model, home, tokens, blas)
    found = {
        "tokens": tokens, "cold_s": cold["first_s"], "warm_s": warm["exact_s"], "warm_tail_s": warm["tail_s"],
        "first_after_restart_s": warm["first_s"],
        "speedup": round(cold["first_s"] / warm["exact_s"], 1),
        "speedup_tail": round(cold["first_s"] / warm["tail_s"], 1), "target": TARGETS.get(tokens),
        "limit_s": warm["limit_s"], "over_limit": round(warm["exact_s"] / warm["limit_s"], 2),
        "limit_plain_sum_s": warm["limit_sum_s"],
        "over_limit_plain_sum": round(warm["exact_s"] / warm["limit_sum_s"], 2),
        "first_over_limit_plain_sum": round(warm["first_s"] / warm["limit_sum_s"], 2),
        "same_first_token": cold["text"] == warm["text"], "cached": warm["cached"],
        **{k: warm[k] for k in ("file_bytes", "read_gbs", "memory_gbs", "sum_gbs", "parts_s")},
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
    text, first, cached = first_token(engine, prefix, [5])
    out: dict[str, Any] = {"first_s": first, "text": text, "cached": cached}
    if what == "warm":
        tails = [[rng.randrange(3, 49152) for _ in range(TAIL)] for _ in range(TIMES)]
        out |= figures(rounds(engine, home, prefix, iter(tails)), engine, home, n)
    engine.close()
    return out


def rounds(engine: Any, home: str, prefix: list[int], tails: Iterator[list[int]]) -> dict[str, float]:
    """Medians of CPU seconds. Everything is taken in turn, so that what else the machine does meets all alike.

    exact, tail: requests. read, sum, product: what the limits are made of. Of a request, restore: read, verify, join;
    weights: a pass over one token behind nothing; whole: behind the prefix; softmax: mlx's of as many scores.
    """
    import mlx.core as mx
    import numpy as np
    from mlx_lm.models.cache import make_prompt_cache

    from agentmemory.model import kv_layout

    chain, model, call = split(prefix), engine._model, engine._loop.call
    files = kept_files(home, len(prefix))
    buffer = bytearray(sum(f.stat().st_size for f in files))
    plain = np.ones(weight_bytes(engine) // 4, np.float32)

    def restored() -> list[Any]:
        found = engine.store.restore(chain, kv_layout.HEADROOM)
        return kv_layout.restore(make_prompt_cache(model), found.headers, found.arrays)

    def made() -> tuple[Any, ...]:
        cache = restored()
        matrix, vector = mx.ones((plain.size // 576, 576)), mx.ones((576, 1))
        scores = [mx.ones((1, 3, 3, 1, len(prefix))) for _ in model.layers]
        mx.eval(matrix, vector, scores, [c.state for c in cache])
        return cache, matrix, vector, scores

    behind, matrix, vector, scores = call(made)
    spent = {
        "read": lambda: timed(lambda: read_all(files, buffer)),
        "sum": lambda: timed(plain.sum),
        "product": lambda: call(lambda: timed(lambda: mx.eval(matrix @ vector))),
        "restore": lambda: call(lambda: timed(restored)),
        "weights": lambda: call(lambda: timed(lambda: mx.eval(model(mx.array([[5]]), cache=make_prompt_cache(model))))),
        "whole": lambda: call(lambda: timed(lambda: mx.eval(model(mx.array([[5]]), cache=behind)))),
        "softmax": lambda: call(lambda: timed(lambda: mx.eval([mx.softmax(s, axis=-1) for s in scores]))),
        "exact": lambda: first_token(engine, prefix, [5])[1],
        "tail": lambda: first_token(engine, prefix, next(tails))[1],
    }
    found: dict[str, list[float]] = {name: [] for name in spent}
    for _ in range(TIMES):
        for name, once in spent.items():
            found[name].append(once())
    return {name: statistics.median(values) for name, values in found.items()}


def figures(took: dict[str, float], engine: Any, home: str, n: int) -> dict[str, Any]:
    """The limits and where a request's time goes, from medians of seconds."""
    weights = weight_bytes(engine)
    touched, size = weights + (n + 1) * KV_BYTES, sum(f.stat().st_size for f in kept_files(home, n))
    parts = {
        "restore": took["restore"], "weights": took["weights"], "behind_prefix": took["whole"] - took["weights"],
        "of_it_softmax": took["softmax"],
    }  # fmt: skip
    return {
        "exact_s": round(took["exact"], 4), "tail_s": round(took["tail"], 4),
        "parts_s": {name: round(seconds, 4) for name, seconds in parts.items()},
        "file_bytes": size, "read_gbs": round(size / took["read"] / 1e9, 2),
        "memory_gbs": round(weights / took["product"] / 1e9, 2), "sum_gbs": round(weights / took["sum"] / 1e9, 2),
        "limit_s": round(took["read"] + touched * took["product"] / weights, 4),
        "limit_sum_s": round(took["read"] + touched * took["sum"] / weights, 4),
    }  # fmt: skip


def weight_bytes(engine: Any) -> int:
    """Bytes of all weights."""
    from mlx.utils import tree_flatten

    return int(engine._loop.call(lambda: sum(v.nbytes for _, v in tree_flatten(engine._model.parameters()))))


def kept_files(home: str, n: int) -> list[Path]:
    """The files of a prefix of *n* tokens: the largest that are kept."""
    count = (n + 2047) // 2048
    return sorted(Path(home).rglob("*.safetensors"), key=lambda p: p.stat().st_size)[-count:]


def first_token(engine: Any, prefix: list[int], tail: list[int]) -> tuple[str, float, int]:
    """Text of the first piece, CPU seconds until it, tokens that were cached."""
    from agentmemory.model.decoder import Job
    from agentmemory.model.engine import Sampling
    from agentmemory.model.prompt import Laid
    from agentmemory.model.ticket import Ticket

    job = Job(Laid(split(prefix), tuple(tail)), Sampling(max_tokens=2), Ticket())
    settle(engine)
    before = now()
    pieces = iter(engine._start(job))
    text = next(pieces).text
    spent = now() - before
    usage = [p.usage for p in pieces if p.usage]
    engine.store.flush()
    return text, round(spent, 4), usage[0].cached if usage else 0


def split(prefix: list[int]) -> tuple[Any, ...]:
    """The parts that a prefix is kept in."""
    from agentmemory.model.prompt import MOST_TOKENS
    from agentmemory.model.segments import Part

    return tuple(Part("system", tuple(prefix[at : at + MOST_TOKENS])) for at in range(0, len(prefix), MOST_TOKENS))


def settle(engine: Any) -> None:
    """Wait for what the last request left: mlx-lm begins a token more than it was asked for, in its own thread."""
    import mlx.core as mx

    engine._loop.call(lambda: mx.synchronize(engine._decoder._generator.stream))


def read_all(files: list[Path], buffer: bytearray) -> None:
    """The files, one after another, into memory that is there already."""
    view, at = memoryview(buffer), 0
    for path in files:
        with path.open("rb", buffering=0) as f:
            while got := f.readinto(view[at:]):
                at += got


def now() -> float:
    """Seconds: CPU time of all threads, or of the clock on the wall."""
    return time.perf_counter() if os.environ.get(WALL) else time.process_time()


def timed(work: Any) -> float:
    """Seconds of it."""
    before = now()
    work()
    return now() - before


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
