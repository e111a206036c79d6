"""`retouch policy lists`: propose the members of a policy's lists with a model, accept them, or reject them."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import click

from retouch.commands import Verb, as_json_option, counted, print_json, printable
from retouch.errors import BadInput
from retouch.recipes.policy.commands.asking import cost_option, model_option
from retouch.recipes.policy.commands.inputs import policy_argument

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from retouch._lib.json_text import JSON
    from retouch.recipes.policy.annotating.asking import ProposedMember


@click.command(cls=Verb)
@policy_argument
@click.option(
    "-o",
    "--output",
    required=True,
    type=click.Path(path_type=Path, dir_okay=False),
    metavar="FILE",
    help="The file of lists. Lists that it has are kept.",
)
@model_option
@cost_option
@click.option("--accept", multiple=True, metavar="NAME", help="Accept this list of FILE, or 'all'. Repeatable.")
@click.option("--reject", multiple=True, metavar="NAME", help="Remove this proposal from FILE, or 'all'. Repeatable.")
@as_json_option
def command(
    policy: Path,
    *,
    output: Path,
    model: str | None,
    max_cost: float | None,
    accept: tuple[str, ...],
    reject: tuple[str, ...],
    as_json: bool,
) -> int:
    """Propose members of the lists of a policy with a model, accept them, or reject them.

    \b
      retouch policy lists made -o lists.json --model anthropic:claude-haiku-4-5
      retouch policy lists made -o lists.json --accept major-news-sites
      retouch generate policy constitution.md --tools annotations.json --lists lists.json -o made

    A rule can refer to a list that the text only describes, for example "major news sites". The model proposes members
    for each list of the policy that has none. FILE keeps them as a proposal: no policy can use it until you accept it.
    Look at the members first. To correct them, edit "values" in FILE before you accept the list.

    With --json: {"lists": {NAME: {"values", "proposed"}}}.
    """
    from retouch._lib.disk import write_output
    from retouch._lib.json_text import json_text
    from retouch.recipes.policy.annotating.accepting import settled_lists

    if (model is not None) is bool(accept or reject):
        raise BadInput("pass either --model, or --accept and --reject", hint="Propose with --model SPEC first.")
    known = _lists_in(output)
    if model is None:
        found = settled_lists(known, accept, reject)
    else:
        proposed, status = _proposed(policy, known, model, max_cost=max_cost, silent=as_json)
        if status:
            return status
        found = {**known, **proposed}
    write_output(output, json_text({"lists": found}))
    _print_lists(found, policy, output, as_json=as_json)
    return 0


def _lists_in(path: Path) -> dict[str, Any]:
    """Return the lists of a file as they are stored, proposals included. {} if there is no such file."""
    from retouch.recipes.policy.language.strict_json import read_json

    if not path.exists():
        return {}
    value = read_json(path)
    inner = value.get("lists", value) if isinstance(value, dict) else value
    if not isinstance(inner, dict) or not all(isinstance(one, dict) for one in inner.values()):
        raise BadInput(f"{str(path)!r} is not a file of lists", hint='Pass {"lists": {NAME: {"values": [...]}}}.')
    return dict(inner)


def _proposed(
    path: Path, known: Mapping[str, Any], model: str, *, max_cost: float | None, silent: bool
) -> tuple[dict[str, JSON], int]:
    from retouch.recipes.policy.annotating.accepting import proposed_list
    from retouch.recipes.policy.annotating.asking import list_job
    from retouch.recipes.policy.commands.asking import proposed_by
    from retouch.recipes.policy.commands.inputs import load_policy

    policy = load_policy(path, common=None, home=None)
    filled = {name for name, one in (policy.lists or {}).items() if one.effective}
    wanted = [one for one in policy.list_defs if one.name not in filled and one.name not in known]
    if not wanted:
        names = ", ".join(one.name for one in policy.list_defs) or "none"
        raise BadInput("the policy has no list without members", hint=f"Its lists: {names}.")
    units, status = proposed_by(list_job(wanted), model, max_cost=max_cost, silent=silent)
    members = {name.partition("/")[2]: cast("Sequence[ProposedMember]", one) for name, one in units.items()}
    return {name: proposed_list(one, model) for name, one in members.items()}, status


def _print_lists(lists: Mapping[str, Any], policy: Path, path: Path, *, as_json: bool) -> None:
    if as_json:
        print_json({"lists": dict(lists)})
        return
    waiting = [name for name, one in lists.items() if one.get("proposed") is True]
    for name in waiting:
        click.echo(f"{printable(name)}, proposed:")
        for value in lists[name]["values"]:
            click.echo(printable(f"  {value}  {lists[name].get('x-why', {}).get(value, '')}".rstrip()))
    click.echo(f"{counted(len(lists), 'list')} in {printable(str(path))}")
    if waiting:
        command_line = f"retouch policy lists {printable(str(policy))} -o {printable(str(path))}"
        click.echo(f"Look at the members, then: {command_line} --accept NAME (or --reject NAME)")
