"""What each layer brings, and what it takes away."""

from __future__ import annotations

import apsw
import pytest

from agentmemory.recall.action import called
from agentmemory.recall.lexical import FURTHER, Asked, evidence, lexical
from agentmemory.recall.pipeline import block, brought, recall
from agentmemory.recall.scopes import FARTHER
from agentmemory.recall.scopes import scopes as by_scope
from agentmemory.recall.structure import names, structure
from agentmemory.records import Query, Row
from agentmemory.store import beliefs, scopes, writer
from tests.recall.conftest import DAY, NOW, Ask, Teach

pytestmark = pytest.mark.usefixtures("clutter")


def texts(db: apsw.Connection, query: Query) -> list[str]:
    return [hit.row.text for hit in recall(db, query)]


def test_rare_words_find_their_belief(db: apsw.Connection, teach: Teach, ask: Ask) -> None:
    teach("the zanzibar exporter writes parquet to the landing bucket")

    assert texts(db, ask("where does our zanzibar exporter write to?"))[0].startswith("the zanzibar exporter")


def test_a_rule_is_found_by_other_words_for_the_same(db: apsw.Connection, teach: Teach, ask: Ask) -> None:
    teach("every release runs the smoke suite first, no exceptions", "rule")

    rule = next(
        hit for hit in brought(db, ask("we want to put the new build live")) if hit.row.text.startswith("every")
    )
    assert rule.via["concept"] > 0.0


@pytest.mark.parametrize(
    ("rule", "triggers", "request_"),
    [
        (
            "props are typed with an interface above the function",
            "*.tsx",
            "new file components/price-tag.tsx, shows an amount",
        ),
        ("subject lines are lower case and name the area", "commit", "ok commit that pls"),
        (
            "run the formatter of the monorepo afterwards",
            "services/billing/",
            "bump it in services/billing/app.yaml",
        ),
    ],
)
def test_a_rule_comes_unasked_where_the_request_does_what_it_binds(
    db: apsw.Connection, teach: Teach, ask: Ask, rule: str, triggers: str, request_: str
) -> None:
    teach(rule, "rule", triggers=triggers)

    assert rule in texts(db, ask(request_))[:2]


def test_a_path_that_a_trigger_names_counts_as_a_path_and_not_as_its_words_too() -> None:
    asked = Query("edit src/billing/app.py", NOW, (1,))
    asked.files, asked.weights = ["src/billing/app.py"], {"edit": 1.0, "bill": 5.0, "app": 5.0}

    assert set(called("edit src/billing/app.py", asked)) == {"edit", "path src/billing/app.py"}


def test_a_file_or_folder_that_the_prompt_points_at_is_named_like_any_other() -> None:
    files, symbols = names("bump it in @services/billing/app.yaml and @docs/, not in @scope/price; ask @mara")

    assert files == ["services/billing/app.yaml", "docs/", "@scope/price"]
    assert symbols == ["@mara"]


@pytest.mark.parametrize(
    "pasted",
    [
        'computed anew (e.g., ".entire/metadata/2026-01-23-abc123").',
        '{"cwd":"/srv/app","version":"2.1.37","gitBranch":"feat/colours"}',
        "see ('conf/app.y*ml\"').",
        'run "make.a OR b.c" (or a/b.c")).',
    ],
)
def test_names_in_quotes_and_pasted_data_silence_nothing(
    db: apsw.Connection, teach: Teach, ask: Ask, pasted: str
) -> None:
    rule = "the zanzibar exporter writes parquet to the landing bucket"
    teach(rule, "rule", triggers="conf/")

    assert rule in texts(db, ask(f"why is our zanzibar exporter so slow? {pasted}"))


def test_a_superseded_hit_is_replaced_by_its_head(db: apsw.Connection, teach: Teach, ask: Ask) -> None:
    first = teach("metrics of our clusters go to qumulus on port 8480", days=90)
    second = teach("metrics of our clusters go to mirador on port 9009", days=60, replaces=first)
    teach("writes go to the gateway mirador-gw on port 8088", days=30, replaces=second)

    said = block(db, ask("which host and port do our metrics of qumulus go to"))

    assert '- now "writes go to the gateway mirador-gw on port 8088"' in said and "8480" not in said
    assert said.count("9009") == said.count('was "metrics of our clusters go to mirador on port 9009"')


def test_a_question_about_time_gets_the_chain_on_one_line(db: apsw.Connection, teach: Teach, ask: Ask) -> None:
    first = teach("mail goes out through sendgrid", days=90)
    second = teach("mail goes out through postmark", days=60, replaces=first)
    teach("mail goes out through brevo", days=30, replaces=second)

    said = block(db, ask("which mail provider did we use at the very start, and what came before this one?"))

    (line,) = [line for line in said.splitlines() if "sendgrid" in line]
    assert "brevo" in line and "postmark" in line and line.index("postmark") < line.index("sendgrid")


def test_a_change_of_the_last_days_is_told_unasked(db: apsw.Connection, teach: Teach, ask: Ask) -> None:
    old = teach("our deploy window is friday 14:00", days=40)
    teach("our deploy window is thursday 20:00", days=2, replaces=old)

    said = block(db, ask("when is our deploy window?"))

    (line,) = [line for line in said.splitlines() if "friday" in line]
    assert "now" in line and "thursday" in line


def test_a_few_words_that_do_not_say_of_what_are_told_with_what_they_replaced(
    db: apsw.Connection, teach: Teach, ask: Ask
) -> None:
    old = teach("production is on kubernetes 1.31", days=90)
    teach("upgraded production to 1.33 last night", days=60, replaces=old)

    assert "kubernetes 1.31" in block(db, ask("which kubernetes do we run in production?"))


@pytest.mark.parametrize(("days", "since"), [(40, True), (2, False)])
def test_what_held_for_a_part_of_a_day_began_on_no_other(
    db: apsw.Connection, teach: Teach, ask: Ask, days: int, since: bool
) -> None:
    old = teach("our deploy window is friday 14:00", days=days)
    teach("our deploy window is thursday 20:00", days=2, replaces=old)

    said = block(db, ask("when is our deploy window?"))

    assert (" from " in said) is since and " until " in said


def test_what_the_user_says_after_an_agent_is_told_once(db: apsw.Connection, teach: Teach, ask: Ask) -> None:
    teach("no, always use zanzibar for imports", "preference", days=3, provenance="agent")
    teach("always use zanzibar for imports", "rule", days=2)

    assert block(db, ask("what do we use for imports?")).count("zanzibar") == 1


def test_a_rule_that_was_taken_back_stands_no_more_though_it_was_locked(
    db: apsw.Connection, teach: Teach, ask: Ask
) -> None:
    id = teach("never import from zanzibar", "rule", locked=True)
    assert "zanzibar" in block(db, ask("hi"))

    with writer.transaction(db):
        beliefs.set_state(db, id, "retracted", NOW, ended=True)
    assert block(db, ask("hi")) == ""


def test_what_stood_in_another_project_is_not_told_here(db: apsw.Connection, teach: Teach, ask: Ask) -> None:
    with writer.transaction(db):
        elsewhere = scopes.project(db, "/elsewhere/.git", "", NOW)
    old = teach("zanzibar exports run on friday", days=9, scope=elsewhere)
    new = teach("zanzibar exports run on sunday", days=2, scope=scopes.USER)
    with writer.transaction(db):
        beliefs.supersede(db, old, new, NOW)

    said = block(db, ask("when do our zanzibar exports run, and when did they run before?"))
    assert "sunday" in said and "friday" not in said


def test_a_step_that_was_replaced_is_told_as_what_replaced_it(db: apsw.Connection, teach: Teach, ask: Ask) -> None:
    first = teach("a zanzibar release begins with the changelog", "procedure")
    second = teach("then the tag is pushed to origin", "procedure", after=first)
    teach("then the tag goes to the mirror", "procedure", days=1, replaces=second)

    said = block(db, ask("how do we make a zanzibar release, all the steps?"))
    assert "changelog" in said and "mirror" in said and "origin" not in said


def test_who_asks_what_a_step_was_before_is_told(db: apsw.Connection, teach: Teach, ask: Ask) -> None:
    first = teach("the zanzibar logs are written to littlefs", days=9)
    teach("then the zanzibar tag is pushed", "procedure", days=8, after=first)
    teach("the zanzibar logs are written to fram", days=1, replaces=first)

    assert "littlefs" in block(db, ask("what were the zanzibar logs written to before?"))


def test_what_was_retracted_is_gone(db: apsw.Connection, teach: Teach, ask: Ask) -> None:
    id = teach("the zanzibar exporter needs node 18")
    with writer.transaction(db):
        beliefs.set_state(db, id, "retracted", NOW, ended=True)

    assert "zanzibar" not in block(db, ask("what does our zanzibar exporter need?"))


def test_as_of_reads_the_store_as_it_was(db: apsw.Connection, teach: Teach, ask: Ask) -> None:
    old = teach("our functions run in arn1", days=90)
    teach("our functions run in fra1", days=30, replaces=old)

    then = [hit.row.text for hit in brought(db, ask("where do our functions run", as_of=NOW - 60 * DAY))]

    assert "our functions run in arn1" in then and "our functions run in fra1" not in then


def test_pieces_of_a_procedure_come_whole_and_in_order(db: apsw.Connection, teach: Teach, ask: Ask) -> None:
    one = teach("a new tenant gets an entry in tenants.yaml first", "procedure", days=50)
    two = teach("second, make seed-bucket creates its storage", "procedure", days=40, after=one)
    teach("last, flip visible in the admin once legal has signed", "procedure", days=30, after=two)

    lines = block(db, ask("we onboard a new tenant next week, what are all the steps?")).splitlines()
    numbered = [line.strip()[:2] + line.split('"')[1][:6] for line in lines if line.strip()[:2] in ("1.", "2.", "3.")]

    assert numbered == ["1.a new ", "2.second", "3.last, "]


def test_the_project_has_the_word_before_the_user(db: apsw.Connection, teach: Teach, ask: Ask) -> None:
    teach("indent python with four spaces", "preference", scope=scopes.USER)
    teach("indent python with two spaces", "preference")

    said = block(db, ask("how do we indent python here?"))

    assert "two spaces" in said and "four spaces" not in said


@pytest.mark.parametrize(
    ("said", "prompt"),
    [
        ("the staging login is qa@acme.io", "log in on stg and take a screenshot"),
        ("the db password rotates on the 1st of each month", "the pw for the database does not work today"),
        ("continuous integration runs on buildkite", "the CI is red"),
        ("the load balancer times out after 30 s", "is the lb ok?"),
    ],
)
def test_abbreviations_are_the_words_that_they_stand_for(
    db: apsw.Connection, teach: Teach, ask: Ask, clutter: None, said: str, prompt: str
) -> None:
    held = teach(said)

    assert brought(db, ask(prompt))[0].id == held


@pytest.mark.parametrize(
    ("everywhere", "here", "overruled"),
    [
        ("the default branch is main", "the default branch is develop", True),
        ("we use npm for packages", "we use pnpm for packages", True),
        ("indent with 4 spaces", "indent with tabs", True),
        ("never push to main", "never push to develop", False),
        ("we keep backups in s3", "we keep logs in s3", False),
        ("always use tabs", "always use yarn", False),
    ],
)
def test_a_value_of_the_project_stands_in_the_place_of_the_users_own(
    db: apsw.Connection, teach: Teach, ask: Ask, everywhere: str, here: str, overruled: bool
) -> None:
    farther, nearer = teach(everywhere, scope=scopes.USER), teach(here)

    found = {hit.id for hit in brought(db, ask(f"{everywhere}, {here}?"))}

    assert nearer in found and (farther not in found) is overruled


def test_what_a_linked_project_holds_weighs_less_than_ones_own(
    db: apsw.Connection, teach: Teach, ask: Ask, project_scope: int
) -> None:
    with writer.transaction(db):
        linked = scopes.project(db, "/linked/.git", "", NOW)
    own, theirs = teach("the ferry to Runde leaves at noon"), teach("Runde has a ferry museum", scope=linked)
    asked = ask("when does the ferry to Runde leave?")
    asked.scopes = (project_scope, linked)
    before = {hit.id: dict(hit.matched) for hit in lexical(db, asked, structure(db, asked, []))}

    after = {hit.id: hit.matched for hit in by_scope(db, asked, lexical(db, asked, []))}

    assert after[own] == before[own]
    assert after[theirs] == pytest.approx({key: FARTHER * bits for key, bits in before[theirs].items()})


def test_more_words_for_one_concept_say_it_once_and_a_little_more() -> None:
    asked = Query("push, ship and release it", NOW, (1,))
    asked.concepts = {"c0release": ["push", "ship", "releas"]}
    row = Row(1, 1, "rule", 1, "", "", "", "", "user", "active", 0, 9.0, 1.0, NOW, None, NOW, NOW, None)
    row.cues = "c0release"

    bits, via = evidence(row, asked, [Asked("c0release", 3, 4.0, "c0release", "concept")])

    assert sorted(bits.values(), reverse=True) == pytest.approx([4.0, 4.0 * FURTHER, 4.0 * FURTHER**2])
    assert via["concept"] == pytest.approx(sum(bits.values()))


def test_no_other_project_is_ever_read(db: apsw.Connection, teach: Teach, ask: Ask) -> None:
    with writer.transaction(db):
        other = scopes.project(db, "/other/.git", "", NOW)
    teach("the zanzibar exporter is ours", scope=other)

    assert "zanzibar" not in block(db, ask("what do we know about the zanzibar exporter?"))


@pytest.mark.parametrize(
    "prompt",
    [
        "how do i swap two columns in vim",
        "explain what a bloom filter is good for",
        "whats the difference between a mutex and a semaphore",
        "translate to french: see you tomorrow",
        "regex that matches a uuid",
        "write a haiku",
    ],
)
def test_common_questions_get_silence(db: apsw.Connection, ask: Ask, prompt: str) -> None:
    assert block(db, ask(prompt)) == ""


@pytest.mark.parametrize(
    ("taught", "asked", "other"),
    [
        (
            "die bereitschaft macht ab diesem monat sabine",
            "wer hat gerade die bereitschaft?",
            "was macht pd.merge_asof in dem fall genau",
        ),
        (
            "on tutoie jamais le client dans l'interface",
            "le texte de l'interface du client, on l'écrit comment ?",
            "c'est quoi la différence entre includes et joins ?",
        ),
        (
            "nunca desplegamos el backend en viernes",
            "¿se puede desplegar el backend hoy?",
            "qué diferencia hay entre hasMany y belongsToMany",
        ),
    ],
)
def test_the_words_of_structure_of_another_language_tell_nothing(
    db: apsw.Connection, teach: Teach, ask: Ask, taught: str, asked: str, other: str
) -> None:
    teach(taught, "rule")

    assert taught in texts(db, ask(asked))
    assert taught not in texts(db, ask(other))


def test_in_english_they_are_words_as_any(db: apsw.Connection, teach: Teach, ask: Ask) -> None:
    teach("the locales are en, es and de, each in src/i18n")

    assert texts(db, ask("add a key to the es locale, please"))[0].startswith("the locales")


def test_contradictions_say_so(db: apsw.Connection, teach: Teach, ask: Ask) -> None:
    one = teach("zanzibar listens on port 7001")
    two = teach("zanzibar sits behind the proxy on 7002")
    with writer.transaction(db):
        beliefs.link(db, "contradicts", one, two, NOW)

    said = block(db, ask("which port does our zanzibar listen on?"))

    assert f"contradicts #{two}" in said and f"contradicts #{one}" in said


def test_what_a_session_has_is_not_given_again(db: apsw.Connection, teach: Teach, ask: Ask) -> None:
    id = teach("the zanzibar exporter writes parquet")

    assert "zanzibar" not in block(db, ask("what does our zanzibar exporter write?"), frozenset({id}))


@pytest.mark.parametrize("word", ["increases", "raising", "released", "migrate", "modify", "installing", "verify"])
def test_a_verb_is_known_in_all_its_forms(word: str) -> None:
    from agentmemory.recall.structure import VERBS
    from agentmemory.text import stem

    assert stem(word) in VERBS


@pytest.mark.parametrize("prompt", ["move legacy/foo.js", "git mv legacy/foo.js bar.js", "delete the legacy folder"])
def test_what_was_said_to_matter_to_a_request_is_told_whosever_work_that_is(
    db: apsw.Connection, teach: Teach, ask: Ask, clutter: None, prompt: str
) -> None:
    noted = teach("ask Mina first", kind="rule", triggers="legacy")
    read = teach("the legacy folder holds what Mina wrote", triggers="legacy folder")

    told = {hit.id for hit in recall(db, ask(prompt))}

    assert noted in told and not recall(db, ask("git log of foo.js"))
    assert read in told or not {hit.id for hit in brought(db, ask(prompt)) if hit.meant} - {noted}


def test_a_routine_that_sleep_found_was_given_no_words_by_anybody(teach: Teach, db: apsw.Connection, ask: Ask) -> None:
    teach("When asked to ship, `make out` is what was run.", "procedure", triggers="ship release", provenance="agent")

    assert not any(hit.meant for hit in brought(db, ask("release it")))
