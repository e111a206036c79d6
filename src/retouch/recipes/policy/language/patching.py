"""Changes to a list of rules: ordered operations, all or none."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

from retouch.errors import BadInput

if TYPE_CHECKING:
    from collections.abc import Sequence

    from retouch.recipes.policy.language.values import Rule


@dataclass(frozen=True, kw_only=True)
class UpdateRule:
    """Put `rule` where the rule of the same name stands."""

    rule: Rule


@dataclass(frozen=True, kw_only=True)
class AddRule:
    """Put `rule` behind the rule called `after`, or first."""

    rule: Rule
    after: str | None = None


@dataclass(frozen=True, kw_only=True)
class DeleteRule:
    """Take the rule called `name` out."""

    name: str


@dataclass(frozen=True, kw_only=True)
class MoveRule:
    """Put the rule called `name` behind the one called `after`, or first."""

    name: str
    after: str | None = None


PatchOp: TypeAlias = UpdateRule | AddRule | DeleteRule | MoveRule


def apply_patch(rules: Sequence[Rule], operations: Sequence[PatchOp]) -> tuple[Rule, ...]:
    """Return the rules after all operations, one applied after the other.

    Raises:
        BadInput: an operation names a rule that is not there then, or adds a name that is; nothing is applied.
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
            hint = "Update that rule, or give the new one another name."
            raise BadInput(f"{what}: there is a rule {operation.rule.name!r} already", hint=hint)
        rules.insert(_behind(rules, operation.after, what), operation.rule)
    else:
        moved = rules.pop(_place(rules, operation.name, what))
        rules.insert(_behind(rules, operation.after, what), moved)


def _place(rules: Sequence[Rule], name: str, what: str) -> int:
    names = [rule.name for rule in rules]
    if name not in names:
        raise BadInput(f"{what}: no rule {name!r}", hint=f"There are {', '.join(names) or 'none'}.")
    return names.index(name)


def _behind(rules: Sequence[Rule], after: str | None, what: str) -> int:
    return 0 if after is None else _place(rules, after, what) + 1
