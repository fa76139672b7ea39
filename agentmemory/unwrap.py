"""What a command line really runs: wrappers opened (sudo, env, xargs, sh -c, find -exec ...). Runs nothing.

Standard library only and no `re`: the guard's hook imports this file.
"""

from agentmemory.shell import MOST, commands
from agentmemory.shellword import NAMES, VALUES, Command, base_name, piped, positions

DEEPEST = 6  # shells in shells
WORDS = 1 << 16  # of one line; what has more is not opened any further
TOOLS = ("Bash", "PowerShell", "shell", "local_shell")  # of clients, that run a command line
SHELLS = frozenset("sh bash zsh dash ksh ash fish mksh rbash".split())
INTERPRETERS = frozenset("python python2 python3 node deno bun ruby perl php awk gawk mawk lua osascript".split())
RUNS = ("system(", "popen", "subprocess", "exec", "spawn", "check_", "shell script", "Command", "qx", "``", "sh(", "$`")

# Programs that run the command behind their own options: the options that take a value, and how many words of
# their own come first (the time of `timeout`, the file of `flock`).
WRAPPERS = {
    "sudo": ("-u -g -h -p -C -T -r -t -U -D -R --user --group --host --prompt --chdir --role --type", 0),
    "doas": ("-u -C", 0), "run0": ("-u", 0), "pkexec": ("--user", 0), "gosu": ("", 1), "su-exec": ("", 1),
    "env": ("-u -C --unset --chdir", 0), "command": ("", 0), "builtin": ("", 0), "exec": ("-a", 0), "nohup": ("", 0),
    "setsid": ("", 0), "time": ("-f -o --format --output", 0), "nice": ("-n --adjustment", 0),
    "ionice": ("-c -n -p --class --classdata", 0), "chrt": ("", 1), "taskset": ("", 1), "numactl": ("", 0),
    "timeout": ("-s -k --signal --kill-after", 1), "gtimeout": ("-s -k --signal --kill-after", 1),
    "stdbuf": ("-i -o -e --input --output --error", 0), "unbuffer": ("", 0), "caffeinate": ("-t -w", 0),
    "xargs": ("-I -i -n -P -L -l -d -a -E -s --max-args --max-procs --replace --delimiter --arg-file --max-lines", 0),
    "watch": ("-n --interval", 0), "strace": ("-e -o -p -s", 0), "ltrace": ("-e -o -p -s", 0), "flock": ("-w -E", 1),
    "chroot": ("", 1), "unshare": ("", 0), "script": ("-t -c --command", 1),
    "proxychains": ("-f", 0), "proxychains4": ("-f", 0), "torsocks": ("", 0),
    "parallel": ("-j --jobs --colsep --delay", 0), "faketime": ("", 1), "retry": ("", 0), "ts-node": ("", 9),
    "dotenv": ("-e -f", 0), "direnv": ("", 2), "xvfb-run": ("-s -n", 0),
    "dbus-run-session": ("", 0), "busybox": ("", 0),
    "hyperfine": ("-w -r -n -m --warmup --runs", 0), "entr": ("", 0), "chronic": ("", 0),
    "systemd-run": ("-p -u --unit", 0),
}  # fmt: skip
# Runners of a package's program: what follows counts beside the runner itself.
RUNNERS = {
    ("npx",), ("corepack",), ("bunx",), ("pnpx",), ("uvx",), ("pnpm", "exec"), ("pnpm", "dlx"), ("npm", "exec"),
    ("yarn", "exec"), ("yarn", "dlx"), ("bun", "x"), ("poetry", "run"), ("uv", "run"), ("pipenv", "run"),
    ("pdm", "run"), ("hatch", "run"), ("rye", "run"), ("bundle", "exec"), ("pipx", "run"), ("conda", "run"),
    ("mise", "exec"), ("asdf", "exec"), ("rtx", "exec"), ("git", "bisect", "run"),
    ("op", "run"), ("doppler", "run"), ("aws-vault", "exec"),
}  # fmt: skip
# Words behind yarn and pnpm that are theirs; any other is a program of a package, or a script.
PACKAGES = frozenset(
    "add audit bin cache config constraints create dedupe deploy dlx env exec explain fetch help i import info init"
    " install licenses link list ls node outdated pack patch plugin prune publish rebuild remove rm root run server set"
    " setup start stage store test unlink unplug up update upgrade version versions why workspace workspaces".split()
)
# An argument that is itself a command line, by program and option.
SCRIPT_OPTIONS = {
    "su": ("-c", "--command"), "script": ("-c", "--command"), "flock": ("-c", "--command"), "runuser": ("-c",),
    "nix-shell": ("--run", "--command"), "nix": ("--command", "-c"), "env": ("-S", "--split-string"),
    "git": ("--exec", "-x"), "fish": ("-c", "--command"), "runcon": ("-c",), "wsl": ("-e", "--exec"),
    "npx": ("-c", "--call"), "pwsh": ("-c", "-Command"), "powershell": ("-c", "-Command"),
}  # fmt: skip


def vectors(text: str) -> "list[Command]":
    """Every command that *text* would run, wrappers and all: the wrapper itself and what it runs."""
    out: list[Command] = []
    _open(commands(text), out, 0, [WORDS])
    return out[:MOST]


def _open(found: "list[Command]", out: "list[Command]", depth: int, room: "list[int]") -> None:
    """Put the commands that were found into *out*, and what they run. room: the words that may still come."""
    for command in found:
        if depth > DEEPEST or len(out) >= MOST or (depth > 1 and room[0] < 0):
            return
        begin = next((i for i, word in enumerate(command.words) if not word.startswith("-")), None)
        if begin is not None:
            command.words = command.words[begin:]  # not what `time -p` leaves
            out.append(command)
            room[0] -= len(command.words)
            _open_one(command, out, depth, room)


def _open_one(command: Command, out: "list[Command]", depth: int, room: "list[int]") -> None:
    words, name = command.words, base_name(command.words[0])
    for script in _scripts(name, command)[:MOST]:
        given = words[words.index(script) + 2 :] if name in SHELLS and script in words else []  # behind what `$0` is
        env = {**command.env, **positions(given)} if given else dict(command.env)
        _open(commands(script, env, depth, command.folder), out, depth + 1, room)
    for argv in _carried(name, command):
        inner = Command(argv, command.env)
        inner.stdin, inner.source, inner.writes = command.stdin, command.source, command.writes
        inner.under, inner.folder = (*command.under, name), command.folder
        begin = next((i for i, word in enumerate(argv) if not _assigns(word)), len(argv))
        set_there = {key: [value] for key, _, value in (word.partition("=") for word in argv[:begin][-NAMES:])}
        inner.env, inner.words = {**inner.env, **set_there}, argv[begin:]
        if inner.words and inner.words != words:
            _open([inner], out, depth + 1, room)


def _scripts(name: str, command: Command) -> "list[str]":
    """The command lines that a command is given as text."""
    words = command.words
    if name in SHELLS:
        return _shell(command)
    if name == "eval":
        return [" ".join(words[1:])]
    if name == "trap" and len(words) > 1:
        return words[1:2]
    if name in ("ssh", "mosh"):
        return _remote(words)
    if name in ("watch", "hyperfine", "tmux", "screen", "concurrently", "entr", "npm-run-all", "parallel"):
        return [word for word in words[1:] if " " in word]
    if name == "git" and "submodule" in words and "foreach" in words:
        return [" ".join(w for w in words[words.index("foreach") + 1 :] if w not in ("--recursive", "--quiet"))]
    told = _in_code(command)
    if told:
        return told
    options = SCRIPT_OPTIONS.get(name, ())
    after = [words[i + 1] for i, w in enumerate(words[:-1]) if w in options or _ends_with_one(w, options)]
    return after + [w.partition("=")[2] for w in words if w.partition("=")[0] in options and "=" in w]


def _ends_with_one(word: str, options: "tuple[str, ...]") -> bool:
    """Whether letters in one word end with the one that a command line follows, as in `script -qec`."""
    return word[:1] == "-" and word[1:].isalpha() and word[-1] in "cS" and f"-{word[-1]}" in options


def _shell(command: Command) -> "list[str]":
    """The script of `sh -c script`, of `sh <<END` and of `echo script | sh`."""
    at, words = 1, command.words
    while at < len(words) and words[at][:1] in ("-", "+"):
        word = words[at]
        if word == "-c" or (word[1:2] != "-" and "c" in word[1:] and word[1:].isalpha()):
            rest = [w for w in words[at + 1 :] if not w.startswith("-")]
            return rest[1:2] if "o" in word else rest[:1]
        if word == "--command":
            return words[at + 1 : at + 2]
        takes = word in ("--rcfile", "--init-file") or (word[1:2] != "-" and word[-1:] in ("o", "O"))  # -euo pipefail
        at += 2 if takes else 1
        if word in ("-s", "--", "-"):
            break
    if at < len(words) and words[at] != "-" and "-s" not in words:
        return []  # a script file: what is in it is not ours to see
    return [text for text in (command.stdin, piped(command)) if text]


def _remote(words: "list[str]") -> "list[str]":
    at = 1
    while at < len(words) and words[at].startswith("-"):
        at += 2 if words[at] in ("-i", "-p", "-l", "-o", "-F", "-J", "-L", "-R", "-D", "-b", "-c", "-E", "-W") else 1
    return [" ".join(words[at + 1 :])] if at + 1 < len(words) else []


def _carried(name: str, command: Command) -> "list[list[str]]":
    """The argument vectors that a command carries: behind a wrapper's options, in find -exec, behind `--`."""
    words = command.words
    if name in ("find", "fd", "fdfind"):
        where = below(words) if name == "find" else ["{}"]  # what stands for `{}`
        return [_put(argv, where) for argv in _exec(words)]
    if name == "command" and len(words) > 1 and words[1] in ("-v", "-V"):
        return []
    if name in WRAPPERS:
        rest = _behind_options(words, *WRAPPERS[name])
        if name in ("xargs", "parallel"):
            return _filled(rest, command)
        return [rest]
    if name in ("python", "python3") or name.startswith("python3."):
        return [words[words.index("-m") + 1 :]] if "-m" in words[:-1] else []
    for size in (1, 2, 3):
        if (name, *words[1:size]) in RUNNERS:
            return [_behind_options(["", *words[size:]], "-p --package --from --with -c --env -n", 0)]
    if name in ("yarn", "pnpm") and words[1:] and words[1].isidentifier() and words[1] not in PACKAGES:
        return [words[1:]]
    if name == "docker" and words[1:2] == ["compose"]:
        return [["docker-compose", *words[2:]]]
    if name in ("docker", "docker-compose", "podman", "nerdctl") and ("exec" in words[1:] or name == "docker-compose"):
        return _in_container(words)
    if "--" in words[2:] and any(w in ("run", "exec", "develop", "shell") for w in words[1:4]):
        return [words[words.index("--") + 1 :]]
    return []


def _in_container(words: "list[str]") -> "list[list[str]]":
    """What `docker exec NAME command` and `docker compose exec|run SERVICE command` run inside."""
    verbs = [i for i, word in enumerate(words) if word in ("exec", "run")]
    valued = "-e --env -u --user -w --workdir --index --env-file --name -v --volume -p --publish --entrypoint"
    return [_behind_options(["", *words[verbs[0] + 1 :]], valued, 1)] if verbs else []


def _behind_options(words: "list[str]", valued: str, own: int) -> "list[str]":
    takes, at = valued.split(), 1
    while at < len(words) and words[at].startswith("-"):
        word = words[at]
        at += 2 if word in takes else 1
        if word == "--":
            break
    if own and at < len(words):
        at += own
        while at < len(words) and words[at] == "--":
            at += 1
    return words[at:]


def _filled(words: "list[str]", command: Command) -> "list[list[str]]":
    """What xargs and parallel run, with the words piped or listed (`:::`) to them where those can be seen."""
    if ":::" in words:
        cut = words.index(":::")
        return [[*words[:cut], item] for item in words[cut + 1 :]][:16] or [words[:cut]]
    given = (piped(command) or command.stdin or "").split()
    if not given:
        return [words]
    if any("{}" in word or word == "%" for word in words):
        return [[w.replace("{}", item) if w != "%" else item for w in words] for item in given[:16]]
    return [[*words, *given]]


def below(words: "list[str]") -> "list[str]":
    """Where `find` looks: its arguments behind its own options (`-L`, `-O3`, `-D tree`), before the first condition."""
    begin = 1
    while words[begin : begin + 1] and (words[begin] in ("-H", "-L", "-P", "-D") or words[begin][:2] == "-O"):
        begin += 2 if words[begin] == "-D" else 1
    ends = (i for i, word in enumerate(words) if i >= begin and word[:1] in ("-", "(", "!"))
    return words[begin : next(ends, None)]


def _exec(words: "list[str]") -> "list[list[str]]":
    marks = ("-exec", "-execdir", "-ok", "-okdir", "-x", "-X", "--exec", "--exec-batch")
    begins = [i for i, word in enumerate(words) if word in marks]
    ends = [i for i, word in enumerate(words) if word in (";", "+", "\\;")]
    return [words[i + 1 : next((end for end in ends if end > i), None)] for i in begins[:VALUES]]


def _put(argv: "list[str]", where: "list[str]") -> "list[str]":
    """The arguments with the folders of a search in the place of `{}`; often enough that all are seen."""
    at = set([i for i, word in enumerate(argv) if word == "{}"][:VALUES])
    return [part for i, word in enumerate(argv) for part in (where if i in at else [word])]


def _assigns(word: str) -> bool:
    name, equals, _ = word.partition("=")
    return bool(equals) and name.replace("_", "a").isalnum() and not name[0].isdigit()


def programs(command: Command) -> "list[str]":
    """The programs that an interpreter is given on the spot: `python -c`, `node -e`, a here-document, a pipe."""
    words, texts = command.words, []
    name = base_name(words[0])
    if name.rstrip("0123456789.") not in INTERPRETERS and name not in INTERPRETERS:
        return []
    for i, word in enumerate(words[1:-1], 1):
        if word in ("-c", "-e", "-E", "--eval", "-r", "-pe", "-ne") or (name, word) == ("deno", "eval"):
            texts.append(words[i + 1])
    if name.endswith("awk"):
        texts.extend(words[1:])
    elif not texts and all(word[:1] == "-" for word in words[1:]):
        texts.extend(text for text in (command.stdin, piped(command)) if text)
    return texts


def _in_code(command: Command) -> "list[str]":
    """Command lines in a program given on the spot: its string literals and lists of them, where it runs any."""
    out: list[str] = []
    for text in programs(command):
        spans = _literals(text)
        bare = "".join(text[a:b] for (_, a), (b, _) in zip([(0, 0), *spans], [*spans, (len(text), 0)]))
        if any(mark in bare for mark in RUNS):
            lists = _lists(text, spans)
            out.extend(words[0] for words in lists if " " in words[0])
            out.extend(line_of(words[1:] if words[0] == words[1] else words) for words in lists if len(words) > 1)
            out.append(line_of([word for words in lists for word in words]))
    return out


def _lists(code: str, spans: "list[tuple[int, int]]") -> "list[list[str]]":
    """The strings of a program, those together that are listed in one call or one list."""
    out: list[list[str]] = []
    end = 0
    for start, stop in spans:
        word = code[start:stop].replace("\\" + code[start - 1], code[start - 1])
        between = code[end + 1 : start - 1]
        if out and ("," in between or "+" in between) and not any(mark in between for mark in "()=;"):
            out[-1].append(word)
        elif word:
            out.append([word])
        end = stop
    return out


def command_line(given: "dict[str, object]") -> str:
    """The command line in a shell tool's input, which some clients give as the list of its words."""
    said = given.get("command")
    words = [str(word) for word in said] if isinstance(said, list) else [str(said or "")]
    return line_of(words) if len(words) > 1 else "".join(words)


def line_of(words: "list[str]") -> str:
    """Words as a command line, each as it is."""
    return " ".join(map(quoted, words))


def quoted(word: str) -> str:
    """*word* as the shell takes it literally."""
    return "'" + word.replace("'", "'\\''") + "'"


def _literals(code: str) -> "list[tuple[int, int]]":
    """Where in a program the strings between quotes begin and end."""
    out, at = [], 0
    while at < len(code):
        mark = code[at]
        at += 1
        if mark not in "'\"`":
            continue
        start = at
        while at < len(code) and code[at] != mark:
            at += 2 if code[at] == "\\" else 1
        out.append((start, min(at, len(code))))
        at += 1
    return out
