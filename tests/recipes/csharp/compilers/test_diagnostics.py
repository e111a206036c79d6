"""A compiler's diagnostic is reported for the type and page that wrote the line."""

from __future__ import annotations

from typing import Literal

import pytest

from retouch.engine.types import Tier
from retouch.recipes.csharp.compilers.diagnostics import Diagnostic, to_issues
from retouch.recipes.csharp.writing.files import compose

from .compiler_stand_in import ENDPOINT, ROOT_PAGE_1, values

TEXT = compose(ENDPOINT, {name: code.text for name, code in values().items()})
LINES = TEXT.split("\n")


def found(line: int, code: str = "CS0246", severity: Literal["error", "warning"] = "error") -> Diagnostic:
    return Diagnostic(code=code, severity=severity, message="seen", line=line, column=5)


def line_of(text: str) -> int:
    return LINES.index(text) + 1


@pytest.mark.parametrize(
    ("text", "unit", "page", "line"),
    [
        ('[PrimaryKey("id", nameof(Id))]', "PalletsDataObject", 1, 1),
        ("    public required string Id { get; init; }", "PalletsDataObject", 1, ROOT_PAGE_1.count("\n")),
        ('    [JsonPropertyName("bay")]', "PalletsDataObject", 2, 2),
        ("    public Bay? Bay { get; init; }", "PalletsDataObject", 2, 4),
        ("public class Bay", "Bay", 1, 1),
        ("    Full,", "Load", 1, 5),
    ],
)
def test_a_line_blames_the_page_that_wrote_it(text: str, unit: str, page: int, line: int):
    (issue,) = to_issues("PalletsDataObject", values(), TEXT, [found(line_of(text))])
    assert (unit, page, line) == (issue.unit, issue.page, issue.line)
    assert text.strip() == issue.detail["source"]


@pytest.mark.parametrize("line", [1, 2, len(LINES), len(LINES) + 9])
def test_a_line_outside_every_type_blames_the_root(line: int):
    (issue,) = to_issues("PalletsDataObject", values(), TEXT, [found(line)])
    assert ("PalletsDataObject", None, None) == (issue.unit, issue.page, issue.line)


def test_a_marker_line_blames_its_type():
    marker = line_of("// [SCHMITH:END Bay]")
    (issue,) = to_issues("PalletsDataObject", values(), TEXT, [found(marker)])
    assert "Bay" == issue.unit


def test_an_issue_keeps_code_severity_and_gets_the_next_step():
    (issue,) = to_issues("PalletsDataObject", values(), TEXT, [found(3, "CS8618", "warning")])
    assert ("CS8618", "warning", Tier.SEMANTIC) == (issue.code, issue.severity, issue.tier)
    assert "`required`" in issue.fix


def test_a_type_that_was_not_given_blames_the_root():
    only_root = {"PalletsDataObject": values()["PalletsDataObject"]}
    (issue,) = to_issues("PalletsDataObject", only_root, TEXT, [found(line_of("public class Bay"))])
    assert "PalletsDataObject" == issue.unit
