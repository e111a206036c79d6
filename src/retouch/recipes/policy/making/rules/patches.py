"""A patch of rules, kept only when executing every scenario shows that it helps and harms nothing."""

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
from retouch.recipes.policy.making.rules.compiled import CompiledRules, complaints, policy_of, rules_in

if TYPE_CHECKING:
    from collections.abc import Container, Sequence

    from retouch.recipes.policy.language.values import Rule
    from retouch.recipes.policy.making.asking.forms import MoveForm
    from retouch.recipes.policy.making.asking.source import PolicyJob
    from retouch.recipes.policy.scenarios.scenario import Scenario

MOST_NAMED = 5
SEEN, USELESS = "SEEN_BEFORE", "PATCH_FIXES_NOTHING"


def proposed(before: CompiledRules, reply: str) -> CompiledRules:
    """Return what a reply would make of the rules: operations on them, or a whole set in their place.

    Raises:
        Invalid: it is neither, or an operation cannot be carried out; the message names it.
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
    """Put permissions that were added at the front behind the prohibitions, which stay first."""
    first = {one.rule.name for one in form.operations if isinstance(one, AddForm) and one.after is None}
    moved = [rule for rule in rules if rule.name in first and rule.then != "deny"]
    rest = [rule for rule in rules if rule not in moved]
    place = next((number for number, rule in enumerate(rest) if rule.then != "deny"), len(rest))
    return (*rest[:place], *moved, *rest[place:])


def _operation(form: UpdateForm | AddForm | DeleteForm | MoveForm) -> patching.PatchOp:
    if isinstance(form, UpdateForm):
        return patching.UpdateRule(rule=rule_of(form.rule))
    if isinstance(form, AddForm):
        return patching.AddRule(rule=rule_of(form.rule), after=form.after)
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
    """Return the rules that a reply makes of those before, by executing all `scenarios` on both.

    `seen` are the sets of rules that stood or were refused already.

    Raises:
        Invalid: it cannot be read or carried out, is wrong, mends nothing, breaks something, or was there before.
    """
    after = proposed(before, reply)
    if after.rules == before.rules:
        raise Invalid(
            USELESS, "nothing would change", fix="Change what decides the calls that fail.", tier=Tier.SEMANTIC
        )
    if after.rules in seen:
        fix = "Change something else, or say in the constitution what is meant."
        raise Invalid(SEEN, "these rules have been tried already", fix=fix, tier=Tier.SEMANTIC)
    wrong = [one for one in complaints(job, after) if one.severity == "error"]
    if wrong:
        words = "; ".join(one.message for one in wrong[:MOST_NAMED])
        raise Invalid("PATCH_WRONG", f"the rules would be wrong: {words}", fix=wrong[0].fix, tier=Tier.SCHEMA)
    judged = judge_change(policy_of(job, before), policy_of(job, after), scenarios, surroundings=LEXICAL)
    if judged.broken:
        what = _named(judged.broken, scenarios)
        message = f"{len(judged.broken)} calls would be decided wrongly that are right now: {what}"
        raise Invalid("PATCH_BREAKS", message, fix="Keep what these calls need.", tier=Tier.SEMANTIC)
    if not judged.fixed:
        fix = "Change what decides the calls that fail."
        raise Invalid(USELESS, "no call that fails would pass", fix=fix, tier=Tier.SEMANTIC)
    return after


def _named(ids: Sequence[str], scenarios: Sequence[Scenario]) -> str:
    known = {one.id: one for one in scenarios}
    shown = [f"{one} ({known[one].description}, expected {known[one].expected})" for one in ids[:MOST_NAMED]]
    return ", ".join(shown) + (f" and {len(ids) - MOST_NAMED} more" if len(ids) > MOST_NAMED else "")
