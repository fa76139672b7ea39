"""What every engine promises, held against the fake, a random MLX model and a server reached by base URL."""

from __future__ import annotations

import math
import secrets
from collections.abc import Iterator
from pathlib import Path

import pytest

from agentmemory.model.engine import BadPrompt, Engine, EngineError, Prompt, PromptTooLong, Sampling, Segment, collect
from agentmemory.model.models import Models
from tests.model.conftest import SETTINGS, Folder, chat, words
from tests.model.standin import StandIn

KINDS = {"fake": "FakeEngine", "mlx": "MlxEngine", "remote": "RemoteEngine"}
LOCAL = 'model = "{}"\ndisk_gib = 1\nfree_gib = 0\nkeep_days = 10000\nstep = 32\n'
REMOTE = '[remote]\nbase_url = "{}"\nmodel = "stand-in"\napi_key = "{}"\n'
SHORT = Sampling(max_tokens=12)


@pytest.fixture(params=KINDS)
def models(request: pytest.FixtureRequest, model_folder: Folder, tmp_path: Path) -> Iterator[Models]:
    """The models of a data folder whose `sidecar.toml` names one of each kind."""
    with StandIn() as server:
        match request.param:
            case "fake":
                config = LOCAL.format("fake")
            case "mlx":
                config = LOCAL.format(model_folder())
            case _:
                config = REMOTE.format(server.url, server.key)
        (tmp_path / "sidecar.toml").write_text(config)
        found = Models.of_home(str(tmp_path))
        yield found
        found.close()


@pytest.fixture
def engine(models: Models) -> Engine:
    return models.get()


def test_the_configuration_chooses_the_engine(request: pytest.FixtureRequest, engine: Engine) -> None:
    assert type(engine).__name__ == KINDS[request.node.callspec.params["models"]]


def test_an_answer_is_its_streamed_pieces(engine: Engine) -> None:
    whole = engine.generate(chat(), SHORT)
    pieces = list(engine.stream(chat(), SHORT))
    assert "".join(p.text for p in pieces) == whole.text
    assert [bool(p.finish) for p in pieces] == [False] * (len(pieces) - 1) + [True]
    assert pieces[-1].finish == whole.finish


def test_a_greedy_answer_is_the_same_twice_and_depends_on_the_question(engine: Engine) -> None:
    answers = {engine.generate(chat(query=q), SHORT).text for q in ("one", "two", "three")}
    assert len(answers) > 1
    assert engine.generate(chat(query="one"), SHORT).text == engine.generate(chat(query="one"), SHORT).text


def test_a_batch_answers_in_order_what_each_asks_alone(engine: Engine) -> None:
    prompts = [chat(query=q, turns=q) for q in range(4)]
    alone = [engine.generate(p, SHORT).text for p in prompts]
    assert [c.text for c in engine.batch(prompts, SHORT)] == alone


def test_an_answer_is_as_long_as_allowed_and_says_so(engine: Engine) -> None:
    made = engine.generate(chat(), Sampling(max_tokens=3))
    assert (made.finish, made.usage.completion) == ("length", 3)
    assert made.usage.prompt > 100


def test_nothing_of_a_stop_string_is_shown(engine: Engine) -> None:
    free = engine.generate(chat(), Sampling(max_tokens=20)).text
    stop = free[len(free) // 2 :][:3]
    pieces = list(engine.stream(chat(), Sampling(max_tokens=20, stop=(stop,))))
    assert "".join(p.text for p in pieces) == free[: free.index(stop)]
    assert pieces[-1].finish == "stop"


def test_the_same_seed_draws_the_same_answer(engine: Engine) -> None:
    def drawn(seed: int) -> str:
        return engine.generate(chat(), Sampling(max_tokens=20, temperature=1.0, seed=seed)).text

    assert drawn(7) == drawn(7)
    assert len({drawn(seed) for seed in range(4)}) > 1


def test_a_prefix_asked_again_is_cached_and_says_how_much(engine: Engine) -> None:
    token = secrets.token_hex(4)
    first = engine.generate(chat(profile=token), SHORT)
    second = engine.generate(chat(profile=token, query="other", recall="other"), SHORT)
    assert first.usage.cached < second.usage.cached < second.usage.prompt


def test_prefill_makes_the_next_request_warm(engine: Engine) -> None:
    prompt = chat(profile=secrets.token_hex(4))
    before = engine.prefill(prompt)
    assert engine.generate(prompt, SHORT).usage.cached > before.cached


def test_scores_are_log_probabilities_and_repeat(engine: Engine) -> None:
    options = ["a", "b", "z"]
    scores = engine.score(chat(), options)
    assert all(score < 0 and math.isfinite(score) for score in scores)
    assert scores == engine.score(chat(), options)


def test_embeddings_are_unit_vectors_that_tell_texts_apart(engine: Engine) -> None:
    one, other, again = engine.embed(["deploy to staging", "the answer is short", "deploy to staging"])
    assert math.isclose(sum(x * x for x in one), 1.0, rel_tol=1e-4)
    assert len(one) == len(other)
    assert one == pytest.approx(again)
    assert one != pytest.approx(other)


def test_what_a_prompt_will_cost_is_known_before_and_what_vectors_cost_with_them(engine: Engine) -> None:
    assert engine.count(chat()) == engine.generate(chat(), SHORT).usage.prompt
    texts = ["deploy to staging", words(30, 1)]
    vectors, used = engine.embedded(texts)
    assert vectors == engine.embed(texts)
    assert used.prompt == sum(engine.count(Prompt(text=text)) for text in texts)
    assert used.completion == 0


def test_a_prompt_beyond_the_context_is_refused_by_name(engine: Engine) -> None:
    with pytest.raises(PromptTooLong):
        engine.generate(Prompt(({"role": "user", "content": words(120_000, 1)},)))


def test_an_empty_prompt_is_refused(engine: Engine) -> None:
    with pytest.raises(BadPrompt):
        engine.generate(Prompt())


def test_plain_text_is_continued(engine: Engine) -> None:
    assert engine.generate(Prompt(text="the release goes"), SHORT).usage.completion > 0


def test_a_closed_stream_ends(engine: Engine) -> None:
    stream = engine.stream(chat(), Sampling(max_tokens=400))
    next(iter(stream))
    stream.close()
    assert collect(engine.stream(chat(), SHORT)).finish
    assert len(list(stream)) <= 400


def test_a_forgotten_belief_is_not_cached_any_more(engine: Engine) -> None:
    segments = (Segment("profile", words(50, "p"), (41,)), Segment("digest", words(50, "d"), (42,)))
    prompt = Prompt(({"role": "user", "content": words(30, 1)},), segments)
    engine.prefill(prompt)
    gone = engine.forget([42])
    cached = engine.prefill(prompt).cached
    engine.forget([41, 42])
    assert cached >= engine.prefill(prompt).cached or gone == 0


def test_a_stream_knows_what_its_prompt_costs_and_interrupting_nothing_harms_nothing(engine: Engine) -> None:
    stream = engine.stream(chat(), SHORT)
    pieces = list(stream)
    used = pieces[-1].usage
    assert used is not None
    assert stream.known.prompt in (0, used.prompt), "0 where only the end tells"
    engine.interrupt()
    assert engine.generate(chat(), SHORT).finish


def test_answers_of_a_batch_name_their_usage_and_their_stop(engine: Engine) -> None:
    made = engine.batch([chat(query=q) for q in range(3)], SHORT)
    assert [m.usage.completion for m in made] == [12] * 3
    assert all(m.usage.prompt > 100 and m.finish == "length" and m.stop == "" for m in made)


def test_a_closed_engine_refuses_in_a_sentence(engine: Engine) -> None:
    engine.close()
    with pytest.raises(EngineError):
        engine.generate(chat(), SHORT)


def test_a_folder_that_is_no_model_is_refused_in_a_sentence(tmp_path: Path, model_folder: Folder) -> None:
    model_folder()  # skips without the extra
    from agentmemory.model.mlx_engine import MlxEngine

    (tmp_path / "empty").mkdir()
    for wrong in (str(tmp_path / "empty"), str(tmp_path / "missing")):
        with pytest.raises(EngineError, match="model"):
            MlxEngine(wrong, str(tmp_path), SETTINGS)


def test_what_a_remote_server_sends_in_parts_is_their_text() -> None:
    from agentmemory.model.remote import _said

    thought = {"type": "thinking", "thinking": [{"type": "text", "text": "hm"}]}
    assert _said([thought, {"type": "text", "text": "In "}, {"type": "text", "text": "Turin."}]) == "In Turin."
    assert (_said(None), _said("half \ud83d of it")) == ("", "half ? of it")
    with pytest.raises(TypeError, match="no text"):
        _said(42)
