"""The verdict of a command on new code, or why it has none."""

from __future__ import annotations

import re
from dataclasses import dataclass, fields, replace
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from retouch._lib.process.failing_tests import compared_tests, explained
from retouch._lib.process.output import new_failures, trimmed

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from retouch._lib.json_text import JSON
    from retouch._lib.process.launch import CommandResult

Outcome: TypeAlias = Literal["passed", "failed", "inconclusive", "not_run"]
Where: TypeAlias = Literal["same path", "copy", "in place", ""]
Ended: TypeAlias = Literal["passed", "failed", "inconclusive", ""]
# Output of a shell, or of a tool that cannot start. Only searched on the untouched workspace: new code may print it.
_CANNOT_START = re.compile(
    r"^(?:\S*/)?(?:sh|bash|dash|zsh)?:? ?(?:line )?\d+: .*: (?:command )?not found$"
    r"|^\S*python[\d.]*: No module named \S+"
    r"|JAVA_HOME is not (?:set|defined)|JAVA_HOME is set to an invalid"
    r"|Unable to (?:locate a Java Runtime|access jarfile)"
    r"|^npm (?:ERR!|error) Missing script|^env: .*: No such file or directory$",
    re.MULTILINE,
)


_MOST_NAMED = 3


@dataclass(frozen=True, kw_only=True)
class CheckOptions:
    """How check commands are run.

    By default, a command is confined. It has only a loopback network, writes only to the copy, a private /tmp and a
    temporary home directory, and sees no keys. `network` allows the network. `unconfined` allows everything the user
    may do, including secrets. `env` names secret variables to pass on. `in_place` runs the command in the workspace
    itself. `exclude` are patterns (as in .gitignore) of files that are not copied and do not affect results.
    """

    network: bool = False
    unconfined: bool = False
    in_place: bool = False
    env: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()

    def to_json(self) -> dict[str, JSON]:
        """Return the options as JSON values."""
        return {**vars(self), "env": list(self.env), "exclude": list(self.exclude)}

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> CheckOptions:
        """Return the options that `to_json` wrote. Unknown keys of later versions are ignored."""
        known: dict[str, Any] = {one.name: data[one.name] for one in fields(cls) if one.name in data}
        known |= {name: tuple(known[name]) for name in ("env", "exclude") if name in known}
        return cls(**known)


def _never_in_doubt(_result: CommandResult) -> str:
    return ""


@dataclass(frozen=True, kw_only=True)
class CheckStep:
    """One command. Messages call it `name`.

    `baseline` is the required result on the untouched workspace: "pass", "fail", or "any". `doubt` returns why a result
    of this command is no verdict on the code, or "" if it is one: for example, a solver that gave up exits with 1.
    `shorten` returns the part of the output that explains a failure.
    """

    name: str
    command: str
    baseline: Literal["any", "pass", "fail"] = "any"
    doubt: Callable[[CommandResult], str] = _never_in_doubt
    shorten: Callable[[str], str] = trimmed


@dataclass(frozen=True, kw_only=True)
class CommandVerdict:
    """The verdict of one command on the new code.

    "failed" means that the code is incorrect. "inconclusive" means a problem of the command or the machine. "not_run"
    means that the command may not have seen the code. `why` is a sentence without its full stop, `next` the user's next
    step. `baseline` is the command's result on the untouched workspace, `status` its exit status with the change.
    `saw_change` is whether a changed file was opened, None if unknown. `new_failures` and `old_failures` are the
    failing tests that the output names: those that passed on the untouched workspace, and those that failed there too.
    `key` covers every input of the command with the change: workspace, change, commands, programs and environment.
    """

    step: str
    command: str
    outcome: Outcome
    why: str = ""
    next: str = ""
    where: Where = ""
    confined: bool = False
    baseline: Ended = ""
    status: int | None = None
    output: str = ""
    seconds: float = 0.0
    limit_s: float = 0.0
    saw_change: bool | None = None
    new_failures: tuple[str, ...] = ()
    old_failures: tuple[str, ...] = ()
    key: str = ""

    @property
    def is_blind(self) -> bool:
        """Whether it passed with and without the change and opened no changed file. Such a pass proves nothing."""
        return self.saw_change is False and (self.outcome, self.baseline) == ("passed", "passed")


BLIND = "`{}` passed with and without the change, and opened none of the changed files"
BLIND_FIX = "Use a check that reads the changed files, or none."
NOT_CONFINED = "`{}` ran with access to the network and to your files"
NOT_CONFINED_FIX = "This machine does not allow namespaces for commands. See docs/explanation/checks.md."


def ended(result: CommandResult) -> Ended:
    """Return how a command ended."""
    return "inconclusive" if result.tool_failure else "passed" if result.good else "failed"


def cannot_start(result: CommandResult) -> str:
    """Return why a command could not start on the untouched workspace, or "" if it could."""
    if result.tool_failure:
        return result.tool_failure
    found = _CANNOT_START.search(result.output) if not result.good else None
    return f"cannot start: {found[0].strip()}" if found else ""


def of_baseline(step: CheckStep, before: CommandResult) -> CommandVerdict | None:
    """Return the verdict if the result on the untouched workspace rules out a check, else None.

    For example, a compile command that fails before any change cannot check the change.
    """
    why, what_next = "", "Fix the command, install the tool, or give it more time (--check-timeout)."
    no_start = cannot_start(before) or step.doubt(before)
    if no_start:
        why = f"on the untouched workspace, `{step.command}` {no_start}"
    elif step.baseline == "pass" and not before.good:
        why = f"`{step.command}` fails before any change, with exit status {before.status}"
        what_next = "Make the command succeed on the workspace as it is."
    elif step.baseline == "fail" and before.good:
        why = f"`{step.command}` succeeds before any change, so that it cannot tell whether the change is right"
        what_next = "Use a command that fails on the workspace as it is."
    if not why:
        return None
    verdict = _verdict(step, "inconclusive", before, before, why, what_next)
    return replace(verdict, baseline="inconclusive") if no_start else verdict


def of_change(step: CheckStep, before: CommandResult, after: CommandResult) -> CommandVerdict:
    """Return the verdict from the results without and with the change."""
    if no_verdict := after.tool_failure or step.doubt(after):
        why = f"with the change, `{step.command}` {no_verdict}"
        return _verdict(step, "inconclusive", before, after, why, "Look at the output, then run it again.")
    if after.good:
        return _verdict(step, "passed", before, after, "", "")
    why = f"`{step.command}` failed with exit status {after.status}"
    tests = compared_tests(before.output if before is not after else "", after.output)
    if tests.is_known:
        why += f"; {tests.summary()}"
    elif before is not after and not before.good and not new_failures(before.output, after.output):
        why += "; this failed before your change too"
    verdict = _verdict(step, "failed", before, after, why, "")
    output = explained(after.output, tests.new or tests.before) or verdict.output
    return replace(verdict, output=output, new_failures=tests.new, old_failures=tests.before)


def tampered(verdict: CommandVerdict, entries: Sequence[str]) -> CommandVerdict:
    """Return the verdict of a command that passed after it used files that only the change has written.

    `entries` are the files, as in `retouch._lib.process.writes`.
    """
    named = ", ".join(repr(entry[1:]) for entry in entries[:_MOST_NAMED])
    more = f" and {len(entries) - _MOST_NAMED} more" if len(entries) > _MOST_NAMED else ""
    files = f"files that it uses are written or removed: {named}{more}"
    why = f"`{verdict.command}` passed, but only with the change, {files}"
    what_next = "Read the change: its code may write files during the build. If not, keep them out of the build."
    return replace(verdict, outcome="inconclusive", why=why, next=what_next)


def _verdict(
    step: CheckStep, outcome: Outcome, before: CommandResult, after: CommandResult, why: str, what_next: str
) -> CommandVerdict:
    return CommandVerdict(
        step=step.name,
        command=step.command,
        outcome=outcome,
        why=why,
        next=what_next,
        baseline=ended(before),
        status=after.status,
        output=step.shorten(after.output),
        seconds=after.seconds,
        limit_s=after.limit_s,
        key=after.key,
    )
