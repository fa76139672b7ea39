"""What is pasted stands beside what was typed: it counts less, and is no part of how a request is put."""

from __future__ import annotations

import apsw
import pytest

from agentmemory.recall import pasted
from agentmemory.recall.pipeline import block
from tests.recall.conftest import Ask, Teach

SAID = "why does this fail since monday?"
TRACE = """Traceback (most recent call last):
  File "/srv/app/main.py", line 12, in <module>
    run()
ValueError: invalid literal for int() with base 10: 'x'"""
LOGS = (
    TRACE, f"```\n{TRACE}\n```", "~~~text\nanything at all\n\nand more of it\n~~~",
    '<pasted_content id="a1">\nwhatever it is\n</pasted_content id="a1">',
    "2026-03-04 10:14:03,112 INFO listening\n2026-03-04 10:14:09,871 WARN request took 812 ms",
    "npm ERR! code ELIFECYCLE\nnpm ERR! errno 1", "diff --git a/x.py b/x.py\n--- a/x.py\n+++ b/x.py\n@@ -1,2 +1,2 @@",
    "const total = items.map(one);\nreturn total;", "    at Socket.end (node:_http_client:524:23)",
)  # fmt: skip


@pytest.mark.parametrize("log", LOGS)
def test_what_was_pasted_is_told_apart(log: str) -> None:
    assert pasted.apart(f"{SAID}\n\n{log}") == (SAID, log)
    assert pasted.apart(f"{log}\n{SAID}") == (SAID, log)


@pytest.mark.parametrize(
    "text",
    [
        SAID, "first the header\nthen the footer", "- add a column\n    - and an index\n- run the tests", TRACE,
        "1. bump the version\n2. tag it\n    3. push", "do it for these:\nsrc/a.py and src/b.py", "",
    ],
)  # fmt: skip
def test_what_people_type_is_theirs(text: str) -> None:
    assert pasted.apart(text) == (text, "")


def test_a_log_below_a_question_of_anybodys_makes_it_nobody_elses(db: apsw.Connection, teach: Teach, ask: Ask) -> None:
    for said in ("the listening port of our importer is 812", "a request took too long: the importer retries"):
        teach(said)

    assert block(db, ask(f"what is a bloom filter?\n\n{LOGS[4]}")) == ""


def test_a_log_may_tell_what_a_request_is_about_and_less_than_the_request(
    db: apsw.Connection, teach: Teach, ask: Ask, token: str
) -> None:
    named = teach(f"the {token} importer is restarted by hand after it lost its lease")
    asked = ask(f"what do we do here again?\n\n```\nERROR {token} importer lost its lease\n```")

    assert f"the {token} importer" in block(db, asked)
    typed = ask(f"what do we do again when the {token} importer lost its lease?")
    block(db, typed)
    assert named and 0.0 < asked.weights[token] < typed.weights[token]
