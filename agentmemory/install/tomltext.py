"""Takes a table out of a TOML file as text, so that every other byte of a person's file stays as it is."""

from __future__ import annotations

import contextlib
import tomllib
from typing import Any


class NotToml(ValueError):
    """The file is not what TOML allows, or cannot be edited as text; it is left alone."""


def parse(text: str) -> dict[str, Any]:
    """The value of a file's text.

    Raises:
        NotToml: with the place.
    """
    try:
        return tomllib.loads(text.removeprefix("\ufeff"))  # a byte order mark, which other readers pass over
    except tomllib.TOMLDecodeError as error:
        raise NotToml(f"is not valid TOML, or would not be with our table ({error})") from None
    except RecursionError:
        raise NotToml("is nested too deeply to be read") from None


def drop(text: str, path: tuple[str, str]) -> str:
    """Remove the table at *path*, those below it, and the empty line before each; what leads to the next one stays.

    Raises:
        NotToml: what else the file says would not stay the same.
    """
    lines = text.splitlines(keepends=True)
    ours, inside = [], False
    for line in lines:
        name = _header(line)
        inside = name[:2] == path if name else inside
        ours.append(inside)
    for n in reversed(range(len(lines) - 1)):
        ours[n] = ours[n] and (ours[n + 1] or _says(lines[n]))
    for n in range(len(lines) - 1):
        ours[n] = ours[n] or (ours[n + 1] and not lines[n].strip())
    left = "".join(line for line, gone in zip(lines, ours, strict=True) if not gone)
    with contextlib.suppress(NotToml):
        if parse(left) == _without(parse(text), path):
            return left
    raise NotToml(f"holds [{'.'.join(path)}] in a way that cannot be taken out of it; remove that by hand")


def _header(line: str) -> tuple[str, ...]:
    """The path of the table that a line begins, () for none."""
    try:
        found: Any = tomllib.loads(line) if line.lstrip().startswith("[") else {}
    except tomllib.TOMLDecodeError:
        return ()
    path: list[str] = []
    while found:
        if isinstance(found, list):
            found = found[0]
        else:
            path += found
            found = found[path[-1]]
    return tuple(path)


def _says(line: str) -> bool:
    """Whether a line is neither empty nor a comment."""
    return not line.lstrip().startswith("#") and bool(line.strip())


def _without(value: dict[str, Any], path: tuple[str, str]) -> dict[str, Any]:
    outer, inner = path
    rest = {key: each for key, each in value[outer].items() if key != inner}
    return {key: each for key, each in value.items() if key != outer} | ({outer: rest} if rest else {})
