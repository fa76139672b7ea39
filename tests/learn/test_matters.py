"""A change of one thing leaves another one that has a value of the same kind."""

from __future__ import annotations

from pathlib import Path

import apsw
import pytest

from agentmemory.learn.matters import another, newcomer, other_property
from tests.learn.talk import WEEK, WORK, exchanged, held

TWO = (
    ("the reminder goes out 48 hours before", "the deadline for cancelling moves to 12 hours, management wants that"),
    ("backups are kept for 30 days", "access logs go up to 90 days now, the auditors asked"),
    ("a ticket costs 12 euros", "the locker fee goes up to 5 euros from may"),
    ("uploads may have 10 MB", "the thumbnail cache grows to 500 MB now"),
    ("our docs host was replaced, the new one is docs2.acme.test", "the build server moved, it's ci2.acme.test now"),
    ("the android app has a new package name", "the ios app has a new bundle id, the old one is blocked"),
    (
        "the contact at the bank changed, it's Mrs. Abara now",
        "the contact at the carrier changed as well, it's Mr. Lind",
    ),
    (
        "die Erinnerung geht 48 Stunden vorher raus",
        "die Frist zum Stornieren sinkt auf 12 Stunden, will die Leitung so",
    ),
    ("el recordatorio sale 48 horas antes", "el plazo para cancelar pasa a 12 horas, lo pidió dirección"),
    ("le rappel part 48 heures avant", "le délai d'annulation passe à 12 heures, demandé par la direction"),
)
ONE = (
    ("the reminder goes out 48 hours before", "the reminder moves to 24 hours before, people forget"),
    ("backups are kept for 30 days", "backups go up to 90 days now, the auditors asked"),
    (
        "the mail server was replaced, the new one is relay.acme.test",
        "the mail server moved again, it's relay2.acme.test",
    ),
    ("our staging box is otter.int", "otter died. staging answers at badger.int now"),
    ("the penalty for late cancelling is 30 euros", "the penalty goes up to 40 euros in may"),
    ("the nightly run starts at 02:00", "it starts at 03:00 now, the dump comes later"),
    ("we rebuild the index every 30 minutes", "the index gets rebuilt every 60 minutes now"),
    ("the watering starts at 6:00", "the pump is loud. 7:15"),
    ("heartbeats come once a minute", "the gate is on a metered sim now. heartbeat 5 min"),
    ("files may be picked up from 5:00 on", "the depot moved its delivery to 5:45. So ours can begin at 5:50."),
    ("exports wait 20 minutes", "the nightly dump is late on mondays. make it 40"),
)
HOW = (
    ("pdfs are rendered with puppeteer", "pdfs come from typst"),
    ("thumbnails are made by imgproxy", "thumbnails come from the cdn"),
    ("images are stored on the nas", "images go to the bucket"),
)
TWO_OF_SEVERAL = (
    ("the watering starts at 6:00", "the pump is loud. the blinds go down at 7:15"),
    ("heartbeats come once a minute", "the gate is on a metered sim now. it was 2 months late"),
    ("trial users get a mail on day 10", "the digest is over. The day 10 mail does fine."),
)


@pytest.mark.parametrize(("old", "new"), TWO + TWO_OF_SEVERAL)
def test_two_things_are_two(old: str, new: str) -> None:
    assert another(new, old)


@pytest.mark.parametrize(("old", "new"), ONE)
def test_one_thing_is_one(old: str, new: str) -> None:
    assert not another(new, old)


@pytest.mark.parametrize("at", [0, 2, 3])
def test_a_change_of_another_thing_replaces_nothing(db: apsw.Connection, tmp_path: Path, at: int) -> None:
    old, new = TWO[at]
    exchanged(db, tmp_path, (old, "OK."), (new, "Done, updated."))

    assert old in held(db)


SIBLINGS = (
    ("the staging db is on version 16 now", "there is a demo db now, cloned from staging. version 17"),
    ("tenant Brandt has 5 seats now", "new tenant Kolb, copied from Brandt. 12 seats"),
    ("course A1 costs 90 euros now", "course A2 is new, same teacher as A1. costs 120 euros"),
    ("sensor A reports every 25 minutes now", "sensor C arrived, same model. every 5 minutes"),
    ("die Filiale Köln öffnet jetzt um 8", "Bonn ist neu, gleiche Ausstattung wie Köln. öffnet um 9"),
    ("la tienda de Sevilla cierra ahora a las 20", "abre una tienda en Cádiz, igual que la otra. cierra a las 21"),
    ("le serveur de test a 16 Go maintenant", "il y a un serveur de démo maintenant, copie du test. 32 Go"),
)  # fmt: skip


@pytest.mark.parametrize(("old", "new"), SIBLINGS)
def test_a_new_thing_that_is_like_a_known_one_leaves_it(
    db: apsw.Connection, tmp_path: Path, old: str, new: str
) -> None:
    exchanged(db, tmp_path, (old, "OK, updated."))
    before = held(db)
    exchanged(db, tmp_path, (new, "Added."), at=6 * 86_400)

    assert set(before) <= set(held(db)) and newcomer(new)


@pytest.mark.parametrize(
    "new",
    [
        "there is a new mail server now, same config as the old one. mx2.acme.test",
        "berlin closes at 17 now, same as leipzig",
        "the oven in Lyon was replaced, same type. runs at 240 now",
        "the api has 768 MB of memory now, like the worker",
        "there is a demo db now. version 17",
    ],
)
def test_what_changes_is_no_new_thing(new: str) -> None:
    assert not newcomer(new)


PROPERTIES = (
    ("nas1 hosts the tiffs", "nas1 is read only"),
    ("the orders table is in pg-main", "the orders table is read only now"),
    ("Jana does the payroll", "Jana is part time now"),
    ("grafana lives on mon2", "grafana is behind the vpn now"),
    ("the demo tenant has 3 users", "the demo tenant is german only now"),
)


@pytest.mark.parametrize(("old", "new"), PROPERTIES)
def test_another_property_of_a_thing_ends_nothing(db: apsw.Connection, tmp_path: Path, old: str, new: str) -> None:
    exchanged(db, tmp_path, (old, "OK, noted that."))
    before = held(db)
    exchanged(db, tmp_path, (new, "OK."), at=6 * 86_400)

    assert set(before) <= set(held(db)) and other_property(new, old)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("grafana lives on mon2", "grafana is on mon3 now"),
        ("the map uses google", "the map is leaflet now"),
        ("nas1 hosts the tiffs", "nas1 is retired"),
        ("nas1 hosts the tiffs", "nas2 is read only"),
        ("finch is the staging server", "finch is read only"),
        ("nas1 is read only", "nas1 is writable again"),
        ("dialogue text is kept in a google sheet", "dialogue text is kept in yarn files now"),
        *HOW,
    ],
)
def test_what_may_end_the_older_one_is_no_other_property(old: str, new: str) -> None:
    assert not other_property(new, old)


def test_what_a_long_story_speaks_of_is_left_to_the_fit() -> None:
    old, new = TWO[0]
    assert not another(f"{new} {'and we had a long talk about it in the hall after the meeting ' * 3}", old)


@pytest.mark.parametrize(("old", "new"), [
    ("we log over the usb serial", "we log over rtt now, not usb serial"),
    ("uploads end up in the bucket raw-eu", "uploads are on r2 now, not in raw-eu"),
    ("we use mocha for the unit tests", "the test runner is vitest now, not mocha"),
    ("the queue is rabbitmq", "jobs are on sqs now, not rabbitmq"),
])  # fmt: skip
def test_what_a_thing_gives_up_that_was_spoken_of_is_over(
    db: apsw.Connection, tmp_path: Path, old: str, new: str
) -> None:
    exchanged(db, tmp_path, (old, "OK."))
    exchanged(db, tmp_path, ("look at the log first", "Nothing there."), (new, "Good."), at=WEEK)

    assert new in held(db) and old not in held(db)


GATHERED = (
    (
        "they all drive the old vans, nobody has another one",
        "the leasing is through, from monday couriers drive e-vitos",
    ),
    ("its hosted at leaseweb, the invoice goes to Marta", "the contract with ovh is signed, the shop runs there now"),
    ("nobody has access but Inga, it's in her safe", "the recovery codes are with legal now, Inga leaves"),
)


@pytest.mark.parametrize(("old", "new"), GATHERED)
def test_what_points_back_or_at_nobody_names_no_other_thing(old: str, new: str) -> None:
    assert not another(new, old)


@pytest.mark.parametrize(
    ("old", "took", "new", "takes"),
    [
        (
            "they all drive the old sprinters from the depot, nobody has another van",
            "Then I size the boxes for the Sprinter.",
            "the leasing is through, from monday the couriers drive the e-vitos from the depot. "
            "size the boxes for that from now on pls",
            "Ordered by what could break: the e-Vito is 20 cm shorter.",
        ),
        (
            "and the newsletter for petra goes out on the first tuesday of the month, put it on your list",
            "I put it in `docs/newsletter.md`. The figures take ten minutes.",
            "petra wants it more often, the newsletter now goes out every second thursday, starting this week.",
            "Changed in `docs/newsletter.md` and in the cron file, the figures run on Wednesday nights.",
        ),
    ],
)
def test_a_change_told_in_passing_replaces_what_it_surely_speaks_of(
    db: apsw.Connection, tmp_path: Path, old: str, took: str, new: str, takes: str
) -> None:
    exchanged(db, tmp_path, *WORK, (old, took))
    exchanged(db, tmp_path, *WORK[:2], (new, takes), at=WEEK)

    assert held(db, "superseded") == [old]
