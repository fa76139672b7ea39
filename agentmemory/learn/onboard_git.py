"""A repository's history as it was written: messages and files of each commit, read without running any of it."""

from __future__ import annotations

import os
import subprocess
import threading
from dataclasses import dataclass

MOST_COMMITS = 2_000
MOST_BYTES = 8_000_000  # read of the log
SECONDS = 10.0
RECORD, FIELD = "\x1e", "\x1f"
#: what a repository's own configuration could make git run, off
SAFE = (
    "core.fsmonitor=false", "core.hooksPath=/dev/null", "core.pager=cat", "core.sshCommand=false", "core.askPass=",
    "log.showSignature=false", "protocol.allow=never", "diff.external=", "credential.helper=", "core.attributesFile=",
    "core.quotePath=false", "gpg.program=false", "core.untrackedCache=false", "maintenance.auto=false",
)  # fmt: skip
QUIET = {
    "GIT_TERMINAL_PROMPT": "0", "GIT_OPTIONAL_LOCKS": "0", "GIT_NO_LAZY_FETCH": "1", "GIT_PAGER": "cat",
    "GIT_CONFIG_NOSYSTEM": "1", "GIT_CONFIG_GLOBAL": os.devnull, "GIT_ASKPASS": "", "LC_ALL": "C.UTF-8",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Commit:
    """One commit: its name, time (seconds since 1970), subject, body, and the files it changed."""

    id: str
    at: float
    subject: str
    body: str
    files: tuple[str, ...]


def commits(folder: str) -> list[Commit]:
    """The newest commits that touch *folder*, newest first; none where there is no repository or no git."""
    log = _git(
        folder, "log", f"-n{MOST_COMMITS}", "--no-merges", "--no-color", "--no-show-signature", "--no-textconv",
        "--no-ext-diff", "--no-renames", "--relative", "--name-only",
        f"--format={RECORD}%H{FIELD}%ct{FIELD}%s{FIELD}%b{FIELD}",
        *([] if os.path.lexists(os.path.join(folder, ".git")) else ["--", "."]),
    )  # fmt: skip
    out = []
    for record in log.split(RECORD)[1:]:
        parts = record.split(FIELD)
        if len(parts) != 5 or not parts[1].isdigit():
            continue
        files = tuple(line for line in parts[4].split("\n") if line.strip())
        out.append(Commit(parts[0], float(parts[1]), parts[2].strip(), parts[3].strip(), files))
    return out


def _git(folder: str, *args: str) -> str:
    """What a reading git command prints, cut at `MOST_BYTES` and `SECONDS`; "" when it fails."""
    settings = [part for setting in SAFE for part in ("-c", setting)]
    env = {k: v for k, v in os.environ.items() if not k.startswith("GIT_")} | QUIET
    try:
        git = subprocess.Popen(
            ["git", "--no-pager", "--no-replace-objects", *settings, "-C", folder, *args],
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env=env,
        )  # fmt: skip
    except OSError:
        return ""
    stop = threading.Timer(SECONDS, git.kill)
    stop.start()
    try:
        with git.stdout or open(os.devnull, "rb") as out:
            data = out.read(MOST_BYTES)
    finally:
        git.kill()
        git.wait()
        stop.cancel()
    return data.decode("utf-8", "replace")
