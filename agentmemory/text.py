"""Words of a text: split, stopped, stemmed; the one stop list; the token estimate.

What is indexed and what is asked go through `stems`, so both sides always agree. Imports nothing.
"""

STOP = frozenset(
    """a about above after again all also am an and any are as at be but by can cant could d did didnt do does
    doesnt doing dont done down because been before being below between both during each either else ever every
    few for from further get gets getting go goes going gonna got had has hasnt have havent having he her here
    hers him his how i if ill im in into is isnt it its itself ive just know let lets like ll lol m make makes
    many may maybe me might more most much must my need needs no nor not now of off ok okay on once one only or
    other ought our ours out over own perhaps please pls quite rather re really s same see shall she should
    shouldnt since so some still such sure t than thank thanks that thats the their theirs them then there
    theres these they theyre thing things think this those though through thus thx to too under until up us use
    used using ve very want was wasnt way we well were weve what whats when where which while who whom whose why
    will with wont would yeah yep yes yet you youd youll your youre yours""".split()
)

#: words of structure of other languages, as `words` gives them. "die", "mit", "con" or "en" also mean something in
#: English: they are left out of a text in their language only
STRUCTURE = tuple(
    frozenset(each.split())
    for each in (
        """ab aber alle allem allen alles als also am an andere auch auf aus bei beim bereits bis bitte bleibt bloss da
        dafur damit dann das dass davon dazu dein deine dem den denn der des deshalb dich die dies diese diesem diesen
        dieser dieses dir doch dort du durch eben ein eine einem einen einer eines einfach er es etwas euch fur ganz
        gar geben geht genau gerade gern gibt gleich habe haben hat hatte hatten heisst her hier hin ich ihm ihn ihnen
        ihr ihre im immer in ins irgendwie ist ja jede jedem jeden jeder jedes jetzt kann kein keine keinem keinen
        keiner konnen konnte konnten kannst lassen lass liegt los mach mache machen macht mal man mehr mein meine
        meinem meinen meiner mich mir mit mochte muss mussen musst nach ne nein nicht nichts noch nun nur ob oder ohne
        per schau schon sehr sein seine seit selber selbst sich sie sind so soll sollen sollte sollten sondern sonst
        statt uber uberhaupt um und uns unser unsere unserem unseren unter usw viel vom von vor wann war waren warum
        was wegen weil weiter welche welchem welchen welcher welches wenn wer werden wie wieder wieso will willst wir
        wird wo wohin wollen worum wurde wurden wurden zu zum zur zwischen""",
        """ai alors apres as au aussi autre autres aux avant avec avez avoir avons bien bon c ca car ce cela celle celui
        ces cest cet cette chaque chez comme comment d dans de deja depuis des dois doit donc dont du elle elles en
        encore entre es est et etait etant etc ete etes etre eu fait faire fais faut font ici il ils j jai jamais je
        juste l la le les leur leurs lui m ma maintenant mais me meme merci mes moi mon n ne non nos notre nous on ont
        ou par parce pas pendant peu peut peux plus pour pourquoi pourrais puis qu quand que quel quelle quelles quels
        qui quoi rien s sa sans se ses si son sont sous suis sur t ta te tes toi ton toujours tous tout toute toutes
        tres tu un une va vas vers veux voici voila vont vos votre vous y""",
        """a ahi ahora al algo alguna alguno alguien alli ante antes aqui asi aun aunque cada casi como con cual cuales
        cuando cuanto cuantos da dar de debe deben debo del desde despues dia donde dos e el ella ellas ellos en entre
        era eran eres es esa esas ese eso esos esta estaba estan estas este esto estos estoy fue gracias ha hace hacen
        hacer hacia haces han hasta hay haz he la las le les lo los mas me mi mientras mis misma mismo mucho muy nada ni
        ningun ninguna no nos nosotros nuestra nuestras nuestro nuestros nunca o os otra otras otro otros para pero poco
        por porque puede pueden puedes puedo pues que quien quiero se sea segun ser si siempre sin sino sobre solo son
        soy su sus tal tambien tan tanto te tengo tiene tienen tienes toda todas todo todos tu tus u un una unas uno
        unos usted va vamos van voy y ya yo""",
    )
)

GERMAN = 0  # its place there

#: words of French that have lost their vowel before another: "l'appli", "qu'on"
ELIDED = frozenset("c d j l m n s t qu jusqu lorsqu puisqu quelqu".split())

#: the names of each month
MONTHS = (
    "january jan", "february feb", "march mar", "april apr", "may", "june jun", "july jul", "august aug",
    "september sep sept", "october oct", "november nov", "december dec",
)  # fmt: skip

MOST_KEPT = 50_000  # stems in memory: a learner sees every word of a store
LONGEST = 64  # letters; what is longer is no word of a language and stays as it is
CHARS_PER_TOKEN = 4  # the estimate that budgets and reports use everywhere


def tokens(text: str) -> float:
    """Estimated size of *text* in model tokens."""
    return len(text) / CHARS_PER_TOKEN


def words(text: str) -> list[str]:
    """Lower-case words of *text*. Identifiers give their parts and themselves: `useEffect` -> useeffect,
    use, effect; paths and kebab or snake case give their parts; runs of CJK give character pairs.
    """
    plain = (_unelided(text) if "'" in text or "’" in text else text).translate(_SEPARATORS)
    if plain.isascii() and plain == plain.lower():
        return plain.split()
    out: list[str] = []
    for raw in plain.split():
        if raw.isascii():
            if not (raw.islower() or raw.isupper() or raw.isdigit() or raw[1:].islower()):
                out.extend(_camel(raw))
            out.append(raw.lower())
        else:
            out.extend(_foreign(raw.lower()))
    return out


def _unelided(text: str) -> str:
    """French with its articles and the like, where they have lost their vowel, as words: "l'appli" -> "l appli"."""
    out = []
    for word in text.replace("’", "'").split():
        head, _, tail = word.partition("'")
        out.append(f"{head} {tail}" if head.lstrip('(«"').lower() in ELIDED and tail[1:2].isalpha() else word)
    return " ".join(out)


def stems(text: str) -> list[str]:
    """Stems of the words of *text* without stop words, in order, with repetitions."""
    return _stems(words(text))


def content(text: str) -> list[str]:
    """The same, also without the words of structure of the text's language."""
    said = words(text)
    if (place := tongue(set(said))) >= 0:
        said = [word for word in said if word not in STRUCTURE[place]]
    return _stems(said)


def _stems(said: list[str]) -> list[str]:
    return list(filter(None, map(_TERMS.__getitem__, said)))


def tongue(said: set[str]) -> int:
    """The place in `STRUCTURE` of the language that a text with these words is in; -1 where that is English."""
    if _FOREIGN.isdisjoint(said):
        return -1
    place = max(range(len(STRUCTURE)), key=lambda each: len(STRUCTURE[each] & said))
    here = STRUCTURE[place]
    foreign, english = len(here & said), len((said & STOP) - here)
    return place if foreign > max(1, english) else -1


def stem(word: str) -> str:
    """Porter's stem (M. F. Porter, An algorithm for suffix stripping, 1980) of one lower-case word."""
    known = _STEMS.get(word)
    if known is None:
        known = _porter(word) if 3 < len(word) <= LONGEST and word.isascii() and word.isalpha() else word
        if len(_STEMS) < MOST_KEPT:
            _STEMS[word] = known
    return known


class _Separators(dict[int, int | None]):
    """Code point -> itself when it belongs to a word; nothing for an apostrophe, for an accent of its own (as in
    file names of macOS) and for what joins or parts a word unseen; all else -> a space."""

    def __missing__(self, code: int) -> int | None:
        self[code] = code if chr(code).isalnum() else 32
        return self[code]


_FOREIGN = frozenset().union(*STRUCTURE) - STOP
_SEPARATORS = _Separators(
    dict.fromkeys((ord("'"), ord("’"), 0xAD, 0x200C, 0x200D, 0x2060, 0xFEFF, *range(0x300, 0x370)))
)
_STEMS: dict[str, str] = {}


class _Terms(dict[str, str]):
    """Word -> its stem, "" for a stop word and a single letter."""

    def __missing__(self, word: str) -> str:
        telling = word not in STOP and (len(word) > 1 or not word.isascii() or word.isdigit())
        term = stem(word) if telling else ""
        if len(self) < MOST_KEPT:
            self[word] = term
        return term


_TERMS = _Terms()


def _camel(raw: str) -> list[str]:
    """Parts of `camelCase`, `HTTPServer`, `utf8Name`; nothing when there is one part only."""
    parts, start = [], 0
    for i in range(1, len(raw)):
        before, here = raw[i - 1], raw[i]
        after = raw[i + 1] if i + 1 < len(raw) else ""
        if here.isupper() and (before.islower() or before.isdigit() or (before.isupper() and after.islower())):
            parts.append(raw[start:i].lower())
            start = i
    parts.append(raw[start:].lower())
    return parts if len(parts) > 1 else []


def _foreign(raw: str) -> list[str]:
    """A word with letters beyond ASCII: Latin is folded to its base letters, CJK is cut into pairs."""
    if any("\u3040" <= c <= "\u9fff" or "\uac00" <= c <= "\ud7af" or c >= "\U00020000" for c in raw):
        return [raw[i : i + 2] for i in range(len(raw) - 1)] or [raw]
    return [folded(raw)]


def folded(word: str) -> str:
    """A lower-case word with Latin letters as their base letters."""
    return word.translate(_LATIN)


_LATIN = str.maketrans(
    "àáâãäåāăąçćčďđèéêëēėęěğìíîïīįıłñńňòóôõöøōőŕřśşšťùúûüūůűųýÿźżž",
    "aaaaaaaaacccddeeeeeeeegiiiiiiilnnnoooooooorrssstuuuuuuuuyyzzz",
    "",
) | {ord("ß"): "ss", ord("æ"): "ae", ord("œ"): "oe", ord("þ"): "th"}


def _consonant(w: str, i: int) -> bool:
    c = w[i]
    if c in "aeiou":
        return False
    return c != "y" or i == 0 or not _consonant(w, i - 1)


def _measure(w: str) -> int:
    """Number of vowel-consonant sequences, Porter's m."""
    n, vowel = 0, False
    for i in range(len(w)):
        if _consonant(w, i):
            n += vowel
            vowel = False
        else:
            vowel = True
    return n


def _has_vowel(w: str) -> bool:
    return any(not _consonant(w, i) for i in range(len(w)))


def _short_end(w: str) -> bool:
    """Consonant, vowel, consonant at the end, the last one not w, x or y (Porter's *o)."""
    n = len(w)
    return n > 2 and _consonant(w, n - 1) and not _consonant(w, n - 2) and _consonant(w, n - 3) and w[-1] not in "wxy"


_STEP2 = {
    "ational": "ate", "tional": "tion", "enci": "ence", "anci": "ance", "izer": "ize", "bli": "ble",
    "alli": "al", "entli": "ent", "eli": "e", "ousli": "ous", "ization": "ize", "ation": "ate",
    "ator": "ate", "alism": "al", "iveness": "ive", "fulness": "ful", "ousness": "ous",
    "aliti": "al", "iviti": "ive", "biliti": "ble", "logi": "log",
}  # fmt: skip
_STEP3 = {
    "icate": "ic", "ative": "", "alize": "al", "iciti": "ic", "ical": "ic", "ful": "", "ness": "",
}  # fmt: skip
_STEP4 = frozenset((
    "al", "ance", "ence", "er", "ic", "able", "ible", "ant", "ement", "ment", "ent", "sion", "tion", "ou",
    "ism", "ate", "iti", "ous", "ive", "ize",
))  # fmt: skip


def _porter(w: str) -> str:
    w = _endings(w)
    if w[-1] == "y" and len(w) > 2 and _consonant(w, len(w) - 2):  # as in Porter's later English stemmer:
        w = w[:-1] + "i"  # deploy keeps its y, so that deployment meets it
    for table in (_STEP2, _STEP3):
        for n in (7, 6, 5, 4, 3):  # letters; the longest ending that it has
            if w[-n:] in table and n < len(w):
                if _measure(w[:-n]) > 0:
                    w = w[:-n] + table[w[-n:]]
                break
    for n in (5, 4, 3, 2):
        if w[-n:] in _STEP4:
            cut = -3 if w[-n:] in ("sion", "tion") else -n
            if _measure(w[:cut]) > 1:
                w = w[:cut]
            break
    if w[-1] == "e":
        m = _measure(w[:-1])
        if m > 1 or (m == 1 and not _short_end(w[:-1])):
            w = w[:-1]
    if w.endswith("ll") and _measure(w) > 1:
        w = w[:-1]
    return w


def _endings(w: str) -> str:
    """Porter's step 1: plurals, -ed and -ing."""
    if w.endswith(("sses", "ies")):
        w = w[:-2]
    elif w.endswith("s") and not w.endswith("ss"):
        w = w[:-1]
    if w.endswith("eed"):
        return w[:-1] if _measure(w[:-3]) > 0 else w
    for ending in ("ed", "ing"):
        if w.endswith(ending) and _has_vowel(w[: -len(ending)]):
            w = w[: -len(ending)]
            if w.endswith(("at", "bl", "iz")):
                return w + "e"
            if len(w) > 1 and w[-1] == w[-2] and _consonant(w, len(w) - 1) and w[-1] not in "lsz":
                return w[:-1]
            if _measure(w) == 1 and _short_end(w):
                return w + "e"
            return w
    return w


def spelled(name: str, exact: bool) -> str:
    """What the spellings of one thing share: `Billing_API`, `billing-api` and `BillingApi` are one; *exact* for a file,
    a host, a command and their like, whose every sign counts."""
    if exact:
        return " ".join(name.split()).lower().rstrip("/.,")
    return "".join(c for c in name.lower() if c.isalnum() or c in "@/:<>=.+#").strip(".")
