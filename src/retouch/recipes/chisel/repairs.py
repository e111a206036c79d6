"""Plans repairs: the same candidate with the errors, the next candidate, or none."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from retouch.engine.repair import FollowUp, Instead, RepairContext, correction_block
from retouch.recipes.chisel.answers import REJECTED, marked
from retouch.recipes.chisel.checking import LEC_FAILED, NOT_CHECKED
from retouch.recipes.chisel.pages import fenced, group_shown, named, prompt_for, text_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from retouch.engine.repair import Repair
    from retouch.engine.types import Attempt, Issue
    from retouch.recipes.chisel.answers import Fix
    from retouch.recipes.chisel.source import FixJob

TRIED_HEADING = "TRIED BEFORE, in vain:"


def repair(
    job: FixJob, unit: str, issues: Sequence[Issue], attempts: Sequence[Attempt], values: Mapping[str, Fix]
) -> Repair | None:
    """Return the next repair. None if nothing is left to try.

    - If an answer does not apply, the same candidate is shown again with the edits that did not match.
    - If it does not compile, a follow-up contains the errors.
    - If it is not equivalent, a follow-up contains the output, until the next candidate is more likely.
      Each unsuccessful answer halves the weight of its candidate.
    - If the model answers NOT HERE, a candidate had `asks_each` calls, or the same answer comes twice, the next
      candidate is tried.
    - If the user starts the regeneration, the candidate of the current answer is tried.
    """
    if any(issue.code == NOT_CHECKED for issue in issues):
        return None
    if not attempts:
        return _same_candidate(job, values[unit].place if unit in values else 0, issues, ())
    last = attempts[-1]
    place = group_shown(job, last)
    asked = [attempt for attempt in attempts if group_shown(job, attempt) == place]
    own = [] if last.readable else [issue for issue in last.issues if issue.severity == "error"]
    wrong = own or issues
    if _is_over(job, place, asked, wrong):
        return _next(job, place + 1, attempts, wrong)
    if not own:
        return FollowUp(turn=_command_report(issues), merge=partial(_marked, place))
    if own[0].detail.get("finish") == "length" and last.why != "followup":
        # the same prompt with a larger output limit
        return Instead(prompt=last.request.prompt, merge=partial(_marked, place))
    return _same_candidate(job, place, own, asked)


def _is_over(job: FixJob, place: int, asked: Sequence[Attempt], issues: Sequence[Issue]) -> bool:
    """Return whether a group of candidates needs no further calls."""
    codes = {issue.code for issue in issues}
    replies = [attempt.reply.text for attempt in asked if attempt.reply is not None]
    repeated = len(replies) > len(set(replies))
    if REJECTED in codes or len(asked) >= job.asks_each or repeated:
        return True
    if LEC_FAILED not in codes or place + 1 >= len(job.groups):
        return False
    here, there = (max(suspect.weight for suspect in job.groups[at]) for at in (place, place + 1))
    return here * 0.5 ** sum(attempt.readable for attempt in asked) < there


def _next(job: FixJob, place: int, attempts: Sequence[Attempt], issues: Sequence[Issue]) -> Repair | None:
    """Return the repair that shows the group of candidates at `place`, after `issues` ended the previous one."""
    if place >= len(job.groups):
        return None
    lines = [
        TRIED_HEADING,
        *(_failure_line(job, at, attempts, () if at + 1 < place else issues) for at in range(place)),
    ]
    return Instead(prompt=prompt_for(job, place, "\n".join(lines)), merge=partial(_marked, place))


def _failure_line(job: FixJob, place: int, attempts: Sequence[Attempt], issues: Sequence[Issue]) -> str:
    """Return one line about the answers for a group. `issues` are those of the very last answer."""
    of_group = [attempt for attempt in attempts if group_shown(job, attempt) == place]
    known_issues = [
        *issues,
        *(issue for attempt in of_group[-1:] for issue in attempt.issues if issue.severity == "error"),
    ]
    wrong = [f"[{issue.code}] {issue.message.splitlines()[0]}" for issue in known_issues]
    what = wrong[0] if wrong else "the edits did not lead to the wanted hardware"
    return f"  {named(job.groups[place])}: {what}"


def _same_candidate(job: FixJob, place: int, issues: Sequence[Issue], asked: Sequence[Attempt]) -> Repair:
    """Return the repair that shows a candidate's prompt again, after the issues of its last answer."""
    prompt = prompt_for(job, place)
    context = RepairContext(prompt=prompt, answer=None, issues=issues, attempts=asked)
    block = correction_block(context, noun="fix", reminders=(text_of("apply_fail"),)) if issues else ""
    block = _command_report(issues) if any("output" in issue.detail for issue in issues) else block
    return Instead(prompt=prompt_for(job, place, block), merge=partial(_marked, place))


def _command_report(issues: Sequence[Issue]) -> str:
    """Return the output of a command on a fix, for the model that wrote the fix."""
    parts: list[str] = []
    for issue in issues:
        output, lines = (str(issue.detail.get(key, "")) for key in ("output", "lines"))
        parts.append(f"[{issue.code}] {issue.message}")
        parts += [fenced(output)] if output else []
        parts += [f"The lines of your edited files that it names:\n{fenced(lines)}"] if lines else []
        parts.append(issue.fix)
    return "\n\n".join(parts)


def _marked(place: int, _current: str | None, reply: str) -> str:
    return marked(place, reply)
