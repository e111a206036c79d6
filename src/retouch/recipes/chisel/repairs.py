"""Plans repairs: the same candidate with the errors, the next candidate, or none."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from retouch.engine.repair import FollowUp, Instead, RepairContext, correction_block
from retouch.recipes.chisel.answers import MORE_WANTED, REJECTED, chosen_places, is_rejection, marked, names_wanted
from retouch.recipes.chisel.checking import LEC_FAILED, NOT_CHECKED
from retouch.recipes.chisel.pages import (
    also_shown,
    fenced,
    group_shown,
    is_rest_shown,
    named,
    prompt_for,
    text_of,
)

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from retouch.engine.repair import Repair
    from retouch.engine.types import Attempt, Issue
    from retouch.recipes.chisel.answers import Fix
    from retouch.recipes.chisel.source import FixJob, Suspect

TRIED_HEADING = "TRIED BEFORE, in vain:"
REJECTED_FACTOR = 0.05  # of the weight of a candidate: models seldom answer NOT HERE for the right place
WRONG_FACTOR = 0.5
MOST_ASKED = 2  # how often a model may ask for further definitions, per group of candidates
CHOSEN_WEIGHT = 0.8  # of the place that the model chose first
OTHERS_FACTOR = 0.2


def repair(
    job: FixJob, unit: str, issues: Sequence[Issue], attempts: Sequence[Attempt], values: Mapping[str, Fix]
) -> Repair | None:
    """Return the next repair. None if nothing is left to try.

    - If an answer does not apply, the same candidate is shown again with the edits that did not match.
    - If it does not compile, a follow-up contains the errors.
    - If it is not equivalent, a follow-up contains the output, until another candidate is more likely. Each answer
      with incorrect hardware halves the weight of its candidate. Code that does not compile is no evidence about
      the place, and costs no weight.
    - If the model answers NOT HERE, the weight of the candidate falls to a twentieth, and the most likely other one is
      next. It may come up once more, for example if the other candidates were rejected as well. Then lines that were
      left out of a long definition are shown. A second NOT HERE ends it.
    - If the model repeats an answer, the weight is halved, and the candidate's next prompt starts a new conversation.
      A second repetition ends it.
    - A candidate that had `asks_each` calls besides those answered with NOT HERE is over.
    - If the model asks to see further definitions, it gets them together with the candidate, at most twice for
      each. If it asks for a definition that is shown in part, it gets the omitted lines.
    - If the user starts the regeneration, the candidate of the current answer is tried.
    """
    if any(issue.code == NOT_CHECKED for issue in issues):
        return None
    if not attempts:
        fix = values.get(unit)
        return _same_candidate(job, fix.place if fix else 0, issues, (), job.called(fix.also) if fix else ())
    last = attempts[-1]
    place = group_shown(job, last)
    asked = [attempt for attempt in attempts if group_shown(job, attempt) == place]
    own = [] if last.readable else [issue for issue in last.issues if issue.severity == "error"]
    wrong = own or issues
    if MORE_WANTED in {issue.code for issue in wrong} and _times_asked_for_more(asked) <= MOST_ASKED and last.reply:
        return _with_more(job, place, last, names_wanted(last.reply.text))
    following = _most_likely(job, attempts, wrong)
    if following is None:
        return None
    if following != place:
        return _at(job, following, attempts, wrong)
    if _is_repetition(asked) or REJECTED in {issue.code for issue in wrong}:
        return _at(job, place, attempts, wrong)
    return _same_place(job, last, issues, own, asked)


def _same_place(
    job: FixJob, last: Attempt, issues: Sequence[Issue], own: Sequence[Issue], asked: Sequence[Attempt]
) -> Repair:
    """Return the repair that stays with the candidates of the last attempt. `own` are its errors of reading it."""
    place, also = group_shown(job, last), also_shown(job, last)
    if not own:
        return FollowUp(turn=_command_report(issues), merge=partial(_marked, job, place, also))
    if own[0].detail.get("finish") == "length" and last.why != "followup":
        # the same prompt with a larger output limit
        return Instead(prompt=last.request.prompt, merge=partial(_marked, job, place, also))
    return _same_candidate(job, place, own, asked, also)


def _with_more(job: FixJob, place: int, last: Attempt, names: Sequence[str]) -> Repair:
    """Return the repair that shows a group of candidates with what was shown before, and the definitions `names`.

    If all of them were shown, lines of them that were left out are shown.
    """
    also = also_shown(job, last)
    shown = {one.module_id for one in (*job.groups[place], *also)}
    found = [one for one in job.called(names) if one.file not in job.outdated]
    known = (
        {one.name for one in found} | {one.module_id for one in found} | {one.name.rpartition(".")[2] for one in found}
    )
    missing = [name for name in names if name not in known]
    learned = f"There is no definition called {', '.join(missing)} that can be shown." if missing else ""
    both = (*also, *(one for one in found if one.module_id not in shown))
    rest = is_rest_shown(last) or (bool(found) and len(both) == len(also))
    return Instead(prompt=prompt_for(job, place, learned, both, rest=rest), merge=partial(_marked, job, place, both))


def _times_asked_for_more(asked: Sequence[Attempt]) -> int:
    return sum(attempt.reply is not None and bool(names_wanted(attempt.reply.text)) for attempt in asked)


def _most_likely(job: FixJob, attempts: Sequence[Attempt], wrong: Sequence[Issue]) -> int | None:
    """Return the group of candidates to ask next, or None if every group is over. The current one wins a tie.

    `wrong` are the issues of the last attempt. Those of the earlier ones are in the attempts.
    """
    place = group_shown(job, attempts[-1])  # the number of groups if it was for another job
    weights: dict[int, float] = {}
    chosen = _chosen(job, attempts)
    for at, group in enumerate(job.groups):
        asked = [attempt for attempt in attempts if group_shown(job, attempt) == at]
        codes = [_codes(attempt, wrong if attempt is attempts[-1] else ()) for attempt in asked]
        if _is_over(job, asked, codes) or any(one.file in job.outdated for one in group):
            continue
        weight = _weight(group, chosen) * WRONG_FACTOR ** _repetitions(asked)
        for found in codes:
            weight *= REJECTED_FACTOR if REJECTED in found else WRONG_FACTOR if LEC_FAILED in found else 1.0
        weights[at] = weight
    last = {issue.code for issue in wrong}
    asked = [attempt for attempt in attempts if group_shown(job, attempt) == place]
    if place in weights and not {REJECTED, LEC_FAILED} & last and not _is_repetition(asked):
        return place  # it does not apply or compile: that is no evidence about the place
    others = [at for at in weights if at != place or REJECTED not in last] or list(weights)
    return max(others, key=lambda at: (weights[at], at == place, -at), default=None)


def _chosen(job: FixJob, attempts: Sequence[Attempt]) -> list[Suspect]:
    """Return the candidates that the model chose from their signatures, in its order."""
    first = next((one for one in attempts if job.choose and group_shown(job, one) == len(job.groups)), None)
    reply = first.reply.text if first is not None and first.reply is not None else ""
    return [job.suspects[at] for at in chosen_places(job, reply)]


def _weight(group: Sequence[Suspect], chosen: Sequence[Suspect]) -> float:
    """Return the weight of a group before its answers. What the model chose comes first, in the order of its choice."""
    if not chosen:
        return max(suspect.weight for suspect in group)
    picks = [CHOSEN_WEIGHT * WRONG_FACTOR ** chosen.index(one) for one in group if one in chosen]
    return max([*picks, *(OTHERS_FACTOR * suspect.weight for suspect in group)])


def _is_over(job: FixJob, asked: Sequence[Attempt], codes: Sequence[set[str]]) -> bool:
    """Return whether a group of candidates needs no further calls. `codes` are those of its attempts.

    It may be rejected once, and once more if the first rejection was of a part of its lines.
    """
    most = 1 + any(map(is_rest_shown, asked))
    rejections = sum(REJECTED in found for found in codes)
    more = min(_times_asked_for_more(asked), MOST_ASKED)
    return rejections > most or len(asked) - rejections - more >= job.asks_each or _repetitions(asked) > 1


def _repetitions(asked: Sequence[Attempt]) -> int:
    """Return how many answers with edits are the same as an earlier one."""
    replies = [attempt.reply.text for attempt in asked if attempt.reply is not None]
    edits = [text for text in replies if not is_rejection(text) and not names_wanted(text)]
    return len(edits) - len(set(edits))


def _is_repetition(asked: Sequence[Attempt]) -> bool:
    """Return whether the last answer of some attempts is the same as an earlier one."""
    return _repetitions(asked) > _repetitions(asked[:-1])


def _codes(attempt: Attempt, more: Sequence[Issue] = ()) -> set[str]:
    return {issue.code for issue in (*attempt.issues, *more)}


def _at(job: FixJob, place: int, attempts: Sequence[Attempt], issues: Sequence[Issue]) -> Repair:
    """Return the repair that shows the group of candidates at `place`, with what was tried before.

    `issues` ended the previous attempt.
    """
    last = group_shown(job, attempts[-1])
    tried = dict.fromkeys(group_shown(job, attempt) for attempt in attempts)
    lines = [
        TRIED_HEADING,
        *(_failure_line(job, at, attempts, issues if at == last else ()) for at in tried if at < len(job.groups)),
    ]
    learned = "\n".join(lines) if len(lines) > 1 else ""
    there = [attempt for attempt in attempts if group_shown(job, attempt) == place]
    also = also_shown(job, there[-1]) if there else []
    rest = any(is_rest_shown(one) or (one.reply is not None and is_rejection(one.reply.text)) for one in there)
    return Instead(prompt=prompt_for(job, place, learned, also, rest=rest), merge=partial(_marked, job, place, also))


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


def _same_candidate(
    job: FixJob, place: int, issues: Sequence[Issue], asked: Sequence[Attempt], also: Sequence[Suspect]
) -> Repair:
    """Return the repair that shows a candidate's prompt again, after the issues of its last answer."""
    rest = bool(asked) and is_rest_shown(asked[-1])
    prompt = prompt_for(job, place, also=also, rest=rest)
    context = RepairContext(prompt=prompt, answer=None, issues=issues, attempts=asked)
    block = correction_block(context, noun="fix", reminders=(text_of("apply_fail"),)) if issues else ""
    block = _command_report(issues) if any("output" in issue.detail for issue in issues) else block
    return Instead(prompt=prompt_for(job, place, block, also, rest=rest), merge=partial(_marked, job, place, also))


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


def _marked(job: FixJob, place: int, also: Sequence[Suspect], _current: str | None, reply: str) -> str:
    return marked(job, place, reply, also)
