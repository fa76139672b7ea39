"""Finds the package's modules by what Python has compiled of them: one look at the source for its date and size, one
read of the bytecode. A hook imports some forty modules; the importer asks folders and paths several times for each.

Whatever is not as expected (no bytecode, an older one, another layout) is left to the importer.
"""

import os
import sys
from _frozen_importlib import ModuleSpec
from _frozen_importlib_external import MAGIC_NUMBER, SourceFileLoader
from marshal import loads

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from types import CodeType

HEAD = MAGIC_NUMBER + bytes(4)  # of bytecode that is told by date and size of its source (PEP 552)
ENDING = f".{sys.implementation.cache_tag}.pyc"
MOST = 10_000_000  # bytes


class Compiled(SourceFileLoader):
    """A loader that has the code already."""

    code: "CodeType"

    def get_code(self, fullname: str) -> "CodeType":
        """The code of the module, as it was found."""
        return self.code


class Finder:
    """What `sys.meta_path` asks first."""

    @staticmethod
    def find_spec(name: str, path: "Sequence[str] | None" = None, target: object = None) -> ModuleSpec | None:
        """Where a module of this package is; None where the importer is to look."""
        top, dot, _ = name.partition(".")
        if top != __package__ or not dot or not path:
            return None
        place = f"{path[0]}/{name.rpartition('.')[2]}"
        return _found(name, place) or _found(name, f"{place}/__init__", [place])


def first() -> None:
    """Ask `Finder` before anything else, from now on."""
    if Finder not in sys.meta_path:
        sys.meta_path.insert(0, Finder)


def _found(name: str, place: str, inside: "list[str] | None" = None) -> ModuleSpec | None:
    """The module whose source is *place* with `.py`; *inside*: where those in it are, if it is a package."""
    folder, _, stem = place.rpartition("/")
    source, cached = f"{place}.py", f"{folder}/__pycache__/{stem}{ENDING}"
    try:
        fd = os.open(cached, os.O_RDONLY)
        try:
            data = os.read(fd, MOST)
        finally:
            os.close(fd)
        written = os.stat(source)
        date, size = (number.to_bytes(8, "little")[:4] for number in (int(written.st_mtime), written.st_size))
        if data[:16] != HEAD + date + size:
            return None
        code = loads(memoryview(data)[16:])
    except (OSError, EOFError, ValueError, TypeError, OverflowError):
        return None
    loader = Compiled(name, source)
    loader.code = code
    spec = ModuleSpec(name, loader, origin=source, is_package=inside is not None)
    spec.has_location, spec.cached = True, cached
    if inside is not None:
        spec.submodule_search_locations = inside
    return spec
