"""LoCoMo from questions to answers (Maharana et al., ACL 2024): F1 and BLEU-1 by category, a line for every question.

    python experiments/locomo.py locomo10.json                                   # no model: quotes the best turn
    python experiments/locomo.py locomo10.json --answerer http://127.0.0.1:8377/v1 --model NAME --runs 3

A prompt holds the question and the turns that search found, nothing else of the data set; that is asserted for each.
What is found, and with `quote` all of it, is the same byte for byte in every run. The data is not part of the project.
"""

from __future__ import annotations

import argparse
import hashlib
import importlib
import json
import math
import os
import string
import sys
import tempfile
import urllib.request
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

from agentmemory.memory import Memory
from agentmemory.text import stem

ROOT = Path(__file__).resolve().parent.parent
CATEGORIES = {1: "multi-hop", 2: "temporal", 3: "open-domain", 4: "single-hop", 5: "adversarial"}
FRAME = """Below are parts of conversations, each with its date and who spoke. Answer the question from them in a short
phrase, with their words where you can. When they do not tell, answer: no information available.

{turns}

Question: {question}
Short answer:"""
NOTHING = ("no information available", "not mentioned")
Answerer = Callable[[str, list[str], int], str]  # prompt, what was found, seed


def main() -> int:
    ap = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ap.add_argument("data", type=Path)
    ap.add_argument("--answerer", default="quote", help="quote, or the address of an OpenAI-compatible server")
    ap.add_argument("--model", default="")
    ap.add_argument("--runs", type=int, default=3)
    ap.add_argument("--seed", type=int, default=7)
    ap.add_argument("--turns", type=int, default=10, help="turns in a prompt")
    ap.add_argument("--questions", type=int, default=0, help="only the first so many of each conversation")
    ap.add_argument("--out", type=Path, default=ROOT / "experiments" / "results" / "locomo")
    args = ap.parse_args()
    os.environ.setdefault("AGENTMEMORY_NOW", "2026-01-01T00:00:00Z")  # the same clock every time, the same bytes
    conversations = json.loads(args.data.read_text())
    answer = quote if args.answerer == "quote" else chat(args.answerer, args.model)
    runs = []
    for run in range(args.runs):
        rows = [row for c in conversations for row in converse(c, answer, args.seed + run, args.turns, args.questions)]
        path = args.out.with_name(f"{args.out.name}_run{run + 1}.jsonl")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows))
        runs.append({"seed": args.seed + run, "sha256": hashlib.sha256(path.read_bytes()).hexdigest(), **table(rows)})
    receipt = {
        "data": args.data.name, "n": runs[0]["all"]["n"], "answerer": args.answerer, "model": args.model,
        "turns": args.turns, "runs": runs,
    }  # fmt: skip
    args.out.with_suffix(".json").write_text(json.dumps(receipt, indent=1) + "\n")
    print(json.dumps(receipt, indent=1))
    return 0


def converse(conversation: dict[str, Any], answer: Answerer, seed: int, k: int, most: int) -> list[dict[str, Any]]:
    """Store a conversation and ask its questions; a row for each."""
    sys.path.insert(0, str(ROOT / "experiments"))
    index = importlib.import_module("retrieval_command").index
    asked = [qa for qa in conversation["qa"] if qa.get("evidence")]
    items = turns_of(conversation["conversation"])
    lines = {item["id"]: f"[{item['when'][:10]}] {item['speaker']}: {item['text']}" for item in items}
    with tempfile.TemporaryDirectory() as folder, Memory(folder, project="") as memory:
        ids = index(memory, items)
        rows = []
        for number, qa in enumerate(asked[:most] if most else asked):
            found = [ids[hit.id] for hit in memory.search(str(qa["question"]), k) if hit.what == "turn"]
            row = one(qa, found, [lines[id] for id in found], answer, seed)
            rows.append({"id": f"{conversation['sample_id']}:{number}", **row})
    return rows


def one(qa: dict[str, Any], found: list[str], lines: list[str], answer: Answerer, seed: int) -> dict[str, Any]:
    """Ask and score. The gold answer is looked at only after the prediction stands."""
    question = str(qa["question"])
    prompt = FRAME.format(turns="\n".join(lines), question=question)
    assert_clean(prompt, question, lines, qa)
    said = answer(prompt, lines, seed)
    f1, bleu = score(said, str(qa.get("answer", NOTHING[0])), qa["category"])
    evidence = set(qa["evidence"])
    return {
        "category": CATEGORIES[qa["category"]], "query": question, "retrieved": found, "evidence": qa["evidence"],
        "recall": round(len(evidence.intersection(found)) / len(evidence), 4),
        "prompt_sha256": hashlib.sha256(prompt.encode()).hexdigest(), "answer": said, "f1": round(f1, 4),
        "bleu1": round(bleu, 4),
    }  # fmt: skip


def assert_clean(prompt: str, question: str, lines: list[str], qa: dict[str, Any]) -> None:
    """Outside the question and the turns that were found, a prompt holds the frame and nothing else."""
    head, tail = FRAME.replace("{question}", question).split("{turns}")
    if prompt != head + "\n".join(lines) + tail:
        raise AssertionError(f"a prompt holds more than the question and what was found: {question}")
    answers = {str(qa.get(key, "")) for key in ("answer", "adversarial_answer")} - {""}
    if any(len(a) > 3 and a in FRAME for a in answers if a.lower() not in NOTHING):
        raise AssertionError(f"the frame of the prompt holds an answer: {question}")


def turns_of(conversation: dict[str, Any]) -> list[dict[str, Any]]:
    """The turns as items, in time order; a shared picture is its caption."""
    sessions = sorted((k for k in conversation if k[8:].isdecimal()), key=lambda k: int(k[8:]))
    items: list[dict[str, Any]] = []
    for session in sessions:
        when = iso(conversation.get(f"{session}_date_time", ""))
        for turn in conversation[session]:
            text = turn["text"] + (f" [shares {turn['blip_caption']}]" if turn.get("blip_caption") else "")
            items.append({
                "id": turn["dia_id"], "text": text, "speaker": turn["speaker"],
                "session": session, "when": when, "order": len(items),
            })  # fmt: skip
    return items


def iso(spoken: str) -> str:
    """`1:56 pm on 8 May, 2023` as ISO 8601, "" when it is no such date."""
    from datetime import datetime

    try:
        return datetime.strptime(spoken.strip(), "%I:%M %p on %d %B, %Y").isoformat()
    except ValueError:
        return ""


def quote(prompt: str, found: list[str], seed: int) -> str:
    """The floor of answering: the best turn, word for word."""
    return found[0].partition(": ")[2] if found else NOTHING[0]


def chat(address: str, model: str) -> Answerer:
    """An answerer behind the chat API."""

    def answer(prompt: str, found: list[str], seed: int) -> str:
        body = {"model": model, "messages": [{"role": "user", "content": prompt}], "temperature": 0, "seed": seed}
        asked = urllib.request.Request(
            f"{address.rstrip('/')}/chat/completions", json.dumps(body).encode(), {"Content-Type": "application/json"}
        )
        with urllib.request.urlopen(asked, timeout=600) as reply:
            return str(json.load(reply)["choices"][0]["message"]["content"]).strip()

    return answer


def score(said: str, gold: str, category: int) -> tuple[float, float]:
    """F1 over stems and BLEU-1, by the rules of the data set: lists by their parts, the adversarial by refusal."""
    if category == 5:
        refused = float(any(words in said.lower() for words in NOTHING))
        return refused, refused
    gold = gold.split(";")[0] if category == 3 else gold
    parts = [part.strip() for part in gold.split(",")] if category == 1 else [gold]
    mine = [part.strip() for part in said.split(",")] if category == 1 else [said]
    f1 = sum(max(f1_of(m, part) for m in mine) for part in parts) / len(parts)
    return f1, bleu1(said, gold)


def f1_of(said: str, gold: str) -> float:
    """Harmonic mean of precision and recall of stems."""
    a, b = tokens(said), tokens(gold)
    both = sum((Counter(a) & Counter(b)).values())
    return 2 * both / (len(a) + len(b)) if both else 0.0


def bleu1(said: str, gold: str) -> float:
    """Share of the words said that are gold, less when too little is said."""
    a, b = tokens(said), tokens(gold)
    both = sum((Counter(a) & Counter(b)).values())
    return both / len(a) * min(1.0, math.exp(1 - len(b) / len(a))) if both else 0.0


def tokens(text: str) -> list[str]:
    bare = text.lower().translate(str.maketrans("", "", string.punctuation))
    return [stem(word) for word in bare.split() if word not in ("a", "an", "the", "and")]


def table(rows: list[dict[str, Any]]) -> dict[str, dict[str, float]]:
    """Means by category and over all."""
    groups = {"all": rows, **{c: [r for r in rows if r["category"] == c] for c in CATEGORIES.values()}}
    return {
        name: {"n": len(of), **{key: round(sum(r[key] for r in of) / len(of), 4) for key in ("recall", "f1", "bleu1")}}
        for name, of in groups.items() if of
    }  # fmt: skip


if __name__ == "__main__":
    sys.exit(main())
