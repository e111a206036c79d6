"""The earlier calls that tests of what was called before distinguish: one history of each kind, as short as possible.

A history is as good as any other one with the same answers. The answers of a history are those of its calls together.
Therefore it is enough to look at single earlier calls of every kind, and to combine those with different answers.
"""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from itertools import product
from typing import TYPE_CHECKING, TypeAlias

from retouch.recipes.policy.analysing.spaces import FRESH, argument_space
from retouch.recipes.policy.deciding.evaluation import facts_of
from retouch.recipes.policy.deciding.prepared import Prepared
from retouch.recipes.policy.language.values import PERIOD_S, CallState, EarlierCall, Rule, ToolCall, When

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence

    from retouch._lib.json_text import JSON
    from retouch.recipes.policy.deciding.limits import ReadyLimit
    from retouch.recipes.policy.deciding.matching import ReadyRule
    from retouch.recipes.policy.language.values import EarlierTools, Tool

Answers: TypeAlias = "tuple[bool, ...]"
StateTest: TypeAlias = "tuple[Prepared, ReadyRule, ReadyLimit]"
History: TypeAlias = "tuple[EarlierCall, ...]"
Made: TypeAlias = "tuple[tuple[ToolCall, int], ...]"
_SOME_TIME = datetime(2024, 1, 8, tzinfo=UTC)


class Histories:
    """The histories that some tests of what was called before distinguish, for calls of one tool.

    `ages_s` has one age of a call for each combination of their periods, in seconds. `counted` are the periods in which
    earlier calls are counted too, with the argument that they have the same value of, or "": histories with and
    without a call in these are told apart, and those of a call without the value, which may be any.
    """

    def __init__(self, tool: Tool, tests: Sequence[StateTest], *, counted: Collection[tuple[int, str]] = ()) -> None:
        self._tool = tool
        self._tests = [(ready, test, test.limit.after) for ready, _, test in tests if test.limit.after is not None]
        self._own = tuple(dict.fromkeys(own for _, _, after in self._tests for own, _ in after.same))
        self._counted = sorted(counted)
        periods = {period for period, _ in counted}
        spans = sorted({*periods, *(PERIOD_S[one.limit.per] for _, one, _ in self._tests if one.limit.per is not None)})
        self.ages_s = (1, *(one + 1 for one in spans))
        self._choices = {earlier: self._choices_of(earlier) for earlier in self._tools()}
        self._known: dict[str, list[Made]] = {}

    @property
    def most(self) -> int:
        """The number of histories of a call with known values."""
        arguments: dict[str, JSON] = dict.fromkeys(self._own, FRESH)
        sample = ToolCall(server=self._tool.server, tool=self._tool.name, arguments=arguments)
        return len(self._kinds(sample)) if self._tests else 1

    @property
    def own_arguments(self) -> tuple[str, ...]:
        """The arguments of a call that must have the same value in an earlier call."""
        return self._own

    def of(self, call: ToolCall, at: datetime) -> list[History]:
        """Return one history of each kind for a call at some time. The first one has no earlier call."""
        if not self._tests:
            return [()]
        return [
            tuple(EarlierCall(call=one, at=at - timedelta(seconds=age_s)) for one, age_s in made)
            for made in self._kinds(call)
        ]

    def _tools(self) -> Iterator[str]:
        names = dict.fromkeys(name for _, _, after in self._tests for name in after.tools)
        return (name for name in names if self._earlier_tool(name) is not None)

    def _earlier_tool(self, name: str) -> Tool | None:
        found = (ready.policy.tools.get((self._tool.server, name)) for ready, _, _ in self._tests)
        return next((one for one in found if one is not None), None)

    def _choices_of(self, name: str) -> dict[str, list[JSON]]:
        """Return values of every kind that the tests of an earlier tool distinguish, for each argument."""
        tool = self._earlier_tool(name)
        policies = [
            _asking(ready, self._tool.server, name, [one for other, _, one in self._tests if other is ready])
            for ready in dict.fromkeys(ready for ready, _, _ in self._tests)
        ]
        if tool is None:
            return {}
        spaces = {arg: argument_space(arg, tool, policies) for arg in self._args_asked(tool)}
        return {arg: [value for _, value in spaces[arg].choices] if arg in spaces else [None] for arg in tool.args}

    def _args_asked(self, tool: Tool) -> set[str]:
        """Return the arguments of an earlier tool that the tests ask about, and those that these depend on."""
        afters = [after for _, _, after in self._tests if tool.name in after.tools]
        tests = [one for after in afters for one in after.where]
        roles = {one.role for one in tests}
        found = {other for after in afters for _, other in after.same} | {one.arg for one in tests if one.arg}
        found |= {arg for arg, spec in tool.args.items() if not roles.isdisjoint(spec.all_roles)}
        modes = {mode.condition.arg for spec in tool.args.values() for mode in spec.modes}
        return found | modes if any(tool.args[arg].modes for arg in found if arg in tool.args) else found

    def _kinds(self, call: ToolCall) -> list[Made]:
        """Return the earlier calls of each history, with their ages in seconds."""
        key = json.dumps([call.arguments.get(one) for one in self._own])
        found = self._known.get(key)
        if found is None:
            found = self._known[key] = self._combined(call)
        return found

    def _combined(self, call: ToolCall) -> list[Made]:
        single: dict[Answers, tuple[ToolCall, int]] = {}
        for one in sorted(self._candidates(call), key=lambda each: len(each.arguments)):
            for age_s in self.ages_s:
                single.setdefault(self._answers(call, one, age_s), (one, age_s))
        none: Answers = tuple(False for _ in range(2 * len(self._tests) + 2 * len(self._counted)))
        counts = 2 * len(self._counted)
        few = sorted(single.items(), key=lambda one: sum(one[0][:counts]))  # those that add least to the totals first
        histories: dict[Answers, Made] = {none: ()}
        waiting = [none]
        while waiting:
            before = waiting.pop(0)
            for answers, made in few:
                together = tuple(one or other for one, other in zip(before, answers, strict=True))
                if together not in histories:
                    histories[together] = (*histories[before], made)
                    waiting.append(together)
        return list(histories.values())

    def _candidates(self, call: ToolCall) -> Iterator[ToolCall]:
        for name, choices in self._choices.items():
            options: list[list[JSON]] = []
            same = {other for _, _, after in self._tests for _, other in after.same}
            for arg, values in choices.items():
                owns = {own for _, _, after in self._tests for own, other in after.same if other == arg}
                own_values = [call.arguments.get(own) for own in sorted(owns)]
                more = [*values, *own_values] if owns else []
                options.append(_distinct([*values, *own_values, *map(other_value, more)]))
            for chosen in product(*options):
                given = {arg: value for arg, value in zip(choices, chosen, strict=True) if value is not None}
                asked = {arg for arg, values in choices.items() if values != [None]} | same
                kept = {arg: value for arg, value in call.arguments.items() if name == call.tool and arg not in asked}
                yield ToolCall(server=call.server, tool=name, arguments={**kept, **given})

    def _answers(self, call: ToolCall, earlier: ToolCall, age_s: int) -> Answers:
        at = _SOME_TIME
        state = CallState(at=at, earlier=(EarlierCall(call=earlier, at=at - timedelta(seconds=age_s)),))
        found = [age_s < period for period, _ in self._counted]
        found += [age_s < period and bool(same) and same not in earlier.arguments for period, same in self._counted]
        for ready, test, after in self._tests:
            facts = facts_of(ready, replace(call, state=state), self._tool)
            found += facts.called_before(test, after)
        return tuple(found)


def _asking(ready: Prepared, server: str, name: str, afters: Sequence[EarlierTools]) -> Prepared:
    """Return a policy that tests calls of a tool as some tests test earlier calls."""
    whens = [When(server=(server,), tool=(name,), where=one.where) for one in afters if name in one.tools]
    rules = tuple(Rule(name=str(number), when=when, then="deny") for number, when in enumerate(whens))
    bare = replace(ready.policy, rules=rules, servers={}, protected_paths=(), allowed_directory=None)
    return Prepared(bare, disk=ready.disk)


def other_value(value: JSON) -> JSON:
    """Return another value of the same type, if it is a text or a number."""
    if isinstance(value, str):
        return value.replace("://", "://other.", 1) if "://" in value else _other_text(value)
    return value + 1 if isinstance(value, (int, float)) and not isinstance(value, bool) else value


def _other_text(value: str) -> str:
    return f"{value}-other" if value.startswith(("/", "~")) else f"other-{value}"


def _distinct(values: Sequence[JSON]) -> list[JSON]:
    return list({json.dumps(one, sort_keys=True): one for one in values}.values())
