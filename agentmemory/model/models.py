"""The models a data folder has been set up with, loaded when first asked for. Nothing heavy is imported before."""

from __future__ import annotations

import importlib.util
import os
import threading
from collections import OrderedDict
from typing import TYPE_CHECKING

from agentmemory.model import settings as settings_file
from agentmemory.model.engine import INSTALL, Closed, Embeds, Engine, EngineError, NotInstalled
from agentmemory.model.settings import FAKE, FILE, Settings

if TYPE_CHECKING:
    from agentmemory.model.encoder import Encoder


class UnknownModel(EngineError):
    """No model has this name here."""


class Models:
    """Engines by name. At most `settings.loaded` local ones are in memory; the least recently used goes."""

    def __init__(self, home: str, settings: Settings, engines: dict[str, Engine] | None = None) -> None:
        self.home, self.settings = home, settings
        self._given = dict(engines or {})
        self._loaded: OrderedDict[str, Engine] = OrderedDict()
        self._lock = threading.RLock()
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
        remote = [self.settings.remote_model] if self.settings.remote_url else []
        return [*self._given, *self.settings.models, *remote]

    def get(self, name: str = "") -> Engine:
        """The engine of a model; "" and "default" are the first one. Loading one holds up only who wants it.

        Raises:
            UnknownModel, NotInstalled, EngineError: with a sentence for the caller.
        """
        with self._lock:
            name = self._known(name)
            loading = self._loading.setdefault(name, threading.Lock())
        with loading:
            with self._lock:
                if name in self._given or name in self._loaded:
                    return self._used(name)
            engine = self._open(name)
            with self._lock:
                self._loaded[name] = engine
                gone = self._over()
        for old in gone:
            old.close()
        return engine

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
        with self._lock:
            return [*self._given.values(), *self._loaded.values()]

    def close(self) -> None:
        """Let every engine finish and write what it keeps."""
        with self._lock:
            self._closed = True
            for engine in self.open_engines():
                engine.close()

    def encoder(self, fetch: bool = False) -> Encoder:
        """The sentence encoder that is named, in memory from now on; *fetch*: it may be had from the hub.

        Raises:
            NotInstalled, EngineError: with a sentence for the caller.
        """
        from agentmemory.model import encoder

        with self._encoding:
            if self._encodes is None:
                encoder.require()
                name = self.settings.encoder
                self._encodes = encoder.Encoder(encoder.folder_of(name, fetch), name)
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

    def _known(self, name: str) -> str:
        if self._closed:
            raise Closed("the server is shutting down")
        if not self.names:
            raise UnknownModel(f"no model is set: name one in {os.path.join(self.home, FILE)}")
        name = self.names[0] if name in ("", "default") else name
        if name not in self.names:
            raise UnknownModel(f"there is no model {name!r} here; there is {', '.join(self.names)}")
        return name

    def _used(self, name: str) -> Engine:
        if name in self._given:
            return self._given[name]
        self._loaded.move_to_end(name)
        return self._loaded[name]

    def _over(self) -> list[Engine]:
        """Local engines beyond the limit, least recently used first; they are forgotten here."""
        local = [n for n in self._loaded if n in self.settings.models]
        return [self._loaded.pop(n) for n in local[: max(0, len(local) - self.settings.loaded)]]


def require() -> None:
    """Raises NotInstalled when the packages of a local model are missing."""
    for package in ("mlx", "mlx_lm"):
        if importlib.util.find_spec(package) is None:
            raise NotInstalled(INSTALL)
    try:
        import mlx.core  # noqa: F401
    except ImportError as e:  # on Linux plain mlx has no arithmetic of its own
        raise NotInstalled(f"{INSTALL} ({e})") from e
