"""A short text that stands for many: the sentences that keep most of what is named and most of what is said.

Greedy maximal coverage, best gain per character first (H. Lin, J. Bilmes, Multi-document summarization via budgeted
maximization of submodular functions, NAACL 2010). Every sentence is verbatim.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass

from agentmemory.learn.entities import extract
from agentmemory.text import STOP, content, stems, words

SHARE = 0.25  # of the characters that are summarised
LEAST, MOST = 160, 700  # characters of a summary; a belief that long costs 175 tokens when it is shown
ENTITY = 3.0  # a named thing weighs as much as three ordinary words
MOST_SENTENCES = 400  # of a topic that are looked at; the first of each turn come first
LONGEST = 280  # characters of one sentence; longer ones are pastes
KEYWORDS = 10
TITLE = 4  # of them
LONGEST_TITLED = 2_000  # characters of a text whose spellings may stand in the title

#: a mark that ends no sentence: within a word, behind the day of a date in German, behind a short form
WITHIN = (
    r"[.!?](?!\s|$)|(?<=\d)\.(?= (?:Jan|Feb|Mär|Apr|Mai|Jun|Jul|Aug|Sep|Okt|Nov|Dez))"
    r"|(?:(?<=\be\.g)|(?<=\bi\.e)|(?<=\bz\.B)|(?<=\bvs)|(?<=\bca)|(?<=\bbzw))\."
)
SENTENCE = re.compile(rf"[^\n.!?。！？]+(?:(?:{WITHIN})[^\n.!?。！？]*)*[.!?。！？]?")
#: words of scripts that part none by spaces, where the script changes: katakana, characters, hangul; of others nothing
RUN = re.compile(r"[\u30a1-\u30fa\u30fc]{2,}|[\u3005\u4e00-\u9fff]{2,}|[\uac00-\ud7af]{2,}")
LONGEST_RUN = 8  # characters; a longer one is a clause
FENCE = re.compile(r"```.*?(?:```|\Z)", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Extract:
    """What stands for the texts: a title's words, keywords (stems with weights), verbatim sentences."""

    title: str
    keywords: tuple[str, ...]
    sentences: tuple[str, ...]

    @property
    def text(self) -> str:
        """As one belief says it."""
        return f"{self.title}: " + " ".join(self.sentences) if self.sentences else self.title


def summarise(
    texts: Sequence[str],
    rarity: Mapping[str, float],
    about: Sequence[str] | None = None,
    titled: Callable[[Sequence[str]], Collection[str]] | None = None,
) -> Extract:
    """An extract of *texts*. *rarity*: weight of a stem (idf). *about*: what title and keywords are taken from.

    titled: which of the keywords may stand in the title, where any may.
    """
    about = texts if about is None else about
    weights = centroid(about, rarity)
    keywords = tuple(stem for stem, _ in _top(weights, KEYWORDS))
    budget = max(LEAST, min(MOST, int(SHARE * sum(map(len, about)))))
    chosen = _cover(_sentences(texts), weights, budget)
    allowed = set(titled(keywords)) if titled else set(keywords)
    return Extract(_title(about, [k for k in keywords if k in allowed], keywords), keywords, tuple(chosen))


def centroid(texts: Sequence[str], rarity: Mapping[str, float]) -> dict[str, float]:
    """Weight of each stem over the texts: in how many it occurs, times its rarity; words of structure have none."""
    counts = Counter(stem for text in texts for stem in set(content(text)))
    return {stem: n * rarity.get(stem, 1.0) for stem, n in counts.items()}


def sentences(text: str) -> list[str]:
    """The sentences of a text, without code blocks, list marks, bold type and very long lines."""
    found = (m.group().strip(" \t-*#>|") for m in SENTENCE.finditer(FENCE.sub("\n", text).replace("**", "")))
    return [s for s in found if 12 <= len(s) <= LONGEST and any(c.isalpha() for c in s)]


def entities(text: str) -> set[str]:
    """Norms of the named things of a text."""
    return {named.norm for named in extract(text)}


def _sentences(texts: Sequence[str]) -> list[str]:
    each = [sentences(text) for text in texts]
    firsts = [s for group in each for s in group[:1]]
    return list(dict.fromkeys([*firsts, *(s for group in each for s in group[1:])]))[:MOST_SENTENCES]


def _cover(given: Sequence[str], weights: Mapping[str, float], budget: int) -> list[str]:
    scale = max(weights.values(), default=1.0)
    tells = []
    for sentence in given:
        tells.append({stem: weights.get(stem, 0.0) / scale for stem in stems(sentence)})
        tells[-1].update({"@" + norm: ENTITY for norm in entities(sentence)})
    left, told, room = set(range(len(given))), set[str](), budget
    chosen: list[int] = []
    while left:
        gains = {i: sum(w for t, w in tells[i].items() if t not in told) / (len(given[i]) + 20) for i in left}
        best = max(sorted(left), key=lambda i: gains[i])
        if gains[best] <= 0.0:
            break
        left.discard(best)
        if len(given[best]) + 1 <= room or not chosen:
            chosen.append(best)
            told.update(tells[best])
            room -= len(given[best]) + 1
    return [given[i] if given[i][-1] in ".!?:。！？" else given[i] + "." for i in sorted(chosen)]


def _title(texts: Sequence[str], allowed: Sequence[str], keywords: Sequence[str]) -> str:
    """The first keywords, those *allowed* before any, as the texts begin to spell them; where that gives no plain word,
    as they spell them anywhere, with their figures."""
    begun = [FENCE.sub("\n", text)[:LONGEST_TITLED] for text in texts]
    plain = _spelled(begun, figures=False)
    found = _first(allowed, plain) or _first(keywords, plain) or _first(keywords, _spelled(texts, figures=True))
    return ", ".join(found).capitalize() or "Several things"


def _spelled(texts: Sequence[str], figures: bool) -> dict[str, str]:
    """How the texts spell each stem most; words with figures only where asked for."""
    counts: dict[str, Counter[str]] = {}
    for text in texts:
        runs = _runs(text)
        for word in words(text):
            if word not in STOP and (figures or not any(c.isdigit() for c in word)):
                spelled = runs.get(word, "") if max(word) >= "\u3040" else word
                for stem in stems(word)[:1] if spelled else ():
                    counts.setdefault(stem, Counter())[spelled] += 1
    return {stem: max(sorted(spellings.items()), key=lambda w: w[1])[0] for stem, spellings in counts.items()}


def _runs(text: str) -> dict[str, str]:
    """Pairs of characters, as which words without spaces are indexed, and the word that each is of."""
    short = [run for run in RUN.findall(text) if len(run) <= LONGEST_RUN]
    return {run[i : i + 2]: run for run in short for i in range(len(run) - 1)}


def _first(keywords: Sequence[str], spelled: Mapping[str, str]) -> list[str]:
    """The first keywords that are spelled, none that only is a part of another."""
    found: list[str] = []
    for word in (spelled[k] for k in keywords if k in spelled):
        if len(found) < TITLE and not any(word in other or other in word for other in found):
            found.append(word)
    return found


def _top(weights: Mapping[str, float], n: int) -> list[tuple[str, float]]:
    """Those of the most weight; of a name and its parts the name first."""
    return sorted(weights.items(), key=lambda item: (-item[1], -len(item[0]), item[0]))[:n]
