"""Built-in decisions that come before any rule. Rules cannot change them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from retouch.recipes.policy.deciding import decision as names
from retouch.recipes.policy.deciding.facts import nested_texts
from retouch.recipes.policy.deciding.json_schema import violations
from retouch.recipes.policy.deciding.matching import host_of
from retouch.recipes.policy.resources.hosts import normalize_url
from retouch.recipes.policy.resources.paths import LONGEST_PATH, is_of_a_process, nameable
from retouch.recipes.policy.resources.readings import (
    why_name_is_ambiguous,
    why_path_is_ambiguous,
    why_remote_is_ambiguous,
    why_url_is_ambiguous,
)
from retouch.recipes.policy.resources.roles import FILE_NAME, PATH_ROLES, URL_ROLES

if TYPE_CHECKING:
    from retouch._lib.json_text import JSON
    from retouch.recipes.policy.deciding.facts import Facts
    from retouch.recipes.policy.language.values import Outcome, Tool


_SEPARATORS = frozenset("/\\:\u2215\u2044\uff0f\uff3c")  # and what some programs read as one
_LARGEST = 2**53  # above this, programs that parse numbers as doubles get another value


@dataclass(frozen=True, kw_only=True)
class Answer:
    """A decision about a whole call. `role` is the role that caused it, if any."""

    decision: Outcome
    rule: str
    reason: str
    role: str | None = None


def unreadable(facts: Facts, tool: Tool) -> Answer | None:
    """Return the denial of a call whose arguments cannot be evaluated, None for other calls.

    With any semantics: a resource argument that cannot be a file or host name, and remotes that make git start
    programs. With strict semantics also: unknown arguments, numbers in resource arguments, paths without a known
    location or instead of a file name, and URLs without a host.
    """
    strict = facts.prepared.semantics.strict
    found = _out_of_place(facts, tool) if strict else None
    if found is not None:
        return found
    for arg, roles in facts.view.resources.items():
        value = facts.arguments.get(arg)
        if isinstance(value, str):
            why = _why_unreadable(facts, roles, value)
        else:
            texts = nested_texts(value, facts.schema_of(arg), keys=strict)
            why = next((why for text in texts if (why := _why_unreadable(facts, roles, text)) is not None), None)
            if why is None and strict and _holds_numbers(value):
                why = "it contains a value that is not a string"
        if why is not None:
            return _cannot_evaluate(arg, why)
    return None


def _out_of_place(facts: Facts, tool: Tool) -> Answer | None:
    """Return the denial of an unknown argument, of an unsafe number, and of a path where a file name belongs."""
    for arg in facts.arguments:
        if arg not in tool.args:
            reason = f"The policy does not know the argument {arg!r} of this tool"
            return Answer(decision="deny", rule=names.UNKNOWN_ARGUMENT, reason=reason)
    for arg, value in facts.arguments.items():
        if not isinstance(value, str) and _has_unsafe_number(value):
            return _cannot_evaluate(arg, "it contains a number that programs parse differently")
        why = _why_no_name(value) if FILE_NAME in facts.view.roles_of.get(arg, ()) else None
        if why is not None:
            return _cannot_evaluate(arg, why)
    return None


def _why_no_name(value: JSON) -> str | None:
    """Return why a value is not the bare name of a file. None if it is, or if it is null."""
    if value is None:
        return None
    if not isinstance(value, str) or not nameable(value) or value in {"", ".", ".."} or value[:1] in {"~", "-"}:
        return "it is not the name of a file"
    return f"{value!r} is a path, and no name of a file" if _SEPARATORS & set(value) else None


def _cannot_evaluate(arg: str, why: str) -> Answer:
    return Answer(decision="deny", rule=names.UNREADABLE, reason=f"Argument {arg!r} cannot be evaluated: {why}")


def _why_unreadable(facts: Facts, roles: tuple[str, ...], text: str) -> str | None:
    if not nameable(text):
        return "it contains a NUL or a lone surrogate"
    if "git-remote-url" in roles and (text.startswith("-") or "::" in text.partition("[")[0]):
        return f"{text!r} is an option or names a helper program"
    for role in roles if facts.prepared.semantics.strict else ():
        why = _why_unplaceable(facts, role, text)
        if why is not None:
            return why
    return None


def _why_unplaceable(facts: Facts, role: str, text: str) -> str | None:
    if role in PATH_ROLES:
        return _why_no_path(facts, role, text)
    if role == "git-remote-url":
        why = "it is a file" if normalize_url(text).startswith("file:") else why_remote_is_ambiguous(text)
    elif role in URL_ROLES:
        scheme = normalize_url(text).partition(":")[0]
        known = scheme in {"http", "https", "ws", "wss", "ftp"} and host_of(role, text) not in {"", text}
        why = why_url_is_ambiguous(text) if known else "it is not a URL with a host"
    else:
        why = why_name_is_ambiguous(text, port=role == "proxy-domain")
    return None if why is None else f"{text!r}: {why}"


def _why_no_path(facts: Facts, role: str, text: str) -> str | None:
    places = facts.places(text, role)
    if len(text) > LONGEST_PATH:
        return f"{text[:40]!r}... is longer than any path, {LONGEST_PATH:,} characters"
    if not places.candidates:
        return f"{text!r} is a relative path, and the policy has no working directory"
    if is_of_a_process(places.written):
        return f"{text!r}: it is a different file for each process"
    if not places.certain:
        return f"the location of {text!r} cannot be determined"
    why = why_path_is_ambiguous(text)
    return None if why is None else f"{text!r}: {why}"


def breaks_schema(facts: Facts, tool: Tool) -> Answer | None:
    """Return the denial of a call whose values violate the tool's schema (strict semantics only), None for other calls.

    The effect of a value that the schema does not declare is unknown. Missing arguments are not checked.
    """
    if tool.input_schema is None or not facts.prepared.semantics.strict:
        return None
    schema = {key: one for key, one in tool.input_schema.items() if key != "required"}
    found = violations(schema, dict(facts.arguments))
    reason = f"The tool's schema does not allow it: {found[0]}" if found else ""
    return Answer(decision="deny", rule=names.UNREADABLE, reason=reason) if found else None


def _has_unsafe_number(value: JSON) -> bool:
    waiting: list[JSON] = [value]
    while waiting:
        one = waiting.pop()
        if isinstance(one, (list, dict)):
            waiting += one if isinstance(one, list) else list(one.values())
        elif isinstance(one, (int, float)) and not isinstance(one, bool) and not -_LARGEST <= one <= _LARGEST:
            return True
    return False


def _holds_numbers(value: JSON) -> bool:
    waiting: list[JSON] = [value]
    while waiting:
        one = waiting.pop()
        if isinstance(one, (bool, int, float)):
            return True
        if isinstance(one, (list, dict)):
            waiting += one if isinstance(one, list) else list(one.values())
    return False


def protected_path(facts: Facts) -> Answer | None:
    """Return the denial of a call that may touch a protected path, None for other calls."""
    if not facts.prepared.protected:
        return None
    for role in facts.view.active:
        for text in facts.values(role) if role in PATH_ROLES else ():
            below = facts.reaches_below(role)
            if facts.prepared.is_protected(text, facts.places(text, role), below=below):
                reason = f"{text!r} is in a protected path"
                return Answer(decision="deny", rule=names.PROTECTED, reason=reason, role=role)
    return None


def introspection(facts: Facts) -> Answer | None:
    """Return the permission for a call of an introspection tool without arguments, None for other calls."""
    if facts.request.tool not in facts.server.introspection or facts.arguments:
        return None
    reason = "Introspection of a server is always allowed"
    return Answer(decision="allow", rule=names.INTROSPECTION, reason=reason)


def domain_gate(facts: Facts) -> Answer | None:
    """Return the escalation of a call with a host that is not on the server's allowlist, None for other calls."""
    gate = facts.prepared.gates.get(facts.server.name)
    if gate is None:
        return None
    for arg, role in facts.view.gated:
        for text in facts.texts(arg):
            host = host_of(role, text)
            if not gate.fit(host):
                reason = f"{host!r} is not on the allowlist of server {facts.server.name!r}"
                return Answer(decision="escalate", rule=names.GATE, reason=reason, role=role)
    return None


def resolved_by_sandbox(facts: Facts) -> frozenset[str]:
    """Return the path roles that need no rule because they have values and all of them are in the sandbox."""
    if not facts.server.sandboxed or facts.prepared.sandbox is None:
        return frozenset()
    active = facts.view.active
    return frozenset(role for role in active if (all_of := facts.values(role)) and facts.in_sandbox(role) == all_of)
