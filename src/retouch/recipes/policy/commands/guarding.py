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

BLOCK = 2  # with this exit status a hook of Claude Code blocks a call
_POLICY = click.option(
    "--policy", "policy", required=True, type=click.Path(path_type=Path), metavar="PATH", help="The verified policy."
)
_AUDIT = click.option(
    "--audit", type=click.Path(path_type=Path, dir_okay=False), metavar="FILE", help="The audit file."
)
_SHADOW = click.option("--shadow", is_flag=True, help="Let every call pass, and record what the decision would be.")
_COUNTS = click.option(
    "--counts",
    type=click.Path(path_type=Path, dir_okay=False),
    metavar="FILE",
    help="The file of the calls that were let through. Default: one for each policy, in your state directory.",
)
_UNVERIFIED = click.option("--unverified", is_flag=True, help="Enforce a policy that is not verified.")


@click.command(cls=Verb, context_settings={"ignore_unknown_options": True})
@_POLICY
@click.option(
    "--server", metavar="NAME", help="The name of this server in the policy. Needed if the policy has several."
)
@click.option(
    "--list",
    "listing",
    type=click.Choice(["filter", "annotate", "as-is"]),
    default="filter",
    help="Remove tools that are always denied from the list, mark them, or forward the list unchanged.",
)
@click.option(
    "--ask", type=click.Choice(["auto", "client", "terminal", "never"]), default="auto", help="Where you are asked."
)
@click.option(
    "--ask-timeout",
    type=Amount(min=0.1),
    default=60.0,
    metavar="SECONDS",
    help="Deny the call after this time.",
)
@click.option("--resources", is_flag=True, help="Let the client read resources, which policies do not cover.")
@_AUDIT
@_COUNTS
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
    counts: Path | None,
    shadow: bool,
    unverified: bool,
    server_command: tuple[str, ...],
) -> int:
    """Start an MCP server and forward only the calls that the policy allows.

    \b
      retouch policy guard --policy policy -- npx server-filesystem ~/notes
      retouch policy guard --policy policy --shadow -- npx server-filesystem notes

    Configure your agent's client to start this command instead of the server. If the policy escalates a call, you are
    asked: by the client if it supports it (MCP elicitation), otherwise on the terminal. If you do not answer in time,
    or if anything fails, the call is denied. A new version of the policy takes effect as soon as it is on disk, if it
    is verified.
    """
    from retouch.recipes.policy.guard.core import Guard
    from retouch.recipes.policy.guard.proxy import Proxy, ProxyOptions
    from retouch.recipes.policy.guard.terminal import ask_on_terminal

    made = Guard(
        policy, audit=audit, ask_timeout_s=ask_timeout, shadow=shadow, allow_unverified=unverified, counts=counts
    )
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
        what = "the policy has several servers" if name is None else f"the policy has no server {name!r}"
        raise BadInput(what, hint=f"Pass one of these with --server: {', '.join(known)}.")
    return name


@click.command(cls=Verb)
@_POLICY
@click.option(
    "--server", default="claude", metavar="NAME", help="The name of the built-in tools' server in the policy."
)
@_AUDIT
@_COUNTS
@_SHADOW
@_UNVERIFIED
def hook(*, policy: Path, server: str, audit: Path | None, counts: Path | None, shadow: bool, unverified: bool) -> int:
    """Decide about one call as a PreToolUse hook of Claude Code: the event on stdin, the decision on stdout.

    \b
      retouch policy hook --policy policy
      retouch policy hook --policy policy --server claude --shadow

    A tool of an MCP server (mcp__github__list_issues) belongs to the server with this name. A built-in tool (Bash,
    Read) belongs to --server. If the policy escalates a call, the hook answers "ask", and the call counts as made. Any
    failure blocks the call (exit status 2).
    """
    try:
        from retouch.recipes.policy.guard.core import counts_path, policy_file
        from retouch.recipes.policy.guard.hook import HookOptions, hook_answer
        from retouch.recipes.policy.language.policy import Policy as Loaded

        text = sys.stdin.buffer.read().decode("utf-8")
        options = HookOptions(
            server=server,
            file=policy_file(policy),
            audit=audit,
            counts=counts or counts_path(policy_file(policy)),
            shadow=shadow,
            unverified=unverified,
        )
        found = hook_answer(text, Loaded.load(policy), options)
    except RetouchError as error:
        click.echo(f"retouch policy hook: {error.message}{f' Next: {error.hint}' if error.hint else ''}", err=True)
        return BLOCK
    except Exception as error:  # noqa: BLE001 - another status than 2 would let the call pass
        click.echo(f"retouch policy hook: {type(error).__name__}: {error}", err=True)
        return BLOCK
    if found is not None:
        click.echo(json.dumps(found))
    return 0
