"""Normalises the arguments of a call, so that the tool gets exactly the values that were checked."""

from __future__ import annotations

from typing import TYPE_CHECKING

from retouch.recipes.policy.resources.addresses import normalized_addresses
from retouch.recipes.policy.resources.hosts import browser_address, is_ssh_remote
from retouch.recipes.policy.resources.roles import PATH_ROLES

if TYPE_CHECKING:
    from collections.abc import Callable

    from retouch._lib.json_text import JSON
    from retouch.recipes.policy.deciding.facts import Facts


def normalized_arguments(facts: Facts) -> dict[str, JSON]:
    """Return the arguments with each value in the form that was checked, so that the tool cannot interpret it
    differently.

    The last part of a path that is deleted is not resolved, because deleting a symbolic link deletes the link. Names
    such as `origin`, and values of roles that are not resources, stay unchanged.
    """
    return {
        arg: _rewritten(value, _normalizer_of(facts, arg), facts.schema_of(arg))
        for arg, value in facts.arguments.items()
    }


def _normalizer_of(facts: Facts, arg: str) -> Callable[[str], str]:
    roles = facts.view.roles_of.get(arg, frozenset())
    if not roles.isdisjoint(PATH_ROLES):
        removed = "delete-path" if "delete-path" in roles else ""
        return lambda text: (facts.places(text, removed).candidates or (text,))[-1 if removed else 0]
    if "git-remote-url" in roles:
        return lambda text: text if is_ssh_remote(text) else browser_address(text)
    if "fetch-url" in roles:
        return browser_address
    return normalized_addresses if "email-address" in roles else str


def _rewritten(value: JSON, change: Callable[[str], str], schema: JSON) -> JSON:
    if isinstance(value, str):
        return change(value)
    if isinstance(value, list):
        inner = schema.get("items") if isinstance(schema, dict) else None
        return [_rewritten(one, change, inner) for one in value]
    if isinstance(value, dict):
        named = schema.get("properties") if isinstance(schema, dict) else None
        known = named if isinstance(named, dict) else {}
        return {
            key if key in known else change(key): _rewritten(one, change, known.get(key)) for key, one in value.items()
        }
    return value
