"""Parsed sentences of controlled English as values, independent of any tools."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from retouch.recipes.policy.language.values import Limit

Mood: TypeAlias = Literal["allow", "ask", "never"]
Deed: TypeAlias = Literal["read", "write", "delete"]
Noun: TypeAlias = Literal["files", "repositories", "anything"]
GitVerb: TypeAlias = Literal["push", "pull", "clone", "commit"]


@dataclass(frozen=True, kw_only=True)
class Place:
    """A place: inside one of `folders`, or outside the sandbox. If neither is set it is anywhere."""

    folders: tuple[str, ...] = ()
    outside_sandbox: bool = False


ANYWHERE = Place()


@dataclass(frozen=True, kw_only=True)
class Members:
    """Members: values of `role`, as patterns, names or `@list`."""

    role: str
    kind: Literal["domains", "emails", "identifiers"]
    names: tuple[str, ...]


@dataclass(frozen=True, kw_only=True)
class PathAction:
    """Reading, writing or deleting things with a path. `apart`: tools that another sentence is about."""

    deeds: tuple[Deed, ...]
    noun: Noun
    place: Place = ANYWHERE
    apart: frozenset[tuple[str, str]] = frozenset()


@dataclass(frozen=True, kw_only=True)
class FetchAction:
    """Fetching pages. All sites if `sites` is None."""

    sites: Members | None = None


@dataclass(frozen=True, kw_only=True)
class GitAction:
    """Using git. All remotes if `remotes` is None. `place` is the location of a commit."""

    verb: GitVerb
    remotes: Members | None = None
    place: Place = ANYWHERE


@dataclass(frozen=True, kw_only=True)
class UseAction:
    """Using tools of a server by name, all tools if `tools` is None. `members` limits it to calls about these."""

    server: str
    tools: tuple[str, ...] | None = None
    members: Members | None = None
    place: Place = ANYWHERE


@dataclass(frozen=True, kw_only=True)
class ToolPart:
    """One tool that an ordinary sentence applies to, with the tests of `where` and `unless` for its calls."""

    server: str
    tool: str
    where: tuple[Limit, ...] = ()
    unless: tuple[Limit, ...] = ()


@dataclass(frozen=True, kw_only=True)
class Meaning:
    """What a sentence means: parts by mood. `excepted` are exceptions of permissions."""

    allow: frozenset[ToolPart] = frozenset()
    ask: frozenset[ToolPart] = frozenset()
    never: frozenset[ToolPart] = frozenset()
    excepted: frozenset[ToolPart] = frozenset()

    @property
    def parts(self) -> frozenset[ToolPart]:
        """The parts of all moods."""
        return self.allow | self.ask | self.never | self.excepted

    def with_restrictions(self, changed: Callable[[frozenset[ToolPart]], frozenset[ToolPart]]) -> Meaning:
        """Return the meaning with other restrictions: what is forbidden, asked about and excepted, each changed."""
        never, ask, excepted = map(changed, (self.never, self.ask, self.excepted))
        return Meaning(allow=self.allow, ask=ask, never=never, excepted=excepted)

    def with_added(self, added: Callable[[frozenset[ToolPart]], Iterable[ToolPart]]) -> Meaning:
        """Return the meaning with the restrictions that a function adds to each of its three sets of parts."""
        return self.with_restrictions(lambda parts: parts.union(added(parts)))

    def __or__(self, other: Meaning) -> Meaning:
        return Meaning(
            allow=self.allow | other.allow,
            ask=self.ask | other.ask,
            never=self.never | other.never,
            excepted=self.excepted | other.excepted,
        )


@dataclass(frozen=True, kw_only=True)
class CallAction:
    """Calling some tools: what an ordinary sentence means for the tools at hand."""

    parts: tuple[ToolPart, ...]

    @property
    def place(self) -> Place:
        """Anywhere: the tests of the parts say where."""
        return ANYWHERE


Action: TypeAlias = PathAction | FetchAction | GitAction | UseAction | CallAction


@dataclass(frozen=True, kw_only=True)
class Sentence:
    """One sentence. `quote` is its text. `residual`: it covers everything that no other sentence allows.

    `excepted`: it is the exception of a permission. A question about the very same calls comes first.
    """

    number: int
    line: int
    quote: str
    mood: Mood
    action: Action
    residual: bool = False
    excepted: bool = False

    @property
    def place(self) -> Place:
        """The place that the sentence applies to."""
        return ANYWHERE if isinstance(self.action, FetchAction) else self.action.place

    @property
    def members(self) -> Members | None:
        """The hosts, owners or addresses that the sentence is limited to. None if it is not limited."""
        if isinstance(self.action, FetchAction):
            return self.action.sites
        if isinstance(self.action, GitAction):
            return self.action.remotes
        return self.action.members if isinstance(self.action, UseAction) else None
