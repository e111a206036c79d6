"""Normalises the arguments of a call for the policy and for the tool, so that both interpret them in the same way."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from retouch.recipes.policy.resources.hosts import normalize_git_url, normalize_url
from retouch.recipes.policy.resources.paths import expand_home, real_path
from retouch.recipes.policy.resources.roles import PATH_ROLES

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from retouch._lib.json_text import JSON


@dataclass(frozen=True, kw_only=True)
class PreparedArguments:
    """In `for_policy` every path is absolute. In `for_tool` relative paths stay relative to the tool's working
    directory.
    """

    for_policy: dict[str, JSON]
    for_tool: dict[str, JSON]


def prepare_arguments(
    arguments: Mapping[str, JSON],
    roles_by_arg: Mapping[str, Sequence[str]],
    *,
    home: str,
    allowed_directory: str | None = None,
) -> PreparedArguments:
    """Return the arguments with paths resolved and URLs normalised, by their roles.

    Relative paths are resolved from `allowed_directory`. Arguments without a path or URL role stay unchanged, and so do
    values that are neither strings nor lists of strings.
    """
    for_policy, for_tool = dict(arguments), dict(arguments)
    for arg, value in arguments.items():
        roles = set(roles_by_arg.get(arg, ()))
        if roles & PATH_ROLES:
            for_policy[arg] = _each(value, lambda text: _path(text, home=home, directory=allowed_directory))
            for_tool[arg] = _each(value, lambda text: _path(text, home=home, directory=None))
        elif "git-remote-url" in roles:
            for_policy[arg] = for_tool[arg] = _each(value, normalize_git_url)
        elif "fetch-url" in roles:
            for_policy[arg] = for_tool[arg] = _each(value, normalize_url)
    return PreparedArguments(for_policy=for_policy, for_tool=for_tool)


def _path(text: str, *, home: str, directory: str | None) -> str:
    return real_path(text, home=home, working_directory=directory) or expand_home(text, home)


def _each(value: JSON, rewritten: Callable[[str], str]) -> JSON:
    if isinstance(value, str):
        return rewritten(value)
    if isinstance(value, list):
        return [rewritten(one) if isinstance(one, str) else one for one in value]
    return value
