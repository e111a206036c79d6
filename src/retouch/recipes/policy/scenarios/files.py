"""Files of scenarios: the pydantic models, and the stored form."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from pydantic import AfterValidator, Field, StrictInt, StrictStr

from retouch.errors import BadInput
from retouch.recipes.policy.deciding.evaluation import as_request
from retouch.recipes.policy.language.files import checked
from retouch.recipes.policy.language.forms import Exact, Open
from retouch.recipes.policy.language.strict_json import read_json
from retouch.recipes.policy.language.values import CallState, EarlierCall, ToolCall
from retouch.recipes.policy.scenarios.scenario import Expectation, Scenario, Source

if TYPE_CHECKING:
    from collections.abc import Sequence

    from retouch._lib.json_text import JSON


def _with_zone(value: datetime) -> datetime:
    if value.tzinfo is None:
        raise ValueError("the time has no zone; write it like 2026-11-23T09:00:00+01:00 or ...Z")
    return value


Instant = Annotated[datetime, AfterValidator(_with_zone)]


class EarlierForm(Exact):
    """A call that was made before the call of a scenario."""

    server_name: StrictStr
    tool_name: StrictStr
    arguments: dict[str, Any] = Field(default_factory=dict)
    at: Instant
    times: Annotated[StrictInt, Field(ge=1, le=1_000_000)] = 1


class RequestForm(Exact):
    """The call of a scenario, its time, and calls that were made before."""

    server_name: StrictStr
    tool_name: StrictStr
    arguments: dict[str, Any] = Field(default_factory=dict)
    at: Instant | None = None
    earlier: list[EarlierForm] = Field(default_factory=list[EarlierForm])


class ScenarioForm(Open):
    """One scenario."""

    description: StrictStr = ""
    request: RequestForm
    expected_decision: Expectation
    reasoning: StrictStr = ""
    source: Source = "generated"
    origin: StrictInt | None = None
    corrected_from: Expectation | None = None
    quote: StrictStr = ""


class ScenariosForm(Open):
    """A file of scenarios."""

    scenarios: list[ScenarioForm]


def read_scenarios(path: str | Path) -> tuple[Scenario, ...]:
    """Return the scenarios of a file: an object with `scenarios`, or only the list.

    Raises:
        BadInput: it cannot be read. Every error is listed with its path.
    """
    return scenarios_in(read_json(Path(path)), name=str(path))


def scenarios_in(value: JSON, *, name: str) -> tuple[Scenario, ...]:
    """Return the scenarios of a JSON value. Messages use `name` for it.

    Raises:
        BadInput: it has another shape. Every error is listed with its path.
    """
    form = checked(ScenariosForm, {"scenarios": value} if isinstance(value, list) else value, name=name)
    return tuple(scenario_of(one) for one in form.scenarios)


def scenario_of(form: ScenarioForm) -> Scenario:
    """Return the scenario of a form."""
    return Scenario(
        request=request_of(form.request),
        expected=form.expected_decision,
        description=form.description,
        reasoning=form.reasoning,
        source=form.source,
        origin=form.origin,
        corrected_from=form.corrected_from,
        quote=form.quote,
    )


def request_of(form: RequestForm) -> ToolCall:
    """Return the call of a form."""
    earlier = tuple(
        EarlierCall(
            call=ToolCall(server=one.server_name, tool=one.tool_name, arguments=one.arguments),
            at=one.at,
            times=one.times,
        )
        for one in form.earlier
    )
    state = CallState(at=form.at, earlier=earlier) if earlier or form.at is not None else None
    return ToolCall(server=form.server_name, tool=form.tool_name, arguments=form.arguments, state=state)


def call_in(value: JSON) -> ToolCall | None:
    """Return a call with its time and earlier calls. None if it is malformed.

    Use this for calls that users or models write. The call of an agent must not bring a state of its own.
    """
    call = as_request(value)
    stateful = call is not None and isinstance(value, dict) and ("at" in value or "earlier" in value)
    if not stateful or not isinstance(value, dict):
        return call
    keys = ("serverName", "toolName", "arguments", "at", "earlier")
    try:
        return request_of(checked(RequestForm, {key: value[key] for key in keys if key in value}, name="the call"))
    except BadInput:
        return None


def stored_scenarios(scenarios: Sequence[Scenario]) -> dict[str, JSON]:
    """Return scenarios in their stored form."""
    return {"scenarios": [one.as_json() for one in scenarios]}
