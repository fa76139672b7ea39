"""Adds and removes members of a JSON file as text, so that every other byte of a person's file stays as it is."""

from __future__ import annotations

import json
from typing import Any

Key = str | int
SPACE = " \t\r\n"
BOM = "\ufeff"  # a byte order mark, as editors on Windows write it: it stays in front


class NotJson(ValueError):
    """The file is not what JSON allows (or holds comments); it is left alone."""


def parse(text: str) -> Any:
    """The value of a file's text; an empty file is an empty object.

    Raises:
        NotJson: with the place.
    """
    said = text.removeprefix(BOM)
    try:
        return json.loads(said) if said.strip() else {}
    except ValueError as error:
        raise NotJson(f"is not valid JSON ({error})") from None
    except RecursionError:
        raise NotJson("is nested too deeply to be read") from None


def put(text: str, path: tuple[str, ...], value: Any) -> str:
    """Set the member at *path*, making the objects on the way; what is there already with this value stays."""
    found = _lookup(parse(text), path)
    if found == (value,):
        return text
    if found:
        start, end = _span(text, path)
        return text[:start] + _dump(value, text, len(path)) + text[end:]
    if not text.removeprefix(BOM).strip():
        text = text + "{}\n"
    depth = next(n for n in range(len(path) - 1, -1, -1) if _lookup(parse(text), path[:n]))
    for key in reversed(path[depth + 1 :]):
        value = {key: value}
    return _insert(text, path[:depth], f"{json.dumps(path[depth], ensure_ascii=False)}: ", value)


def append(text: str, path: tuple[str, ...], value: Any) -> str:
    """Add an element to the array at *path*, making it if need be; an equal element is not added twice."""
    found = _lookup(parse(text), path)
    if not found:
        return put(text, path, [value])
    if not isinstance(found[0], list):
        raise NotJson(f"holds no list under {'.'.join(path)}")
    return text if value in found[0] else _insert(text, path, "", value)


def drop(text: str, path: tuple[Key, ...]) -> str:
    """Remove the member or element at *path* with its comma; nothing happens when it is not there."""
    if not _lookup(parse(text), path):
        return text
    spans = _members(text, _span(text, path[:-1])[0])
    n = max(i for i, (key, *_) in enumerate(spans) if key == path[-1])
    _, start, _, end = spans[n]
    if len(spans) == 1:
        opening, closing = _span(text, path[:-1])
        return text[: opening + 1] + text[closing - 1 :]
    if n > 0:
        return text[: spans[n - 1][3]] + text[end:]
    return text[:start] + text[spans[1][1] :]


def get(text: str, path: tuple[Key, ...]) -> Any:
    """The value at *path*, None when there is none."""
    found = _lookup(parse(text), path)
    return found[0] if found else None


def holds_nothing(text: str) -> bool:
    """Whether a file is empty but for a format version and empty objects."""
    value = parse(text)
    return isinstance(value, dict) and all(key == "version" or each == {} for key, each in value.items())


def _lookup(value: Any, path: tuple[Key, ...]) -> tuple[Any, ...]:
    for key in path:
        there = key in value if isinstance(value, dict) else isinstance(value, list) and key in range(len(value))
        if not there:
            return ()
        value = value[key]
    return (value,)


def _insert(text: str, path: tuple[str, ...], label: str, value: Any) -> str:
    start, end = _span(text, path)
    if text[start] != ("{" if label else "["):
        raise NotJson(
            f"holds no {'object' if label else 'list'} {'under ' + '.'.join(path) if path else 'at its root'}"
        )
    depth, line = len(path) + 1, _newline(text)
    member = label + _dump(value, text, depth)
    inner = line + _indent(text) * depth
    spans = _members(text, start)
    if not spans:
        return text[: start + 1] + inner + member + line + _indent(text) * (depth - 1) + text[end - 1 :]
    last = spans[-1][3]
    return f"{text[:last]},{inner}{member}{text[last:]}"


def _span(text: str, path: tuple[Key, ...]) -> tuple[int, int]:
    """Where the value at *path* stands: `(start, end)`. Of members of one name the last counts, as for every reader."""
    start = _skip(text, 1 if text.startswith(BOM) else 0)
    end = json.JSONDecoder().raw_decode(text, start)[1]
    for key in path:
        start, end = [(at, to) for k, _, at, to in _members(text, start) if k == key][-1]
    return start, end


def _members(text: str, at: int) -> list[tuple[Key, int, int, int]]:
    """The members of the object or list that opens at *at*: `(key, where the member starts, its value's span)`."""
    closing, is_object = {"{": "}", "[": "]"}[text[at]], text[at] == "{"
    found: list[tuple[Key, int, int, int]] = []
    at = _skip(text, at + 1)
    while text[at] != closing:
        key, member = len(found), at
        name: Key = key
        if is_object:
            name, at = json.JSONDecoder().raw_decode(text, at)
            at = _skip(text, _skip(text, at) + 1)
        end = json.JSONDecoder().raw_decode(text, at)[1]
        found.append((name, member, at, end))
        at = _skip(text, end)
        if text[at] == ",":
            at = _skip(text, at + 1)
    return found


def _skip(text: str, at: int) -> int:
    while at < len(text) and text[at] in SPACE:
        at += 1
    return at


def _newline(text: str) -> str:
    return "\r\n" if "\r\n" in text else "\n"


def _indent(text: str) -> str:
    """What one level is indented by: the first indented line tells."""
    for line in text.splitlines():
        rest = line.lstrip(" \t")
        if rest and rest != line:
            return line[: len(line) - len(rest)]
    return "  "


def _dump(value: Any, text: str, depth: int) -> str:
    indent = _indent(text)
    return json.dumps(value, indent=indent, ensure_ascii=False).replace("\n", _newline(text) + indent * depth)
