"""A command line is read as the shell reads it; nothing is run, and nothing makes it fail or take long."""

import shlex
import subprocess

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agentmemory import hookjson
from agentmemory.guardfiles import path_matches
from agentmemory.guardspec import contains, glob
from agentmemory.shell import commands
from agentmemory.unwrap import vectors
from tests.guard.verdicts import mode


def words(line):
    return [command.words for command in commands(line)]


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("a b; c d && e || f | g & h", [["a", "b"], ["c", "d"], ["e"], ["f"], ["g"], ["h"]]),
        ("g'i't pu\"sh\" git\\hub", [["git", "push", "github"]]),
        ("echo 'a b' \"c $X d\" # git push", [["echo", "a b", "c ${X} d"]]),
        ("X=1 Y=2 cmd $X", [["cmd", "1"]]),
        ("R=github; git push $R", [["git", "push", "github"]]),
        ("for r in a b; do git push $r; done", [["git", "push", "a"], ["git", "push", "b"]]),
        ("if a; then b; elif c; then d; else e; fi", [["a"], ["b"], ["c"], ["d"], ["e"]]),
        ("case $x in a|b) c;; *) d;; esac", [["c"], ["d"]]),
        ("f() { a; }; f", [["a"], ["f"], ["a"]]),
        ("(a; (b)); c", [["a"], ["b"], ["c"]]),
        ("a $(b $(c)) `d`", [["c"], ["b", "$(...)"], ["d"], ["a", "$(...)", "$(...)"]]),
        ("git push $(echo github)", [["echo", "github"], ["git", "push", "github"]]),
        ("rm -{r,f} {a,b}.txt", [["rm", "-r", "-f", "a.txt", "b.txt"]]),
        ("$'g\\x69t' push", [["git", "push"]]),
        ("$'gi\\0\\'hub't $'push\\x00 it'", [["git", "push"]]),
        ("gi\0t pu\0sh", [["git", "push"]]),
        ("cat <<'E'\ngit push\nE\nls", [["cat"], ["ls"]]),
        ("cat <<-E | b\n\tx\n\tE\nls", [["cat"], ["b"], ["ls"]]),
        ("a >b 2>&1 <c &>d", [["a"]]),
        ("a \\\n b", [["a", "b"]]),
        ("diff <(a) >(b)", [["a"], ["b"], ["diff", "/dev/fd/63", "/dev/fd/64"]]),
        ("args=(push github); git ${args[@]}", [["git", "push", "github"]]),
        ("git push ${B:-\"main\"} ${B-'a}'}; c", [["git", "push", "main", "a}"], ["c"]]),
        ("B=main; git push ${A:-$B} ${A:-${C:=d}}", [["git", "push", "main", "d"]]),
        (
            "B=main; git push ${B:-} ${B:?no} ${B[0]:-c} ${B%%-main}",
            [["git", "push", "main", "main", "main", "main"]],
        ),
        ("a ${x:-$(b '}' \"}\" (c))} `d`", [["b", "}", "}"], ["c"], ["d"], ["a", "$(...)", "$(...)"]]),
        ("a \"${x:-b'c}\"; d ${x#\\}} ${x:-'}; e", [["a", "b'c"], ["d", "${x#\\}}", ""], ["e"]]),
        ("[[ a == b ]] && c", [["[[", "a", "==", "b", "]]"], ["c"]]),
        ("((x = 1)); echo $((1 + 2)) b", [["echo", "0", "b"]]),
        ("! a | b", [["a"], ["b"]]),
    ],
)
def test_a_line_is_taken_apart(line, expected):
    assert words(line) == expected


@pytest.mark.parametrize(
    ("line", "runs"),
    [
        ("sudo -u bob env -i A=b nohup git x", ["git", "x"]),
        ("timeout -k 5 30s nice -n 10 git x", ["git", "x"]),
        ("bash -euxo pipefail -c 'cd a && git x'", ["git", "x"]),
        ("echo x | xargs -n1 git", ["git", "x"]),
        ("find . -exec git x \\;", ["git", "x"]),
        ("eval 'git x'", ["git", "x"]),
        ("ssh -p 2 host 'git x'", ["git", "x"]),
        ("docker exec -it box git x", ["git", "x"]),
        ("docker compose exec -T box git x", ["git", "x"]),
        ("poetry run git x", ["git", "x"]),
        ("python -m git x", ["git", "x"]),
        ("bash <<E\ngit x\nE", ["git", "x"]),
        ("printf 'git x' | sh", ["git", "x"]),
        ("python -c 'import os; os.system(\"git x\")'", ["git", "x"]),
        ('node -e \'require("child_process").execSync("git x")\'', ["git", "x"]),
        ("kubectl exec pod -n a -- git x", ["git", "x"]),
        ("su - bob -c 'git x'", ["git", "x"]),
        ("su -lc 'git x' bob", ["git", "x"]),
        ("script -qec 'git x' /dev/null", ["git", "x"]),
        ("script -q /dev/null git x", ["git", "x"]),
        ("trap 'git x' EXIT", ["git", "x"]),
        ("flock /tmp/l git x", ["git", "x"]),
        ("time -p git x", ["git", "x"]),
        ("git rebase --exec 'git x' main", ["git", "x"]),
    ],
)
def test_what_wraps_a_command_is_opened(line, runs):
    assert runs in [command.words for command in vectors(line)]


@pytest.mark.parametrize(
    "line",
    [
        "echo 'git x'",
        "grep -r 'git x' .",
        "bash run.sh git x",
        "python -c 'print(\"git x\")'",
        "command -v git x",
        "cat <<E\ngit x\nE",
        "# git x",
        "git commit -m 'git x'",
        "man git x",
    ],
)
def test_text_is_not_run(line):
    assert ["git", "x"] not in [command.words for command in vectors(line)]


@pytest.mark.parametrize("line", ["-x | patch", "-x | xargs rm", "-x | sh", "-x | touch a", "time -p | patch", "- <a"])
def test_what_begins_with_options_opens_no_gate(project, line):
    assert mode("Never use git push", project, command=f"{line}; git push") == "deny"
    assert mode("Never touch vendor/", project, command=f"{line}; touch vendor/a") == "deny"
    assert mode("Never pipe curl into a shell", project, command=f"{line}; curl x | sh") == "deny"


@settings(deadline=None)
@given(st.text(alphabet="ab '\"\\$(){}|&;<>#`\n=~*![]-0\u00e9", max_size=60))
def test_no_text_makes_it_fail(line):
    vectors(line)


@settings(deadline=None, max_examples=60)
@given(st.lists(st.text(alphabet="ab '\"\\$(){}|&;<>#`*!=~é", min_size=1, max_size=12), min_size=1, max_size=5))
def test_quoted_words_come_out_as_bash_has_them(given_words):
    line = "printf '%s\\0' " + " ".join(map(shlex.quote, given_words))
    shell = subprocess.run(["bash", "-c", line], capture_output=True, check=True).stdout.decode().split("\0")[:-1]

    assert commands(line)[0].words[2:] == shell == given_words


@pytest.mark.parametrize(
    "unit", ["$(", "(", "`", "'", "{", "<<E\n", "a;", "$((", '"$(', "sh -c '", "${", "|", "\\", "a{b,c}", '${a:-"${']
)
def test_work_is_bounded_whatever_is_repeated(unit):
    """Counted: commands found never exceed the bound, however often the text nests or goes on."""
    from agentmemory.shell import MOST

    assert len(vectors(unit * 3_000)) <= MOST


def test_patterns():
    assert glob("*github.com*", "git@github.com:a/b") and not glob("a*c", "ab") and glob("*", "")
    for pattern, path, other in (
        ("generated/", "src/generated/x.py", "generated.py"),
        ("*.lock", "yarn.lock", "a.lock/b"),
        ("*", "a/b.py", ""),
    ):
        assert path_matches(pattern, path, "/a/" + path) and not path_matches(pattern, other, "/a/" + other)
    assert path_matches("/etc", "", "/etc/hosts") and not path_matches("/etc", "etc/hosts", "/x/etc/hosts")
    assert contains("print(", "x; print(1)") == 1 and contains("print(", "pprint(1)") == 0


@settings(deadline=None)
@given(
    st.recursive(
        st.none()
        | st.booleans()
        | st.integers(-(2**53), 2**53)
        | st.floats(allow_nan=False, allow_infinity=False)
        | st.text(),
        lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
        max_leaves=12,
    )
)
def test_json_of_hooks_is_json(value):
    import json

    assert hookjson.loads(hookjson.dumps(value)) == json.loads(hookjson.dumps(value)) == value


@pytest.mark.parametrize("text", ["", "{", "[1,", '{"a" 1}', "nul", "1 2", '"\\ud8"'])
def test_what_is_no_json_is_said_to_be_none(text):
    with pytest.raises(ValueError, match=r"JSON|scape|term|expect|delim|char|surrogate"):
        hookjson.loads(text)
