"""Replaces a sentence of a text by one that rules can enforce, as the clauses of a run suggest it."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from retouch._lib.disk import write_files
from retouch.errors import BadInput
from retouch.recipes.policy.english.suggesting.suggestions import without_note, words_left_out
from retouch.recipes.policy.making.runs import unsettled_clause

if TYPE_CHECKING:
    from pathlib import Path


@dataclass(frozen=True, kw_only=True)
class Rewritten:
    """A sentence that was replaced: its line, what it was, what it is now, and the words of it that this leaves out."""

    line: int
    was: str
    now: str
    left_out: tuple[str, ...] = ()


def rewrite(file: Path, directory: Path, clause: str, *, choice: int = 1) -> Rewritten:
    """Replace a clause in the text `file` by one of the sentences that the run in `directory` suggests for it.

    `clause` is the sentence, or its line number. `choice` counts from 1. The old sentence stays behind the new one as a
    comment, which is not read, with the words of it that the new one leaves out.

    Raises:
        BadInput: there is no such clause or suggestion, or the text has changed since the run.
    """
    entry = unsettled_clause(directory, clause)
    was, line = entry.clause.text, entry.clause.line
    if not 1 <= choice <= len(entry.nearest):
        known = "; ".join(f"{number}: {one}" for number, one in enumerate(entry.nearest, start=1))
        raise BadInput(
            f"there is no suggestion {choice} for {was!r}",
            hint=f"Suggestions: {known}." if known else "There are none. Write the sentence in another way.",
        )
    suggested = entry.nearest[choice - 1]
    now = without_note(suggested)
    if was.startswith("|"):
        raise BadInput(f"{was!r} is a row of a table", hint="Change it by hand, for example to a list.")
    text = file.read_bytes().decode("utf-8")  # with its own line ends
    pattern = re.compile(r"\s+".join(map(re.escape, was.lstrip("\ufeff").split())))
    found = [one for one in pattern.finditer(text) if text.count("\n", 0, one.start()) + 1 == line]
    if len(found) != 1:
        raise BadInput(
            f"line {line} of {str(file)!r} does not have {was!r} once",
            hint="If the text has changed, run 'retouch generate policy' again. Otherwise change it by hand.",
        )
    start, end = found[0].span()
    comment = re.sub("-(?=-)", "- ", found[0][0])  # with its line ends, so that the lines below keep their numbers
    lost = words_left_out(suggested)
    note = f" [leaves out: {', '.join(lost)}]" if lost else ""
    target = file.resolve()
    write_files(target.parent, {target.name: f"{text[:start]}{now} <!-- {comment}{note} -->{text[end:]}"})
    return Rewritten(line=line, was=was, now=now, left_out=lost)
