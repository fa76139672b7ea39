"""By which programs a thing is done: what publishes, migrates, deploys, serves, adds a package, edits in place.

And in which files the code of a language is.
"""

from __future__ import annotations

from typing import Any


def done_by(rows: str) -> list[dict[str, Any]]:
    """Commands, one a line: the programs that may stand there, then behind each ">" what the next argument may be."""
    split = [[part.split() for part in row.split(" > ")] for row in rows.strip().splitlines()]
    return [{"program": programs, **({"args": args} if args else {})} for programs, *args in split]


def command(row: str, **more: Any) -> dict[str, Any]:
    """Such a command (see `done_by`), where *more* holds of it as well."""
    return {**done_by(row)[0], **more}


def run(row: str, **more: Any) -> tuple[str, dict[str, Any]]:
    """What guards the running of such a command."""
    return "Bash", command(row, **more)


#: by where it is published
PUBLISH = {
    "npm": done_by("npm yarn pnpm bun lerna > publish"),
    "crates": done_by("cargo > publish"),
    "pypi": done_by("poetry uv hatch flit pdm > publish\ntwine > upload"),
    "rubygems": done_by("gem > push"),
    "nuget": done_by("dotnet > nuget > push"),
    "marketplace": done_by("vsce > publish"),
}
MIGRATE = done_by("""
    rails rake > db:migrate db:migrate:up db:migrate:down db:migrate:redo db:rollback
    python python3 > *manage.py > migrate
    alembic > upgrade
    prisma > migrate
    knex sequelize typeorm > migrate* db:migrate* migration:run
    flyway liquibase > migrate update
    goose dbmate > up migrate
    php > artisan > migrate*
    diesel sqlx > migration migrate
    npm yarn pnpm bun > run > *migrat*
    make just task > *migrat*
""")
DEPLOY = done_by("""
    kubectl > apply rollout
    helm > upgrade install
    terraform pulumi > apply up
    ansible-playbook > *deploy*
    fly flyctl vercel netlify firebase serverless sls wrangler cap copilot railway eb sam > deploy *deploy* publish
    gcloud > app run functions > deploy
    git > push > heroku *heroku* production prod
    make just task rake > *deploy*
    npm yarn pnpm bun > run deploy > *deploy*
    aws > deploy ecs lambda > create-deployment update-service update-function-code
""")
SERVE = done_by("""
    npm pnpm bun > run > dev serve start:dev
    npm yarn pnpm > start
    yarn pnpm > dev serve
    next nuxt astro wrangler netlify vercel > dev
    rails bin/rails > server s
    python python3 > *manage.py > runserver
    flask > run
    hugo ng jekyll > serve server
    make just task > dev serve
""")
#: what empties a database
RESET = done_by("""
    prisma > migrate > reset
    supabase > db > reset
    rails rake > db:reset db:drop* db:purge db:migrate:reset
    heroku > pg:reset
    mix > ecto.reset ecto.drop
    python python3 > *manage.py > flush reset_db
    *manage.py > flush reset_db
    dropdb
    php > artisan > migrate:fresh migrate:reset db:wipe
""")
#: a package by its name
ADD_PACKAGE = done_by("""
    npm pnpm bun > install i add > *
    yarn poetry uv pdm cargo bundle deno > add > *
    pip pip3 pipenv conda mamba gem > install > *
    go > get > *
    composer > require > *
""")
ADDS = "install i in add update up upgrade"  # of npm and pnpm
#: the comments by which what a tool finds is silenced
SILENCES: list[tuple[str, list[str]]] = [
    ("eslint", ["eslint-disable"]), ("typescript ts tsc type types", ["@ts-ignore", "@ts-expect-error", "@ts-nocheck"]),
    ("mypy pyright type types", ["type: ignore", "pyright: ignore"]), ("ruff flake flake8", ["noqa"]),
    ("pylint", ["pylint: disable", "pylint:disable"]), ("rubocop", ["rubocop:disable"]), ("golangci", ["nolint"]),
    ("clippy", ["allow(clippy"]), ("stylelint", ["stylelint-disable"]), ("biome", ["biome-ignore"]),
]  # fmt: skip
#: what runs tests, and how it is told to run some of them only
TESTS = ["pytest", "vitest", "jest", "mocha", "playwright", "cypress", "go", "cargo", "mvn", "gradle", "phpunit"]
SOME = ["-k", "-m", "--version", "--collect-only", "--co"]
A_FILE = [["*.*", "*/*", "*::*"]]
ALL_TESTS: list[dict[str, Any]] = [
    *({"program": [name], "unless": [{"program": [name], "has": A_FILE}, {"program": [name], "flags": [SOME]}]}
      for name in ("pytest", "vitest", "phpunit", "rspec")),
    *({"program": [name], "unless": [{"program": [name], "args": [["*"]]}, {"program": [name], "flags": [[some]]}]}
      for name, some in (("jest", "-t"), ("mocha", "-g"))),
    *({"program": programs, "args": [["test", "t", "tests"]], "unless": [{"program": programs, "args": [["*"], ["*"]]}]}
      for programs in (["npm", "yarn", "pnpm", "bun", "deno"], ["cargo"], ["make", "just", "task", "rake"])),
    {"program": ["npm", "yarn", "pnpm", "bun"], "args": [["run"], ["test"]],
     "unless": [{"program": ["npm", "yarn", "pnpm", "bun"], "has": A_FILE}]},
    {"program": ["go"], "args": [["test"]], "has": [["./...", "..."]]},
    {"program": ["tox", "nox"]},
    {"program": ["mvn", "mvnw", "gradle", "gradlew"], "has": [["test", "verify", "check"]],
     "unless": [{"program": ["mvn", "mvnw", "gradle", "gradlew"], "flags": [["--tests", "-Dtest", "-Dtest=*"]]}]},
]  # fmt: skip
#: how a program that else only reads changes files itself
IN_PLACE = {"sed": ["-i"], "perl": ["-i"], "ruby": ["-i"], "awk": ["-i", "inplace"], "gawk": ["-i", "inplace"]}
#: the programs that take a namespace, a profile ...: what a rule against one of them is about
SELECTING = {
    "namespace": "kubectl helm oc", "context": "kubectl helm oc", "cluster": "kubectl helm oc", "profile": "aws",
    "project": "gcloud", "subscription": "az",
}  # fmt: skip
#: what code has that rules name in words: what stands there then, and in which files
SCRIPTED = ["*.ts", "*.tsx", "*.js", "*.jsx", "*.mjs", "*.vue", "*.svelte"]
SPELLED: list[tuple[str, list[str], list[str]]] = [
    (r"default[\s-]exports?", ["export default"], SCRIPTED),
    (r"(?:typescript\s+)?enums?", ["enum "], ["*.ts", "*.tsx"]),
    (r"(?:wildcard|star|glob)[\s-]imports?", ["import *", ".*;"], ["*.py", "*.java", "*.kt", "*.scala", *SCRIPTED]),
    (r"relative[\s-]imports?", ["from .", "from '.", 'from ".'], ["*.py", *SCRIPTED]),
    (r"inline[\s-]styles?", ["style={{", 'style="'], ["*.html", *SCRIPTED]),
    (r"bare\s+excepts?(?:\s+clauses?)?", ["except:"], ["*.py"]),
    (r"console\s+(?:logs?|output)", ["console.log("], SCRIPTED),
]
#: in which files the code of a language is
LANGUAGES = {
    "typescript": ["*.ts", "*.tsx"], "ts": ["*.ts", "*.tsx"], "javascript": ["*.js", "*.jsx", "*.mjs"], "js": ["*.js"],
    "python": ["*.py"], "go": ["*.go"], "rust": ["*.rs"], "ruby": ["*.rb"], "java": ["*.java"], "css": ["*.css",
    "*.scss"],
    "tests": ["tests/", "test/", "*test*", "*spec*"], "test": ["tests/", "test/", "*test*", "*spec*"],
}  # fmt: skip
