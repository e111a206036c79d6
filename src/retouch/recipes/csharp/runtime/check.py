"""Runs payloads of all types of a source, and reports what was lost, refused, or not run."""

from __future__ import annotations

import json
from dataclasses import dataclass
from decimal import Decimal
from typing import TYPE_CHECKING, Any

from retouch.errors import MissingTool
from retouch.recipes.csharp.compilers.check import time_limit_s
from retouch.recipes.csharp.runtime.comparing import differences, is_excused
from retouch.recipes.csharp.runtime.payloads import EXAMPLE, NoPayload, Payload, omittable, payloads_of, reached
from retouch.recipes.csharp.runtime.runtimes import RuntimeFailed, find_runtime

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from retouch._lib.json_text import JSON
    from retouch.recipes.csharp.ir import Endpoint
    from retouch.recipes.csharp.runtime.runtimes import Runtime

_LIMIT_S = 300.0
_MOST_PLACES = 5  # of an invalid example that are named


@dataclass(frozen=True, kw_only=True)
class RunTimeReport:
    """The outcome of running payloads. `runtime` names what was run, "" if nothing was.

    `passed` are the types without a failure. `failures` are `(type, payload, problem)`. `not_run` has the reason for
    each type that was not run, and `why` the reason if it is the same for all. `excused` are examples of the document
    that contradict their own schema and were not kept: they count as neither. `examples` is the number of all other
    examples. `invalid` are all examples that contradict their own schema, kept or not, with the places where they do.
    `advice` are values that the style refuses by design, such as a new value of a closed enum.
    """

    runtime: str
    passed: tuple[str, ...] = ()
    failures: tuple[tuple[str, str, str], ...] = ()
    not_run: Mapping[str, str]
    payloads: int = 0
    examples: int = 0
    excused: tuple[tuple[str, str, str], ...] = ()
    invalid: tuple[tuple[str, str, str], ...] = ()
    advice: tuple[tuple[str, str, str], ...] = ()
    why: str = ""
    next: str = ""

    def to_json(self) -> dict[str, JSON]:
        """Return the report with the keys that the command prints."""
        return {
            "runtime": self.runtime,
            "passed": len(self.passed),
            "failed": len({unit for unit, _, _ in self.failures}),
            "not_run": dict(self.not_run),
            "payloads": self.payloads,
            "examples": self.examples,
            "failures": _listed(self.failures),
            "excused": _listed(self.excused),
            "invalid": _listed(self.invalid),
            "advice": _listed(self.advice),
            "why": self.why,
            "next": self.next,
        }


def _listed(found: Sequence[tuple[str, str, str]]) -> list[JSON]:
    return [{"unit": unit, "payload": what, "problem": problem} for unit, what, problem in found]


def check_run_time(
    endpoint: Endpoint, text: str, *, commands: Mapping[str, str] | None = None, limit_s: float = _LIMIT_S
) -> RunTimeReport:
    """Return the outcome of reading and writing payloads of every type with the C# in `text`.

    A payload that the schema allows must be preserved. One without a required property must be refused or preserved. If
    no runtime is installed, or the program does not compile, every type is not run, and `why` has the reason.
    """
    units = [type_.name for type_ in endpoint.types]
    try:
        runtime = find_runtime(commands)
    except MissingTool as missing:
        return _nothing_run(units, missing.message, missing.hint)
    payloads, not_run = _payloads(endpoint, runtime)
    asked = [{"type": f"{endpoint.namespace}.{one.unit}", "json": json.dumps(one.value)} for one in payloads]
    try:
        results = runtime.run(text, asked, limit_s=time_limit_s(limit_s, text)) if asked else []
    except RuntimeFailed as failed:
        return _nothing_run(units, failed.message, "Check that the file compiles: retouch validate DIR")
    sorts: dict[str, list[tuple[str, str, str]]] = {"failure": [], "excused": [], "advice": []}
    for one, problems in _failures(endpoint, payloads, results):
        own = [problem for problem in problems if not is_excused(problem, one.contradicts, one.value)]
        sort = "advice" if one.is_advice else "failure" if own else "excused"
        sorts[sort].append((one.unit, one.what, (own or problems)[0]))
    failures, excused = tuple(sorts["failure"]), tuple(sorts["excused"])
    bad = {unit for unit, _, _ in failures}
    passed = tuple(unit for unit in units if unit not in bad and unit not in not_run)
    return RunTimeReport(
        runtime=runtime.name,
        passed=passed,
        failures=failures,
        not_run=not_run,
        payloads=len(payloads),
        examples=sum(one.what.startswith(EXAMPLE) for one in payloads) - len(excused),
        excused=excused,
        invalid=tuple((one.unit, one.what, _where(one.contradicts)) for one in payloads if one.contradicts),
        advice=tuple(sorts["advice"]),
    )


def _where(contradicts: Sequence[str]) -> str:
    shown = ", ".join(place or "its whole value" for place in contradicts[:_MOST_PLACES])
    more = len(contradicts) - _MOST_PLACES
    return f"it is wrong at {shown}" + (f" and {more} more places" if more > 0 else "")


def _nothing_run(units: Sequence[str], why: str, step: str) -> RunTimeReport:
    return RunTimeReport(runtime="", not_run=dict.fromkeys(units, why), why=why, next=step)


def _payloads(endpoint: Endpoint, runtime: Runtime) -> tuple[list[Payload], dict[str, str]]:
    """Return the payloads of all types that the runtime can run, and the reasons for the remaining ones."""
    payloads: list[Payload] = []
    not_run: dict[str, str] = {}
    for type_ in endpoint.types:
        lacking = sorted(reached(endpoint, type_.name) & runtime.lacks)
        try:
            if lacking:
                not_run[type_.name] = f"{runtime.name} has no {lacking[0]}"
            else:
                payloads += payloads_of(endpoint, type_.name)
        except NoPayload as none:
            not_run[type_.name] = none.message
    return payloads, not_run


def _failures(
    endpoint: Endpoint, payloads: Sequence[Payload], results: Sequence[Mapping[str, str]]
) -> list[tuple[Payload, list[str]]]:
    """Return the payloads that were refused or changed, each with all of its problems."""
    may_be_null = omittable(endpoint)
    pairs = zip(payloads, results, strict=True)
    found = ((payload, _problems(payload, result, may_be_null)) for payload, result in pairs)
    return [(payload, problems) for payload, problems in found if problems]


def _problems(payload: Payload, result: Mapping[str, str], may_be_null: set[str]) -> list[str]:
    if "error" in result:
        return [] if payload.may_be_refused else [result["error"]]
    before, after = _parsed(json.dumps(payload.value)), _parsed(result.get("json", ""))
    return [*differences(before, after, may_be_null)]


def _parsed(text: str) -> Any:
    try:
        return json.loads(text, parse_float=Decimal)
    except ValueError:
        return f"no JSON: {text[:80]!r}"
