"""Sound C# in another spelling is repaired without a call."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from retouch.recipes.csharp.answering.offline import answer
from retouch.recipes.csharp.asking.pages import plan
from retouch.recipes.csharp.checking.answers import read as read_answers
from retouch.recipes.csharp.fixes.steps import fix_pages
from retouch.recipes.csharp.reading.endpoint import ReadingOptions
from tests.recipes.csharp.read_documents import read, record, spec

if TYPE_CHECKING:
    from pathlib import Path

    from retouch.recipes.csharp.ir import Endpoint

THING = record(
    "number",
    "tags",
    number={"type": "integer"},
    tags={"type": "array", "items": {"type": "string"}},
    note={"type": "string", "nullable": True},
)
PLAIN_RECORD = """\
public record Thing(
    [property: JsonPropertyName("number")] long Number,
    [property: JsonPropertyName("tags")] IReadOnlyList<string> Tags,
    [property: JsonPropertyName("note")] string? Note = null)
{
    [JsonExtensionData]
    public Dictionary<string, JsonElement>? AdditionalProperties { get; set; }
}
"""
CONNECTOR_RECORD = """\
public record ThingDataObject(
    [property: JsonPropertyName("number"), Required] long Number,
    [property: JsonPropertyName("tags"), Required] IReadOnlyList<string> Tags,
    [property: JsonPropertyName("note"), Nullable(true)] string? Note = null);
"""


def endpoint(folder: Path, style: str) -> Endpoint:
    options = ReadingOptions(style="plain") if style == "plain" else ReadingOptions(style="connector")
    return read(folder, spec(THING), options)


def good(found: Endpoint) -> str:
    return answer(next(iter(plan(found))))


def fixed(found: Endpoint, page: str) -> str:
    unit = found.root.name
    before = read_answers(found, unit, [page]).issues
    assert before
    pages = fix_pages(found, unit, [page], before)
    assert pages is not None, before
    assert [] == [issue for issue in read_answers(found, unit, pages).issues if issue.severity == "error"]
    return pages[0]


@pytest.mark.parametrize("style", ["plain", "connector"])
@pytest.mark.parametrize("name", ["IReadOnlyList", "IList", "ICollection", "IEnumerable", "IReadOnlyCollection"])
def test_an_interface_of_a_list_becomes_the_array(tmp_path: Path, style: str, name: str) -> None:
    found = endpoint(tmp_path, style)
    page = good(found).replace("string[] Tags", f"{name}<string> Tags")
    assert "required string[] Tags" in fixed(found, page)


@pytest.mark.parametrize("style", ["plain", "connector"])
def test_json_required_becomes_the_keyword(tmp_path: Path, style: str) -> None:
    found = endpoint(tmp_path, style)
    page = good(found).replace("    public required long", "    [JsonRequired]\n    public long")
    assert "[JsonRequired]" not in fixed(found, page)


@pytest.mark.parametrize(("style", "page"), [("plain", PLAIN_RECORD), ("connector", CONNECTOR_RECORD)])
def test_a_positional_record_becomes_a_class(tmp_path: Path, style: str, page: str) -> None:
    assert "public class Thing" in fixed(endpoint(tmp_path, style), page)


def test_attributes_and_accessors_of_the_plain_style_are_completed(tmp_path: Path) -> None:
    found = endpoint(tmp_path, "plain")
    page = good(found).replace("{ get; init; }", "{ get; set; }").replace("required ", "")
    assert good(found) == fixed(found, page)


@pytest.mark.parametrize("new", ["long Number => 1;", "int Number { get; init; }", "long Count { get; init; }"])
def test_a_member_that_means_something_else_is_left_to_the_model(tmp_path: Path, new: str) -> None:
    found = endpoint(tmp_path, "plain")
    page = good(found).replace("long Number { get; init; }", new)
    assert fix_pages(found, found.root.name, [page], ()) is None
