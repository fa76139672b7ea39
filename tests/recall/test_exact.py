"""A search for what is written like a code says so where nothing stored holds it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from agentmemory.cli import main
from agentmemory.memory import Memory
from agentmemory.values import Utterance


@pytest.fixture
def filled(project: Path) -> None:
    with Memory() as memory:
        memory.remember("ticket PCL-211 tracks the slow importer", kind="fact")
        memory.remember("the web folder keeps yarn_v1 lockfiles and asks GPT4 for help, within 30 minutes")
        said = "PCL 300 was closed, the lamp hangs in us-east-1; see also 999 of PCL and pclApi-7"
        memory.add_turns("s", [Utterance(0, "user", said, 1.0)])
    with Memory(project=str(project.parent)) as other:
        other.remember("ticket PCL-777 is of another project")


@pytest.mark.parametrize(("query", "missing"), [
    ("PCL-999", ["PCL-999"]), ("PCL-211", []), ("what about pcl-211?", []), ("PCL_211", []), ("PCL-300", []),
    ("PCL-777", ["PCL-777"]), ("yarn_v2 or yarn_v1, and PCL-5", ["yarn_v2", "PCL-5"]), ("gpt-4", []),
    ("GPT-5", ["GPT-5"]),
    ("us-east-1", []), ("(us-east-2)", ["us-east-2"]), ("PCLAPI-7", []), ("PclApi-7.", []),
    ("the 20-minute timeout", []), ("on May-3 or 3-May", []), ("2026-05-03", []), ("slow-importer --limit-5", []),
    ("", []), ("the-a1", ["the-a1"]),
    ("it's 'zz-1\"", ["zz-1"]),
])  # fmt: skip
def test_only_what_nothing_here_holds_is_named(filled: None, query: str, missing: list[str]) -> None:
    with Memory() as memory:
        assert memory.nowhere(query) == missing


def test_the_table_says_it_before_what_shares_other_words(filled: None, capsys: pytest.CaptureFixture[str]) -> None:
    main(["search", "PCL-999"])
    out = capsys.readouterr().out
    assert out.startswith('Nothing stored holds "PCL-999"; this shares other words:\n') and "PCL-211" in out

    main(["search", "PCL-999", "--json"])
    told = capsys.readouterr()
    assert json.loads(told.out) and told.err == 'agentmemory: nothing stored holds "PCL-999"\n'

    for known in (["search", "PCL-211"], ["search", "QQQ-999999"]):
        main(known)
        assert "holds" not in "".join(capsys.readouterr())
