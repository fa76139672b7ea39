"""A real file system of 4 MB with few files, where the user may mount one."""

from __future__ import annotations

import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

FILES = 24


class NoMount(Exception):
    """The user may not mount a file system here; the text says why."""


@contextmanager
def small_disk(folder: Path) -> Iterator[Path]:
    """*folder* as a file system of its own. Raises NoMount."""
    if sys.platform != "linux":
        raise NoMount("file systems are mounted on Linux only here")
    folder.mkdir()
    command = ["mount", "-t", "tmpfs", "-o", f"size=4m,nr_inodes={FILES}", "tmpfs", str(folder)]
    mounted = subprocess.run(command, capture_output=True, text=True, check=False)
    if mounted.returncode:
        raise NoMount(f"no file system may be mounted here: {mounted.stderr.strip()}")
    try:
        yield folder
    finally:
        subprocess.run(["umount", "-l", str(folder)], check=True)


def fill_up(folder: Path) -> Path:
    """Take every byte that is left."""
    ballast = folder / "ballast"
    with ballast.open("wb", buffering=0) as f:
        try:
            while f.write(bytes(4096)):
                continue
        except OSError:
            pass
    return ballast


def take_files(folder: Path) -> list[Path]:
    """Take every file that may still be made."""
    made: list[Path] = []
    for i in range(FILES):
        try:
            (folder / f"taken{i}").touch()
        except OSError:
            break
        made.append(folder / f"taken{i}")
    return made


@contextmanager
def filling_and_freeing(folder: Path) -> Iterator[None]:
    """Somebody else takes all bytes and gives them back, again and again."""
    over = threading.Event()

    def come_and_go() -> None:
        while not over.is_set():
            fill_up(folder).unlink()

    other = threading.Thread(target=come_and_go)
    other.start()
    try:
        yield
    finally:
        over.set()
        other.join()
