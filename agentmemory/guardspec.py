"""Does an action fall under a guard's spec? Specs are plain dicts, made by learn/guards.py (form: docs/guard.md).

Standard library only and no `re`: the guard's hook imports this file.
"""

import os

from agentmemory.shelltext import base_name, texts_of
from agentmemory.shellword import Command

# Options that take a value, of programs whose other options are all switches: the word behind is no argument.
# For programs that are not here, the word behind an option may be either.
VALUED = {
    "git": "-C -c --git-dir --work-tree --namespace --exec-path --config-env -o --push-option --receive-pack -m"
    " --message -F --file --author --date -t --template -S --strategy -X --depth --branch -b -B --onto --exec -x"
    " --format --pretty",
    "kubectl": "-n --namespace --context --kubeconfig -f --filename -l --selector -o --output -c --container --cluster"
    " --user -p --patch --type --field-selector -k --kustomize --as --token --server -s --timeout --replicas",
    "oc": "-n --namespace --context --kubeconfig -f --filename -l --selector -o --output",
    "helm": "-n --namespace --kube-context --kubeconfig -f --values --set --set-string --version --timeout",
    "docker": "-H --host --context -c --config -l --log-level -f --file -t --tag --name -v --volume -e --env -p",
    "docker-compose": "-f --file -p --project-name --env-file --profile",
    "npm": "--prefix -w --workspace -C --registry --tag --otp --access --loglevel",
    "yarn": "--cwd --registry", "pnpm": "-C --dir --filter -F --registry", "bun": "--cwd",
    "aws": "--profile --region --output --endpoint-url --query",
    "gcloud": "--project --account --configuration --format --region --zone",
    "az": "--subscription -g --resource-group",
    "psql": "-h --host -p --port -U --username -d --dbname -f --file",
    "pg_dump": "-h --host -p --port -U --username -d --dbname -f --file", "mysql": "-h --host -P --port -u --user -D",
    "mysqldump": "-h --host -P --port -u --user",
    "make": "-C -f -I -o -W --directory --file --makefile", "gmake": "-C -f -I -o -W --directory --file",
    "cargo": "--manifest-path -p --package --features --target --color --config", "gh": "-R --repo",
    "pip": "--python --proxy --cache-dir -i --index-url", "pip3": "--python --proxy -i --index-url",
    "rm": "", "chmod": "", "chown": "", "kill": "-s -n", "killall": "-s -u", "pkill": "-u -s", "reboot": "",
    "shutdown": "", "systemctl": "-H -M -t -p --host --machine", "apt": "-t -o -c", "apt-get": "-t -o -c", "brew": "",
    "terraform": "-var -var-file -target -backend-config", "poetry": "-C --directory --project",
    "uv": "--directory --project",
}  # fmt: skip
ONE_DASH = frozenset(
    "terraform tofu terragrunt find go java javac openssl packer gcc clang ffmpeg nomad consul".split()
)
RUNS_SCRIPTS = frozenset(
    "sh bash zsh dash ksh fish source . python python3 node bun deno ruby perl php tsx ts-node pwsh".split()
)
SELECTS = frozenset("use-context use set-context select login switch set activate use-cluster get-credentials".split())
EVERY_BRANCH = frozenset(("--all", "--branches", "--mirror"))  # of git push
TEMPLATES = (".example", ".sample", ".template", ".dist", ".tmpl")  # `.env.*` means none of `.env.example`
HARMLESS = frozenset(("--help", "--dry-run", "--dry-run=client", "--dry-run=server", "-help"))
#: what hands on what stands behind `--` to what it runs; to any other these are files
HANDS_ON = frozenset(
    "npm pnpm yarn bun deno cargo go just make gmake task npx bunx uv poetry docker kubectl helm".split()
)
NEAR = 400  # commands before one in the same line that may say what it acts on
PASSING = ("/dev/", "/tmp/", "&")  # what goes there is not kept
#: where `-n` is `--dry-run`
ONLY_SHOWS = frozenset(("make", "gmake", "rsync", "git clean", "git push", "git add", "git rm", "git mv"))
#: what takes several targets, in any order: `mvn clean deploy`
SEVERAL = frozenset("make gmake ninja gradle gradlew mvn mvnw rake ant".split())


def match_command(spec: "dict[str, object]", command: Command, before: "list[Command]", cwd: str) -> bool:
    """Whether one command falls under *spec*; *before* are the commands of the same line that ran earlier."""
    words = command.words
    if not set(command.under).isdisjoint(listed(spec, "under")):  # run by what the rule prescribes
        return False
    switches, behind = split(command)
    given = _given_to(spec, words[0], behind)
    if given is None or not _sourced(spec, command, before):
        return False
    plain = [word for word, _ in given]
    if _harmless(words, spec, switches, plain[0] if plain else "") or not _in_order(_lists(spec, "args"), given):
        return False
    if not all(any(_flagged(flag, switches, plain) for flag in flags) for flags in _lists(spec, "flags")):
        return False
    if not all(any(_is(want, word) for want in wants for word in plain) for wants in _lists(spec, "has")):
        return False
    if not _on_branch(spec, command, before, cwd, plain) or not _assigned(spec, command):
        return False
    if spec.get("saves") and all(path.startswith(PASSING) for path in command.writes):
        return False
    wanted = _lists(spec, "any")
    if wanted and not _mentions(wanted, [*words[1:], *_context(command, before)]):
        return False
    texts = listed(spec, "content")
    if texts and not any(contains(want, text) for want in texts for text in texts_of(command)):
        return False
    return not any(match_command(other, command, before, cwd) for other in _specs(spec, "unless"))


def _given_to(
    spec: "dict[str, object]", program: str, arguments: "list[tuple[str, bool]]"
) -> "list[tuple[str, bool]] | None":
    """What the wanted program is given, None for another; a wanted script may be run by a shell or an interpreter."""
    name = base_name(program)
    if any(glob(want, program if "/" in want else name) for want in listed(spec, "program")):
        return arguments
    script = spec.get("script")
    if script and name in RUNS_SCRIPTS and arguments:
        file = arguments[0][0]
        scripts = listed(spec, "script") or [str(script)]
        if any(glob(want, file if "/" in want else base_name(file)) for want in scripts):
            return arguments[1:]
    return None


def _sourced(spec: "dict[str, object]", command: Command, before: "list[Command]") -> bool:
    """Whether the command reads its program from where the spec says: a pipe, `<(...)` or `$(...)`."""
    wanted = listed(spec, "source")
    if not wanted:
        return True
    source = command.source
    for _ in range(NEAR):
        if not source:
            break
        if base_name(source.words[0]) in wanted:
            return True
        source = source.source
    taken = any("$(...)" in word or word.startswith("/dev/fd/") for word in command.words[1:])
    return taken and any(base_name(earlier.words[0]) in wanted for earlier in before)


def split(command: Command) -> "tuple[set[str], list[tuple[str, bool]]]":
    """A command's switches, clusters taken apart; its arguments, each with whether it may be left out before others."""
    if command.parts is None:
        command.parts = _split(base_name(command.words[0]), command.words)
    return command.parts


def arguments(command: Command) -> "list[str]":
    """A command's arguments."""
    return [word for word, _ in split(command)[1]]


def _split(name: str, words: "list[str]") -> "tuple[set[str], list[tuple[str, bool]]]":
    known, long_ones = name in VALUED, name in ONE_DASH
    valued = VALUED.get(name, "").split()
    switches: set[str] = set()
    arguments: list[tuple[str, bool]] = []
    at, only_arguments, maybe = 1, False, False
    while at < len(words):
        word = words[at]
        at += 1
        if word[:1] == "+" and at == 2 and name in ("cargo", "rustc", "rustfmt", "clippy"):  # a toolchain
            continue
        if only_arguments or word == "-" or not word.startswith("-"):
            arguments.append(("." if word == "./" else word, maybe or name in SEVERAL))
            maybe = False
            continue
        if word == "--":
            only_arguments = True
            switches.add(word)
            continue
        option, equals, value = word.partition("=")
        switches.add(word)
        switches.add(option)
        if equals and option == "--repo":  # git push --repo=x: the remote in another place
            arguments.append((value, False))
        if word[1] != "-" and not long_ones and len(option) <= 6 and option[1:].isalnum():
            switches.update("-" + letter for letter in option[1:])
        if not equals and option in valued:
            at += 1
        maybe = not known and not equals
    return switches, arguments


def _harmless(words: "list[str]", spec: "dict[str, object]", switches: "set[str]", first: str) -> bool:
    asked = [flag for flags in _lists(spec, "flags") for flag in flags]
    name = base_name(words[0])
    only_shows = "-n" in switches and "-n" not in asked and not ONLY_SHOWS.isdisjoint((name, f"{name} {first}"))
    files = "--" in words and name not in HANDS_ON
    return only_shows or not HARMLESS.difference(asked).isdisjoint(words[1 : words.index("--") if files else None])


def _in_order(wanted: "list[list[str]]", arguments: "list[tuple[str, bool]]") -> bool:
    """Whether the first arguments are the wanted words, leaving out those that may be values of options."""
    at = 0
    for wants in wanted:
        while at < len(arguments):
            word, maybe = arguments[at]
            at += 1
            if any(_is(want, word) for want in wants):
                break
            if not maybe:
                return False
        else:
            return False
    return True


def _is(want: str, word: str) -> bool:
    """Whether an argument is the wanted one, also as a path from here: `./train.py`."""
    return glob(want, word) or (word[:2] == "./" and glob(want, word[2:]))


def _flagged(flag: str, switches: "set[str]", plain: "list[str]") -> bool:
    if not flag.startswith("-"):  # a flag in the shape of an argument: +main of git push
        return any(glob(flag, word) for word in plain)
    if "*" in flag:
        return any(glob(flag, switch) for switch in switches)
    if flag in switches or flag in plain:  # `npm test -- --watch`
        return True
    # a long option may be cut short as long as it stays clear (`--forc`)
    return any(len(s) > 4 and s.startswith("--") and flag.startswith(s) and s + "=" not in flag for s in switches) and (
        flag.startswith("--")
    )


def _assigned(spec: "dict[str, object]", command: Command) -> bool:
    """Whether the command runs with one of the wanted assignments: `HUSKY=0`."""
    wanted = listed(spec, "env")
    said = [f"{name}={value}" for name, values in command.env.items() for value in values] if wanted else []
    return not wanted or any(glob(want, each) for want in wanted for each in said)


def _on_branch(
    spec: "dict[str, object]", command: Command, before: "list[Command]", cwd: str, plain: "list[str]"
) -> bool:
    """Whether a git command acts on a wanted branch, and for `bare` names none itself. `--all` acts on every branch."""
    if spec.get("bare") and not EVERY_BRANCH.isdisjoint(command.words):
        return True
    if spec.get("bare") and ("--tags" in command.words or any(word not in ("HEAD", "@") for word in plain[2:])):
        return False
    wanted = listed(spec, "branch")
    return not wanted or any(glob(want, branch_of(command, before, cwd)) for want in wanted)


def branch_of(command: Command, before: "list[Command]", cwd: str) -> str:
    """The git branch that a command acts on: the one the line itself has switched to, else its folder's."""
    folder = folder_of(command, cwd)
    for earlier in reversed(before):
        words = earlier.words
        if base_name(words[0]) == "git" and len(words) > 2 and ("checkout" in words or "switch" in words):
            named = [word for word in words[2:] if not word.startswith("-") and word not in ("checkout", "switch")]
            if named and folder_of(earlier, cwd) == folder:
                return named[-1] if "-C" in words else named[0]
    return _head(folder) if folder else ""


def folder_of(command: Command, cwd: str) -> str:
    """The folder that a command works in: where the line has gone with `cd`, and `git -C` from there."""
    words, at = command.words, os.path.join(cwd, command.folder)
    if base_name(words[0]) == "git" and "-C" in words[:-1]:
        at = os.path.join(at, words[words.index("-C") + 1])
    return os.path.normpath(at) if at else ""


def _head(folder: str) -> str:
    """The branch checked out in a folder or above it; empty where there is none."""
    at = os.path.abspath(folder)
    while True:
        place = os.path.join(at, ".git")
        line = _first_line(place) if os.path.isfile(place) else ""
        if line.startswith("gitdir:"):  # a worktree
            place = os.path.join(at, line[7:].strip())
        head = _first_line(os.path.join(place, "HEAD"))
        if head.startswith("ref: refs/heads/"):
            return head[16:].strip()
        above = os.path.dirname(at)
        if above == at or head:
            return ""
        at = above


def _first_line(path: str) -> str:
    try:
        with open(path, encoding="utf-8", errors="replace") as lines:
            return lines.readline()
    except (OSError, ValueError):  # a path with a NUL
        return ""


def _context(command: Command, before: "list[Command]") -> "list[str]":
    """What else says where a command acts: assigned names, what runs it, and what of the line has selected a target."""
    out = [value for values in command.env.values() for value in values]
    for earlier in before:
        name = base_name(earlier.words[0])
        if not SELECTS.isdisjoint(earlier.words) or name in ("kubectx", "kubens", "ssh") or name in command.under:
            out.extend(earlier.words[1:])
    return out


def _mentions(wanted: "list[list[str]]", words: "list[str]") -> bool:
    said = {part for word in set(words) for part in segments(word)}
    said.update(part.rstrip("0123456789") for part in list(said))
    return all(
        any(want in said if want.isalnum() else any(glob("*" + want + "*", word) for word in words) for want in wants)
        for wants in wanted
    )


def segments(word: str) -> "list[str]":
    """The alphanumeric parts of a word, lower case: prod, eu of `--context=prod-eu` among others."""
    return "".join(c.lower() if c.isalnum() else " " for c in word).split()


def match_input(spec: "dict[str, object]", given: "dict[str, object]") -> bool:
    """Whether a tool's input falls under *spec*: every wanted word occurs in some value of it."""
    wanted = _lists(spec, "any")
    return not wanted or _mentions(wanted, strings(given))


def strings(value: object) -> "list[str]":
    """The strings in a tool's input, however deep."""
    return [text for _, text in named_strings(value)]


def named_strings(value: object) -> "list[tuple[str, str]]":
    """The strings in a tool's input, however deep, each with the name that it has there ("" for none)."""
    out: list[tuple[str, str]] = []
    left = [("", value)]
    while left:
        name, item = left.pop()
        if isinstance(item, str):
            out.append((name, item))
        elif isinstance(item, dict):
            left += [(str(key), each) for key, each in reversed(list(item.items()))]
        elif isinstance(item, list):
            left += [(name, each) for each in reversed(item)]
    return out


def glob(pattern: str, text: str) -> bool:
    """Whether *text* is *pattern*, in which `*` stands for anything; case counts. `.env.*` is no `.env.example`."""
    if "*" not in pattern:
        return pattern == text
    if pattern.endswith(".*") and text.endswith(TEMPLATES):
        return False
    parts = pattern.split("*")
    if not text.startswith(parts[0]) or len(text) < len(parts[0]) + len(parts[-1]) or not text.endswith(parts[-1]):
        return False
    at, end = len(parts[0]), len(text) - len(parts[-1])
    for part in parts[1:-1]:
        found = text.find(part, at, end)
        if found < 0:
            return False
        at = found + len(part)
    return True


def contains(want: str, text: str) -> int:
    """How often *want* stands in *text*, not inside a longer word."""
    count, at = 0, text.find(want)
    while at >= 0:
        end = at + len(want)
        before, after = text[at - 1 : at], text[end : end + 1]
        if not (_wordy(want[:1]) and _wordy(before)) and not (_wordy(want[-1:]) and _wordy(after)):
            count += 1
        at = text.find(want, end)
    return count


def _wordy(c: str) -> bool:
    return c.isalnum() or c == "_"


def listed(spec: "dict[str, object]", key: str) -> "list[str]":
    """The strings of a list in a spec."""
    value = spec.get(key)
    return [str(item) for item in value] if isinstance(value, list) else []


def _lists(spec: "dict[str, object]", key: str) -> "list[list[str]]":
    value = spec.get(key)
    return [[str(x) for x in item] for item in value if isinstance(item, list)] if isinstance(value, list) else []


def _specs(spec: "dict[str, object]", key: str) -> "list[dict[str, object]]":
    value = spec.get(key)
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []
