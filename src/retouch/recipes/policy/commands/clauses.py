"""`retouch policy clauses`, `retouch policy rewrite` and `retouch policy waive`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from retouch.commands import Verb, as_json_option, counted, print_issues, print_json, print_status, printable

if TYPE_CHECKING:
    from retouch._lib.json_text import JSON

COLOURS = {"enforced": "green", "not_a_rule": "bright_black", "waived": "yellow"}
_DIRECTORY = click.argument("directory", metavar="DIR", type=click.Path(path_type=Path, file_okay=False, exists=True))


@click.command(cls=Verb)
@_DIRECTORY
@as_json_option
def clauses(directory: Path, *, as_json: bool) -> int:
    """Show the status of each sentence of the text. Exit with 1 if one is neither enforced nor waived.

    \b
      retouch policy clauses policy
      retouch policy clauses policy --json

    DIR is the run directory of a policy. Below each sentence you see what it means for your tools. Below one that is
    not understood you see sentences that it may be meant as; 'retouch policy rewrite' puts one into your text.

    With --json: {"clauses": [{"text", "line", "status", "rules", "scenarios", "why", "means", "nearest"}], "notes"}.
    The status is enforced, partly, not_expressible, not_a_rule or waived. Rules are named server/rule.
    """
    from retouch.engine.record import lost_ledger_of
    from retouch.recipes.policy.making.runs import clauses_of_run

    found, lost = clauses_of_run(directory), lost_ledger_of(directory)
    if as_json:
        print_json({"clauses": [one.as_json() for one in found], "notes": [lost] if lost else []})
    else:
        if lost:
            click.echo(printable(f"note: {lost}"))
        for one in found:
            click.secho(f"{one.status.replace('_', ' '):15} ", fg=COLOURS.get(one.status, "red"), nl=False)
            click.echo(printable(f"line {one.clause.line}: {one.clause.text}"))
            shown = f"{', '.join(one.rules)}; {counted(len(one.scenarios), 'scenario')}" if one.rules else ""
            for words in (*one.means, shown, one.why):
                if words:
                    click.echo(printable(f"{'':16}{words}"))
            for number, words in enumerate(one.nearest, start=1):
                click.echo(printable(f"{'':16}{number}. {words}"))
    return 0 if all(one.is_settled for one in found) else 1


@click.command(cls=Verb)
@click.argument("text", metavar="TEXT", type=click.Path(path_type=Path, dir_okay=False, exists=True))
@_DIRECTORY
@click.argument("clause")
@click.option("--choice", default=1, show_default=True, type=int, metavar="N", help="Which suggestion, from 1 on.")
@as_json_option
def rewrite(text: Path, directory: Path, clause: str, *, choice: int, as_json: bool) -> int:
    """Replace a sentence that is not understood by one that it may be meant as.

    \b
      retouch policy rewrite constitution.md policy 12
      retouch policy rewrite constitution.md policy "Nothing gets lost." --choice 2

    TEXT is the constitution, which is changed. CLAUSE is the sentence as 'retouch policy clauses DIR' shows it, or its
    line number. The suggestions are listed there. The old sentence stays in the text as a comment, and so do the words
    that the new one leaves out. Then run 'retouch generate policy' again.

    With --json: {"line", "was", "now"}, and "leaves_out" (words, if the new sentence leaves some out).
    """
    from retouch.recipes.policy.making.rewriting import rewrite as replaced

    found = replaced(text, directory, clause, choice=choice)
    if as_json:
        lost: dict[str, JSON] = {"leaves_out": list(found.left_out)} if found.left_out else {}
        print_json({"line": found.line, "was": found.was, "now": found.now} | lost)
        return 0
    click.echo(printable(f"line {found.line}: {found.now}"))
    if found.left_out:
        click.echo(printable(f"leaves out: {', '.join(found.left_out)}"))
    click.echo(printable(f"next: retouch generate policy {text} --tools FILE -o {directory}"))
    return 0


@click.command(cls=Verb)
@_DIRECTORY
@click.argument("clause")
@click.option("--reason", required=True, metavar="TEXT", help="Why the clause may pass without a rule.")
@click.option("--by", "who", default="", metavar="NAME", help="The name of the user who decided it.")
@as_json_option
def waive(directory: Path, clause: str, *, reason: str, who: str, as_json: bool) -> int:
    """Record that a clause may pass although no rule enforces it, and check the run again.

    \b
      retouch policy waive policy "Be polite." --reason "no tool speaks"
      retouch policy waive policy "Be polite." --reason "no tool speaks" --by Ada

    CLAUSE is the sentence as 'retouch policy clauses' shows it, or its line number. The waiver is written to
    waivers.json in DIR, and the clause counts as passed. No model is called.

    With --json: {"status", "clauses": [...], "notes"} as 'retouch policy clauses' prints them.
    """
    from retouch.recipes.policy.making.runs import clauses_of_run
    from retouch.recipes.policy.making.runs import waive as record

    result = record(directory, clause, reason=reason, who=who)
    notes = [result.lost_ledger] if result.lost_ledger else []
    found = clauses_of_run(directory)
    if as_json:
        print_json({"status": result.status, "clauses": [one.as_json() for one in found], "notes": notes})
        return result.exit_status
    print_status(result.status, result.reason, str(directory))
    print_issues([one for one in result.issues if one.is_failure])
    for note in notes:
        click.echo(printable(f"note: {note}"))
    return result.exit_status
