"""A small policy of our own, and short words for calls."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from retouch.recipes.policy import Decision, Policy, evaluate

FIXTURES = Path(__file__).parent / "fixtures"

Make = Callable[..., Policy]
Decide = Callable[..., Decision]
Json = dict[str, Any]


def fixture_json() -> Json:
    return json.loads((FIXTURES / "policy.json").read_text(encoding="utf-8"))


@pytest.fixture
def fixtures() -> Path:
    """The folder of the small policy and its scenarios."""
    return FIXTURES


@pytest.fixture
def make(tmp_path: Path) -> Make:
    """Return the small policy with some keys of its file changed; `None` takes a key out."""

    def made(**changes: Any) -> Policy:
        value = {key: one for key, one in (fixture_json() | changes).items() if one is not None}
        path = tmp_path / "made.json"
        path.write_text(json.dumps(value), encoding="utf-8")
        return Policy.load(path)

    return made


@pytest.fixture(scope="session")
def policy() -> Policy:
    """The small policy by the semantics of the public engine."""
    return Policy.load(FIXTURES)


@pytest.fixture
def strict(make: Make) -> Policy:
    """The small policy by strict semantics."""
    return make(semantics=2)


@pytest.fixture(scope="session")
def decide() -> Decide:
    """Decide about `server/tool` with arguments."""

    def decided(policy: Policy, tool: str, arguments: Mapping[str, Any] | None = None, **more: Any) -> Decision:
        server, _, name = tool.partition("/")
        request: Json = {"serverName": server, "toolName": name, "arguments": {**(arguments or {}), **more}}
        return evaluate(policy, request)

    return decided
