"""`retouch rule drafts`: rules that passed every check and wait for your approval."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from retouch.commands import LazyGroup, Verb, as_json_option, print_issues, print_json, print_table, printable

if TYPE_CHECKING:
    from retouch.errors import BrokenFile
    from retouch.recipes.rule.drafts.draft import Draft

_HERE = "retouch.recipes.rule.commands.drafts"
TABLE = {
    "list": (f"{_HERE}:list_drafts", "List the drafts, the newest first."),
    "show": (f"{_HERE}:show", "Print a draft: its text, its state, and the engine that must run it."),
    "validate": (f"{_HERE}:validate", "Check a draft again on all of its samples. With --edited, check your text."),
    "approve": (f"{_HERE}:approve", "Write a draft into a directory: NAME.yaml or NAME.py."),
    "delete": (f"{_HERE}:delete", "Remove a draft."),
    "clean": (
        f"{_HERE}:clean",
        "Remove this project's drafts that expired or were approved, and print their ids.",
    ),
}


@click.group(cls=LazyGroup, table=TABLE)
def command() -> None:
    """List, check and approve the rules of this project that wait for your approval.

    A draft waits for one day. The project is the nearest directory, from here upwards, with a retouch.toml, a
    pyproject.toml or a repository. An ID can name a draft of any project. Only 'delete' and 'clean' remove drafts.
    """


@click.command(cls=Verb)
@click.option("--all", "all_projects", is_flag=True, help="List the drafts of all projects.")
@as_json_option
def list_drafts(*, all_projects: bool, as_json: bool) -> None:
    """List the drafts, the newest first.

    \b
      retouch rule drafts list
      retouch rule drafts list --json

    With --json: {"drafts": [{"id", "state", "kind", "name", "engine", "coverage", "created_at", "run", "project"}]}.
    """
    from retouch.recipes.rule.drafts.store import Drafts

    drafts = Drafts()
    found = [_plain(draft) for draft in drafts.every(all_projects=all_projects, on_broken=_note_broken)]
    if as_json:
        print_json({"drafts": found})
        return
    heads = ["id", "state", "kind", "name", "coverage", "created_at", "run", *(["project"] if all_projects else [])]
    print_table(heads, [[row[head] for head in heads] for row in found])
    if not found:
        where = "" if all_projects else f" in the project {drafts.project!r}; --all lists those of other projects"
        click.echo(printable(f"no drafts{where}"), err=True)


def _note_broken(error: BrokenFile) -> None:
    click.echo(printable(f"note: {error.message}. {error.hint}"), err=True)


def _plain(draft: Draft) -> dict[str, Any]:
    return {
        "id": draft.id,
        "state": draft.state,
        "kind": draft.kind,
        "name": draft.name,
        "engine": draft.engine,
        "coverage": f"{draft.coverage:.0%}",
        "created_at": draft.created_at.isoformat(timespec="seconds"),
        "run": draft.run,
        "project": draft.project,
    }


@click.command(cls=Verb)
@click.argument("draft_id", metavar="ID")
@as_json_option
def show(draft_id: str, *, as_json: bool) -> None:
    """Print a draft: its text, its state, and the engine that must run it.

    \b
      retouch rule drafts show 1a1d0370
      retouch rule drafts show 1a1d0370 --json

    With --json the keys are those of 'retouch rule drafts list', and "text".
    """
    from retouch.recipes.rule.drafts.store import Drafts

    draft = Drafts().find(draft_id)
    if as_json:
        print_json({**_plain(draft), "text": draft.text})
        return
    for name, value in _plain(draft).items():
        if value:
            click.echo(printable(f"{name:10} {value}"))
    click.echo()
    click.echo(printable(draft.text))


@click.command(cls=Verb)
@click.argument("draft_id", metavar="ID")
@click.option(
    "--edited",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="Check the text of this file instead.",
)
@as_json_option
def validate(draft_id: str, *, edited: Path | None, as_json: bool) -> int:
    """Check a draft again on all of its samples. With --edited, check your text.

    \b
      retouch rule drafts validate 1a1d0370
      retouch rule drafts validate 1a1d0370 --json

    If the text passes, it replaces the draft's text.

    No model is called. With --json: {"id", "valid", "issues"}.
    """
    from retouch.recipes.rule.drafts.store import Drafts
    from retouch.recipes.rule.language.load import decoded
    from retouch.recipes.rule.rounds import check_edit

    drafts = Drafts()
    draft = drafts.find(draft_id)
    result = check_edit(draft.job, decoded(edited.read_bytes()) if edited is not None else draft.text)
    if result.valid and result.parsed is not None and draft.state != "COMMITTED":
        drafts.edited(draft, result.parsed)
    if as_json:
        print_json({"id": draft.id, "valid": result.valid, "issues": [issue.summary() for issue in result.issues]})
    else:
        print_issues(result.issues)
        click.echo("it passes" if result.valid else "it does not pass; the draft was not changed")
    return 0 if result.valid else 1


@click.command(cls=Verb)
@click.argument("draft_id", metavar="ID")
@click.option("-o", "--output", required=True, type=click.Path(file_okay=False, path_type=Path), help="The directory.")
@click.option("--force", is_flag=True, help="Overwrite an existing file of that name.")
def approve(draft_id: str, *, output: Path, force: bool) -> None:
    """Write a draft into a directory: NAME.yaml or NAME.py.

    \b
      retouch rule drafts approve 1a1d0370 -o approved
      retouch rule drafts approve 1a1d0370 -o approved --force
    """
    from retouch.recipes.rule.drafts.approval import approve as written
    from retouch.recipes.rule.drafts.store import Drafts

    drafts = Drafts()
    click.echo(printable(str(written(drafts, drafts.find(draft_id), output, force=force))))


@click.command(cls=Verb)
@click.argument("draft_id", metavar="ID")
def delete(draft_id: str) -> None:
    """Remove a draft.

    \b
      retouch rule drafts delete 1a1d0370
      retouch rule drafts delete 5e8a559b
    """
    from retouch.recipes.rule.drafts.store import Drafts

    Drafts().delete(draft_id)


@click.command(cls=Verb)
def clean() -> None:
    """Remove this project's drafts that expired or were approved, and print their ids.

    \b
      retouch rule drafts clean
      retouch rule drafts clean --help
    """
    from retouch.recipes.rule.drafts.store import Drafts

    for draft_id in Drafts().clean():
        click.echo(draft_id)
