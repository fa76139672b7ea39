"""What is too long for a hint is told in the sentences that the prompt speaks to."""

from __future__ import annotations

from agentmemory.recall import cover, pipeline, render
from agentmemory.records import Hit, Row
from agentmemory.text import tokens
from tests.recall.test_need import earlier, hit, query

STORY = (
    "Ah, now I remember. Depot 7 never left the old clock, the machine is from 2009 and nobody has the password. "
    "When it ended in 2019 everybody else adjusted theirs, and they did not. It stays so until the machine dies."
)


def told(one: Hit, likely: float = 0.5) -> str:
    one.likely = likely
    asked = query(surely=0.0)
    return render.render(asked, [], cover.cover(asked, cover.ranked([one, short()]), cover.TO_HINT))


def short() -> Hit:
    """A line that fits, but is hardly needed."""
    out = hit(text="the canteen closes at two")
    out.id, out.likely = 9, 0.01
    return out


def old(text: str) -> Row:
    row = earlier(text, "superseded", 1.0)
    row.in_part = True
    return row


def test_the_likeliest_is_told_although_the_whole_of_it_is_too_long_for_a_hint() -> None:
    hint = told(hit(text=STORY, depot=5.0, clock=3.0))

    assert "Depot 7 never left the old clock" in hint and "until the machine dies" not in hint
    assert tokens(hint) <= cover.HINT


def test_what_is_left_out_is_what_the_prompt_speaks_to_least() -> None:
    hint = told(hit(text=STORY, di=5.0, machin=3.0, until=2.0))

    assert "It stays so until the machine dies." in hint and "in 2019" not in hint


def test_what_still_holds_of_a_changed_statement_is_told_in_fewer_words() -> None:
    one = hit(text="the family next door has moved out. so only rack 4 sleeps at night now", rack=3.0)
    one.was = [old("by the way, it has to be quiet. racks 3 and 4 sleep from ten to seven. the timer should know")]

    hint = told(one)

    assert "only rack 4 sleeps" in hint and "racks 3 and 4 sleep" in hint
    assert tokens(hint) <= cover.HINT


def test_what_is_one_long_sentence_or_unlikely_gives_way_as_before() -> None:
    assert "canteen" in told(hit(text="the exporter writes parquet " * 15, parquet=5.0))
    assert "canteen" in told(hit(text=STORY, depot=5.0), likely=cover.HINTED / 2.0)


def test_a_large_block_leaves_nothing_out() -> None:
    one = hit(text=STORY, depot=5.0)
    one.likely = 0.5
    cover.cover(query(surely=9.0), cover.ranked([one, short()]), cover.TO_TELL)

    assert one.row.brief == ""


def test_a_hint_tells_the_likeliest_and_not_two_that_are_shorter() -> None:
    one, other, third = hit(text=STORY, depot=5.0, clock=3.0), short(), short()
    one.likely, other.likely, third.likely, third.id = 0.5, 0.4, 0.4, 10

    (first, *_), _ = pipeline.choose(query(surely=0.0), [third, other, one], frozenset())
    (clearly, *_), _ = pipeline.choose(query(surely=9.0), [third, other, one], frozenset())

    assert (first, clearly) == (one, other)
