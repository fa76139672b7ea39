"""How people say in German, French and Spanish what they are called, where they live and what they do: patterns."""

from __future__ import annotations

#: what may stand behind a name, a place or an employer
ENDS = (
    r"(?=\s*(?:$|[,.;:!?()\n]|\b(?:und|aber|seit|mit|weil|als|jetzt|dort|et|mais|depuis|avec|comme|maintenant|y|pero|desde"
    r"|con|como|ahora|donde)\b))"
)
#: words between "ich" and a verb in the first person of which the sentence is no plain statement any more
NOT_PLAIN = r"nicht|nie|niemals|kaum|würde|möchte|wollte|wenn|falls|ob|dass|früher|damals|mit\s+(?:dem|der|unser\w*)"
ICH = rf"\b[Ii]ch\b(?:(?!\b(?:{NOT_PLAIN})\b)[^.!?;\n]){{0,60}}?\s"
NOW = r"(?:(?:jetzt|nun|inzwischen|derzeit|aktuell|mittlerweile|seit\s+\w+(?:\s+\w+)?)\s+)?"
NO_PLACE = r"(?!(?:Angst|Armut|Frieden|Partnerschaft|Scheidung|Sorge|Trennung|Untermiete)\b)"
NO_WORK = r"(?!(?:Erstes|Nächstes|Letztes|Team|Teil|Gruppe|Ersatz|Vertretung)\b)"
#: a German noun for what somebody does, told by its ending
TRADE = (
    r"(?:[a-zäöüß]+\s+)?[A-ZÄÖÜ][\w-]*(?:er|erin|ist|istin|ent|entin|ant|antin|or|orin|eur|eurin|mann|frau|[Aa]rzt|[Ää]rztin"
    r"|[Kk]och|[Kk]öchin|schwester|wirt|wirtin|loge|login|anwalt|anwältin)"
)
FRENCH, SPANISH = (rf"(?P<occupation>{word}(?:\s+{word}){{0,3}}?)" for word in (r"[a-zà-ÿœ-]{3,}", r"[a-zà-ÿ-]{2,}"))
UNREAL = r"wenn|falls|würde|nie|nicht|früher|angenommen|si|jamais|pas|serais|aurais|nunca|ojalá|sería"
DENIAL = r"\s+nicht\s+mehr\b|\b[Yy]a\s+no(?=\s)"
#: without one of these a text holds none of the statements: one look instead of twenty
SPEAKS = (
    r"\b(?:[Ii]ch|[Mm]ein\s+Name|[Jj]e|[Jj]['’](?:habite|ai)|[Mm]on\s+nom|[Mm]e\s+(?:llamo|mud|traslad|he\s+mud|acabo)|[Mm]i\s+nombre"
    r"|[Ss]oy|[Vv]ivo|[Tt]rabajo)"
)


def statements(proper: str, where: str) -> tuple[str, ...]:
    """Patterns with the groups name, occupation, location and employer, of those of a name and of a place."""
    name, employer = rf"(?P<name>{proper}){ENDS}", rf"(?P<employer>{proper})"
    return (
        rf"\b(?:[Ii]ch\s+hei(?:ß|ss)e|[Mm]ein\s+Name\s+ist)\s+{name}",
        rf"\b[Ii]ch\s+bin\s+(?P<name>{proper}),\s+(?:eine?\s+)?(?P<occupation>{TRADE})\s+in\s+{where}{ENDS}",
        rf"{ICH}(?:wohne|lebe)\s+{NOW}in\s+{NO_PLACE}{where}{ENDS}",
        rf"{ICH}(?:umgezogen\s+)?nach\s+{where}\s+(?:um)?gezogen\b",
        rf"{ICH}umgezogen\s+nach\s+{where}{ENDS}",
        rf"{ICH}arbeite\s+{NOW}als\s+(?:eine?\s+)?(?P<occupation>{NO_WORK}(?:[a-zäöüß]+\s+)?[A-ZÄÖÜ][\w-]+)"
        rf"(?:\s+(?:bei|für)\s+{employer})?(?:\s+in\s+{where})?{ENDS}",
        rf"{ICH}arbeite\s+{NOW}bei\s+{employer}{ENDS}",
        rf"\b(?:[Jj]e\s+m['’]appelle|[Mm]on\s+nom\s+est)\s+{name}",
        rf"\b[Jj]e\s+suis\s+(?P<name>{proper}),\s+{FRENCH}\s+à\s+{where}{ENDS}",
        rf"\b(?:[Jj]['’]habite|[Jj]e\s+vis)\s+(?:maintenant\s+|désormais\s+)?(?:à|au|en)\s+{where}{ENDS}",
        rf"\b(?:[Jj]['’]ai\s+(?:\w+\s+)?déménagé|[Jj]e\s+viens\s+de\s+déménager)\s+(?:de\s+{proper}\s+)?(?:à|au)\s+{where}{ENDS}",
        rf"\b[Jj]e\s+travaille\s+(?:maintenant\s+)?comme\s+{FRENCH}(?:\s+chez\s+{employer})?(?:\s+à\s+{where})?{ENDS}",
        rf"\b[Jj]e\s+travaille\s+(?:maintenant\s+)?chez\s+{employer}{ENDS}",
        rf"\b(?:[Mm]e\s+llamo|[Mm]i\s+nombre\s+es)\s+{name}",
        rf"\b[Ss]oy\s+(?P<name>{proper}),\s+{SPANISH}\s+en\s+{where}{ENDS}",
        rf"(?<![Nn]o\s)\b[Vv]ivo\s+(?:ahora\s+|actualmente\s+)?en\s+{where}{ENDS}",
        rf"\b[Mm]e\s+(?:mudé|trasladé|he\s+mudado|acabo\s+de\s+mudar)\s+(?:\w+mente\s+)?(?:de\s+{proper}\s+)?a\s+{where}{ENDS}",
        rf"(?<![Nn]o\s)\b[Tt]rabajo\s+(?:ahora\s+)?como\s+(?!siempre|antes)(?:un[ao]?\s+)?{SPANISH}(?:\s+para\s+{employer}|\s+en\s+{proper})?{ENDS}",
        rf"(?<![Nn]o\s)\b[Tt]rabajo\s+(?:ahora\s+)?para\s+{employer}{ENDS}",
    )
