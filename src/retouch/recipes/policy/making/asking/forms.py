"""The shapes of what models answer, and of what is kept of their answers."""

from __future__ import annotations

from typing import Annotated, Any, Literal, cast

from pydantic import AfterValidator, BeforeValidator, Field, StrictBool, StrictInt, StrictStr

from retouch.recipes.policy.language.forms import Exact, ListDefForm, Open, RuleForm
from retouch.recipes.policy.language.values import Outcome
from retouch.recipes.policy.scenarios.files import RequestForm, ScenarioForm
from retouch.recipes.policy.scenarios.filters import DiscardKind


def _denying(value: Any) -> Any:
    return {"then": "deny", **cast("dict[str, Any]", value)} if isinstance(value, dict) else value


def _denies(rule: RuleForm) -> RuleForm:
    if rule.then != "deny":
        raise ValueError(f"a prohibition denies; 'then' of {rule.name!r} is {rule.then!r}")
    return rule


def _permits(rule: RuleForm) -> RuleForm:
    if rule.then == "deny":
        raise ValueError(f"rule {rule.name!r} denies; put it under 'prohibitions'")
    return rule


Prohibition = Annotated[RuleForm, BeforeValidator(_denying), AfterValidator(_denies)]
Permission = Annotated[RuleForm, AfterValidator(_permits)]


class UnenforceableForm(Open):
    """A clause that no rule can hold, by whoever wrote the rules."""

    clause: StrictStr = Field(min_length=1)
    why: StrictStr = ""
    nearest: StrictStr = ""


class ClauseForm(Open):
    """What a judge says of a clause that nothing quotes."""

    clause: StrictStr
    status: Literal["covered", "no_tool", "not_a_rule", "not_enforced"]
    rules: list[StrictStr] = Field(default_factory=list)
    why: StrictStr = ""


class RulesForm(Exact):
    """The rules of one server; `origin` is the hash of the answer that a patched set began with.

    `clauses` are what judges said of clauses that nothing quotes: only kept results have them, with their `origin`.
    """

    prohibitions: list[Prohibition] = Field(default_factory=list[RuleForm])
    rules: list[Permission]
    list_definitions: list[ListDefForm] = Field(default_factory=list[ListDefForm])
    unenforceable: list[UnenforceableForm] = Field(default_factory=list[UnenforceableForm])
    clauses: list[ClauseForm] = Field(default_factory=list[ClauseForm])
    origin: StrictStr | None = None


class UpdateForm(Exact):
    """An operation that replaces a rule."""

    op: Literal["update"]
    rule: RuleForm


class AddForm(Exact):
    """An operation that adds a rule."""

    op: Literal["add"]
    rule: RuleForm
    after: StrictStr | None = None


class DeleteForm(Exact):
    """An operation that takes a rule out."""

    op: Literal["delete"]
    name: StrictStr


class MoveForm(Exact):
    """An operation that moves a rule."""

    op: Literal["move"]
    name: StrictStr
    after: StrictStr | None = None


class PatchForm(Exact):
    """Operations on rules, in order."""

    operations: list[Annotated[UpdateForm | AddForm | DeleteForm | MoveForm, Field(discriminator="op")]]
    list_definitions: list[ListDefForm] = Field(default_factory=list[ListDefForm])


class ItemForm(Open):
    """One scenario of an answer; `replaces` names the slot that it fills."""

    description: StrictStr = ""
    request: RequestForm
    expected_decision: Outcome
    reasoning: StrictStr = ""
    quote: StrictStr = ""
    replaces: StrictStr | None = None


class AnswerForm(Open):
    """What a generator answers in any turn."""

    scenarios: list[ItemForm]


class DiscardForm(Exact):
    """A scenario that was removed, and why."""

    scenario: ScenarioForm
    kind: DiscardKind
    detail: StrictStr
    actual: Outcome | None = None
    rule: StrictStr | None = None


class RefusedForm(Exact):
    """An item of an answer that was not taken, and why."""

    id: StrictStr
    why: StrictStr


class PageForm(Exact):
    """What a session about one page of tools has come to after `turns` answers."""

    turns: StrictInt
    scenarios: list[ScenarioForm]
    discards: list[DiscardForm] = Field(default_factory=list[DiscardForm])
    filled: list[StrictStr] = Field(default_factory=list)
    refused: list[RefusedForm] = Field(default_factory=list[RefusedForm])
    told: list[StrictStr] = Field(default_factory=list)


class BlameForm(Open):
    """Who is to blame for one failure, by a judge."""

    id: StrictStr
    blame: Literal["rule", "scenario", "both"]
    corrected: Outcome | None = None
    reasoning: StrictStr = ""
    quote: StrictStr = ""


class DerivedForm(Open):
    """What a judge expects of a call that no scenario reached."""

    request: RequestForm
    expected: Outcome
    reasoning: StrictStr = ""
    quote: StrictStr = ""


class VerdictForm(Open):
    """What a judge answers."""

    verdicts: list[BlameForm]
    derived: list[DerivedForm] = Field(default_factory=list[DerivedForm])
    probes: list[ItemForm] = Field(default_factory=list[ItemForm])
    passes: StrictBool = Field(alias="pass")
    open: list[StrictStr] = Field(default_factory=list)
    clauses: list[ClauseForm] = Field(default_factory=list[ClauseForm])
