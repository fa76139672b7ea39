"""LoCoMo from questions to answers (Maharana et al., ACL 2024): F1 and BLEU-1 by category, a line for every question.

A prompt holds the question and the turns that search found, nothing else of the data set; that is asserted for each.
What is found, and with `quote` all of it, is the same byte for byte in every run. The data is not part of the project.
"""

from __future__ import annotations

import hashlib
import json
import math
import string
import tempfile
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from agentmemory import paths
from agentmemory.answerers import NOTHING, Answerer
from agentmemory.memory import Memory
from agentmemory.model.engine import Prompt
from agentmemory.sleep.costs import Price, Tally
from agentmemory.text import stem
from agentmemory.values import Utterance

CATEGORIES = {1: "multi-hop", 2: "temporal", 3: "open-domain", 4: "single-hop", 5: "adversarial"}
FRAME = """Below are parts of conversations, each with its date and who spoke. Answer the question from them in a short
phrase, with their words where you can. When they do not tell, answer: no information available.

{turns}

Question: {question}
Short answer:"""
REFUSALS = (NOTHING, "not mentioned")
ROLES = {"user": "user", "assistant": "assistant"}
ANSWER_TOKENS = 64
CLOCK = "2026-01-01T00:00:00Z"  # the same time every run, the same bytes


def run(
    data: Path, out: Path, name: str, answer: Answerer, runs: int = 3, seed: int = 7, turns: int = 10, most: int = 0,
    prices: Mapping[str, Price] | None = None,
) -> dict[str, Any]:  # fmt: skip
    """Ask every question *runs* times; `OUT_runN.jsonl` has a line for each, the result is also `OUT.json`.

    turns: in a prompt. most: only so many questions of each conversation, 0 for all.

    Raises:
        ValueError: *data* is not LoCoMo's.
    """
    conversations = _conversations(data)
    out.parent.mkdir(parents=True, exist_ok=True)
    done: list[dict[str, Any]] = []
    price = (prices or {}).get(name, Price())
    for number in range(runs):
        tally = Tally()
        rows = [row for c in conversations for row in converse(c, answer, seed + number, turns, most, tally)]
        path = out.with_name(f"{out.name}_run{number + 1}.jsonl")
        path.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows), encoding="utf-8")
        digest = hashlib.sha256(path.read_bytes()).hexdigest()
        done.append({
            "seed": seed + number, "sha256": digest, "found_sha256": found_digest(rows), **table(rows),
            "used": tally.as_json(price),
        })  # fmt: skip
    n = done[0]["all"]["n"]
    receipt = {"data": data.name, "n": n, "answerer": name, "seed": seed, "turns": turns, "runs": done}
    out.with_name(f"{out.name}.json").write_text(json.dumps(receipt, indent=1) + "\n", encoding="utf-8")
    return receipt


def _conversations(data: Path) -> list[dict[str, Any]]:
    try:
        found = json.loads(data.read_text(encoding="utf-8"))
        whole = all(c["sample_id"] and turns_of(c["conversation"]) for c in found)
        asked = sum(
            bool(qa["question"] and qa.get("evidence") and CATEGORIES[qa["category"]]) for c in found for qa in c["qa"]
        )
    except (ValueError, LookupError, TypeError, AttributeError):
        whole, asked = False, 0
    if not (whole and asked):
        raise ValueError(
            f"{data} is not LoCoMo's data: conversations with sample_id, conversation and qa with evidence"
        )
    return list(found)


def found_digest(rows: Sequence[Mapping[str, Any]]) -> str:
    """A digest of what does not depend on who answers: questions, what was found, the prompts."""
    fixed = [{key: row[key] for key in ("id", "query", "retrieved", "prompt_sha256")} for row in rows]
    return hashlib.sha256(json.dumps(fixed).encode()).hexdigest()


def converse(
    conversation: dict[str, Any], answer: Answerer, seed: int, k: int, most: int, tally: Tally
) -> list[dict[str, Any]]:
    """Store a conversation and ask its questions; a row for each."""
    asked = [qa for qa in conversation["qa"] if qa.get("evidence")]
    items = turns_of(conversation["conversation"])
    lines = {item["id"]: f"[{item['when'][:10]}] {item['speaker']}: {item['text']}" for item in items}
    rows = []
    with tempfile.TemporaryDirectory(prefix="agentmemory-locomo-") as folder, Memory(folder, project="") as memory:
        ids = index(memory, items)
        for number, qa in enumerate(asked[:most] if most else asked):
            found = [ids[hit.id] for hit in memory.search(str(qa["question"]), k) if hit.what == "turn"]
            row = one(qa, found, [lines[id] for id in found], answer, seed, tally)
            rows.append({"id": f"{conversation['sample_id']}:{number}", **row})
    return rows


def one(
    qa: dict[str, Any], found: list[str], lines: list[str], answer: Answerer, seed: int, tally: Tally
) -> dict[str, Any]:
    """Ask and score. The gold answer is looked at only after the prediction stands."""
    question = str(qa["question"])
    prompt = FRAME.format(turns="\n".join(lines), question=question)
    assert_clean(prompt, question, lines, qa)
    bare = [line.partition(": ")[2] for line in lines]
    made = answer(Prompt(({"role": "user", "content": prompt},)), question, bare, seed)
    tally.add(made.usage)
    said = made.text.strip()
    f1, bleu = score(said, str(qa.get("answer", NOTHING)), qa["category"])
    evidence = set(qa["evidence"])
    return {
        "category": CATEGORIES[qa["category"]], "query": question, "retrieved": found, "evidence": qa["evidence"],
        "recall": round(len(evidence.intersection(found)) / len(evidence), 4),
        "prompt_sha256": hashlib.sha256(prompt.encode()).hexdigest(), "answer": said, "f1": round(f1, 4),
        "bleu1": round(bleu, 4),
    }  # fmt: skip


def index(memory: Memory, items: Sequence[Mapping[str, Any]]) -> dict[int, str]:
    """Store a conversation (`id, text, speaker, session, when, order` each), session by session; turn -> item."""
    sessions: dict[str, list[Mapping[str, Any]]] = {}
    for item in items:
        sessions.setdefault(item["session"], []).append(item)
    ids: dict[int, str] = {}
    for session, its in sessions.items():
        turns = memory.add_turns(session, [_utterance(item) for item in its])
        ids.update((turn, item["id"]) for turn, item in zip(turns, its) if turn is not None)
    return ids


def _utterance(item: Mapping[str, Any]) -> Utterance:
    """An item as a turn: a speaker who is no role is a person with a name."""
    speaker = item["speaker"]
    role = ROLES.get(speaker, "user")
    return Utterance(
        position=item["order"], role=role, text=item["text"],
        at=paths.parse_time(item["when"], local=True) if item["when"] else 0.0,
        provenance="agent" if role == "assistant" else "user", speaker="" if speaker in ROLES else speaker,
    )  # fmt: skip


def assert_clean(prompt: str, question: str, lines: list[str], qa: dict[str, Any]) -> None:
    """Outside the question and the turns that were found, a prompt holds the frame and nothing else."""
    head, tail = FRAME.replace("{question}", question).split("{turns}")
    if prompt != head + "\n".join(lines) + tail:
        raise AssertionError(f"a prompt holds more than the question and what was found: {question}")
    answers = {str(qa.get(key, "")) for key in ("answer", "adversarial_answer")} - {""}
    plain = {*REFUSALS, *FRAME.lower().split()}  # a gold answer may be a common word that the frame happens to use
    if any(len(a) > 3 and a in FRAME for a in answers if a.lower() not in plain):
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


def score(said: str, gold: str, category: int) -> tuple[float, float]:
    """F1 over stems and BLEU-1, by the rules of the data set: lists by their parts, the adversarial by refusal."""
    if category == 5:
        refused = float(any(words in said.lower() for words in REFUSALS))
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
