"""`retouch policy export`."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

import click

from retouch.commands import Verb, as_json_option, counted, print_json, printable, with_examples
from retouch.recipes.policy.commands.inputs import (
    common_option,
    home_option,
    load_policy,
    load_scenarios,
    policy_argument,
    scenarios_option,
)

if TYPE_CHECKING:
    from retouch._lib.json_text import JSON
    from retouch.recipes.policy.cedar import CedarCheck, CedarExport

POLICIES, SCHEMA = "policy.cedar", "policy.cedarschema"


@click.command(cls=Verb)
@policy_argument
@click.option(
    "--to", type=click.Choice(["cedar"]), required=True, expose_value=False, help="The language to export to."
)
@click.option(
    "-o",
    "--output",
    type=click.Path(path_type=Path, file_okay=False),
    metavar="DIR",
    help=f"Write {POLICIES} and {SCHEMA} to this directory. By default the policies are printed.",
)
@click.option("--stricter", is_flag=True, help="Deny what Cedar cannot tell apart, instead of refusing such rules.")
@scenarios_option
@common_option
@home_option
@as_json_option
@with_examples(
    "retouch policy export policy --to cedar",
    "retouch policy export policy --to cedar -o cedar",
    "retouch policy export policy --to cedar --stricter -o cedar",
)
def command(
    policy: Path,
    *,
    output: Path | None,
    stricter: bool,
    scenarios: Path | None,
    common: Path | None,
    home: str | None,
    as_json: bool,
) -> int:
    """Export the rules of a policy to Cedar, and check the export: Cedar must decide as Retouch does.

    All scenarios and one call of every region are checked. If one is decided differently, nothing is written and the
    exit status is 1. Decisions that come before any rule (the sandbox, protected paths, allowlists of servers) are not
    exported. To use the export, query Cedar once per role and value of a call, first for allow, then for escalate.

    Cedar has no counts of earlier calls and no time of day. Rules about these are refused by name. With --stricter they
    deny instead, and permissions with such conditions are left out, so that nothing more is allowed.

    With --json: {"policies", "schema", "check": {"passed", "asked", "settled", "skipped", "disagreements", "errors",
    "stricter"}, "files"}. In check, settled is the number of calls that are decided before any rule.
    """
    from retouch.recipes.policy.cedar import checked_export, stricter_export

    loaded = load_policy(policy, common=common, home=home)
    found = load_scenarios(scenarios, policy=policy, needed=False)
    export, check = (stricter_export if stricter else checked_export)(loaded, [one.request for one in found])
    files = _write_export(export, output) if output is not None and check.passed else []
    if as_json:
        found_files: list[JSON] = [str(one) for one in files]
        print_json({**asdict(export), "check": check.as_json(), "files": found_files})
    else:
        shows_rules = output is None and check.passed
        if shows_rules:
            click.echo(export.policies)
        _print_check(check, err=shows_rules)
    return 0 if check.passed else 1


def _write_export(export: CedarExport, directory: Path) -> list[Path]:
    from retouch._lib.disk import write_files

    files = {POLICIES: export.policies, SCHEMA: export.schema}
    write_files(directory, files)
    return [directory / name for name in files]


def _print_check(check: CedarCheck, *, err: bool) -> None:
    """Print what the check found, on stderr if stdout holds the rules themselves."""
    for one in check.disagreements:
        call = f"{one.request.server}/{one.request.tool} {json.dumps(dict(one.request.arguments))}"
        click.secho("differs", fg="red", nl=False)
        click.echo(printable(f" {call}: {one.ours} here, {one.cedar} in Cedar"))
    for error in check.errors:
        click.secho("schema", fg="red", nl=False)
        click.echo(printable(f" {error}"))
    for change in check.stricter:
        click.echo(printable(f"stricter {change}"), err=err)
    for call, why in check.skipped:
        click.echo(printable(f"not compared {call.server}/{call.tool}: {why}"), err=err)
    alike = check.asked - len(check.disagreements)
    click.echo(
        f"Cedar decides {alike:,} of {counted(check.asked, 'call')} alike; {check.settled:,} more are "
        "decided before any rule",
        err=err,
    )
