"""What people at a terminal type and see: what commands take, yes or no, tables, progress bars."""

from __future__ import annotations

import argparse
import math
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

Commands = Any  # argparse's subparsers have no public type
EMPTY = "Nothing is remembered here yet: it is learned once the agent has answered (`agentmemory doctor` says whether)."


def with_json(command: Any, run: Callable[[argparse.Namespace], int]) -> None:
    """What a command runs; it can also answer in JSON."""
    command.add_argument("--json", action="store_true")
    command.set_defaults(run=run)


def port(text: str) -> int:
    """A port, 0 for a free one. Raises ValueError, of which argparse makes a sentence."""
    if 0 <= int(text) < 1 << 16:
        return int(text)
    raise ValueError(text)


def numbered(text: str) -> int:
    """A number that something is named by: a belief, a guard, a batch.

    Raises:
        ArgumentTypeError: it is none.
    """
    try:
        return int(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r} is no id; ids are numbers") from None


def natural(text: str) -> int:
    """A number from 0 on.

    Raises:
        ArgumentTypeError: it is none.
    """
    if not text.isdecimal():
        raise argparse.ArgumentTypeError(f"{text} is not a number from 0 on")
    return int(text)


def amount(text: str) -> float:
    """The same, with parts."""
    try:
        found = float(text)
    except ValueError:
        found = -1.0
    if not 0.0 <= found < math.inf:
        raise argparse.ArgumentTypeError(f"{text} is not a number from 0 on")
    return found


def id_or_words(text: str) -> int | str:
    """The id that a text is, whatever its sign: no command takes `-1` for words; else the text.

    Raises:
        ValueError: it is that of a turn, which is neither.
    """
    if text.startswith("turn:") and text.removeprefix("turn:").isdecimal():
        raise ValueError(f"{text} is a turn; this takes a belief, or words")
    return int(text) if text.removeprefix("-").isdecimal() else text


def which(text: str) -> tuple[str, int]:
    """A belief or a turn by its id, as tables show it: `4`, `turn:4`.

    Raises:
        ArgumentTypeError: it is none.
    """
    number = text.removeprefix("turn:")
    if not number.removeprefix("-").isdecimal():
        raise argparse.ArgumentTypeError(f"{text} is no id; it is like 4, or turn:4")
    return "belief" if number == text else "turn", int(number)


def asked(words: Sequence[str]) -> str:
    """What is asked, in one string. Raises ValueError where it says nothing."""
    text = " ".join(words)
    if not text.strip():
        raise ValueError("nothing is asked; say it in words")
    return text


def yes(question: str) -> bool:
    """Whether the person at the terminal says yes."""
    return input(f"{question} [y/N] ").strip().lower() in ("y", "yes")


def shown(text: str) -> str:
    """Text that somebody else wrote, without what a terminal would obey."""
    return "".join(c for c in text if c.isprintable() or c in "\n\t")


def table(columns: Sequence[str], rows: Sequence[Sequence[object]], none: str = "Nothing.") -> None:
    """Print rows under their columns, *none* where there are none; stored text is shown as text, never as markup."""
    if not rows:
        print(none)
        return
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    out = Table(box=None, header_style="bold")
    for column in columns:
        out.add_column(column, overflow="fold")  # a long path goes on in the next line, it is not cut
    for row in rows:
        out.add_row(*(Text(shown(str(cell))) for cell in row))
    Console().print(out)


@contextmanager
def progress(title: str, quiet: bool = False) -> Iterator[Callable[[str, float], None]]:
    """A bar on standard error: call what it gives with what is being done and the share that is done, 0 to 1."""
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

    console = Console(stderr=True, quiet=quiet)
    columns = (TextColumn("{task.description}", markup=False), BarColumn(), TimeElapsedColumn())
    with Progress(*columns, console=console, transient=True) as bar:
        task = bar.add_task(title, total=1.0)
        yield lambda what, share: bar.update(task, completed=share, description=f"{title}: {what}")
