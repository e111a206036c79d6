"""What a verb came to, in words and figures."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

from retouch.engine.batches import on_its_way
from retouch.engine.files import issues_of, state_of
from retouch.engine.overview import RunResult, status_of
from retouch.errors import LimitReached

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from pathlib import Path

    from retouch.engine.history import History
    from retouch.engine.round import Round


def outcome(work: Round[Any, Any], folder: Path, *, files: Sequence[str] = (), notes: Sequence[str] = ()) -> RunResult:
    """Return the result of a verb: how the run stands now, and what the replies took that came in by it."""
    history = work.record.history
    states = tuple((name, state_of(unit, history)) for name, unit in work.units.items())
    issues = tuple(issue for unit in work.units.values() for issue in issues_of(unit, history))
    since = work.calls.came()
    replies = [attempt.reply for attempt in since if attempt.reply is not None]
    limited = any((attempt.error or "").startswith(LimitReached.__name__) for attempt in since)
    failing = any(issue.severity == "error" for issue in issues)
    return RunResult(
        run=folder,
        status=status_of({state for _, state in states} | ({"exhausted"} if limited else set()), failing=failing),
        issues=issues,
        states=states,
        files=tuple(files),
        calls=len(replies),
        input_tokens=sum(reply.input_tokens for reply in replies),
        output_tokens=sum(reply.output_tokens for reply in replies),
        cached_tokens=sum(reply.cached_tokens for reply in replies),
        notes=(*notes, *_on_its_way(work.record.history, folder)),
    )


def _on_its_way(history: History, folder: Path) -> list[str]:
    """Return a note for each model that pages are still on their way from, in a batch."""
    counts = Counter(on_its_way(history).values())
    hint = f"'retouch resume {folder}' collects what has come"
    return [f"{count} pages are on their way in a batch of {name!r}: {hint}" for name, count in counts.items()]


def left_aside(work: Round[Any, Any], units: Iterable[str]) -> list[str]:
    """Return a note for each unit whose new answers were all worse than what stood, which therefore still stands."""
    notes: list[str] = []
    for unit in units:
        made = [attempt for attempt in work.calls.came() if attempt.unit == unit]
        if any(attempt.taken for attempt in made) or not any(attempt.reply is not None for attempt in made):
            continue
        codes = ", ".join(dict.fromkeys(issue.code for attempt in made for issue in attempt.issues))
        why = f"worse ({codes})" if codes else "no better"
        notes.append(f"the new answer for {unit!r} was {why} and was left aside: the earlier one stands")
    return notes
