"""Secrets in a text are replaced by `[redacted:kind]`. Knows shapes, nothing of turns or the store.

A shape is tried only where its keyword stands, in a bounded window: the cost grows with the text.
"""

from __future__ import annotations

import re
from bisect import bisect
from collections.abc import Iterable, Iterator
from functools import cache

from agentmemory.learn import secretlike, tables
from agentmemory.learn.saidagain import again

Span = tuple[int, int, str]

LEAD = 110  # the longest stretch of a token before a keyword in its middle (an OpenAI key's first half is 100)
NAME = 50  # longest name before a keyword, `my_service_staging_api_` and the like
LONGEST_KEY = 20_000  # a 16384-bit RSA key in PEM is 12,700 characters
REACH = 300  # how far behind a keyword the value of an assignment may end
LEAST = 13  # characters of the shortest token (data/secrets.toml): no token stands in a shorter word


def redact(text: str) -> str:
    """*text* with every secret replaced by `[redacted:kind]`; applying it twice changes nothing more."""
    spans = secrets(text) if text else []
    if not spans:
        return text
    parts, at = [], 0
    for start, end, kind in spans:
        parts.append(f"{text[at:start]}[redacted:{kind}]")
        at = end
    return "".join(parts) + text[at:]


def secrets(text: str) -> list[Span]:
    """The secrets in *text* as (start, end, kind), in order, none overlapping another."""
    lower = _lower(text)
    found = list(_all(text, lower))
    found = sorted([*found, *again(text, found)], key=lambda span: (span[0], -span[1]))
    kept: list[Span] = []
    for span in found:
        if not kept or span[0] >= kept[-1][1]:
            kept.append(span)
        elif span[1] > kept[-1][1]:  # two readings of one value: what either calls secret goes
            kept[-1] = (kept[-1][0], span[1], kept[-1][2])
    return kept


def _all(text: str, lower: str) -> Iterator[Span]:
    if long := " ".join(word for word in lower.split() if len(word) >= LEAST):
        yield from _tokens(text, lower, long)
        yield from _vendors(text, lower)
    yield from _assignments(text, lower)
    yield from _urls(text, lower)
    yield from _headers(text, lower)
    yield from _flags(text, lower)
    yield from _typed(text, lower)
    yield from _cookies(text, lower)
    yield from _private_keys(text, lower)
    yield from _kubernetes(text, lower)


def _lower(text: str) -> str:
    """Lower case with every character in its place (`str.lower` lengthens a few)."""
    lower = text.lower()
    return lower if len(lower) == len(text) else "".join(c.lower() if len(c.lower()) == 1 else c for c in text)


def _places(lower: str, keyword: str) -> Iterable[int]:
    return _each_place(lower, keyword) if keyword in lower else ()  # most talk holds few of them


def _each_place(lower: str, keyword: str) -> Iterator[int]:
    at = lower.find(keyword)
    while at >= 0:
        yield at
        at = lower.find(keyword, at + len(keyword))


# Tokens that name themselves -----------------------------------------------------------------------------


@cache
def _token_rules() -> dict[str, list[tuple[str, str, int, re.Pattern[str]]]]:
    """The rules by the first sign or digit of their keyword, "" for none: most talk holds few of them."""
    rules: dict[str, list[tuple[str, str, int, re.Pattern[str]]]] = {}
    for kind, keyword, shape in _facts()["token"]:
        literal = shape.replace("(?i:", "").replace("\\", "").replace(")", "").lower()
        lead = 0 if literal.startswith(keyword) else LEAD
        sign = next((c for c in keyword if not c.isalpha()), "")
        shaped = re.compile(rf"(?<![A-Za-z0-9_])(?:{shape})(?![A-Za-z0-9])")
        rules.setdefault(sign, []).append((kind, keyword, lead, shaped))
    return rules


def _facts() -> dict[str, list[list[str]]]:
    return tables.read("secrets")


def _tokens(text: str, lower: str, long: str) -> Iterator[Span]:
    """Tokens in *text*; *long*: its words that may hold one."""
    held = (rule for sign, rules in _token_rules().items() if sign in long for rule in rules)
    for kind, keyword, lead, shape in held:
        if keyword not in long:
            continue
        seen = 0
        for at in _places(lower, keyword):
            if at < seen:
                continue
            found = _at(shape, text, at, lead, seen)
            if found and not secretlike.is_example(found.group()):
                yield found.start(), found.end(), kind
                seen = found.end()


def _at(shape: re.Pattern[str], text: str, at: int, lead: int, seen: int) -> re.Match[str] | None:
    """*shape* around the keyword at *at*: begins there, or up to *lead* characters before."""
    if not lead:
        return shape.match(text, at)
    return shape.search(text, max(seen, at - lead), at + 2 * LEAD)


# Values beside a telling name ----------------------------------------------------------------------------

VALUE = r"""(?P<quote>["'`])?
    (?P<value>(?(quote)[^"'`\r\n\\]{4,200}|[^\s"'`,;<>(){}\[\]|\\]{4,200}))(?P<after>(?(quote)["'`])?.?)"""
ASSIGNED = re.compile(
    r"""(?P<tail>[\w.-]{0,40})\\?(?P<close>["'`\])]{0,3})
        (?:[ \t]{0,8}(?<=[ \t])value|[,\s][ \t\r\n]{0,42}\\?["']?value\\?["']?(?=[ \t]{0,4}[:=]))?[ \t]{0,8}
        (?:(?::[ \t]{0,3})?(?:string|String|str|&str|char[ ]?\*|text)[ \t]{0,3}(?==))?
        (?P<op>::?:?=|[?+.]=|=>|->|={1,3}|:{1,2}|,|>|\|\|:?=?)
        (?P<gap>[ \t]{0,12}(?:(?:[uUbrf@]|\w{2,12}!?\()?(?:""(?=")|''(?='))?(?=["'`])|[\r\n]{1,2}[ \t]{0,40})?)\\?"""
    + VALUE,
    re.VERBOSE,
)
SAID = re.compile(
    r"""(?P<tail>[\w.-]{0,40})
        (?:[ \t](?:of|for|on|to|at|in|v[oe][nm]|f[uü]r|del?|du|d[oa])(?:[ \t][\w.-]{1,24}){1,3}?)?
        [ \t]{1,3}(?P<op>is|was|are|ist|es|est|é)[ \t:]{1,3}(?P<gap>)"""
    + VALUE,
    re.VERBOSE,
)
BESIDE = re.compile(r"(?P<tail>[\w.-]{0,40})[ \t]{1,3}(?P<op>)(?P<gap>)" + VALUE, re.VERBOSE)  # "the token 41ba..."
VERDICT = "--- PASS: "  # before the name of a test, in what `go test` prints
NAME_WORDS = tuple("pass pwd pw psk secret token key auth cred kennwort contrase senha wachtwoord".split())


def _assignments(text: str, lower: str) -> Iterator[Span]:
    for word in filter(lower.__contains__, NAME_WORDS):
        seen = 0
        for at in _places(lower, word):
            if at < seen:
                continue
            found = _assigned(text, at + len(word))
            if not found:
                continue
            if text.startswith(VERDICT, max(0, at - 4)):
                continue
            owner = f"{_name_before(text, at - 1)} " if word == "key" and text[at - 1 : at] == " " else ""
            name = owner + _name_before(text, at) + text[at : at + len(word)] + found["tail"]
            kind = secretlike.kind_of_name(name)
            if kind and secretlike.is_secret(kind, _evidence(text, found)):
                yield found.start("value"), _value_end(found), kind
                seen = found.end("value")


def _assigned(text: str, at: int) -> re.Match[str] | None:
    limit = at + REACH
    return ASSIGNED.match(text, at, limit) or SAID.match(text, at, limit) or BESIDE.match(text, at, limit)


def _evidence(text: str, found: re.Match[str]) -> secretlike.Assignment:
    close = found.groupdict().get("close") or ""
    return secretlike.Assignment(
        value=found["value"] if found["quote"] else found["value"].rstrip(".,:!?"),
        operator=found["op"],
        quoted=bool(found["quote"]),
        next=found["after"][-1:] if found["after"] else "",
        named_by_string='"' in close or "'" in close,
        broken="\n" in found["gap"] or "\r" in found["gap"],
        names_variable=_starts_line(text, found.start()),
    )


def _value_end(found: re.Match[str]) -> int:
    if found["quote"]:
        return found.end("value")
    return found.start("value") + len(found["value"].rstrip(".,:!?"))


def _name_before(text: str, at: int) -> str:
    start = at
    while start > max(0, at - NAME) and (text[start - 1].isalnum() or text[start - 1] in "_.-"):
        start -= 1
    return text[start:at]


def _starts_line(text: str, at: int) -> bool:
    """Whether the name that ends near *at* is an upper-case variable that begins its line, as in .env."""
    line = text.rfind("\n", max(0, at - 80), at) + 1
    head = text[line:at].strip().removeprefix("export ").removeprefix("- ").removeprefix("ENV ").strip()
    return bool(head) and head.replace("_", "").isalnum() and head == head.upper()


ALPHABETS = {
    "hex": r"[0-9A-Fa-f]",
    "digit": r"[0-9]",
    "alnum": r"[A-Za-z0-9]",
    "word": r"[\w=-]",
    "dotted": r"[\w=.:-]",
    "dashed": r"[\w-]",
    "piped": r"[\w|%-]",
    "base64": r"[\w/=+%-]",
    "uuid": r"[0-9A-Fa-f-]",
}


@cache
def _vendor_rules() -> dict[str, list[re.Pattern[str]]]:
    rules: dict[str, list[re.Pattern[str]]] = {}
    for name, alphabet, low, high in _facts()["vendor"]:
        shape = re.compile(rf"{ALPHABETS[alphabet]}{{{low},{high}}}")
        rules.setdefault(name, []).append(shape)
    return rules


def _vendors(text: str, lower: str) -> Iterator[Span]:
    rules = _vendor_rules()
    for vendor in filter(lower.__contains__, rules):
        for at in _places(lower, vendor):
            found = ASSIGNED.match(text, at + len(vendor), at + REACH)
            name = _name_before(text, at) + vendor + found["tail"] if found else ""
            if not found or secretlike.names_no_secret(name):
                continue
            value = found["value"].strip()
            if any(shape.fullmatch(value) for shape in rules[vendor]) and secretlike.is_vendor_token(name, value):
                yield found.start("value"), _value_end(found), f"{vendor.strip('_-')}-token"


# Places where a secret always stands ---------------------------------------------------------------------

URL = re.compile(r"://(?P<user>[^\s/:@\"'`<>]{0,64}):(?P<value>[^\s/@\"'`<>]{2,160})@(?=[\w\[.$-])")
HEADER = re.compile(
    r"""["']?[ \t]{0,3}[:=,][ \t]{0,3}(?:[fb]?["'`])?
        (?:(?P<scheme>bearer|basic|token|digest|apikey|bot)[ \t]{1,3})?
        (?P<value>[\w~@.+/=:-]{8,4000})""",
    re.IGNORECASE | re.VERBOSE,
)
BEARER = re.compile(r"[ \t]{1,3}(?P<value>[\w~.+/-]{16,4000}={0,2})")
FLAG = re.compile(r"(?:[ \t]{1,4}(?:\\\r?\n[ \t]{0,40})?|=)" + VALUE, re.VERBOSE)
CURL_USER = re.compile(
    r"(?:-u|--user|--proxy-user)[ \t=]{0,3}[\"']?(?P<user>[\w.@+-]{1,64}):(?P<value>[^\s\"']{3,160})"
)
HEADERS = [
    "authorization",
    "x-api-key",
    "x-auth-token",
    "x-access-token",
    "api-key",
    "apikey",
    "private-token",
    "x-token",
    "x-vault-token",
]
FLAGS = [
    "--password",
    "--passwd",
    "--token",
    "--secret",
    "--api-key",
    "--apikey",
    "--access-key",
    "--secret-key",
    "--auth-token",
    "--client-secret",
    "--passphrase",
    "--pass",
    "--with-token",
    "--admin-password",
    "--db-password",
    "--private-key",
]


def _urls(text: str, lower: str) -> Iterator[Span]:
    for at in _places(lower, "://"):
        found = URL.match(text, at)
        if found and not secretlike.is_placeholder(found["value"]):
            yield found.start("value"), found.end("value"), "password"


def _headers(text: str, lower: str) -> Iterator[Span]:
    for name in filter(lower.__contains__, HEADERS):
        for at in _places(lower, name):
            found = HEADER.match(text, at + len(name))
            if found and secretlike.is_credential(found["value"]):
                yield (
                    found.start("value"),
                    found.end("value"),
                    (found["scheme"] or "header").lower() + "-token",
                )
    for at in _places(lower, "bearer"):
        found = BEARER.match(text, at + len("bearer"))
        if found and secretlike.is_credential(found["value"]):
            yield found.start("value"), found.end("value"), "bearer-token"
    for command in _places(lower, "curl"):
        at = text.find("-u", command, command + REACH)
        found = CURL_USER.search(text, at - 1, at + REACH) if at > 0 else None
        if found and not secretlike.is_placeholder(found["value"]):
            yield found.start("value"), found.end("value"), "password"


def _flags(text: str, lower: str) -> Iterator[Span]:
    for flag in FLAGS if "--" in lower else ():
        for at in _places(lower, flag):
            found = FLAG.match(text, at + len(flag), at + REACH)
            if found and secretlike.is_typed(found["value"]):
                yield found.start("value"), found.end("value"), "password" if "pass" in flag else "token"


@cache
def _typed_rules() -> list[tuple[str, re.Pattern[str]]]:
    return [(word, re.compile(before + VALUE, re.VERBOSE)) for word, before in _facts()["typed"]]


def _typed(text: str, lower: str) -> Iterator[Span]:
    """Passwords that a command is given in a way of its own: `mysql -pX`, `echo X | sudo -S`."""
    for word, shape in _typed_rules():
        for at in _places(lower, word):
            found = shape.match(text, at, at + REACH)
            if found and secretlike.is_typed(found["value"]):
                yield found.start("value"), found.end("value"), "password"


COOKIES = re.compile(r"""cookie["']?[ \t]{0,3}:[ \t]{0,3}["']?(?P<pairs>[^\r\n"']{16,8000})""", re.IGNORECASE)
COOKIE = re.compile(r"=(?P<value>[^\s;,=]{16,4000})")


def _cookies(text: str, lower: str) -> Iterator[Span]:
    seen = 0
    for at in _places(lower, "cookie"):
        line = COOKIES.match(text, at) if at >= seen else None
        for found in COOKIE.finditer(text, line.start("pairs"), line.end("pairs")) if line else ():
            if secretlike.is_credential(found["value"]):
                yield found.start("value"), found.end("value"), "cookie"
        seen = line.end() if line else seen


KEY_BODY = re.compile(r"[A-Za-z0-9+/]{32}")  # a line of base64; a program that only names the markers has none


def _private_keys(text: str, lower: str) -> Iterator[Span]:
    seen, ends = 0, list(_places(lower, "-----end"))
    for at in _places(lower, "-----begin"):
        head = lower.find("-----", at + 10, at + 120)
        if at < seen or head < 0 or "private key" not in lower[at:head]:
            continue
        later = bisect(ends, head)
        end = ends[later] if later < len(ends) and ends[later] - head < LONGEST_KEY else -1
        close = lower.find("-----", end + 8, end + 120) if end > 0 else -1
        seen = close + 5 if close > 0 else _base64_end(text, head + 5)
        if KEY_BODY.search(text, head, seen):
            yield at, seen, "private-key"


def _base64_end(text: str, at: int) -> int:
    while at < len(text) and (text[at].isalnum() or text[at] in "+/=\\\r\n \t:,-"):
        at += 1
    return at


SECRET_DATA = re.compile(
    r"^[ \t]+[\w.-]{1,80}:[ \t]*[\"']?(?P<value>[A-Za-z0-9+/]{8,8000}={0,2})[\"']?[ \t]*$", re.MULTILINE
)


def _kubernetes(text: str, lower: str) -> Iterator[Span]:
    """Values under `data:` of a Secret: base64 under any name."""
    start = 0
    for document in text.split("\n---"):
        head = lower[start : start + len(document)]
        data = head.find("\ndata:")
        if data >= 0 and ("kind: secret" in head or 'kind: "secret"' in head):
            for found in SECRET_DATA.finditer(text, start + data + 1, start + len(document)):
                if not secretlike.is_placeholder(found["value"]):
                    yield found.start("value"), found.end("value"), "kubernetes-secret"
        start += len(document) + 4
