"""Jobs: directories with `job.json` and several runs. Their recipe defines what the verbs over runs do for them."""

from __future__ import annotations

import json
from contextlib import suppress
from importlib import import_module
from typing import TYPE_CHECKING, Any, cast

from retouch.errors import BadInput, RetouchError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from pathlib import Path

    from retouch.report.tree import OverallStatus

JOB, SHARDS = "job.json", "shards"
FLEET, RUN, EVALUATION = "fleet.json", "ir.json", "evaluation.json"
TREES = "retouch.cli.trees"
"""The module with a function of each verb for a fleet, and for a directory with runs below it."""


def run_on_job(folder: Path, verb: str, given: Mapping[str, Any]) -> int | None:
    """Do the work of a verb for a directory of several runs, and return the exit status. None if it is not one.

    It may be a job of a recipe, a fleet, an evaluation, or any directory with runs below it.

    Raises:
        BadInput: no recipe that is installed makes such jobs.
    """
    recipe = recipe_of_job(folder)
    if recipe is None:
        return resolved_verb(verb)(folder, given) if holds_runs(folder) else None
    from retouch.cli.contributions import commands_of

    module = commands_of(recipe).job
    if not module:
        message = f"{str(folder)!r} is a job of {recipe!r}, and no recipe of this name is installed that makes jobs"
        raise BadInput(message, hint="Install it: 'retouch recipes' lists what is installed.")
    return getattr(import_module(module), verb)(folder, given)


def status_of_job(folder: Path) -> OverallStatus | None:
    """Return the status of a job as `retouch show` prints it. None if the directory is not a job."""
    from retouch.cli.contributions import commands_of
    from retouch.report.tree import OverallStatus

    recipe = recipe_of_job(folder)
    if recipe is None:
        return None
    try:
        module = commands_of(recipe).job
        if module:
            return OverallStatus(**import_module(module).status(folder))
        problem = f"no recipe {recipe!r} that makes jobs is installed"
    except (RetouchError, OSError) as error:
        problem = str(error)
    return OverallStatus(status="unverified", reason=f"the status of the job is unknown: {problem}")


def resolved_verb(verb: str) -> Callable[..., int]:
    """Return what a verb does for a fleet, and for a directory with runs below it."""
    found: Callable[..., int] = getattr(import_module(TREES), verb)
    return found


def holds_runs(folder: Path) -> bool:
    """Return whether a directory is a fleet or an evaluation, or has runs below it and is no run itself."""
    if (folder / RUN).exists():
        return False
    return (folder / FLEET).is_file() or (folder / EVALUATION).is_file() or any(runs_below(folder))


def runs_below(folder: Path) -> Iterator[Path]:
    """Yield the runs in the directories of `folder`, and in those below them. Of an evaluation, yield all its runs."""
    patterns = [f"*/{RUN}", f"*/*/{RUN}"]
    if (folder / EVALUATION).is_file():
        patterns = [f"*/trial-*/*/{RUN}"]
    for pattern in patterns:
        for found in folder.glob(pattern):
            yield found.parent


def recipe_of_job(folder: Path) -> str | None:
    """Return the name of the recipe of a job, None if the directory is not one."""
    with suppress(OSError, ValueError):
        data: object = json.loads((folder / JOB).read_bytes())
        if isinstance(data, dict):
            name = cast("dict[str, object]", data).get("recipe")
            return name if isinstance(name, str) else None
    return None


def refuse_job(folder: Path) -> None:
    """Check that a directory is not a job, for verbs that work on one run.

    Raises:
        BadInput: it is one. The hint names its runs.
    """
    if recipe_of_job(folder) is not None:
        hint = (
            f"show, resume, validate and report take a job. Name one of its runs: {str(folder / SHARDS / '00000')!r}."
        )
        raise BadInput(f"{str(folder)!r} is a job of several runs, not a run directory", hint=hint)


def job_notes(run: Path) -> tuple[str, ...]:
    """Return the note that a run is a part of a job, if it is."""
    job = run.parent.parent
    if run.parent.name != SHARDS or recipe_of_job(job) is None:
        return ()
    return (
        f"this run is a part of the job {str(job)!r}: after a change, 'retouch resume {job}' writes its files again",
    )
