"""Tries an artifact on every sample."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

from retouch.recipes.rule.applying.evaluation import apply_rule
from retouch.recipes.rule.judging.rows import Row, Trial
from retouch.recipes.rule.language.load import load_rule

if TYPE_CHECKING:
    from collections.abc import Iterable

    from retouch.recipes.rule.asking.source import RuleJob
    from retouch.recipes.rule.judging.artifact import Artifact, Kind


def tried(job: RuleJob, artifact: Artifact) -> Trial:
    """Return the trial of an artifact on all samples of its source. It is cached."""
    return _cached_trial(artifact.kind, artifact.text, job.samples, job.root)


@lru_cache(maxsize=32)
def _cached_trial(kind: Kind, text: str, samples: tuple[str, ...], root: str) -> Trial:
    if kind == "python":
        from retouch.recipes.rule.judging.python_run import run_on

        return run_on(text, samples)
    return Trial(rows=rows_of(text, samples, root=root))


def rows_of(text: str, paths: Iterable[str], *, root: str) -> tuple[Row, ...]:
    """Return the values that a YAML rule extracts from each of `paths`."""
    rule = load_rule(text)
    found = (apply_rule(rule, path, root=root) for path in paths)
    return tuple(Row(path=one.path, status=one.status, values=one.values, reasons=one.reasons) for one in found)
