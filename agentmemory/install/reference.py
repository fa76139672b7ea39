"""The table of commands in docs/reference.md, printed from the parser itself.

python -m agentmemory.install.reference
"""

from __future__ import annotations

import argparse

from agentmemory.cli import parser

HEAD = "| command | what it does | its words and options |\n|---|---|---|\n"


def table(top: argparse.ArgumentParser) -> str:
    """A line for each command that `--help` lists, those of a group behind its name."""
    return HEAD + "".join(_lines(top, ""))


def _lines(above: argparse.ArgumentParser, name: str) -> list[str]:
    out: list[str] = []
    for action in above._actions:
        if isinstance(action, argparse._SubParsersAction):
            for listed in action._choices_actions:
                command, typed = action.choices[listed.dest], f"{name} {listed.dest}".strip()
                out += _lines(command, typed) or [_line(command, typed, listed.help or "")]
    return out


def _line(command: argparse.ArgumentParser, name: str, does: str) -> str:
    given = [action for action in command._actions if not isinstance(action, argparse._HelpAction)]
    words = [action for action in given if not action.option_strings]
    told = [f"`{action.dest.upper()}` {action.help}" for action in words if action.help]
    options = [_option(action) for action in given if action.option_strings]
    return f"| `{' '.join([name, *map(_word, words)])}` | {does} | {'; '.join([*told, *options])} |\n"


def _word(action: argparse.Action) -> str:
    """How what is typed is called: `TEXT...`, `[FILE]`, `list/accept/reject`."""
    name = "/".join(map(str, action.choices)) if action.choices else action.dest.upper()
    name += "..." if action.nargs in ("+", "*") else ""
    return f"[{name}]" if action.nargs in ("?", "*") else name


def _option(action: argparse.Action) -> str:
    value = "" if action.nargs == 0 else f" {'/'.join(action.choices or ()) or action.metavar or action.dest.upper()}"
    help = action.help or ""
    default = "" if not action.default or "default" in help else f" (default {action.default})"
    return f"`{action.option_strings[0]}{value}`{f' {help}' if help else ''}{default}"


if __name__ == "__main__":
    print(table(parser()), end="")
