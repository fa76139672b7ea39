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
        ("terraform destroy is off the table, except in sandbox", ["terraform destroy", "terraform -chdir=prod destroy"],
         ["terraform -chdir=envs/sandbox destroy", "terraform plan"]),
        ("Never use npm (other than npm version)", ["npm ci"], ["npm version patch"]),
        ("Don't touch anything in src/ - except src/gen/", ["rm src/a"], ["rm src/gen/a"]),
        ("Never delete files, except in tmp/", ["rm a"], ["rm tmp/a"]),
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
