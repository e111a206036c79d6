"""Reports as GitHub workflow commands, SARIF 2.1.0, and JUnit XML. Each shows every failure of the exit status."""

from __future__ import annotations

import json
import re
from contextlib import contextmanager
from importlib.metadata import version
from typing import TYPE_CHECKING, Any, Literal, TypeAlias
from urllib.parse import quote
from xml.etree import ElementTree as ET

import click

from retouch._lib.hashing import text_hash
from retouch._lib.redaction import without_keys
from retouch.cli.reporting.reports import Reports, RunReport
from retouch.errors import RetouchError

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterator, Sequence
    from pathlib import Path

    from retouch.cli.reporting.findings import PlacedIssue
    from retouch.engine.types import Issue

Format: TypeAlias = Literal["text", "json", "github", "sarif", "junit"]
SARIF_SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"

_COMMANDS = {"error": "error", "warning": "warning", "info": "notice"}
_LEVELS = {"error": "error", "warning": "warning", "info": "note"}
_NOT_IN_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_NOT_PRINTED = re.compile("[\ud800-\udfff]")


def show_reports(reports: Reports, kind: Format) -> int:
    """Print the reports in the format `kind`, and return the exit status."""
    click.echo(render(reports, kind), nl=False)
    return reports.exit_status


@contextmanager
def showing_failures(folder: Path, kind: Format) -> Generator[None]:
    """Print an error that ends the command as a report too, so that no program reads an empty one as success."""
    try:
        yield
    except (RetouchError, OSError) as error:
        if kind not in ("text", "json"):
            from retouch.cli.failure import failure_of

            failure = failure_of(error)
            reason = f"{failure.message}. {failure.hint}".strip()
            run = RunReport(run=folder, recipe="", status="issues", reason=reason, passed=False)
            click.echo(render(Reports(runs=[run], exit_status=failure.status, was_read=False), kind), nl=False)
        raise


def render(reports: Reports, kind: Format) -> str:
    """Return the reports in the format `kind`: "github", "sarif" or "junit"."""
    renderers: dict[str, Callable[[Reports], str]] = {"github": _github, "sarif": _sarif, "junit": _junit}
    return renderers[kind](reports)


def message_of(issue: Issue) -> str:
    """Return an issue's message in one line, with its unit and page, and without anything that looks like a key."""
    place = ", ".join(part for part in (issue.unit, f"page {issue.page}" if issue.page else "") if part)
    text = without_keys(issue.message)
    return _NOT_PRINTED.sub("\ufffd", " ".join((f"{place}: {text}" if place else text).split()))


def fix_of(issue: Issue) -> str:
    """Return the next step of an issue."""
    return _NOT_PRINTED.sub("\ufffd", without_keys(issue.fix).strip())


def status_code(report: RunReport) -> str:
    """Return the code of a finding that represents the status of a whole run: `UNVERIFIED`, for example."""
    return report.status.upper()


def summary_of(reports: Reports) -> str:
    """Return the cost of all runs and the next command, as one sentence."""
    cost = f"cost {reports.usage.price}" if reports.usage.cost is not None else "cost unknown"
    return f"{cost}; next: {reports.next}" if reports.next else cost


# --- GitHub ---------------------------------------------------------------------------------------------------------


def _github(reports: Reports) -> str:
    lines = [line for report in reports.runs for line in _github_lines(report)]
    first = reports.runs[0]
    lines.append(f"::notice title=Retouch::{_data(f'{first.heading} ({first.run}); {summary_of(reports)}')}")
    return "\n".join(lines) + "\n"


def _github_lines(report: RunReport) -> Iterator[str]:
    for one in report.findings:
        issue = one.issue
        where = f"file={_property(one.name)},line={one.line},col={one.column},title={_property(issue.code)}"
        more = f"\nnext: {fix}" if (fix := fix_of(issue)) else ""
        yield f"::{_COMMANDS[issue.severity]} {where}::{_data(message_of(issue) + more)}"
    if report.hides_its_failure:
        yield f"::error title={status_code(report)}::{_data(f'{report.heading} ({report.run})')}"


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")


# --- SARIF ----------------------------------------------------------------------------------------------------------


def _sarif(reports: Reports) -> str:
    results = [result for report in reports.runs for result in _sarif_results(report)]
    rules = sorted({result["ruleId"] for result in results})
    for result in results:
        result["ruleIndex"] = rules.index(result["ruleId"])
    notices = [notice for report in reports.runs for notice in _sarif_notices(report)]
    finished = reports.was_read and all(report.status != "incomplete" for report in reports.runs)
    run = {
        "tool": {
            "driver": {
                "name": "Retouch",
                "semanticVersion": version("retouch"),
                "rules": [{"id": code, "name": code.title().replace("_", "")} for code in rules],
            }
        },
        "columnKind": "unicodeCodePoints",
        "originalUriBaseIds": {"SRCROOT": {"description": {"text": "The directory that the command was run in."}}},
        "invocations": [
            {
                "executionSuccessful": finished,
                "exitCode": reports.exit_status,
                "toolExecutionNotifications": notices,
            }
        ],
        "results": results,
        "properties": {
            "status": reports.runs[0].status,
            "cost": reports.usage.cost,
            "calls": reports.usage.calls,
            "next": reports.next,
        },
    }
    log = {"$schema": SARIF_SCHEMA, "version": "2.1.0", "runs": [run]}
    return json.dumps(log, indent=2) + "\n"


def _sarif_results(report: RunReport) -> Iterator[dict[str, Any]]:
    for one in report.findings:
        yield _sarif_result(report, one)
    if report.hides_its_failure:
        yield {
            "ruleId": status_code(report),
            "level": "error",
            "message": {"text": f"{report.heading} ({report.run})"},
            "locations": [{"physicalLocation": {"artifactLocation": _artifact(f"{report.run.as_posix()}/ir.json")}}],
            "partialFingerprints": {"retouch/v1": text_hash(f"{report.run}\n{report.status}")},
        }


def _sarif_result(report: RunReport, one: PlacedIssue) -> dict[str, Any]:
    issue = one.issue
    region: dict[str, Any] = {"startLine": one.line, "startColumn": one.column}
    if one.snippet:
        region["snippet"] = {"text": _NOT_PRINTED.sub("\ufffd", without_keys(one.snippet))}
    location: dict[str, Any] = {
        "physicalLocation": {"artifactLocation": _artifact(one.name), "region": region},
    }
    if issue.unit:
        location["logicalLocations"] = [{"fullyQualifiedName": issue.unit, "kind": "module"}]
    same = "\n".join((issue.code, issue.unit, str(issue.page), " ".join(issue.message.split())))
    return {
        "ruleId": issue.code,
        "level": _LEVELS[issue.severity],
        "message": {"text": message_of(issue)},
        "locations": [location],
        "partialFingerprints": {"retouch/v1": text_hash(_NOT_PRINTED.sub("\ufffd", same))},
        "properties": {"run": str(report.run), "tier": int(issue.tier), "next": fix_of(issue)},
    }


def _artifact(name: str) -> dict[str, Any]:
    """Return where a file is: relative to the directory of the command, or by its whole address."""
    path = quote(name)
    return {"uri": f"file://{path}"} if name.startswith("/") else {"uri": path, "uriBaseId": "SRCROOT"}


def _sarif_notices(report: RunReport) -> Iterator[dict[str, Any]]:
    for tier in report.tiers:
        if tier.not_run:
            step = f"; next: {tier.next}" if tier.next else ""
            text = f"{report.run}: tier {tier.tier} {tier.name} was not run for {tier.not_run}: {tier.why}{step}"
            yield {"level": "warning", "message": {"text": _NOT_PRINTED.sub("\ufffd", without_keys(text))}}


# --- JUnit ----------------------------------------------------------------------------------------------------------


def _junit(reports: Reports) -> str:
    root = ET.Element("testsuites", name="retouch")
    suites = [_suite(report) for report in reports.runs]
    for key in ("tests", "failures", "errors", "skipped"):
        root.set(key, str(sum(int(suite.get(key, "0")) for suite in suites)))
    root.extend(suites)
    ET.indent(root)
    return ET.tostring(root, encoding="unicode", xml_declaration=False).join(
        ('<?xml version="1.0" encoding="UTF-8"?>\n', "\n")
    )


def _suite(report: RunReport) -> ET.Element:
    """Return a suite with a case for each unit, each tier, and the status of the run."""
    of_unit: dict[str, list[PlacedIssue]] = {name: [] for name, _ in report.states}
    for one in report.findings:
        of_unit.setdefault(one.issue.unit, []).append(one)
    missing = set(report.unanswered())
    run = report.run.as_posix()
    cases = [_unit_case(run, name, found, missing=name in missing) for name, found in of_unit.items()]
    cases += [_tier_case(run, report, number) for number in range(len(report.tiers))]
    status = _case(run, "status")
    if not report.passed:
        _add_result(status, "failure", status_code(report), report.heading)
    cases.append(status)
    counts = {"tests": len(cases)}
    for key, tag in (("failures", "failure"), ("errors", "error"), ("skipped", "skipped")):
        counts[key] = sum(case.find(tag) is not None for case in cases)
    suite = ET.Element("testsuite", {"name": _xml(run), **{key: str(number) for key, number in counts.items()}})
    suite.extend(cases)
    return suite


def _case(run: str, name: str) -> ET.Element:
    return ET.Element("testcase", classname=_xml(run), name=_xml(name), time="0")


def _unit_case(run: str, name: str, found: Sequence[PlacedIssue], *, missing: bool) -> ET.Element:
    case = _case(run, f"unit {name}" if name else "files")
    errors = [one for one in found if one.issue.is_error]
    others = [one for one in found if not one.issue.is_error]
    if errors:
        text = "\n".join(f"{one.place} {one.issue.code} {message_of(one.issue)}" for one in errors)
        _add_result(case, "failure", errors[0].issue.code, message_of(errors[0].issue), text)
        case.set("file", _xml(errors[0].name))
        case.set("line", str(errors[0].line))
    elif missing:
        _add_result(case, "error", "UNANSWERED", f"{name} has no answer yet")
    if others:
        lines = [f"{one.place} {one.issue.code} {message_of(one.issue)}" for one in others]
        ET.SubElement(case, "system-out").text = _xml("\n".join(lines))
    return case


def _tier_case(run: str, report: RunReport, number: int) -> ET.Element:
    tier = report.tiers[number]
    case = _case(run, f"tier {tier.tier} {tier.name}")
    if tier.failed:
        _add_result(
            case, "failure", "TIER_FAILED", f"{tier.failed} of {tier.passed + tier.failed + tier.not_run} failed"
        )
    elif tier.not_run:
        step = f"; next: {tier.next}" if tier.next else ""
        ET.SubElement(case, "skipped", message=_xml(f"not run for {tier.not_run}: {without_keys(tier.why)}{step}"))
    return case


def _add_result(case: ET.Element, tag: str, code: str, message: str, text: str = "") -> None:
    ET.SubElement(case, tag, type=_xml(code), message=_xml(message)).text = _xml(text or message)


def _xml(text: str) -> str:
    """Return the text without characters that XML forbids."""
    return _NOT_IN_XML.sub("\ufffd", text)
