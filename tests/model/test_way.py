"""A person's request is answered, and background work goes on, whatever became of the file that joins the two."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest

from agentmemory.model.allowance import ASKED, Spent, asked_now, may_begin
from agentmemory.model.settings import Settings


def test_a_folder_that_cannot_be_written_refuses_no_request(home: Path) -> None:
    home.mkdir(exist_ok=True)
    (home / ASKED).mkdir()

    asked_now(str(home))


@pytest.mark.parametrize(("ahead", "waits"), [(-3600.0, False), (-1.0, True), (5.0, True), (86_400.0, False)])
def test_a_time_far_ahead_keeps_nothing_waiting(home: Path, ahead: float, waits: bool) -> None:
    asked_now(str(home))
    os.utime(home / ASKED, (time.time() + ahead,) * 2)

    if waits:
        with pytest.raises(Spent, match="a person is using"):
            may_begin(str(home), Settings(), lambda: False)
    else:
        may_begin(str(home), Settings(), lambda: False)
