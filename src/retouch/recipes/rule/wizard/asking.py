"""Runs a round: calls the verb that the state machine requests, and turns its result into an event."""

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
    from retouch.recipes.rule.wizard.events import Event, StartRound
    from retouch.recipes.rule.wizard.session_state import SessionState

REPEATS = "The model makes no progress: it repeated the same answer or the same error."


async def ask(data: SessionState, effect: StartRound, tell: Callable[[Event], None]) -> Event:
    """Run a round and return its result as an event. `tell` receives events while it runs."""

    def on_moment(moment: Moment) -> None:
        data.moment = moment
        data.received_chars = {"text": data.received_chars + len(moment.progress.text), "asked": 0}.get(
            moment.progress.kind, data.received_chars
        )
        if moment.progress.kind in {"answered", "repairing"}:
            data.count()
        context = moment.context
        error = context.last_error.short_message if context.last_error is not None and context.retries else ""
        tell(Retrying(round=effect.round, number=context.retries, most=context.most_retries, error=error))

    data.moment, data.received_chars, data.written, data.problem = None, 0, "", None
    try:
        data.outcome = await _round(data, effect, on_moment)
    except RetouchError as error:
        return _transport_failure(data, effect, f"{error.message}\n{error.hint}".strip())
    except OSError as error:
        return _transport_failure(data, effect, f"{error.strerror or error}: {error.filename or data.folder}")
    finally:
        data.count()
    return event_of(data.outcome, effect)


def _round(
    data: SessionState, effect: StartRound, on_moment: Callable[[Moment], None]
) -> Coroutine[Any, Any, RoundResult]:
    model, options, folder = data.setup.model, data.setup.options, data.folder
    if effect.kind == "hint" and not data.begun:
        data.job = replace(data.job, hint=effect.hint)
    if not data.begun:
        return _begun(data, on_moment)
    if effect.kind == "hint":
        return rounds.hint(folder, model, effect.hint, options=options, on_moment=on_moment)
    if effect.kind == "yaml":
        return rounds.yaml_only(folder, model, options=options, on_moment=on_moment)
    rejected = effect.kind == "new" and _is_valid(data.outcome)
    return rounds.again(folder, model, rejected=rejected, options=options, on_moment=on_moment)


async def _begun(data: SessionState, on_moment: Callable[[Moment], None]) -> RoundResult:
    if data.job.form in {"python", "either"}:
        from retouch.recipes.rule.judging.python_run import expect_sandbox

        expect_sandbox()
    setup = data.setup
    outcome = await rounds.begin(data.job, data.folder, setup.model, options=setup.options, on_moment=on_moment)
    data.begun = True
    return outcome


def _is_valid(outcome: RoundResult | None) -> bool:
    return outcome is not None and outcome.artifact is not None and outcome.result.valid


def event_of(outcome: RoundResult, effect: StartRound) -> Event:
    """Return the event for the result of a round."""
    artifact = outcome.artifact
    if outcome.ending == "passed" and outcome.draft is not None:
        draft = outcome.draft
        return RoundPassed(round=effect.round, kind=draft.kind, hash=draft.validated, questions=bool(outcome.questions))
    is_python = kind_of(outcome.text) == "python" or (outcome.job.form == "python" and not outcome.text)
    return Failed(
        round=effect.round,
        kind="transport" if outcome.ending == "passed" else outcome.ending,
        message=_failure_message(outcome),
        has_output=bool(outcome.text),
        yaml_left=is_python and effect.kind != "yaml" and outcome.ending != "transport",
        earlier_kind=artifact.kind if artifact is not None and _is_valid(outcome) else None,
    )


def _failure_message(outcome: RoundResult) -> str:
    if outcome.ending == "transport":
        return outcome.error or "The model gave no answer. Try again, or choose another model."
    if outcome.ending == "passed":  # and the draft could not be saved
        return outcome.notes[-1]
    count = len(outcome.history)
    summary = f"No answer passed the checks after {count} attempt{'s' if count != 1 else ''}."
    return REPEATS if outcome.ending == "no_progress" else summary


def _transport_failure(data: SessionState, effect: StartRound, message: str) -> Failed:
    current = data.outcome
    artifact = current.artifact if current is not None and _is_valid(current) else None
    return Failed(
        round=effect.round,
        kind="transport",
        message=message,
        has_output=current is not None and bool(current.text),
        earlier_kind=artifact.kind if artifact is not None else None,
    )
