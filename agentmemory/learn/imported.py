"""Lines of an export, each examined before anything is held: what it says becomes a proposal. Knows no store."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from typing import Any

from agentmemory import paths
from agentmemory.recall.render import visible
from agentmemory.values import KINDS, Candidate

TEXTS = ("keywords", "context", "tags", "triggers")


def read(path: str) -> Iterator[tuple[int, Any]]:
    """The rows of a file with the numbers of their lines. Raises ValueError where a line is no JSON in UTF-8."""
    with open(path, "rb") as f:
        for number, line in enumerate(f, 1):
            if line.strip():
                try:
                    yield number, json.loads(line.decode("utf-8-sig"))
                except UnicodeDecodeError:
                    raise ValueError(f"line {number}: it is no UTF-8") from None
                except (ValueError, RecursionError) as error:
                    raise ValueError(f"line {number}: no JSON ({error})") from None


def candidates(rows: Iterable[tuple[int, Any]], project: int, user: int) -> list[Candidate]:
    """What active rows propose, for the scope *user* where a row says so, else for *project*.

    Raises:
        ValueError: a row is not one of an export; its number and what is wrong.
    """
    out = []
    for number, row in rows:
        try:
            candidate = _candidate(row, project, user)
        except ValueError as error:
            raise ValueError(f"line {number}: {error}") from None
        if candidate is not None:
            out.append(candidate)
    return out


def _candidate(row: Any, project: int, user: int) -> Candidate | None:
    if not isinstance(row, dict):
        raise ValueError("it is no JSON object")
    if _text(row, "state", "active") != "active":
        return None
    kind, since, text = _text(row, "kind"), _text(row, "valid_from", ""), _text(row, "text")
    if kind not in KINDS:
        raise ValueError(f"its kind {kind!r} is none of {', '.join(KINDS)}")
    if not visible(text).strip():
        raise ValueError("its text is empty")
    keywords, context, tags, triggers = (_text(row, name, "") for name in TEXTS)
    now = paths.now()  # a clock elsewhere may be ahead of ours
    return Candidate(
        kind=kind, text=text, provenance="import", scope=user if _text(row, "scope", "") == "user" else project,
        at=min(paths.parse_time(since), now) if since else now, keywords=keywords, context=context, tags=tags,
        triggers=triggers, proposal=True,
    )  # fmt: skip


def _text(row: dict[str, Any], name: str, default: str | None = None) -> str:
    found = row.get(name, default)
    if not isinstance(found, str):
        raise ValueError(f"its {name!r} is no text" if name in row else f"it has no {name!r}")
    try:
        found.encode()
    except UnicodeEncodeError as error:
        raise ValueError(f"its {name!r} is no text: half a character, {error.reason}") from None
    return found
