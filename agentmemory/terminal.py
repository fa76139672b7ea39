"""Tables for people at a terminal."""

from __future__ import annotations

from collections.abc import Iterable, Sequence


def table(columns: Sequence[str], rows: Iterable[Sequence[object]]) -> None:
    """Print rows under their columns; stored text is shown as text, never as markup."""
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    out = Table(*columns, box=None, header_style="bold")
    for row in rows:
        out.add_row(*(Text("".join(c for c in str(cell) if c.isprintable())) for cell in row))
    Console().print(out)
