"""Acceptance checks 25 to 34: what the note memory before us did, done here."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from agentmemory.learn import evolution
from agentmemory.learn.links import nearest
from agentmemory.memory import Memory
from agentmemory.store import beliefs, changes, jobs
from agentmemory.store.writer import transaction
from tests.conftest import unheard_of


@pytest.fixture
def memory(home: Path) -> Memory:
    with Memory(str(home), project="") as opened:
        yield opened


def row(memory: Memory, id: int) -> dict:
    return next(r for r in memory.export() if r["id"] == id)


def test_25_a_note_describes_itself(memory: Memory) -> None:
    service = f"billing-{unheard_of()}"
    text = f"Postgres connection pool exhausts at 200 clients in {service}"

    note = row(memory, memory.remember(text).id)

    keywords = note["keywords"].split(", ")
    assert len(keywords) >= 3
    assert service in keywords
    assert all(k in text for k in keywords)
    assert note["context"] and note["tags"]


def test_26_what_is_given_stays_to_the_byte(memory: Memory) -> None:
    given = f"  Odd,{unheard_of()} ;  Spelling"

    id = memory.remember("the queue drains slowly at night", keywords=given).id

    assert row(memory, id)["keywords"] == given
    assert row(memory, id)["context"] and row(memory, id)["tags"]
    (job,) = jobs.due(memory.db, "annotate", 1e12)
    evolution.annotate(memory.db, job, 5.0, lambda asked: '{"keywords": ["queue"], "context": "slow nights"}')
    assert (row(memory, id)["keywords"], row(memory, id)["context"]) == (given, "slow nights")


def test_26_full_metadata_leaves_no_work(memory: Memory) -> None:
    memory.remember("the queue drains slowly at night", keywords="queue", context="nights", tags="ops")

    assert "annotate" not in jobs.count(memory.db)


def test_27_what_belongs_together_is_linked_and_nothing_else(memory: Memory) -> None:
    host = f"db-{unheard_of()}.internal"
    first = memory.remember(f"Nightly backups of the ledger are written to {host}").id
    second = memory.remember(f"Ledger backups on {host} are kept for 30 days").id
    third = memory.remember("The marketing site uses a serif font").id

    edges = memory.db.execute("SELECT src, dst FROM edge").fetchall()

    assert (second, first) in edges
    assert all(third not in edge for edge in edges)
    assert memory.db.execute("PRAGMA foreign_key_check").fetchall() == []


NOTES = (
    ("ML", "Random forests beat the neural net on our small churn data", "machine learning", "ml"),
    ("visit", "The hospital visit with Dr. Weber is on Tuesday", "appointments", "errands"),
    ("groceries", "Buy oat milk and rye bread for the weekend", "shopping", "food"),
    ("parking", "Parking at the hospital costs three euro an hour", "driving", "quittung"),
)


def five_notes(memory: Memory) -> tuple[dict[str, int], int]:
    ids = {
        name: memory.remember(text, keywords=text.split()[0], context=context, tags=tags).id
        for name, text, context, tags in NOTES
    }
    new = memory.remember(
        "The hospital pharmacy closes at six", keywords="pharmacy", context="opening hours", tags="health"
    ).id
    return ids, new


def test_28_evolution_changes_the_neighbour_it_names_and_can_be_undone(memory: Memory) -> None:
    ids, new = five_notes(memory)
    neighbours = [near.id for near in nearest(memory.db, new)]
    assert set(neighbours[:2]) == {ids["visit"], ids["parking"]}
    before = {r["id"]: r for r in memory.export()}
    tag = unheard_of()
    named = neighbours[1]
    reply = json.dumps({"neighbours": [{"n": 2, "context": "around the hospital", "tags": [tag_word(tag)]}]})

    with transaction(memory.db):
        changes.begin(memory.db, "annotate")
        assert evolution.evolve(memory.db, new, neighbours, reply, 5.0) == [named]

    after = {r["id"]: r for r in memory.export()}
    changed = {id for id in after if after[id] != before[id]}
    assert changed == {named}
    assert {k for k in after[named] if after[named][k] != before[named][k]} == {"context", "tags"}
    event = next(c for c in changes.recent(memory.db, 5) if c["what"] == "evolved")
    assert event["before"]["tags"] == before[named]["tags"]
    assert event["after"]["tags"] == after[named]["tags"]

    memory.undo()
    assert {r["id"]: r for r in memory.export()} == before


def test_29_the_index_follows_evolution(memory: Memory) -> None:
    ids, new = five_notes(memory)
    neighbours = [ids["visit"], ids["parking"]]
    reply = json.dumps({"neighbours": [{"n": 2, "context": "hospital trips", "tags": ["zyklamen"]}]})
    with transaction(memory.db):
        evolution.evolve(memory.db, new, neighbours, reply, 5.0)

    assert [f.id for f in memory.search("zyklamen")] == [ids["parking"]]
    assert ids["parking"] not in [f.id for f in memory.search("quittung")]


@pytest.mark.parametrize(
    "reply",
    [
        "", "no json at all", "[]", '{"neighbours": 3}', '{"neighbours": [{"n": 7, "tags": ["a b"]}]}',
        '{"neighbours": [{"n": 0, "tags": ["food"]}]}', '{"neighbours": [{"n": true, "tags": ["food"]}]}',
        '{"keywords": ["unseen"]}', '{"context": "see host-99.internal"}', '{"tags": ["<b>bold</b>"]}',
        '{"tags": []}', '{"context": ""}', '{"context": 5}', '{"keywords": ["hospital"], "tags": [1]}',
        '{"keywords": ["hospital"], "neighbours": [{"n": 1, "context": "open at 17:45"}]}',
        json.dumps({"context": "long " * 200}), '{"keywords": ' + "[" * 100_000 + "}",
    ],
)  # fmt: skip
def test_28_a_bad_reply_changes_nothing(memory: Memory, reply: str) -> None:
    ids, new = five_notes(memory)
    before = list(memory.export())

    with pytest.raises(evolution.BadReply), transaction(memory.db):
        evolution.evolve(memory.db, new, [ids["visit"], ids["parking"]], reply, 5.0)

    assert list(memory.export()) == before


def test_an_annotation_job_is_done_by_any_model(memory: Memory) -> None:
    new = memory.remember("the deploy queue drains slowly at night").id
    (job,) = jobs.due(memory.db, "annotate", 1e12)
    asked = []

    def model(question: str) -> str:
        asked.append(question)
        return '{"keywords": ["queue", "night"], "context": "slow deploys", "tags": ["operations"]}'

    assert evolution.annotate(memory.db, job, 5.0, model) == [new]
    assert "drains slowly" in asked[0]
    assert row(memory, new)["tags"] == "operations"


def test_30_links_bring_what_words_do_not(memory: Memory) -> None:
    topic, far = unheard_of(), unheard_of()
    a = memory.remember(f"{topic} overheats in summer").id
    memory.remember(f"{topic} was painted blue")
    z = memory.remember(f"call the plumber about {far}").id
    for i in range(5):
        memory.remember(f"unrelated remark number {unheard_of()} {i}")
    with transaction(memory.db):
        beliefs.link(memory.db, "relates", a, z, 1.0)

    plain = memory.search(topic, 2)
    linked = memory.search(topic, 2, links=True)

    assert len(plain) == 2 and z not in [f.id for f in plain]
    assert [f.id for f in linked[:2]] == [f.id for f in plain]
    assert {f.id: f.is_neighbor for f in linked[2:]} == {z: True}
    assert not any(f.is_neighbor for f in linked[:2])


def test_31_results_are_ranked_and_whole(memory: Memory) -> None:
    topic = unheard_of()
    for i in range(6):
        memory.remember(f"{topic} remark {i} " + "padding words go here " * i)

    found = memory.search(topic, 5)

    scores = [f.score for f in found]
    assert scores == sorted(scores, reverse=True)
    assert all(f.text and f.tags and f.context and f.keywords for f in found)


def test_32_an_updated_note_is_read_anew(memory: Memory) -> None:
    old, new = unheard_of(), unheard_of()
    first = memory.remember(f"the cache lives on host {old}").id

    second = memory.correct(first, f"the cache lives on host {new}").id

    assert new in row(memory, second)["keywords"] and old not in row(memory, second)["keywords"]
    assert [f.id for f in memory.search(new, 3)] == [second]
    assert all(old not in f.text for f in memory.search(old, 3))


def test_32_a_note_is_read_whole(memory: Memory) -> None:
    topic = unheard_of()
    done = memory.remember(f"the {topic} cache lives on one host", context="hosts", tags="ops", keywords=topic)

    note = memory.read(done.id)

    assert note is not None
    assert note["text"] == f"the {topic} cache lives on one host"
    assert (note["keywords"], note["context"], note["tags"]) == (topic, "hosts", "ops")
    assert memory.read(done.id + 1) is None


def test_32_a_deleted_note_is_gone_everywhere(memory: Memory, home: Path) -> None:
    topic, only = unheard_of(), unheard_of()
    first = memory.remember(f"the {topic} cache lives on {only}-host", tags=only).id
    second = memory.remember(f"the {topic} cache is emptied at noon").id
    with transaction(memory.db):
        beliefs.link(memory.db, "relates", first, second, 1.0)
        beliefs.link(memory.db, "supports", second, first, 1.0)
    assert [f.id for f in memory.search(only)] == [first]

    assert memory.forget(first)

    assert memory.search(only) == []
    assert [f.id for f in memory.search(topic)] == [second]
    assert memory.read(first) is None
    for count in (
        "SELECT count(*) FROM belief_fts WHERE belief_fts MATCH '{only}'", "SELECT count(*) FROM edge",
        "SELECT count(*) FROM term WHERE stem LIKE '%{only}%'", "SELECT count(*) FROM mention WHERE belief = {first}",
        "SELECT count(*) FROM entity WHERE norm LIKE '%{only}%'",
        "SELECT count(*) FROM retrieval WHERE belief = {first}",
    ):  # fmt: skip
        assert memory.db.execute(count.format(only=only, first=first)).fetchone() == (0,), count
    memory.close()
    assert [p.name for p in home.rglob("*") if p.is_file() and only.encode() in p.read_bytes()] == []


def test_32_deleting_twice_is_false_and_changes_nothing(memory: Memory) -> None:
    first = memory.remember(f"the {unheard_of()} cache lives on one host").id
    memory.remember(f"something else about {unheard_of()}")
    assert memory.forget(first)
    before = list(memory.export())

    again = memory.forget(first)

    assert not again
    assert again == {"beliefs": [], "turns": []}
    assert not memory.forget(unheard_of())
    assert list(memory.export()) == before


def test_32_deleting_twice_at_the_terminal(home: Path, project: Path) -> None:
    with Memory(str(home), project=str(project)) as memory:
        first = memory.remember(f"the {unheard_of()} cache lives on one host").id

    done = [agentmemory("forget", str(first), "--json") for _ in range(2)]

    assert [d.returncode for d in done] == [0, 1]
    assert [json.loads(d.stdout)["forgotten"] for d in done] == [True, False]
    assert json.loads(done[1].stdout)["note"] == f"Nothing to forget: there is no belief {first}."
    assert done[1].stderr == ""


@pytest.mark.parametrize("given", ["202503021500", "199912312359", "202402290000"])
def test_33_a_time_round_trips(memory: Memory, given: str) -> None:
    """Remembered and read, imported and read, exported and imported elsewhere."""
    one, two = f"the {unheard_of()} queue is drained at night", f"the {unheard_of()} host is idle by day"

    told = memory.read(memory.remember(one, at=given).id)
    brought = memory.import_beliefs([{"kind": "fact", "text": two, "valid_from": given}])[0]
    imported = memory.read(brought.id)  # type: ignore[union-attr]

    assert told is not None and imported is not None
    assert told["timestamp"] == imported["timestamp"] == given
    iso = f"{given[:4]}-{given[4:6]}-{given[6:8]}T{given[8:10]}:{given[10:]}:00Z"
    assert told["valid_from"] == imported["valid_from"] == iso
    assert {row["valid_from"] for row in memory.export()} == {iso}


def test_33_what_is_no_time_is_refused(memory: Memory) -> None:
    for given in ("202513021500", "2025030215", "20250302150", "noon"):
        with pytest.raises(ValueError, match=f"^'{given}' is no time; write it like"):
            memory.remember(f"the {unheard_of()} queue is drained", at=given)
    assert list(memory.export()) == []


def test_33_each_returned_result_counts_one_retrieval(memory: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    topic = unheard_of()
    notes = [memory.remember(f"{topic} remark {unheard_of()} number {i}").id for i in range(5)]
    assert {uses(memory, id) for id in notes} == {(0, None)}
    expected: dict[int, tuple[int, str | None]] = dict.fromkeys(notes, (0, None))

    for hour, limit in ((13, 2), (14, 3), (15, 5)):
        now = f"2026-06-01T{hour}:00:00Z"
        monkeypatch.setenv("AGENTMEMORY_NOW", now)
        returned = [f.id for f in memory.search(topic, limit)]
        assert len(returned) == limit
        expected |= {id: (expected[id][0] + 1, now) for id in returned}
        assert {id: uses(memory, id) for id in notes} == expected

    memory.search(unheard_of())
    assert {id: uses(memory, id) for id in notes} == expected


def test_33_what_a_link_brings_is_returned_too(memory: Memory) -> None:
    topic = unheard_of()
    a, z = memory.remember(f"{topic} overheats").id, memory.remember(f"call {unheard_of()} about it").id
    with transaction(memory.db):
        beliefs.link(memory.db, "relates", a, z, 1.0)

    memory.search(topic, links=True)

    assert uses(memory, a)[0] == uses(memory, z)[0] == 1


def test_33_searches_at_the_terminal_and_injections_count(
    home: Path, project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    topic = unheard_of()
    monkeypatch.setenv("AGENTMEMORY_WORKER", "off")  # the hooks start none, so that ours is the only one
    with Memory(str(home), project=str(project)) as memory:
        note = memory.remember(f"the {topic} queue is drained at night", at="202503021500").id
    event = {
        "session_id": "s1", "cwd": str(project), "hook_event_name": "UserPromptSubmit",
        "prompt": f"when is the {topic} queue drained?", "transcript_path": "",
    }  # fmt: skip
    read = [json.loads(agentmemory("read", str(note), "--json").stdout)]
    for session in ("s1", "s2"):
        here = json.dumps(event | {"session_id": session})
        assert topic in agentmemory("hook", "prompt-submit", stdin=here).stdout
        agentmemory("hook", "session-end", stdin=here)
        agentmemory("worker", "--once")
        read.append(json.loads(agentmemory("read", str(note), "--json").stdout))
    assert topic in agentmemory("search", topic, "--json").stdout
    read.append(json.loads(agentmemory("read", str(note), "--json").stdout))

    assert [r["retrieval_count"] for r in read] == [0, 1, 2, 3]
    assert read[0]["last_accessed"] is None and all(r["last_accessed"] for r in read[1:])
    assert {r["timestamp"] for r in read} == {"202503021500"}


def uses(memory: Memory, id: int) -> tuple[int, str | None]:
    """How often a note was returned, and when last."""
    note = memory.read(id)
    assert note is not None
    return note["retrieval_count"], note["last_accessed"]


def agentmemory(*words: str, stdin: str = "") -> subprocess.CompletedProcess[str]:
    """The program, as a person runs it."""
    command = [sys.executable, "-m", "agentmemory", *words]
    return subprocess.run(command, input=stdin, text=True, capture_output=True, check=False)


def test_34_two_handles_do_not_clear_each_other(home: Path) -> None:
    a, b = unheard_of(), unheard_of()
    with Memory(str(home), project="") as one, Memory(str(home), project="") as two:
        one.remember(f"note {a}")
        two.remember(f"note {b}")
        assert len(one.search(a)) == len(one.search(b)) == len(two.search(a)) == len(two.search(b)) == 1


ADDS = """
import sys
from agentmemory.memory import Memory
with Memory(sys.argv[1], project="") as memory:
    for i in range(int(sys.argv[3])):
        memory.remember(f"process {sys.argv[2]} wrote item {sys.argv[2]}x{i}q down")
"""


def test_34_two_processes_write_at_once(home: Path) -> None:
    with Memory(str(home), project=""):
        pass
    each = 500
    writers = [
        subprocess.Popen([sys.executable, "-c", ADDS, str(home), name, str(each)], stderr=subprocess.PIPE)
        for name in ("left", "right")
    ]
    for each_writer in writers:
        _, err = each_writer.communicate(timeout=280)
        assert each_writer.returncode == 0, err.decode()

    with Memory(str(home), project="") as memory:
        assert sum(1 for _ in memory.export()) == 2 * each


def tag_word(random: str) -> str:
    """A tag of letters only: a model may label freely, but not make up anything that looks like a value."""
    return "".join(c for c in random if c.isalpha()) + "label"
