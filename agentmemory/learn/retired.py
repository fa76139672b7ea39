"""The names that a sentence gives up: "postmark is out", "forget the 8480 one", "we drop vault", "no longer yarn"."""

from __future__ import annotations

import re

from agentmemory.text import STOP, stem, words

_ONE = r"[^\s,;:!?()]*[^\s,;:!?.()]"
_THING = rf"(?:(?:the|our|that|this|old|using|a|an|with) )*({_ONE}(?: (?!is\b|are\b|was\b|and\b|but\b|so\b|now\b|any|we\b|i\b|they\b|you\b|it\b|any ?more){_ONE}){{0,2}})"
_GONE = (
    r"out|dead|gone|history|retired|deprecated|decommissioned|switched off|turned off|shut down|shutting down|internal only|closed|frozen|"
    r"obsolete|deleted|removed|dropped|burned|bought|no more|end of life|eol|read ?only|broken up|discontinued|cancelled|"
    r"any ?more|a thing of the past|off the table|leaving|dying|dead for us"
)
AFTER = re.compile(
    r"\b(?:forget|drop|drops|dropped|dropping|ditch(?:ed|ing)?|retire[ds]?|retiring|kill(?:ed|ing)?|abandon(?:ed)?|scrap(?:ped)?|"
    r"stop(?:ped)? using|stop with|stopped with|no longer|dont use|not using|instead of|rather than|replac(?:e|es|ed|ing)|get rid of|got rid of|"
    r"(?:mov|switch|migrat|chang|go|get)(?:e|es|ed|ing|ting)?(?: \w+)? (?:away |off |over )?(?:from|off)|away from|goodbye|used to be|used to|in place of|supersedes|"
    r"but not|and not|not (?:the|in|on|at|to|via|with)|was|were)\s+" + _THING
)
BEFORE = re.compile(
    rf"((?:{_ONE} ){{0,7}}{_ONE}) (?:is|are|gets?|got|will be|was|were|has been|have been|being|theyre|goes|isnt|arent)(?: \w+){{0,3}}? (?:{_GONE})\b"
    rf"|((?:{_ONE} ){{0,4}}{_ONE}) (?:died|blew up|closes|closed|leaves|moved|isnt valid|expired|shut down|isnt (?:\w+ ){{1,3}}any ?more|no longer|can go|may go|has to go|must go|isnt going to (?:fly|work)|wont (?:do|fly|scale))\b"
)
#: words that many statements share and none is named by
VAGUE = frozenset(
    stem(w) for w in
    "stuff old new test tests page file files branch exist first second last change changes price share shared book step next main real good bad code app "
    "data table line lines row rows version name names value path thing run runs day week month year time user users team call right left back docs "
    "way part place number people work works problem reason end start small big own side case moment service server system module public private "
    "monday tuesday wednesday thursday friday saturday sunday january february march april may june july august september october november december "
    "customer customers today one two three question answer wrong correct list group add set".split()
)  # fmt: skip


def named(plain: str) -> set[str]:
    """Stems of what a plain sentence (see `cues.plain`) says no longer holds; vague words are left out."""
    found = [m.group(1) for m in AFTER.finditer(plain)]
    found += [m.group(1) or m.group(2) for m in BEFORE.finditer(plain)]
    held = {stem(w) for piece in found for w in words(piece) if w not in STOP and len(w) > 1}
    return held - VAGUE
