"""A seeded sample of the fuzzer; `make fuzz-policy` runs many more cases."""

from __future__ import annotations

from random import Random
from typing import TYPE_CHECKING

import pytest

from retouch.recipes.policy.deciding import structure
from tests.recipes.policy.fuzzing import findings, tree

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def root(tmp_path: Path) -> Path:
    tree(tmp_path)
    return tmp_path.resolve()


@pytest.mark.slow
@pytest.mark.parametrize("seed", [1, 2, 3])
def test_no_reader_reaches_what_is_not_allowed(root: Path, seed: int):
    assert [] == list(findings(Random(seed), 1_500, root))


def test_the_fuzzer_finds_what_it_looks_for(root: Path, monkeypatch: pytest.MonkeyPatch):
    """With the comparison of readers switched off there must be findings: the fuzzer can fail."""
    for name in ("why_url_is_ambiguous", "why_remote_is_ambiguous", "why_path_is_ambiguous"):
        monkeypatch.setattr(structure, name, _no_doubt)
    left = {"fetch", "read"}
    for one in findings(Random(1), 4_000, root):
        left.discard(one.kind)
        if not left:
            break
    assert set() == left


def _no_doubt(_text: str) -> None:
    """Find nothing wrong with any text."""
