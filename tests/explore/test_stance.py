"""Which clause of a belief speaks of a question, on which side, and what it has in the place of what is asked about."""

from __future__ import annotations

import re

import pytest

from agentmemory.explore.clauses import clauses, plain
from agentmemory.explore.reason import reason
from tests.explore.worlds import project


@pytest.mark.parametrize(
    ("said", "right", "wrong"),
    [
        (
            "The {} index no longer lives on disk 3, it lives on disk 7",
            "does the {} index live on disk 7?",
            "does the {} index live on disk 3?",
        ),
        (
            "The {} freeze is no longer on Fridays, it is on Thursdays now",
            "is the {} freeze on Thursdays?",
            "is the {} freeze on Fridays?",
        ),
        ("we don't log {} to files, we log it to stdout", "do we log {} to stdout?", "do we log {} to files?"),
        ("we lint {} with ruff instead of flake8 since May", "do we lint {} with ruff?", "do we lint {} with flake8?"),
        (
            "{} images are built with buildah rather than docker",
            "are {} images built with buildah?",
            "are {} images built with docker?",
        ),
        (
            "we decided to use Postgres 16 instead of MySQL for {} because we need partial indexes",
            "do we use Postgres for {}?",
            "do we use MySQL for {}?",
        ),
        ("we use Fly machines instead of Heroku for {}", "do we use Fly for {}?", "do we use Heroku for {}?"),
        ("we use poetry, not pipenv, for {}", "do we use poetry for {}?", "do we use pipenv for {}?"),
        (
            "never commit to {} directly, open a pull request",
            "should i open a pull request?",
            "can i commit to {} directly?",
        ),
        (
            "the {} rate is stored per country and never hardcoded",
            "is the {} rate stored per country?",
            "is the {} rate hardcoded?",
        ),
        ("the {} cache stays because nobody measured it", "does the {} cache stay?", "does the {} cache not stay?"),
        (
            "the {} worker runs four threads",
            "does the {} worker run 4 threads?",
            "does the {} worker run eight threads?",
        ),
    ],
)  # fmt: skip
def test_a_denial_turns_its_own_clause_only(db, token: str, said: str, right: str, wrong: str) -> None:
    w = project(db)
    w.tell("said", "fact", said.format(token))

    assert reason(db, right.format(token), w.scopes, w.now).verdict == "supported"
    assert reason(db, wrong.format(token), w.scopes, w.now).verdict == "opposed"


@pytest.mark.parametrize(
    ("said", "asked"),
    [
        ("never push {}, merge it to main or tag it on main", "may i merge {} to main?"),
        ("we don't allow trailing spaces, long lines and tabs in {}", "do we allow long lines in {}?"),
        ("no trailing spaces, long lines and tabs in {}", "are long lines in {} fine?"),
        ("if the {} queue is full, do not retry the upload", "do we retry the upload if the {} queue is full?"),
        ("never restart {} while a job is running", "can i restart {} while a job is running?"),
        ("don't keep {} backups longer than 30 days", "may we keep {} backups for 90 days?"),
        ("we don't support {} on python 3.8, 3.9 and 3.10", "do we support {} on python 3.9?"),
    ],
)  # fmt: skip
def test_a_denial_holds_for_all_of_its_list(db, token: str, said: str, asked: str) -> None:
    w = project(db)
    w.tell("said", "rule", said.format(token))

    assert reason(db, asked.format(token), w.scopes, w.now).verdict == "opposed"


@pytest.mark.parametrize(
    ("said", "right", "wrong"),
    [
        (
            "{} staging listens on 8081, production on 8080",
            "does {} staging listen on 8081?",
            "does {} staging listen on 8080?",
        ),
        (
            "{} staging listens on 8081, production on 8080",
            "does production listen on 8080?",
            "does production listen on 8081?",
        ),
        (
            "photos of {} are kept for 10 years; scans are kept for 3 years",
            "are scans kept for 3 years?",
            "are scans kept for 10 years?",
        ),
        (
            "alice reviews the {} backend, bob reviews the frontend",
            "does bob review the frontend?",
            "does bob review the {} backend?",
        ),
        (
            "unit tests use sqlite, integration tests use {}",
            "do integration tests use {}?",
            "do integration tests use sqlite?",
        ),
        ("images go to s3 and videos go to {}", "do videos go to {}?", "do videos go to s3?"),
        ("mails are sent by {} while texts are sent by twilio", "are texts sent by twilio?", "are texts sent by {}?"),
    ],
)  # fmt: skip
def test_what_one_clause_says_is_not_said_of_what_another_names(
    db, token: str, said: str, right: str, wrong: str
) -> None:
    w = project(db)
    w.tell("said", "fact", said.format(token))

    assert reason(db, right.format(token), w.scopes, w.now).verdict == "supported"
    assert reason(db, wrong.format(token), w.scopes, w.now).verdict in ("opposed", "undecided")


@pytest.mark.parametrize(
    ("said", "right", "wrong"),
    [
        (
            "the staging database of {} is wiped every sunday",
            "is the staging database of {} wiped every sunday?",
            "is the production database of {} wiped every sunday?",
        ),
        ("alice signs off the {} notes", "does alice sign off the {} notes?", "does bob sign off the {} notes?"),
        ("maria and jun own {}", "does jun own {}?", "does pavel own {}?"),
        ("{} files are linted with ruff", "are {} files linted with ruff?", "are {} files linted with flake8?"),
        ("{} sessions are kept in redis", "do we keep {} sessions in redis?", "are {} sessions kept in memcached?"),
        ("{} logs are shipped to loki by promtail", "are {} logs shipped to loki?", "are {} logs shipped to splunk?"),
        ("we support postgres, mysql and {}", "do we support mysql?", "do we support oracle?"),
    ],
)  # fmt: skip
def test_another_word_in_the_same_place_is_told_and_takes_no_side(
    db, token: str, said: str, right: str, wrong: str
) -> None:
    w = project(db)
    w.tell("said", "fact", said.format(token))
    found = reason(db, wrong.format(token), w.scopes, w.now)

    assert reason(db, right.format(token), w.scopes, w.now).verdict == "supported"
    assert (found.verdict, found.supporting, found.opposing) == ("undecided", (), ())
    assert found.consequences[0].ids == (w.ids["said"],)
    assert re.match(r"it says \w+, not \w+$", found.consequences[0].note)


@pytest.mark.parametrize(
    ("said", "asked"),
    [
        ("we do not deploy {} on fridays", "do we deploy {} on mondays?"),
        ("the {} gateway no longer listens on 7001", "does the {} gateway listen on 7002?"),
    ],
)
def test_what_is_denied_of_one_value_is_not_of_another(db, token: str, said: str, asked: str) -> None:
    w = project(db)
    w.tell("said", "fact", said.format(token))

    assert reason(db, asked.format(token), w.scopes, w.now).verdict == "undecided"


@pytest.mark.parametrize(
    ("said", "asked"),
    [
        (
            "all migrations of {} are reviewed by a dba before they run in prod",
            "are {} migrations reviewed by a dba before production?",
        ),
        ("the helm chart of {} lives in the infra repo", "is the {} helm chart in the infra repository?"),
        ("we delete temp uploads of {} after a week", "do we remove temp uploads of {} after a week?"),
        ("use tabs instead of spaces in {}", "should i use tabs instead of spaces in {}?"),
    ],
)  # fmt: skip
def test_other_words_for_the_same_support(db, token: str, said: str, asked: str) -> None:
    w = project(db)
    w.tell("said", "fact", said.format(token))

    assert reason(db, asked.format(token), w.scopes, w.now).verdict == "supported"


@pytest.mark.parametrize(
    ("said", "right", "wrong"),
    [
        (
            "{} integration tests need docker; they should not run in CI anyway",
            "do {} integration tests need docker?",
            "should {} integration tests run in CI?",
        ),
        (
            "the {} index is rebuilt nightly, but it is never rebuilt on Sundays",
            "is the {} index rebuilt nightly?",
            "is the {} index rebuilt on Sundays?",
        ),
        ("{} tokens are encrypted. They must never be logged", "are {} tokens encrypted?", "can {} tokens be logged?"),
        (
            "the {} mode keeps drafts for a week but does not keep attachments",
            "does the {} mode keep drafts for a week?",
            "does the {} mode keep attachments?",
        ),
        (
            "{} consumers commit offsets manually; that must never be automatic",
            "do {} consumers commit offsets manually?",
            "do {} consumers commit offsets automatically?",
        ),
        (
            "{} alerts go to pagerduty; warnings do not, they go to slack",
            "do {} alerts go to pagerduty?",
            "do warnings go to pagerduty?",
        ),
        (
            "we pin {} images by digest; we do not pin them by tag",
            "do we pin {} images by digest?",
            "do we pin {} images by tag?",
        ),
        (
            "deleted {} files are kept for a month, and they can be restored by an admin",
            "can deleted {} files be restored by an admin?",
            "are deleted {} files not kept for a month?",
        ),
        ("{} log lines are json, except in tests", "are {} log lines json?", "are {} log lines json in tests?"),
        (
            "the {} chat keeps messages for ninety days, after that they are gone",
            "does the {} chat keep messages for ninety days?",
            "does the {} chat not keep messages for ninety days?",
        ),
        (
            "the {} importer reads csv files, and it ignores xlsx files",
            "does the {} importer read csv files?",
            "does the {} importer read xlsx files?",
        ),
    ],
)  # fmt: skip
def test_a_clause_that_goes_on_with_the_one_before_speaks_of_the_same(
    db, token: str, said: str, right: str, wrong: str
) -> None:
    w = project(db)
    w.tell("said", "fact", said.format(token))

    assert reason(db, right.format(token), w.scopes, w.now).verdict == "supported"
    assert reason(db, wrong.format(token), w.scopes, w.now).verdict == "opposed"


@pytest.mark.parametrize(
    ("said", "right", "wrong"),
    [
        (
            "the {} api has its own database, the worker has its own queue",
            "does the worker have its own queue?",
            "does the worker have its own database?",
        ),
        (
            "the mobile team of {} uses figma and the web team uses penpot",
            "does the web team use penpot?",
            "does the web team use figma?",
        ),
        (
            "{} orders are exported every hour; they are exported as xml",
            "are {} orders exported as xml?",
            "are {} orders exported as json?",
        ),
    ],
)  # fmt: skip
def test_a_clause_with_a_subject_of_its_own_takes_over_nothing(
    db, token: str, said: str, right: str, wrong: str
) -> None:
    w = project(db)
    w.tell("said", "fact", said.format(token))

    assert reason(db, right.format(token), w.scopes, w.now).verdict == "supported"
    assert reason(db, wrong.format(token), w.scopes, w.now).verdict == "undecided"


@pytest.mark.parametrize("text", ["", " ", ",", "and", ", not", "instead of", "no. " * 50, "a, " * 500, "\n"])
def test_odd_texts_have_clauses_too(text: str) -> None:
    assert clauses(plain(text))


@pytest.mark.parametrize(
    ("said", "asked", "verdict"),
    [
        ("we left Heroku because the bill tripled", "are we still on Heroku?", "opposed"),
        ("Priya left the company, Jonas owns billing now", "is Priya still at the company?", "opposed"),
        ("Priya left the company, Jonas owns billing now", "does Priya own billing?", "opposed"),
        ("Priya left the company, Jonas owns billing now", "does Jonas own billing?", "supported"),
        ("we moved CI from Jenkins to Actions", "does CI run on Jenkins?", "opposed"),
        ("we moved CI from Jenkins to Actions", "is CI on Actions?", "supported"),
        ("we moved CI from Jenkins to Actions", "did we move CI from Jenkins to Actions?", "supported"),
        ("we replaced webpack with vite", "do we use webpack?", "opposed"),
        ("we migrated away from Redis in May", "do we still use Redis?", "opposed"),
        ("the admin panel moved from port 80 to 81", "is the admin panel on port 80?", "opposed"),
        ("the admin panel moved from port 80 to 81", "is the admin panel on port 81?", "supported"),
        ("I prefer tabs over spaces", "do I prefer spaces?", "opposed"),
        ("I prefer tabs over spaces", "do I prefer tabs?", "supported"),
        ("orders are migrated from Oracle every night", "are orders migrated from Oracle?", "supported"),
        ("you can change the logo from the panel", "can i change the logo from the panel?", "supported"),
        ("the timeout was raised from 30 seconds to 60", "is the timeout 30 seconds?", "opposed"),
        ("we have two weeks left", "do we have weeks?", "supported"),
        ("the importer reads the feed from Kafka", "does the importer read from Kafka?", "supported"),
    ],
)  # fmt: skip
def test_what_a_text_turns_away_from_is_no_longer_so(db, said: str, asked: str, verdict: str) -> None:
    w = project(db)
    w.tell("said", "fact", said)
    w.tell("beside", "fact", "the changelog is written by hand")

    assert reason(db, asked, w.scopes, w.now).verdict == verdict


@pytest.mark.parametrize(
    ("said", "asked", "right"),
    [
        ("Priya owns billing, Marco owns search", "does {} own billing?", "Priya"),
        ("Priya owns billing", "is billing owned by {}?", "Priya"),
        ("the nightly backup goes to B2", "do backups go to {}?", "B2"),
        ("our jobs run on K8s", "do our jobs run on {}?", "Kubernetes"),
    ],
)
@pytest.mark.parametrize("other", ["Marco", "S3"])
def test_what_says_nothing_of_a_name_does_not_support_it(db, said: str, asked: str, right: str, other: str) -> None:
    w = project(db)
    w.tell("said", "fact", said)
    w.tell("beside", "fact", "the changelog is written by hand")

    assert reason(db, asked.format(right), w.scopes, w.now).verdict == "supported"
    assert reason(db, asked.format(other), w.scopes, w.now).verdict != "supported"


@pytest.mark.parametrize(
    ("said", "right", "wrong"),
    [
        ("the {} limit stays 120 but partners get 600 per minute", "is the {} limit 120?", "is the {} limit 500?"),
        ("the {} limit was raised to 240", "is the {} limit 240?", "is the {} limit 500?"),
        ("the {} limit has been capped at 240", "is the {} limit 240?", "is the {} limit 500?"),
        ("the {} limit was raised from 120 to 240", "is the {} limit 240?", "is the {} limit 120?"),
        ("the {} limit is 1,000 requests", "is the {} limit 1000 requests?", "is the {} limit 2,000 requests?"),
        ("the {} limit is 1000 requests", "is the {} limit 1,000 requests?", "is the {} limit 2000 requests?"),
    ],
)  # fmt: skip
def test_a_number_is_read_behind_any_verb_and_however_it_is_grouped(
    db, token: str, said: str, right: str, wrong: str
) -> None:
    w = project(db)
    w.tell("said", "fact", said.format(token))

    verdicts = [reason(db, q.format(token), w.scopes, w.now).verdict for q in (right, wrong)]
    assert verdicts == ["supported", "opposed"]


@pytest.mark.parametrize(
    ("said", "then", "now"),
    [
        ("we don't use {} anymore, we switched to jq", "have we ever used {}?", "do we use {}?"),
        ("{} no longer listens on 80", "did {} listen on 80?", "does {} listen on 80?"),
        ("the {} runner is switched off", "was the {} runner on?", "is the {} runner on?"),
    ],
)
def test_what_is_so_no_longer_was_so(db, token: str, said: str, then: str, now: str) -> None:
    w = project(db)
    w.tell("said", "fact", said.format(token))

    assert reason(db, then.format(token), w.scopes, w.now).verdict == "supported"
    assert reason(db, now.format(token), w.scopes, w.now).verdict == "opposed"


def test_what_was_replaced_speaks_for_a_question_of_how_it_was(db, token: str) -> None:
    w = project(db)
    w.tell("first", "fact", f"the {token} limit is 60 requests")
    w.tell("later", "fact", f"the {token} limit is 120 requests", instead_of="first")

    def verdict(question: str) -> str:
        return reason(db, question, w.scopes, w.now).verdict

    assert verdict(f"was the {token} limit 60 requests?") == "supported"
    assert verdict(f"was the {token} limit 500 requests?") != "supported"
    assert verdict(f"is the {token} limit 60 requests?") == "opposed"
    assert verdict(f"is the {token} limit 120 requests?") == "supported"
