"""Whether a rule denies the doing of something ("never forget `make lint`" forbids nothing), and in which cases."""

from __future__ import annotations

import re

#: what is denied here is to leave it undone, to think or speak of it, or that it was so
NO_DEED = re.compile(
    r"""(?:(?:to|ever|even|you|me|us|anyone|anybody)\s+)*(?:
      (?:forget|hesitat|neglect|fail|refus|worr|fear|mind|afraid|need|miss|wait|rest|lose|remember|avoid|refrain|cease
        |trust|rely|count\s+on|assum|believ|expect|think|suppos|suspect|doubt|guess|wonder|know|hope
        |mention|document|describ|recommend|suggest|advis|explain|promis|claim|pretend|confus|mistak|blam|underestimat
        |complain|argu|die|panic|let|ask|tell|treat|consider|be|been|being)(?:e|y|e?s|e?d|t?ing)?\b
      | (?:had|has|was|were|saw|seen|worked|failed|broke|broken|got|(?:happen|hurt|harm|lag|rot)s?|crash(?:es|ed)?)\b
      | leav\w*\s.*\b(?:untouched|unchanged|alone|undone|behind|as\s+is)\b
      | have\s+(?:to|had|seen)\b | (?:too|wrong|bad|late|early|a\s+(?:bad|problem|mistake))\b
      | (?:stop|quit|stopped)\s+(?:\w+ing|at)\b
      | (?:skip|omit|bypass|disabl|ignor|suppress|silenc)\w*\s+(?:(?:the|any|our|running|calling|using|to\s+run)\s+)*`
        (?!.*\b(?:hooks?|husky|lefthook|pre-commit|with)\b)
      | (?:skip|omit)\w*\s+\w+ing\b(?!.*\bhooks?\b)
      # what follows "no"
      | (?:later|matter|doubts?|reasons?|problems?|worries|question|surprise|point|rush|hurry|issues?|trouble
        |objections?|other|way|substitute|excuse|guarantee|difference)\b
    )""",
    re.IGNORECASE | re.VERBOSE,
)
#: in which cases it is denied
CONDITION = re.compile(
    r"\b(?:without|unless|until|before|after|while|when(?!\s+(?:commit|push|merg|install|rebas|deploy|work"
    r"|edit)\w*ing|\s+you\s+(?:start|run|build|creat|commit|push|deploy|install))|whenever|during|if|twice|once\s+(?:it|they|the|that|we|you|\w+ed|\w+\s+(?:is|are|has|have))\b|except\s+when|in\s+ci|on\s+ci|on\s+(?:an?\s+|any\s+|the\s+)?(?:fri|mon|sun|satur|week|tues|wednes|thurs|holi)\w*"
    r"|at\s+night|outside(?!\s+(?:of\s+)?(?:the\s+)?`?[\w.-]*/))\b",
    re.IGNORECASE,
)  # fmt: skip
#: what a verdict holds in or not in: "X is off the table while ...", "X is forbidden except ..."
LIMITS = re.compile(rf"{CONDITION.pattern}|\bexcept\b", re.IGNORECASE)
#: "don't just run the tests, also ..."
ALSO = re.compile(
    r"(?:n[o'’]?t|\bnever|\bdont)\s+(?:just|only|merely|simply)\b.*\b(?:also|too|as\s+well|both)\b", re.IGNORECASE
)


def is_deed(action: str, rule: str) -> bool:
    """Whether *action*, the words behind a prohibition of *rule*, is something done, and all of it is denied."""
    return not NO_DEED.match(action) and not ALSO.search(rule)
