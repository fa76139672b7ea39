"""JSON for hooks without the `json` package, which costs 4 ms of start-up: the same C scanner, called directly."""

import _json


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
    """What an object says up to where its JSON is cut off or broken: the members that are complete."""
    said, at = _decoded(text).lstrip(), 1
    out: dict[str, object] = {}
    try:
        while said[at - 1] in "{,":
            name, at = _json.scanstring(said, _past(said, at, '"'), False)
            out[name], at = _scan(said, _past(said, _past(said, at, ":"), ""))
            at = _past(said, at, ",")
    except (StopIteration, ValueError, IndexError, RecursionError, SystemError):
        pass
    return {name: whole(value) for name, value in out.items()}


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
    """The value in characters that UTF-8 has: no file name, no SQL takes others."""
    if isinstance(value, str):
        return value.encode("utf-8", "replace").decode()
    if isinstance(value, dict):
        return {key: whole(item) for key, item in value.items()}
    return [whole(item) for item in value] if isinstance(value, list) else value


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
