"""Rules as developers say them at work: what each forbids is stopped, and nothing that it does not mean."""

import pytest

from agentmemory.learn.guards import compile
from tests.guard.verdicts import mode


@pytest.mark.parametrize(
    ("rule", "stopped", "passes"),
    [
        ("npm run build takes forever, don't run it; npm run typecheck is enough", ["npm run build"],
         ["npm run typecheck", "npm test", "npm run build:docs"]),
        ("docker run is slow here, don't use it", ["docker run a"], ["docker build ."]),
        ("kubectl get secrets prints passwords. Never run it.", ["kubectl get secrets"], ["kubectl get pods"]),
        ("go get breaks go.mod, don't use it", ["go get a"], ["go build", "echo go.mod > a"]),
        ("make run blocks the shell, so never run it", ["make run"], ["make test"]),
        ("Use `uv run python`, never plain python", ["python a.py"], ["uv run python a.py"]),
        ("Use uv run python, never plain python", ["python a.py"], ["uv run python a.py"]),
        ("Run tests through `just test`, never bare pytest", ["pytest"], ["just test"]),
        ("Never run go test ./... without -short", ["go test ./...", "go test -v ./..."],
         ["go test -short ./...", "go test ./pkg", "go build ./..."]),
        ("don't run kubectl delete, except for pods and jobs", ["kubectl delete deploy a", "kubectl delete ns pods"],
         ["kubectl delete pod a", "kubectl delete pods --all", "kubectl delete job a", "kubectl get deploy"]),
        ("kubectl on prod is forbidden, except get and logs", ["kubectl --context prod apply -f a"],
         ["kubectl --context prod get pods", "kubectl apply -f a"]),
        ("terraform destroy is off the table, except in sandbox", ["terraform destroy"],
         ["terraform -chdir=envs/sandbox destroy", "terraform plan"]),
        ("Never use npm (other than npm version)", ["npm ci"], ["npm version patch"]),
        ("Don't touch anything in src/ - except src/gen/", ["rm src/a"], ["rm src/gen/a"]),
        ("Never delete files, except in tmp/", ["rm a"], ["rm tmp/a"]),
        ("NEVER DELETE FILES IN src/", ["rm src/a"], ["rm a", "psql -c 'DELETE FROM a WHERE b'"]),
        ("NEVER UPDATE package.json", ["echo a > package.json"], ["psql -c 'update a'"]),
        ("NEVER PUSH TO MAIN OR MASTER", ["git push origin main", "git push origin master"], ["git push origin a"]),
        ("NEVER CHECKOUT MAIN", ["git checkout main", "git switch main"], ["git checkout main-menu"]),
        ("NEVER RUN NPM PUBLISH. Releases are made by hand.", ["npm publish"], ["npm test"]),
        ("NEVER RUN KUBECTL DELETE ON PROD", ["kubectl --context prod delete pod a"], ["kubectl --context prod get a"]),
        ("DO NOT EDIT THE LICENSE", ["echo a > LICENSE"], ["cat LICENSE"]),
        ("NEVER RUN TRUNCATE", ["psql -c 'truncate a'"], ["truncate -s 0 a"]),
        ("NEVER DELETE on prod", ["psql -h prod -c 'delete from a'"], ["rm prod"]),
        ("Don't edit files with sed or awk", ["sed -i s/a/b/ a", "awk -i inplace 1 a", "sed s/a/b/ a > b"],
         ["sed -n 1p a", "sed s/a/b/ a > /tmp/a 2>&1", "awk '{print $1}' a", "cat a | sed s/a/b/"]),
        ("never use sed, perl or awk to change code", ["sed -i.bak s/a/b/ a", "perl -pi -e s/a/b/ a"], ["sed -n 1p a"]),
        ("Never install packages globally with npm.", ["npm i -g a", "npm -g install a"], ["npm ls -g", "npm ci"]),
        ("Tests go in tests/, never in src/", [], ["touch src/a.py", "rm tests/a.py"]),
        ("Edit only in tests/, never in src/", ["touch src/a.py"], ["touch tests/a.py"]),
        ("Never use rm -rf outside build/", ["rm -rf src", "rm -fr ~/a"], ["rm -rf build/a", "rm -rf ./build", "rm a"]),
        ("rm -rf outside of /tmp is forbidden", ["sudo rm -r -f /var/a"], ["rm -rf /tmp/a"]),
        ("never use the `latest` tag for docker images", ["docker build -t a:latest .", "docker push a:latest"],
         ["docker build -t a:1 .", "echo latest > a.py"]),
        ("Never use the `default` namespace", ["kubectl -n default get pods"], ["echo default > a.py", "helm list"]),
        ("don't use the `root` account", [], ["echo root > a.py"]),
        ("Don't use the `moment` library", ["echo 'import moment' > a.ts"], ["echo 'at the moment' > a.ts"]),
        ("never run make deploy", ["make deploy", "make test deploy"], ["make -n deploy", "make deploy-docs"]),
        ("never run mvn deploy", ["mvn clean deploy", "mvn -q deploy"], ["mvn clean verify"]),
        ("Never run git clean", ["git clean -fd", "git clean -f -- --help"], ["git clean -nd", "git clean --dry-run"]),
        ("never run npm run ship", ["npm run ship"], ["npm run ship -- --dry-run"]),
        ("Never run `git commit -n`", ["git commit -n -m a"], ["git commit -m a"]),
        ("Don't run `npm test` without `--silent`", ["npm test"], ["npm test --silent", "npm test -- --silent"]),
        ("Never checkout main", ["git checkout main"], ["git checkout main -- a.py", "git checkout -b a"]),
        ("Don't run yarn", ["corepack yarn install"], ["corepack enable"]),
        ("Never call pip directly", ["pip3.12 install a"], ["pipx install a"]),
        ("never call kubectl without -n dev", ["kubectl get pods", "kubectl -n prod get pods"],
         ["kubectl -n dev get pods", "kubectl get pods --namespace dev"]),
        ("kubectl apply only with --dry-run", ["kubectl apply -f a"], ["kubectl apply -f a --dry-run=client"]),
        ("gcloud commands only with --project staging", ["gcloud run deploy", "gcloud run deploy --project prod"],
         ["gcloud run deploy --project staging", "gcloud run deploy --project=staging"]),
        ("psql only via `make db-shell`", ["psql a"], ["make db-shell", "pg_dump a"]),
        ("Only use npm via corepack", ["npm ci"], ["corepack npm ci"]),
        ("kubectl apply only from scripts/deploy.sh", ["kubectl apply -f a"], ["scripts/deploy.sh", "kubectl get a"]),
        ("cargo publish is done by CI", ["cargo publish"], ["cargo publish --dry-run", "cargo build"]),
        ("Before you touch db/schema.sql, ask", ["rm db/schema.sql"], ["cat db/schema.sql"]),
        ("Before you commit, ask yourself whether it is tested", [], ["git commit -m a"]),
        ("never run DROP, TRUNCATE or DELETE", ["psql -c 'drop table a'", "mysql -e 'TRUNCATE a'"],
         ["psql -c 'select 1'", "truncate -s0 a", "kubectl delete pod a"]),
        ("Don't remove docker volumes", ["docker volume rm a", "docker volume prune", "docker compose down -v"],
         ["docker volume ls", "docker compose down", "docker rm a"]),
        ("never delete docker images", ["docker rmi a", "docker image prune"], ["docker images", "docker image ls"]),
        ("never touch the production cluster", ["kubectl --context production delete pod a"],
         ["kubectl --context staging delete pod a", "npm run build -- --mode production"]),
        ("Do not add # type: ignore comments", ["echo 'a = b  # type: ignore' > a.py"], ["mypy .", "echo a > a.py"]),
        ("Never write TODO comments", ["echo '# TODO: a' > a.py"], ["echo 'todo = []' > a.py", "grep -r TODO ."]),
        ("no XML comments please", [], ["echo XML > a.py"]),
        ("never docker compose up without -d", ["docker compose up"], ["docker compose up --detach"]),
        ("Never run pre-commit run --all-files", ["pre-commit run -a"], ["pre-commit run"]),
        ("Never run `cd DIR && git ...` compound commands", [], ["git status", "cd a && git status"]),
        ("Never run `git add -A` to stage a fix", ["git add -A"], ["git add a"]),
        ("Do not run `bun install`, `bun test`, or any compile commands.", ["bun install", "bun test"], ["bun run a"]),
        ("Don't run `scripts/a.ps1` without `-DryRun`.", ["scripts/a.ps1"], ["scripts/a.ps1 -DryRun"]),
        ("Never edit files, `git commit`, `git push`, or open a PR.", [], ["echo 'git push' > a.md"]),
        ("Never commit `local.json` to Git (already in `.gitignore`)", ["git add local.json"], ["git add .gitignore"]),
        ("Do not edit any `.swift` file", ["rm a.swift"], ["rm a.kt"]),
        ("Do NOT modify `a.ts`, `b.ts`, or any other source file.", ["rm a.ts", "rm b.ts"], ["rm c.ts"]),
        ("Modify code ONLY inside `app/`, or `scripts/`.", ["rm docs/a"], ["rm app/a", "rm scripts/a"]),
        ("NEVER push to any remote", ["git push", "git push origin a"], ["git remote -v", "git pull"]),
        ("**NEVER** use interactive git commands (e.g., `git add -p`).", ["git add -p"], ["git add a", "echo e.g > a"]),
        ("Do NOT use `React.FC`.", ["echo 'const A: React.FC = 1' > a.tsx"], ["echo a > a.tsx"]),
        ("Do NOT edit `.github/`, `ops/`, `a.yml` — those are theirs", ["rm .github/a", "rm ops/a", "rm a.yml"],
         ["rm b.yml"]),
        ("NEVER edit files in `/vendor`", ["rm vendor/a.go"], ["rm src/vendor.go"]),
        ("NEVER edit files in /etc", ["rm /etc/hosts"], ["rm etc/hosts"]),
        ("Don't run go vet ./... It takes hours.", ["go vet ./..."], ["go vet ./pkg"]),
    ],
)  # fmt: skip
def test_a_rule_stops_what_it_means(project, rule, stopped, passes):
    assert [command for command in [*stopped, *passes] if mode(rule, project, command=command)] == stopped


@pytest.mark.parametrize(
    ("rule", "command"),
    [
        ("Don't force push, except to your own feature branches", "git push -f origin main"),
        ("Never push to main, except for hotfixes", "git push origin main"),
    ],
)
def test_an_exception_that_no_command_shows_reminds(project, rule, command):
    assert mode(rule, project, command=command) == "inform"


@pytest.mark.parametrize(
    "rule", ["npm run build takes forever. Don't run it.", "Don't run cargo clean. It takes hours."]
)
def test_what_is_said_of_a_command_is_no_command_and_no_other_way(rule):
    assert [" ".join(p.plain.split()[-3:]) for p in compile(rule)] == ["in every spelling."]
    assert "Do this instead" not in compile(rule)[0].says


@pytest.mark.parametrize("rule", ["Never use `float` for money.", "Never use `data` as field name (use `extra_data`)"])
def test_a_text_that_is_wrong_in_some_places_only_reminds(project, rule):
    assert mode(rule, project, "Write", file_path="a.py", content="x: float, data") == "inform"
    assert mode(rule, project, "Write", file_path="a.py", content="extra_data") is None


@pytest.mark.parametrize("rule", ["Do not bump versions in package.json", "Never change the version in package.json"])
def test_a_part_of_a_file_that_no_change_shows_reminds(project, rule):
    assert mode(rule, project, "Edit", file_path="package.json", old_string="a", new_string="b") == "inform"
    assert mode("Don't edit package.json by hand", project, "Write", file_path="package.json", content="") == "deny"


def test_what_already_exists_stays_and_new_files_are_made(project):
    rule = "Don't modify anything in migrations/ that already exists, only add new ones."
    (project / "migrations").mkdir()
    (project / "migrations/1.py").touch()

    assert mode(rule, project, "Write", file_path=str(project / "migrations/1.py"), content="") == "deny"
    assert mode(rule, project, "Write", file_path=str(project / "migrations/2.py"), content="") is None


def test_the_root_of_a_repository_is_no_folder_called_repo():
    assert compile("Do not create new files in the repo root") == []


def test_a_word_that_is_no_code_alone_may_stand_in_prose(project):
    rule = "Don't use the `any` type"

    assert mode(rule, project, "Write", file_path="a.ts", content="let a = b as any") == "deny"
    assert mode(rule, project, "Write", file_path="a.md", content="as any developer knows") is None


@pytest.mark.parametrize("rule", ["Never git push outside of working hours", "never run npm install outside docker"])
def test_outside_of_what_is_no_place_reminds(project, rule):
    assert [(p.mode, "unless" in p.spec) for p in compile(rule)] == [("inform", False)]


def test_database_clients_are_called_by_the_best_known(project):
    assert compile("don't DROP tables")[0].plain.startswith("Stops running `psql/mysql/sqlite3/mariadb/...`")
