"""What is said in German, French and Spanish is heard as it is in English: rules, changes, what is no rule."""

from __future__ import annotations

from pathlib import Path

import apsw
import pytest

from agentmemory.learn import cues
from agentmemory.learn.passages import sentences
from agentmemory.learn.rating import rate
from agentmemory.store import listing
from tests.learn.talk import exchanged, held, later, play, sat, told

RULES = (
    "ab jetzt immer {0} benutzen, nie npm",
    "Bitte niemals direkt auf {0} pushen, immer über einen PR gehen",
    "push nicht auf {0} ohne mich zu fragen, niemals",
    "vor jedem Release müssen die Tests von {0} laufen",
    "bitte keine Kommentare im Code von {0}",
    "antworte immer auf Deutsch, wenn es um {0} geht",
    "à partir de maintenant utilise toujours {0}, jamais npm",
    "n'utilise jamais {0}, on utilise toujours pnpm",
    "ne jamais modifier les fichiers dans {0}",
    "les commits de {0} doivent toujours être en anglais",
    "a partir de ahora usa siempre {0}, nunca npm",
    "nunca hagas push a {0} sin preguntarme",
    "antes de cada release hay que ejecutar los tests de {0}",
)
NO_RULES = (
    "mach heute bitte nur die Tests von {0} fertig",
    "wenn wir {0} immer benutzen würden, wäre das alles einfacher",
    "warum wird {0} immer nicht gebaut?",
    "kannst du bitte die Migration von {0} ausführen",
    "nur dieses Mal: ohne Tests von {0} mergen, nie wieder",
    "der Kollege sagt, wir sollen immer {0} nehmen",
    "le test de {0} ne passe pas",
    "pourquoi est-ce que {0} ne marche jamais ?",
    "los tests de {0} no pasan y no sé por qué",
    "puedes ejecutar siempre los tests de {0}?",
)


@pytest.mark.parametrize("said", RULES)
def test_a_rule_in_another_language_is_held_as_one(db: apsw.Connection, tmp_path: Path, token: str, said: str) -> None:
    play(db, tmp_path, "hi", said.format(token), "danke")

    assert [(b["kind"], b["text"], b["state"]) for b in listing.export(db)] == [("rule", said.format(token), "active")]


@pytest.mark.parametrize("said", NO_RULES)
def test_what_is_none_is_not(db: apsw.Connection, tmp_path: Path, token: str, said: str) -> None:
    play(db, tmp_path, "hi", said.format(token), "danke")

    assert held(db) == []


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("wir benutzen {0} für die Tests", "wir sind für die Tests von {0} auf vitest umgestiegen"),
        ("nous utilisons {0} pour les tests", "pour les tests nous utilisons maintenant vitest au lieu de {0}"),
        ("usamos {0} para los tests", "para los tests ahora usamos vitest en vez de {0}"),
    ],
)
def test_what_changes_is_replaced(db: apsw.Connection, tmp_path: Path, token: str, before: str, after: str) -> None:
    told(db, tmp_path, before.format(token), after.format(token))

    assert (held(db), held(db, "superseded")) == ([after.format(token)], [before.format(token)])


MOVES = (
    ("los ensayos son los martes", "los ensayos pasan a los jueves"),
    ("los ensayos son los martes", "ahora los ensayos son los jueves"),
    ("el servidor está en Madrid", "el servidor se muda a Lisboa"),
    ("los informes van a Marta", "los informes pasan a Lucía"),
    ("usamos {0} para los pagos", "cambiamos de {0} a mollie"),
    ("usamos {0} para los pagos", "reemplazamos {0} por mollie"),
    ("la base se llama {0}", "la base ahora se llama walrus"),
    ("les réunions sont le lundi", "les réunions passent au jeudi"),
    ("les réunions sont le lundi", "les réunions sont le jeudi maintenant"),
    ("le serveur est à Lyon", "le serveur déménage à Lille"),
    ("les logs sont dans {0}", "les logs migrent vers elastic"),
    ("nous utilisons {0} pour les paiements", "on passe de {0} à mollie"),
    ("la base s'appelle {0}", "la base s'appelle maintenant walrus"),
    ("die Proben sind am Dienstag", "die Proben wechseln auf Donnerstag"),
    ("der Server steht in Bonn", "der Server zieht nach Kiel um"),
    ("wir nutzen {0} für Zahlungen", "wir wechseln von {0} zu mollie"),
    ("wir nutzen {0} für Zahlungen", "wir ersetzen {0} durch mollie"),
    ("die Datenbank heißt {0}", "die Datenbank heißt jetzt walrus"),
)
STANDS = (
    ("los ensayos son los martes", "los ensayos pasarán a los jueves en mayo"),
    ("los ensayos son los martes", "¿pasan los ensayos a los jueves?"),
    ("los ensayos son los martes", "quizás los ensayos pasan a los jueves"),
    ("los ensayos son los martes", "las clases pasan a los jueves"),
    ("usamos {0} para los pagos", "los datos pasan a {0} por el webhook"),
    ("la base se llama {0}", "la cola se llama walrus ahora"),
    ("les réunions sont le lundi", "est-ce que les réunions passent au jeudi ?"),
    ("les réunions sont le lundi", "les tests passent au vert"),
    ("les réunions sont le lundi", "les sprints passent au jeudi"),
    ("nous utilisons {0} pour les paiements", "on passera de {0} à mollie"),
    ("die Proben sind am Dienstag", "die Proben könnten auf Donnerstag wechseln"),
    ("wir nutzen {0} für Zahlungen", "sollen wir von {0} zu mollie wechseln?"),
    ("wir nutzen {0} für Zahlungen", "wir wechseln nächsten Monat von {0} zu mollie"),
    ("der Server steht in Bonn", "der Dialog zieht nach rechts"),
)


@pytest.mark.parametrize(("before", "after"), MOVES)
def test_what_goes_elsewhere_is_replaced(
    db: apsw.Connection, tmp_path: Path, token: str, before: str, after: str
) -> None:
    later(db, tmp_path, before.format(token), after.format(token))

    assert (held(db), held(db, "superseded")) == ([after.format(token)], [before.format(token)])


@pytest.mark.parametrize(("before", "after"), STANDS)
def test_what_is_asked_or_to_come_leaves_it_as_it_is(
    db: apsw.Connection, tmp_path: Path, token: str, before: str, after: str
) -> None:
    later(db, tmp_path, before.format(token), after.format(token), "Okay, I looked into it.")

    assert held(db, "superseded") == [] and before.format(token) in [*held(db), *held(db, "heard")]


#: statements of different matters, said as people chat, each with its answer: words of structure and days tie them
CHATTED = (
    (
        (
            "ah, pour les commits, c'est court et c'est au présent, s'il te plaît, parce que c'est "
            "Nadia qui en fait la lettre du vendredi",
            "« Ajoute le filtre », au présent.",
        ),
        (
            "écoute, les salles, on les appelle par leur étage et pas par leur nom, les noms changent"
            " à chaque fois, c'est pénible",
            "Les salles ont un code d'étage.",
        ),
        (
            "pour les voix de l'audioguide, c'est un fichier par œuvre, on s'était posé la question "
            "d'un seul et c'est non, parce qu'Yvan remplace souvent une œuvre sans toucher au reste",
            "Un fichier par œuvre.",
        ),
        (
            "ah oui et pour l'accueil, Nadia a négocié, c'est 12 personnes maintenant par groupe, "
            "tous les guides sont d'accord",
            "12 par groupe.",
        ),
        (
            "au fait, la mise en ligne, pas aujourd'hui, on est vendredi ! le vendredi on ne met plus rien en ligne",
            "J'attends lundi.",
        ),
    ),
    (
        (
            "ach, und was die Commits angeht, da bitte kurz und auf Deutsch, weil die Petra daraus am"
            " Freitag den Rundbrief macht",
            "„Filter nach Halle“, kurz und auf Deutsch.",
        ),
        (
            "hör mal, die Hallen, die heißen bei uns nach der Nummer und nicht nach dem Sponsor, weil"
            " der sich ja alle zwei Jahre ändert",
            "Die Hallen haben jetzt Nummern.",
        ),
        (
            "das Einspielen aber bitte nicht heute, heute ist Freitag! freitags spielen wir nichts "
            "mehr ein, beim letzten Mal saß ich mit dem Uwe den ganzen Samstag da",
            "Ich warte bis Montag.",
        ),
    ),
    (
        (
            "mira, las salas las llamamos por el número y no por el nombre, porque el nombre cambia "
            "cada vez que hay un patrocinador nuevo",
            "Las salas tienen número.",
        ),
        (
            "lo de las voces es un archivo por obra, que ya nos preguntamos si hacerlo todo en uno y "
            "es que no, porque Iván cambia muchas veces una obra y no quiere tocar lo demás",
            "Un archivo por obra.",
        ),
        (
            "ah sí, y en los grupos Rocío ha negociado, ahora son 12 personas, todos los guías están de acuerdo",
            "12 por grupo.",
        ),
        (
            "ah, y en los commits que sea todo corto y en español, por favor, porque es Rocío la que saca de ahí la "
            "carta de los viernes",
            "«Filtrar por sala», corto y en español.",
        ),
        (
            "lo de subirlo que no sea hoy, que es viernes. los viernes ya no se sube nada, que la última vez me pasé "
            "el sábado aquí con Iván",
            "Espero al lunes.",
        ),
    ),
)


@pytest.mark.parametrize("said", CHATTED, ids=["fr", "de", "es"])
def test_words_of_structure_alone_make_nothing_give_way(
    db: apsw.Connection, tmp_path: Path, said: tuple[tuple[str, str], ...]
) -> None:
    for i, each in enumerate(said):
        exchanged(db, tmp_path, each, at=i * 260_000)

    assert held(db, "superseded") == [] and said[0][0] in held(db)


@pytest.mark.parametrize("back", ["vergiss was ich über {0} gesagt habe", "olvida lo que he dicho sobre {0}"])
def test_what_is_taken_back_goes(db: apsw.Connection, tmp_path: Path, token: str, back: str) -> None:
    play(db, tmp_path, f"always build {token} with bazel", "never push on fridays", back.format(token))

    assert held(db) == ["never push on fridays"]


@pytest.mark.parametrize(
    "said",
    ["Lucas dirait « mets tout dans une tâche », tu le connais", "Lukas sagt „alles in einen Auftrag“, wie immer"],
)
def test_a_quotation_is_one_in_the_marks_of_any_language(said: str) -> None:
    assert "qqq" in cues.plain(said)


@pytest.mark.parametrize(
    "said", ["it dies on the die of the des", "nie działa to", "use immer for the reducers", "no bin was hat there"]
)
def test_what_is_in_none_of_these_languages_stays_as_it_is(said: str) -> None:
    assert cues.plain(said) == said


@pytest.mark.parametrize("said", ["danke dir", "nee lass", "non merci", "oui, merci", "d'accord", "sí, gracias"])
def test_who_only_agrees_or_thanks_says_nothing_of_their_own(said: str) -> None:
    assert rate(sentences(said)[0]).idle


@pytest.mark.parametrize(
    ("said", "mark"),
    [
        ("pour cette PR laisse le CHANGELOG", "one_off"), ("para esta tarea no toques los docs", "one_off"),
        ("für diesen PR lass die Doku in Ruhe", "one_off"), ("solo por hoy no hagas push", "one_off"),
        ("arrête d'ajouter des commentaires", "dont"), ("deja de pedir perdón", "dont"),
        ("hör auf, immer alle Tests laufen zu lassen", "dont"), ("je te l'ai déjà dit : pnpm", "complaint"),
        ("te lo dije ayer, con yarn", "complaint"), ("das hab ich dir schon gesagt, kein npm", "complaint"),
        ("for the third time: no inline styles", "complaint"), ("we said no emojis in commits", "complaint"),
    ],
)  # fmt: skip
def test_what_is_for_one_task_is_to_end_or_was_said_before_is_known(said: str, mark: str) -> None:
    assert mark in cues.marks(cues.plain(said))


@pytest.mark.parametrize(
    ("said", "mark"),
    [
        ("we said goodbye to the old office", "complaint"), ("para el deploy hay que ejecutar make", "dont"),
        ("esta rama es la de producción", "one_off"), ("cette branche est la prod", "one_off"),
    ],
)  # fmt: skip
def test_words_that_only_look_so_are_not(said: str, mark: str) -> None:
    assert mark not in cues.marks(cues.plain(said))


@pytest.mark.parametrize(
    "said", ["pour cette PR laisse {0}", "para esta tarea no toques {0}", "für diesen PR lass {0} in Ruhe"]
)
def test_what_holds_for_one_task_is_not_held(db: apsw.Connection, tmp_path: Path, token: str, said: str) -> None:
    play(db, tmp_path, "hi", said.format(token), "danke")

    assert held(db) == []


@pytest.mark.parametrize(
    "said",
    [
        "busca los datos del cliente por nif", "añade un aviso", "ok, ahora crea la página", "haz la devolución",
        "écris un test pour CartView", "affiche la date en format court", "mets à jour le readme", "fais une page",
        "bau eine Seite für Gutscheine", "schreib einen Test", "jetzt zeig den Rabatt an", "lösch die alte Migration",
    ],
)  # fmt: skip
def test_an_order_is_one_in_any_tongue(said: str) -> None:
    assert rate(sentences(said)[0]).order


@pytest.mark.parametrize(
    ("said", "reply"),
    [
        ("haz siempre rebase de {}, nunca merge", "De acuerdo."),
        ("ajoute toujours un test à {} avec chaque correctif", "D'accord."),
        ("schreib Kommentare in {} immer auf Englisch", "OK, auf Englisch."),
    ],
)
def test_an_order_that_lasts_is_held(db: apsw.Connection, tmp_path: Path, token: str, said: str, reply: str) -> None:
    sat(db, tmp_path, (said.format(token), reply))

    assert held(db) == [said.format(token)]


@pytest.mark.parametrize(
    ("said", "reply"),
    [
        ("geht immer noch nicht, gleicher Fehler", "Der Key war falsch geschrieben. Behoben."),
        ("der Test ist immer noch rot", "Der Mock fehlte. Grün."),
        ("le bouton ne marche toujours pas", "Le handler manquait. Corrigé."),
        ("ça plante toujours au même endroit", "Null dans la jointure. Corrigé."),
        ("sigue fallando igual, mismo error", "Era la caché."),
    ],
)
def test_what_still_fails_is_no_rule(db: apsw.Connection, tmp_path: Path, said: str, reply: str) -> None:
    sat(db, tmp_path, (said, reply))

    assert held(db) == []


@pytest.mark.parametrize(
    ("said", "reply"),
    [
        ("Deployments laufen immer über {}", "OK, über Jenkins."),
        ("on utilise toujours {}, pas npm", "D'accord."),
        ("les dates de {} sont toujours en utc", "OK, en UTC."),
    ],
)
def test_what_always_is_so_is(db: apsw.Connection, tmp_path: Path, token: str, said: str, reply: str) -> None:
    sat(db, tmp_path, (said.format(token), reply))

    assert held(db) == [said.format(token)]
