"""What the pages of one run show: rows of units, attempts as differences, the timeline, files and costs.

Nothing here is HTML but the lines of code. The templates of the viewer and of the report use the same values.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

from retouch._lib.redaction import without_keys
from retouch.engine.overview import overview
from retouch.engine.recipe import find_recipe
from retouch.engine.types import COMPARE, FIRST_PART, TWO_PARTS, Usage
from retouch.engine.usage import cost_report
from retouch.errors import RetouchError
from retouch.report.code import code_lines, diff_lines, is_same_text, language_of, shared_head, shortened
from retouch.report.timeline import Timeline, timeline_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from pathlib import Path

    from retouch.engine.directory import RunView
    from retouch.engine.overview import Overview, UnitView
    from retouch.engine.recipe import Recipe, Section
    from retouch.engine.types import Attempt, Issue, Prompt
    from retouch.engine.usage import CostReport
    from retouch.report.code import CodeLine

PROBLEMS = ("exhausted", "failing", "issues", "disputed", "incomplete", "unanswered")
"""The states of units that need attention, worst first."""
_PARTS = ("patch", "followup", "fields", FIRST_PART, TWO_PARTS)  # repairs whose answer is no whole page
_SHARED_AMONG = 50  # prompts that are compared to find the text that all share


@dataclass(frozen=True, kw_only=True)
class UnitRow:
    """One line of the table of units. `passed` is whether its answer passed every tier."""

    place: int
    name: str
    state: str
    passed: bool
    pages: int
    issues: tuple[Issue, ...]
    models: tuple[str, ...]
    usage: Usage
    retries: int
    seconds: float
    repaired: tuple[str, ...] = ()

    @property
    def is_problem(self) -> bool:
        """Whether the unit needs attention."""
        return self.state in PROBLEMS or any(issue.is_error for issue in self.issues)

    @property
    def codes(self) -> tuple[str, ...]:
        """The codes of its issues, each once."""
        return tuple(dict.fromkeys(issue.code for issue in self.issues))


@dataclass(frozen=True, kw_only=True)
class AttemptView:
    """One call at a page. `cause` are the issues that led to it, `sent` the turns that the prompt does not have.

    `lines` are the answer: complete, or what changed since the attempt with the number `compared_to`. If it was only a
    part of an answer, such as edits, `made` is what it changed.
    """

    number: int
    attempt: Attempt
    outcome: str
    cause: tuple[Issue, ...]
    sent: tuple[tuple[str, str], ...]
    lines: Sequence[CodeLine]
    compared_to: int | None = None
    unchanged: bool = False
    made: Sequence[CodeLine] = ()

    @property
    def cached_share(self) -> float:
        """The share of the input tokens that the provider had cached."""
        reply = self.attempt.reply
        return reply.cached_tokens / reply.input_tokens if reply is not None and reply.input_tokens else 0.0


@dataclass(frozen=True, kw_only=True)
class PromptPage:
    """One page of a unit: its prompt without the text that other prompts share, its attempts, its current answer."""

    number: int
    total: int
    prompt: Prompt
    own_text: str
    shared: str
    attempts: Sequence[AttemptView]
    answer: Sequence[CodeLine]
    is_manual: bool
    issues: tuple[Issue, ...]


@dataclass(frozen=True, kw_only=True)
class UnitPage:
    """Everything about one unit. `commands` are ready to copy, each with what it does."""

    row: UnitRow
    pages: Sequence[PromptPage]
    system: str
    system_pages: int
    files: Sequence[FileBlock]
    tiers: Mapping[str, Any]
    commands: Sequence[tuple[str, str]]
    before: str | None
    after: str | None
    sections: Sequence[Section] = ()


@dataclass(frozen=True, kw_only=True)
class FileBlock:
    """The part of a written file that belongs to a unit, as it is on disk now. `problem` is set if it is unreadable."""

    name: str
    line: int
    lines: Sequence[CodeLine]
    problem: str = ""


class RunPages:
    """The pages of one run, from a read-only view of its directory."""

    def __init__(self, view: RunView, *, recipe: Recipe[Any, Any] | None = None, shown: str = "") -> None:
        self.view = view
        self.seen: Overview = overview(view)
        self._recipe = recipe
        self.name = shown or view.directory.name or str(view.directory)

    @property
    def directory(self) -> Path:
        """The run directory."""
        return self.view.directory

    @cached_property
    def bill(self) -> CostReport:
        """The cost by unit, model, failed tier and reason."""
        return cost_report(self.seen.attempts, complete=not self.seen.lost_ledger)

    @cached_property
    def timeline(self) -> Timeline:
        """The calls over time."""
        return timeline_of(self.seen.attempts)

    @cached_property
    def rows(self) -> list[UnitRow]:
        """All units: those that need attention first, then in the order of the plan."""
        rows = [self._row(place, unit) for place, unit in enumerate(self.seen.units, 1)]
        worst = {state: place for place, state in enumerate(PROBLEMS)}
        return sorted(rows, key=lambda row: (not row.is_problem, worst.get(row.state, len(worst)), row.place))

    @cached_property
    def _attempts_of(self) -> Mapping[str, Sequence[Attempt]]:
        found: dict[str, list[Attempt]] = {}
        for one in self.seen.attempts:
            found.setdefault(one.unit, []).append(one)
        return found

    @cached_property
    def _prompts_of(self) -> Mapping[str, Sequence[Prompt]]:
        found: dict[str, list[Prompt]] = {}
        for one in self.prompts:
            found.setdefault(one.unit, []).append(one)
        return found

    @cached_property
    def prompts(self) -> Sequence[Prompt]:
        """All stored prompts, planned and derived."""
        return [*self.view.prompts, *self.view.history.derived.values()]

    @cached_property
    def systems(self) -> Mapping[str, int]:
        """The system prompts, with the number of pages that use each."""
        found: dict[str, int] = {}
        for one in self.prompts:
            if one.system:
                found[one.system] = found.get(one.system, 0) + 1
        return found

    @cached_property
    def shared(self) -> str:
        """The common first lines of the prompts of the run, or "" if they have none in common."""
        return shared_head([one.user for one in self.prompts[:_SHARED_AMONG]])

    def _row(self, place: int, unit: UnitView) -> UnitRow:
        attempts = [one for one in self._attempts_of.get(unit.unit, ()) if one.why != COMPARE]
        remaining = {issue.code for issue in unit.issues}
        return UnitRow(
            place=place,
            name=unit.unit,
            state=unit.shown_state,
            passed=bool(unit.tiers) and all(one.outcome == "passed" for one in unit.tiers.values()),
            pages=len(unit.pages),
            issues=unit.issues,
            models=tuple(dict.fromkeys(page.model for page in unit.pages if page.model)),
            usage=unit.pages[0].usage if len(unit.pages) == 1 else sum((page.usage for page in unit.pages), Usage()),
            retries=max(0, len(attempts) - len(unit.pages)),
            seconds=sum(one.seconds or 0.0 for one in attempts),
            repaired=tuple(dict.fromkeys(code for code in _codes_of(attempts) if code not in remaining)),
        )

    @cached_property
    def unanswered(self) -> int:
        """The number of pages without an answer."""
        return sum(page.model is None for unit in self.seen.units for page in unit.pages)

    @cached_property
    def cost_to_come(self) -> float | None:
        """The estimated cost of the pages without an answer, from the mean of those with one. None if unknown."""
        paid = [one for one in self.seen.attempts if one.reply is not None]
        answered = sum(len(unit.pages) for unit in self.seen.units) - self.unanswered
        cost = Usage.of_attempts(paid).cost
        if not self.unanswered:
            return 0.0
        return None if cost is None or not answered or not paid else cost / answered * self.unanswered

    async def sections(self) -> tuple[Sequence[Section], str]:
        """Return the recipe's own sections, or none and the reason. An error in them does not hide the run."""
        from retouch.engine.verbs import read_values

        try:
            recipe = self._recipe or find_recipe(self.view.recipe)
            source, values = await read_values(recipe, self.directory)
            return [*recipe.report(source, values), *recipe.tried(source, self.directory)], ""
        except RetouchError as error:
            return (), error.on_one_line

    @cached_property
    def _places(self) -> Mapping[str, int]:
        return {unit.unit: place for place, unit in enumerate(self.seen.units)}

    def has(self, name: str) -> bool:
        """Return whether the run has a unit of this name."""
        return name in self._places

    def neighbours(self, name: str) -> tuple[str | None, str | None]:
        """Return the units before and after this one in the order of the plan."""
        place, units = self._places[name], self.seen.units
        return (
            units[place - 1].unit if place else None,
            units[place + 1].unit if place + 1 < len(units) else None,
        )

    def answer_of(self, name: str) -> str:
        """Return the current answers of a unit, all pages one after the other."""
        adopted = self.view.history.adopted(name)
        if adopted is not None:
            return adopted.text
        found = (self.view.history.answer_to(prompt) for prompt in self._prompts_of.get(name, ()))
        return "\n".join(one.text for one in found if one is not None)

    def unit(self, name: str, *, commands: Sequence[tuple[str, str]] = ()) -> UnitPage:
        """Return the page of one unit.

        Raises:
            KeyError: the run has no such unit.
        """
        unit = self.seen.units[self._places[name]]
        prompts = self._prompts_of[name]
        system = prompts[0].system if prompts else ""
        before, after = self.neighbours(name)
        return UnitPage(
            row=self._row(self._places[name] + 1, unit),
            pages=[self._page(prompt, unit) for prompt in prompts],
            system=system,
            system_pages=self.systems.get(system, 0),
            files=self._blocks(name),
            tiers=unit.tiers,
            commands=commands,
            before=before,
            after=after,
        )

    def language_of_unit(self, name: str) -> str:
        """Return the language of a unit by the file that it is in, or by its own name."""
        file = next((file for file, one in self.view.history.written.items() if name in one.blocks), "")
        return language_of(file) or language_of(name)

    def _page(self, prompt: Prompt, unit: UnitView) -> PromptPage:
        history = self.view.history
        adopted = history.adopted(prompt.unit)
        answer = adopted or history.answer_to(prompt)
        issues = tuple(issue for issue in unit.issues if issue.page in (None, prompt.page))
        shared = self.shared if self.shared and prompt.user.startswith(self.shared) else ""
        language = self.language_of_unit(prompt.unit)
        text = answer.text if answer is not None else ""
        return PromptPage(
            number=prompt.page,
            total=len(self._prompts_of[prompt.unit]),
            prompt=prompt,
            own_text=shortened(prompt.user[len(shared) :]),
            shared=shared,
            attempts=self._attempts(prompt, language),
            answer=code_lines(text, language=language_in(text, language), issues=issues) if answer is not None else (),
            is_manual=answer is not None and answer.attempt is None,
            issues=issues,
        )

    def _attempts(self, prompt: Prompt, language: str) -> list[AttemptView]:
        """Return the attempts at a page, each as changes to the answer before. Edits are shown as they are."""
        history, found = self.view.history, list[AttemptView]()
        current = history.adopted(prompt.unit) or history.answer_to(prompt)
        answers: list[tuple[int, str]] = []
        cause: tuple[Issue, ...] = ()
        for number, seq in enumerate(history.by_page.get(prompt.key, ()), 1):
            one = history.attempts[seq]
            text = _text_of(one)
            before = answers[-1][1] if answers else None
            is_part = before is not None and one.why in _PARTS
            made = current.text if is_part and current is not None and current.attempt == seq else ""
            lines = _answer_lines(text, None if is_part else before, language, one.issues)
            found.append(
                AttemptView(
                    number=number,
                    attempt=one,
                    outcome=outcome_of(one),
                    cause=() if one.why == COMPARE else cause,
                    sent=tuple(_turns(one, prompt, answers)),
                    lines=lines,
                    compared_to=answers[-1][0] if answers and any(line.sign for line in lines) else None,
                    unchanged=bool(before is not None and text and is_same_text(before, text)),
                    made=_answer_lines(made, before, language, ()),
                )
            )
            if made or (text and not is_part):
                answers.append((number, made or text))
            if one.why != COMPARE and (one.issues or one.readable):
                cause = one.issues
        return found

    def _blocks(self, name: str) -> list[FileBlock]:
        found: list[FileBlock] = []
        for file, written in sorted(self.view.history.written.items()):
            if name not in written.blocks:
                continue
            text, problem = self.file_text(file)
            start, end = self._block_in(file, text, name)
            part = text[start:end]
            line = text.count("\n", 0, start) + 1
            lines = code_lines(part, language=language_of(file)) if part else ()
            found.append(FileBlock(name=file, line=line, lines=lines, problem=problem))
        return found

    def _block_in(self, file: str, text: str, name: str) -> tuple[int, int]:
        """Return where a unit's text starts and ends in a file. The whole file, if the recipe marks no blocks."""
        try:
            recipe = self._recipe or find_recipe(self.view.recipe)
            blocks = recipe.blocks(file, text)
        except RetouchError:
            return 0, len(text)
        return next(((block.start, block.end) for block in blocks if block.unit == name), (0, len(text)))

    def file_text(self, name: str) -> tuple[str, str]:
        """Return the text of a written file as it is on disk now, and why it cannot be shown, or "".

        Raises:
            KeyError: the run wrote no file of this name.
        """
        if name not in self.view.history.written:
            raise KeyError(name)
        place = self.directory / name
        try:
            if not place.resolve().is_relative_to(self.directory.resolve()):
                return "", "(cannot be shown: it is outside of the run directory)"
            return place.read_text(encoding="utf-8"), ""
        except (OSError, ValueError, RuntimeError) as error:
            return "", f"(cannot be shown: {error.__class__.__name__})"

    @property
    def files(self) -> Sequence[str]:
        """The names of the files that the run wrote."""
        return sorted(self.view.history.written)

    def matching(self, words: str, rows: Iterable[UnitRow]) -> list[UnitRow]:
        """Return the rows whose name, issues, prompts or answers contain `words`, in any case of letters."""
        wanted = words.casefold()
        return [row for row in rows if any(wanted in text.casefold() for text in self.searched(row))]

    def searched(self, row: UnitRow) -> Iterable[str]:
        """Yield the searchable text of a unit, without keys."""
        yield row.name
        for issue in row.issues:
            yield f"{issue.code} {issue.message} {issue.fix}"
        for prompt in self._prompts_of.get(row.name, ()):
            yield without_keys(prompt.user)
        for one in self._attempts_of.get(row.name, ()):
            if one.reply is not None:
                yield without_keys(one.reply.text)
            for issue in one.issues:
                yield f"{issue.code} {issue.message}"


def _text_of(one: Attempt) -> str:
    """Return the answer of an attempt, or what was received of it."""
    reply = one.reply or one.received
    return reply.text if reply is not None else ""


def _answer_lines(text: str, before: str | None, language: str, issues: Sequence[Issue]) -> Sequence[CodeLine]:
    """Return the lines of an answer, or what changed since the one before."""
    if not text:
        return ()
    spoken = language_in(text, language)
    if before is None:
        return code_lines(text, language=spoken, issues=issues)
    return diff_lines(before, text, language=spoken, issues=issues)


def _codes_of(attempts: Iterable[Attempt]) -> Iterable[str]:
    return (issue.code for one in attempts for issue in one.issues if issue.is_error)


def language_in(text: str, otherwise: str) -> str:
    """Return the language of an answer: JSON or edit blocks if it looks like them, else that of the file."""
    head = text.lstrip()[:20]
    if head.startswith(("{", "[", "```json")):
        return "json"
    return "diff" if head.startswith(("--- ", "diff ")) else otherwise


def outcome_of(one: Attempt) -> str:
    """Return the outcome of an attempt in one or two words."""
    if one.error:
        return "failed"
    if one.reply is None:
        return "no reply yet"
    if one.taken:
        return "kept, with errors" if any(issue.is_error for issue in one.issues) else "accepted"
    if one.why == COMPARE:
        return "for comparison"
    return "not accepted" if one.is_checked else "not checked"


def _turns(one: Attempt, prompt: Prompt, answers: Sequence[tuple[int, str]]) -> Iterable[tuple[str, str]]:
    """Yield the turns of a request that are not the prompt and no earlier answer, with their role."""
    known = {text: number for number, text in answers}
    for message in one.request.messages:
        text = message.text
        if text == prompt.user:
            continue
        if message.role == "assistant" and text in known:
            yield "assistant", f"(the answer of attempt {known[text]})"
            continue
        yield message.role, shortened(text.replace(prompt.user, "(the prompt)") if prompt.user else text)
