"""The command `retouch`."""

from __future__ import annotations

import os
import sys
from functools import cached_property
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import click

from retouch.cli.colour import colour_choice
from retouch.cli.contributions import commands_of, every_contribution
from retouch.cli.verb import LazyGroup, Table

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from retouch.cli.contributions import RecipeCommands
    from retouch.cli.verb import Place

SECTIONS: Mapping[str, Table] = {
    "Runs": {
        "generate": (
            "retouch.cli.generate:command",
            "Make a run: plan prompts, call the model, check, repair, write files.",
        ),
        "resume": (
            "retouch.cli.resume:command",
            "Continue a run, a job or a fleet that was interrupted, or collect its batch.",
        ),
        "regenerate": ("retouch.cli.regenerate:command", "Request parts of a run again, from its stored prompts."),
        "validate": ("retouch.cli.checks:validate", "Check a run or a job again; no model is called."),
        "assemble": ("retouch.cli.checks:assemble", "Write a run's files again from its answers."),
        "adopt": ("retouch.cli.checks:adopt", "Make your manual edits the answer, and check them."),
        "show": ("retouch.cli.show:show", "Show a run: units, pages, models, attempts, tokens, issues."),
        "view": ("retouch.cli.view:command", "Show runs in the browser, and follow them while they work."),
        "report": ("retouch.cli.report:command", "Write a run as one HTML page: prompts, answers, issues and costs."),
        "undo": (
            "retouch.cli.undo:command",
            "Give the files that a run has written into your project their old texts again.",
        ),
        "fleet": (
            "retouch.cli.fleet:command",
            "Run a recipe on many records: shards, worker processes, one cost limit, one status.",
        ),
        "eval": ("retouch.cli.eval:command", "Compare models on a recipe's sources, or check stored runs again."),
        "export": ("retouch.cli.export:command", "Write the attempts of runs as JSON lines for other tools."),
        "scrub": ("retouch.cli.scrub:command", "Remove a text, such as a key, from a run's record and files."),
    },
    "Edits and search": {
        "apply": ("retouch.cli.apply:command", "Apply the edits of a model's reply to the files of a directory."),
        "locate": (
            "retouch.cli.locate:command",
            "Rank the Chisel modules that a Verilog diff may come from, or the Python functions that a text is about.",
        ),
    },
    "Agents": {
        "mcp": ("retouch.cli.mcp:command", "Serve edits, search and runs as tools for agents."),
    },
    "What is installed": {
        "demo": (
            "retouch.cli.demo:command",
            "Make an example of each recipe without a key, and show them in the browser.",
        ),
        "recipes": ("retouch.cli.installed:recipes", "List the installed recipes."),
        "models": ("retouch.cli.installed:models", "List the kinds of models, and what is missing to use them."),
    },
}
_TELLING = ("KEY", "TOKEN", "SECRET", "PASSW", "CREDENTIAL")  # parts of the names of secret variables
TABLE: Table = {name: entry for table in SECTIONS.values() for name, entry in table.items()}
OF_RECIPES = "Recipes"

SETTINGS_HELP = """
Start with 'retouch recipes' and 'retouch generate RECIPE --help'.

Options marked (setting) can also come from RETOUCH_<OPTION> variables, and from the nearest retouch.toml or
[tool.retouch] in pyproject.toml, in this directory or above it. An option wins over a variable, and a variable over
the file. A table such as [generate] applies to one command only.

Exit status: 0 verified or unverified (1 with --strict), 1 issues remain or pages are missing, 2 misuse or bad input,
3 a retry budget or cost limit is exhausted, 130 interrupted. If a command makes several runs, the highest status
counts. With --json an error is printed to stdout too, as
{"error": {"message", "hint"}}.
"""


class RootGroup(LazyGroup):
    """The top-level command: verbs, recipe groups, and an exit status instead of a traceback."""

    @cached_property
    def table(self) -> Table:
        """The commands by name: built-in ones first, then the group of each recipe with commands."""
        return {**self._table, **self._recipes}

    @cached_property
    def hidden_table(self) -> Table:
        """The aliases of recipes' commands, for example `endpoints` of `csharp endpoints`."""
        found: dict[str, tuple[Place, str]] = {}
        for one in self._contributions:
            found |= {alias: one.commands[name] for alias, name in one.aliases.items() if alias not in self.table}
        return found

    @cached_property
    def _contributions(self) -> list[RecipeCommands]:
        return every_contribution()

    @cached_property
    def _recipes(self) -> Table:
        shown = {one.recipe: one.top for one in self._contributions if one.recipe not in self._table}
        return {recipe: top for recipe, top in shown.items() if top is not None}

    def sections(self) -> Mapping[str, Table]:
        """Return the commands under their headings."""
        return {**SECTIONS, **({OF_RECIPES: self._recipes} if self._recipes else {})}

    def find(self, name: str) -> Place | None:
        """Return the import path of the command `name`. Contributions of recipes are only loaded if necessary."""
        if name in self._table:
            return self._table[name][0]
        if name.startswith("-"):
            return None
        own = commands_of(name).top
        return own[0] if own is not None else super().find(name)

    def main(self, args: Sequence[str] | None = None, prog_name: str | None = None, *_: Any, **extra: Any) -> Any:
        """Run the command in `args` and end the process (SystemExit) with its exit status."""
        words = list(sys.argv[1:] if args is None else args)
        try:
            _prepare_output()
            if os.environ.get("RETOUCH_LOG"):
                from retouch.cli.tracing import log_to_stderr

                log_to_stderr(os.environ["RETOUCH_LOG"])
            extra |= {"standalone_mode": False, "obj": words, "color": colour_choice()}
            status = cast("object", super().main(words, prog_name or "retouch", **extra))
            sys.stdout.flush()
        except Exception as error:  # noqa: BLE001 - the border: everything becomes a message and a status here
            from retouch.cli.failure import report

            status = report(error, as_json=asks_for_json(words))
        except KeyboardInterrupt:
            from retouch.cli.failure import Interrupted, report

            status = report(Interrupted("Stopped."), as_json=asks_for_json(words))
        sys.exit(status if isinstance(status, int) else 0)


def asks_for_json(words: Sequence[str]) -> bool:
    """Return whether a command line requests JSON, even one that cannot be parsed."""
    options = words[: words.index("--")] if "--" in words else words
    return "--json" in options or "--format=json" in options or ("--format", "json") in pairwise(options)


def _prepare_output() -> None:
    """Make the streams of this process tolerant, and redact secrets of its environment in all of its output.

    Output to a closed stream is discarded, and unsupported characters are escaped, so that neither ends the command.
    Redaction covers libraries and tracebacks too.
    """
    for name in ("stdout", "stderr"):
        if getattr(sys, name) is None:  # the shell has closed it, as in `retouch ... >&-`
            setattr(sys, name, os.fdopen(os.open(os.devnull, os.O_WRONLY), "w", encoding="utf-8"))
        reconfigure = getattr(getattr(sys, name), "reconfigure", None)
        if reconfigure is not None:
            reconfigure(errors="backslashreplace")
    names = "\n".join(os.environ).upper()
    if not any(mark in names for mark in _TELLING) and not any("://" in value for value in os.environ.values()):
        return  # the usual case: nothing is imported
    from retouch._lib.redaction import environment_secrets, redacted

    if not environment_secrets():
        return
    for stream in {sys.stdout, sys.stderr}:
        if "write" in vars(stream):  # done already
            continue
        write = stream.write

        def write_redacted(text: str, write: Callable[[str], int] = write) -> int:
            write(redacted(text))
            return len(text)

        vars(stream)["write"] = write_redacted


@click.group(
    "retouch",
    cls=RootGroup,
    table=TABLE,
    epilog=SETTINGS_HELP,
    context_settings={"help_option_names": ["-h", "--help"]},
)
@click.version_option(package_name="retouch", message="retouch %(version)s")
@click.pass_context
def command(ctx: click.Context) -> None:
    """Generate files with language models, check every answer, and retry only the parts that fail.

    A run is a directory with the prompts, every answer, a record of all calls and their cost, and the generated files.
    """
    if not {"-h", "--help"} & set(cast("list[str]", ctx.obj or [])):  # a broken settings file must not hide the help
        from retouch.cli.settings import defaults

        ctx.default_map = defaults(Path.cwd(), command)
