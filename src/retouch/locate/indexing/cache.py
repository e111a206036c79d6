"""The cache file of an index: its path and format. It is two lines of JSON, written atomically."""

from __future__ import annotations

import json
import os
import tempfile
import time
from contextlib import suppress
from glob import escape
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping

    from retouch.locate.languages.front import Front
    from retouch.locate.values import FileSource

SCHEMA = 1  # increase this if the same file would be indexed differently, for example by other words
ABANDONED_S = 3_600.0
_FORMAT = "retouch locate index"


class DamagedCache(Exception):
    """A cache file that cannot be used, with the reason."""


def cache_path(source: FileSource, front: Front) -> Path:
    """Return the path of the index of `source` in the user's cache directory."""
    from platformdirs import user_cache_path

    key = sha256(f"{source.root}\0{front.name}".encode("utf-8", "surrogateescape")).hexdigest()[:16]
    stem = "".join(one if one.isalnum() else "-" for one in Path(source.root).name)[:40]
    return user_cache_path("retouch") / "locate" / f"{stem}-{front.name}-{key}.json"


def write_cache(path: Path, body: Mapping[str, Any]) -> None:
    """Replace the file at `path` atomically.

    The first line has the schema and the SHA-256 of the second line, which is the body.
    """
    line = json.dumps(body, separators=(",", ":")).encode()
    head = {"format": _FORMAT, "schema": SCHEMA, "sha256": sha256(line).hexdigest()}
    path.parent.mkdir(parents=True, exist_ok=True)
    _sweep(path)
    number, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    try:
        with os.fdopen(number, "wb") as file:
            file.write(json.dumps(head).encode() + b"\n" + line + b"\n")
            file.flush()
            os.fsync(file.fileno())
        Path(name).replace(path)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise


def _sweep(path: Path) -> None:
    """Remove old temporary files of killed writers. A recent one may belong to an active writer."""
    for left in path.parent.glob(f".{escape(path.name)}.*"):
        with suppress(OSError):
            if time.time() - left.stat().st_mtime > ABANDONED_S:
                left.unlink()


def read_cache(path: Path) -> dict[str, Any]:
    """Return the body of the cache at `path`.

    Raises:
        FileNotFoundError: there is none yet.
        DamagedCache: it is incomplete, not an index, or of another schema.
    """
    try:
        data = path.read_bytes()
    except FileNotFoundError:
        raise
    except OSError as error:
        raise DamagedCache(error.strerror) from None
    first, _, rest = data.partition(b"\n")
    line = rest.removesuffix(b"\n")
    try:
        head = json.loads(first)
        known = head["format"] == _FORMAT
    except (ValueError, TypeError, KeyError):
        raise DamagedCache("it is not an index") from None
    if not known or head.get("schema") != SCHEMA:
        raise DamagedCache("it has another version")
    if head.get("sha256") != sha256(line).hexdigest():
        raise DamagedCache("its checksum is wrong")
    return json.loads(line)
