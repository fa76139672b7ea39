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


def test_a_thing_of_two_scopes_is_listed_once(project: Path, token: str) -> None:
    for place in ([], ["--everywhere"]):
        text = f"{token}-api is read by {token}-{len(place)}-client"
        subprocess.run([*RUN, "remember", *place, text], check=True, capture_output=True)

    top = json.loads(subprocess.run([*RUN, "entities", "--json"], check=True, capture_output=True, text=True).stdout)

    assert [row["mentions"] for row in top if row["name"] == f"{token}-api"] == [2]


def test_a_thing_with_two_names_is_listed_once(project: Path) -> None:
    for text in ("Heron is our EU cluster.", "Heron runs on arm", "Deploys go to EU Cluster first"):
        subprocess.run([*RUN, "remember", text], check=True, capture_output=True)

    top = json.loads(subprocess.run([*RUN, "entities", "--json"], check=True, capture_output=True, text=True).stdout)
    found = [(row["name"], row["mentions"]) for row in top]

    assert ("Heron", 3) in found
    assert "EU cluster" not in dict(found)
