"""An answer in a word or two is read alike in all tongues: it takes note, tells what was set, done or undone."""

from __future__ import annotations

from pathlib import Path

import pytest

from agentmemory.learn import answered, rating, tongues
from agentmemory.learn.passages import sentences
from agentmemory.store import writer
from tests.learn.talk import SHOP, held, told


@pytest.mark.parametrize(
    ("reply", "english"),
    [
        ("C'est noté.", "Noted."), ("Enregistré.", "Saved."), ("Ist eingetragen.", "Saved."), ("Vermerkt.", "Noted."),
        ("Queda apuntado.", "Noted."), ("Todo listo.", "Done."), ("Erledigt.", "Done."), ("C’est fait.", "Done."),
        ("Réglé.", "Set."), ("Eingestellt.", "Set."), ("Añadido.", "Added."), ("Mis à jour.", "Updated."),
    ],
)  # fmt: skip
def test_how_an_answer_opens_is_what_it_is_in_english(reply: str, english: str) -> None:
    assert answered.features(reply) == answered.features(english)
    told, same = answered.sort_of(reply), answered.sort_of(english)
    assert [told["reply notes"], told["reply acts"]] == [same["reply notes"], same["reply acts"]]


@pytest.mark.parametrize("reply", ["Zurückgesetzt.", "Annulé.", "Revertido."])
def test_what_was_undone_is_told_in_any_tongue(reply: str) -> None:
    assert answered.undone(reply)


@pytest.mark.parametrize("reply", ["Listomania runs.", "notiert2 is the table", "It was notiert.", "Hm."])
def test_only_whole_words_that_open_it_are_read(reply: str) -> None:
    assert tongues.answer(reply.lower()) == reply.lower()


@pytest.mark.parametrize(
    ("said", "reply"),
    [
        ("le paiement passe par mollie", "Noté."),
        ("la base tourne sur postgres 16", "C'est noté."),
        ("newsletter geht immer dienstags raus", "Ist eingetragen."),
        ("los correos salen de hola@lune.es", "Hecho."),
        ("les mails partent de bonjour@lune.fr", "C'est fait."),
        ("die rechnungen gehen an buchhaltung@lune.de", "Erledigt."),
        ("le paiement passe par mollie", "C'est fait."),
        ("le cours est à 18h", "Configuré."),
        ("der testserver hat 8 GB", "Erledigt."),
        ("la cuota es de 20 euros", "Listo."),
        ("the payout job has 2 replicas", "Set."),
    ],
)
def test_a_fact_is_held_behind_a_word_of_its_tongue(tmp_path: Path, said: str, reply: str) -> None:
    db = writer.open_store(str(tmp_path / "home"))
    told(db, tmp_path, SHOP, [(said, reply)])

    assert said in held(db)


@pytest.mark.parametrize(
    ("said", "reply"),
    [
        ("corrige la faute dans le titre", "Corrigé."),
        ("mach den header etwas kleiner", "Erledigt."),
        ("corre los tests otra vez", "Listo."),
        ("merci, c'est parfait", "Noté."),
        ("cambia el color del botón a verde", "Cambiado."),
        ("the tests are too slow", "Done."),
        ("le titre est trop grand", "C'est fait."),
        ("der dritte test ist kaputt", "Erledigt."),
    ],
)
def test_a_task_and_thanks_are_not(tmp_path: Path, said: str, reply: str) -> None:
    db = writer.open_store(str(tmp_path / "home"))
    told(db, tmp_path, SHOP, [(said, reply)])

    assert said not in held(db) + held(db, "heard")


@pytest.mark.parametrize(
    "said",
    [
        "les mails partent de bonjour@lune.fr",
        "die rechnungen gehen an mail@lune.de",
        "los avisos salen de hola@lune.es",
    ],
)
def test_where_something_goes_is_a_fact_in_any_tongue(said: str) -> None:
    assert "fact" in rating.rate(sentences(said)[0]).marks
