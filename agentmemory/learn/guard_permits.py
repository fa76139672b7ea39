"""What a rule says is not forbidden, in words of forbidding: "X is not wrong", "don't avoid X", "it is a mistake not
to run X". Such a piece is said as "X is fine". Knows nothing of commands.
"""

from __future__ import annotations

import re

from agentmemory.learn.guard_sentences import CODE
from agentmemory.learn.guard_subjects import masked, pieces

ISNT = re.compile(r"\b(is|are|was|were)n['’]t\b", re.IGNORECASE)
PIECES = re.compile(r"[,;:!?]\s+|\s[–—-]{1,2}\s(?!-)|\b(?:but|because|since|so|though|although)\s+|[.!]+$")
NOT = r"(?:not|never|no\s+longer|hardly|nowhere|dont|don['’]t)"
BAD = r"""(?:(?:an?|the)\s+)?(?:strictly\s+|really\s+|that\s+|always\s+|generally\s+)?(?:
    forbidden | banned | prohibited | disallowed | verboten | taboo | off[\s-]limits | wrong | illegal | outlawed | evil
    | harmful | dangerous | bad(?:\s+(?:idea|practice|style|habit))? | mistake | error | no-?go | code\s+smell
    | anti-?pattern | sin | out\s+of\s+the\s+question
    | (?:not|never)\s+(?:ok|okay|allowed|permitted|fine|acceptable))\b"""
IS = r"(?:is|are|was|were|be|being|stays?|as|would\s+be|seems?)"
#: to leave something undone
LEAVE = r"""(?:not\s+(?:to\s+)?\w+ | (?:avoid|forbid|ban|disallow|prohibit|refus|outlaw)\w*
    | (?:stop|quit|refrain\s+from|abstain\s+from|keep\s+from)\s+(?!telling|saying|treating)\w+ing)\b"""
SKIP = r"(?:skip|omit|forget)\w*\s+(?:to\b|`)(?!.*\bhooks?\b)"
SAY = r"""(?:sa(?:y|id|ys|ying) | claim\w* | tell\w* | told | th(?:ink|ought)\w* | assum\w* | treat\w* | act\s+as
    | believ\w* | consider\w* | suggest\w* | pretend\w* | conclud\w* | suppose)\b"""
RULE = r"(?:rule|ban|prohibition|policy|guideline|restriction)"
GONE = r"(?:outdated|obsolete|gone|lifted|void|over|dropped|history|wrong|retired|withdrawn|no\s+longer\s+\w+)\b"
PERMITS = re.compile(
    rf"""(?<!that\s)(?<!which\s)(?<!who\s)\b{IS}\s+{NOT}\s+(?:\w+ly\s+|even\s+)?{BAD}
    | \b(?:nothing|not\s+anything)\s+(?:\w+ly\s+)?(?:wrong|bad|evil|harmful)\s+(?:with|about|in)\b
    | \b(?:nothing|no\s+{RULE}|nobody|no\s+one)\s+(?:ever\s+)?(?:forbids?|bans?|prohibits?|disallows?)\b
    | \bno\s+(?:good\s+|real\s+)?(?:{RULE}s?\s+against\b | (?:reason|need|cause)\s+(?:to\s+|for\s+)?{LEAVE})
    | (?:\b(?:am|are|have)|['’](?:m|re|ve))\s+(?:not|nothing)\s+against\b
    | \bnever\s+(?:banned|forbade|prohibited|disallowed)\b
    | \b(?:do\s+not|don['’]?t|never|(?:must|should|can)\s*not|can['’]t)\s+
      (?:ever\s+|just\s+|want\s+(?:you|us|anybody|anyone|agents)\s+to\s+)*{LEAVE}
    | (?:\b{IS}|['’]s)\s+{BAD}\s+(?:ever\s+)?(?:to\s+)?(?:{LEAVE}|{SKIP})
    | ^(?:not\s+\w+ing|avoiding|refusing|{SKIP})\b.*\b{IS}\s+{BAD}
    | \b(?:not|don['’]?t|never|nobody|no\s+one|stop|who)\s+(?:ever\s+|have\s+|even\s+)?{SAY}.*\b{IS}\s+{BAD}
    | \b(?:not\s+(?:as\s+if|that)|(?:not\s+(?:true|so|the\s+case|right)|wrong|false|untrue|myth|nonsense|lie|mistake)
      \s+(?:that|to\s+{SAY}))\b.*\b{IS}\s+{BAD}
    | \b{RULE}\b.*\b(?:is|are|was|were|has\s+been)\s+(?:now\s+|long\s+)?{GONE}
    | \bno\s+longer\s+(?:holds?|applies|stands?|counts?|valid)\b
    | \b(?:forget|ignore|drop|lift)\s+(?:about\s+)?(?:the|that|my|our)\s+(?:old\s+)?{RULE}\b
    """,
    re.IGNORECASE | re.VERBOSE,
)
#: "X is not forbidden, Y is": what is said of Y
IS_TOO = re.compile(r"^\s*(?P<what>\S.*?)\s+(?:is|are)(?:\s+(?:though|however))?\s*$", re.IGNORECASE)
IS_NOT = re.compile(r"^\s*(?P<what>\S.*?)\s+(?:is|are)\s+not(?:\s+(?:though|however))?\s*$", re.IGNORECASE)
FINE = re.compile(r"\b(?:is|are)\s+(?:\w+ly\s+)?(?:ok|okay|fine|allowed|permitted|good|alright)\b", re.IGNORECASE)


def plain(sentence: str) -> str:
    """The sentence with what is not forbidden said as fine, and what stands against it said as "never ..."."""
    for found in reversed(list(ISNT.finditer(masked(sentence)))):
        sentence = f"{sentence[: found.end(1)]} not{sentence[found.end() :]}"
    out: list[str] = []
    turns: re.Pattern[str] | None = None
    for i, piece in enumerate(pieces(sentence, PIECES)):
        if i % 2 == 0:
            hidden = masked(piece)
            contrast = turns.match(piece) if turns else None
            if PERMITS.search(hidden):
                named = CODE.findall(piece)
                piece, turns = (f"`{named[-1]}` is fine" if named else ""), IS_TOO
            elif contrast:
                piece = f"never {contrast['what']}"
            elif FINE.search(hidden):
                turns = IS_NOT
        out.append(piece)
    return "".join(out)
