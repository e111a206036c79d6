"""Repair strategies: the request of a retry, and the merge of its reply into the current answer."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from importlib.resources import files
from itertools import islice
from typing import TYPE_CHECKING, Any, Protocol

from retouch._lib.hashing import canonical_json
from retouch._lib.json_pointer import schema_at, schema_validator, value_at, with_value_at
from retouch._lib.json_text import escaped_surrogates
from retouch.engine.types import Attempt, Issue, Message, Prompt, errors_of
from retouch.errors import Invalid
from retouch.text import is_contradicted, json_in

if TYPE_CHECKING:
    from retouch._lib.json_text import JSON

ANSWER = "answer"
PATCH_FROM_CHARS = 800  # about 200 tokens: for shorter pages, a patch costs as much as the page
PATCH_UP_TO_ISSUES = 3
FIELDS_AT_ONCE, ERRORS_PER_FIELD, FIELD_CHARS = 20, 3, 400  # limits of the input of a repair by field
SAMPLED = 1.0  # another temperature: every provider accepts it, and it ends a greedy loop
Fold = Callable[[str | None, str], str]


@dataclass(frozen=True, kw_only=True)
class RepairContext:
    """The context of a repair.

    `answer` is the page's current text, or None. `issues` are its problems. `attempts` are its earlier attempts of this
    round, oldest first. `hint` is the user's addition. `caches_prefixes` is whether the model's provider caches the
    beginning of each request by itself.
    """

    prompt: Prompt
    answer: str | None
    issues: Sequence[Issue] = ()
    attempts: Sequence[Attempt] = ()
    hint: str = ""
    caches_prefixes: bool = False

    def with_block(self, prompt: Prompt, block: str) -> str:
        """Return the text of a clean prompt with a block: before it, or after it if it is a cache hit there."""
        if not block:
            return prompt.user
        return f"{prompt.user}\n\n{block}" if self.caches_prefixes else f"{block}\n\n{prompt.user}"


class Repair(Protocol):
    """A strategy to retry a page. It may have an attribute `answer_schema`, the JSON Schema of the reply."""

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

    If the provider caches the beginning of each request by itself, the block follows the prompt.

    `noun` is the recipe's word for a unit. `reminders` close the block.
    """

    noun: str = "unit"
    reminders: Sequence[str] = ()

    def conversation(self, context: RepairContext) -> tuple[str, tuple[Message, ...]]:
        """Return the correction block and the clean prompt. Without issues, return only the clean prompt."""
        block = correction_block(context, noun=self.noun, reminders=self.reminders)
        return context.prompt.system, (Message(role="user", text=context.with_block(context.prompt, block)),)

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

    The user's hint is added as in a correction.
    """

    prompt: Prompt
    merge: Fold = _replacement

    def conversation(self, context: RepairContext) -> tuple[str, tuple[Message, ...]]:
        """Return the other prompt, with the hint if there is one."""
        hint = correction_block(replace(context, issues=(), attempts=()), noun="unit", reminders=())
        return self.prompt.system, (Message(role="user", text=context.with_block(self.prompt, hint)),)

    def fold(self, answer: str | None, reply: str) -> str:
        """Return the current text with the reply merged in."""
        return self.merge(answer, reply)


@dataclass(frozen=True, kw_only=True)
class Resample:
    """The clean prompt at another temperature, with the hint if there is one. The reply replaces the page.

    It helps if a correction leads a model to the same incorrect answer again.
    """

    temperature: float = SAMPLED
    answer_schema: Mapping[str, Any] | None = None

    def conversation(self, context: RepairContext) -> tuple[str, tuple[Message, ...]]:
        """Return the clean prompt."""
        return Instead(prompt=context.prompt).conversation(context)

    def fold(self, answer: str | None, reply: str) -> str:
        """Return the reply, which replaces the page."""
        return _replacement(answer, reply)


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


@dataclass(frozen=True, kw_only=True)
class RepairByField:
    """Some parts of a JSON answer, by JSON Pointer. The reply is an object with the new values by pointer.

    `issues` are the lines on each part, `values` its current value as JSON, "" if it is missing. Values that do not
    match their schema are not folded in. The input does not grow with the size of the answer or the number of errors:
    at most `FIELDS_AT_ONCE` parts are requested, the rest by later retries.
    """

    issues: Mapping[str, Sequence[str]]
    values: Mapping[str, str]
    answer_schema: Mapping[str, Any]

    def conversation(self, context: RepairContext) -> tuple[str, tuple[Message, ...]]:
        """Return the clean prompt, and after it the parts with their errors and schemas."""
        lines = [context.prompt.user, "", _instructions("fields.txt")]
        schemas = self.answer_schema["properties"]
        for pointer, errors in self.issues.items():
            value, schema = self.values[pointer] or "(missing)", canonical_json(schemas[pointer])
            lines += [
                "",
                f"{pointer}",
                f"  now: {value}",
                f"  schema: {schema}",
                *(f"  error: {one}" for one in errors),
            ]
        if context.hint:
            lines += ["", "A reviewer adds:", *(f"  {line}" for line in context.hint.splitlines())]
        return context.prompt.system, (Message(role="user", text="\n".join(lines)),)

    def fold(self, answer: str | None, reply: str) -> str:
        """Return the answer with the valid values of the reply.

        Raises:
            Invalid: the reply is no JSON object or has several, or none of its values is valid.
        """
        found = json_in(reply)
        given = found if isinstance(found, dict) else {}
        if is_contradicted(found, reply, self.issues):
            message = f"the reply has several values for {', '.join(self.issues)}"
            raise Invalid("FIELDS_REFUSED", message, fix="Reply with one JSON object and nothing else.")
        is_valid = schema_validator()
        schemas, rest = self.answer_schema["properties"], _definitions(self.answer_schema)
        usable = {pointer: given[pointer] for pointer in self.issues if pointer in given and _is_text(given[pointer])}
        valid = [
            (pointer, value)
            for pointer, value in usable.items()
            if is_valid is not None and is_valid({**schemas[pointer], **rest}, value)
        ]
        if not valid:
            fix = "Reply with a JSON object with exactly these keys, and values that match their schemas."
            raise Invalid("FIELDS_REFUSED", f"no value is valid for {', '.join(self.issues)}", fix=fix)
        document = json_in(answer or "")
        for pointer, value in valid:
            document = with_value_at(document, pointer, value)
        return escaped_surrogates(json.dumps(document, ensure_ascii=False, indent=1, allow_nan=False))


def repair_by_field(context: RepairContext) -> RepairByField | None:
    """Return the repair of the parts of a JSON answer that the issues name, or None if they cannot be repaired alone.

    That is so if the prompt has no answer schema, the answer is no JSON, an error names no part, a part has no schema
    of its own, or no library for JSON Schema is installed.
    """
    schema, errors = context.prompt.answer_schema, errors_of(context.issues)
    if schema is None or context.answer is None or not errors or not all(one.pointers for one in errors):
        return None
    try:
        document = json_in(context.answer)
        json.dumps(document, allow_nan=False)
    except (Invalid, ValueError, RecursionError):  # no JSON, or a number that JSON has no text for
        return None
    pointers = _outermost({pointer for one in errors for pointer in one.pointers})[:FIELDS_AT_ONCE]
    schemas = {pointer: schema_at(schema, pointer) for pointer in pointers}
    places = {pointer: value_at(document, pointer) for pointer in pointers}
    if schema_validator() is None or None in schemas.values() or None in places.values():
        return None
    return RepairByField(
        issues={pointer: _errors_at(pointer, errors) for pointer in pointers},
        values={pointer: _shortened(place) for pointer, place in places.items()},
        answer_schema={
            "type": "object",
            "properties": schemas,
            "required": list(pointers),
            "additionalProperties": False,
            **_definitions(schema),
        },
    )


def _outermost(pointers: Iterable[str]) -> list[str]:
    """Return the pointers that are not inside of another one, sorted."""
    return [one for one in sorted(pointers) if not any(one.startswith(f"{other}/") for other in pointers)]


def _errors_at(pointer: str, errors: Iterable[Issue]) -> list[str]:
    """Return the first errors at a part or inside of it, shortened."""
    inside = (one for one in errors if any(f"{place}/".startswith(f"{pointer}/") for place in one.pointers))
    found = (f"[{one.code}] {one.message} {one.fix}".strip() for one in inside)
    return [_cut(one) for one in islice(dict.fromkeys(found), ERRORS_PER_FIELD)]


def _shortened(place: tuple[JSON, ...] | None) -> str:
    return _cut(escaped_surrogates(json.dumps(place[0], ensure_ascii=False))) if place else ""


def _is_text(value: JSON) -> bool:
    """Return whether a value can be written: half of a surrogate pair cannot."""
    text = json.dumps(value, ensure_ascii=False)
    return text == escaped_surrogates(text)


def _cut(text: str) -> str:
    return text if len(text) <= FIELD_CHARS else f"{text[:FIELD_CHARS]}..."


def _definitions(schema: Mapping[str, Any]) -> dict[str, Any]:
    return {key: schema[key] for key in ("$defs", "definitions") if key in schema}


@cache
def _instructions(name: str) -> str:
    return files("retouch.engine").joinpath(name).read_text(encoding="utf-8").rstrip()


@cache
def patch_instructions() -> str:
    """Return the text that requests FIND/REPLACE blocks."""
    return _instructions("patch.txt")


def schema_of_answer(repair: Repair, prompt: Prompt) -> Mapping[str, Any] | None:
    """Return the JSON Schema of the reply to a repair, or None. A correction has that of the whole answer."""
    if isinstance(repair, Correction):
        return prompt.answer_schema
    return repair.prompt.answer_schema if isinstance(repair, Instead) else getattr(repair, "answer_schema", None)


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
