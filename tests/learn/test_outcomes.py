"""What became of an injected belief, judged from the session that followed."""

import json

import pytest

from agentmemory.learn import health, outcomes
from agentmemory.learn.revise import revise
from agentmemory.store import beliefs, forget, guards, jobs, turns, writer
from agentmemory.store import outcomes as rows
from agentmemory.values import Candidate, Utterance

RULE = "Never push to github by hand, use scripts/publish-to-github.sh"
INJECT = "INSERT INTO injection (session, belief, at, tokens) VALUES (?, ?, ?, 20)"


def hold(db, text, kind="rule", at=1.0):
    with writer.transaction(db):
        return revise(db, Candidate(kind=kind, text=text, scope=1, at=at), at).id


def inject(db, session, belief, at=100.0):
    with writer.transaction(db):
        turns.session(db, session, 1, at)
        db.execute(INJECT, (session, belief, at))


def say(db, session, *said, at=110.0):
    with writer.transaction(db):
        row = turns.session(db, session, 1, at)
        first = len(rows.said(db, session))
        heard = [Utterance(first + i, role, text, at + i) for i, (role, text) in enumerate(said)]
        return turns.add(db, row, heard)


def ran(command, at="1970-01-01T00:02:00Z"):
    return {"tool_name": "Bash", "tool_input": {"command": command}, "timestamp": at}


def judge(db, session, *calls):
    weighed = outcomes.weigh(db, session, calls)
    with writer.transaction(db):
        return outcomes.judge(db, session, weighed, 200.0)


def outcome(db, session, *calls):
    (one,) = judge(db, session, *calls)
    return one.outcome


@pytest.fixture
def rule(db):
    belief = hold(db, RULE)
    inject(db, "s", belief)
    say(db, "s", ("user", "publish the new version"), ("assistant", "On it."))
    return belief


def test_an_agent_that_takes_the_prescribed_way_heeded(db, rule):
    assert outcome(db, "s", ran("bash scripts/publish-to-github.sh")) == "heeded"


def test_an_agent_that_does_what_is_forbidden_ignored(db, rule):
    assert outcome(db, "s", ran("git push git@github.com:a/b.git main")) == "ignored"


def test_an_agent_that_could_have_and_did_not_heeded(db, rule):
    assert outcome(db, "s", ran("git push origin topic")) == "heeded"


def test_what_happened_before_it_was_known_does_not_count(db, rule):
    assert outcome(db, "s", ran("git push github main", "1970-01-01T00:00:30Z")) == "unused"


def test_a_session_about_something_else_leaves_it_unused(db, rule):
    assert outcome(db, "s", ran("ls -la")) == "unused"


def test_a_user_who_has_to_say_it_again_is_a_recurrence(db, rule):
    (turn,) = say(db, "s", ("user", RULE), at=150.0)
    with writer.transaction(db):
        revise(db, Candidate(kind="rule", text=RULE, scope=1, at=150.0, turn=turn), 150.0)

    assert outcome(db, "s", ran("git push github")) == "recurred"


def test_a_user_who_says_otherwise_contradicts_it(db):
    belief = hold(db, "The billing API listens on port 8443.", kind="fact")
    inject(db, "s", belief)
    (turn,) = say(db, "s", ("user", "no, the billing API listens on port 9443 now"))
    with writer.transaction(db):
        new = Candidate(
            kind="correction",
            text="The billing API listens on port 9443.",
            scope=1,
            at=110.0,
            turn=turn,
            supersedes=(belief,),
        )
        revise(db, new, 110.0)

    assert outcome(db, "s") == "contradicted"


def test_a_fact_whose_value_the_agent_used_was_heeded(db, token):
    belief = hold(db, f"The queue is called jobs-{token}.", kind="fact")
    inject(db, "s", belief)
    say(db, "s", ("user", "drain the queue"), ("assistant", "done"))

    assert outcome(db, "s", ran(f"rabbitmqctl purge_queue jobs-{token}")) == "heeded"
    inject(db, "s2", hold(db, f"The queue file is conf/{token}.yaml.", kind="fact"))
    say(db, "s2", ("user", "drain the queue"), ("assistant", f"I read conf/{token}.yaml first."))
    assert outcome(db, "s2") == "heeded"


def test_heeding_makes_a_belief_surer_and_ignoring_less_sure(db):
    belief = hold(db, "Never force push.", kind="preference")
    start = beliefs.get(db, belief)
    inject(db, "a", belief)
    judge(db, "a", ran("git push origin x"))
    surer = beliefs.get(db, belief)
    inject(db, "b", belief)
    judge(db, "b", ran("git push -f"))
    less = beliefs.get(db, belief)

    assert surer.alpha > start.alpha and surer.beta <= start.beta
    assert less.beta > surer.beta


def test_a_judged_injection_is_judged_once(db, rule):
    judge(db, "s", ran("git push origin x"))

    assert judge(db, "s", ran("git push origin x")) == []


def test_a_mistake_that_comes_back_proposes_a_guard_that_rests(db):
    belief = hold(db, RULE)
    for session in ("one", "two"):
        assert guards.listed(db, belief) == []
        inject(db, session, belief)
        judge(db, session, ran("git push github main"))

    (proposed,) = guards.listed(db, belief)
    assert not proposed.enabled
    report = health.report(db, (1,))
    assert report["recurring"][0]["id"] == belief
    assert report["recurring"][0]["guards"] == [proposed.id]


def test_a_belief_that_never_bears_fades_from_prompts_and_a_rule_does_not(db):
    fact = hold(db, "The office plant is called Ferdinand.", kind="fact")
    rule = hold(db, "Never force push.")
    for i in range(outcomes.FADE_SESSIONS):
        for belief in (fact, rule):
            inject(db, f"s{i}", belief)
        judge(db, f"s{i}", ran("ls"))

    assert beliefs.get(db, fact).state == "archived"
    assert beliefs.get(db, rule).state == "active"


def test_what_the_user_locked_does_not_fade(db):
    fact = hold(db, "The office plant is called Ferdinand.", kind="fact")
    with writer.transaction(db):
        beliefs.set_locked(db, fact, True, 1.0)
    for i in range(outcomes.FADE_SESSIONS):
        inject(db, f"s{i}", fact)
        judge(db, f"s{i}", ran("ls"))

    assert beliefs.get(db, fact).state == "active"


def test_a_belief_that_bore_once_does_not_fade(db):
    fact = hold(db, "Settings are in conf/app.toml.", kind="fact")
    for i in range(outcomes.FADE_SESSIONS + 2):
        inject(db, f"s{i}", fact)
        judge(db, f"s{i}", ran("cat conf/app.toml" if i == 3 else "ls"))

    assert beliefs.get(db, fact).state == "active"


def test_a_fact_that_answers_tell_was_of_use_whatever_its_words(db, token):
    facts = {
        hold(db, f"The staging cluster is called {token}.", kind="fact"): ("what is staging called?", f"{token}."),
        hold(db, f"Releases are approved by Maria {token}.", kind="fact"): (
            "who approves our releases?", f"Let me see.\n{token.capitalize()} approves them.",
        ),
    }  # fmt: skip
    for fact, said in facts.items():
        for i in range(outcomes.FADE_SESSIONS + 1):
            inject(db, f"{fact} {i}", fact)
            say(db, f"{fact} {i}", ("user", said[0]), ("assistant", said[1]))
            assert outcome(db, f"{fact} {i}") == "heeded"
        assert beliefs.get(db, fact).state == "active"


@pytest.mark.parametrize(
    ("user", "agent"),
    [
        ("what is staging called? is it still {t}?", "Yes, {t}."),  # it repeats what the user said
        ("rename the staging branch", "Renamed."),
        ("drop the column", "The {t} table has no such column, so the migration does nothing."),  # something else
    ],
)
def test_an_answer_that_does_not_tell_a_fact_leaves_it_unused(db, token, user, agent):
    inject(db, "s", hold(db, f"The staging cluster is called {token}.", kind="fact"))
    say(db, "s", ("user", user.format(t=token)), ("assistant", agent.format(t=token)))

    assert outcome(db, "s") == "unused"


def test_words_of_an_answer_are_no_sign_that_a_rule_was_heeded(db):
    inject(db, "s", hold(db, "Never edit generated files by hand."))
    say(db, "s", ("user", "fix the client"), ("assistant", "I had to edit two generated files by hand."))

    assert outcome(db, "s") == "unused"


def test_the_job_reads_the_transcript_and_notes_what_the_user_let_happen(db, tmp_path):
    belief = hold(db, RULE)
    inject(db, "s", belief)
    with writer.transaction(db):
        spec = '{"program": ["git"], "args": [["push"], ["github"]]}'
        guards.add(db, belief, 1, "ask", "Bash", spec, "ask first", 1.0, enabled=True)
    use = {"type": "tool_use", "id": "t1", "name": "Bash", "input": {"command": "git push github"}}
    lines = [
        {"sessionId": "s", "timestamp": "1970-01-01T00:02:00Z", "message": {"role": "assistant", "content": [use]}},
        {"sessionId": "s", "message": {"content": [{"type": "tool_result", "tool_use_id": "t1", "content": "ok"}]}},
    ]
    path = tmp_path / "t.jsonl"
    path.write_text("\n".join(map(json.dumps, lines)))
    job = jobs.Job(1, "judge", None, {"session": "s", "path": str(path)}, 0)
    outcomes.run(db, job, 200.0)
    outcomes.run(db, job, 201.0)

    assert rows.shares(db) == {"ignored": 1}
    assert guards.counts(db)[guards.OVERRIDDEN] == 1


@pytest.mark.parametrize(
    "odd",
    [
        '{"message": "of a tool_use or a \\"tool_result\\"", "a": "tool_use", "b": "tool_result"}',
        '{"message": {"content": [{"type": "tool_use", "id": [], "name": [], "input": {}}, "tool_result"]}}',
        '["tool_use", "tool_result", ' + "[" * 100_000,
    ],
    ids=["text", "parts", "deep"],
)
def test_a_transcript_with_an_odd_line_is_judged_by_the_others(db, rule, tmp_path, odd):
    with writer.transaction(db):
        guards.add(db, rule, 1, "ask", "Bash", '{"program": ["git"]}', "ask first", 1.0, enabled=True)
    use = {"type": "tool_use", "id": "t1", "name": "Bash", "input": {"command": "git push github"}}
    path = tmp_path / "t.jsonl"
    path.write_text(odd + "\n" + json.dumps({"timestamp": "1970-01-01T00:02:00Z", "message": {"content": [use]}}))

    outcomes.run(db, jobs.Job(1, "judge", None, {"session": "s", "path": str(path)}, 0), 200.0)

    assert rows.shares(db) == {"ignored": 1}


def test_others_may_write_while_a_session_is_judged(db, rule, tmp_path):
    path = tmp_path / "t.jsonl"
    use = {"type": "tool_use", "id": "t1", "name": "Bash", "input": {"command": "git push github"}}
    path.write_text(json.dumps({"timestamp": "1970-01-01T00:02:00Z", "message": {"content": [use]}}))
    held = []
    db.exec_trace = lambda _, sql, __: held.append((sql, db.in_transaction)) or True

    outcomes.run(db, jobs.Job(1, "judge", None, {"session": "s", "path": str(path)}, 0), 200.0)

    db.exec_trace = None
    assert [locked for sql, locked in held if sql in (rows.SAID, rows.WITNESSED)] == [False, False]
    assert rows.shares(db) == {"ignored": 1}


def test_what_was_forgotten_while_a_session_was_judged_stays_forgotten(db, rule):
    weighed = outcomes.weigh(db, "s")
    with writer.transaction(db):
        forget.erase(db, [rule], [])

    with writer.transaction(db):
        assert outcomes.judge(db, "s", weighed, 200.0) == []


def test_the_summary_counts_what_stats_shows(db, rule):
    judge(db, "s", ran("scripts/publish-to-github.sh"))

    assert rows.summary(db) == {"corrections": 0, "recurrences": 0, "tokens": 20, "heeded_share": 1.0}


def test_a_session_that_ends_is_judged_by_the_worker(db, home, project, tmp_path):
    from agentmemory import worker
    from agentmemory.memory import Memory
    from agentmemory.store import inbox

    with Memory() as memory:
        belief = memory.lock(RULE).id
    use = {"type": "tool_use", "id": "t1", "name": "Bash", "input": {"command": "scripts/publish-to-github.sh"}}
    lines = [
        {"type": "user", "timestamp": "2026-06-01T12:00:01Z", "message": {"role": "user", "content": "publish it"}},
        {"type": "assistant", "timestamp": "2026-06-01T12:00:02Z", "message": {"role": "assistant", "content": [use]}},
    ]
    path = tmp_path / "live.jsonl"
    path.write_text("".join(json.dumps({**line, "sessionId": "live", "cwd": str(project)}) + "\n" for line in lines))
    inbox.note_seen(str(home), "live", json.dumps({"belief": belief, "at": 1780315200.0, "tokens": 20}))
    ended = {"event": "session-end", "session_id": "live", "transcript_path": str(path), "cwd": str(project)}
    inbox.append(str(home), "2026-06-01", json.dumps({**ended, "at": 1780315300.0}))
    worker.once(str(home), sleep_seconds=0)

    assert rows.shares(db) == {"heeded": 1}


def test_what_stands_beside_the_first_prompts_of_sessions_is_still_told_when_it_is_asked_for(
    db, home, project, monkeypatch
):
    from agentmemory import worker
    from agentmemory.memory import Memory
    from tests.test_inject import block, hook, prompt

    monkeypatch.setenv("AGENTMEMORY_WORKER", "off")
    said = ("Telemetry frames are GMSK modulated.", "Our label printer is the Zebra by the door.")
    with Memory() as memory:
        beside, _ = (memory.remember(text, kind="fact").id for text in said)
    for i in range(outcomes.FADE_SESSIONS):
        given = block(hook("prompt-submit", prompt("our label printer eats paper again", project, f"s{i}")))
        assert "GMSK" in given and "Zebra" in given
        ended = {"session_id": f"s{i}", "transcript_path": "", "cwd": str(project)}
        hook("session-end", ended)
        worker.once(str(home), sleep_seconds=0)

    assert rows.shares(db) == {"unused": 2 * outcomes.FADE_SESSIONS}
    assert beliefs.get(db, beside).state == "active"
    assert "GMSK" in block(hook("prompt-submit", prompt("how are our telemetry frames modulated", project, "last")))


@pytest.mark.parametrize("kind", ["preference", "decision", "procedure", "trait"])
def test_what_the_user_wants_done_or_is_does_not_fade(db, kind):
    wanted = hold(db, "Answers come in short sentences.", kind=kind)
    for i in range(outcomes.FADE_SESSIONS + 1):
        inject(db, f"s{i}", wanted)
        judge(db, f"s{i}", ran("ls"))

    assert beliefs.get(db, wanted).state == "active"


def test_what_a_rule_wants_to_be_asked_about_is_no_mistake_when_it_is_done(db):
    inject(db, "s", hold(db, "Never push without asking me."))
    say(db, "s", ("user", "publish"), ("assistant", "May I push?"), ("user", "yes, do"), ("assistant", "Done."))

    assert outcome(db, "s", ran("git push origin main")) == "unused"


@pytest.mark.parametrize(
    ("call", "expected"),
    [
        ("curl http://localhost:18080/health", "unused"),
        ("curl http://localhost:8080/health", "heeded"),
        ("cat > a.env <<E\nPORT=1\n8080\nE", "heeded"),
    ],
)
def test_a_value_inside_a_longer_one_was_not_used(db, call, expected):
    inject(db, "s", hold(db, "the api listens on port 8080", "fact"))
    say(db, "s", ("user", "is it up?"), ("assistant", "Yes."))

    assert outcome(db, "s", ran(call)) == expected


def test_a_command_with_quotes_that_only_the_belief_holds_was_used(db):
    inject(db, "s", hold(db, 'deploy with `make ship env="blue"`', "procedure"))
    say(db, "s", ("user", "deploy"), ("assistant", "Done."))

    assert outcome(db, "s", ran('make ship env="blue"')) == "heeded"
