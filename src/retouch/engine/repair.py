"""Repair strategies: the request of a retry, and the merge of its reply into the current answer."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from importlib.resources import files
from typing import Any, Protocol

from retouch.engine.types import Attempt, Issue, Message, Prompt
from retouch.errors import Invalid

ANSWER = "answer"
PATCH_FROM_CHARS = 800  # about 200 tokens: for shorter pages, a patch costs as much as the page
PATCH_UP_TO_ISSUES = 3
Fold = Callable[[str | None, str], str]


@dataclass(frozen=True, kw_only=True)
class RepairContext:
    """The context of a repair.

    `answer` is the page's current text, or None. `issues` are its problems. `attempts` are its earlier attempts of this
    round, oldest first. `hint` is the user's addition.
    """

    prompt: Prompt
    answer: str | None
    issues: Sequence[Issue] = ()
    attempts: Sequence[Attempt] = ()
    hint: str = ""


class Repair(Protocol):
    """A strategy to retry a page."""

    def conversation(self, context: RepairContext) -> tuple[str, tuple[Message, ...]]:
        """Return the system text and the messages to send."""
        ...

    def fold(self, answer: str | None, reply: str) -> str:
        """Return the page's new text from its current text and the reply. Raises `Invalid` if they do not match."""
        ...


@dataclass(frozen=True)
class PageByPage:
    """A separate repair for each page of a unit. Pages count from 1."""

    repair_of: Callable[[int], Repair]


@dataclass(frozen=True, kw_only=True)
class Correction:
    """A CORRECTION REQUIRED block before the clean prompt. The reply replaces the page.

    `noun` is the recipe's word for a unit. `reminders` close the block.
    """

    noun: str = "unit"
    reminders: Sequence[str] = ()

    def conversation(self, context: RepairContext) -> tuple[str, tuple[Message, ...]]:
        """Return the correction block and the clean prompt. Without issues, return only the clean prompt."""
        block = correction_block(context, noun=self.noun, reminders=self.reminders)
        text = f"{block}\n\n{context.prompt.user}" if block else context.prompt.user
        return context.prompt.system, (Message(role="user", text=text),)

    def fold(self, answer: str | None, reply: str) -> str:  # noqa: ARG002 - the protocol's signature
        """Return the reply, which replaces the page."""
        return reply


def _replacement(_answer: str | None, reply: str) -> str:
    return reply


@dataclass(frozen=True, kw_only=True)
class FollowUp:
    """The earlier messages unchanged plus one turn, so that the prefix is a cache hit.

    The conversation extends the page's last readable exchange. Exchanges with unreadable answers are left out. `turn`
    is the text of the new turn, by default a correction with the issues. `merge` merges the reply into the current text
    (None if there is none), by default by replacing it. If `final`, `merge` has already done the checks of tier 3, so
    that no later check reverts the reply. `answer_schema` is the schema of the reply, or None.
    """

    merge: Fold = _replacement
    turn: str = ""
    final: bool = False
    answer_schema: Mapping[str, Any] | None = None

    def conversation(self, context: RepairContext) -> tuple[str, tuple[Message, ...]]:
        """Return the last readable exchange and one more turn.

        If this round has no readable exchange and the turn has its own text, use the prompt and the current text
        instead. Else return a correction of the clean prompt.
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
    """Another prompt for the same page, for example edits if a whole file was truncated. `merge` merges the reply.

    The user's hint precedes it, as in a correction.
    """

    prompt: Prompt
    merge: Fold = _replacement

    def conversation(self, context: RepairContext) -> tuple[str, tuple[Message, ...]]:
        """Return the other prompt, with the hint if there is one."""
        hint = correction_block(replace(context, issues=(), attempts=()), noun="unit", reminders=())
        text = f"{hint}\n\n{self.prompt.user}" if hint else self.prompt.user
        return self.prompt.system, (Message(role="user", text=text),)

    def fold(self, answer: str | None, reply: str) -> str:
        """Return the current text with the reply merged in."""
        return self.merge(answer, reply)


@dataclass(frozen=True, kw_only=True)
class Patch:
    """FIND/REPLACE blocks against the current text, applied atomically.

    The clean prompt and the current text precede the request as an exchange, so that the prompt is a cache hit. A reply
    without blocks counts as the whole page, and the checks decide about it.
    """

    noun: str = "unit"

    def conversation(self, context: RepairContext) -> tuple[str, tuple[Message, ...]]:
        """Return the prompt, the current text and the request for blocks. Without a text, return a correction."""
        if context.answer is None:
            return Correction(noun=self.noun).conversation(context)
        turn = f"{correction_block(context, noun=self.noun, reminders=())}\n\n{patch_instructions()}"
        earlier = (Message(role="user", text=context.prompt.user), Message(role="assistant", text=context.answer))
        return context.prompt.system, (*earlier, Message(role="user", text=turn))

    def fold(self, answer: str | None, reply: str) -> str:
        """Return the current text with the blocks applied. Raises `Invalid` if a block does not apply."""
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
    """Return the text that requests FIND/REPLACE blocks."""
    return files("retouch.engine").joinpath("patch.txt").read_text(encoding="utf-8").rstrip()


def patch_pays(context: RepairContext) -> bool:
    """Return whether a patch is likely cheaper than the whole page: the answer is large and has few issues."""
    large = context.answer is not None and len(context.answer) >= PATCH_FROM_CHARS
    return large and 0 < len(context.issues) <= PATCH_UP_TO_ISSUES


def correction(_source: object, _unit: str, _issues: Sequence[Issue], _attempts: Sequence[Attempt], /) -> Repair:
    """Return a plain correction, the default of every recipe."""
    return Correction()


def correction_block(context: RepairContext, *, noun: str, reminders: Sequence[str]) -> str:
    """Return the block that lists the issues, "" if there are none.

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

    The last one is included, so that no correction has the same text as the previous one.
    """
    answered = [attempt for attempt in attempts if attempt.reply is not None]
    if len(answered) < 2:
        return []
    lines = ["", "Earlier attempts, oldest first; do not repeat their errors:"]
    for number, attempt in enumerate(answered, 1):
        seen = "; ".join(dict.fromkeys(f"[{issue.code}] {issue.message}" for issue in attempt.issues[:5]))
        lines.append(f"  attempt {number}: {seen or 'nothing was found wrong with it'}")
    return lines
