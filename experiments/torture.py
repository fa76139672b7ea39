"""Is anything acknowledged ever lost? Many processes teach, inject and lock at once and are stalled or killed.

    python experiments/torture.py stalls --seconds 90 --processes 32
    python experiments/torture.py kills --count 2000
    python experiments/torture.py stalls --mutant dropped     # must be caught: exit status 1
    python experiments/torture.py stalls --mutant autocommit  # must be caught: exit status 1

A write counts as acknowledged when the call has returned; the child then notes it in a file of its own. At
the end every acknowledged write must be in the store, counts must be the sum of their evidence, and the
file must be whole. Figures go to `--receipt FILE`.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import apsw

from agentmemory import confidence
from agentmemory.memory import Memory
from agentmemory.store import beliefs, writer

SHARED = "all of us count on this one"


def main() -> int:
    args = arguments()
    receipt = args.receipt and args.receipt.resolve()
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:  # a killed writer's hook may still end
        home = Path(folder) / "home"
        os.environ["AGENTMEMORY_HOME"] = str(home)
        (Path(folder) / "acks").mkdir()
        (Path(folder) / "project").mkdir()
        os.chdir(Path(folder) / "project")
        with Memory() as memory:  # one of each, so that children start with everything imported
            memory.lock(SHARED)
            teach(memory, Path(folder) / "session.jsonl", "warm")
        start = time.perf_counter()
        mutate(args.mutant)
        killed = kills(folder, args.count) if args.mode == "kills" else stalls(folder, args.processes, args.seconds)
        report = {"mode": args.mode, "mutant": args.mutant, **killed, **verdict(Path(folder))}
        report["seconds"] = round(time.perf_counter() - start, 1)
    print(json.dumps(report))
    if receipt:
        receipt.write_text(json.dumps(report, indent=1) + "\n")
    return 1 if report["lost"] or report["miscounted"] or report["complaints"] or report["integrity"] != "ok" else 0


def arguments() -> argparse.Namespace:
    ap = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ap.add_argument("mode", choices=("stalls", "kills"))
    ap.add_argument("--seconds", type=float, default=90.0)
    ap.add_argument("--processes", type=int, default=32)
    ap.add_argument("--count", type=int, default=2000, help="how many processes are killed")
    ap.add_argument("--mutant", choices=("none", "dropped", "autocommit"), default="none")
    ap.add_argument("--receipt", type=Path)
    return ap.parse_args()


def mutate(mutant: str) -> None:
    """Break the writer on purpose, to see that the verdict notices."""
    real = writer.transaction

    @contextlib.contextmanager
    def dropped(db: apsw.Connection) -> Iterator[apsw.Connection]:
        if random.random() < 0.02:
            db.execute("BEGIN IMMEDIATE")
            try:
                yield db
            finally:
                db.execute("ROLLBACK")
        else:
            with real(db):
                yield db

    @contextlib.contextmanager
    def autocommit(db: apsw.Connection) -> Iterator[apsw.Connection]:
        yield db

    def slow(*counts: object) -> tuple[float, float, float]:
        time.sleep(0.001)  # others get their turn between read and write, as they would on more processors
        return observe(*counts)  # type: ignore[arg-type]

    observe = confidence.observe
    if mutant == "autocommit":
        confidence.observe = slow
    if mutant != "none":
        writer.transaction = {"dropped": dropped, "autocommit": autocommit}[mutant]


def stalls(folder: str, processes: int, seconds: float) -> dict[str, int]:
    """Writers at work while random ones are stopped for a moment, wherever they are."""
    end = time.monotonic() + seconds
    children = [child(folder, n, end) for n in range(processes)]
    stalled = 0
    while time.monotonic() < end:
        victim = random.choice(children)
        os.kill(victim, signal.SIGSTOP)
        time.sleep(random.uniform(0.0, 0.05))
        os.kill(victim, signal.SIGCONT)
        stalled += 1
        time.sleep(random.uniform(0.0, 0.05))
    failed = sum(os.waitpid(pid, 0)[1] != 0 for pid in children)
    return {"processes": processes, "stalls": stalled, "failed_processes": failed}


def kills(folder: str, count: int) -> dict[str, int]:
    """Writers that are killed without warning, two at a time so that one recovers beside the other: some before their
    first write, some after a few, however fast the machine is."""
    first = first_write(folder, count)
    for n in range(0, count, 2):
        pair = [child(folder, n + i, time.monotonic() + 30 + 4 * first) for i in range(2)]
        for pid in pair:
            time.sleep(first * random.uniform(0.1, 2.0))
            os.kill(pid, signal.SIGKILL)
        for pid in pair:
            os.waitpid(pid, 0)
    return {"killed": count}


def first_write(folder: str, n: int) -> float:
    """Seconds until a writer's first write is acknowledged; it is killed then."""
    begun = time.monotonic()
    pid = child(folder, n, begun + 60)
    acks = Path(folder) / "acks" / f"{n}.log"
    while time.monotonic() < begun + 60 and not (acks.exists() and acks.stat().st_size):
        time.sleep(0.001)
    taken = time.monotonic() - begun
    os.kill(pid, signal.SIGKILL)
    os.waitpid(pid, 0)
    return taken


def child(folder: str, n: int, end: float) -> int:
    """Fork a writer that works until *end*; returns its process id."""
    pid = os.fork()
    if pid:
        return pid
    status = 1
    try:
        work(folder, n, end)
        status = 0
    except BaseException as error:
        with open(Path(folder) / "acks" / f"{n}.complaint", "w") as f:
            f.write(f"{type(error).__name__}: {error}")
    finally:
        os._exit(status)


def work(folder: str, n: int, end: float) -> None:
    random.seed(n * 7919 + os.getpid())
    acks = os.open(Path(folder) / "acks" / f"{n}.log", os.O_WRONLY | os.O_APPEND | os.O_CREAT)
    transcript = Path(folder) / f"session-{n}.jsonl"
    with Memory() as memory:
        shared = next(b["id"] for b in memory.export() if b["text"] == SHARED)
        i = 0
        while time.monotonic() < end:
            word = f"w{n}x{i}x{random.randrange(10**9)}"
            action = ("remember", "count", "lock", "count", "learn")[i % 5] if i % 25 else "inject"
            if action == "remember":
                memory.remember(f"service {word} listens on port {random.randrange(60_000)}")
            elif action == "lock":
                memory.lock(f"never deploy {word} by hand", when=f"deploy {word}")
            elif action == "count":
                with writer.transaction(memory.db):
                    beliefs.witness(memory.db, shared, "heeded", 1.0, 1.0, detail=word)
            elif action == "learn":
                teach(memory, transcript, word)
            else:
                inject(n, f"deploy {word} to production")
                word = ""
            if word:
                os.write(acks, f"{action} {word}\n".encode())
            i += 1


def teach(memory: Memory, transcript: Path, word: str) -> None:
    """One more turn in a transcript, and learn it."""
    with open(transcript, "a") as f:
        said = f"we decided that {word} runs in region eu-{random.randrange(99)}"
        f.write(json.dumps({"role": "user", "text": said, "at": "2026-03-01T10:00:00Z"}) + "\n")
    memory.learn(str(transcript))


def inject(n: int, prompt: str) -> None:
    """The hook as the client starts it; it must always end well."""
    event = json.dumps({"session_id": f"s{n}", "cwd": os.getcwd(), "prompt": prompt})
    command = [sys.executable, "-m", "agentmemory", "hook", "prompt-submit"]
    subprocess.run(command, input=event.encode(), check=True, capture_output=True)


def verdict(folder: Path) -> dict[str, object]:
    """What is missing of what was acknowledged, and whether the file is whole."""
    acked = [line.split() for log in folder.glob("acks/*.log") for line in log.read_text().splitlines()]
    complaints = [p.read_text() for p in folder.glob("acks/*.complaint")]
    with Memory() as memory:
        db = memory.db
        where = {
            "remember": {t for (t,) in db.execute("SELECT text FROM belief")},
            "learn": {t for (t,) in db.execute("SELECT text FROM turn")},
            "count": {t for (t,) in db.execute("SELECT detail FROM evidence WHERE kind = 'heeded'")},
        }
        where["lock"] = where["remember"]
        words = {action: {w for text in texts for w in text.split()} for action, texts in where.items()}
        lost = [word for action, word in acked if word not in words[action]]
        (alpha, counted) = db.execute(
            "SELECT alpha, (SELECT count(*) FROM evidence e WHERE e.belief = b.id AND e.kind = 'heeded') "
            "FROM belief b WHERE text = ?",
            (SHARED,),
        ).fetchone()
        # the shared rule is locked, so nothing decays: its alpha is the prior plus one for each outcome
        uncounted = confidence.prior("user", "rule")[0] + counted - alpha
        integrity = db.execute("PRAGMA integrity_check").fetchone()[0]
        db.execute("INSERT INTO belief_fts(belief_fts, rank) VALUES ('integrity-check', 1)")
        db.execute("INSERT INTO turn_fts(turn_fts, rank) VALUES ('integrity-check', 1)")
        foreign = db.execute("PRAGMA foreign_key_check").fetchall()
    return {
        "acknowledged": len(acked),
        "lost": len(lost),
        "miscounted": round(abs(uncounted), 3),
        "complaints": complaints[:5],
        "integrity": integrity if not foreign else f"foreign keys: {foreign[:3]}",
    }


if __name__ == "__main__":
    sys.exit(main())
