"""The pydantic models of answers, and of the stored parts of answers."""

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
    """A clause that no rule can enforce, according to the model that wrote the rules."""

    clause: StrictStr = Field(min_length=1)
    why: StrictStr = ""
    nearest: StrictStr = ""


class ClauseForm(Open):
    """A judge's verdict on a clause that no rule quotes."""

    clause: StrictStr
    status: Literal["covered", "no_tool", "not_a_rule", "not_enforced"]
    rules: list[StrictStr] = Field(default_factory=list)
    why: StrictStr = ""


class RulesForm(Exact):
    """The rules of one server. `origin` is the hash of the answer that a patched set is based on.

    `clauses` are judges' verdicts on clauses that no rule quotes. Only cached results have them, with their `origin`.
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
    """An operation that removes a rule."""

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
    """One scenario of an answer. `replaces` names the open slot that it fills."""

    description: StrictStr = ""
    request: RequestForm
    expected_decision: Outcome
    reasoning: StrictStr = ""
    quote: StrictStr = ""
    replaces: StrictStr | None = None


class AnswerForm(Open):
    """A generator's answer, in any turn."""

    scenarios: list[ItemForm]


class DiscardForm(Exact):
    """A scenario that was removed, and why."""

    scenario: ScenarioForm
    kind: DiscardKind
    detail: StrictStr
    actual: Outcome | None = None
    rule: StrictStr | None = None


class RefusedForm(Exact):
    """An item of an answer that was not accepted, and why."""

    id: StrictStr
    why: StrictStr


class PageForm(Exact):
    """The state of a session about one page of tools after `turns` answers."""

    turns: StrictInt
    scenarios: list[ScenarioForm]
    discards: list[DiscardForm] = Field(default_factory=list[DiscardForm])
    filled: list[StrictStr] = Field(default_factory=list)
    refused: list[RefusedForm] = Field(default_factory=list[RefusedForm])
    told: list[StrictStr] = Field(default_factory=list)


class BlameForm(Open):
    """A judge's verdict on one failure: which side is incorrect."""

    id: StrictStr
    blame: Literal["rule", "scenario", "both"]
    corrected: Outcome | None = None
    reasoning: StrictStr = ""
    quote: StrictStr = ""


class DerivedForm(Open):
    """The decision that a judge expects for a call that no scenario reached."""

    request: RequestForm
    expected: Outcome
    reasoning: StrictStr = ""
    quote: StrictStr = ""


class VerdictForm(Open):
    """A judge's answer."""

    verdicts: list[BlameForm]
    derived: list[DerivedForm] = Field(default_factory=list[DerivedForm])
    probes: list[ItemForm] = Field(default_factory=list[ItemForm])
    passes: StrictBool = Field(alias="pass")
    open: list[StrictStr] = Field(default_factory=list)
    clauses: list[ClauseForm] = Field(default_factory=list[ClauseForm])
