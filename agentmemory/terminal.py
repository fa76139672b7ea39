"""What people at a terminal type and see: port numbers, tables, progress bars."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager


def port(text: str) -> int:
    """A port, 0 for a free one. Raises ValueError, of which argparse makes a sentence."""
    if 0 <= int(text) < 1 << 16:
        return int(text)
    raise ValueError(text)


def table(columns: Sequence[str], rows: Iterable[Sequence[object]]) -> None:
    """Print rows under their columns; stored text is shown as text, never as markup."""
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    out = Table(box=None, header_style="bold")
    for column in columns:
        out.add_column(column, overflow="fold")  # a long path goes on in the next line, it is not cut
    for row in rows:
        out.add_row(*(Text("".join(c for c in str(cell) if c.isprintable())) for cell in row))
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
