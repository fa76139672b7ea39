"""Tasks and scripts of the project that a rule names in words ("the prod seed", "the nightly import job").

How they are called nobody says: whatever a task runner, or a script's name, has of all these words is meant.
"""

from __future__ import annotations

import re
from itertools import permutations

from agentmemory.learn.guard_clauses import Clause
from agentmemory.learn.guard_commands import ENVIRONMENTS, PLACE, Spec, is_program, place, places
from agentmemory.learn.guard_means import RESET, TESTS, done_by
from agentmemory.learn.guard_things import Found
from agentmemory.text import STOP

RUN = re.compile(
    r"^(?:ever\s+|re-?)*(?:run|execut|start|launch|trigger|kick(?:ing)?\s+off|fir|call|invok|us|do)(?:e|n?ing)?\s+"
    r"(?:(?:the|our|my|any|an?|that|this)\s+)?",
    re.IGNORECASE,
)
#: what a task does, as the verb of a rule: "never wipe the staging db"
DOES = re.compile(
    r"^(?P<verb>re-?seed|seed|reset|wip|purg|re-?index|back-?fill|restor|rebuild|re-?creat|flush|nuk|bootstrap|provision"
    r"|clean(?:ing)?\s*up)(?:e|ing|ting)?\s+(?:of\s+)?(?:(?:the|our|my|any|all|whole|entire)\s+)*",
    re.IGNORECASE,
)
#: what says that a task is meant; it need not be of its name
KIND = re.compile(r"(?:script|task|job|command|target|step|routine|suite|tests?|cron|pipeline)s?", re.IGNORECASE)
#: what tasks are called
NAMES = frozenset(
    "seed seeds seeder seeding reset cleanup backfill reindex import export sync restore wipe purge backup benchmark"
    " benchmarks codegen bootstrap provisioning loadtest e2e smoke fixtures release rollback nightly".split()
)
#: such words tell no task from another
PLAIN = frozenset(
    "same other new old long short big small slow fast own first last next whole full entire complete single more some"
    " heavy expensive background second third several many few two three".split()
)
ALONE = frozenset("seed reseed reindex backfill bootstrap".split())  # verbs of tasks and of nothing else
EMPTIES = frozenset("reset wip nuk purg flush recreat".split())
DATABASE = ["db", "database", "databases", "data"]
DATA = frozenset((*DATABASE, "backup", "backups", "dump", "dumps", "snapshot", "snapshots"))
ENDS = re.compile(
    r"\s+(?:as|for|with|when|while|by|yourself|locally|manually|directly|again|anymore|against|on|in|at|to)\b"
)
RUNNERS = "make gmake just task rake rails mix composer poe invoke inv nox gulp grunt gradle gradlew ant mage dotenv"
SCRIPTS = ("sh", "bash", "py", "js", "mjs", "ts", "rb", "php", "pl", "ps1", "sql")
FOLDERS = ("./", "bin/", "scripts/", "script/", "tools/", "ops/")
MOST = 3  # words of a name, which may stand in any order


def by_task(clause: Clause) -> Found:
    """A task that is not to be run, named by one to three words of which one says that it is a task."""
    action = clause.action.replace("`", "")
    run, does = RUN.match(action), DOES.match(action)
    of_noun = clause.verb == "use" and does is None
    if not (run or does or of_noun):
        return []
    rest = action[run.end() if run else does.end() if does else 0 :]
    end = ENDS.search(rest)
    if run and run[0][:2].lower() == "us" and end and end[0].strip() in ("as", "for", "to"):
        return []  # "use the import job as an excuse"
    words = re.findall(r"[a-z0-9]+", (rest[: end.start()] if end else rest).lower())
    where = [name.lower() for found in [PLACE.search(rest)] if found for name in places(found)]
    envs = [word for word in [*words, *where] if word in ENVIRONMENTS and not KIND.fullmatch(word)]
    words = [word for word in words if word not in envs]
    if does and not run:
        verb = _stem(does["verb"])
        return _named([verb], words, envs) if set(words) <= DATA and (words or envs or verb in ALONE) else []
    kinds = [word for word in words if KIND.fullmatch(word)]
    name = [word for word in words if word not in kinds and word not in STOP]
    told = bool(kinds and KIND.fullmatch(words[-1])) or bool(name and name[-1] in NAMES)
    if not told or not 0 < len(name) <= MOST or PLAIN & set(name) or any(map(is_program, name)):
        return []
    found = _named([_stem(word) for word in name], [], envs)
    if any(kind.startswith(("test", "suite")) for kind in kinds):
        found.append(("Bash", _of({"program": TESTS, "any": [[word] for word in name]}, envs)))
    return found


def _named(name: list[str], things: list[str], envs: list[str]) -> Found:
    """Whatever runs a task with all words of *name*, and *things* where the words tell them."""
    globs = [f"*{'*'.join(order)}*" for order in permutations(name)]
    data = not set(things).isdisjoint(DATABASE)
    task = " ".join(globs)
    found = done_by(f"""
        npm pnpm yarn bun > run run-script > {task}
        yarn pnpm > {task}
        {RUNNERS} > {task}
        python python3 > *manage.py > {task}
        *manage.py artisan console > {task}
        php > artisan *bin/console > {task}
    """)
    found.append(_script([form for each in globs for form in _files(each)]))
    specs = [_of({**spec, "any": [DATABASE]} if data and not envs and "args" in spec else spec, envs) for spec in found]
    if envs:  # the script itself may be called after the place
        specs.append(_script([form for each in _with(globs, envs) for form in _files(each)]))
    if data and name[0] in EMPTIES:
        specs += [_of(spec, envs) for spec in RESET]
    return [("Bash", spec) for spec in specs]


def _of(spec: Spec, envs: list[str]) -> Spec:
    """*spec* where one of the places is named as well."""
    named = _forms(envs)
    return {**spec, "any": [*spec.get("any", []), named]} if named else spec


def _with(globs: list[str], envs: list[str]) -> list[str]:
    """The patterns of a name with one of the places before or behind it."""
    return [form for each in globs for env in _forms(envs) for form in (f"{each}{env}*", f"*{env}{each}")]


def _forms(envs: list[str]) -> list[str]:
    """How the places are written."""
    return list(dict.fromkeys(form for env in envs for form in place(env)))


def _files(name: str) -> list[str]:
    """The scripts of a name: `seed.sh`, `scripts/seed`."""
    return [f"{name}.{ending}" for ending in SCRIPTS] + [f"{folder}{name}" for folder in FOLDERS]


def _script(names: list[str]) -> Spec:
    return {"program": names, "script": names}


def _stem(word: str) -> str:
    """The beginning that a word's forms share: seed of seeding, wip of wipe."""
    low = re.sub(r"[\s-]", "", word.lower())
    return re.sub(r"(?:ing|ers?|e?s)$", "", low) if len(low) > 5 else low.removesuffix("s")
