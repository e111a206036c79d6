"""Representative calls: for each tool, one per combination of the kinds of its arguments."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import islice, product
from math import prod
from typing import TYPE_CHECKING

from retouch.recipes.policy.analysing.spaces import ArgumentSpace, argument_space
from retouch.recipes.policy.analysing.states import StateSpace
from retouch.recipes.policy.deciding.prepared import prepared
from retouch.recipes.policy.language.values import ToolCall
from retouch.recipes.policy.scenarios.scenario import canonical_request

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from retouch._lib.json_text import JSON
    from retouch.recipes.policy.analysing.spaces import Key
    from retouch.recipes.policy.deciding.prepared import Prepared
    from retouch.recipes.policy.language.policy import Policy
    from retouch.recipes.policy.language.values import Tool

MAX_CALLS_PER_TOOL = 20_000


@dataclass(frozen=True, kw_only=True, eq=False)
class ToolSpace:
    """The regions of one tool. `arguments` are those that the policy's conditions use, in the tool's order."""

    tool: Tool
    arguments: tuple[ArgumentSpace, ...]
    states: StateSpace

    @property
    def size(self) -> int:
        """The number of regions, or more if earlier calls matter."""
        open_choices = (len(one.choices) - len(one.decisive) for one in self.arguments)
        return prod(open_choices) * self.states.most + sum(len(one.decisive) for one in self.arguments)

    def calls(self) -> Iterator[ToolCall]:
        """Yield one call per region, at most `MAX_CALLS_PER_TOOL`. Regions decided by one argument come first."""
        return islice(self._calls(), MAX_CALLS_PER_TOOL)

    def _calls(self) -> Iterator[ToolCall]:
        for one in self.arguments:
            yield from (self._call({one.name: value}) for key, value in one.choices if key in one.decisive)
        names = [one.name for one in self.arguments]
        options = [[value for key, value in one.choices if key not in one.decisive] for one in self.arguments]
        for chosen in product(*options):
            yield from self.states.calls(self._call(dict(zip(names, chosen, strict=True))))

    def _call(self, values: Mapping[str, JSON]) -> ToolCall:
        given: dict[str, JSON] = {name: value for name, value in values.items() if value is not None}
        return ToolCall(server=self.tool.server, tool=self.tool.name, arguments=given)

    def region_of(self, request: ToolCall) -> tuple[Key, ...] | None:
        """Return the region of a call. None if an argument has several values or is unknown to the tool."""
        if not self.tool.args.keys() >= request.arguments.keys():
            return None
        keys: list[Key] = []
        for one in self.arguments:
            key = one.key_of(request.arguments.get(one.name))
            if key is None:
                return None
            if key in one.decisive:
                return (key,)
            keys.append(key)
        return (*keys, *self.states.key_of(request))


def tool_space(tool: Tool, policies: Sequence[Prepared]) -> ToolSpace:
    """Return the regions of a tool. With several policies, calls of one region are alike for each of them."""
    discriminators = {mode.condition.arg for spec in tool.args.values() for mode in spec.modes}
    names = (*tool.args, *sorted(discriminators - set(tool.args)))
    spaces = (argument_space(name, tool, policies) for name in names)
    states = StateSpace(tool, policies)
    return ToolSpace(tool=tool, arguments=tuple(one for one in spaces if len(one.choices) > 1), states=states)


def tool_spaces(policy: Policy, *, disk: bool = True) -> tuple[ToolSpace, ...]:
    """Return the regions of every tool of a policy."""
    ready = prepared(policy, disk=disk)
    return tuple(tool_space(tool, [ready]) for tool in policy.tools.values())


def by_size(request: ToolCall) -> tuple[int, int, str]:
    """Return a sort key that puts the smallest call first: by the number of arguments, then by length."""
    text = canonical_request(request)
    return len(request.arguments), len(text), text
