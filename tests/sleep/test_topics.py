"""Topics: a summary for each, standing for exactly its turns; noise in none; topics that return rise."""

from __future__ import annotations

import itertools
import json
from pathlib import Path

import apsw
import pytest

from agentmemory.learn.digest import digest
from agentmemory.sleep import clusters, extracts, wording
from agentmemory.sleep.night import sleep
from agentmemory.store import beliefs, forget, jobs, meta, nights, summaries, writer
from agentmemory.text import stem, stems
from tests.model.standin import StandIn
from tests.sleep.talk import DAY, NOISE, NOW, TOPICS, name, rise, say, shuffled, topic

#: near in the fake's space, where equal words are equal places, whatever their order
SAME_WORDS = [f"the kiln {w} glazed cups hold lukewarm tea badly" for w in ("of", "and", "with", "for")]
OTHER_WORDS = [f"{w} tenors sang an evening mass off key" for w in ("two", "six", "ten", "both")]


def stood_for(db: apsw.Connection) -> list[list[int]]:
    """The turns of each live summary that stands for turns."""
    return sorted(turns for s in summaries.live(db, [1]) if s.level == 1 and (turns := summaries.turns_of(db, s.id)))


@pytest.mark.parametrize("kinds", list(itertools.combinations(TOPICS, 3)), ids="+".join)
def test_three_topics_shuffled_become_three_summaries_of_exactly_their_turns(
    db: apsw.Connection, kinds: tuple[str, ...]
) -> None:
    said = shuffled(*(topic(kind) for kind in kinds), [NOISE.format(n=name())])
    ids = say(db, [text for text, _ in said])
    night = sleep(db, NOW)

    groups = [sorted(id for id, (_, group) in zip(ids, said) if group == i) for i in range(3)]
    assert stood_for(db) == sorted(groups)
    assert len(night.summaries) == 3
    assert [turn.text for turn in nights.by_id(db, ids)] == [text for text, _ in said]
    assert sleep(db, NOW + DAY).summaries == []
    assert len(summaries.live(db, [1])) == 3


def test_a_lone_topic_is_one_topic(db: apsw.Connection) -> None:
    ids = say(db, [NOISE.format(n=name()), *topic("bread"), "the dentist moved my appointment to Monday"])
    sleep(db, NOW)
    found = stood_for(db)
    assert found and not {ids[0], ids[-1]} & {turn for turns in found for turn in turns}
    assert sum(map(len, found)) >= 5


def test_turns_of_a_small_day_wait_for_their_topic(db: apsw.Connection) -> None:
    sentences = topic("pool")
    for i, pair in enumerate((sentences[:2], sentences[2:4], sentences[4:8])):
        say(db, [*pair, f"{name()} likes {name()} and {name()}"], key=f"s{i}")
        sleep(db, NOW + i * DAY)
    assert sum(len(turns) for turns in stood_for(db)) >= 6 or any(s.level == 2 for s in summaries.live(db, [1]))


def test_a_title_does_not_say_the_parts_of_a_name_again() -> None:
    texts = ["tallyHook fires when the invoice is late", "the tallyHook of the invoice is late", "tallyHook again"]

    title = extracts.summarise(texts, {}).title

    assert title == "Tallyhook, invoice, late, fires"


def test_words_of_structure_of_other_languages_tell_no_topic() -> None:
    texts = [
        "Kannst du bitte den Rechnungsexport anschauen? Der ist schon wieder kaputt.",
        "ok bitte auch noch die Tests vom Rechnungsexport reparieren, danke dir",
        "Könntest du das Layout vom Rechnungsexport einfach schnell umbenennen?",
        "ja klingt gut, mach das bitte",
    ]
    found = extracts.summarise(texts, {})

    assert found.title.startswith("Rechnungsexport") and found.keywords[0] == "rechnungsexport"
    assert not {"du", "bitte", "das", "der", "vom"} & set(found.title.lower().split(", "))
    assert not set(map(stem, ("du", "bitte", "das", "der", "vom"))) & set(found.keywords)


def test_words_that_no_space_parts_stand_whole_in_a_title_and_their_sentences_end() -> None:
    texts = ["図書館の本を検索する。検索は図書館のサーバーで動く。", "図書館のサーバーは毎晩検索を止める。"]
    found = extracts.summarise(texts, {})

    assert found.title == "サーバー, 図書館, 検索"
    assert all(said.endswith("。") for said in found.sentences)


@pytest.mark.parametrize(
    ("texts", "title"),
    [
        ([f"E4021 again at 0x7f3a{i} in v2.{i}, p99 at 10ms" for i in range(5)], "E4021"),
        (["8080 500 1201 3300", "8080 500 1201 3301", "8080 500 1201 77"], "1201, 8080, 500"),
        (
            ["```\n" + "x = 1\n" * 500 + f"```\nthe pool leaks connections under load {i}" for i in range(5)],
            "Connections",
        ),
        (["12:00:01 200 17 4\n" * 200 + f"fix gateway timeout of relay {i}" for i in range(5)], "Gateway"),
    ],
    ids=["codes", "figures", "behind code", "behind a log"],
)
def test_a_title_is_what_the_turns_have_in_common_whatever_it_is(
    db: apsw.Connection, texts: list[str], title: str
) -> None:
    meta.put(db, "digest:/transcripts/s.jsonl", 1)  # the learner has read it, and kept nothing
    say(db, texts)
    sleep(db, NOW)
    (summary,) = summaries.live(db, [1])

    assert summary.text.startswith(title)
    assert summary.text.endswith(f"({len(texts)} turns, 2026-05-28)")


def test_a_topic_of_three_sessions_rises(db: apsw.Connection) -> None:
    of = name()
    for night in range(3):
        say(db, topic("pool", of)[night : night + 5], key=f"s{night}")
        say(db, topic("bread")[:5], key=f"s{night}")
        sleep(db, NOW + night * DAY)
    risen = [s for s in summaries.live(db, [1]) if s.level == 2 and of.lower() in s.text.lower()]

    assert len(risen) == 1
    below = summaries.children(db, risen[0].id)
    assert len(set().union(*(summaries.sessions_of(db, b) for b in below))) == 3


@pytest.mark.parametrize("kind", TOPICS)
def test_a_topic_rises_in_whatever_sentences_it_comes_back_and_none_with_another_of_the_same_name(
    db: apsw.Connection, kind: str
) -> None:
    of, (other, *_) = name(), (k for k in TOPICS if k != kind)
    for night, places in enumerate(((0, 1, 2, 4, 6), (0, 3, 5, 6, 7), (1, 2, 3, 4, 7))):
        say(db, [topic(kind, of)[i] for i in places], key=f"s{night}")
        sleep(db, NOW + night * DAY)
    say(db, topic(other, of), key="other")
    sleep(db, NOW + 3 * DAY)

    (risen,) = (s for s in summaries.live(db, [1]) if s.level == 2)
    assert len(summaries.children(db, risen.id)) == 3


def test_a_topic_rises_in_a_store_that_holds_nothing_else(db: apsw.Connection) -> None:
    of = name()
    nights = (
        ("The {n} consumer lags when partitions rebalance", "Rebalance of the {n} consumer took two minutes",
         "Static membership keeps the {n} consumer from rebalance", "{n} consumer lag dropped after static membership"),
        ("Lag of the {n} consumer is back after the partitions grew", "Partitions of {n} moved, its consumer stalled",
         "More threads of the {n} consumer did not reduce the lag", "{n} consumer lag alarms at ten thousand"),
        ("Again lag of the {n} consumer, rebalance at noon", "The {n} consumer was upgraded to cooperative rebalance",
         "Cooperative rebalance keeps the {n} consumer reading", "{n} lag is fine with cooperative rebalance"),
    )  # fmt: skip
    for night, said in enumerate(nights):
        say(db, [sentence.format(n=of) for sentence in said], key=f"s{night}")
        sleep(db, NOW + night * DAY)

    (risen,) = (s for s in summaries.live(db, [1]) if s.level == 2)
    assert len(summaries.children(db, risen.id)) == 3


def test_what_is_above_quotes_sentences_and_no_titles(db: apsw.Connection) -> None:
    of = name()
    for i in range(3):
        meta.put(db, f"digest:/transcripts/s{i}.jsonl", 1)  # the learner has read it, and kept nothing
    for i in range(12):
        say(db, topic("pool", of)[i % 4 : i % 4 + 5], key=f"s{i}", at=NOW + i * DAY)
        sleep(db, NOW + i * DAY)
    texts = [(s.level, s.text) for s in summaries.live(db, [1])]
    assert any(level == 1 and text.endswith(")") and " turns, " in text for level, text in texts)
    (above,) = (text for level, text in texts if level > 1)
    assert " turns, " not in above and of in above.partition(": ")[2]


def test_a_session_of_a_client_was_read_whatever_its_file_is_called(db: apsw.Connection, tmp_path: Path) -> None:
    lines = [
        {
            "type": "user", "uuid": f"u{i}", "sessionId": "5e55", "cwd": "/p", "timestamp": f"2026-05-10T10:00:0{i}Z",
            "message": {"role": "user", "content": f"please fix the {word} of the pool connection now"},
        }
        for i, word in enumerate(("timeout", "size", "leak", "count", "limit"))
    ]  # fmt: skip
    path = tmp_path / "saved.jsonl"
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    digest(db, str(path), NOW)
    sleep(db, NOW)

    assert [s.text for s in summaries.live(db, [2]) if "please" in s.text] == []
    assert summaries.live(db, [2])


def test_a_sentence_in_bold_is_quoted_without_its_marks() -> None:
    said = ["**Cause**: the kiln of the studio cools too fast", "Then the fans of the kiln are switched on:"]

    quoted = extracts.summarise(said, {}).sentences

    assert set(quoted) == {"Cause: the kiln of the studio cools too fast.", said[1]}


@pytest.mark.parametrize(
    "said",
    [
        "das Paper muss bis 30. Juni fertig sein",
        "plots are made with altair, e.g. the residuals, ca. 40 of them vs. 12 before",
        "die Stationen, z.B. 2928, bzw. deren Daten fehlen",
    ],
)
def test_a_dot_behind_a_day_or_a_short_form_ends_no_sentence(said: str) -> None:
    assert extracts.sentences(f"{said}. It was told in July. Julia wrote it.") == [
        f"{said}.",
        "It was told in July.",
        "Julia wrote it.",
    ]


def test_code_in_a_block_is_no_sentence() -> None:
    said = "The kiln cools too fast.\n```\nkiln.cool(rate=1) if hot else None\n```\nThe fans are switched on."

    assert extracts.sentences(said) == ["The kiln cools too fast.", "The fans are switched on."]


def test_what_is_above_is_worded_anew_only_when_its_topic_has_doubled(db: apsw.Connection) -> None:
    of, worded = name(), set()
    for i in range(6):
        say(db, topic("pool", of)[i % 4 : i % 4 + 5], key=f"s{i}", at=NOW + i * DAY)
        sleep(db, NOW + i * DAY)
        for above in (s.id for s in summaries.live(db, [1]) if s.level > 1):
            worded.add((above, len(summaries.children(db, above)) >= 2 * 3))

    assert len({id for id, doubled in worded if not doubled}) == 1


def test_a_summary_that_a_model_has_reworded_keeps_its_place_among_the_others(db: apsw.Connection) -> None:
    below = summaries.children(db, rise(db, 1, name()))
    told = beliefs.get(db, below[-1]).text.partition(": ")[2]
    above, beside = summaries.parent(db, below[-1]), summaries.same_topic(db, below[-1])
    assert above and beside

    new = wording.apply(db, jobs.Job(1, wording.KIND, below[-1], {}, 0), NOW + 9 * DAY, lambda asked: told)

    assert new is not None
    assert (summaries.parent(db, new), summaries.same_topic(db, new)) == (above, beside)


def test_a_model_may_not_bring_names_into_a_summary_that_nobody_said(db: apsw.Connection) -> None:
    of = name()
    say(db, topic("pool", of))
    (made,) = sleep(db, NOW).summaries
    told = beliefs.get(db, made).text.partition(": ")[2]
    first, _, rest = told.partition(". ")

    for brought in ("on elsewhere-api", "in /srv/elsewhere.conf", "and `make elsewhere`"):
        with pytest.raises(wording.UnfitReply, match="names what was not said"):
            wording.apply(db, jobs.Job(1, wording.KIND, made, {}, 0), NOW, lambda _, b=brought: f"{first} {b}. {rest}")
    assert beliefs.get(db, made).state == "active"


def test_a_trait_does_not_make_a_session_one_that_the_learner_read(db: apsw.Connection) -> None:
    of = name()
    say(db, [*topic("pool", of), "I live in Oslo."])
    assert sleep(db, NOW).traits
    (summary,) = summaries.live(db, [1])
    assert of in summary.text.partition(": ")[2]


def test_a_summary_is_verbatim_and_shorter_and_keeps_the_names() -> None:
    of = name()
    texts = topic("pool", of)
    found = extracts.summarise(texts, {})

    assert all(any(sentence.rstrip(".") in text for text in texts) for sentence in found.sentences)
    assert of in found.text
    assert len(found.text) < sum(map(len, texts)) / 2


def test_code_at_the_ends_of_a_sentence_keeps_both_of_its_ticks() -> None:
    of = name()

    assert extracts.sentences(f"- `mix {of}` runs before `ci`\n- the receiver is `{of}`.") == [
        f"`mix {of}` runs before `ci`", f"the receiver is `{of}`.",
    ]  # fmt: skip


def test_clusters_do_not_depend_on_who_asks() -> None:
    texts = [stems(text) for text, _ in shuffled(topic("pool", "Aba"), topic("trip", "Ebe"))]
    df = {s: sum(s in t for t in texts) for t in texts for s in t}
    assert clusters.topics(texts, df, len(texts)) == clusters.topics(texts, df, len(texts))
    assert clusters.topics([], {}, 0) == [] and clusters.topics([["one"]], {}, 1) == [-1]


def test_an_embedding_has_its_own_distance() -> None:
    places = [[1.0, 0.0], [0.95, 0.3], [0.9, 0.4], [0.0, 1.0]]
    assert clusters.topics_placed(places, 0.35) == [0, 0, 0, -1]
    assert clusters.topics_placed(places, 0.001) == [-1, -1, -1, -1]


@pytest.mark.parametrize("way", ["local", "remote", "vectors alone"])
@pytest.mark.parametrize(("eps", "topics"), [(0.3, 2), (0.0001, 0)])
def test_a_configured_embedding_tells_topics_apart_at_its_distance(
    db: apsw.Connection, home: Path, way: str, eps: float, topics: int
) -> None:
    ids = say(db, [*SAME_WORDS, *OTHER_WORDS])
    with StandIn() as server:
        remote = f'[remote]\nbase_url = "{server.url}"\nmodel = "chat"\napi_key = "{server.key}"\n'
        alone = remote.replace('model = "chat"\n', "")
        ways = {
            "local": ('model = "fake"\n', "fake"),
            "remote": (remote, "vectors"),
            "vectors alone": (alone, "vectors"),
        }
        model, name = ways[way]
        (home / "sidecar.toml").write_text(f'on_battery = true\n{model}[embedding]\nmodel = "{name}"\neps = {eps}\n')
        sleep(db, NOW)
        asked = [body["model"] for body in server.seen if "input" in body]

    assert asked == ([] if way == "local" else ["vectors"])
    assert stood_for(db) == [ids[:4], ids[4:]][:topics]


@pytest.mark.parametrize(("eps", "topics"), [("", 2), ("eps = 0.3\n", 1)], ids=["not said", "said"])
def test_a_sentence_encoder_tells_topics_apart_only_where_its_distance_is_said(
    db: apsw.Connection, home: Path, tmp_path: Path, eps: str, topics: int
) -> None:
    pytest.importorskip("tokenizers")
    from tests import encoders

    one_meaning = " ".join(sorted({word for text in (*SAME_WORDS, *OTHER_WORDS) for word in text.lower().split()}))
    folder = encoders.table(tmp_path / "encoder", [one_meaning])
    ids = say(db, [*SAME_WORDS, *OTHER_WORDS])
    (home / "sidecar.toml").write_text(f'on_battery = true\n[embedding]\nmodel = "{folder}"\n{eps}')
    sleep(db, NOW)
    assert stood_for(db) == ([ids] if topics == 1 else [ids[:4], ids[4:]])


def test_an_embedding_that_does_not_answer_leaves_the_topics_to_the_words(db: apsw.Connection, home: Path) -> None:
    remote = '[remote]\nbase_url = "http://127.0.0.1:9/v1"\nmodel = "none"\n'
    (home / "sidecar.toml").write_text(f'on_battery = true\n{remote}[embedding]\nmodel = "none"\n')
    said = shuffled(topic("pool"), topic("trip"), topic("bread"))
    ids = say(db, [text for text, _ in said])
    sleep(db, NOW)
    assert stood_for(db) == sorted(sorted(id for id, (_, g) in zip(ids, said) if g == i) for i in range(3))


def test_what_a_user_said_is_never_replaced_by_a_summary(db: apsw.Connection) -> None:
    from agentmemory.learn.revise import revise
    from agentmemory.values import Added, Candidate

    texts = topic("pool")
    with writer.transaction(db):
        done = revise(db, Candidate("decision", texts[3], scope=1, at=NOW - DAY), NOW)
    assert isinstance(done, Added)
    before = db.execute("SELECT count(*) FROM evidence WHERE belief = ?", (done.id,)).fetchone()
    say(db, texts)
    sleep(db, NOW)

    assert beliefs.get(db, done.id).state == "active"
    assert db.execute("SELECT count(*) FROM evidence WHERE belief = ?", (done.id,)).fetchone() == before


def test_forgetting_a_turn_forgets_the_summaries_that_hold_its_words(db: apsw.Connection) -> None:
    of = name()
    ids = say(db, topic("trip", of))
    sleep(db, NOW)
    assert any(of in s.text for s in summaries.live(db, [1]))
    with writer.transaction(db):
        forget.erase(db, [], ids[:1])
    assert not any(of in s.text for s in summaries.live(db, [1]))
