"""Which files an action touches, wherever it starts from: every case is a rule, what it stops and what it lets run."""

import subprocess

import pytest

from tests.guard.verdicts import mode

VENDOR = "Never touch vendor/"
GENERATED = "Never edit anything under packages/api/src/generated"


def patch(*lines):
    return "\n".join(("*** Begin Patch", *lines, "*** End Patch"))


@pytest.mark.parametrize(
    ("rule", "lines", "expected"),
    [
        (VENDOR, ["*** Update File: vendor/a.txt", "@@", "-a", "+b"], "deny"),
        (VENDOR, ["*** Update File: src/a.txt", "@@", "-a", "+b", "*** Delete File: vendor/b.txt"], "deny"),
        (VENDOR, ["*** Update File: src/a.txt", "*** Move to: vendor/a.txt", "@@", "-a", "+b"], "deny"),
        (VENDOR, ["*** Add File: src/a.txt", "+vendor/a.txt"], None),
        ("No `console.log` in src/", ["*** Add File: src/a.ts", "+console.log(1)"], "deny"),
        ("No `console.log` in src/", ["*** Update File: src/a.ts", "@@", "-console.log(1)", "+log(1)"], None),
        ("No `console.log` in src/", ["*** Update File: a.ts", "@@", "+console.log(1)"], None),
        ("No `console.log` in src/", ["*** Update File: src/a.ts", "@@", " console.log(1)", "+log(1)"], None),
    ],
)
def test_a_patch_is_an_edit_of_each_file_that_it_names(project, rule, lines, expected):
    assert mode(rule, project, "apply_patch", command=patch(*lines)) == expected
    assert mode(rule, project, command=f"apply_patch <<'EOF'\n{patch(*lines)}\nEOF") == expected


@pytest.mark.parametrize(
    ("rule", "folder", "command"),
    [
        (VENDOR, "", "cd vendor && sed -i s/a/b/ a.go"),
        (VENDOR, "", "(cd vendor; sed -i s/a/b/ a.go)"),
        (VENDOR, "", "pushd vendor; rm x; popd"),
        (VENDOR, "", "bash -c 'cd vendor && rm x'"),
        (VENDOR, "vendor", "echo x > a.go"),
        (GENERATED, "packages/api", "sed -i s/a/b/ src/generated/a.ts"),
        (GENERATED, "packages/api", "sed -i s/a/b/ {project}/packages/api/src/generated/a.ts"),
        (GENERATED, "packages", "sed -i s/a/b/ ../packages/api/src/generated/a.ts"),
        (GENERATED, "", "cd packages/api && sed -i s/a/b/ src/generated/a.ts"),
        (GENERATED, "", "cd packages && cd api/src/generated && sed -i s/a/b/ a.ts"),
    ],
)
def test_a_file_is_the_same_from_every_folder(project, rule, folder, command):
    (project / folder).mkdir(parents=True, exist_ok=True)

    assert mode(rule, project / folder, command=command.format(project=project)) == "deny"


@pytest.mark.parametrize(
    ("folder", "command"),
    [
        ("", "(cd vendor && ls); rm x"),
        ("", "pushd vendor; ls; popd; rm x"),
        ("", "cd vendor; cd -; rm x"),
        ("", "cd vendor && sed -i s/a/b/ ../src/a.go"),
        ("vendor", "rm ../src/a.go"),
    ],
)
def test_a_folder_that_was_left_again_is_not_touched(project, folder, command):
    (project / folder).mkdir(exist_ok=True)

    assert mode(VENDOR, project / folder, command=command) is None


@pytest.mark.parametrize("folder", ["", "vendor", "vendor/lib", "src"])
def test_an_absolute_path_is_guarded_wherever_the_session_is(project, folder):
    (project / folder).mkdir(parents=True, exist_ok=True)

    assert mode(VENDOR, project / folder, "Write", file_path=str(project / "vendor" / "a.go"), content="x") == "deny"
    assert mode(VENDOR, project / folder, "Write", file_path=str(project / "src" / "a.go"), content="x") is None


@pytest.mark.parametrize(
    "command",
    [
        "sed -i.bak s/a/b/ vendor/a.go", "sed -Ei s/a/b/ vendor/a.go", "perl -pi.bak -e s/a/b/ vendor/a.go",
        "perl -i.bak -pe s/a/b/ vendor/a.go", "awk -i inplace '{}' vendor/a", "gofmt -w vendor/a.go",
        "npx prettier --write vendor/a.js", "npx eslint --fix vendor", "find vendor -name '*.go' | xargs sed -i s/a/b/",
        "find vendor -name '*.go' -exec sed -i s/a/b/ {} +", "grep -rl a vendor | xargs sed -i s/a/b/",
        "find vendor -type f -delete", "find -L vendor -delete", "find -O3 -D tree vendor -name x | xargs rm",
        "git checkout HEAD~1 -- vendor/", "git checkout HEAD~1 vendor/a.go",
        "git restore vendor/a.go", "git rm vendor/a",
    ],
)  # fmt: skip
def test_what_changes_a_file_in_its_place_is_stopped(project, command):
    assert mode(VENDOR, project, command=command) == "deny"


@pytest.mark.parametrize(
    "command",
    [
        "grep -rni foo vendor/", "grep -w x vendor/a", "rg -i x vendor", "rg -w foo vendor/", "diff -w vendor/a b",
        "git diff -w vendor/a", "git log -i vendor", "git grep -i x -- vendor/", "less -i vendor/a", "ls -i vendor",
        "tree -i vendor", "ssh -i vendor/key h", "git rm --cached vendor/a", "git restore --staged vendor/a",
        "wc -w vendor/a", "sed -n 1p vendor/a", "perl -Ilib x.pl vendor/a", "find vendor -name '*.go' | xargs wc -l",
        "git checkout -b vendor", "find vendor -name a -exec cp {} /tmp ;",
    ],
)  # fmt: skip
def test_what_reads_a_file_with_the_same_letters_runs(project, command):
    assert mode(VENDOR, project, command=command) is None


def test_a_push_is_judged_by_the_branch_of_the_folder_that_it_runs_in(project, tmp_path):
    rule, other = "Never push to main", tmp_path / "other"
    subprocess.run(["git", "init", "-q", "-b", "feat", str(other)], check=True)
    subprocess.run(["git", "checkout", "-q", "-b", "main"], cwd=project, check=False)

    for command in (
        "cd ../project && git push",
        "git -C ../project push",
        "git checkout -b x; cd ../project; git push",
    ):
        assert mode(rule, other, command=command) == "deny"
    for command in ("cd ../other && git push", "git -C ../other push", "git push -u origin HEAD:feat"):
        assert mode(rule, project, command=command) is None
    for command in ("git push -u origin HEAD", "git push origin @"):
        assert mode(rule, project, command=command) == "deny"
        assert mode(rule, other, command=command) is None
