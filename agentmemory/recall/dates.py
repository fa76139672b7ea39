"""Times that a question names: "on 3 May 2026", "last March", "two weeks ago", "since Monday",
"between March and May". Knows days, nothing of turns.

A day is a number, days since 1970 by the user's own calendar (`paths.day_of`), as dates are shown.
"""

from agentmemory.paths import day_of
from agentmemory.text import MONTHS, STOP, words

TYPE_CHECKING = False  # the hot path does not import typing
if TYPE_CHECKING:
    from re import Match

NAMES = {name: number for number, names in enumerate(MONTHS, 1) for name in names.split()}
ALSO_WORDS = {"march", "mar", "may"}  # months only beside a number or after one of LEADS
LEADS = set("in since until till during early late mid last this of by before after".split())
WEEKDAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
UNITS = {"day": 1, "week": 7, "fortnight": 14, "month": 30, "year": 365}
UNITS |= {f"{unit}s": days for unit, days in UNITS.items()}
CLOCK = {"minute": 60.0, "minutes": 60.0, "hour": 3600.0, "hours": 3600.0}  # seconds
COUNTS = {
    name: number
    for number, name in enumerate("one two three four five six seven eight nine ten eleven twelve".split(), 1)
} | {"a": 1, "an": 1, "couple": 2, "few": 3}
LATELY = ("last", "past", "previous")
OF_TODAY = ("morning", "afternoon", "evening")
OF_DAY = (*OF_TODAY, "night")
#: "what did we do Monday" is about a day that was, "the Monday meeting" and "until Monday" are not
WAS = frozenset("did was were happened".split())
NO_DAY = frozenset("a after any before by coming each every for next our some the till to until".split())
#: of a question about what came to hold in a time: "what did we decide in May"
BECAME = frozenset(
    "agree agreed change changed changes decide decided decision decisions learn learned made mind new settle "
    "settled".split()
)
#: words of a question that asks for no more than a time: "what did we work on last Tuesday"
TELLING = frozenset(
    """afternoon ago anything ask asked chat conversation conversations discuss discussed earlier early end evening
    everything half happen happened last late list me mid morning night past previous propose recap recommend remember
    said say session sessions show suggest summarise summarize talk talked talking tell this today told tonight weekend
    work worked working yesterday""".split()
).union(BECAME)
LONGEST_COUNT = 3  # figures of a number of days, weeks ...: nobody counts further back
YEARS_BACK = 8  # a day without a year is looked for in this many years
AFTER, BEFORE, REACH = 0.6, 0.3, 30  # what is told or planned within so many days; flat from 15 to 60 days

#: `2026-05-03`, `2026/5/3`, `2026-05`; `3.5.2026`, `03/05/2026`, `5/2026`
YEAR_FIRST = r"(?<!\d)((?:19|20)\d\d)[-/.](\d{1,2})(?:[-/.](\d{1,2}))?(?!\d)"
YEAR_LAST = r"(?<![\w./-])(?:(\d{1,2})([./-]))?(\d{1,2})[./-]((?:19|20)\d\d)(?![\w/-]|\.\d)"

#: `between March and May`, `from 3 to 10 October`, and `October 3-10`, which is put so
MONTH = "|".join(NAMES)
FROM_TO = r"\b(?:between|from)\s+(?:the\s+)?(\w.{0,40}?)\s+(?:and|to|until|till|through)\s+(?:the\s+)?(\w.{0,40})"
SPAN = rf"\b({MONTH})\s+(\d\d?)\s?[-–]\s?(\d\d?)(?![-\w])|(?<![-\w])(\d\d?)\s?[-–]\s?(\d\d?)\s+({MONTH})\b"
#: `since Monday`, `since a week ago`; not `since the release`. "Before May" is shortly before: no stretch
BEGINS = "|".join([*COUNTS, *NAMES, *WEEKDAYS, *UNITS, "yesterday", "weekend"])
SINCE = (
    r"\bsince\s+((?:(?:the|last|this|early|mid|late|about|around)\s+){0,2}"
    rf"(?:an?\s+(?=couple|few|week|fortnight|month|year))?(?:\d|(?!an?\b)(?:{BEGINS})\b).{{0,30}})"
)

Window = tuple[int, int]  # first and last day


def said(text: str, now: float) -> "list[Window]":
    """The stretches of days that *text* names; relative ones count back from *now* (seconds)."""
    return _between(text, now) or _since(text, now) or _named(text, now)


def _between(text: str, now: float) -> "list[Window]":
    """The stretches that have a beginning and an end."""
    from re import IGNORECASE, search, sub

    def spelled(m: "Match[str]") -> str:
        return f"from {m[1]} {m[2]} to {m[1]} {m[3]} " if m[1] else f"from {m[4]} {m[6]} to {m[5]} {m[6]} "

    found = search(FROM_TO, sub(SPAN, spelled, text, flags=IGNORECASE), IGNORECASE)
    if found is None:
        return []
    (begin, end), month = found.groups(), search(rf"\b(?:{MONTH})\b", found[0], IGNORECASE)
    if month is not None:  # "from 3 to 10 October", "from October 3 to 10"
        begin, end = (f"{month[0]} {each}" if _day("".join(words(each)[:1])) else each for each in (begin, end))
    begun = _named(f"since {begin}", now)
    ended = sorted({last for _, last in _named(f"since {end}", now)})
    return [(max(before), last) for last in ended if (before := [first for first, _ in begun if first <= last])]


def _since(text: str, now: float) -> "list[Window]":
    """The stretch that goes on until today."""
    from re import IGNORECASE, search

    found, today = search(SINCE, text, IGNORECASE), day_of(now)
    begun = [first for first, _ in _named(f"since {found[1]}", now) if first <= today] if found else []
    return [(max(begun), today)] if begun else []


def _named(text: str, now: float) -> "list[Window]":
    """The single times that a text names."""
    spoken = words(text)
    spoken = [word for i, word in enumerate(spoken) if word != "of" or not i or spoken[i - 1] != "couple"]
    today = day_of(now)
    return _absolute(text, spoken, year_of(today)) + _relative(spoken, today, now)


def alone(text: str) -> bool:
    """Whether a text that names times asks for nothing but what was said then; "November 10" looks for these words."""
    spoken, known = words(text), (TELLING, STOP, UNITS, CLOCK, COUNTS, NAMES, WEEKDAYS)
    asks = any(word == "what" or word in TELLING for word in spoken)
    return asks and all(_day(word) or _is_year(word) or any(word in each for each in known) for word in spoken)


def closeness(at: float, windows: "list[Window]") -> float:
    """1 inside a window, falling to 0 a month away: things are told soon after, or planned shortly before."""
    day = day_of(at)
    best = 0.0
    for first, last in windows:
        away = first - day if day < first else day - last
        if away <= 0:
            return 1.0
        best = max(best, (AFTER if day > last else BEFORE) * (1 - away / REACH))
    return best


def _absolute(text: str, spoken: "list[str]", this_year: int) -> "list[Window]":
    out: list[Window] = []
    named = [int(word) for word in spoken if _is_year(word)]
    years = named or range(this_year - YEARS_BACK, this_year + 1)
    for i, word in enumerate(spoken):
        month = NAMES.get(word)
        around = spoken[max(0, i - 2) : i] + spoken[i + 1 : i + 4]
        if month is None or (word in ALSO_WORDS and not _is_month(spoken, i)):
            continue
        year = next((int(w) for w in around if _is_year(w)), 0)
        day = next((d for w in spoken[i + 1 : i + 2] + spoken[max(0, i - 2) : i][::-1] if (d := _day(w))), 0)
        for y in [year] if year else years:
            out += _window(y, month, day)
    out += _in_digits(text)
    return out or [(day_number(year, 1, 1), day_number(year, 12, 31)) for year in named]


def _in_digits(text: str) -> "list[Window]":
    """Dates written in digits. Whether the day or the month comes first is told by points alone (`4.5.2026`): where
    both can be, both are looked at."""
    from re import findall  # not above: what a hook might load leaves it out

    out: list[Window] = []
    for year, month, day in findall(YEAR_FIRST, text):
        out += _dated(year, month, day)
    for first, mark, second, year in findall(YEAR_LAST, text):
        out += _dated(year, second, first)
        if mark in ("/", "-") and first != second:
            out += _dated(year, first, second)
    return out


def _dated(year: str, month: str, day: str) -> "list[Window]":
    """The day, or without one the month; nothing when the calendar has no such day or month."""
    return _window(int(year), int(month), int(day or 0)) if 0 < int(month) < 13 and day not in ("0", "00") else []


def _relative(spoken: "list[str]", today: int, now: float) -> "list[Window]":
    out: list[Window] = []
    for i, word in enumerate(spoken):
        before, earlier = spoken[i - 1] if i else "", spoken[i - 2] if i > 1 else ""
        after = spoken[i + 1] if i + 1 < len(spoken) else ""
        if word in ("today", "tonight") or (before == "this" and word in OF_TODAY):
            out.append((today, today))
        elif word == "yesterday":
            day = today - (2 if (earlier, before) == ("day", "before") else 1)
            out.append((day, day))
        elif before == "last" and word == "night":
            out.append((today - 1, today))
        elif before == "this" and word in ("week", "month", "year"):
            out.append(_this(word, today))
        elif word == "weekend" and before != "next":
            out.append(_weekend(today, last=before == "last"))
        elif earlier in LATELY and word in UNITS and _count(before):
            out.append((today - _count(before) * UNITS[word], today))
        elif earlier in LATELY and word in CLOCK and _count(before):
            out.append((day_of(now - _count(before) * CLOCK[word]), today))
        elif before in LATELY and word == "hour":
            out.append((day_of(now - CLOCK[word]), today))
        elif word == "ago" and before in UNITS:
            count, unit = _count(earlier), UNITS[before]
            half = i > 2 and spoken[i - 3] == "half"
            if count:
                back = count * unit // 2 if half else count * unit
                slack = 0 if unit == 1 and count < 4 else max(1, unit // (4 if half else 2))  # people round
                out.append((today - back - slack, today - back + slack))
        elif word == "ago" and before in CLOCK and _count(earlier):
            out.append((day_of(now - _count(earlier) * CLOCK[before]),) * 2)
        elif before == "last" and word in UNITS and UNITS[word] > 1:
            out.append((today - 2 * UNITS[word], today - 1))
        elif before in LATELY and word in UNITS and (after != "of" or UNITS[word] > 1):
            out.append((today - UNITS[word], today))
        elif word in WEEKDAYS:
            out += _on(word, before, after, spoken[:i], today)
    return out


def _on(name: str, before: str, after: str, spoken: "list[str]", today: int) -> "list[Window]":
    """The weekday of a question about what was: "last Monday", "since Monday", "what did we do Monday"."""
    if before in ("last", "on"):
        return [_weekday_before(today, name)]
    if before != "next" and (before in ("this", "since") or after in OF_DAY):
        return [_weekday_before(today + 1, name)]
    return [_weekday_before(today, name)] if before not in NO_DAY and not WAS.isdisjoint(spoken) else []


def _weekday_before(day: int, name: str) -> Window:
    """The last day of this name before *day*."""
    found = day - (_weekday(day) - WEEKDAYS.index(name) - 1) % 7 - 1
    return (found, found)


def _weekend(today: int, last: bool) -> Window:
    """The latest Saturday and Sunday that have begun; *last*: those of an earlier week."""
    since = (_weekday(today) - 5) % 7
    saturday = today - since - (7 if last and since < 2 else 0)
    return (saturday, saturday + 1)


def _count(word: str) -> int:
    """How many: `three`, `3`, `few`; 0 for anything else, and for more than anybody counts back."""
    return COUNTS.get(word, int(word) if word.isdecimal() and len(word) <= LONGEST_COUNT else 0)


def _this(unit: str, today: int) -> Window:
    """The week, month or year that *today* is of."""
    if unit == "week":
        monday = today - _weekday(today)
        return (monday, monday + 6)
    year = year_of(today)
    if unit == "year":
        return (day_number(year, 1, 1), day_number(year, 12, 31))
    return _window(year, max(m for m in range(1, 13) if day_number(year, m, 1) <= today), 0)[0]


def _is_month(spoken: "list[str]", i: int) -> bool:
    beside = spoken[max(0, i - 1) : i] + spoken[i + 1 : i + 2]
    return any(_is_year(w) or _day(w) for w in beside) or (i > 0 and spoken[i - 1] in LEADS)


def _is_year(word: str) -> bool:
    return len(word) == 4 and word.isdecimal() and word[:2] in ("19", "20")


def _day(word: str) -> int:
    """Day of a month: `3`, `3rd`; 0 for anything else."""
    digits = word[:-2] if word[-2:] in ("st", "nd", "rd", "th") else word
    return int(digits) if digits.isdecimal() and len(digits) < 3 and 0 < int(digits) < 32 else 0


def _window(year: int, month: int, day: int) -> "list[Window]":
    """The day, or without one the month; nothing when the calendar has no such day."""
    first, after = day_number(year, month, 1), day_number(year + month // 12, month % 12 + 1, 1)
    if not day:
        return [(first, after - 1)]
    return [(first + day - 1, first + day - 1)] if day <= after - first else []


def _weekday(day: int) -> int:
    """0 for Monday; 1 January 1970 was a Thursday."""
    return (day + 3) % 7


def day_number(year: int, month: int, day: int) -> int:
    """Days since 1970 of a date in the Gregorian calendar."""
    y = year - (month < 3)
    of_year = (153 * ((month + 9) % 12) + 2) // 5 + day - 1  # March is the first month: leap days come last
    return 365 * y + y // 4 - y // 100 + y // 400 + of_year - 719_468


def year_of(day: int) -> int:
    """The year of a day number."""
    year = 1970 + day // 366
    while day_number(year + 1, 1, 1) <= day:
        year += 1
    return year
