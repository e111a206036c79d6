"""Applies patches of rules. A patch is kept only if executing all scenarios shows an improvement and no regression."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from retouch.engine.types import Tier
from retouch.errors import BadInput, Invalid
from retouch.recipes.policy.analysing.effect import judge_change
from retouch.recipes.policy.deciding.evaluation import LEXICAL
from retouch.recipes.policy.language import patching
from retouch.recipes.policy.language.conversion import list_def_of, rule_of
from retouch.recipes.policy.making.asking.answers import parse_json_with_schema
from retouch.recipes.policy.making.asking.forms import AddForm, DeleteForm, PatchForm, UpdateForm
from retouch.recipes.policy.making.rules.compiled import CompiledRules, complaints, policy_of, rules_in, with_subdomains

if TYPE_CHECKING:
    from collections.abc import Container, Sequence

    from retouch.recipes.policy.language.values import Rule
    from retouch.recipes.policy.making.asking.forms import MoveForm
    from retouch.recipes.policy.making.asking.source import PolicyJob
    from retouch.recipes.policy.scenarios.scenario import Scenario

MOST_NAMED = 5
SEEN, USELESS = "SEEN_BEFORE", "PATCH_FIXES_NOTHING"


def proposed(before: CompiledRules, reply: str) -> CompiledRules:
    """Return the rules after applying a reply: operations on them, or a complete replacement.

    Raises:
        Invalid: it is neither, or an operation cannot be applied. The message names the operation.
    """
    try:
        form = parse_json_with_schema(reply, PatchForm)
    except Invalid as no_patch:
        try:
            return replace(rules_in(before.server, reply), origin=before.origin)
        except Invalid:
            raise no_patch from None
    try:
        rules = patching.apply_patch(before.rules, [_operation(one) for one in form.operations])
        rules = _prohibitions_first(rules, form)
    except BadInput as error:
        raise Invalid("PATCH_FAILED", error.message, fix=error.hint, tier=Tier.SCHEMA) from error
    known = {one.name for one in before.list_defs}
    new = (list_def_of(one) for one in form.list_definitions if one.name not in known)
    return replace(before, rules=rules, list_defs=(*before.list_defs, *new))


def _prohibitions_first(rules: tuple[Rule, ...], form: PatchForm) -> tuple[Rule, ...]:
    """Move permissions that were added at the front behind the prohibitions, which must come first."""
    first = {one.rule.name for one in form.operations if isinstance(one, AddForm) and one.after is None}
    moved = [rule for rule in rules if rule.name in first and rule.then != "deny"]
    rest = [rule for rule in rules if rule not in moved]
    place = next((number for number, rule in enumerate(rest) if rule.then != "deny"), len(rest))
    return (*rest[:place], *moved, *rest[place:])


def _operation(form: UpdateForm | AddForm | DeleteForm | MoveForm) -> patching.PatchOp:
    if isinstance(form, UpdateForm):
        return patching.UpdateRule(rule=with_subdomains(rule_of(form.rule)))
    if isinstance(form, AddForm):
        return patching.AddRule(rule=with_subdomains(rule_of(form.rule)), after=form.after)
    if isinstance(form, DeleteForm):
        return patching.DeleteRule(name=form.name)
    return patching.MoveRule(name=form.name, after=form.after)


def accepted(
    job: PolicyJob,
    before: CompiledRules,
    reply: str,
    scenarios: Sequence[Scenario],
    seen: Container[tuple[object, ...]] = (),
) -> CompiledRules:
    """Return the rules after applying a reply. All `scenarios` are executed on the old and new rules.

    `seen` are the rule sets that were already current or refused in this round.

    Raises:
        Invalid: it cannot be parsed or applied, has errors, fixes nothing, breaks something, or was seen before.
    """
    after = proposed(before, reply)
    if after.rules == before.rules:
        raise Invalid(
            USELESS, "nothing would change", fix="Change the rules that decide the failing calls.", tier=Tier.SEMANTIC
        )
    if after.rules in seen:
        fix = "Change something else, or clarify the constitution."
        raise Invalid(SEEN, "these rules have already been tried", fix=fix, tier=Tier.SEMANTIC)
    wrong = [one for one in complaints(job, after) if one.severity == "error"]
    if wrong:
        words = "; ".join(one.message for one in wrong[:MOST_NAMED])
        raise Invalid("PATCH_WRONG", f"the rules would have errors: {words}", fix=wrong[0].fix, tier=Tier.SCHEMA)
    effect = judge_change(policy_of(job, before), policy_of(job, after), scenarios, surroundings=LEXICAL)
    if effect.broken:
        what = _scenario_list(effect.broken, scenarios)
        message = f"calls that are decided correctly now and would not be: {len(effect.broken)}: {what}"
        raise Invalid("PATCH_BREAKS", message, fix="Keep the rules that these calls need.", tier=Tier.SEMANTIC)
    if not effect.fixed:
        fix = "Change the rules that decide the failing calls."
        raise Invalid(USELESS, "no failing call would pass", fix=fix, tier=Tier.SEMANTIC)
    return after


def _scenario_list(ids: Sequence[str], scenarios: Sequence[Scenario]) -> str:
    known = {one.id: one for one in scenarios}
    shown = [f"{one} ({known[one].description}, expected {known[one].expected})" for one in ids[:MOST_NAMED]]
    return ", ".join(shown) + (f" and {len(ids) - MOST_NAMED} more" if len(ids) > MOST_NAMED else "")
