"""What is for now is not held: one text that is ordered and its manner, an alarm that the agent has dealt with."""

from __future__ import annotations

from pathlib import Path

import apsw
import pytest

from tests.learn.talk import QUEUE, exchanged, held


@pytest.mark.parametrize(
    ("said", "reply"),
    [
        ("Could you write a mail on {}? Short, friendly, German, no technical stuff.", "Here: ..."),
        ("mach mir bitte eine Liste aller Kunden ohne {}", "Liste in `out.csv`."),
        ("fais-moi un tableau des ventes de {} par mois", "Tableau dans `v.md`."),
        ("hazme una tabla de las ventas de {} por mes", "En `v.md`."),
        ("make for me a diagram of {}, no colors", "Here: ..."),
        ("{} backend web4 DOWN", "web4 had a full disk; cleaned, the backend is UP again."),
        ("{} has 12 under-replicated partitions", "Restarted it; ISR complete."),
        ("disk on {} is at 96%", "Removed old WAL, 61 % now."),
        ("no that's not the bug. the bug is that {} is a datetime", "I see, it is compared with a date. Fixed."),
        ("that's not it. the null comes from {}", "Right, it's a left join. Fixed."),
        ("nein, das ist nicht der Fehler. er kommt aus {}", "Stimmt, der Store rundet falsch. Behoben."),
        ("no es ese el error, viene de {}", "Cierto, era un left join. Corregido."),
        ("for todays demo please slow {} to 20 percent, visitors from the ministry", "At 20 % until the restart."),
        ("for tonight's show keep {} at half", "At half until the restart."),
        ("QA is on a course, so ship {} without their sign-off today.", "Shipped."),
        ("My 8080 is taken right now, start {} on port 9999 here.", "Listening on 9999."),
        ("I need it before noon, so run this single one with 32 slots of {}, I asked her.", "Running with 32."),
        ("Please deploy {} now, today without the preflight, staging is being rebuilt.", "Deployed."),
        ("for this PR skip the {} job, add the label, i merge it red", "Added the label, nothing is lost."),
        ("Today the deploy of {} at noon exceptionally, the problem is urgent. Normally not", "Deployed. Only today."),
        ("tmrw use the old probe of {}, the new one is at lottes", "Will do tomorrow."),
    ],
)
def test_what_is_for_now_is_not_held(db: apsw.Connection, tmp_path: Path, token: str, said: str, reply: str) -> None:
    exchanged(db, tmp_path, QUEUE, (said.format(token), reply))

    assert not any(token in each for each in held(db))


@pytest.mark.parametrize(
    "said",
    [
        "every note on {}: casual, five lines, no version numbers",
        "from now on ship {} with the sign-off of qa, also today",
        "{} has no leakage so they are happy for once, the limit is 75k from the 15th",
        "Listen von {} immer als csv",
        "gib mir von {} nie rohe stacktraces, immer nur die letzte zeile",
        "{} is offline every night from 2 to 3",
        "{} is down for good, we run on two workers",
        "alarms of {} above 90% disk go to #ops",
        "that's not it, the staging host is {}",
        "no, that's not the way. handlers go to {}",
        "for shows {} never goes above 80 percent",
    ],
)
def test_what_sounds_alike_and_lasts_is(db: apsw.Connection, tmp_path: Path, token: str, said: str) -> None:
    exchanged(db, tmp_path, QUEUE, (said.format(token), "Understood."))

    assert any(token in each for each in held(db))


PLACE_OR_VALUE = "I looked at all of it and changed what you see."


@pytest.mark.parametrize(
    ("said", "reply"),
    [
        ("line 40 not 41", "Fixed on line 40."),
        ("issue 12, not 21", "Reopened #21 and closed #12."),
        ("no, page 3", "Page 3 has the table."),
        ("ticket #12", "Updated ticket 12."),
        ("zeile 40, nicht 41", "Zeile 40 ist korrigiert."),
        ("línea 40, no 41", "Corregido en la línea 40."),
        ("ligne 40 pas 41", "Corrigé à la ligne 40."),
    ],
)
def test_a_place_by_its_number_is_of_the_task(db: apsw.Connection, tmp_path: Path, said: str, reply: str) -> None:
    exchanged(db, tmp_path, QUEUE, ("do the next one", PLACE_OR_VALUE), (said, reply))

    assert said not in held(db)


@pytest.mark.parametrize(
    ("said", "reply"),
    [
        ("port 8443 not 8080", "The port is 8443."),
        ("node 22 not 20", "The base image is node 22."),
        ("line length 100", "The line length is 100."),
        ("8 columns not 10", "The table has 8 columns."),
        ("30 lines per page", "A page has 30 lines."),
        ("step 5, min 10", "The slider starts at 10 and goes in steps of 5."),
    ],
)
def test_a_value_is_none(db: apsw.Connection, tmp_path: Path, said: str, reply: str) -> None:
    exchanged(db, tmp_path, QUEUE, ("do the next one", PLACE_OR_VALUE), (said, reply))

    assert said in held(db)
