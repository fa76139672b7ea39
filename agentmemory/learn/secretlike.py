"""Is this value a secret, a placeholder or code? Judges one name and one value, not the text around them.

A secret is random or was invented by a person; a placeholder says so; code is a name, a call or a path.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from dataclasses import dataclass
from functools import cache
from itertools import pairwise

from agentmemory.learn import tables


@dataclass(frozen=True)
class Assignment:
    """`name operator value`: what stands around a value."""

    value: str
    operator: str  # "" where the value stands right behind the name
    quoted: bool
    next: str  # the character behind the value, "" at the end of the text
    named_by_string: bool  # the name is a string itself: "api_token", "..."
    broken: bool  # a line break between operator and value
    names_variable: bool  # an upper-case name alone at the start of a line, as in .env


@cache
def facts(table: str) -> dict[str, frozenset[str]]:
    """A table of word lists from data/secrets.toml, as sets."""
    return {name: frozenset(words.split()) for name, words in tables.read("secrets")[table].items()}


CAMEL = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[^\W\d_A-Z]+|[0-9]+")


def kind_of_name(name: str) -> str | None:
    """`password`, `secret` or `key` when *name* names a secret, `weak-key` for a bare `key`, else None."""
    words, known = _words(name), facts("names")
    telling = [i for i, word in enumerate(words) if word in known["password"] | known["secret"] | known["key"]]
    public = known["public"] - {"commit"}  # "secret_do_not_commit" is one
    if not telling or not public.isdisjoint(words) or not known["about"].isdisjoint(words[telling[-1] + 1 :]):
        return None
    word = words[telling[-1]]
    if word in known["password"]:
        return "password"
    if word in known["secret"]:
        return "secret"
    return "key" if telling[-1] and words[telling[-1] - 1] in known["key_owner"] else "weak-key"


def names_no_secret(name: str) -> bool:
    """Whether *name* says that its value is public: a digest, a version, a foreign key."""
    return not facts("names")["public"].isdisjoint(_words(name))


def _words(name: str) -> list[str]:
    words: list[str] = []
    public = facts("names")["public"]
    for part in CAMEL.findall(name):
        word = part.lower()
        for whole in ("apikey", "password", "passwd", "secret", "token", "passphrase"):
            if word != whole and word.endswith(whole) and word not in public:
                words.append(word.removesuffix(whole))
                word = whole
                break
        words.extend(("api", "key") if word == "apikey" else (word,))
    return words


def is_secret(kind: str, given: Assignment) -> bool:
    """Whether the value assigned to a name of *kind* is a secret: no placeholder, code or plain word."""
    value = given.value
    if _drawn(kind, given):
        return True
    if is_placeholder(value) or _is_code(given) or any(c.isspace() for c in value):
        return False
    if not given.operator:
        return _is_beside(kind, value)
    if given.operator in {",", "||"} and not (given.quoted and given.named_by_string and not given.broken):
        return False
    if given.operator == ">" and not given.quoted and given.next not in {"<", "", " "}:
        return False
    if given.operator.isalpha():  # in words: "the password of the printer is ..."
        return len(value) >= 6 and _mixed(value) and (kind == "password" or is_random(value))
    if kind == "password" and given.operator != ",":
        return _is_password(given)
    if len(value) < 8:
        return False
    if kind == "weak-key":
        return len(value) >= 20 and is_random(value) and not _is_uuid(value) and not _is_hex_digest(value)
    return is_random(value) or (given.names_variable and given.operator == "=" and _mixed(value))


def _is_beside(kind: str, value: str) -> bool:
    """Whether a value that only stands behind the name is the secret, and no other word of the sentence."""
    if kind == "weak-key" or _is_uuid(value):
        return False
    if len(value) >= 20 and value.count("/") < 3 and is_random(value):
        return True
    signs = any(c in "!#$%^&*~" for c in value) and "@" not in value
    return kind == "password" and len(value) >= 8 and signs and value[0].isalnum() and any(map(str.isdigit, value))


def _drawn(kind: str, given: Assignment) -> bool:
    """A value that was drawn at random, however much it looks like a path (`/hTl...`) or a name in camel case."""
    value = given.value
    if given.operator != "=" or kind == "weak-key" or not value.isascii() or any(c in "$<>{}[]()%*. " for c in value):
        return False
    if len(value) >= 32 and (value[0] != "/" or (is_random(value) and entropy(value) >= 4.2)):
        plain = sum(
            (any(map(str.isupper, value)), any(map(str.islower, value)), any(c in "0123456789+" for c in value))
        )
        return plain == 3 and entropy(value) >= 4.0
    turns = sum(a.isupper() != b.isupper() for a, b in pairwise(value))
    return kind == "password" and len(value) >= 12 and value.isalnum() and 3 * turns >= len(value)


def _is_password(given: Assignment) -> bool:
    value = given.value
    if _mixed(value):
        return len(value) >= 6
    assigned = given.operator == "=" or (given.operator == ":" and given.quoted)
    return assigned and len(value) >= 8 and given.names_variable


def _mixed(value: str) -> bool:
    """Letters together with digits or signs, what a person calls a good password; or a long number."""
    letters = any(c.isalpha() for c in value)
    digits = any(c.isdigit() for c in value)
    signs = any(c in "!@#$%^&*+=?~" for c in value)
    return (letters and (digits or signs)) or (digits and len(value) >= 6 and value.isdigit())


PLACEHOLDER = re.compile(
    r"""(?ix) ^(?:\$|%\w+%|@\w+@|<|\{|\[|:\w+$|/|\./|~/|\*+$|\.+$|-+$|_+$|\#)
      | <[^>]{0,60}>? | \$\{ | \$\( | \{\{ | \#\{ | %\( | \[redacted
      | (?<![a-z])(?:your|my|the|some|any|insert|replace|enter|put|change|set|add|fill)[-_ .]?(?:own|me|it|this
        |in|here|api|app|secret|token|key|password|passwd|pass|pwd|access|auth|client|real|super|actual|strong|db
        |service|org)
      | placeholder | redacted | example | sample | dummy | changeit | x{4} | (?<!\w)x{3}(?!\w) | \*\*\* | \.\.\.
      | todo | fixme | foobar
      | not[-_]?(?:a[-_]?)?(?:real|secret|set) | fake
      | ^(?:test|mock|stub|default|none|null|nil|true|false|undefined)\b
      | process\.env | os\.environ | getenv | import\.meta | env[\[(] | secrets\.[a-z] | vars\.[a-z] | vault:
      | ^(?:pass(?:w(?:or)?d)?|pwd|pw|secret|token|key|api[-_]?key|string|bearer|basic|required|optional)[\d!]{0,4}$
      | ^(.)\1{5} | x{6} | 0{8} | ^.{0,6}(?:12345678|abcdefgh|01234567|deadbeef)
    """
)


def is_placeholder(value: str) -> bool:
    """Whether *value* stands for a secret without being one: `<token>`, YOUR_KEY, `${VAR}`, process.env.X."""
    return PLACEHOLDER.search(value[:400]) is not None and not (_is_uuid(value) and len(set(value)) > 6)


def is_example(token: str) -> bool:
    """Whether a well-formed token is a documented example: it says so, or hardly varies."""
    tail = token[4:]
    return (
        "EXAMPLE" in token or "example" in token or "xxxxxx" in token or "XXXXXX" in token or entropy(tail[:200]) < 2.0
    )


VERSIONED = re.compile(r"[-_.]v?\d{1,3}\.\d{1,4}\.\d{1,5}$")  # an artifact: jjwt-jackson-0.11.2


def _is_dotted_name(value: str) -> bool:
    parts = value.replace("->", ".").replace("::", ".").split(".")
    return len(parts) > 1 and all(part.isidentifier() for part in parts)


def _is_code(given: Assignment) -> bool:
    """A name, a call, a path or the next line's variable: what a program writes where a secret could be."""
    value = given.value
    if given.broken and not given.quoted and given.operator not in {">", "->"}:
        return True
    if value.startswith(("/", "./", "../", "~/", "http://", "https://", "file:", "arn:", "ssm:", "op://", "--")):
        return True
    if given.quoted:
        return value.count("/") > 2 and not is_random(value)
    if VERSIONED.search(value):
        return True
    if given.next in {"(", "[", "{"} or value.endswith(("(", "[", "::")):
        return True
    return _is_dotted_name(value) and not (is_random(value) and entropy(value) > 4.2)


ORDINARY = 0.55  # share of common pairs above which letters are words (English 0.85, names 0.7, random 0.27)


def is_random(value: str) -> bool:
    """Whether *value* looks drawn by a machine: digits among letters, high entropy, few words."""
    body = value.strip("=")
    if len(body) < 8 or not any(c.isdigit() for c in body):
        return body.isalpha() and len(body) >= 24 and _wordiness(body) < 0.4
    if body.isdigit():
        return len(body) >= 15
    if not any(c.isalpha() for c in body):
        return False
    if entropy(body) < (2.4 if len(body) < 16 else 3.0):
        return False
    return _is_uuid(body) or _alternates(body) or _wordiness(body) < ORDINARY


def _wordiness(value: str) -> float:
    """Share of neighbouring letters that are ordinary pairs; 0 where too few stand side by side to tell."""
    if HEX.fullmatch(value.lower()):
        return 0.0
    pairs = [a + b for a, b in pairwise(value) if a.isalpha() and b.isalpha()]
    words = sum(
        pair.lower() in facts("letters")["common"] and not (pair[0].islower() and pair[1].isupper()) for pair in pairs
    )
    return words / len(pairs) if len(pairs) >= 4 else 0.0


def entropy(value: str) -> float:
    """Shannon entropy of the characters, in bits (0 for an empty string)."""
    n = len(value)
    return -sum(c / n * math.log2(c / n) for c in Counter(value).values()) if n else 0.0


def _alternates(value: str) -> bool:
    """Whether letters and digits change places as often as in random text (names change once or twice)."""
    changes = sum(a.isdigit() != b.isdigit() for a, b in pairwise(value))
    return len(value) >= 16 and changes >= max(5, len(value) // 5)


HEX = re.compile(r"(?=.*[0-9])[0-9a-f-]{16,}")
UUID = re.compile(r"[0-9A-Fa-f]{8}-(?:[0-9A-Fa-f]{4}-){3}[0-9A-Fa-f]{12}")
DIGEST = re.compile(r"[0-9a-f]{32}|[0-9a-f]{40}|[0-9a-f]{64}|[0-9a-f]{128}")


def _is_uuid(value: str) -> bool:
    return UUID.fullmatch(value) is not None


def _is_hex_digest(value: str) -> bool:
    return DIGEST.fullmatch(value) is not None


def is_vendor_token(name: str, value: str) -> bool:
    """Whether *value*, of the length a vendor's tokens have, is one: random, or beside a name that says so."""
    if value.isalpha() and (value.islower() or value.isupper()):
        return False
    return not is_placeholder(value.lstrip("A")) and (is_random(value) or kind_of_name(name) is not None)


def is_credential(value: str) -> bool:
    """Whether the value of an authorization header is real: long or mixed, no placeholder, no variable."""
    if is_placeholder(value) or (_is_dotted_name(value) and not is_random(value)):
        return False
    return is_random(value) or (len(value) >= 12 and _mixed(value) and _wordiness(value) < ORDINARY)


def is_typed(value: str) -> bool:
    """Whether a command line's `--password value` is a real one: not a flag, a variable, a path or a file."""
    return not is_placeholder(value) and not value.startswith("-") and "/" not in value[:2] and _mixed(value)
