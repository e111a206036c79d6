"""Compares the JSON files of a run directory with their hashes in the ledger to detect damage.

Before a file is replaced, the hash of its new content is committed to the ledger. If the process is killed in between,
the file has an earlier hash of the ledger. If a file's hash is not in the ledger, the run did not write it: a bit
flipped, or the file was edited.
"""

from __future__ import annotations

from hashlib import sha256
from typing import TYPE_CHECKING, cast

from retouch._lib.disk import pieces_of
from retouch.engine.ledger import LEDGER, REMEDY
from retouch.engine.types import Issue, Tier
from retouch.errors import DamagedRun

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from pathlib import Path

    from retouch._lib.disk import Text
    from retouch.engine.chain import LedgerDamage
    from retouch.engine.history import History

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


def unknown_hashes(hashes: Mapping[str, str], history: History) -> dict[str, str]:
    """Return the hashes that the ledger does not have yet."""
    known = _known(history)
    return {name: found for name, found in hashes.items() if found not in known.get(name, ())}


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
    known = _known(history)
    return tuple(name for name, found in hashes.items() if name in known and found not in known[name])


def is_latest(directory: Path, name: str, history: History, *, since: int = 0) -> bool:
    """Return whether a JSON file is the one that the run wrote last, after the ledger's row `since`."""
    notes = [
        note for note in history.notes if note.kind == STORED and name in cast("dict[str, str]", note.data["files"])
    ]
    if not notes or notes[-1].seq <= since:
        return False
    return cast("dict[str, str]", notes[-1].data["files"])[name] == file_hash(directory / name)


def _known(history: History) -> dict[str, set[str]]:
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
