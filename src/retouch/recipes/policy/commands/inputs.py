"""Reads the inputs of the policy commands: policies, calls, scenarios."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from retouch.errors import BadInput

if TYPE_CHECKING:
    from retouch._lib.json_text import JSON
    from retouch.recipes.policy import Policy, Scenario

SCENARIO_NAMES = ("scenarios.json", "test-scenarios.json")
MAX_BYTES = 64 * 1024 * 1024

policy_argument = click.argument("policy", type=click.Path(path_type=Path))
scenarios_option = click.option(
    "--scenarios",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="The scenarios. Default: scenarios.json or test-scenarios.json in the policy's directory.",
)
common_option = click.option(
    "--common",
    type=click.Path(path_type=Path, file_okay=False),
    metavar="DIR",
    help="The directory of the annotations that the policy refers to.",
)
home_option = click.option(
    "--home", metavar="PATH", help="The meaning of ~ if the policy does not define it. Default: your home directory."
)


def load_policy(path: Path, *, common: Path | None, home: str | None) -> Policy:
    """Return the policy of a file or directory.

    Raises:
        BadInput: it cannot be used.
    """
    from retouch.recipes.policy import Policy

    return Policy.load(path, common=common, home=home)


def load_call(path: Path) -> JSON:
    """Return the JSON of a call. `-` reads stdin.

    Raises:
        BadInput: it cannot be read, or is not unambiguous JSON.
    """
    from retouch.recipes.policy.language.strict_json import parse_json, read_json

    return parse_json(sys.stdin.read(MAX_BYTES), name="stdin") if str(path) == "-" else read_json(path)


def load_scenarios(path: Path | None, *, policy: Path, needed: bool) -> tuple[Scenario, ...]:
    """Return the scenarios of a file, of a directory, or of the policy's directory.

    Raises:
        BadInput: they cannot be used, or there are none and they are `needed`.
    """
    from retouch.recipes.policy import read_scenarios

    if path is not None and not path.is_dir():
        return read_scenarios(path)
    directory = path or (policy if policy.is_dir() else policy.parent)
    for name in SCENARIO_NAMES:
        if (directory / name).is_file():
            return read_scenarios(directory / name)
    if needed or path is not None:
        hint = "Pass a file with scenarios."
        raise BadInput(f"{str(directory)!r} contains neither {' nor '.join(map(repr, SCENARIO_NAMES))}", hint=hint)
    return ()
