"""The guard on the corpus in tests/data: forbidden actions in many spellings, what looks like them, ordinary work.

`tune` was looked at while the parser was made, `held` not. `later`, `last`, `voices`, `aside` and `fresh` are rules in
odder words, written down when the rest stood; docs/guard.md tells what each split showed at the first look.
"""

from collections import defaultdict

import pytest

from agentmemory import guard
from agentmemory.learn.guards import compile, guard_of
from experiments.guard_corpus import event, oddly_stopped, oddly_worded, rows, stops


@pytest.fixture(scope="module")
def guards():
    return {rule["id"]: [guard_of(p) for p in compile(rule["rule"])] for rule in rows("rules")}


def stopped(guards, row):
    return stops(row, guards[row["rule"]])


def test_the_corpus_is_as_large_as_it_says():
    assert len(rows("rules")) >= 25
    assert len(rows("forbidden")) >= 300
    assert len(rows("ordinary")) >= 3000


@pytest.mark.parametrize(
    ("split", "missed_at_most"),
    [("tune", 0.01), ("held", 0.03), ("later", 0.03), ("last", 0.1), ("voices", 0.0), ("aside", 0.0), ("fresh", 0.02)],
)
def test_forbidden_actions_are_stopped_in_every_spelling(guards, split, missed_at_most):
    wanted = [row for row in rows("forbidden") if row["split"] == split]
    missed = [row for row in wanted if not stopped(guards, row)]

    assert len(missed) <= missed_at_most * len(wanted), missed


def test_what_a_rule_prescribes_is_never_stopped(guards):
    assert [row for row in rows("allowed") if row["why"] == "prescribed" and stopped(guards, row)] == []


def test_what_only_looks_like_it_is_not_stopped(guards):
    similar = [row for row in rows("allowed") if row["why"] == "similar"]

    assert [row for row in similar if stopped(guards, row)] == []


def test_ordinary_commands_run_under_all_rules_at_once(guards):
    named = [rule["id"] for rule in rows("rules") if rule["split"] in ("tune", "held")]
    everything = [row for rule in named for row in guards[rule]]
    stopped = defaultdict(list)
    commands = rows("ordinary")
    for row in commands:
        verdict = guard.check(event(row), everything)
        if verdict:
            stopped[verdict.guard.tool].append(row["command"])

    assert sum(map(len, stopped.values())) <= 0.001 * len(commands), dict(stopped)


def test_oddly_worded_rules_stop_nothing_ordinary_that_they_do_not_mean():
    commands, rules = rows("ordinary"), oddly_worded()
    wrong = [(rule, command) for rule, command, meant in oddly_stopped(commands, rules) if not meant]

    assert len(wrong) <= 0.00001 * len(commands) * len(rules), wrong
