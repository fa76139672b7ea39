"""A rule in German, French or Spanish is lifted by other forms of its words; another thing lifts it not."""

from __future__ import annotations

from pathlib import Path

import apsw
import pytest

from agentmemory.learn import byname, named
from tests.learn.talk import answered, held


@pytest.mark.parametrize(
    ("rule", "lifted"),
    [
        ("freitags wird nie deployt", "freitags deployen ist jetzt wieder erlaubt"),
        ("ohne ticket wird nichts gemergt", "man braucht kein ticket mehr zum mergen"),
        ("nunca pushees directo a main", "ya podés pushear directo a main"),
        ("no se toca la tabla de precios", "ahora se puede tocar la tabla de precios"),
        ("on ne touche pas aux tarifs", "on a de nouveau le droit de toucher aux tarifs"),
    ],
)
def test_a_rule_is_lifted_in_other_forms_of_its_words(
    db: apsw.Connection, tmp_path: Path, rule: str, lifted: str
) -> None:
    answered(db, tmp_path, ("die kunden sitzen im norden", "Notiert."), (rule, "Ok."), (lifted, "Ok."))

    assert rule not in held(db)


@pytest.mark.parametrize(
    ("rule", "lifted"),
    [
        ("freitags wird nie deployt", "montags deployen ist jetzt wieder erlaubt"),
        ("nunca pushees directo a main", "ya podés pushear directo a develop"),
        ("on ne touche pas aux tarifs", "on a de nouveau le droit de toucher aux couleurs"),
        ("bitte nie direkt auf main pushen", "du darfst jetzt direkt auf develop pushen"),
    ],
)
def test_another_thing_lifts_no_rule(db: apsw.Connection, tmp_path: Path, rule: str, lifted: str) -> None:
    answered(db, tmp_path, (rule, "Ok."), (lifted, "Ok."))

    assert rule in held(db) + held(db, "heard")


def test_forms_of_a_word_have_their_beginning_in_common() -> None:
    said = frozenset(("deployen", "mergen"))

    assert byname._as_named(said, frozenset(("deployt", "gemergt", "depot"))) == {"deployen", "mergen", "depot"}
    assert named.lift("ahora se puede desplegar los viernes")
