"""What else a belief is found by: what calls for it (verbs, tools, files, conditions) and other words for the same.

Taken when the belief is written, whoever proposes it, so that a prompt only reads columns. Needs no model.
"""

from __future__ import annotations

import re

from agentmemory.learn import cues
from agentmemory.learn.cues import SHAPES
from agentmemory.learn.entities import extract
from agentmemory.learn.retired import VAGUE
from agentmemory.learn.thesaurus import concepts
from agentmemory.recall.answering import WISH, occasion
from agentmemory.recall.reported import TROUBLE
from agentmemory.text import STOP, stem, words

MOST_TRIGGERS = 14
CONDITION_WORDS = 5  # of what stands behind "when", "before", "if" ...

#: what developers do; a rule that names it is called for by it
ACTIONS = frozenset(
    stem(w)
    for w in (
        "add alert allocate approve archive assign audit authenticate authorize backup benchmark bill bind "
        "book branch build bump cache calculate call cancel capture charge check checkout cherry click close "
        "cluster collect comment commit compare compile compress compute configure connect convert copy "
        "create cut debug decode decommission define delete delegate deliver deploy describe design diagram "
        "diff document download draft drain draw drop dump embed emit encode encrypt enqueue escalate "
        "estimate evaluate expire explain export expose extend fetch filter fine-tune fix flag flash flush "
        "fold fork format forward generate grant handle hardcode hash hotfix host import index infer ingest "
        "init inject insert inspect install instrument integrate interpolate invalidate invoice invoke issue "
        "iterate join kill label launch lint list load localize lock log login loop mask measure merge "
        "migrate mirror mock monitor mount move name notarize notify obfuscate onboard open optimize order "
        "package page paginate parse partition paste patch pause pay persist pin ping plan plot poll post "
        "prefetch preview print process profile promote prompt propose provision publish pull purge push "
        "query queue quote raise rank rate read rebase rebuild record recover redact redeploy redirect "
        "refactor refund refresh register release reload remove rename render replace reply report request "
        "reset resize resolve restart restore retrain retry return revert review revoke rewrite roll rollback "
        "rotate round route run sample save scale scan schedule scrape seal search seed send serialize serve "
        "ship shorten shuffle shutdown sign simulate skip slice snapshot solder sort spawn split squash stage "
        "start stop store stream stub style submit subscribe summarize swap switch sync tag tear template "
        "terminate test throttle time trace track train transcode transfer transform translate transpile "
        "triage trigger tune type undo unlock unmount unpublish unseal update upgrade upload validate vendor "
        "verify version wait warm wipe wrap write "
    ).split()
)  # fmt: skip
CONDITION = SHAPES["condition"]
LABEL = re.compile(r"^([^:.!?]{3,50}):\s")  # "queue backs up: pause the producers"
#: "explain it to me with an example", "measurements i want as a table"
WISHED = re.compile(r"(?:^|[.!?] )[^,.;:!?]{0,60}?\b(?:me|i (?:want|like|need|prefer|would like))\b[^,.;:]{0,20}")
ASKED_SO = re.compile(r"\w+ (?:i|you|u|\w+ing)\b")  # "when i ask", "if you explain", "when reporting"
EXTENSION = re.compile(r"\.(\w{1,5})$")


def calls(text: str, kind: str) -> str:
    """Plain words, paths and globs that call for a statement: its verbs, its conditions, its tools and files."""
    plain = cues.plain(text)
    found: dict[str, None] = {}
    for named in extract(text):
        if named.kind in ("file", "path", "command", "symbol", "package"):
            found.setdefault(named.name)
            extension = EXTENSION.search(named.name)
            if named.kind in ("file", "path") and extension and kind in ("rule", "preference", "procedure"):
                found.setdefault(f"*.{extension.group(1)}")
    for word in words(plain):
        if stem(word) in ACTIONS:
            found.setdefault(word)
    for condition in CONDITION.finditer(plain):
        for word in words(condition.group(1))[:CONDITION_WORDS]:
            if word not in STOP and stem(word) not in VAGUE:
                found.setdefault(word)
    return " ".join(list(found)[:MOST_TRIGGERS])


def _occasions(text: str) -> tuple[list[str], list[str]]:
    """What a statement says to be done for, in a condition or before its colon; and on what occasion it is meant as a
    wish of how to be answered, in a condition of somebody's, in what it begins a sentence with, or before its colon."""
    plain = cues.plain(text)
    conditions, label = list(CONDITION.finditer(plain)), LABEL.match(text)
    labelled = [label.group(1)] if label else []
    asked = [found.group(1) for found in conditions if ASKED_SO.match(found.group())]
    wished = [found.group() for found in WISHED.finditer(plain)]
    return [found.group(1) for found in conditions] + labelled, asked + wished + labelled


def expansions(*parts: str) -> str:
    """Stems that say the same as the given texts: the thesaurus's concepts, and compounds written together; what goes
    wrong only where it is what calls for the first of them. On what occasion the agent is to answer as that says."""
    said = " ".join(part for part in parts if part)
    heads, wished = (concepts(" . ".join(each)) for each in _occasions(parts[0]))
    meant = [token for token in concepts(said) if not token.startswith(TROUBLE) or token in heads]
    meant += [occasion(token) for token in wished if token.startswith(WISH)]
    joined = (m.replace("-", "") for m in re.findall(r"\b[a-z]{1,6}-[a-z]{2,10}\b", said.lower()))
    return " ".join(dict.fromkeys([*meant, *joined]))
