"""What a read sentence restricts: its parts and tests, the tools that they are for, and the tools that are left."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from retouch.recipes.policy.english.tools.known_tools import KnownTool
    from retouch.recipes.policy.english.words.sentences import Meaning, ToolPart
    from retouch.recipes.policy.language.values import Limit


@dataclass(frozen=True, kw_only=True, eq=False)
class Restriction:
    """A sentence in lower case with its meaning, and the tools of the servers that it restricts."""

    text: str
    meaning: Meaning
    tools: tuple[KnownTool, ...]

    @cached_property
    def strict(self) -> tuple[ToolPart, ...]:
        """The parts that restrict."""
        return (*self.meaning.never, *self.meaning.ask, *self.meaning.excepted)

    @cached_property
    def limits(self) -> tuple[Limit, ...]:
        """The tests of what is restricted."""
        return tuple(limit for part in self.strict for limit in (*part.where, *part.unless))

    @cached_property
    def restricted(self) -> tuple[KnownTool, ...]:
        """The tools that are restricted, without those that run code."""
        keys = {(part.server, part.tool) for part in self.strict}
        return tuple(one for one in self.tools if one.key in keys and not one.code)

    @cached_property
    def left(self) -> tuple[KnownTool, ...]:
        """The tools beside them that change something and are neither restricted nor permitted."""
        keys = {(part.server, part.tool) for part in self.meaning.parts}
        return tuple(one for one in self.beside if one.key not in keys)

    @cached_property
    def beside(self) -> tuple[KnownTool, ...]:
        """The tools of their servers that change something, and run no code."""
        servers = {one.tool.server for one in self.restricted}
        return tuple(
            one for one in self.tools if one.tool.server in servers and not (one.reads or one.computes or one.code)
        )
