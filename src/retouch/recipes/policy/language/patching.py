"""Applies a list of operations to a list of rules. Either all operations are applied, or none."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

from retouch.errors import BadInput

if TYPE_CHECKING:
    from collections.abc import Sequence

    from retouch.recipes.policy.language.values import Rule


@dataclass(frozen=True, kw_only=True)
class UpdateRule:
    """Replace the rule of the same name by `rule`."""

    rule: Rule


@dataclass(frozen=True, kw_only=True)
class AddRule:
    """Insert `rule` after the rule `after`, or at the start."""

    rule: Rule
    after: str | None = None


@dataclass(frozen=True, kw_only=True)
class DeleteRule:
    """Remove the rule `name`."""

    name: str


@dataclass(frozen=True, kw_only=True)
class MoveRule:
    """Move the rule `name` after the rule `after`, or to the start."""

    name: str
    after: str | None = None


PatchOp: TypeAlias = UpdateRule | AddRule | DeleteRule | MoveRule


def apply_patch(rules: Sequence[Rule], operations: Sequence[PatchOp]) -> tuple[Rule, ...]:
    """Return the rules after applying all operations in order.

    Raises:
        BadInput: an operation names a rule that does not exist at that point, or adds an existing name. Nothing is
            applied.
    """
    found = list(rules)
    for number, operation in enumerate(operations, start=1):
        _apply(found, operation, f"operation {number} ({type(operation).__name__})")
    return tuple(found)


def _apply(rules: list[Rule], operation: PatchOp, what: str) -> None:
    if isinstance(operation, UpdateRule):
        rules[_place(rules, operation.rule.name, what)] = operation.rule
    elif isinstance(operation, DeleteRule):
        del rules[_place(rules, operation.name, what)]
    elif isinstance(operation, AddRule):
        if any(rule.name == operation.rule.name for rule in rules):
            hint = "Update that rule, or use another name."
            raise BadInput(f"{what}: the rule {operation.rule.name!r} already exists", hint=hint)
        rules.insert(_behind(rules, operation.after, what), operation.rule)
    else:
        moved = rules.pop(_place(rules, operation.name, what))
        rules.insert(_behind(rules, operation.after, what), moved)


def _place(rules: Sequence[Rule], name: str, what: str) -> int:
    names = [rule.name for rule in rules]
    if name not in names:
        raise BadInput(f"{what}: no rule {name!r}", hint=f"The rules are: {', '.join(names) or 'none'}.")
    return names.index(name)


def _behind(rules: Sequence[Rule], after: str | None, what: str) -> int:
    return 0 if after is None else _place(rules, after, what) + 1
