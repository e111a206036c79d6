"""A stricter copy of a policy that Cedar can express: what it cannot express, it denies."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from retouch.recipes.policy.cedar.call_tests import why_test_is_unsayable
from retouch.recipes.policy.cedar.writing import unsayable_rules

if TYPE_CHECKING:
    from retouch.recipes.policy.language.policy import Policy
    from retouch.recipes.policy.language.values import Rule


def stricter_copy(policy: Policy) -> tuple[Policy, tuple[str, ...]]:
    """Return a policy that allows no call that `policy` does not allow, and one sentence for each changed rule.

    A permission that Cedar cannot express is left out. Any other such rule denies, without the tests that cannot be
    expressed, so that it denies more calls.
    """
    rules: list[Rule] = []
    changes: list[str] = []
    whys = unsayable_rules(policy)
    for rule in policy.rules:
        why = whys.get(rule.name)
        if why is None:
            rules.append(rule)
        elif rule.then == "allow":
            changes.append(f"rule {rule.name!r} is left out, so that it allows nothing: {why}")
        else:
            rules.append(_broader(rule))
            changes.append(f"rule {rule.name!r} denies more calls, without what it tests: {why}")
    return replace(policy, rules=tuple(rules), verified=False), tuple(changes)


def _broader(rule: Rule) -> Rule:
    where = tuple(one for one in rule.when.where if why_test_is_unsayable(one) is None)
    return replace(rule, then="deny", when=replace(rule.when, where=where, unless=(), lists=None))
