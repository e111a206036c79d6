"""Decides whether an ordinary sentence covers a call, from the values as written. It shares no code with the rules."""

from __future__ import annotations

from collections.abc import Callable
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, Literal, TypeAlias
from urllib.parse import urlsplit

from retouch.recipes.policy.english.sentences import CallAction
from retouch.recipes.policy.resources.roles import PATH_ROLES

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from retouch._lib.json_text import JSON
    from retouch.recipes.policy.english.sentences import Sentence, ToolPart
    from retouch.recipes.policy.language.values import Limit, Tool

Covers: TypeAlias = Literal["surely", "perhaps", "not"]
Inside: TypeAlias = Callable[[str, str], bool]


def call_covers(sentence: Sentence, tool: Tool, arguments: Mapping[str, JSON], inside: Inside) -> Covers:
    """Return whether a sentence covers a call of a tool. `inside` tells whether a path is in a directory."""
    if not isinstance(sentence.action, CallAction):
        return "not"
    parts = [one for one in sentence.action.parts if (one.server, one.tool) == (tool.server, tool.name)]
    found = [_part_covers(one, tool, arguments, inside) for one in parts]
    return "surely" if "surely" in found else "perhaps" if "perhaps" in found else "not"


def _part_covers(part: ToolPart, tool: Tool, arguments: Mapping[str, JSON], inside: Inside) -> Covers:
    where = _all(_test(one, tool, arguments, inside) for one in part.where)
    if not part.unless or where == "not":
        return where
    unless = _all(_test(one, tool, arguments, inside) for one in part.unless)
    if unless == "surely":
        return "not"
    return where if unless == "not" else "perhaps"


def _all(found: Iterable[Covers]) -> Covers:
    seen: set[Covers] = set(found)
    return "not" if "not" in seen else "perhaps" if "perhaps" in seen else "surely"


def _test(limit: Limit, tool: Tool, arguments: Mapping[str, JSON], inside: Inside) -> Covers:
    names = [limit.arg] if limit.arg is not None else [arg for arg, spec in tool.args.items() if _has(spec, limit)]
    given = [arguments[name] for name in names if name in arguments and arguments[name] not in ("", None)]
    if not given:
        return "perhaps"
    values = [one for value in given for one in (value if isinstance(value, list) else [value])]
    found: list[Covers] = [_value(limit, one, inside) for one in values]
    if "perhaps" in found or len(set(found)) != 1:
        return "perhaps"
    return found[0]


def _has(spec: object, limit: Limit) -> bool:
    default = getattr(spec, "default", ())
    return limit.role in default


def _value(limit: Limit, value: JSON, inside: Inside) -> Covers:
    if limit.bounds:
        if isinstance(value, bool) or not isinstance(value, (int, float)):
            return "perhaps"
        return "surely" if limit.admits(value) else "not"
    if not isinstance(value, str):
        return "surely" if value in limit.among else "perhaps"
    if limit.within:
        found = any(inside(value, one) for one in limit.within)
        near = any(inside(one, value) for one in limit.within)
        return "surely" if found else "perhaps" if near or limit.role not in PATH_ROLES else "not"
    if limit.domains:
        return _host(limit, value)
    names = limit.among or limit.emails or limit.like
    if any(fnmatchcase(value, str(one)) for one in names):
        return "surely"
    plain = all(one.isalnum() or one in "@-_/ " for one in value.replace(".", "") if one != ".")
    similar = any(fnmatchcase(value.lower(), f"*{str(one).lower().lstrip('*')}*") for one in names)
    return "perhaps" if similar or not plain else "not"


def _host(limit: Limit, value: str) -> Covers:
    host = urlsplit(value).hostname or ""
    exact = any(host == one or (one.startswith("*.") and f".{host}".endswith(one[1:])) for one in limit.domains)
    below = any(f".{host}".endswith(f".{one.removeprefix('*.')}") for one in limit.domains)
    return "surely" if exact else "perhaps" if below or not host else "not"
