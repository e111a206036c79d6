"""A seeded sample of the comparison with other programs; `make fuzz-readers` runs many more cases."""

from __future__ import annotations

from random import Random
from typing import TYPE_CHECKING

import pytest

from retouch.recipes.policy.deciding import facts, structure
from tests.recipes.policy.differential import by_curl, by_git, by_node, findings, readers_missing, recording
from tests.recipes.policy.fuzzing import tree

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.skipif(bool(readers_missing()), reason=f"absent: {', '.join(readers_missing())}")


@pytest.fixture
def root(tmp_path: Path) -> Path:
    tree(tmp_path)
    return tmp_path.resolve()


def test_no_program_reaches_what_is_not_allowed(root: Path):
    assert [] == list(findings(Random(2), 40, root))


def test_the_comparison_finds_what_it_looks_for(root: Path, monkeypatch: pytest.MonkeyPatch):
    """Without the comparison of readers, and of patterns with links, there must be findings."""
    monkeypatch.setattr(structure, "why_url_is_ambiguous", _no_doubt)
    monkeypatch.setattr(facts, "has_wildcard", _no_doubt)
    assert {"bash", "urllib"} <= {one.reader for one in findings(Random(2), 100, root)}


def test_curl_git_and_node_tell_the_host_that_they_want(tmp_path: Path):
    text = "http://good.example@evil.example:81/x"
    with recording() as (proxy, seen):
        assert ["evil.example"] == by_curl([text], proxy, seen)
        assert ["evil.example"] == by_git([text], proxy, seen, tmp_path)
        assert ["evil.example"] == by_git(["git@evil.example:a/b"], proxy, seen, tmp_path)
    assert ["evil.example", "127.0.0.1"] == by_node("/", [("url", text), ("url", "http://0x7f.1/")])


def _no_doubt(_text: str) -> None:
    """Find nothing wrong with any text."""
