"""Which marks of lasting or passing meaning a sentence bears. Patterns only; what follows from them is decided
in `candidates`.

Patterns read the sentence as `plain` gives it: lower case, no apostrophes, code and quotations masked.
"""

from __future__ import annotations

import re

_WE = r"(?:we|you|they|everyone|everybody|nobody|agents?|claude|it|people)"
_START = r"(?:^|[,.;:(]\s*|\b(?:and|but|so|then|please|pls|also|just|ok|okay|yes|no|because|bc|otherwise)\s+)"
_DAYS = r"(?:mon|tues|wednes|thurs|fri|satur|sun)days?"
_MONTHS = r"(?:january|february|march|april|june|july|august|september|october|november|december|spring|summer|autumn|fall|winter)"

#: marks that a sentence is meant to last, with what each is worth; a sum of `candidates.ENOUGH` makes a belief
LASTING: dict[str, tuple[float, str]] = {
    "never": (1.7, r"\b(?:never|always|allways|alway|nver|nevr)\b(?! (?:mind|forget\b(?! to)|know|knew|remember))"),
    "dont": (
        1.7,
        _START + rf"(?:{_WE}\s+)?(?:do not|dont|doesnt|wont|must not|mustnt|may not|never|stop|avoid|no more)\s+"
        r"(?!know\b|think|panic|worry|bother|care\b|remember|see\b|get it|need to|have to|want\b|mind\b|like\b|"
        r"understand|forget|be\b|really|even|have\b|work|seem|look|recall|feel|matter|exist|change anything|ask)\w",
    ),
    "no_x": (
        1.5,
        r"\b(?:out with|away with|hands off|nothing but)\b|" + _START + r"no (?:more )?(?!one\b|idea|need|problem|worr|way\b|rush|hurry|clue|thanks|time|lol|wait|its?\b|that|i\b|im\b|"
        r"we\b|you|they|he\b|she\b|the\b|not\b|no\b|nope|dont|longer|wonder|chance|doubt|luck|matter|changes?\b|errors?\b|diff|"
        r"this|there|of\b|just|please|pls|so\b|but\b|and\b|config\b|reaction|answer|response|result|output|news|stress|"
        r"harm|biggie|comment|objection|opinion|preference|religion|preferences)\w+",
    ),
    "must": (1.0, r"\b(?:must|mustnt|may not|has to|have to|needs to|should(?:nt)?|shall|not allowed|allowed|forbidden|required|mandatory|supposed to|"
             r"is for|are for|off.?limits|taboo|banned|requires?)\b"),
    "general": (
        0.8,
        r"\b(?:every|evry\w*|each|all|any|anything|everything|nothing|nobody|everyone|everywhere|whenever|anywhere|only|whatever|"
        r"in general|generally|at most|at least|max(?:imum)?|min(?:imum)?|unless|except|by default|usually|normally|"
        r"as a rule|without exception|ever|exclusively|both|none)\b|\bin this (?:repo|project|codebase|team|org)",
    ),
    "from_now": (2.2, r"\bfrom (?:the |this |next )?\w+(?: \w+)? on(?:wards?)?\b|\b(?:from now on|going forward|from here on|in future|in the future|from today|henceforth|"
                 r"for the future|next time|thats how it is|as a rule|for all time|for good|permanently|the rule (?:is|here))\b"),
    "prefer": (
        1.4,
        r"\b(?:i|we|id) (?:really |much |generally |only |always |strongly )?(?:prefer|like|love|hate|dislike|expect|would rather|rather|cant stand|"
        r"only do)\b|\bi(?:d| would| should) (?:be grateful|rather|prefer|appreciate|like (?:the|to see|them|it|all|every)|much prefer)\b|\bkindly\b|\bmy (?:taste|preference|style|rule|habit)|\b(?:horrible|unreadable|ugly|annoying|hate|house style|"
        r"easier to read|hard to read|too chatty|too verbose|noisy|keep it short|impossible to grep|no ceremony|keep it (?:that way|like that|so)|keep doing (?:that|it)|my eyes)\b",
    ),
    "want": (0.6, r"\b(?:i|we) want\b(?! (?:to|you)\b)"),
    "polite": (0.5, r"\b(?:please|pls|plz)\b"),
    "habit": (
        1.3,
        r"\bwe (?:always |never |only |now |still |just |all |both |usually |normally |already |mostly )?(?!(?:need|want|have|had|has|should|can|could|would|"
        r"will|might|may|must|are|were|was|been|did|got|lost|saw|said|see|know|knew|think|thought|hope|look|wait|forgot|meant|tried|found|ran|came|shall|cant|"
        r"cannot|wont|lets|go on|get|seem|even|really|also|then|not|once|made|felt|spent|left|broke|had|do not know|dont (?:know|need|have|want|see)|in|at|on|"
        r"the|a|if|as|and|or|do it|do that|do this|first|talk|discuss|try|start(?: again)?|continue|check|fix)\b)(?!\w+ed\b(?<!need)(?<!feed)(?<!embed)(?<!seed))[a-z]+\b|"
        r"\bwe (?:moved|switched|replaced|dropped|renamed|migrated|settled|stopped|upgraded|standardi[sz]ed)\b",
    ),
    "decided": (
        1.7,
        r"\b(?:decided|decision|settled on|agreed (?:on|with|to|that)|stick(?:ing)? (?:with|to)|we(?:ve)? said we\b|we go (?:to|with|there|for)\b|so new plan\b|stays? (?:on|with|at|in|as|out|off)\b|"
        r"we (?:chose|picked|took|take|went with|go with|are going with|keep|stay)|going with|signed off|approved|ruled out|"
        r"is final|its final|the call is|made the call|opted|committed to|adopt(?:ed|ing)?|standardi[sz]ed? on)\b",
    ),
    "because": (0.7, r"\b(?:because|bc|cause|cuz|since|so that|otherwise|reasons?|thats why|that is why|else|due to|or you|last time)\b"),
    "update": (
        1.4,
        r"\b(?:no longer|any ?more|moved|switched|changed|replaced?s?|instead|renamed|migrated|retired|deprecated|used to|"
        r"is (?:out|dead|gone|history|in)\b|are (?:out|gone|history)\b|(?:we|i|they|were|im) drop|dropp(?:ed|ing)|"
        r"we stop|forget (?:the|about|what)|as of|bumped|upgraded|(?:change|switch|move|migrate|go over) to (?!the next|main|master|it\b|that)\w+|is dead for|can go\b|on again|off again|took over|takes over|"
        r"over to|supersedes?|obsolete|decommissioned|turned off|switched off|shut down|outdated|correction|update:|"
        r"new (?:plan|home|path|host|port|address|region|place|name|rule|limit|url|owner|default|deadline|window|location|endpoint|"
        r"domain|id|key|channel|bucket|server|version|number|schedule|provider|vendor))\b|\bnot? \S+(?: \S+)? but\b|"
        r"\bisnt (?:\S+ ){0,3}any ?more",
    ),
    "now": (1.0, r"\b(?:now|nowadays|these days|meanwhile|by now|since (?:last|yesterday|today|this|the|" + _DAYS + "|" + _MONTHS + r"))\b"),
    "complaint": (
        2.0,
        r"\b(?:seriously|(?:second|third|fourth|\d(?:nd|rd|th)) time (?:this|i|we|you)|how (?:often|many times)|i keep (?:saying|telling|finding)|told you|"
        r"as i said|i said before|who hurt you|you saw what happened|not again|every (?:single )?time i|i catch)\b",
    ),
    "standing": (
        1.4,
        r"(?:^|[,.;:] |\b(?:and|so|but|pls|please) )(?:when(?:ever)?|if|once|every time|each time|before|after) (?:i|we|you|its?|theres?|somebody|someone|a|an|the|any|"
        r"something|anything|asked) [^,]{2,60}?[, ]+(?:then )?(?:please |pls |always |first |just )?(?:put|give|use|run|do|ask|show|write|add|keep|say|tell|"
        r"make|start|stop|check|dont|never|go|call|open|name|prefix|tag|mention|include|skip|leave|answer|reply|explain|quote|"
        r"link|list|take|set|bump|update|read|look|test|wait|mark|create)\b",
    ),
    "each_time": (
        1.6,
        r"\b(?:at the (?:end|start|beginning|top) of|after|before|for|with|on|in) (?:every|each|any)\b|\bat the (?:end|start|beginning) of an? \w+|"
        r"\b(?:after|before) (?:a|an) \w+\b",
    ),
    "without": (0.6, r"\bno (?!one\b|idea|need|problem|longer|more|way\b|rush|time\b|wonder|doubt|matter|thanks|clue|worr|i\b|we\b|its?\b|that|the\b|not\b|no\b|"
                r"it\b|you\b|reason|lol|just|please|pls|but|so\b|and\b|dont)\w+|\b(?:out with|away with|nothing but|hands off)\b"),
    "format": (
        1.0,
        r"\b(?:like|eg|as in|for example|such as) (?:ccc|qqq|\")|\b(?:lower ?case|upper ?case|prefix|suffix|in front|on top|at the (?:top|end|start|bottom)|"
        r"imperative|past tense|present tense|one line|snake.?case|camel.?case|kebab.?case|named export|capitali[sz]ed|in (?:english|german|french|spanish|norwegian)|"
        r"no dot|without dot|bullet points?)\b",
    ),
    "step": (
        2.2,
        r"\b(?:first|second|third|fourth|fifth|sixth|next|last|final|1st|2nd|3rd|4th|5th|another|one more) (?:\w+ )?(?:steps?|thing (?:is|to do|in|for|of|when)|parts?|bits?|pieces?)\b|"
        r"\bnext you\b|\bfirst (?:is|you|comes|we)\b|\bafter \w+ comes\b|\bthen comes\b|\bwhat comes (?:after|next|then)\b|\bpart that remains\b|\bone thing left\b|\bso (?:second|third|fourth|finally)\b,?|"
        r"(?<!was )\bsteps? (?:one|two|three|four|five|six|\d)\b|(?<!so )(?<!please )(?<!subject )(?<!message )(?<!title )(?<!name )(?<!line )(?<!names )(?<!branch )(?<!must )(?<!should )(?<!which )\b(?:starts?|begins?|ends?|finish(?:es)?) (?:always )?(?:with|by)\b(?! (?:that|this|it)\b)|"
        r"\balways (?:starts?|begins?|ends?)\b|\bfirst thing\b|\bbefore anything\b|\b(?:step|part|number) (?:no|nr|number)\b",
    ),
    "order": (0.8, r"\b(?:before|after|once|until|then|first|as soon as|whenever|when|only then)\b"),
    "fact": (
        0.9,
        r"\b(?:is|are|was|were|lives?|sits?|runs?|goes|go|comes?|posts?|points?|listens?|belongs?|uses?|needs?|has|have|takes?|reads?|eats?|ate|draws?|blocks?|messes|breaks|kills?|makes?|gives?|shows?|keeps?|prints?|puts?|knows|survives?|catches|loses|lets|drops|adds|"
        r"writes?|gets?|called|stands? for|means?|starts?|begins?|ends?|owns?|costs?|expires?|contains?|holds?|"
        r"stays?|serves?|talks?|depends?|requires?|supports?|accepts?|returns?|allows?|hosted|stored|kept|its|theyre|thats|heres|"
        r"theres|whats|feeds?|syncs?|pulls?|pushes|calls?|sends?|handles?|covers?|counts?|signs?|deploys?|ships?|triggers?|"
        r"closes?|opens?|resets?|renews?|rotates?|lands?|maps?|equals|answers?|speaks?|wants?)\b",
    ),
    "equals": (1.4, r"\w \(?= \w|\S ?(?:=>|->|→) ?\S"),
    "place": (0.8, r"\b(?:lives? in|sits? in|sits on|comes? from|goes? (?:to|through|into|in)|runs? (?:on|in|at)|reads? (?:from)?|writes? to|posts? to|points? (?:to|at)|"
              r"listens? on|belongs? (?:to|in|into)|lands? in|stored in|kept in|hosted (?:on|in|at)|loaded (?:from|by)|served (?:from|by)|(?:is|are|its|thats) (?:in|at|on|under|behind|called|the one|where|only for)|gets? (?:wiped|reset|created|built|charged|settled|billed|sent|deployed))\b"),
    "where": (0.6, r"\b(?:ours?|we have|there is|theres|called|named|lives?|located|the (?:real|right|actual|only|official|correct) \w+)\b"),
    "contrast": (0.7, r"\b(?:not|instead of|rather than|over|nor|without|isnt|arent|doesnt|wasnt|only|actual(?:ly)?|real(?:ly)?|nothing)\b"),
    "note": (1.2, r"\b(?:the reason (?:is|was|why)|for the plain reason|that is why|how we start those|let me (?:tell|say)|fyi|for the record|for your notes|note that|remember(?: that|,|:)|keep in mind|heads up|so you know|"
             r"you have to know|should know|write (?:that|this|it) down|to be clear|just so|good to know|for next time|the map)\b"),
}  # fmt: skip

#: marks that a sentence passes with the day, or that it is an order for this moment, with what each takes away
PASSING: dict[str, tuple[float, str]] = {
    "state": (
        1.3,
        r"\b(?:failing|fails|failed|broken|broke|crash\w*|flaky|slow|stuck|pending|ooming|oomkilled|timeouts?|timing out|hangs?|hanging|"
        r"40[0-9]s?|429s?|50[0234]s?|weird|not working|doesnt work|isnt working|didnt work|works|worked|merged|green|red|deployed|"
        r"right now|currently|at the moment|complains?|looks? (?:good|fine|ok|great)|restarted|passes|passing|p9[059]|stale)\b",
    ),
    "day": (0.8, r"\b(?:today|yesterday|tomorrow|tonight|this (?:morning|afternoon|evening|week|month|sprint)|later|soon|in a minute|next week|"
            r"last week|lunch|coffee|weekend|monday i|just now)\b"),
    "mine": (0.8, r"\b(?:ill|i will|i just|i already|i was|i am|im|i had|i went|i think|i guess|i mean|i misread|i saw|i see|"
             r"i tried|ive|i got|i get|i tell|i check|i need|i wonder|i forgot|i found|i did|i made|i have)\b"),
    "past": (0.4, r"\b(?:did|had|happened|looked|saw|tried|said|asked|got|told)\b"),
    "ask": (1.6, r"\b(?:can|could|would|will) (?:you|we|u)\b|\bi need you\b|\bi(?:d| would) (?:like|want|love) (?:you|us)\b|\bi (?:then |also |now |still |do )?want (?:you|to)\b|"
            r"\blets\b|\bwe (?:need|have|want) to\b|\b(?:we|i) need (?:a|an|the|some|more|new|another)\b|\bwe should\b|\bgo ahead\b"),
    "personal": (
        1.5,
        r"\bmy (?:mother|father|wife|husband|daughter|son|kids?|abuela|grandma|grandmother|dog|cat|girlfriend|boyfriend|brother|sister|mum|mom|dad|parents|"
        r"doctor|dentist|flight|train|bus|head|back|neighbou?r|landlord|car|bike)\b|\b(?:lunch|dinner|breakfast|coffee|beer|holidays?|vacation|birthday|"
        r"football|gym|fever|asleep|kindergarten|hungry|tired|headache|weather|snow|the dog|the kids?)\b",
    ),
    "deictic": (0.8, r"\bthis (?:error|test|branch|pr|bug|failure|output|line|message|method|function|behaviou?r|issue|comment|warning|crash|log|trace)\b"),
    "plan": (0.7, r"\b(?:going to|gonna|will|would(?! (?:be grateful|rather|prefer|like|appreciate))|might|may|maybe|perhaps|probably|could|someday|one day|not sure|hopefully|planning|ideally)\b"),
}  # fmt: skip

#: marks after which nothing else counts
ONE_OFF = (
    r"\b(?:for|in|on|with) (?:this|that) (?:\w+ ){0,2}(?:pr|mr|deploy|deployment|release|commit|branch|run|time|once|one|case|ticket|"
    r"hotfix|session|build|demo|review|test run|merge|push|call|meeting|task|change|patch|round|sprint|week|month|migration|import|export)\b"
    r"(?! (?:too|as well|always))|\bthis (?:time|once|one time|release|deploy|sprint|week)(?: only)?\b|\bjust (?:this|the) once\b|\bjust (?:for )?(?:today|now|tonight)\b|"
    r"\bfor (?:now|today|tonight|the moment|the time being|the demo|once|tomorrow|this afternoon)(?: only)?\b(?!, (?:decided|because|until))|\b(?:tonight|today|tomorrow|this week) only\b|"
    r"\b(?<!not )only (?:tonight|today|tomorrow|this (?:time|once|week))\b|\btemporar(?:y|ily)\b|\bone.?(?:off|time)\b|"
    r"\buntil (?:tomorrow|tonight|the demo|i(?:m| am)|further notice)\b|"
    r"\bas an exception\b|\bexceptionally\b|\bjust (?:for|on) (?:this|the)\b|\bthe next (?:hour|two hours|few (?:hours|days))\b|"
    r"\bonly for (?:this|the next|today|tonight)\b|\bskip (?:\S+ ){1,4}(?:for|on) (?:this|the)\b"
)
QUESTION_START = (
    r"^(?:no )?(?:why|how (?:do|does|did|can|could|would|should|come|much|many|is|are|was|long|big|often|about|has|have)|"
    r"wh(?:at|ich|o|en|ere) (?:\w+ )?(?:is|are|was|were|do|does|did|would|should|could|can|has|have|will|else|kind)\b|whats|whos|wheres|hows|"
    r"(?:what|how) about|what if|(?:could|can|would|will) (?:you|we|i|somebody|someone|anyone)\b|i would like to know\b|"
    r"(?:do|does|did|is|are|was|were|should|shall|has|have|had|may|might|isnt|arent|doesnt|dont you|cant|wont) "
    r"(?:i|you|we|they|he|she|it|the|this|that|these|those|there|a|an|any|our|my|your|webhooks|\w+s?)\b"
    r"(?! (?:not|never|always be|be|use|go|run|put|add|a|for)\b))"
)
HYPOTHETICAL = (
    r"\bif (?:we|i|they|it|this|that|he|she|somebody|someone)(?:d| would| were| was| had| did| ever| could| ever \w+)\b|\bif you(?:d| were| had| ever)\b|\bif \w+ ever\b|\bwhat if\b|"
    r"\b(?:imagine|suppose|hypothetically|in theory|theoretically|in an ideal world|in a perfect world|let ?s say|say we|"
    r"one could|might be nice|would be (?:nice|cool|great|funny|awesome)|one day we|someday|some day|in another life|"
    r"if (?:i|we) (?:had|won)|dream(?:ing)? of|nobody pays)\b|\bid (?:want|use|take|go|pick|love|switch|rewrite|move)\b.*\bif\b|"
    r"\bif\b.{0,60}\b(?:would|wed|id|youd|theyd)\b|\b(?:would|wed|id)\b.{0,60}\bif\b"
)
SARCASM = (
    r"\b(?:sure|yeah|yes|lol|haha|great|brilliant|genius|wonderful|fantastic|right|obviously|of course|naturally|clearly)\b[,. ]+(?:yes,? |sure,? |yeah,? |obviously,? |just |of course,? )*"
    r"(?:lets|let us|why not|because that|what could)\b|\bwhat could (?:possibly )?go wrong\b|\byeah right\b|\bby all means\b|\bwhat a (?:vision|joy|dream|treat)\b|\bwhat a (?:great|brilliant|lovely|wonderful) (?:idea|plan)\b|\bsuch a reassuring\b|\bas if\b|/s$|"
    r"\b(?:obviously|clearly) the best\b|\bbest idea ever\b|\bbecause (?:that|why not)\b.*\b(?:went|worked) (?:so )?well\b|"
    r"\b(?:great|brilliant|genius|fantastic|wonderful) idea\b|\band call it \w+\b|\bwhile were at it,? (?:lets )?(?:also )?(?:delete|drop|give|put)\b"
)
UNDECIDED = (
    r"\bnot that i (?:(?:would|do|am|did|could)(?:nt| not)|dont|wouldnt)\b|\bno (?:strong )?opinion\b|\bno decision\b|\bask me (?:again )?(?:after|in|before|later|next)\b|"
    r"\b(?:not|n.t) saying\b|\b(?:parking|parked) (?:it|this|that)\b|\bpark (?:it|this|that)\b|\bneither yes\b|\b(?:isnt|not) a (?:no|yes)\b|"
    r"\b(?:not|never) \w+ (?:not|never)\b|\bshould(?:nt| never) not\b|\b(?:undecided|not decided|no decision|havent decided|"
    r"not sure|dont know|no idea|unclear|lets see|we.ll see|tbd|up in the air|open question|thinking about|toying with|"
    r"on the fence|either way|no strong opinion|dont mind either|not convinced|wondering|wonder)\b|"
    r"\bi (?:wouldnt|would not|dont) (?:say|think|mind|object)\b.*\b(?:not|never|nt)\b"
)
RETRACTION = (
    r"^(?:(?:ok|okay|hm+|ah+|oh|sorry|no|wait|actually|argh|oops|um+|well|hey|and|but)[,. !]+)*(?:scratch (?:that|this|it|the|my|what)|never ?mind|nvm|"
    r"forget (?:that|it|this|what i (?:just )?(?:said|wrote)|i said)(?! (?:the|one))|disregard (?:that|this|it|my|what)|strike that|take (?:that|it) back|"
    r"i take (?:that|it) back|ignore (?:what i (?:just )?(?:said|wrote)|my last|that last|my previous)|i misread|i misspoke|"
    r"i was wrong|my (?:mistake|bad|error)|false alarm|on second thoughts?|cancel that|undo that|belay that|"
    r"thats wrong,? (?:what i|i meant)|back to (?:how|what) it was)\b|"
    r"\b(?:scratch that|i misread|i misspoke|strike that|i take (?:that|it) back|disregard that|never ?mind that|false alarm|take (?:that|it|this) back(?: out)?|(?:off|back|on|same|leave it|keep it) (?:like|as) (?:it was )?before|(?:had|have|did) ?(?:not|nt) (?:thought|think) (?:it|that|this) through|on second thoughts?|i stand corrected|changed my mind|"
    r"forget what i (?:just )?said|ignore what i (?:just )?said|was wrong about that)\b"
)
DISMISSED = (
    r"\b(?:ignore|disregard|dont (?:believe|trust|listen to|follow|mind)|forget|skip) (?:that|this|it|him|her|them|those|all of it|whatever)\b|\b(?:ignore|disregard) the \w+"
    r"|\bwhatever (?:that|it|he|she|they) \w+ says?\b|\bnot ours\b|\bnot (?:about|for) us\b|\bpredates\b|\b(?:do not|dont) be alarmed\b|\bsource of amusement\b"
    r"|\bat every lunch\b|\b(?:hes|shes|theyre) (?:lovely|sweet|great|brilliant|nice),? but\b|\b(?:is|was) talking about (?:the|a|his|her|some|another)\b"
    r"|\b(?:thats|its|thats all|was) (?:outdated|obsolete|nonsense|rubbish|bullshit|from \d{4}|years? old|not true|wrong)\b"
    r"|\bsays? a lot\b|\bdont panic\b"
)
_OTHERS = r"(?:(?:the|a|an|our|some|this|that|his|her|their|old|new|some\w*|\w+s)\s+){0,3}(?!i\b|ive\b|im\b|id\b|we\b|weve\b|were\b|wed\b|you\b|youve\b|it\b|its\b|thats\b|lets\b|that\b|which\b|this\b|what\b|and\b|so\b|also\b|just\b|reason\b|rule\b|name\b|log\b)[a-z][\w.-]*"
REPORTED = (
    r"^(?:(?:btw|and|also|but|so|oh|ok|lol|hm+|then|fyi|yes|no|now)[,. ]+)*"
    + _OTHERS
    + r"(?: (?:in|on|from|of|over at) (?:the |our |his |her )?[\w#.-]+(?: [\w#-]+)?)?,?(?: by the way,?| btw,?| meanwhile,?)?(?: (?:also|once|always|still|just|again|even|now|keeps|already|really|actually)){0,2} "
    r"(?:says?|said|claims?|claimed|thinks?|thought|wants?|wanted|asks?|asked|suggests?|suggested|insists?|wrote|writes|recommends?|recommended|"
    r"hates?|loves?|likes?|prefers?|believes?|argues?|argued|proposed?|proposes|told|tells|mentioned|complains?|swears?|dreams?|preaches|tweeted|saying|"
    r"(?:is|was|seems) (?:convinced|sure|certain|of the opinion|back on|always on|going on|asking|adamant)|has (?:read|heard|seen|an idea|a theory)|(?:would|d) (?:like|love|prefer)|also back on|"
    r"came back)\b|"
    r"\b(?:page|wiki|readme|guide|documentation|whiteboard|poster|sign|sticker|slides?|article|blog|posts?|thread|tweet|manual|book|video|tutorial|"
    r"stackoverflow|chatgpt|banner|newsletter|kitchen)\b[^,.;:]{0,60}\b(?:says?|said|asks?|tells?|claims?|recommends?|suggests?|states?|has us|insists|advises)\b|"
    r"^theres (?:an?|this|that) (?:idea|rumou?r|thing|request|wish) (?:from|by|on|in|going)\b|"
    r"\band i quote\b|\b(?:\w+s|is|are) (?:also )?back on\b"
)
QUOTED_BY = r"^.{0,80}\b(?:said|says|wrote|writes|claims|quote|in the (?:pr|ticket|thread|mail|chat|comments?|review|meeting|channel))\b[^:]{0,20}: ?qqq\b"

FLAGS = {
    name: re.compile(pattern)
    for name, pattern in {
        **{name: p for name, (_, p) in LASTING.items()}, **{name: p for name, (_, p) in PASSING.items()},
        "one_off": ONE_OFF, "question": QUESTION_START, "hypothetical": HYPOTHETICAL, "sarcasm": SARCASM,
        "undecided": UNDECIDED, "retraction": RETRACTION, "dismissed": DISMISSED, "reported": REPORTED, "quoted": QUOTED_BY,
    }.items()
}  # fmt: skip

AT_START = frozenset(("question", "reported"))  # patterns that look at the first word that says something

CODE = re.compile(r"`[^`\n]+`")
QUOTE = re.compile(r"\"[^\"\n]{12,}\"|“[^”\n]{12,}”|(?<!\w)'[^'\n]{15,}'(?!\w)")
APOSTROPHE = re.compile(r"(?<=\w)['’](?=\w)")
SPACE = re.compile(r"\s+")


FILLER = re.compile(
    r"^(?:(?:ok|okay|and|so|but|hm+|oh|btw|by the way|also|wait|well|hey|then|yes|yeah|yep|good|great|lovely|perfect|right|fine|nice|um+|uh|now|"
    r"sorry|thanks|thx|ty|thank you|cool|excellent|splendid|wonderful|sure|please|pls|you know|i mean|look|listen|honestly|hi|hello|"
    r"(?:good )?morning|ah|aha|alright|anyway|actually|again|just|q|question|q from \w+|like|even|super|brilliant|beautiful|exactly)\b[,:. ]+)+"
)


def start(text: str) -> str:
    """The plain sentence from its first word that says something."""
    found = FILLER.match(text)
    return text[found.end() :] if found and found.end() < len(text) else text


def plain(sentence: str) -> str:
    """The sentence as the patterns read it; code reads `ccc`, a quotation `qqq`."""
    text = QUOTE.sub(" qqq ", CODE.sub(" ccc ", sentence))
    return SPACE.sub(" ", APOSTROPHE.sub("", text)).strip().lower()


def marks(text: str) -> set[str]:
    """Names of the marks that a plain sentence bears."""
    bare = start(text)
    return {name for name, pattern in FLAGS.items() if pattern.search(bare if name in AT_START else text)}
