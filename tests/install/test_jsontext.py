"""Members go into a person's JSON file and out again; no other byte moves."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentmemory.install import jsontext

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=8,
)
OBJECTS = st.dictionaries(st.text(max_size=5), VALUES, max_size=4)
LAYOUTS = st.sampled_from([{"indent": 2}, {"indent": 4}, {"indent": "\t"}, {}, {"separators": (",", ":")}])
PATH = ("ours", "inner")


@given(OBJECTS, LAYOUTS, VALUES)
def test_what_was_put_is_there_and_the_rest_is_as_it_was(before: dict[str, Any], how: Any, value: Any) -> None:
    text = json.dumps(before, ensure_ascii=False, **how)

    after = jsontext.put(text, ("ours!", "inner"), value)

    assert json.loads(after) == {**before, "ours!": {"inner": value}}


@given(OBJECTS, LAYOUTS, VALUES)
def test_put_and_drop_leave_every_byte(before: dict[str, Any], how: Any, value: Any) -> None:
    text = json.dumps(before, ensure_ascii=False, **how)

    after = jsontext.drop(jsontext.put(text, ("ours!", "inner"), value), ("ours!",))

    assert after == text


@given(OBJECTS, LAYOUTS)
def test_putting_twice_is_putting_once(before: dict[str, Any], how: Any) -> None:
    once = jsontext.put(json.dumps(before, **how), PATH, [1, {"a": 2}])

    assert jsontext.put(once, PATH, [1, {"a": 2}]) == once


@given(OBJECTS, LAYOUTS, st.lists(VALUES, max_size=3))
def test_an_element_is_appended_once_and_taken_out(before: dict[str, Any], how: Any, there: list[Any]) -> None:
    text = json.dumps({**before, "hooks": {"Stop": there}}, ensure_ascii=False, **how)
    ours = {"of": "ours"}

    after = jsontext.append(jsontext.append(text, ("hooks", "Stop"), ours), ("hooks", "Stop"), ours)

    assert json.loads(after)["hooks"]["Stop"] == [*there, ours]
    assert jsontext.drop(after, ("hooks", "Stop", len(there))) == text


def test_the_indentation_and_line_ends_of_the_file_are_kept() -> None:
    text = '{\r\n\t"a": {\r\n\t\t"b": 1\r\n\t}\r\n}\r\n'

    after = jsontext.put(text, ("a", "c"), {"d": 2})

    assert after == '{\r\n\t"a": {\r\n\t\t"b": 1,\r\n\t\t"c": {\r\n\t\t\t"d": 2\r\n\t\t}\r\n\t}\r\n}\r\n'


def test_an_empty_file_becomes_an_object() -> None:
    assert json.loads(jsontext.put("", PATH, 1)) == {"ours": {"inner": 1}}


@pytest.mark.parametrize("text", ["\ufeff", "\ufeff{}\r\n", '\ufeff{\n "a": 1\n}'])
def test_a_byte_order_mark_stays_in_front(text: str) -> None:
    after = jsontext.put(text, PATH, 1)

    assert after.startswith("\ufeff{") and json.loads(after[1:])["ours"] == {"inner": 1}
    assert jsontext.put(after, PATH, 1) == after and jsontext.get(after, PATH) == 1
    assert jsontext.drop(after, ("ours",)) == (text if "{" in text else "\ufeff{}\n")


def test_of_a_member_that_stands_twice_the_last_counts_as_for_the_client() -> None:
    text = '{"ours": {"a": 1}, "ours": {"b": 2}}'

    after = jsontext.put(text, PATH, 1)

    assert json.loads(after)["ours"] == {"b": 2, "inner": 1}
    assert jsontext.put(after, PATH, 1) == after and jsontext.drop(after, PATH) == text


@pytest.mark.parametrize("text", ["{", "[1] x", "// a comment\n{}", '{"a": 1,}'])
def test_what_is_no_json_is_refused(text: str) -> None:
    with pytest.raises(jsontext.NotJson, match="not valid JSON"):
        jsontext.put(text, PATH, 1)


@pytest.mark.parametrize("text", ["[]", '{"ours": 3}', "7", "[" * 100_000 + "]" * 100_000])
def test_a_file_of_another_shape_is_refused(text: str) -> None:
    with pytest.raises(jsontext.NotJson):
        jsontext.put(text, PATH, 1)


def test_a_member_in_the_middle_leaves_its_neighbours() -> None:
    text = '{ "a": 1, "b": {"x": [1, "}"]}, "c": 3 }'

    assert jsontext.drop(text, ("b",)) == '{ "a": 1, "c": 3 }'
    assert jsontext.drop(text, ("a",)) == '{ "b": {"x": [1, "}"]}, "c": 3 }'
    assert jsontext.drop(text, ("z",)) == text
