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
        ("Don't run go vet ./... It takes hours.", ["go vet ./..."], ["go vet ./pkg"]),
    ],
)  # fmt: skip
def test_a_rule_stops_what_it_means(project, rule, stopped, passes):
    assert [command for command in [*stopped, *passes] if mode(rule, project, command=command)] == stopped


@pytest.mark.parametrize(
    "rule", ["npm run build takes forever. Don't run it.", "Don't run cargo clean. It takes hours."]
)
def test_what_is_said_of_a_command_is_no_command_and_no_other_way(rule):
    assert [" ".join(p.plain.split()[-3:]) for p in compile(rule)] == ["in every spelling."]
    assert "Do this instead" not in compile(rule)[0].says
