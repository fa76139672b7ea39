"""Beliefs that cannot both hold are found; beliefs that only look alike are left in peace."""

import pytest

from agentmemory.learn import contradictions, health
from agentmemory.learn.revise import revise
from agentmemory.store import beliefs, conflicts, jobs, writer
from agentmemory.values import Candidate

FILLER = (
    "Screenshots live in the assets bucket.",
    "The changelog is written in the imperative mood.",
    "Feature flags are evaluated on the edge.",
    "Invoices are rendered with LaTeX templates.",
    "Onboarding emails go out through Postmark.",
    "The search index is rebuilt every night.",
    "Translations are exported from Weblate.",
    "Dashboards are kept in Grafana folders by team.",
)


def hold(db, text, provenance="user", at=1.0, kind="fact", locked=False):
    """Put a belief there as `revise` would, without its looking for a predecessor."""
    return beliefs.add(
        db, beliefs.New(scope=1, kind=kind, text=text, provenance=provenance, valid_from=at, created=at, locked=locked)
    )


@pytest.fixture
def store(db):
    with writer.transaction(db):
        for i, text in enumerate(FILLER):
            hold(db, text, at=float(i) / 10)
    return db


def pairs(db):
    return [(found.newer.text, found.older.text) for found in contradictions.find(db, 1)]


CONFLICTING = [
    ("The billing API listens on port 8443.", "The billing API listens on port 9443."),
    ("We run Postgres 15.4 for the ledger.", "The ledger runs on Postgres 16.1."),
    ("Backups of the ledger run at 02:00.", "Ledger backups run at 04:30."),
    ("The session token expires after 30 minutes.", "Session token expires after 60 minutes."),
    ("Deployments go to the eu-west-1 region.", "All deployments go to us-east-1."),
    ("The staging database host is db1.staging.internal.", "The staging database host is db7.staging.internal."),
    ("Use npm for installing packages.", "Never use npm for installing packages."),
    ("Squash commits before merging a branch.", "Do not squash commits before merging a branch."),
    ("The upload limit is 20 MB per file.", "The upload limit per file is 50 MB."),
    ("Releases happen on Tuesdays.", "Releases happen on Thursdays."),
    ("The upload limit is 1 GB per file.", "The upload limit per file is 512 MB."),
]
COMPATIBLE = [
    ("The upload limit is 1 GB per file.", "The upload limit per file is 1024 MB."),
    ("The session token expires after 14 days.", "Session token expires after two weeks."),
    ("The billing API listens on port 8443.", "The metrics worker listens on port 9443."),
    ("Staging runs Postgres 15.4.", "Production runs Postgres 16.1."),
    ("Use pnpm, not npm, for packages.", "Never use npm for packages."),
    ("The upload limit is 20 MB per file.", "The upload timeout is 50 seconds per file."),
    ("Never push to main.", "Push feature branches to origin."),
    ("Backups of the ledger run at 02:00.", "The ledger report is mailed at 07:00."),
    ("Do not edit generated files.", "Generated files live in src/gen."),
    ("The API key rotates every 30 days.", "The TLS certificate rotates every 90 days."),
    ("Tests run with pytest.", "Tests do not need the network."),
    ("The frontend uses Vite 5.2.", "The frontend uses React 18.3."),
]


@pytest.mark.parametrize(("older", "newer"), CONFLICTING)
def test_a_pair_that_cannot_both_hold_is_found(store, older, newer):
    with writer.transaction(store):
        hold(store, older, at=10.0)
        hold(store, newer, at=20.0)

    assert pairs(store) == [(newer, older)]


@pytest.mark.parametrize(("one", "other"), COMPATIBLE)
def test_a_pair_that_can_both_hold_is_left_alone(store, one, other):
    with writer.transaction(store):
        hold(store, one, at=10.0)
        hold(store, other, at=20.0)

    assert pairs(store) == []


def test_the_cold_job_marks_the_pair_and_health_shows_it(store):
    with writer.transaction(store):
        older = hold(store, "The billing API listens on port 8443.", at=10.0)
        newer = hold(store, "The billing API listens on port 9443.", at=20.0)
    contradictions.run(store, jobs.Job(1, "contradictions", None, {}, 0), 30.0)

    assert [(newer, older)] == [(a, b) for a, b, _ in conflicts.marked(store, (1,))]
    report = health.report(store, (1,))
    assert report["contradictions"][0]["why"] == "port: 9443 against 8443"
    assert "9443 against 8443" in health.told(report)


def test_a_pair_that_agrees_again_is_unmarked(store):
    with writer.transaction(store):
        older = hold(store, "The billing API listens on port 8443.", at=10.0)
        newer = hold(store, "The billing worker exports csv files.", at=20.0)
        conflicts.mark(store, newer, older, "was so once", 21.0)
        contradictions.settle(store, 1, contradictions.find(store, 1), 30.0)

    assert conflicts.marked(store, (1,)) == []


def test_the_newer_word_of_the_user_wins_over_what_a_tool_said(store):
    with writer.transaction(store):
        older = hold(store, "The billing API listens on port 8443.", provenance="tool", at=10.0)
        hold(store, "The billing API listens on port 9443.", at=20.0)
        contradictions.settle(store, 1, contradictions.find(store, 1), 30.0)

    assert beliefs.get(store, older).state == "retracted"


def test_what_a_tool_says_later_never_takes_back_the_users_word(store):
    with writer.transaction(store):
        older = hold(store, "The billing API listens on port 8443.", at=10.0)
        hold(store, "The billing API listens on port 9443.", provenance="tool", at=20.0)
        contradictions.settle(store, 1, contradictions.find(store, 1), 30.0)

    assert beliefs.get(store, older).state == "active"
    assert len(conflicts.marked(store, (1,))) == 1


def test_beliefs_of_two_projects_do_not_contradict(store, tmp_path):
    from agentmemory.store import scopes

    with writer.transaction(store):
        here = scopes.project(store, str(tmp_path / "a"), "", 1.0)
        there = scopes.project(store, str(tmp_path / "b"), "", 1.0)
        for scope, port in ((here, 8443), (there, 9443)):
            revise(store, Candidate(kind="fact", text=f"The billing API listens on port {port}.", scope=scope), 5.0)

    assert contradictions.find(store, here) == contradictions.find(store, there) == []


def test_a_crowd_of_alike_beliefs_does_not_grow_with_its_square(store):
    """Counted: a word that many share pairs nobody."""
    with writer.transaction(store):
        for i in range(300):
            hold(store, f"Customer {i:04d} record is archived in vault shelf{i}", at=float(i))
    sides = [contradictions._Side(row) for row in conflicts.live(store, 1)]
    counts = contradictions.Counter(s for side in sides for s in side.subject)

    assert len(list(contradictions._pairs(sides, counts, {}))) < 10 * len(sides)
