"""Static checks of a policy: errors and likely mistakes in its rules and lists, found without a call."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, TypeAlias

from retouch.recipes.policy.analysing.idle_rules import analyse
from retouch.recipes.policy.analysing.regions import tool_space
from retouch.recipes.policy.deciding.decision import DEFAULT, STRUCTURAL
from retouch.recipes.policy.deciding.matching import misfits
from retouch.recipes.policy.deciding.prepared import prepared
from retouch.recipes.policy.language.comments import without_comments
from retouch.recipes.policy.language.files import NO_SEMANTICS, unknown_earlier
from retouch.recipes.policy.resources.roles import PATH_ROLES, RESOURCE_ROLES, ROLES, URL_ROLES

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from retouch._lib.json_text import JSON
    from retouch.recipes.policy.language.policy import Policy
    from retouch.recipes.policy.language.values import ListDef, Rule, Tool

Severity: TypeAlias = Literal["error", "warning"]
_CONTRADICTING = {
    "allow": re.compile(r"\b(?:deny|denies|forbid|forbids|block|escalate|ask)\b"),
    "escalate": re.compile(r"\b(?:deny|denies|forbid|forbids|block|allow|allows|permit)\b"),
    "deny": re.compile(r"\b(?:allow|allows|permit|permits|escalate|ask)\b"),
}
_STRUCTURAL_WORDS = re.compile(
    r"\b(?:structural|unknown tools?|protected paths?|sandbox containment|trusted servers?)\b"
)


@dataclass(frozen=True, kw_only=True)
class Complaint:
    """An issue of one rule or list. `fix` is the next step."""

    code: str
    subject: str
    message: str
    fix: str
    severity: Severity = "error"

    def as_json(self) -> dict[str, JSON]:
        """Return the issue as JSON."""
        found: dict[str, JSON] = {"code": self.code, "subject": self.subject, "severity": self.severity}
        return found | {"message": self.message, "fix": self.fix}


def validate_policy(policy: Policy, *, source_text: str | None = None, server: str | None = None) -> list[Complaint]:
    """Return the errors and warnings of `policy`, in the order of its rules.

    `source_text` is the text that rules must quote in `principle`. If it is None, quotes are not checked. `server` is
    the only server that rules may name, for a policy that is compiled one server at a time.
    """
    found = [*_check_doubts(policy), *_check_names(policy), *_check_lists(policy), *_check_annotations(policy)]
    for rule in policy.rules:
        found += _check_rule(policy, rule, server)
        if source_text is not None and not is_quote(rule.principle, source_text):
            found.append(
                _rule_issue(
                    rule, "NOT_A_QUOTE", "its principle is not a quote of the text", "Quote the clause word for word."
                )
            )
    return [*found, *_check_idle(policy)]


def is_quote(quote: str, text: str) -> bool:
    """Return whether `quote` occurs in `text`, ignoring line breaks and HTML comments. An empty quote does not."""
    folded, whole = (" ".join(without_comments(one).split()) for one in (quote, text))
    return bool(folded) and folded in whole


def _rule_issue(rule: Rule, code: str, message: str, fix: str, severity: Severity = "error") -> Complaint:
    return Complaint(code=code, subject=rule.name, message=f"rule {rule.name!r}: {message}", fix=fix, severity=severity)


def _check_doubts(policy: Policy) -> Iterator[Complaint]:
    for one in policy.doubts:
        if one != NO_SEMANTICS:
            fix = "Generate the policy again from its text."
            yield Complaint(code="CHANGED_AFTER_VERIFYING", subject="policy", message=f"policy: {one}", fix=fix)


def _check_names(policy: Policy) -> Iterator[Complaint]:
    counts = Counter(rule.name for rule in policy.rules)
    for name, count in counts.items():
        if count > 1:
            message = f"{count} rules have the name {name!r}"
            yield Complaint(code="SAME_NAME", subject=name, message=message, fix="Give each rule a unique name.")


def _check_rule(policy: Policy, rule: Rule, server: str | None) -> Iterator[Complaint]:
    yield from _check_wording(rule)
    when = rule.when
    conditions = (when.roles, when.server, when.tool, when.paths, when.domains, when.lists)
    if all(one is None for one in conditions) and not when.where and not when.unless:
        yield _rule_issue(rule, "CATCH_ALL", "it has no condition, so it matches every call", "Add a condition.")
    for what, names in (("roles", when.roles), ("server", when.server), ("tool", when.tool), ("lists", when.lists)):
        if names is not None and not names:
            yield _rule_issue(
                rule, "EMPTY_CONDITION", f"{what!r} is empty, so it matches nothing", "Add a value or remove the key."
            )
    if server is not None and when.server != (server,):
        yield _rule_issue(rule, "WRONG_SERVER", f"it is not restricted to {server!r}", f"Set server: [{server!r}].")
    yield from _check_targets(policy, rule)
    yield from _check_role_kinds(policy, rule)
    yield from _check_limits(policy, rule)
    yield from (_rule_issue(rule, "UNKNOWN_EARLIER", *one) for one in unknown_earlier(rule, policy.tools))
    yield from _check_allowed(policy, rule)
    yield from _check_members(policy, rule)
    yield from _check_overridden(policy, rule)


def _check_wording(rule: Rule) -> Iterator[Complaint]:
    name = re.sub(r"[-_]+", " ", rule.name.lower())
    structural = rule.name in STRUCTURAL | {DEFAULT} or _STRUCTURAL_WORDS.search(f"{name} {rule.description.lower()}")
    if structural:
        fix = "Remove it: this is decided before any rule, and no rule can change it."
        yield _rule_issue(rule, "STRUCTURAL", "it seems to describe something that rules do not decide", fix)
    if _CONTRADICTING[rule.then].match(name):
        fix = "Correct the name or the decision."
        yield _rule_issue(rule, "NAME_CONTRADICTS", f"its name contradicts its decision {rule.then!r}", fix)


def _check_targets(policy: Policy, rule: Rule) -> Iterator[Complaint]:
    servers = {server for server, _ in policy.tools}
    for name in rule.when.server or ():
        if name not in servers | set(policy.servers):
            known = ", ".join(sorted(servers)) or "none"
            yield _rule_issue(rule, "UNKNOWN_SERVER", f"there is no server {name!r}", f"Known servers: {known}.")
    wanted = set(rule.when.server or servers)
    known_tools = {tool for server, tool in policy.tools if server in wanted}
    for name in rule.when.tool or ():
        if name not in known_tools:
            fix = "Use the name of a tool on one of its servers."
            yield _rule_issue(rule, "UNKNOWN_TOOL", f"there is no tool {name!r} on {_quoted_names(wanted)}", fix)


def _check_role_kinds(policy: Policy, rule: Rule) -> Iterator[Complaint]:
    when = rule.when
    paths = () if when.paths is None else when.paths.roles
    domains = () if when.domains is None else when.domains.roles
    for what, roles, right in (("paths", paths, PATH_ROLES), ("domains", domains, URL_ROLES)):
        wrong = [role for role in roles if role not in right]
        if wrong:
            fix = f"Use roles of {_quoted_names(right)}."
            yield _rule_issue(rule, "WRONG_ROLE", f"{what!r} has {_quoted_names(wrong)}, which can never match", fix)
    tested = [one.role for one in (*when.where, *when.unless) if one.role is not None]
    known = {*ROLES, *policy.roles}
    for role in (*(when.roles or ()), *(role for one in when.lists or () for role in one.roles), *tested):
        if role not in known:
            yield _rule_issue(
                rule, "UNKNOWN_ROLE", f"there is no role {role!r}", f"Known roles: {_quoted_names(known)}."
            )


def _check_limits(policy: Policy, rule: Rule) -> Iterator[Complaint]:
    """Find tests of arguments that none of the rule's tools has, and tests that fit no value of a role."""
    tools = [tool for key, tool in policy.tools.items() if rule.when.is_about(*key)]
    for limit in (*rule.when.where, *rule.when.unless):
        if limit.is_clock and policy.time_zone is None:
            fix = "Name it: 'timeZone' in the policy file, or --time-zone with 'retouch generate policy'."
            yield _rule_issue(rule, "NO_TIME_ZONE", "its hours and days have no time zone", fix)
        if limit.sum is not None and not all(limit.sum in tool.args for tool in tools):
            message = f"not all of its tools have the argument {limit.sum!r} to add up"
            yield _rule_issue(rule, "UNKNOWN_ARGUMENT", message, "Write one rule for each kind of tool.")
        if limit.same is not None and not all(limit.same in tool.args for tool in tools):
            message = f"not all of its tools have the argument {limit.same!r} that earlier calls are compared by"
            yield _rule_issue(rule, "UNKNOWN_ARGUMENT", message, "Write one rule for each kind of tool.")
        for arg in (limit.arg, limit.since):
            if arg is None or any(arg in tool.args for tool in tools):
                continue
            message = f"none of its tools has the argument {arg!r}"
            yield _rule_issue(rule, "UNKNOWN_ARGUMENT", message, "Use the name of an argument of the tool.")
        wrong = (limit.within and limit.role is not None and limit.role not in PATH_ROLES) or (
            limit.domains and limit.role is not None and limit.role not in URL_ROLES
        )
        if wrong:
            what = "within" if limit.within else "domains"
            fix = f"Use roles of {_quoted_names(PATH_ROLES if limit.within else URL_ROLES)}."
            yield _rule_issue(rule, "WRONG_ROLE", f"{what!r} tests {limit.role!r}, which can never match", fix)


def _check_allowed(policy: Policy, rule: Rule) -> Iterator[Complaint]:
    definitions = {one.name: one for one in policy.list_defs}
    entries = [] if rule.when.domains is None else [("domains", rule.when.domains.allowed, "domains")]
    entries += [("lists", one.allowed, one.match) for one in rule.when.lists or ()]
    for where, allowed, wanted in entries:
        if not allowed:
            yield _rule_issue(rule, "NOTHING_ALLOWED", f"{where!r} allows nothing", "Add an entry.", "warning")
        for one in allowed:
            if one.startswith("@"):
                yield from _check_list_reference(policy, rule, one[1:], wanted, definitions)
            elif wanted == "domains" and one != one.lower():
                fix = f"Write {one.lower()!r}."
                yield _rule_issue(
                    rule, "NOT_LOWER_CASE", f"{one!r} never matches: hosts are lower case", fix, "warning"
                )


def _check_members(policy: Policy, rule: Rule) -> Iterator[Complaint]:
    """Find members of domain and list conditions that no value can match. A prohibition would miss what they mean."""
    written = {one for one, _ in misfits(rule, None)}
    severity: Severity = "warning" if rule.then == "allow" else "error"
    for one, expected in misfits(rule, policy.lists or {}):
        code = "NEVER_MATCHES" if one in written else "MEMBER_NEVER_MATCHES"
        yield _rule_issue(rule, code, f"{one!r} never matches: {expected}", "Correct or remove it.", severity)


def _check_list_reference(
    policy: Policy, rule: Rule, name: str, wanted: str, definitions: dict[str, ListDef]
) -> Iterator[Complaint]:
    definition = definitions.get(name)
    if definition is None and (policy.lists is None or name not in policy.lists):
        yield _rule_issue(
            rule, "NO_LIST", f"the list {name!r} is not defined", "Define it, or list the members in the rule."
        )
    elif definition is not None and definition.type != wanted:
        message = f"list {name!r} is a list of {definition.type}, but {wanted} are expected here"
        yield _rule_issue(rule, "WRONG_LIST", message, "Use a list of the right type.")


def _check_lists(policy: Policy) -> Iterator[Complaint]:
    used = {name for rule in policy.rules for name in rule.when.list_names}
    for one in policy.list_defs:
        if one.name not in used:
            message = f"list {one.name!r} is not used by any rule"
            yield Complaint(
                code="UNUSED_LIST", subject=one.name, message=message, fix="Use it or remove it.", severity="warning"
            )


def _check_annotations(policy: Policy) -> Iterator[Complaint]:
    for (server, name), tool in policy.tools.items():
        for message, severity in _check_tool(tool):
            subject, fix = f"{server}/{name}", "Correct the annotation of the tool."
            words = f"tool {subject}: {message}"
            yield Complaint(code="ANNOTATION", subject=subject, message=words, fix=fix, severity=severity)


def _check_tool(tool: Tool) -> Iterator[tuple[str, Severity]]:
    properties = (tool.input_schema or {}).get("properties")
    names = set(properties) if isinstance(properties, dict) else set(tool.args)
    for arg in sorted(names - set(tool.args)):
        yield f"argument {arg!r} has no roles", "error"
    for arg, spec in tool.args.items():
        for mode in spec.modes:
            more = set(mode.roles) - set(spec.default) - {"none"}
            if more:  # more roles are stricter than fewer, so this allows nothing
                yield (
                    f"argument {arg!r}: a mode adds {_quoted_names(more)}; modes may only narrow the default",
                    "warning",
                )
            if mode.condition.arg not in names:
                yield f"argument {arg!r}: a mode depends on {mode.condition.arg!r}, which is not an argument", "error"


def _check_overridden(policy: Policy, rule: Rule) -> Iterator[Complaint]:
    """Find escalations that never happen because another role of the same call is denied by default."""
    when = rule.when
    if rule.then != "escalate" or when.roles is None:
        return
    tools = (tool for key, tool in policy.tools.items() if when.is_about(*key))
    left = [found for tool in tools if (found := _uncovered_roles(policy, rule, tool)) is not None]
    if left and all(left):
        roles = {role for found in left for role in found}
        fix = "Remove the roles from the escalation, or add a rule for these roles too."
        yield _rule_issue(rule, "OVERRIDDEN", f"the default deny of {_quoted_names(roles)} overrides it", fix)


def _uncovered_roles(policy: Policy, rule: Rule, tool: Tool) -> set[str] | None:
    """Return the other roles that no rule covers, in the mode with fewest. None if no mode has the rule's roles."""
    ready = prepared(policy, disk=False)
    own = set(rule.when.roles or ())
    covered = {role for role in RESOURCE_ROLES if any(_covers_role(one, tool, role) for one in policy.rules)}
    server = ready.server(tool.server)
    free = PATH_ROLES if server.sandboxed and ready.sandbox is not None else frozenset[str]()
    modes = {ready.view(tool, call.arguments).active for call in tool_space(tool, [ready]).calls()}
    left = [set(active) - own - covered - free for active in modes if not own.isdisjoint(active)]
    return min(left, key=len, default=None)


def _covers_role(rule: Rule, tool: Tool, role: str) -> bool:
    return rule.when.is_about(tool.server, tool.name) and (rule.when.roles is None or role in rule.when.roles)


_IDLE_FIX: dict[Severity, str] = {
    "error": "Remove it, or move it before the rule that answers first.",
    "warning": "Keep it if it must hold whatever is allowed later. Otherwise remove it.",
}


def _check_idle(policy: Policy) -> Iterator[Complaint]:
    then = {rule.name: rule.then for rule in policy.rules}
    for one in analyse(policy).findings:
        code = "DEAD" if one.kind == "dead" else "INEFFECTIVE"
        # A prohibition that only repeats the default still matters if a permission is added below it later.
        severity: Severity = "warning" if code == "INEFFECTIVE" and then[one.rule] == "deny" else "error"
        yield Complaint(code=code, subject=one.rule, message=one.words, fix=_IDLE_FIX[severity], severity=severity)


def _quoted_names(names: Iterable[str]) -> str:
    return ", ".join(map(repr, sorted(names)))
