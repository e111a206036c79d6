"""No format for continuous integration is green if the exit status is not."""

from __future__ import annotations

import itertools
import json
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest

from retouch.cli.reporting.findings import PlacedIssue
from retouch.cli.reporting.formats import render
from retouch.cli.reporting.reports import Reports, RunReport
from retouch.engine.tiers import STATUSES, Status, TierSummary
from retouch.engine.types import Issue, Tier

WARNING = Issue(code="ODD", message="odd", tier=Tier.SCHEMA, unit="a", severity="warning")
ERROR = Issue(code="WRONG", message="wrong", tier=Tier.SCHEMA, unit="a")


@pytest.mark.parametrize(("status", "issues"), list(itertools.product(STATUSES, [(), (WARNING,), (WARNING, ERROR)])))
def test_a_run_that_did_not_pass_has_an_error_in_each_format(status: Status, issues: tuple[Issue, ...]) -> None:
    run = RunReport(
        run=Path("out"),
        recipe="x",
        status=status,
        reason="something was not checked",
        passed=False,
        tiers=[TierSummary(tier=1, name="syntax", passed=0, failed=0, not_run=1, why="no tool")],
        states=[("a", "answered")],
        findings=[PlacedIssue(issue=one, file=Path("out/a.txt")) for one in issues],
    )
    reports = Reports(runs=[run], exit_status=1)
    assert any(line.startswith("::error ") for line in render(reports, "github").splitlines())
    (log,) = json.loads(render(reports, "sarif"))["runs"]
    assert "error" in {one["level"] for one in log["results"]}
    root = ET.fromstring(render(reports, "junit"))
    assert 0 < int(root.get("failures", "0")) == len(root.findall(".//failure"))
