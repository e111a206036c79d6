"""Tier 3: the user's check command, run on the project with all new content together."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from retouch._lib.disk import read_text
from retouch._lib.process.judging import CheckRequest, CheckStep, judge, unreadable
from retouch._lib.process.judging import preflight as judging_preflight
from retouch._lib.process.verdicts import BLIND, BLIND_FIX, NOT_CONFINED, NOT_CONFINED_FIX
from retouch._lib.redaction import with_own_secrets
from retouch.edits import DirectoryError, tried_in_folder
from retouch.engine.types import Issue, Tier
from retouch.errors import BadInput, CannotJudge
from retouch.recipes.edit.answers import every_text
from retouch.recipes.edit.guard import removal_issues

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from retouch._lib.json_text import JSON
    from retouch._lib.process.judging import CommandVerdict
    from retouch.engine.options import RunOptions
    from retouch.recipes.edit.answers import NewText
    from retouch.recipes.edit.source import EditJob

FAILED, INCONCLUSIVE, NOT_RUN = "CHECK_FAILED", "CHECK_INCONCLUSIVE", "CHECK_NOT_RUN"
UNCONFINED, SAW_NO_CHANGE = "CHECK_NOT_CONFINED", "CHECK_SAW_NO_CHANGE"
_MOST_PATH = 1_000  # characters of a path in the output
_CODES = {"inconclusive": INCONCLUSIVE, "not_run": NOT_RUN}


async def preflight(job: EditJob, options: RunOptions) -> None:
    """Run the check on the unchanged project.

    Raises:
        BadInput: the shell cannot parse the command.
        CannotJudge: the check gives no result here, for example because its program is missing.
    """
    if not job.check or not options.workspace:
        return
    if fault := unreadable(job.check):
        raise BadInput(f"the check command {job.check!r} cannot be parsed: {fault}", hint="Balance its quotes.")
    verdict = await judging_preflight(_check_request(job, options))
    if verdict is not None:
        printed = "".join(f"\n  {line}" for line in verdict.output.splitlines()[-5:])
        raise CannotJudge(f"the check gives no result: {verdict.why}{printed}", hint=verdict.next)


async def check(job: EditJob, values: Mapping[str, NewText], options: RunOptions) -> list[Issue]:
    """Return the issues of all new content together: what it removes without a request, then what the check command
    finds.

    If something was removed and the user has not agreed, the command is not run.

    Raises:
        BadInput: a file cannot be written.
    """
    removals = [*_conflicts(values), *removal_issues(job, values, options.allow_removal)]
    if any(issue.is_error for issue in removals):
        return removals
    return [*removals, *await _run_check(job, values, options)]


def _conflicts(values: Mapping[str, NewText]) -> list[Issue]:
    """Return an issue for each file that two answers change in different ways."""
    texts = every_text(values)
    found: list[Issue] = []
    for unit, value in values.items():
        for other in value.others:
            first, text = texts[other.path]
            if text.text != other.text:
                message = f"the answers for {first!r} and {unit!r} change {other.path!r} in different ways"
                fix = f"Leave {other.path!r} as it is."
                found.append(Issue(code="CONFLICT", message=message, tier=Tier.SCHEMA, unit=unit, page=1, fix=fix))
    return found


async def _run_check(job: EditJob, values: Mapping[str, NewText], options: RunOptions) -> list[Issue]:
    """Return the issues of running the check command on all new content together, or [] without a command.

    An answer that changes nothing is checked too. The issues refer to the files that the output names, or to all
    changed ones if it names none. If the check returned no result, the error is not reported to a model: its `detail`
    has "tool".
    """
    if not job.check or not values:
        return []
    if not options.workspace:
        return [_without_workspace(job, next(iter(values)))]
    new = {path: value.text for path, (_, value) in every_text(values).items() if value.changed}
    texts = {path: _as_written(Path(options.workspace) / path, text) for path, text in new.items()}
    try:
        (verdict,) = await judge(_check_request(job, options), texts)
    except DirectoryError as error:
        raise BadInput(f"the check was not run: {error.message}", hint=error.hint) from error
    return _issues(verdict, values, options)


def _as_written(place: Path, text: str) -> str:
    """Return the text with the secrets of the user's own file, as it will be written."""
    return with_own_secrets(text, read_text(place)) if place.is_file() else text


async def check_written(job: EditJob, options: RunOptions) -> CommandVerdict:
    """Return the verdict of the check command on the project as it is now. It always runs."""
    (verdict,) = await judge(replace(_check_request(job, options), fresh=True, recall=None, keep=None), {})
    return verdict


def _without_workspace(job: EditJob, unit: str) -> Issue:
    """Return the issue of a check that was not run because no workspace was given, for example in a library call."""
    message = f"`{job.check}` was not run: no workspace was given"
    fix = "Pass RunOptions(workspace=...), or run: retouch validate DIR"
    detail: dict[str, JSON] = {"not_run": True, "requested": True}
    return Issue(
        code=NOT_RUN, message=message, tier=Tier.SEMANTIC, unit=unit, severity="warning", fix=fix, detail=detail
    )


def _check_request(job: EditJob, options: RunOptions) -> CheckRequest:
    return CheckRequest(
        steps=(CheckStep(name="check", command=job.check),),
        workspace=Path(options.workspace),
        files=tuple(file.path for file in (*job.files, *job.others)),
        limit_s=options.check_timeout_s,
        options=options.checks,
        in_place=tried_in_folder,
        recall=options.recall,
        keep=options.keep,
    )


def _issues(verdict: CommandVerdict, values: Mapping[str, NewText], options: RunOptions) -> list[Issue]:
    changed = [value.path for value in values.values() if value.changed or value.others] or list(values)
    detail: dict[str, JSON] = {"output": verdict.output} if verdict.output.strip() else {}
    if verdict.is_blind:
        return [_blind(verdict, changed[0])]
    if verdict.outcome == "passed":
        return _remarks(verdict, changed[0], options)
    if verdict.outcome == "failed":
        named = _named(values, changed, verdict) or _named(values, list(values), verdict)
        detail |= _failing_tests(verdict)
        fix = "Change the file so that the command succeeds."
        return [
            Issue(code=FAILED, message=verdict.why, tier=Tier.SEMANTIC, unit=path, detail=detail, fix=fix)
            for path in named or changed
        ]
    detail |= {"tool": True, "check": verdict.outcome}
    code = _CODES[verdict.outcome]
    return [Issue(code=code, message=verdict.why, tier=Tier.SEMANTIC, unit=changed[0], detail=detail, fix=verdict.next)]


def _others(value: NewText) -> list[str]:
    return [other.path for other in value.others]


def _named(values: Mapping[str, NewText], units: Sequence[str], verdict: CommandVerdict) -> list[str]:
    """Return those of the units of which the output names a file."""
    return [unit for unit in units if any(_is_named(one, verdict) for one in (unit, *_others(values[unit])))]


def _is_named(path: str, verdict: CommandVerdict) -> bool:
    """Return whether the output names the file: by its path, by an end of it, or by its name alone.

    `tests/test_app.py` is not a mention of `app.py`, and `a/__init__.py` is none of `b/__init__.py`.
    """
    output = verdict.output.replace("\\", "/")
    for found in re.finditer(rf"(?<![\w-]){re.escape(Path(path).name)}(?!\w)", output):
        before = re.search(r"[\w./-]*\Z", output[max(0, found.start() - _MOST_PATH) : found.start()])
        mention = (before[0] if before else "") + found[0]
        mention = mention.removeprefix("./")
        if f"/{path}".endswith(f"/{mention}") or mention.endswith(f"/{path}"):
            return True
    return False


def _failing_tests(verdict: CommandVerdict) -> dict[str, JSON]:
    found: dict[str, JSON] = {}
    if verdict.new_failures:
        found["new_failures"] = list(verdict.new_failures)
    if verdict.old_failures:
        found["failed_before"] = list(verdict.old_failures)
    return found


def _blind(verdict: CommandVerdict, unit: str) -> Issue:
    """Return the issue of a check that passed and cannot have seen the change. No model receives it."""
    message = BLIND.format(verdict.command)
    detail: dict[str, JSON] = {"tool": True, "check": "not_run"}
    return Issue(code=SAW_NO_CHANGE, message=message, tier=Tier.SEMANTIC, unit=unit, detail=detail, fix=BLIND_FIX)


def _remarks(verdict: CommandVerdict, unit: str, options: RunOptions) -> list[Issue]:
    """Return notes about a check that passed."""
    found: list[Issue] = []
    if verdict.saw_change is False:
        message = f"`{verdict.command}` passes only with the change, and opened none of the changed files"
        fix = "Make sure that the check covers them. It may have used an installed copy of the code."
        found.append(
            Issue(code=SAW_NO_CHANGE, message=message, tier=Tier.SEMANTIC, unit=unit, severity="warning", fix=fix)
        )
    if not verdict.confined and not options.checks.unconfined:
        message = NOT_CONFINED.format(verdict.command)
        tier = Tier.SEMANTIC
        found.append(
            Issue(code=UNCONFINED, message=message, tier=tier, unit=unit, severity="info", fix=NOT_CONFINED_FIX)
        )
    return found
