"""What the README says is what the receipts say."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

from tests.conftest import REPOSITORY

README = (REPOSITORY / "README.md").read_text()


def test_figures_come_from_receipts() -> None:
    done = subprocess.run([sys.executable, "experiments/figures.py", "--check"], cwd=REPOSITORY, check=False)

    assert done.returncode == 0, "run `python experiments/figures.py`"


def test_tables_of_the_guide_come_from_receipts() -> None:
    from experiments import retrieval

    guide = retrieval.GUIDE.read_text()

    assert retrieval.tables(guide) == guide, "run `python experiments/retrieval.py --tables`"


def test_links_lead_somewhere() -> None:
    pages = [REPOSITORY / "README.md", REPOSITORY / "CONTRIBUTING.md", *REPOSITORY.glob("docs/**/*.md")]
    broken = []
    for page in pages:
        for target, _, place in (link.partition("#") for link in re.findall(r"\]\(([^)]+)\)", page.read_text())):
            if target.startswith(("http://", "https://", "mailto:")):
                continue
            there = page.parent / target if target else page
            if not there.exists() or (place and place not in headings(there)):
                broken.append(f"{page.relative_to(REPOSITORY)} -> {target}#{place}")
    assert broken == []


def headings(page: Path) -> set[str]:
    """What links to the headings of a page are called."""
    said = re.findall(r"^#+ (.+)$", page.read_text(), re.MULTILINE)
    return {re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-") for heading in said}


def test_commands_named_in_the_readme_exist() -> None:
    from agentmemory.cli import parser

    (commands,) = (a for a in parser()._actions if a.dest == "command")
    known = {*(commands.choices or ()), "hook"}
    named = set(re.findall(r"^ *(?:\$ )?agentmemory ([a-z-]+)", README, re.MULTILINE)) | set(
        re.findall(r"`agentmemory ([a-z-]+)", README)
    )
    assert named - known == set()


def test_scripts_named_beside_figures_exist() -> None:
    figures = (REPOSITORY / "docs" / "figures.md").read_text()
    named = set(re.findall(r"experiments/[a-z_]+\.py", README + figures))

    assert [name for name in named if not (REPOSITORY / name).exists()] == []
