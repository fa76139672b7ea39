"""Of what is too long for a hint, the sentences that the prompt speaks to. Knows nothing of what else is told."""

from agentmemory.recall.need import text
from agentmemory.records import Hit
from agentmemory.text import CHARS_PER_TOKEN, stems

LEFT_OUT = "…"


def speaking(hit: Hit, over: float) -> None:
    """Leave sentences out of what a hit tells until it takes *over* tokens less, those first to which the prompt speaks
    least, of these the last; of each text one stays. Nothing is left out where that is not enough."""
    rows = [hit.row, *hit.was]
    told = [_sentences(row.brief or row.text) for row in rows]
    before = [row.brief for row in rows]
    spoken = sorted(
        (sum([hit.matched.get(stem, 0.0) for stem in {*stems(said)}]), -n, at)
        for at, each in enumerate(told) for n, said in enumerate(each)
    )  # fmt: skip
    for _, n, at in spoken:
        row, each = rows[at], told[at]
        if len(each) - each.count("") == 1:
            continue
        over -= text(row) / CHARS_PER_TOKEN
        each[-n] = ""
        row.gist = row.brief = _joined(each)
        over += text(row) / CHARS_PER_TOKEN
        if over <= 0.0:
            return
    for row, brief in zip(rows, before):
        row.gist, row.brief = "", brief


def _sentences(text: str) -> "list[str]":
    out: "list[list[str]]" = [[]]
    for word in text.split():
        if out[-1] and out[-1][-1][-1] in ".!?;":
            out.append([])
        out[-1].append(word)
    return [" ".join(each) for each in out]


def _joined(said: "list[str]") -> str:
    """Sentences, a sign in place of those that are empty."""
    shown = [each or LEFT_OUT for each in said]
    return " ".join([each for n, each in enumerate(shown) if each != LEFT_OUT or shown[n - 1 : n] != [LEFT_OUT]])
