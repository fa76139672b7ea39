"""Which files a command changes, takes away or shows, as far as its words say. Knows programs, nothing of guards.

Standard library only and no `re`: the guard's hook imports this file.
"""

from agentmemory import guardcode
from agentmemory.guardspec import ONE_DASH, arguments
from agentmemory.shelltext import base_name
from agentmemory.shellword import Command
from agentmemory.unwrap import below, programs

OVERWRITES = frozenset(
    "tee rm rmdir unlink shred truncate touch mkdir chmod chown vim vi nvim nano emacs ed ex patch sponge".split()
)
COPIES = frozenset("cp mv install ln rsync scp".split())
REMOVES = frozenset("rm rmdir unlink shred".split())
TARS = frozenset("tar gtar bsdtar".split())
ZIPS = frozenset("unzip zip gzip gunzip bzip2 bunzip2 xz unxz zstd unzstd".split())
CLUSTER = 17  # characters of a word of one-letter options that are looked at
LOOKS = frozenset("kubectl oc aws gcloud az helm gh ps ls".split())  # with these `--output` is a form
OUTPUTS = "--output --output-dir --output-file --out --out-dir --out-file --outdir --outfile --outDir --outFile"
# The options that name what a program writes, and letters of its other options that take a value.
TO = {
    "cp": ("-t --target-directory", "S"), "mv": ("-t --target-directory", "S"), "ln": ("-t --target-directory", "S"),
    "install": ("-t --target-directory", "mgoS"), "curl": ("-o", "AbcCdDeEFHKmPQrtTuUwxXyYz"),
    "wget": ("-O -P --output-document --directory-prefix", "aoeitTwQUlADRIXB"), "unzip": ("-d", "xP"),
    "tar": ("-C --directory", "fbTXIHgKLNVF"), "gtar": ("-C --directory", "fbTXIHgKLNVF"),
    "bsdtar": ("-C --directory", "fbTXIHgKLNVF"), "patch": ("-d --directory -o", "ipDFgrVxYzB"), "sort": ("-o", "kStT"),
    "git": ("--directory -o --output-directory", "CcmFXSb"), "pip": ("-t --target", "rceif"),
    "pip3": ("-t --target", "rceif"), "gcc": ("-o", ""), "g++": ("-o", "IDLlUWfmx"), "clang": ("-o", ""),
    "cc": ("-o", "IDLlUWfmx"), "go": ("-o", ""), "rustc": ("-o", "LCl"), "pandoc": ("-o", "ftVMH"),
    "openssl": ("-out -keyout", ""), "pg_dump": ("-f --file", "hpUdtnFT"), "mysqldump": ("-r --result-file", "hPup"),
}  # fmt: skip
READS = frozenset(
    "cat less more head tail bat batcat nl od xxd hexdump strings grep rg egrep awk sed cut sort source . view base64"
    " diff jq yq cp scp rsync mv tar zip vim vi nano code open tac wc".split()
)
# What makes a program change the files that it is given. `-i` also stands in a cluster or before a suffix (-pi.bak).
IN_PLACE = {
    "sed": "-i --in-place", "gsed": "-i --in-place", "perl": "-i", "ruby": "-i", "yq": "-i --inplace",
    "awk": "inplace", "gawk": "inplace", "clang-format": "-i", "autopep8": "-i --in-place", "yapf": "-i --in-place",
    "gofmt": "-w", "goimports": "-w", "gofumpt": "-w", "shfmt": "-w --write", "prettier": "-w --write",
    "biome": "--write --fix", "eslint": "--fix", "oxlint": "--fix", "stylelint": "--fix", "standard": "--fix",
    "ruff": "--fix", "golangci-lint": "--fix", "markdownlint": "--fix", "markdownlint-cli2": "--fix",
    "rubocop": "-a -A --autocorrect --autocorrect-all",
}  # fmt: skip
SCRIPTED = frozenset("sed gsed perl ruby awk gawk yq grep egrep rg jq chmod chown".split())  # first comes no file
FINDS = frozenset("find fd fdfind grep egrep rg git".split())  # what they print are files below those they are given


def written(command: Command) -> "list[str]":
    """The files that a command changes."""
    words, out = command.words, list(command.writes)
    name = base_name(words[0])
    plain = arguments(command)
    options, glued = TO.get(name, ("", ""))
    named = _values(words, options, glued, name) if name not in TARS or _unpacks(words) else []
    out.extend(named + _values(words, OUTPUTS, "", name) if name not in LOOKS else [])
    if name in OVERWRITES or _in_place(name, words):
        out.extend(_files(name, plain) + _handed(command))
    elif name == "git":
        out.extend(_by_git(words, plain))
    elif name in COPIES:
        out.extend(removed(command) + ([] if named else _copied(plain)))
    elif name in TARS or name in ZIPS:
        out.extend(_archived(name, words, plain, named))
    elif name == "dd":
        out.extend(word[3:] for word in plain if word.startswith("of="))
    elif name == "find":
        out.extend(removed(command))
    for program in programs(command):
        out.extend(guardcode.changed(program))
    return out


def removed(command: Command) -> "list[str]":
    """The files that a command takes away from where they are."""
    words = command.words
    name = base_name(words[0])
    plain = arguments(command)
    if name in REMOVES:
        return plain + _handed(command)
    if name == "mv":
        into = _values(words, *TO["mv"], name)
        return [word for word in plain if word not in into] if into else plain[:-1] + _handed(command)
    if name == "git" and (plain or [""])[0] in ("rm", "mv", "clean"):
        return _by_git(words, plain)[: -1 if plain[0] == "mv" else None]
    if name == "rsync" and any(word.startswith("--del") for word in words):
        return plain[-1:]
    return below(words) if name == "find" and "-delete" in words else []


def moved_to(command: Command) -> "list[str]":
    """Where a command moves files to; nothing for one that only removes them."""
    name = base_name(command.words[0])
    plain = arguments(command)
    if name == "mv":
        return _values(command.words, *TO["mv"], name) or plain[-1:]
    return plain[-1:] if name == "git" and plain[:1] == ["mv"] else []


def picks(command: Command) -> bool:
    """Whether a command takes only some of the files of the folders that it is given: `find -delete`, `git clean`."""
    return base_name(command.words[0]) in ("find", "rsync") or "clean" in command.words[1:3]


def read(command: Command) -> "list[str]":
    """The files that a command shows or takes in."""
    name = base_name(command.words[0])
    plain = arguments(command)
    shown = [path for program in programs(command) for path in guardcode.shown(program)]
    return [*command.reads, *(_files(name, plain) if name in READS else []), *shown]


def _values(words: "list[str]", options: str, valued: str, name: str) -> "list[str]":
    """What is given to these options, in every spelling: `-o x`, `-ox`, `-sSLo x`, `--output=x`.

    *valued*: letters of other options that take a value, so that what follows them in a word is no option.
    """
    wanted, out = options.split(), []
    for at, word in enumerate(words):
        option, equals, value = word.partition("=")
        behind = words[at + 1 : at + 2]
        if not at or word[:1] != "-" or word == "-":
            continue
        if option in wanted:
            out.extend([value] if equals else behind)
        elif word[1] != "-" and name not in ONE_DASH:
            for i, letter in enumerate(word[1:CLUSTER], 2):
                if "-" + letter in wanted:
                    out.extend([word[i:]] if word[i:] else behind)
                if "-" + letter in wanted or letter in valued:
                    break
    return out


def _copied(plain: "list[str]") -> "list[str]":
    """Where files are copied or moved to: the last argument, or what comes to lie in it; nothing on another machine."""
    into = (plain or [""])[-1]
    if ":" in into.split("/")[0]:
        return []
    folder = into[-1:] == "/" or into in (".", "..") or len(plain) > 2
    return [into.rstrip("/") + "/" + base_name(each.rstrip("/")) for each in plain[:-1]] if folder else [into]


def _unpacks(words: "list[str]") -> bool:
    """Whether a `tar` takes files out of an archive: `tar xf`, `tar -zxf`, `tar --extract`."""
    return "x" in _letters(words) or "--extract" in words or "--get" in words


def _letters(words: "list[str]") -> str:
    """The letters of tar's options, the first word's also without a dash."""
    first = words[1:2] if words[1:2] and words[1][:1] != "-" else []
    return "".join([*first, *(word[1:] for word in words[1:] if word[:1] == "-" and word[1:2] != "-")])


def _archived(name: str, words: "list[str]", plain: "list[str]", named: "list[str]") -> "list[str]":
    """What a program for archives writes: where it unpacks to, the folder it is in where it is not told; an archive."""
    if name in TARS:
        if _unpacks(words):
            return [] if named or "O" in _letters(words) else ["."]
        makes = set("cru") & set(_letters(words)) or {"--create", "--append", "--update"} & set(words)
        bundle = words[1][:1] != "-" and "f" in words[1] if len(words) > 2 else False
        return (words[2:3] if bundle else _values(words, "-f --file", "C", name)) if makes else []
    if name == "unzip":
        return [] if named or set("lptvZ") & set(_letters(["", "-", *words[1:]])) else ["."]
    if name == "zip":
        return plain[:1]
    kept = {"-c", "--stdout", "-l", "--list", "-t", "--test", "-k", "--keep", "-dc", "-cd"} & set(words)
    return [] if kept else plain


def _files(name: str, plain: "list[str]") -> "list[str]":
    """The arguments that may be files: not the script of sed, the pattern of grep, the mode of chmod."""
    return plain[1:] if name in SCRIPTED and len(plain) > 1 else plain


def _in_place(name: str, words: "list[str]") -> bool:
    flags = IN_PLACE.get(name, "").split()
    for word in words[1:] if flags else []:
        if word.partition("=")[0] in flags:
            return True
        letters = word.partition(".")[0][1:]  # -ni, -pi.bak, but not -Ilib, -Mstrict
        if "-i" in flags and word[:1] == "-" and letters.isalpha() and "i" in letters[:4] and letters[0] not in "IMm":
            return True
    return False


def _by_git(words: "list[str]", plain: "list[str]") -> "list[str]":
    """The files that git takes away, moves, or brings back from another state."""
    verb, rest = (plain or [""])[0], plain[1:]
    if verb == "clone" or rest[:1] == ["add"]:
        return rest[2:3] if verb == "submodule" else rest[1:2] if verb in ("clone", "worktree") else []
    if verb == "mv" or (verb == "rm" and "--cached" not in words) or (verb == "clean" and "-n" not in words):
        return rest
    if verb == "restore" and ("--staged" not in words or "--worktree" in words):
        return rest
    if verb == "checkout":
        return words[words.index("--") + 1 :] if "--" in words else rest[1:]
    return []


def _handed(command: Command) -> "list[str]":
    """What a search hands to the command that xargs runs: the files that were searched."""
    out, source = [], command.source if "xargs" in command.under else None
    while source:
        out.extend(_given(source) if base_name(source.words[0]) in FINDS else [])
        source = source.source
    return out


def _given(command: Command) -> "list[str]":
    """Where a search looks: the arguments before the conditions of find, behind the pattern of grep."""
    name = base_name(command.words[0])
    return below(command.words) if name == "find" else arguments(command)[1:]
