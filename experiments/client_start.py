"""How soon a client has the tools, what a hook's start costs, and whether the model's first request holds the tools.

    python experiments/client_start.py [--runs 20] [--sessions 5]

The first two parts time processes; the third runs the real Claude Code (`make setup`) against a stand-in model,
with and without the quick front and `alwaysLoad`. Receipt: experiments/results/client_start.json.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from agentmemory.install import launch  # noqa: E402
from tests.clients.conftest import PLUGIN_PARTS, Person  # noqa: E402
from tests.clients.standin import Standin  # noqa: E402
from tests.conftest import git  # noqa: E402

RESULTS = ROOT / "experiments" / "results"
PYTHON = sys.executable
#: the server as it would be without its quick front
BARE = "import agentmemory.server_front as f; f._read_answers = dict; f.main()"
ASKED = [
    {"id": 0, "method": "initialize", "params": {
        "protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}}},
    {"method": "notifications/initialized"},
    {"id": 1, "method": "tools/list"},
    {"id": 2, "method": "tools/call", "params": {"name": "search", "arguments": {"query": "port"}}},
]  # fmt: skip


def main() -> None:
    """Measure, print, write the receipt."""
    ap = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ap.add_argument("--runs", type=int, default=20)
    ap.add_argument("--sessions", type=int, default=5)
    args = ap.parse_args()
    home = tempfile.mkdtemp()
    os.environ["AGENTMEMORY_HOME"] = home
    launch.record(home)
    front = [connect([PYTHON, "-m", "agentmemory", "mcp"]) for _ in range(args.runs)]
    bare = [connect([PYTHON, "-c", BARE]) for _ in range(args.runs)]
    found = {
        "tools_listed_ms": middle([f[0] for f in front]),
        "tools_listed_without_front_ms": middle([b[0] for b in bare]),
        "first_call_ms": middle([f[1] for f in front]),
        "first_call_best_ms": round(min(f[1] for f in front), 1),
        "first_call_worst_ms": round(max(f[1] for f in front), 1),
        "first_call_cpu_ms": cpu(args.runs),
        "hook_start": starts(args.runs),
        "load_average": round(os.getloadavg()[0], 1),
        "sessions": args.sessions,
        "tools_in_first_request": sessions(args.sessions),
    }
    shutil.rmtree(home)
    print(json.dumps(found, indent=1))
    RESULTS.mkdir(exist_ok=True)
    (RESULTS / "client_start.json").write_text(json.dumps(found, indent=1) + "\n")


def connect(command: list[str]) -> tuple[float, float]:
    """Milliseconds from the start of the process to the list of tools and to the first result of a call."""
    began = time.perf_counter()
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as server:
        assert server.stdin is not None and server.stdout is not None
        at: dict[int, float] = {}
        for message in ASKED:
            server.stdin.write(json.dumps({"jsonrpc": "2.0", **message}).encode() + b"\n")
            server.stdin.flush()
            if "id" in message:
                json.loads(server.stdout.readline())
                at[message["id"]] = 1e3 * (time.perf_counter() - began)
        server.stdin.close()
    return at[1], at[2]


def cpu(runs: int) -> float:
    """Milliseconds of processor time of a process that lists the tools and answers one call; load hardly moves it."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    for _ in range(runs):
        connect([PYTHON, "-m", "agentmemory", "mcp"])
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    spent = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return round(1e3 * spent / runs, 1)


def starts(runs: int) -> dict[str, float]:
    """Milliseconds of a hook that finds no store, by how it is started; a bare interpreter beside it."""
    ways: dict[str, list[str]] = {
        "python -c pass": [PYTHON, "-c", "pass"],
        "hooks/agentmemory": [str(ROOT / "hooks" / "agentmemory"), "hook", "prompt-submit"],
        "agentmemory (console script)": [str(Path(PYTHON).parent / "agentmemory"), "hook", "prompt-submit"],
        "python -m agentmemory": [PYTHON, "-m", "agentmemory", "hook", "prompt-submit"],
    }
    took: dict[str, list[float]] = {name: [] for name in ways}
    for _ in range(runs):
        for name, command in ways.items():
            began = time.perf_counter()
            subprocess.run(command, input=b'{"prompt": "push it"}', stdout=subprocess.DEVNULL, check=True)
            took[name].append(1e3 * (time.perf_counter() - began))
    return {name: middle(each) for name, each in took.items()}


def sessions(runs: int) -> dict[str, int]:
    """In how many sessions the first request held all tools, by variant of the plugin."""
    variants: dict[str, Callable[[Path], None]] = {
        "front, alwaysLoad": lambda plugin: None,
        "front": _not_always,
        "no front, alwaysLoad": _no_front,
        "no front": lambda plugin: (_not_always(plugin), _no_front(plugin))[0],
    }
    return {name: _held(change, runs) for name, change in variants.items()}


def _held(change: Callable[[Path], None], runs: int) -> int:
    with tempfile.TemporaryDirectory() as folder, Standin() as standin:
        plugin, user = Path(folder) / "plugin", Path(folder) / "user"
        (user / "work").mkdir(parents=True)
        git(user / "work", "init", "-q")
        plugin.mkdir()
        for part in PLUGIN_PARTS:
            source = ROOT / part
            (shutil.copytree if source.is_dir() else shutil.copy)(source, plugin / part)
        change(plugin)
        person = Person(user, user / "memory", user / "work", standin)
        launch.record(str(person.memory))
        person.claude("plugin", "marketplace", "add", str(plugin))
        person.claude("plugin", "install", "mem@agentmemory", "--json")
        held = 0
        for _ in range(runs):
            standin.requests.clear()
            person.claude("-p", "list the files", ENABLE_TOOL_SEARCH="false")
            held += sum("agentmemory" in name for name in standin.tools_of_first()) == 8
        return held


def _not_always(plugin: Path) -> None:
    config = json.loads((plugin / ".mcp.json").read_text())
    del config["mcpServers"]["agentmemory"]["alwaysLoad"]
    (plugin / ".mcp.json").write_text(json.dumps(config))


def _no_front(plugin: Path) -> None:
    config = json.loads((plugin / ".mcp.json").read_text())
    config["mcpServers"]["agentmemory"].update(command=PYTHON, args=["-c", BARE])
    (plugin / ".mcp.json").write_text(json.dumps(config))


def middle(values: list[float]) -> float:
    """The median, in tenths."""
    return round(statistics.median(values), 1)


if __name__ == "__main__":
    main()
