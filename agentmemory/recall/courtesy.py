"""What people say around a request and not in it: "Hi!", "could you help me with this?", "thanks a lot", "think hard".

It says nothing of what is asked for, and by its words ("you", "help", "answer") a prompt would seem to be about the
user's own work.
"""

from agentmemory.text import STOP, words

#: how a request is led in, and how it is ended
LEADING = frozenset(
    "hi hey hello dear help assist assistance question questions favor favour sorry hope"
    " thanks thank thx another else thing task topic following hallo guten hola buenos buenas bonjour salut".split()
)
#: how what was done before is taken, before the next thing is asked for
TAKEN = frozenset(
    "amazing awesome brilliant cool done excellent exactly fine fixed good great green lgtm looking looks nice"
    " perfect super wonderful worked works wow yep yes".split()
)
GREETINGS = ("good morning", "good afternoon", "good evening", "good day")
GOODBYE = frozenset("thanks thank thx ty cheers danke dank merci gracias ultrathink megathink".split())
ENDING = GOODBYE | frozenset(
    "think rush hurry thorough thoroughly careful carefully appreciate appreciated unclear brief concise short breath"
    " time questions".split()
)
#: what else is said with these, but no word by which something is asked of the user's own work
AROUND = STOP | LEADING | ENDING
AROUND -= frozenset("what whats when where which whose who why how we our ours us was were did should shall".split())
AROUND |= frozenset(
    "advance afternoon alright answer anything ask beaucoup begin best bit bitte bother bothering claude clear codex"
    " day deep deeply dias disturb easy evening everyone everything feel final first free general good great hand hard"
    " harder id issue keep kind kindly last little long longer lot lots mate minute moment morgen morning muchas new"
    " next ones precise problem problems quick quickly reply request right say simple small something start step"
    " take team trouble vielen wait whenever".split()
)
LED_IN = LEADING | TAKEN
AROUND_FIRST = AROUND | TAKEN
NAMED = frozenset("a for say says the word".split())  # before a goodbye: it is spoken of
STOPS = (". ", "! ", "? ", "\n", "… ")
PAUSES = (*STOPS, ": ", ", ", "; ")
READ = 160  # characters at either end
MOST = 8  # words of a goodbye without a stop before it


def without(text: str) -> str:
    """A prompt without the courtesies at its beginning and its end; all of it where it says nothing else."""
    said = text.strip()
    start = 0
    for at in sorted(_places(said[:READ], PAUSES)):
        led = words(said[:at])
        if not AROUND_FIRST.issuperset(led):
            break
        if not LED_IN.isdisjoint(led) or " ".join(led[:2]) in GREETINGS:
            start = at
    said = said[start:].lstrip()
    end, tail = len(said), max(0, len(said) - READ)
    for at in sorted(_places(said[tail:], STOPS), reverse=True):
        ended = words(said[tail + at :])
        if not AROUND.issuperset(ended):
            break
        if not (ENDING.isdisjoint(ended) or said.endswith("?")):
            end = tail + at
    said = _without_goodbye(said[:end].rstrip())
    return text if AROUND.issuperset(words(said[:READ])) else said


def _places(text: str, ends: "tuple[str, ...]") -> "list[int]":
    """Where in a text something begins behind one of these ends."""
    found = []
    for end in ends:
        at = text.find(end)
        while at >= 0:
            found.append(at + len(end))
            at = text.find(end, at + 1)
    return found


def _without_goodbye(text: str) -> str:
    """The text without thanks at its end that no stop stands before."""
    pieces = text[-READ:].split()[-MOST:]
    said = [" ".join(words(piece)) for piece in pieces]
    for at in range(len(said) - 1, 0, -1):
        if said[at] not in AROUND:
            break
        if said[at] in GOODBYE and said[at - 1] not in NAMED:
            at -= said[at - 1] in ("many", "and")
            for piece in reversed(pieces[at:]):
                text = text.rstrip()[: -len(piece)]
            return text.rstrip(" ,-–—")
    return text
