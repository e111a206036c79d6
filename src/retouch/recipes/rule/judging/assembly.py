"""The files of a run: the current rule or function."""

from __future__ import annotations

from typing import TYPE_CHECKING

from retouch.engine.recipe import Block, Section, Unread, marked
from retouch.recipes.rule.asking.source import UNIT
from retouch.recipes.rule.judging.artifact import Heading
from retouch.recipes.rule.judging.trial import tried

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from retouch._lib.json_text import JSON
    from retouch.engine.recipe import CellMark
    from retouch.recipes.rule.asking.source import RuleJob
    from retouch.recipes.rule.judging.artifact import Artifact
    from retouch.recipes.rule.judging.rows import Row

FILES = {"yaml": "rule.yaml", "python": "extractor.py"}
MOST_ROWS = 50


def assemble(_job: RuleJob, values: Mapping[str, Artifact | Unread]) -> Mapping[str, str]:
    """Return `rule.yaml` or `extractor.py`, or nothing if the answer cannot be read."""
    return {FILES[value.kind]: value.text for value in values.values() if not isinstance(value, Unread)}


def blocks(file: str, text: str) -> Sequence[Block]:
    """Return the whole file as the unit's block, so that manual edits are found and can be adopted."""
    return [Block(unit=UNIT, start=0, end=len(text))] if file in FILES.values() else ()


def adopted(_job: RuleJob, _unit: str, text: str) -> str:
    """Return the user's text as an answer. It may be of either kind, and no stand-ins are replaced in it."""
    return Heading(requested_form="any").before(text)


def heading(job: RuleJob) -> Mapping[str, JSON]:
    """Return the description of the source at the top of `pages.json`."""
    return {"source": {"paths": len(job.paths), "form": job.form, "hint": job.hint}}


def report(job: RuleJob, values: Mapping[str, Artifact | Unread]) -> Iterable[Section]:
    """Return the report's section about the artifact: a table of the values extracted from the samples."""
    for value in values.values():
        if isinstance(value, Unread) or value.rule is None:
            continue
        trial = tried(job, value)
        names = [field.name for field in value.rule.fields]
        rows = [
            [_cut(row), row.status, *(str(row.values.get(name, "")) for name in names)]
            for row in trial.rows[:MOST_ROWS]
        ]
        text = f"{trial.coverage:.0%} of {len(trial.rows)} samples give every field."
        yield Section(
            title="Extracted values", text=text, quote=value.text, heads=["path", "status", *names], rows=rows
        )


def _cut(row: Row) -> Sequence[CellMark]:
    """Return a path with the parts that are values of fields, as far as the values are written like this in it."""
    return marked(row.path, {str(value): name for name, value in row.values.items() if value is not None})
