"""JSON for hooks without the `json` package, which costs 4 ms of start-up: the same C scanner, called directly."""

import _json

DEEPEST = 40  # objects in one another of which a broken one's members are read


class _Plain:
    """How the scanner builds values: plain dicts, floats and ints."""

    strict = False
    object_hook = None
    object_pairs_hook = None
    parse_float = float
    parse_int = int
    memo: "dict[str, str]" = {}  # noqa: RUF012 - the scanner's own cache of keys

    @staticmethod
    def parse_constant(name: str) -> float:
        return float(name.replace("Infinity", "inf"))


_scan = _json.make_scanner(_Plain())  # type: ignore[arg-type]


def loads(text: "str | bytes") -> object:
    """The value of a JSON text; half a character of it (a cut surrogate pair) becomes a question mark.

    Raises:
        ValueError: it is no JSON.
    """
    said = _decoded(text)
    try:
        value, end = _scan(said.strip(), 0)
    except StopIteration as stop:
        raise ValueError(f"no JSON value at character {stop.value}") from None
    except SystemError:  # where `json` is not loaded the scanner of some Pythons fails without a word
        raise ValueError("the JSON is cut off or broken") from None
    if end != len(said.strip()):
        raise ValueError("something follows the JSON value")
    return whole(value) if "\\ud" in said or "\\uD" in said else value


def begun(text: "str | bytes") -> "dict[str, object]":
    """What an object says where its JSON is cut off, broken or too deep: the members, also of those inside, as far as
    they go, and of those inside the beginning of the text in which it is cut off."""
    said = _decoded(text).lstrip()
    out: dict[str, object] = {}
    if said[:1] == "{":
        _members(said, 1, out, 0)
    whole(out)
    return out


def _members(said: str, at: int, out: "dict[str, object]", deep: int) -> int:
    """Read members of an object into *out*; where it ends, -1 where it does not."""
    try:
        while not said.startswith("}", at := _past(said, at, "")):
            name, at = _json.scanstring(said, _past(said, at, '"'), False)
            found, at = _value(said, _past(said, _past(said, at, ":"), ""), deep)
            if found is not _NOTHING:
                out[name] = found
            at = _past(said, at, "")
            at += said[at] == ","
    except (ValueError, IndexError, SystemError):
        return -1
    return at + 1


def _items(said: str, at: int, out: "list[object]", deep: int) -> int:
    """Read the items of a list into *out*; where it ends, -1 where it does not."""
    try:
        while not said.startswith("]", at := _past(said, at, "")):
            found, at = _value(said, at, deep)
            if found is not _NOTHING:
                out.append(found)
            at = _past(said, at, "")
            at += said[at] == ","
    except (ValueError, IndexError, SystemError):
        return -1
    return at + 1


_NOTHING = object()


def _value(said: str, at: int, deep: int) -> "tuple[object, int]":
    """A value, or what there is of it; where it ends, behind all where it does not."""
    try:
        value: tuple[object, int] = _scan(said, at)
        return value
    except (StopIteration, ValueError, RecursionError, SystemError):
        pass
    mark, end = said[at], -1
    found: object = _NOTHING
    if mark == '"' and deep:
        found = _cut(said, at + 1)
    elif mark in "{[" and deep == DEEPEST:
        end = _closing(said, at)
    elif mark == "{":
        members: dict[str, object] = {}
        found, end = members, _members(said, at + 1, members, deep + 1)
    elif mark == "[":
        items: list[object] = []
        found, end = items, _items(said, at + 1, items, deep + 1)
    return found, end if end >= 0 else len(said)


def _cut(said: str, at: int) -> object:
    """The text that begins there and is cut off, without half an escape at its end."""
    for end in range(len(said), max(at, len(said) - 12), -1):
        try:
            return _json.scanstring(said[at:end] + '"', 0, False)[0]
        except (ValueError, SystemError):
            continue
    return _NOTHING


def _closing(said: str, at: int) -> int:
    """Where the list or object ends that begins there, however deep; -1 where it does not."""
    open_ones, within = 0, False
    while at < len(said):
        c = said[at]
        at += 1
        if c == "\\" and within:
            at += 1
        elif c == '"':
            within = not within
        elif not within and c in "[{":
            open_ones += 1
        elif not within and c in "]}":
            open_ones -= 1
            if not open_ones:
                return at
    return -1


def _past(said: str, at: int, mark: str) -> int:
    """The place behind the blanks that stand there and behind *mark*, which has to follow them."""
    while said[at] in " \t\r\n":
        at += 1
    if not said.startswith(mark, at):
        raise ValueError(f"no {mark} at character {at}")
    return at + len(mark)


def _decoded(text: "str | bytes") -> str:
    """The text without the mark that some programs put before it (BOM)."""
    return (text.decode("utf-8", "replace") if isinstance(text, bytes) else text).removeprefix("\ufeff")


def whole(value: object) -> object:
    """The value in characters that UTF-8 has: no file name, no SQL takes others. Lists and objects change in place."""
    top = [value]
    left: list[object] = [top]
    while left:
        item = left.pop()
        if isinstance(item, list):
            item[:] = [_whole(each) for each in item]
            left += [each for each in item if isinstance(each, (dict, list))]
        elif isinstance(item, dict):
            pairs = [(_whole(key), _whole(each)) for key, each in item.items()]
            item.clear()
            item.update(pairs)
            left += [each for _, each in pairs if isinstance(each, (dict, list))]
    return top[0]


def _whole(value: object) -> object:
    return value.encode("utf-8", "replace").decode() if isinstance(value, str) else value


def dumps(value: object) -> str:
    """JSON (ASCII only) of dicts, lists, strings, numbers, True, False and None."""
    if isinstance(value, str):
        return _json.encode_basestring_ascii(value)
    if value is None or value is True or value is False:
        return {None: "null", True: "true", False: "false"}[value]
    if isinstance(value, (int, float)):
        return repr(value)
    if isinstance(value, dict):
        return "{" + ", ".join(f"{dumps(str(key))}: {dumps(item)}" for key, item in value.items()) + "}"
    if isinstance(value, (list, tuple)):
        return "[" + ", ".join(dumps(item) for item in value) + "]"
    raise TypeError(f"no JSON for {type(value).__name__}")
