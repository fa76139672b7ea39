"""The models a data folder has been set up with, loaded when first asked for. Nothing heavy is imported before."""

from __future__ import annotations

import importlib.util
import math
import os
import threading
from collections import Counter, OrderedDict
from collections.abc import Callable
from typing import TYPE_CHECKING, TypeVar

from agentmemory.model import settings as settings_file
from agentmemory.model.engine import INSTALL, Closed, Embeds, Engine, EngineError, NotInstalled
from agentmemory.model.settings import DEFAULT, FAKE, FILE, Settings

if TYPE_CHECKING:
    from agentmemory.model.encoder import Encoder

T = TypeVar("T")
CLOSED = "the server is shutting down"


class UnknownModel(EngineError):
    """No model has this name here."""


class Models:
    """Engines by name. At most `settings.loaded` local ones are in memory; the least recently used goes."""

    def __init__(self, home: str, settings: Settings, engines: dict[str, Engine] | None = None) -> None:
        self.home, self.settings = home, settings
        self._given = dict(engines or {})
        self._loaded: OrderedDict[str, Engine] = OrderedDict()
        self._room = settings.loaded  # local models that may be loaded without another one's going
        self._users: Counter[Engine] = Counter()  # who has an engine in hand and may be about to ask it
        self._changed = threading.Condition()
        self._loading: dict[str, threading.Lock] = {}
        self._encodes: Encoder | None = None
        self._encoding = threading.Lock()
        self._closed = False

    @classmethod
    def of_home(cls, home: str) -> Models:
        """As `sidecar.toml` and the environment say. Raises BadSettings."""
        return cls(home, settings_file.read(home))

    @property
    def names(self) -> list[str]:
        """Every model that can be asked for, the default one first."""
        remote = [self.settings.remote_model] if self.settings.remote_model else []
        return [*self._given, *self.settings.models, *remote]

    def get(self, name: str = "") -> Engine:
        """The engine of a model; "" and "default" are the first one. Loading one holds up only who wants it.

        Raises:
            UnknownModel, NotInstalled, EngineError: with a sentence for the caller.
        """
        return self.ask(name, lambda engine: engine)

    def ask(self, name: str, verb: Callable[[Engine], T]) -> T:
        """What *verb* makes of a model's engine, which no other model replaces before that. Raises as `get` does."""
        with self._changed:
            name = self.known(name)
            loading = self._loading.setdefault(name, threading.Lock())
        with loading:
            engine = self._held(name) or self._loaded_now(name)
        try:
            return verb(engine)
        finally:
            with self._changed:
                self._users[engine] -= 1
                self._changed.notify_all()

    def known(self, name: str) -> str:
        """The name of the model that *name* asks for, as in `names`. Raises UnknownModel, or Closed."""
        if self._closed:
            raise Closed(CLOSED)
        if not self.names:
            raise UnknownModel(f"no model is set: name one in {os.path.join(self.home, FILE)}")
        name = self.names[0] if name in ("", DEFAULT) else name
        if name not in self.names:
            raise UnknownModel(f"there is no model {name!r} here; there is {', '.join(self.names)}")
        return name

    def embedding(self) -> Embeds:
        """What embeds: a model of this folder, a sentence encoder, else a model of the remote engine by its name there.

        Raises:
            EngineError: as `get` does.
        """
        name = self.settings.embedding
        if self.settings.encoder:
            return self.encoder(fetch=True)
        if name in self.names or not self.settings.remote_url:
            return self.get(name)
        from agentmemory.model.remote import RemoteEngine

        return RemoteEngine(self.settings.remote_url, name, self.settings.remote_key)

    def open_engines(self) -> list[Engine]:
        """What is in memory now."""
        with self._changed:
            return [*self._given.values(), *self._loaded.values()]

    def close(self) -> None:
        """Let every engine finish and write what it keeps."""
        with self._changed:
            self._closed = True
            engines = self.open_engines()
            self._changed.notify_all()
        for engine in engines:
            engine.close()

    def encoder(self, fetch: bool = False) -> Encoder:
        """The sentence encoder that is named, in memory from now on; *fetch*: it may be had from the hub.

        Raises:
            NotInstalled, EngineError: with a sentence for the caller.
        """
        from agentmemory.model import encoder
        from agentmemory.model.folder import folder_of

        with self._encoding:
            if self._encodes is None:
                encoder.require()
                name = self.settings.encoder
                self._encodes = encoder.Encoder(folder_of(name, encoder.WANTED, fetch), name)
            return self._encodes

    def _open(self, name: str) -> Engine:
        if name not in self.settings.models:
            from agentmemory.model.remote import RemoteEngine

            return RemoteEngine(self.settings.remote_url, self.settings.remote_model, self.settings.remote_key)
        if self.settings.models[name] == FAKE:
            from agentmemory.model.fake import FakeEngine

            return FakeEngine(name)
        require()
        from agentmemory.model.mlx_engine import MlxEngine

        return MlxEngine(self.settings.models[name], self.home, self.settings, name)

    def _held(self, name: str) -> Engine | None:
        """An engine that is in memory, with one more user."""
        with self._changed:
            if name in self._loaded:
                self._loaded.move_to_end(name)
            engine = self._given.get(name) or self._loaded.get(name)
            if engine is not None:
                self._users[engine] += 1
            return engine

    def _loaded_now(self, name: str) -> Engine:
        """An engine that was not in memory, with its first user."""
        local = name in self.settings.models
        if local:
            self._make_room()
        try:
            engine = self._open(name)
        except BaseException:
            with self._changed:
                self._room += local
                self._changed.notify_all()
            raise
        with self._changed:
            if not self._closed:
                self._loaded[name] = engine
                self._users[engine] += 1
                return engine
        engine.close()
        raise Closed(CLOSED)

    def _make_room(self) -> None:
        """Wait until one more local model may be in memory; the least recently used one goes for it, unhurried."""
        with self._changed:
            while not self._room and not (local := [n for n in self._loaded if n in self.settings.models]):
                if self._closed:
                    raise Closed(CLOSED)
                self._changed.wait()
            if self._room:
                self._room -= 1
                return
            old = self._loaded.pop(local[0])
            while self._users[old]:
                self._changed.wait()
            del self._users[old]
        old.close(math.inf)


def require() -> None:
    """Raises NotInstalled when the packages of a local model are missing."""
    for package in ("mlx", "mlx_lm"):
        if importlib.util.find_spec(package) is None:
            raise NotInstalled(INSTALL)
    try:
        import mlx.core  # noqa: F401
    except ImportError as e:  # on Linux plain mlx has no arithmetic of its own
        raise NotInstalled(f"{INSTALL} ({e})") from e
