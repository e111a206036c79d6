"""Figures and statuses: the result of a verb, and the overview of a run directory."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

from retouch._lib.counting import counted, counted_are
from retouch._lib.frozen import made
from retouch.engine.batches import pending_in_batches
from retouch.engine.directory import load_ir
from retouch.engine.files import changed_files, disk_issues, outdated_issues, shell_path, users_files
from retouch.engine.history import latest_unchecked
from retouch.engine.judge import unit_state
from retouch.engine.recipe import find_recipe, never_outdated, no_blocks
from retouch.engine.record import lost_ledger
from retouch.engine.stored_files import damage_issues
from retouch.engine.tiers import (
    Status,
    TierOutcome,
    TierSummary,
    exit_status_of,
    status_of,
    status_reason,
    tier_summaries,
)
from retouch.engine.types import Usage, errors_of, issues_from_json
from retouch.errors import LimitReached, RetouchError

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
    from pathlib import Path

    from retouch._lib.json_text import JSON
    from retouch.engine.directory import RunView
    from retouch.engine.history import History
    from retouch.engine.recipe import Block
    from retouch.engine.round import Round
    from retouch.engine.types import Attempt, Issue, Prompt

SAMPLE = "sample"
"""The kind of the note in a run that requests only some units of its source: `planned` is the number of all of them."""
AFTER_WRITING = "after_writing"
"""The kind of the note of a result that did not pass a check after it was written: `why`, "" if it has passed since."""
_NAMED = 10  # names in a note
_DIR = re.compile(r"(?<=\bretouch validate )DIR\b|(?<=\bretouch resume )DIR\b|(?<=\bretouch policy waive )DIR\b")


@dataclass(frozen=True, kw_only=True)
class RunResult:
    """The result of a verb: the run's current status, and the usage of the replies that arrived during the verb.

    `states` are the states of the units: unanswered, answered, failing, exhausted, disputed or adopted. `notes` are
    sentences for the user, for example about a file that was kept because it has manual edits. `tiers` summarize the
    checks. If the run's ledger is or was missing, `lost_ledger` explains that earlier costs are unknown. Else it is "".
    """

    run: Path
    status: Status
    tiers: tuple[TierSummary, ...] = ()
    issues: tuple[Issue, ...] = ()
    states: tuple[tuple[str, str], ...] = ()
    files: tuple[str, ...] = ()
    usage: Usage = Usage()
    notes: tuple[str, ...] = ()
    lost_ledger: str = ""

    @property
    def calls(self) -> int:
        """How many calls got a reply."""
        return self.usage.calls

    @property
    def tokens(self) -> int:
        """All tokens, input and output."""
        return self.usage.tokens

    @property
    def exit_status(self) -> int:
        """0 verified or unverified, 1 if issues or pages remain or a requested check could not run, 3 exhausted."""
        return exit_status_of(self.status, self.tiers)

    @property
    def reason(self) -> str:
        """The reason for an `unverified` status and a note about waived checks, as text, or ""."""
        return status_reason(self.status, self.tiers, self.issues)

    def as_json(self) -> dict[str, JSON]:
        """Return the result as plain data with stable keys."""
        return {
            "run": str(self.run),
            "status": self.status,
            "tiers": [tier.to_json() for tier in self.tiers],
            "issues": [issue.summary() for issue in self.issues],
            "files": list(self.files),
            "calls": self.calls,
            "tokens": self.tokens,
            "input_tokens": self.usage.input_tokens,
            "output_tokens": self.usage.output_tokens,
            "cached_tokens": self.usage.cached_tokens,
            "cost": self.usage.cost,
            "notes": [*([self.lost_ledger] if self.lost_ledger else []), *self.notes],
        }


@dataclass(frozen=True, kw_only=True)
class DiskCheck:
    """The issues of files that differ from their written version, and the outcomes of all tiers by unit if known."""

    issues: Sequence[Issue] = ()
    outcomes: Mapping[str, Mapping[str, TierOutcome]] | None = None


def run_result(
    work: Round[Any, Any],
    directory: Path,
    *,
    files: Sequence[str] = (),
    notes: Sequence[str] = (),
    disk: DiskCheck = DiskCheck(),
) -> RunResult:
    """Return the result of a verb. `disk` is about the files of the run directory."""
    history = work.history
    states = tuple((name, unit.status(history)) for name, unit in work.units.items())
    issues = (*(issue for unit in work.units.values() for issue in unit.issues(history)), *disk.issues)
    plans = [(plan.tier, plan.name) for plan in work.declared_tiers()]
    outcomes = disk.outcomes if disk.outcomes is not None else outcomes_on_disk(work, directory, disk.issues)
    tiers = tier_summaries(plans, outcomes.values())
    tiers = (*tiers, *_noted_tiers(history, len(work.planned)))
    new = work.queue.new_attempts()
    limited = any((attempt.error or "").startswith(LimitReached.__name__) for attempt in new)
    found = {*(state for _, state in states), *(["exhausted"] if limited else [])}
    return RunResult(
        run=directory,
        status=status_of(found, failing=any(issue.is_failure for issue in issues), tiers=tiers),
        tiers=_with_path(tiers, directory),
        issues=tuple(replace(issue, fix=_in_place(issue.fix, directory)) for issue in issues),
        states=states,
        files=tuple(files),
        usage=Usage.of_attempts(new),
        notes=(*notes, *_fallback_notes(work), *_batch_notes(history, directory)),
        lost_ledger=lost_ledger(directory, history),
    )


def _noted_tiers(history: History, units: int) -> tuple[TierSummary, ...]:
    """Return the tiers that were not run according to notes.

    That is so if the run requests only `units`, a sample of the units of its source, and if its result did not pass a
    check after it was written into the user's files.
    """
    latest = {note.kind: note.data for note in history.notes if note.kind in {SAMPLE, AFTER_WRITING}}
    planned: Any = latest.get(SAMPLE, {}).get("planned", 0)
    why = latest.get(AFTER_WRITING, {}).get("why")
    found: list[TierSummary] = []
    if planned > units:
        sample = f"this run is a sample of {units} of {planned} units"
        found.append(TierSummary(tier=4, name=SAMPLE, passed=0, failed=0, not_run=planned - units, why=sample))
    if isinstance(why, str) and why:
        name = AFTER_WRITING.replace("_", " ")
        found.append(TierSummary(tier=4, name=name, passed=0, failed=0, not_run=1, why=why, requested=True))
    return tuple(found)


def _with_path(tiers: Iterable[TierSummary], directory: Path) -> tuple[TierSummary, ...]:
    """Return the tiers with the run's path in their next commands."""
    return tuple(replace(tier, next=_in_place(tier.next, directory)) for tier in tiers)


def _in_place(step: str, directory: Path) -> str:
    """Return a next step with the run's path instead of DIR, so that it can be copied and run."""
    return _DIR.sub(lambda _found: shell_path(directory), step)


def outcomes_on_disk(
    work: Round[Any, Any], directory: Path, disk: Sequence[Issue]
) -> dict[str, dict[str, TierOutcome]]:
    """Return the outcomes of all tiers by unit. On text that no check covers, the last tier counts as not run.

    So it does for every unit if the source was made from another version of the user's file (`Recipe.outdated`).
    """
    outcomes = work.tier_outcomes()
    for issue in disk:
        unjudged = issue.detail.get("unjudged")
        units = [*outcomes] if issue.detail.get("outdated") else unjudged if isinstance(unjudged, list) else ()
        again = issue.fix if issue.detail.get("outdated") else f"retouch assemble {shell_path(directory)} --force"
        for unit in map(str, units):
            of_unit = outcomes.get(unit, {})
            last = next(reversed(of_unit), "")
            if last and of_unit[last].outcome == "passed":
                of_unit[last] = TierOutcome(outcome="not_run", why=issue.message.replace(": ", ", "), next=again)
    return outcomes


def _fallback_notes(work: Round[Any, Any]) -> list[str]:
    """Return a note for each fallback whose answers the run has now, with their pages. `offline` is one, too."""
    history = work.history
    pages: dict[str, list[str]] = defaultdict(list)
    for name, unit in work.units.items():
        for page, answer in unit.current_answers(history).items():
            attempt = history.attempts.get(answer.attempt or 0)
            if attempt is not None and attempt.stage:
                pages[attempt.model].append(f"{name} page {page}" if len(unit.pages) > 1 else name)
    return [
        f"{counted(len(some), 'page')} {'was' if len(some) == 1 else 'were'} answered by {name!r}: {_some_of(some)}"
        for name, some in pages.items()
    ]


def _some_of(names: Sequence[str]) -> str:
    """Return the names, at most ten."""
    more = f" and {len(names) - _NAMED} more" if len(names) > _NAMED else ""
    return ", ".join(names[:_NAMED]) + more


def _batch_notes(history: History, directory: Path) -> list[str]:
    """Return a note for each model from which pages are pending in a batch."""
    counts = Counter(pending_in_batches(history).values())
    hint = f"'retouch resume {directory}' collects the responses"
    return [f"{counted_are(count, 'page')} pending in a batch of {name!r}: {hint}" for name, count in counts.items()]


def rejected_notes(work: Round[Any, Any], units: Iterable[str]) -> list[str]:
    """Return a note for each unit that kept its current answer because all new ones were worse."""
    notes: list[str] = []
    for unit in units:
        made = [attempt for attempt in work.queue.new_attempts() if attempt.unit == unit]
        if any(attempt.taken for attempt in made) or not any(attempt.reply is not None for attempt in made):
            continue
        codes = ", ".join(dict.fromkeys(issue.code for attempt in made for issue in attempt.issues))
        why = f"worse ({codes})" if codes else "no better"
        notes.append(f"the new answer for {unit!r} was {why} and was left aside: the earlier one is kept")
    return notes


@dataclass(frozen=True, kw_only=True)
class PageView:
    """One page: the model of its current answer, by the spec it was opened with, and what all its attempts used.

    `model` is "person" for a manual edit, and None without an answer.
    """

    page: int
    model: str | None
    attempts: int
    usage: Usage

    def as_json(self) -> dict[str, JSON]:
        """Return the page as plain data."""
        usage = self.usage
        return {
            "page": self.page,
            "model": self.model,
            "attempts": self.attempts,
            "input_tokens": usage.input_tokens,
            "output_tokens": usage.output_tokens,
            "cached_tokens": usage.cached_tokens,
        }


@dataclass(frozen=True, kw_only=True)
class UnitView:
    """One unit: its state, its pages, its issues, and the outcomes of its tiers by their names.

    `unchecked` is whether every page has a reply and some were never checked, because the run was interrupted.
    """

    unit: str
    state: str
    pages: tuple[PageView, ...]
    issues: tuple[Issue, ...]
    tiers: Mapping[str, TierOutcome]
    unchecked: bool = False

    @property
    def shown_state(self) -> str:
        """Its state for the user: replies that were never checked are no answer yet."""
        return "unanswered" if self.unchecked else self.state

    def as_json(self) -> dict[str, JSON]:
        """Return the unit as plain data."""
        issues: list[JSON] = [one.summary() for one in self.issues]
        return {
            "unit": self.unit,
            "state": self.shown_state,
            "pages": [page.as_json() for page in self.pages],
            "issues": issues,
            "tiers": {name: one.outcome for name, one in self.tiers.items()},
        }


@dataclass(frozen=True, kw_only=True)
class Overview:
    """The whole run, with its total usage. `disk` are issues of files that differ from their written version.

    `damage` are issues of changed ledger rows or JSON files. If the run's ledger is or was missing, `lost_ledger`
    explains that its costs are unknown. Else it is "". `noted_tiers` are tiers that were not run, for example because
    the run requests only a sample of its source. `packs_without_reply` are packed requests that are no attempts yet.
    """

    run: Path
    recipe: str
    units: tuple[UnitView, ...]
    attempts: tuple[Attempt, ...]
    disk: tuple[Issue, ...] = ()
    damage: tuple[Issue, ...] = ()
    lost_ledger: str = ""
    noted_tiers: tuple[TierSummary, ...] = ()
    packs_without_reply: int = 0

    @cached_property
    def status(self) -> Status:
        """The run's status, from the last check and the current files on disk."""
        states = (unit.shown_state for unit in self.units)
        return status_of(states, failing=any(issue.is_failure for issue in self.issues), tiers=self.tiers)

    @cached_property
    def issues(self) -> tuple[Issue, ...]:
        """All issues: of the ledger and the JSON files, of the units, and of the files on disk."""
        return (*self.damage, *(issue for unit in self.units for issue in unit.issues), *self.disk)

    @cached_property
    def tiers(self) -> tuple[TierSummary, ...]:
        """The tiers over all units."""
        names = dict.fromkeys(name for unit in self.units for name in unit.tiers)
        plans = [(number, name) for number, name in enumerate(names, 1)]
        found = tier_summaries(plans, (unit.tiers for unit in self.units))
        return _with_path((*found, *self.noted_tiers), self.run)

    @property
    def reason(self) -> str:
        """The reason for an `unverified` status and a note about waived checks, as text, or ""."""
        return status_reason(self.status, self.tiers, (issue for unit in self.units for issue in unit.issues))

    @property
    def calls(self) -> int:
        """How many calls were made. A packed request is one call."""
        return sum(one.calls for one in self.attempts) + self.packs_without_reply

    @cached_property
    def usage(self) -> Usage:
        """The usage of all calls that got a reply."""
        return Usage.of_attempts(self.attempts)

    @property
    def known_usage(self) -> Usage:
        """The usage with an unknown cost if calls may be missing, because the run's ledger is or was missing."""
        return replace(self.usage, cost=None) if self.lost_ledger else self.usage

    def as_json(self, *, attempts: bool) -> dict[str, Any]:
        """Return the overview as plain data, including every attempt if `attempts` is set."""
        usage = self.usage
        content: dict[str, Any] = {
            "run": str(self.run),
            "recipe": self.recipe,
            "status": self.status,
            "tiers": [tier.to_json() for tier in self.tiers],
            "damage": [issue.summary() for issue in self.damage],
            "units": [unit.as_json() for unit in self.units],
            "calls": self.calls,
            "tokens": usage.tokens,
            "input_tokens": usage.input_tokens,
            "output_tokens": usage.output_tokens,
            "cached_tokens": usage.cached_tokens,
            "file_issues": [issue.summary() for issue in self.disk],
            "notes": [self.lost_ledger] if self.lost_ledger else [],
        }
        return {**content, "attempts": [_attempt_json(one) for one in self.attempts]} if attempts else content


def overview(view: RunView) -> Overview:
    """Return the overview of a run directory: its ledger, the states of the last validation, and its files on disk."""
    pages: dict[str, list[Prompt]] = defaultdict(list)
    for prompt in [*view.prompts, *view.history.derived.values()]:
        pages[prompt.unit].append(prompt)
    units = tuple(_unit(name, prompts, view) for name, prompts in pages.items())
    attempts = sorted(view.history.attempts.values(), key=lambda attempt: attempt.seq)
    changed = changed_files(view.directory, view.history)
    newer = {name for name, found in changed.items() if view.history.edited.get(name) != found}
    disk = _disk_issues(view, changed)
    outdated = next((issue for issue in disk if issue.detail.get("outdated")), None)
    return Overview(
        run=view.directory,
        recipe=view.recipe,
        units=tuple(_as_on_disk(unit, newer, view, outdated) for unit in units),
        attempts=tuple(attempts),
        disk=tuple(disk),
        lost_ledger=lost_ledger(view.directory, view.history),
        damage=tuple(damage_issues(view.directory, view.history.damage, view.changed)),
        noted_tiers=_noted_tiers(view.history, len({prompt.unit for prompt in view.prompts})),
        packs_without_reply=sum(not pack.attempts for pack in view.history.packs.values()),
    )


def _disk_issues(view: RunView, changed: Mapping[str, str]) -> list[Issue]:
    """Return the issues of files that differ from their written version, and of the user's files.

    The recipe is only loaded if a file was `changed`, or if there is one that the run did not write.
    """
    is_whole = not changed and all((view.directory / name).exists() for name in view.history.written)
    others = users_files(view.directory, view.history.written)
    if is_whole and not others:
        return []
    try:
        recipe = find_recipe(view.recipe)
    except RetouchError:  # it is not installed, so no changed file can be checked
        return [] if is_whole else disk_issues(view.directory, _NoRecipe(), view.history)
    found = [] if is_whole else disk_issues(view.directory, recipe, view.history)
    if others and recipe.outdated is not never_outdated:
        found += outdated_issues(recipe, load_ir(view.directory, recipe).source, view.directory)
    return found


@dataclass(frozen=True)
class _NoRecipe:
    blocks: Callable[[str, str], Sequence[Block]] = no_blocks


def _as_on_disk(unit: UnitView, edited: Collection[str], view: RunView, outdated: Issue | None) -> UnitView:
    """Return the unit. If its file is one of the `edited`, or the source is outdated, passed tiers become not run."""
    name = next((name for name in edited if unit.unit in view.history.written[name].blocks), None)
    if name is None and outdated is None:
        return unit
    again = f"retouch validate {shell_path(view.directory)}"
    unseen = TierOutcome(outcome="not_run", why=f"{name!r} was edited since it was checked", next=again)
    if outdated is not None:
        unseen = TierOutcome(outcome="not_run", why=outdated.message.replace(": ", ", "), next=outdated.fix)
    tiers = {tier: unseen if one.outcome == "passed" else one for tier, one in unit.tiers.items()}
    return replace(unit, tiers=tiers)


def _unit(name: str, prompts: list[Prompt], view: RunView) -> UnitView:
    pages = tuple(_page_view(one, view) for one in prompts)
    summary = view.validation.get(name)
    settled = all(view.history.answer_to(prompt) is not None for prompt in prompts)
    complete = settled or all(page.model is not None for page in pages)
    if summary is not None and not (summary["state"] == "unanswered" and complete):
        issues = tuple(one for tier in summary["issues"].values() for one in issues_from_json(tier))
        stored: Mapping[str, Any] = view.history.outcomes.get(name, _unchecked(view, "validate"))
        tiers = {tier: TierOutcome.from_json(one) for tier, one in stored.items()}
        return UnitView(unit=name, state=summary["state"], pages=pages, issues=issues, tiers=tiers)
    # the run is active, or ended before its last checkpoint: the ledger is more recent
    last = view.history.settled.get(name)
    issues = last.issues if last is not None else ()
    adopted = view.history.adopted(name) is not None
    state = unit_state(
        adopted=adopted,
        failing=bool(errors_of(issues)),
        ended=last.state if last is not None else "",
        complete=complete,
    )
    unchecked = complete and not (settled or adopted)
    stored = _unchecked(view, "resume" if unchecked else "validate")
    tiers = {tier: TierOutcome.from_json(one) for tier, one in stored.items()}
    return UnitView(unit=name, state=state, pages=pages, issues=issues, tiers=tiers, unchecked=unchecked)


def _unchecked(view: RunView, verb: str) -> Mapping[str, Mapping[str, Any]]:
    again = f"retouch {verb} {shell_path(view.directory)}"
    return {"checks": {"outcome": "not_run", "why": "not checked yet", "next": again}}


def _page_view(prompt: Prompt, view: RunView) -> PageView:
    history = view.history
    attempts = [history.attempts[seq] for seq in history.by_page.get(prompt.key, ())]
    answer = history.adopted(prompt.unit) or history.answer_to(prompt)
    source = history.attempts.get(answer.attempt) if answer is not None and answer.attempt is not None else None
    if answer is None:
        source = latest_unchecked(prompt, attempts)
    model = "person" if answer is not None else None
    if source is not None:
        model = source.model
    usage = Usage.of_attempts(attempts)
    return made(PageView, page=prompt.page, model=model, attempts=len(attempts), usage=usage)


def _attempt_json(attempt: Attempt) -> dict[str, Any]:
    reply = attempt.reply
    return {
        "seq": attempt.seq,
        "unit": attempt.unit,
        "page": attempt.page,
        "why": attempt.why,
        "model": attempt.model,
        "at": attempt.at,
        "finish": reply.finish if reply is not None else None,
        "error": attempt.error,
        "input_tokens": reply.input_tokens if reply is not None else None,
        "output_tokens": reply.output_tokens if reply is not None else None,
        "cached_tokens": reply.cached_tokens if reply is not None else None,
        "reasoning_tokens": reply.reasoning_tokens if reply is not None else None,
        "seconds": attempt.seconds,
        "taken": attempt.taken,
        "issues": [issue.summary() for issue in attempt.issues],
        "schema_mode": reply.schema_mode if reply is not None else None,
        "pack": attempt.pack,
    }
