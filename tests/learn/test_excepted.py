"""What is permitted for one case lifts no rule; what is permitted altogether does."""

from __future__ import annotations

from pathlib import Path

import apsw
import pytest

from agentmemory.learn.excepted import excepted
from tests.learn.talk import held, told

EXCEPTIONS = (
    (
        "never restart the {} primary without asking me",
        "restarting the {} primary is fine now between 2 and 4 at night",
    ),
    ("never push {} to main directly", "pushing {} to main is fine now for changes in docs/, no pr needed there"),
    ("never send real mails from {}", "sending real mails from {} is fine now to @acme.test addresses"),
    ("never drop tables of {}", "dropping tables of {} in the sandbox is fine now, it's rebuilt every night"),
    ("never call the {} api from tests", "calling the {} api is ok now in the nightly suite, they gave us a sandbox"),
    ("ask me before you install {} packages", "installing {} dev dependencies is fine without asking now"),
    ("never merge {} without a review", "merging {} doc fixes without a review is ok now"),
    ("never restart {} services by hand", "restarting {} staging services by hand is fine now"),
    ("all {} prs need two reviews", "one review is enough now for dependency bumps"),
    ("nie direkt auf main von {} pushen", "auf main von {} pushen ist jetzt ok für Doku-Änderungen"),
    ("nunca borres tablas de {}", "borrar tablas de {} está bien ahora en el sandbox"),
    ("jamais de déploiement de {} le vendredi", "déployer {} c'est ok maintenant pour les correctifs urgents"),
)
LIFTED = (
    ("no deploys of {} on fridays", "deploying {} on fridays is fine again"),
    ("never restart {} without asking me", "{} can be restarted whenever now, no need to ask, we have the replica"),
    ("never push {} to main", "pushing {} to main is ok now since ci is protected"),
    ("never use docker in ci of {}", "docker in ci of {} is fine now"),
    ("no emojis in commits of {}", "emojis in commit messages of {} are ok now"),
    ("ask me before you install {} packages", "installing {} packages is fine without asking now"),
    ("never push {} directly to main", "pushing {} straight to main is fine now"),
    ("never restart the {} db", "bouncing the {} database is fine now"),
    ("ask me before you run {} migrations", "running {} migrations without asking is ok from now on"),
    ("all {} prs need two reviews", "one review is enough for {} prs now"),
    ("{} nie freitags deployen", "{} freitags deployen ist jetzt wieder ok"),
)


@pytest.mark.parametrize(("rule", "case"), EXCEPTIONS)
def test_what_is_permitted_for_a_case_leaves_the_rule(
    db: apsw.Connection, tmp_path: Path, token: str, rule: str, case: str
) -> None:
    told(db, tmp_path, rule.format(token), case.format(token))

    assert rule.format(token) in held(db)
    assert excepted(case.format(token), rule.format(token))


@pytest.mark.parametrize(("rule", "permits"), LIFTED)
def test_what_is_permitted_altogether_is_no_exception(token: str, rule: str, permits: str) -> None:
    assert not excepted(permits.format(token), rule.format(token))


def test_what_says_a_value_for_a_case_is_left_to_other_rules(token: str) -> None:
    assert not excepted("standup is fine at 10 now", f"the standup of {token} is at 9:30")
