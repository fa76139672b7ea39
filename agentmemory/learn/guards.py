"""A locked rule made into guards: what it forbids, in every spelling, and what the agent is to do instead.

Only shows what it would do; a person consents, and the store's triggers let only the user's rules be guarded.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

from agentmemory import guard
from agentmemory.learn import guard_sentences
from agentmemory.learn.guard_clauses import Clause, clauses, mentioned
from agentmemory.learn.guard_commands import Spec, spec_of, tokens_of
from agentmemory.learn.guard_lists import verbs
from agentmemory.learn.guard_names import by_name
from agentmemory.learn.guard_narrowed import narrowed
from agentmemory.learn.guard_phrases import by_command, by_option
from agentmemory.learn.guard_tasks import by_task
from agentmemory.learn.guard_things import Found, by_path, by_text, by_tool
from agentmemory.recall.render import visible

#: one reader for each way to name an action; the first that understands answers
READERS: tuple[Callable[[Clause], Found], ...] = (by_tool, by_name, by_option, by_command, by_path, by_text, by_task)
COMMAND_IN_CODE = re.compile(r"`[\w./-]+ [^`]+`")
OPTION_EXCEPTED = re.compile(
    r"\s+(?:except|other\s+than|apart\s+from)\s+(?:with\s+|for\s+)?`?(?P<option>--[\w-]+)`?\s*$", re.IGNORECASE
)
ASKS = re.compile(
    r"\b(?:never|always|only|must|mustn['’]?t|don['’]?t|do\s+not|dont|avoid|stop|no|not|should|ask|make\s+sure|forbidden)\b",
    re.I,
)
RUNNER = re.compile(r"[\w-]+\s+(?:run|exec|dlx|x)$|(?:npx|uvx|pipx|bunx|corepack)$")
LONGEST_RULE = 600  # characters of a rule that are repeated to the agent


@dataclass(frozen=True, slots=True)
class Proposal:
    """A guard that waits for consent. tool and spec as in the table `guard`; plain: what it does, for people."""

    tool: str
    spec: Spec
    mode: str
    says: str
    plain: str

    def json(self) -> str:
        """The spec as it is stored."""
        return json.dumps(self.spec, ensure_ascii=False, sort_keys=True)


def compile(rule: str) -> list[Proposal]:
    """The guards of a rule; none when it is not about an action that can be seen before it happens."""
    read = clauses(rule)
    prescribed = list(dict.fromkeys(command for clause in read for command in clause.instead_commands))
    kept = [proposal for proposal in _compiled(rule, read) if not _stops_any(proposal, prescribed)]
    return kept or [p for p in _compiled(rule, mentioned(rule)) if not _stops_any(p, prescribed)]


def unguarded(rule: str) -> list[str]:
    """The sentences of a guarded rule that ask for something and from which no guard was made."""
    sentences = guard_sentences.of(rule)
    whole = [(p.tool, p.json()) for p in compile(rule)]
    if not whole or len(sentences) < 2:
        return []
    instead = [clause.instead for clause in clauses(rule) if clause.instead]
    out = []
    for i, sentence in enumerate(sentences):
        if not ASKS.search(sentence) or any(text in sentence for text in instead):
            continue
        if any((p.tool, p.json()) in whole for p in compile(sentence)):
            continue
        if whole == [(p.tool, p.json()) for p in compile(" ".join(sentences[:i] + sentences[i + 1 :]))]:
            out.append(sentence)
    return out


def _compiled(rule: str, read: Iterable[Clause]) -> list[Proposal]:
    """The proposals for the actions that were read out of a rule."""
    found: dict[tuple[str, str], Proposal] = {}
    for clause in map(_option_excepted, read):
        for tool, spec in _specs(clause):
            if clause.mode == "deny" and narrowed(clause.action, spec):
                clause = replace(clause, mode="inform")
            spec = _without(spec, clause)
            says = _says(rule, clause)
            proposal = Proposal(tool, spec, clause.mode, says, _plain(tool, spec, clause))
            twin = found.setdefault((tool, proposal.json()), proposal)
            if guard.STRENGTH[twin.mode] < guard.STRENGTH[proposal.mode]:
                found[tool, proposal.json()] = proposal
    return list(found.values())


def _option_excepted(clause: Clause) -> Clause:
    """ "force push except with --force-with-lease": the option is what is prescribed."""
    found = OPTION_EXCEPTED.search(clause.action)
    return replace(clause, action=clause.action[: found.start()], instead=found["option"]) if found else clause


def guard_of(proposal: Proposal) -> guard.Guard:
    """The proposal as the hook sees a guard, to try it before it is stored."""
    return guard.Guard(0, 0, proposal.mode, proposal.tool, json.loads(proposal.json()), proposal.says)


def replay(proposals: Iterable[Proposal], events: Iterable[dict[str, Any]]) -> list[tuple[dict[str, Any], Proposal]]:
    """The past tool calls that these guards would have stopped, each with the guard that does."""
    rows = [(guard_of(proposal), proposal) for proposal in proposals]
    out = []
    for event in events:
        for row, proposal in rows:
            if guard.check(event, [row]):
                out.append((event, proposal))
                break
    return out


def _specs(clause: Clause) -> Found:
    """The specs of a forbidden action, or of each of several; empty when it is nothing that a tool call shows."""
    found = _read(clause)
    for action in verbs(clause.action):
        found += [spec for spec in _read(replace(clause, action=action)) if spec not in found]
    return found


def _read(clause: Clause) -> Found:
    for reader in (by_command, *READERS) if COMMAND_IN_CODE.search(clause.action) else READERS:
        found = reader(clause)
        if found:
            return list(found)
    return []


def _without(spec: Spec, clause: Clause) -> Spec:
    """*spec* that lets what the rule prescribes pass: an option is forbidden no more, a command is an exception."""
    if clause.instead.startswith("--") and "flags" in spec:
        spec = {**spec, "flags": [[f for f in group if f.rstrip("*") != clause.instead] for group in spec["flags"]]}
    for text in clause.instead_commands:
        allowed = spec_of(tokens_of(text))
        if allowed and RUNNER.match(text):  # "use `uv run`": what it runs is not run directly
            spec = {**spec, "under": [*spec.get("under", []), *allowed["program"]]}
        if text.startswith("docker compose") and spec.get("program") == ["docker-compose"]:
            spec = {**spec, "under": ["docker"]}
            continue
        if allowed and _stopped("Bash", spec, text) and not set(allowed["program"]) & set(spec.get("program", [])):
            spec = {**spec, "under": [*spec.get("under", []), *allowed["program"]]}
        if not allowed or not set(allowed["program"]) & set(spec.get("program", [])):
            continue
        named = {flags[0].rstrip("*") for flags in allowed.get("flags", [])}
        if "flags" in spec:
            spec = {**spec, "flags": [[f for f in group if f.rstrip("*") not in named] for group in spec["flags"]]}
        if set(allowed) > {"program"} and _stopped("Bash", spec, text):
            spec = {**spec, "unless": [*spec.get("unless", []), {k: v for k, v in allowed.items() if k != "script"}]}
    return spec


def _stopped(tool: str, spec: Spec, command: str) -> bool:
    event: dict[str, object] = {"tool_name": "Bash", "tool_input": {"command": command}, "cwd": ""}
    return guard.check(event, [guard.Guard(0, 0, "deny", tool, spec, "")]) is not None


def _says(rule: str, clause: Clause) -> str:
    text = _quoted(rule)
    ask = "Ask the user first. " if clause.mode == "ask" else ""
    instead = f" Do this instead: {clause.instead}." if clause.instead else ""
    return f"{ask}A rule of the user holds here: {text}.{visible(instead)}"


@lru_cache(8)
def _quoted(rule: str) -> str:
    return json.dumps(" ".join(visible(rule).split())[:LONGEST_RULE], ensure_ascii=False)


ONLY = {"": "changing files", "gone": "removing files", "new": "making new files", "old": "changing existing files"}
MODES = {"deny": "Stops", "ask": "Asks you before", "inform": "Reminds the agent at"}


def _plain(tool: str, spec: Spec, clause: Clause) -> str:
    instead = clause.instead.removeprefix("use ").removeprefix("go through ")
    return f"{MODES[clause.mode]} {describe(tool, spec)}." + (f" Says: use {instead}." if instead else "")


def describe(tool: str, spec: Spec) -> str:
    """What a spec matches, in plain words."""
    if "writes" in spec or "path" in spec or (tool == "Edit" and "content" in spec):
        where = spec.get("writes") or spec.get("path") or []
        what = f"adding {_either(spec['content'])}" if "content" in spec else ONLY[spec.get("only", "")]
        by = " by a shell command" if tool == "Bash" else ""
        place = (" in " if "content" in spec else " at ") + _either(where) if where else ""
        return what + place + by + (f" (not {_either(spec['skip'])})" if spec.get("skip") else "")
    if "reads" in spec:
        return f"reading {_either(spec['reads'])}" + (" by a shell command" if tool == "Bash" else "")
    if tool != "Bash":
        return f"the tool {tool}" + "".join(f" about {_either(words)}" for words in spec.get("any", []))
    parts = [f"running `{_either(spec['program'], '/')}"]
    parts.extend(" " + _either(words, "/") for words in spec.get("args", []))
    parts.extend(" " + _either(words, "/") for words in spec.get("flags", []))
    parts.append("`")
    parts.extend(f" with {_either(words)}" for words in spec.get("has", []))
    parts.extend(f" naming {_either(words)}" for words in spec.get("any", []))
    parts.extend([f" with {_either(spec['env'])}"] if "env" in spec else [])
    parts.extend([f" on branch {_either(spec['branch'])}"] if "branch" in spec else [])
    parts.extend([f" with {_either(spec['content'])}"] if "content" in spec else [])
    parts.extend([f" fed by {_either(spec['source'])}"] if "source" in spec else [])
    said = [*spec.get("args", []), *spec.get("flags", [])]
    parts.extend([" into a file"] if spec.get("saves") else [])
    excepted = [group[0] for other in spec.get("unless", []) for group in _telling(other) if group not in said]
    parts.extend([f" (not with {_either(list(dict.fromkeys(excepted)))})"] if excepted else [])
    return "".join(parts) + ", in every spelling"


def _telling(spec: Spec) -> list[list[str]]:
    """What a spec's exception is known by, in groups of spellings."""
    return [group for key in ("args", "flags", "has", "any") for group in spec.get(key, [])]


def _either(words: list[str], mark: str = " or ") -> str:
    return mark.join(word or "''" for word in words[:4]) + (f"{mark}..." if len(words) > 4 else "")


def _stops_any(proposal: Proposal, prescribed: list[str]) -> bool:
    """Whether a guard would stop the very thing that its rule prescribes; such a guard is not proposed."""
    return any(_stopped(proposal.tool, json.loads(proposal.json()), command) for command in prescribed)
