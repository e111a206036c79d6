"""Tiers 2 and 3: the person's compile command, then their equivalence command, in a copy of their project."""

from __future__ import annotations

import re
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, cast

from retouch._lib.disk import read_text
from retouch._lib.hashing import canonical_hash, text_hash
from retouch.engine.command import project_copy, run, trimmed, words_of
from retouch.engine.types import Issue, Tier
from retouch.errors import BadInput
from retouch.recipes.chisel.pages import text_of
from retouch.recipes.chisel.source import UNIT

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from retouch._lib.json_text import JSON
    from retouch.engine.options import RunOptions
    from retouch.recipes.chisel.answers import Fix
    from retouch.recipes.chisel.source import FixJob

Step: TypeAlias = Literal["compile", "lec"]
COMPILE_FAILED, LEC_FAILED, NOT_CHECKED = "COMPILE_FAILED", "LEC_FAILED", "NOT_CHECKED"
WORKSPACE = "workspace"  # the key under which a run keeps where its commands ran
DIFF_VARIABLE = "RETOUCH_DIFF"
_CODES: Mapping[Step, str] = {"compile": COMPILE_FAILED, "lec": LEC_FAILED}
_TIERS: Mapping[Step, Tier] = {"compile": Tier.SCHEMA, "lec": Tier.SEMANTIC}
_MOST_PLACES = 5


@dataclass(frozen=True, kw_only=True)
class Ran:
    """How one command ended: its exit status, None when it took longer than `limit_s`; what matters of its output."""

    status: int | None
    output: str
    limit_s: float
    seconds: float = 0.0

    @property
    def good(self) -> bool:
        """Whether it succeeded."""
        return self.status == 0

    @property
    def said(self) -> str:
        """The first line of its output that tells of an error, else its first line."""
        lines = [line.strip() for line in self.output.splitlines() if line.strip()]
        return next((line for line in lines if "error" in line.lower()), lines[0] if lines else "")


@dataclass(frozen=True, kw_only=True)
class _Place:
    """Where commands run: the project's folder, and how long each may take."""

    folder: str
    limit_s: float


async def check(job: FixJob, values: Mapping[str, Fix], options: RunOptions) -> list[Issue]:
    """Return the issue of the first command that fails with the fix, none when all succeed.

    A result that the run has kept for the same fix and command is taken instead of running again.

    Raises:
        BadInput: a file of the workspace is not what it was when it was shown.
    """
    fix = values.get(UNIT)
    if fix is None:
        return []
    patience_s = options.check_timeout_s if options.workspace else 0.0
    if missing_step(job, fix, options.recall, patience_s=patience_s) is not None:
        place = _place(options)
        if place is None:
            return [_not_checked(fix)]
        await _run_all(job, fix, options, place)
    for step in steps(job):
        ran = recalled(job, fix, step, options.recall)
        if ran is None or not ran.good:
            return [_not_checked(fix) if ran is None else _failed(fix, step, ran)]
    return []


def steps(job: FixJob) -> tuple[Step, ...]:
    """Return the commands of a job in their order."""
    return ("compile", "lec") if job.lec else ("compile",)


def recalled(job: FixJob, fix: Fix, step: Step, recall: Callable[[str], JSON]) -> Ran | None:
    """Return how a command ended for a fix, None when it was not run."""
    kept = recall(_key(job, fix, step))
    return Ran(**cast("dict[str, Any]", kept)) if isinstance(kept, dict) else None


def missing_step(job: FixJob, fix: Fix, recall: Callable[[str], JSON], *, patience_s: float = 0.0) -> Step | None:
    """Return the first command that has to run yet, None when the kept results tell all.

    One that took too long runs again when `patience_s` is more than it was given.
    """
    for step in steps(job):
        ran = recalled(job, fix, step, recall)
        if ran is None or (ran.status is None and ran.limit_s < patience_s):
            return step
        if not ran.good:
            return None
    return None


def _key(job: FixJob, fix: Fix, step: Step) -> str:
    commands = [job.compile] if step == "compile" else [job.compile, job.lec]
    texts = {job.in_workspace(path): text_hash(text) for path, text in fix.texts.items()}
    return f"{step} {canonical_hash([commands, texts])}"


def _place(options: RunOptions) -> _Place | None:
    """Return where the commands run: where the options say, else where this run's commands ran before."""
    kept = options.recall(WORKSPACE)
    if not options.workspace:
        return _Place(**cast("dict[str, Any]", kept)) if isinstance(kept, dict) else None
    given: dict[str, JSON] = {"folder": options.workspace, "limit_s": options.check_timeout_s}
    if kept != given:
        options.keep(WORKSPACE, given)
    return _Place(folder=options.workspace, limit_s=options.check_timeout_s)


async def _run_all(job: FixJob, fix: Fix, options: RunOptions, place: _Place) -> None:
    texts = {job.in_workspace(path): text for path, text in fix.texts.items()}
    _expect_unchanged(job, fix, Path(place.folder))
    async with project_copy(Path(place.folder), texts) as copy:
        wanted = copy.parent / "wanted.diff"
        wanted.write_text(job.diff, encoding="utf-8", errors="surrogateescape")
        for step in steps(job):
            command = job.compile if step == "compile" else job.lec
            words, began = words_of(command, called=step), time.monotonic()
            ended = await run(words, copy, limit_s=place.limit_s, environment={DIFF_VARIABLE: str(wanted)})
            output = ended.output.replace(f"{copy}/", "")
            seconds = round(time.monotonic() - began, 3)
            ran = Ran(status=ended.status, output=trimmed(output), limit_s=place.limit_s, seconds=seconds)
            options.keep(_key(job, fix, step), cast("dict[str, JSON]", vars(ran)))
            if not ran.good:
                return


def _expect_unchanged(job: FixJob, fix: Fix, folder: Path) -> None:
    for path in fix.texts:
        name = job.in_workspace(path)
        if not (folder / name).is_file() or read_text(folder / name) != job.file(path).text:
            hint = "Give 'retouch generate chisel' again: it looks at the files as they are now."
            raise BadInput(f"{name!r} in {str(folder)!r} is not what the model was shown", hint=hint)


def _failed(fix: Fix, step: Step, ran: Ran) -> Issue:
    what = "the compile command" if step == "compile" else "the equivalence command"
    how = f"took longer than {ran.limit_s:g} s" if ran.status is None else f"failed with exit status {ran.status}"
    detail: dict[str, JSON] = {}
    if ran.output.strip():
        detail["output"] = ran.output
    if named := _lines_named(fix, ran.output):
        detail["lines"] = "\n".join(named)
    return Issue(
        code=_CODES[step],
        message=f"{what} {how}" + (f": {ran.said}" if ran.said else ""),
        tier=_TIERS[step],
        unit=UNIT,
        detail=detail,
        fix=text_of(f"{step}_fail"),
    )


def _lines_named(fix: Fix, output: str) -> list[str]:
    """Return the lines of the changed files that the output names first, as `file:line: text`."""
    found: dict[str, None] = {}
    for path, text in fix.texts.items():
        lines = text.split("\n")
        for match in re.finditer(rf"{re.escape(Path(path).name)}:(\d+)", output):
            number = int(match[1])
            if 1 <= number <= len(lines):
                found[f"{path}:{number}: {lines[number - 1].strip()}"] = None
    return list(found)[:_MOST_PLACES]


def _not_checked(fix: Fix) -> Issue:
    message = "the fix was not compiled: this run does not know the project's folder"
    hint = "Give 'retouch generate chisel' again, with --source and --compile."
    detail: dict[str, JSON] = {"files": list(fix.texts)}
    return Issue(code=NOT_CHECKED, message=message, tier=Tier.SCHEMA, unit=UNIT, detail=detail, fix=hint)
