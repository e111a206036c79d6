"""Translates sentences to rules: prohibitions, then questions, then permissions, then residual questions.

The order of the sentences does not matter. The strictest one wins.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from retouch.recipes.policy.english.reach import NO_ROLES, kinds_of, reach
from retouch.recipes.policy.english.words.sentences import CallAction, FetchAction, PathAction
from retouch.recipes.policy.language.values import DomainsWhen, Limit, ListWhen, Outcome, PathsWhen, Rule, When
from retouch.recipes.policy.resources.roles import PATH_ROLES, URL_ROLES

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from retouch.recipes.policy.english.reach import Reach, Roles, ServerKind
    from retouch.recipes.policy.english.words.sentences import Members, Mood, Sentence
    from retouch.recipes.policy.language.policy import Policy
    from retouch.recipes.policy.language.values import Tool

THEN: Mapping[Mood, Outcome] = {"never": "deny", "ask": "escalate", "allow": "allow"}
MAX_NAME = 60
_EXCEPTION = 0.5
_PERMISSION = 2
_RESERVED = re.compile(r"structural|unknown-tool|protected-path|sandbox-containment|trusted-server|default-deny")


def rules_of(
    sentences: Sequence[Sentence], frame: Policy, *, roles: Roles = NO_ROLES
) -> tuple[tuple[Rule, Sentence], ...]:
    """Return the rules of sentences for the tools of `frame`, in order, each with its sentence.

    `roles` are all roles of the servers, if `frame` has only some of their tools.
    """
    kinds = kinds_of(frame.tools.values(), roles=roles)
    found: list[tuple[When, Outcome, Sentence]] = []
    for sentence in sorted(sentences, key=_sort_rank):
        found.extend((when, THEN[sentence.mood], sentence) for when in _conditions(sentence, frame, kinds))
    for sentence in sentences:
        found.extend((when, "allow", sentence) for when in _companions(sentence, frame, kinds))
    found.sort(key=lambda one: _sort_rank(one[2]) if one[1] != "allow" else _PERMISSION)
    unique: dict[tuple[When, Outcome], Sentence] = {}
    for when, then, sentence in found:
        unique.setdefault((when, then), sentence)
    return tuple(_named_rules(unique))


def _sort_rank(sentence: Sentence) -> float:
    if sentence.mood == "ask":
        return 3 if sentence.residual else 1
    if sentence.excepted:
        return _EXCEPTION
    return 0 if sentence.mood == "never" else _PERMISSION


def reached(sentence: Sentence, frame: Policy, kinds: Mapping[str, ServerKind]) -> Iterator[tuple[Tool, Reach]]:
    """Yield the tools that a sentence applies to, each with the covered part."""
    for tool in frame.tools.values():
        found = reach(sentence, tool, kinds[tool.server])
        if (found.roles or found.whole is not None) and not _is_inside(sentence, tool, frame):
            yield tool, found


def _is_inside(sentence: Sentence, tool: Tool, frame: Policy) -> bool:
    """Return whether a permission outside the sandbox would also apply inside, where no decision comes before the
    rules.
    """
    server = frame.servers.get(tool.server)
    settled = frame.allowed_directory is None or (server is not None and server.sandboxed)
    return sentence.mood == "allow" and sentence.place.outside_sandbox and not settled


def _conditions(sentence: Sentence, frame: Policy, kinds: Mapping[str, ServerKind]) -> Iterator[When]:
    if isinstance(sentence.action, CallAction):
        yield from conditions_of(sentence.action)
        return
    by_roles: dict[tuple[str, tuple[str, ...]], list[str]] = {}
    by_server: dict[str, set[str]] = {}
    whole: dict[str, list[str]] = {}
    general = sentence.mood == "never" and isinstance(sentence.action, (PathAction, FetchAction))
    for tool, found in reached(sentence, frame, kinds):
        if found.whole is not None:
            whole.setdefault(tool.server, []).append(tool.name)
        if general:
            by_server.setdefault(tool.server, set()).update(found.roles)
        elif found.whole is not True:
            by_roles.setdefault((tool.server, tuple(sorted(found.roles))), []).append(tool.name)
    yield from (When(server=(server,), tool=tuple(names)) for server, names in whole.items())
    for server, roles in by_server.items():
        yield from _narrowed(sentence, server, None, tuple(sorted(roles)))
    for (server, roles), names in by_roles.items():
        yield from _narrowed(sentence, server, tuple(names), roles)


def conditions_of(action: CallAction) -> Iterator[When]:
    """Yield one condition for all tools of a server with the same tests."""
    groups: dict[tuple[str, tuple[Limit, ...], tuple[Limit, ...]], list[str]] = {}
    for one in action.parts:
        groups.setdefault((one.server, one.where, one.unless), []).append(one.tool)
    for (server, where, unless), names in groups.items():
        yield When(server=(server,), tool=tuple(dict.fromkeys(names)), where=where, unless=unless)


def _narrowed(sentence: Sentence, server: str, tools: tuple[str, ...] | None, roles: tuple[str, ...]) -> Iterator[When]:
    if not roles:
        return
    folders, members = sentence.place.folders, sentence.members
    paths = tuple(role for role in roles if role in PATH_ROLES)
    if sentence.mood == "allow" and paths and not folders:
        folders = ("/",)  # an omitted path could be any path, so only a given one is allowed
    if folders:
        yield from (
            When(server=(server,), tool=tools, paths=PathsWhen(roles=paths, within=one)) for one in folders if paths
        )
    elif members is not None:
        yield _about_members(sentence, server, tools, members)
    elif sentence.mood == "allow" and roles == ("fetch-url",):
        # A URL without a host name is not a page: IP addresses must be named explicitly.
        yield When(server=(server,), tool=tools, domains=DomainsWhen(roles=roles, allowed=("*",)))
    else:
        yield When(server=(server,), tool=tools, roles=roles)


def _about_members(sentence: Sentence, server: str, tools: tuple[str, ...] | None, members: Members) -> When:
    names = members.names
    if sentence.mood == "never" and members.kind == "domains":
        names = tuple(f"*.{host.removeprefix('*.')}" for host in names)  # so that subdomains are forbidden too
    if members.kind == "domains" and members.role in URL_ROLES:
        return When(server=(server,), tool=tools, domains=DomainsWhen(roles=(members.role,), allowed=names))
    # Owner names ignore case, like e-mail addresses do, so the e-mail comparison works for both.
    match = "emails" if sentence.mood == "never" and members.kind == "identifiers" else members.kind
    entry = ListWhen(roles=(members.role,), allowed=names, match=match)
    return When(server=(server,), tool=tools, lists=(entry,))


def _companions(sentence: Sentence, frame: Policy, kinds: Mapping[str, ServerKind]) -> Iterator[When]:
    """Yield the conditions of companion roles: a repository belongs to its owner, for whom there is a separate rule."""
    groups: dict[tuple[str, tuple[str, ...]], list[str]] = {}
    for tool, found in reached(sentence, frame, kinds) if sentence.mood != "never" else ():
        if found.companions:
            groups.setdefault((tool.server, tuple(sorted(found.companions))), []).append(tool.name)
    for (server, roles), names in groups.items():
        yield When(server=(server,), tool=tuple(names), roles=roles)


def _named_rules(found: Mapping[tuple[When, Outcome], Sentence]) -> Iterator[tuple[Rule, Sentence]]:
    taken: set[str] = set()
    for (when, then), sentence in found.items():
        base = _slug(sentence)
        if then != THEN[sentence.mood]:
            base = f"companion-of-sentence-{sentence.number}"
        name, number = base, 1
        while name in taken:
            number += 1
            name = f"{base}-{number}"
        taken.add(name)
        reason = f"The text says: {sentence.quote}"
        yield (
            Rule(
                name=name,
                description=f"Sentence {sentence.number} of the text",
                principle=sentence.quote,
                when=when,
                then=then,
                reason=reason,
            ),
            sentence,
        )


def _slug(sentence: Sentence) -> str:
    """Return the first words of a sentence as a rule name, or its number if they sound like a built-in decision."""
    whole = re.sub(r"[^a-z0-9]+", "-", sentence.quote.lower()).strip("-")
    if isinstance(sentence.action, CallAction):
        return f"sentence-{sentence.number}-{sentence.mood}"
    base = whole if len(whole) <= MAX_NAME else whole[: MAX_NAME + 1].rpartition("-")[0]
    return f"sentence-{sentence.number}" if not base or _RESERVED.search(base) else base
