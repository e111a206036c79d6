"""Converts validated forms to values."""

from __future__ import annotations

from typing import TYPE_CHECKING

from retouch.recipes.policy.language import values

if TYPE_CHECKING:
    from retouch.recipes.policy.language.forms import (
        ConditionForm,
        LimitForm,
        ListDefForm,
        ResolvedListForm,
        RuleForm,
        SpecForm,
        WhenForm,
    )


def rule_of(form: RuleForm) -> values.Rule:
    """Return the rule of a form."""
    return values.Rule(
        name=form.name,
        description=form.description,
        principle=form.principle,
        when=when_of(form.when),
        then=form.then,
        reason=form.reason,
    )


def when_of(form: WhenForm) -> values.When:
    """Return the condition of a rule."""
    paths, domains, lists = form.paths, form.domains, form.lists
    return values.When(
        roles=None if form.roles is None else tuple(form.roles),
        server=None if form.server is None else tuple(form.server),
        tool=None if form.tool is None else tuple(form.tool),
        paths=None if paths is None else values.PathsWhen(roles=tuple(paths.roles), within=paths.within),
        domains=None
        if domains is None
        else values.DomainsWhen(roles=tuple(domains.roles), allowed=tuple(domains.allowed)),
        lists=None
        if lists is None
        else tuple(
            values.ListWhen(roles=tuple(one.roles), allowed=tuple(one.allowed), match=one.match_type) for one in lists
        ),
        where=tuple(map(limit_of, form.where)),
        unless=tuple(map(limit_of, form.unless)),
    )


def limit_of(form: LimitForm) -> values.Limit:
    """Return a test of a rule."""
    return values.Limit(
        role=form.role,
        arg=form.arg,
        within=tuple(form.within),
        domains=tuple(form.domains),
        emails=tuple(form.emails),
        among=tuple(form.among),
        like=tuple(form.like),
        sql=tuple(form.sql),
        tables=tuple(form.tables),
        runs=tuple(form.runs),
        at_least=form.at_least,
        at_most=form.at_most,
        above=form.above,
        below=form.below,
        count="calls" if form.count == "calls" else None,
        sum=form.total_of,
        per=form.per,
        same=form.same if isinstance(form.same, str) and form.after is None else None,
        hours=tuple(form.hours),
        days=tuple(form.days),
        size=form.size,
        since=form.since,
        state=form.state,
        after=None
        if form.after is None
        else values.EarlierTools(
            tools=tuple(form.after), where=tuple(map(limit_of, form.where)), same=tuple(sorted(set(form.same_pairs)))
        ),
    )


def spec_of(form: SpecForm) -> values.RoleSpec:
    """Return the roles of an argument."""
    modes = tuple(values.Mode(condition=condition_of(one.condition), roles=tuple(one.roles)) for one in form.when)
    return values.RoleSpec(default=tuple(form.default), modes=modes)


def condition_of(form: ConditionForm) -> values.Condition:
    """Return the condition of a mode."""
    state = form.state or "present"
    return values.Condition(arg=form.arg, kind=form.kind, equals=form.equals, among=tuple(form.among), state=state)


def resolved_of(form: ResolvedListForm) -> values.ResolvedList:
    """Return the members of a list."""
    return values.ResolvedList(
        values=tuple(form.values),
        additions=tuple(form.manual_additions),
        removals=tuple(form.manual_removals),
        resolved_at=form.resolved_at,
        input_hash=form.input_hash,
    )


def list_def_of(form: ListDefForm) -> values.ListDef:
    """Return the definition of a list."""
    return values.ListDef(
        name=form.name,
        type=form.type,
        principle=form.principle,
        prompt=form.generation_prompt,
        needs_data=form.requires_mcp,
        hint=form.mcp_server_hint,
    )
