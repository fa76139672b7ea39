"""Rows of the table of named actions, for what runs and what it holds: containers, services, databases, clusters."""

from __future__ import annotations

import re
from collections.abc import Callable

from agentmemory.learn.guard_commands import CLIENTS, SQL, STATEMENTS, place, resource
from agentmemory.learn.guard_means import ALL_TESTS, SELECTING, SERVE, command, run
from agentmemory.learn.guard_phrases import specs_of, with_place
from agentmemory.learn.guard_things import ANY_FILE, Found, paths_in

#: serves where it is told nothing else
VITE = run("vite", unless=[command("vite > build optimize")])
KUBECTL = ("exec", "attach", "port-forward", "delete", "scale", "drain", "cordon", "patch", "rollback")
#: a database and where it is: "the production database"
DATABASE = (
    r"(?:(?:in|from|on|of|to|against|with)\s+)?(?:(?:the|our|any|a)\s+)*(?P<env>prod|production|prd|live|staging|stage|stg)\s+"
    r"(?:db|database|postgres|mysql|data)(?:es|s)?\b"
)
TAKES_AWAY = ("delet", "remov", "eras", "truncat", "drop")
OF_FILES = re.compile(r"\s+(?!(?:and|or|on|in|from|against|via|with|without)\b)\w", re.IGNORECASE)  # behind DELETE


def _containers(m: re.Match[str]) -> Found:
    verb = {"remov": "rm", "delet": "rm", "paus": "pause"}.get(m["verb"].lower(), m["verb"].lower())
    forced = {"flags": [["-f", "--force"]]} if m["force"] else {}
    down = " down" if not forced and verb in ("rm", "stop") else ""
    return [
        run(f"docker podman > {verb}", **forced),
        run(f"docker podman > container > {verb}", **forced),
        run(f"docker-compose > {verb}{down}", **forced),
    ]


def _of_docker(m: re.Match[str]) -> Found:
    """ "remove docker volumes": volume rm and prune, and what takes volumes or images with it."""
    kind = (m["kind"] or m["also"]).lower()
    found = [run(f"docker podman > {kind} > rm remove prune")]
    if kind == "volume":
        found.append(run("docker-compose > down rm", flags=[["-v", "--volumes"]]))
        found.append(run("docker podman > system > prune", flags=[["--volumes"]]))
    if kind == "image":
        found += [run("docker podman > rmi"), run("docker podman > system > prune")]
    return found


def _service(m: re.Match[str]) -> Found:
    verb, name = m["verb"].lower(), m["name"].strip("`").lower()
    if verb not in ("restart", "stop", "start", "reload", "kill") or len(name) < 3 or name in ("the", "any", "using"):
        return []
    return [
        run(f"systemctl > {verb} try-{verb} > {name}*"),
        run(f"service > {name}* > {verb}"),
        run(f"docker > {verb} > *{name}*"),
        run(f"docker-compose > {verb} > *{name}*"),
        run(f"brew > services > {verb} > {name}*"),
    ]


def _sql(m: re.Match[str]) -> Found:
    words = " ".join(m["sql"].split())
    words = re.sub(r"^(drop|truncate)\b.*?\b(\w+)$", r"\1 \2", words, flags=re.IGNORECASE)
    what = list(dict.fromkeys(form for name in (words, words.rstrip("s")) for form in (name.upper(), name.lower())))
    return [with_place({"program": CLIENTS, "content": what}, m.string[m.end() :])]


def _sql_verb(m: re.Match[str]) -> Found:
    """`TRUNCATE` in capitals is the statement, not the program; so are those of its list, not "NEVER DELETE FILES"."""
    behind = m.string[m.end() :]
    if not m["sql"].isupper() or (OF_FILES.match(behind) and (paths_in(behind) or ANY_FILE.match(behind.strip()))):
        return []
    said = [form for name in dict.fromkeys(SQL.findall(m.string)) for form in (name, name.lower())]
    return [with_place({"program": CLIENTS, "content": said}, behind)]


def _in_database(m: re.Match[str]) -> Found:
    """ "touch the production database": any client there; "delete data in it": the statements that do."""
    verb = (m.groupdict().get("verb") or "").lower()
    taken = ["DELETE", "TRUNCATE", "DROP"] if verb.startswith(TAKES_AWAY) else sorted(map(str.upper, STATEMENTS))
    said = {"content": [form for name in taken if name != "SELECT" for form in (name, name.lower())]} if verb else {}
    there = {"any": [place(m["env"])]}
    return [run(" ".join(CLIENTS), **said, **there), run(f"heroku > pg:{'reset' if verb else '*'}", **there)]


def _in_client(m: re.Match[str]) -> Found:
    """A call that is typed into a database's client."""
    return [("Bash", {**spec, "content": [m["call"].rstrip(")")]}) for spec in specs_of([m["program"]])]


def _resource(m: re.Match[str]) -> Found:
    """ "exec into pods", "drain nodes": kubectl with that verb, and that kind of resource where the verb takes one."""
    verb = next(v for v in KUBECTL if v.startswith(m["verb"].lower().replace("-", "")[:4]))
    kind = [] if verb in ("exec", "attach", "port-forward", "drain", "cordon") else resource(m["what"])
    args = [[verb], kind] if kind else [[verb]]
    return [with_place({"program": ["kubectl", "oc"], "args": args}, m.string[m.start() :])]


RUNNING: list[tuple[str, Callable[[re.Match[str]], Found]]] = [
    (r"^(?:run\w*\s+|execut\w+\s+)?(?:the\s+|your\s+|our\s+)?(?:(?:full|whole|entire|complete)\s+(?:test[\s-]?)?(?:suite|tests)"
        r"|(?:all|every)\s+(?:of\s+)?(?:the\s+|our\s+)?(?:tests?|suites?))\b(?!\s+(?:of|in|for|from|that)\b)",
     lambda m: [("Bash", spec) for spec in ALL_TESTS]),
    (r"^(?P<force>force[- ]?)?(?P<verb>stop|kill|remov|delet|restart|paus)(?:e|ing|ping)?\s+"
        r"(?:the\s+|any\s+|our\s+)?(?:docker\s+|running\s+)*containers?\b",
     _containers),
    (r"^(?:remov|delet|prun|clean)\w*\s+(?:up\s+)?(?:(?:the|any|our|my|named|unused|old)\s+)*"
        r"(?:(?:docker|podman|compose)\s+(?P<kind>image|network|volume)s?|(?P<also>volume)s\s*$)",
     _of_docker),
    (r"^(?:re-?start|start|run|launch|spin\s+up)(?:ing|ning)?\s+(?:(?:the|a|an|any|another|second|your|own)\s+)*"
     r"(?:dev|development)\s+servers?\b(?!.*\bwith\s)",
     lambda m: [*(("Bash", spec) for spec in SERVE), VITE]),
    (r"^(?P<verb>re-?start|stop|start|reload|kill)(?:ing|ping)?\s+(?:the\s+"
        r"|our\s+)?(?P<name>`?[\w.-]+`?)(?=\s+(?:service|container|daemon|server|database"
     r"|db|by|with|unit|on)\b|$)", _service),
    (r"^(?:touch|access|quer|hit|us|open|connect\w*\s+to|talk\w*\s+to|(?:log|go)\w*\s+in(?:to)?|work\w*\s+on)\w*\s+"
        + DATABASE, _in_database),
    (r"\b(?P<verb>modif|chang|alter|updat|writ|edit|mess|fiddl|delet|remov|eras|truncat)\w*\s+"
        r"(?:up\s+|with\s+)?(?:(?:any|the|some|user|customer)\s+)*"
        r"(?:(?:data|rows?|records?|anything|entries|things?|values?)\s+)?" + DATABASE, _in_database),
    (r"\b(?P<sql>(?:drop|truncate|alter)\s+(?:(?:the|any|our)\s+)?(?:\w+\s+)?(?:tables?|databases?|schemas?)"
        r"|delete\s+from)\b", _sql),
    (r"(?<![\w.-])`?(?P<sql>truncate|drop|alter|delete|update|insert|grant)`?(?![\w.-])(?!\s+-)", _sql_verb),
    (r"^(?:us\w+\s+|touch\w*\s+|chang\w+\s+)?(?:the\s+)?(?P<name>`[\w-]+`|[\w-]*-[\w-]+|prod|production|staging)\s+"
        r"(?P<of>namespace|context|cluster|profile|project|subscription)\b",
     lambda m: [run(SELECTING[m["of"].lower()], any=[place(m["name"].strip("`"))])]),
    (r"^(?P<tag>latest|`:?[\w.-]+`|:[\w.-]+)\s+(?:image\s+)?tags?\b",
     lambda m: [run("docker podman docker-compose", any=[[":" + m["tag"].strip("`:")]])]),
    (r"\b(?P<program>mongo(?:sh)?|redis-cli|psql|mysql|sqlite3)\s+`?(?P<call>\w+\(\))", _in_client),
    (r"^push(?:ing)?\s+(?:the\s+|any\s+|an?\s+)?(?:images?\s+(?:tagged\s+|with\s+the\s+tag\s+)?)?`?:(?P<tag>[\w.-]+)`?",
     lambda m: [run(f"docker podman > push > *:{m['tag']}")]),
    (r"^(?P<verb>exec|attach|port-?forward|delet|scal|drain|cordon|patch|rollback)(?:e|ing|ning|s)?\s+"
        r"(?:(?:in)?to\s+)?(?:the\s+|any\s+|our\s+)*(?:\w+\s+){0,2}?(?P<what>pods?|deployments?|nodes?|statefulsets?"
        r"|daemonsets?|configmaps?|pvcs?|ingress(?:es)?)\b", _resource),
]  # fmt: skip
