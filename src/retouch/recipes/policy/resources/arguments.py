"""The arguments of a call as the policy judges them, and as the tool should get them, so that both mean the same."""

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
    """`for_policy` has every path whole; in `for_tool` relative paths stay relative to the tool's own folder."""

    for_policy: dict[str, JSON]
    for_tool: dict[str, JSON]


def prepare_arguments(
    arguments: Mapping[str, JSON],
    roles_by_arg: Mapping[str, Sequence[str]],
    *,
    home: str,
    allowed_directory: str | None = None,
) -> PreparedArguments:
    """Return the arguments with paths resolved and addresses rewritten, by the roles they have.

    Relative paths are taken from `allowed_directory`. Arguments without a path or url role stay as they are, and so
    do values that are neither text nor lists of text.
    """
    judged, sent = dict(arguments), dict(arguments)
    for arg, value in arguments.items():
        roles = set(roles_by_arg.get(arg, ()))
        if roles & PATH_ROLES:
            judged[arg] = _each(value, lambda text: _path(text, home=home, folder=allowed_directory))
            sent[arg] = _each(value, lambda text: _path(text, home=home, folder=None))
        elif "git-remote-url" in roles:
            judged[arg] = sent[arg] = _each(value, normalize_git_url)
        elif "fetch-url" in roles:
            judged[arg] = sent[arg] = _each(value, normalize_url)
    return PreparedArguments(for_policy=judged, for_tool=sent)


def _path(text: str, *, home: str, folder: str | None) -> str:
    return real_path(text, home=home, working_directory=folder) or expand_home(text, home)


def _each(value: JSON, rewritten: Callable[[str], str]) -> JSON:
    if isinstance(value, str):
        return rewritten(value)
    if isinstance(value, list):
        return [rewritten(one) if isinstance(one, str) else one for one in value]
    return value
