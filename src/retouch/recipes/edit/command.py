"""Tier 3: the person's own check command, in a copy of the project with the new texts in place."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from retouch.engine.command import project_copy, run, trimmed, words_of
from retouch.engine.types import Issue, Tier

if TYPE_CHECKING:
    from collections.abc import Mapping

    from retouch.engine.command import Outcome
    from retouch.engine.options import RunOptions
    from retouch.recipes.edit.answers import NewText
    from retouch.recipes.edit.source import EditJob


async def check(job: EditJob, values: Mapping[str, NewText], options: RunOptions) -> list[Issue]:
    """Return the issues of running the check command over all new texts together, [] when there is no command.

    The original folder is only read. The files that the output names are to blame; all changed ones when it names none.
    """
    if not job.check or not options.workspace or not any(value.changed for value in values.values()):
        return []
    words = words_of(job.check, called="check")
    texts = {value.path: value.text for value in values.values() if value.changed}
    async with project_copy(Path(options.workspace), texts) as copy:
        outcome = await run(words, copy, limit_s=options.check_timeout_s)
    return [] if outcome.status == 0 else _issues(job.check, values, outcome, options.check_timeout_s)


def _issues(command: str, values: Mapping[str, NewText], outcome: Outcome, limit_s: float) -> list[Issue]:
    changed = [value.path for value in values.values() if value.changed]
    named = [path for path in changed if path in outcome.output or Path(path).name in outcome.output]
    if outcome.status is None:
        what = f"`{command}` took longer than {limit_s:g} s and was stopped"
    else:
        what = f"`{command}` failed with exit status {outcome.status}"
    detail = {"output": trimmed(outcome.output)} if outcome.output.strip() else {}
    fix = "Change the file so that the command succeeds; send all edits again."
    return [
        Issue(code="CHECK_FAILED", message=what, tier=Tier.SEMANTIC, unit=path, detail=detail, fix=fix)
        for path in named or changed
    ]
