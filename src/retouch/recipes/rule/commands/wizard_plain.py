"""The wizard without a screen: the same output as text, with the same states and exit statuses."""

from __future__ import annotations

from dataclasses import asdict, replace
from typing import TYPE_CHECKING, Any

import click

from retouch.commands import Lines, counted, keeping, print_json, print_status, print_table, printable

if TYPE_CHECKING:
    from collections.abc import Iterable

    from retouch.recipes.rule.wizard.lines import StyledLine
    from retouch.recipes.rule.wizard.session import WizardSession
    from retouch.recipes.rule.wizard.session_state import Setup
    from retouch.recipes.rule.wizard.shown import Shown

MOST_ROWS = 20
CLEAN, FINDINGS, EXHAUSTED = 0, 1, 3


def run_plain(setup: Setup, *, preview: bool, approves: bool, as_json: bool) -> int:
    """Run one round, print the wizard's output or JSON, and return the exit status.

    Raises:
        ModelError: JSON was requested, and the round failed.
    """
    from retouch._lib.run_sync import run_sync
    from retouch.recipes.rule.wizard.lines import sent
    from retouch.recipes.rule.wizard.session import WizardSession

    session = WizardSession(replace(setup, options=replace(setup.options, watch=None if as_json else Lines())))
    if preview:
        _print_lines(sent(session.data), err=True)
    with keeping(setup.folder):
        run_sync(_run_round(session, approves=approves, shows=not as_json))
    if as_json:
        print_json(_as_json(session))
    else:
        print_end(session)
    if approves and not session.wizard.path and _open_questions(session):
        click.echo(printable(_not_approved(session)), err=True)
        return FINDINGS
    return exit_status(session)


def _open_questions(session: WizardSession) -> tuple[str, ...]:
    """Return what only the user can answer. A rule with open questions is unverified."""
    outcome = session.data.outcome
    return () if outcome is None else outcome.open_questions


def _not_approved(session: WizardSession) -> str:
    number = len(_open_questions(session))
    questions = "1 question is open" if number == 1 else f"{number:,} questions are open"
    hint = "Answer with --accept KEY, --example or --date-format, or approve the draft by its id."
    return f"not approved: --yes approves verified rules, and {questions}. {hint}"


async def _run_round(session: WizardSession, *, approves: bool, shows: bool) -> None:
    """Run a round without a user: no draft is resumed, and ambiguous dates stay text."""
    session.begin(drafts=False, questions=False)
    await session.settled()
    if shows:
        _print_status(session)
    if approves and not _open_questions(session) and session.wizard.state in {"YAML_RESULT", "PYTHON_RESULT"}:
        session.press("enter")
        session.press("enter")
        await session.settled()


def _as_json(session: WizardSession) -> dict[str, Any]:
    from retouch.errors import ModelError
    from retouch.recipes.rule.wizard.shown import shown

    outcome = session.data.outcome
    if outcome is None or outcome.run is None:
        raise ModelError(session.wizard.why, hint="Run the same command again: the responses so far are kept.")
    if session.wizard.message:
        click.echo(printable(session.wizard.message), err=True)
    found = shown(session.data)
    conflicts = [asdict(one) for one in found.conflicts] if found is not None else []
    return {**outcome.as_json(), "approved": session.wizard.path or None, "conflicts": conflicts}


def _print_status(session: WizardSession) -> None:
    from retouch.recipes.rule.wizard.lines import state_lines
    from retouch.recipes.rule.wizard.shown import shown

    run = session.data.outcome.run if session.data.outcome is not None else None
    if run is not None:
        print_status(run.status, run.reason, str(run.run))
    _print_lines(state_lines(session), err=False)
    found = shown(session.data)
    if found is not None:
        _print_artifact(found)


def _print_artifact(found: Shown) -> None:
    click.echo(printable(found.text))
    heads = ["", *(f"{column.name} ({column.heading})" for column in found.columns), "path"]
    rows = found.rows[:MOST_ROWS]
    print_table(heads, [[row.symbol, *(cell.marked for cell in row.cells), row.path] for row in rows])
    if found.total > len(rows):
        click.echo(f"... and {found.total - len(rows):,} more")
    verb = "gives" if found.total == 1 else "give"
    click.echo(f"{found.taken:,} of {counted(found.total, 'path')} {verb} every field ({found.coverage:.0%})")
    for row in rows:
        for column, cell in zip(found.columns, row.cells, strict=True):
            if cell.why:
                click.echo(printable(f"  {row.symbol} {row.path}: {column.name}: {cell.why}"))
    for row in found.unmatched[:MOST_ROWS]:
        click.echo(printable(f"  {row.symbol} {row.path}: does not match: {row.why}"))
    for one in found.conflicts:
        shared = f"{one.common:,} in common" if one.common else "none in common, one is possible"
        conflict = f"conflict: {one.winner} wins over {one.loser} by {one.decided_by}; {shared}: {one.example}"
        click.echo(printable(conflict))
    for note in found.notes:
        click.echo(printable(f"note: {note}"))


def print_end(session: WizardSession) -> None:
    """Print the result of a session: the file or the draft, and the usage."""
    from retouch.recipes.rule.wizard.lines import spent

    wizard, data = session.wizard, session.data
    outcome = data.outcome
    if wizard.path:
        click.echo(printable(f"approved: {wizard.path}"))
    elif outcome is not None and outcome.draft is not None:
        draft = outcome.draft.id
        click.echo(f"draft {draft}: the wizard offers it again, or 'retouch rule drafts approve {draft} -o DIR'")
        if wizard.message:
            click.echo(printable(wizard.message), err=True)
    if data.spent.calls:
        click.echo(printable(f"{spent(data.spent)}; the record is in {data.folder}"))


def exit_status(session: WizardSession) -> int:
    """Return 0 if an artifact passed or was approved, 3 if the budget is exhausted, 1 if anything is left to do."""
    from retouch.recipes.rule.wizard.shown import shown

    wizard = session.wizard
    if wizard.failure == "exhausted":
        return EXHAUSTED
    if wizard.failure is not None or session.data.outcome is None:
        return FINDINGS
    if wizard.state == "APPROVED":
        return CLEAN
    found = shown(session.data)
    doubtful = found is None or any(one.decided_by != "priority" for one in found.conflicts)
    return FINDINGS if doubtful or wizard.state == "NAME_INPUT" else CLEAN


def _print_lines(lines: Iterable[StyledLine], *, err: bool) -> None:
    for line in lines:
        click.echo(printable(line.text), err=err)
