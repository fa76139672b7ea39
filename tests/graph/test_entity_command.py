"""`agentmemory entities` shows what is named most and what stands beside a thing."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

RUN = [sys.executable, "-m", "agentmemory"]


def test_the_neighbours_of_a_thing_are_printed(project: Path, token: str) -> None:
    for i in (1, 2):
        text = f"{token}-api case {i} writes to {token}-db"
        subprocess.run([*RUN, "remember", text], check=True, capture_output=True)

    top = json.loads(subprocess.run([*RUN, "entities", "--json"], check=True, capture_output=True, text=True).stdout)
    near = subprocess.run([*RUN, "entities", f"{token}-api", "--json"], check=True, capture_output=True, text=True)

    assert {row["name"] for row in top} >= {f"{token}-api", f"{token}-db"}
    assert [(row["name"], row["weight"]) for row in json.loads(near.stdout)] == [(f"{token}-db", 2.0)]
