"""Rules as people dash them off: a script with its arguments."""

import pytest

from tests.guard.verdicts import mode


@pytest.mark.parametrize(
    ("rule", "stopped", "passes"),
    [
        ("Never run `./deploy.sh prod`", ["./deploy.sh prod", "bash deploy.sh prod"],
         ["./deploy.sh staging", "bash deploy.sh", "prod"]),
        ("don't run ./tools/db.py reset", ["python tools/db.py reset --yes"], ["./tools/db.py status"]),
        ("Never run manage.py flush or reset_db", ["python manage.py flush", "./manage.py reset_db --noinput"],
         ["python manage.py test", "./manage.py migrate"]),
        ("never run `python manage.py flush`", ["./manage.py flush", "python3 manage.py flush"],
         ["python manage.py test"]),
        ("never call `./build.sh --clean`", ["./build.sh --clean", "sh build.sh --clean"], ["./build.sh"]),
    ],
)  # fmt: skip
def test_a_rule_in_plain_words_stops_what_it_means(project, rule, stopped, passes):
    assert [command for command in [*stopped, *passes] if mode(rule, project, command=command) == "deny"] == stopped
