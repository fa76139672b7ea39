"""The years that learning is judged by: their form."""

from __future__ import annotations

from pathlib import Path

import pytest

from experiments import years

YEAR = """world: quay
about: a small port
## 2026-01-12 09:10
U: move the lamp code. lamps are on bus 7, never on 3
A: Moved to bus 7.
F f01 rule | bus 7 ; never on 3 | Lamps are on bus 7.
T | move the lamp | an order
## 2026-05-02 10:00
U: new cabinet, lamps went to bus 9
A: Changed.
F f02 fact | bus 9 | Lamps are on bus 9. | replaces f01
PROBES
P direct 2026-06-01 08:00 | f02 | f01 | which bus are the lamps on | and why
P none 2026-06-01 09:00 | - | - | a haiku about rain
"""


def test_a_year_has_the_form_of_a_world(tmp_path: Path) -> None:
    path = tmp_path / "quay.txt"
    path.write_text(YEAR)

    world = years.world(path)

    assert [len(session["turns"]) for session in world["sessions"]] == [2, 2]
    first, second = world["facts"]
    assert (first["said_in"], first["turn"], first["key"]) == ("s01", 0, ["bus 7", "never on 3"])
    assert (second["kind"], second["supersedes"], first["supersedes"]) == ("fact", "f01", None)
    assert [trap["key"] for trap in world["traps"]] == [["move the lamp"]]
    assert [(probe["style"], probe["needs"], probe["forbids"]) for probe in world["probes"]] == [
        ("direct", ["f02"], ["f01"]), ("none", [], []),
    ]  # fmt: skip
    assert world["probes"][0]["prompt"] == "which bus are the lamps on | and why"


def test_a_line_without_a_known_form_is_named(tmp_path: Path) -> None:
    path = tmp_path / "quay.txt"
    path.write_text(YEAR + "Q what is this\n")

    with pytest.raises(ValueError, match=r"quay\.txt:15"):
        years.world(path)


@pytest.mark.parametrize("path", [*years.YEARS, *years.UNSEEN["years"]], ids=lambda path: path.stem)
def test_what_a_year_labels_is_said_in_it(path: Path) -> None:
    world = years.world(path)
    turns = {(s["id"], i): t["text"].lower() for s in world["sessions"] for i, t in enumerate(s["turns"])}
    labelled = [*world["facts"], *world["traps"]]

    assert all(key.lower() in turns[each["said_in"], each["turn"]] for each in labelled for key in each["key"])
    known = {fact["id"] for fact in world["facts"]}
    assert all(known.issuperset([*probe["needs"], *probe["forbids"]]) for probe in world["probes"])
    assert any(probe["needs"] for probe in world["probes"])
