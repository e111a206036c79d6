"""What a command says of new code, and when it says nothing: the table of verdicts."""

from __future__ import annotations

import re
from dataclasses import dataclass, fields, replace
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from retouch._lib.process.output import new_failures, trimmed

if TYPE_CHECKING:
    from collections.abc import Mapping

    from retouch._lib.json_text import JSON
    from retouch._lib.process.launch import CommandResult

Outcome: TypeAlias = Literal["passed", "failed", "inconclusive", "not_run"]
Where: TypeAlias = Literal["same path", "copy", "in place", ""]
Ended: TypeAlias = Literal["passed", "failed", "inconclusive", ""]
# What a shell, or a tool that cannot start, prints. Looked for on the untouched workspace only: new code may print it.
_CANNOT_START = re.compile(
    r"^(?:\S*/)?(?:sh|bash|dash|zsh)?:? ?(?:line )?\d+: .*: (?:command )?not found$"
    r"|^\S*python[\d.]*: No module named \S+"
    r"|JAVA_HOME is not (?:set|defined)|JAVA_HOME is set to an invalid"
    r"|Unable to (?:locate a Java Runtime|access jarfile)"
    r"|^npm (?:ERR!|error) Missing script|^env: .*: No such file or directory$",
    re.MULTILINE,
)


@dataclass(frozen=True, kw_only=True)
class CheckOptions:
    """How commands that judge are run.

    By default a command is confined: it has no network but a loopback of its own, writes only into the copy, a private
    /tmp and a throw-away home, and sees no keys. `network` gives it the network; `unconfined` gives it all that the
    user has, secrets included. `env` names secret variables that it gets. `in_place` runs it in the workspace itself.
    `exclude` are patterns (as in .gitignore) of files that are not copied and make no difference to results.
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
        """Return the options that `to_json` wrote; those of later versions are left out."""
        known: dict[str, Any] = {one.name: data[one.name] for one in fields(cls) if one.name in data}
        known |= {name: tuple(known[name]) for name in ("env", "exclude") if name in known}
        return cls(**known)


@dataclass(frozen=True, kw_only=True)
class CheckStep:
    """One command; messages call it `name`.

    `baseline` is what it must do on the untouched workspace for its word to count: "pass", "fail", or "any".
    """

    name: str
    command: str
    baseline: Literal["any", "pass", "fail"] = "any"


@dataclass(frozen=True, kw_only=True)
class CommandVerdict:
    """What one command says of the new code.

    Only "failed" is about the code. "inconclusive" is about the command or the machine, "not_run" says that the command
    may not have seen the code. `why` is a sentence without its full stop, `next` what the user can do. `baseline` is
    how the command ended on the untouched workspace, `status` its exit status with the change. `saw_change` is whether
    a changed file was opened, None if that is not known.
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

    @property
    def is_blind(self) -> bool:
        """Whether it passed with and without the change, and opened none of the changed files: it proves nothing."""
        return self.saw_change is False and (self.outcome, self.baseline) == ("passed", "passed")


BLIND = "`{}` passed with and without the change, and opened none of the changed files"
BLIND_FIX = "Use a check that reads the changed files, or none."


def ended(result: CommandResult) -> Ended:
    """Return how a command ended."""
    return "inconclusive" if result.tool_failure else "passed" if result.good else "failed"


def cannot_start(result: CommandResult) -> str:
    """Return why a command on the untouched workspace judges nothing: it could not even start; "" if it could."""
    if result.tool_failure:
        return result.tool_failure
    found = _CANNOT_START.search(result.output) if not result.good else None
    return f"cannot start: {found[0].strip()}" if found else ""


def of_baseline(step: CheckStep, before: CommandResult) -> CommandVerdict | None:
    """Return the verdict that the untouched workspace alone decides, None if the change may be judged.

    For example, a compile command that fails before any change says nothing about the change.
    """
    why, what_next = "", "Fix the command, install the tool, or give it more time (--check-timeout)."
    if why := cannot_start(before):
        why = f"on the untouched workspace, `{step.command}` {why}"
    elif step.baseline == "pass" and not before.good:
        why = f"`{step.command}` fails before any change, with exit status {before.status}"
        what_next = "Make the command succeed on the workspace as it is."
    elif step.baseline == "fail" and before.good:
        why = f"`{step.command}` succeeds before any change, so that it cannot tell whether the change is right"
        what_next = "Use a command that fails on the workspace as it is."
    if not why:
        return None
    verdict = _verdict(step, "inconclusive", before, before, why, what_next)
    return replace(verdict, baseline="inconclusive") if cannot_start(before) else verdict


def of_change(step: CheckStep, before: CommandResult, after: CommandResult) -> CommandVerdict:
    """Return what the ends of a command without and with the change say."""
    if after.tool_failure:
        why = f"with the change, `{step.command}` {after.tool_failure}"
        return _verdict(step, "inconclusive", before, after, why, "Look at the output, then run it again.")
    if after.good:
        return _verdict(step, "passed", before, after, "", "")
    why = f"`{step.command}` failed with exit status {after.status}"
    if before is not after and not before.good and not new_failures(before.output, after.output):
        why += "; this failed before your change too"
    return _verdict(step, "failed", before, after, why, "")


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
        output=trimmed(after.output),
        seconds=after.seconds,
        limit_s=after.limit_s,
    )
