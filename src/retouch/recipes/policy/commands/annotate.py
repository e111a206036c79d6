"""`retouch policy annotate`: propose the roles of the arguments of an agent's tools."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from retouch.commands import Verb, as_json_option, counted, print_json, printable
from retouch.errors import BadInput

if TYPE_CHECKING:
    from retouch.recipes.policy.annotating.proposing import ListedTool


@click.command(cls=Verb, context_settings={"ignore_unknown_options": True})
@click.argument("tools", nargs=-1, required=True, metavar="TOOLS | -- COMMAND", type=click.UNPROCESSED)
@click.option("--server", metavar="NAME", help="The server's name in the policy. Default: its own name, or the file's.")
@click.option("-o", "--output", type=click.Path(path_type=Path, dir_okay=False), metavar="FILE", help="Write to FILE.")
@as_json_option
def command(tools: tuple[str, ...], *, server: str | None, output: Path | None, as_json: bool) -> int:
    """Propose the roles of the arguments of an agent's tools.

    \b
      retouch policy annotate tools.json -o annotations.json
      retouch policy annotate -o annotations.json -- npx @modelcontextprotocol/server-filesystem ~/Documents
      retouch policy annotate http://localhost:8000/mcp -o annotations.json

    TOOLS is a file with the result of MCP's tools/list, an OpenAPI document, a Python module with functions (it is not
    executed), or the address of an MCP server. A COMMAND is started as an MCP server and asked for its tools.

    Roles are proposed from names and schemas. The server's own claims (readOnlyHint, destructiveHint) only make a
    proposal stricter. Look at the arguments that the command names before you use the file with 'retouch generate
    policy --tools'.

    With --json: the annotations, {"servers": {NAME: {"tools": [{"toolName", "args", "inputSchema", "x-why",
    "x-look-at"}]}}}.
    """
    from retouch._lib.disk import write_files
    from retouch._lib.json_text import json_text
    from retouch.recipes.policy.annotating.proposing import annotations_of, propose_roles

    own, listed = _listed_tools(tools)
    name = server or own
    found = annotations_of(name, listed)
    if output is not None:
        write_files(output.absolute().parent, {output.name: json_text(found)})
    if as_json:
        print_json(found)
        return 0
    doubtful = 0
    for tool in listed:
        for arg, one in propose_roles(name, tool).items():
            doubtful += not one.sure
            if one.roles != ("none",) or not one.sure:
                mark = "" if one.sure else "look at this: "
                click.echo(printable(f"{tool.name}.{arg}: {', '.join(one.roles)} ({mark}{one.why})"))
    more = f"; look at {counted(doubtful, 'argument')}" if doubtful else ""
    click.echo(f"{counted(len(listed), 'tool')} of {printable(name)}{more}")
    return 0


def _listed_tools(words: tuple[str, ...]) -> tuple[str, tuple[ListedTool, ...]]:
    from retouch.recipes.policy.annotating.sources import tools_of_address, tools_of_command, tools_of_file

    if len(words) == 1 and words[0].startswith(("http://", "https://")):
        return tools_of_address(words[0])
    if len(words) == 1 and Path(words[0]).suffix in {".json", ".yaml", ".yml", ".py"}:
        return Path(words[0]).stem, tools_of_file(Path(words[0]))
    if len(words) == 1 and not Path(words[0]).exists():
        raise BadInput(f"{words[0]!r} is neither a file nor an address", hint="For a command write: -- COMMAND ARGS.")
    return tools_of_command(words)
