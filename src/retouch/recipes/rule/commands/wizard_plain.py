"""The wizard without a screen: what it would show, in words, with the same states and exit statuses."""

from __future__ import annotations

from dataclasses import asdict, replace
from typing import TYPE_CHECKING, Any

import click

from retouch.commands import Lines, counted_are, keeping, print_json, print_table, printable

if TYPE_CHECKING:
    from collections.abc import Iterable

    from retouch.recipes.rule.wizard.desk import Setup
    from retouch.recipes.rule.wizard.session import WizardSession
    from retouch.recipes.rule.wizard.shown import Shown
    from retouch.recipes.rule.wizard.telling import StyledLine

MOST_ROWS = 20
CLEAN, FINDINGS, EXHAUSTED = 0, 1, 3


def run_plain(setup: Setup, *, preview: bool, approves: bool, as_json: bool) -> int:
    """Go through one round, print what the wizard would show, or JSON, and return the exit status.

    Raises:
        ModelError: JSON is wanted, and the round broke off.
    """
    from retouch._lib.run_sync import run_sync
    from retouch.recipes.rule.wizard.session import WizardSession
    from retouch.recipes.rule.wizard.telling import sent

    session = WizardSession(replace(setup, options=replace(setup.options, watch=None if as_json else Lines())))
    if preview:
        _say(sent(session.desk), err=True)
    with keeping(setup.folder):
        run_sync(_gone_through(session, approves=approves, shows=not as_json))
    if as_json:
        print_json(_as_json(session))
    else:
        say_end(session)
    return exit_status(session)


async def _gone_through(session: WizardSession, *, approves: bool, shows: bool) -> None:
    """Ask, and answer for the person where nobody is there: no draft is taken up, and dates stay text."""
    session.begin(drafts=False, questions=False)
    await session.settled()
    if shows:
        _show(session)
    if approves and session.wizard.state in {"YAML_RESULT", "PYTHON_RESULT"}:
        session.press("enter")
        session.press("enter")
        await session.settled()


def _as_json(session: WizardSession) -> dict[str, Any]:
    from retouch.errors import ModelError
    from retouch.recipes.rule.wizard.shown import shown

    outcome = session.desk.outcome
    if outcome is None or outcome.run is None:
        raise ModelError(session.wizard.why, hint="Give the same command again: what arrived is kept.")
    if session.wizard.message:
        click.echo(printable(session.wizard.message), err=True)
    found = shown(session.desk)
    conflicts = [asdict(one) for one in found.conflicts] if found is not None else []
    return {**outcome.as_json(), "approved": session.wizard.path or None, "conflicts": conflicts}


def _show(session: WizardSession) -> None:
    from retouch.recipes.rule.wizard.shown import shown
    from retouch.recipes.rule.wizard.telling import told

    _say(told(session), err=False)
    found = shown(session.desk)
    if found is not None:
        _show_artifact(found)


def _show_artifact(found: Shown) -> None:
    click.echo(printable(found.text))
    heads = ["", *(f"{column.name} ({column.heading})" for column in found.columns), "path"]
    rows = found.rows[:MOST_ROWS]
    print_table(heads, [[row.symbol, *(cell.marked for cell in row.cells), row.path] for row in rows])
    if found.total > len(rows):
        click.echo(f"... and {found.total - len(rows):,} more")
    click.echo(f"{found.taken:,} of {counted_are(found.total, 'path')} taken whole ({found.coverage:.0%})")
    for row in rows:
        for column, cell in zip(found.columns, row.cells, strict=True):
            if cell.why:
                click.echo(printable(f"  {row.symbol} {row.path}: {column.name}: {cell.why}"))
    for row in found.unmatched[:MOST_ROWS]:
        click.echo(printable(f"  {row.symbol} {row.path}: not taken: {row.why}"))
    for one in found.conflicts:
        shared = f"{one.common:,} in common" if one.common else "none in common, one is possible"
        said = f"conflict: {one.winner} wins over {one.loser} by {one.decided_by}; {shared}: {one.example}"
        click.echo(printable(said))
    for note in found.notes:
        click.echo(printable(f"note: {note}"))


def say_end(session: WizardSession) -> None:
    """Say what came of a session: the file, or the draft that waits, and what was spent."""
    from retouch.recipes.rule.wizard.telling import spent

    wizard, desk = session.wizard, session.desk
    outcome = desk.outcome
    if wizard.path:
        click.echo(printable(f"approved: {wizard.path}"))
    elif outcome is not None and outcome.draft is not None:
        draft = outcome.draft.id
        click.echo(f"draft {draft}: the wizard offers it again, or 'retouch rule drafts approve {draft} -o DIR'")
        if wizard.message:
            click.echo(printable(wizard.message), err=True)
    if desk.spent.calls:
        click.echo(printable(f"{spent(desk.spent)}; the record is in {desk.folder}"))


def exit_status(session: WizardSession) -> int:
    """Return 0 when an artifact passed or was approved, 3 when the budget is exhausted, 1 when anything is left."""
    from retouch.recipes.rule.wizard.shown import shown

    wizard = session.wizard
    if wizard.failure == "exhausted":
        return EXHAUSTED
    if wizard.failure is not None or session.desk.outcome is None:
        return FINDINGS
    if wizard.state == "APPROVED":
        return CLEAN
    found = shown(session.desk)
    doubtful = found is None or any(one.decided_by != "priority" for one in found.conflicts)
    return FINDINGS if doubtful or wizard.state == "NAME_INPUT" else CLEAN


def _say(lines: Iterable[StyledLine], *, err: bool) -> None:
    for line in lines:
        click.echo(printable(line.text), err=err)
