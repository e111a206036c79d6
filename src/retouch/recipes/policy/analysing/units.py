"""The unit of an amount of money, as a tool's schema describes it."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from retouch.recipes.policy.language.values import Tool

_CENTS = re.compile(
    r"smallest (?:currency )?unit|minor (?:currency )?units?|\b(?:euro)?cents?\b|\bpence\b|\bcentimes?\b", re.IGNORECASE
)
_CENTS_NAME = re.compile(r"(?:^|[_-])(?:cents?|pence)(?:$|[_-])|[Cc]ents$")


def is_in_cents(tool: Tool, arg: str) -> bool:
    """Return whether an argument is an amount in cents, by its name or its description."""
    return _CENTS_NAME.search(arg) is not None or _CENTS.search(described(tool, arg)) is not None


def described(tool: Tool, arg: str) -> str:
    """Return what the schema of a tool says about an argument. "" if it says nothing."""
    found = (tool.input_schema or {}).get("properties")
    schema = found.get(arg) if isinstance(found, dict) else None
    text = schema.get("description") if isinstance(schema, dict) else None
    return text if isinstance(text, str) else ""
