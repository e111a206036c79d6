"""Translates a call to Cedar requests: one per role and value."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, TypeAlias

from retouch.recipes.policy.cedar.call_tests import Value, subject_of, tested, value_of, why_unsayable
from retouch.recipes.policy.cedar.writing import WHOLE_CALL
from retouch.recipes.policy.deciding.evaluation import LEXICAL, evaluate
from retouch.recipes.policy.deciding.facts import Facts
from retouch.recipes.policy.deciding.matching import fold, host_of, plain_name
from retouch.recipes.policy.deciding.prepared import prepared
from retouch.recipes.policy.deciding.structure import resolved_by_sandbox
from retouch.recipes.policy.resources.addresses import addresses_in, mailbox_of
from retouch.recipes.policy.resources.hosts import is_host_name, is_ip, is_plain_host, one_address, one_repository
from retouch.recipes.policy.resources.paths import is_inside
from retouch.recipes.policy.resources.roles import PATH_ROLES, RESOURCE_ROLES, ROLES, URL_ROLES

if TYPE_CHECKING:
    from collections.abc import Iterator

    from retouch.recipes.policy.deciding.matching import View
    from retouch.recipes.policy.language.policy import Policy
    from retouch.recipes.policy.language.values import Outcome, ToolCall

Context: TypeAlias = "dict[str, str | bool | list[str] | dict[str, list[str]] | dict[str, Value]]"


@dataclass(frozen=True, kw_only=True)
class Asked:
    """The Cedar requests for a call.

    `settled` is the outcome of a call that is decided before any rule. It needs no requests. `unsayable` is the reason
    why Cedar cannot express the call exactly, otherwise None.
    """

    contexts: tuple[Context, ...] = ()
    settled: Outcome | None = None
    unsayable: str | None = None


class Asker:
    """Translates calls to Cedar requests for one policy. Symbolic links are not followed."""

    def __init__(self, policy: Policy) -> None:
        self._policy = policy
        self._frame = replace(policy, rules=())
        self._ready = prepared(policy, disk=False)

    def questions(self, request: ToolCall) -> Asked:
        """Return the Cedar requests for a call."""
        before = evaluate(self._frame, request, surroundings=LEXICAL)
        if before.is_structural:
            return Asked(settled=before.decision)
        tool = self._policy.tools[request.server, request.tool]
        view = self._ready.view(tool, request.arguments)
        facts = Facts(self._ready, request, view, tool)
        unsayable = why_unsayable(facts, self._ready)
        if unsayable is not None:
            return Asked(unsayable=unsayable)
        base: Context = {
            "server": request.server,
            "tool": request.tool,
            "toolRoles": sorted(view.roles),
            "told": {
                role: texts
                for role in sorted(view.roles & ROLES.keys() - RESOURCE_ROLES)
                if (texts := _opaque_values(facts, role))
            },
            "isName": False,
            "isPlain": False,
            **self._subjects(facts),
        }
        if not view.active:
            return Asked(contexts=(base | {"role": WHOLE_CALL},))
        settled = resolved_by_sandbox(facts)
        roles = [role for role in view.active if role not in settled]
        crowded = next((role for role in roles if self._is_crowded(facts, view, role)), None)
        if crowded is not None:
            return Asked(unsayable=f"several values of {crowded} at once")
        unsayable = self._why_unsayable(facts, view, roles)
        if unsayable is not None:
            return Asked(unsayable=unsayable)
        return Asked(contexts=tuple(base | one for role in roles for one in self._values(facts, role)))

    def _subjects(self, facts: Facts) -> Context:
        """Return the arguments and roles that tests of the policy are about."""
        found: dict[str, dict[str, Value]] = {"args": {}, "roles": {}}
        for _, test in tested(self._ready):
            value = value_of(facts, test.limit)
            if value is not None:
                part, name = subject_of(test.limit)
                found[part][name] = value
        return {**found}

    def _why_unsayable(self, facts: Facts, view: View, roles: list[str]) -> str | None:
        """Return why text comparison in Cedar would differ: spellings of paths, spellings of e-mail addresses."""
        if not self._ready.semantics.strict:
            return None
        for role in PATH_ROLES.intersection(roles):
            for rule in view.relevant[role]:
                if not rule.keeps_out:
                    continue
                for text, place in facts.spots(role):
                    plain = any(is_inside(place or "", one, root_holds_all=True) for one in rule.folders or ())
                    if facts.may_touch(text, rule.folded, role) != plain:
                        return f"{role} {text!r} is another spelling of a directory of {rule.rule.name!r}, or above it"
        mails = facts.values("email-address")
        odd = next((one for one in mails if addresses_in(one) != (one,) or mailbox_of(one) != fold(one)), None)
        return None if odd is None else f"the e-mail address {odd!r} has other spellings"

    def _is_crowded(self, facts: Facts, view: View, role: str) -> bool:
        """Return whether several values of a role are decided together. Semantics 1 does this for hosts and list
        members.
        """
        together = any(one.domains is not None or one.lists is not None for one in view.relevant[role])
        return not self._ready.semantics.strict and together and len(facts.values(role)) > 1

    def _values(self, facts: Facts, role: str) -> Iterator[Context]:
        if not facts.values(role):
            yield {"role": role}
        inside = facts.in_sandbox(role) if facts.server.piecewise else ()
        for text, place in facts.spots(role):
            if text not in inside:
                yield {"role": role, **({} if place is None else {"path": place}), **self._value_context(role, text)}

    def _value_context(self, role: str, text: str) -> Context:
        if role in PATH_ROLES:
            return {}
        value = host_of(role, text) if role in URL_ROLES else text
        host = value.partition("/")[0]
        is_name = is_host_name(host) if self._ready.semantics.strict else not is_ip(host)
        return {
            "host": host,
            "hostpath": value,
            "plainHost": one_address(host),
            "plainHostpath": one_repository(value),
            "isName": is_name,
            "isPlain": is_plain_host(host),
            "member": text,
            "plainMember": plain_name(text),
            "folded": fold(text),
        }


def _opaque_values(facts: Facts, role: str) -> list[str]:
    texts = facts.values(role)
    return [fold(one) for one in texts] if role == "email-address" else list(texts)
