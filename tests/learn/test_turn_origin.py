"""Who opened a turn, as Claude Code names it: a schedule, another session and the client itself teach nothing."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.learn.test_transcripts import claude, queued, said, transcript


@pytest.mark.parametrize("origin", ["human", "sdk", "unknown"])
def test_a_turn_that_a_person_opens_is_the_persons(tmp_path: Path, token: str, origin: str) -> None:
    path = transcript(tmp_path, claude("user", f"use {token}", turnOrigin=origin, promptSource="typed"))

    assert said(path) == [("user", f"use {token}")]


@pytest.mark.parametrize(
    "line",
    [
        *(
            claude("user", "use TOKEN", turnOrigin=origin)
            for origin in ("scheduled", "task_notification", "auto_continuation", "peer", "host_synthetic", "system")
        ),
        claude("user", "use TOKEN", fromAnotherSession=True),
        claude("user", "use TOKEN", promptRewritten=True),
        queued("use TOKEN", fromAnotherSession=True),
        queued("use TOKEN", promptRewritten=True),
    ],
)
def test_a_turn_of_somebody_or_something_else_is_nobodys_word(tmp_path: Path, line: str) -> None:
    assert said(transcript(tmp_path, line)) == []
