"""Policy files that meant less than they said, and work that grew with the square of its input."""

from __future__ import annotations

import json
import sys
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

from retouch.errors import BadInput
from retouch.recipes.policy import Policy
from tests.trust.policies import EVERYWHERE, HOME, NEVER, TOOLS, decided, made, rule, within

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.parametrize(
    ("key", "value"),
    [("protectedPath", ["~/.ssh"]), ("sandbox", "/x"), ("deny", []), ("protected_paths", ["~/.ssh"]), ("Rules", [])],
)
def test_a_policy_file_with_an_unknown_key_is_refused(key: str, value: Any):
    with pytest.raises(BadInput, match=key):
        made(EVERYWHERE, **{key: value})


def test_a_list_with_an_unknown_key_is_refused():
    with pytest.raises(BadInput, match="manualRemoval"):
        made(dynamicLists={"news": {"values": ["a.example"], "manualRemoval": ["a.example"]}})


def test_notes_of_the_author_are_no_unknown_keys():
    assert made(EVERYWHERE, **{"x-owner": "ada", "$schema": "policy", "description": "mine"}).rules


def test_a_verified_policy_that_was_changed_is_not_verified(tmp_path: Path):
    stored = replace(made(NEVER, EVERYWHERE), verified=True).as_json()
    file = tmp_path / "policy.json"
    file.write_text(json.dumps(stored, indent=7))
    assert Policy.load(file).verified
    for change in ({"rules": [EVERYWHERE]}, {"home": "/"}, {"protectedPaths": ["~/x"]}, {"verifiedHash": None}):
        file.write_text(json.dumps({key: one for key, one in {**stored, **change}.items() if one is not None}))
        read = Policy.load(file)
        assert not read.verified
        assert "verified" in read.doubts[0]


def test_a_file_of_our_own_that_names_no_semantics_is_refused():
    keys: list[dict[str, Any]] = [
        {"servers": {}},
        {"workingDirectory": "/x"},
        {"verified": True},
        {"engineVersion": "2"},
    ]
    for own in keys:
        with pytest.raises(BadInput, match="semantics"):
            Policy.of_json({"home": HOME, "rules": [], "annotations": TOOLS, **own})


def test_a_file_of_the_public_engine_says_that_it_names_no_semantics():
    policy = Policy.of_json({"home": HOME, "rules": [], "annotations": TOOLS})
    assert (1, 1) == (policy.semantics, len(policy.doubts))


def test_the_work_for_many_paths_grows_with_their_number():
    """Counted, not timed: how often a value is compared must not grow with the square of their number."""
    compared = {count: _comparisons(count) for count in (200, 800)}
    assert compared[800] < 5 * compared[200]


def _comparisons(count: int) -> int:
    steps = 0

    def counted(*_: Any) -> None:
        nonlocal steps
        steps += 1

    policy = made(rule("a", "allow", paths=within("~/a")), rule("b", "escalate", paths=within("~/b")))
    paths = [f"/home/ada/{'ab'[number % 2]}/{number}" for number in range(count)]
    sys.setprofile(counted)
    try:
        assert "escalate" == decided(policy, "filesystem/read_files", paths=paths)
    finally:
        sys.setprofile(None)
    return steps
