"""The rules of one server: parsed from an answer, checked statically, and written as an answer again."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal, cast

from retouch._lib.hashing import text_hash
from retouch.engine.recipe import Read
from retouch.engine.types import Issue, Tier
from retouch.recipes.policy.analysing.validation import Complaint, is_quote, validate_policy
from retouch.recipes.policy.deciding.matching import leaves_subdomains_out
from retouch.recipes.policy.english.clauses import quoted_clauses
from retouch.recipes.policy.language.conversion import list_def_of, rule_of
from retouch.recipes.policy.language.stored import stored_list_def, stored_rule
from retouch.recipes.policy.language.values import ResolvedList
from retouch.recipes.policy.making.asking.answers import parse_json_with_schema
from retouch.recipes.policy.making.asking.forms import RulesForm
from retouch.recipes.policy.making.asking.pages import rules_unit

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from retouch._lib.json_text import JSON
    from retouch.recipes.policy.language.policy import Policy
    from retouch.recipes.policy.language.values import Limit, ListDef, Rule
    from retouch.recipes.policy.making.asking.forms import ClauseForm
    from retouch.recipes.policy.making.asking.source import PolicyJob

SHORT = 8
FILL = (
    "Fill it, then generate again with --lists lists.json. A model can propose its members: retouch policy lists DIR "
    "-o lists.json --model SPEC."
)
_MEMBERS = {"domains": "member.{}.example", "emails": "member@{}.example", "identifiers": "member-of-{}"}


@dataclass(frozen=True, kw_only=True)
class Unenforceable:
    """A clause that no rule can enforce, the reason, and the nearest forms that a rule could enforce, one per line."""

    clause: str
    why: str
    nearest: str = ""


@dataclass(frozen=True, kw_only=True)
class ClauseWord:
    """A judge's verdict on a clause that no rule quotes: whether other rules cover it, or it is not a rule."""

    clause: str
    status: Literal["covered", "no_tool", "not_a_rule", "not_enforced"]
    rules: tuple[str, ...] = ()
    why: str = ""


def clause_words(forms: Iterable[ClauseForm]) -> tuple[ClauseWord, ...]:
    """Return a judge's verdicts on clauses."""
    return tuple(ClauseWord(clause=o.clause, status=o.status, rules=tuple(o.rules), why=o.why) for o in forms)


@dataclass(frozen=True, kw_only=True)
class CompiledRules:
    """The rules of one server in order, prohibitions first, and the lists that they define.

    `origin` is a short hash of the first answer. Patches keep it. `unenforceable` are clauses that no rule can enforce.
    `words` are the verdicts of an earlier run's judges on clauses that no rule quotes.
    """

    server: str
    rules: tuple[Rule, ...]
    list_defs: tuple[ListDef, ...] = ()
    origin: str = ""
    unenforceable: tuple[Unenforceable, ...] = ()
    words: tuple[ClauseWord, ...] = ()

    @property
    def text(self) -> str:
        """The rules as an answer, which `rules_in` parses."""
        denying = [stored_rule(rule) for rule in self.rules if rule.then == "deny"]
        others = [stored_rule(rule) for rule in self.rules if rule.then != "deny"]
        lists: list[JSON] = [stored_list_def(one) for one in self.list_defs]
        stored = {"origin": self.origin, "prohibitions": denying, "rules": others, "listDefinitions": lists}
        stored |= {"unenforceable": [vars(one) for one in self.unenforceable]} if self.unenforceable else {}
        stored |= {"clauses": [vars(one) for one in self.words]} if self.words else {}
        return json.dumps(stored, ensure_ascii=False, indent=1)


def short_hash(text: str) -> str:
    """Return a short hash that distinguishes strings."""
    return text_hash(text).removeprefix("sha256:")[:SHORT]


def rules_in(server: str, text: str) -> CompiledRules:
    """Return the rules in an answer.

    Raises:
        Invalid: it has none, or another form.
    """
    form = parse_json_with_schema(text, RulesForm)
    rules = tuple(with_subdomains(rule_of(one)) for one in (*form.prohibitions, *form.rules))
    lists = tuple(list_def_of(one) for one in form.list_definitions)
    return CompiledRules(
        server=server,
        rules=rules,
        list_defs=lists,
        origin=form.origin or short_hash(text),
        unenforceable=tuple(Unenforceable(clause=o.clause, why=o.why, nearest=o.nearest) for o in form.unenforceable),
        words=clause_words(form.clauses) if form.origin else (),
    )


def with_subdomains(rule: Rule) -> Rule:
    """Return a rule that also keeps out the subdomains of the hosts that it keeps out.

    A text that forbids facebook.com means www.facebook.com too.
    """
    when = rule.when
    if rule.then == "allow":
        return replace(rule, when=replace(when, unless=tuple(map(_wider_test, when.unless))))
    domains = when.domains and replace(when.domains, allowed=tuple(map(_wider, when.domains.allowed)))
    return replace(rule, when=replace(when, domains=domains, where=tuple(map(_wider_test, when.where))))


def _wider_test(test: Limit) -> Limit:
    return replace(test, domains=tuple(map(_wider, test.domains))) if test.domains else test


def _wider(host: str) -> str:
    return f"*.{host}" if leaves_subdomains_out(host) else host


def policy_of(job: PolicyJob, compiled: CompiledRules) -> Policy:
    """Return the policy of one server: its settings and its rules."""
    frame = job.frame_of(compiled.server)
    return replace(frame, rules=compiled.rules, list_defs=compiled.list_defs)


def complaints(job: PolicyJob, compiled: CompiledRules) -> list[Complaint]:
    """Return the issues of rules, before any scenario is executed on them.

    A list without members is treated as if it had one. Its rules match nothing yet but are not errors.
    """
    empty = {
        one.name: ResolvedList(values=(_MEMBERS[one.type].format(one.name),))
        for one in compiled.list_defs
        if one.name not in (job.base.lists or {})
    }
    policy = policy_of(job, compiled)
    policy = replace(policy, lists={**empty, **(policy.lists or {})})
    found = validate_policy(policy, source_text=job.constitution, server=compiled.server)
    # A prohibition that repeats the default is wanted: it enforces its clause if more is allowed later.
    repeating = {rule.name for rule in compiled.rules if rule.then == "deny"}
    found = [one for one in found if one.code != "INEFFECTIVE" or one.subject not in repeating]
    # The model wrote neither the annotations nor the members of lists. The clause ledger reports incorrect members.
    own = [one for one in found if one.code not in {"ANNOTATION", "MEMBER_NEVER_MATCHES"}]
    return [*own, *_check_quotes(job, compiled), *_check_order(compiled.rules), *_check_empty_lists(empty)]


def _check_quotes(job: PolicyJob, compiled: CompiledRules) -> Iterator[Complaint]:
    fix = "Quote the clause word for word, from its first word to its last."
    for rule in compiled.rules:
        if is_quote(rule.principle, job.constitution) and not quoted_clauses(rule.principle, job.clauses):
            message = f"rule {rule.name!r}: its principle is only a part of a clause"
            yield Complaint(code="NOT_A_QUOTE", subject=rule.name, message=message, fix=fix)
    for one in compiled.unenforceable:
        if not quoted_clauses(one.clause, job.clauses):
            message = f"'unenforceable' has {one.clause!r:.80}, which is not a clause of the text"
            yield Complaint(code="NOT_A_QUOTE", subject="unenforceable", message=message, fix=fix)


def misplaced_prohibitions(rules: Sequence[Rule]) -> list[Rule]:
    """Return the rules that deny but come after one that does not."""
    first = next((place for place, rule in enumerate(rules) if rule.then != "deny"), len(rules))
    return [rule for rule in rules[first:] if rule.then == "deny"]


def _check_order(rules: Sequence[Rule]) -> Iterator[Complaint]:
    for rule in misplaced_prohibitions(rules):
        message = f"rule {rule.name!r}: it denies, but comes after rules that do not"
        fix = "Put it before all rules that allow or escalate."
        yield Complaint(code="PROHIBITION_NOT_FIRST", subject=rule.name, message=message, fix=fix)


def _check_empty_lists(names: Iterable[str]) -> Iterator[Complaint]:
    for name in names:
        message = f"list {name!r} has no members yet, so its rules match nothing"
        yield Complaint(code="LIST_NOT_FILLED", subject=name, message=message, fix=FILL, severity="warning")


def read_rules(job: PolicyJob, server: str, text: str) -> Read[CompiledRules]:
    """Return the rules of a server with their issues. The rules are None if there are errors."""
    compiled = rules_in(server, text)
    issues = [_issue(one, rules_unit(server)) for one in complaints(job, compiled)]
    wrong = any(issue.severity == "error" for issue in issues)
    return Read(None if wrong else compiled, issues)


def _issue(complaint: Complaint, unit: str) -> Issue:
    return Issue(
        code=complaint.code,
        message=complaint.message,
        tier=Tier.SCHEMA,
        unit=unit,
        severity=complaint.severity,
        fix=complaint.fix,
        detail={"rule": cast("JSON", complaint.subject)},
    )
