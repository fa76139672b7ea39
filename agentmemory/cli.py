"""The command line: one parser, a file of commands per area, one sentence per error."""

from __future__ import annotations

import argparse
import importlib
import sys
from collections.abc import Sequence
from typing import Any, NoReturn

from agentmemory import __version__

AREAS = (
    "cli_memory", "cli_held", "cli_graph", "cli_guard", "cli_consent", "cli_sleep", "cli_eval", "cli_sidecar",
    "cli_clients", "cli_page",
)  # fmt: skip
USAGE, FAILURE = 2, 1
NEAREST = 2  # commands that are named where there is none of a name
#: what somebody new types first
FIRST = (
    "A memory for coding agents. Begin with `agentmemory setup`, then work as before: what you say is learned once the"
    " agent has answered. `list` shows what is remembered, `why PROMPT` what a prompt is told, `review` what was"
    " learned and you have not seen; `forget` removes, `doctor` checks that all works."
)
SAID = 600  # characters of a message; what was given and stands in it may be a pasted file


def parser() -> argparse.ArgumentParser:
    """The whole command line, as help, completion and docs/reference.md see it."""
    top = _Parser(prog="agentmemory", description=FIRST)
    top.add_argument("--version", action="version", version=f"agentmemory {__version__}")
    commands = top.add_subparsers(dest="command", metavar="COMMAND", required=True)
    for area in AREAS:
        importlib.import_module(f"agentmemory.{area}").register(commands)
    _describe(commands)
    return top


def _describe(commands: Any) -> None:
    """Let a command's own help begin with the words that the list of commands has for it."""
    for listed in commands._choices_actions:
        command = commands.choices[listed.dest]
        command.description = f"{listed.help[:1].upper()}{listed.help[1:]}."
        if command._subparsers:
            _describe(command._subparsers._group_actions[0])


def main(argv: Sequence[str]) -> int:
    """Run one command; returns the exit status: 0, 1 for a failure, 2 for wrong usage."""
    top = parser()
    if not argv or argv[0] == "help":
        top.print_help()
        return 0 if argv else USAGE
    _known(top, argv[0])
    args = top.parse_args(argv)
    try:
        return int(args.run(args) or 0)
    except BrokenPipeError:
        return 0
    except KeyboardInterrupt:
        return 130
    except OverflowError:
        print("agentmemory: a number is too large for the store", file=sys.stderr)
        return FAILURE
    except Exception as error:
        from agentmemory.store.check import sayable

        if not sayable(error):
            raise
        print(f"agentmemory: {_short(_sentence(error))}", file=sys.stderr)
        return FAILURE


def _known(top: argparse.ArgumentParser, command: str) -> None:
    """End with a sentence that names the nearest ones where there is no such command: argparse lists all of them."""
    there: Any = top._subparsers._group_actions[0].choices  # type: ignore[union-attr]
    if command.startswith("-") or command in there:
        return
    from difflib import get_close_matches

    near = " or ".join(f"`{each}`" for each in get_close_matches(command, there, NEAREST))
    top.error(f"there is no command `{command}`; {f'you may mean {near}; ' if near else ''}`agentmemory help` has all")


class _Parser(argparse.ArgumentParser):
    """Options may stand between the words of a command, not only before and behind them."""

    _mixing = False

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> Any:
        """See argparse, whose `parse_intermixed_args` does not reach the commands of a command."""
        found, rest = super().parse_known_args(args, namespace)
        if not rest or self._mixing or self._subparsers:
            return found, rest
        self._mixing = True
        return self.parse_known_intermixed_args(args, namespace)

    def error(self, message: str) -> NoReturn:
        """See argparse, which repeats what was pasted in the place of a number whole."""
        super().error(_short(message))


def _short(message: str) -> str:
    """A message without the middle of what was pasted: a terminal shows its beginning and what is wrong."""
    return message if len(message) <= SAID else f"{message[: SAID // 2]} ... {message[-SAID // 2 :]}"


def _sentence(error: Exception) -> str:
    """What an error tells; of a folder that somebody deleted under us the system does not say which."""
    if isinstance(error, FileNotFoundError) and error.errno and error.filename is None:
        return "the current folder is gone; change to one that is there"
    if isinstance(error, UnicodeEncodeError) and error.encoding != "utf-8":
        return f"the output is {error.encoding}, which has no sign for all of it; PYTHONUTF8=1 makes it UTF-8"
    if isinstance(error, OSError) and error.strerror and isinstance(error.filename, str):
        return f"{error.filename!r}: {error.strerror[:1].lower()}{error.strerror[1:]}"
    if isinstance(error, UnicodeError):
        return "what was given is no UTF-8"
    from agentmemory.store.check import sentence

    return sentence(error)
