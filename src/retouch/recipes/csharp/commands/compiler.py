"""`retouch csharp compiler install` and `retouch csharp compiler status`."""

from __future__ import annotations

import click

from retouch.commands import LazyGroup, Verb, as_json_option, print_json, print_table

TABLE = {
    "install": (
        "retouch.recipes.csharp.commands.compiler:install",
        "Install the C# compiler (Roslyn under Node) for this user.",
    ),
    "status": ("retouch.recipes.csharp.commands.compiler:status", "List the C# compilers that are installed."),
}


@click.group(cls=LazyGroup, table=TABLE)
def command() -> None:
    """Install the C# compiler, or show which one is used."""


@click.command(cls=Verb)
@as_json_option
def install(*, as_json: bool) -> None:
    """Install the C# compiler (Roslyn under Node) for this user.

    \b
      retouch csharp compiler install
      retouch csharp compiler install --json

    The npm package and all its dependencies are pinned by a lock file. RETOUCH_ROSLYN names another directory.

    With --json: {"folder"}.
    """
    from retouch.recipes.csharp.compilers.roslyn import install_roslyn

    click.echo("Installing the C# compiler with npm. This takes up to a minute.", err=True)
    directory = install_roslyn()
    if as_json:
        print_json({"folder": str(directory)})
    else:
        click.echo(f"The C# compiler is in {directory}.")


@click.command(cls=Verb)
@as_json_option
def status(*, as_json: bool) -> int:
    """List the C# compilers that are installed. The exit status is 1 if there is none.

    \b
      retouch csharp compiler status
      retouch csharp compiler status --json

    With --json: {"compilers": [{"name", "found", "where", "next"}]}; auto uses the first one that is found.
    """
    rows = [_compiler_row(name) for name in ("dotnet", "roslyn")]
    if as_json:
        print_json({"compilers": rows})
    else:
        print_table(
            ["compiler", "found", "where or next"],
            [[row["name"], row["found"], row["where"] or row["next"]] for row in rows],
        )
    return 0 if any(row["found"] for row in rows) else 1


def _compiler_row(name: str) -> dict[str, str | bool]:
    from retouch.errors import MissingTool
    from retouch.recipes.csharp.compilers.dotnet import find_dotnet
    from retouch.recipes.csharp.compilers.roslyn import find_roslyn

    try:
        where = find_dotnet({}).program if name == "dotnet" else str(find_roslyn().folder)
    except MissingTool as missing:
        return {"name": name, "found": False, "where": "", "next": f"{missing.message}. {missing.hint}"}
    return {"name": name, "found": True, "where": where, "next": ""}
