"""The report sections of an edit: the changes of each file as a diff."""

from __future__ import annotations

from typing import TYPE_CHECKING

from retouch.edits import unified_diff
from retouch.engine.recipe import CodeText, Section, Unread

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from retouch.recipes.edit.answers import NewText
    from retouch.recipes.edit.source import EditJob


def report(job: EditJob, values: Mapping[str, NewText | Unread]) -> Iterator[Section]:
    """Yield the request with a table of all files, and the diff of each file, also for the page of its unit."""
    read = [value for value in values.values() if not isinstance(value, Unread)]
    found = {one.path: one for value in read for one in (value, *value.others)}
    diffs = {path: _diff(job, one) for path, one in found.items()}
    rows = [(path, _edits(one), *_counts(diffs[path])) for path, one in found.items()]
    rows += [(name, "cannot be read", "", "") for name, value in values.items() if isinstance(value, Unread)]
    yield Section(title="The request", quote=job.request, heads=("file", "edits", "added", "removed"), rows=rows)
    for path, diff in diffs.items():
        if diff:
            code = (CodeText(title=path, text=diff, language="diff"),)
            yield Section(title=f"Changes of {path}", code=code)
            yield Section(title=f"Changes of {path}", code=code, unit=path)


def _diff(job: EditJob, one: NewText) -> str:
    file = job.file(one.path)
    return "\n".join(unified_diff(one.path, file.text if file.exists else None, one.text))


def _edits(one: NewText) -> str:
    if one.by_user:
        return "by you"
    return "the whole file" if one.edits is None else str(one.edits)


def _counts(diff: str) -> tuple[str, str]:
    lines = diff.splitlines()
    added = sum(line.startswith("+") and not line.startswith("+++") for line in lines)
    removed = sum(line.startswith("-") and not line.startswith("---") for line in lines)
    return str(added), str(removed)
