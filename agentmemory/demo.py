"""The main job in a temporary home: sessions of past weeks are learned, a prompt of today gets its block."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from agentmemory import paths
from agentmemory.paths import DAY, iso

#: (days ago, what was said)
SESSIONS: tuple[tuple[float, tuple[tuple[str, str], ...]], ...] = (
    (
        23.0,
        (
            ("user", "the release is tagged, get it onto github"),
            ("assistant", "I ran `git push github main --tags`. The push went through."),
            (
                "user",
                "NEVER use git push github directly. Use scripts/publish-to-github.sh.",
            ),
            (
                "assistant",
                "Understood. I ran scripts/publish-to-github.sh; it removed two internal paths and published.",
            ),
            ("user", "the github remote is git@github.com:oldorg/tool.git, in case you need it for the links"),
            ("assistant", "Noted, the links in the changelog point there now."),
        ),
    ),
    (
        9.0,
        (
            ("user", "before a release is published: first make changelog, then bump the version in pyproject.toml"),
            ("assistant", "Done: the changelog is regenerated and the version is 1.4.0."),
            ("user", "skip the changelog for this one though, it's only a typo fix"),
        ),
    ),
    (
        2.0,
        (
            ("user", "we moved: the github remote is git@github.com:neworg/tool.git now, not oldorg anymore"),
            ("assistant", "Updated the remote and the links."),
        ),
    ),
)
PROMPT = "push the release to github"
ORDINARY = "what does http 409 stand for"


def demo() -> int:
    """Play the scene and explain it; 0 when the block says what it must, else 1."""
    from rich.console import Console
    from rich.panel import Panel
    from rich.text import Text

    console = Console()
    with tempfile.TemporaryDirectory(prefix="agentmemory-demo-") as folder:
        home, project = os.path.join(folder, "home"), os.path.join(folder, "tool")
        os.makedirs(project)
        now = paths.now()
        console.rule("What was said in earlier sessions")
        for days, said in SESSIONS:
            _learn(home, project, now - days * DAY, said)
            for role, text in said:
                if role == "user":
                    console.print(Text(f"{days:>4.0f} days ago   {text}"))
        console.rule("What is typed today")
        console.print(Text(PROMPT, style="bold"))
        block, seconds = _hook(home, project, now, PROMPT)
        console.print(Panel(Text(block or "(nothing)"), title="what the agent reads with it"))
        console.print(f"The hook took {1000 * seconds:.0f} ms, start of its process included.")
        quiet, _ = _hook(home, project, now, ORDINARY)
        console.print(f"For an ordinary prompt ({ORDINARY!r}) it says {quiet if quiet else 'nothing'!r}.")
    missing = _missing(block)
    for each in missing:
        console.print(f"[red]missing:[/red] {each}")
    return 1 if missing else 0


def _missing(block: str) -> list[str]:
    """What the scene must show and does not."""
    wanted = {
        "the rule": "git push github" in block,
        "the procedure": "scripts/publish-to-github.sh" in block,
        "the current remote": "neworg/tool.git" in block,
        "no stale remote standing as current": all(
            "neworg" in line for line in block.splitlines() if "oldorg/tool.git" in line
        ),
    }
    return [name for name, shown in wanted.items() if not shown]


def _learn(home: str, project: str, at: float, said: tuple[tuple[str, str], ...]) -> None:
    transcript = Path(project).parent / f"session-{int(at)}.jsonl"
    lines = [{"role": role, "text": text, "at": iso(at + 60 * i)} for i, (role, text) in enumerate(said)]
    transcript.write_text("".join(json.dumps(line) + "\n" for line in lines))
    done = _run(["learn", str(transcript)], home, project, at + 3600)
    if done.returncode:
        raise OSError(f"the demo could not learn: {done.stderr.strip()[-500:]}")


def _hook(home: str, project: str, now: float, prompt: str) -> tuple[str, float]:
    """The block of one prompt through the real hook process, and how long that took in seconds."""
    event = {"hook_event_name": "UserPromptSubmit", "session_id": "demo", "cwd": project, "prompt": prompt}
    start = time.perf_counter()
    done = _run(["hook", "prompt-submit"], home, project, now, json.dumps(event))
    seconds = time.perf_counter() - start
    out = json.loads(done.stdout) if done.stdout.strip() else {}
    return out.get("hookSpecificOutput", {}).get("additionalContext", ""), seconds


def _run(args: list[str], home: str, project: str, now: float, stdin: str = "") -> subprocess.CompletedProcess[str]:
    env = {**os.environ, "AGENTMEMORY_HOME": home, "AGENTMEMORY_NOW": iso(now)}
    command = [sys.executable, "-m", "agentmemory", *args]
    return subprocess.run(command, input=stdin, text=True, capture_output=True, cwd=project, env=env, check=False)
