"""What a message says and thinks better of in the same breath is not held; "no, forget it" to a question of the
assistant takes nothing back."""

from __future__ import annotations

from pathlib import Path

import apsw
import pytest

from tests.learn.talk import exchanged, held

RULE = "from now on photos of {} go to /srv/photos"
ASKED = "Done. Shall I delete the old folder, too?"


@pytest.mark.parametrize(
    "said",
    [
        "from now on every {} table gets an owner column. no wait, scrap that, the audit log has it already",
        "each {} endpoint gets a version prefix from now on. Actually no, forget it, the gateway does that",
        "we always ship {} on thursdays from here on. nah, bad idea, drop that",
        "Put my initials into every commit of {} from now on. Withdrawn, it looks silly.",
        "no emojis in the docs of {}, ever. well... no, they're fine, strike that",
        "new rule: tests of {} run in random order. hmm, or rather not, I take it back",
        "dorénavant toutes les dates de {} sont en UTC. Non, je retire, les clients vont hurler.",
        "désormais on met {} en majuscules dans les titres. … non, laisse tomber",
        "ab jetzt kommt vor jeden Titel von {} die Nummer. Ach nein, vergiss es, das sieht furchtbar aus",
        "künftig werden alle Felder von {} Pflicht. Nein, doch nicht, lass es wie es war",
        "a partir de ahora todos los botones de {} en verde. no, espera, olvídalo, no se ve bien",
    ],
)
def test_what_is_thought_better_of_at_once_is_not_held(
    db: apsw.Connection, tmp_path: Path, token: str, said: str
) -> None:
    exchanged(db, tmp_path, (RULE.format(token), "Changed it."), (said.format(token), "Left as it is."))

    assert held(db) + held(db, "heard") == [RULE.format(token)] and held(db, "retracted") == []


@pytest.mark.parametrize(
    ("said", "holds"),
    [
        ("from now on {} listens on port 9000. scratch that, 9001", "9001"),
        ("for {} we use rabbitmq from now on. no wait, scrap that, we use nats", "nats"),
        ("scrap the old {} importer, from now on we use the new one in lib/feed", "lib/feed"),
        ("always ask before deleting {}. no exceptions, forget what the readme says", "always ask"),
        ("retracted orders of {} are kept for ten years, that's the law", "ten years"),
        ("dorénavant on jette les paniers de {} au bout de deux jours, laisse tomber les relances", "deux jours"),
        ("a partir de ahora usamos bun en {}, olvida npm", "bun"),
    ],
)
def test_what_only_sounds_so_is(db: apsw.Connection, tmp_path: Path, token: str, said: str, holds: str) -> None:
    exchanged(db, tmp_path, ("hi", "Hello."), (said.format(token), "Changed it."))

    assert [holds in each for each in held(db)] == [True]


@pytest.mark.parametrize(
    "answer", ["no, forget it", "no, leave it", "non, laisse tomber", "nein, lass es wie es ist", "no, olvídalo"]
)
def test_who_declines_what_was_asked_takes_nothing_back(
    db: apsw.Connection, tmp_path: Path, token: str, answer: str
) -> None:
    exchanged(db, tmp_path, (RULE.format(token), ASKED), (answer, "Left it."))

    assert RULE.format(token) in held(db) + held(db, "heard") and held(db, "retracted") == []
