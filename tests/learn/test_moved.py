"""Few words that say what a thing is on, in or done with from now on: the older value gives way, to no other order."""

from __future__ import annotations

from pathlib import Path

import apsw
import pytest

from agentmemory.learn import moved
from tests.learn.talk import SHOP, exchanged, held, told


def _later(db: apsw.Connection, folder: Path, old: str, new: str, answer: str) -> None:
    told(db, folder, (*SHOP, (old, "OK.")), [(new, answer)])


@pytest.mark.parametrize(
    ("old", "new", "answer"),
    [
        ("the cart uses redis", "cart to valkey. licence", "Cart uses Valkey."),
        ("the cart uses redis", "move cart over to valkey", "Done."),
        ("sessions live in memcached", "move sessions over to postgres", "Sessions are in Postgres."),
        ("secrets are kept in vault", "put secrets into sops instead", "Secrets are in SOPS."),
        (
            "the newsletter is sent with mailchimp",
            "switch the newsletter to listmonk",
            "The newsletter is on listmonk.",
        ),
        ("plots are made with matplotlib", "plots with altair from here", "Plots use Altair."),
        ("dns is hosted at gandi", "dns -> cloudflare", "DNS is at Cloudflare."),
        ("features are stored in parquet", "features to arrow, parquet is slow here", "Features are Arrow files."),
        ("jobs are scheduled with cron", "jobs to airflow", "Jobs run in Airflow."),
        ("images are served from s3", "move images over to bunny", "Images come from Bunny."),
        ("experiments are tracked in wandb", "experiments to mlflow pls", "Tracked in MLflow."),
        ("metrics go to influx", "metrics to victoriametrics", "Metrics go to VictoriaMetrics."),
        ("dns is at gandi", "moved dns over to cloudflare yesterday", "Good, DNS is at Cloudflare."),
        ("analytics is done with amplitude", "switching analytics to posthog", "OK, PostHog for analytics."),
        ("mails go through postfix", "fyi we migrated mails to ses last week", "Noted, mails go through SES."),
        ("music is made in fmod", "swapped the music to wwise, for good", "Music is made in Wwise."),
        ("la CI corre en jenkins", "pasamos la CI a gitlab", "Anotado, la CI corre en GitLab."),
        ("orders live in table tbl_ord", "tbl_ord => orders, naming cleanup", "Renamed."),
        ("tests run with ./t.sh", "t.sh is history, it's make check", "OK, `make check`."),
        ("le paiement passe par stripe", "paiement chez mollie alors", "Le paiement passe par Mollie."),
        (
            "die anmeldung läuft über typeform",
            "anmeldung auf nextcloud umstellen",
            "Die Anmeldung läuft über Nextcloud.",
        ),
    ],
)
def test_few_words_say_where_a_thing_goes(db: apsw.Connection, tmp_path: Path, old: str, new: str, answer: str) -> None:
    _later(db, tmp_path, old, new, answer)

    assert old in held(db, "superseded") and new.removesuffix(" licence").rstrip(".") in " ".join(held(db))


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("payment is stripe checkout", "we switch from stripe to mollie, the fees"),
        ("the db is called orca", "we're renaming orca to walrus"),
        ("the newsletter is sent with mailchimp", "switch the newsletter to listmonk"),
        ("standup is at 9:30", "standup shifted to 10:00"),
    ],
)
def test_what_changes_within_a_session_gives_way_too(db: apsw.Connection, tmp_path: Path, old: str, new: str) -> None:
    exchanged(db, tmp_path, *SHOP, (old, "OK, I put that into the config."), ("run the tests", "Green."), (new, "OK."))

    assert old in held(db, "superseded")


@pytest.mark.parametrize(
    ("old", "new", "answer"),
    [
        ("the cart uses redis", "move the cart icon over to the left", "Moved the icon."),
        ("the cart uses redis", "cart tests to the slow suite", "Moved the tests."),
        ("sessions live in memcached", "could we move sessions over to postgres?", "We could; it needs a table."),
        ("backups run at 02:00", "backups to the storage box", "Backups go to the storage box."),
        ("plots are made with matplotlib", "put the plots into the readme", "The plots are in the readme."),
        ("the newsletter is sent with mailchimp", "move the newsletter over to the next page", "Moved."),
        ("metrics go to influx", "send me the metrics to look at", "Here are the metrics."),
        ("mails go through postfix", "we might move mails over to ses in spring", "OK."),
        ("mails go through postfix", "mails to ses?", "Mails could go to SES."),
        ("texts are kept in nextcloud", "texts in bold", "The texts are bold now."),
        ("labels come from zendesk", "labels to lower case", "Labels are lower case."),
        ("plots are made with matplotlib", "plots to s3", "Plots go to S3."),
        ("maps are made with tiled", "maps in the menu please", "Added a menu entry for maps."),
        ("mails go through postfix", "move mails over to ses next month", "Mails go to SES then."),
        ("mails go through postfix", "we are moving mails to ses in autumn", "OK, SES in autumn."),
        ("metrics go to influx", "switching the metrics tab to dark mode", "The tab is dark now."),
        ("sessions live in memcached", "moved the sessions page to the admin area", "OK, it is in the admin area."),
        ("plots are made with matplotlib", "moved the plots to s3 yesterday", "Plots go to S3."),
        ("the docs are built with sphinx", "we moved the docs to the intranet last week", "Noted."),
    ],
)
def test_another_thing_an_order_of_the_moment_and_a_plan_change_nothing(
    db: apsw.Connection, tmp_path: Path, old: str, new: str, answer: str
) -> None:
    _later(db, tmp_path, old, new, answer)

    assert old in {*held(db), *held(db, "heard")}


def test_who_was_only_asked_says_where_it_goes_in_the_answer() -> None:
    assert moved.moved("cart to valkey", "cart uses redis", "The cart runs on Valkey now.")
    assert not moved.moved("cart to valkey", "cart uses redis", "Added a link to the docs.")
