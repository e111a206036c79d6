"""`retouch policy annotate`: propose the roles of the arguments of an agent's tools."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import click

from retouch.commands import Verb, as_json_option, counted, print_json, printable
from retouch.errors import BadInput
from retouch.recipes.policy.commands.asking import cost_option, model_option

if TYPE_CHECKING:
    from collections.abc import Sequence

    from retouch._lib.json_text import JSON
    from retouch.recipes.policy.annotating.accepting import RoleProposal
    from retouch.recipes.policy.annotating.asking import ProposedRoles
    from retouch.recipes.policy.annotating.proposing import ListedTool, Proposed


_STARTS_COMMAND = "retouch.policy.annotate.starts_command"


class _AnnotateVerb(Verb):
    """The command. It remembers whether the user wrote `--`, because only then a program may be started."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Parse the arguments."""
        ctx.meta[_STARTS_COMMAND] = "--" in args
        return super().parse_args(ctx, args)


@click.command(cls=_AnnotateVerb, context_settings={"ignore_unknown_options": True})
@click.argument("tools", nargs=-1, required=True, metavar="TOOLS | -- COMMAND", type=click.UNPROCESSED)
@click.option("--server", metavar="NAME", help="The server's name in the policy. Default: its own name, or the file's.")
@click.option(
    "--role",
    "own_roles",
    multiple=True,
    metavar="NAME=ARG,...",
    help="A role of your own and the arguments that have it, for example table=tbl,table_name. Repeatable.",
)
@model_option
@cost_option
@click.option(
    "--accept",
    multiple=True,
    metavar="TOOL.ARG",
    help="Use the roles that the model proposes for this argument, or 'all' that only add roles. Repeatable.",
)
@click.option("-o", "--output", type=click.Path(path_type=Path, dir_okay=False), metavar="FILE", help="Write to FILE.")
@as_json_option
def command(**given: Any) -> int:
    """Propose the roles of the arguments of an agent's tools.

    \b
      retouch policy annotate tools.json -o annotations.json
      retouch policy annotate -o annotations.json -- npx @modelcontextprotocol/server-filesystem ~/Documents
      retouch policy annotate http://localhost:8000/mcp -o annotations.json

    TOOLS is a file with the result of MCP's tools/list, an OpenAPI document, a Python module with functions (it is not
    executed), or the address of an MCP server. A COMMAND after -- is started as an MCP server and asked for its tools.

    Roles are proposed from names and schemas. The server's own claims (readOnlyHint, destructiveHint) only make a
    proposal stricter. Look at the arguments that the command names before you use the file with 'retouch generate
    policy --tools'.

    With --role, sentences can name values of your own kind: "never query table salaries", "only from account DE12".

    With --model, a model proposes roles for every argument, each with a quote from the text of the tool as evidence.
    Code checks that the argument exists and that the quote occurs. A proposal is only shown, until you --accept it in
    a second run for the same tools. If the tools have changed, look at the new proposals first.

    With --json: the annotations, {"servers": {NAME: {"tools": [{"toolName", "args", "inputSchema", "x-why",
    "x-look-at"}]}}}, with --model also "x-proposals".
    """
    return _AnnotateArguments(**given, starts_command=bool(click.get_current_context().meta[_STARTS_COMMAND])).run()


@dataclass(frozen=True, kw_only=True)
class _AnnotateArguments:
    """The arguments and options of the command. Its help describes them."""

    tools: tuple[str, ...]
    starts_command: bool
    server: str | None
    own_roles: tuple[str, ...]
    model: str | None
    max_cost: float | None
    accept: tuple[str, ...]
    output: Path | None
    as_json: bool

    def run(self) -> int:
        """Propose the roles, write and print them, and return the exit status."""
        from retouch._lib.disk import write_output
        from retouch._lib.json_text import json_text
        from retouch.recipes.policy.annotating.proposing import annotations_of, propose_roles, with_own_roles

        own_name, listed = _listed_tools(self.tools, starts_command=self.starts_command)
        name, own = self.server or own_name, _own_roles(self.own_roles, listed)
        found, changes = annotations_of(name, listed, own), []
        if self.model is None and self.accept:
            hint = "Add --model; its answers are kept."
            raise BadInput("--accept needs the model that made the proposals", hint=hint)
        if self.model is not None:
            asked = _RoleQuestion(server=name, tools=listed, own=own, model=self.model, accept=self.accept)
            found, changes, status = asked.answered(found, max_cost=self.max_cost, silent=self.as_json)
            if status:
                return status
        if self.output is not None:
            write_output(self.output, json_text(found))
        if self.as_json:
            print_json(found)
            return 0
        doubtful = sum(_print_roles(tool.name, with_own_roles(propose_roles(name, tool), own)) for tool in listed)
        _print_changes(changes)
        more = f"; look at {counted(doubtful, 'argument')}" if doubtful else ""
        click.echo(f"{counted(len(listed), 'tool')} of {printable(name)}{more}")
        return 0


@dataclass(frozen=True, kw_only=True)
class _RoleQuestion:
    """What a model is asked about the tools of a server, and the names of the proposals that the user accepts."""

    server: str
    tools: tuple[ListedTool, ...]
    own: dict[str, tuple[str, ...]]
    model: str
    accept: tuple[str, ...]

    def answered(
        self, found: dict[str, JSON], *, max_cost: float | None, silent: bool
    ) -> tuple[dict[str, JSON], list[RoleProposal], int]:
        """Return annotations with what the user accepts, all proposals, and the exit status of the model's run."""
        from retouch.recipes.policy.annotating.accepting import role_proposals, with_roles
        from retouch.recipes.policy.annotating.asking import role_job
        from retouch.recipes.policy.commands.asking import kept_proposals, proposed_by

        own = {role: f"the value of {' or '.join(names)}" for role, names in self.own.items()}
        job = role_job(self.server, self.tools, own)
        before = kept_proposals(job, self.model)
        if self.accept and not before:
            raise _not_shown()
        units, status = proposed_by(job, self.model, max_cost=max_cost, silent=silent)
        if status:
            return found, [], status
        if self.accept and before != units:
            raise _not_shown()
        proposed = cast("Sequence[ProposedRoles]", units.get("roles", ()))
        changes = role_proposals(found, self.server, proposed, self.accept)
        return with_roles(found, self.server, changes, self.model), changes, 0


def _not_shown() -> BadInput:
    """Return the error for --accept if the model had to be asked now: its proposals were never shown."""
    message = "this model has not proposed anything for these tools yet, so there is nothing to accept"
    return BadInput(message, hint="Run the command without --accept, and look at the proposals first.")


def _print_changes(changes: Sequence[RoleProposal]) -> None:
    for one in changes:
        roles = f"{', '.join(one.now)} -> {', '.join(one.proposed)}"
        how = "accepted" if one.accepted else f"{one.kind} a role; to use it: --accept {one.name}"
        click.echo(printable(f"{one.name}: {roles} (evidence: {one.evidence!r}; {how})"))


def _print_roles(tool: str, proposed: dict[str, Proposed]) -> int:
    """Print the roles of a tool's arguments. Return the number of arguments that the user should look at."""
    for arg, one in proposed.items():
        if one.roles != ("none",) or not one.sure:
            mark = "" if one.sure else "look at this: "
            click.echo(printable(f"{tool}.{arg}: {', '.join(one.roles)} ({mark}{one.why})"))
    return sum(not one.sure for one in proposed.values())


def _listed_tools(words: Sequence[str], *, starts_command: bool) -> tuple[str, tuple[ListedTool, ...]]:
    from retouch.recipes.policy.annotating.servers import tools_of_address, tools_of_command
    from retouch.recipes.policy.annotating.sources import tools_of_file

    if starts_command:
        return tools_of_command(words)
    if len(words) > 1:
        raise BadInput(f"{words[1]!r} is one argument too many", hint="For a command write: -- COMMAND ARGS.")
    if words[0].startswith(("http://", "https://")):
        return tools_of_address(words[0])
    if Path(words[0]).suffix in {".json", ".yaml", ".yml", ".py"}:
        return Path(words[0]).stem, tools_of_file(Path(words[0]))
    hint = "Pass JSON, YAML, Python or an http(s) address. For a command write: -- COMMAND ARGS."
    raise BadInput(f"{words[0]!r} is neither such a file nor an address", hint=hint)


def _own_roles(given: tuple[str, ...], listed: tuple[ListedTool, ...]) -> dict[str, tuple[str, ...]]:
    """Return the user's own roles with their arguments.

    Raises:
        BadInput: one is malformed, has the name of a built-in role, or names an argument that no tool has.
    """
    from retouch.recipes.policy.annotating.proposing import arguments_of
    from retouch.recipes.policy.resources.roles import OWN_ROLE, ROLES

    known = {name for tool in listed for name in arguments_of(tool)}
    found: dict[str, tuple[str, ...]] = {}
    for text in given:
        role, _, names = text.partition("=")
        arguments = tuple(name.strip() for name in names.split(",") if name.strip())
        if not arguments or role in ROLES or not OWN_ROLE.fullmatch(role):
            hint = "Write NAME=ARGUMENT with a name in lower case that is not built in, for example table=tbl."
            raise BadInput(f"--role {text!r} declares no role of your own", hint=hint)
        strange = [name for name in arguments if name not in known]
        if strange:
            raise BadInput(f"no tool has the argument {strange[0]!r}", hint=f"Arguments: {', '.join(sorted(known))}.")
        found[role] = (*found.get(role, ()), *arguments)
    return found
