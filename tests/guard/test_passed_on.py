"""What a line hands on before it acts: the words of a function or a script, a patch that lies in a file."""

import pytest

from tests.guard.verdicts import mode

ENV = "Never touch .env"
VENDOR = "Never touch vendor/"
DIFF = "--- a/vendor/a.go\n+++ b/vendor/a.go\n@@ -1 +1 @@\n-a\n+b\n"


@pytest.mark.parametrize(
    "command",
    [
        'f() { echo x > "$1"; }; f .env',
        "function f { rm -rf $1; }; f .env",
        'f(){\n  local p="$1"\n  sed -i s/a/b/ "$p"\n}\nf .env',
        'f() { for x in "$@"; do rm "$x"; done; }; f a .env',
        'f() { "$@"; }; f rm .env',
        'g() { rm "$1"; }; f() { g "$2"; }; f a .env',
        "npx -c 'rm .env'",
        "pwsh -Command 'rm .env'",
        'f() { rm "${1:-.env}"; }; f',
        'set -- a .env; rm "$2"',
        "sh -c 'rm \"$1\"' _ .env",
        "bash -c 'for x in \"$@\"; do echo > $x; done' _ a .env",
        "find .env -exec sh -c 'echo > \"$1\"' _ {} \\;",
        "go() { cd /tmp; }; rm .env",
    ],
)
def test_what_a_function_or_a_script_is_given_is_followed(project, command):
    assert mode(ENV, project, command=command) == "deny"


@pytest.mark.parametrize(
    "command",
    [
        'f() { cat "$1"; }; f .env',
        'f() { echo x > "$1"; }; f a.txt .env',
        "sh -c 'rm \"$1\"' .env a",
        "awk '{print $1 > \"b\"}' .env",
        'f() { rm "$1"; }; cat .env',
        "f() { f; f; f; f; f; f; }; f",
        "(f() { rm a; }); ls .env",
    ],
)
def test_what_is_given_and_only_read_runs(project, command):
    assert mode(ENV, project, command=command) is None


@pytest.mark.parametrize(
    "command",
    [
        "git apply fix.patch",
        "git apply < fix.patch",
        "git am sub/../fix.patch",
        "patch -p1 < fix.patch",
        "patch -p1 -i fix.patch",
        "patch -p1 --input=fix.patch",
        "cat fix.patch | patch -p1",
        "cd sub && git apply ../fix.patch",
        f"cat > new.patch <<'E'\n{DIFF}E\ngit apply new.patch",
    ],
)
def test_a_patch_in_a_file_is_an_edit_of_what_it_names(project, command):
    (project / "sub").mkdir()
    (project / "fix.patch").write_text(DIFF)

    assert mode(VENDOR, project, command=command) == "deny"
    assert mode("Never touch src/", project, command=command) is None


@pytest.mark.parametrize(
    "command", ["git apply --check fix.patch", "git apply none.patch", "git apply .", "cat fix.patch", "rm fix.patch"]
)
def test_a_patch_that_is_not_applied_changes_nothing(project, command):
    (project / "fix.patch").write_text(DIFF)

    assert mode(VENDOR, project, command=command) is None
