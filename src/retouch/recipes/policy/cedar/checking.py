"""Compares Cedar's decisions by an exported policy with those of our own engine."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cache
from typing import TYPE_CHECKING, Any, cast

from retouch.errors import MissingTool
from retouch.recipes.policy.analysing.idle_rules import decided_regions
from retouch.recipes.policy.cedar.asking import Asker
from retouch.recipes.policy.cedar.stricter import stricter_copy
from retouch.recipes.policy.cedar.writing import export_cedar
from retouch.recipes.policy.deciding.evaluation import LEXICAL, evaluate
from retouch.recipes.policy.language.values import STRICTNESS

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from retouch._lib.json_text import JSON
    from retouch.recipes.policy.cedar.asking import Context
    from retouch.recipes.policy.cedar.writing import CedarExport
    from retouch.recipes.policy.language.policy import Policy
    from retouch.recipes.policy.language.values import Outcome, ToolCall

_ACTIONS = ("allow", "escalate")


class CedarEngine:
    """An exported policy, parsed once, that decides about many requests."""

    def __init__(self, export: CedarExport) -> None:
        cedar = cedarpy_module()
        self._batch: Any = cedar.is_authorized_batch
        self._policies: Any = cedar.PolicySet.from_str(export.policies)
        self._entities: Any = cedar.Entities.from_json_str("[]")

    def outcomes(self, contexts: Sequence[Context]) -> list[Outcome]:
        """Return the outcome for each request context."""
        asked = [_request(action, one) for one in contexts for action in _ACTIONS]
        found = iter(self._batch(asked, self._policies, self._entities))
        return [_outcome(allow.allowed, escalate.allowed) for allow, escalate in zip(found, found, strict=True)]


@dataclass(frozen=True, kw_only=True)
class Disagreement:
    """A call that Cedar decides differently."""

    request: ToolCall
    ours: Outcome
    cedar: Outcome

    def as_json(self) -> dict[str, JSON]:
        """Return the disagreement as JSON."""
        return {"request": self.request.as_json(), "ours": self.ours, "cedar": self.cedar}


@dataclass(frozen=True, kw_only=True)
class CedarCheck:
    """The result of checking an export: number of calls compared (`asked`) and decided before any rule (`settled`), and
    the calls that cannot be compared (`skipped`) with the reasons. `stricter` are the rules that were changed.
    """

    asked: int
    settled: int
    skipped: tuple[tuple[ToolCall, str], ...] = ()
    disagreements: tuple[Disagreement, ...] = ()
    errors: tuple[str, ...] = field(default=())
    stricter: tuple[str, ...] = ()

    @property
    def passed(self) -> bool:
        """True if the schema is valid and no call is decided differently."""
        return not self.disagreements and not self.errors

    def as_json(self) -> dict[str, JSON]:
        """Return the check as JSON."""
        skipped: list[JSON] = [{"request": call.as_json(), "why": why} for call, why in self.skipped]
        return {
            "passed": self.passed,
            "asked": self.asked,
            "settled": self.settled,
            "skipped": skipped,
            "disagreements": [one.as_json() for one in self.disagreements],
            "errors": cast("JSON", list(self.errors)),
            "stricter": cast("JSON", list(self.stricter)),
        }


def check_export(policy: Policy, export: CedarExport, requests: Iterable[ToolCall] = ()) -> CedarCheck:
    """Return whether Cedar decides like our engine, for `requests` and for one call of every region.

    Symbolic links are not followed. Calls that are decided before any rule are not compared.

    Raises:
        MissingTool: cedarpy is not installed.
    """
    asker, engine = Asker(policy), CedarEngine(export)
    calls = [*requests, *(call for call, _ in decided_regions(policy))]
    asked = [(call, asker.questions(call)) for call in calls]
    open_ = [(call, one) for call, one in asked if one.settled is None and one.unsayable is None]
    outcomes = iter(engine.outcomes([context for _, one in open_ for context in one.contexts]))
    wrong: list[Disagreement] = []
    for call, one in open_:
        cedar: Outcome = max((next(outcomes) for _ in one.contexts), key=lambda found: STRICTNESS[found])
        ours = _lexical(policy, call)
        if cedar != ours:
            wrong.append(Disagreement(request=call, ours=ours, cedar=cedar))
    return CedarCheck(
        asked=len(open_),
        settled=sum(one.settled is not None for _, one in asked),
        skipped=tuple((call, one.unsayable) for call, one in asked if one.unsayable is not None),
        disagreements=tuple(wrong),
        errors=_schema_errors(export),
    )


def checked_export(policy: Policy, requests: Iterable[ToolCall] = ()) -> tuple[CedarExport, CedarCheck]:
    """Return a policy as Cedar text, formatted by Cedar's own formatter, and the result of checking that text.

    Raises:
        BadInput: some rules cannot be exported. The message names each.
        MissingTool: cedarpy is not installed.
    """
    made = export_cedar(policy)
    export = replace(made, policies=cedarpy_module().format_policies(made.policies, line_width=120))
    return export, check_export(policy, export, requests)


def stricter_export(policy: Policy, requests: Iterable[ToolCall] = ()) -> tuple[CedarExport, CedarCheck]:
    """Return an export that denies what Cedar cannot tell apart. The check has a sentence for each changed rule.

    It compares the export with `stricter_copy`, and this with the policy: no call may be decided less strictly.

    Raises:
        BadInput: some rules cannot be exported even so. The message names each.
        MissingTool: cedarpy is not installed.
    """
    copy, changes = stricter_copy(policy)
    calls = [*requests, *(call for call, _ in decided_regions(policy))]
    export, check = checked_export(copy, calls)
    compared = [Disagreement(request=one, ours=_lexical(policy, one), cedar=_lexical(copy, one)) for one in calls]
    weaker = [one for one in compared if STRICTNESS[one.cedar] < STRICTNESS[one.ours]]
    return export, replace(check, disagreements=(*check.disagreements, *weaker), stricter=changes)


def _lexical(policy: Policy, call: ToolCall) -> Outcome:
    return evaluate(policy, call, surroundings=LEXICAL).decision


def _request(action: str, context: Context) -> dict[str, Any]:
    action_id = f'Action::"{action}"'
    return {"principal": 'Agent::"agent"', "action": action_id, "resource": 'Call::"call"', "context": context}


def _outcome(allowed: bool, escalated: bool) -> Outcome:
    return "allow" if allowed else "escalate" if escalated else "deny"


def _schema_errors(export: CedarExport) -> tuple[str, ...]:
    found = cedarpy_module().validate_policies(export.policies, export.schema)
    return tuple(str(one) for one in found.errors)


@cache
def cedarpy_module() -> Any:
    """Return the module `cedarpy`.

    Raises:
        MissingTool: it is not installed.
    """
    try:
        import cedarpy
    except ImportError as missing:
        hint = "Install it with: pip install 'retouch[cedar]'"
        raise MissingTool("checking an export to Cedar needs the extra 'cedar' (cedarpy)", hint=hint) from missing
    return cedarpy
