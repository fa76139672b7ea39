"""How soon the page shows something, and how fast it draws, with many beliefs, in a real browser.

    python experiments/page_paint.py [--beliefs 20000]

Prints milliseconds from navigation to first contentful paint and to the drawn graph, and frames per second
while the camera moves (software rendering: a GPU is faster). Receipt: experiments/results/page_paint.json.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from playwright.sync_api import sync_playwright

from agentmemory.learn.revise import revise
from agentmemory.memory import Memory
from agentmemory.store import beliefs, writer
from agentmemory.values import Added, Candidate

RESULTS = Path(__file__).parent / "results"
FLAGS = ["--no-sandbox", "--use-gl=angle", "--use-angle=swiftshader", "--enable-unsafe-swiftshader"]
KINDS = ("rule", "correction", "decision", "preference", "fact", "procedure")
WORDS = "deploy server port release mail booking cluster region test commit schema cache token queue index".split()
FRAMES = """() => new Promise((done) => {
  let frames = 0; const start = performance.now();
  const turn = (now) => {
    graph.sigma.getCamera().setState({ ratio: 1 - 0.5 * Math.abs(Math.sin(now / 500)) });
    frames += 1;
    if (now - start < 3000) requestAnimationFrame(turn); else done(frames / ((now - start) / 1000));
  };
  requestAnimationFrame(turn);
})"""


def main() -> int:
    ap = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ap.add_argument("--beliefs", type=int, default=20_000)
    args = ap.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        os.environ["AGENTMEMORY_HOME"] = str(Path(folder) / "home")
        os.chdir(folder)
        fill(args.beliefs)
        command = [sys.executable, "-m", "agentmemory", "ui", "--no-open"]
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
            assert server.stdout is not None
            report = {"beliefs": args.beliefs, **measure(server.stdout.readline().strip())}
            server.terminate()
    print(json.dumps(report))
    (RESULTS / "page_paint.json").write_text(json.dumps(report, indent=1) + "\n")
    return 0


def fill(n: int) -> None:
    random.seed(7)
    with Memory() as memory, writer.transaction(memory.db):
        ids: list[int] = []
        for i in range(n):
            text = f"{' '.join(random.choices(WORDS, k=8))} node{i} v{i * 7}"
            done = revise(
                memory.db, Candidate(random.choice(KINDS), text, scope=memory.scope, at=1.75e9 + i * 900), 1.77e9
            )
            if isinstance(done, Added):
                if ids and random.random() < 0.7:
                    beliefs.link(memory.db, "relates", done.id, random.choice(ids[-40:]), 1.77e9)
                ids.append(done.id)


def measure(address: str) -> dict[str, float]:
    with sync_playwright() as play:
        chromium = play.chromium.launch(executable_path=shutil.which("chromium"), args=FLAGS)
        page = chromium.new_page(viewport={"width": 1280, "height": 800})
        page.goto(address)
        page.wait_for_selector("body[data-ready=yes]", timeout=60_000)
        paint = page.evaluate("() => performance.getEntriesByName('first-contentful-paint')[0].startTime")
        drawn = page.evaluate("() => performance.now()")
        frames = page.evaluate(FRAMES)
        chromium.close()
    return {
        "first_paint_ms": round(paint),
        "graph_drawn_ms_at_most": round(drawn),
        "frames_per_second": round(frames, 1),
    }


if __name__ == "__main__":
    sys.exit(main())
