#!/usr/bin/env python3
"""The same talk told in other ways: what CodeRecall worlds cost where people type, paste and are answered otherwise.

    python experiments/varied.py [WORLD.json ...] [--only VARIATION ...] [--save]

Nothing that is told changes, nor the words that show it: only how it is typed, what is pasted beside it, how the agent
answers and how prompts are put. Without worlds those of experiments/worlds_aside are told. Prints the harness's figures
of each variation; `--save` keeps them in experiments/results/varied.json, beside those that were not asked for.
"""

from __future__ import annotations

import argparse
import copy
import json
import random
import re
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from datetime import timedelta
from functools import cache
from hashlib import sha256
from pathlib import Path
from types import ModuleType
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT), str(ROOT / "experiments")]

from lost import played  # noqa: E402
from recall_ablation import harness  # noqa: E402

from agentmemory import paths  # noqa: E402

RESULT = ROOT / "experiments" / "results" / "varied.json"
FIGURES = ("sound", "strict", "strict_multi", "current", "silence", "tokens")
SEED = 11
FENCED = 0.7  # of the logs stand in a block of code
SLIPS, SLIPS_IN_PROMPTS = 0.06, 0.12  # share of the long words that are mistyped
EXCHANGES = 2  # of a session that is cut short
PASTED = 1 / 3  # of the messages have a log below

CODE = re.compile(r"(```.*?```|`[^`\n]*`)", re.S)
SENTENCE = re.compile(r".*?[.!?](?=\s|$)", re.S)
LONG_WORD = re.compile(r"(?<![\w./@-])[A-Za-z]{6,}(?![\w/@-]|\.\w)")
APOSTROPHE = re.compile(r"(?<=[a-z])['’](?=(?:s|t|re|ve|ll|d|m)\b)")
NOTES = ("Noted.", "Okay.", "Done.", "Got it.", "Will do.", "Understood.", "Sure.", "👍", "Fixed.", "Updated.")
BEGINS = (
    "Let me look at that.", "I'll take a look at the code first.", "Let me check how this is done at the moment.",
    "Let me start by reading the relevant files.", "I'll look into it.", "Let me find where this happens:",
    "Sure, let me see what is there.", "First, let me understand the current state.", "Good point. Let me verify.",
    "Let me search the code for it.", "I'll investigate. Let me run the tests first.", "I'll start by exploring it.",
    "Let me read the files involved before I change anything.", "Okay, let me take a closer look.",
)  # fmt: skip
GOES_ON = (
    "Now I understand.", "Now let me check the tests.", "I can see the problem now.", "Let me make the change.",
    "Now I have a clear picture.", "Now let me look at who calls it.", "Found it.",
)  # fmt: skip
ENDS = (
    "Let me know if you'd like me to adjust anything!", "All tests pass.", "Let me know if you have any questions.",
    "Would you like me to do anything else?", "The linter is clean and all 42 tests pass.", "Is there anything else?",
    "## Summary\n\n- Read the files that were involved\n- Made the change described above\n- Ran the tests",
    "**Changes made:**\n\n1. Updated the code\n2. Added a test\n3. Ran the linter",
)  # fmt: skip
LOGS = (
    "2026-03-{d:02} 10:14:03,112 INFO listening on 0.0.0.0:{n}\n2026-03-{d:02} 10:14:09,871 WARN request took {n} ms\n"
    "2026-03-{d:02} 10:14:11,004 ERROR unhandled rejection: Error: socket hang up\n"
    "    at Socket.socketOnEnd (node:_http_client:{n}:23)",
    'Traceback (most recent call last):\n  File "/home/u/app/main.py", line {n}, in <module>\n    run()\n'
    '  File "/home/u/app/run.py", line {d}, in run\n    raise ValueError(value)\nValueError: invalid literal: {n}',
    "$ git status\nOn branch work-{d}\nChanges not staged for commit:\n        modified:   src/part{d}.ts\n"
    "no changes added to commit",
    "FAIL src/part{d}.test.ts\n  ● renders {n} rows\n    expect(received).toBe(expected)\n    Expected: {n}\n"
    "    Received: {d}\nTests: 1 failed, {n} passed",
    "error[E0308]: mismatched types\n  --> src/lib.rs:{n}:{d}\n   |\n{n} |     let x: u32 = y;\n"
    "   |                  ^ expected `u32`, found `i64`",
    "npm ERR! code ELIFECYCLE\nnpm ERR! errno {d}\nnpm ERR! Exit status {d}\nnpm ERR! A complete log: /tmp/{n}.log",
)  # fmt: skip
LEADS = (
    "", "Hi!", "Hey Claude,", "Good morning.", "Could you please help me with this?", "I need your help with a thing.",
    "Quick question:", "I have a question for you.", "Sorry to bother you again, but one more thing:", "Hello there,",
    "Can you help me out here?", "Please do the following:", "Hi, hope you are well.", "I'd like your help.",
    "Another one:", "Okay, next task.", "Now something else.",
)  # fmt: skip
TAILS = (
    "", "Thanks!", "Thank you very much in advance.", "Think carefully before you answer.", "Think step by step.",
    "ultrathink", "Take your time.", "Please be thorough.", "Thanks a lot, you are great!", "Many thanks",
    "Let me know if anything is unclear.", "Ask me if you have questions.", "Cheers", "I appreciate your help.",
    "Don't rush it.", "Please think hard about this one, thanks.", "Keep it short please.",
)  # fmt: skip
TAKEN = (
    "That works.", "ok great,", "perfect, that's it.", "no, not like that. leave it.", "Nice.", "all green now.",
    "Hm, that didn't help. Let's park it.", "good, committed.", "lgtm.", "Great, that looks good to me!", "yes", "ok",
    "it works now,", "Okay that fixed it.", "cool. next:", "done with that one.",
)  # fmt: skip
WORDY = (
    "I was wondering about something:", "So I've been thinking about this for a while now and I'm not sure, but",
    "ok so", "Hmm, let me think...", "I'm trying to get this done before lunch, so", "basically,", "So the thing is,",
    "Honestly I have no idea how to go about it, so", "My manager just asked me about this, so",
    "alright, so what I would like to do next is this:", "I might be wrong here, but", "Let's get this over with:",
    "A colleague is waiting for it, so",
)  # fmt: skip
AFTERWARDS = (
    "", "Any ideas?", "What would you suggest?", "I'd rather get it right the first time.", "It's a bit urgent.",
    "Not sure if that makes sense.", "You know what I mean.", "Does that make sense?", "And explain what you did.",
    "I don't want to spend too much time on it.", "Just do what you think is best.",
    "If that's too much work, tell me.", "Show me the diff when you are done.",
)  # fmt: skip
AROUND = Path(__file__).parent / "around" / "aside.txt"  # what else is said around prompts
World = dict[str, Any]
Vary = Callable[[World, random.Random], None]


def main() -> None:
    ap = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ap.add_argument("worlds", nargs="*", type=Path)
    ap.add_argument("--only", nargs="*", choices=VARIATIONS, default=list(VARIATIONS))
    ap.add_argument("--save", action="store_true", help="keep the figures")
    args = ap.parse_args()
    run = harness()
    told = args.worlds or sorted((ROOT / "experiments" / "worlds_aside").glob("*.json"))
    worlds = [json.loads(path.read_text("utf-8")) for path in told]
    found = {}
    with tempfile.TemporaryDirectory() as folder:
        for name in args.only:
            found[name] = figures(run, [varied(world, name) for world in worlds], Path(folder))
            print(f"{name:>20}", json.dumps(found[name]), flush=True)
    if args.save:
        before = json.loads(RESULT.read_text("utf-8")) if RESULT.exists() else {}
        known = before["variations"] if before.get("worlds") == len(worlds) else {}
        kept = {name: found.get(name) or known[name] for name in VARIATIONS if name in found or name in known}
        RESULT.write_text(json.dumps({"worlds": len(worlds), "variations": kept}, indent=1) + "\n")


def varied(world: World, name: str) -> World:
    """The world, told in that way."""
    out = copy.deepcopy(world)
    VARIATIONS[name](out, random.Random(f"{SEED} {world['world']}"))
    return out


def figures(run: ModuleType, worlds: list[World], folder: Path) -> dict[str, float]:
    """The harness's figures of worlds that are learned, each on its own, and asked; what is told alike is learned into
    *folder* once."""
    told = sha256(json.dumps([world["sessions"] for world in worlds]).encode()).hexdigest()
    every = run.figures(played(run, worlds, folder / told)[1])
    return {name: every[name] for name in FIGURES}


def turns(world: World, role: str) -> Iterator[World]:
    """What one of the two says, in order."""
    return (turn for session in world["sessions"] for turn in session["turns"] if turn["role"] == role)


def in_talk(change: Callable[[str], str]) -> Vary:
    """The same change to all that the user says, but for code."""

    def vary(world: World, _: random.Random) -> None:
        for turn in turns(world, "user"):
            turn["text"] = beside_code(change, turn["text"])

    return vary


def in_prompts(change: Callable[[str], str]) -> Vary:
    """The same change to all prompts."""

    def vary(world: World, _: random.Random) -> None:
        for probe in world["probes"]:
            probe["prompt"] = change(probe["prompt"])

    return vary


def beside_code(change: Callable[[str], str], text: str) -> str:
    return "".join(piece if i % 2 else change(piece) for i, piece in enumerate(CODE.split(text)))


def as_is(_: World, __: random.Random) -> None:
    """Nothing changes."""


def lower(text: str) -> str:
    """Without capitals, and without apostrophes in "dont"."""
    return APOSTROPHE.sub("", text.lower())


def written_out(text: str) -> str:
    """With capitals where sentences begin, and a full stop at the end."""
    text = re.sub(r"\bi\b(?![./])", "I", text)
    text = re.sub(r"(^|[.!?]\s+|\n)([a-z])(?=[a-z]*\s)", lambda m: m[1] + m[2].upper(), text)
    return f"{text}." if re.search(r"[a-z0-9]$", text) else text


def dictated(text: str) -> str:
    """Without any mark between sentences."""
    return re.sub(r"[.,;:!]+(?=\s|$)", "", text.lower()).replace(" - ", " ")


def typographic(text: str) -> str:
    """With the marks of an editor that knows better."""
    text = re.sub(r'"([^"\n]*)"', r"“\1”", re.sub(r"(?<=\w)'(?=\w)", "’", text))
    return text.replace(" - ", " — ").replace("...", "…")


def as_a_list(text: str) -> str:
    """Each sentence on a line with a dash."""
    pieces = re.split(r"(?<=[.!?])\s+", text)
    return text if "\n" in text or len(pieces) < 2 else "\n".join(f"- {piece}" for piece in pieces)


def slips(world: World, rng: random.Random) -> None:
    """Two letters are swapped in some words that no key has."""
    for turn in turns(world, "user"):
        turn["text"] = beside_code(lambda text: slipped(text, world, rng, SLIPS), turn["text"])


def slips_in_prompts(world: World, rng: random.Random) -> None:
    """The same in prompts."""
    for probe in world["probes"]:
        probe["prompt"] = slipped(probe["prompt"], world, rng, SLIPS_IN_PROMPTS)


def slipped(text: str, world: World, rng: random.Random, share: float) -> str:
    keys = " ".join(key.lower() for of in (*world["facts"], *world["traps"]) for key in of["key"])

    def swap(found: re.Match[str]) -> str:
        word = found.group()
        if rng.random() > share or word.lower() in keys:
            return word
        at = rng.randrange(1, len(word) - 2)
        return word[:at] + word[at + 1] + word[at] + word[at + 2 :]

    return LONG_WORD.sub(swap, text)


def pasted(world: World, rng: random.Random) -> None:
    """Below some messages stands what a terminal said, mostly in a block of code."""
    for turn in turns(world, "user"):
        if rng.random() < PASTED:
            turn["text"] += pasted_log(rng)


def pasted_log(rng: random.Random) -> str:
    """What a terminal said, below a message."""
    log = rng.choice(LOGS).format(d=rng.randrange(1, 29), n=rng.randrange(100, 9_000))
    return f"\n\n```\n{log}\n```" if rng.random() < FENCED else f"\n\n{log}"


def in_an_editor(world: World, rng: random.Random) -> None:
    """An editor says which file is open."""
    for turn in turns(world, "user"):
        opened = f"The user opened the file /home/u/app/src/part{rng.randrange(99)}.ts in the IDE."
        turn["text"] = f"<ide_opened_file>{opened} This may or may not be related.</ide_opened_file>\n{turn['text']}"


def greeted(world: World, _: random.Random) -> None:
    """Sessions begin with a greeting, and some messages end with thanks."""
    for session in world["sessions"]:
        for i, turn in enumerate(session["turns"][::2]):
            turn["text"] = ("" if i else "Hi! ") + turn["text"] + ("" if i % 2 else " thanks!")


def in_words(notes: Sequence[str]) -> Vary:
    """The agent answers with one of these."""

    def vary(world: World, rng: random.Random) -> None:
        for turn in turns(world, "assistant"):
            turn["text"] = rng.choice(notes)

    return vary


def in_a_sentence(world: World, _: random.Random) -> None:
    """The agent answers with the first sentence alone."""
    for turn in turns(world, "assistant"):
        found = SENTENCE.match(CODE.split(turn["text"])[0].strip())
        turn["text"] = found.group() if found else "Done."


def narrated(world: World, rng: random.Random) -> None:
    """The agent tells what it looks at before it answers, and sums up what it did."""
    for turn in turns(world, "assistant"):
        steps = [rng.choice(BEGINS)] + [rng.choice(GOES_ON) for _ in range(rng.randrange(3))]
        turn["text"] = "\n\n".join([*steps, turn["text"], *([rng.choice(ENDS)] if rng.random() < 0.7 else [])])


def in_steps(world: World, rng: random.Random) -> None:
    """The same, in messages of their own between which the agent uses tools."""
    for session in world["sessions"]:
        told = []
        for turn in session["turns"]:
            if turn["role"] == "assistant":
                steps = [rng.choice(BEGINS)] + [rng.choice(GOES_ON) for _ in range(rng.randrange(4))]
                told += [{**turn, "text": step} for step in steps]
            told.append(turn)
        session["turns"] = told


def around(leads: Sequence[str], tails: Sequence[str]) -> Vary:
    """Prompts with something said before them, and behind them."""

    def vary(world: World, rng: random.Random) -> None:
        for probe in world["probes"]:
            probe["prompt"] = between(rng.choice(leads), probe["prompt"], rng.choice(tails))

    return vary


def between(lead: str, said: str, tail: str) -> str:
    """What is said with something before it, and behind it."""
    said += "." if tail and said[-1:] not in ".?!" else ""
    return " ".join(filter(None, (lead, said, tail)))


@cache
def around_lines() -> list[list[str]]:
    """Where each line is said, and what."""
    return [line.split(": ", 1) for line in AROUND.read_text("utf-8").splitlines()]


def talked_around(said: str, rng: random.Random) -> str:
    """With what else people say before a request, behind it or on both sides."""
    sides = rng.choice((("before",), ("behind",), ("before", "behind")))
    lead, tail = (
        rng.choice([text for where, text in around_lines() if where == side]) if side in sides else ""
        for side in ("before", "behind")
    )
    return between(lead, said, tail)


def talk_around_prompts(world: World, rng: random.Random) -> None:
    """Prompts with talk around them."""
    for probe in world["probes"]:
        probe["prompt"] = talked_around(probe["prompt"], rng)


def talk_around_messages(world: World, rng: random.Random) -> None:
    """Every second message of a line with talk around it."""
    for turn in turns(world, "user"):
        if "\n" not in turn["text"] and rng.random() < 0.5:
            turn["text"] = talked_around(turn["text"], rng)


def with_logs(world: World, rng: random.Random) -> None:
    """What a terminal said below each prompt."""
    for probe in world["probes"]:
        probe["prompt"] += pasted_log(rng)


def with_pictures(world: World, rng: random.Random) -> None:
    """A client's sign for a picture before each prompt, or behind it."""
    for probe in world["probes"]:
        said = [probe["prompt"], f"[Image #{rng.randrange(1, 9)}]"]
        probe["prompt"] = " ".join(rng.sample(said, 2))


def cut_short(world: World, _: random.Random) -> None:
    """A new session every few exchanges."""
    cut = []
    for session in world["sessions"]:
        for at in range(0, len(session["turns"]), 2 * EXCHANGES):
            start = paths.parse_time(session["start"]) + timedelta(minutes=at).total_seconds()
            some = session["turns"][at : at + 2 * EXCHANGES]
            cut.append({**session, "id": f"{session['id']}-{at}", "start": paths.iso(start), "turns": some})
    world["sessions"] = cut


VARIATIONS: dict[str, Vary] = {
    "as it is": as_is, "lower case": in_talk(lower), "written out": in_talk(written_out), "dictated": in_talk(dictated),
    "typographic": in_talk(typographic), "as lists": in_talk(as_a_list), "slips": slips, "greeted": greeted,
    "logs pasted": pasted, "in an editor": in_an_editor, "sessions cut short": cut_short,
    "answered in a word": in_words(NOTES), "in a sentence": in_a_sentence, "narrated": narrated, "in steps": in_steps,
    "slips in prompts": slips_in_prompts, "prompts in capitals": in_prompts(str.upper),
    "bare prompts": in_prompts(lambda prompt: re.sub(r"[?.!,]+(?=\s|$)", "", lower(prompt))),
    "polite prompts": around(LEADS, TAILS), "what was done first": around(TAKEN, ("",)),
    "wordy prompts": around(WORDY, AFTERWARDS), "talk around prompts": talk_around_prompts,
    "talk around messages": talk_around_messages, "logs below prompts": with_logs, "pictures": with_pictures,
}  # fmt: skip


if __name__ == "__main__":
    main()
