"""How tokens are drawn: what a request asks for holds whatever the model's kind of numbers."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from agentmemory.model.engine import Prompt, Sampling, collect
from agentmemory.model.remote import RemoteEngine
from tests.model import tiny
from tests.model.conftest import SETTINGS, Folder, needs_mlx, words
from tests.model.standin import StandIn
from tests.model.test_text import TOOLS, reading

ASKED = Prompt(({"role": "user", "content": words(20, "asked")},))


@needs_mlx
@pytest.mark.parametrize("kind", ["float32", "float16", "bfloat16"])
def test_a_temperature_next_to_nothing_draws_the_likeliest(kind: str, model_folder: Folder, tmp_path: Path) -> None:
    import mlx.core as mx

    from agentmemory.model.mlx_engine import MlxEngine

    folder = shutil.copytree(model_folder(), tmp_path / kind)
    weights = {name: array.astype(getattr(mx, kind)) for name, array in mx.load(f"{folder}/model.safetensors").items()}
    mx.save_safetensors(f"{folder}/model.safetensors", weights, {"format": "mlx"})
    engine = MlxEngine(str(folder), str(tmp_path / "home"), SETTINGS)
    likeliest = engine.generate(ASKED, Sampling(max_tokens=6)).text
    coldest = [1e-4, 1e-5, 1e-7, 1e-37, 1e-40, 5e-324]
    drawn = {t: engine.generate(ASKED, Sampling(max_tokens=6, temperature=t, seed=3)).text for t in coldest}
    engine.close()
    assert drawn == dict.fromkeys(coldest, likeliest)


@needs_mlx
@pytest.mark.parametrize(("one", "handed"), [(True, ["first"]), (False, ["first", "second"])])
def test_of_several_tools_only_one_is_handed_out_on_request(
    one: bool, handed: list[str], model_folder: Folder, tmp_path: Path
) -> None:
    from agentmemory.model.decoder import Job
    from agentmemory.model.mlx_engine import MlxEngine
    from agentmemory.model.ticket import Ticket

    folder = shutil.copytree(model_folder(vocab_size=tiny.VOCAB + 8), tmp_path / "model")
    _, tokens = reading(str(folder), TOOLS, folder)
    said = "".join(f'<tool_call>{{"name": "{name}", "arguments": {{}}}}</tool_call>' for name in ("first", "second"))
    engine = MlxEngine(str(folder), str(tmp_path / "home"), SETTINGS)
    tool = {"type": "function", "function": {"name": "first", "parameters": {}}}
    job = Job(
        engine._laid(Prompt(ASKED.messages, tools=(tool,))), Sampling(one_call=one), Ticket(),
        forced=tuple(tokens.continuation(said)), tools=(tool,),
    )  # fmt: skip
    made = collect(engine._start(job))
    engine.close()
    assert [call["function"]["name"] for call in made.tool_calls] == handed


def test_a_remote_server_is_told_all_that_was_asked_and_says_what_ended_its_answer() -> None:
    tool = {"type": "function", "function": {"name": "search", "parameters": {}}}
    prompt = Prompt(({"role": "user", "content": "how do we deploy?"},), tools=(tool,))
    with StandIn() as server:
        engine = RemoteEngine(server.url, "stand-in", server.key)
        free = engine.generate(prompt, Sampling(max_tokens=20)).text
        stop = free.split()[4]
        cut = engine.generate(prompt, Sampling(20, top_k=7, min_p=0.25, stop=("zzz", stop), one_call=True))
    plain, asked = server.seen
    assert not {"top_k", "min_p", "parallel_tool_calls"} & set(plain)
    assert (asked["top_k"], asked["min_p"], asked["parallel_tool_calls"]) == (7, 0.25, False)
    assert (cut.finish, cut.stop) == ("stop", stop)
