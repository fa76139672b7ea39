"""A thing that a belief names is looked for under the same norm when a prompt names it, in any spelling."""

import pytest

from agentmemory.learn.entities import extract
from agentmemory.recall.entities import names
from agentmemory.recall.structure import structure
from agentmemory.records import Query

SPELLINGS = [
    ("Billing_API", "billing-api"),
    ("billing-api", "BillingApi's"),
    ("src/app.py", "./src/app.py"),
    ("./src/app.py", "src/app.py"),
    ("src/app.py", "@src/app.py:12"),
    ("src/app.py", "src/App.py:12-30,"),
    ("foo-bar", "foo-bar/"),
    ("a.b.com", "https://a.b.com/c?x=1"),
    ("localhost:3000", "http://localhost:3000/health"),
    ("@scope/pkg", "@scope/pkg"),
    ("--no-verify", "--no-verify"),
    ("foo.bar()", "foo.bar()"),
    ("node.js", "Node.js?"),
    ("PROJ-123", "proj-123"),
    ("Müller", "müller's"),
]


@pytest.mark.parametrize(("told", "asked"), SPELLINGS)
def test_a_prompt_finds_what_a_text_names(told: str, asked: str) -> None:
    norms = {named.norm for named in extract(f"from now on we use {told} for that")}
    query = Query(f"what about {asked}", 0.0, (1,))
    structure(None, query, [])  # type: ignore[arg-type]

    assert norms and norms <= set(names(query))
