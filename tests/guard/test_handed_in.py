"""What a line prints, reads and writes before it runs it: followed as far as the line itself says it."""

import pytest

from agentmemory.shelltext import reshaped
from agentmemory.unwrap import vectors
from tests.guard.verdicts import mode

MAIN = "Never push to main"
PUSH = "git push origin main"


@pytest.mark.parametrize(
    "command",
    [
        f'. <(echo "{PUSH}")',
        f"source <(cat <<'E'\n{PUSH}\nE\n)",
        f'source /dev/stdin <<< "{PUSH}"',
        f'echo "{PUSH}" | . /dev/stdin',
        f"bash <(echo {PUSH})",
        f"sh -s < <(echo {PUSH})",
        f"bash /dev/stdin <<'E'\n{PUSH}\nE",
        "read b <<< main; git push origin $b",
        'read -r r b <<< "origin main" && git push $r "$b"',
        'IFS=: read -r r b <<< "origin:main"; git push $r $b',
        'printf "dev\\nmain\\n" | while read -r b; do git push origin "$b"; done',
        "while read -r b; do git push origin $b; done <<'E'\ndev\nmain\nE",
        "while read -r b; do git push origin $b; done < <(echo main)",
        'mapfile -t a <<< main; git push origin "${a[0]}"',
        f'cmd /c "{PUSH}"',
        f"cmd.exe //c {PUSH}",
        f"powershell.exe -NoProfile -Command {PUSH}",
        "echo main | xargs -I B git push origin B",
        "echo main | xargs -IX sh -c 'git push origin X'",
        "echo main | xargs sh -c 'git push origin $0'",
        "printf 'origin\\0main\\0' | xargs -0 git push",
        "xargs git push < <(echo origin main)",
        f"echo {PUSH} | head -1 | sh",
        f'eval "$(printf "%s " {PUSH})"',
        f'bash -c "$(cat <<EOF\n{PUSH}\nEOF\n)"',
        f"cat <<E\n$({PUSH})\nE",
        'env -S "A=1 git push" origin main',
        f'env -S"{PUSH}"',
        f"alias p='{PUSH}'; p",
        "alias p='git push origin'\np main",
        "f() ( git push origin $1 ); f main",
        f"echo {PUSH} > x.sh; bash x.sh",
        f"cat > x.sh <<'E'\n{PUSH}\nE\nchmod +x x.sh && ./x.sh",
        f"echo {PUSH} | tee x.sh; . ./x.sh",
        f"{{ echo ls; echo {PUSH}; }} | bash",
        f"(echo {PUSH}) | sudo bash",
        "for b in main dev; do echo git push origin $b; done | sh",
        f"ssh host 'bash -s' <<'E'\n{PUSH}\nE",
        f"git -c alias.p='!{PUSH}' p",
        f"at now <<< '{PUSH}'",
        f"nix develop -c {PUSH}",
        "b=MAIN; git push origin ${b,,}",
        "b=main.x; git push origin ${b%.*}",
        "printf -v b main; git push origin $b",
        "set git push origin main; $@",
    ],
)
def test_what_a_line_hands_to_what_it_runs_is_seen(project, command):
    assert mode(MAIN, project, command=command) == "deny"


@pytest.mark.parametrize(
    "command",
    [
        f'source <(echo "echo {PUSH}")',
        f'diff <(echo "{PUSH}") x.txt',
        "read b <<< main; git checkout $b",
        "read -r b < <(printf 'dev\\nmain\\n'); git push origin $b",
        "git branch | while read b; do git push origin $b; done",
        f"while read x; do :; done <<'E'\n{PUSH}\nE",
        f'while read -r b; do echo "{PUSH} $b"; done <<< main',
        f"cat > x.sh <<'E'\n{PUSH}\nE\nbash -n x.sh",
        f"cat > x.sh <<'E'\n{PUSH}\nE\nbash y.sh; cat x.sh",
        "cat > x.sh <<'E'\ngit push origin \"$1\"\nE\nbash x.sh dev",
        f"cat > x.py <<'E'\nprint('{PUSH}')\nE\npython x.py",
        f"cat > x.md <<'E'\n`{PUSH}`\nE\ngit add x.md",
        f"{{ echo {PUSH}; }} | cat",
        f"(echo {PUSH}) > log",
        f"echo {PUSH} | xargs -I{{}} echo {{}}",
        "echo main | xargs -I{} git push origin dev-{}",
        f"alias p='{PUSH}'; alias",
        "alias p='git push origin'; p dev",
        'cmd /c "git status"',
        "pwsh -File deploy.ps1 main",
        'env -S "git push" origin dev',
        f"git -c alias.p='{PUSH[4:]}' status",
        "b=main; git push origin ${b/main/dev}",
        f'git commit -m "$(cat <<E\n{PUSH}\nE\n)"',
        f"ssh host cat <<'E'\n{PUSH}\nE",
        f"docker exec -i db psql <<'E'\nselect '{PUSH}'\nE",
        "set -x main; git push origin dev",
        "a=(dev main); git push origin ${a[0]}",
        "curl x | while read f; do bash ./run.sh $f; done",
    ],
)
def test_what_is_only_printed_kept_or_read_runs(project, command):
    assert mode(MAIN, project, command=command) is None
    assert mode("Never pipe curl to bash", project, command=command) is None


@pytest.mark.parametrize(
    ("value", "how", "made"),
    [
        ("a.tar.gz", "%.*", "a.tar"),
        ("a.tar.gz", "%%.*", "a"),
        ("a/b/c", "##*/", "c"),
        ("a/b/c", "#*/", "b/c"),
        ("xmain", "#x", "main"),
        ("a-b-c", "//-/+", "a+b+c"),
        ("a", "/[a]/b", None),
        ("a", "?b", None),
    ],
)
def test_a_name_is_changed_as_the_shell_does(value, how, made):
    assert reshaped(value, how) == made


@pytest.mark.parametrize(
    "line",
    [
        "echo a | " + "cat | " * 20_000 + "cat",
        "{ " * 5_000 + "echo x" + "; }" * 5_000 + " | sh",
        "while read a; do " * 100 + "x" + "; done <<< a" * 100,
        "printf '" + "x" * 100_000 + "%s' " + "b " * 50_000 + "| sh",
        "echo aa > f; " + "cat f f > g; cat g g > f; " * 200,
        "printf 'sh f\\nsh f\\nsh f\\n' > f; sh f",
        "echo '" + "l" * 500_000 + "' > x; " + "cat x x x x | sh; " * 500,
        "diff <(a) <(b); " * 10_000,
    ],
)
def test_texts_that_grow_or_run_themselves_end(line):
    assert ["git", "push"] in [command.words for command in vectors(line + "; git push")]
