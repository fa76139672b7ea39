"""Rules in German, French and Spanish said in English, as far as they forbid something (forms: data/tongues.toml)."""

from __future__ import annotations

import re
from functools import cache

from agentmemory.learn import tongues
from agentmemory.learn.guard_sentences import NUMBERED, without_code

TO = ("push", "commit", "merge", "deploy")  # what these do on a branch, they do to it
ASKED = re.compile(r"\s*\bwithout asking\b")


def english(sentence: str) -> str:
    """*sentence* as it is where it is English; what it forbids or prescribes in another language in English, or ""."""
    hidden, shown = without_code(sentence)
    tongue = _tongue(hidden)
    return shown(_said(tongue, hidden)) if tongue else sentence


def _tongue(text: str) -> str:
    """The language of a sentence by the words that tell it, or by one of them and a form; "" for English."""
    bare = NUMBERED.sub(" ", text)
    told, english = tongues.told(bare)
    forms = (name for name in told if told[name] > english and any(form.match(text) for form, _ in _forms(name)))
    return tongues.tongue(bare) or next(forms, "")


def _said(tongue: str, text: str) -> str:
    """What a sentence of a language forbids, and what it prescribes instead, in English."""
    row = tongues.rows()[tongue]
    good = re.search(row["instead"].replace("{not}", rf"(?:{row['not']})\b"), text, re.IGNORECASE)
    instead = f", use {_words(tongue, good['good'])}" if good else ""
    text = (text[: good.start()] + text[good.end() :] if good else text).strip(" ,;").rstrip(".!")
    for form, verbs in _forms(tongue):
        found = form.fullmatch(text)
        if found:
            groups = found.groupdict()
            if re.match(row["other"], groups["what"], re.IGNORECASE):
                return ""
            verb = next((name for name in verbs if groups.get(name)), "")
            what = _words(tongue, f"{groups['what']} {groups.get('more') or ''}".strip(" ,;"))
            what, asked = ASKED.sub("", what).strip(), " without asking" if ASKED.search(what) else ""
            what = _listed(tongue, what) if " or " in f" {what} " else what
            what = re.sub(r"^(\S+ )?(?:on|in) ", r"\1to ", what) if verb in TO else what
            if what.endswith(" or"):  # "committen oder pushen"
                return f"never {what} {verb}{asked}{instead}."
            edited = verb or ("edit" if re.match(r"\S*[/.]\S", what) else "")
            return f"never {edited} {what}{asked}{instead}.".replace("  ", " ")
    return f"{instead[2:]} instead." if good else ""


def _listed(tongue: str, what: str) -> str:
    """*what* with the verbs of its list in English: "committen or" is commit or."""
    verbs = tongues.rows()[tongue]["verbs"]
    words = what.split(" ")
    for i, word in enumerate(words):
        beside = words[i - 1 : i] == ["or"] or words[i + 1 : i + 2] == ["or"] or word.endswith(",")
        told = next((name for name, stems in verbs.items() if re.fullmatch(stems, word.rstrip(","), re.I)), "")
        words[i] = word.replace(word.rstrip(","), told) if beside and told else word
    return " ".join(words)


def _words(tongue: str, text: str) -> str:
    """The words of a rule that matter for what it is about, in English."""
    for pattern, said in tongues.rows()[tongue]["words"].items():
        text = re.sub(rf"(?<![\w/.`-])(?:{pattern})(?![\w/.`-])", said, text, flags=re.IGNORECASE)
    return " ".join(text.split())


@cache
def _forms(tongue: str) -> list[tuple[re.Pattern[str], list[str]]]:
    """The ways in which a language forbids, each with the names of the verbs that it may have."""
    row = tongues.rows()[tongue]
    verb = "(?:" + "|".join(f"(?P<{name}>{stems})" for name, stems in row["verbs"].items()) + r")\b"
    forms = [form.replace("{verb}", verb).replace("{not}", f"(?:{row['not']})") for form in row["forms"]]
    return [(re.compile(form, re.IGNORECASE), list(row["verbs"])) for form in forms]
