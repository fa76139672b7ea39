"""The values that a text carries, by type: paths, hosts, ports, times, versions, amounts, days, regions, what was
chosen ("we go with Kafka") and what holds a role ("the headline figure is WAPE")."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import lru_cache

from agentmemory.learn.retired import VAGUE
from agentmemory.text import STOP, stem, stems

DIGITS = r"\d[\d_,]*(?:[.:]\d+)*"
NUMBER = re.compile(rf"{DIGITS}|[^\W\d_]+")  # or a word that may be one
COUNTED = {
    "two": "2", "three": "3", "four": "4", "five": "5", "six": "6", "seven": "7", "eight": "8", "nine": "9",
    "ten": "10", "eleven": "11", "twelve": "12", "thirteen": "13", "fourteen": "14", "fifteen": "15", "sixteen": "16",
    "seventeen": "17", "eighteen": "18", "nineteen": "19", "twenty": "20", "thirty": "30", "forty": "40",
    "fifty": "50", "sixty": "60", "seventy": "70", "eighty": "80", "ninety": "90", "hundred": "100", "dozen": "12",
}  # fmt: skip
#: the same in German, French and Spanish: these count before a unit of these languages only ("sept", "un", "dos")
COUNTED_ELSEWHERE = {
    word: str(number)
    for number, said in {
        1: "ein eine einen einem einer un une una", 2: "zwei deux dos", 3: "drei trois tres", 4: "vier quatre cuatro",
        5: "fünf cinq cinco", 6: "sechs six seis", 7: "sieben sept siete", 8: "acht huit ocho", 9: "neun neuf nueve",
        10: "zehn dix diez", 11: "elf onze once", 12: "zwölf douze doce", 14: "vierzehn quatorze catorce",
        15: "fünfzehn quinze quince", 20: "zwanzig vingt veinte", 30: "dreißig trente treinta",
        40: "vierzig quarante cuarenta", 50: "fünfzig cinquante cincuenta", 60: "sechzig soixante sesenta",
        90: "neunzig noventa", 100: "hundert cent cien",
    }.items()
    for word in said.split()
}  # fmt: skip
Values = dict[str, frozenset[str]]  # type -> the values of that type
LOOSE = frozenset(("symbol", "file", "day"))  # types of values that a text may carry without being about them
TYPES: dict[str, re.Pattern[str]] = {
    "url": re.compile(r"\b[a-z][a-z0-9+]{1,9}://[^\s\"'<>)]+|\bgit@[^\s\"']+"),
    "route": re.compile(r"(?<![\w.<>])/[a-z][\w-]*(?:/[\w{}:<>-]+)+"),
    "file": re.compile(r"(?<![\w/])(?:[\w.@<>*-]+/)+[\w.@<>*-]+|"
                       r"\b[\w-]+\.(?:py|ts|tsx|js|go|rs|rb|java|kt|ya?ml|json|toml|md|sql|sh|tf|cs|cpp|c|h|swift)\b"),
    "host": re.compile(r"\b[a-z0-9][\w-]*(?:\.[a-z][\w-]*){2,}(?::\d+)?\b|\b\d{1,3}(?:\.\d{1,3}){3}\b"),
    "port": re.compile(r"(?:(?<=port )|(?<=:)|(?<![\w-])(?!(?:19|20)\d\d\b)(?=\d{4,5}\b))\d{2,5}\b(?!:)"),
    "time": re.compile(r"\b\d{1,2}:\d\d\b|\b\d{1,2} ?(?:am|pm|utc|oclock|uhr)\b|"
                       r"(?<=\blas )\d{1,2}(?=\s*(?:$|[.,;!?)]|(?:y|no|ni|o|de la)\b))|"
                       r"(?<=\b(?:ab|um) )\d{1,2}(?=\s*(?:$|[.,;!?)]))"),
    "day": re.compile(
        r"\b(?:(?:mon|tues|wednes|thurs|fri|satur|sun)days?|(?:mon|diens|donners|frei|sams|sonn)tags?|mittwochs?|"
        r"(?:lun|mar|mercre|jeu|vendre|same)dis?|dimanches?|lunes|martes|mi[eé]rcoles|jueves|viernes|s[aá]bados?|domingos?)\b"
    ),
    "region": re.compile(r"\b(?:us|eu|ap|sa|ca|me|af)-[a-z]+-?\d\b|\b[a-z]{3}\d\b|\b(?:europe|us|asia)-[a-z]+\d\b"),
    "version": re.compile(r"\bv?\d+\.\d+(?:\.\d+)*\b(?!:)"),
    "amount": re.compile(
        rf"(?<![\w.:/-])(?:\d{{1,3}}(?: \d{{3}})+(?!\w)|\d[\d.,]*(?<![.,])|(?:{'|'.join(COUNTED)}|half an?)(?=[ -])|"
        rf"(?P<elsewhere>{'|'.join(COUNTED_ELSEWHERE)})(?=[ -]))[ -]?"
        r"(?!(?:am|pm|utc|oclock|uhr|per)\b)(?P<of>%|[^\W\d_]{1,14})(?![\w/]|[ -]old\b)"  # see `_found`
    ),
    "code": re.compile(r"\b[A-Z]{1,5}\d{1,4}\b"),
    "state": re.compile(r"\b(\w+) (?:is |are |stays? |goes |now )*(?:back )?(?:on|off|enabled|disabled)\b"
                        r"(?=$|[.,;:!)]| (?:by default|again|everywhere|for|in|until|now|since|and|but)\b)"),
    "chosen": re.compile(
        r"\b(?:(?:go|goes|going|went|move[ds]?|moving|switch(?:ed|ing)?|migrat(?:e[ds]?|ing)) (?:over )?"
        r"(?:to|with|for)|agreed on|settled on|signed (?:us )?up (?:with|for)|stick(?:ing)? with|standardi[sz]ed? on|"
        r"found|chose|picked|took|adopt(?:ed|ing)?|choice (?:there |here )?is|replaced (?:it |that )?(?:with|by)) "
        r"(?:the |an? )?(?!I\b|\w+day\b)([A-Z]\w*[\w.-]*\w)"
    ),
    "place": re.compile(
        r"\b(?:(lives?|sits?|stored|kept|hosted|runs?)|go(?:es)?|moves?|moved|sent|written|lands?|"
        r"ends? up|comes?|reads?|posts?|reports?|syncs?|writes?|handed(?: over)?|hand over|uploaded|published|"
        r"pushed|shipped)"
        r"(?: over| back| out| straight| now| all| again| up)* (to|into|in|on|at|as|from) "
        r"(?:(?:the|our|own|a|an|their|my|his|her|its|plain)\s+)*([a-z][\w./-]*\w)"
    ),
    "which of chosen": re.compile(
        r"\b[Ff]or ((?:the |our |all )?(?:\w+ ){0,2}\w+?),? (?:we|I|it)\b|"
        r"(?:go|goes|going|went|chose|picked|agreed|settled|decided|found)\b.{0,24}? [A-Z][\w.-]* (?:\w+ )?"
        r"for ((?:the |our |all )?\w+(?: \w+)?)"
    ),
    "role": re.compile(
        r"\b(?:[Tt]he|[Oo]ur|[Mm]y)\s+((?:\w+\s+){0,2}?)(\w+)(?:\s+(?:at|of|in|on|for|we|that|which|i)\b(?:\s+\w+){1,4}?)?"
        r"\s+(?:is|are)\s+(?:now\s+|called\s+)?((?!I\b|\w+day\b)[A-Z][\w-]*)"
    ),
    "symbol": re.compile(r"\b[a-z]+(?:_[a-z0-9]+)+(?:\.[a-z_0-9]+)?\b|\b[a-z]+[A-Z]\w+\b|`[^`]+`"),
}  # fmt: skip


CASED = frozenset(("symbol", "code", "chosen", "which of chosen", "role"))  # types that are told by capitals
OF = frozenset(("amount", "state", "role"))  # types that are of something: a unit, a switch, a post that is held
UNITS = {
    unit: group
    for group, units in {
        "short time": "ms msec s sec secs second seconds min mins minute minutes h hr hrs hour hours",
        "long time": "d day days week weeks month months quarter quarters year years",
        "size": "gig gigs b kb mb gb tb kib mib gib byte bytes kilobytes megabytes gigabytes",
        "money": "eur euro euros usd dollar dollars cent cents gbp pound pounds kroner chf nok sek dkk",
        "share": "% percent pct",
        "volt": "v volt volts mv",
        "mass": "g gram grams kg kilo kilos mg",
        "length": "m meter meters metre metres cm mm km px rem em pixel pixels",
        "current": "a ma amp amps",
        "rate": "hz khz mhz ghz fps rps qps",
    }.items()
    for unit in units.split()
}
#: the same in German, French and Spanish, of which some are words of another kind in English ("tag")
UNITS_ELSEWHERE = {
    unit: group
    for group, units in {
        "short time": "sekunde sekunden minuten stunde stunden std seconde secondes heure heures segundo segundos "
        "minuto minutos hora horas hs",
        "long time": "tag tage tagen woche wochen monat monate monaten jahr jahre jahren quartal quartale jour jours "
        "semaine semaines mois an ans année années trimestre trimestres día días dia dias semana semanas mes meses año "
        "años",
        "share": "prozent pourcent",
    }.items()
    for unit in units.split()
}
UNIT = 3  # letters by which a unit is known in all its forms
SUBJECT = 80  # characters before "lives on" that may say what does
CLAUSE_END = re.compile(r"[.;!?]")
FIGURES = 3  # digits from which a number is as good as a name
LAST_WORD = frozenset(("state", "chosen", "role"))  # types whose value is the last word of what matches
SHADOWED, SHADOWING = frozenset(("port", "version")), ("amount", "time")  # a number with a unit is no port


@lru_cache(maxsize=4_096)
def values(text: str) -> Values:
    """Type -> the values of that type; a type that the text does not carry is missing. Amounts go by unit."""
    low = text.lower()
    found: dict[str, set[str]] = {}
    counted = [m.span() for kind in SHADOWING for m in _found(kind, low)]
    placed = 0
    for kind in TYPES:
        for m in _found(kind, text if kind in CASED else low):
            if kind == "which of chosen":
                purpose = (stem(w) for w in (m.group(1) or m.group(2)).lower().split() if w not in STOP)
                found.setdefault(kind, set()).update(purpose)
                continue
            if kind in SHADOWED and any(a <= m.start() < b for a, b in counted):
                continue
            if kind == "place":
                _placed(m, CLAUSE_END.split(low[max(placed, m.start() - SUBJECT) : m.start()])[-1], found)
                placed = m.end()
                continue
            name = f"{kind} of {_of(kind, m)}" if kind in OF else kind
            if kind == "role":
                if m.group(2).lower() in STOP or stem(m.group(2)) in VAGUE:
                    continue
                if which := m.group(1).lower().split():
                    found.setdefault(name.replace("role", "which"), set()).update(which)
            found.setdefault(name, set()).add(_value(kind, m))
    return {kind: frozenset(held) for kind, held in found.items()}


def _found(kind: str, text: str) -> Iterator[re.Match[str]]:
    """Where a text carries values of a type; no amount is of a word of the stop list ("on 9511 these days"), and half
    of something ("half a loaf") only of a unit."""
    for m in TYPES[kind].finditer(text):
        if kind != "amount":
            yield m
        elif m["elsewhere"] or (m["of"] in UNITS_ELSEWHERE and m["of"] in STOP):
            if m["elsewhere"] and (m["of"] in UNITS_ELSEWHERE or (m["of"] in UNITS and m["of"] not in STOP)):
                yield m
        elif m["of"] in UNITS or not (m["of"] in STOP or m.group().startswith("half")):
            yield m


@lru_cache(maxsize=4_096)
def numbers(text: str) -> frozenset[str]:
    """The numbers of a text, as digits."""
    found = ((COUNTED.get(each.lower(), ""), each) for each in NUMBER.findall(text))
    return frozenset(word or re.sub(r"[_,]", "", each) for word, each in found if word or each[0].isdigit())


def says_a_value(text: str) -> bool:
    """Whether a text gives a value or a number that another statement may have given otherwise."""
    return bool(values(text).keys() - LOOSE or numbers(text))


def differ(kind: str, mine: Values, theirs: Values) -> bool:
    """Whether texts give different values of a type; the staging cluster and the production cluster are two posts."""
    if kind.startswith("which of "):
        return False
    which = kind.replace("role of ", "which of ", 1) if kind.startswith("role of ") else f"which of {kind}"
    if which in mine and which in theirs:
        if not (mine[which] <= theirs[which] or theirs[which] <= mine[which]):  # what one adds the other does not deny
            return False
    return bool(mine[kind] - theirs[kind])


def tells(stem: str) -> bool:
    """Whether two texts that share a stem may share what they speak of: units and small numbers say nothing of that."""
    return stem not in UNITS and not (stem.isdigit() and len(stem) < FIGURES)


def marks(stems: Iterable[str]) -> set[str]:
    """Stems that carry a value: numbers and names with digits."""
    return {s for s in stems if any(ch.isdigit() for ch in s)}


def _value(kind: str, m: re.Match[str]) -> str:
    """What is told; a number with a unit that has many forms ("tage", "tagen") as digits with its dimension."""
    if kind in LAST_WORD:
        return m.group(0).split()[-1]
    if kind == "time":
        return m.group(0).removesuffix("uhr").rstrip()
    if kind != "amount" or not (m["elsewhere"] or m["of"] in UNITS_ELSEWHERE):
        return m.group(0)
    number = m.group(0).removesuffix(m["of"]).strip(" -")
    return f"{COUNTED_ELSEWHERE.get(number, number)} {m['of'][:UNIT]}"


def _of(kind: str, m: re.Match[str]) -> str:
    """What a value is of: the post, the switch, the unit; units of one dimension are one."""
    if kind == "role":
        return stem(m.group(2))
    if kind != "amount":
        return stem(m.group(1))
    return UNITS.get(m["of"]) or UNITS_ELSEWHERE.get(m["of"]) or stem(m["of"])


def _placed(m: re.Match[str], before: str, found: dict[str, set[str]]) -> None:
    """Where what is named *before* goes to or comes from; where it lives is both."""
    subject, place = {*stems(before)} - VAGUE, m.group(3)
    if not subject or place in STOP or stem(place) in VAGUE:
        return
    for way in ("to", "from") if m.group(1) else ("from",) if m.group(2) == "from" else ("to",):
        found.setdefault(f"place {way}", set()).add(place)
        found.setdefault(f"which of place {way}", set()).update(subject)
