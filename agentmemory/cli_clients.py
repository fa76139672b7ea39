"""Commands for the clients' side: setup, doctor, backup, mcp, completion, and what a `/mem:` command runs."""

from __future__ import annotations

import argparse
import contextlib
import os
import sys

from agentmemory import paths
from agentmemory.install.completion import SHELLS
from agentmemory.terminal import Commands, shown, with_json

#: `/mem:` commands whose words are options and ids, not a text
PLAIN = ("doctor", "health", "list", "locked", "proposals", "review", "stats", "undo")
WHOLE = "\nWHOLE\n"  # Claude Code ends a command's block at the first ``` that was typed: then this is missing
CUT = "Claude Code cuts the words of a command at ```, so nothing was done; leave that out, or say it at a terminal."


def register(commands: Commands) -> None:
    """Add this area's commands to the parser."""
    setup = commands.add_parser("setup", help="connect Claude Code and Codex, or disconnect them byte for byte")
    setup.add_argument("--uninstall", action="store_true", help="take back what setup changed; memories stay")
    setup.add_argument("--client", choices=("claude-code", "codex"), help="only this one")
    setup.add_argument("--dry-run", action="store_true", help="only show what would change")
    setup.set_defaults(run=_setup)

    doctor = commands.add_parser("doctor", help="check that the memory works, from hooks to disk")
    doctor.add_argument("--repair", action="store_true", help="mend what can be mended; nothing is deleted")
    with_json(doctor, _doctor)

    backup = commands.add_parser("backup", help="a whole copy of the store, taken while it is in use")
    backup.add_argument("file", nargs="?", help="default: a new file in the data folder's `backups`")
    backup.set_defaults(run=_backup)

    restore = commands.add_parser("restore", help="put a backup in the store's place; the present store is set aside")
    restore.add_argument("file")
    restore.set_defaults(run=_restore)

    mcp = commands.add_parser("mcp", help="the MCP server, on standard input and output")
    mcp.set_defaults(run=_mcp)

    completion = commands.add_parser("completion", help="print a shell's completion script")
    completion.add_argument("shell", choices=SHELLS)
    completion.set_defaults(run=_completion)

    locked = commands.add_parser("locked", help="list the locked rules")
    locked.set_defaults(run=_locked)

    slash = commands.add_parser("slash")  # no help: it is for the plugin
    slash.add_argument("name")
    slash.add_argument("--began", action="store_true")  # the first line says where the session began
    slash.add_argument("--whole", action="store_true")  # the last line says that the words were not cut
    slash.set_defaults(run=_slash)


def _setup(args: argparse.Namespace) -> int:
    from agentmemory.install import setup

    do = setup.uninstall if args.uninstall else setup.setup
    for diff, sentence in do(paths.home(), setup.chosen(args.client), args.dry_run):
        if args.dry_run and diff:
            print(diff)
        print(sentence)
    return 0


def _doctor(args: argparse.Namespace) -> int:
    from agentmemory.install import doctor

    return doctor.main(paths.home(), repair=args.repair, as_json=args.json)


def _backup(args: argparse.Namespace) -> int:
    from agentmemory.store import backup

    print(f"The store is copied to {backup.backup(paths.home(), args.file and os.path.abspath(args.file))}.")
    return 0


def _restore(args: argparse.Namespace) -> int:
    from agentmemory.store import backup

    aside = backup.restore(paths.home(), os.path.abspath(args.file))
    print(f"The backup is in place.{f' What was there is in {aside}.' if aside else ''}")
    return 0


def _mcp(args: argparse.Namespace) -> int:
    from agentmemory.server_front import main

    return main()


def _completion(args: argparse.Namespace) -> int:
    from agentmemory.cli import parser
    from agentmemory.install.completion import script

    print(script(parser(), args.shell), end="")
    return 0


def _locked(args: argparse.Namespace) -> int:
    from agentmemory.memory import Memory

    with Memory() as memory:
        held = [row for row in memory.export() if row["locked"] and row["state"] == "active"]
    print(shown("\n".join(f"{row['id']}: {row['text']} ({row['scope']})" for row in held)) or "No rule is locked.")
    return 0


def _slash(args: argparse.Namespace) -> int:
    """Run a command for `/mem:NAME`: the words come on standard input as the person typed them.

    It speaks of the project that hooks see, wherever the agent's shell has gone. What goes wrong is said on standard
    output with exit code 0: the client shows that, and hides failures.
    """
    from agentmemory import cli

    os.environ.setdefault("COLUMNS", "160")
    if args.began:
        _settle(sys.stdin.readline().rstrip("\n"))
    words = sys.stdin.read()
    if args.whole and not words.endswith(WHOLE):
        print(CUT)
        return 0
    words = words.removesuffix(WHOLE).strip()
    with contextlib.redirect_stderr(sys.stdout):
        try:
            cli.main(_argv(args.name, words))
        except SystemExit:
            pass  # argparse has said what is wrong
        except ValueError as error:
            print(error)
    return 0


def _settle(began: str) -> None:
    """Change to the folder that hooks take the session for: the one it began in, wherever its shell has gone since."""
    try:
        here = os.getcwd()
    except OSError:
        here = began
    with contextlib.suppress(OSError):
        os.chdir(paths.settled(here, began))


def _argv(name: str, words: str) -> list[str]:
    """The command line that a `/mem:` command stands for.

    Raises:
        ValueError: the words do not say what the command needs.
    """
    if name == "guard":
        verb, *rule = (words or "list").split(maxsplit=1)
        if verb == "add":
            return ["guard", "add", "--yes", "--", *rule]  # typing it is the consent
        return ["guard", *(words or "list").split()]
    if name in PLAIN:
        return [name, *words.split()]
    if name == "onboard":
        return ["onboard", "--", os.path.expanduser(words) or "."]
    if not words:
        raise ValueError(f"/mem:{name} needs words after it.")
    if name == "correct":
        old, arrow, new = words.partition(" -> ")
        if not arrow:
            old, _, new = words.partition(" ")
            if not old.isdigit() or not new:
                raise ValueError("Say which memory and what is true now: /mem:correct 12 the new text, or old -> new.")
        return ["correct", "--", old.strip(), new.strip()]
    return [name, *(["--yes"] if name == "forget" else []), "--", words]  # typing it is the consent
