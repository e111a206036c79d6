"""Determines the roles of a call's arguments from the values of the call."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

    from retouch._lib.json_text import JSON
    from retouch.recipes.policy.language.values import Condition, RoleSpec


def holds(condition: Condition, arguments: Mapping[str, JSON]) -> bool:
    """Return whether a condition holds. Values are compared with their JSON type: true is not 1, and "1" is not 1.

    An argument is present if it is given and not null. null, false, 0 and "" are falsy.
    """
    given = condition.arg in arguments
    value = arguments.get(condition.arg)
    if condition.kind == "equals":
        return given and same(value, condition.equals)
    if condition.kind == "in":
        return given and any(same(value, one) for one in condition.among)
    present, truthy = value is not None, not is_falsy(value)
    return {"present": present, "absent": not present, "truthy": truthy, "falsy": not truthy}[condition.state]


def same(one: JSON, other: JSON) -> bool:
    """Return whether two scalars are equal and of the same JSON type. 1 and 1.0 are equal."""
    if isinstance(one, bool) or isinstance(other, bool):
        return one is other
    if isinstance(one, (list, dict)) or isinstance(other, (list, dict)):
        return False
    return one == other


def is_falsy(value: JSON) -> bool:
    """Return whether a value is null, false, 0 or the empty string. Empty lists and objects are not falsy."""
    return value is None or value is False or (isinstance(value, (int, float)) and value == 0) or value == ""


def mode_of(spec: RoleSpec, arguments: Mapping[str, JSON]) -> int:
    """Return the index of the first mode whose condition holds, or -1 for the default."""
    for index, mode in enumerate(spec.modes):
        if holds(mode.condition, arguments):
            return index
    return -1


def roles_in(spec: RoleSpec, mode: int) -> tuple[str, ...]:
    """Return the roles of an argument in the mode with this index, or -1 for the default."""
    return spec.default if mode < 0 else spec.modes[mode].roles
