"""Does a prompt ask what one word or thing of common knowledge is, as anybody may? "what is semver", "¿qué es una
transacción?", "wie funktioniert pg_dump?". Knows only how such questions open; closed-class words of four languages."""

from itertools import takewhile

from agentmemory.text import STOP, words

#: how one asks of a word what it is, and what may stand behind it
ASKS_OF = frozenset(("what is", "what are", "whats", "what does", "explain", "define"))
MEANS = frozenset("mean means do does again exactly actually stand stands".split())
#: "the full form of", "an abbreviation for": asks the same of the word that follows
FORMS = frozenset("a an the full form meaning definition abbreviation acronym short of for".split())
#: the same in other languages, as `words` reads them; each may open behind another ("explícame qué es")
ELSEWHERE = tuple(
    "que es|que son los|que son las|que son|que significa|que quiere decir|que hace|para que sirve|por que existe"
    "|como funciona|como funcionan|como se usa|como se utiliza|explicame|explica|explicame que es|define"
    "|cual es la diferencia entre|que diferencia hay entre"
    "|qu est ce qu|qu est ce que c est qu|qu est ce que|c est quoi|ce qu est|ce que c est qu|que veut dire|que signifie"
    "|comment fonctionne|comment fonctionnent|comment marche|comment utilise t on|a quoi sert|explique moi|explique"
    "|pourquoi existe|quelle est la difference entre|qu est ce qui differencie"
    "|was ist|was sind|was heißt|was heisst|was bedeutet|was macht|was versteht man unter|wozu dient|wofur ist"
    "|wie funktioniert|wie funktionieren|wie benutzt man|wie verwendet man|erklar mir|erklare mir|erklar|erklare"
    "|was ist der unterschied zwischen|warum gibt es|was".split("|")
)  # fmt: skip
OPENINGS = tuple(sorted((f"{each} " for each in ELSEWHERE), key=len, reverse=True))
BETWEEN = ("diferencia", "difference", "unterschied")  # what two things have not in common
ONE = frozenset("un una unos unas ein eine einen einer une".split())
ENDS = frozenset("ist sind heißt heisst gut bedeutet".split())  # "was ein index ist", "wofür ist twig gut"
OF_OURS = frozenset(
    "nuestro nuestra nuestros nuestras mi mis usamos tenemos aqui notre nos mon mes ma ici avons nous unser unsere"
    " unserem unseren unserer mein meine wir uns hier".split()
)
MOST = 9  # words behind such an opening


def of_a_word(said: str, raw: "list[str]") -> bool:
    """Whether a prompt asks what one word means, or what one such thing is. *raw*: its words from where it begins."""
    opening = next((n for n in (2, 1) if " ".join(raw[:n]) in ASKS_OF), 0)
    if not opening:
        return _elsewhere(said)
    form = list(takewhile(FORMS.__contains__, raw[opening:]))
    if form and form[-1] in ("of", "for"):
        opening += len(form)
    asked = [word for word in raw[opening:] if word not in MEANS]
    if asked[1:] == ["for"]:  # "what does WAL stand for"
        asked.pop()
    return (len(asked) == 1 and asked[0] not in STOP) or _elsewhere(said)


def _elsewhere(said: str) -> bool:
    """The same of a prompt in Spanish, French or German."""
    rest, opened = " ".join(words(said)), ""
    while found := next((each for each in OPENINGS if rest.startswith(each)), ""):
        rest, opened = rest[len(found) :], opened + found
    asked = rest.split()
    if not opened or not asked or len(asked) > MOST or not OF_OURS.isdisjoint(asked):
        return False
    if any(word in opened for word in BETWEEN) or asked[0] in ONE:
        return True
    while len(asked) > 1 and asked[-1] in ENDS:
        asked.pop()
    return opened != "was " and any(words(token) == asked for token in said.split())
