"""Rules that forbid several things with one object ("don't commit or push"), tags and releases."""

import pytest

from agentmemory.learn.guards import compile
from tests.guard.verdicts import mode


@pytest.mark.parametrize(
    ("rule", "stopped", "passes"),
    [
        ("don't commit or push", ["git commit -m x", "git push"], ["git status", "git diff"]),
        ("don't add, commit or push anything", ["git commit -m x", "git push origin x"], ["git diff"]),
        ("never rebase, amend or force push", ["git rebase main", "git commit --amend", "git push -f"],
         ["git push", "git commit -m x"]),
        ("never merge or close PRs", ["gh pr merge 3", "gh pr close 3"], ["gh pr view 3"]),
        ("please don't stash or rebase", ["git stash", "git rebase main"], ["git status"]),
        ("never stop or restart the nginx service", ["systemctl stop nginx", "systemctl restart nginx"],
         ["systemctl status nginx"]),
        ("releases are only made by CI, don't tag or publish by hand",
         ["git tag v1.2.0", "npm publish", "twine upload dist/*"], ["git tag --list", "npm pack"]),
        ("never tag releases by hand", ["git tag v1", "gh release create v1"], ["git tag -l", "gh release list"]),
        ("don't release anything yourself", ["npm publish", "gh release create v1"], ["npm pack"]),
        ("don't push to main, commit and open a PR", ["git push origin main"], ["git commit -m x", "gh pr create"]),
        ("don't push to main, open a PR or ask me", ["git push origin main"], ["git commit -m x", "gh pr create"]),
        ("never read or write .env", ["cat .env", "echo x > .env"], ["cat README.md"]),
    ],
)  # fmt: skip
def test_each_of_several_forbidden_things_is_stopped(project, rule, stopped, passes):
    assert [command for command in [*stopped, *passes] if mode(rule, project, command=command)] == stopped


@pytest.mark.parametrize("rule", ["don't guess or assume", "don't invent or embellish numbers", "never tag along"])
def test_what_is_nothing_to_be_seen_makes_no_guard(rule):
    assert compile(rule) == []


@pytest.mark.parametrize(
    ("rule", "said"),
    [
        ("Never edit `.github/`, `scripts/`, `config.yml`.", "deny"),
        ("Do not touch `.github/`, `scripts/`, `config.yml` without asking me", "ask"),
    ],
)
def test_a_list_in_code_needs_no_or(project, rule, said):
    paths = (".github/ci.yml", "scripts/a.sh", "config.yml")
    assert [mode(rule, project, "Edit", file_path=str(project / path)) for path in paths] == [said] * 3
