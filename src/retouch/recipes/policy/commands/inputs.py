"""Reads the inputs of the policy commands: policies, calls, scenarios."""

from __future__ import annotations

import sys
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

import click

from retouch.errors import BadInput
from retouch.recipes.policy.language.values import CallState

if TYPE_CHECKING:
    from retouch._lib.json_text import JSON
    from retouch.recipes.policy import Policy, Scenario
    from retouch.recipes.policy.language.values import ToolCall

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
    type=click.Path(path_type=Path, file_okay=False, exists=True),
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


def load_call(path: Path) -> ToolCall:
    """Return the call in a JSON file. `-` reads stdin.

    Raises:
        BadInput: it cannot be read, is not unambiguous JSON, or is not a call.
    """
    from retouch.recipes.policy.deciding.evaluation import as_request
    from retouch.recipes.policy.language.strict_json import parse_json, read_json
    from retouch.recipes.policy.scenarios.files import call_in

    name = "stdin" if str(path) == "-" else str(path)
    value = parse_json(_piped(), name=name) if name == "stdin" else read_json(path)
    call = call_in(value)
    if call is None:
        hint = (
            'Write {"serverName": "NAME", "toolName": "NAME", "arguments": {...}}. '
            "If an agent sent this to a guard, it would be denied."
        )
        why = _not_a_call(value) if as_request(value) is None else "'at' or 'earlier' is malformed"
        raise BadInput(f"{name!r} is not a call: {why}", hint=hint)
    return call


def at_present(policy: Policy, call: ToolCall) -> ToolCall:
    """Return a call that happens now, if it has no time and rules of the policy need one."""
    if not any(rule.when.needs_state for rule in policy.rules):
        return call
    state = call.state or CallState()
    return replace(call, state=state if state.at is not None else replace(state, at=datetime.now(UTC)))


def read_utf8(path: Path) -> str:
    """Return the text of a file.

    Raises:
        BadInput: it is not UTF-8.
    """
    try:
        return path.read_text(encoding="utf-8")
    except UnicodeDecodeError as error:
        raise BadInput(f"{str(path)!r} is not UTF-8: byte {error.start}", hint="Save it as UTF-8.") from error


def _piped() -> str:
    """Return the text of stdin.

    Raises:
        BadInput: it is not UTF-8, or nothing was piped in.
    """
    if sys.stdin.isatty():
        raise BadInput("nothing was piped into stdin", hint="Pipe a call in, or name a JSON file.")
    try:
        return sys.stdin.buffer.read(MAX_BYTES).decode("utf-8")
    except UnicodeDecodeError as error:
        raise BadInput(f"stdin is not UTF-8: byte {error.start}", hint="Save it as UTF-8.") from error


def _not_a_call(value: JSON) -> str:
    """Return the first reason why a value is not a call."""
    if not isinstance(value, dict):
        return f"it is {_KINDS.get(type(value), 'a number')}, and a call is an object"
    for key in ("serverName", "toolName"):
        if not isinstance(value.get(key), str):
            seen = ", ".join(map(repr, value)) or "no keys"
            return f"{key!r} is not a text" if key in value else f"{key!r} is missing; it has {seen}"
    return "'arguments' is not an object"


_KINDS: dict[type, str] = {list: "a list", str: "a text", bool: "true or false", type(None): "null"}


def load_scenarios(path: Path | None, *, policy: Path, needed: bool) -> tuple[Scenario, ...]:
    """Return the scenarios of a file, of a directory, or of the policy's directory.

    Raises:
        BadInput: they cannot be used, or there are none and they are `needed`.
    """
    from retouch.recipes.policy import read_scenarios

    directory = path or (policy if policy.is_dir() else policy.parent)
    places = [directory / name for name in SCENARIO_NAMES] if directory.is_dir() else [directory]
    for place in places if path is None or path.is_dir() else [path]:
        if place.is_file() or place == path:
            found = read_scenarios(place)
            if needed and not found:
                hint = "Write at least one scenario, or let 'retouch generate policy' write some."
                raise BadInput(f"{str(place)!r} contains no scenarios, so nothing would be tested", hint=hint)
            return found
    if needed or path is not None:
        hint = "Pass a file with scenarios."
        raise BadInput(f"{str(directory)!r} contains neither {' nor '.join(map(repr, SCENARIO_NAMES))}", hint=hint)
    return ()
