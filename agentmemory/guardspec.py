"""Does an action fall under a guard's spec? Specs are plain dicts, made by learn/guards.py (form: docs/guard.md).

Standard library only and no `re`: the guard's hook imports this file.
"""

import os

from agentmemory.shellword import Command, base_name, printed

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
RUNS_SCRIPTS = frozenset("sh bash zsh dash ksh fish source . python python3 node bun deno ruby perl pwsh".split())
SELECTS = frozenset("use-context use set-context select login switch set activate use-cluster get-credentials".split())
HARMLESS = ("--help", "--dry-run", "--dry-run=client", "--dry-run=server", "-help")

OVERWRITES = frozenset(
    "tee rm rmdir unlink shred truncate touch mkdir chmod chown vim vi nvim nano emacs ed ex patch".split()
)
COPIES = frozenset("cp mv install ln rsync scp".split())
READS = frozenset(
    "cat less more head tail bat batcat nl od xxd hexdump strings grep rg egrep awk sed cut sort source . view base64"
    " diff jq yq cp scp rsync mv tar zip vim vi nano code open tac wc".split()
)
IN_PLACE = ("-i", "--in-place", "--write", "-w", "--fix", "--inplace")


def match_command(spec: "dict[str, object]", command: Command, before: "list[Command]", cwd: str) -> bool:
    """Whether one command falls under *spec*; *before* are the commands of the same line that ran earlier."""
    if "writes" in spec or "reads" in spec:
        return _match_files(spec, command, cwd)
    words = command.words
    if not set(command.under).isdisjoint(_list(spec, "under")):  # run by what the rule prescribes
        return False
    switches, arguments = split(base_name(words[0]), words)
    if not _is_program(spec, words[0], arguments) or not _sourced(spec, command, before):
        return False
    if _harmless(words, spec) or not _in_order(_lists(spec, "args"), arguments):
        return False
    plain = [word for word, _ in arguments]
    if not all(any(_flagged(flag, switches, plain) for flag in flags) for flags in _lists(spec, "flags")):
        return False
    if not all(any(glob(want, word) for want in wants for word in plain) for wants in _lists(spec, "has")):
        return False
    branches = _list(spec, "branch")
    if branches and not (branch_of(command, before, cwd) in branches and not (spec.get("bare") and len(plain) > 2)):
        return False
    wanted = _lists(spec, "any")
    if wanted and not _mentions(wanted, [*words[1:], *_context(command, before)]):
        return False
    texts = _list(spec, "content")
    if texts and not any(contains(want, text) for want in texts for text in _given(command)):
        return False
    return not any(match_command(other, command, before, cwd) for other in _specs(spec, "unless"))


def _given(command: Command) -> "list[str]":
    """The texts that a command is given: its arguments, its here-document, what is echoed into it."""
    piped = printed(command.source) if command.source else None
    return [*command.words[1:], command.stdin or "", piped or ""]


def _is_program(spec: "dict[str, object]", program: str, arguments: "list[tuple[str, bool]]") -> bool:
    """Whether the program is a wanted one; a wanted script may also be what a shell or an interpreter runs."""
    name = base_name(program)
    if any(glob(want, program if "/" in want else name) for want in _list(spec, "program")):
        return True
    script = spec.get("script")
    return bool(script) and name in RUNS_SCRIPTS and bool(arguments) and base_name(arguments[0][0]) == script


def _sourced(spec: "dict[str, object]", command: Command, before: "list[Command]") -> bool:
    """Whether the command reads its program from where the spec says: a pipe, `<(...)` or `$(...)`."""
    wanted = _list(spec, "source")
    if not wanted:
        return True
    source = command.source
    while source:
        if base_name(source.words[0]) in wanted:
            return True
        source = source.source
    taken = any("$(...)" in word or word == "/dev/fd/63" for word in command.words[1:])
    return taken and any(base_name(earlier.words[0]) in wanted for earlier in before)


def split(name: str, words: "list[str]") -> "tuple[set[str], list[tuple[str, bool]]]":
    """A command's switches, clusters taken apart, and its arguments, each with whether it may be an option's value."""
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
            arguments.append((word, maybe))
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


def _harmless(words: "list[str]", spec: "dict[str, object]") -> bool:
    asked = [flag for flags in _lists(spec, "flags") for flag in flags]
    return any(word in HARMLESS and word not in asked for word in words[1:])


def _in_order(wanted: "list[list[str]]", arguments: "list[tuple[str, bool]]") -> bool:
    """Whether the first arguments are the wanted words, leaving out those that may be values of options."""
    at = 0
    for wants in wanted:
        while at < len(arguments):
            word, maybe = arguments[at]
            at += 1
            if any(glob(want, word) for want in wants):
                break
            if not maybe:
                return False
        else:
            return False
    return True


def _flagged(flag: str, switches: "set[str]", plain: "list[str]") -> bool:
    if not flag.startswith("-"):  # a flag in the shape of an argument: +main of git push
        return any(glob(flag, word) for word in plain)
    if "*" in flag:
        return any(glob(flag, switch) for switch in switches)
    if flag in switches:
        return True
    # a long option may be cut short as long as it stays clear (`--forc`)
    return any(len(s) > 4 and s.startswith("--") and flag.startswith(s) and s + "=" not in flag for s in switches) and (
        flag.startswith("--")
    )


def branch_of(command: Command, before: "list[Command]", cwd: str) -> str:
    """The git branch that a command acts on: the one the line itself has switched to, else the folder's."""
    for earlier in reversed(before):
        words = earlier.words
        if base_name(words[0]) == "git" and len(words) > 2 and ("checkout" in words or "switch" in words):
            named = [word for word in words[2:] if not word.startswith("-") and word not in ("checkout", "switch")]
            if named:
                return named[0]
    folder = cwd
    if "-C" in command.words[:-1]:
        folder = os.path.join(cwd, command.words[command.words.index("-C") + 1])
    return _head(folder) if folder else ""


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
    except OSError:
        return ""


def _context(command: Command, before: "list[Command]") -> "list[str]":
    """What else says where a command acts: assigned names, and earlier commands of the line that select a target."""
    out = [value for values in command.env.values() for value in values]
    for earlier in before:
        if not SELECTS.isdisjoint(earlier.words) or base_name(earlier.words[0]) in ("kubectx", "kubens", "ssh"):
            out.extend(earlier.words[1:])
    return out


def _mentions(wanted: "list[list[str]]", words: "list[str]") -> bool:
    said = {part for word in words for part in segments(word)}
    said.update(part.rstrip("0123456789") for part in list(said))
    return all(
        any(want in said if want.isalnum() else any(glob("*" + want + "*", word) for word in words) for want in wants)
        for wants in wanted
    )


def segments(word: str) -> "list[str]":
    """The alphanumeric parts of a word, lower case: prod, eu of `--context=prod-eu` among others."""
    return "".join(c.lower() if c.isalnum() else " " for c in word).split()


def _match_files(spec: "dict[str, object]", command: Command, cwd: str) -> bool:
    name = base_name(command.words[0])
    switches, arguments = split(name, command.words)
    plain = [word for word, _ in arguments]
    if "writes" in spec:
        touched, wanted = written(name, switches, plain, command), _list(spec, "writes")
    else:
        touched, wanted = read(name, switches, plain, command), _list(spec, "reads")
    if not any(path_matches(want, path, cwd) for want in wanted for path in touched):
        return False
    if any(path_matches(skip, path, cwd) for skip in _list(spec, "skip") for path in touched):
        return False
    texts = _list(spec, "content")
    said = [command.stdin or "", *command.words[1:]]
    return not texts or any(contains(want, text) for want in texts for text in said)


def written(name: str, switches: "set[str]", plain: "list[str]", command: Command) -> "list[str]":
    """The files that a command changes, as far as its words say."""
    out = list(command.writes)
    if (
        name in OVERWRITES
        or any(flag in switches for flag in IN_PLACE)
        or (name == "git" and plain[:1] in (["rm"], ["mv"]))
    ):
        out.extend(plain)
    elif name in COPIES:
        out.extend(plain if name == "mv" else plain[-1:])
    elif name == "dd":
        out.extend(word[3:] for word in plain if word.startswith("of="))
    elif name in ("curl", "wget"):
        words = command.words
        out.extend(words[i + 1] for i, word in enumerate(words[:-1]) if word in ("-o", "-O", "--output"))
    return out


def read(name: str, switches: "set[str]", plain: "list[str]", command: Command) -> "list[str]":
    """The files that a command shows or takes in."""
    return [*command.reads, *(plain if name in READS else [])]


def match_edit(spec: "dict[str, object]", given: "dict[str, object]", cwd: str) -> bool:
    """Whether an editing tool's input falls under *spec*: its path, and the text that it adds."""
    path = next((given[key] for key in ("file_path", "notebook_path", "path") if isinstance(given.get(key), str)), "")
    paths = _list(spec, "path") or _list(spec, "writes") or _list(spec, "reads")
    if paths and not any(path_matches(want, str(path), cwd) for want in paths):
        return False
    if any(path_matches(skip, str(path), cwd) for skip in _list(spec, "skip")):
        return False
    texts = _list(spec, "content")
    return not texts or any(_adds(want, given) for want in texts)


def _adds(want: str, given: "dict[str, object]") -> bool:
    edits = given.get("edits")
    parts = [part for part in edits if isinstance(part, dict)] if isinstance(edits, list) else [given]
    for part in parts:
        new = " ".join(
            str(part[key]) for key in ("content", "new_string", "new_source", "file_text", "new_str") if key in part
        )
        old = " ".join(str(part[key]) for key in ("old_string", "old_str") if key in part)
        if contains(want, new) > contains(want, old):
            return True
    return False


def match_input(spec: "dict[str, object]", given: "dict[str, object]") -> bool:
    """Whether a tool's input falls under *spec*: every wanted word occurs in some value of it."""
    wanted = _lists(spec, "any")
    return not wanted or _mentions(wanted, _strings(given))


def _strings(value: object) -> "list[str]":
    if isinstance(value, dict):
        return [text for item in value.values() for text in _strings(item)]
    if isinstance(value, list):
        return [text for item in value for text in _strings(item)]
    return [value] if isinstance(value, str) else []


def glob(pattern: str, text: str) -> bool:
    """Whether *text* is *pattern*, in which `*` stands for anything; case counts."""
    if "*" not in pattern:
        return pattern == text
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


def path_matches(pattern: str, path: str, cwd: str) -> bool:
    """Whether *path* is, or lies below, what *pattern* names, anywhere in the tree unless it begins with `/`.

    `generated/` and `generated/**` are the folder and all in it; `*.lock` any such file; `src/*.py` by segments.
    """
    folder = pattern.endswith(("/", "/**")) or "." not in pattern.rsplit("/", 1)[-1]
    want = [part for part in pattern.removesuffix("**").split("/") if part not in ("", ".")]
    base = cwd.rstrip("/") + "/"
    have = [part for part in path.removeprefix(base).split("/") if part not in ("", ".")]
    if not want or not have:
        return False
    starts = [0] if pattern.startswith("/") else range(len(have) - len(want) + 1)
    if pattern.startswith("/"):
        have = [part for part in path.split("/") if part]
    for start in starts:
        end = start + len(want)
        if end > len(have) or not (folder or end == len(have)):
            continue
        if all(w == "**" or glob(w, h) for w, h in zip(want, have[start:end])):
            return True
    return False


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


def _list(spec: "dict[str, object]", key: str) -> "list[str]":
    value = spec.get(key)
    return [str(item) for item in value] if isinstance(value, list) else []


def _lists(spec: "dict[str, object]", key: str) -> "list[list[str]]":
    value = spec.get(key)
    return [[str(x) for x in item] for item in value if isinstance(item, list)] if isinstance(value, list) else []


def _specs(spec: "dict[str, object]", key: str) -> "list[dict[str, object]]":
    value = spec.get(key)
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []
