"""Where things are and what time it is: the data folder, the clock, the project a folder belongs to.

Standard library only and little of it: every hook process imports this file.
"""

import os
import sys
import time

STORE = "memory.db"
SIDECAR = "sidecar.toml"  # what a person sets for models
WORKER = "worker.lock"  # held by the worker of a data folder
SEGMENTS = "segments"  # folder of prefixes that a local model has computed
HEADS = "heads.json"  # in it: what requests to the local server began with
MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
DAY = 86_400.0
INSTANT = 0.001  # seconds
TEN_MONTHS = 300 * DAY  # within which the day of a month names one day


def home() -> str:
    """The data folder: `AGENTMEMORY_HOME`, else the platform's user data folder. Not created here."""
    given = os.environ.get("AGENTMEMORY_HOME")
    return os.path.abspath(os.path.expanduser(given)) if given else _platform_home()


def store_path(folder: str | None = None) -> str:
    """The one SQLite file."""
    return os.path.join(folder or home(), STORE)


def make_home(folder: str) -> str:
    """Create the data folder, for its owner only."""
    os.makedirs(folder, mode=0o700, exist_ok=True)
    return folder


def now() -> float:
    """Seconds since 1970, UTC: `AGENTMEMORY_NOW` (ISO 8601) where set, else the clock."""
    given = os.environ.get("AGENTMEMORY_NOW")
    return parse_time(given) if given else time.time()


def parse_time(iso: str, *, local: bool = False) -> float:
    """Seconds since 1970 of an ISO 8601 time, or of one in digits alone (`202503021500`).

    Without an offset it is UTC, as files have it; where somebody typed it (*local*), that person's own time.

    Raises:
        ValueError: the text is no such time.
    """
    from datetime import UTC, datetime  # not above: it costs every hook 2 ms

    told = f"{iso[:8]}T{iso[8:]}" if iso.isdecimal() and len(iso) in (12, 14) else iso
    try:
        at = datetime.fromisoformat(told.replace("Z", "+00:00"))
        zoned = at if at.tzinfo or local else at.replace(tzinfo=UTC)
        return zoned.astimezone(UTC).timestamp()
    except (ValueError, OverflowError, OSError):  # a day that in UTC is outside the calendar's years
        raise ValueError(f"{iso!r} is no time; write it like 2026-03-09, 2026-03-09T15:00 or 202603091500") from None


def parse_since(typed: str) -> float:
    """The time that somebody typed since which something is true.

    Raises:
        ValueError: the text is no such time, or one to come: nothing holds yet that is to hold then.
    """
    at = parse_time(typed, local=True)
    if at > now():
        raise ValueError(f"{typed} is still to come, and what is remembered holds at once: say in its words since when")
    return at


def parse_until(typed: str) -> float:
    """The time that somebody typed up to which is asked: a day alone means its last moment.

    Raises:
        ValueError: the text is no such time.
    """
    from datetime import date

    at = parse_time(typed, local=True)
    try:
        date.fromisoformat(typed)
    except ValueError:
        return at
    return begin_of(day_of(at) + 1) - INSTANT


def date(at: float) -> str:
    """`2026-03-09` for a time in seconds: the day that the user's own calendar had then."""
    t = time.localtime(at)
    return f"{t.tm_year:04d}-{t.tm_mon:02d}-{t.tm_mday:02d}"


def day(at: float, now: float) -> str:
    """`Mar 9` for a time in the ten months before *now*, else `2025-03-09`: the user's own day, as in `date`."""
    t = time.localtime(at)
    return f"{MONTHS[t.tm_mon - 1]} {t.tm_mday}" if 0.0 <= now - at < TEN_MONTHS else date(at)


def iso(at: float) -> str:
    """`2026-03-09T08:20:00Z` for a time in seconds (UTC): how times are stored and handed to programs."""
    t = time.gmtime(at)
    return f"{t.tm_year:04d}-{t.tm_mon:02d}-{t.tm_mday:02d}T{t.tm_hour:02d}:{t.tm_min:02d}:{t.tm_sec:02d}Z"


def utc_date(at: float) -> str:
    """`2026-03-09` for a time in seconds (UTC): how files of the inbox are named."""
    return iso(at)[:10]


def digits(at: float) -> str:
    """`202603090820`, to the minute, for a time in seconds, by the user's own clock: how notes are dated."""
    t = time.localtime(at)
    return f"{date(at).replace('-', '')}{t.tm_hour:02d}{t.tm_min:02d}"


def day_of(at: float) -> int:
    """The user's own day that a time in seconds falls on, counted from 1 January 1970."""
    return int((at + _east(at)) // DAY)


def begin_of(day: int) -> float:
    """When a day of the user's begins, in seconds: clocks may go forward or back within it."""
    either = [day * DAY - _east((day + near) * DAY) for near in (-1, 1)]
    return min((at for at in either if day_of(at) == day), default=either[0])


def _east(at: float) -> int:
    """Seconds by which the user's clock is ahead of UTC at a time."""
    try:
        return time.localtime(at).tm_gmtoff
    except (OSError, OverflowError, ValueError):  # Windows knows no time before 1970
        return 0


def project_of(folder: str) -> tuple[str, str]:
    """Identity of the project that *folder* belongs to: `(key, fingerprint)`.

    The key is the path of the git common directory, so worktrees and subdirectories share one memory; a
    folder without git is its own project. The fingerprint (inode and birth marks of the git directory)
    survives a rename of the folder and is empty without git. Bytes of a path that are no UTF-8 are spelled out.
    """
    root, common = _top(folder)
    key = (common or root).encode("utf-8", "backslashreplace").decode()
    return key, _fingerprint(common) if common else ""


def of_hook(cwd: str) -> str:
    """The folder that a hook's `cwd` belongs to; Claude Code tells its hooks where the session began. No folder's name
    holds a NUL: that is as none."""
    return settled("" if "\0" in cwd else cwd, os.environ.get("CLAUDE_PROJECT_DIR", ""))


def settled(folder: str, began: str) -> str:
    """*began*, where a session that began there went on below it: a `cd` leads into another project only with git.

    Otherwise *folder*.
    """
    if not began or folder == began or not _below(folder, began) or _top(folder)[1]:
        return folder
    return began


def root_of(folder: str) -> str:
    """The top of the working tree that *folder* lies in; a folder without git is its own."""
    return _top(folder)[0]


def _top(folder: str) -> tuple[str, str]:
    """The top folder of a project and its git common directory, "" without git."""
    here = os.path.realpath(folder or os.getcwd())
    at = here
    while True:
        found = _common_dir(os.path.join(at, ".git"))
        if found:
            return at, found
        above = os.path.dirname(at)
        if above == at:
            return here, ""
        at = above


def _below(folder: str, above: str) -> bool:
    return os.path.realpath(folder).startswith(os.path.join(os.path.realpath(above), ""))


def _common_dir(dot_git: str) -> str:
    if os.path.isdir(dot_git):
        return dot_git if os.path.exists(os.path.join(dot_git, "HEAD")) else ""
    line = _read(dot_git)
    if not line.startswith("gitdir:"):
        return ""
    gitdir = os.path.join(os.path.dirname(dot_git), line[len("gitdir:") :].strip())
    common = _read(os.path.join(gitdir, "commondir")).strip()
    return os.path.realpath(os.path.join(gitdir, common)) if common else os.path.realpath(gitdir)


def _fingerprint(gitdir: str) -> str:
    try:
        marks = [os.stat(gitdir).st_ino, os.stat(os.path.join(gitdir, "description")).st_mtime_ns]
    except OSError:
        return ""
    return ":".join(map(str, marks))


def _read(path: str) -> str:
    try:
        with open(path, encoding="utf-8", errors="replace") as f:
            return f.read(4096)
    except OSError:
        return ""


def _platform_home() -> str:
    # platformdirs.user_data_dir("agentmemory") says the same (a test compares); importing it costs 3 ms
    user = os.path.expanduser("~")
    if sys.platform == "darwin":
        return os.path.join(user, "Library", "Application Support", "agentmemory")
    if sys.platform == "win32":
        return os.path.join(os.environ.get("LOCALAPPDATA", user), "agentmemory", "agentmemory")
    return os.path.join(os.environ.get("XDG_DATA_HOME") or os.path.join(user, ".local", "share"), "agentmemory")
