"""What is said again, on a later day, of one matter: both statements come on one line, the later one first."""

from __future__ import annotations

from pathlib import Path

import apsw
import pytest

from agentmemory import seen
from agentmemory.recall import cover, found
from agentmemory.recall.later import beside, later, together
from agentmemory.recall.pipeline import answer, block
from agentmemory.records import Hit
from agentmemory.store import beliefs, lineage, scopes, writer
from agentmemory.store.lineage import LATER
from tests.conftest import older_store
from tests.recall.conftest import Ask, Teach

OLD = "the parcel scanner sends its readings to {} every evening"
NEW = "the parcel scanner readings are handed to {} by the night shift"
AT_ALL = "what do we do with the readings of the parcel scanner"


def tie(db: apsw.Connection, *ties: tuple[int, int, float]) -> None:
    """Let these be the only ties: (the later one, the earlier one, how likely it speaks of the same matter)."""
    db.execute("DELETE FROM edge WHERE type = 'relates'")
    for newer, older, likely in ties:
        beliefs.link(db, "relates", newer, older, 0.0, likely, detail=LATER)


def line_of(found: str, part: str) -> str:
    return next(line for line in found.splitlines() if part in line)


def test_neither_stands_alone(db: apsw.Connection, teach: Teach, ask: Ask, token: str) -> None:
    teach(OLD.format(token), days=60)
    teach(NEW.format("basel"), days=3)

    line = line_of(block(db, ask(AT_ALL)), token)

    assert line.index("basel") < line.index(token)
    assert not line.startswith("- now")  # nobody said that the first no longer holds


def test_what_stood_on_anothers_line_does_not_stand_alone_later_in_the_session(
    db: apsw.Connection, teach: Teach, ask: Ask, token: str, home: Path
) -> None:
    teach(OLD.format(token), days=60)
    teach(NEW.format("basel"), days=3)
    again = ask(f"does the parcel scanner send its readings to {token}")
    assert token in block(db, again)

    _, hits = answer(db, ask(AT_ALL))
    seen.note(str(home), "s", hits, again.now, AT_ALL)

    assert block(db, again, seen.already(str(home), "s")[0]) == ""


def test_of_the_same_hour_each_has_its_line(db: apsw.Connection, teach: Teach, ask: Ask, token: str) -> None:
    teach(OLD.format(token), days=60)
    teach(NEW.format("basel"), days=60)

    assert "basel" not in line_of(block(db, ask(AT_ALL)), token)


def test_another_matter_has_its_own_line(db: apsw.Connection, teach: Teach, ask: Ask, token: str) -> None:
    teach(OLD.format(token), days=60)
    teach("invoices of the parcel customers are printed in basel on mondays", days=3)

    assert "basel" not in line_of(block(db, ask(AT_ALL)), token)


def test_the_later_one_comes_when_only_the_earlier_answers(
    db: apsw.Connection, teach: Teach, ask: Ask, token: str
) -> None:
    teach(f"{OLD.format('basel')}, {token} collects them", days=60)
    teach(NEW.format("bern"), days=3)

    assert "bern" in line_of(block(db, ask(f"who asks {token} for it in our project?")), token)


def test_three_statements_make_one_line(db: apsw.Connection, teach: Teach, ask: Ask, token: str) -> None:
    teach(OLD.format("basel"), days=90)
    teach(NEW.format("bern"), days=60)
    teach(f"parcel scanner readings handed over by the night shift end in {token}", days=3)

    line = line_of(block(db, ask(AT_ALL)), token)

    assert line.index(token) < line.index("bern") < line.index("basel")


def test_what_may_speak_of_one_matter_shares_a_line_where_both_are_shown(
    db: apsw.Connection, teach: Teach, ask: Ask, token: str
) -> None:
    older = teach(f"the label printer of the parcel hall is set up by {token}", days=60)
    newer = teach("parcel labels come out of the printer in basel", days=3)
    db.execute("DELETE FROM edge WHERE type = 'relates'")
    asked = ask("who sets up the label printer of our parcel hall, and where do parcel labels come out?")
    apart = line_of(block(db, asked), token)

    tie(db, (newer, older, 0.04))
    line = line_of(block(db, asked), token)

    assert "basel" not in apart
    assert line.index("basel") < line.index("; also, ") < line.index(token)  # nothing says that it is past


def test_what_says_next_to_nothing_shares_a_line_with_what_it_is_about(
    db: apsw.Connection, teach: Teach, ask: Ask, token: str
) -> None:
    older = teach("fine by me", days=60, context=f"The label printer of the parcel hall is set up by {token}.")
    newer = teach("parcel labels come out of the printer in basel", days=3)
    tie(db, (newer, older, 0.04))

    line = line_of(block(db, ask("who sets up the label printer of our hall, where do labels come out?")), "basel")

    assert line.index("; also, ") < line.index("fine by me") < line.index(token)


def test_a_line_goes_on_where_its_later_statement_is_told_elsewhere(
    db: apsw.Connection, teach: Teach, ask: Ask, token: str
) -> None:
    first = teach(f"the label printer of the parcel hall is set up by {token}", days=60)
    second = teach("parcel labels come out of the printer in basel", days=30)
    third = teach("for each parcel of the hall the night shift prints a label at bern", days=3)
    tie(db, (second, first, 0.04), (third, second, 0.5))

    line = line_of(block(db, ask("who sets up the label printer of our parcel hall, where do labels come out?")), token)

    assert line.index("bern") < line.index("; before, ") < line.index("basel") < line.index("; also, ")


def test_what_was_replaced_stands_with_what_replaced_it(
    db: apsw.Connection, teach: Teach, ask: Ask, token: str
) -> None:
    oldest = teach(f"the label printer of the parcel hall is set up by {token}", days=60)
    older = teach("the label printer of the parcel hall is set up by basel", "correction", days=9, replaces=oldest)
    newer = teach("parcel labels come out of the printer at bern", days=3)
    tie(db, (newer, older, 0.04))

    shown = block(db, ask("who sets up the label printer of our parcel hall, and where do parcel labels come out?"))

    line = line_of(shown, token)
    assert line.startswith('- "parcel labels')  # which is no news of who sets up the printer
    assert line.index("; also, ") < line.index("basel") < line.index(' (was "') < line.index(token)


def test_of_two_lines_it_stands_on_the_one_that_the_prompt_asks_for(
    db: apsw.Connection, teach: Teach, ask: Ask, token: str
) -> None:
    first = teach(f"the label printer of the parcel hall is set up by {token}", days=60)
    asked = teach("the label printer of the parcel hall gets its paper from basel", days=30)
    other = teach("on mondays the night shift drives a forklift to bern", days=3)
    tie(db, (asked, first, 0.2), (other, first, 0.3))

    shown = block(db, ask("who sets up the label printer of our parcel hall?"))

    assert "bern" in shown and "basel" in line_of(shown, token)


def test_what_was_said_before_takes_no_room_where_it_is_not_needed(
    db: apsw.Connection, teach: Teach, ask: Ask, token: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = teach(f"on mondays the night shift drives {token} to bern", days=60)
    second = teach("the label printer of the parcel hall gets its paper from basel", days=3)
    tie(db, (second, first, 0.5))
    monkeypatch.setattr(cover, "TO_TELL", 1.0)  # no room for more than one

    shown = block(db, ask("where does the label printer of our parcel hall get its paper?"))

    assert "basel" in shown and token not in shown


def test_an_older_store_has_one_kind_of_tie(tmp_path: Path) -> None:
    old = older_store(tmp_path, lineage.one_tie)
    one, two = (
        beliefs.add(old, beliefs.New(scopes.USER, "fact", text, "user", 0.0, 0.0)) for text in ("it ran", "it runs")
    )
    beliefs.link(old, "relates", two, one, 0.0, 0.04, detail="perhaps")
    old.close()

    db = writer.open_store(str(tmp_path))

    assert db.execute("SELECT src, dst, weight, detail FROM edge").fetchall() == [(two, one, 0.04, LATER)]
    db.close()


def test_a_rule_is_not_told_as_past_beside_a_fact(db: apsw.Connection, teach: Teach, ask: Ask, token: str) -> None:
    teach(f"NEVER use git push github directly. Use scripts/publish-{token}.sh.", "rule", days=24)
    teach("the github remote is git@github.com:oldorg/tool.git", days=23)
    teach("we moved: the github remote is git@github.com:neworg/tool.git now", "correction", days=3, updates=True)

    line = line_of(block(db, ask("push our release to github")), token)

    assert 'also, May 4: "NEVER' in line
    assert "before" not in line


def test_the_surest_ties_come_first_and_a_full_line_sends_on(
    db: apsw.Connection, teach: Teach, ask: Ask, token: str
) -> None:
    older = [
        teach(f"{word} of {token} goes to basel", days=60)
        for word in "bread milk salt rice corn fish ham tea jam".split()
    ]
    fuller = teach(f"what {token} sells is listed in bern", days=9)
    other = teach(f"{token} closes early on mondays", days=3)
    tie(db, *((fuller, id, 0.3 + number / 100) for number, id in enumerate(older)), *((other, id, 0.1) for id in older))
    asked = ask(f"what about {token}?")
    chosen = [Hit(id, row) for id, row in found.rows(db, [*older, fuller, other], asked).items()]
    for hit in chosen:
        hit.likely = 0.5

    told = {hit.id: {row.id for row in hit.was} for hit in beside(later(db, asked, chosen))}

    assert told == {fuller: set(older[1:]), other: {older[0]}}


def test_a_routine_does_not_lead_to_what_was_said_of_one_of_its_pieces(
    db: apsw.Connection, teach: Teach, ask: Ask, token: str
) -> None:
    one = teach("a new parcel scanner gets its entry in devices.yaml first", "procedure", days=50)
    two = teach("second, its readings are compared with the old scanner", "procedure", days=40, after=one)
    word = teach(f"{token} keeps the spare keys since march", days=3)
    tie(db, (word, one, 0.3))
    asked = ask("how do I set up a new parcel scanner")
    rows = found.rows(db, [one, two], asked)

    alone, routine = Hit(one, rows[one]), Hit(one, rows[one])
    routine.steps = [rows[one], rows[two]]

    assert [hit.id for hit in later(db, asked, [alone])] == [one, word]
    assert [hit.id for hit in later(db, asked, [routine])] == [one]


MINUTES = 1 / (24 * 60)  # in days


def hits_of(db: apsw.Connection, ask: Ask, *ids: int) -> list[Hit]:
    """These beliefs as chosen hits, the first the likeliest."""
    rows = found.rows(db, list(ids), ask("what about it?"))
    hits = [Hit(id, rows[id]) for id in ids]
    for n, hit in enumerate(hits):
        hit.likely = 0.9 - n / 10
    return hits


def test_what_was_said_with_a_change_comes_onto_its_line(
    db: apsw.Connection, teach: Teach, ask: Ask, token: str
) -> None:
    teach(OLD.format(token), days=60)
    teach("good news, the parcel scanner readings have a taker for every evening", days=3)
    teach("the dispatchers in basel want them by seven", days=3)

    line = line_of(block(db, ask(AT_ALL)), token)

    assert "dispatchers in basel" in line and "good news" in line
    assert line.index("basel") < line.index(token)


@pytest.mark.parametrize(("apart", "shared"), [(0.0, True), (MINUTES, False)])
def test_only_what_is_of_one_message_shares_a_line(
    db: apsw.Connection, teach: Teach, ask: Ask, token: str, apart: float, shared: bool
) -> None:
    old = teach(f"{token} goes to basel", days=60)
    news = teach(f"{token} has a new owner", days=3)
    then = teach("the keys are with marta", days=3 - apart)
    first, second, third = hits_of(db, ask, news, then, old)
    first.was = [third.row]

    told = together([first, second])

    assert [hit.id for hit in told] == ([news] if shared else [news, then])
    assert (then in [row.id for row in first.was]) == shared


def test_without_a_change_what_was_said_together_has_lines_of_its_own(
    db: apsw.Connection, teach: Teach, ask: Ask, token: str
) -> None:
    ids = [teach(f"{word} of {token} stays", days=3) for word in ("bread", "milk", "salt")]
    assert [hit.id for hit in together(hits_of(db, ask, *ids))] == ids


def test_what_replaced_something_leads(db: apsw.Connection, teach: Teach, ask: Ask, token: str) -> None:
    old = teach(f"{token} goes to basel", days=60)
    new = teach(f"{token} goes to bern", "correction", days=3, replaces=old)
    more = teach("the keys are with marta", days=3)
    likelier, hit = hits_of(db, ask, more, new)
    hit.was = [found.rows(db, [old], ask("what?"), live=False)[old]]

    told = together([likelier, hit])

    assert [each.id for each in told] == [new] and {row.id for row in hit.was} == {old, more}


def test_of_a_long_message_two_come_onto_a_line(db: apsw.Connection, teach: Teach, ask: Ask, token: str) -> None:
    old = teach(f"{token} goes to basel", days=60)
    words = "bread milk salt rice corn fish".split()
    ids = [teach(f"{word} of {token} stays", days=3) for word in words]
    *hits, before = hits_of(db, ask, *ids, old)
    hits[0].was = [before.row]

    told = together(hits)

    assert [hit.id for hit in told] == [ids[0], *ids[3:]]


def test_a_locked_rule_stays_among_the_standing(db: apsw.Connection, teach: Teach, ask: Ask, token: str) -> None:
    old = teach(f"{token} goes to basel", days=60)
    news = teach(f"{token} has a new owner", days=3)
    rule = teach("never push on fridays", "rule", days=3, locked=True)
    first, second, third = hits_of(db, ask, news, rule, old)
    first.was = [third.row]

    assert [hit.id for hit in together([first, second])] == [news, rule]
