"""Rules as people dash them off: what needs their word, a script with its arguments, bare names of folders."""

import pytest

from tests.guard.verdicts import mode


@pytest.mark.parametrize(
    ("rule", "asked", "passes"),
    [
        ("only commit when I ask you to", ["git commit -m x"], ["git add x", "git status"]),
        ("Don't commit unless I tell you", ["git commit -am x"], ["git add x"]),
        ("Only push if I say so", ["git push origin x"], ["git pull"]),
        ("Only push to main when I tell you to", ["git push origin main"], ["git push origin x"]),
        ("you may push only after I approved", ["git push"], ["git pull"]),
        ("Deploy only with my OK", ["fly deploy", "make deploy"], ["make test"]),
        ("`git reset --hard` only after asking me", ["git reset HEAD~1 --hard"], ["git reset HEAD x"]),
        ("terraform apply needs my approval", ["terraform apply -auto-approve"], ["terraform plan"]),
        ("deploys need my approval", ["fly deploy"], ["make test"]),
        ("run migrations only when I say so", ["alembic upgrade head", "rails db:migrate"], ["alembic history"]),
        ("get my approval before merging", ["git merge x", "gh pr merge 7"], ["git merge-base a b", "gh pr view 7"]),
        ("push nothing without asking me", ["git push"], ["git pull"]),
        ("wait for my go before you run terraform apply", ["terraform apply"], ["terraform plan"]),
    ],
)
def test_what_needs_the_users_word_is_asked(project, rule, asked, passes):
    assert [(command, mode(rule, project, command=command)) for command in [*asked, *passes]] == [
        *((command, "ask") for command in asked),
        *((command, None) for command in passes),
    ]


@pytest.mark.parametrize(
    ("rule", "stopped", "passes"),
    [
        ("Do not commit directly, let me look at the diff first", ["git commit -m x"], ["git diff --cached"]),
        ("commit nothing to main", ["git switch main && git commit -m x"], ["git switch x && git commit -m x"]),
        ("never edit migrations by hand", ["sed -i s/a/b/ db/migrations/1.sql", "rm app/migrations/0001.py"],
         ["cat db/migrations/1.sql", "python manage.py migrate", "touch db/schema.sql"]),
        ("delete nothing under migrations/", ["rm migrations/1.sql"], ["rm a/1.sql", "cat migrations/1.sql"]),
        ("nothing gets pushed to main", ["git push origin main"], ["git push origin x"]),
        ("nothing may be deleted in archive/", ["rm -r archive/x"], ["ls archive"]),
        ("absolutely no rm -rf", ["rm -rf x"], ["rm x"]),
        ("at no point may you run prisma migrate reset", ["npx prisma migrate reset"], ["npx prisma generate"]),
        ("git: no commits, no pushes", ["git commit -m x", "git push"], ["git log"]),
        ("I don't want you to open pull requests", ["gh pr create --fill"], ["gh pr list"]),
        ("npm ci not npm install, we don't want lockfile drift", ["npm install"], ["npm ci"]),
        ("use pnpm rather than npm, because i don't want two lockfiles", ["npm ci"], ["pnpm install"]),
        ("I don't want you to run npm audit fix", ["npm audit fix --force"], ["npm audit"]),
        ("only I am allowed to run `make release`", ["make -C . release"], ["make test"]),
        ("Never run `./deploy.sh prod`", ["./deploy.sh prod", "bash deploy.sh prod"],
         ["./deploy.sh staging", "bash deploy.sh", "prod"]),
        ("don't run ./tools/db.py reset", ["python tools/db.py reset --yes"], ["./tools/db.py status"]),
        ("Never run manage.py flush or reset_db", ["python manage.py flush", "./manage.py reset_db --noinput"],
         ["python manage.py test", "./manage.py migrate"]),
        ("never run `python manage.py flush`", ["./manage.py flush", "python3 manage.py flush"],
         ["python manage.py test"]),
        ("never call `./build.sh --clean`", ["./build.sh --clean", "sh build.sh --clean"], ["./build.sh"]),
        ("don't use python3 directly, use `uv run`", ["python3 a.py"], ["uv run python3 a.py", "uv run a.py"]),
        ("python -m pytest only, never bare pytest", ["pytest -q"], ["python -m pytest -q"]),
        ("Don't use `docker-compose`, it's `docker compose` now", ["docker-compose up -d"], ["docker compose up -d"]),
        ("Never revert my changes: no git checkout -- file, no git restore",
         ["git checkout -- a.py", "git restore a.py"], ["git checkout main", "git checkout -b x"]),
        ("Don't create tags", ["git tag v1", "git tag -a v1 -m x"],
         ["git tag", "git tag -l 'v*'", "git tag --contains abc"]),
        ("don't create branches", ["git checkout -b x", "git switch -c x", "git branch x"],
         ["git branch", "git branch -a", "git branch -D x", "git switch main"]),
        ("Don't delete branches on the remote", ["git push origin :x", "git push -d origin x"], ["git branch -D x"]),
        ("never check out main", ["git checkout main", "git switch main"],
         ["git checkout x", "git checkout -b main-x"]),
        ("don't revert commits", ["git revert HEAD"], ["git log"]),
        ("Do not commit anything under data/ or models/", ["git add data/x.csv", "git add app/models/a.bin"],
         ["git add src/data.py"]),
        ("never set NODE_ENV=production", ["NODE_ENV=production npm start", "export NODE_ENV=production; npm start"],
         ["NODE_ENV=test npm start", "echo NODE_ENV=production"]),
        ("don't install packages using apt or snap", ["sudo apt-get install x", "snap install x"], ["apt list"]),
        ("do not edit files in dist, build or coverage", ["rm dist/a", "touch build/x", "echo > coverage/x"],
         ["rm src/a", "ls dist", "touch r/a"]),
        ("Never touch files in dist and run the tests", ["rm dist/a"], ["rm run/a"]),
        ("don't touch dist or build", ["rm dist/a", "touch build/x"], ["rm src/a", "npm run build"]),
        ("never look into node_modules", ["cat node_modules/x/a.js"], ["cat a.js"]),
        ("Do not touch the CHANGELOG", ["rm CHANGELOG", "echo >> CHANGELOG.md"], ["cat CHANGELOG.md"]),
    ],
)  # fmt: skip
def test_a_rule_in_plain_words_stops_what_it_means(project, rule, stopped, passes):
    assert [command for command in [*stopped, *passes] if mode(rule, project, command=command) == "deny"] == stopped


@pytest.mark.parametrize(
    ("rule", "command"),
    [
        ("don't create branch names longer than 30 characters", "git switch -c x"),
        ("never create branches with uppercase names", "git switch -c x"),
        ("never revert commits from other people", "git revert HEAD"),
        ("don't set CI=1 in the workflow file", "CI=1 npm test"),
        ("don't edit code in the core module", "touch module/x"),
        ("commit only after the tests pass", "git commit -m x"),
        ("the deploy job only runs after my approval", "make deploy"),
        ("Only answer when I ask you", "echo x"),
        ("Never merge without `npm test` being green.", "npm test"),
        ("nothing gets deployed yet", "make deploy"),
        ("change nothing but the tests", "make test"),
    ],
)
def test_a_rule_about_something_near_stops_nothing_else(project, rule, command):
    assert mode(rule, project, command=command) in (None, "inform")


def test_what_is_said_beside_what_is_fine_is_forbidden(project):
    rule = "`npm ci` is fine, `npm install` is not."
    assert [mode(rule, project, command=command) for command in ("npm install", "npm ci")] == ["deny", None]


def test_what_it_is_done_for_is_no_place(project):
    assert mode("never run `kubectl apply` to test a fix", project, command="kubectl apply -n test") == "inform"
