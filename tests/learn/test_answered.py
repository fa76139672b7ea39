"""What an agent answers tells whether it was told something that lasts, what that changes, and what it is about."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from agentmemory.learn import answered, cues, lasting, topics
from agentmemory.learn.candidates import candidates
from agentmemory.learn.digest import digest
from agentmemory.store import listing, writer
from agentmemory.values import Candidate, Utterance

TAKEN = "Understood. Changed in the two files that still did it:\n```diff\n-old\n+new\n```"
TALK = "I'd say it's a matter of taste. Would you like me to explain what the options are?"
BEFORE = (("assistant", "I put the helper into utils and called it from both pages."),)


def heard(text: str, reply: str = "") -> list[Candidate]:
    return candidates(Utterance(1, "user", text, 1.0), BEFORE, reply=reply)


def test_an_agent_that_changes_files_was_told_something_that_lasts() -> None:
    assert answered.lasting(TALK) < 0.0 < answered.lasting(TAKEN)
    assert answered.changing(TALK) < answered.changing("The old client is gone, the new one reads from the same table.")


@pytest.mark.parametrize("reply", ["", " \n", "```\ncode alone\n```", "?" * 5_000, "ありがとう", "\x00`"])
def test_odd_answers_do_no_harm(reply: str) -> None:
    for odds in (answered.lasting(reply), answered.changing(reply)):
        assert -answered.MOST <= odds <= answered.MOST
    assert answered.lasting("") == answered.changing("") == 0.0


def test_what_an_answer_takes_up_of_a_sentence_is_counted(token: str) -> None:
    of = answered.echoes(f"then {token}_lib, 40 seconds at most", f"{token}_lib runs.\n```\nlimit = 40\n```")

    assert of["met answer"] > 0.0 and of["value answer"] == of["value code"] == 1.0
    assert answered.echoes(f"then {token}_lib", "Shall I go on?")["value answer"] == 0.0
    assert answered.echoes(f"then {token}_lib", "")["answered"] == 0.0


def test_what_the_agent_says_of_it_finds_a_statement_without_being_it(token: str) -> None:
    (found,) = heard("no, tiles always come from stadia", f"The map provider is {token} now:\n```\nhidden\n```")

    assert token in found.keywords and "provider" in found.keywords and "hidden" in found.keywords
    assert found.text == "no, tiles always come from stadia"


@pytest.mark.parametrize(
    "said",
    [
        "that file only serves the simulator. what is really booked is computed in PKG_{}, you are not the first.",
        "in the log i find a name. neither names nor diagnoses go into a log of {}; the number is all we write.",
    ],
)
def test_what_looks_like_a_question_or_hearsay_is_kept_where_the_agent_acts_on_it(said: str, token: str) -> None:
    kept = [each.text for each in heard(said.format(token), TAKEN) if not each.tentative]

    assert token in " ".join(kept)


def test_the_same_words_are_not_kept_where_it_only_talks_of_them(token: str) -> None:
    said = (
        f"that file only serves the simulator. what is really booked is computed in PKG_{token}, you are not the first."
    )

    assert heard(said, TAKEN) and heard(said, TALK) == []


def test_a_value_that_is_said_like_a_task_counts_where_it_changes_what_is_known(tmp_path: Path, token: str) -> None:
    db = writer.open_store(str(tmp_path / "home"))
    for day, (user, reply) in enumerate(
        [
            (f"no, wrong. a {token} ping every 10 sec is what dispatch needs, never more often.", TAKEN),
            (
                f"guard it and send it. and while you are there make the {token} ping 25 sec, they can live with it",
                TAKEN,
            ),
            ("what does a ping of 25 sec cost", TALK),
        ]
    ):
        path = tmp_path / f"{day}.jsonl"
        turns = [("user", "go on"), ("assistant", "I set the ping."), ("user", user), ("assistant", reply)]
        at = 1.8e9 + day * 86_400.0
        lines = (
            json.dumps({"role": r, "text": t, "at": at + i, "session": str(day)}) + "\n"
            for i, (r, t) in enumerate(turns)
        )
        path.write_text("".join(lines))
        digest(db, str(path), at + 60.0)
    held = [str(each["text"]) for each in listing.export(db)]
    db.close()

    assert any("25 sec" in text for text in held) and not any("cost" in text for text in held)


def test_what_a_tool_changed_in_answer_stands_with_the_statement(tmp_path: Path, token: str) -> None:
    edit = {"file_path": f"src/{token}.ts", "old_string": "a", "new_string": "const interval = 25"}
    lines = [
        ("user", "how does the app send positions"), ("assistant", "Every ten seconds, from a timer."),
        ("user", "no, that is wrong. positions are sent every 25 sec, always, because of the battery."),
        ("assistant", [{"type": "tool_use", "name": "Edit", "input": edit}]),
        ("assistant", [{"type": "text", "text": "Changed."}]),
    ]  # fmt: skip
    path = tmp_path / "t.jsonl"
    path.write_text(
        "".join(
            json.dumps(
                {"type": role, "sessionId": "s", "cwd": str(tmp_path), "message": {"role": role, "content": said}}
            )
            + "\n"
            for role, said in lines
        )
    )
    db = writer.open_store(str(tmp_path / "home"))
    report = digest(db, str(path), 1.8e9)
    (held,) = list(listing.export(db))
    db.close()

    assert report.turns == 4
    assert token in str(held["keywords"]) and "interval" in str(held["keywords"])


def test_all_that_a_correction_says_is_of_it(token: str) -> None:
    said = f"no, never keep {token} in the session. the cookie has it, only there, signed"

    assert "the cookie has it, only there, signed" in " ".join(each.text for each in heard(said, TAKEN))


def test_the_answers_of_several_lines_are_one_and_end_where_the_user_speaks(tmp_path: Path, token: str) -> None:
    said = [
        ("user", f"from now on invoices of {token} go out as pdf"),
        ("assistant", "Let me look."),
        ("assistant", "The mailer renders attachments already."),
        ("user", "thanks"),
        ("assistant", "Anything about zeppelins?"),
    ]
    path = tmp_path / "t.jsonl"
    path.write_text(
        "".join(json.dumps({"role": r, "text": t, "at": 1.8e9 + i}) + "\n" for i, (r, t) in enumerate(said))
    )
    db = writer.open_store(str(tmp_path / "home"))
    digest(db, str(path), 1.8e9 + 60)
    (held,) = list(listing.export(db))
    db.close()

    assert "mailer" in str(held["keywords"]) and "zeppelins" not in str(held["keywords"])


@pytest.mark.parametrize(
    ("answer", "question"),
    [
        ("Done. Should I also change src/grade.rs for skirts?", "Should I also change src/grade.rs for skirts?"),
        ("Shall `a?.b` stay in v1.2 as it is? Tell me.", "Shall `a?.b` stay in v1.2 as it is?"),
        ("I replaced three calls of `unwrap()` by `?`.", ""),
        ("Replaced. Which provider\nshould all of the orders use?", "should all of the orders use?"),
    ],
)
def test_the_question_that_a_statement_answers_is_kept_whole(answer: str, question: str) -> None:
    assert topics.question(answer) == question


@pytest.mark.parametrize(
    ("said", "reply", "takes_back"),
    [
        ("Hmm, both stacks is too much. We leave it.", "Reverted, the summary is a normal controller.", True),
        ("mmm no, back to the brown of before", "Back to brown.", True),
        ("no, back to the brown of before?", "Back to brown.", False),
        ("Hmm, both stacks is too much. We leave it.", "I would keep both. Shall I measure it?", False),
        ("what does the second stack cost us in memory", "Restored the page that measures it.", False),
    ],
)
def test_what_an_answer_says_to_be_undone_is_taken_back(said: str, reply: str, takes_back: bool) -> None:
    assert any(c.retracts for c in heard(said, reply)) is takes_back


def test_what_is_undone_and_put_right_at_once_is_no_retraction(token: str) -> None:
    said = f"no, that file is only for the demo, undo it. Grades always come from app/{token}.php, never from there"

    found = heard(said, "Undone. In the service the boundaries are right.")

    assert any(token in c.text for c in found) and not any(c.retracts for c in found)


@pytest.mark.parametrize(
    ("said", "mark"),
    [
        ("for my school robotics thing we use python and black", "elsewhere"),
        ("in slugfest (our jam game) everything sits in one file", "elsewhere"),
        ("my cousin has a startup that runs everything on firebase", "elsewhere"),
        ("the lot downstairs use postgres for it", "elsewhere"),
        ("the readme says npm, that page is two years old", "dismissed"),
        ("don't get led astray by the wiki", "dismissed"),
        ("one colleague always prints double-sided, it is not a requirement for us", "dismissed"),
        ("ignore week 5, only this candidate", "one_off"),
        ("were the ministry ever to pay for it, we would want a second site", "hypothetical"),
        ("it's neither here nor there until october", "undecided"),
    ],
)
def test_what_is_not_of_this_project_or_not_meant_is_marked(said: str, mark: str) -> None:
    assert mark in cues.marks(cues.plain(said))


@pytest.mark.parametrize(
    "said",
    [
        "never trust what the client sends, check it on the server",
        "if the deploy ever fails, roll back at once",
        "different customers get different schemas",
        "in my opinion tests belong next to the code, always",
        "do not follow redirects in the crawler",
    ],
)
def test_rules_that_sound_like_it_are_not_marked(said: str) -> None:
    marks = cues.marks(cues.plain(said))

    assert marks.isdisjoint(("elsewhere", "dismissed", "one_off", "hypothetical", "undecided"))


@pytest.mark.parametrize(("likely", "kept"), [(0.4, False), (0.6, True)])
def test_what_speaks_of_another_project_is_kept_where_it_is_likelier_than_not_to_last(
    monkeypatch: pytest.MonkeyPatch, token: str, likely: float, kept: bool
) -> None:
    monkeypatch.setattr(lasting, "likelihoods", lambda found, *_: [likely for _ in found.rated])

    for said, stands in (
        (f"our jam game has all of {token} in one file", kept),
        (f"all of {token} is in one file", True),
    ):
        assert any(token in c.text for c in heard(said, TAKEN)) is stands


@pytest.mark.parametrize(
    ("reply", "notes"),
    [
        ("Noted.", True), ("Understood, done.", True), ("OK, I will keep to it.", True), ("Done.", True),
        ("250 ms.", False), ("Updated database.yml.", False), ("Set to 300 s.", False), ("", True),
        ("```diff\n-transit: one\n+transit: other\n```", False), ("Done.\n```edited\na.md\n```", True),
    ],
)  # fmt: skip
def test_an_answer_that_only_takes_note_tells_nothing_of_what_was_done(reply: str, notes: bool) -> None:
    assert answered.only_notes(reply) is notes


@pytest.mark.parametrize(
    ("reply", "promises"),
    [
        ("Got it. I'll keep that in mind.", True), ("Understood, I'll remember that.", True),
        ("Okay, from now on I'll use pnpm.", True), ("I will write them in English going forward.", True),
        ("Das werde ich beachten.", True), ("I'll remember to run the tests.", False), ("Done.", False),
        ("Thanks, I'll write all tests like that.", True), ("Amended. I'll keep titles short.", True),
        ("OK, I'll always commit in small steps.", True), ("I'll follow that pattern for handlers.", True),
        ("Perfecto, seguiré ese patrón.", True), ("Je garderai ce modèle.", True),
        ("Ich schreibe künftig alle Tests so.", True), ("I'll run all tests like this: `pnpm test`.", False),
        ("I'll use the template of the footer.", False), ("I'll leave the rest like this for now.", False),
        ("I'll keep the old file.", False), ("", False),
    ],
)  # fmt: skip
def test_an_answer_that_says_it_will_be_kept_to_is_a_promise(reply: str, promises: bool) -> None:
    assert answered.promises(reply) is promises


@pytest.mark.parametrize(
    "said", ["Anna owns the {a} service", "indent {a} with 4 spaces", "PRs to {a} need two approvals"]
)
def test_what_the_agent_promises_to_keep_to_is_held(token: str, said: str) -> None:
    assert [c.text for c in heard(said.format(a=token), "Understood. I'll keep that in mind.")] == [
        said.format(a=token)
    ]
    assert not heard(f"can you rename {token} to x{token}?", "Renamed. I'll keep the old name in mind for the docs.")


@pytest.mark.parametrize(
    "reply", ["Got it.", "Will do. I ran them: 140 passed.", "Okay, I changed two files and the README.", ""]
)
def test_how_the_agent_shall_ask_is_a_rule_whatever_it_answers(token: str, reply: str) -> None:
    for said in (
        f"ask me before you touch the {token} db", f"please check with me before deleting any {token} file",
        f"ask before you delete a {token} branch", f"ask first before deleting {token} files",
        f"never ask me before running the {token} tests", f"always ask me before you deploy {token}",
    ):  # fmt: skip
        assert [(c.kind, c.text) for c in heard(said, reply)] == [("rule", said)]
    for said in (
        f"did you ask me before pushing {token}?",
        f"ask me before you merge this {token} one",
        f"ask before you merge this {token} one",
    ):
        assert not heard(said, reply)
