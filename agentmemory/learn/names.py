"""Which capitalised, hyphenated and plain words are names, by their spelling and the words around them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from agentmemory.text import STOP

#: English words that open sentences in requests, notes and headings; capitalised there they name nothing
OPENERS = frozenset(
    """accept act actually add adjust agree allow already alright although always analyze another answer apply ask
    assume attach avoid aware bad based basically become best better big break bring bug build bump bye call
    careful carefully cause change changes check checking choose clean cleanup clear click close code come
    comments commit compare complete confirm consider consistent contains continue convert cool copy correct
    correction create currently cut damn data date day days dear debug decided decision default define delete
    depends deploy describe description design details different disable docs document double draft drop due
    early easy edit eight enable end ensure error errors especially even everyone everything exactly example
    examples except exception exit expected explain explore expose extend extra fail failed failing fails false
    fetch figure file files final finally find fine finish first five fix follow following force forget found
    four full generate give given good great group guess handle hello help hence hey hi hide hint hmm hold hope
    however idea ideally ignore implement import important improve include including inside inspect install
    instead interesting introduce issue item keep kill last lately later latest launch lead leave less level
    line list listen little load log long look looking looks lot low main maintain major manage mark mean
    meaning meanwhile meeting merge message minor missing modify morning move name never new next nice nine
    nobody none normal note nothing notice number obviously often oh old open optional order original otherwise
    output pass paste people perfect pick place plan plus point possible possibly prefer prepare prevent
    previous print probably problem proceed provide pull push put question questions quick quickly read ready
    reason refactor regarding release remember remind remove rename replace reply report require required
    requires reset resolve respond rest restart result results return revert review rewrite right roll rule
    rules run running save say search second seems send separate set seven several share ship short show similar
    simple simply six skip small solution solve someone something sometimes soon sorry sort spec split stage
    start started state step steps stick stop store strange strict sub suggest summary support switch sync table
    take talk task tell ten test tests therefore third three ticket tidy time title today todo together tomorrow
    tonight total track trigger true try trying turn two type typo understand understood undo unless update
    updated upgrade usage user usually validate value verify version via view wait warn warning watch welcome
    whatever whenever whether whole wipe wish word work working works worth wow write wrong yesterday zero
    january february march april june july august september october november december jan feb mar apr jun jul
    aug sep sept oct nov dec monday tuesday wednesday thursday friday saturday sunday mon tue wed thu fri sat
    sun mr mrs ms dr english utc gmt cet est pst pm""".split()
) | STOP  # fmt: skip
#: capitals that shout or abbreviate a common noun
SHOUTED = frozenset(
    """ok todo fixme note nb imo imho fyi asap btw wip lgtm tbd tba eta faq ps pm am id ids ui ux os it pr prs mr mrs
    not and or never always must no yes do dont only all any api apis url urls uri http https html css json yaml
    xml csv sql cli gui ide cpu gpu ram ssd pdf png svg utf ascii http2 get post put patch delete head options
    null true false none error warning info debug fatal stop important very now new old""".split()
)
NOT_TICKETS = frozenset("UTF SHA ISO MD RFC HTTP TLS SSL AES RSA IPV X COVID PEP CP LATIN BASE GPT".split())
#: the last part of a hyphenated name that says it is a piece of software
PARTS = frozenset(
    """agent api app auth backend bot broker bucket cache cd chart ci cli client cluster collector consumer controller
    core cron daemon db dev etl exporter frontend gateway handler hook hooks infra ingester ingress job jobs
    lambda lib listener manager monitor node ns operator plugin pool portal postgres prod producer proxy push
    queue redis relay repo router runner scheduler sdk secret secrets server service sidecar site stage staging
    storage store stream svc sync system topic ui vault web webhook worker workers""".split()
)
#: first parts of hyphenated English words
PREFIXES = frozenset(
    """a all anti auto back best bi built by case co cross day de double drop end ever far fast fine first follow four
    full ground half hand hard high home in inter itself key kind large last left less lets line long look low
    make mid mini more multi near new next no non off often old on one open out over part per plug point post
    pre pro production quasi re ready real right round run self semi server set short side single six small so
    some step sub super ten third three time to top trade two ultra un up user well whole wide work world x year
    zero""".split()
)
#: programs that people name in passing, without quotes; what follows them on the line is a command
PROGRAMS = frozenset(
    """ansible ansible-playbook apt-get argocd aws az black brew bun bundle cargo cmake composer conda corepack curl
    deno docker docker-compose dotnet dvc eslint flutter flyctl gcloud gh git glab go gradle gradlew gsutil
    hatch helm jest just k9s kind kubectl kustomize lerna make minikube mise mix mvn mypy nox npm npx nx pip
    pip3 pipenv playwright pluto pnpm podman poetry pre-commit prettier psql pulumi pytest python python3 rails
    rake redis-cli rsync ruff rustup rye sbt scp serverless skaffold sops ssh supabase swift systemctl task
    terraform terragrunt tox tsc turbo twine uv uvicorn uvx vagrant vault vercel vite vitest wrangler yarn""".split()
)
#: programs whose names are English words: a command only before an argument that is spelled like one
ENGLISH = frozenset(
    "black brew bundle composer go helm jest just kind make mix nox poetry rake ruff swift task vault".split()
)
GO = frozenset("build clean env fmt generate get install mod run test tool vet work".split())
#: verbs of people, after a capitalised word
DOES = frozenset(
    """met said says told asked asks want wants wanted think thinks like likes prefer prefers decided agreed insists
    approved reviews reviewed wrote knows works hates suggested promised needs handles signed complained noticed
    remembers joined left meets visited visits emailed phoned texted greeted hired
    interviewed invited thanked married mentored teaches taught loves admires congratulated""".split()
)
ADDRESSED = frozenset("ask asked tell told ping cc met thanks hi hey dear boss colleague".split())
#: verbs after a capitalised word at the head of a sentence that make it a subject
VERBS = frozenset(
    """is are was were has had use uses used run runs ran needs does doesn't isn't wasn't can cannot will must
    should owns goes went comes came lives lands stays sits serves holds takes sends gets talks depends requires
    supports expects posts reads writes stores keeps and or et y""".split()
)
#: first arguments of programs that are English words elsewhere
COMMANDS = frozenset(
    "add apply build check commit deploy get install log merge pull push rebase run start status test up".split()
)
KEYWORDS = frozenset(
    """as async await break case class const def defer else enum export false for from func function if import in int
    interface let new nil none null package private public return select static string struct switch this throw
    true try type undefined var void while with yield""".split()
)
#: endings of common nouns and participles, capitalised in headings and tables
_COMMON_ENDS = ("ed", "ing", "tion", "sion", "ment", "ness", "ally", "able", "ible", "ity", "ions", "ments")
AROUND = ".,;:!?()[]{}\"'*_|“”‘’«»–—…"  # what may stand around a word and is no part of it
_AROUND = AROUND + "#>"  # also at the head of a heading or a quotation
_STOPS = ".,;:!?)|"
UUID = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}", re.I)
PLAIN = re.compile(r"[a-z][a-z0-9]{3,24}")
MOST_PLAIN = 32  # lower-case words of one text that are looked up among the known names


def common(word: str) -> bool:
    """Is it an ordinary English word where a name might stand?"""
    low = word.lower()
    return low in OPENERS or low in KEYWORDS or low in SHOUTED


def plain(text: str) -> list[str]:
    """Lower-case words of a text that may be known names; whether they are, the store knows."""
    return [w for w in dict.fromkeys(PLAIN.findall(text[:2_000])) if w not in OPENERS][:MOST_PLAIN]


def proper(words: Sequence[str], i: int, opens: bool) -> tuple[int, Iterable[tuple[str, str]]]:
    """Capitalised words from *i* on: a person, a name, or just the beginning of a sentence; and how many they are."""
    used, taken = 0, []
    while i + used < len(words) and used < 4:
        raw = words[i + used]
        word = raw.strip(_AROUND)
        if not word[:1].isupper() or not word.replace("'", "").replace("’", "").isalnum():
            break
        taken.append(word.replace("’", "'"))
        used += 1
        if raw[-1] in _STOPS or raw.endswith("'s"):
            break
    after = words[i + used].strip(_AROUND) if i + used < len(words) and words[i + used - 1][-1] not in _STOPS else ""
    kept = _without_openers(taken)
    if not kept:
        return used, ()
    name = " ".join(kept)
    if len(name) < 2 or "'" in name or len(kept) == len(words) > 1:  # I'll; a heading
        return used, ()
    if len(kept) == 1 and (name.lower() in SHOUTED or (len(name) > 6 and name.lower().endswith(_COMMON_ENDS))):
        return used, ()
    doing = after in DOES and taken[-1].lower() not in OPENERS  # in "the state IDLE I think" it is I
    if doing or (i > 0 and words[i - 1].strip(_AROUND).lower() in ADDRESSED):
        return used, (("person", name),)
    alone = len(kept) == len(taken) == 1 and not name.isupper()
    listed = used < len(words) - i and words[i + used - 1].endswith(",") and words[i + used][:1].isupper()
    if opens and alone and after not in VERBS and not listed and not taken[0].endswith("'s"):
        return used, ()
    return used, (("name", name),)


def _without_openers(words: list[str]) -> list[str]:
    """Names without the ordinary words around them, possessives without their ending."""
    kept = [w[:-2] if w.endswith("'s") else w.strip("'") for w in words]
    while kept and kept[0].lower() in OPENERS:
        kept = kept[1:]
    while kept and kept[-1].lower() in OPENERS:
        kept = kept[:-1]
    return kept


def kebab(raw: str) -> Iterable[tuple[str, str]]:
    """Hyphenated words: software by their last part, nothing when they begin like an English compound."""
    parts = raw.lower().split("-")
    if UUID.fullmatch(raw):
        return ()
    if parts[-1] in PARTS or any(p.isdigit() or (p[-1:].isdigit() and len(p) > 1) for p in parts[1:]):
        return (("service", raw),)
    if parts[0] in PREFIXES or parts[0] in OPENERS or parts[-1] in OPENERS or parts[-1] in _ENDS:
        return ()
    return (("name", raw),)


def path(raw: str) -> Iterable[tuple[str, str]]:
    """Slashed words: a path, or "and/or"."""
    if "</" in raw or (raw[0] == "<" and raw[-1] == ">"):  # a tag
        return ()
    parts = [p for p in raw.split("/") if p]
    rooted = raw[0] in "/.~"
    if not rooted and len(parts) == 2 and all(p.isalpha() for p in parts) and not _folder(parts[0]):
        return ()
    if all(not any(c.isalpha() for c in p) for p in parts):
        return ()
    return (("path", raw.rstrip("./:")),)


def command(words: Sequence[str], i: int) -> tuple[int, Iterable[tuple[str, str]]]:
    """A known program and what follows it, as far as it looks like arguments; and how many words that is."""
    program = words[i].strip(_AROUND)
    kept = [program]
    for n, raw in enumerate(words[i + 1 : i + 7]):
        word = raw.rstrip(".,;:!?)")
        spelled = any(c in word for c in "-:./=<>@_") and any(c.isalnum() for c in word)
        bare = word.isalpha() and word.islower() and word not in OPENERS and n < 2
        if n == 0 and program in ENGLISH and not spelled and not (program == "go" and word in GO):
            break
        if not (spelled or bare or (n == 0 and word in COMMANDS)):
            break
        kept.append(word)
        if raw != word:
            break
    return len(kept), ((("command", " ".join(kept)),) if len(kept) > 1 else ())


def commandlike(code: str) -> bool:
    """Is quoted code of several words a command line, not a statement of a language or a phrase?"""
    first, *rest = code.removeprefix("$ ").split()
    if first in PROGRAMS or first.startswith(("./", "bin/", "scripts/")):
        return bool(rest)
    plain = first.replace("-", "").replace("_", "").replace(".", "").replace("/", "")
    if not plain.isalnum() or not first[0].islower() or first in OPENERS or first in KEYWORDS or len(rest) > 7:
        return False
    return not any(c in code for c in "(){};!|=,") or any(word.startswith("--") for word in rest)


_ENDS = frozenset(
    "based like free only wide side time level friendly specific related driven safe aware ish off".split()
)
_FOLDERS = frozenset(
    """src lib app apps api docs doc test tests pkg cmd internal scripts bin config configs components pages public
    packages services server client web infra deploy charts envs terraform k8s migrations prisma messages styles
    utils hooks types models routes controllers assets tools ci github build dist""".split()
)


def _folder(word: str) -> bool:
    return word in _FOLDERS
