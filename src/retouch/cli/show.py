"""`retouch show`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from retouch._lib.redaction import view_of
from retouch.cli.options import as_json_option
from retouch.cli.outcome import COLOURS
from retouch.cli.output import counted, print_issues, print_json, print_table
from retouch.cli.verb import Verb

if TYPE_CHECKING:
    from retouch.engine.overview import Overview


@click.command(cls=Verb)
@click.argument("folder", metavar="DIR", type=click.Path(path_type=Path))
@click.option("--attempts", is_flag=True, help="List every call as well: why, by which model, what came of it.")
@click.option("--cost", is_flag=True, help="Say what was paid for: by unit, model, tier of failure and repair.")
@as_json_option
def command(folder: Path, *, attempts: bool, cost: bool, as_json: bool) -> None:
    """Show a run: units, pages, models, attempts, tokens, issues. Also while it is being written.

    With --json: {"run", "recipe", "status", "units": [{"unit", "state", "pages": [{"page", "model", "attempts",
    "input_tokens", "output_tokens", "cached_tokens"}], "issues": [...]}], "calls", "tokens", "input_tokens",
    "output_tokens", "cached_tokens"}; with --attempts also "attempts": [{"seq", "unit", "page", "why", "model", "at",
    "finish", "error", "input_tokens", "output_tokens", "cached_tokens", "seconds", "taken", "issues"}], and with --cost
    "cost": {"total", "by_unit", "by_model", "by_tier", "by_why"}, each entry {"calls", "tokens", "cached_tokens",
    "cost"}, where a cost of null is unknown; "transport": {"retries", "surrenders", "waited_s", "said"}, and
    "cache_plan", a sentence for each decision. Tokens of a page are those of all its attempts.
    """
    from retouch.cli.bill import print_bill, print_network
    from retouch.cli.runs import expect_run
    from retouch.engine.overview import overview
    from retouch.engine.usage import cost_report, last_cache_plan, transport_report

    view = expect_run(folder)
    found, notes = overview(view), view.history.notes
    network, plan = transport_report(notes), last_cache_plan(notes)
    if as_json:
        plain = found.as_json(attempts=attempts)
        more = {"cost": cost_report(found.attempts).as_json(), "transport": vars(network), "cache_plan": plan}
        print_json(view_of({**plain, **more} if cost else plain))
        return
    _print(found)
    if cost:
        click.echo()
        print_bill(cost_report(found.attempts))
    print_network(network, plan if cost else [])
    if attempts:
        click.echo()
        _print_attempts(found)


def _print(found: Overview) -> None:
    click.secho(found.status, fg=COLOURS[found.status], bold=True, nl=False)
    click.echo(f"  {found.run}  ({found.recipe})")
    rows: list[list[Any]] = []
    for unit in found.units:
        for page in unit.pages:
            tokens = page.input_tokens + page.output_tokens
            issues = sum(1 for issue in unit.issues if issue.page in (None, page.page))
            number = f"{page.page}/{len(unit.pages)}"
            rows.append([unit.unit, number, unit.state, page.model or "-", page.attempts, tokens, issues])
    print_table(["unit", "page", "state", "model", "attempts", "tokens", "issues"], rows)
    print_issues([issue for unit in found.units for issue in unit.issues])
    tokens = f"{found.tokens:,} tokens ({found.input_tokens:,} in, {found.output_tokens:,} out)"
    click.echo(f"{counted(found.calls, 'call')}, {tokens}")


def _print_attempts(found: Overview) -> None:
    rows: list[list[Any]] = []
    for one in found.attempts:
        came = one.error or (one.reply.finish if one.reply is not None else "no reply yet")
        tokens = one.reply.input_tokens + one.reply.output_tokens if one.reply is not None else 0
        codes = ", ".join(dict.fromkeys(issue.code for issue in one.issues))
        rows.append([str(one.seq), one.unit, one.page, one.why, one.model, came, tokens, one.taken, codes])
    print_table(["seq", "unit", "page", "why", "model", "came", "tokens", "taken", "issues"], rows)
