"""Issues as plain data, as rows and files hold them."""

from __future__ import annotations

from dataclasses import asdict, fields
from typing import TYPE_CHECKING, Any

from retouch.engine.types import Issue, Tier

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from retouch._lib.json_text import JSON

_KEYS = frozenset(one.name for one in fields(Issue))


def issue_to_json(issue: Issue) -> dict[str, JSON]:
    """Return `issue` as plain data, with its tier as a number."""
    return {**asdict(issue), "tier": int(issue.tier), "detail": dict(issue.detail)}


def issues_to_json(issues: Sequence[Issue]) -> list[JSON]:
    """Return `issues` as plain data."""
    return [issue_to_json(issue) for issue in issues]


def issues_from(data: Sequence[Mapping[str, Any]]) -> tuple[Issue, ...]:
    """Return the issues that `issues_to_json` wrote; keys of later versions are left out."""
    return tuple(_issue(one) for one in data)


def _issue(data: Mapping[str, Any]) -> Issue:
    known: dict[str, Any] = {key: value for key, value in data.items() if key in _KEYS}
    known["tier"] = Tier(data["tier"])
    return Issue(**known)
