"""How the figures of each receipt are said in the tables (figures.py): a sentence of numbers."""

from __future__ import annotations

from statistics import median
from typing import Any


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


def worked(of: dict[str, Any]) -> str:
    """What is kept of messages that are work of the moment, and what sessions get of it."""
    return (
        f"{of['stands']} of {of['messages']:,} messages stand, {of['precision']} of them worth it "
        f"({of['fair precision']} with maybe); {of['recall']} of what is worth it is held; "
        f"first blocks {of['tokens']} tokens (median); {of['silent after the first']} of later messages get nothing; "
        f"{of['typed']['told']} of {of['typed']['needs']} needs are told"
    )


def lived(r: dict[str, Any]) -> str:
    """What stands of years of a project, and what is told of it."""
    of = r["all"]
    return (
        f"{of['stand']} stands, {of['or heard']} with what is heard once, {of['traps']} of what must not; "
        f"{of['probes']} prompts: sound {of['sound']}, current {of['current']}, silence {of['silence']}, "
        f"{of['tokens']} tokens (median)"
    )


def conversed(r: dict[str, Any]) -> str:
    """What becomes of exchanges with an agent, and what later prompts are told."""
    of, asked = r["all"], r["all"]["prompts"]
    return (
        f"{of['keep']['stands']} stands, {of['keep']['or heard']} with what is heard once, "
        f"{1 - of['work']['not held']:.3g} of work, {1 - of['trap']['not held']:.3g} of what tempts; of changes "
        f"{of['change']['gave way']} gave way, {of['change']['or on one line']} with shared lines; {asked['asked']} "
        f"prompts: sound {asked['sound']}, current {asked['current']}, nothing where nothing is needed "
        f"{asked['empty']}, {asked['mean tokens']} tokens (mean)"
    )


def changed(r: dict[str, Any]) -> str:
    """What is held of short talk, and what becomes of it when it changes."""
    tells, works, every = (r["aside"][name] for name in ("telling", "working", "all"))
    return (
        f"held of what is told {tells['held']}, of what is said at work {works['held']}; of changes "
        f"{every['ended']} gave way, {every['tied']} of the rest shares a line; {every['spared']} of all else stands"
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
        f"of what became untrue {changed['right']} gave way, {changed['or told to the agent']} with what is named to "
        f"the agent ({of['told to the agent']} of {of['notes']} notes), {changed['or on one line']} with shared lines; "
        f"{of['wrongly replaced']} gave way wrongly; {prompts['of']} prompts: sound {prompts['sound']}, current "
        f"{prompts['current']}, silence {prompts['silence']}, {prompts['mean tokens']} tokens (mean)"
    )


def varied(r: dict[str, Any]) -> str:
    """What the same talk costs where it is told otherwise."""
    sound = {name: of["sound"] for name, of in r["variations"].items()}
    plain, least = sound.pop("as it is"), min(sound, key=lambda name: sound[name])
    return (
        f"sound {plain} as it is; told in {len(sound)} other ways {median(sound.values()):.3f} (median), "
        f"{sound[least]} at least ({least}); silence {min(of['silence'] for of in r['variations'].values())} at least"
    )
