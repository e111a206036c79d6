"""`retouch rule export`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from retouch._lib.disk import write_output
from retouch.commands import Verb, as_json_option, counted, print_json, printable
from retouch.errors import BadInput, RetouchError
from retouch.recipes.rule.commands.edit import read_one_rule
from retouch.recipes.rule.commands.paths import given_paths

if TYPE_CHECKING:
    from collections.abc import Sequence

    from retouch.recipes.rule import ExtractionRule
    from retouch.recipes.rule.exporting.code import Target


@click.command(cls=Verb)
@click.argument("rule", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.argument("paths", nargs=-1, required=True, metavar="PATHS...|DIR|@FILE|-")
@click.option(
    "--to",
    "target",
    type=click.Choice(["duckdb", "polars", "pandas", "regex", "python"]),
    required=True,
    help="The tool to write the rule for.",
)
@click.option("-o", "--output", type=click.Path(dir_okay=False, path_type=Path), help="The file to write.")
@as_json_option
def command(*, rule: Path, paths: tuple[str, ...], target: Target, output: Path | None, as_json: bool) -> None:
    """Write a rule for DuckDB, Polars, pandas, or as a regular expression or a Python function.

    \b
      retouch rule export rules/mission.yaml @paths.txt --to duckdb -o mission.sql
      retouch rule export rules/mission.yaml @paths.txt --to regex -o mission.txt

    The export is run on PATHS, and on names next to them that are no data, such as checksums. If it gives other values
    than the rule for any of them, or the rule takes none of PATHS, nothing is written. So the tool must be installed.
    An export takes paths as 'retouch rule apply' does, for example with a leading '/' or as URLs. A regular expression
    takes none with backslashes, '.' or empty parts, and gives texts.

    An export has a row for each path that gives every field; of a rule set a field that a shape lacks is null. It fails
    on a text that the rule cannot read as its type.

    With --json: {"to", "code", "compared", "fails"}.
    """
    from retouch.recipes.rule.applying.evaluation import apply_rule
    from retouch.recipes.rule.exporting.code import exported
    from retouch.recipes.rule.exporting.running import fails

    one = read_one_rule(rule)
    given = [given.path for given in given_paths(paths, root=None)]
    samples = [path for path in given if not fails(one, path)]
    code = exported(one, target)
    if not any(apply_rule(one, path).status == "COMPLETE" for path in samples):
        message = f"the rule takes none of the {counted(len(samples), 'path')}, so its export cannot be compared"
        raise BadInput(message, hint="Nothing was written. Give paths that the rule takes, as it was made from.")
    _expect_equal(one, target, samples)
    if output is not None:
        write_output(output, code)
    broken = [path for path in given if path not in {*samples}]
    if as_json:
        print_json({"to": target, "code": code, "compared": len(samples), "fails": broken})
    elif output is None:
        click.echo(code, nl=False)
    if broken:
        why = f"the rule cannot read a value in {counted(len(broken), 'path')}, for example {broken[0]}"
        click.echo(printable(f"{why}; the export fails on them"), err=True)
    click.echo(f"equal to the rule on {counted(len(samples), 'path')}", err=True)


def _expect_equal(rule: ExtractionRule, target: Target, samples: Sequence[str]) -> None:
    """Check that an export runs and gives the values of the rule.

    Raises:
        BadInput: it does not.
    """
    from retouch.recipes.rule.exporting.running import differences, inside

    try:
        wrong = differences(rule, target, samples)
    except RetouchError:
        raise
    except Exception as error:
        message = f"the export for {target} cannot be run on the paths: {str(error).partition(chr(10))[0][:200]}"
        raise BadInput(message, hint="Nothing was written. Retype the field, or export to python.") from error
    if wrong:
        message = f"the export for {target} gives other values than the rule for {wrong[0]!r}"
        hint = "Nothing was written. Export to another tool, or write the patterns so that they need the glob less."
        if target == "regex" and ("\\" in wrong[0] or not {"", "."}.isdisjoint(inside(wrong[0]).split("/"))):
            hint = "Nothing was written. An expression takes no backslashes, '.' and empty parts: export to python."
        raise BadInput(message, hint=hint)
