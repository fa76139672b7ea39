"""Stop strings in a stream of text: nothing of a stop string is ever shown, nothing else is ever lost."""

from __future__ import annotations

from collections.abc import Sequence


class StopText:
    """Hold back what may become a stop string; cut at the first that does."""

    def __init__(self, stops: Sequence[str]) -> None:
        self._stops = tuple(s for s in stops if s)
        self._held = ""
        self.found = ""

    @property
    def stopped(self) -> bool:
        """A stop string has come; *found* says which."""
        return bool(self.found)

    def feed(self, text: str) -> str:
        """What may be shown now that *text* has come."""
        if self.stopped:
            return ""
        self._held += text
        # the one that ends first, so that the cut does not depend on how the text was split into pieces
        found = [(at + len(s), at) for s in self._stops if (at := self._held.find(s)) >= 0]
        if found:
            end, at = min(found)
            self.found, shown, self._held = self._held[at:end], self._held[:at], ""
            return shown
        keep = max((self._overlap(s) for s in self._stops), default=0)
        cut = len(self._held) - keep
        shown, self._held = self._held[:cut], self._held[cut:]
        return shown

    def flush(self) -> str:
        """The rest, when nothing more will come."""
        rest, self._held = self._held, ""
        return rest

    def _overlap(self, stop: str) -> int:
        """Length of the longest end of the held text that begins *stop*."""
        for n in range(min(len(stop) - 1, len(self._held)), 0, -1):
            if self._held.endswith(stop[:n]):
                return n
        return 0
