"""C# of the plain style that looks right and is not: each of these is an issue."""

from __future__ import annotations

from copy import deepcopy
from typing import TYPE_CHECKING

import pytest

from retouch.recipes.csharp.answering.offline import answer
from retouch.recipes.csharp.asking.pages import plan
from retouch.recipes.csharp.changes import breaking_changes
from retouch.recipes.csharp.checking.answers import read as read_answers
from retouch.recipes.csharp.reading.endpoint import ReadingOptions
from tests.recipes.csharp.read_documents import read, record, spec
from tests.recipes.csharp.test_project import document, project

if TYPE_CHECKING:
    from pathlib import Path

    from retouch.recipes.csharp.reading.endpoint import ReadingOptions as Options

PLAIN: Options = ReadingOptions(style="plain")


@pytest.mark.parametrize(
    ("old", "new", "code"),
    [
        ("[JsonPropertyName", "[field: JsonPropertyName", "WRONG_ATTRIBUTE"),  # the serialiser reads no fields
        ("public class", "#nullable disable\npublic class", "FORBIDDEN"),
        ("{\n", "{\n#nullable disable\n", "FORBIDDEN"),
    ],
)
def test_what_takes_effect_elsewhere_is_an_issue(tmp_path: Path, old: str, new: str, code: str) -> None:
    endpoint = read(tmp_path, spec(record("id", id={"type": "string"})), PLAIN)
    (prompt,) = plan(endpoint)
    page = answer(prompt)
    assert [] == [*read_answers(endpoint, prompt.unit, [page]).issues]
    changed = page.replace(old, new, 1)
    assert code in [issue.code for issue in read_answers(endpoint, prompt.unit, [changed]).issues]


SCHEMAS = {
    "State": {"type": "string", "enum": ["open", "shut"]},
    "Level": {"type": "string", "enum": ["open", "high"]},
    "Fixed": {"type": "string", "enum": ["a", "b"], "x-ms-enum": {"modelAsString": False}},
}


@pytest.mark.parametrize(
    ("unit", "old", "new", "code"),
    [
        ("State", 'new("open")', 'new Level("open")', "PHANTOM_FIELD"),
        ("Fixed", 'MemberName("a")', "MemberName(nameof(a))", "WRONG_ATTRIBUTE"),
        ("Thing", '("id")', "(nameof(id))", "WRONG_ATTRIBUTE"),
        ("Thing", "Guid Id", "Guid Thing.Id", "WRONG_NAME"),
        ("Thing", "Guid Id", "System.Text.Guid Id", "UNDECLARED_TYPE"),
        ("Thing", "Dictionary<", "System.Collections.Dictionary<", "UNDECLARED_TYPE"),
        ("Thing", "Condition =", "Condition:", "WRONG_ATTRIBUTE"),
        ("Thing", "{\n", "{\n#error x\n", "FORBIDDEN"),
        ("Thing", "{\n", "{\n#warning x\n", "FORBIDDEN"),
        ("Thing", "{\n", "{\n#pragma warning disable\n", "FORBIDDEN"),
        ("Thing", "{\n", "{\n#line 5\n", "FORBIDDEN"),
    ],
)
def test_what_does_not_compile_or_hides_it_is_an_issue_without_a_compiler(
    tmp_path: Path, unit: str, old: str, new: str, code: str
) -> None:
    properties = {name.lower(): {"$ref": f"#/components/schemas/{name}"} for name in SCHEMAS}
    thing = record("id", id={"type": "string", "format": "uuid"}, **properties)
    endpoint = read(tmp_path, spec({"$ref": "#/components/schemas/Thing"}, {**SCHEMAS, "Thing": thing}), PLAIN)
    pages = [answer(prompt) for prompt in plan(endpoint) if prompt.unit == unit]
    assert [] == [*read_answers(endpoint, unit, pages).issues]
    broken = [page.replace(old, new, 1) for page in pages]
    assert pages != broken
    assert code in [issue.code for issue in read_answers(endpoint, unit, broken).issues if issue.is_error]


@pytest.mark.parametrize("style", ["plain", "connector"])
@pytest.mark.parametrize(
    ("new", "found"),
    [
        ("The colour of the roof.", "names nothing of 'born'"),
        ("The name on the collar.", "has the description of 'name'"),  # swapped
        ("When it was born.", ""),  # in other words
        ("The day of birth is not known.", "denies the listed one"),
        ("The day of birth, 8 digits.", "with the number 8"),
    ],
)
def test_a_description_of_something_else_is_a_warning(tmp_path: Path, style: str, new: str, found: str) -> None:
    texts = {"born": "The day of birth.", "name": "The name on the collar."}
    thing = record(**{name: {"type": "string", "description": text} for name, text in texts.items()})
    endpoint = read(tmp_path, spec(thing), ReadingOptions(style="plain" if style == "plain" else "connector"))
    (prompt,) = plan(endpoint)
    page = answer(prompt)
    clean = [issue.code for issue in read_answers(endpoint, prompt.unit, [page]).issues]
    assert "DESCRIPTION" not in clean
    changed = page.replace(texts["born"], new, 1)
    assert page != changed
    issues = [one for one in read_answers(endpoint, prompt.unit, [changed]).issues if one.code == "DESCRIPTION"]
    assert [found] * bool(found) == [found for one in issues if found in one.message and one.severity == "warning"]
    assert bool(found) == bool(issues)


@pytest.mark.parametrize("closed", [False, True])
@pytest.mark.parametrize(
    ("old", "new", "found"),
    [
        ("Not paid yet.", "Paid in full.", "has the description of 'late'"),  # swapped
        ("Not paid yet.", "The colour of the roof.", "names nothing of 'new'"),
        ("Not paid yet.", "Paid yet.", "denies the listed one"),
        ("How far a bill is.", "The colour of the roof.", "names nothing of 'State'"),
    ],
)
def test_a_false_description_of_a_value_or_a_type_is_a_warning(
    tmp_path: Path, closed: bool, old: str, new: str, found: str
) -> None:
    texts = ["Not paid yet.", "Paid in full."]
    state = {
        "type": "string",
        "enum": ["new", "late"],
        "x-enum-descriptions": texts,
        "description": "How far a bill is.",
    }
    shut = {"x-ms-enum": {"name": "State", "modelAsString": False}} if closed else {}
    ref = {"$ref": "#/components/schemas/State"}
    endpoint = read(tmp_path, spec(record(state=ref), {"State": {**state, **shut}}), PLAIN)
    (page,) = [answer(prompt) for prompt in plan(endpoint) if prompt.unit == "State"]
    assert [] == [*read_answers(endpoint, "State", [page]).issues]
    assert old in page
    issues = read_answers(endpoint, "State", [page.replace(old, new, 1)]).issues
    assert [("DESCRIPTION", "warning")] == [(one.code, one.severity) for one in issues]
    assert found in issues[0].message


@pytest.mark.parametrize("style", ["plain", "connector"])
@pytest.mark.parametrize(
    "text", ["犬 & 猫", "<b>犬</b>", "It's <i>never</i> null & 5 > 4.", "x" * 400, "a\nb\u2028c ```d```"]
)
def test_a_description_as_it_is_listed_is_no_warning(tmp_path: Path, style: str, text: str) -> None:
    thing = {**record(born={"type": "string", "description": text}), "description": text}
    endpoint = read(tmp_path, spec(thing), ReadingOptions(style="plain" if style == "plain" else "connector"))
    (prompt,) = plan(endpoint)
    issues = read_answers(endpoint, prompt.unit, [answer(prompt)]).issues
    assert [] == [one.message for one in issues if one.code == "DESCRIPTION"]


def test_an_attribute_may_name_the_property_as_its_target(tmp_path: Path) -> None:
    endpoint = read(tmp_path, spec(record("id", id={"type": "string"})), PLAIN)
    (prompt,) = plan(endpoint)
    page = answer(prompt).replace("[JsonPropertyName", "[property: JsonPropertyName")
    assert [] == [*read_answers(endpoint, prompt.unit, [page]).issues]


def test_an_endpoint_that_lost_its_body_is_a_breaking_change(tmp_path: Path) -> None:
    after = deepcopy(document())
    after["paths"]["/pets"]["post"]["responses"] = {"204": {"description": "nothing"}}
    (tmp_path / "old").mkdir()
    (tmp_path / "new").mkdir()
    found = breaking_changes(project(tmp_path / "old"), project(tmp_path / "new", after))
    assert ("POST /pets: the type was 'Pet' and is none",) == found
