"""Times of day in a prompt that are said in words, as beliefs write them: "half past two" -> 02 and 14, 30. Loaded for
prompts that name such a time only; knows no table."""

from agentmemory.text import words

HOURS = {
    name: hour for hour, name in enumerate("one two three four five six seven eight nine ten eleven twelve".split(), 1)
} | {str(hour): hour for hour in range(1, 13)}
MINUTES = {"five": 5, "ten": 10, "quarter": 15, "twenty": 20, "twentyfive": 25, "half": 30}
MINUTES |= {str(minute): minute for minute in range(5, 31, 5)}


def others(said: str, typed: "list[str]") -> "dict[str, dict[str, bool]]":
    """For each stem of a prompt that is a part of a time, the figures that a belief may have for it."""
    raw = words(said.lower().replace("o'clock", "oclock").replace("o’clock", "oclock").replace("y-five", "yfive"))
    found: dict[str, dict[str, bool]] = {}
    for at, word in enumerate(raw):
        if word in ("noon", "midnight"):
            _put(found, word, ("12", "00") if word == "noon" else ("00", "24"))
        elif word in ("past", "to") and 0 < at < len(raw) - 1 and raw[at - 1] in MINUTES and raw[at + 1] in HOURS:
            minutes, hour = MINUTES[raw[at - 1]], HOURS[raw[at + 1]]
            early = word == "past"
            _put(found, raw[at - 1], (f"{minutes if early else 60 - minutes:02d}",))
            _put(found, raw[at + 1], _hours(hour if early else hour - 1))
        elif word in ("oclock", "pm") and at and raw[at - 1] in HOURS:
            hour = HOURS[raw[at - 1]]
            _put(found, raw[at - 1], _hours(hour) if word == "oclock" else (str(hour % 12 + 12),))
    return {stem: forms for stem, forms in found.items() if stem in typed}


def _hours(hour: int) -> "tuple[str, ...]":
    """An hour of twelve as beliefs write it, before noon and after."""
    return (f"{hour % 24:02d}", str(hour % 24), str((hour + 12) % 24))


def _put(found: "dict[str, dict[str, bool]]", word: str, forms: "tuple[str, ...]") -> None:
    found.setdefault(word, {}).update({form: True for form in forms if form != word})
