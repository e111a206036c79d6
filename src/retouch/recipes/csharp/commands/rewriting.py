"""Compares a run with the source that its directory already has, before it is written again."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from retouch.errors import RetouchError

if TYPE_CHECKING:
    from pathlib import Path

    from retouch.commands import CommandRunner
    from retouch.engine.overview import RunResult
    from retouch.recipes.csharp.commands.arguments import CsharpArguments
    from retouch.recipes.csharp.ir import Endpoint

BREAKING = "breaking: "  # begins the note of a run about a breaking change


def stored_source(directory: Path) -> Endpoint | None:
    """Return the source of the run in `directory`, None if there is none or the run itself has to report its damage."""
    from retouch.engine.directory import load_ir
    from retouch.recipes.csharp.job import recipe

    if not (directory / "ir.json").is_file():
        return None
    try:
        return load_ir(directory, recipe).source
    except RetouchError:
        return None


def rewritten(before: Endpoint | None, source: Endpoint) -> tuple[Endpoint, tuple[str, ...]]:
    """Return the source to store instead of `before`, and the breaking changes that this rewrite makes."""
    from retouch.recipes.csharp.changes import with_changes

    if before is not None and before.style == source.style:  # a run keeps the form of its prompts
        source = replace(source, example_first=before.example_first)
    now = source if before is None else with_changes(before, source)
    return now, () if now is before else now.changes


def rewrite(arguments: CsharpArguments, before: Endpoint | None, source: Endpoint, directory: Path) -> int:
    """Make the run, with the breaking changes since `before` in its source; return the exit status.

    What the user settled in `decisions.json` becomes a part of the source.
    """
    from retouch.recipes.csharp.job import recipe

    now, broken = rewritten(before, with_decisions(source, directory))
    status = arguments.generate(recipe, now, directory)
    return 1 if status == 0 and broken and arguments.fail_on_breaking else status


def with_decisions(source: Endpoint, directory: Path) -> Endpoint:
    """Return the source with the decisions in the directory, if the meaning is requested from the model."""
    if source.ask == "transcript":
        return source
    from retouch.recipes.csharp.meaning.decisions import decisions_of_entries, stored_entries

    return replace(source, decisions=decisions_of_entries(stored_entries(directory), source))


def decision_notes(runner: CommandRunner) -> list[str]:
    """Write `decisions.json` after a run that requests the meaning, and return the notes about it."""
    if runner.source.ask == "transcript":
        return []
    from retouch._lib.run_sync import run_sync

    return run_sync(written_decisions(runner.folder))


async def written_decisions(directory: Path) -> list[str]:
    """Write `decisions.json` of a run that requests the meaning, and return the notes about it."""
    from retouch.engine.verbs import read_values
    from retouch.recipes.csharp.job import recipe
    from retouch.recipes.csharp.meaning.decisions import write_decisions

    return write_decisions(directory, *await read_values(recipe, directory))


def show_with_changes(runner: CommandRunner, result: RunResult) -> int:
    """Print the result with the breaking changes of the last rewrite, each on a line of its own; return the status."""
    changes = runner.source.changes
    if runner.as_json:
        return runner.show(result, breaking=changes)
    return runner.show(replace(result, notes=(*(f"{BREAKING}{change}" for change in changes), *result.notes)))
