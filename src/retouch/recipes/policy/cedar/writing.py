"""Writes a policy as Cedar: each rule is a permit, unless an earlier rule with another decision matches.

For each role and value of a call, Cedar is evaluated for the action "allow", then for "escalate". If neither is
permitted, the value is denied. The strictest outcome is that of the call. Decisions that come before any rule are not
exported.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from retouch.errors import BadInput
from retouch.recipes.policy.cedar.call_tests import VALUE_TYPE, applies, subject_of, tested, why_test_is_unsayable
from retouch.recipes.policy.cedar.text import all_of, any_of, fits_host, is_inside, is_one_of, quoted, set_of
from retouch.recipes.policy.deciding.matching import expanded, fold, plain_name
from retouch.recipes.policy.deciding.prepared import prepared
from retouch.recipes.policy.resources.hosts import one_address, one_repository
from retouch.recipes.policy.resources.paths import nameable
from retouch.recipes.policy.resources.roles import RESOURCE_ROLES, ROLES, URL_ROLES

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from retouch.recipes.policy.deciding.matching import ReadyRule
    from retouch.recipes.policy.deciding.prepared import Prepared
    from retouch.recipes.policy.language.policy import Policy
    from retouch.recipes.policy.language.values import ListWhen

WHOLE_CALL = "call"
SCHEMA = f"""\
entity Agent;
entity Call;

{VALUE_TYPE}
""" + """\
type Asked = {
  server: String,
  tool: String,
  role: String,
  toolRoles: Set<String>,
  path?: String,
  host?: String,
  hostpath?: String,
  plainHost?: String,
  plainHostpath?: String,
  plainMember?: String,
  isName: Bool,
  isPlain: Bool,
  member?: String,
  folded?: String,
  args: {ARGS},
  roles: {ROLES},
  told: {
TOLD
  },
};

action allow, escalate appliesTo {
  principal: [Agent],
  resource: [Call],
  context: Asked,
};
""".replace("TOLD", ",\n".join(f"    {quoted(name)}?: Set<String>" for name, one in ROLES.items() if not one.resource))


@dataclass(frozen=True, kw_only=True)
class CedarExport:
    """Policies and their schema, as Cedar text."""

    policies: str
    schema: str


def export_cedar(policy: Policy) -> CedarExport:
    """Return the rules of a policy as Cedar policies. Symbolic links in `paths.within` are not followed.

    Raises:
        BadInput: some rules cannot be expressed in Cedar. The message names each.
    """
    ready = prepared(policy, disk=False)
    wrong = [f"  rule {name!r}: {why}" for name, why in unsayable_rules(policy).items()]
    if wrong:
        rules = "1 rule" if len(wrong) == 1 else f"{len(wrong)} rules"
        hint = "Rewrite them, or pass --stricter: then these rules deny what Cedar cannot tell apart."
        raise BadInput("\n".join((f"{rules} cannot be exported to Cedar:", *wrong)), hint=hint)
    conditions = {rule.position: _condition(ready, rule) for rule in ready.rules}
    made = [_permit(rule, ready.rules, conditions) for rule in ready.rules if rule.rule.then != "deny"]
    head = (
        f"// {len(ready.rules)} rules, semantics {policy.semantics}. Rules that deny are in the `unless` "
        "of other rules.\n"
    )
    return CedarExport(policies="\n".join((head, *made)), schema=_schema(ready))


def _schema(ready: Prepared) -> str:
    subjects = dict.fromkeys(subject_of(test.limit) for _, test in tested(ready))
    found = SCHEMA
    for part in ("args", "roles"):
        names = (f"{quoted(name)}?: Value" for known, name in subjects if known == part)
        found = found.replace(part.upper(), ", ".join(names), 1)
    return found


def unsayable_rules(policy: Policy) -> dict[str, str]:
    """Return the names of the rules that Cedar cannot express, each with the reasons."""
    reasons = ((one.rule.name, ", ".join(_unsayable(one))) for one in prepared(policy, disk=False).rules)
    return {name: why for name, why in reasons if why}


def _unsayable(rule: ReadyRule) -> Iterator[str]:
    when = rule.rule.when
    whys = (why_test_is_unsayable(one) for one in (*when.where, *when.unless))
    yield from dict.fromkeys(why for why in whys if why is not None)
    roles = [set(one.roles) for one in when.lists or ()]
    own = sorted({role for one in roles for role in one} - ROLES.keys())
    if own:
        yield f"the role {own[0]!r} is one of your own"
    if any(one != roles[0] for one in roles):
        yield "its lists apply to different roles"
    if len(roles) > 1 and not roles[0] <= RESOURCE_ROLES:
        yield "several lists apply to an argument that is not a resource"
    for one in when.lists or ():
        opaque = set(one.roles) - RESOURCE_ROLES
        addresses = (opaque == {"email-address"}) == (one.match == "emails")
        if opaque and (len(one.roles) > 1 or one.match == "domains" or not addresses):
            yield f"a list of {one.match} applies to {', '.join(sorted(one.roles))}"
    texts = (rule.rule.name, rule.rule.principle, *(folder for folder in rule.folders or ()))
    if not all(map(nameable, texts)):
        yield "it contains a NUL or a lone surrogate"


def _permit(rule: ReadyRule, rules: Sequence[ReadyRule], conditions: dict[int, str]) -> str:
    earlier = [
        conditions[one.position]
        for one in rules[: rule.position]
        if one.rule.then != rule.rule.then and _may_meet(one, rule)
    ]
    lines = [
        f"@id({quoted(rule.rule.name)})",
        f"@principle({quoted(rule.rule.principle)})",
        f"permit (principal, action == Action::{quoted(rule.rule.then)}, resource)",
        f"when {{ {conditions[rule.position]} }}",
    ]
    lines += [f"unless {{\n  {any_of(earlier)}\n}}"] if earlier else []
    return "\n".join(lines) + ";\n"


def _may_meet(one: ReadyRule, other: ReadyRule) -> bool:
    """Return whether two rules can both match one value of one role of one call."""
    pairs = ((one.rule.when.server, other.rule.when.server), (one.rule.when.tool, other.rule.when.tool))
    if any(mine is not None and yours is not None and not set(mine) & set(yours) for mine, yours in pairs):
        return False
    return bool(set(_roles(one)) & set(_roles(other)))


def _roles(rule: ReadyRule) -> list[str]:
    """Return the roles that a rule can answer for, with WHOLE_CALL if it can answer for a call without roles."""
    when = rule.rule.when
    found = [role for role in sorted(RESOURCE_ROLES) if rule.is_relevant(role)]
    if when.domains is not None:
        found = [role for role in found if role in URL_ROLES]
    whole = when.paths is None and when.domains is None
    lists_tell = all(not set(entry.roles) <= RESOURCE_ROLES for entry in when.lists or ())
    return [*found, WHOLE_CALL] if whole and lists_tell else found


def _condition(ready: Prepared, rule: ReadyRule) -> str:
    when, roles = rule.rule.when, _roles(rule)
    parts: list[str] = []
    if when.server is not None:
        parts.append(is_one_of("context.server", when.server))
    if when.tool is not None:
        parts.append(is_one_of("context.tool", when.tool))
    if when.roles is not None:
        parts.append(f"context.toolRoles.containsAny({set_of(when.roles)})" if when.roles else "false")
    if len(roles) <= len(RESOURCE_ROLES):
        parts.append(is_one_of("context.role", roles))
    if rule.folders is not None:
        parts += [_is_inside(ready, folder) for folder in rule.folders]
    if when.domains is not None:
        parts.append(_fits_host(expanded(when.domains.allowed, ready.policy.lists), any_spelling=rule.keeps_out))
    parts += [_is_member(ready, rule, one) for one in when.lists or ()]
    return all_of([*parts, *applies(ready, rule)])


def _is_inside(ready: Prepared, folder: str) -> str:
    if folder == "/" and ready.semantics.root_holds_all:
        return "context has path"
    return f"context has path && ({is_inside('context.path', folder)})"


def _fits_host(patterns: Sequence[str], *, any_spelling: bool) -> str:
    host, hostpath = ("plainHost", "plainHostpath") if any_spelling else ("host", "hostpath")
    if any_spelling:
        patterns = [one_repository(one) if "/" in one else one_address(one) for one in patterns]
    fits = fits_host("context", patterns, host=host, hostpath=hostpath)
    return f"context has {host} && context has {hostpath} && ({fits})"


def _is_member(ready: Prepared, rule: ReadyRule, entry: ListWhen) -> str:
    members = expanded(entry.allowed, ready.policy.lists)
    if entry.match == "domains":
        return _fits_host(members, any_spelling=rule.keeps_out)
    folded = entry.match == "emails"
    known = [fold(one) for one in members] if folded else members
    opaque = [role for role in entry.roles if role not in RESOURCE_ROLES]
    if not opaque:
        plain = rule.keeps_out and not folded
        word = "folded" if folded else "plainMember" if plain else "member"
        known = list(map(plain_name, known)) if plain else known
        return f"context has {word} && {is_one_of(f'context.{word}', known)}"
    told = f"context.told[{quoted(opaque[0])}]"
    holds = f"{told}.containsAny({set_of(known)})" if rule.keeps_out else f"{set_of(known)}.containsAll({told})"
    return f"context.told has {quoted(opaque[0])} && {holds if known else 'false'}"
