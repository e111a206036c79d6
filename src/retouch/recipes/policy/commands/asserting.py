"""`retouch policy assert`: prove a sentence about a policy, or show the smallest call that contradicts it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from retouch.commands import Verb, as_json_option, counted, print_json, printable
from retouch.recipes.policy.commands.inputs import common_option, home_option, load_policy, policy_argument

if TYPE_CHECKING:
    from pathlib import Path


@click.command(cls=Verb)
@policy_argument
@click.argument("assertion")
@common_option
@home_option
@as_json_option
def command(policy: Path, assertion: str, *, common: Path | None, home: str | None, as_json: bool) -> int:
    """Prove a sentence about a policy over all calls, or show the smallest call that contradicts it.

    \b
      retouch policy assert made "never allow writing outside ~/work"
      retouch policy assert made "never allow deleting files" --json

    ASSERTION is "never allow ...ing", "always allow ...ing", or another sentence in English. One call of every kind
    that the policy and the sentence distinguish is decided, so the proof is exact for calls that the tools' schemas
    accept, with one value per argument. Symbolic links are not followed. Exit with 1 if a call contradicts the
    sentence.

    With --json: {"assertion", "holds", "calls", "counterexample", "decision", "notProved"}.
    """
    from retouch.recipes.policy.english.asserting import assert_policy

    found = assert_policy(load_policy(policy, common=common, home=home), assertion)
    if as_json:
        print_json(found.as_json())
    elif found.counterexample is not None and found.decision is not None:
        click.secho("does not hold", fg="red", bold=True, nl=False)
        click.echo(printable(f"  {found.counterexample.words}"))
        click.echo(printable(f"  {found.decision.decision} by {found.decision.rule}: {found.decision.reason}"))
    elif found.cut:
        click.secho("not proved", fg="yellow", bold=True, nl=False)
        why = "too many kinds of calls, or no complete call of a kind that contradicts it"
        click.echo(printable(f"  {', '.join(found.cut)}: {why}"))
    else:
        click.secho("holds", fg="green", bold=True, nl=False)
        decided = counted(found.calls, "kind")
        click.echo(f"  for all calls that the tools accept, with one value per argument ({decided} decided)")
    return 0 if found.holds else 1
