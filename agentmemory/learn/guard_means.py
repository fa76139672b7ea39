"""By which programs a thing is done: what publishes, migrates, deploys, serves, adds a package, edits in place.

And in which files the code of a language is.
"""

from __future__ import annotations

from typing import Any

PUBLISH: list[tuple[str, list[str], list[str]]] = [
    ("npm", ["npm", "yarn", "pnpm", "bun", "lerna"], ["publish"]), ("crates", ["cargo"], ["publish"]),
    ("pypi", ["poetry", "uv", "hatch", "flit", "pdm"], ["publish"]), ("pypi", ["twine"], ["upload"]),
    ("rubygems", ["gem"], ["push"]), ("nuget", ["dotnet"], ["nuget", "push"]), ("marketplace", ["vsce"], ["publish"]),
]  # fmt: skip
MIGRATE: list[tuple[list[str], list[list[str]]]] = [
    (["rails", "rake"], [["db:migrate", "db:migrate:up", "db:migrate:down", "db:migrate:redo", "db:rollback"]]),
    (["python", "python3"], [["*manage.py"], ["migrate"]]),
    (["alembic"], [["upgrade"]]),
    (["prisma"], [["migrate"]]), (["knex", "sequelize", "typeorm"], [["migrate*", "db:migrate*", "migration:run"]]),
    (["flyway", "liquibase"], [["migrate", "update"]]), (["goose", "dbmate"], [["up", "migrate"]]),
    (["php"], [["artisan"], ["migrate*"]]),
    (["diesel", "sqlx"], [["migration", "migrate"]]), (["npm", "yarn", "pnpm", "bun"], [["run"], ["*migrat*"]]),
    (["make", "just", "task"], [["*migrat*"]]),
]  # fmt: skip
DEPLOY: list[tuple[list[str], list[list[str]]]] = [
    (["kubectl"], [["apply", "rollout"]]), (["helm"], [["upgrade", "install"]]),
    (["terraform", "pulumi"], [["apply", "up"]]), (["ansible-playbook"], [["*deploy*"]]),
    (["fly", "flyctl", "vercel", "netlify", "firebase", "serverless", "sls", "wrangler", "cap", "copilot", "railway",
      "eb", "sam"], [["deploy", "*deploy*", "publish"]]),
    (["gcloud"], [["app", "run", "functions"], ["deploy"]]),
    (["git"], [["push"], ["heroku", "*heroku*", "production", "prod"]]),
    (["make", "just", "task", "rake"], [["*deploy*"]]),
    (["npm", "yarn", "pnpm", "bun"], [["run", "deploy"], ["*deploy*"]]),
    (["aws"], [["deploy", "ecs", "lambda"], ["create-deployment", "update-service", "update-function-code"]]),
]  # fmt: skip
SERVE: list[tuple[list[str], list[list[str]]]] = [
    (["npm", "pnpm", "bun"], [["run"], ["dev", "serve", "start:dev"]]), (["npm", "yarn", "pnpm"], [["start"]]),
    (["yarn", "pnpm"], [["dev", "serve"]]), (["next", "nuxt", "astro", "wrangler", "netlify", "vercel"], [["dev"]]),
    (["rails", "bin/rails"], [["server", "s"]]), (["python", "python3"], [["*manage.py"], ["runserver"]]),
    (["flask"], [["run"]]), (["hugo", "ng", "jekyll"], [["serve", "server"]]),
    (["make", "just", "task"], [["dev", "serve"]]),
]  # fmt: skip
#: the comments by which what a tool finds is silenced
SILENCES: list[tuple[str, list[str]]] = [
    ("eslint", ["eslint-disable"]), ("typescript ts tsc type types", ["@ts-ignore", "@ts-expect-error", "@ts-nocheck"]),
    ("mypy pyright type types", ["type: ignore", "pyright: ignore"]), ("ruff flake flake8", ["noqa"]),
    ("pylint", ["pylint: disable", "pylint:disable"]), ("rubocop", ["rubocop:disable"]), ("golangci", ["nolint"]),
    ("clippy", ["allow(clippy"]), ("stylelint", ["stylelint-disable"]), ("biome", ["biome-ignore"]),
]  # fmt: skip
#: what empties a database
RESET: list[dict[str, list[str] | list[list[str]]]] = [
    {"program": ["prisma"], "args": [["migrate"], ["reset"]]}, {"program": ["supabase"], "args": [["db"], ["reset"]]},
    {"program": ["rails", "rake"], "args": [["db:reset", "db:drop*", "db:purge", "db:migrate:reset"]]},
    {"program": ["heroku"], "args": [["pg:reset"]]}, {"program": ["mix"], "args": [["ecto.reset", "ecto.drop"]]},
    {"program": ["python", "python3"], "args": [["*manage.py"], ["flush", "reset_db"]]},
    {"program": ["*manage.py"], "args": [["flush", "reset_db"]]}, {"program": ["dropdb"]},
    {"program": ["php"], "args": [["artisan"], ["migrate:fresh", "migrate:reset", "db:wipe"]]},
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
ADDS = ["install", "i", "in", "add", "update", "up", "upgrade"]  # of npm and pnpm
ADD_PACKAGE: list[tuple[list[str], list[str]]] = [
    (["npm", "pnpm", "bun"], ["install", "i", "add"]),
    (["yarn", "poetry", "uv", "pdm", "cargo", "bundle", "deno"], ["add"]),
    (["pip", "pip3", "pipenv", "conda", "mamba", "gem"], ["install"]), (["go"], ["get"]), (["composer"], ["require"]),
]  # fmt: skip
#: how a program that else only reads changes files itself
IN_PLACE = {"sed": ["-i"], "perl": ["-i"], "ruby": ["-i"], "awk": ["-i", "inplace"], "gawk": ["-i", "inplace"]}
#: the programs that take a namespace, a profile ...: what a rule against one of them is about
SELECTING = {
    "namespace": ["kubectl", "helm", "oc"], "context": ["kubectl", "helm", "oc"],
    "cluster": ["kubectl", "helm", "oc"], "profile": ["aws"],
    "project": ["gcloud"], "subscription": ["az"],
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
