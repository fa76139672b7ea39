"""Which turns are one topic, where they are said again word for word."""

from __future__ import annotations

import apsw
import pytest

from agentmemory.sleep import clusters
from agentmemory.sleep.night import sleep
from agentmemory.store import beliefs, summaries
from agentmemory.text import content
from tests.sleep.talk import NOW, say, topic


@pytest.mark.parametrize("sentences", [3, 4, 5])
@pytest.mark.parametrize("kind", ["pool", "page", "trip", "bread"])
def test_a_topic_that_comes_back_word_for_word_before_a_night_is_one_topic(
    db: apsw.Connection, kind: str, sentences: int
) -> None:
    said = topic(kind)[:sentences]
    for session in range(3):
        say(db, said, key=f"s{session}")
    sleep(db, NOW)
    (summary,) = summaries.live(db, [1])
    assert beliefs.get(db, summary.id).level == 2
    assert len(summaries.turns_of(db, summary.id)) == 3 * sentences


def test_one_sentence_is_a_topic_when_it_is_said_three_times() -> None:
    once, other = content("the walrus cluster drops packets"), content("lunch is late today again, says Otto")
    df = dict.fromkeys([*once, *other], 1)
    assert clusters.topics([once, other, once, once], df, 4) == [0, -1, 0, 0]
    assert clusters.topics([once, other, once], df, 3) == [-1, -1, -1]
