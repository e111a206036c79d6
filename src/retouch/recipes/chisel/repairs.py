"""How to ask again: the same candidate with what was wrong, the next one, or nothing more."""

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

IN_VAIN = "TRIED BEFORE, in vain:"


def repair(
    job: FixJob, unit: str, issues: Sequence[Issue], attempts: Sequence[Attempt], values: Mapping[str, Fix]
) -> Repair | None:
    """Return how to ask again, None when nothing is left to try.

    An answer that does not apply: the same candidate, with what did not match. One that does not compile: a follow-up
    with the errors. One that is not equivalent: a follow-up too, until the next candidate is the likelier place; each
    answer in vain halves what is left of a candidate's weight. A model that says NOT HERE, or a candidate that was
    asked `asks_each` times, or that got the same answer twice: the next one. When a person asks again, it is the
    candidate that the standing answer is for.
    """
    if any(issue.code == NOT_CHECKED for issue in issues):
        return None
    if not attempts:
        return _anew(job, values[unit].place if unit in values else 0, issues, ())
    last = attempts[-1]
    place = group_shown(job, last)
    asked = [attempt for attempt in attempts if group_shown(job, attempt) == place]
    own = [] if last.readable else [issue for issue in last.issues if issue.severity == "error"]
    wrong = own or issues
    if _is_over(job, place, asked, wrong):
        return _next(job, place + 1, attempts, wrong)
    if not own:
        return FollowUp(turn=_told(issues), merge=partial(_marked, place))
    if own[0].detail.get("finish") == "length" and last.why != "followup":
        return Instead(prompt=last.request.prompt, merge=partial(_marked, place))  # the same words with a larger cap
    return _anew(job, place, own, asked)


def _is_over(job: FixJob, place: int, asked: Sequence[Attempt], issues: Sequence[Issue]) -> bool:
    """Return whether a group of candidates is done with."""
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
    """Return the ask of the group of candidates at `place`, after `issues` ended the one before it."""
    if place >= len(job.groups):
        return None
    lines = [IN_VAIN, *(_in_vain(job, at, attempts, () if at + 1 < place else issues) for at in range(place))]
    return Instead(prompt=prompt_for(job, place, "\n".join(lines)), merge=partial(_marked, place))


def _in_vain(job: FixJob, place: int, attempts: Sequence[Attempt], issues: Sequence[Issue]) -> str:
    """Return one line about the answers for a group; `issues` are those of the very last one."""
    of_group = [attempt for attempt in attempts if group_shown(job, attempt) == place]
    told = [*issues, *(issue for attempt in of_group[-1:] for issue in attempt.issues if issue.severity == "error")]
    wrong = [f"[{issue.code}] {issue.message.splitlines()[0]}" for issue in told]
    what = wrong[0] if wrong else "the edits did not lead to the wanted hardware"
    return f"  {named(job.groups[place])}: {what}"


def _anew(job: FixJob, place: int, issues: Sequence[Issue], asked: Sequence[Attempt]) -> Repair:
    """Return the ask of a candidate's prompt behind what was wrong with the last answer to it."""
    prompt = prompt_for(job, place)
    asking = RepairContext(prompt=prompt, answer=None, issues=issues, attempts=asked)
    block = correction_block(asking, noun="fix", reminders=(text_of("apply_fail"),)) if issues else ""
    block = _told(issues) if any("output" in issue.detail for issue in issues) else block
    return Instead(prompt=prompt_for(job, place, block), merge=partial(_marked, place))


def _told(issues: Sequence[Issue]) -> str:
    """Return what a command said of a fix, for the model that made it."""
    parts: list[str] = []
    for issue in issues:
        output, lines = (str(issue.detail.get(key, "")) for key in ("output", "lines"))
        parts.append(f"[{issue.code}] {issue.message}")
        parts += [fenced(output)] if output else []
        parts += [f"The lines of your edited files that it names:\n{fenced(lines)}"] if lines else []
        parts.append(issue.fix)
    return "\n\n".join(parts)


def _marked(place: int, _standing: str | None, reply: str) -> str:
    return marked(place, reply)
