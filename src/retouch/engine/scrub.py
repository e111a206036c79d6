"""Removes a text from a run: rewrites the ledger and every file that contains the text."""

from __future__ import annotations

import json
import os
import re
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, cast

from retouch._lib.clock import now
from retouch._lib.disk import read_text, sweep, temporary_beside
from retouch._lib.hashing import canonical_hash, text_hash
from retouch._lib.json_text import json_text
from retouch._lib.redaction import forms_of, replaced_in
from retouch.engine.directory import load_ir, load_prompts, open_run, prompts_text
from retouch.engine.events import NOTE
from retouch.engine.files import blocks_of, outside_hash
from retouch.engine.history import History, read_history
from retouch.engine.ledger import (
    HOLDER,
    LEDGER,
    LOCK,
    LedgerRow,
    one_writer,
    read_entries,
    write_ledger,
)
from retouch.engine.stored_files import (
    IR,
    JOURNAL,
    PAGES,
    PROMPTS,
    changed_files,
    commit_scrub,
    file_hash,
    file_hashes,
    finish_scrub,
    hash_of,
    refuse_changed,
)
from retouch.engine.types import prompt_hash
from retouch.errors import BadInput

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from pathlib import Path

    from retouch._lib.json_text import JSON
    from retouch.engine.recipe import Recipe
    from retouch.engine.types import Prompt

SCRUBBED = "[scrubbed]"
ROW = f"{NOTE}scrubbed"
REPORT = "report.html"
SHORTEST = 4
_HASH = re.compile(r"sha256:[0-9a-f]{64}")
_OWN = frozenset({IR, PROMPTS, PAGES, LEDGER, LOCK, HOLDER, JOURNAL, f"{LEDGER}-wal", f"{LEDGER}-shm"})


@dataclass(frozen=True, kw_only=True)
class ScrubResult:
    """The result of a scrub.

    `rows` is the number of changed ledger rows, `files` are the rewritten files. `kept` are files that still contain
    the text because a user wrote or changed them. If `rows` and `files` are empty, nothing was written.
    """

    rows: int
    files: tuple[str, ...]
    kept: tuple[str, ...]

    @property
    def found(self) -> bool:
        """Whether the text was anywhere in the run."""
        return bool(self.rows or self.files or self.kept)


def scrubber(texts: Iterable[str], patterns: Iterable[str]) -> Callable[[str], str]:
    """Return a function that replaces `texts`, including their JSON and URL encodings, and matches of `patterns`.

    Raises:
        BadInput: a text is too short, a pattern is not a regular expression, or one of them matches too much.
    """
    forms: set[str] = set()
    for text in texts:
        if len(text) < SHORTEST:
            hint = "A shorter text would hit parts of ordinary words. Use --pattern to say exactly what is meant."
            raise BadInput(f"the text to remove has {len(text)} characters; {SHORTEST} or more are needed", hint=hint)
        forms |= forms_of(text)
    plain = [re.escape(form) for form in sorted(forms, key=len, reverse=True)]
    try:
        found = re.compile("|".join([*plain, *(f"(?:{pattern})" for pattern in patterns)]))
    except re.error as error:
        raise BadInput(f"a pattern is no regular expression: {error}", hint="Correct it.") from error
    if found.search("") or found.search(SCRUBBED):
        raise BadInput(f"the pattern matches an empty text, or {SCRUBBED!r}", hint="Make it more precise.")
    return lambda text: found.sub(SCRUBBED, text)


async def scrub(
    directory: Path, recipe: Recipe[Any, Any], change: Callable[[str], str], *, write: bool = True
) -> ScrubResult:
    """Apply `change` to all strings of a run, and return the result.

    A killed process leaves the old run or the new one. The old ledger is unlinked, not overwritten: its bytes may stay
    on the disk until they are reused. Without `write`, the run is only searched.

    Raises:
        BadInput: the name of a unit or file matches, or the pattern matches data that the run needs. Nothing was
        changed. FolderBusy: another process writes into the directory.
    """
    async with one_writer(directory, wait=False):
        finish_scrub(directory)
        sweep(directory)
        work = _Scrub(directory, recipe, change)
        result = work.result()
        if write and (result.rows or result.files):
            work.write(result)
        return result


@dataclass
class _Scrub:
    """One run that is being rewritten."""

    directory: Path
    recipe: Recipe[Any, Any]
    change: Callable[[str], str]
    files: dict[str, str] = field(default_factory=dict[str, str])
    hashes: dict[str, str] = field(default_factory=dict[str, str])

    def result(self) -> ScrubResult:
        """Return the result. Afterwards `files` has the new content, and `hashes` maps old hashes to new ones."""
        self.entries = read_entries(self.directory / LEDGER)
        history = read_history(self.directory / LEDGER)
        refuse_changed(self.directory, changed_files(file_hashes(self.directory), history))
        prompts = load_prompts(self.directory)
        self._expect_nameless(prompts, history)
        for old in history.texts.values():
            self._rename(text_hash(old), text_hash(self.change(old)))
        asked = [attempt.request.prompt for attempt in history.attempts.values()]
        asked += [prompt for pack in history.packs.values() for _, prompt in pack.request.parts]
        for prompt in (*prompts, *history.derived.values(), *asked):
            self._rename(prompt_hash(prompt), prompt_hash(self._scrubbed_prompt(prompt)))
        kept = self._rewrite_files(history)
        self._rewrite_views(prompts)
        self.rows = [self._scrubbed_row(entry) for entry in self.entries]
        changed = sum(new.data != old.data for new, old in zip(self.rows, self.entries, strict=True))
        return ScrubResult(rows=changed, files=tuple(sorted(self.files)), kept=tuple(kept))

    def _expect_nameless(self, prompts: Sequence[Prompt], history: History) -> None:
        names = {
            *(prompt.unit for prompt in prompts),
            *history.written,
            *(p.unit for p in history.derived.values()),
        }
        hit = sorted(name for name in names if self.change(name) != name)
        if hit:
            hint = "Names cannot be rewritten: remove the run, or narrow the pattern."
            raise BadInput(f"{len(hit)} units or files of the run are named so", hint=hint)

    def _rename(self, old: str, new: str) -> None:
        if old != new:
            self.hashes[old] = new

    def _scrubbed_prompt(self, prompt: Prompt) -> Prompt:
        return replace(prompt, system=self.change(prompt.system), user=self.change(prompt.user))

    def _string(self, text: str) -> str:
        return self.hashes.get(text, text) if _HASH.fullmatch(text) else self.change(text)

    def _scrubbed_row(self, entry: LedgerRow) -> LedgerRow:
        return replace(entry, data=replaced_in(entry.data, self._string))

    def _rewrite_files(self, history: History) -> list[str]:
        """Collect the new text of each file that the run wrote. Return the files that the user wrote or changed."""
        kept: list[str] = []
        for place in sorted(self.directory.rglob("*")):
            name = place.relative_to(self.directory).as_posix()
            if name in _OWN or place.is_symlink() or not place.is_file():
                continue
            old = read_text(place)
            new = self.change(old)
            if new == old:
                continue
            row = history.written.get(name)
            if name == REPORT or (row is not None and row.hash == text_hash(old)):
                self.files[name] = new
                self._rename(text_hash(old), text_hash(new))
                blocks = blocks_of(self.recipe, name, new)
                outside = (outside_hash(self.recipe, name, text) for text in (old, new))
                self._rename(*outside)
                for unit, block in blocks_of(self.recipe, name, old).items():
                    self._rename(text_hash(block), text_hash(blocks.get(unit, block)))
            else:
                kept.append(name)
        return kept

    def _rewrite_views(self, prompts: Sequence[Prompt]) -> None:
        """Collect the new content of `prompts.json`, `pages.json` and `ir.json`."""
        cleaned = [self._scrubbed_prompt(prompt) for prompt in prompts]
        if cleaned != list(prompts):
            self._rewrite_json(PROMPTS, "".join(prompts_text(cleaned)))
        ir = self._stored_json(IR)
        if ir is not None:
            old = load_ir(self.directory, self.recipe).hash
            self._rename(old, canonical_hash(replaced_in(self._stored_source(), self._string)))
        for name in (IR, PAGES):
            stored = self._stored_json(name)
            new = None if stored is None else replaced_in(stored, self._string)
            if new is not stored and new != stored:
                self._rewrite_json(name, json_text(new))

    def _rewrite_json(self, name: str, text: str) -> None:
        self.files[name] = text
        self._rename(file_hash(self.directory / name), hash_of(text))

    def _stored_source(self) -> JSON:
        return cast("JSON", json.loads((self.directory / IR).read_text(encoding="utf-8"))["source"])

    def _stored_json(self, name: str) -> JSON:
        path = self.directory / name
        return json.loads(path.read_text(encoding="utf-8")) if path.exists() else None

    def write(self, result: ScrubResult) -> None:
        """Write the new run next to the old one, verify that it is readable, and swap them."""
        head = self.entries[-1] if self.entries else None
        rows = self.rows
        earlier = [rows.pop(0).data] if rows and rows[0].seq == 0 else []
        data: dict[str, JSON] = {
            "head": {"seq": head.seq, "kind": head.kind, "at": head.at} if head is not None else None,
            "rows": result.rows,
            "files": list(result.files),
            "kept": list(result.kept),
            "earlier": list(earlier),
        }
        first = LedgerRow(seq=0, kind=ROW, attempt=None, unit=None, at=now(), data=data)
        beside = {temporary_beside(self.directory / name): name for name in (LEDGER, *self.files)}
        try:
            for temporary, name in beside.items():
                if name == LEDGER:
                    write_ledger(temporary, (row.stored() for row in (first, *rows)))
                else:
                    _write_synced(temporary, self.directory / name, self.files[name])
            self._expect_readable(next(iter(beside)))
            names = {temporary.relative_to(self.directory).as_posix(): name for temporary, name in beside.items()}
        except BaseException:
            for temporary in beside:
                temporary.unlink(missing_ok=True)
            raise
        commit_scrub(self.directory, names)
        open_run(self.directory)

    def _expect_readable(self, ledger: Path) -> None:
        """Raise BadInput if the new ledger differs from the old one in more than its strings."""
        from retouch.errors import BrokenFile

        try:
            new, old = read_history(ledger), read_history(self.directory / LEDGER)
        except BrokenFile as error:
            hint = "The pattern hits more than texts. Narrow it; nothing was changed."
            raise BadInput("the run could not be read without what the pattern matches", hint=hint) from error
        same = new.attempts.keys() == old.attempts.keys() and new.answers.keys() == old.answers.keys()
        if not same or new.settled.keys() != old.settled.keys():
            raise BadInput("the pattern hits more than texts", hint="Narrow it; nothing was changed.")


def _write_synced(path: Path, place: Path, text: str) -> None:
    with path.open("w", encoding="utf-8", errors="surrogateescape", newline="") as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())
    path.chmod(place.stat().st_mode & 0o777)
