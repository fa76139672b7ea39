"""A forbidden action in words ("force push", "edit files under generated/", kubectl apply against prod) as specs.

Here are the commands; what has a name of its own is in guard_names, files and tools are in guard_things.
"""

from __future__ import annotations

import re
from dataclasses import replace

from agentmemory.guardspec import VALUED, segments
from agentmemory.learn.guard_clauses import Clause
from agentmemory.learn.guard_commands import (
    BRANCHES,
    ENVIRONMENTS,
    HOSTS,
    PLACE,
    WITHOUT_SUBCOMMAND,
    Spec,
    branch,
    flag_owners,
    is_english,
    is_of_code,
    is_program,
    is_script,
    is_typical,
    piped,
    place,
    places,
    remote,
    same,
    spec_of,
    tokens_of,
)
from agentmemory.learn.guard_sentences import CODE
from agentmemory.learn.guard_things import EXCEPTED, Found, paths_in
from agentmemory.shell import commands
from agentmemory.text import STOP

VERBS = re.compile(
    r"^(?:to\s+)?(?:ever\s+|directly\s+|manually\s+|just\s+)*(?:us(?:e|ing)|run(?:ning)?|call(?:ing)?"
    r"|execut(?:e|ing)|invok(?:e|ing)|typ(?:e|ing)|"
    r"do(?:ing)?|issu(?:e|ing)|perform(?:ing)?|launch(?:ing)?|start(?:ing)?\s+(?=`)|try(?:ing)?|mak(?:e"
    r"|ing)\s+(?=`)|raw|bare|plain|direct|manual)\s+"
    r"(?:the\s+|a\s+|an\s+|any\s+|raw\s+|bare\s+|plain\s+|direct\s+)*",
    re.IGNORECASE,
)  # fmt: skip
SUBCOMMANDS = frozenset("get make go use do down up all off let once same own here now re".split())
STOPS = (STOP - SUBCOMMANDS) | frozenset(
    "directly hand manually cli onto against via yourself anymore command commands stuff alone locally straight across"
    " all"
    " here anything something everything packages new anywhere everywhere whatsoever yet now within inside of".split()
)
JOINS = ("or", "and", "nor")
DETERMINERS = frozenset("the a an all my our your every everything anything too it them us".split())
NO_PLACE = frozenset(
    "hand ci purpose all once general current default same wrong right other another my own every shared future repo"
    " repository project code codebase shell terminal this that it root command line commit commits user any".split()
)
STAGED = re.compile(r"to\s+(?:stage|test)$", re.IGNORECASE)  # "to stage a fix" is no place


# Commands ------------------------------------------------------------------------------------------------


INVERTED = frozenset("apply destroy install uninstall upgrade deploy publish migrate delete prune rollback".split())
NO_VALUE = r"(?!(?:flag|option|switch|to|with|on|for|in|when|and|or)\b)"
PASSED = re.compile(
    r"^(?:(?:pass|us|add|giv|set|put)\w*\s+)?(?:the\s+)?`?(?P<flag>--?[a-z][\w-]*)"
    rf"(?:[ =](?P<value>{NO_VALUE}[\w./:@-]+))?`?"
    r"(?:\s+(?:flag|option|switch))?"
    r"(?:\s+(?:to|with|on|for|in|when\s+\w+ing|when\s+you)\s+(?P<command>.+))?$",
    re.IGNORECASE,
)
ASSIGNED = re.compile(
    r"(?i:(?:set|us|export|pass|run|start|put)\w*\s+(?:(?:anything|commands?|things|it|the|with|variable|env)\s+)*)"
    r"`?(?P<env>[A-Z][A-Z0-9_]+=[\w./*-]+)`?(?:\s+(?:locally|here|anywhere))?\W*$"
)
ALSO = re.compile(r"\s*(?:with|and|plus)\b(?:\s+\w+){0,4}\s*\(?(?P<flags>--?\w[\w-]*(?:\s*(?:/|,|or)\s*--?\w[\w-]*)*)")
RUNS = re.compile(r"(?:run|execut|invok|launch)\w*\s", re.IGNORECASE)
CHANGES = re.compile(r"(?:edit|modif|chang|touch|writ|import|add|put|leav|renam)\w*\s", re.IGNORECASE)
WITHOUT = re.compile(r"\bwithout\s+(?:the\s+)?`?(?P<flag>--?[\w-]+)(?:(?P<sign>[ =])(?P<value>[\w./-]+))?`?")


def by_option(clause: Clause) -> Found:
    """An option alone, or of a command: `--legacy-peer-deps`, --force to npm install; a variable: DEBUG=1."""
    assigned = ASSIGNED.match(clause.action)
    if assigned:
        return [("Bash", {"program": ["*"], "env": [assigned["env"]]})]
    found = PASSED.match(clause.action)
    if not found:
        return []
    flag, value, command = found["flag"], found["value"], (found["command"] or "").strip("`")
    tokens = leading_tokens(command) if command else []
    if tokens:
        return [("Bash", spec) for spec in specs_of([*tokens, flag, *([value] if value else [])])]
    if not flag.startswith("--"):
        return []
    meant = [words for text in clause.instead_commands if (words := _in_place_of(flag, text))]
    if meant:  # "use git push --force-with-lease, never --force"
        return [("Bash", spec) for words in meant for spec in specs_of(words)]
    owners = sorted({name for key in flag_owners(flag) for name in (key.split()[0], *same(key.split()[0]))})
    specs: list[Spec] = [{"program": owners or ["*"], "flags": [[flag]]}]
    if value:  # `--network host` and `--network=host`
        specs = [
            form for spec in specs for form in ({**spec, "has": [[value]]}, {**spec, "flags": [[f"{flag}={value}"]]})
        ]
    return [("Bash", spec) for spec in specs]


PIPED = re.compile(r"pip(?:e|ing)\s+(?:the\s+)?`?(?P<fed>[^`]+?)`?\s+(?:in)?to\s+`?(?P<to>[\w.-]+)`?", re.IGNORECASE)
NEXT_COMMAND = re.compile(
    r"(?:\s*,\s*(?:(?:or|and|nor)\s+)?+|\s+(?:or|and|nor|/)\s+)(?=[\w.-]+\s+(?:[a-z:-]+|\.)(?:[\s,)]|$))"
)


def _in_place_of(flag: str, command: str) -> list[str]:
    """The prescribed command with *flag* in the place of its own options; empty where it is not known to have it."""
    words = [word for word in tokens_of(command) if not word.startswith("-")]
    known = {" ".join(words[:2]), *words[:1]} & set(flag_owners(flag))
    return [*words, flag] if known and len(words) < len(tokens_of(command)) else []


def by_command(clause: Clause) -> Found:
    """Commands named as such: in backticks, or a program's name at the beginning of the action."""
    excepted = EXCEPTED.search(clause.action)
    if excepted:
        found = by_command(replace(clause, action=clause.action[: excepted.start()]))
        return [(tool, _but(spec, excepted["what"], bool(excepted["outside"]))) for tool, spec in found]
    pipe = PIPED.match(clause.action)
    if pipe:  # what a longer command is fed from no spec can tell
        fed = piped(f"{pipe['fed']} | {pipe['to']}") if pipe["fed"].isidentifier() else None
        return [("Bash", fed)] if fed else []
    action = VERBS.sub("", clause.action)
    if is_of_code(action) and not RUNS.match(clause.action):
        return []
    unless = WITHOUT.search(action)
    if unless:  # the option that must be there: its absence is what is forbidden
        bare = leading_tokens(action[: unless.start()].replace("`", "") if unless.start() else action)
        takes = bare and (unless["sign"] == "=" or unless["flag"] in VALUED.get(bare[0], "").split())
        value = {"any": [[unless["value"].rstrip(".")]]} if takes and unless["value"] else {}
        return [
            ("Bash", {**spec, "unless": [{"program": spec["program"], "flags": other["flags"], **value}]})
            for spec in specs_of(bare)
            for other in specs_of([spec["program"][0], unless["flag"]])
        ]
    run = RUNS.match(clause.action) is not None
    marked = [code for code in CODE.findall(action) if _is_command(code, run)]
    leading = not action.startswith("`") and leading_tokens(action, True)
    if marked and not leading and not CHANGES.match(action):
        return _in_code(marked, action)
    named = action != clause.action or clause.verb == "use"
    parts = ((part, leading_tokens(part, named)) for part in _parts(action, named))
    return [
        with_place(spec, " ".join(part.split()[1:])) for part, tokens in parts for spec in _alternatives(tokens, part)
    ]


def _in_code(marked: list[str], action: str) -> Found:
    """Commands in backticks, with the options and the place that stand behind the last one."""
    out: Found = []
    behind = action[action.rindex(f"`{marked[-1]}`") + len(marked[-1]) + 2 :]
    rest = CODE.sub(" ", behind)
    also = ALSO.match(behind.replace("`", ""))
    flags = re.findall(r"--?\w[\w-]*", also["flags"]) if also else []
    for code in marked:
        fed = piped(code)
        if fed:
            out.append(("Bash", fed))
            continue
        where = PLACE.search(code)
        tokens = tokens_of(code[: where.start()] if where else code) + flags[:1]
        place = f"{code[where.start() :]} {rest}" if where else rest
        out.extend(with_place(_either_flag(spec, flags), place) for spec in specs_of(tokens))
    return out


def _parts(action: str, named: bool) -> list[str]:
    """The commands of a list: "git stash, git reset or git clean"; none where the action begins with no command."""
    out: list[str] = []
    last = 0
    for found in [*NEXT_COMMAND.finditer(action), None]:
        part = action[last : found.start() if found else len(action)]
        if found and not leading_tokens(action[found.end() :], named):
            continue
        if not leading_tokens(part, named):
            return out
        out.append(part)
        last = found.end() if found else last
    return out


def _but(spec: Spec, what: str, outside: bool) -> Spec:
    """*spec* without the subcommands that a rule excepts ("except get and logs"); as it is where *what* is none.

    *outside*: it is a place where the command may run ("outside /tmp").
    """
    program = spec["program"][0]
    _, there = with_place({"program": spec["program"]}, what)
    if "any" in there:  # "except in dev"
        return {**spec, "unless": [there]}
    if program in WITHOUT_SUBCOMMAND and (paths := [path.rstrip("/") for path in paths_in(what)]):
        within = [form for path in paths for form in (path, f"{path}/*")]  # "rm -rf outside /tmp"
        return {**spec, "unless": [{"program": spec["program"], "has": [within]}]}
    items = [item.strip("`. ").split() for item in re.split(r",|\b(?:or|and)\b", what) if item.strip("`. ")]
    plain = [item[1:] if item[0] in spec["program"] else item for item in items]
    told = all(len(item) == 1 and re.match(r"[a-z][\w:-]*$", item[0]) for item in plain)
    if outside or program in WITHOUT_SUBCOMMAND or not told:
        return spec
    behind = [words[0] for words in spec.get("args", [])]  # "kubectl delete except pods": of the deleted
    return {**spec, "unless": [other for item in plain for other in specs_of([program, *behind, *item])]}


def _either_flag(spec: Spec, flags: list[str]) -> Spec:
    """*spec* whose last option may be any of *flags*: "(-v / --volumes)" is one option."""
    if len(flags) < 2:
        return spec
    return {**spec, "flags": [*spec["flags"][:-1], list(dict.fromkeys([*spec["flags"][-1], *flags]))]}


def _is_command(code: str, run: bool = False) -> bool:
    if piped(code):
        return True
    if len(commands(code)) > 1:  # "`cd DIR && git ...`": of which none is meant alone
        return False
    words = tokens_of(code)
    if run and len(words) > 1 and re.fullmatch(r"[a-z][\w.-]*", words[0]):  # "run `cap production deploy`"
        return True
    return bool(words) and is_program(words[0], True) and not code.rstrip().endswith("(")


def specs_of(tokens: list[str]) -> list[Spec]:
    """`kubectl apply/patch` stands for two words in one place."""
    tokens = [t for i, t in enumerate(tokens) if tokens[i - 1 : i] != ["--"] or t not in ("file", "files", "path")]
    plain = [_slashed(token) if i else token for i, token in enumerate(tokens) if token not in ("<file>", "<path>")]
    spec = spec_of(plain)
    return [spec] if spec else []


def _slashed(token: str) -> str:
    parts = token.split("/")
    bare = len(parts) > 1 and all(part.isalpha() or part.startswith("-") for part in parts)
    return "|".join(parts) if bare else token


def leading_tokens(action: str, named: bool = False) -> list[str]:
    """The words of a command at the beginning of *action*, up to where the sentence goes on.

    *named*: it is said to be used or run, so that an English word alone is a program too.
    """
    raw = action.split()
    words = [word.strip("`,;:\"'") for word in raw]
    words = [word.lstrip("(").rstrip(")") if "(" not in word[1:] else word for word in words]  # "(--profile x)"
    if not words:
        return []
    words[0] = words[0] if is_program(words[0]) else words[0].lower()
    if len(words) > 1 and words[0] in INVERTED and is_program(words[1], False) and not is_english(words[1]):
        words[:2] = [words[1], words[0]]  # "apply terraform"
    if not _begins(words, named, action.startswith("`")):
        return []
    out = [words[0]]
    for i in range(1, len(words)):
        word, low = words[i], words[i].lower()
        if low in ("with", "using") and i + 1 < len(words) and words[i + 1].startswith("-"):
            continue
        listed = raw[i - 1].endswith(",") and low not in JOINS
        other = i + 1 if low in JOINS else i if listed else len(words)  # of two in one place: "apply or destroy"
        if len(out) > 1 and not out[-1].startswith("-") and _is_argument(words[other : other + 1]):
            out[-1] += "|" + words[other]
            words[other] = "" if other > i else words[i]
            continue
        if listed or low in STOPS or _tells(words[i : i + 2], len(out)):
            break
        if word:
            out.append(word)
    return out


def _begins(words: list[str], named: bool, code: bool) -> bool:
    """Whether a command begins with these words; *code*: they stand in backticks."""
    first = words[0] if is_script(words[0]) else words[0].split("/")[0]
    if not is_program(first) or not is_english(first):
        return is_program(first)
    if len(words) == 1:
        return named
    told = is_typical(words[1]) or (named and words[1] in STOPS) or " ".join(words[2:3])[:1] == "-"
    return code or told or not words[1].isalpha()


def _is_argument(words: list[str]) -> bool:
    parted = str.maketrans("", "", "-_:")  # create-user, reset_db, db:drop
    plain = (word for word in words if word[:1] != "-" and word.translate(parted).rstrip("*").isalpha())
    return any(not is_program(word) and word not in STOPS for word in plain)


def _tells(words: list[str], place: int) -> bool:
    """ "bundle update bumps everything": a verb of the sentence, no argument of the command."""
    if place < 2 or len(words) < 2:
        return False
    return words[0].isalpha() and words[0].endswith("s") and words[1].lower() in DETERMINERS


def _alternatives(tokens: list[str], action: str) -> list[Spec]:
    """`npm or yarn`, `npm/yarn`: each program with the same words behind it."""
    programs = tokens[0].split("/") if not is_script(tokens[0]) and "/" in tokens[0] else [tokens[0]]
    others = re.findall(r"(?:,\s*(?:(?:or|and|nor)\s+)?+|\s(?:or|and|nor)\s+)`?([\w.-]+)`?", action)
    if len(tokens) == 1:
        programs += [other for other in others if is_program(other, True)]
    return [spec for program in programs for spec in specs_of([program, *tokens[1:]])]


def with_place(spec: Spec, rest: str) -> tuple[str, Spec]:
    """*spec* with what the sentence says of the place: `against prod`, `to main`, `in /data`."""
    if re.search(r"\bfrom\s+(?:an?\s+|the\s+|any\s+|some\s+)?(?:urls?|links?|web|internet)\b", rest, re.IGNORECASE):
        return "Bash", {**spec, "any": [["://"]]}
    for found in PLACE.finditer(
        re.sub(r"\b(?:host|server|machine|box|cluster|namespace|context)\s+(?=[\w.-]*[\d.-])", "on ", rest)
    ):
        if STAGED.match(found[0]):
            continue
        names = [name for name in places(found) if name.lower() not in (*NO_PLACE, *spec.get("program", []))]
        if not names:
            continue
        if spec["program"][0] == "git" and spec.get("args") == [["push"]]:
            return "Bash", pushed(spec, names)
        called = OF_CLUSTER.search(found[0]) is not None and not is_english(spec["program"][0])
        told = [word for name in names for word in ([name.lower()] if called else _told(spec, name.lower()))]
        if told:
            return "Bash", {**spec, "any": [told]}
        paths = [f"*{name.rstrip('/')}*" for name in names if "/" in name]
        if paths:
            return "Bash", {**spec, "has": [*spec.get("has", []), paths]}
    named = [word for word in re.findall(r"[a-z]+", rest.lower()) if word in ("prod", "production", "live", "staging")]
    if named and not re.search(r"\b(?:but|except|outside|other)\b", rest):
        return "Bash", {**spec, "any": [place(named[0])]}
    return "Bash", spec


#: "in the kube-system namespace": that a name is one of these is said
OF_CLUSTER = re.compile(r"\s(?:cluster|namespace|context|account|subscription|profile)$", re.IGNORECASE)


def _told(spec: Spec, name: str) -> list[str]:
    """The names of a place that a command's words may show; none where they cannot."""
    if name in ENVIRONMENTS or name.rstrip("s") in ENVIRONMENTS:
        return place(name)
    return [name] if any(part in ENVIRONMENTS for part in segments(name)) or _is_host(spec, name) else []


def _is_host(spec: Spec, word: str) -> bool:
    remote_shell = spec["program"][0] in ("ssh", "scp", "sftp", "rsync", "mosh")
    return remote_shell and bool(re.search(r"[a-z].*[\d.-]|\d", word))


def pushed(spec: Spec, names: list[str]) -> Spec:
    """*spec*, a git push, to one of these branches, or where the first is none to one of these remotes."""
    first = names[0].lower()
    if first in BRANCHES or first.startswith("release"):
        return {**spec, "has": [[form for name in names for form in branch(name)]]}
    remotes = [form for name in names for form in remote(name.lower() if name.lower() in HOSTS else name)]
    return {**spec, "args": [["push"], remotes]}
