"""Rules in German, French and Spanish: what they forbid is stopped, what they ask for runs; English stays as it is."""

import pytest

from agentmemory.learn.guard_tongues import english
from agentmemory.learn.guards import compile
from tests.guard.verdicts import mode


@pytest.mark.parametrize(
    ("rule", "stopped", "passes"),
    [
        ("Niemals `git push --force` auf main.", ["git push -f origin main"], ["git push origin main", "git status"]),
        ("Nie direkt auf main pushen!", ["git push origin HEAD:main"], ["git push origin feature/x", "git pull"]),
        ("Die Datei config/prod.yml darf nicht geändert werden.", ["rm config/prod.yml"], ["cat config/prod.yml"]),
        ("Benutze nie npm, sondern pnpm.", ["npm install"], ["pnpm install", "cat package.json"]),
        ("Benutze immer `uv`, nie `pip`.", ["pip install x"], ["uv pip install x"]),
        ("Bitte keine Dateien unter generated/ bearbeiten.", ["rm generated/a.ts"], ["cat generated/a.ts", "rm src/a"]),
        ("Fasse die Dateien in vendor/ nicht an.", ["rm vendor/a"], ["ls vendor"]),
        ("Finger weg von migrations/.", ["rm migrations/1.sql"], ["ls migrations"]),
        ("LICENSE bleibt unverändert.", ["rm LICENSE"], ["cat LICENSE"]),
        ("Führe nie `terraform destroy` aus.", ["terraform destroy"], ["terraform plan"]),
        ("Bitte .env niemals lesen.", ["cat .env"], ["ls", "cat a.env.md"]),
        ("Ne jamais utiliser `yarn`, toujours `pnpm`.", ["yarn add x"], ["pnpm add x", "cat yarn.lock"]),
        ("Ne modifie jamais les fichiers dans vendor/.", ["rm vendor/a"], ["cat vendor/a"]),
        ("Il est interdit de pousser sur main.", ["git push origin main"], ["git push origin x"]),
        ("N'utilise pas docker-compose, utilise `docker compose`.", ["docker-compose up"], ["docker compose up"]),
        ("Le fichier config/prod.yml ne doit jamais être modifié.", ["rm config/prod.yml"], ["cat config/prod.yml"]),
        ("Il ne faut jamais lancer `rm -rf`.", ["rm -rf x"], ["rm x"]),
        ("Nunca uses `rm -rf`.", ["sudo rm -fr x"], ["rm x"]),
        ("No modifiques los archivos de migrations/.", ["rm migrations/1.sql"], ["cat migrations/1.sql"]),
        ("Está prohibido hacer `git push --force`.", ["git push -f origin x"], ["git push"]),
        ("Nunca hagas push a main.", ["git push origin main"], ["git push origin x"]),
        ("config/prod.yml no se debe modificar.", ["rm config/prod.yml"], ["cat config/prod.yml"]),
        ("Nunca ejecutes `terraform destroy` en producción.", ["TF_WORKSPACE=prod terraform destroy"],
         ["terraform destroy -var env=dev"]),
    ],
)  # fmt: skip
def test_a_rule_in_another_language_stops_what_it_means(project, rule, stopped, passes):
    assert [command for command in [*stopped, *passes] if mode(rule, project, command=command) == "deny"] == stopped


@pytest.mark.parametrize(
    ("rule", "stopped", "passes"),
    [
        ("Niemals committen oder pushen", ["git commit -m x", "git push"], ["git status"]),
        ("nicht committen oder pushen ohne zu fragen", ["git commit -m x", "git push"], ["git diff"]),
        ("Nie pushen, mergen oder committen!", ["git push", "git merge x", "git commit -m x"], ["git pull"]),
        ("ne jamais committer ou pousser", ["git commit -m x", "git push"], ["git status"]),
        ("ne pas pousser ni fusionner sans me demander", ["git push", "git merge x"], ["git fetch"]),
        ("nunca hagas commit o push", ["git commit -m x", "git push"], ["git status"]),
        ("die Produktionsdatenbank nie anfassen", ["psql -h prod-db -c 'delete from a'"],
         ["psql -h dev-db -c 'delete from a'"]),
        ("ne touche jamais à la base de production", ["psql -h prod-db -c 'delete from a'"], ["psql -h dev-db"]),
        ("no modifiques la base de datos de producción", ["psql -h prod-db -c 'update a set b=1'"],
         ["psql -h prod-db -c 'select 1'"]),
        ("Nunca ejecutes el seed de producción", ["npm run seed:prod"], ["npm run seed"]),
    ],
)  # fmt: skip
def test_each_of_several_verbs_and_the_production_database_are_guarded(project, rule, stopped, passes):
    assert [command for command in [*stopped, *passes] if mode(rule, project, command=command)] == stopped


@pytest.mark.parametrize(
    ("rule", "command"),
    [
        ("Niemals ohne zu fragen auf main pushen.", "git push origin main"),
        ("Ne pousse jamais sur main sans me demander.", "git push origin main"),
        ("No borres nada en data/ sin preguntarme.", "rm data/a"),
    ],
)
def test_a_rule_in_another_language_asks(project, rule, command):
    assert mode(rule, project, command=command) == "ask"
    assert mode(rule, project, command="git push origin feature/x") is None


@pytest.mark.parametrize(
    "rule",
    [
        "Vergiss nicht, `make lint` auszuführen.",
        "Nicht vergessen: immer `make test` vor dem Push ausführen.",
        "Benutze nicht nur `make test`, sondern auch `make lint`.",
        "Ich habe `terraform apply` nie benutzt.",
        "`npm test` ist nie grün auf meinem Rechner.",
        "Zögere nicht, `make test` auszuführen.",
        "N'oublie pas de lancer `make test`.",
        "N'hésite pas à lancer `make test`.",
        "On ne lance jamais assez `make lint`.",
        "`npm test` ne passe jamais sur ma machine.",
        "No olvides ejecutar `make lint` antes de hacer commit.",
        "No es necesario ejecutar `npm install` cada vez.",
        "No dejes de correr `pytest -q` después de cada cambio.",
        "No pasa nada si usas `git stash`.",
        "No hay problema con `git push --force` en ramas propias.",
        "`npm test` nunca pasa en mi máquina.",
    ],
)
def test_what_another_language_asks_for_is_not_forbidden(rule):
    assert [proposal.plain for proposal in compile(rule)] == []


@pytest.mark.parametrize(
    "sentence",
    ["Never push to main, la la la.", "no `TODO` comments in code", "Never use the das keyboard.", "No con artists."],
)
def test_english_is_left_as_it_is(sentence):
    assert english(sentence) == sentence
