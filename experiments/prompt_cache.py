"""What injection costs the provider's prompt cache, counted in the requests of the real Claude Code.

    python experiments/prompt_cache.py [--write]

Two sessions of fifty prompts against a stand-in model (`make setup` brings the client), one with the memory and one
without. A provider reads from its cache the longest beginning that two requests share; what an earlier request held
and a later one does not repeat there is lost. Half-way a rule is locked, so the standing part changes once.
Receipt: experiments/results/prompt_cache.json.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from agentmemory.recall.render import BACKGROUND, STANDING, STATE  # noqa: E402
from tests.clients.conftest import CLIENTS, Person  # noqa: E402
from tests.clients.standin import Standin  # noqa: E402
from tests.conftest import git  # noqa: E402

RECEIPT = ROOT / "experiments" / "results" / "prompt_cache.json"
AREAS = ("billing", "search", "import", "mail", "login", "export", "audit", "catalog", "webhook", "report")
BELIEFS = (
    "the {0} service listens on port {1}",
    "always run make check-{0} before you push a change of {0}",
    "{0} tests live in tests/{0}_spec.py and use the factory in tests/factories.py",
    "we moved {0} from mysql to postgres {1} because of the locks",
)
ASKED = (
    "which port does {} listen on?",
    "add a retry to the {} client",
    "write a test for {}",
    "why did {} leave mysql?",
    "push the fix of {}",
)
LOCKED = ("Never use git push --force.", "Commit messages are in the imperative.", "Never edit vendor/ by hand.")
CHARS_A_TOKEN = 4


def main() -> None:
    """Run both sessions, print the figures, keep them with --write."""
    ap = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ap.add_argument("--write", action="store_true", help="keep the receipt")
    args = ap.parse_args()
    prompts = [form.format(area) for form in ASKED for area in AREAS]
    plain, _ = counted(session(prompts, memory=False))
    held, standing = counted(session(prompts, memory=True))
    figures = {
        "prompts": len(prompts),
        "sent_tokens": held["sent"],
        "lost_tokens": held["lost"],
        "lost_without_memory": plain["lost"],
        "loss_percent": round(100 * max(0, held["lost"] - plain["lost"]) / held["sent"], 3),
        "injected_tokens": held["injected"],
        "blocks": held["blocks"],
        "standing_parts": len(standing),
    }
    print(json.dumps(figures, indent=1))
    if args.write:
        RECEIPT.write_text(json.dumps(figures, indent=1) + "\n")


def session(prompts: list[str], memory: bool) -> list[dict[str, Any]]:
    """The requests of one session, in order; half-way a third rule is locked."""
    with tempfile.TemporaryDirectory() as folder, Standin() as standin:
        user = Path(folder)
        (user / "work").mkdir()
        git(user / "work", "init", "-q")
        person = Person(user, user / "memory", user / "work", standin)
        if memory:
            for i, area in enumerate(AREAS):
                for form in BELIEFS:
                    person.agentmemory("remember", form.format(area, 9000 + i))
            for rule in LOCKED[:2]:
                person.agentmemory("lock", rule)
            person.agentmemory("setup", "--client", "claude-code")
        command = (str(CLIENTS / "claude"), "-p", "--verbose")
        streams = ("--input-format", "stream-json", "--output-format", "stream-json")
        with subprocess.Popen(
            [*command, *streams], cwd=person.project, env=person.environment(AGENTMEMORY_WORKER="off"), text=True,
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
        ) as client:  # fmt: skip
            assert client.stdin is not None and client.stdout is not None
            for i, prompt in enumerate(prompts):
                if memory and i == len(prompts) // 2:
                    person.agentmemory("lock", LOCKED[2])
                said = {"type": "user", "message": {"role": "user", "content": prompt}}
                client.stdin.write(json.dumps(said) + "\n")
                client.stdin.flush()
                for line in client.stdout:
                    if json.loads(line).get("type") == "result":
                        break
            client.stdin.close()
        return [r for r in standin.prompts() if len(r.get("tools", [])) > 1]


def counted(requests: list[dict[str, Any]]) -> tuple[dict[str, int], set[str]]:
    """Tokens sent, tokens of the request before that the next one does not begin with; the standing parts seen."""
    sent = lost = 0
    before = ""
    for request in requests:
        now = "\x00".join(pieces(request))
        sent += len(now)
        lost += len(before) - common(before, now)
        before = now
    blocks = [text for text in pieces(requests[-1]) if any(h in text for h in (STANDING, STATE, BACKGROUND))]
    standing = {block.split(STANDING)[1].split("\n== ")[0] for block in blocks if STANDING in block}
    injected = sum(len(block) for block in blocks)
    tokens = {"sent": sent, "lost": lost, "injected": injected}
    return {name: n // CHARS_A_TOKEN for name, n in tokens.items()} | {"blocks": len(blocks)}, standing


def pieces(request: dict[str, Any]) -> Iterator[str]:
    """What the model reads, in the provider's order: tools, system, messages; without the marks of the cache."""
    for part in ("tools", "system", "messages"):
        for each in request.get(part) or []:
            content = each.get("content") if part == "messages" else None
            for block in content if isinstance(content, list) else [each if content is None else content]:
                yield text_of(block)


def text_of(block: Any) -> str:
    """A block of a request as text."""
    if isinstance(block, dict):
        kept = {name: value for name, value in block.items() if name != "cache_control"}
        return str(kept.get("text") or json.dumps(kept, sort_keys=True))
    return str(block)


def common(a: str, b: str) -> int:
    """Characters at the beginning that two texts share."""
    low, high = 0, min(len(a), len(b))
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if a[:middle] == b[:middle] else (low, middle - 1)
    return low


if __name__ == "__main__":
    main()
