"""When each conversation began, so that what stands before it can stay the same as long as it lasts.

A client that names its session is taken at its word; of others the first words tell which it is, because every
request repeats them. Kept as hashes and times in one file of the data folder.
"""

from __future__ import annotations

import hashlib
import json
import os
import threading
from collections.abc import Sequence

from agentmemory.model.engine import Message
from agentmemory.model.private import replace_json
from agentmemory.model.segments import FOLDER

FILE = "sessions.json"
MOST = 512
IDLE = 6 * 3600.0  # seconds; who comes back later begins anew and is told what has changed
NOTED = 600.0  # seconds; "last used" need not be finer


def opening(messages: Sequence[Message]) -> str:
    """What every request of a conversation begins with: its messages up to the user's first."""
    users = [i for i, message in enumerate(messages) if message.get("role") == "user"]
    return json.dumps(list(messages[: users[0] + 1 if users else 1]), sort_keys=True, default=str)


class Sessions:
    """The sessions of one data folder, the last used ones."""

    def __init__(self, home: str) -> None:
        self._path = os.path.join(home, FOLDER, FILE)
        self._lock = threading.Lock()

    def began(self, session: tuple[str, ...], now: float) -> float:
        """When *session* began: *now* for one that is new or was idle for long."""
        key = hashlib.blake2b(json.dumps(session).encode(), digest_size=16).hexdigest()
        with self._lock:
            known = self._read()
            began, used = known.pop(key, (now, 0.0))
            if not 0.0 <= now - used <= IDLE:
                began = now
            if began == now or now - used > NOTED:
                self._write({**known, key: (began, now)})
            return began

    def _read(self) -> dict[str, tuple[float, float]]:
        try:
            with open(self._path, encoding="utf-8") as f:
                return {str(key): (float(began), float(used)) for key, (began, used) in json.load(f).items()}
        except (OSError, ValueError, TypeError, AttributeError):
            return {}

    def _write(self, known: dict[str, tuple[float, float]]) -> None:
        last = sorted(known.items(), key=lambda item: item[1][1])[-MOST:]
        replace_json(self._path, dict(last))
