"""What is said to take the place of something replaces it; what is planned, asked or said of files does not."""

from __future__ import annotations

from pathlib import Path

import apsw
import pytest

from agentmemory.learn.exchanged import exchanged
from tests.learn.talk import held, later

PLANNED = "we're moving the chat from slack to zulip in autumn"
REPLIES = ("Done, the config is changed.", "Replaced the old client and moved the keys; the tests pass.")

CHANGES = (
    ("payment is stripe checkout", "we switch from stripe to mollie, the fees"),
    ("payment is stripe checkout", "switching payment from stripe to mollie"),
    ("payment is stripe checkout", "we replace stripe with mollie"),
    ("mails go out via {}", "we move from {} to brevo"),
    ("mails go out via {}", "moving mails from {} to brevo"),
    ("monitoring runs on datadog", "we're migrating from datadog to grafana"),
    ("our tracker is {}", "linear is replacing {}"),
    ("errors go to sentry", "we are moving errors from sentry to glitchtip"),
    ("we use {} in the tests", "tests move from {} to testing-library"),
    ("we format with prettier", "ok so we swap prettier for biome"),
    ("the newsletter runs over {}", "listmonk is taking over from {}"),
    ("our ticket system is {}", "{} is being replaced by freescout"),
    ("our feature flags come from {}", "we're dropping {} for flagsmith"),
)
OTHERWISE = (
    ("payment is stripe checkout", "we will switch from stripe to mollie in May"),
    ("payment is stripe checkout", "should we switch from stripe to mollie?"),
    ("payment is stripe checkout", "we might move from stripe to mollie"),
    ("payment is stripe checkout", "we're switching from stripe to mollie next month"),
    ("payment is stripe checkout", "we switch from stripe to mollie in May"),
    ("payment is stripe checkout", "we're moving from stripe to mollie when v2 is out"),
    ("payment is stripe checkout", "we're switching from stripe to mollie once the contract ends"),
    ("payment is stripe checkout", "switching from stripe to mollie would save us fees"),
    ("payment is stripe checkout", "switching from stripe to mollie is a lot of work"),
    ("payment is stripe checkout", "moving from stripe to mollie is on the roadmap"),
    ("payment is stripe checkout", "we're not switching from stripe to mollie"),
    ("payment is stripe checkout", "we are switching from stripe to mollie for the demo only"),
    ("payment is stripe checkout", "move the tests from stripe to lib"),
    ("payment is stripe checkout", "moving the helper from stripe.ts to lib/pay.ts"),
    ("we chat on slack", "we change from slack to zulip if the board agrees"),
    ("we write the frontend in vue", "the other team is trading vue for svelte"),
    ("errors go to sentry", "switching from light to dark mode breaks the chart"),
)


@pytest.mark.parametrize(("old", "new"), CHANGES)
@pytest.mark.parametrize("reply", REPLIES)
def test_what_is_being_exchanged_gives_way(
    db: apsw.Connection, tmp_path: Path, token: str, old: str, new: str, reply: str
) -> None:
    old, new = old.format(token), new.format(token)
    later(db, tmp_path, old, new, reply)

    assert (held(db), held(db, "superseded")) == ([new], [old])


@pytest.mark.parametrize(
    ("old", "new", "reply"),
    [*((*each, "Okay, I looked into it.") for each in OTHERWISE), ("we chat on slack", PLANNED, "OK.")],
)
def test_what_is_planned_asked_or_of_something_else_changes_nothing(
    db: apsw.Connection, tmp_path: Path, old: str, new: str, reply: str
) -> None:
    later(db, tmp_path, old, new, reply)

    assert held(db, "superseded") == [] and old in [*held(db), *held(db, "heard")]


@pytest.mark.parametrize(
    ("old", "new", "so"),
    [
        ("dns is {} on the pi", "swapped {} for technitium yesterday", True),
        ("we log to {}, project ablations", "we have switched tracking from {} to mlflow", True),
        ("the database is {} 8", "we move to postgres 16, {} is out", True),
        ("we use {} 8", "we move to postgres 16 next month, {} is out", False),
        ("usamos {} 8", "pasamos a postgres 16, {} fuera", True),
        ("on utilise {}", "on passe à gitlab ci, {} dehors", True),
        ("wir nutzen {}", "wir gehen auf gitlab ci, {} ist raus", True),
        ("usamos jenkins", "el correo pasa a fastmail, {} fuera", False),
        ("auth is handled by {}, realm intern", "btw we just replaced {} with authentik", True),
        ("we write the frontend in vue", "we're trading vue for svelte because of the bundle size", True),
        ("search is done by algolia", "search moves from algolia to typesense", True),
        ("the queue is {}", "{} gives way to nats", True),
        ("each button of {} needs a label", "replaced the button with a link", False),
        ("forms are sent by the button", "we replace the button with a link", False),
        ("dns is {} on the pi", "swapped the router for a new one", False),
        ("dns is {} on the pi", "should we replace {} with technitium", False),
        ("stripe webhooks need the raw body", "we're moving from stripe to mollie", False),
        ("vue components are in src/ui", "we're moving the modal from vue to plain html", False),
        ("payment is stripe checkout", "we replace the stripe icon with a svg", False),
        ("search is done by algolia", "logs move from algolia to loki", False),
        ("the queue is {}", "the cleanup job replaces {} ids with uuids", False),
    ],
)
def test_what_was_exchanged_for_what_is_said_in_full(token: str, old: str, new: str, so: bool) -> None:
    assert exchanged(new.format(token), old.format(token)) is so
