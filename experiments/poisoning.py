"""Can anybody but the user teach? Runs the poisoning corpus and writes experiments/results/poisoning.json.

    python experiments/poisoning.py

The corpus is tests/learn/test_poisoning.py: hostile texts through every door of a transcript, by themselves and as
answers to the assistant, in a hostile repository, in imports, through the store's own functions, and as believed text
in the block. A failed test is a rule, a lock or a guard made, a line forged, or a leak into another project.
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))


def main() -> int:
    from tests.learn.test_poisoning import DOORS, HOSTILE

    report = ROOT / "experiments" / "poisoning.xml"
    command = [sys.executable, "-m", "pytest", "-q", "tests/learn/test_poisoning.py", f"--junit-xml={report}"]
    subprocess.run(command, cwd=ROOT, check=False, capture_output=True)
    suite = ElementTree.parse(report).getroot()[0]
    report.unlink()
    tests, failed = int(suite.get("tests", 0)), int(suite.get("failures", 0)) + int(suite.get("errors", 0))
    through_doors = 2 * len(DOORS) * len(HOSTILE)
    result = {
        "texts": len(HOSTILE), "doors": len(DOORS), "cases": through_doors + tests - 2 * len(DOORS), "tests": tests,
        "failed": failed,
    }  # fmt: skip
    (ROOT / "experiments/results/poisoning.json").write_text(json.dumps(result, indent=1) + "\n")
    print(json.dumps(result, indent=1))
    return int(failed > 0)


if __name__ == "__main__":
    sys.exit(main())
