"""What a command line really runs: wrappers opened (sudo, env, xargs, sh -c, find -exec ...). Runs nothing.

Standard library only and no `re`: the guard's hook imports this file.
"""

from agentmemory.shell import MOST, commands
from agentmemory.shelltext import STDIN, base_name, in_file, taken
from agentmemory.shellword import NAMES, VALUES, Command, positions
from agentmemory.wrappers import PACKAGES, RUNNERS, SCRIPT_OPTIONS, WRAPPERS

DEEPEST = 6  # shells in shells
WORDS = 1 << 16  # of one line; what has more is not opened any further
SCRIPTS = 1 << 23  # characters of all that is opened
TOOLS = ("Bash", "PowerShell", "shell", "local_shell")  # of clients, that run a command line
SHELLS = frozenset("sh bash zsh dash ksh ash fish mksh rbash csh tcsh nu elvish xonsh source .".split())
INTERPRETERS = frozenset("python python2 python3 node deno bun ruby perl php awk gawk mawk lua osascript".split())
RUNS = (
    "system(",
    "popen",
    "subprocess",
    "exec",
    "spawn",
    "check_",
    'system "',
    "system '",
    "shell script",
    "Command",
    "qx",
    "``",
    "sh(",
    "$`",
)


def vectors(text: str) -> "list[Command]":
    """Every command that *text* would run, wrappers and all: the wrapper itself and what it runs."""
    out: list[Command] = []
    _open(commands(text), out, 0, [WORDS, SCRIPTS])
    return out[:MOST]


def _open(found: "list[Command]", out: "list[Command]", depth: int, room: "list[int]") -> None:
    """Put the commands that were found into *out*, and what they run. room: the words and characters that may come."""
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
        room[1] -= len(script)
        if room[1] < 0:
            return
        given = _behind(name, words, script)
        env = {**command.env, **positions(given[1:], given[0])} if given else dict(command.env)
        found = commands(script, env, depth, command.folder, command.held)
        if found and found[0].words[0] in SHELLS and _bare(found[0].words) and not taken(found[0]):
            found[0].stdin, found[0].sources = command.stdin, command.sources  # `ssh host bash <<END`
        _open(found, out, depth + 1, room)
    for argv in _carried(name, command):
        inner = Command(argv, command.env)
        inner.stdin, inner.sources, inner.writes = command.stdin, command.sources, command.writes
        inner.under, inner.folder, inner.held = (*command.under, name), command.folder, command.held
        inner.reads = command.reads
        begin = next((i for i, word in enumerate(argv) if not _assigns(word)), len(argv))
        set_there = {key: [value] for key, _, value in (word.partition("=") for word in argv[:begin][-NAMES:])}
        inner.env, inner.words = {**inner.env, **set_there}, argv[begin:]
        if inner.words and inner.words != words:
            _open([inner], out, depth + 1, room)


def _behind(name: str, words: "list[str]", script: str) -> "list[str]":
    """What a script finds as `$0`, `$1` ...: the words behind it, or from the file on that holds it."""
    if name not in SHELLS:
        return words if "/" in words[0] else []
    if script in words:
        return words[words.index(script) + 1 :]
    return words[next((i for i, word in enumerate(words) if i and word[:1] != "-"), len(words)) :]


def _scripts(name: str, command: Command) -> "list[str]":
    """The command lines that a command is given as text."""
    words = command.words
    if name in SHELLS:
        return _shell(command)
    if name == "eval":
        return [" ".join(words[1:])]
    if "/" in words[0] and (script := in_file(command, words[0])):
        return [script]
    if name in ("at", "batch"):
        return [taken(command)]
    if name == "env":
        return _split_string(words)
    if name.lower() in ("cmd", "pwsh", "powershell"):
        return _of_windows(words)
    if name == "git" and "-c" in words[1:-1]:
        return _of_alias(words)
    if name == "yarn" and words[1:2] == ["exec"]:
        return [" ".join(words[2:])]
    if name == "trap" and len(words) > 1:
        return words[1:2]
    if name in ("ssh", "mosh"):
        return _remote(words) or [taken(command)]
    if name == "parallel" and ":::" not in words and _bare(words):
        return [taken(command)]
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


def _split_string(words: "list[str]") -> "list[str]":
    """The command line of `env -S "a b" c`, in every spelling."""
    for i, word in enumerate(words[1:], 1):
        if word.startswith("--split-string"):
            text, at = (word[15:], i + 1) if "=" in word else ("".join(words[i + 1 : i + 2]), i + 2)
        elif word[:1] == "-" and word[1:2] != "-" and "S" in word:
            behind = word.partition("S")[2]
            text, at = (behind, i + 1) if behind else ("".join(words[i + 1 : i + 2]), i + 2)
        else:
            continue
        return [text + " " + line_of(words[at:])]
    return []


def _of_windows(words: "list[str]") -> "list[str]":
    """The command line of `cmd /c ...` and `powershell -Command ...`: all that stands behind."""
    marks = ("/c", "/k", "/r", "//c", "//k") if base_name(words[0]).lower() == "cmd" else ("-c", "-command", "/c")
    at = next((i for i, word in enumerate(words) if i and word.lower() in marks), len(words))
    return [" ".join(words[at + 1 :])]


def _of_alias(words: "list[str]") -> "list[str]":
    """The command line that `git -c alias.x=...` gives the name that is then called."""
    out = []
    for i, word in enumerate(words[:-1]):
        name, _, body = words[i + 1].removeprefix("alias.").partition("=")
        if word == "-c" and words[i + 1].startswith("alias.") and name in words[i + 2 :]:
            rest = line_of(words[words.index(name, i + 2) + 1 :])
            out.append((body[1:] if body[:1] == "!" else "git " + body) + " " + rest)
    return out


def _shell(command: Command) -> "list[str]":
    """The script of `sh -c script`, of `sh <<END`, of `echo script | sh` and of a file that the line has written."""
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
    if "-n" in words[1:at]:  # it is only parsed
        return []
    if at < len(words) and words[at] not in STDIN and "-s" not in words:
        return [text for text in [in_file(command, words[at])] if text]  # of what was there before nothing is seen
    return [text for text in [taken(command)] if text]


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
            return _filled(words[1 : len(words) - len(rest)], rest, command)
        return [rest]
    if name == "nix" and not {"-c", "--command"}.isdisjoint(words):
        return [words[next(i for i, word in enumerate(words) if word in ("-c", "--command")) + 1 :]]
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
    if "--" in words[2:] and any(w in ("run", "exec", "develop", "shell", "enter") for w in words[1:4]):
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


def _filled(options: "list[str]", words: "list[str]", command: Command) -> "list[list[str]]":
    """What xargs and parallel run, with the words piped or listed (`:::`) to them where those can be seen."""
    if ":::" in words:
        cut = words.index(":::")
        return [[*words[:cut], item] for item in words[cut + 1 :]][:VALUES] or [words[:cut]]
    file = _option(options, "-a", "--arg-file")
    text, replaced = in_file(command, file) if file else taken(command), _option(options, "-I", "--replace", "-i")
    if "-i" in options or "--replace" in options:
        replaced = "{}"
    mark = "\0" if not {"-0", "--null", "-r0", "-0r"}.isdisjoint(options) else _option(options, "-d", "--delimiter")
    whole = mark or replaced  # an item may hold blanks
    given = [item for item in (text.split(_MARKS.get(mark, mark) or "\n") if whole else text.split()) if item.strip()]
    if not given:
        return [words]
    places = [replaced] if replaced else ["{}"]
    if any(place in word for word in words for place in places) or "%" in words:
        return [[_put_in(word, item.strip("\n"), places) for word in words] for item in given[:VALUES]]
    return [[*words, *(item.strip("\n") for item in given)]]


_MARKS = {"\\n": "\n", "\\0": "\0", "\\t": "\t"}


def _put_in(word: str, item: str, places: "list[str]") -> str:
    for place in places:
        word = word.replace(place, item)
    return item if word == "%" else word


def _option(options: "list[str]", *names: str) -> str:
    """The value that options give to one of these names, in every spelling; "" for none."""
    for i, word in enumerate(options):
        for name in names:
            if word == name and name not in ("-i", "--replace"):
                return "".join(options[i + 1 : i + 2])
            if word.startswith(name + "=" if name[:2] == "--" else name) and len(word) > len(name):
                return word[len(name) :].removeprefix("=")
    return ""


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


def _bare(words: "list[str]") -> bool:
    """Whether a program is given options alone."""
    return all(word[:1] == "-" for word in words[1:])


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
    elif not texts:
        file = next((word for word in words[1:] if word[:1] != "-"), "-")
        texts.extend(text for text in [in_file(command, file)] if text)
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
