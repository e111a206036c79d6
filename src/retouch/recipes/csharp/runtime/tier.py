"""Tier 4 of a run: the outcome of executing its types, as issues of its units."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from retouch.engine.types import Issue, Tier
from retouch.recipes.csharp.compilers.roslyn import compiler_thread
from retouch.recipes.csharp.runtime.check import check_run_time

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator, Mapping, Sequence

    from retouch._lib.json_text import JSON
    from retouch.engine.options import RunOptions
    from retouch.engine.types import Severity
    from retouch.recipes.csharp.ir import Endpoint
    from retouch.recipes.csharp.runtime.check import RunTimeReport

FAILED = "RUN_TIME"
NOT_RUN = "NOT_EXECUTED"
EXAMPLE = "RUN_TIME_EXAMPLE"
NAME = "run time"
_SHORTEST_LIMIT_S = 300.0
_AGAIN = "retouch validate DIR --runtime"


async def run_time_issues(
    endpoint: Endpoint, text: str, units: Collection[str], options: RunOptions, owners: Mapping[str, str]
) -> list[Issue]:
    """Return the issues of executing the C# in `text`, whose types are those of `endpoint`.

    `units` are the units that can have issues. `owners` are the units of the types whose names differ. A type that is
    no unit of its own belongs to the first unit. A failure follows from the document and the style, so it is the user's
    decision: no model is called again for it. What was not run is never a pass.
    """
    limit_s = max(_SHORTEST_LIMIT_S, options.check_timeout_s)

    def run() -> RunTimeReport:
        return check_run_time(endpoint, text, commands=options.commands, limit_s=limit_s)

    report = await asyncio.wrap_future(compiler_thread().submit(run))
    first = next(iter(units))
    if report.why:
        return [_not_run(first, f"the types were not executed: {report.why}", report.why, report.next)]

    def unit_of(type_name: str) -> str:
        owner = owners.get(type_name, type_name)
        return owner if owner in units else first

    issues = [*_failures(report, unit_of), *_single_types(report, unit_of), *_invalid(report, unit_of)]
    for name, what, problem in report.advice:
        message = f"{name}: System.Text.Json refuses {what}, since the enum is closed: {problem}"
        fix = "The plain style has open enums: --style plain."
        issues.append(_issue(FAILED, message, unit_of(name), severity="warning", fix=fix))
    if not endpoint.runtime:
        message = "the document's examples are not in this run, so only payloads made from its types were executed"
        fix = "Store them: run 'retouch generate csharp' again with --runtime."
        issues.append(_issue(EXAMPLE, message, first, severity="info", fix=fix))
    return issues


def _failures(report: RunTimeReport, unit_of: Callable[[str], str]) -> Iterator[Issue]:
    """Yield one issue for each type that failed, with its first failure."""
    for name, found in _by_type(report.failures).items():
        what, problem = found[0]
        more = f" (and {len(found) - 1} more payloads)" if len(found) > 1 else ""
        message = f"{name}: System.Text.Json does not keep {what}: {problem}{more}"
        fix = "Correct the document, or choose another style or type for it."
        detail: dict[str, JSON] = {"person": True, "payloads": len(found), "runtime": report.runtime}
        yield Issue(code=FAILED, message=message, tier=Tier.RUNTIME, unit=unit_of(name), fix=fix, detail=detail)


def _single_types(report: RunTimeReport, unit_of: Callable[[str], str]) -> Iterator[Issue]:
    """Yield one issue for each unit with types that were not run, while others were."""
    by_unit: dict[str, list[tuple[str, str]]] = {}
    for name, why in report.not_run.items():
        by_unit.setdefault(unit_of(name), []).append((name, why))
    for unit, found in by_unit.items():
        name, why = found[0]
        more = f" (and {len(found) - 1} more types)" if len(found) > 1 else ""
        step = "Run it with the .NET SDK" if "has no" in why else "Review the type"
        yield _not_run(unit, f"{name} was not executed: {why}{more}", f"{name}: {why}{more}", step, of_unit=True)


def _invalid(report: RunTimeReport, unit_of: Callable[[str], str]) -> Iterator[Issue]:
    """Yield an issue for each type with examples that contradict their own schema, and say which were not kept."""
    not_kept = _by_type(report.excused)
    for name, found in _by_type(report.invalid).items():
        what, where = found[0]
        number = "1 example is" if len(found) == 1 else f"{len(found)} examples are"
        message = f"{name}: {number} not valid by the document's own schema: {what}: {where}"
        excused = not_kept.get(name, [])
        if excused:
            message += f"; {len(excused)} not kept, which is no failure of the type: {excused[0][1]}"
        yield _issue(EXAMPLE, message, unit_of(name), severity="warning", fix="Correct the example in the document.")


def _by_type(found: Sequence[tuple[str, str, str]]) -> dict[str, list[tuple[str, str]]]:
    by_type: dict[str, list[tuple[str, str]]] = {}
    for name, what, problem in found:
        by_type.setdefault(name, []).append((what, problem))
    return by_type


def _not_run(unit: str, message: str, why: str, step: str, *, of_unit: bool = False) -> Issue:
    detail: dict[str, JSON] = {
        "not_run": f"not executed: {why}",
        "next": step or _AGAIN,
        "requested": True,
        "of_unit": of_unit,
    }
    return Issue(
        code=NOT_RUN, message=message, tier=Tier.RUNTIME, unit=unit, severity="warning", fix=step, detail=detail
    )


def _issue(code: str, message: str, unit: str, *, severity: Severity, fix: str) -> Issue:
    return Issue(code=code, message=message, tier=Tier.RUNTIME, unit=unit, severity=severity, fix=fix)
