"""Output of commands: tables that stay greppable when piped, JSON, and the issues of a run."""

from __future__ import annotations

import json
import sys
from collections import Counter
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import click

from retouch._lib.counting import counted
from retouch._lib.redaction import without_keys
from retouch.cli.colour import is_live_terminal
from retouch.cli.failure import printable

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from retouch.cli.reporting.findings import PlacedIssue
    from retouch.engine.types import Issue

_OUTPUT_LINES = 12  # the last lines of a check command's output
STYLES = {
    "verified": "green",
    "unverified": "yellow",
    "issues": "yellow",
    "exhausted": "red",
    "incomplete": "yellow",
    "error": "red",
}


def print_json(value: Mapping[str, Any]) -> None:
    """Print `value` as indented ASCII JSON, which is safe for every terminal and pipe."""
    click.echo(json.dumps(value, indent=2))


def print_table(heads: Sequence[str], rows: Sequence[Sequence[object]]) -> None:
    """Print a table: fitted to the width in a terminal, else one line per row with two spaces between columns."""
    texts = [[_cell_text(one) for one in row] for row in rows]
    if is_live_terminal(sys.stdout):
        _print_ruled(heads, texts)
        return
    widths = [max(len(text) for text in column) for column in zip(heads, *texts, strict=True)]
    for row in [list(heads), *texts]:
        padded = [text.ljust(width) for text, width in zip(row, widths, strict=True)]
        click.echo("  ".join(padded).rstrip())


def _print_ruled(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    console = Console()
    heads, rows = _fitted_columns(heads, rows, console.width)
    table = Table(*heads, box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="bold underline")
    for column, texts in zip(table.columns, zip(*rows, strict=True) if rows else (), strict=False):
        column.overflow = "fold"
        column.no_wrap = max(map(len, texts)) <= _NARROW
    for row in rows:
        table.add_row(*(Text(text, style=STYLES.get(text, "")) for text in row))
    console.print(table)


_NARROW = 16  # columns up to this width are never folded


def _fitted_columns(
    heads: Sequence[str], rows: Sequence[Sequence[str]], width: int
) -> tuple[list[str], list[list[str]]]:
    """Return the columns that fit into `width`. Columns with a constant value are printed above, the widest first."""
    columns = [[head, *(row[place] for row in rows)] for place, head in enumerate(heads)]
    for column in sorted(columns, key=lambda one: -max(map(len, one))):
        if sum(max(map(len, one)) + 2 for one in columns) <= width:
            break
        values = set(column[1:]) - {""}
        if len(values) == 1 and len(rows) > 1:
            columns.remove(column)
            where = " where there is one" if "" in column else ""
            click.echo(f"{column[0]}{where}: {values.pop()}")
    return [column[0] for column in columns], [list(row) for row in zip(*(one[1:] for one in columns), strict=True)]


def _cell_text(value: object) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int):
        return f"{value:,}"
    return "" if value is None else printable(without_keys(str(value))).replace("\n", " ")


def print_issues(issues: Sequence[Issue], *, by_unit: bool = False) -> None:
    """Print each issue, the end of the related command output, and the next step, worst first.

    Pages without a reply for the same reason are merged into one issue. `by_unit` groups issues under their unit.
    """
    weight = {"error": 0, "warning": 1, "info": 2}
    issues = list(_merged_failures(issues))
    ordered = sorted(issues, key=lambda one: weight[one.severity])
    if by_unit:
        for unit in dict.fromkeys(one.unit for one in issues):
            if unit:
                click.secho(f"{printable(unit)}:", bold=True)
            _print_each([one for one in ordered if one.unit == unit], indent="  " if unit else "", named=False)
    else:
        _print_each(ordered, indent="", named=True)


def print_finding_lines(findings: Sequence[PlacedIssue]) -> None:
    """Print each finding as `file:line:column CODE message`, with the line of the file, worst first.

    Pages without a reply for the same reason are merged into one finding.
    """
    weight = {"error": 0, "warning": 1, "info": 2}
    colours = {"error": "red", "warning": "yellow", "info": "blue"}
    first = {id(one.issue): one for one in findings}
    merged = list(_merged_failures([one.issue for one in findings]))
    for issue in sorted(merged, key=lambda one: weight[one.severity]):
        one = first.get(id(issue)) or next(each for each in findings if each.issue.code == issue.code)
        click.secho(printable(one.place), bold=True, nl=False)
        click.secho(f" {issue.code}", fg=colours[issue.severity], nl=False)
        severity = "" if issue.is_error else f"{issue.severity}: "
        place = ", ".join(part for part in (issue.unit, f"page {issue.page}" if issue.page else "") if part)
        message = without_keys(issue.message)
        click.echo(printable(f" {severity}{place}{': ' if place else ''}{message}".replace("\n", " ")))
        if one.snippet.strip():
            number = f"{one.line:5} | "
            click.echo(printable(f"{number}{without_keys(one.snippet)}"))
            click.echo(f"{' ' * (len(number) - 2)}| {' ' * (one.column - 1)}^")
        _print_next(issue, indent="")


def _merged_failures(issues: Sequence[Issue]) -> Iterator[Issue]:
    """Yield the issues. Issues of failed requests that differ only in unit and page are merged."""
    reasons = {id(one): one.message.removeprefix(f"page {one.page} of {one.unit!r} ") for one in issues}
    failed = Counter(reasons[id(one)] for one in issues if one.detail.get("transport"))
    printed: set[str] = set()
    for issue in issues:
        reason = reasons[id(issue)]
        if failed[reason] < 2 or not issue.detail.get("transport"):
            yield issue
        elif reason not in printed:
            printed.add(reason)
            units = len({one.unit for one in issues if reasons[id(one)] == reason})
            where = f" of {counted(units, 'unit')}" if units > 1 else ""
            message = f"{failed[reason]} pages{where} {reason}"
            yield replace(issue, unit=issue.unit if units == 1 else "", page=None, message=message)


def _print_each(issues: Sequence[Issue], *, indent: str, named: bool) -> None:
    colours = {"error": "red", "warning": "yellow", "info": "blue"}
    for issue in issues:
        click.secho(f"{indent}{issue.severity}", fg=colours[issue.severity], nl=False)
        place = ", ".join(
            part
            for part in (
                issue.unit if named else "",
                f"page {issue.page}" if issue.page else "",
                f"line {issue.line}" if issue.line else "",
            )
            if part
        )
        message = without_keys(issue.message)
        click.echo(printable(f" [{issue.code}] {place}{': ' if place else ''}{message}".replace("\n", " ")))
        _print_next(issue, indent=indent)


def _print_next(issue: Issue, *, indent: str) -> None:
    """Print the end of the command output that an issue is about, and its next step."""
    for line in str(issue.detail.get("output", "")).strip().splitlines()[-_OUTPUT_LINES:]:
        click.echo(f"{indent}    | {printable(line)}")
    for line in issue.fix.splitlines():
        click.echo(f"{indent}    next: {printable(without_keys(line))}")
