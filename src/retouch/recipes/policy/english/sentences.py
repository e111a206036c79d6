"""What sentences of controlled English say, as values; nothing here knows a tool."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

Mood: TypeAlias = Literal["allow", "ask", "never"]
Deed: TypeAlias = Literal["read", "write", "delete"]
Noun: TypeAlias = Literal["files", "repositories", "anything"]
GitVerb: TypeAlias = Literal["push", "pull", "clone", "commit"]


@dataclass(frozen=True, kw_only=True)
class Place:
    """Where: inside one of `folders`, or outside the sandbox. Neither is anywhere."""

    folders: tuple[str, ...] = ()
    outside_sandbox: bool = False


ANYWHERE = Place()


@dataclass(frozen=True, kw_only=True)
class Members:
    """Who or what: values of `role`, as patterns or names, `@list` among them."""

    role: str
    kind: Literal["domains", "emails", "identifiers"]
    names: tuple[str, ...]


@dataclass(frozen=True, kw_only=True)
class PathAction:
    """Reading, writing or deleting things that have a path."""

    deeds: tuple[Deed, ...]
    noun: Noun
    place: Place = ANYWHERE


@dataclass(frozen=True, kw_only=True)
class FetchAction:
    """Fetching pages, from everywhere when `sites` is None."""

    sites: Members | None = None


@dataclass(frozen=True, kw_only=True)
class GitAction:
    """Doing something with git: with any remote when `remotes` is None; `place` is where a commit is made."""

    verb: GitVerb
    remotes: Members | None = None
    place: Place = ANYWHERE


@dataclass(frozen=True, kw_only=True)
class UseAction:
    """Using tools of a server by name, all of them when `tools` is None; `members` narrows it to calls about them."""

    server: str
    tools: tuple[str, ...] | None = None
    members: Members | None = None
    place: Place = ANYWHERE


Action: TypeAlias = PathAction | FetchAction | GitAction | UseAction


@dataclass(frozen=True, kw_only=True)
class Sentence:
    """One sentence: `quote` as it stands in the text. `residual` says that it is about what no other one allows."""

    number: int
    line: int
    quote: str
    mood: Mood
    action: Action
    residual: bool = False

    @property
    def place(self) -> Place:
        """Where it holds."""
        return ANYWHERE if isinstance(self.action, FetchAction) else self.action.place

    @property
    def members(self) -> Members | None:
        """The hosts, owners or addresses that it is limited to, None when it is not."""
        if isinstance(self.action, FetchAction):
            return self.action.sites
        if isinstance(self.action, GitAction):
            return self.action.remotes
        return self.action.members if isinstance(self.action, UseAction) else None
