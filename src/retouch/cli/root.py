"""The command `retouch`."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import click

from retouch.cli.verb import LazyGroup

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

TABLE = {
    "endpoints": ("retouch.cli.endpoints:command", "List the endpoints of an OpenAPI document."),
    "generate": ("retouch.cli.generate:command", "Make a run: plan the prompts, ask, check, mend, write the files."),
    "resume": ("retouch.cli.resume:command", "Go on with a run from what its folder holds."),
    "regenerate": ("retouch.cli.regenerate:command", "Ask again for parts of a run, from its stored prompts."),
    "validate": ("retouch.cli.validate:command", "Check a run again; no model is called."),
    "assemble": ("retouch.cli.assemble:command", "Write a run's files again from its answers."),
    "adopt": ("retouch.cli.adopt:command", "Take what was edited by hand as the answer, and check it."),
    "show": ("retouch.cli.show:command", "Show a run: units, pages, models, attempts, tokens, issues."),
    "apply": ("retouch.cli.apply:command", "Apply the edits of a model's reply to the files of a folder."),
    "wizard": ("retouch.cli.wizard:command", "Find an extraction rule on a screen: look, hint, edit, approve."),
    "rule": ("retouch.cli.rule:command", "Apply, test and compare extraction rules; no model is called."),
    "report": ("retouch.cli.report:command", "Write a run as one HTML page: what was asked, answered, wrong and paid."),
    "scrub": ("retouch.cli.scrub:command", "Remove a text, such as a key, from a run's record and files."),
    "trials": ("retouch.cli.trials:command", "Show which modules were tried for which diff, and what came of it."),
    "locate": ("retouch.cli.locate:command", "Rank the Chisel modules that a Verilog diff may come from."),
    "recipes": ("retouch.cli.recipes:command", "List the jobs that Retouch can do."),
    "models": ("retouch.cli.models:command", "List the kinds of models that can be opened."),
    "compiler": ("retouch.cli.compiler:command", "Install the C# compiler, or say which one is used."),
    "policy": ("retouch.cli.policy:command", "Ask a policy: decide, test, analyse, compare, explain."),
}

SETTINGS_HELP = """
Begin with 'retouch recipes' and 'retouch generate JOB --help'.

Options marked (setting) can also come from RETOUCH_<OPTION> variables, and from the nearest retouch.toml or
[tool.retouch] in pyproject.toml, upwards from here: an option wins over a variable, a variable over the file. A table
such as [generate] holds for one command only.

Exit status: 0 done and clean, 1 issues remain, 2 misuse or bad input, 3 a retry budget is exhausted (the highest wins),
130 interrupted. With --json an error is printed to stdout too, as {"error": {"message", "hint"}}.
"""


class Root(LazyGroup):
    """The top of the command line: it turns whatever happens into an exit status and words, never a traceback."""

    def main(self, args: Sequence[str] | None = None, prog_name: str | None = None, *_: Any, **extra: Any) -> Any:
        """Run the command that `args` name and end the process (SystemExit) with its exit status."""
        words = list(sys.argv[1:] if args is None else args)
        extra |= {"standalone_mode": False, "obj": words}
        sys.exit(self._status(words, prog_name or "retouch", extra))

    def _status(self, words: Sequence[str], prog_name: str, extra: dict[str, Any]) -> int:
        try:
            _tolerant_output()
            _without_secrets()
            status = cast("object", super().main(words, prog_name, **extra))
            sys.stdout.flush()
        except Exception as error:  # noqa: BLE001 - the border: everything becomes words and a status here
            from retouch.cli.failure import report

            return report(error, as_json=asks_for_json(words))
        except KeyboardInterrupt:
            from retouch.cli.failure import INTERRUPTED

            return INTERRUPTED
        return status if isinstance(status, int) else 0


def asks_for_json(words: Sequence[str]) -> bool:
    """Return whether `--json` stands among the options of a command line, even one that cannot be parsed."""
    options = words[: words.index("--")] if "--" in words else words
    return "--json" in options


def _tolerant_output() -> None:
    """Let output that nobody takes vanish, and characters that a terminal lacks be escaped: both end no command."""
    for name in ("stdout", "stderr"):
        if getattr(sys, name) is None:  # the shell has closed it, as in `retouch ... >&-`
            setattr(sys, name, os.fdopen(os.open(os.devnull, os.O_WRONLY), "w", encoding="utf-8"))
        reconfigure = getattr(getattr(sys, name), "reconfigure", None)
        if reconfigure is not None:
            reconfigure(errors="backslashreplace")


_TELLING = ("KEY", "TOKEN", "SECRET", "PASSW", "CREDENTIAL")  # a secret's variable has one of them in its name


def _without_secrets() -> None:
    """Keep secrets of this environment out of all that is printed, also of what libraries and tracebacks print."""
    names = "\n".join(os.environ).upper()
    if not any(mark in names for mark in _TELLING) and not any("://" in value for value in os.environ.values()):
        return  # as most often: nothing is imported for it
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


def _version(ctx: click.Context, _parameter: click.Parameter, wanted: bool) -> None:
    if wanted and not ctx.resilient_parsing:
        from importlib.metadata import version

        click.echo(f"retouch {version('retouch')}")
        ctx.exit()


@click.group(
    "retouch", cls=Root, table=TABLE, epilog=SETTINGS_HELP, context_settings={"help_option_names": ["-h", "--help"]}
)
@click.option(
    "--version",
    is_flag=True,
    expose_value=False,
    is_eager=True,
    callback=_version,
    help="Show the version and exit.",
)
@click.pass_context
def command(ctx: click.Context) -> None:
    """Make LLM-written artifacts that can be trusted, and mend only what is wrong with them.

    A run lives in a folder: its prompts, every answer, a record of what was paid for, and the files made from them.
    """
    if not {"-h", "--help"} & set(cast("list[str]", ctx.obj or [])):  # a broken settings file must not hide the help
        from retouch.cli.settings import defaults

        ctx.default_map = defaults(Path.cwd(), command)
