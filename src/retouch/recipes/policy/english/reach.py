"""Determines which tools and roles a sentence applies to: certainly, or possibly.

A permission covers only what the sentence certainly covers. Prohibitions and questions also cover possible meanings.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal, TypeAlias

from retouch.recipes.policy.analysing.execution import executes_code, name_words
from retouch.recipes.policy.english.tools.known_tools import known_tool
from retouch.recipes.policy.english.words.lexicon import word_set
from retouch.recipes.policy.english.words.sentences import (
    CallAction,
    FetchAction,
    GitAction,
    PathAction,
    Place,
    Sentence,
    UseAction,
)
from retouch.recipes.policy.resources.roles import PATH_ROLES, RESOURCE_ROLES

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping

    from retouch.recipes.policy.english.words.sentences import Deed, Members
    from retouch.recipes.policy.language.values import Tool

ServerKind: TypeAlias = Literal["files", "repositories", "web", "other"]
_HISTORY = frozenset({"write-history", "delete-history"})
_EFFECTS = _HISTORY | {"write-path", "delete-path", "git-remote-url"}
_TELLING = frozenset({"email-address", "email-body", "share-permission"})
_NARROW: Mapping[Deed, str] = {"read": "read-path", "write": "write-path", "delete": "delete-path"}
_HISTORY_OF: Mapping[Deed, str] = {"write": "write-history", "delete": "delete-history"}
_DELETING = word_set(
    "delete remove trash purge drop destroy erase wipe clear clean prune empty truncate flush discard expunge forget "
    "unlink uninstall rm rmdir"
)
_RUNNING = frozenset({"run", "execute", "exec", "shell", "command", "eval", "script", "invoke", "call"})
_SENDING = frozenset({"method", "verb", "body", "data", "json", "payload", "form", "files"})
_READING = frozenset(
    {"read", "get", "list", "search", "find", "view", "show", "status", "diff", "log", "info", "query", "fetch", "tree"}
)
_CHANGING = (
    _DELETING | _RUNNING | {"send", "post", "upload", "submit", "create", "write", "update", "set", "add", "share"}
)


@dataclass(frozen=True, kw_only=True)
class Reach:
    """The part of a tool that a sentence applies to: roles certainly (`surely`), roles possibly (`perhaps`), or all of
    it.

    `whole` is the whole call, whatever its roles: True for certainly, False for possibly, None for not. `companions`
    are roles that belong to the covered ones and need no sentence of their own.
    """

    surely: frozenset[str] = frozenset()
    perhaps: frozenset[str] = frozenset()
    whole: bool | None = None
    companions: frozenset[str] = frozenset()

    @property
    def roles(self) -> frozenset[str]:
        """All roles that are certainly or possibly covered."""
        return self.surely | self.perhaps


NOTHING = Reach()
Roles: TypeAlias = "Mapping[str, Collection[str]]"
NO_ROLES: Roles = {}


def kinds_of(tools: Iterable[Tool], *, roles: Roles = NO_ROLES) -> Mapping[str, ServerKind]:
    """Return the kind of each server, derived from the roles of its tools. `other` is a mixture.

    `roles` maps a server's name to all its roles, if `tools` are only some of its tools.
    """
    found: dict[str, set[str]] = {}
    for tool in tools:
        found.setdefault(tool.server, set(roles.get(tool.server, ()))).update(_roles_of_tool(tool, every=True))
    return {server: _kind(known) for server, known in found.items()}


def _kind(roles: set[str]) -> ServerKind:
    resources = roles & RESOURCE_ROLES
    if roles & _TELLING or not resources:
        return "other"
    if resources <= {"fetch-url"}:
        return "web"
    if resources <= PATH_ROLES - _HISTORY:
        return "files"
    return "repositories" if resources <= PATH_ROLES | {"git-remote-url"} else "other"


def reach(sentence: Sentence, tool: Tool, kind: ServerKind) -> Reach:
    """Return the part of a tool that a sentence applies to, on a server of this kind.

    A residual question ("anything else") covers only certain meanings, because it replaces a denial.
    """
    found = _reach(sentence, tool, kind)
    return replace(found, perhaps=frozenset(), whole=found.whole or None) if sentence.residual else found


def _reach(sentence: Sentence, tool: Tool, kind: ServerKind) -> Reach:
    action = sentence.action
    if isinstance(action, CallAction):
        meant = any((one.server, one.tool) == (tool.server, tool.name) for one in action.parts)
        return Reach(whole=True) if meant else NOTHING
    if isinstance(action, PathAction):
        return _path_reach(sentence, action, tool, kind)
    if isinstance(action, FetchAction):
        return _fetch_reach(sentence, action, tool, kind)
    if isinstance(action, GitAction):
        return _git_reach(sentence, action, tool, kind)
    return _use_reach(sentence, action, tool)


def _roles_of_tool(tool: Tool, *, every: bool = False) -> frozenset[str]:
    roles = frozenset(role for spec in tool.args.values() for role in spec.all_roles)
    return roles if every else roles & RESOURCE_ROLES


def _path_reach(sentence: Sentence, action: PathAction, tool: Tool, kind: ServerKind) -> Reach:
    ever = _roles_of_tool(tool)
    narrow = {_NARROW[deed] for deed in action.deeds}
    wide = narrow | {_HISTORY_OF[deed] for deed in action.deeds if deed in _HISTORY_OF}
    meant = (narrow if action.noun == "files" else wide) & ever
    if sentence.mood == "allow":
        kinds = {"files", "repositories"} if action.noun == "anything" else {action.noun}
        return Reach(surely=frozenset(meant)) if kind in kinds and _is_what_it_says(tool, ever) else NOTHING
    if sentence.mood == "ask":
        meant |= _coupled_roles(tool, meant)
    whole = False if _may_do(action, tool, ever) else None
    if executes_code(tool):
        if (tool.server, tool.name) in action.apart:
            return NOTHING
        whole = True  # code can do everything that is restricted, so the restriction is about every call
    return Reach(surely=frozenset(meant), perhaps=frozenset(wide & ever) - meant, whole=whole)


def _is_what_it_says(tool: Tool, ever: frozenset[str]) -> bool:
    """Return whether the roles describe the tool fully: if its name suggests changes, it needs a changing role."""
    return bool(ever & _EFFECTS) or not name_words(tool) & _CHANGING


def _coupled_roles(tool: Tool, meant: set[str]) -> frozenset[str]:
    """Return the path roles that only occur together with those in `meant`, in every mode. One question covers them
    all.
    """
    specs = [spec for spec in tool.args.values() if meant & set(spec.all_roles)]
    if any(spec.modes for spec in specs):
        return frozenset()
    elsewhere = {role for spec in tool.args.values() if spec not in specs for role in spec.all_roles}
    return frozenset(role for spec in specs for role in spec.all_roles if role in PATH_ROLES) - elsewhere


def _may_do(action: PathAction, tool: Tool, ever: frozenset[str]) -> bool:
    """Return whether the tool's name suggests that it can do more than its roles describe, for example run programs."""
    words = name_words(tool)
    if action.noun != "anything" or action.place.folders:
        return False
    if "delete" in action.deeds and words & _DELETING and not ever & {"delete-path", "delete-history"}:
        return True
    changes_more = not ever & _EFFECTS or ever <= {"git-remote-url", "read-path"}
    return "write" in action.deeds and changes_more and (not known_tool(tool).reads or bool(words & _CHANGING))


def _fetch_reach(sentence: Sentence, action: FetchAction, tool: Tool, kind: ServerKind) -> Reach:
    ever = _roles_of_tool(tool)
    if "fetch-url" not in ever:
        return _running(sentence, tool)
    if sentence.mood == "allow" and not (kind == "web" and _only_fetches(tool)):
        return NOTHING
    whole = True if sentence.mood == "ask" and action.sites is None and kind == "web" else None
    return Reach(surely=frozenset({"fetch-url"}), whole=whole)


def _only_fetches(tool: Tool) -> bool:
    """Return whether a tool certainly sends nothing: its name describes reading, and it takes no method and no body."""
    words = name_words(tool)
    return bool(words & _READING) and not words & _CHANGING and not _SENDING & {name.lower() for name in tool.args}


def _git_reach(sentence: Sentence, action: GitAction, tool: Tool, kind: ServerKind) -> Reach:
    ever, named = _roles_of_tool(tool), action.verb in name_words(tool)
    if action.verb == "commit":
        if named and kind == "repositories" and "write-history" in ever:
            more = sentence.mood == "allow" and not ever <= {"read-path", "write-history"}
            return NOTHING if more else _tool_reach(sentence, ever, action.place)
        return _running(sentence, tool)
    if named and kind == "repositories" and "git-remote-url" in ever:
        if sentence.mood == "allow" or action.remotes is not None:
            return Reach(surely=frozenset({"git-remote-url"}))
        return Reach(whole=True)
    perhaps = named and action.verb == "push" and sentence.mood != "allow" and not action.remotes
    return Reach(whole=False) if perhaps else _running(sentence, tool)


def _running(sentence: Sentence, tool: Tool) -> Reach:
    """Return the reach of a sentence that does not apply to a tool. A restriction covers tools that run code."""
    return Reach(whole=True) if sentence.mood != "allow" and executes_code(tool) else NOTHING


def _use_reach(sentence: Sentence, action: UseAction, tool: Tool) -> Reach:
    if tool.server != action.server or (action.tools is not None and tool.name not in action.tools):
        return NOTHING
    if action.members is None:
        return _tool_reach(sentence, _roles_of_tool(tool), action.place)
    return _member_reach(sentence, action.members, tool)


def _tool_reach(sentence: Sentence, ever: frozenset[str], place: Place) -> Reach:
    if place.folders or (place.outside_sandbox and sentence.mood == "allow"):
        return Reach(surely=ever & PATH_ROLES)
    return Reach(whole=True)


def _member_reach(sentence: Sentence, members: Members, tool: Tool) -> Reach:
    specs = [spec for spec in tool.args.values() if members.role in spec.all_roles]
    if not specs or (sentence.mood != "never" and any(spec.modes for spec in specs)):
        return NOTHING
    coupled = _roles_of_tool(tool) & {"github-repo"} if members.role == "github-owner" else frozenset[str]()
    return Reach(surely=frozenset({members.role}), companions=frozenset(coupled))
