"""What people say around a request and not in it: "So I've been thinking about this for a while now, ... Any ideas?",
"My manager just asked me about it: ...", "Hi! ... Many thanks". By its words ("my", "me", "think") anybody's question
would seem to be about the user's own work, and none of them tells what is asked for.

Pieces at either end of a prompt that are rather said around requests than in them, by a logistic fit over the words of
both; what is said around no request is unknown there. `python experiments/talk_fit.py --save` makes the weights.
"""

from agentmemory.recall.weights import TALK
from agentmemory.text import STOP, words

STOPS = (". ", "! ", "? ", "… ", ": ", "; ", ", ", "\n")  # what a piece ends with
LONGEST = 160  # characters of a piece that is said around a request
MOST = 12  # pieces at either end
NOTHING = 0.5  # log-odds from which talk alone says nothing
GOODBYE = frozenset("thanks thank thx ty cheers danke dank merci gracias ultrathink megathink".split())
WITH_THANKS = STOP | {"lot", "lots"}  # what stands behind it, beside words of talk
NAMED = frozenset("a for say says the word".split())  # before a goodbye: it is spoken of
LAST = 8  # words of a goodbye without a stop before it


def apart(text: str) -> "tuple[str, str]":
    """What is asked for, and what else is named around it; all of it is asked for where the rest is talk too."""
    cut = pieces(_without_goodbye(text))
    start, end = 0, len(cut)
    while start < min(end, MOST) and _around(cut[start]):
        start += 1
    while end > max(start, len(cut) - MOST) and _around(cut[end - 1]):
        end -= 1
    asked = "".join(cut[start:end]).strip()
    if not any(map(names, asked.split())):
        return text, ""
    return asked, " ".join(filter(names, "".join(cut[:start] + cut[end:]).split()))


def _without_goodbye(text: str) -> str:
    """The text without thanks at its end that no stop stands before."""
    tokens = text[-LONGEST:].split()[-LAST:]
    said = [" ".join(words(token)) for token in tokens]
    for at in range(len(said) - 1, 0, -1):
        if said[at] not in WITH_THANKS and f"word {said[at]}" not in TALK:
            break
        if said[at] in GOODBYE and said[at - 1] not in NAMED:
            at -= said[at - 1] in ("many", "and")
            for token in reversed(tokens[at:]):
                text = text.rstrip()[: -len(token)]
            return text.rstrip(" ,-–—")
    return text


def pieces(text: str) -> "list[str]":
    """The text cut behind the ends of its sentences and clauses."""
    for stop in STOPS:
        text = text.replace(stop, f"{stop}\0")
    return text.split("\0")


def only(text: str) -> bool:
    """Whether a text says nothing that is not said around any request, in words of talk alone ("Thank you!", "that's it
    for today"): whose words are plain says much that only sounds like it."""
    return not any(map(names, text.split())) and all(_around(piece, NOTHING) for piece in pieces(text))


def names(token: str) -> bool:
    """Whether it is no word of talk."""
    return any(f"word {word}" not in TALK for word in words(token))


def _around(piece: str, least: float = 0.0) -> bool:
    return not piece.strip() or (len(piece) <= LONGEST and odds(piece) > least)


def odds(piece: str) -> float:
    """Log-odds of being said around a request, less those from which it is left out."""
    return sum([TALK.get(name, 0.0) * value for name, value in features(piece).items()], TALK["rest"])


def features(piece: str) -> "dict[str, float]":
    """What the weights are for."""
    said = {f"word {word}": 1.0 for word in words(piece)}
    return said | {
        "unknown": float(sum(1 for name in said if name not in TALK)), "words": float(len(said)),
        "asks": float("?" in piece), "figures": float(any(c.isdigit() for c in piece)),
        "goes on": float(piece.rstrip().endswith((",", ":"))),
    }  # fmt: skip
