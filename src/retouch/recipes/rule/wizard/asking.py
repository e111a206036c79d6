"""Carries out a round: what the machine wants asked becomes a verb, and its outcome becomes news."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from retouch.errors import RetouchError
from retouch.recipes.rule import rounds
from retouch.recipes.rule.judging.artifact import kind_of
from retouch.recipes.rule.wizard.events import Failed, Retrying, RoundPassed

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine
    from typing import Any

    from retouch.recipes.rule.rounds import Moment, RoundResult
    from retouch.recipes.rule.wizard.desk import SessionState
    from retouch.recipes.rule.wizard.events import Event, StartRound

REPEATS = "The model makes no progress: the same answer, or the same complaint about it, came back."


async def ask(desk: SessionState, effect: StartRound, tell: Callable[[Event], None]) -> Event:
    """Return what a round comes to as news; what goes on in it is told meanwhile."""

    def on_moment(moment: Moment) -> None:
        desk.moment = moment
        desk.came_chars = {"text": desk.came_chars + len(moment.progress.text), "asked": 0}.get(
            moment.progress.kind, desk.came_chars
        )
        if moment.progress.kind in {"answered", "repairing"}:
            desk.count()
        context = moment.context
        error = context.last_error.short_message if context.last_error is not None and context.retries else ""
        tell(Retrying(round=effect.round, number=context.retries, most=context.most_retries, error=error))

    desk.moment, desk.came_chars, desk.written, desk.problem = None, 0, "", None
    try:
        desk.outcome = await _round(desk, effect, on_moment)
    except RetouchError as error:
        return _broke_off(desk, effect, f"{error.message}\n{error.hint}".strip())
    except OSError as error:
        return _broke_off(desk, effect, f"{error.strerror or error}: {error.filename or desk.folder}")
    finally:
        desk.count()
    return news_of(desk.outcome, effect)


def _round(
    desk: SessionState, effect: StartRound, on_moment: Callable[[Moment], None]
) -> Coroutine[Any, Any, RoundResult]:
    model, options, folder = desk.setup.model, desk.setup.options, desk.folder
    if effect.kind == "hint" and not desk.begun:
        desk.job = replace(desk.job, hint=effect.hint)
    if not desk.begun:
        return _begun(desk, on_moment)
    if effect.kind == "hint":
        return rounds.hint(folder, model, effect.hint, options=options, on_moment=on_moment)
    if effect.kind == "yaml":
        return rounds.yaml_only(folder, model, options=options, on_moment=on_moment)
    rejected = effect.kind == "new" and _stands(desk.outcome)
    return rounds.again(folder, model, rejected=rejected, options=options, on_moment=on_moment)


async def _begun(desk: SessionState, on_moment: Callable[[Moment], None]) -> RoundResult:
    if desk.job.form in {"python", "either"}:
        from retouch.recipes.rule.judging.python_run import expect_sandbox

        expect_sandbox()
    setup = desk.setup
    outcome = await rounds.begin(desk.job, desk.folder, setup.model, options=setup.options, on_moment=on_moment)
    desk.begun = True
    return outcome


def _stands(outcome: RoundResult | None) -> bool:
    return outcome is not None and outcome.artifact is not None and outcome.result.valid


def news_of(outcome: RoundResult, effect: StartRound) -> Event:
    """Return what the machine is told of an outcome."""
    artifact = outcome.artifact
    if outcome.ending == "passed" and outcome.draft is not None:
        draft = outcome.draft
        return RoundPassed(round=effect.round, kind=draft.kind, hash=draft.validated, questions=bool(outcome.questions))
    is_python = kind_of(outcome.text) == "python" or (outcome.job.form == "python" and not outcome.text)
    return Failed(
        round=effect.round,
        kind="transport" if outcome.ending == "passed" else outcome.ending,
        message=_words(outcome),
        has_output=bool(outcome.text),
        yaml_left=is_python and effect.kind != "yaml" and outcome.ending != "transport",
        stands=artifact.kind if artifact is not None and _stands(outcome) else None,
    )


def _words(outcome: RoundResult) -> str:
    if outcome.ending == "transport":
        return outcome.error or "The model gave no answer: try again, or choose another model."
    if outcome.ending == "passed":  # and no draft could be kept
        return outcome.notes[-1]
    count = len(outcome.history)
    asked = f"No answer passed the checks after {count} attempt{'s' if count != 1 else ''}."
    return REPEATS if outcome.ending == "no_progress" else asked


def _broke_off(desk: SessionState, effect: StartRound, words: str) -> Failed:
    standing = desk.outcome
    artifact = standing.artifact if standing is not None and _stands(standing) else None
    return Failed(
        round=effect.round,
        kind="transport",
        message=words,
        has_output=standing is not None and bool(standing.text),
        stands=artifact.kind if artifact is not None else None,
    )
