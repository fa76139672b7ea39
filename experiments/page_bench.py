"""How soon the page shows something, and how smoothly it moves, with many beliefs, in a real browser without a GPU.

    python experiments/page_bench.py [--beliefs 20000] [--lines 40000] [--save NAME] [--picture FILE.png]

Real mouse and wheel events drag the graph, zoom, hover and move the time slider, one every 16 ms at most; frames are
counted where the browser draws them (requestAnimationFrame, which waits for the compositor). Prints milliseconds from
navigation to the first contentful paint and to the drawn graph, and for each gesture the frames per second, how many of
them were new pictures of the graph (an event that comes while a picture is drawn shares the next one), and the longest
wait for a frame. Chromium draws in software (SwiftShader); a GPU is faster. Receipt: results/page_bench.json.
"""

from __future__ import annotations

import argparse
import itertools
import json
import os
import random
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from playwright.sync_api import Page, sync_playwright

from agentmemory.memory import Memory
from agentmemory.store import beliefs, writer

RESULTS = Path(__file__).parent / "results"
FLAGS = ["--no-sandbox", "--use-gl=angle", "--use-angle=swiftshader", "--enable-unsafe-swiftshader"]
KINDS = ("rule", "correction", "decision", "preference", "fact", "procedure")
TYPES = ("relates", "relates", "relates", "supports", "next", "contradicts")
WORDS = "deploy server port release mail booking cluster region test commit schema cache token queue index".split()
NOW = 1.77e9
SECONDS = 2.5  # of one gesture
LOADS = 3  # of the page in one browser: the first also starts its processes
RECORD = """() => {
  if (!window.paint_) { paint_ = graph.paint.bind(graph);
    graph.paint = () => { const from = performance.now(); paint_(); paints_.push(performance.now() - from); }; }
  window.frames_ = []; window.paints_ = []; window.recording_ = true;
  const turn = (now) => { frames_.push(now); if (recording_) requestAnimationFrame(turn); };
  requestAnimationFrame(turn);
}"""
RECORDED = "() => { recording_ = false; return [frames_, paints_]; }"


def main() -> int:
    ap = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ap.add_argument("--beliefs", type=int, default=20_000)
    ap.add_argument("--lines", type=int, default=40_000)
    ap.add_argument("--save", metavar="NAME", help="write a receipt to experiments/results/NAME.json")
    ap.add_argument("--picture", help="also take a picture of the page at rest and one nearer, FILE and near-FILE")
    args = ap.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        os.environ["AGENTMEMORY_HOME"] = str(Path(folder) / "home")
        os.chdir(folder)
        fill(args.beliefs, args.lines)
        command = [sys.executable, "-m", "agentmemory", "ui", "--no-open"]
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
            assert server.stdout is not None
            report = {"beliefs": args.beliefs, "lines": args.lines, **measure(server.stdout.readline().strip(), args)}
            server.terminate()
    print(json.dumps(report, indent=1))
    if args.save:
        (RESULTS / f"{args.save}.json").write_text(json.dumps(report, indent=1) + "\n")
    return 0


def fill(n: int, lines: int) -> None:
    """Beliefs of about fifty topics a thousand, lines mostly within a topic, every tenth belief superseded."""
    rng = random.Random(7)
    with Memory() as memory, writer.transaction(memory.db):
        topics: list[list[int]] = [[] for _ in range(n // 20)]
        for i in range(n):
            text = f"{' '.join(rng.choices(WORDS, k=8))} node{i} v{i * 7}"
            at = NOW - (n - i) * 900
            id = beliefs.add(memory.db, beliefs.New(memory.scope, rng.choice(KINDS), text, "user", at, at))
            mine = rng.choice(topics)
            mine.append(id)
            if i % 10 == 0 and len(mine) > 1 and beliefs.get(memory.db, mine[-2]).superseded_by is None:
                beliefs.supersede(memory.db, mine[-2], id, at)
        for _ in range(lines):
            pool = rng.choice(topics) if rng.random() < 0.95 else [rng.randint(1, n) for _ in range(2)]
            a, b = rng.choice(pool), rng.choice(pool)
            if a != b:
                beliefs.link(memory.db, rng.choice(TYPES), a, b, NOW)


def measure(address: str, args: argparse.Namespace) -> dict[str, Any]:
    with sync_playwright() as play:
        chromium = play.chromium.launch(executable_path=shutil.which("chromium"), args=FLAGS)
        paints, drawn = [], []
        for _ in range(LOADS):
            page = chromium.new_page(viewport={"width": 1280, "height": 800})
            page.goto(address)
            page.wait_for_selector("body[data-ready=yes]", timeout=60_000)
            paints.append(page.evaluate("() => performance.getEntriesByName('first-contentful-paint')[0].startTime"))
            drawn.append(page.evaluate("() => performance.now()"))
        page.wait_for_timeout(1500)
        if args.picture:
            page.screenshot(path=args.picture)
            page.mouse.move(432, 430)
            page.mouse.wheel(0, -1600)
            page.wait_for_timeout(800)
            page.screenshot(path=Path(args.picture).with_stem("near-" + Path(args.picture).stem))
            page.mouse.wheel(0, 1600)
        out = {name: gesture(page, act) for name, act in GESTURES.items()}
        chromium.close()
    return {
        "first_paint_ms": [round(ms) for ms in paints],
        "graph_drawn_ms_at_most": [round(ms) for ms in drawn],
        "gestures": out,
    }


def gesture(page: Page, act: Callable[[Page, int], None]) -> dict[str, float | None]:
    """Frames a second and the longest wait (ms) while a person does this."""
    page.mouse.move(400, 400)
    page.wait_for_timeout(600)
    page.evaluate(RECORD)
    began, step = time.perf_counter(), 0
    while time.perf_counter() - began < SECONDS:
        moment = time.perf_counter()
        act(page, step)
        step += 1
        time.sleep(max(0.0, 0.016 - (time.perf_counter() - moment)))
    page.mouse.up()
    at, cost = page.evaluate(RECORDED)
    waits = sorted(b - a for a, b in itertools.pairwise(at))
    seconds = (at[-1] - at[0]) / 1000
    return {
        "frames_per_second": round((len(at) - 1) / seconds, 1),
        "pictures_per_second": round(len(cost) / seconds, 1),
        "picture_ms_median": round(statistics.median(cost), 1) if cost else None,
        "p95_wait_ms": round(waits[int(len(waits) * 0.95)]),
        "longest_wait_ms": round(waits[-1]),
    }


def drag(page: Page, step: int) -> None:
    if step == 0:
        page.mouse.down()
    page.mouse.move(400 + 150 * triangle(step, 40), 400 + 100 * triangle(step, 26))


def wheel(page: Page, step: int) -> None:
    page.mouse.wheel(0, -120 if step % 40 < 20 else 120)


def hover(page: Page, step: int) -> None:
    page.mouse.move(420 + 300 * triangle(step, 60), 400 + 200 * triangle(step, 34))


def slide(page: Page, step: int) -> None:
    box = page.locator("#when").bounding_box()
    assert box is not None
    if step == 0:
        page.mouse.move(box["x"] + box["width"] - 8, box["y"] + box["height"] / 2)
        page.mouse.down()
    share = 0.5 + 0.45 * triangle(step, 60)
    page.mouse.move(box["x"] + box["width"] * share, box["y"] + box["height"] / 2)


def triangle(step: int, period: int) -> float:
    """-1 to 1 and back."""
    return 1 - 4 * abs((step / period) % 1 - 0.5)


GESTURES: dict[str, Callable[[Page, int], None]] = {"drag": drag, "zoom": wheel, "hover": hover, "time": slide}

if __name__ == "__main__":
    sys.exit(main())
