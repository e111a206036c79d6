"""`retouch policy guard` and `retouch policy hook`."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, cast

import click

from retouch.commands import Amount, Verb
from retouch.errors import BadInput, RetouchError

if TYPE_CHECKING:
    from retouch.recipes.policy import Policy
    from retouch.recipes.policy.guard.listing import Listing

BLOCK = 2  # the exit status by which a hook of Claude Code blocks a call
_POLICY = click.option(
    "--policy", "policy", required=True, type=click.Path(path_type=Path), metavar="PATH", help="The verified policy."
)
_AUDIT = click.option(
    "--audit", type=click.Path(path_type=Path, dir_okay=False), metavar="FILE", help="The audit file."
)
_SHADOW = click.option("--shadow", is_flag=True, help="Let everything pass, and write down what would be decided.")
_UNVERIFIED = click.option("--unverified", is_flag=True, help="Enforce a policy that is not verified.")


@click.command(cls=Verb, context_settings={"ignore_unknown_options": True})
@_POLICY
@click.option("--server", metavar="NAME", help="The name that the policy knows the server by, if it knows several.")
@click.option(
    "--list",
    "listing",
    type=click.Choice(["filter", "annotate", "as-is"]),
    default="filter",
    help="Leave out tools that are always denied, mark them, or show the list as it is.",
)
@click.option("--ask", type=click.Choice(["auto", "client", "terminal", "never"]), default="auto", help="Whom to ask.")
@click.option("--ask-timeout", type=Amount(min=0.1), default=60.0, metavar="SECONDS", help="No answer denies.")
@click.option("--resources", is_flag=True, help="Let the client read resources, about which a policy says nothing.")
@_AUDIT
@_SHADOW
@_UNVERIFIED
@click.argument("server_command", metavar="-- COMMAND...", nargs=-1, required=True, type=click.UNPROCESSED)
def guard(  # noqa: PLR0913 - click passes each option as a keyword
    *,
    policy: Path,
    server: str | None,
    listing: str,
    ask: str,
    ask_timeout: float,
    resources: bool,
    audit: Path | None,
    shadow: bool,
    unverified: bool,
    server_command: tuple[str, ...],
) -> int:
    """Start an MCP server and let through only the calls that the policy allows.

    \b
    retouch policy guard --policy policy --audit audit.jsonl -- npx server-filesystem ~/notes

    The agent's client starts this command in place of the server. Calls that the policy escalates are put before the
    user, through the client if it can ask (MCP elicitation), else on the terminal. No answer in time is a denial, and
    so is everything that goes wrong. A new version of the policy counts as soon as it is on disk, if it is verified.
    """
    from retouch.recipes.policy.guard.core import Guard
    from retouch.recipes.policy.guard.proxy import Proxy, ProxyOptions
    from retouch.recipes.policy.guard.terminal import ask_on_terminal

    made = Guard(policy, audit=audit, ask_timeout_s=ask_timeout, shadow=shadow, allow_unverified=unverified)
    options = ProxyOptions(
        server=_only_server(made.policy, server),
        listing=cast("Listing", listing),
        resources=resources,
        client_asks=ask in {"auto", "client"},
        terminal=ask_on_terminal if ask in {"auto", "terminal"} else None,
    )
    return Proxy(made, server_command, options).run()


def _only_server(policy: Policy, name: str | None) -> str:
    known = list(dict.fromkeys(server for server, _ in policy.tools))
    if name is None and len(known) == 1:
        return known[0]
    if name not in known:
        what = "the policy knows several servers" if name is None else f"the policy knows no server {name!r}"
        raise BadInput(what, hint=f"Say with --server which one this is: {', '.join(known)}.")
    return name


@click.command(cls=Verb)
@_POLICY
@click.option("--server", default="claude", metavar="NAME", help="The name that the policy gives to built-in tools.")
@_AUDIT
@_SHADOW
@_UNVERIFIED
def hook(*, policy: Path, server: str, audit: Path | None, shadow: bool, unverified: bool) -> int:
    """Decide about one call as a PreToolUse hook of Claude Code: the event on stdin, the decision on stdout.

    Tools of MCP servers (mcp__github__list_issues) are those of the server of this name, built-in tools (Bash, Read)
    those of --server. A call that the policy escalates is answered with "ask". Whatever goes wrong blocks the call
    (exit status 2).
    """
    try:
        from retouch.recipes.policy.guard.hook import hook_answer
        from retouch.recipes.policy.language.policy import Policy as Loaded

        text = sys.stdin.buffer.read().decode("utf-8")
        found = hook_answer(text, Loaded.load(policy), server=server, audit=audit, shadow=shadow, unverified=unverified)
    except RetouchError as error:
        click.echo(f"retouch policy hook: {error.message}{f' Next: {error.hint}' if error.hint else ''}", err=True)
        return BLOCK
    except Exception as error:  # noqa: BLE001 - another status than 2 would let the call pass
        click.echo(f"retouch policy hook: {type(error).__name__}: {error}", err=True)
        return BLOCK
    if found is not None:
        click.echo(json.dumps(found))
    return 0
