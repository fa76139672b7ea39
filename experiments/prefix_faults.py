"""Damage to kept prefixes: truncation every 4 KB, 500 flipped bits, 200 kills inside the write path, a full disk.

    python experiments/prefix_faults.py [--flips 500] [--kills 200]

After each, a small random model answers from what is left; its log-probabilities must be those of a cold start, bit
for bit (a miss is fine, a wrong answer is not). Kills come by SIGKILL at a random line or call of the write path in a
process of its own. The full disk is a tmpfs where the user may mount one, else a limit on file sizes.
Writes experiments/results/prefix_faults.json.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))
os.environ["MLX_DISABLE_COMPILE"] = "1"

FAMILIES = ("llama", "gemma3_text", "qwen3_next")
SEED = 20261121


def main() -> None:
    """Run all and write the receipt."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--flips", type=int, default=500)
    options.add_argument("--kills", type=int, default=200)
    given = options.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        receipt: dict[str, Any] = {
            "command": f"python experiments/prefix_faults.py --flips {given.flips} --kills {given.kills}"
        }
        for family in FAMILIES:
            receipt[family] = damage(Path(folder) / family, family, given.flips // len(FAMILIES) + 1)
            print(family, receipt[family], flush=True)
        receipt["kills"] = kills(Path(folder) / "kills", given.kills)
        receipt["full_disk"] = full_disk(Path(folder) / "full")
    print(json.dumps(receipt, indent=1))
    (ROOT / "experiments/results/prefix_faults.json").write_text(json.dumps(receipt, indent=1) + "\n")


def damage(folder: Path, family: str, flips: int) -> dict[str, int]:
    """Truncate and flip every file of a chain; count what came of it."""
    from agentmemory.model.mlx_engine import MlxEngine
    from tests.model import tiny
    from tests.model.conftest import SETTINGS, chat, distribution

    model = tiny.make(folder / "model", family)
    cold_engine = MlxEngine(model, str(folder / "cold"), SETTINGS)
    cold, _ = distribution(cold_engine, chat())
    cold_engine.close()
    engine = MlxEngine(model, str(folder / "home"), SETTINGS)
    distribution(engine, chat())
    engine.store.flush()
    files = sorted((folder / "home").rglob("*.safetensors"))
    whole = {path: path.read_bytes() for path in files}
    rng = random.Random(SEED)
    done = {"truncations": 0, "flips": 0, "wrong": 0, "crashes": 0, "damage_seen": 0}

    def answers() -> None:
        fresh_store(engine, str(folder / "home"))
        try:
            done["wrong"] += distribution(engine, chat())[0] != cold
        except Exception as e:
            print(f"{family}: {type(e).__name__}: {e}")
            done["crashes"] += 1
        engine.store.flush()
        done["damage_seen"] += engine.store.disk.figures.damaged > 0

    for path, data in whole.items():
        for cut in [*range(0, len(data), 4096), len(data) - 1]:
            path.write_bytes(data[:cut])
            answers()
            done["truncations"] += 1
    for _ in range(flips):
        path = rng.choice(files)
        flipped = bytearray(whole[path])
        flipped[rng.randrange(len(flipped))] ^= 1 << rng.randrange(8)
        path.write_bytes(flipped)
        answers()
        done["flips"] += 1
        path.write_bytes(whole[path])
    engine.close()
    return done


def fresh_store(engine: Any, home: str) -> None:
    """As after a restart: nothing in memory."""
    from agentmemory.model.kv_layout import MlxCodec
    from agentmemory.model.segments import FOLDER, SegmentStore

    engine.store.close()
    engine.store = SegmentStore(os.path.join(home, FOLDER), engine.store.root, MlxCodec(), engine.store.disk.limits, 0)
    engine._decoder.store = engine.store


def kills(folder: Path, count: int) -> dict[str, int]:
    """Kill a writing process at random moments inside the write path."""
    from tests.model.arrays import parts, right, store

    width = 16384  # megabytes a segment: several writes each
    events = int(writing(folder / "whole", 0, width).stdout)
    rng = random.Random(SEED)
    found = {"kills": 0, "events": events, "wrong": 0, "scratch_left": 0, "whole_segments_kept": 0}
    for i in range(count):
        home = folder / f"{i}"
        killed = writing(home, rng.randrange(1, events), width)
        found["kills"] += killed.returncode == -9
        try:
            found["whole_segments_kept"] += right(store(home), parts("a", "b", "c"), width)
        except AssertionError:
            found["wrong"] += 1
        found["scratch_left"] += sum(p.name.startswith("tmp-") for p in home.iterdir())
        subprocess.run(["rm", "-rf", str(home)], check=True)
    return found


def writing(folder: Path, fatal: int, width: int) -> subprocess.CompletedProcess[str]:
    """The program that writes and dies."""
    command = [sys.executable, "-m", "tests.model.kill_write", str(folder), str(fatal), str(width)]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=120)


def full_disk(folder: Path) -> dict[str, Any]:
    """A small file system without bytes, without files, and one that fills up while segments are written."""
    from agentmemory.model.segment_disk import Limits
    from tests.model.arrays import fill, parts, right, store
    from tests.model.small_disk import NoMount, fill_up, filling_and_freeing, small_disk, take_files

    found: dict[str, Any] = {"asked": 0, "written": 0, "refused": 0, "wrong": 0, "crashes": 0}
    names = iter(range(1000))

    def keep(kept: Any, times: int) -> None:
        for name in (next(names) for _ in range(times)):
            found["asked"] += 1
            try:
                fill(kept, parts(f"{name}"), 1024)
                right(kept, parts(f"{name}"), 1024)
                right(store(folder), parts(f"{name}"), 1024)
            except AssertionError:
                found["wrong"] += 1
            except Exception as e:
                print(f"full disk: {type(e).__name__}: {e}")
                found["crashes"] += 1

    try:
        with small_disk(folder):
            kept = store(folder, Limits(1 << 30, 0, 1e12))
            ballast = fill_up(folder)
            keep(kept, 20)
            ballast.unlink()
            taken = take_files(folder)
            keep(kept, 20)
            for path in taken:
                path.unlink()
            with filling_and_freeing(folder):
                keep(kept, 200)
            figures = kept.stats()["cold"]
            found |= {key: figures[key] for key in ("written", "refused", "evicted", "damaged")}
            found["scratch_left"] = sum(p.name.startswith("tmp-") for p in folder.iterdir())
    except NoMount as e:
        return {"skipped": f"{e}; tests/model/test_segments.py limits file sizes instead"}
    return found


if __name__ == "__main__":
    main()
