"""How to retry a page: what is sent, and how the reply is merged into the current answer."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cache
from importlib.resources import files
from typing import Protocol

from retouch.engine.types import Attempt, Issue, Message, Prompt
from retouch.errors import Invalid

ANSWER = "answer"
PATCH_FROM_CHARS = 800  # about 200 tokens: below that a patch costs as much as the page
PATCH_UP_TO_ISSUES = 3
Fold = Callable[[str | None, str], str]


@dataclass(frozen=True, kw_only=True)
class RepairContext:
    """What a repair knows of the page that is retried.

    `answer` is the page's current text, None if it has none; `issues` are what is wrong; `attempts` are the page's
    earlier attempts of this round, oldest first; `hint` is what the user added.
    """

    prompt: Prompt
    answer: str | None
    issues: Sequence[Issue] = ()
    attempts: Sequence[Attempt] = ()
    hint: str = ""


class Repair(Protocol):
    """One way to retry a page."""

    def conversation(self, context: RepairContext) -> tuple[str, tuple[Message, ...]]:
        """Return the system text and the messages to send."""
        ...

    def fold(self, answer: str | None, reply: str) -> str:
        """Return the page's new text from its current one and the reply; raises `Invalid` if they do not fit."""
        ...


@dataclass(frozen=True)
class PageByPage:
    """A repair for each page of a unit, if they differ by more than their prompt; pages count from 1."""

    repair_of: Callable[[int], Repair]


@dataclass(frozen=True, kw_only=True)
class Correction:
    """A CORRECTION REQUIRED block in front of the clean prompt; the reply replaces the page.

    `noun` is what the recipe calls a unit; `reminders` close the block.
    """

    noun: str = "unit"
    reminders: Sequence[str] = ()

    def conversation(self, context: RepairContext) -> tuple[str, tuple[Message, ...]]:
        """Return the clean prompt behind the correction block; the clean prompt alone when nothing is wrong."""
        block = correction_block(context, noun=self.noun, reminders=self.reminders)
        text = f"{block}\n\n{context.prompt.user}" if block else context.prompt.user
        return context.prompt.system, (Message(role="user", text=text),)

    def fold(self, answer: str | None, reply: str) -> str:  # noqa: ARG002 - the protocol's signature
        """Return the reply: it replaces the page."""
        return reply


def _replacement(_answer: str | None, reply: str) -> str:
    return reply


@dataclass(frozen=True, kw_only=True)
class FollowUp:
    """The earlier messages word for word plus one turn, so that a provider's cache serves the prefix.

    The conversation extends the page's last readable exchange; one whose answer could not be read is left out.
    `turn` is the text of the new turn, by default the issues in the words of a correction; `merge` folds the reply
    into the current text (None if there is none), by default replacing it. `final` says that `merge` has checked
    the reply in the way tier 3 does, so that no later check reverts it.
    """

    merge: Fold = _replacement
    turn: str = ""
    final: bool = False

    def conversation(self, context: RepairContext) -> tuple[str, tuple[Message, ...]]:
        """Return the last readable exchange and one more turn.

        If this round has none, the prompt and the current text take its place if the turn has a text of its own;
        else it is a correction of the clean prompt.
        """
        committed = [attempt for attempt in context.attempts if attempt.readable and attempt.reply is not None]
        if not committed and self.turn and context.answer is not None:
            exchange = (Message(role="user", text=context.prompt.user), Message(role="assistant", text=context.answer))
            return context.prompt.system, (*exchange, Message(role="user", text=self.turn))
        if not committed:
            return Correction().conversation(context)
        last = committed[-1]
        answer = last.reply.text if last.reply else ""
        turn = self.turn or correction_block(context, noun="unit", reminders=())
        earlier = (*last.request.messages, Message(role="assistant", text=answer))
        return last.request.system, (*earlier, Message(role="user", text=turn))

    def fold(self, answer: str | None, reply: str) -> str:
        """Return the current text with the reply merged in."""
        return self.merge(answer, reply)


@dataclass(frozen=True, kw_only=True)
class Instead:
    """Another prompt for the same page, such as edits where a whole file was cut off; `merge` folds its reply in.

    The user's hint goes in front of it, as in a correction.
    """

    prompt: Prompt
    merge: Fold = _replacement

    def conversation(self, context: RepairContext) -> tuple[str, tuple[Message, ...]]:
        """Return the other prompt, clean but for the hint."""
        hint = correction_block(replace(context, issues=(), attempts=()), noun="unit", reminders=())
        text = f"{hint}\n\n{self.prompt.user}" if hint else self.prompt.user
        return self.prompt.system, (Message(role="user", text=text),)

    def fold(self, answer: str | None, reply: str) -> str:
        """Return the current text with the reply merged in."""
        return self.merge(answer, reply)


@dataclass(frozen=True, kw_only=True)
class Patch:
    """FIND/REPLACE blocks against the current text, applied all or none.

    The clean prompt and the current text go first, as if the model had just given it, so that a provider's cache
    serves the prompt. A reply without any block is taken as the whole page, and left to the checks.
    """

    noun: str = "unit"

    def conversation(self, context: RepairContext) -> tuple[str, tuple[Message, ...]]:
        """Return the prompt, the current text and the request for blocks; a correction if there is no text."""
        if context.answer is None:
            return Correction(noun=self.noun).conversation(context)
        turn = f"{correction_block(context, noun=self.noun, reminders=())}\n\n{patch_instructions()}"
        earlier = (Message(role="user", text=context.prompt.user), Message(role="assistant", text=context.answer))
        return context.prompt.system, (*earlier, Message(role="user", text=turn))

    def fold(self, answer: str | None, reply: str) -> str:
        """Return the current text with the blocks applied; raises `Invalid` if one of them does not apply."""
        from retouch.edits.apply import apply_reply

        if answer is None:
            return reply
        result = apply_reply(reply, {ANSWER: answer}, target=ANSWER)
        if result.error == "no_blocks":
            return reply
        if result.outcome == "refused":
            first = next(issue for issue in result.issues if issue.severity == "error")
            raise Invalid("PATCH_REFUSED", f"the patch does not apply: {first.message}", fix=first.fix)
        return result.files.get(ANSWER) or ""


@cache
def patch_instructions() -> str:
    """Return the text that asks for FIND/REPLACE blocks."""
    return files("retouch.engine").joinpath("patch.txt").read_text(encoding="utf-8").rstrip()


def patch_pays(context: RepairContext) -> bool:
    """Return whether a patch is likely cheaper than the whole page: the answer is large and little of it is wrong."""
    large = context.answer is not None and len(context.answer) >= PATCH_FROM_CHARS
    return large and 0 < len(context.issues) <= PATCH_UP_TO_ISSUES


def correction(_source: object, _unit: str, _issues: Sequence[Issue], _attempts: Sequence[Attempt], /) -> Repair:
    """Return a plain correction: the default of every recipe."""
    return Correction()


def correction_block(context: RepairContext, *, noun: str, reminders: Sequence[str]) -> str:
    """Return the block that names the issues, "" if there are none.

    Its form: a heading, one indented entry per issue with its detail below, then reminders.
    Earlier attempts of the round are listed if there were several. Transport failures never appear.
    """
    if not context.issues and not context.hint:
        return ""
    lines = ["CORRECTION REQUIRED:"]
    if context.issues:
        lines.append(f"The previous attempt for this {noun} produced the following errors. Fix them in your output.")
        lines += ["", *(line for issue in context.issues for line in issue_lines(issue))]
    if context.hint:
        lines += ["", "A reviewer adds:", *(f"  {line}" for line in context.hint.splitlines())]
    lines += _history(context.attempts)
    lines += ["", *reminders] if reminders else []
    return "\n".join(lines)


def issue_lines(issue: Issue) -> list[str]:
    """Return the lines that explain `issue` to a model: code, message, place, detail and the next step."""
    where = ", ".join(part for part in (f"line {issue.line}" if issue.line else "", issue.path or "") if part)
    lines = [f"  [{issue.code}] {issue.message}" + (f" ({where})" if where else "")]
    lines += [f"    {key}: {value}" for key, value in issue.detail.items()]
    lines += [f"    {line}" for line in issue.fix.splitlines()]
    return lines


def _history(attempts: Sequence[Attempt]) -> list[str]:
    """Return the lines on the attempts so far, none after a single one.

    The last one is among them, so that no correction repeats the text of the one before it.
    """
    answered = [attempt for attempt in attempts if attempt.reply is not None]
    if len(answered) < 2:
        return []
    lines = ["", "Earlier attempts, oldest first; do not repeat their errors:"]
    for number, attempt in enumerate(answered, 1):
        seen = "; ".join(dict.fromkeys(f"[{issue.code}] {issue.message}" for issue in attempt.issues[:5]))
        lines.append(f"  attempt {number}: {seen or 'nothing was found wrong with it'}")
    return lines
