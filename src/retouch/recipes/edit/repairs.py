"""Repairs of a file: corrections of what failed, a smaller request, the next change, or at last the whole file."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from retouch.edits import render_blocks, unified_diff
from retouch.engine.repair import Correction, FollowUp, Instead
from retouch.engine.types import Message, Tier
from retouch.errors import Invalid
from retouch.recipes.edit.answers import (
    FILE_REQUESTED,
    WHOLE,
    edits_in,
    every_text,
    is_unchanged,
    read,
    requested_files,
)
from retouch.recipes.edit.pages import ONE_CHANGE, prompt_for, text_of, with_files_shown
from retouch.recipes.edit.session import (
    applied,
    continued,
    failed_edits,
    merged,
    read_session,
    session_of_text,
    stored_session,
)

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from retouch.edits import EditBlock
    from retouch.engine.repair import Repair, RepairContext
    from retouch.engine.types import Attempt, Issue
    from retouch.recipes.edit.answers import NewText
    from retouch.recipes.edit.session import EditSession
    from retouch.recipes.edit.source import EditFile, EditJob

MOST_CORRECTIONS = 3
MOST_TRUNCATED = 3  # truncated replies that are retried
WHOLE_UP_TO_CHARS = 60_000  # about 15,000 tokens; a larger file would be truncated again
_DIFF_CHARS = 8_000


def repair(
    job: EditJob, unit: str, issues: Sequence[Issue], attempts: Sequence[Attempt], values: Mapping[str, NewText]
) -> Repair | None:
    """Return the next repair of the file `unit`, or None if there is none left.

    If the reply was truncated, request less, three times at most. If more changes follow, request the next one. If the
    check failed, show the change so far and its output. Otherwise request the edits that failed: three times all of
    them, then one at a time. The whole file is only requested if the job allows it, and the file is short enough.
    """
    file = job.file(unit)
    if any(issue.code == FILE_REQUESTED for issue in issues):
        return ShowFiles(job=job) if _asks_for_more(attempts) else EditCorrection(job=job, file=file)
    if any(issue.code == "MORE_TO_COME" for issue in issues):
        return FollowUp(merge=lambda current, reply: _continued(file, current, reply), turn=text_of("next_change"))
    if any(issue.detail.get("finish") == "length" for issue in issues):
        return _smaller(job, file, attempts) if _truncated(attempts) <= MOST_TRUNCATED else None
    if not file.exists:
        return Correction(noun="file") if _corrections(attempts) < MOST_CORRECTIONS else None
    checked = all(issue.tier == Tier.SEMANTIC for issue in issues)  # its own budget limits these
    if checked or _corrections(attempts) < MOST_CORRECTIONS:
        return EditCorrection(job=job, file=file, others=_other_diffs(job, unit, values) if checked else "")
    if _one_more_at_a_time(issues, attempts):
        return SingleEdit(job=job, file=file)
    asked = any(attempt.request.prompt.user.endswith(text_of("whole")) for attempt in attempts)
    if not job.fallback_whole_file or asked or len(file.text) > WHOLE_UP_TO_CHARS:
        return None
    return Instead(prompt=prompt_for(job, file, "whole"), merge=_as_whole)


@dataclass(frozen=True, kw_only=True)
class EditCorrection:
    """Requests what failed, in one message after the clean prompt, which so stays a cache hit.

    If edits failed, only these are requested, and take the place of the failed ones. If all were applied and the result
    is invalid, further edits are requested, on top of the change so far. Otherwise, everything is requested again.
    `others` is the change of the other files.
    """

    job: EditJob
    file: EditFile
    others: str = ""

    def conversation(self, context: RepairContext) -> tuple[str, tuple[Message, ...]]:
        """Return the clean prompt followed by the correction."""
        count = 1 + sum(attempt.reply is not None for attempt in context.attempts)
        lines = [f"CORRECTION REQUIRED (answer {count}):"]
        current = self._current(context.answer)
        failed = self._requested(current)
        shown = [issue for issue in context.issues if not failed or _concerns(issue, failed)]
        last = context.attempts[-1] if context.attempts else None
        refused = last.issues if last is not None and not last.taken else ()
        lines += [
            line for issue in (*(one for one in refused if one not in shown), *shown) for line in _issue_lines(issue)
        ]
        if current is None:
            lines += ["", text_of("again")]
        elif failed:
            blocks = [block for block in current.blocks if block.number in failed]
            lines += ["", _rendered(blocks), text_of(self._instruction())]
        else:
            lines += ["", "YOUR CHANGE SO FAR:", *_diff_lines(self.job, self.file, current)]
            lines += ["THE CHANGE OF THE OTHER FILES:", self.others] if self.others else []
            lines += ["", text_of("amend")]
        if context.hint:
            lines += ["", "A reviewer adds:", *(f"  {line}" for line in context.hint.splitlines())]
        user = with_files_shown(self.job, context.prompt.user, _asked_for(context.attempts))
        text = f"{user}\n\n" + "\n".join(lines)
        return context.prompt.system, (Message(role="user", text=text),)

    def fold(self, answer: str | None, reply: str) -> str:
        """Return the current answer with the reply merged in. Raises `Invalid` if nothing of the reply can be used."""
        current = self._current(answer)
        if current is None or answer is None:
            return reply
        failed = self._requested(current)
        if is_unchanged(reply):
            if not failed:
                return answer
            names = ", ".join(map(str, failed))
            message = f"the reply makes no change, but edit {names} is not applied"
            raise Invalid(
                "MALFORMED", message, fix="Send each of these edits, or drop it with: DROP EDIT and its number."
            )
        new = edits_in(self.file, reply)
        if new is None:
            return reply  # the whole file
        if new.unread is not None:
            raise Invalid("MALFORMED", new.unread.message, fix=new.unread.fix)
        if not new.blocks and not new.dropped:
            raise Invalid("NO_BLOCKS", "The reply contains no edit block.", fix="Send the edits that are requested.")
        return stored_session(merged(self.file, current, new, requested=failed, others=self.job.other_texts))

    def _current(self, answer: str | None) -> EditSession | None:
        """Return the edits of the current answer, or None if nothing of it can be reused."""
        if answer is None or is_unchanged(answer):
            return None
        session = edits_in(self.file, answer)
        if session is None:
            found = read(self.job, self.file.path, [answer])
            usable = found.value is not None and not any(issue.tier == Tier.SYNTAX for issue in found.issues)
            return session_of_text(self.file, found.value.text) if found.value is not None and usable else None
        result = applied(self.file, session, self.job.other_texts)
        return session if result.outcome == "applied" or failed_edits(result) else None

    def _requested(self, current: EditSession | None) -> list[int]:
        """Return the numbers of the edits to request, [] if all of them were applied."""
        return [] if current is None else failed_edits(applied(self.file, current, self.job.other_texts))

    def _instruction(self) -> str:
        return "correct_edits"


@dataclass(frozen=True, kw_only=True)
class ShowFiles:
    """Shows files that the model requested, after the clean prompt."""

    job: EditJob

    def conversation(self, context: RepairContext) -> tuple[str, tuple[Message, ...]]:
        """Return the prompt and the files."""
        user = with_files_shown(self.job, context.prompt.user, _asked_for(context.attempts))
        hint = f"\n\nA reviewer adds:\n{context.hint}" if context.hint else ""
        return context.prompt.system, (Message(role="user", text=f"{user}{hint}\n\nNow answer the request."),)

    def fold(self, answer: str | None, reply: str) -> str:  # noqa: ARG002 - the protocol's signature
        """Return the reply, which is the answer."""
        return reply


def _asked_for(attempts: Sequence[Attempt]) -> list[str]:
    return [name for one in attempts if one.reply is not None for name in requested_files(one.reply.text)]


def _asks_for_more(attempts: Sequence[Attempt]) -> bool:
    """Return whether the last reply requests a file that was not shown yet."""
    return bool(set(_asked_for(attempts[-1:])) - set(_asked_for(attempts[:-1])))


class SingleEdit(EditCorrection):
    """Requests the first of the edits that failed, and no other."""

    def _requested(self, current: EditSession | None) -> list[int]:
        return super()._requested(current)[:1]

    def _instruction(self) -> str:
        return "correct_one"


def _truncated(attempts: Sequence[Attempt]) -> int:
    return sum(attempt.reply is not None and attempt.reply.finish == "length" for attempt in attempts)


def _corrections(attempts: Sequence[Attempt]) -> int:
    """Return how many corrections there were of answers that could not be applied or parsed."""
    names = {Correction.__name__.lower(), EditCorrection.__name__.lower()}
    before: Sequence[Issue] = ()
    count = 0
    for attempt in attempts:
        was_checked = bool(before) and all(issue.tier == Tier.SEMANTIC for issue in before)
        count += attempt.why in names and not was_checked
        before = [issue for issue in attempt.issues if issue.is_error]
    return count


def _one_more_at_a_time(issues: Sequence[Issue], attempts: Sequence[Attempt]) -> bool:
    """Return whether a single edit is worth a request: some failed, and each one requested alone so far was solved."""
    left = _failed_in(issues)
    singles = [n for n, attempt in enumerate(attempts) if n and attempt.why == SingleEdit.__name__.lower()]
    if not left or not singles:
        return bool(left)
    last = singles[-1]
    return len(_failed_in(attempts[last].issues)) < len(_failed_in(attempts[last - 1].issues)) and attempts[last].taken


def _failed_in(issues: Sequence[Issue]) -> set[int]:
    numbers: set[int] = set()
    for issue in issues:
        listed = issue.detail.get("edits")
        if issue.is_error and isinstance(listed, list):
            numbers.update(number for number in listed if isinstance(number, int))
    return numbers


def _concerns(issue: Issue, failed: Sequence[int]) -> bool:
    """Return whether an issue is about one of the failed edits, or about a reply as a whole."""
    own = _failed_in([issue])
    return not own or bool(own & set(failed))


def _issue_lines(issue: Issue) -> list[str]:
    """Return the lines that explain an issue: code, message, the output of the check, the next step."""
    lines = [f"  [{issue.code}] {issue.message}"]
    output = issue.detail.get("output")
    lines += [f"    {line}" for line in str(output).splitlines()] if output else []
    fix = "Keep it, or add it again." if issue.detail.get("person") else issue.fix  # that fix is the user's next step
    return lines + [f"    {line}" for line in fix.splitlines()]


def _rendered(blocks: Sequence[EditBlock]) -> str:
    """Return edits as the model wrote them, as far as our own form can express them."""
    shown = [replace(block, kind="edit", move_to=None, description=block.description or "") for block in blocks]
    return render_blocks(shown)


def _diff_lines(job: EditJob, file: EditFile, session: EditSession) -> list[str]:
    changed = applied(file, session, job.other_texts).files
    return _bounded(
        "\n".join(_diff(job, path, text) for path, text in changed.items() if text is not None)
    ).splitlines()


def _diff(job: EditJob, path: str, text: str) -> str:
    file = job.file(path)
    return "\n".join(unified_diff(path, file.text if file.exists else None, text))


def _bounded(diff: str) -> str:
    return diff if len(diff) <= _DIFF_CHARS else diff[:_DIFF_CHARS] + "\n[the rest of the diff is left out]"


def _other_diffs(job: EditJob, unit: str, values: Mapping[str, NewText]) -> str:
    """Return the change of the run's other files, as a diff."""
    others = [text for owner, text in every_text(values).values() if owner != unit and text.changed]
    return _bounded("\n".join(_diff(job, one.path, one.text) for one in others))


def _smaller(job: EditJob, file: EditFile, attempts: Sequence[Attempt]) -> Repair:
    if not file.exists:
        return Correction(noun="file")  # the engine raises the cap; a new file cannot be requested as edits
    wants_blocks = file.in_blocks or any(attempt.why == "instead" for attempt in attempts)
    return Instead(prompt=prompt_for(job, file, ONE_CHANGE if wants_blocks else "blocks"))


def _as_whole(_current: str | None, reply: str) -> str:
    return WHOLE + reply


def _continued(file: EditFile, current: str | None, reply: str) -> str:
    new = read_session(file, reply)
    if new.unread is not None:
        raise Invalid("MALFORMED", new.unread.message, fix=new.unread.fix)
    if current is None:
        return reply
    return stored_session(continued(read_session(file, current), new))
