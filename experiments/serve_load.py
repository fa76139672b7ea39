"""A mixed load on `agentmemory serve`: 500 requests from 16 streaming clients, two models, clients that hang up.

    python experiments/serve_load.py [--requests 500]

The server is the real command in a process of its own, with memory from a store of random beliefs; the client is the
official one. Answers are compared with those of the same request alone before. Reports right and wrong answers, the
server's memory before and after, threads that died, and what was written to disk per 100 requests.
Writes experiments/results/serve_load.json.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import signal
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx
import openai

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))
os.environ["MLX_DISABLE_COMPILE"] = "1"

KINDS = 120  # different questions
CLIENTS = 16
HANG_UP = 9  # every so many requests the client goes away after the first piece
#: name -> (disk, memory) in GiB: room for everything, and less than the segments together
LIMITS = {"roomy": (0.5, 0.02), "tight": (0.005, 0.002)}
SEED = 20261121


def main() -> None:
    """Serve, ask, count, write the receipt."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--requests", type=int, default=500)
    given = options.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        receipt = {
            "command": f"python experiments/serve_load.py --requests {given.requests}",
            **{name: run(Path(folder) / name, given.requests, *limits) for name, limits in LIMITS.items()},
        }
    print(json.dumps(receipt, indent=1))
    (ROOT / "experiments/results/serve_load.json").write_text(json.dumps(receipt, indent=1) + "\n")


def run(folder: Path, requests: int, disk: float, memory: float) -> dict[str, Any]:
    """What each question is answered alone by one server, then the whole load against another that begins cold."""
    home = prepared(folder, disk, memory)
    with served(home) as (client, _):
        alone = [answer(client, i)[0] for i in range(KINDS)]
    subprocess.run(["rm", "-rf", str(home / "segments")], check=True)
    with served(home) as (client, server):
        url, admin = str(client.base_url), (home / "serve.admin").read_text()
        answer(client, 0), answer(client, 1)  # both models are loaded
        before, first_rss = stats(url, client.api_key, admin), rss(server.pid)
        right, wrong, hung_up, cached, peak = load(client, server.pid, alone, requests)
        after = stats(url, client.api_key, admin)
        found = {
            "right": right, "wrong": wrong, "hung_up": hung_up, "clients": CLIENTS,
            "answers_after_load": answer(client, 0)[0] == alone[0],
            "failed_requests": sum(m["tokens"]["failed"] for m in after["loaded"]),
            "rss_mb_before": first_rss, "rss_mb_peak": peak, "rss_mb_after": rss(server.pid),
            "cached_share_of_prompt_tokens": round(cached, 3), **written(before, after, requests),
            "budget_bytes": int(disk * 2**30), "disk_bytes": on_disk(home),
        }  # fmt: skip
    return {**found, "disk_bytes_after_exit": on_disk(home)}


@contextmanager
def served(home: Path) -> Iterator[tuple[openai.OpenAI, subprocess.Popen[str]]]:
    """The real command, ended by SIGTERM."""
    server = subprocess.Popen(
        [sys.executable, "-m", "agentmemory", "serve", "--port", "0"], stdout=subprocess.PIPE, text=True,
        env={**os.environ, "AGENTMEMORY_HOME": str(home)}, cwd=ROOT,
    )  # fmt: skip
    try:
        assert server.stdout is not None
        url = next(word for word in server.stdout.readline().split() if word.startswith("http"))
        key = (home / "serve.token").read_text()
        yield openai.OpenAI(base_url=url, api_key=key, max_retries=0, timeout=600), server
        server.send_signal(signal.SIGTERM)
        server.wait(timeout=60)
    finally:
        server.kill()


def load(client: openai.OpenAI, pid: int, alone: list[str], requests: int) -> tuple[int, int, int, float, int]:
    """(right, wrong, hung up, share of prompt tokens cached, peak memory in MB)."""
    rng = random.Random(SEED)
    order = [rng.randrange(KINDS) for _ in range(requests)]
    lock, counts, tokens, peak = threading.Lock(), [0, 0, 0], [0, 0], [0]

    def ask(turn: tuple[int, int]) -> None:
        at, i = turn
        if at % HANG_UP == HANG_UP - 1:
            stream = client.chat.completions.create(**question(i), stream=True)
            next(iter(stream))
            stream.close()
            outcome = 2
        else:
            text, usage = answer(client, i)
            outcome = 0 if text == alone[i] else 1
            with lock:
                tokens[0] += usage.prompt_tokens_details.cached_tokens
                tokens[1] += usage.prompt_tokens
        with lock:
            counts[outcome] += 1
            peak[0] = max(peak[0], rss(pid))

    with ThreadPoolExecutor(CLIENTS) as pool:
        list(pool.map(ask, enumerate(order)))
    return counts[0], counts[1], counts[2], tokens[0] / max(1, tokens[1]), peak[0]


def question(i: int) -> dict[str, Any]:
    """One of the different requests: three system prompts, four agents, conversations of zero to three turns."""
    from tests.model.conftest import words

    messages = [
        {"role": "system", "content": words(60, f"s{i % 3}")},
        {"role": "user", "content": words(20, f"u{i % 12}")},
    ]
    for turn in range(i % 4):
        messages.append({"role": "assistant", "content": words(50, f"a{i % 12}{turn}")})
        messages.append({"role": "user", "content": words(30, f"q{i % 12}{turn}")})
    messages[-1]["content"] += " " + words(5, i)
    return {
        "model": ("llama", "hybrid")[i % 2], "messages": messages, "temperature": 0, "max_tokens": 8 + i % 9,
        "metadata": {"agent": f"agent{i % 4}"},
    }  # fmt: skip


def answer(client: openai.OpenAI, i: int) -> tuple[str, Any]:
    """The streamed answer and its usage."""
    chunks = client.chat.completions.create(**question(i), stream=True, stream_options={"include_usage": True})
    texts, usage = [], None
    for chunk in chunks:
        texts += [choice.delta.content or "" for choice in chunk.choices]
        usage = chunk.usage or usage
    return "".join(texts), usage


def prepared(folder: Path, disk: float, memory_gib: float) -> Path:
    """A data folder with two models and some memory."""
    from agentmemory.memory import Memory
    from tests.model import tiny
    from tests.model.conftest import words

    llama, hybrid = tiny.make(folder / "m1", "llama"), tiny.make(folder / "m2", "qwen3_next", seed=1)
    home = folder / "home"
    home.mkdir()
    (home / "sidecar.toml").write_text(
        f"disk_gib = {disk}\nfree_gib = 0\nmemory_gib = {memory_gib}\nstep = 64\n"
        f'[models]\nllama = "{llama}"\nhybrid = "{hybrid}"\n'
    )
    with Memory(str(home), "") as memory:
        for i in range(6):
            memory.lock(f"Rule {i}: {words(14, f'rule{i}')}.", everywhere=True)
    return home


def stats(url: str, token: str, admin: str) -> Any:
    """The admin route's figures."""
    headers = {"Authorization": f"Bearer {token}", "X-Admin-Key": admin}
    return httpx.get(url.rstrip("/").removesuffix("/v1") + "/admin/stats", headers=headers).raise_for_status().json()


def written(before: Any, after: Any, requests: int) -> dict[str, float]:
    """Bytes and segments written during the load, per 100 requests."""

    def total(found: Any, key: str) -> int:
        return sum(int(m["prefixes"]["cold"][key]) for m in found["loaded"])

    return {
        "written_mb_per_100_requests": round(
            (total(after, "written_bytes") - total(before, "written_bytes")) / requests / 1e4, 2
        ),
        "segments_written_per_100_requests": round(
            (total(after, "written") - total(before, "written")) * 100 / requests, 2
        ),
        **{key: total(after, key) for key in ("evicted", "declined", "written_again")},
        "replaced_bytes_today": max(int(m["prefixes"]["cold"]["replaced_today"]) for m in after["loaded"]),
    }


def on_disk(home: Path) -> int:
    """Bytes of all segment files."""
    return sum(p.stat().st_size for p in home.rglob("*.safetensors"))


def rss(pid: int) -> int:
    """Resident memory of a process in MB."""
    for line in Path(f"/proc/{pid}/status").read_text().splitlines():
        if line.startswith("VmRSS"):
            return int(line.split()[1]) // 1024
    return 0


if __name__ == "__main__":
    main()
