"""What a block holds: the likeliest for their size, few where few answer, more where nothing does."""

from __future__ import annotations

from datetime import UTC, datetime

import apsw
import pytest

from agentmemory.recall import cover, floor, need, ours, render
from agentmemory.recall.pipeline import answer, brought, candidates, recall
from agentmemory.recall.weights import NEEDED, NEEDED_AT_WORK
from agentmemory.records import Hit, Query, Row
from agentmemory.store import scopes, writer
from agentmemory.text import CHARS_PER_TOKEN, tokens
from tests.recall.conftest import DAY, NOW, Ask, Teach


def hit(kind: str = "fact", text: str = "the exporter writes parquet", **via: float) -> Hit:
    row = Row(1, 2, kind, 1, text, "", "", "", "user", "active", 0, 4.0, 1.0, NOW - DAY, None, NOW, NOW, None)
    out = Hit(1, row)
    out.via = via
    out.matched = {name: bits for name, bits in via.items() if bits}
    return out


def query(**asked: float) -> Query:
    out = Query("a prompt", NOW, (2,))
    out.mass = 30.0
    for name, value in asked.items():
        setattr(out, name, value)
    return out


def likely(one: Hit, asked: Query, best: float = 20.0) -> float:
    other = hit(own=best)
    return need.weigh(asked, [one, other])[0].likely


def test_more_of_the_prompts_own_words_make_a_belief_likelier() -> None:
    assert likely(hit(own=4.0), query()) < likely(hit(own=10.0), query()) < likely(hit(own=19.0), query()) < 1.0


def test_what_the_prompt_wants_decides_which_kinds_are_likelier() -> None:
    rule, decision = hit("rule", own=6.0), hit("decision", own=6.0)

    told = likely(rule, query()) / likely(decision, query())
    done = likely(rule, query(work=True)) / likely(decision, query(work=True))

    assert done > told


def test_a_routine_that_is_asked_for_is_likelier_than_one_that_is_not() -> None:
    routine = hit("procedure", own=6.0)
    routine.steps = [routine.row, routine.row]

    assert likely(routine, query(routine=True)) > likely(routine, query())


def test_a_routine_that_is_asked_for_is_told_whole_even_in_a_hint() -> None:
    routine, asked = hit("procedure", own=18.0), query(routine=True, surely=cover.SURELY - 1.0)
    routine.likely, routine.steps = 0.7, [hit(text="first we take the snapshot, then we look at it. " * 5).row] * 3

    (told,) = cover.cover(asked, cover.ranked([routine]), cover.TO_HINT)

    assert len(told.steps) == 3


def test_every_weight_belongs_to_a_feature_and_every_feature_is_known() -> None:
    everything = hit("rule", own=5.0, cue=1.0, concept=1.0, loose=1.0)
    everything.was = everything.steps = [everything.row]
    asked = query(work=True, routine=True, about_past=True)
    kinds = ("rule", "correction", "preference", "decision", "fact", "procedure")

    names = {name for kind in kinds for name in need.features(asked, hit(kind, own=1.0), 5.0)}
    once = hit(own=1.0)
    once.row.state = "heard"
    names |= set(need.features(asked, everything, 5.0)) | set(need.features(asked, once, 5.0)) | {"bias"}

    assert set(NEEDED) == set(NEEDED_AT_WORK) == names


def earlier(text: str, state: str, since: float, until: float | None = None) -> Row:
    one = hit(text=text).row
    one.id, one.state, one.valid_from, one.valid_to = 7, state, since, until
    return one


def lines() -> list[Hit]:
    """Hits of every shape that a line can have."""
    plain, marked, once, short, replaced, again, noted, routine = (hit() for _ in range(8))
    marked.row.text = 'write `"a" & <b>` to c:\\d'
    once.row.state = "heard"
    short.row.context = "which format does the exporter write?"
    chain = [earlier("it wrote csv", "superseded", NOW - 9 * DAY, NOW - 2 * DAY)]
    replaced.was = [*chain, earlier("it wrote xml", "superseded", NOW - 90 * DAY, NOW - 9 * DAY)]
    again.was = [earlier("the landing bucket is cleared at noon", "active", NOW - 20 * DAY)]
    noted.row.provenance, noted.was = "agent", again.was
    routine.row.context = "a release"
    routine.steps = [hit(text=f"step {i} of it").row for i in range(3)]
    return [plain, marked, once, short, replaced, again, noted, routine]


@pytest.mark.parametrize("one", lines())
def test_a_hit_costs_what_it_takes_in_the_block(one: Hit) -> None:
    shown = "\n".join(render.lines(one, NOW, {})) + "\n"

    assert need.cost(one) * CHARS_PER_TOKEN == pytest.approx(len(shown), abs=4)


@pytest.fixture
def yards(teach: Teach) -> None:
    """Long statements about many matters, each of which says a word or two of how trucks leave a yard."""
    for matter in (
        "the scales print a slip in the evening and the drivers sign it before their trucks leave",
        "insurers ask for photographs of damaged seals, which the guard takes at the gate of the yard",
        "diesel is booked on the cost centre of the customer whose goods fill most of the trailer",
        "refrigerated goods are measured at loading, the planners keep the numbers for two years",
        "customs papers are scanned in the morning and lie in the folder of the broker until noon",
        "a missing pallet is searched for by two people before the planners hear about it",
        "night shifts are planned six weeks ahead because the agency wants to know numbers early",
        "trailers with a broken light stay in the yard, whoever calls and however urgent it is",
        "the sheet of the week goes to the insurer with the names of all who looked at it",
        "trucks of guests wait outside, their drivers get a token at the gate and are called by name",
        "pallets of chemicals stand in the third row only, where the floor can hold a leak",
        "seals are counted at the gate by two planners and the numbers go on the sheet of the driver",
        "the broker calls the guests of the yard when customs goods are in a trailer of theirs",
        "photographs of pallets are kept by the insurers for as long as the goods are in the yard",
        "drivers of diesel trucks sign at the gate before the scales are looked at by the planners",
    ):
        teach(f"{matter}, as everybody agreed when the new hall was opened, and that has not been touched since then")


def room(db: apsw.Connection, asked: Query) -> float:
    return sum(need.cost(each) for each in recall(db, asked))


@pytest.mark.usefixtures("clutter", "yards")
def test_a_question_that_one_belief_answers_gets_less_than_one_that_nothing_answers(
    db: apsw.Connection, teach: Teach, ask: Ask
) -> None:
    teach("our zanzibar exporter writes parquet files to the landing bucket")

    clear = room(db, ask("where does our zanzibar exporter write its parquet files?"))
    open_ = room(
        db,
        ask(
            "which of us looked after missing pallets, signed the sheet, called the insurers and the planners, measured"
            " the numbers of diesel and took the photographs of seals before trucks, guests and drivers were in the"
            " yard or at the gate, and who scanned the customs papers of goods in the third row or of the broker?"
        ),
    )

    assert 0.0 < clear <= cover.TO_TELL < open_ <= cover.TO_SEEK


@pytest.mark.usefixtures("clutter", "yards")
def test_a_rule_that_shares_no_word_may_come_with_the_first_block_only(
    db: apsw.Connection, teach: Teach, ask: Ask
) -> None:
    rule = teach("never force anything onto the shared branch", "rule")
    asked = ask("change the sheet that our planners send, and tell me which files you touched")
    hits = brought(db, asked)

    assert rule in {each.id for each in candidates(db, asked, hits, first=True)}
    assert rule not in {each.id for each in candidates(db, asked, hits, first=False)}


def test_a_prompt_that_may_as_well_be_anybodys_gets_a_hint() -> None:
    asked = query(mass=90.0, surely=cover.SURELY + 1.0)
    lines = cover.ranked(need.weigh(asked, [hit(own=9.0 / (1 + i)) for i in range(12)]))
    assert cover.budget_of(asked, lines) > cover.TO_HINT

    asked.surely = cover.SURELY - 1.0
    hint = cover.cover(asked, lines, cover.budget_of(asked, lines))

    assert 0 < len(hint) < len(lines)
    assert tokens(render.render(asked, [], hint)) <= 60


def test_a_hint_tells_nothing_that_is_unlikely_or_long() -> None:
    asked = query(surely=ours.EVEN - 1.0)
    unlikely, long = hit(own=9.0), hit(text="the exporter writes parquet " * 15, own=9.0)
    unlikely.likely, long.likely = cover.HINTED / 2.0, 0.9

    assert cover.cover(asked, cover.ranked([unlikely, long]), cover.TO_HINT) == []
    assert "only a hint" in unlikely.reasons[-1] and "do not fit" in long.reasons[-1]


def test_a_session_that_was_given_hints_gets_what_was_said_last_with_its_first_clear_prompt(
    db: apsw.Connection, teach: Teach, ask: Ask
) -> None:
    exporter = teach("the exporter writes parquet")
    rule = teach("never push on fridays", kind="rule")
    asked = ask("how do we test our exporter?")

    def told(hinted: bool) -> set[int]:
        return {hit.id for hit in answer(db, asked, frozenset({exporter}), hinted)[1]}

    assert told(hinted=True) == {rule} and not told(hinted=False)


def test_of_many_hits_more_may_lie_outside_a_small_block() -> None:
    asked = query(mass=20.0, surely=cover.SURELY + 1.0)

    def budget(others: int) -> float:
        found = [hit(text="the exporter writes parquet " * 9, own=9.0) for _ in range(8)]
        faint = [hit(text="the importer reads what the exporter writes " * 9, own=0.5) for _ in range(others)]
        return cover.budget_of(asked, cover.ranked(need.weigh(asked, found + faint)))

    assert budget(12) == cover.TO_SEEK
    assert budget(6 * cover.MANY) == cover.TO_TELL


def test_what_was_likely_changed_is_not_told_alone_in_a_small_block() -> None:
    asked = query(mass=20.0, surely=cover.SURELY + 1.0)
    old, new = (hit(text=f"exports have numbers {numbers} " * 9) for numbers in ("per thousand", "as they come"))
    others, new.id = [hit(text="the exporter writes parquet " * 9) for _ in range(9)], 2
    for each, likely_needed in ((old, 0.9), (new, 0.01), *((other, 0.5) for other in others)):
        each.likely = likely_needed

    def told(tied: float) -> bool:
        old.again = [(new.id, tied)]
        return new in cover.cover(asked, cover.ranked([old, new, *others]), cover.TO_TELL)

    assert told(cover.OVERTAKEN) and not told(cover.OVERTAKEN - 0.01)


def test_what_was_said_to_matter_to_just_that_is_told_beside_much_else() -> None:
    asked = query(mass=20.0, surely=cover.SURELY + 1.0)
    meant, likelier = hit(text="exports: numbers per thousand"), [hit(own=9.0 / (1 + i / 9)) for i in range(40)]
    meant.meant = True
    lines = cover.ranked(need.weigh(asked, [*likelier, meant]))

    assert meant in cover.cover(asked, lines, cover.TO_TELL)


def test_where_talk_does_not_surely_tell_no_prompt_gets_much_room() -> None:
    open_ = query(mass=90.0, surely=cover.SURELY + 1.0, tells=False)
    lines = cover.ranked(need.weigh(open_, [hit(text="the exporter writes parquet " * 9, own=9.0) for _ in range(12)]))

    assert cover.budget_of(open_, lines) == cover.TO_TELL


@pytest.mark.usefixtures("clutter", "yards")
def test_a_session_at_work_is_told_what_is_hardly_needed_with_its_first_block_only(
    db: apsw.Connection, project_scope: int, ask: Ask
) -> None:
    with writer.transaction(db):
        scopes.set_register(db, project_scope, scopes.WORKS)
    asked = ask("change the sheet that our planners send, and tell me which files you touched")
    hits = brought(db, asked)

    first, later = (candidates(db, asked, hits, first) for first in (True, False))

    assert 0 < len(later) < len(first) and {hit.id for hit in later} < {hit.id for hit in first}
    assert all(hit.likely >= floor.LIKELY for hit in later)
    assert any("at work" in hit.reasons[-1] for hit in hits)


@pytest.mark.parametrize(("talk", "less"), [(scopes.WORKS, True), (scopes.BETWEEN, True), (scopes.TELLS, False)])
@pytest.mark.usefixtures("clutter", "yards")
def test_a_later_prompt_is_told_less_where_more_is_held_unless_the_talk_tells(
    db: apsw.Connection, project_scope: int, ask: Ask, teach: Teach, talk: int, less: bool
) -> None:
    with writer.transaction(db):
        scopes.set_register(db, project_scope, talk)
    asked = ask("change the sheet that our planners send, and tell me which files you touched")

    def told() -> set[int]:
        return {hit.id for hit in candidates(db, asked, brought(db, asked), first=False)}

    least, before = floor.line(db, asked), told()
    for i in range(int(floor.MOST * floor.USUAL)):
        teach(f"lorry{i} parks in bay{i} behind gate{i}")

    assert floor.LIKELY <= least < floor.line(db, asked) <= floor.MOST * floor.LIKELY
    assert (told() < before) is less


def test_what_fits_a_small_block_gets_no_large_one() -> None:
    open_ = query(mass=90.0, surely=cover.SURELY + 1.0)
    lines = cover.ranked(need.weigh(open_, [hit(own=9.0) for _ in range(12)]))

    assert cover.outside(lines) == 0.0
    assert cover.budget_of(open_, lines) == cover.TO_TELL


def test_half_of_a_users_blocks_stay_small_however_open_their_prompts_are() -> None:
    open_ = query(mass=40.0, surely=cover.SURELY + 1.0)
    lines = cover.ranked(need.weigh(open_, [hit(text="the exporter writes parquet " * 9, own=9.0) for _ in range(12)]))
    rooms = []
    for _ in range(200):
        rooms.append(cover.budget_of(open_, lines))
        open_.saved = cover.saved_after(open_.saved, rooms[-1])

    assert rooms[0] > cover.SMALL
    assert 40 < sum(room > cover.SMALL for room in rooms[100:]) <= 50


def test_what_is_no_number_of_saved_blocks_is_none() -> None:
    assert [cover.held(saved) for saved in (float("nan"), float("inf"), -float("inf"))] == [
        0.0, cover.SAVED, -cover.OVERDRAWN,
    ]  # fmt: skip


@pytest.mark.parametrize("shape", ["was", "steps"])
@pytest.mark.parametrize("room", [0.0, 100.0])
def test_what_stands_beside_a_hit_is_left_out_before_the_hit_is(shape: str, room: float) -> None:
    first, second = hit(), hit(text="the importer reads it at noon")
    second.id, first.likely, second.likely = 2, 0.9, 0.1
    setattr(second, shape, [second.row, earlier("the importer read csv", "superseded", NOW - 9 * DAY, NOW - 2 * DAY)])
    alone = need.cost(first) + need.cost(hit(text=second.row.text))

    chosen = cover.cover(query(), cover.ranked([first, second]), alone + room)

    assert [each.id for each in chosen] == [1, 2]
    assert bool(getattr(second, shape)) == bool(room)


@pytest.mark.usefixtures("clutter", "yards")
def test_what_does_not_fit_is_left_out_and_says_so(db: apsw.Connection, ask: Ask) -> None:
    asked = ask("which of our trucks leave the yard in the morning?")
    kept = candidates(db, asked, brought(db, asked), first=True)

    chosen = cover.cover(asked, cover.ranked(kept), 200.0)

    assert sum(need.cost(each) for each in chosen) <= 200.0
    left = [each for each in kept if each not in chosen]
    assert left
    assert all("do not fit" in each.reasons[-1] for each in left)


def hinted(*hits: Hit) -> list[Hit]:
    """What a prompt that is not clearly about our own work is told of hits, each as likely as another."""
    for one in hits:
        one.likely = 0.5
    return cover.cover(query(surely=0.0), cover.ranked(list(hits)), cover.TO_HINT)


def test_a_hint_tells_what_still_holds_of_a_statement_and_not_what_does_not() -> None:
    one, other = hit(text="db02 died, the tests run on db05 now"), hit(text="db02 died, the tests run on db05 now")
    one.was = [
        earlier("the tests run on db02, which may be wiped. db01 is the real one, only read it", "superseded", 1.0)
    ]
    other.was = [earlier("the tests run on db02, " * 6, "superseded", 1.0, 2.0)]
    one.was[0].in_part = True

    assert [len(each.was) for each in hinted(one)] == [1]
    assert [len(each.was) for each in hinted(other)] == [0]


def test_a_hint_tells_what_was_said_later_beside_what_it_may_change() -> None:
    old, new, else_ = (
        hit(text="sparrow is the staging cluster"),
        hit(text="sparrow is called wren"),
        hit(text="no cats"),
    )
    new.id, else_.id = 2, 3
    old.again = [(2, 0.1), (3, 0.01)]
    old.likely, new.likely, else_.likely = 0.5, 0.01, 0.02

    told = cover.cover(query(surely=-1.0), cover.ranked([old, new, else_]), cover.TO_HINT)

    assert [each.id for each in told] == [1, 2]


def test_what_took_the_place_of_what_stood_on_a_day_that_is_asked_of_is_likelier() -> None:
    now = datetime(2026, 4, 2, tzinfo=UTC).timestamp()
    asked = Query("and where did the units connect in february", now, (2,))
    asked.about_past, asked.mass = True, 30.0

    def changed(from_: datetime, until: datetime) -> Hit:
        one = hit(own=1.0)
        old = hit().row
        old.state, old.valid_from, old.valid_to = "superseded", from_.timestamp(), until.timestamp()
        one.row.valid_from, one.was = until.timestamp(), [old]
        return one

    stood = changed(datetime(2026, 2, 12, tzinfo=UTC), datetime(2026, 3, 5, tzinfo=UTC))
    gone = changed(datetime(2026, 1, 2, tzinfo=UTC), datetime(2026, 1, 20, tzinfo=UTC))

    assert likely(stood, asked) > 2 * likely(gone, asked)
