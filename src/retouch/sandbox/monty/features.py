"""Distinguishes features that Monty lacks from errors in the code, by its messages and by comparison with CPython."""

from __future__ import annotations

import builtins
import datetime
import decimal
import importlib
import pathlib
import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

_MISSING = re.compile(
    r"does not yet support (?:the )?(?P<syntax>.+)"
    r"|No module named '(?P<module>[\w.]+)'"
    r"|cannot import name '(?P<name>\w+)' from '(?P<source>[\w.]+)'"
    r"|(?:module|type object) '(?P<home>[\w.]+)' has no attribute '(?P<attribute>\w+)'"
    r"|'(?P<type>[\w.]+)' object has no attribute '(?P<member>\w+)'"
    r"|name '(?P<builtin>\w+)' is not defined"
    r"|(?P<said>.+ (?:not yet|not) supported.*)"
    r"|(?P<sleep>sleep) limit exceeded"
)
# The names in Monty's messages of types whose members code is likely to use.
_TYPES: Mapping[str, object] = {
    "PosixPath": pathlib.Path,
    "re.Match": re.Match,
    "re.Pattern": re.Pattern,
    "datetime.date": datetime.date,
    "datetime.datetime": datetime.datetime,
    "datetime.time": datetime.time,
    "datetime.timedelta": datetime.timedelta,
    "decimal.Decimal": decimal.Decimal,
}
# Modules that may be imported to check for a member: they are loaded anyway.
_MODULES_TEXT = (
    "collections datetime decimal functools itertools json math os os.path pathlib random re sys time typing"
)
_MODULES = set(_MODULES_TEXT.split())


def missing_feature(message: str) -> str | None:
    """Return the Python feature that Monty lacks according to `message`. None if the code itself is invalid."""
    found = _MISSING.search(message)
    if found is None:
        return None
    part = {name: text for name, text in found.groupdict().items() if text}
    if "module" in part:
        return f"import {part['module']}"
    if "name" in part:
        return f"from {part['source']} import {part['name']}"
    if "home" in part or "type" in part:
        return _member(part.get("home") or part["type"], part.get("attribute") or part["member"])
    if "builtin" in part:
        return part["builtin"] if hasattr(builtins, part["builtin"]) else None
    return "time.sleep" if "sleep" in part else part.get("syntax") or part["said"]


def _member(home: str, name: str) -> str | None:
    """Return `home.name` if CPython has it, which means that only the engine lacks it."""
    owner = _TYPES.get(home) or getattr(builtins, home, None)
    if owner is None and home in _MODULES:
        owner = importlib.import_module(home)
    return f"{home}.{name}" if owner is not None and hasattr(owner, name) else None
