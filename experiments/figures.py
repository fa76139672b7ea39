"""The README's table of figures, made from the receipts in experiments/results.

python experiments/figures.py            # writes the table into README.md
python experiments/figures.py --check    # exit status 1 when README.md says something else
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
RESULTS = ROOT / "experiments" / "results"
BEGIN, END = "<!-- figures -->", "<!-- /figures -->"


def hook_ratios(r: dict[str, Any]) -> str:
    """Median and p99 as multiples of a bare interpreter, by size of the store."""
    return "; ".join(
        f"{int(n):,} beliefs: {row['wall_ratio']} times (CPU {row['cpu_ratio']}), {row['peak_mib']:.0f} MiB"
        for n, row in r["stores"].items()
    )


def by_meaning(r: dict[str, Any]) -> str:
    """What is sound and what is found without and with an encoder."""
    told = []
    for group, answers in r["worlds"].items():
        (sound, found) = (
            f"{answers[kind]['without'][key]} to {answers[kind]['with'][key]}"
            for kind, key in (("block", "sound"), ("search", "recall"))
        )
        told.append(f"{group} {sound}, {found}")
    return "; ".join(told)


def learned(r: dict[str, Any]) -> str:
    """Speed and memory of the longest transcript."""
    run = r["runs"][-1]
    return f"{run['turns_per_second']:,} turns a second ({run['turns_per_cpu_second']:,} a CPU second), " + (
        f"{run['peak_mib']:.0f} MiB at most"
    )


def started(r: dict[str, Any]) -> str:
    """In how many sessions the tools came in time."""
    return f"{r['tools_in_first_request']['front']} of {r['sessions']}, listed after {r['tools_listed_ms']:.0f} ms"


def faults(r: dict[str, Any]) -> str:
    """Wrong outputs of how many truncations, flipped bits and killed writers."""
    each = [v for v in r.values() if isinstance(v, dict)]
    tried = sum(v.get(what, 0) for v in each for what in ("truncations", "flips", "kills"))
    return f"{sum(v['wrong'] for v in each)} of {tried}"


def cited(r: dict[str, Any]) -> str:
    """Probes of which wonder and reason cite all that is needed, and those that cite nothing stale as current."""
    out = []
    for what in ("wonder", "reason"):
        mine = [row for row in r["rows"] if row["what"] == what]
        needing = [row for row in mine if row["needs"]]
        whole, sound = sum(not row["missed"] for row in needing), sum(not row["stale"] for row in mine)
        out.append(f"{what} {whole} of {len(needing)}, nothing stale in {sound} of {len(mine)}")
    return "; ".join(out)


def onboarded(r: dict[str, Any]) -> str:
    """Time, statements, missing commands and precision over the trees."""
    trees = r["trees"]
    missing, commands = sum(len(t["commands_missing"]) for t in trees), sum(t["commands"] for t in trees)
    return (
        f"{sum(t['proposed'] for t in trees)} statements, {max(t['seconds'] for t in trees)} s at most, precision "
        f"{r['precision']} of {r['judged']} judged, {missing} of {commands} commands do not exist"
    )


def moved(r: dict[str, Any]) -> str:
    """First paint and frames a second by gesture."""
    frames = ", ".join(f"{name} {g['frames_per_second']:.0f}" for name, g in r["gestures"].items())
    return f"first paint {max(r['first_paint_ms'])} ms at most; frames a second: {frames}"


def slept(r: dict[str, Any]) -> str:
    """What a night changes: recall and tokens for each answered probe, before and after."""
    told = []
    for name, key in (("CodeRecall", "recall"), ("topics that come back", "recall"), ("LoCoMo", "recall@10")):
        before, after = r[name]["before"]["ALL"], r[name]["after"]["ALL"]
        told.append(
            f"{name} {before[key]:.3f} to {after[key]:.3f} with {before['tokens_per_answered']:,.0f} to "
            f"{after['tokens_per_answered']:,.0f} tokens"
        )
    return "; ".join(told)


def worked(r: dict[str, Any]) -> str:
    """What is kept of messages that are work of the moment, and what a session's first prompt gets."""
    real, days = r["sessions"], r["days"]
    return (
        f"{real['stands']} stand of {real['messages']:,} messages, {real['precision']} of them surely and "
        f"{real['fair precision']} at least maybe worth it, {real['recall']} of what is worth it is held; first blocks "
        f"{real['tokens']} tokens (median), {real['silent after the first']} of later messages are told nothing, of "
        f"what messages need {real['typed']['told']} of {real['typed']['needs']} is told. Five invented days: "
        f"{days['stands']} of {days['messages']}, {days['precision']} worth it, {days['recall']} held; "
        f"{days['silent after the first']}; {days['typed']['told']} of {days['typed']['needs']}"
    )


def lived(r: dict[str, Any]) -> str:
    """What stands of years of a project, and what is told of it."""
    of = r["all"]
    return (
        f"{of['stand']} of what is told in passing stands, {of['or heard']} with what is heard once, {of['traps']} of "
        f"what must not; of {of['probes']} prompts sound {of['sound']}, current {of['current']}, silence "
        f"{of['silence']}, {of['tokens']} tokens (median)"
    )


def conversed(r: dict[str, Any]) -> str:
    """What becomes of exchanges with an agent, and what later prompts are told."""
    of, asked = r["all"], r["all"]["prompts"]
    return (
        f"{of['keep']['stands']} of what is to be kept stands, {of['keep']['or heard']} with what is heard once, "
        f"{1 - of['work']['not held']:.3g} of work and {1 - of['trap']['not held']:.3g} of what tempts; "
        f"{of['change']['gave way']} of what changed gave way, {of['change']['or on one line']} shares a line; "
        f"of {asked['asked']} prompts sound {asked['sound']}, current {asked['current']}, of those that need nothing "
        f"{asked['empty']} get nothing, {asked['mean tokens']} tokens (mean)"
    )


def changed(r: dict[str, Any]) -> str:
    """What is held of short talk, and what becomes of it when it changes."""
    tells, works, every = (r["aside"][name] for name in ("telling", "working", "all"))
    return (
        f"held of what is told {tells['held']}, of what is said at work {works['held']}; of that when it changes "
        f"{every['ended']} gives way, {every['tied']} of the rest stands on one line with the change; "
        f"{every['spared']} of all else still stands"
    )


def nights(r: dict[str, Any]) -> str:
    """Processor time of an ordinary night by size of the store, and the most memory."""
    each = [
        f"{row['turns']:,} turns: {sorted(row['next_nights_cpu_ms_a_turn'])[1]:.2f} ms a turn, {row['peak_mib']} MiB"
        for row in r["rows"]
    ]
    return "; ".join(each)


def first_tokens(r: dict[str, Any]) -> str:
    """The same prompt again, and with a new ending."""
    return ", ".join(
        f"{row['speedup']:.0f} times at {row['tokens']:,} tokens ({row['speedup_tail']:.0f} with a new ending)"
        for row in r["rows"]
    )


def noted(r: dict[str, Any]) -> str:
    """Which notes give way, and what prompts are told of them."""
    of, prompts = r["all"], r["all"]["prompts"]
    changed = of["replaces"]
    return (
        f"{changed['right']} of what later notes make untrue gives way to them, {changed['or told to the agent']} does "
        f"or is named to the agent ({of['told to the agent']} of {of['notes']} notes are), {changed['or on one line']} "
        f"at least shares a line; {of['wrongly replaced']} give way and hold; of {prompts['of']} prompts sound "
        f"{prompts['sound']}, current {prompts['current']}, silence {prompts['silence']}, "
        f"{prompts['mean tokens']} tokens (mean)"
    )


Row = tuple[str, str, Callable[[dict[str, Any]], str], str]

#: what, receipt, how to say it, the command that prints it
ROWS: tuple[Row, ...] = (
    (
        "CodeRecall, two worlds: all needed facts in the block and nothing stale as current",
        "coderecall.json",
        lambda r: f"sound {r['sound']}, current {r['current']}, silence {r['silence']}, {r['tokens']} tokens (median)",
        "python experiments/coderecall.py",
    ),
    (
        "the same, sixteen worlds written blind, in no fit and only scored",
        "coderecall_aside.json",
        lambda r: f"sound {r['sound']}, current {r['current']}, silence {r['silence']}, {r['tokens']} tokens (median)",
        "python experiments/coderecall.py --name coderecall_aside experiments/worlds_aside/*.json",
    ),
    (
        "four invented years of a project with an agent, written blind, in no fit",
        "years.json",
        lived,
        "python experiments/years.py --save",
    ),
    (
        "the first weeks of fourteen invented projects, in which much is put right in a word; written blind, in no fit",
        "weeks.json",
        lived,
        "python experiments/years.py --weeks --save",
    ),
    (
        "sittings of six invented projects in which what was settled is put right at once; written blind, in no fit",
        "sittings.json",
        lived,
        "python experiments/years.py --sittings --save",
    ),
    (
        "conversations of sixteen kinds of developers with an agent in one store, three of four changes of a part "
        "only; written blind, in no fit",
        "dialogues_aside.json",
        conversed,
        "python experiments/dialogues.py --save dialogues_aside experiments/dialogues_aside/*.jsonl",
    ),
    (
        "what agents note with `remember` in twelve projects and ten notebooks, where nobody says which note changes "
        "which; written blind, in no fit",
        "noted_aside.json",
        noted,
        "python experiments/noted.py --save noted_aside experiments/noted_aside/*.jsonl",
    ),
    (
        "284 real coding sessions learned, in no fit; what is worth keeping was marked message by message",
        "workdays.json",
        worked,
        "python experiments/workdays.py --save",
    ),
    (
        "132 histories in which what was told weeks ago changes, written blind, in no fit",
        "changes.json",
        changed,
        "python experiments/changes.py --save",
    ),
    (
        "the two worlds, verbatim turns with FTS5 in the same budget",
        "coderecall_floor.json",
        lambda r: f"sound {r['sound']}, current {r['current']}, silence {r['silence']}",
        "python experiments/coderecall.py --system fts5",
    ),
    (
        "what the prompt hook costs, whole process, against a bare interpreter in the same run",
        "hook_bench.json",
        hook_ratios,
        "python experiments/hook_bench.py",
    ),
    (
        "a sentence encoder (an extra) where a process has it in memory, on worlds and lives that no fit has seen:"
        " sound of the block; recall of ten beliefs",
        "embedding.json",
        by_meaning,
        "python experiments/embedding.py",
    ),
    (
        "tokens of the provider's prompt cache that injection loses, 50 prompts of the real Claude Code",
        "prompt_cache.json",
        lambda r: f"{r['lost_tokens'] - r['lost_without_memory']} of {r['sent_tokens']:,} sent",
        "python experiments/prompt_cache.py",
    ),
    (
        "before and after sleep: recall (LoCoMo: R@10), tokens for each answered probe",
        "sleep_pays.json",
        slept,
        "python experiments/sleep_pays.py",
    ),
    (
        "a night after a day of 2,000 turns, CPU time and memory, by size of the store",
        "sleep_scale.json",
        nights,
        "python experiments/sleep_scale.py",
    ),
    (
        "turns found for a question: R@10 / recall in 1,000 tokens",
        "retrieval.json",
        lambda r: "; ".join(
            f"{name} {r[key]['recall@10']:.3f} / {r[key]['recall@1000tok']:.3f}"
            for name, key in (("LoCoMo", "locomo"), ("LongMemEval", "longmemeval"), ("coding sessions", "code"))
        ),
        "python experiments/retrieval.py",
    ),
    (
        "the same, verbatim turns with FTS5",
        "retrieval_floor.json",
        lambda r: "; ".join(
            f"{r[key]['recall@10']:.3f} / {r[key]['recall@1000tok']:.3f}" for key in ("locomo", "longmemeval", "code")
        ),
        "python experiments/retrieval.py --floor",
    ),
    (
        "25 turns, facts of turns 1 to 5 asked in turns 16 to 25: answered by quoting what memory brings",
        "eval_talk.json",
        lambda r: "; ".join(f"{way} {r['ways'][way]['answered']:.2f}" for way in ("memory", "recent only", "off")),
        "agentmemory eval talk --shuffles 20",
    ),
    (
        "a 500 MB transcript is learned",
        "learn_rate.json",
        lambda r: learned(r),
        "python experiments/learn_rate.py",
    ),
    (
        "32 processes teach, inject and lock for 90 s and are stalled at random",
        "torture_stalls.json",
        lambda r: f"{r['acknowledged']:,} acknowledged writes, {r['lost']} lost, integrity {r['integrity']}",
        "python experiments/torture.py stalls",
    ),
    (
        "2,000 writers killed without warning",
        "torture_kills.json",
        lambda r: f"{r['acknowledged']:,} acknowledged writes, {r['lost']} lost, integrity {r['integrity']}",
        "python experiments/torture.py kills",
    ),
    (
        "guards: forbidden commands stopped, ordinary commands stopped",
        "guard.json",
        lambda r: (
            f"{r['held']['recall']:.3f} and {r['last']['recall']:.3f} of held-out variants; "
            f"{r['ordinary']['stopped']} of {r['ordinary']['commands']:,}"
        ),
        "python experiments/guard_corpus.py",
    ),
    (
        "hostile texts by every door: rules, locks or guards made, lines forged, leaks",
        "poisoning.json",
        lambda r: f"{r['failed']} of {r['cases']} cases",
        "python experiments/poisoning.py",
    ),
    (
        "first token of a local model, warm prefix over cold, CPU time",
        "ttft.json",
        first_tokens,
        "python experiments/ttft.py",
    ),
    (
        "damaged prefix files and killed writers: wrong outputs",
        "prefix_faults.json",
        faults,
        "python experiments/prefix_faults.py",
    ),
    (
        "wonder and reason on sixteen worlds that no fit has seen: all needed cited, nothing stale as current",
        "graph_worlds_aside.json",
        cited,
        "python experiments/graph_worlds.py experiments/worlds_aside/*.json",
    ),
    (
        "six public source trees onboarded (Python, TypeScript, Go, Rust)",
        "onboard_sdists.json",
        onboarded,
        "python experiments/onboard_sdists.py TREES",
    ),
    (
        "a hostile tree of 100,000 files: time, memory, poisoned lines learned",
        "hostile_tree.json",
        lambda r: f"{r['runs'][0]['seconds']} s, {r['runs'][0]['peak_mb']} MB, {len(r['poisoned'])}",
        "python experiments/hostile_tree.py",
    ),
    (
        "the page with 20,000 beliefs and 40,000 lines in chromium without a GPU",
        "page_bench.json",
        moved,
        "python experiments/page_bench.py",
    ),
    (
        "MCP tools in the client's first request, five sessions",
        "client_start.json",
        lambda r: started(r),
        "python experiments/client_start.py",
    ),
)


def table() -> str:
    """The table in Markdown; a figure without a receipt is not claimed."""
    lines = ["| what | figure | printed by |", "|---|---|---|"]
    for what, receipt, say, command in ROWS:
        path = RESULTS / receipt
        if path.exists():
            lines.append(f"| {what} | {say(json.loads(path.read_text()))} | `{command}` |")
    return "\n".join(lines)


def with_table(readme: str) -> str:
    """*readme* with the table between its two marks."""
    head, rest = readme.split(BEGIN, 1)
    _, tail = rest.split(END, 1)
    return f"{head}{BEGIN}\n{table()}\n{END}{tail}"


def main() -> int:
    path = ROOT / "README.md"
    old = path.read_text()
    new = with_table(old)
    if "--check" in sys.argv:
        return 0 if new == old else 1
    path.write_text(new)
    return 0


if __name__ == "__main__":
    sys.exit(main())
