"""Commands that judge the memory: `eval` in three forms, and `bench`."""

from __future__ import annotations

import argparse
import json
import os
from dataclasses import asdict

from agentmemory.terminal import Commands, table, with_json

WHAT = ("memory", "talk", "locomo")


def register(commands: Commands) -> None:
    """Add this area's commands to the parser."""
    evaluation = commands.add_parser("eval", help="judge the memory, with honest baselines")
    evaluation.add_argument(
        "what", nargs="?", choices=WHAT, default="memory",
        help="memory: LCS, CRS and TES, no model; talk: 25 turns with a model; locomo: that data set",
    )  # fmt: skip
    evaluation.add_argument("data", nargs="?", help="with locomo: its file")
    evaluation.add_argument("--shuffles", type=some, help="conversations with other names and values")
    evaluation.add_argument("--seed", type=int, default=0)
    evaluation.add_argument("--answerer", default="quote", help="quote, configured, or a server's address")
    evaluation.add_argument("--model", default="", help="the model's name there")
    evaluation.add_argument("--tokens", type=some, help="of an answer, at most")
    evaluation.add_argument("--ways", default="", help="with talk: only these, with commas (memory,off)")
    evaluation.add_argument("--runs", type=some, default=3)
    evaluation.add_argument("--turns", type=some, default=10, help="with locomo: turns in a prompt")
    evaluation.add_argument("--questions", type=some, default=0, help="with locomo: only so many a conversation")
    evaluation.add_argument("--out", default="locomo", help="with locomo: where its files begin")
    with_json(evaluation, _eval)

    bench = commands.add_parser("bench", help="measure this machine")
    bench.add_argument("what", choices=("latency",))
    bench.add_argument("--turns", type=some, default=100_000)
    bench.add_argument("--beliefs", type=some, default=10_000)
    with_json(bench, _bench)


def some(text: str) -> int:
    """A number of things that are done: one at least.

    Raises:
        ArgumentTypeError: it is none.
    """
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"{text} is not a number from 1 on")
    return int(text)


def _eval(args: argparse.Namespace) -> int:
    return {"memory": _memory, "talk": _talk, "locomo": _locomo}[args.what](args)


def _memory(args: argparse.Namespace) -> int:
    from agentmemory.sleep import evaluation

    shuffles = args.shuffles or 20
    scores = evaluation.run(shuffles, args.seed)
    economy = _economy()
    if args.json:
        rows = {name: asdict(score) for name, score in scores.items()}
        print(json.dumps({"shuffles": shuffles, "seed": args.seed, "scores": rows, "tes": economy}))
        return 0
    print(f"25 turns, {shuffles} shuffles, seed {args.seed}; contexts are fetched with the question alone.")
    table(("contexts", "LCS", "CRS", "tokens"), [(n, s.lcs, s.crs, s.tokens) for n, s in scores.items()])
    print(f"TES of this store's own summaries: {economy if economy is not None else 'there are none yet'}")
    return 0


def _economy() -> float | None:
    """Mean TES of the summaries that the current project and the user have, None without any."""
    from agentmemory.memory import Memory
    from agentmemory.sleep.evaluation import summaries_tes

    with Memory() as memory:
        found = summaries_tes(memory.db, memory.scopes)
    return round(found, 4) if found else None


def _talk(args: argparse.Namespace) -> int:
    from agentmemory import answerers, eval_talk, paths
    from agentmemory.sleep import settings
    from agentmemory.sleep.costs import Price

    home = paths.home()
    name, answer = answerers.answerer(args.answerer, args.model, home, args.tokens or eval_talk.ANSWER_TOKENS)
    price = settings.read(home).prices.get(name, Price())
    only = [way.strip() for way in args.ways.split(",") if way.strip()]
    unknown = sorted(set(only) - set(eval_talk.WAYS))
    if unknown:
        raise ValueError(f"there is no way {unknown[0]!r} of remembering; there are {', '.join(eval_talk.WAYS)}")
    found = eval_talk.run(name, answer, args.shuffles or 3, args.seed, price, only)
    if args.json:
        print(json.dumps(found))
        return 0
    print(f"25 turns, {found['shuffles']} shuffles, seed {args.seed}, answered by {name}; talk: {found['talk']}")
    columns = ("answered", "in_prompt", "tokens_per_answer", "prompt", "cached", "completion", "cost")
    table(("ways", *columns), [(way, *(did[c] for c in columns)) for way, did in found["ways"].items()])
    return 0


def _locomo(args: argparse.Namespace) -> int:
    from pathlib import Path

    from agentmemory import answerers, eval_locomo, paths
    from agentmemory.sleep import settings

    if not args.data:
        raise ValueError("name the data: agentmemory eval locomo locomo10.json")
    home = paths.home()
    prices = settings.read(home).prices
    name, answer = answerers.answerer(args.answerer, args.model, home, args.tokens or eval_locomo.ANSWER_TOKENS)
    os.environ.setdefault("AGENTMEMORY_NOW", eval_locomo.CLOCK)
    found = eval_locomo.run(
        Path(args.data), Path(args.out), name, answer, args.runs, args.seed, args.turns, args.questions, prices
    )
    if args.json:
        print(json.dumps(found))
        return 0
    print(f"{found['data']}: {found['n']} questions, answered by {name}; a line for each in {args.out}_runN.jsonl")
    kinds = [kind for kind in ("all", *eval_locomo.CATEGORIES.values()) if kind in found["runs"][0]]
    rows = [
        (run["seed"], kind, *run[kind].values(), run["sha256"][:12]) for run in found["runs"] for kind in kinds
    ]  # fmt: skip
    table(("seed", "category", "n", "recall", "F1", "BLEU-1", "sha256"), rows)
    return 0


def _bench(args: argparse.Namespace) -> int:
    from agentmemory.sleep import latency

    found = latency.measure(args.turns, args.beliefs)
    if args.json:
        print(json.dumps({"turns": args.turns, "beliefs": args.beliefs, "milliseconds": found}))
        return 0
    print(f"{args.turns} turns, {args.beliefs} beliefs, 200 random queries each, milliseconds")
    rows = [(name, t["p50"], t["p95"], t["p99"], latency.LIMITS[name]) for name, t in found.items()]
    table(("query", "p50", "p95", "p99", "p95 should be below"), rows)
    return 0
