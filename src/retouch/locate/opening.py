"""Opens an up-to-date index, from the user's cache if there is one."""

from __future__ import annotations

from typing import TYPE_CHECKING

from retouch.locate.index import SpanIndex
from retouch.locate.indexing.cache import cache_path
from retouch.locate.languages.scala import scala
from retouch.locate.sources import open_source

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from retouch.locate.index import Refreshed
    from retouch.locate.languages.front import Front
    from retouch.locate.values import FileSource


def refresh_index(
    source: FileSource | str | Path,
    *,
    front: Front | None = None,
    cache: Path | None = None,
    tests: bool = False,
    on_file: Callable[[int, int, str], object] | None = None,
) -> tuple[SpanIndex, Refreshed, Path]:
    """Return the updated index of a source, a summary of the update, and the cache file.

    The file is `cache`, by default in the user's cache directory. If it cannot be written, the index has a note about
    it.

    Raises:
        LocateError: the source cannot be read.
    """
    files, language = open_source(source), front or scala()
    kept = cache or cache_path(files, language)
    index = SpanIndex.load(kept, files, front=language)
    done = index.build(tests=tests, on_file=on_file)
    if done.worth_saving:
        try:
            index.save(kept)
        except OSError as error:
            index.notes.append(f"The index is not cached: {str(kept)!r} cannot be written ({error.strerror}).")
    return index, done, kept


def open_index(
    source: FileSource | str | Path, *, front: Front | None = None, cache: Path | None = None, tests: bool = False
) -> SpanIndex:
    """Return the up-to-date index of a source. See `refresh_index`."""
    return refresh_index(source, front=front, cache=cache, tests=tests)[0]
