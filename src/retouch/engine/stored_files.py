"""The JSON files of a run on disk: compared with their hashes in the ledger, and replaced as one by a scrub.

A scrub that was interrupted is finished, or rolled back, when the run is opened next: see `finish_scrub`.
"""

from __future__ import annotations

import json
from contextlib import suppress
from hashlib import sha256
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Any, cast

from retouch._lib.disk import pieces_of, sync_directory, write_files
from retouch.engine.ledger import LEDGER, LOCK, REMEDY
from retouch.engine.types import Issue, Tier
from retouch.errors import BrokenFile, DamagedRun

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from pathlib import Path

    from retouch._lib.disk import Text
    from retouch.engine.chain import LedgerDamage
    from retouch.engine.history import History


JOURNAL = ".scrub.json"


def commit_scrub(directory: Path, files: Mapping[str, str]) -> None:
    """Replace the old files by `files` (temporary name -> name, both relative to `directory`).

    The temporary files must be on disk, and the directory locked for writing.
    """
    write_files(directory, {JOURNAL: json.dumps({"files": dict(files)}) + "\n"})
    finish_scrub(directory)


def finish_scrub(directory: Path) -> None:
    """Finish a committed scrub whose process was killed. The directory must be locked for writing.

    Raises:
        BrokenFile: the journal cannot be read.
    """
    journal = directory / JOURNAL
    try:
        files: dict[str, str] = _files(json.loads(journal.read_text(encoding="utf-8")))
    except FileNotFoundError:
        return
    except (ValueError, TypeError, KeyError, AttributeError) as error:
        raise BrokenFile(
            f"{str(journal)!r} is damaged: {error}", hint="Move it away and scrub the run again."
        ) from error
    for temporary, name in files.items():
        place = directory / name
        if (directory / temporary).exists():
            for beside in ("-wal", "-shm"):  # of the old ledger: the new one contains their rows
                place.with_name(place.name + beside).unlink(missing_ok=True)
            (directory / temporary).replace(place)
    for parent in {(directory / name).parent for name in files.values()}:
        sync_directory(parent)
    journal.unlink()
    sync_directory(directory)


def _files(stored: Any) -> dict[str, str]:
    files = {str(temporary): str(name) for temporary, name in stored["files"].items()}
    for path in map(PurePosixPath, (*files, *files.values())):
        if path.is_absolute() or ".." in path.parts:
            raise ValueError(f"{str(path)!r} leaves the run")
    return files


def finish_abandoned_scrub(directory: Path) -> None:
    """Finish a committed scrub whose process was killed, if the directory is writable and not locked."""
    if not (directory / JOURNAL).exists():
        return
    from filelock import FileLock, Timeout

    with suppress(Timeout, OSError), FileLock(directory / LOCK, blocking=False):
        finish_scrub(directory)


STORED = "stored"
"""The kind of notes with the hashes of JSON files that are about to be written."""

IR, PROMPTS, PAGES = "ir.json", "prompts.json", "pages.json"
DAMAGED = "RUN_DAMAGED"
REMEDIES = {
    IR: "Put back a copy of it; or give the command again that made the run: it writes the file anew.",
    PROMPTS: "Put back a copy of it; or give the command again that made the run: it writes the file anew.",
    PAGES: "Write it again: retouch validate {directory}",
}
_CHUNK = 1 << 20  # bytes per read


def hash_of(text: Text) -> str:
    """Return the hash of a file with this text."""
    digest = sha256()
    for piece in pieces_of(text):
        digest.update(piece.encode("utf-8", "surrogateescape"))
    return f"sha256:{digest.hexdigest()}"


def file_hash(path: Path) -> str:
    """Return the hash of a file's bytes, "" if it does not exist."""
    digest = sha256()
    try:
        with path.open("rb") as file:
            while chunk := file.read(_CHUNK):
                digest.update(chunk)
    except (FileNotFoundError, IsADirectoryError):
        return ""
    return f"sha256:{digest.hexdigest()}"


def file_hashes(directory: Path) -> dict[str, str]:
    """Return the hashes of the JSON files that exist. Take them before you read the ledger: see `changed_files`."""
    found = {name: file_hash(directory / name) for name in (IR, PROMPTS, PAGES)}
    return {name: each for name, each in found.items() if each}


def changed_files(hashes: Mapping[str, str], history: History) -> tuple[str, ...]:
    """Return the files that differ from the run's version. Files of older Retouch versions have no hash to compare.

    `hashes` must be taken before the history is read, so that the history covers files that are written meanwhile.
    """
    if history.damage is not None:
        return ()  # the hashes themselves may be damaged
    known = known_hashes(history)
    return tuple(name for name, found in hashes.items() if name in known and found not in known[name])


def is_recorded(name: str, hashes: Mapping[str, str], history: History) -> bool:
    """Return whether a JSON file has a content that the run wrote at some time, according to an intact ledger."""
    return history.damage is None and hashes.get(name, "") in known_hashes(history).get(name, ())


def is_latest(directory: Path, name: str, history: History, *, since: int = 0) -> bool:
    """Return whether a JSON file is the one that the run wrote last, after the ledger's row `since`."""
    notes = [
        note for note in history.notes if note.kind == STORED and name in cast("dict[str, str]", note.data["files"])
    ]
    if not notes or notes[-1].seq <= since:
        return False
    return cast("dict[str, str]", notes[-1].data["files"])[name] == file_hash(directory / name)


def known_hashes(history: History) -> dict[str, set[str]]:
    """Return the hashes of every content that the run has written, by the name of the file."""
    known: dict[str, set[str]] = {}
    for note in history.notes:
        if note.kind == STORED:
            for name, found in cast("dict[str, str]", note.data["files"]).items():
                known.setdefault(name, set()).add(found)
    return known


def refuse_changed(directory: Path, changed: Sequence[str]) -> None:
    """Refuse a source or prompts that the run has not written. `pages.json` is rewritten.

    Raises:
        DamagedRun: names the file, the unaffected data, and the next step.
    """
    for name in changed:
        if name != PAGES:
            what = f"{str(directory / name)!r} was changed; the ledger, with every answer, is unaffected"
            raise DamagedRun(what, hint=REMEDIES[name])


def damage_issues(directory: Path, damage: LedgerDamage | None, changed: Iterable[str]) -> list[Issue]:
    """Return an error for a ledger with damaged rows, and one for each changed file."""
    issues = [] if damage is None else [_issue(f"{LEDGER!r} is damaged: {damage.what}", REMEDY, LEDGER)]
    for name in changed:
        message = f"{name!r} was changed; the ledger, with every answer, is unaffected"
        issues.append(_issue(message, REMEDIES[name].format(directory=directory), name))
    return issues


def _issue(message: str, fix: str, name: str) -> Issue:
    return Issue(code=DAMAGED, message=message, tier=Tier.SYNTAX, unit="", path=name, fix=fix)
