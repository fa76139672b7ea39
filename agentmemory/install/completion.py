"""Shell completion, printed from the parser itself, so that it never knows less or more than the program."""

from __future__ import annotations

import argparse
import shlex

SHELLS = ("bash", "zsh", "fish")


def script(parser: argparse.ArgumentParser, shell: str) -> str:
    """The completion script of a shell for this parser's commands and options."""
    commands = _commands(parser)
    return {"bash": _bash, "zsh": _zsh, "fish": _fish}[shell](parser.prog, commands)


Words = dict[str, tuple[str, list[str]]]  # command -> its help and what can follow it


def _commands(parser: argparse.ArgumentParser) -> Words:
    found: Words = {}
    for action in parser._actions:
        if not isinstance(action, argparse._SubParsersAction):
            continue
        helps = {choice.dest: choice.help or "" for choice in action._choices_actions}
        for name, sub in action.choices.items():
            if name in helps:
                found[name] = (helps[name], _follows(sub))
    return found


def _follows(parser: argparse.ArgumentParser) -> list[str]:
    words: list[str] = []
    for action in parser._actions:
        words += [option for option in action.option_strings if option.startswith("--")]
        if not action.option_strings and action.choices:
            words += [str(choice) for choice in action.choices]
    return words


def _bash(prog: str, commands: Words) -> str:
    cases = "\n".join(
        f"    {name}) words={shlex.quote(' '.join(follows))} ;;" for name, (_, follows) in commands.items()
    )
    return f"""\
_{prog}() {{
  local current="${{COMP_WORDS[COMP_CWORD]}}" words
  case "${{COMP_WORDS[1]}}" in
{cases}
    *) words='' ;;
  esac
  [ "$COMP_CWORD" -eq 1 ] && words={shlex.quote(" ".join(commands))}
  COMPREPLY=($(compgen -W "$words" -- "$current"))
}}
complete -o default -F _{prog} {prog}
"""


def _zsh(prog: str, commands: Words) -> str:
    lines = "\n".join("    " + shlex.quote(f"{name}:{help.replace(':', ' ')}") for name, (help, _) in commands.items())
    cases = "\n".join(
        f"      {name}) compadd -- {' '.join(follows)}; _files ;;" for name, (_, follows) in commands.items()
    )
    return f"""\
#compdef {prog}
_{prog}() {{
  local -a commands=(
{lines}
  )
  if (( CURRENT == 2 )); then
    _describe command commands
  else
    case $words[2] in
{cases}
    esac
  fi
}}
compdef _{prog} {prog}
"""


def _fish(prog: str, commands: Words) -> str:
    lines = []
    for name, (help, follows) in commands.items():
        lines.append(f"complete -c {prog} -n __fish_use_subcommand -a {name} -d {shlex.quote(help)}")
        seen = f"'__fish_seen_subcommand_from {name}'"
        lines += [f"complete -c {prog} -n {seen} -l {word[2:]}" for word in follows if word.startswith("--")]
        plain = " ".join(word for word in follows if not word.startswith("--"))
        if plain:
            lines.append(f"complete -c {prog} -n {seen} -a {shlex.quote(plain)}")
    return "\n".join(lines) + "\n"
