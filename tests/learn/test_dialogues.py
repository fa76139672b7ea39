"""The dialogues that learning and blocks are judged by: their form, and how one is judged."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from experiments import dialogues

TALK = (
    ("a", "2026-03-02T09:00:00Z", "from now on deploy shop with `make ship`", "Understood, `make ship` it is.", {}),
    ("b", "2026-03-02T09:10:00Z", "run the tests", "All 12 tests pass.", {"label": "work"}),
    ("c", "2026-04-02T09:00:00Z", "we no longer deploy shop with `make ship`, always use `bin/go` now",
     "Got it, `bin/go` from now on.", {"label": "change", "of": "a"}),
)  # fmt: skip
PROMPTS = (
    ("p", "2026-03-10T09:00:00Z", "how do we deploy shop?", {"needs": ["a"], "kind": "direct"}),
    ("q", "2026-04-10T09:00:00Z", "deploy shop", {"needs": ["c"], "stale": ["a"], "kind": "temporal"}),
    ("r", "2026-04-11T09:00:00Z", "what is a monad?", {"silent": True, "kind": "silent"}),
)


def written(path: Path, client: str) -> Path:
    """A set of one project."""
    about = {"project": "shop", "client": client, "label": "keep", "of": None}
    rows: list[dict[str, object]] = [
        {**about, "id": id, "session": at[:10], "at": at, "user": user, "answer": answer, **more}
        for id, at, user, answer, more in TALK
    ]
    asks = {"project": "shop", "label": "prompt", "needs": [], "useful": [], "stale": [], "silent": False}
    rows += [{**asks, "id": id, "session": id, "at": at, "prompt": prompt, **more} for id, at, prompt, more in PROMPTS]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


@pytest.mark.parametrize("client", ["claude", "codex"])
def test_exchanges_and_prompts_are_judged_by_where_a_statement_comes_from(tmp_path: Path, client: str) -> None:
    judgements, told = dialogues.played(dialogues.read(written(tmp_path / "set.jsonl", client)))

    assert {each.case["id"]: each.result for each in judgements} == {"a": "stands", "b": "no", "c": "gave way"}
    assert [(each.missing, each.stale, bool(each.block)) for each in told] == [
        ({}, [], True), ({}, [], True), ({}, [], False),
    ]  # fmt: skip
    figures = dialogues.figures(judgements, told)
    assert figures["change"] | {"became": {}} == {"of": 1, "gave way": 1.0, "or on one line": 1.0, "became": {}}
    assert (figures["prompts"]["sound"], figures["prompts"]["current"], figures["prompts"]["empty"]) == (1.0, 1.0, 1.0)
    assert not list(dialogues.wrong(judgements, told))


def test_what_was_replaced_is_current_only_without_what_replaced_it(tmp_path: Path) -> None:
    exchanges = [row for row in dialogues.read(written(tmp_path / "set.jsonl", "claude")) if row["label"] != "prompt"]
    old, new = (dialogues.Belief(id, "active", "", "", None, 0.0) for id in (1, 2))
    known = dialogues.Known({1: old, 2: new}, {"a": [old], "b": [], "c": [new]}, set())

    def alone(at: str, *lines: set[int]) -> bool:
        return dialogues.stands_alone(exchanges[0], at, exchanges, known, lines)

    assert alone("2026-05-01T00:00:00Z", {1}, {2})
    assert not alone("2026-05-01T00:00:00Z", {1, 2})


@pytest.mark.parametrize("path", [*dialogues.SETS, *dialogues.ASIDE], ids=lambda path: path.stem)
def test_what_a_set_names_was_said_before(path: Path) -> None:
    rows = dialogues.read(path)
    exchanges = {row["id"]: row for row in rows if row["label"] != "prompt"}
    prompts = [row for row in rows if row["label"] == "prompt"]

    assert len({row["id"] for row in rows}) == len(rows)
    assert {row["label"] for row in exchanges.values()} <= set(dialogues.LABELS)
    assert {row["kind"] for row in prompts} <= {*dialogues.KINDS, "silent"}
    for row in rows:
        named = [*row.get("needs", ()), *row.get("useful", ()), *row.get("stale", ()), *filter(None, [row.get("of")])]
        assert all(exchanges[id]["at"] < row["at"] for id in named), row["id"]
        assert all(exchanges[id]["project"] == row["project"] for id in named), row["id"]
    for row in prompts:
        assert row["silent"] == (row["kind"] == "silent") == (not row["needs"]), row["id"]
        before = [each for each in exchanges.values() if each["at"] < row["at"]]
        assert all(dialogues.changed_by(id, before) for id in row["stale"]), row["id"]
