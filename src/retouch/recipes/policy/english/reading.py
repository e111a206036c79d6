"""A second reading of the sentences: decides calls from the sentences without rules, to verify the compiled rules."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Literal, TypeAlias

from retouch.recipes.policy.analysing.execution import executes_code
from retouch.recipes.policy.deciding.depth import has_depth, reaches_below
from retouch.recipes.policy.deciding.evaluation import LEXICAL, evaluate
from retouch.recipes.policy.deciding.facts import nested_texts
from retouch.recipes.policy.deciding.matching import expanded, host_of
from retouch.recipes.policy.deciding.modes import mode_of, roles_in
from retouch.recipes.policy.english.covering import Covers, SeenCall, call_covers
from retouch.recipes.policy.english.reach import NO_ROLES, kinds_of
from retouch.recipes.policy.english.rules import reached
from retouch.recipes.policy.english.words.sentences import CallAction
from retouch.recipes.policy.language.clock import zone_of
from retouch.recipes.policy.language.values import CallState
from retouch.recipes.policy.resources.hosts import domain_matches, is_host_name, one_spelling
from retouch.recipes.policy.resources.paths import absolute_path, expand_home, tidy
from retouch.recipes.policy.resources.roles import PATH_ROLES, RESOURCE_ROLES, URL_ROLES

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from retouch._lib.json_text import JSON
    from retouch.recipes.policy.english.reach import Reach, Roles
    from retouch.recipes.policy.english.words.sentences import Members, Mood, Sentence
    from retouch.recipes.policy.language.policy import Policy
    from retouch.recipes.policy.language.values import Outcome, Tool, ToolCall

Thing: TypeAlias = "tuple[str, str | None]"
Unread: TypeAlias = Literal["none", "code", "all"]
Classified: TypeAlias = "Mapping[Covers, list[Sentence]]"
NO_THING: Thing = ("", None)


@dataclass(frozen=True, kw_only=True)
class SentenceVerdict:
    """The decision that the sentences imply for a call. None if they leave it open. `by` are the deciding sentences."""

    decision: Outcome | None
    by: tuple[Sentence, ...] = ()
    why: str = ""


@dataclass(frozen=True, kw_only=True)
class _Call:
    """The content of a call: `things` are its resource roles with one value each, `told` the values of other roles."""

    tool: Tool
    things: tuple[Thing, ...]
    told: Mapping[str, list[str]]
    arguments: Mapping[str, JSON]
    state: CallState

    def reaches_below(self, role: str) -> bool:
        """Return whether the tool acts on everything below a path of this role."""
        ever = frozenset(one for spec in self.tool.args.values() for one in spec.all_roles)
        deep = has_depth(self.tool.args)
        return role in PATH_ROLES and reaches_below(role, self.tool.name, ever, deep=deep)


class Reading:
    """Sentences together with the tools of a policy without rules. It decides calls.

    `cut` are lists of which only some members are known, so that other values may be members or not. `roles` maps a
    server to all its roles, if `frame` has only some of its tools. If further sentences are `unread`, only prohibitions
    decide, since these may be about any call, or about the calls of tools that run code.
    """

    def __init__(
        self,
        sentences: Sequence[Sentence],
        frame: Policy,
        *,
        cut: frozenset[str] = frozenset(),
        roles: Roles = NO_ROLES,
        unread: Unread = "none",
    ) -> None:
        self.unread = unread
        self.sentences = tuple(sentences)
        self.roles = roles
        self.cut = cut
        self.frame = replace(frame, rules=())

    @cached_property
    def _about(self) -> Mapping[tuple[str, str], tuple[tuple[Sentence, Reach], ...]]:
        kinds = kinds_of(self.frame.tools.values(), roles=self.roles)
        found: dict[tuple[str, str], list[tuple[Sentence, Reach]]] = {}
        for sentence in self.sentences:
            for tool, what in reached(sentence, self.frame, kinds):
                found.setdefault((tool.server, tool.name), []).append((sentence, what))
        return {key: tuple(pairs) for key, pairs in found.items()}

    def about(self, request: ToolCall) -> SentenceVerdict:
        """Return the decision that the sentences imply for a call. Decisions that come before any rule are included.

        Every resource of the call needs a sentence. The strictest sentence for any of them counts. The result is open
        if a prohibition or question only possibly applies, or if some resources are in the sandbox and others are not.
        """
        settled = evaluate(self.frame, request, surroundings=LEXICAL)
        if settled.is_structural:
            return SentenceVerdict(decision=settled.decision, why=settled.reason)
        tool = self.frame.tools[request.server, request.tool]
        things = self._things(tool, request)
        if things is None:
            return SentenceVerdict(decision=None, why="some of it is inside the sandbox and some outside")
        return self._combined_verdict(
            tool,
            _Call(
                tool=tool,
                things=things,
                told=_values(tool, request, resource=False),
                arguments=request.arguments,
                state=request.state or CallState(),
            ),
        )

    def binding(self, request: ToolCall) -> tuple[Sentence, ...]:
        """Return the prohibitions and questions that certainly apply to a call, ignoring decisions that come before
        rules.
        """
        tool = self.frame.tools.get((request.server, request.tool))
        if tool is None:
            return ()
        things = tuple((role, value) for role, all_of in _values(tool, request).items() for value in all_of)
        told = _values(tool, request, resource=False)
        call = _Call(
            tool=tool,
            things=things or (NO_THING,),
            told=told,
            arguments=request.arguments,
            state=request.state or CallState(),
        )
        pairs = self._about.get((tool.server, tool.name), ())
        classified = (self._classified(pairs, thing, call) for thing in call.things)
        strict = (one for found in classified for one in found["surely"] if _binds(one))
        return _unique(strict)

    def sentences_about(self, request: ToolCall) -> tuple[Sentence, ...]:
        """Return the sentences about the tool of a call, or all sentences if there are none."""
        pairs = self._about.get((request.server, request.tool), ())
        return tuple(sentence for sentence, _ in pairs) or self.sentences

    def _combined_verdict(self, tool: Tool, call: _Call) -> SentenceVerdict:
        pairs = self._about.get((tool.server, tool.name), ())
        classified = {thing: self._classified(pairs, thing, call) for thing in call.things}
        never = tuple(
            one for found in classified.values() for one in found["surely"] if one.mood == "never" and not one.excepted
        )
        if never:
            return SentenceVerdict(decision="deny", by=_unique(never))
        if self.unread == "all" or (self.unread == "code" and executes_code(tool)):
            return SentenceVerdict(decision=None, why="a sentence that is not understood may apply")
        per_thing = [_per_thing(found["surely"]) for found in classified.values()]
        if any(verdict.decision == "deny" for verdict in per_thing):
            return _unless_open(classified.values())
        if any(_may_be_allowed(found, verdict) for found, verdict in zip(classified.values(), per_thing, strict=True)):
            return SentenceVerdict(decision=None, why="a list may have more members")
        perhaps = (one for found in classified.values() for one in found["perhaps"] if not one.residual)
        asking = tuple(one for verdict in per_thing if verdict.decision == "escalate" for one in verdict.by)
        stricter = [one for one in perhaps if one.mood == "never" or (one.mood == "ask" and not asking)]
        if stricter:
            return SentenceVerdict(decision=None, by=_unique(stricter), why="a stricter sentence may apply")
        if asking:
            return SentenceVerdict(decision="escalate", by=_unique(asking))
        return SentenceVerdict(decision="allow", by=_unique(one for verdict in per_thing for one in verdict.by))

    def _things(self, tool: Tool, request: ToolCall) -> tuple[Thing, ...] | None:
        """Return the resource roles with their values, without those in the sandbox."""
        server, found = self.frame.servers.get(tool.server), list[Thing]()
        for role, values in _values(tool, request).items():
            inside = [one for one in values if role in PATH_ROLES and self.in_sandbox(one)]
            if server is None or not server.sandboxed:
                inside = []
            elif inside and len(inside) < len(values) and not server.piecewise:
                return None
            outside = [one for one in values if one not in inside]
            found += [(role, one) for one in outside] or ([] if inside else [(role, None)])
        return tuple(found) or (NO_THING,)

    def _classified(self, pairs: Iterable[tuple[Sentence, Reach]], thing: Thing, call: _Call) -> Classified:
        found: dict[Covers, list[Sentence]] = {"surely": [], "perhaps": [], "not": []}
        for sentence, what in pairs:
            found[self._covers(sentence, what, thing, call)].append(sentence)
        return found

    def _covers(self, sentence: Sentence, what: Reach, thing: Thing, call: _Call) -> Covers:
        if isinstance(sentence.action, CallAction):
            return call_covers(sentence, self._seen(call))
        role, value = thing
        if sentence.place.outside_sandbox and value is not None and role in PATH_ROLES and self.in_sandbox(value):
            return "not"
        if what.whole:
            return "surely"
        if role in what.companions and sentence.mood != "never":
            return self._companion_counts(sentence, call)
        members = sentence.members
        if thing == NO_THING and members is not None:
            return self._are_members(sentence, call.told.get(members.role, []), members)
        if role in what.surely:
            return self._holds(sentence, role, value, call)
        held = role in what.perhaps and self._holds(sentence, role, value, call) != "not"
        return "perhaps" if held or what.whole is False else "not"

    def _seen(self, call: _Call) -> SeenCall:
        return SeenCall(
            tool=call.tool,
            arguments=call.arguments,
            state=call.state,
            zone=zone_of(self.frame.time_zone),
            inside=self._inside,
            tools=self.frame.tools,
        )

    def _companion_counts(self, sentence: Sentence, call: _Call) -> Covers:
        members = sentence.members
        if members is None:
            return "not"
        return _likeliest(
            self._holds(sentence, role, value, call) for role, value in call.things if role == members.role
        )

    def _are_members(self, sentence: Sentence, values: list[str], members: Members) -> Covers:
        """Return whether members match a call without resources. One match is enough, except to allow the call."""
        found: list[Covers] = [self._is_member(sentence, members.role, value, members) for value in values]
        if sentence.mood == "allow" and "not" in found:
            return "not"
        if sentence.mood == "allow" and "perhaps" in found:
            return "perhaps"
        return _likeliest(found)

    def _holds(self, sentence: Sentence, role: str, value: str | None, call: _Call) -> Covers:
        place, members = sentence.place, sentence.members
        if value is None and role in PATH_ROLES and sentence.mood == "allow":
            return "not"
        if place.folders or place.outside_sandbox:
            if value is None:
                return "perhaps"
            inside = any(self._inside(value, folder) for folder in place.folders)
            if inside or (place.outside_sandbox and not self.in_sandbox(value)):
                return "surely"
            above = call.reaches_below(role) and any(self._inside(folder, value) for folder in place.folders)
            return (
                "not" if not above or sentence.mood == "allow" else "surely" if sentence.mood == "never" else "perhaps"
            )
        if members is None:
            return "surely" if sentence.mood != "allow" or role != "fetch-url" or _is_page(value) else "not"
        return self._is_member(sentence, role, value, members)

    def _is_member(self, sentence: Sentence, role: str, value: str | None, members: Members) -> Covers:
        if value is None:
            return "not" if sentence.mood == "allow" else "perhaps"
        names = expanded(members.names, self.frame.lists)
        if _is_among(members, role, value, names, mood=sentence.mood):
            return "surely"
        if any(name[1:] in self.cut for name in members.names if name.startswith("@")):
            return "perhaps"
        if role not in URL_ROLES:
            return "not"
        host = host_of(role, value)
        bare = [name.removeprefix("*.") for name in names]
        below = any(f".{host.rstrip('.')}".endswith(f".{one}") for one in bare)
        return "perhaps" if below and sentence.mood == "never" else "not"

    def in_sandbox(self, path: str) -> bool:
        """Return whether a path is written as one inside the sandbox."""
        folder = self.frame.allowed_directory
        return folder is not None and self._inside(path, folder)

    def _inside(self, path: str, folder: str) -> bool:
        frame = self.frame
        place = absolute_path(path, home=frame.home, working_directory=frame.working_directory)
        if place is None:
            return False
        target = tidy(expand_home(folder, frame.home))
        return f"{tidy(place)}/".startswith(f"{target.rstrip('/')}/")


def _values(tool: Tool, request: ToolCall, *, resource: bool = True) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for arg, spec in tool.args.items():
        for role in roles_in(spec, mode_of(spec, request.arguments)):
            if (role in RESOURCE_ROLES) is resource:
                found.setdefault(role, []).extend(nested_texts(request.arguments.get(arg)))
    return found


def _unless_open(classified: Iterable[Classified]) -> SentenceVerdict:
    """Return the default denial. Open if sentences that possibly apply would cover every gap."""
    gaps = [found for found in classified if _per_thing(found["surely"]).decision == "deny"]
    if all(any(one.mood != "never" for one in found["perhaps"]) for found in gaps):
        return SentenceVerdict(decision=None, why="a sentence may apply")
    return SentenceVerdict(decision="deny", why="no sentence allows it")


def _may_be_allowed(classified: Classified, verdict: SentenceVerdict) -> bool:
    """Return whether a residual question applies although a permission possibly applies."""
    left = verdict.decision == "escalate" and all(one.residual for one in verdict.by)
    return left and any(one.mood == "allow" for one in classified["perhaps"])


def _likeliest(found: Iterable[Covers]) -> Covers:
    seen = set(found)
    if "surely" in seen:
        return "surely"
    return "perhaps" if "perhaps" in seen else "not"


def _is_among(members: Members, role: str, value: str, names: tuple[str, ...], *, mood: Mood) -> bool:
    """Return whether a value is one of these names. Prohibitions and questions match every spelling."""
    if members.kind == "emails" or (members.kind == "identifiers" and mood == "never"):
        return value.lower() in {name.lower() for name in names}
    if members.kind == "domains" and role in URL_ROLES:
        host = host_of(role, value)
        return domain_matches(host if mood == "allow" else one_spelling(host), names)
    return value in names


def _per_thing(sentences: Sequence[Sentence]) -> SentenceVerdict:
    excepted = tuple(one for one in sentences if one.excepted)
    if excepted:
        return SentenceVerdict(decision="deny", by=excepted)
    asking = tuple(one for one in sentences if one.mood == "ask" and not one.residual)
    if asking:
        return SentenceVerdict(decision="escalate", by=asking)
    allowing = tuple(one for one in sentences if one.mood == "allow")
    if allowing:
        return SentenceVerdict(decision="allow", by=allowing)
    left = tuple(one for one in sentences if one.mood == "ask")
    return SentenceVerdict(decision="escalate", by=left) if left else SentenceVerdict(decision="deny")


def _binds(sentence: Sentence) -> bool:
    return sentence.mood != "allow" and not sentence.residual and not sentence.excepted


def _unique(sentences: Iterable[Sentence]) -> tuple[Sentence, ...]:
    return tuple(dict.fromkeys(sentences))


def _is_page(value: str | None) -> bool:
    return value is not None and is_host_name(host_of("fetch-url", value))
