"""`retouch demo`: an example of each recipe, without a network and a key."""

from __future__ import annotations

import json
import shutil
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING

import click

from retouch.cli.failure import printable
from retouch.cli.options import as_json_option
from retouch.cli.output import counted, print_json, print_table
from retouch.cli.verb import Verb
from retouch.errors import BadInput, MissingTool, RetouchError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from retouch.engine.overview import RunResult

_MARK = ".made-by-retouch-demo"


@dataclass(frozen=True, kw_only=True)
class _MadeDemo:
    """The example of one recipe: its run, or the reason why there is none."""

    recipe: str
    about: str = ""
    try_it: str = ""
    result: RunResult | None = None
    problem: str = ""


@click.command(cls=Verb)
@click.argument("recipes", nargs=-1, metavar="[RECIPE]...")
@click.option(
    "--to",
    "folder",
    type=click.Path(path_type=Path, file_okay=False),
    default=Path("retouch-demo"),
    show_default=True,
    metavar="DIR",
    help="The directory of the runs. An earlier demo in it is replaced, unless something was added or changed.",
)
@click.option("--open/--no-open", "opens", default=True, help="Show the runs in the browser, or only make them.")
@click.option("--port", type=click.IntRange(0, 65_535), default=0, help="The port of the pages. Default: a free one.")
@as_json_option
def command(recipes: Sequence[str], *, folder: Path, opens: bool, port: int, as_json: bool) -> int:
    """Make an example of each recipe without a key, and show them in the browser.

    \b
      retouch demo
      retouch demo csharp rule --to examples --no-open

    The models are on this machine and make mistakes on purpose, so that you see what is found, why, what was sent
    again and what it used. Afterwards the commands to try with a key are printed. Ctrl-C stops the pages.

    With --json: {"demo": DIR, "runs": [{"recipe", "run", "status", "calls", "problem"}]}, and no browser. The exit
    status is 1 if an example could not be made, for example because an extra is not installed. The others are made and
    shown. Errors in the answers, which are the point of a demo, do not count.
    """
    _prepare(folder)
    made = [_make(name, folder) for name in _chosen(recipes)]
    (folder / _MARK).write_text(json.dumps(_hashes(folder)), encoding="utf-8")
    missing = [one.recipe for one in made if one.result is None]
    if as_json:
        print_json({"demo": str(folder), "runs": [_json_of(one) for one in made]})
        return 1 if missing else 0
    _print(made, folder)
    if missing:
        click.echo(f"note: {len(missing)} of {counted(len(made), 'example')} could not be made: {', '.join(missing)}")
    if opens and len(missing) < len(made):
        _open(folder, port)
    return 1 if missing else 0


def _open(folder: Path, port: int) -> None:
    """Show the runs in the browser. If the viewer is not installed, write its pages as files and open them."""
    from retouch.cli.view import view_runs

    try:
        view_runs(folder, port=port)
    except MissingTool as error:
        from retouch.cli.trees import report

        live = f"with it, the pages are live: {error.hint}"
        click.echo(f"note: {error.message} ({live}), so the pages are written as files:")
        report(folder, {"to": None, "as_json": False})
        (folder / _MARK).write_text(json.dumps(_hashes(folder)), encoding="utf-8")
        click.launch((folder / "report.html").resolve().as_uri())


def _chosen(recipes: Sequence[str]) -> list[str]:
    from retouch.cli.contributions import every_contribution

    known = [one.recipe for one in every_contribution() if one.demo]
    for name in recipes:
        if name not in known:
            raise BadInput(f"there is no example of {name!r}", hint=f"There are {', '.join(known)}.")
    return list(dict.fromkeys(recipes)) or known


def _prepare(folder: Path) -> None:
    """Create an empty directory. An earlier demo is removed; a directory with other content is refused.

    A run of the earlier demo may have answers that were paid for since, and its inputs may be edited.
    """
    if (folder / _MARK).is_file():
        known: dict[str, str] = json.loads((folder / _MARK).read_text(encoding="utf-8") or "{}")
        own = sorted(known.items() ^ _hashes(folder).items()) if known else []
        if own:
            message = f"{own[0][0]!r} was added or changed since the earlier demo in {str(folder)!r} was made"
            raise BadInput(message, hint="Choose another directory with --to DIR, or remove this one.")
        for one in folder.iterdir():
            shutil.rmtree(one) if one.is_dir() and not one.is_symlink() else one.unlink()
    if folder.is_dir() and any(folder.iterdir()):
        raise BadInput(f"{str(folder)!r} has other content", hint="Choose an empty directory with --to DIR.")
    folder.mkdir(parents=True, exist_ok=True)
    (folder / _MARK).touch()


def _hashes(folder: Path) -> dict[str, str]:
    """Return the hashes of all files by their path, without those that reading a ledger leaves behind."""
    return {
        place.relative_to(folder).as_posix(): sha256(place.read_bytes()).hexdigest()
        for place in sorted(folder.rglob("*"))
        if place.is_file() and place.name != _MARK and not _is_left_by_reading(place)
    }


def _is_left_by_reading(place: Path) -> bool:
    return place.name.endswith("-shm") or (place.name.endswith("-wal") and not place.stat().st_size)


def _make(name: str, folder: Path) -> _MadeDemo:
    """Make the run of one recipe. If its extra is missing, the reason is shown and the others are made."""
    from retouch._lib.run_sync import run_sync
    from retouch.cli.contributions import commands_of
    from retouch.engine.options import RunOptions
    from retouch.engine.recipe import find_recipe, open_model
    from retouch.engine.verbs import generate

    inputs = folder / "inputs" / name
    inputs.mkdir(parents=True)
    try:
        recipe = find_recipe(name)
        demo = commands_of(name).example(inputs.resolve())
        model = open_model(demo.model, recipe=recipe) if isinstance(demo.model, str) else demo.model
        options = RunOptions(**demo.options)
        result = run_sync(generate(recipe, demo.source, folder / name, model, options))
    except (RetouchError, ImportError) as error:
        said = error if isinstance(error, RetouchError) else MissingTool(str(error), hint="pip install 'retouch[all]'")
        return _MadeDemo(recipe=name, problem=said.on_one_line)
    return _MadeDemo(recipe=name, about=demo.about, try_it=demo.try_it, result=result)


def _json_of(one: _MadeDemo) -> dict[str, object]:
    if one.result is None:
        return {"recipe": one.recipe, "run": None, "status": None, "calls": 0, "problem": one.problem}
    usage = one.result.usage
    return {
        "recipe": one.recipe,
        "run": str(one.result.run),
        "status": one.result.status,
        "calls": usage.calls,
        "problem": "",
    }


def _print(made: Sequence[_MadeDemo], folder: Path) -> None:
    rows = [(one.recipe, *_outcome(one), one.about or one.problem) for one in made]
    print_table(("recipe", "status", "calls", "from -> to"), rows)
    click.echo()
    click.echo(f"Look: retouch view {printable(str(folder))}")
    click.echo("Try with a key (export ANTHROPIC_API_KEY=...; pip install 'retouch[llm]'):")
    for one in made:
        if one.try_it:
            click.echo(f"  {printable(one.try_it)}")


def _outcome(one: _MadeDemo) -> tuple[str, int]:
    return ("not made", 0) if one.result is None else (one.result.status, one.result.usage.calls)
