"""What a rule denies is not always the doing of what it names; how far a prohibition goes is read to its end."""

import pytest

from agentmemory.learn.guards import compile
from tests.guard.verdicts import mode


@pytest.mark.parametrize(
    "rule",
    [
        "Don't forget `npm run lint`.",
        "You must not forget `go mod tidy`.",
        "Never hesitate to run `git stash`.",
        "Don't be afraid to use `git reset --hard` on your own branch.",
        "You never have to ask before running `pytest`.",
        "No need to ask before `git push`.",
        "Don't ask me before running `pytest`.",
        "We never had problems with `docker compose down -v`, use it freely.",
        "It is never wrong to run `cargo clippy`.",
        "Don't worry about `npm audit` warnings.",
        "Do not skip running `terraform plan`.",
        "Never skip `make lint`.",
        "Never stop using `pnpm`.",
        "Don't stop at `make build`; run `make test` too.",
        "Don't just run `cargo test`, also run `cargo clippy`.",
        "Do not let `make test` fail.",
        "Make sure `git status` is never dirty.",
        "No doubt `poetry install` is slow, but use it.",
        "No later than Friday we `npm publish`.",
        "Never trust the output of `npm outdated`.",
        "Never rely on `date` in tests.",
        "Never assume that `python` is Python 3.",
        "Never mention `make secret` in public docs.",
        "Never leave the house without running `git push`.",
        "README.md must never be out of date.",
        "docs/ must never lag behind src/.",
        "Never let tests/ rot.",
        "Don't leave docs/ untouched when the API changes.",
        "Keep src/app.ts as it is the entry point; add new code to src/lib.",
        "Keep `make test` as is.",
        "Don't pipe `npm test` to head.",
        "Don't rename `make deploy`.",
    ],
)
def test_what_is_wanted_trusted_or_spoken_of_is_not_forbidden(rule):
    assert [proposal.plain for proposal in compile(rule)] == []


@pytest.mark.parametrize(
    ("rule", "command"),
    [
        ("Never `git add` binaries.", "git add src/a.py"),
        ("Never `git add` files over 5 MB.", "git add src/a.py"),
        ("Don't `rm` migrations.", "rm a.log"),
        ("Never `docker push` unsigned images.", "docker push x"),
        ("Never run `pytest` tests marked slow.", "pytest"),
        ("`npm publish` must not be run in CI.", "npm publish"),
        ("`docker compose up` should not be run twice.", "docker compose up"),
        ("scripts/deploy.sh must not be called during business hours.", "scripts/deploy.sh"),
        ("`make deploy` must not be run on Fridays.", "make deploy"),
        ("`make deploy` is forbidden during incidents.", "make deploy"),
        ("config/prod.yml must not be changed while a deploy is running.", "rm config/prod.yml"),
        ("Migrations in db/migrate/ must not be edited once merged.", "rm db/migrate/1.sql"),
    ],
)
def test_a_rule_that_goes_on_behind_its_command_reminds(project, rule, command):
    assert mode(rule, project, command=command) == "inform"


@pytest.mark.parametrize(
    ("rule", "stopped", "passes"),
    [
        ("LICENSE must stay untouched.", ["rm LICENSE"], ["cat LICENSE"]),
        ("LICENSE stays as it is.", ["rm LICENSE"], ["cat LICENSE"]),
        ("Keep migrations/ as it is.", ["rm migrations/1.sql"], ["ls migrations", "rm src/a"]),
        ("Treat infra/ as read-only.", ["rm infra/a.tf"], ["cat infra/a.tf"]),
        ("The vendor/ folder stays as is.", ["rm vendor/a"], ["ls vendor"]),
        ("package.json is not to be changed.", ["echo > package.json"], ["cat package.json"]),
        ("`npm audit fix --force` never. It broke CI.", ["npm audit fix --force"], ["npm audit fix", "npm audit"]),
        ("`terraform apply` must not be run by agents.", ["terraform apply"], ["terraform plan"]),
        ("Never `kubectl delete` anything in the kube-system namespace.",
         ["kubectl delete pod x -n kube-system", "kubectl --namespace=kube-system delete pod x"],
         ["kubectl delete pod x", "kubectl get pods -n kube-system"]),
        ("Never run `python train.py`, use `make train`.", ["python ./train.py", "python3 -u train.py"],
         ["make train", "python eval.py"]),
        ("Don't pipe pytest into tail.", ["pytest -q | tail -5"], ["pytest -q", "tail -5 a", "ls | tail"]),
        ("Never run prisma migrate reset or prisma db push against staging.",
         ["npx prisma migrate reset --schema staging.prisma", "prisma db push --schema staging.prisma"],
         ["prisma migrate deploy --schema staging.prisma", "RAILS_ENV=staging rails db:migrate", "prisma db push"]),
        ("Never rotate the keys with `vault operator rotate`.", ["vault operator rotate"], ["vault operator init"]),
        ("Never drop tables from snowsql.", ["snowsql -q 'DROP TABLE x'"], ["snowsql -q 'select 1'"]),
        ("No `git checkout .` please, it throws my work away", ["git checkout ."], ["git checkout main"]),
    ],
)  # fmt: skip
def test_what_a_rule_means_is_stopped(project, rule, stopped, passes):
    assert [command for command in [*stopped, *passes] if mode(rule, project, command=command) == "deny"] == stopped


def test_a_word_with_a_mark_before_it_is_one_word(project):
    css = {"file_path": str(project / "a.css"), "old_string": "red;", "new_string": "red !important;"}
    assert mode("Never use !important in CSS.", project, "Edit", **css) == "deny"


PAST_HOOKS = [
    "git commit --no-verify -m x", "HUSKY=0 git commit -m x", "export HUSKY=0; git commit -m x",
    "SKIP=eslint git commit -m x",
    "LEFTHOOK=0 git push", "git -c core.hooksPath=/dev/null commit -m x", "git config core.hooksPath /dev/null",
    "git config --local core.hookspath ''", "rm -rf .git/hooks", "mv .git/hooks/pre-commit /tmp",
    "chmod -x .git/hooks/pre-commit", "chmod a-x .husky/pre-commit", "pre-commit uninstall", "npx husky uninstall",
]  # fmt: skip
WITH_HOOKS = [
    "git commit -m 'HUSKY=0 is bad'", "HUSKY=1 git push", "git -c core.hooksPath=.githooks commit -m x",
    "git config core.hooksPath .husky", "git config core.hooksPath", "pre-commit install", "chmod +x .husky/pre-commit",
    "echo x >> .husky/pre-commit", "SKIP=1 make build", "HUSKY=0 npm ci",
]  # fmt: skip


@pytest.mark.parametrize(
    "rule",
    ["Never skip the hooks.", "Don't bypass pre-commit.", "Never disable the git hooks.", "Never evade husky."],
)
def test_hooks_are_not_got_around_in_other_ways(project, rule):
    (project / ".git" / "hooks").mkdir(parents=True, exist_ok=True)
    (project / ".git" / "hooks" / "pre-commit").touch()
    assert [c for c in [*PAST_HOOKS, *WITH_HOOKS] if mode(rule, project, command=c) == "deny"] == PAST_HOOKS


def test_an_option_that_is_forbidden_forbids_no_other_way():
    assert {proposal.spec.get("flags") is None for proposal in compile("Never use --no-verify.")} == {False}
