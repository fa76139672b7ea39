"""What the user says of himself or herself: name, occupation, place, employer, time zone, pronouns.

Only first-person statements of a user's turn count, verbatim; a new value supersedes the old one by `revise`.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from agentmemory.learn import names
from agentmemory.learn.revise import retract, revise
from agentmemory.sleep import profile_tongues
from agentmemory.store import beliefs, lineage, nights, scopes, traits
from agentmemory.store.federation import is_agent
from agentmemory.text import content, stems
from agentmemory.values import Added, Candidate, Superseded

if TYPE_CHECKING:
    from agentmemory.store.nights import Turn
    from agentmemory.store.rows import Database

ATTRIBUTES = {
    "name": "The user's name is {}.",
    "occupation": "The user works as {}.",
    "location": "The user lives in {}.",
    "employer": "The user works at {}.",
    "timezone": "The user's time zone is {}.",
    "pronouns": "The user's pronouns are {}.",
}
LONGEST = 60  # characters of a value

#: nouns that name what a person does; before them stand up to three words of detail
WORK = (
    "accountant|actuary|administrator|analyst|anthropologist|archaeologist|architect|artist|astronomer|auditor|baker|"
    "banker|barista|bartender|biologist|bookkeeper|bricklayer|butcher|carpenter|CEO|CFO|chef|chemist|CISO|cleaner|coach|"
    "consultant|contractor|cook|COO|CTO|dentist|designer|developer|director|doctor|economist|editor|electrician|engineer|"
    "farmer|firefighter|florist|founder|freelancer|gardener|geologist|hairdresser|historian|illustrator|intern|"
    "journalist|judge|lawyer|lead|lecturer|librarian|linguist|manager|mathematician|mechanic|midwife|musician|nurse|"
    "officer|operator|painter|paramedic|pharmacist|philosopher|photographer|physician|physicist|physiotherapist|pilot|"
    "plumber|producer|professor|programmer|psychiatrist|psychologist|recruiter|researcher|scientist|secretary|"
    "sociologist|sre|statistician|student|surgeon|surveyor|tailor|teacher|technician|tester|therapist|translator|tutor|"
    "vet|veterinarian|waiter|waitress|welder|writer|(?:bus|taxi|train|truck) driver|head of (?:new )?[a-z]+|"
    "[a-z]{2,}(?:ologist|ographer|keeper|smith|wright)"
)
WORD = r"[A-ZÀ-Þ](?:[\w'’-]|\.(?=\w)|(?<=\b[A-Z])\.|(?<=\b(?:St|Mt|Ft))\.)*"
PROPER = rf"{WORD}(?:[ ](?:{WORD}|(?:de|la|del|am|an|der|upon|of)(?=\ [A-ZÀ-Þ]|\ la\ ))){{0,3}}"
ENDS = (
    r"and|but|so|now|with|where|who|since|for|last|this|from|in|at|as|by|next|because|today|these|here|again|still|too"
    r"|right|currently|remotely|full|part|yesterday|recently|lately|already|earlier|permanently|temporarily|on|after"
    r"|before|when|while|then|during|around|two|three|four|five|six|a (?:few|couple|week|month|year|while)"
)
STOPS = rf"(?=\s*(?:$|[,.;:!?()\n]|\b(?:{ENDS})\b))"
TITLE = r"(?:(?:Dr|Prof|Mrs?|Ms)\.?\s+)?"
I_AM = r"\b(?:[Ii]['’]m|[Ii] am|[Ii]m)\s+"
#: words between "I live in Porto" and "and work at Globex" of which somebody else, or nobody yet, may be the subject
OTHERS = (
    r"that|which|who|whom|they|you|we|he|she|it|people|someone|to|if|not|never|will|would|could|might|want|used|let"
)
I_DO = (
    r"\b(?:[Ii]\s+|[Ii](?:['’]m|\s+am|\s+(?:now\s+|currently\s+)?(?:live|reside|work)"
    rf"|(?:['’]ve|\s+have)?\s+(?:just\s+|recently\s+|finally\s+)?(?:moved|relocated)(?:\s+from\s+{PROPER})?\s+to)\b"
    rf"(?:(?!\b(?:{OTHERS})\b)[^.!?;\n]){{1,80}}?(?:\s+and\s+|\s*,\s*(?:and\s+)?))"
)
THE = (
    r"(?:the\s+(?=Hague|Netherlands|Philippines|Bronx|Algarve|Gambia|Bahamas|Maldives|Bay Area|Highlands|US|UK|UAE\b))?"
)
WHERE = rf"{THE}(?P<location>{PROPER})"
#: short for what a person does; before a noun they are short for something else ("a dev branch")
SHORT = rf"(?:dev|DBA|PM|QA|SRE|sys ?admin|product owner|scrum master)(?:{STOPS}|(?=\s+based\b))"
JOB = rf"(?:an?\s+|the\s+)?(?P<occupation>(?:(?!a\b|the\b|in\b)\w[\w+#/-]*\s+){{0,3}}(?:{WORK}|{SHORT}))(?!\w)"
#: what is no occupation in "I work as a ..."
NO_WORK = r"a|an|bridge|consequence|group|link|matter|member|pair|part|proxy|result|rule|team|unit|whole"
INNER = rf"(?!(?:{ENDS}|on|to|between|over|than|that|which|when|while|if|or|of|not|every|all)\b)[\w+#/-]+"
ANY_JOB = rf"an?\s+(?P<occupation>(?!(?:{NO_WORK})\b){INNER}(?:\s+{INNER}){{0,2}}){STOPS}"
IN = rf"\s*,?\s+(?:(?:based\s+|living\s+|working\s+)?in|based\s+out\s+of)\s+{WHERE}"
PLACED = rf"(?:\s+(?:at|for|with)\s+(?P<employer>{PROPER})|\s+of\s+{PROPER})?(?:{IN})?"
#: of no trade that is known here: it takes a place behind it, and `_is_trade`
TRADE = rf"(?:an?\s+)?(?P<trade>(?:[\w+#/&-]+\s+){{0,3}}?[A-Za-z][\w-]+){IN}{STOPS}"
#: what follows a move to a tool, and not to a town: "for auth", "instead of Redis"
FOR_WORK = (
    r"\s+(?:instead|because of"
    r"|for\s+(?!(?:an?|my|the|work|good|love|family|school|university|college|studies|now|\d+)\b))"
)

AM = re.compile(I_AM)
AM_OR_IN = re.compile(r"\b[Ii]m\b")
STATEMENTS = tuple(
    re.compile(pattern)
    for pattern in (
        rf"{I_AM}{TITLE}(?P<name>{PROPER})(?:,|\s+[-–—]|\s+\()\s*{JOB}{PLACED}",
        rf"{I_AM}{TITLE}(?P<name>{PROPER})(?:,|\s+[-–—]|\s+\()\s*{TRADE}",
        rf"{I_AM}(?:now\s+|currently\s+)?{JOB}{PLACED}",
        rf"\b[Ii](?:(?:['’]ve|\s+have)\s+(?:just\s+|recently\s+)?become|\s+(?:just\s+|recently\s+)?became)\s+{JOB}{PLACED}",
        rf"\b[Ii](?:['’]ve|\s+have)?\s+(?:just\s+|recently\s+)?(?:got|found|started)\s+a\s+(?:new\s+)?job\s+(?:at|with)\s+"
        rf"(?P<employer>{PROPER}){STOPS}",
        rf"\b(?:[Mm]y name is|[Cc]all me|[Mm]y name['’]s)\s+(?P<name>{PROPER}){STOPS}",
        rf"{I_AM}(?P<name>{PROPER})(?=\s*(?:[,.!]|$|from\b|and (?:I|(?:now |currently )?(?:live|work))\b|by the way))",
        rf"{I_DO}(?:now\s+)?work\s+as\s+{ANY_JOB}{PLACED}",
        rf"{I_DO}(?:now\s+)?work(?:ed)?\s+as\s+{JOB}{PLACED}",
        rf"\b[Mm]y job is\s+{JOB}{PLACED}",
        rf"{I_DO}(?:now\s+|currently\s+)?(?:live|reside|am living|am based)\s+in\s+{WHERE}{STOPS}",
        rf"{I_AM}(?:now\s+|currently\s+)?(?:living|based)\s+in\s+{WHERE}{STOPS}",
        rf"(?:{I_DO}|\b[Ii]['’]ve\s+)(?:(?:have\s+)?(?:just\s+|recently\s+|finally\s+)?)(?:moved|relocated)"
        rf"(?:\s+(?:back|over|again|away))?(?:\s+from\s+{PROPER})?\s+to\s+{WHERE}{STOPS}(?!{FOR_WORK})",
        rf"{I_DO}(?:now\s+|currently\s+)?work\s+(?:at|for)\s+(?P<employer>{PROPER}){STOPS}(?:\s+as\s+{JOB})?",
        r"\b[Mm]y time ?zone is\s+(?P<timezone>[A-Za-z][\w/+:-]{1,40})",
        r"\b[Mm]y pronouns are\s+(?P<pronouns>\w+/\w+(?:/\w+)?)",
    )
)
IN_OTHER_TONGUES = tuple(map(re.compile, profile_tongues.statements(PROPER, WHERE)))
SPEAKS_ANOTHER = re.compile(profile_tongues.SPEAKS)
UNREAL = re.compile(
    r"\b(?:if|suppose|imagine|pretend|assume|let's say|wish|would|might|could|as though|not|never|used to|almost"
    rf"|{profile_tongues.UNREAL})\b",
    re.IGNORECASE,
)
#: without it a sentence says what it denies
DENIAL = re.compile(rf"{profile_tongues.DENIAL}|\s+(?:no longer|do not|don['’]t|not|never)\b|,?\s+any ?more\b")
QUOTED = re.compile(r"```.*?(?:```|\Z)|`[^`\n]*`|^>.*$|\"[^\"\n]*\"|“[^”\n]*”", re.DOTALL | re.MULTILINE)
#: what people "move to" that is no place: tools, and where programs run
NO_PLACE = frozenset(
    """
    aider airtable algolia amplify angular ansible appwrite arch argo artifactory asana asdf astro atlassian auth0 aws
    azure backblaze bazel bitbucket buildkite bun c c# c++ cargo cassandra centos chef circle claude clerk clickhouse
    cloudflare codeberg codex confluence consul convex copilot cursor cypress databricks datadog debian deno discord
    django docker doppler drizzle drone dropbox duckdb dynamo dynamodb elastic elasticsearch elixir emacs envoy eslint
    expo express fastapi fastify fastly fedora figma firebase flask flutter fly forgejo gcp gemini gentoo gerrit
    ghostty git gitea github gitlab gleam go golang gradle grafana graphql hashicorp haskell heroku hetzner honeycomb
    hono htmx hugo influx istio iterm jaeger java javascript jekyll jenkins jest jetbrains jira jotai julia jupyter
    kafka kotlin kubernetes kustomize lambda laravel linear linode linux loki mac macos mailgun mariadb meilisearch
    memcached mercurial minio mise mongo mongodb mypy mysql neon neovim netlify next next.js nginx nix nixos node
    nomad notion npm nuxt nvim obsidian okta ollama openai openshift oracle ory pandas parcel paypal perforce perl php
    pinecone planetscale playwright pnpm podman poetry polars postgres postgresql posthog postman prettier prisma prod
    production prometheus pulumi puppet pydantic pyright pytest python pytorch qdrant quarkus rabbitmq rails railway
    ray react redis redshift remix render resend retool ruby ruff rust rye salesforce sass scala segment selenium
    sendgrid sentry slack snowflake solid spark splunk spring sqlalchemy sqlite staging storybook stripe stytch
    sublime supabase svelte sveltekit swift tailwind tauri teams temporal tensorflow terraform tmux traefik trello
    turso twilio typescript typst ubuntu upstash uv vagrant vault vercel vim vite vitest vscode vue vultr warp
    weaviate webpack webstorm wezterm windows xcode yarn zed zig zoom zsh""".split()
)
#: what people are, which ends like no other nationality, and given names that end like one
PEOPLES = frozenset(
    """
    afghan argentine aussie basque brit briton catalan catholic croat czech dane dutch filipina filipino finn french
    german greek hindu hispanic icelandic iraqi israeli jain kiwi kuwaiti latina latino muslim nepali pakistani pole
    protestant qatari saudi scot serb sikh slovak slovene somali spaniard swede swiss thai turk uzbek welsh""".split()
)
GIVEN = frozenset(
    """
    adrian ashish bastian brian cassian christian cyprian damian dorian fabian florian gillian girish harish ian
    jagdish jillian julian kian kilian killian lilian lillian lucian manish marian maximilian octavian reese satish
    sebastian therese trish valerian vivian""".split()
)
#: the last word of what is said of people in a place and is no trade: how they are there, what else they are
NO_TRADE = frozenset(
    """
    abroad again all alone also anyway available away back believer bit born busy citizen client cluster container
    customer dad down either else expat fan father fine first fluent free girl glad grad guest guy half happy her here
    him home human ill it kid last late lost lot lover man me member mess mine mom mother mum native neither new
    newcomer next not now off often okay on other out outsider over owner parent part person rather regular resident
    server sick stranger stuck that them there this those today tonight tourist up us user vegan vegetarian visitor
    voter whether winter woman you""".split()
)
#: how the last word of a trade of several words ends; before it stands no verb ("check weather in Oslo")
TRADE_ENDS = ("er", "or", "ist", "ian", "ant", "eer", "man", "woman", "smith", "dev", "ops", "ographer", "head", "chef")
TRADE_OPENS = frozenset("code data design first head lead night product release research security support test".split())
#: letters that no town has in its name: PlanetScale, Auth0, Fly.io
NO_TOWN = re.compile(r"(?<!\bMc)(?<!\bMac)(?<!\b[DL][aeiou])(?<=[a-z])[A-Z]|\d|\.\w")


@dataclass(frozen=True, slots=True)
class Trait:
    """One thing a person said of himself or herself, and where in the text."""

    attribute: str
    value: str
    start: int
    end: int


def read(text: str) -> list[Trait]:
    """The traits that a user's words state, of each attribute what is said last, in order of appearance."""
    bare = QUOTED.sub(lambda m: " " * len(m.group()), text[:4_000])
    if AM_OR_IN.search(bare) and content(bare) != stems(bare):  # "im Keller" is German
        bare = AM_OR_IN.sub("  ", bare)
    statements = STATEMENTS + IN_OTHER_TONGUES if SPEAKS_ANOTHER.search(bare) else STATEMENTS
    said = [m for statement in statements for m in statement.finditer(bare) if _is_real(bare, m)]
    found = {trait.attribute: trait for trait in sorted((t for m in said for t in _values(m)), key=lambda t: t.start)}
    return sorted(found.values(), key=lambda t: t.start)


def denied(text: str) -> list[Trait]:
    """The traits that a user's words say are so no longer, or never were; without their places in the text."""
    if not DENIAL.search(text):
        return []
    stated = {(t.attribute, t.value) for t in read(text)}
    found = read(DENIAL.sub(" ", text))
    return [Trait(t.attribute, t.value, 0, 0) for t in found if (t.attribute, t.value) not in stated]


def learn(db: Database, turns: Sequence[Turn], now: float) -> list[int]:
    """Believe what the users of these turns said of themselves; ids of the traits that are new.

    The caller owns the transaction.
    """
    out = []
    for turn in turns:
        if turn.role == "user" and turn.provenance == "user":
            home = home_of(db, turn.scope)
            for trait in denied(turn.text):
                _take_back(db, home, trait, turn, now)
            for trait in read(turn.text):
                belief = believe(db, home, trait, turn, now)
                out += [belief] if belief is not None else []
    return out


def believe(db: Database, scope: int, trait: Trait, turn: Turn, now: float, provenance: str = "user") -> int | None:
    """Hold a trait; a newer value takes the place of the older one. None when nothing new stands."""
    tag, at = f"trait:{trait.attribute}", min(turn.at, now)
    text = ATTRIBUTES[trait.attribute].format(trait.value)
    old = [(id, since) for id, said, since in traits.live(db, scope, tag) if said != text]
    if any(at < since <= now for _, since in old):
        return None  # said before what is believed now; what a clock dated ahead of now was not
    candidate = Candidate(
        "trait", text, provenance, scope, at, turn.id, trait.start, trait.end, keywords=trait.value, tags=tag,
        supersedes=tuple(id for id, _ in old),
    )  # fmt: skip
    match revise(db, candidate, now):
        case Added(id) | Superseded(id, _):
            return id
    return None


def reread(db: Database, now: float) -> None:
    """Take back what an earlier release read out of words that do not say it; what it had replaced, or had put away
    because prompts made no use of it, holds again. What it let a model describe anew is part of the profile again."""
    _retag(db, now)
    for id in traits.faded(db):
        beliefs.set_state(db, id, "active", now)
    found = traits.read_from(db)
    while found:
        for id, _scope, tag, text, told in found:
            trait = tag.partition(":")[2]
            said = (each for turn in nights.by_id(db, told) for each in read(turn.text) if each.attribute == trait)
            if text not in {ATTRIBUTES[trait].format(each.value) for each in said}:
                retract(db, id, now)
                lineage.reinstate(db, id, now)
        known = {id for id, *_ in found}
        found = [each for each in traits.read_from(db) if each[0] not in known]


def _retag(db: Database, now: float) -> None:
    """Traits that lost their attribute have it again; of two values that hold since, the newer one stands."""
    found = set[tuple[int, str]]()
    for id, scope, text in traits.untagged(db):
        for attribute, told in ATTRIBUTES.items():
            before, _, after = told.partition("{}")
            if text.startswith(before) and text.endswith(after):
                value, tag = text[len(before) : len(text) - len(after)], f"trait:{attribute}"
                beliefs.evolve(db, id, now, keywords=value, tags=tag, why="as it was read")
                found.add((scope, tag))
    for scope, tag in sorted(found):
        for id, _, _ in traits.live(db, scope, tag)[1:]:
            retract(db, id, now)


def _take_back(db: Database, scope: int, trait: Trait, turn: Turn, now: float) -> None:
    """Hold a trait no longer that was said before this turn."""
    text, at = ATTRIBUTES[trait.attribute].format(trait.value), min(turn.at, now)
    for id, said, since in traits.live(db, scope, f"trait:{trait.attribute}"):
        if said == text and not at < since <= now:
            gone = Candidate("trait", text, "user", scope, at, turn.id, retracts=True, supersedes=(id,))
            revise(db, gone, now)


def home_of(db: Database, scope: int) -> int:
    """Whose profile a turn of this scope speaks of: the person's own, or that of an agent's namespace."""
    return scope if is_agent(db, scope) else scopes.USER


def read_reply(reply: str, turn: Turn) -> list[Trait]:
    """Traits of a model's answer (`{"name": ..., "location": ...}`); only values that the turn says literally."""
    try:
        found = json.loads(reply[reply.index("{") : reply.rindex("}") + 1])
    except ValueError:
        return []
    out = []
    for attribute, value in found.items() if isinstance(found, dict) else ():
        start = turn.text.find(value) if isinstance(value, str) and value.strip() else -1
        if attribute in ATTRIBUTES and start >= 0 and len(value) <= LONGEST:
            out.append(Trait(attribute, value, start, start + len(value)))
    return out


def sentence_of(text: str, start: int, stop: int) -> tuple[int, int]:
    """Where the sentence around a part of a text begins, and where it ends, with its mark."""
    begin = max(text.rfind(mark, 0, start) for mark in ".!?\n;") + 1
    ends = [at for at in (text.find(mark, stop) for mark in ".!?\n") if at >= 0]
    return begin, min(ends, default=len(text) - 1) + 1


def _is_real(text: str, match: re.Match[str]) -> bool:
    """It is said as a fact: no question, no condition, no denial in its sentence before it."""
    begin, end = sentence_of(text, match.start(), match.end())
    return not UNREAL.search(text, begin, match.start()) and text[max(match.end(), end - 1) : end] != "?"


def _values(match: re.Match[str]) -> Iterator[Trait]:
    found = match.groupdict()
    if found.get("trade") and not (_is_trade(found["trade"].split()) and _is_place(found["location"])):
        return
    for group, value in found.items():
        value, attribute = (value or "").strip(" .,'’-"), "occupation" if group == "trade" else group
        words = value.split()
        ordinary = len(words) == 1 and names.common(value)
        if attribute == "occupation" or (attribute == "timezone" and value.isupper()):  # CET, UTC
            ordinary = False
        if not words or len(value) > LONGEST or ordinary:
            continue
        if attribute == "name" and (len(words) > 3 or (AM.match(match[0]) and _is_no_name(words[0]))):
            continue
        if attribute == "location" and (words[0].lower() in NO_PLACE or NO_TOWN.search(value)):
            continue
        start = match.start(group)
        yield Trait(attribute, value, start, start + len(value))


def _is_trade(said: Sequence[str]) -> bool:
    """Whether these words, said of oneself in a place, may be what one does there: "brewer", "QA"."""
    last = said[-1]
    if last.lower() in NO_TRADE or last.endswith(("ing", "ed", "ly", "ss")) or not (last.islower() or last.isupper()):
        return False
    if any(names.common(word) and word not in TRADE_OPENS for word in said[:-1]):
        return False
    many = last.endswith("s") and not last.endswith("ops")
    return not many and (len(said) == 1 or last.endswith(TRADE_ENDS) or (last.isupper() and len(last) < 5))


def _is_place(said: str) -> bool:
    """Whether one can be there: in no tool, and in no language."""
    word = said.split()[0].lower()
    return not (word in NO_PLACE or NO_TOWN.search(said) or word in PEOPLES or word.endswith(("ish", "ese", "ian")))


def _is_no_name(said: str) -> bool:
    """Whether who says "I'm" and this word shouts it, or tells a nationality or a faith, and no name."""
    word = said.lower()
    people = word in PEOPLES or (word.endswith(("ian", "ish", "ese", "ican")) and word not in GIVEN)
    return people or (said.isupper() and len(said) > 2)
