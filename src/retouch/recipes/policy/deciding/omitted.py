"""The paths and addresses that a tool uses if a call omits them, such as the working directory of a search."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

from retouch.recipes.policy.resources.roles import PATH_ROLES, URL_ROLES

if TYPE_CHECKING:
    from collections.abc import Mapping

    from retouch._lib.json_text import JSON
    from retouch.recipes.policy.language.values import Tool, ToolCall

WORKING_DIRECTORY = "."
_IF_OMITTED = re.compile(
    r"\b(?:defaults?|omit(?:ted|s)?|unspecified|left out|absent|missing|"
    r"not (?:specified|given|provided|set|passed|supplied)|(?:no|without an?) (?:path|value|director(?:y|ies)))\b",
    re.IGNORECASE,
)
_WORKING = re.compile(
    r"\b(?:current|working|project(?:'s)? root) (?:working )?(?:directory|folder)\b|\b[cp]wd\b", re.IGNORECASE
)


def omitted_values(tool: Tool) -> dict[str, str]:
    """Return what a tool uses for each path and address that a call omits, as far as its schema states it."""
    found: dict[str, str] = {}
    for arg, spec in tool.args.items():
        roles = {*spec.all_roles}
        schema = tool.schemas.get(arg)
        value = _value_if_omitted(schema, path=not roles.isdisjoint(PATH_ROLES)) if isinstance(schema, dict) else None
        if value is not None and not roles.isdisjoint(PATH_ROLES | URL_ROLES):
            found[arg] = value
    return found


def _value_if_omitted(schema: Mapping[str, JSON], *, path: bool) -> str | None:
    default, told = schema.get("default"), schema.get("description")
    if isinstance(default, str) and default:
        return default
    says = path and isinstance(told, str) and _IF_OMITTED.search(told) and _WORKING.search(told)
    return WORKING_DIRECTORY if says else None


def with_omitted(call: ToolCall, values: Mapping[str, str]) -> ToolCall:
    """Return a call with the values that the tool uses for what the call omits."""
    missing = {arg: value for arg, value in values.items() if call.arguments.get(arg) is None}
    return replace(call, arguments={**call.arguments, **missing}) if missing else call
