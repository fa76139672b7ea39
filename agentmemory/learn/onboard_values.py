"""What a file of a source tree holds: JSON, TOML, INI or Python as values; nothing where it is none, nothing is run."""

from __future__ import annotations

import ast
import configparser
import json
import re
import tomllib
import warnings
from typing import Any

DEEP_KEY = re.compile(r"(?:[\w\"'-]\s*\.\s*[\w\"'-]*){64}")  # tomllib takes minutes for a name of so many parts


def of_json(text: str) -> dict[str, Any]:
    """The object of a JSON text, {} where it is none."""
    try:
        return table_of(json.loads(text))
    except (ValueError, RecursionError):
        return {}


def of_toml(text: str) -> dict[str, Any]:
    """The tables of a TOML text, {} where it is none."""
    try:
        return {} if DEEP_KEY.search(text) else tomllib.loads(text)
    except (ValueError, RecursionError):
        return {}


def of_ini(text: str) -> configparser.RawConfigParser:
    """The sections of an INI text, none where it is broken."""
    parser = configparser.RawConfigParser(strict=False)
    try:
        parser.read_string(text)
    except (configparser.Error, ValueError):
        return configparser.RawConfigParser()
    return parser


def of_python(text: str) -> ast.Module:
    """The syntax tree of a Python text, an empty one where it is none."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # what Python finds odd in it is nothing to whoever has it read
            return ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return ast.Module([], [])


def decorator(node: ast.expr) -> str:
    """The last part of the name that a decorator bears, "" for what has none."""
    node = node.func if isinstance(node, ast.Call) else node
    return node.attr if isinstance(node, ast.Attribute) else node.id if isinstance(node, ast.Name) else ""


def table_of(value: object, *names: str) -> dict[str, Any]:
    """The table of these names, one within the other, in a value; {} where it has none."""
    for name in names:
        value = value.get(name) if isinstance(value, dict) else None
    return value if isinstance(value, dict) else {}
