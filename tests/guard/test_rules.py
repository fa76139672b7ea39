"""How rules are worded: each of these sentences stops the one command and lets the other run."""

import subprocess

import pytest

from agentmemory import guard
from agentmemory.learn.guards import compile, guard_of
from agentmemory.memory import Memory


def mode(rule, command, cwd=""):
    event = {"tool_name": "Bash", "tool_input": {"command": command}, "cwd": str(cwd)}
    verdict = guard.check(event, [guard_of(p) for p in compile(rule)])
    return verdict.mode if verdict else None


@pytest.mark.parametrize(
    ("rule", "stopped", "passes"),
    [
        ("Never ever push straight to GitHub — always go through ./tools/release.sh.", "git push github",
         "./tools/release.sh"),
        ("We don't push to github by hand. scripts/publish.sh does it.", "git push github", "scripts/publish.sh"),
        ("Do not, under any circumstances, run `git push --force`.", "git push -f", "git push"),
        ("Package manager is bun, not npm/yarn/pnpm.", "yarn add x", "bun add x"),
        ("pip is not allowed here, use uv.", "pip3 install x", "uv pip install x"),
        ("we never use pip here (uv only)", "pip install x", "uv sync"),
        ("Terraform apply only runs in CI, never run it yourself.", "terraform apply", "terraform plan"),
        ("Don't apply terraform locally", "terraform apply", "terraform plan"),
        ("Don't use git add . or git add -A", "git add -A", "git add a.py"),
        ("Don't use python directly, use `uv run python`.", "python x.py", "uv run python x.py"),
        ("Never run `pytest` without `-n auto`.", "pytest -q", "pytest -n auto -q"),
        ("never use grep or find, use rg and fd", "find . -name x", "fd x"),
        ("Don't pass --force to npm install.", "npm i --force", "npm i"),
        ("kubectl delete is forbidden in prod.", "kubectl --context prod delete pod x", "kubectl delete pod x"),
        ("never use aws cli with the prod profile", "aws --profile prod s3 ls", "aws --profile dev s3 ls"),
        ("Use podman, docker is not available here", "docker ps", "podman ps"),
        ("Never start a second server: don't run `npm run dev`", "npm run dev", "npm run build"),
        ("Don't disable TLS checks with curl -k", "curl -k x", "curl x"),
        ("Never install anything with brew", "brew install x", "brew list"),
        ("it's not ok to rm -rf anything", "rm -rf x", "rm x"),
        ("We never use docker-compose, always `docker compose`", "docker-compose up", "docker compose up"),
        ("Use `git push --force-with-lease` instead of `git push --force`", "git push --force",
         "git push --force-with-lease"),
        ("Never run scripts/seed.py", "python scripts/seed.py", "python scripts/other.py"),
        ("config/prod.yml must never be changed by an agent", "sed -i s/a/b/ config/prod.yml", "cat config/prod.yml"),
        ("migrations/ is generated, don't edit it by hand", "echo > migrations/1.sql", "ls migrations"),
        ("Never stage .pem files", "git add certs/a.pem", "git add certs/a.txt"),
        ("Use pnpm only.", "npm install", "pnpm install"),
        ("git checkout -- <file> is forbidden.", "git checkout -- a.py", "git checkout main"),
        ("Don't switch branches.", "git switch dev", "git checkout -- a.py"),
        ("git commit without -s is not accepted.", "git commit -m x", "git commit -s -m x"),
        ("Do not connect to the prod database with psql.", "psql -h prod-db", "psql -h localhost"),
        ("`adb shell rm` is off-limits", "adb shell rm -r /sdcard", "adb shell ls"),
        ("Don't `source .env`.", "source .env", "cat .env.example"),
        ("Only podman is allowed here.", "docker ps", "podman ps"),
        ("All package installs go through pnpm.", "yarn add x", "pnpm add x"),
        ("Instead of pip use uv.", "pip install x", "uv pip install x"),
        ("Replace any use of docker-compose with `docker compose`.", "docker-compose up", "docker compose up"),
        ("Don't add new dependencies.", "npm install lodash", "npm install"),
        ("Don't add new dependencies.", "pip install x", "pip install -r requirements.txt"),
        ("Never deploy to production.", "helm upgrade api . -n prod", "helm upgrade api . -n dev"),
        ("kubectl against production: read only", "kubectl --context prod delete pod x",
         "kubectl --context prod get pods"),
        ("Don't stop the docker containers.", "docker compose stop", "docker ps"),
        ("Commits to main are forbidden.", "git checkout main && git commit -m x",
         "git checkout -b a && git commit -m x"),
        ("Don't touch the CI config.", "sed -i s/a/b/ .github/workflows/ci.yml", "cat .github/workflows/ci.yml"),
        ("Don't run database migrations yourself.", "alembic upgrade head", "alembic history"),
    ],
)  # fmt: skip
def test_a_rule_stops_what_it_forbids_and_lets_the_rest_run(rule, stopped, passes):
    assert (mode(rule, stopped), mode(rule, passes)) == ("deny", None)


@pytest.mark.parametrize(
    ("rule", "stopped", "passes"),
    [
        ("Never push to main or master.", ["git push origin main", "git push origin master"], "git push origin topic"),
        ("Never push to main, master, or production without asking me", ["git push origin production"],
         "git push origin topic"),
        ("Never push to main/develop", ["git push origin main", "git push origin develop"], "git push origin topic"),
        ("Never force push to main or develop", ["git push -f origin develop"], "git push -f origin topic"),
        ("Never push to main and then tell me", ["git push origin main"], "git push origin then"),
        ("Never deploy to staging or production", ["make deploy ENV=staging", "make deploy ENV=production"],
         "make deploy"),
        ("Never ssh into prod or staging", ["ssh prod", "ssh staging"], "ssh dev"),
        ("Never commit to main or develop",
         ["git switch develop && git commit -m x", "git switch main && git commit -m x"],
         "git switch topic && git commit -m x"),
        ("Never run `git reset --hard`, `git clean -fd` or `git push --force`",
         ["git reset --hard", "git clean -fd", "git push --force"], "git reset"),
        ("Never use npm, yarn or bun", ["npm i", "yarn", "bun i"], "pnpm i"),
        ("Never use `npm`, `yarn`, or `bun`", ["npm i", "yarn", "bun i"], "pnpm i"),
        ("Never use npm, use pnpm or yarn", ["npm i"], "yarn add x"),
        ("Never run terraform apply, terraform destroy or terraform import",
         ["terraform apply", "terraform destroy", "terraform import a b"], "terraform plan"),
        ("Never run kubectl apply, delete or patch", ["kubectl apply -f x", "kubectl delete pod x", "kubectl patch x"],
         "kubectl get pods"),
        ("Never git commit or push to main", ["git checkout main && git commit -m x"], "git status"),
        ("Never use sudo. Never deploy with make release.", ["sudo ls", "make release"], "make build"),
        ("Never push to main. Never deploy with make deploy.", ["git push origin main", "make deploy"], "make build"),
        ("Never force push. Never commit with --no-verify", ["git push -f", "git commit --no-verify -m x"], "git push"),
        ("Never use sudo, never deploy with make release", ["sudo ls", "make release"], "make build"),
        ("Never edit package.json, tsconfig.json and vite.config.ts",
         ["rm package.json", "rm tsconfig.json", "rm vite.config.ts"], "rm a.json"),
    ],
)  # fmt: skip
def test_every_item_of_a_list_and_every_sentence_is_guarded(rule, stopped, passes):
    assert [command for command in [*stopped, passes] if mode(rule, command)] == stopped


@pytest.mark.parametrize(
    ("rule", "stopped", "passes"),
    [
        ("Never edit anything except files in src/", "rm docs/a.md", ["rm src/a.py", "ls > /tmp/x"]),
        ("Don't edit files outside of src/", "rm docs/a.md", ["rm src/a.py"]),
        ("Never change anything outside of src/ and tests/", "sed -i s/a/b/ Makefile", ["rm src/a", "rm tests/a"]),
        ("Never use kubectl in prod except get and logs", "kubectl --context prod delete pod x",
         ["kubectl --context prod get pods", "kubectl logs x --context prod"]),
        ("We never use npm here except for npm publish", "npm i", ["npm publish"]),
        ("Use git push --force-with-lease, never --force", "git push -f",
         ["git push --force-with-lease", "docker build -f Dockerfile.dev .", "docker compose -f a.yml up", "rm -f a"]),
        ("Never use --force", "git push --force",
         ["docker build -f Dockerfile.dev .", "docker compose -f a.yml up", "docker logs -f web", "rm -f a"]),
        ("Never force push except with --force-with-lease", "git push --force", ["git push --force-with-lease"]),
        ("Never run docker rmi --force", "docker rmi -f a", ["docker build -f Dockerfile.dev ."]),
    ],
)  # fmt: skip
def test_what_a_rule_excepts_runs(rule, stopped, passes, project):
    assert [command for command in [stopped, *passes] if mode(rule, command, project) == "deny"] == [stopped]


@pytest.mark.parametrize(
    ("rule", "said"),
    [
        ("Never use sudo. Never deploy with make release.", ""),
        ("Never use sudo. No deploys with make release.", ""),
        ("Never use npm, never yarn, always pnpm", "pnpm"),
        ("Never push to main. Don't do it by hand, use scripts/release.sh.", "scripts/release.sh"),
        ("Never use npm. No exceptions, use pnpm.", "pnpm"),
        ("Never use npm. Use pnpm to avoid conflicts.", "pnpm to avoid conflicts"),
    ],
)
def test_what_a_rule_forbids_is_no_advice(rule, said):
    assert {p.says.partition(" Do this instead: ")[2].rstrip(".") for p in compile(rule)} == {said}


@pytest.mark.parametrize(
    ("rule", "expected"),
    [
        ("Never force push.", "deny"),
        ("Never force push without asking me.", "ask"),
        ("Ask me before you force push.", "ask"),
        ("Prefer a merge over a `git push --force`", "ask"),
        ("Never force push before the tests have run.", "inform"),
    ],
)
def test_the_words_choose_the_mode(rule, expected):
    assert mode(rule, "git push -f") == expected


@pytest.mark.parametrize(
    "rule",
    [
        "The API listens on port 8080, not 3000.", "We use Postgres 16, not 15.",
        "Always run the linter before committing.",
        "Use tabs not spaces", "Never apologise.", "Write short commit messages", "Don't guess, ask.",
        "Don't be verbose.",
        "Do not use abbreviations in variable names.", "Stop adding comments everywhere.", "We deploy on Fridays", "",
        "make deploy takes ten minutes, don't worry if it looks stuck.", "terraform state lives in s3, not in git.",
        "If pytest is slow, it's not your fault, the fixtures are big.", "npm test is flaky on Windows, no idea why.",
        "src/legacy/ is the old parser; nobody remembers how it works.", "pytest runs in CI with -n 4.",
        "cargo build needs protoc; without it nothing works.", "config/prod.yml has no secrets in it.",
        "Don't forget to run make lint before you push.", "It is not a problem if docker pull fails once.",
        "Never forget that README.md is the first thing people read.", "don't hesitate to use gh pr create",
        "git push takes forever over VPN, so be patient.", "you can always run pytest -x, no need to ask",
        "The deploy target is eu-west-1, not us-east-1.", "Never assume; check the docs.", "Don't hardcode the port.",
    ],
)  # fmt: skip
def test_a_rule_about_no_action_compiles_to_nothing(rule):
    assert compile(rule) == []


def test_committing_on_a_branch_is_seen_in_the_repository(project):
    rule = "Don't commit directly to main."
    subprocess.run(["git", "checkout", "-q", "-b", "main"], cwd=project, check=False)
    assert mode(rule, "git commit -m x", project) == "deny"
    assert mode(rule, "git checkout -b topic && git commit -m x", project) is None
    subprocess.run(["git", "checkout", "-q", "-b", "topic"], cwd=project, check=True)
    assert mode(rule, "git commit -m x", project) is None


def test_a_bare_push_from_main_is_a_push_to_main(project):
    rule = "Never push directly to main, open a PR instead."
    subprocess.run(["git", "checkout", "-q", "-b", "main"], cwd=project, check=False)

    assert mode(rule, "git push", project) == "deny"
    assert mode(rule, "git push origin topic", project) is None


@pytest.mark.parametrize(
    "rule",
    [
        "(" * 500, "never " * 300, "`" * 99, "don't run `" + "a " * 400, "use " * 200 + "not x", "\x00\u202e never",
        "never npm, use ` ` instead", 'never npm, "please please please"',
        "claude ran please , this is wrong",
    ],
)  # fmt: skip
def test_no_words_make_it_fail(rule):
    compile(rule)


@pytest.mark.parametrize(
    ("rule", "command"),
    [
        ("please never do a git pull on a dirty tree", "git pull"),
        ("never use echo to write to a file, use tee", "echo done"),
        ("never call the payment API with curl, use the sandbox CLI", "curl -I https://example.com"),
        ("never open a PR as ready, drafts only", "gh pr create --draft"),
        ("don't pnpm add a package heavier than 100 kB", "pnpm add express"),
        ("never psql as superuser", "psql -h localhost"),
        ("don't use jq where a python one-liner will do", "jq .x a.json"),
        ("don't call make from inside src/", "make test"),
        ("never grep the whole disk", "grep -rn x docs"),
        ("do not python -c anything longer than a tweet", "python -c 'print(1)'"),
        ("never delete a branch that has somebody else's name in it", "git branch -d topic"),
        ("Never commit before running `make test`.", "git commit -m x"),
        ("Never use curl except for localhost", "curl https://example.com"),
        ("Never use git checkout to discard changes", "git checkout topic"),
        ("Never use docker run to start the database, use docker compose", "docker run img"),
    ],
)
def test_a_rule_about_some_cases_that_look_like_all_others_only_reminds(rule, command):
    assert mode(rule, command) == "inform"


@pytest.mark.parametrize(
    ("rule", "command"),
    [
        ("if I catch you running terraform destroy I'm unplugging you", "terraform destroy"),
        ("don't run migrations backwards (alembic downgrade and friends)", "alembic downgrade -1"),
        ("never use pip but uv", "pip install x"),
        ("never run pytest on this machine", "pytest -q"),
    ],
)
def test_what_follows_a_command_and_says_nothing_of_it_narrows_nothing(rule, command):
    assert mode(rule, command) == "deny"


@pytest.mark.parametrize("rule", ["In Python, never use ` `.", "Only run ` ` via make.", "you ran ` `, that is wrong"])
def test_a_rule_whose_code_holds_no_word_is_locked_all_the_same(project, rule):
    with Memory() as memory:
        assert memory.belief(memory.lock(rule).id).locked
