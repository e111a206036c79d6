"""Patches of rules: ordered, all or none, and kept only when they make things better."""

from __future__ import annotations

from dataclasses import replace

import pytest

from retouch.errors import BadInput
from retouch.recipes.policy import Rule, When
from retouch.recipes.policy.language.patching import (
    AddRule,
    DeleteRule,
    MoveRule,
    PatchOp,
    UpdateRule,
    apply_patch,
)

A, B, C = (Rule(name=name, when=When(server=("fetch",)), then="allow") for name in "abc")


def names(operations: list[PatchOp]) -> str:
    return "".join(rule.name for rule in apply_patch([A, B], operations))


def test_operations_are_applied_one_after_the_other():
    assert "cab" == names([AddRule(rule=C)])
    assert "acb" == names([AddRule(rule=C, after="a")])
    assert "b" == names([DeleteRule(name="a")])
    assert "ba" == names([MoveRule(name="a", after="b")])
    assert "ba" == names([MoveRule(name="b")])
    assert "bca" == names([AddRule(rule=C, after="b"), MoveRule(name="a", after="c")])
    assert "ba" == names([DeleteRule(name="a"), AddRule(rule=A, after="b")])
    strict = replace(A, then="deny")
    assert (strict, B) == apply_patch([A, B], [UpdateRule(rule=strict)])


@pytest.mark.parametrize(
    ("operation", "words"),
    [
        (UpdateRule(rule=C), r"operation 2 \(UpdateRule\): no rule 'c'"),
        (DeleteRule(name="c"), "no rule 'c'"),
        (MoveRule(name="c"), "no rule 'c'"),
        (MoveRule(name="b", after="b"), "no rule 'b'"),
        (AddRule(rule=C, after="x"), "no rule 'x'"),
        (AddRule(rule=B), "the rule 'b' already exists"),
    ],
)
def test_an_operation_that_cannot_be_applied_fails_the_whole_patch(operation: PatchOp, words: str):
    rules = [A, B]
    with pytest.raises(BadInput, match=words):
        apply_patch(rules, [DeleteRule(name="a"), operation])
    assert [A, B] == rules
