"""What a sentence takes back, undoes or lifts by its name: "undo the ttl change", "scratch the linter rule", "deploying
on fridays is fine again". Reads the words alone (data/undoing.toml); what was taught is looked up in `byname`."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import Any

from agentmemory.learn import retired, tables, thesaurus
from agentmemory.text import content, stem, stems, words

#: words that name nothing; a day does: "the friday rule"
VAGUE = frozenset(s for s in retired.VAGUE if s in ("day", "today") or not s.endswith("day"))
LONGEST = 240  # characters of a sentence that orders something
FEW = 2  # stems that name a thing without a word of what it is
REASON = 3  # words that give one
BEHIND = 3  # words behind a number among which is what it counts
_DATA: dict[str, Any] = tables.read("undoing")


@dataclass(frozen=True, slots=True)
class Undoing:
    """An order to undo or take back something. sort: "undo" a change; a change was a "mistake"; or "drop" what was
    taught. what: stems of what it names; to: of what shall hold again. surely: it can mean nothing else than what was
    taught. alone: it does where nothing else is said. bare: no word says what it is ("revert the jump")."""

    sort: str
    what: frozenset[str]
    to: frozenset[str] = frozenset()
    surely: bool = False
    alone: bool = False
    bare: bool = False


@dataclass(frozen=True, slots=True)
class Lift:
    """What may be done again ("permit"), need not be done any more ("spare"), or is enough ("fewer"). stems: what it
    is; verb: stems that the rule may say in another form. whole: it has to be all of the rule. whenever: under whatever
    condition. count: how many are enough; counted: stems of what."""

    sort: str
    stems: frozenset[str]
    whole: bool = False
    verb: frozenset[str] = frozenset()
    whenever: bool = False
    count: int = 0
    counted: frozenset[str] = frozenset()


@lru_cache(maxsize=512)
def undoings(text: str) -> tuple[Undoing, ...]:
    """How a sentence may be read as an order to take something back, the surest reading first."""
    said = _plain(text)
    if said is None:
        return ()
    return tuple(dict.fromkeys([*_undone(said), *_dropped(said)]))


@lru_cache(maxsize=512)
def lift(text: str) -> Lift | None:
    """What a statement says to be allowed again or not to be required any more."""
    said = _plain(text)
    if said is None or not shape("lift", "hint").search(said):
        return None
    return next(_lifted(said), None)


def everywhere(text: str) -> bool:
    """Whether a sentence may speak of what holds everywhere: it names no project."""
    return shape("here").search(text.lower()) is None


def asks_for_more(text: str, than: Lift) -> bool:
    """Whether a text counts the same things as a statement that fewer of them are enough, and more of them."""
    said = words(text)
    for i, word in enumerate(said):
        behind = set(map(stem, said[i + 1 : i + 1 + BEHIND]))
        if _counts().get(word, 0) > than.count and all(thesaurus.akin({s}, behind) for s in than.counted):
            return all(thesaurus.akin({s}, map(stem, said)) for s in than.stems)
    return False


def conditional(text: str) -> bool:
    """Whether a rule says under which condition or until when it holds."""
    return shape("lift", "conditional").search(text.lower()) is not None


def ruling() -> frozenset[str]:
    """Stems of words that say that something is a rule."""
    return _stemmed("ruling")


def _undone(said: str) -> Iterator[Undoing]:
    if not shape("undo", "hint").search(said):
        return
    for sort, key in (("undo", "says"), ("mistake", "mistake")):
        for pattern in _shapes("undo", key):
            if found := pattern.search(said):
                parts = found.groupdict(default="")
                what, to = parts.get("what", ""), parts.get("to", "")
                if to and shape("where").match(to):  # "put it back where it was"
                    continue
                if named := _named(what, said):
                    back = _stems(to, said)
                    yield Undoing(sort, named, back, bare=not (back or _of_a_kind(what)))


def _dropped(said: str) -> Iterator[Undoing]:
    if not shape("drop", "hint").search(said):
        return
    for key in ("surely", "firm"):
        for pattern in _shapes("drop", key):
            found = pattern.search(said)
            if found is None or not (named := _named(found["what"], said)) or retired.says_more(said[found.end() :]):
                continue
            if key == "surely" or not _kinds("laid_down").isdisjoint(words(found["what"])):
                yield Undoing("drop", named, surely=True)
            elif _of_a_kind(found["what"], "things"):
                if not shape("changes").search(found.group()):
                    yield Undoing("drop", named)
            elif shape("drop", "plainly").search(found.group()) and len(named - VAGUE) >= FEW:
                if not said[found.end() :].strip(" .!") and not said[: found.start()]:
                    yield Undoing("drop", named, alone=True)


def _lifted(said: str) -> Iterator[Lift]:
    for pattern in _shapes("lift", "over"):
        if found := pattern.search(said):
            yield Lift("permit", _named(found["what"], said) or _stems(found["what"], said))
    for sort, key in (("permit", "surely"), ("permit", "fully"), ("spare", "spare")):
        for pattern in _shapes("lift", key):
            if (found := pattern.search(said)) and (named := _told(found, said)):
                parts = found.groupdict(default="")
                verb = _stems(parts.get("verb", ""), said)
                yield Lift(sort, named - verb, key == "fully", verb, "whenever" in parts)
    for pattern in _shapes("lift", "fewer"):
        if (found := pattern.search(said)) and (count := _counts().get(found["count"])):
            counted = _stems(found["what"] or "", said)
            if named := counted | _stems(f"{found['of'] or ''} {found['for'] or ''}", said):
                yield Lift("fewer", named, count=count, counted=counted)
    for pattern in _shapes("lift", "told"):
        if found := pattern.search(said):
            parts = found.groupdict(default="")
            anew = parts.get("when", "") not in ("", "now")
            reason = len(parts["rest"].split()) > REASON
            named = _stems(parts["what"], said)
            if named and (anew or reason or "verb" in parts):
                yield Lift("permit", named, not reason, _stems(parts.get("verb", ""), said))


@cache
def _counts() -> dict[str, int]:
    return {word: int(count) for count, said in _DATA["counts"].items() for word in said.split()}


def _told(found: re.Match[str], said: str) -> frozenset[str]:
    """Stems of all that a clause says to be lifted, also behind the word that does; none where it sets a case apart."""
    behind = said[found.end() :]
    if shape("lift", "apart").search(behind):
        return frozenset()
    ends = shape("piece", "end").search(behind)
    parts = [each for name, each in found.groupdict().items() if each and name != "whenever"]
    return _stems(" ".join([*parts, behind[: ends.start()] if ends else behind]), said)


def _plain(text: str) -> str | None:
    """A sentence as the patterns read it; none where it asks or supposes something, or is of this case only."""
    said = flat(text)
    if len(said) > LONGEST or shape("passing").search(said) or shape("supposes").match(said):
        return None
    return said if not said.endswith("?") or said.startswith(("can you", "could you", "would you", "please")) else None


def flat(text: str) -> str:
    """A text in lower case on one line, without marks of code."""
    return " ".join(text.lower().replace("`", "").replace("’", "'").split())


def _named(what: str, said: str) -> frozenset[str]:
    """Stems of what names a thing, without the word of what it is; none where vague words alone are left."""
    left = _stems(what, said) - _stemmed("kinds") - _stemmed("which") - _stemmed("laid_down")
    return left if left - VAGUE else frozenset()


def _of_a_kind(what: str, key: str = "kinds") -> bool:
    """Whether a word says of what is named what it is: a change, a thing."""
    return bool(shape("drop", "of").search(what)) or not _kinds(key).isdisjoint(words(what))


@lru_cache(maxsize=512)
def telling(text: str) -> frozenset[str]:
    """Stems of a text without words of structure, of whichever language."""
    return frozenset(content(text)) - _stemmed("little")


def _stems(what: str, said: str) -> frozenset[str]:
    """Stems of what a sentence names."""
    return telling(said).intersection(stems(what))


def laid_down() -> frozenset[str]:
    """Stems of words for what was laid down: "drop that rule" names nothing of it."""
    return _stemmed("laid_down")


@cache
def _kinds(key: str) -> frozenset[str]:
    return frozenset(words(_DATA[key]))


@cache
def _stemmed(key: str) -> frozenset[str]:
    return frozenset(map(stem, _kinds(key)))


def shape(*path: str) -> re.Pattern[str]:
    """A pattern of the table, by where it stands there."""
    (pattern,) = _shapes(*path)
    return pattern


@cache
def _shapes(*path: str) -> list[re.Pattern[str]]:
    written: Any = _DATA
    for key in path:
        written = written[key]
    out = [written] if isinstance(written, str) else written
    for name, piece in _DATA["piece"].items():
        out = [each.replace(f"{{{name}}}", piece) for each in out]
    return list(map(re.compile, out))
