"""Tiers 2 and 3: run the user's compile command, then the equivalence command, on the project with the fix."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, cast

from retouch._lib.disk import read_text
from retouch._lib.hashing import canonical_hash, text_hash
from retouch._lib.process.judging import CheckRequest, judge, unreadable
from retouch._lib.process.judging import CheckStep as Command
from retouch._lib.process.judging import preflight as judging_preflight
from retouch._lib.process.outside_files import mentioned_text, named_text
from retouch._lib.process.verdicts import BLIND, BLIND_FIX, NOT_CONFINED, NOT_CONFINED_FIX
from retouch.edits import DirectoryError, tried_in_folder
from retouch.engine.types import Issue, Tier
from retouch.errors import BadInput, CannotJudge
from retouch.recipes.chisel.diagnostics import (
    compile_doubt,
    equivalence_doubt,
    equivalence_output,
    first_error,
    relevant_output,
)
from retouch.recipes.chisel.pages import text_of
from retouch.recipes.chisel.proofs import PROOFS, shown, without_comments
from retouch.recipes.chisel.source import UNIT

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from retouch._lib.json_text import JSON
    from retouch._lib.process.judging import CommandVerdict
    from retouch.engine.options import RunOptions
    from retouch.recipes.chisel.answers import Fix
    from retouch.recipes.chisel.proofs import Proof
    from retouch.recipes.chisel.source import FixJob

Step: TypeAlias = Literal["compile", "lec"]
COMPILE_FAILED, LEC_FAILED, NOT_CHECKED = "COMPILE_FAILED", "LEC_FAILED", "NOT_CHECKED"
UNCONFINED = "CHECK_NOT_CONFINED"
WORKSPACE = "workspace"  # the key of the workspace and time limit of a run's commands
DIFF_VARIABLE = "RETOUCH_DIFF"
_REPEATED = "repeated {}"  # the key of a proof that was repeated, by all of its inputs
_CODES: Mapping[Step, str] = {"compile": COMPILE_FAILED, "lec": LEC_FAILED}
_INCONCLUSIVE_CODES: Mapping[Step, str] = {"compile": "COMPILE_INCONCLUSIVE", "lec": "LEC_INCONCLUSIVE"}
_TIERS: Mapping[Step, Tier] = {"compile": Tier.SCHEMA, "lec": Tier.SEMANTIC}
_MOST_PLACES = 5
NOT_PROVED: Mapping[Proof, str] = {
    "compiled": "compiled, not proved",
    "simulated": "simulated, not proved",
    "bounded": "proved up to a bound, not for all time",
    "proved": "",
}


@dataclass(frozen=True, kw_only=True)
class CheckRun:
    """The result of one command on a fix: its exit status, and the relevant part of its output.

    `proof` is what a passing equivalence command has shown, "" for other results and for those of older versions.
    `confined` is False if it should have been confined, but the machine does not allow that.
    """

    status: int | None
    output: str
    limit_s: float
    seconds: float = 0.0
    proof: str = ""
    confined: bool = True

    @property
    def succeeded(self) -> bool:
        """True if the command succeeded."""
        return self.status == 0

    @property
    def first_error_line(self) -> str:
        """The first error message of its output, otherwise its first line."""
        return first_error(self.output)


@dataclass(frozen=True, kw_only=True)
class _Place:
    """The project directory, and the time limit of each command."""

    folder: str
    limit_s: float


async def preflight(job: FixJob, options: RunOptions) -> None:
    """Run the commands on the unchanged project. It must compile, and must not be equivalent to the wanted hardware.

    Raises:
        BadInput: the shell cannot parse a command.
        CannotJudge: a command cannot judge the project, for example because a program is missing.
    """
    for step in steps(job):
        command = job.compile if step == "compile" else job.lec
        if parse_error := unreadable(command):
            raise BadInput(
                f"the {step} command {command!r} cannot be parsed: {parse_error}", hint="Balance its quotes."
            )
    if (place := _place(options)) is None:
        return
    verdict = await judging_preflight(_check_request(job, options, place))
    if verdict is not None:
        printed = "".join(f"\n  {line}" for line in verdict.output.splitlines()[-5:])
        raise CannotJudge(f"the {verdict.step} command cannot judge: {verdict.why}{printed}", hint=verdict.next)


async def check(job: FixJob, values: Mapping[str, Fix], options: RunOptions) -> list[Issue]:
    """Return the issue of the first command that fails with the fix. Empty if all pass.

    A command without a verdict is an error that models are not asked to repair: its `detail` has "tool". It is not
    stored as a result of the fix. Without a workspace, stored results are used.

    Raises:
        BadInput: a file of the workspace changed since it was shown to the model.
    """
    fix = values.get(UNIT)
    if fix is None:
        return []
    place = _place(options)
    if place is None:
        return _issues_of_stored_results(job, fix, options)
    if (changed := _changed_since(job, fix, Path(place.folder))) is not None:
        if missing_step(job, fix, options.recall) is None:
            return [_outdated(changed)]
        hint = "Run 'retouch generate chisel' again. It reads the current files."
        raise BadInput(f"{changed!r} in {place.folder!r} has changed since it was shown to the model", hint=hint)
    texts = {job.in_workspace(path): text for path, text in fix.texts.items()}
    request = _check_request(job, options, place)
    try:
        verdicts = await judge(request, texts)
        if _is_first_proof(job, verdicts, options):
            verdicts = await judge(replace(request, repeat=True), texts)
            if verdicts and _is_first_proof(job, verdicts, options):
                options.keep(_REPEATED.format(verdicts[-1].key), True)
    except DirectoryError as error:
        raise BadInput(f"the fix was not compiled: {error.message}", hint=error.hint) from error
    return _issues(job, fix, verdicts, options)


def _check_request(job: FixJob, options: RunOptions, place: _Place) -> CheckRequest:
    compiled = Command(
        name="compile", command=job.compile, baseline="pass", doubt=compile_doubt, shorten=relevant_output
    )
    compared = Command(
        name="lec", command=job.lec, baseline="fail", doubt=equivalence_doubt, shorten=equivalence_output
    )
    commands = [compiled, compared] if job.lec else [compiled]
    return CheckRequest(
        steps=tuple(commands),
        workspace=Path(place.folder),
        files=tuple(job.in_workspace(file.path) for file in job.files),
        limit_s=place.limit_s,
        options=options.checks,
        given={DIFF_VARIABLE: job.diff},
        in_place=tried_in_folder,
        recall=options.recall,
        keep=options.keep,
        neutral=_with_comment,
    )


def _with_comment(text: str) -> str:
    """Return Scala source with one more comment. It moves all lines, so that each class is compiled to other code."""
    return f"// The same code as before.\n{text}"


def _is_first_proof(job: FixJob, verdicts: Sequence[CommandVerdict], options: RunOptions) -> bool:
    """Return whether the equivalence command passed, and had not already passed twice on this content of the
    workspace.

    Then both commands run a second time, on the project with the fix and without it. A script that succeeds at every
    second call, or because of a file that its first call left, has proved nothing.
    """
    passed = bool(job.lec) and len(verdicts) == len(steps(job)) and all(one.outcome == "passed" for one in verdicts)
    return passed and options.recall(_REPEATED.format(verdicts[-1].key)) is not True


def _issues(job: FixJob, fix: Fix, verdicts: Sequence[CommandVerdict], options: RunOptions) -> list[Issue]:
    for verdict in verdicts:
        step: Step = "lec" if verdict.step == "lec" else "compile"
        if verdict.outcome in {"inconclusive", "not_run"}:
            return [_inconclusive(step, verdict)]
        if verdict.is_blind:
            why = BLIND.format(verdict.command)
            return [_inconclusive(step, replace(verdict, outcome="not_run", why=why, next=BLIND_FIX))]
        proof = _shown(job, verdict, options) if step == "lec" and verdict.outcome == "passed" else ""
        ran = CheckRun(
            status=verdict.status,
            output=verdict.output,
            limit_s=verdict.limit_s,
            seconds=verdict.seconds,
            proof=proof,
            confined=verdict.confined or options.checks.unconfined,
        )
        data = cast("dict[str, JSON]", vars(ran))
        if options.recall(_key(job, fix, step)) != data:
            options.keep(_key(job, fix, step), data)
        if verdict.outcome == "failed":
            return [_failed(fix, step, ran)]
        if proof and PROOFS.index(proof) < PROOFS.index(job.lec_shows):
            return [_less_than_declared(job, proof)]
    return _remarks(job, fix, options)


def _remarks(job: FixJob, fix: Fix, options: RunOptions) -> list[Issue]:
    """Return a note about the commands that passed and were not confined, because the machine does not allow that."""

    def is_free(step: Step) -> bool:
        ran = recalled(job, fix, step, options.recall)
        return ran is not None and not ran.confined

    free: list[Step] = [step for step in steps(job) if is_free(step)]
    if not free:
        return []
    commands = "` and `".join(job.compile if step == "compile" else job.lec for step in free)
    return [
        Issue(
            code=UNCONFINED,
            message=NOT_CONFINED.format(commands),
            tier=_TIERS[free[-1]],
            unit=UNIT,
            severity="info",
            fix=NOT_CONFINED_FIX,
        )
    ]


def _shown(job: FixJob, verdict: CommandVerdict, options: RunOptions) -> Proof:
    """Return what the user declares that the equivalence command shows, unless its output or its scripts tell less."""
    place = _place(options)
    if place is None:
        return shown(job.lec_shows, verdict.output, job.lec)
    folder = Path(place.folder)
    named = named_text(job.lec, folder, without_comments)
    return shown(job.lec_shows, verdict.output, mentioned_text(job.lec, folder), named)


def _less_than_declared(job: FixJob, proof: Proof) -> Issue:
    message = f"`{job.lec}` passed, but its output or script tells that the fix was only {NOT_PROVED[proof]}"
    fix = f"Use a command that proves, or accept less: --lec-shows {proof}"
    detail: dict[str, JSON] = {"tool": True, "check": "not_run", "not_run": NOT_PROVED[proof], "proof": proof}
    return Issue(
        code=_INCONCLUSIVE_CODES["lec"], message=message, tier=_TIERS["lec"], unit=UNIT, detail=detail, fix=fix
    )


def proof_of(job: FixJob, fix: Fix, recall: Callable[[str], JSON]) -> Proof | None:
    """Return what the stored results have shown for a fix. None if it failed, or was not compiled."""
    ran = [recalled(job, fix, step, recall) for step in steps(job)]
    if ran[0] is None or any(one is not None and not one.succeeded for one in ran):
        return None
    if len(ran) == 1 or ran[1] is None:
        return "compiled"
    return cast("Proof", ran[1].proof or "proved")


def _issues_of_stored_results(job: FixJob, fix: Fix, options: RunOptions) -> list[Issue]:
    for step in steps(job):
        ran = recalled(job, fix, step, options.recall)
        if ran is None or not ran.succeeded:
            return [_not_checked(fix) if ran is None else _failed(fix, step, ran)]
        if (proof := cast("Proof", ran.proof)) and PROOFS.index(proof) < PROOFS.index(job.lec_shows):
            return [_less_than_declared(job, proof)]
    return _remarks(job, fix, options)


def steps(job: FixJob) -> tuple[Step, ...]:
    """Return the commands of a job in order."""
    return ("compile", "lec") if job.lec else ("compile",)


def recalled(job: FixJob, fix: Fix, step: Step, recall: Callable[[str], JSON]) -> CheckRun | None:
    """Return the result of a command for a fix. None if it has no result yet."""
    kept = recall(_key(job, fix, step))
    ran = CheckRun(**cast("dict[str, Any]", kept)) if isinstance(kept, dict) else None
    return ran if ran is not None and ran.status is not None else None  # older runs stored time-outs, too


def missing_step(job: FixJob, fix: Fix, recall: Callable[[str], JSON]) -> Step | None:
    """Return the first command without a result for the fix. None if the stored results are complete."""
    for step in steps(job):
        ran = recalled(job, fix, step, recall)
        if ran is None:
            return step
        if not ran.succeeded:
            return None
    return None


def _key(job: FixJob, fix: Fix, step: Step) -> str:
    commands = [job.compile] if step == "compile" else [job.compile, job.lec]
    texts = {job.in_workspace(path): text_hash(text) for path, text in fix.texts.items()}
    return f"{step} {canonical_hash([commands, texts])}"


def _place(options: RunOptions) -> _Place | None:
    """Return the place of the commands: from the options, otherwise from an earlier command of this run."""
    kept = options.recall(WORKSPACE)
    if not options.workspace:
        return _Place(**cast("dict[str, Any]", kept)) if isinstance(kept, dict) else None
    given: dict[str, JSON] = {"folder": options.workspace, "limit_s": options.check_timeout_s}
    if kept != given:
        options.keep(WORKSPACE, given)
    return _Place(folder=options.workspace, limit_s=options.check_timeout_s)


def _changed_since(job: FixJob, fix: Fix, folder: Path) -> str | None:
    """Return the first file of the fix that is neither as shown to the model nor as the fix changes it."""
    for path, text in fix.texts.items():
        name = job.in_workspace(path)
        if not (folder / name).is_file() or read_text(folder / name) not in {job.file(path).text, text}:
            return name
    return None


def _inconclusive(step: Step, verdict: CommandVerdict) -> Issue:
    detail: dict[str, JSON] = {"tool": True, "check": verdict.outcome}
    detail |= {"output": verdict.output} if verdict.output.strip() else {}
    return Issue(
        code=_INCONCLUSIVE_CODES[step],
        message=verdict.why,
        tier=_TIERS[step],
        unit=UNIT,
        detail=detail,
        fix=verdict.next,
    )


def _outdated(name: str) -> Issue:
    message = f"{name!r} has changed since the fix was checked"
    fix = "Run 'retouch generate chisel' again. It reads the current files."
    return Issue(code=NOT_CHECKED, message=message, tier=Tier.SCHEMA, unit=UNIT, detail={"tool": True}, fix=fix)


def _failed(fix: Fix, step: Step, ran: CheckRun) -> Issue:
    what = "the compile command" if step == "compile" else "the equivalence command"
    how = f"failed with exit status {ran.status}"
    detail: dict[str, JSON] = {}
    if ran.output.strip():
        detail["output"] = ran.output
    if named := _lines_named(fix, ran.output):
        detail["lines"] = "\n".join(named)
    return Issue(
        code=_CODES[step],
        message=f"{what} {how}" + (f": {ran.first_error_line}" if ran.first_error_line else ""),
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
    message = "the fix was not compiled: this run does not know the project's directory"
    hint = "Run 'retouch generate chisel' again, with --source and --compile."
    detail: dict[str, JSON] = {"files": list(fix.texts)}
    return Issue(code=NOT_CHECKED, message=message, tier=Tier.SCHEMA, unit=UNIT, detail=detail, fix=hint)
