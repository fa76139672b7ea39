"""What a transcript gives: the words of the person and of the assistant, and nothing that a program wrote."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from agentmemory.learn.transcripts import Heard, read
from agentmemory.typed import by_a_person


def claude(role: str, content: object, **more: object) -> str:
    line = {
        "type": role, "sessionId": "s1", "cwd": "/work/app", "timestamp": "2026-03-02T08:00:00.000Z",
        "isSidechain": False, "message": {"role": role, "content": content}, **more,
    }  # fmt: skip
    return json.dumps(line) + "\n"


def said(path: Path, offset: int = 0) -> list[tuple[str, str]]:
    return [(h.said.role, h.said.text) for h in read(str(path), offset) if h.said]


def transcript(tmp_path: Path, *lines: str) -> Path:
    path = tmp_path / "t.jsonl"
    path.write_text("".join(lines))
    return path


def test_the_words_of_both_sides_are_read_in_order(tmp_path: Path, token: str) -> None:
    path = transcript(
        tmp_path, claude("user", f"ask {token}"), claude("assistant", [{"type": "text", "text": f"say {token}"}])
    )

    assert said(path) == [("user", f"ask {token}"), ("assistant", f"say {token}")]


EDIT = {"file_path": "/work/app/src/ping.ts", "old_string": "10_000", "new_string": "interval: 25_000"}
PATCH = "*** Begin Patch\n*** Update File: src/ping.ts\n-10\n+interval: 25\n*** End Patch"


@pytest.mark.parametrize(
    "line",
    [
        claude("assistant", [{"type": "tool_use", "name": "Edit", "input": EDIT}]),
        json.dumps({"type": "response_item", "payload": {"type": "custom_tool_call", "input": PATCH}}) + "\n",
        json.dumps({"type": "response_item", "payload": {
            "type": "function_call", "name": "shell", "arguments": json.dumps({"command": ["apply_patch", PATCH]}),
        }}) + "\n",
    ],
)  # fmt: skip
def test_what_a_tool_changed_is_known_and_nobody_said_it(tmp_path: Path, line: str) -> None:
    (heard,) = read(str(transcript(tmp_path, line)))

    assert heard.said is not None and heard.said.text == ""
    assert "src/ping.ts" in heard.said.changed and "interval: 25" in heard.said.changed


@pytest.mark.parametrize("given", [None, "x", {}, {"file_path": 3}, {"file_path": None, "content": ["x"]}])
def test_a_tool_that_only_reads_changes_nothing_and_odd_calls_do_no_harm(tmp_path: Path, given: object) -> None:
    reading = claude("assistant", [{"type": "tool_use", "name": "Read", "input": EDIT}])
    calls = [{"type": "tool_use", "name": name, "input": given} for name in (given, "Write")]
    path = transcript(tmp_path, reading, claude("assistant", [{"type": "text", "text": "Now."}, *calls]))

    assert [(h.said.text, h.said.changed) for h in read(str(path)) if h.said] == [("Now.", "Write")]


def test_a_line_carries_session_folder_time_and_its_place(tmp_path: Path) -> None:
    first = claude("user", "one")
    path = transcript(tmp_path, first, claude("user", "two"))

    heard = list(read(str(path)))

    assert [(h.session, h.folder, h.client) for h in heard] == [("s1", "/work/app", "claude-code")] * 2
    assert [h.said.position for h in heard if h.said] == [0, len(first)]
    assert heard[0].said is not None and heard[0].said.at == 1772438400.0
    assert heard[-1].end == path.stat().st_size


MARKS = (
    "isMeta", "isSidechain", "isCompactSummary", "isVisibleInTranscriptOnly", "isVirtual", "textNotTyped", "handedOff",
    "queueSkipAttachments", "queueTranscriptOnly", "wakeupSource", "turnCompanion", "verifiedSlackHumanTurn",
)  # fmt: skip


@pytest.mark.parametrize("mark", MARKS)
def test_what_the_client_marks_as_not_said_is_not_said(tmp_path: Path, token: str, mark: str) -> None:
    path = transcript(tmp_path, claude("user", token, **{mark: True}), claude("user", "real"))

    assert said(path) == [("user", "real")]


def queued(prompt: object, line: dict[str, object] | None = None, **given: object) -> str:
    """How Claude Code writes down what is typed while the agent works."""
    attachment = {"type": "queued_command", "prompt": prompt, "commandMode": "prompt", **given}
    whole = {
        "type": "attachment", "attachment": attachment, "isSidechain": False, "sessionId": "s1", "cwd": "/work/app",
        "timestamp": "2026-03-02T08:00:05.000Z", "renderedRole": "system", "userType": "external",
        "rendered": [{"content": f"<system-reminder>\nThe user sent a new message: {prompt}\n</system-reminder>"}],
    }  # fmt: skip
    return json.dumps({**whole, **(line or {})}) + "\n"


@pytest.mark.parametrize(
    "more",
    [
        {"origin": {"kind": "peer", "from": "worker"}},
        {"origin": {"kind": "plugin", "name": "x"}, "promptSource": "system"},
        {"origin": {"kind": "coordinator"}},
        {"origin": "human"},
        {"promptSource": "system"},
        {"promptSource": "suggestion_accepted"},
    ],
)
def test_what_others_put_before_the_agent_is_not_said(tmp_path: Path, token: str, more: dict[str, object]) -> None:
    typed = claude("user", "typed", promptSource="typed", origin={"kind": "human"})
    path = transcript(tmp_path, claude("user", f"always {token}", **more), typed, claude("user", "old"))

    assert said(path) == [("user", "typed"), ("user", "old")]


@pytest.mark.parametrize("more", [{}, {"origin": {"kind": "human"}}, {"isMeta": False}])
def test_what_is_typed_while_the_agent_works_is_the_users_word(
    tmp_path: Path, token: str, more: dict[str, object]
) -> None:
    parts = [{"type": "text", "text": "no, never npm"}, {"type": "image"}, {"type": "text", "text": f"use {token}"}]
    path = transcript(tmp_path, claude("user", "install it"), queued(f"always {token}", **more), queued(parts, **more))

    heard = [h for h in read(str(path)) if h.said]

    assert said(path)[1:] == [("user", f"always {token}"), ("user", f"no, never npm\n\nuse {token}")]
    assert heard[1].said is not None and heard[1].said.at == 1772438405.0 and heard[1].session == "s1"


@pytest.mark.parametrize(
    "line",
    [
        queued("TOKEN", commandMode="task-notification"),
        queued("TOKEN", isMeta=True),
        queued("TOKEN", textNotTyped=True),
        queued("TOKEN", inputSource="suggestion_accepted"),
        queued("TOKEN", {"isSidechain": True}),
        queued("TOKEN", origin={"kind": "peer", "from": "worker"}),
        queued("TOKEN", {"origin": {"kind": "plugin"}}),
        queued("TOKEN", origin="human"),
        queued("<system-reminder>TOKEN</system-reminder>"),
        queued({"text": "TOKEN"}),
        queued("TOKEN", type="skill_listing"),
        queued("TOKEN", {"attachment": ["queued_command"]}),
    ],
)
def test_what_programs_queue_is_nobodys_word(tmp_path: Path, line: str) -> None:
    assert said(transcript(tmp_path, line)) == []


def test_a_tool_result_is_never_the_users_word(tmp_path: Path, token: str) -> None:
    result = [{"type": "tool_result", "tool_use_id": "x", "content": f"always use {token}"}]
    mixed = [*result, {"type": "text", "text": f"never use {token}"}]
    path = transcript(
        tmp_path,
        claude("user", result),
        claude("user", mixed),
        claude("user", f"output {token}", toolUseResult={"stdout": token}),
        claude("user", f"a skill says {token}", sourceToolUseID="toolu_1"),
    )

    assert said(path) == []


def test_a_person_may_speak_of_tool_results(tmp_path: Path) -> None:
    text = 'skip every {"type": "tool_result"} in the parser'

    assert said(transcript(tmp_path, claude("user", text))) == [("user", text)]


@pytest.mark.parametrize(
    "text",
    [
        "<command-name>/exit</command-name>\n<command-message>exit</command-message>\n<command-args></command-args>",
        "<local-command-stdout>always use TOKEN</local-command-stdout>",
        "Caveat: The messages below were generated by the user while running local commands. TOKEN",
        "This session is being continued from a previous conversation that ran out of context. TOKEN",
        "[Request interrupted by user for tool use]",
        "<system-reminder>always use TOKEN</system-reminder>",
        "<system-reminder>never closed, always use TOKEN",
        '<teammate-message teammate_id="lead" color="blue">\nalways use TOKEN\n</teammate-message>',
        '<cross-session-message from="s2">\nalways use TOKEN',
        '<channel source="chat" user="mia">always use TOKEN</channel>',
        "<bash-stdout>TOKEN</bash-stdout><bash-stderr></bash-stderr><bash-exit-code>1</bash-exit-code>",
        '<terminal name="zsh">\nalways use TOKEN\n</terminal>',
        "<tick>09:15, TOKEN</tick>",
        'Another Claude session sent a message:\n<agent-message from="x">always use TOKEN</agent-message>',
        "Stop hook feedback: always use TOKEN",
        'Stop hook blocking error from command: "lint": always use TOKEN',
        "PreToolUse:Bash hook error: [lint]: always use TOKEN",
        "SessionStart:startup hook success: always use TOKEN",
        "UserPromptSubmit hook additional context: always use TOKEN",
        "PostToolUse:Edit hook stopped continuation: TOKEN",
        "TaskCompleted hook feedback:\nalways use TOKEN",
        'API Error: 529 {"type":"error"} TOKEN',
        "API Error: Request was aborted. TOKEN",
        'Operation stopped by hook: Another session is active: "TOKEN"',
        "Base directory for this skill: /x/TOKEN",
        "== STANDING CONSTRAINTS ==\n- always use TOKEN\n\n== BACKGROUND ==\n- never TOKEN",
        "/mem:remember TOKEN",
        "<environment_context>\n<cwd>/TOKEN</cwd>\n</environment_context>",
        "# AGENTS.md instructions for /x\n\nalways use TOKEN",
        "Another language model started to solve this problem and produced a summary of its thinking. Always use TOKEN",
    ],
)
def test_what_a_program_wrote_is_nobodys_word(text: str, token: str) -> None:
    assert by_a_person(text.replace("TOKEN", token)) == ""


def test_what_is_typed_beside_a_wrapper_stays(token: str) -> None:
    text = f"<system-reminder>use x</system-reminder>use {token}\n<ide_selection>lines</ide_selection>"

    assert by_a_person(text) == f"use {token}"


def test_what_is_typed_behind_a_hash_is_a_persons_word(token: str) -> None:
    assert by_a_person(f"<user-memory-input>always use {token}</user-memory-input>") == f"always use {token}"


def test_our_own_block_is_cut_and_the_prompt_beside_it_stays(token: str) -> None:
    block = '== STANDING CONSTRAINTS ==\n- "never push"\n- "always test"\n== OPERATIONAL STATE ==\n- "host is db2"\n\n'

    assert by_a_person(f"{block}deploy {token}") == f"deploy {token}"


def test_html_and_paths_that_a_person_types_stay() -> None:
    for text in (
        "wrap it in <my-card> please",
        "/api/sync is dead now",
        "we always wrap pages in <skill-card> elements. The header colour is #112233, never blue.",
        "<stdin> is closed too early, always read it to its end",
        "<terminal> is our own element, <channel> comes from the feed",
        "<skill-card> wraps every page, </skill-card> ends it",
        "put it into a <system-reminder> block as Claude does; the header is blue",
    ):
        assert by_a_person(text) == text


@pytest.mark.parametrize(
    "text",
    [
        "Stop using the useEffect hook for data fetching, always use useQuery from our api package",
        "Stop hook errors belong into hook.log, never into the terminal",
        "PreToolUse hooks are written in Go here",
        "API Error: is what our client shows; never show raw error codes to customers",
    ],
)
def test_a_sentence_that_begins_like_a_clients_is_a_persons(text: str) -> None:
    assert by_a_person(text) == text


def test_broken_lines_unknown_types_and_bad_bytes_are_stepped_over(tmp_path: Path, token: str) -> None:
    path = tmp_path / "t.jsonl"
    path.write_bytes(
        b'{"type":"user","message":{"role":"user","content":"cut\n'
        b'{"type":"telemetry","user":1}\n'
        b"[1, 2]\n\n"
        b'{"type":"user","message":"no object"}\n'
        b'{"type":"user","message":{"role":"user","content":42}}\n'
        + claude("user", "caf\udce9 TOKEN".replace("TOKEN", token)).encode("utf-8", "surrogateescape")
        + b'{"type":"user","message":{"role":"user","content":"bad \xff byte"}}\n'
    )

    texts = [text for _, text in said(path)]

    assert len(texts) == 2 and token in texts[0] and texts[1] == "bad � byte"


def test_a_cut_last_line_waits_for_its_rest(tmp_path: Path) -> None:
    first, second = claude("user", "one"), claude("user", "two")
    path = transcript(tmp_path, first, second[:-30])

    heard = list(read(str(path)))
    assert [h.said.text for h in heard if h.said] == ["one"]
    path.write_text(first + second)

    assert said(path, heard[-1].end) == [("user", "two")]


CALL = claude("assistant", [{"type": "tool_use", "name": "x", "input": {"role": "user", "text": "always x"}}])
RESULT = claude("user", [{"type": "tool_result", "content": "ok"}], toolUseResult={"stdout": "y" * 99})


@pytest.mark.parametrize("cut", [2, 30, 90, 160, -40, -1])
@pytest.mark.parametrize("first", [claude("user", "one"), claude("assistant", "two"), CALL, RESULT])
def test_what_is_typed_after_a_crash_in_the_middle_of_a_line_is_read(tmp_path: Path, first: str, cut: int) -> None:
    parts: list[object] = [{"type": "text", "text": 'never {"npm": 1}'}, {"type": "text", "text": "use pnpm"}]
    before, typed = claude("user", "begin"), claude("user", parts)
    path = transcript(tmp_path, before, first.rstrip("\n")[:cut], typed, claude("assistant", "fine"))
    last = ("user", 'never {"npm": 1}\n\nuse pnpm')

    heard = [h for h in read(str(path)) if h.said]

    assert said(path)[0] == ("user", "begin") and said(path)[-2:] == [last, ("assistant", "fine")]
    assert len(heard) == 3 and heard[1].said is not None
    assert heard[1].said.position == len(before) + len(first.rstrip("\n")[:cut])
    assert said(path, heard[0].end) == said(path)[1:]


def test_two_whole_messages_in_one_line_are_two(tmp_path: Path) -> None:
    path = transcript(tmp_path, claude("user", "one").rstrip("\n"), claude("user", "two"), claude("user", "three"))

    heard = [h for h in read(str(path)) if h.said]

    assert [text for _, text in said(path)] == ["one", "two", "three"]
    assert [text for _, text in said(path, heard[0].end)] == ["two", "three"]


def test_what_a_tool_was_given_in_a_cut_message_is_nobodys_word(tmp_path: Path) -> None:
    cut = CALL[: CALL.index("always x") + len('always x"}')]
    path = transcript(tmp_path, claude("user", "begin"), cut + "\n", claude("user", "two"))

    assert said(path) == [("user", "begin"), ("user", "two")]


def test_a_whole_last_line_needs_no_line_break(tmp_path: Path) -> None:
    path = transcript(tmp_path, claude("user", "one"), claude("user", "two").rstrip("\n"))

    assert said(path) == [("user", "one"), ("user", "two")]


def test_reading_goes_on_from_any_offset_it_gave(tmp_path: Path) -> None:
    path = transcript(tmp_path, *(claude("user", f"turn {i}") for i in range(9)))
    whole = list(read(str(path)))

    for i, heard in enumerate(whole):
        rest: list[Heard] = list(read(str(path), heard.end))
        assert rest == whole[i + 1 :]


def test_a_line_of_ten_megabytes_is_a_line(tmp_path: Path, token: str) -> None:
    path = transcript(tmp_path, claude("user", "x" * 10_000_000 + token), claude("user", "after"))

    texts = [text for _, text in said(path)]

    assert texts[0].endswith(token) and texts[1] == "after"


def rollout(kind: str, **payload: object) -> str:
    return json.dumps({"timestamp": "2026-03-02T08:00:00Z", "type": kind, "payload": payload}) + "\n"


def message(role: str, *texts: str, whose: tuple[str, ...] = ()) -> str:
    kind = "output_text" if role == "assistant" else "input_text"
    told: dict[str, object] = {"content_item_metadata": [{"provenance": {"type": who}} for who in whose]}
    more = {"internal_chat_message_metadata_passthrough": told} if whose else {}
    content = [{"type": kind, "text": text} for text in texts]
    return rollout("response_item", type="message", role=role, content=content, **more)


def test_a_codex_rollout_names_its_session_once_and_is_read_from_the_middle(tmp_path: Path, token: str) -> None:
    head = rollout("session_meta", id="c1", cwd="/work/codex")
    head += rollout("session_meta", id="parent", cwd="/work/codex")  # a fork copies what went before
    head += message("user", "<environment_context>x</environment_context>")
    path = transcript(
        tmp_path, head, message("user", token), rollout("event_msg", type="user_message", message=token),
        message("developer", "rules"), message("assistant", "done"),
    )  # fmt: skip

    for start in (0, len(head)):
        heard = [h for h in read(str(path), start) if h.said]

        assert [(h.said.role, h.said.text) for h in heard if h.said] == [("user", token), ("assistant", "done")]
        assert {(h.session, h.folder, h.client) for h in heard} == {("c1", "/work/codex", "codex")}


def test_codex_says_whose_words_a_message_holds(tmp_path: Path, token: str) -> None:
    path = transcript(
        tmp_path, message("user", "always lint", "<odd>never test</odd>", whose=("agents_md", "harness")),
        message("user", f"no, use {token}", "from a hook", whose=("user", "harness")), message("user", "as before"),
        message("user", '<hook_prompt hook_run_id="stop:5">never stop</hook_prompt>'),
        message("user", "<user_action>\n<action>review</action>\n<results>always x</results>\n</user_action>"),
        message("user", "sum this up\n\n<stdin>\nalways use tabs\n</stdin>"),
        message("user", '<image name=[Image #1] path="/tmp/a b.png">', "</image>", "<image> it, [Image #1]"),
    )  # fmt: skip

    assert [text for _, text in said(path)] == [f"no, use {token}", "as before", "sum this up", "<image> it,"]


@pytest.mark.parametrize("more", [{"thread_source": "subagent"}, {"source": {"subagent": "review"}}])
def test_what_an_agent_asks_of_its_agents_is_nobodys_word(tmp_path: Path, more: dict[str, object]) -> None:
    head = rollout("session_meta", id="c2", cwd="/work/codex", **more) + rollout("session_meta", id="c1")
    path = transcript(tmp_path, head, message("user", "always use tabs", whose=("user",)), message("assistant", "ok"))

    assert said(path) == [] and said(path, len(head)) == []


def test_plain_lines_are_read_too(tmp_path: Path, token: str) -> None:
    path = transcript(tmp_path, json.dumps({"role": "user", "text": token, "at": "2026-03-02T08:00:00Z"}) + "\n")

    (heard,) = read(str(path))

    assert heard.said is not None and heard.said.text == token and heard.session == str(path.resolve())
