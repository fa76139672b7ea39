"""Whether a model can be asked, and how: sleep's only door to one. Everything in sleep works without."""

from __future__ import annotations

import atexit
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING

from agentmemory.model import settings

if TYPE_CHECKING:
    from agentmemory.model.engine import Embeds, Usage
    from agentmemory.model.models import Models
    from agentmemory.records import Near

#: texts -> unit vectors
Embed = Callable[[Sequence[str]], list[list[float]]]
ANSWER_TOKENS = 400  # a rewrite or a reply in JSON is shorter
_OPEN: dict[str, Models] = {}  # by data folder
_NEAR: dict[str, tuple[Near | None, str]] = {}


def configured(home: str) -> bool:
    """Whether a person has named a model for this data folder."""
    found = given(home)
    return bool(found.models or found.remote_model)


def given(home: str) -> settings.Settings:
    """What a person has set; nothing where that cannot be understood: whoever learns and sleeps goes on without."""
    return _read(home)[0]


def problem(home: str) -> str:
    """Why what a person has set cannot be understood, in a sentence; "" when it can."""
    return _read(home)[1]


def missing(home: str) -> Iterator[tuple[str, str]]:
    """`(name, why in a sentence)` of each local model whose folder is not here."""
    from agentmemory.model.engine import INSTALL, EngineError
    from agentmemory.model.folder import folder_of

    for name, model in given(home).models.items():
        try:
            if model != settings.FAKE:
                folder_of(model, (), fetch=False)
        except EngineError as e:
            yield name, str(e)
        except ImportError:  # the hub's client comes with the extra
            yield name, INSTALL


def asker(home: str) -> Callable[[str], str]:
    """The configured model as a function from a question to its answer; what it costs is counted.

    What stands before the first empty line is the task: it is the same for many questions and computed once. The
    function raises EngineError or OSError when the model cannot answer now, or may not (the day's allowance,
    battery, a person's request).
    """

    def ask(question: str) -> str:
        from agentmemory.model.allowance import Background, may_begin
        from agentmemory.model.engine import Prompt, Sampling

        models = engines(home)
        may_begin(home, models.settings)  # before a model is loaded for nothing
        engine = Background(models.get(), home, models.settings)
        task, _, given = question.partition("\n\n")
        system = ({"role": "system", "content": task},) if given else ()
        prompt = Prompt(messages=(*system, {"role": "user", "content": given or question}))
        done = engine.generate(prompt, Sampling(max_tokens=ANSWER_TOKENS))
        count(home, engine.name, done.usage)
        return done.text

    return ask


def embedder(home: str) -> tuple[Embed, float] | None:
    """The configured embedding as a function from texts to vectors, with its distance within a topic; None without.

    The function raises EngineError or OSError as `asker`'s does.
    """
    found = given(home)
    if not found.embedding or not found.eps:
        return None

    def embed(texts: Sequence[str]) -> list[list[float]]:
        from agentmemory.model import allowance

        models = engines(home)
        allowance.may_begin(home, models.settings)  # before a model is loaded for nothing
        return allowance.embed(models.embedding(), home, models.settings, texts)

    return embed, found.eps


def embed(home: str, encoder: Embeds, texts: Sequence[str]) -> list[list[float]]:
    """Vectors by an encoder that is in memory, as background work. Raises EngineError."""
    from agentmemory.model import allowance

    return allowance.embed(encoder, home, engines(home).settings, texts)


def encodes(home: str) -> str:
    """The sentence encoder that a person has named for this data folder, "" where none."""
    return given(home).encoder


def near(home: str) -> Near | None:
    """What compares a prompt with beliefs by their meaning, in memory from now on; None without a sentence encoder."""
    return _near(home)[0]


def near_problem(home: str) -> str:
    """Why the sentence encoder that is named does not take part, in a sentence; "" when it does or none is named."""
    return _near(home)[1]


def _read(home: str) -> tuple[settings.Settings, str]:
    try:
        return settings.read(home), ""
    except settings.BadSettings as e:
        return settings.Settings(), str(e)


def _near(home: str) -> tuple[Near | None, str]:
    if home not in _NEAR or _NEAR[home][1]:  # what was missing may be there by now
        _NEAR[home] = _opened(home)
    return _NEAR[home]


def _opened(home: str) -> tuple[Near | None, str]:
    from agentmemory.model.engine import EngineError

    try:
        if not settings.read(home).encoder:
            return None, ""
        from agentmemory.sleep.meanings import Nearness

        return Nearness(engines(home).encoder()), ""
    except (EngineError, settings.BadSettings) as e:
        return None, str(e)


def engines(home: str) -> Models:
    """The models of a data folder: a local one is loaded once a process and lets go of its memory when that ends."""
    if home not in _OPEN:
        from agentmemory.model.models import Models

        _OPEN[home] = Models.of_home(home)
        atexit.register(_OPEN[home].close)
    return _OPEN[home]


def adopt(found: Models) -> None:
    """Ask these models from now on, which this process has opened for something else."""
    _OPEN[found.home] = found


def count(home: str, model: str, usage: Usage) -> None:
    """Note what one call used, for `agentmemory usage`."""
    from agentmemory import paths
    from agentmemory.sleep import costs
    from agentmemory.store import writer

    db = writer.open_store(home)
    try:
        with writer.transaction(db):
            costs.record(db, paths.now(), model, usage.prompt, usage.completion, usage.cached)
    finally:
        db.close()
