"""The options of the search and of its checks, which `generate chisel` and `chisel batch` share."""

from __future__ import annotations

from pathlib import Path

import click

from retouch.commands import Setting, check_timeout_option, hint_config_option, weight_option, with_options

_FOLDER = click.Path(exists=True, file_okay=False, path_type=Path)

search_options = with_options(
    click.option("--source", cls=Setting, required=True, type=_FOLDER, help="The directory of the Chisel sources."),
    click.option(
        "--rtl", cls=Setting, type=_FOLDER, help="The Verilog that the diff refers to, for its source locators."
    ),
    click.option("--compile", cls=Setting, required=True, metavar='"CMD"', help="Your compile command."),
    click.option(
        "--lec",
        cls=Setting,
        default="",
        metavar='"CMD"',
        help="Your equivalence command. Runs after the compile command.",
    ),
    click.option(
        "--lec-shows",
        cls=Setting,
        type=click.Choice(["proved", "bounded", "simulated"]),
        default="proved",
        help="What the success of --lec shows. Less than a proof leaves the fix unverified.",
    ),
    click.option(
        "--workspace",
        cls=Setting,
        type=_FOLDER,
        show_default=False,
        help="The project's directory. The commands run in a copy of it. Default: the source directory.",
    ),
    click.option(
        "--candidates", cls=Setting, type=click.IntRange(1, 100), default=10, help="Maximum number of modules to try."
    ),
    click.option(
        "--together", cls=Setting, type=click.IntRange(1, 20), default=1, help="Number of modules per prompt."
    ),
    click.option(
        "--asks-each", cls=Setting, type=click.IntRange(1, 100), default=3, help="Maximum number of calls per module."
    ),
    click.option(
        "--choose",
        cls=Setting,
        type=click.IntRange(0, 20),
        default=0,
        metavar="N",
        help="First show the model the signatures of N modules, and let it choose which to see. 0 does not ask.",
    ),
    click.option(
        "--prompt-tokens",
        cls=Setting,
        type=click.IntRange(200),
        default=6_000,
        help="Approximate size limit of a prompt.",
    ),
    hint_config_option,
    weight_option,
    check_timeout_option(900.0),
    click.option(
        "--trials",
        cls=Setting,
        type=click.Path(dir_okay=False, path_type=Path),
        show_default=False,
        help="The ledger of trials. Default: trials.jsonl next to the run directory.",
    ),
)
