"""Commands of agents that work beside each other in one project: share, ask, trust, fork, read along."""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from agentmemory.terminal import Commands, table, with_json

if TYPE_CHECKING:
    import apsw

NEAR = 3  # names that an unknown one may have meant
ALIKE = 65.0  # rapidfuzz score from which a name is near


def register(commands: Commands) -> None:
    """Add `agentmemory agents ...` to the parser."""
    agents = commands.add_parser("agents", help="what the agents of this project share, and whom they trust")
    verbs = agents.add_subparsers(dest="verb", metavar="VERB", required=True)
    each = verbs.add_parser(
        "list", help="the agents: what each was forked from, whom it reads and trusts, what it shared"
    )
    with_json(each, _list)
    share = verbs.add_parser("share", help="give the others what has risen to level 2; without a name: who has shared")
    share.add_argument("agent", nargs="?")
    share.add_argument("--always", action="store_true", help="and after each night what has risen then")
    share.add_argument("--no", action="store_true", help="no longer; what was given is taken back")
    share.set_defaults(run=_share)
    ask = verbs.add_parser("ask", help="what the others shared about something, by trust times relevance")
    ask.add_argument("agent")
    ask.add_argument("query", nargs="+")
    with_json(ask, _ask)
    trust = verbs.add_parser(
        "trust", help="what came from another agent was right or wrong; without a verdict: how far"
    )
    trust.add_argument("agent")
    trust.add_argument("other")
    trust.add_argument("verdict", nargs="?", choices=("right", "wrong"))
    trust.set_defaults(run=_trust)
    fork = verbs.add_parser("fork", help="a new agent begins with what another one knows now")
    fork.add_argument("parent")
    fork.add_argument("child")
    fork.set_defaults(run=_fork)
    reads = verbs.add_parser("reads", help="an agent may read everything another one believes, or no longer")
    reads.add_argument("agent")
    reads.add_argument("other")
    reads.add_argument("--no", action="store_true", help="take it back")
    reads.set_defaults(run=_reads)


def _list(args: argparse.Namespace) -> int:
    from agentmemory.memory import Memory
    from agentmemory.recall.inherited import ancestors
    from agentmemory.store import federation as store
    from agentmemory.store import scopes

    rows: list[dict[str, Any]] = []
    with Memory() as memory:
        db, shared = memory.db, {name: n for name, n, _ in store.sharers(memory.db, memory.scope)}
        for name in scopes.agents(db, memory.scope):
            scope = scopes.find_agent(db, name, memory.scope) or 0
            rows.append({
                "agent": name, "lineage": [store.name(db, one) for one, *_ in ancestors(db, scope)],
                "reads": [store.name(db, one) for one in scopes.visible(db, scope)[1:-1]],
                "trusts": {store.name(db, one): round(of, 3) for one, of in store.trusted(db, scope).items()},
                "shared": shared.get(name, 0),
            })  # fmt: skip
    if args.json:
        print(json.dumps(rows, ensure_ascii=False))
        return 0
    told = []
    for row in rows:
        trusts = ", ".join(f"{name} {of}" for name, of in row["trusts"].items())
        told.append((row["agent"], ", ".join(row["lineage"]), ", ".join(row["reads"]), trusts, row["shared"]))
    table(("agent", "forked from", "reads", "trusts", "shared"), told, "There are no agents in this project.")
    return 0


def _share(args: argparse.Namespace) -> int:
    from agentmemory.memory import Memory
    from agentmemory.sleep import federation
    from agentmemory.store import federation as store

    def shares(db: apsw.Connection, now: float, of: Callable[[str], int]) -> int:
        if args.always:
            store.consent(db, of(args.agent), now)
        return federation.promote(db, of(args.agent), now)

    if args.agent is None and (args.no or args.always):
        raise ValueError("say which agent")
    if args.agent is None:
        with Memory() as memory:
            rows = [(name, n, "yes" if each else "no") for name, n, each in store.sharers(memory.db, memory.scope)]
        table(("agent", "shared", "each night"), rows, "Nobody shares anything.")
    elif args.no:
        _do(lambda db, now, of: store.withdraw(db, of(args.agent)))
        print(f"{args.agent} shares nothing any more.")
    else:
        print(f"New among what is shared: {_do(shares)}.")
    return 0


def _ask(args: argparse.Namespace) -> int:
    from agentmemory.sleep import federation

    found = _do(lambda db, now, of: federation.search(db, of(args.agent), " ".join(args.query)))
    if args.json:
        rows = [{"id": s.belief, "text": s.text, "author": s.name, "worth": round(s.worth, 4)} for s in found]
        print(json.dumps(rows, ensure_ascii=False))
        return 0
    table(("id", "from", "text", "worth"), [(s.belief, s.name, s.text, round(s.worth, 3)) for s in found])
    return 0


def _trust(args: argparse.Namespace) -> int:
    from agentmemory.sleep import federation

    def told(db: apsw.Connection, now: float, of: Callable[[str], int]) -> float:
        one, other = _apart(of(args.agent), of(args.other))
        if args.verdict is None:
            return federation.trust(db, one, other)
        return federation.signal(db, one, other, 1.0 if args.verdict == "right" else 0.0, now)

    print(f"{args.agent} trusts {args.other}: {_do(told):.3f}")
    return 0


def _fork(args: argparse.Namespace) -> int:
    from agentmemory.sleep import federation

    if not args.child.strip():
        raise ValueError("name the new agent")
    _do(lambda db, now, of: federation.fork(db, *_apart(of(args.parent), of(args.child)), now), made=args.child)
    print(f"{args.child} begins with what {args.parent} knows.")
    return 0


def _reads(args: argparse.Namespace) -> int:
    from agentmemory.store import federation

    def change(db: apsw.Connection, now: float, of: Callable[[str], int]) -> None:
        one, other = _apart(of(args.agent), of(args.other))
        if args.no:
            federation.cut(db, "reads", one, other)
        else:
            federation.link(db, "reads", one, other, 1.0, now)

    _do(change)
    print(f"{args.agent} {'no longer reads' if args.no else 'reads'} what {args.other} believes.")
    return 0


def _do(change: Callable[[apsw.Connection, float, Callable[[str], int]], Any], made: str | None = None) -> Any:
    """Run *change* in one transaction; it is given a function from an agent's name to its scope in this project.

    *made*: the agent that comes to be where it is not there.

    Raises:
        ValueError: there is no agent of that name here.
    """
    from agentmemory import paths
    from agentmemory.memory import Memory
    from agentmemory.store import scopes, writer

    now = paths.now()
    with Memory() as memory, writer.transaction(memory.db):

        def of(name: str) -> int:
            found = scopes.find_agent(memory.db, name, memory.scope)
            if found is not None:
                return found
            if name != made:
                raise ValueError(_none(name, scopes.agents(memory.db, memory.scope)))
            return scopes.agent(memory.db, name, memory.scope, now)

        return change(memory.db, now, of)


def _apart(one: int, other: int) -> tuple[int, int]:
    """Two agents. Raises ValueError where they are one."""
    if one == other:
        raise ValueError("name two agents, not one twice")
    return one, other


def _none(name: str, agents: Sequence[str]) -> str:
    """That there is no agent of this name, and the names that are near it."""
    from rapidfuzz import process, utils

    near = process.extract(name, agents, processor=utils.default_process, limit=NEAR, score_cutoff=ALIKE)
    meant = " or ".join(repr(agent) for agent, *_ in near)
    return f"there is no agent {name!r} in this project{f'; did you mean {meant}?' if meant else ''}"
