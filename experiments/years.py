#!/usr/bin/env python3
"""A project's year with an agent: what is kept of it, and what is found in a store of a hundred facts and more.

    python experiments/years.py [--save] [FILE ...]     # default: those of experiments/years_aside, in no fit
    python experiments/years.py --weeks [--save]        # those of experiments/weeks_aside, in no fit either
    python experiments/years.py --sittings [--save]     # nor those of experiments/sittings_aside
    python experiments/years.py --assents [--save]      # nor those of experiments/assents_aside
    python experiments/years.py --stores FOLDER ...     # learned years are kept there, and found again the next time

The worlds of CodeRecall have 26 facts, told to an agent that mostly listens. These have 110, told in passing between
orders to an agent that works, in one project, and 110 prompts. A year is a text file: `world:`, `about:`; `##` a
session and its start (UTC), `U:` the user, `A:` the agent; under an exchange `F id kind | keys | gist [| replaces id]`
for what it says that lasts and `T | keys | why` for what does not; after `PROBES` a line `P style when | needs |
forbids | prompt` each. Weeks are files of the same form: a project's first weeks, 70 to 120 messages, in which much
is put right and settled in a word; sittings are weeks in which what was settled is put right at once; in assents the
agent proposes and the user answers in a few words, half the time about a task of the moment (traps). Prints, for
each: the shares of facts that stand and that are heard once, of traps that stand, statements that stand; and the
figures of CodeRecall. `--save` writes the receipt.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from contextlib import closing
from datetime import datetime
from pathlib import Path
from statistics import fmean
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT), str(ROOT / "experiments")]

from lost import figures  # noqa: E402
from recall_ablation import harness, learned, play  # noqa: E402

from agentmemory.store.db import open_read  # noqa: E402

YEARS = sorted((ROOT / "experiments" / "years").glob("*.txt"))
WEEKS = sorted((ROOT / "experiments" / "weeks").glob("*.txt"))
SITTINGS = sorted((ROOT / "experiments" / "sittings").glob("*.txt"))
ASSENTS = sorted((ROOT / "experiments" / "assents").glob("*.txt"))
BUSY = (*WEEKS, *SITTINGS)
LIVES = (*YEARS, *BUSY)
OF = {"years": YEARS, "weeks": WEEKS, "sittings": SITTINGS, "assents": ASSENTS}
UNSEEN = {kind: sorted((ROOT / "experiments" / f"{kind}_aside").glob("*.txt")) for kind in OF}
RESULTS = ROOT / "experiments" / "results"


def world(path: Path) -> dict[str, Any]:
    """A year in the form of CodeRecall's worlds.

    Raises:
        ValueError: a line has no form that is known.
    """
    out: dict[str, Any] = {"sessions": [], "facts": [], "traps": [], "probes": []}
    for n, line in enumerate(path.read_text("utf-8").splitlines(), 1):
        sign, _, rest = line.partition(" ")
        if sign in ("world:", "about:"):
            out[sign[:-1]] = rest.strip()
        elif sign == "##":
            start = datetime.strptime(rest.strip(), "%Y-%m-%d %H:%M").strftime("%Y-%m-%dT%H:%M:00Z")
            out["sessions"].append({"id": f"s{len(out['sessions']) + 1:02d}", "start": start, "turns": []})
        elif sign in ("U:", "A:"):
            out["sessions"][-1]["turns"].append({"role": "user" if sign == "U:" else "assistant", "text": rest})
        elif sign in ("F", "T"):
            _told(out, sign, [part.strip() for part in rest.split("|")])
        elif sign == "P":
            asked, needs, forbids, prompt = (part.strip() for part in rest.split("|", 3))
            style, day, hour = asked.split()
            out["probes"].append({
                "id": f"p{len(out['probes']) + 1:03d}", "prompt": prompt, "at": f"{day}T{hour}:00Z", "style": style,
                "needs": _ids(needs), "forbids": _ids(forbids),
            })  # fmt: skip
        elif line.strip() not in ("", "PROBES"):
            raise ValueError(f"{path}:{n}: {line[:40]!r} has no known form")
    return out


def _told(out: dict[str, Any], sign: str, parts: list[str]) -> None:
    """A fact or a trap of what the user said last."""
    session = out["sessions"][-1]
    turn = max(i for i, each in enumerate(session["turns"]) if each["role"] == "user")
    place = {"said_in": session["id"], "turn": turn, "key": [key.strip() for key in parts[1].split(";") if key.strip()]}
    if sign == "T":
        out["traps"].append(place | {"id": f"t{len(out['traps']) + 1:02d}", "why": parts[2]})
        return
    id, kind = parts[0].split()
    replaced = [part.split()[1] for part in parts[3:] if part.startswith("replaces ")]
    out["facts"].append(
        place | {"id": id, "kind": kind, "text": parts[2], "supersedes": replaced[0] if replaced else None}
    )


def _ids(text: str) -> list[str]:
    return [] if text == "-" else text.split()


def places(fact: dict[str, Any]) -> set[tuple[str, int]]:
    """The turns, each by its session and its index there, in which a fact of any world is said."""
    pieces = fact.get("parts") or fact.get("pieces") or []
    others = [(each["said_in"], each["turn"]) if isinstance(each, dict) else tuple(each) for each in pieces]
    return {(fact["said_in"], fact["turn"]), *others}


def kept(year: dict[str, Any], store: Path) -> dict[str, float]:
    """What a store holds of a learned year."""
    with closing(open_read(str(store))) as db:
        rows = db.execute("SELECT state, lower(text) FROM belief").fetchall()
    stands = [text for state, text in rows if state in ("active", "superseded")]
    heard = [text for state, text in rows if state == "heard"]

    def held(of: list[dict[str, Any]], texts: list[str]) -> float:
        return fmean(any(all(key.lower() in text for key in each["key"]) for text in texts) for each in of)

    stand = held(year["facts"], stands)
    return {
        "facts": len(year["facts"]), "stand": round(stand, 3),
        "or heard": round(held(year["facts"], stands + heard), 3), "traps": round(held(year["traps"], stands), 3),
        "statements": sum(state == "active" for state, _ in rows),
    }  # fmt: skip


def main() -> None:
    ap = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ap.add_argument("years", nargs="*", type=Path)
    for kind in ("weeks", "sittings", "assents"):
        unseen = f"the {kind} that no fit has seen"
        ap.add_argument(f"--{kind}", dest="kind", action="store_const", const=kind, help=unseen)
    ap.add_argument("--stores", type=Path, help="where learned years are kept")
    ap.add_argument("--save", action="store_true", help="write the receipt")
    ap.set_defaults(kind="years")
    args = ap.parse_args()
    run = harness()
    told: dict[str, dict[str, float]] = {}
    results = []
    with tempfile.TemporaryDirectory() as folder:
        for path in args.years or UNSEEN[args.kind]:
            year = world(path)
            probes = learned(run, year, (args.stores or Path(folder)) / year["world"])
            results.append(play(run, year, probes))
            told[year["world"]] = kept(year, probes[-1][1]) | figures(run, results[-1:])
            print(year["world"], json.dumps(told[year["world"]]), flush=True)
    of_all = {name: round(fmean(each[name] for each in told.values()), 3) for name in ("stand", "or heard", "traps")}
    all_ = of_all | figures(run, results)
    print(json.dumps(all_))
    if args.save:
        (RESULTS / f"{args.kind}.json").write_text(json.dumps({"all": all_, "years": told}, indent=1) + "\n")


if __name__ == "__main__":
    main()
