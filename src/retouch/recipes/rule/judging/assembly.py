"""The files of a run: the rule, or the function, as it stands."""

from __future__ import annotations

from typing import TYPE_CHECKING

from retouch.engine.recipe import Block, Section, Unread
from retouch.recipes.rule.asking.source import UNIT
from retouch.recipes.rule.judging.artifact import Heading
from retouch.recipes.rule.judging.trial import tried

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from retouch._lib.json_text import JSON
    from retouch.recipes.rule.asking.source import RuleJob
    from retouch.recipes.rule.judging.artifact import Artifact

FILES = {"yaml": "rule.yaml", "python": "extractor.py"}
MOST_ROWS = 50


def assemble(_job: RuleJob, values: Mapping[str, Artifact | Unread]) -> Mapping[str, str]:
    """Return `rule.yaml` or `extractor.py`; nothing while the answer cannot be read."""
    return {FILES[value.kind]: value.text for value in values.values() if not isinstance(value, Unread)}


def blocks(file: str, text: str) -> Sequence[Block]:
    """Return the whole file as the unit's block: an edit by hand is noticed, and can be adopted."""
    return [Block(unit=UNIT, start=0, end=len(text))] if file in FILES.values() else ()


def adopted(_job: RuleJob, _unit: str, text: str) -> str:
    """Return a person's text as an answer: it may be of either kind, and no veil is taken off it."""
    return Heading(asked="any").before(text)


def heading(job: RuleJob) -> Mapping[str, JSON]:
    """Return what the head of `pages.json` says of the job."""
    return {"source": {"paths": len(job.paths), "form": job.form, "hint": job.hint}}


def report(job: RuleJob, values: Mapping[str, Artifact | Unread]) -> Iterable[Section]:
    """Return what a report tells of the artifact: a table of what it takes from the samples."""
    for value in values.values():
        if isinstance(value, Unread) or value.rule is None:
            continue
        trial = tried(job, value)
        names = [field.name for field in value.rule.fields]
        rows = [
            [row.path, row.status, *(str(row.values.get(name, "")) for name in names)] for row in trial.rows[:MOST_ROWS]
        ]
        text = f"{trial.coverage:.0%} of {len(trial.rows)} samples are taken whole."
        yield Section(
            title="What the rule takes", text=text, quote=value.text, heads=["path", "status", *names], rows=rows
        )
