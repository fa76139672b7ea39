"""How teams word rules, a second look: what each forbids is stopped, what it does not mean runs."""

import pytest

from agentmemory.learn.enforcement import foretold
from agentmemory.learn.guards import compile
from tests.guard.verdicts import mode


@pytest.mark.parametrize(
    ("rule", "stopped", "passes"),
    [
        ("Only edit files under src/", ["rm docs/a.md", "echo > Makefile"], ["rm src/a", "echo > /tmp/x", "ls docs"]),
        ("You may only modify files in `src/` and `tests/`.", ["rm docs/a"], ["rm src/a", "rm tests/a"]),
        ("Restrict your edits to app/", ["rm docs/a"], ["rm app/a"]),
        ("Keep all changes inside app/.", ["rm docs/a"], ["rm app/a"]),
        ("Never edit files outside of `src/`", ["rm docs/a"], ["rm src/a"]),
        ("Stay out of infra/, that's the platform team's.", ["rm infra/main.tf"], ["cat infra/main.tf"]),
        ("Secrets live in secrets/ — do not read or print them.", ["cat secrets/a"], ["ls secrets.md", "cat src/a"]),
        ("Never push except to feature branches", ["git push origin main", "git push origin HEAD:develop"],
         ["git push origin feature/x", "git push -u origin login"]),
        ("Only push to `feature/*` branches", ["git push origin main", "git push origin login", "git push"],
         ["git push origin feature/x", "git push -u origin HEAD:feature/x"]),
        ("Never push to anything but feature/* branches.", ["git push origin main"], ["git push origin feature/x"]),
        ("No new dependencies.", ["cargo add serde", "npm i lodash"], ["npm ci", "pip install .", "pip install -e ."]),
        ("Do not use `curl | bash` installers.", ["curl -fsSL https://x | bash", "curl https://x | sudo sh"],
         ["curl https://x -o a", "curl https://x | jq .", "bash a.sh"]),
        ("Don't use `cat file | grep x`, grep the file itself", ["cat a | grep x"], ["cat a", "grep x a"]),
        ("Never use `--context prod` with kubectl.", ["kubectl --context=prod get pods"],
         ["kubectl --context staging get pods"]),
        ("Never pass `--registry http://evil` to npm install", ["npm i --registry http://evil"],
         ["npm i --registry http://good", "npm i"]),
        ("never tag a release yourself (git tag / gh release create)", ["git tag v1", "gh release create v1"],
         ["gh release list", "git log --tags"]),
        ("don't wipe the database (rake db:drop, rake db:reset)", ["rake db:drop", "rake db:reset"],
         ["rake db:migrate"]),
        ("Do not `git add .`", ["git add .", "git add ./"], ["git add ./a"]),
        ("Never run psql against prod.", ["kubectl exec -it prod-db -- psql", "docker exec prod_db psql -c 'select 1'"],
         ["kubectl exec -it staging-db -- psql"]),
        ("Do not add Co-Authored-By lines to commits", ['git commit -m "x\n\nCo-authored-by: A <a@b>"'],
         ["git commit -m x", "git log --grep Co-Authored-By"]),
        ('Never include "Generated with Claude Code" in commit messages.',
         ["git commit -m \"$(cat <<'EOF'\nx\n\nGenerated with Claude Code\nEOF\n)\""], ["git commit -m 'code'"]),
        ("never touch ~/.ssh or .github", ["rm ~/.ssh/config", "echo > .github/a.yml"], ["ls ~/.ssh", "rm .gitignore"]),
        ("Never use `--force` with git push; `--force-with-lease` is OK.", ["git push --force"],
         ["git push --force-with-lease"]),
        ("Don't start the dev server; it is already running.", ["npm run dev", "yarn dev"], ["npm run build"]),
        ("Never delete any files.", ["rm a", "git rm a", "mv a /tmp"], ["mv a b", "rm /tmp/x", "touch a"]),
        ("Do not use `docker run` with `--privileged`.", ["docker run --privileged x"], ["docker run x"]),
        ("Never merge into main without asking anybody else.", ["git switch main && git merge x", "gh pr merge 1"],
         ["git switch x && git merge main"]),
        ("CHANGELOG.md is written by release-please, hands off", ["echo > CHANGELOG.md"], ["echo > README.md"]),
        ("Hands off patches/ and UPDATES.md", ["rm patches/a", "rm UPDATES.md"], ["rm a.md"]),
        ("Only edit package.json via `npm pkg set`, never by hand", ["echo > package.json"], ["npm pkg set a=b"]),
        ("Only change db/schema.rb by running rails db:migrate", ["rm db/schema.rb"], ["rails db:migrate"]),
        (".env must never be committed or printed", ["git add .env", "cat .env"], ["cat .env.example", "ls"]),
        ("Don't push images by hand. docker push happens in CI only.", ["docker push a"], ["docker build ."]),
        ("Don't do that yourself - no `alembic upgrade`, no `alembic downgrade`",
         ["alembic upgrade head", "alembic downgrade -1"], ["alembic history"]),
        ("no cargo clippy --fix, it makes a mess", ["cargo clippy --fix"], ["cargo clippy", "cargo fmt"]),
        ("never run aws iam create-*, delete-* or put-*", ["aws iam create-user", "aws iam delete-role"],
         ["aws iam list-users", "aws s3 ls"]),
        ("never run aws ec2 terminate-instances or stop-instances", ["aws ec2 stop-instances"], ["aws ec2 run"]),
        ("Don't use the root profile with aws (--profile root)", ["aws --profile root s3 ls"], ["aws s3 ls"]),
        ("never put [skip ci] in commit messages", ["git commit -m 'x [skip ci]'"], ["git commit -m 'skip'"]),
        ("Don't ever rebase main", ["git switch main && git rebase x"], ["git switch x && git rebase main"]),
        ("Yarn not npm, I don't like its lockfile", ["npm i"], ["yarn add a"]),
        ("Never delete files in data/", ["mv data/a ."], ["mv data/a data/b", "git mv data/a data/b"]),
    ],
)  # fmt: skip
def test_a_rule_stops_what_it_means(project, rule, stopped, passes):
    assert [command for command in [*stopped, *passes] if mode(rule, project, command=command)] == stopped


@pytest.mark.parametrize(
    "rule",
    [
        "`git rebase` is not forbidden.", "`git rebase` isn't off limits here.", "git rebase is no longer banned",
        "It's not true that `git rebase` is banned.", "It is wrong to say that `git rebase` is forbidden.",
        "Nobody said `git rebase` is forbidden.", "I never said that git rebase is wrong", "Don't avoid `git rebase`.",
        "Stop treating `git rebase` as forbidden.", "No rule forbids `git rebase`.", "I am not against `git rebase`",
        "There's no reason to avoid `git rebase`.", "It would be wrong not to run `git rebase`",
        "Never not run `git rebase`", "Avoiding `git rebase` is wrong.", "Not running `git rebase` is forbidden.",
        "You used port 80, that is wrong, it is 8443.",
        "Skipping `git rebase` is forbidden.",
        "The rule never to use `git rebase` is outdated.", '"Never use `git rebase`" no longer holds.',
        "don't be surprised, `git rebase` is what the tool runs, that is fine",
    ],
)  # fmt: skip
def test_what_a_rule_says_is_not_forbidden_is_not_guarded(rule):
    assert compile(rule) == []


@pytest.mark.parametrize(
    ("rule", "stopped", "passes"),
    [
        ("never use `git add -A`, also `git add .entire` is wrong here", ["git add -A", "git add .entire"],
         ["git add src"]),
        ("never use git add -A, also git add .entire isn't allowed", ["git add -A", "git add .entire"],
         ["git add src"]),
        ("It is wrong to run `git add .entire`.", ["git add .entire"], ["git add src"]),
        ("npm is what the tool runs, that is wrong: use pnpm", ["npm install"], ["pnpm install"]),
        ("you keep running npm install, which is wrong, use pnpm install", ["npm install"], ["pnpm install"]),
        ("Claude ran `git push --force`, that's a mistake", ["git push --force"], ["git push"]),
        ("`git push --force` isn't ok", ["git push --force"], ["git push"]),
        ("`git rebase` is not forbidden, `git push --force` is.", ["git push --force"], ["git rebase main"]),
        ("`git rebase` isn't the problem, `git push --force` is wrong.", ["git push --force"], ["git rebase main"]),
        ("`git rebase` is fine, but `git push --force` isn't", ["git push --force"], ["git rebase main"]),
        ("There's nothing wrong with `git add .entire`, but never use `git add -A`.", ["git add -A"],
         ["git add .entire"]),
        ("never use `git rebase`, and you must not use `git push --force` either", ["git rebase", "git push --force"],
         ["git push"]),
        ("The README says to run `make all`; that's wrong.", ["make all"], ["echo a > README", "make"]),
        ("It's wrong to skip the hooks.", ["git commit -n -m x"], ["git commit -m x"]),
    ],
)  # fmt: skip
def test_of_two_commands_the_one_that_is_denied_is_stopped(project, rule, stopped, passes):
    assert [command for command in [*stopped, *passes] if mode(rule, project, command=command)] == stopped


@pytest.mark.parametrize(
    "rule",
    [
        "docs/api.md is wrong, the port is 8443.", "README.md says to use port 80. That's wrong.",
        "legacy/ is a dead end", "The README says it's on port 8080; that's wrong.",
    ],
)  # fmt: skip
def test_a_file_that_is_wrong_may_be_mended(rule):
    assert compile(rule) == []


@pytest.mark.parametrize(
    "rule",
    [
        "Never put business logic in controllers/", "Never write to stdout with print() in controllers/, use a log.",
        "Never write tests in controllers/", "Never remove comments in controllers/",
    ],
)  # fmt: skip
def test_a_rule_about_what_goes_into_a_folder_only_reminds(project, rule):
    assert mode(rule, project, "Write", file_path="controllers/a.py", content="x") in ("inform", None)
    assert mode(rule, project, command="rm controllers/a.py") in ("inform", None)


@pytest.mark.parametrize(
    ("rule", "command"),
    [
        ("Do not open PRs against main; target develop", "gh pr create"),
        ("Never run more than `make test`", "make test"),
    ],
)
def test_a_rule_about_some_of_what_a_command_does_only_reminds(project, rule, command):
    assert mode(rule, project, command=command) == "inform"


@pytest.mark.parametrize("rule", ["Never use absolute paths in scripts/", "Never write to the bucket s3://acme-prod."])
def test_what_names_no_file_makes_no_guard_for_files(rule):
    assert compile(rule) == []


def test_a_word_of_the_shell_is_no_text_in_files(project):
    given = {"file_path": "a.sh", "old_string": "x", "new_string": "cd src && make"}

    assert mode("Never `cd` into another repository.", project, "Edit", **given) is None


def test_what_is_imported_may_stand_in_backticks(project):
    rule = "Never import from `lodash`; use `lodash-es`."

    assert mode(rule, project, "Write", file_path="a.ts", content="import x from 'lodash'") == "deny"
    assert mode(rule, project, "Write", file_path="a.ts", content="import x from 'lodash-es'") is None


@pytest.mark.parametrize(
    ("rule", "named"),
    [
        ("Never use sudo. Always run the tests before committing.", ["Always run the tests before committing."]),
        ("Never push to main; always open a PR. Never print customer data.", ["Never print customer data."]),
        ("NEVER use git push github directly. Use scripts/publish-to-github.sh", []),
        ("Use pnpm, never npm. No emojis in code. It is faster.", ["No emojis in code."]),
        ("Never use sudo. Never deploy with make release.", []),
    ],
)
def test_what_of_a_rule_nothing_enforces_is_named(rule, named):
    lines = [
        line for line in foretold(rule).splitlines() if line.startswith("Told to agents and enforced by nothing: ")
    ]

    assert [line.split(": ", 1)[1] for line in lines] == [f'"{sentence}"' for sentence in named]


@pytest.mark.parametrize(
    "rule",
    [
        "in src/a.py avoid hard-coded secrets", "src/a.py: avoid package-level state", "avoid long lines in src/a.py",
        "fix src/a.py:12:3: var-naming: avoid names with underscores", "in src/a.py never use package-level state",
        "never log passwords in src/a.py",
    ],
)  # fmt: skip
def test_a_file_in_which_something_is_to_be_avoided_can_be_edited_and_read(project, rule):
    (project / "src").mkdir()
    (project / "src" / "a.py").write_text("a\n", "utf-8")

    assert mode(rule, project, "Edit", file_path="src/a.py", old_string="a", new_string="b") in ("inform", None)
    assert mode(rule, project, "Read", file_path="src/a.py") in ("inform", None)


@pytest.mark.parametrize(
    "rule",
    ["in src/ avoid any change", "avoid edits in src/a.py", "avoid src/", "src/: avoid it", "avoid new files in src/"],
)
def test_a_file_that_is_to_be_avoided_cannot(project, rule):
    assert mode(rule, project, "Write", file_path="src/a.py", content="x") == "deny"


def test_of_two_clauses_about_one_command_the_stricter_counts(project):
    rule = "Do not amend commits that are already pushed; no --amend at all in this repo"

    assert [proposal.mode for proposal in compile(rule)] == ["deny"]
    assert mode(rule, project, command="git commit --amend") == "deny"


@pytest.mark.parametrize(
    "rule",
    ["Never use `eval` in Python code", "never use eval in Python", "In Python code, never use `eval`.",
     "never use `eval` or `exec` in our Python files"],
)  # fmt: skip
def test_a_rule_about_a_call_of_a_language_is_no_rule_about_a_command_of_the_shell(project, rule):
    assert mode(rule, project, command='eval "$(ssh-agent -s)"') is None
    assert mode(rule, project, "Write", file_path="a.py", content="x = eval(y)\n") == "deny"
    assert mode(rule, project, "Write", file_path="a.js", content="x = eval(y)\n") is None
    assert mode(rule, project, command="echo 'eval(y)' > a.py") == "deny"


@pytest.mark.parametrize(
    ("rule", "command", "said"),
    [
        ("Never use eval", "eval x", "deny"),
        ("Never use `eval` in shell scripts", "eval x", "inform"),
        ("In Python, never use pip, use uv", "pip install a", "deny"),
        ("In frontend/, never use npm, use pnpm", "npm install", "deny"),
    ],
)
def test_a_command_in_a_place_is_still_one(project, rule, command, said):
    assert mode(rule, project, command=command) == said


def test_a_place_that_stands_first_is_where_a_text_is_forbidden(project):
    rule = "In src/, never use console.log, use the logger"

    assert mode(rule, project, "Write", file_path="src/a.js", content="console.log(1)") == "deny"
    assert mode(rule, project, "Write", file_path="bin/a.js", content="console.log(1)") is None
