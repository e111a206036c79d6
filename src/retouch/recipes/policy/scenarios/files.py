"""Files of scenarios: the pydantic models, and the stored form."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from pydantic import Field, StrictInt, StrictStr

from retouch.recipes.policy.language.files import checked
from retouch.recipes.policy.language.forms import Exact, Open
from retouch.recipes.policy.language.strict_json import read_json
from retouch.recipes.policy.language.values import ToolCall
from retouch.recipes.policy.scenarios.scenario import Expectation, Scenario, Source

if TYPE_CHECKING:
    from collections.abc import Sequence

    from retouch._lib.json_text import JSON


class RequestForm(Exact):
    """The call of a scenario."""

    server_name: StrictStr
    tool_name: StrictStr
    arguments: dict[str, Any] = Field(default_factory=dict)


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
    return ToolCall(server=form.server_name, tool=form.tool_name, arguments=form.arguments)


def stored_scenarios(scenarios: Sequence[Scenario]) -> dict[str, JSON]:
    """Return scenarios in their stored form."""
    return {"scenarios": [one.as_json() for one in scenarios]}
