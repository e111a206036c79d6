"""`retouch policy check`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, cast

import click

from retouch.cli.failure import printable
from retouch.cli.options import as_json_option
from retouch.cli.output import print_json
from retouch.cli.policy_inputs import common_option, home_option, load_call, load_policy, policy_argument
from retouch.cli.verb import Verb

if TYPE_CHECKING:
    from collections.abc import Mapping

    from retouch._lib.json_text import JSON
    from retouch.recipes.policy.language.values import Outcome
    from retouch.recipes.policy.scenarios.scenario import Expectation

OUTCOMES = ("allow", "escalate", "deny")
COLOURS = {"allow": "green", "escalate": "yellow", "deny": "red"}


@click.command(cls=Verb)
@policy_argument
@click.argument("request_file", metavar="REQUEST", type=click.Path(path_type=Path, allow_dash=True))
@click.option("--expect", type=click.Choice([*OUTCOMES, "not-allow"]), help="Exit with 1 when it is decided otherwise.")
@click.option(
    "--why-not", "wanted", type=click.Choice(OUTCOMES), help="Say what would have to differ for this decision."
)
@common_option
@home_option
@as_json_option
def command(
    policy: Path,
    request_file: Path,
    *,
    expect: str | None,
    wanted: str | None,
    common: Path | None,
    home: str | None,
    as_json: bool,
) -> int:
    """Decide about one call, and say why.

    REQUEST is a JSON file, - for stdin: {"serverName", "toolName", "arguments"}. The exit status is 0 whatever is
    decided, unless --expect asks for something else. Symbolic links are followed as they are now.

    With --json: {"decision", "rule", "reason", "escalatedRoles", "trace": [{"role", "values", "decision", "rule",
    "why", "notAnswering": [{"rule", "why"}]}]}, and "whyNot" when asked for.
    """
    from retouch.recipes.policy import evaluate, meets, why_not
    from retouch.recipes.policy.deciding.evaluation import ON_DISK

    loaded = load_policy(policy, common=common, home=home)
    call = cast("Mapping[str, JSON]", load_call(request_file))
    found = evaluate(loaded, call)
    answer = None if wanted is None else why_not(loaded, call, cast("Outcome", wanted), surroundings=ON_DISK)
    if as_json:
        print_json(found.as_json(trace=True) | ({} if answer is None else {"whyNot": answer.as_json()}))
    else:
        click.secho(found.decision, fg=COLOURS[found.decision], bold=True, nl=False)
        click.echo(printable(f" by {found.rule}: {found.reason}"))
        if found.escalated_roles:
            click.echo(f"ask a person about: {', '.join(found.escalated_roles)}")
        for line in found.trace.text.splitlines():
            click.echo(f"  {printable(line)}")
        if answer is not None:
            click.echo(printable(answer.words))
    return 0 if expect is None or meets(cast("Expectation", expect), found.decision) else 1
