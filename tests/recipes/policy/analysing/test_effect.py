"""What a change of rules does to scenarios decides whether it is kept."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from retouch.recipes.policy import Rule, Scenario, ToolCall, When
from retouch.recipes.policy.analysing.effect import judge_change

if TYPE_CHECKING:
    from retouch.recipes.policy import Policy


def test_a_change_is_kept_only_when_it_fixes_something_and_breaks_nothing(policy: Policy):
    write = Scenario(
        request=ToolCall(server="filesystem", tool="write_file", arguments={"path": "/srv/x"}), expected="escalate"
    )
    read = Scenario(
        request=ToolCall(server="filesystem", tool="read_file", arguments={"path": "~/Documents/a"}), expected="allow"
    )
    escalate = Rule(name="ask-writes", when=When(roles=("write-path",)), then="escalate")
    good = replace(policy, rules=(*policy.rules, escalate))
    bad = replace(policy, rules=(replace(escalate, when=When(roles=("write-path", "read-path"))), *policy.rules))
    dead = replace(good, rules=(*good.rules, replace(escalate, name="again")))
    assert judge_change(policy, good, [write, read]).accepted
    assert not judge_change(policy, policy, [write, read]).accepted
    assert (read.id,) == judge_change(policy, bad, [write, read]).broken
    assert ("again",) == judge_change(policy, dead, [write, read]).newly_dead
    assert not judge_change(policy, bad, [write, read]).accepted
    assert not judge_change(policy, dead, [write, read]).accepted
