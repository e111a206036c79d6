"""The plain style: what is read, asked, answered, checked, and that a real compiler accepts it."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from pydantic import TypeAdapter

import retouch
from retouch.engine.types import Prompt
from retouch.errors import MissingTool
from retouch.recipes.csharp.answering.offline import answer
from retouch.recipes.csharp.asking.pages import plan
from retouch.recipes.csharp.asking.templates import prompt_text
from retouch.recipes.csharp.checking.answers import read as read_answers
from retouch.recipes.csharp.compilers.roslyn import find_roslyn
from retouch.recipes.csharp.ir import CsField, CsType, Endpoint
from retouch.recipes.csharp.job import recipe
from retouch.recipes.csharp.language.prose import summary_and_remarks
from retouch.recipes.csharp.reading.endpoint import ReadingOptions
from tests.recipes.csharp.read_documents import fields_of, read, record, spec, types_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from retouch.engine.types import Issue

PLAIN = ReadingOptions(style="plain", fields_per_page=5)
GOLDEN = Path(__file__).resolve().parents[2] / "golden" / "version_1" / "csharp"
STATE = {"type": "string", "enum": ["open", "closed", "Value", ""], "description": "Open & shut <cases>."}
THING = record(
    "id",
    "at",
    id={"type": "string", "format": "uuid"},
    at={"type": "string", "format": "date-time"},
    day={"type": "string", "format": "date"},
    hour={"type": "string", "format": "time"},
    home={"type": "string", "format": "uri", "description": "Where it is.\nSee <a> & b."},
    local={"type": "string", "format": "date-time", "example": "2026-01-02T03:04:05"},
    state={"$ref": "#/components/schemas/State"},
    level={"type": "integer", "enum": [1, 2], "x-enum-varnames": ["Low", "High"]},
    fixed={"type": "string", "enum": ["a", "b"], "x-ms-enum": {"name": "Fixed", "modelAsString": False}},
    maybe={"type": "string", "nullable": True},
    old={"type": "string", "deprecated": True},
    free={"type": "object"},
    links={"type": "object", "additionalProperties": {"type": "string", "format": "uri"}},
    next={"$ref": "#/components/schemas/Thing"},
    email={"type": "string", "maxLength": 80},
)


def thing(folder: Path, **more: Any) -> Endpoint:
    schemas = {"Thing": {**THING, **more}, "State": STATE}
    return read(folder, spec({"$ref": "#/components/schemas/Thing"}, schemas), PLAIN)


def pages_of(endpoint: Endpoint, unit: str) -> list[str]:
    return [answer(prompt) for prompt in plan(endpoint) if prompt.unit == unit]


def issues_of(endpoint: Endpoint, unit: str, pages: Sequence[str]) -> list[Issue]:
    return [*read_answers(endpoint, unit, pages).issues]


@pytest.mark.parametrize(
    ("json_name", "written"),
    [
        ("id", "Guid"),
        ("at", "DateTimeOffset"),
        ("day", "DateOnly"),
        ("hour", "TimeOnly"),
        ("home", "Uri"),
        ("local", "DateTime"),  # its example has no offset, which DateTimeOffset would invent
        ("state", "State"),
        ("free", "Dictionary<string, JsonElement>"),
        ("links", "Dictionary<string, Uri>"),
    ],
)
def test_types_are_those_of_the_base_library(tmp_path: Path, json_name: str, written: str) -> None:
    assert written == fields_of(thing(tmp_path).root)[json_name].type


def test_null_is_not_written_for_a_property_that_may_be_absent_and_never_null(tmp_path: Path) -> None:
    fields = fields_of(thing(tmp_path).root)
    omitted = ("JsonIgnore(Condition = JsonIgnoreCondition.WhenWritingNull)",)
    assert (omitted, ()) == (fields["day"].attributes, fields["maybe"].attributes)
    assert ((*omitted, "Obsolete"), True) == (fields["old"].attributes, fields["old"].nullable)
    assert ((), False, True) == (fields["id"].attributes, fields["id"].nullable, fields["id"].required)


def test_a_required_property_is_never_obsolete_because_the_compiler_would_warn(tmp_path: Path) -> None:
    fields = fields_of(thing(tmp_path, required=["old"]).root)
    assert ((), ("deprecated",)) == (fields["old"].attributes, fields["old"].notes)


@pytest.mark.parametrize("closed", [True, False])
def test_properties_that_the_document_does_not_name_are_kept(tmp_path: Path, closed: bool) -> None:
    extra = thing(tmp_path, additionalProperties=not closed).root.fields[-1]
    assert ("AdditionalProperties", ("JsonExtensionData",)) == (extra.name, extra.attributes)


def test_enums_are_open_unless_the_document_closes_them(tmp_path: Path) -> None:
    types = types_of(thing(tmp_path))
    found = {name: (one.open, one.integer) for name, one in types.items() if one.kind == "enum"}
    assert {"State": (True, False), "ThingLevel": (False, True), "ThingFixed": (False, False)} == found
    names = {value.value: value.name for value in types["State"].values}
    assert {"open": "Open", "closed": "Closed", "Value": "ValueValue", "": "Empty"} == names  # Value holds the text


@pytest.mark.parametrize(
    ("description", "names"),
    [
        ("0: closed, 1: open, -1: gone", ["Closed", "Open", "Gone"]),
        ("The state:\n* `0` - Closed\n* `1` - Wide open\n* `-1` - Gone", ["Closed", "WideOpen", "Gone"]),
        ("0 = closed; 1 = open; -1 = gone (never seen)", ["Closed", "Open", "Gone"]),
        ("0: closed, 1: open", ["Value0", "Value1", "Minus1"]),  # one is not named
        ("0: closed, 1: closed, -1: gone", ["Value0", "Value1", "Minus1"]),  # two are named alike
        ("0: closed, 1: open, -1: gone, 2: new", ["Value0", "Value1", "Minus1"]),  # of other values
        ("Between 0 and 1, at 10:30 or v1: x.", ["Value0", "Value1", "Minus1"]),
    ],
)
def test_values_are_named_by_prose_that_names_each_of_them(tmp_path: Path, description: str, names: list[str]) -> None:
    state = {"type": "integer", "enum": [0, 1, -1], "description": description}
    endpoint = read(tmp_path, spec(record(state=state)), PLAIN)
    assert names == [value.name for value in types_of(endpoint)["ThingState"].values]


@pytest.mark.parametrize("texts", [["Not yet.", "Over & done."], {"new": "Not yet.", "old": "Over & done."}])
def test_values_are_described_as_the_document_describes_them(tmp_path: Path, texts: Any) -> None:
    state = {"type": "string", "enum": ["new", "old"], "x-enum-descriptions": texts}
    endpoint = read(tmp_path, spec(record(state=state)), PLAIN)
    assert "    /// <summary>Over &amp; done.</summary>" in pages_of(endpoint, "ThingState")[0].split("\n")


def test_an_open_enum_with_an_empty_value_needs_no_warning_about_run_time(tmp_path: Path) -> None:
    endpoint = thing(tmp_path)
    assert [1, 2, 3] == [tier.tier for tier in recipe.tiers(endpoint)]
    shut = replace(types_of(endpoint)["State"], open=False)
    assert [1, 2, 3, 4] == [tier.tier for tier in recipe.tiers(replace(endpoint, types=(shut,)))]


def test_no_attribute_of_another_package_is_asked_for_or_written(tmp_path: Path) -> None:
    endpoint = thing(tmp_path)
    texts = [prompt.system + prompt.user + answer(prompt) for prompt in plan(endpoint)]
    foreign = re.compile(r"\[(?:Description|Required|Nullable|PrimaryKey|MaxLength|WriteOnly|Title)\b")
    assert [] == [found[0] for text in texts for found in foreign.finditer(text)]


def test_descriptions_are_whole_and_escaped_for_xml(tmp_path: Path) -> None:
    code = "\n".join(pages_of(thing(tmp_path, description=f"{'word ' * 100}end & <last>."), "Thing"))
    assert "/// <summary>Where it is. See &lt;a&gt; &amp; b.</summary>" in code
    assert "end &amp; &lt;last&gt;." in code
    assert 200 == code.count("word")  # of the class, and of the property that is another one


@pytest.mark.parametrize("per_page", [1, 3, 100])
def test_the_offline_answers_have_no_issue_in_pages_of_any_size(tmp_path: Path, per_page: int) -> None:
    endpoint = replace(thing(tmp_path), fields_per_page=per_page, values_per_page=per_page)
    assert {} == {
        type_.name: found
        for type_ in endpoint.types
        if (found := issues_of(endpoint, type_.name, pages_of(endpoint, type_.name)))
    }


@pytest.mark.parametrize(
    ("unit", "old", "new", "code"),
    [
        ("Thing", "public class Thing", "public class Thong", "MISSING_CLASS"),
        ("Thing", "public class Thing", "public static class Thing", "CLASS_FORM"),
        ("Thing", "public class Thing", "[Serializable]\npublic class Thing", "WRONG_ATTRIBUTE"),
        ("Thing", '"id"', '"Id"', "MISSING_FIELD"),
        ("Thing", "required Guid Id", "required string Id", "WRONG_TYPE"),
        ("Thing", "required Guid Id", "required Gadget Id", "UNDECLARED_TYPE"),
        ("Thing", "required Guid Id", "Guid Id", "WRONG_REQUIRED"),
        ("Thing", "required Guid Id", "required Guid? Id", "NULLABLE_MISMATCH"),
        ("Thing", "required Guid Id", "required Guid Key", "WRONG_NAME"),
        ("Thing", "Guid Id { get; init; }", "Guid Id { get; }", "ACCESSOR"),
        ("Thing", "Guid Id { get; init; }", "Guid Id => Guid.Empty;", "LOGIC"),
        ("Thing", "Guid Id { get; init; }", "Guid Id { get; init; } = Guid.NewGuid();", "LOGIC"),
        ("Thing", "[JsonIgnore(Condition = JsonIgnoreCondition.WhenWritingNull)]", "", "WRONG_ATTRIBUTE"),
        ("Thing", "JsonIgnoreCondition.WhenWritingNull", "JsonIgnoreCondition.Always", "WRONG_ATTRIBUTE"),
        ("Thing", "public required Guid", "public static Guid", "LOGIC"),
        ("Thing", "public required Guid", "// the rest of the properties\n    public required Guid", "PLACEHOLDER"),
        ("State", 'new("open")', 'new("opened")', "PHANTOM_FIELD"),
        ("State", 'public static State Open { get; } = new("open");', "", "ENUM_MEMBER"),
        ("State", "State Open {", "State Opened {", "WRONG_NAME"),
        ("State", "OpenEnumConverter<State>", "JsonStringEnumConverter<State>", "ENUM_CONVERTER"),
        ("State", "readonly record struct", "record struct", "CLASS_FORM"),
        ("State", 'new("open");', 'new("open");\n    public bool IsOpen() => true;', "LOGIC"),
        ("ThingFixed", "    A,", "    Alpha,", "ENUM_MEMBER"),
        ("ThingLevel", "High = 2", "High = 3", "ENUM_MEMBER"),
    ],
)
def test_each_defect_is_found(tmp_path: Path, unit: str, old: str, new: str, code: str) -> None:
    endpoint = thing(tmp_path)
    pages = pages_of(endpoint, unit)
    broken = [page.replace(old, new, 1) for page in pages]
    assert pages != broken
    assert code in [issue.code for issue in issues_of(endpoint, unit, broken) if issue.severity == "error"]


def test_a_repeated_property_is_found(tmp_path: Path) -> None:
    endpoint = thing(tmp_path)
    first, *rest = pages_of(endpoint, "Thing")
    again = '    [JsonPropertyName("id")]\n    public required Guid Id { get; init; }\n}'
    found = issues_of(endpoint, "Thing", [first.rstrip().removesuffix("}") + again, *rest])
    assert ["DUPLICATE_FIELD"] == [issue.code for issue in found]


@pytest.mark.parametrize("name", ["full_class", "class_only", "fields_only", "enum_only_open", "enum_values_only_open",
    "enum_only_closed", "enum_values_only_closed", "enum_only_integers", "enum_values_only_integers"])  # fmt: skip
def test_the_example_answer_of_a_prompt_is_what_its_example_request_asks_for(name: str) -> None:
    request, _, wanted = prompt_text(f"plain_example_{name}").partition("\n\nEXAMPLE ANSWER:\n")
    task = (
        request.removeprefix("EXAMPLE REQUEST:").replace("\nFIELDS:", "\n\nFIELDS:").replace("\nVALUES:", "\n\nVALUES:")
    )
    prompt = Prompt(unit="X", is_root=False, page=1, total_pages=1, system="", user=f"\nYOUR TASK:{task}")
    assert wanted == answer(prompt)


def test_the_task_comes_after_the_example(tmp_path: Path) -> None:
    user = next(iter(plan(thing(tmp_path)))).user
    assert (
        user.index("EXAMPLE ANSWER:")
        < user.index("YOUR TASK:")
        < user.index("FIELDS:\n- json", user.index("YOUR TASK:"))
    )
    assert "(none)" not in user.partition("FIELDS")[0]


def test_the_source_of_version_1_has_no_new_key_and_keeps_its_hash() -> None:
    stored = json.loads((GOLDEN / "ir.json").read_text(encoding="utf-8"))["source"]
    adapter = TypeAdapter(Endpoint)
    assert stored == adapter.dump_python(adapter.validate_python(stored), mode="json")
    assert "connector" == adapter.validate_python(stored).style


def test_both_styles_are_part_of_the_source(tmp_path: Path) -> None:
    adapter = TypeAdapter(Endpoint)
    stored = adapter.dump_python(thing(tmp_path), mode="json")
    assert "plain" == stored["style"]
    assert thing(tmp_path) == adapter.validate_python(stored)


def test_an_adopted_block_is_checked_as_the_whole_type(tmp_path: Path) -> None:
    endpoint = thing(tmp_path)
    whole = read_answers(endpoint, "Thing", pages_of(endpoint, "Thing")).value
    assert whole is not None
    assert [] == issues_of(endpoint, "Thing", [whole.text])


def test_a_real_compiler_accepts_the_file_without_a_warning(tmp_path: Path) -> None:
    try:
        find_roslyn()
    except MissingTool as missing:
        pytest.skip(f"needs a C# compiler: {missing}")
    model = retouch.open_model("offline", recipe=recipe)
    result = retouch.generate(recipe, thing(tmp_path), tmp_path / "run", model, retouch.RunOptions(compiler="roslyn"))
    assert ("verified", ()) == (result.status, result.issues)


def test_a_type_with_a_name_of_the_base_library_gets_another(tmp_path: Path) -> None:
    schemas = {name: record("id", id={"type": "string"}) for name in ("Uri", "DateTimeOffset", "IOpenEnum")}
    properties = {name.lower(): {"$ref": f"#/components/schemas/{name}"} for name in schemas}
    endpoint = read(
        tmp_path, spec({"$ref": "#/components/schemas/Root"}, {**schemas, "Root": record(**properties)}), PLAIN
    )
    assert ["DateTimeOffsetType", "IOpenEnumType", "Root", "UriType"] == sorted(types_of(endpoint))


def test_a_key_that_does_not_identify_is_no_matter_in_the_plain_style(tmp_path: Path) -> None:
    endpoint = read(tmp_path, spec(record(width={"type": "integer"})), PLAIN)
    assert () == endpoint.notes
    assert CsType(name="Thing", kind="class", is_root=True).key == endpoint.root.key
    assert isinstance(endpoint.root.fields[0], CsField)


LONG = "Where the thing is, e.g. Rome or a place without a name. " + "It may move <soon> & far away. " * 8


def test_a_long_description_is_a_summary_and_whole_remarks_for_types_members_and_values(tmp_path: Path) -> None:
    state = {"type": "string", "enum": ["new", "old"], "description": LONG, "x-enum-descriptions": ["New.", LONG]}
    endpoint = thing(tmp_path, properties={"state": state, "place": {"type": "string", "description": LONG}})
    summary = "/// <summary>Where the thing is, e.g. Rome or a place without a name.</summary>"
    for unit, comments in (("Thing", 2), ("ThingState", 2)):
        pages = pages_of(endpoint, unit)
        text = re.sub(r"\s*\n\s*///\s*", " ", "\n".join(pages).replace(summary, "\n#\n"))
        remarks = f"<remarks> {'It may move &lt;soon&gt; &amp; far away. ' * 8}</remarks>"
        assert comments == text.count(remarks), (unit, text)
        assert comments == "\n".join(pages).count(summary)
        assert [] == issues_of(endpoint, unit, pages)


@pytest.mark.parametrize(
    ("description", "halves"),
    [
        ("Short. Two sentences.", ("Short. Two sentences.", "")),
        ("Proposed.\nMore.", ("Proposed.", "More.")),
        ("word " * 60, ("word " * 60, "")),  # one sentence has no remarks
        (f"{'word ' * 60}end.", (f"{'word ' * 60}end.", "")),
        (f"Ends (here). {'word ' * 60}", ("Ends (here).", "word " * 60)),
    ],
)
def test_nothing_of_a_description_is_lost_between_summary_and_remarks(description: str, halves: tuple[str, str]):
    if halves[1].startswith("word"):
        description, halves = description.replace("word", "Word", 1), (halves[0], halves[1].replace("word", "Word", 1))
    assert halves == summary_and_remarks(description)


NINE_DIGITS = "2026-01-02T03:04:05.123456789Z"
STAMP = {"type": "string", "format": "date-time"}


@pytest.mark.parametrize(
    ("options", "time"), [(PLAIN, "DateTimeOffset"), (ReadingOptions(style="connector"), "DateTime")]
)
def test_a_time_with_an_example_of_nine_digits_anywhere_in_the_document_is_text(
    tmp_path: Path, options: ReadingOptions, time: str
) -> None:
    """They keep seven digits. The example may be one of another endpoint's response, or of a list."""
    inner = record("at", at=STAMP, all={"type": "array", "items": STAMP}, other=STAMP)
    schemas = {"Inner": inner, "Outer": record(inner={"$ref": "#/components/schemas/Inner"}, own=STAMP)}
    document = spec({"$ref": "#/components/schemas/Outer"}, schemas)
    media: dict[str, Any] = {"schema": {"type": "array", "items": {"$ref": "#/components/schemas/Outer"}}}
    value = {
        "inner": {"at": NINE_DIGITS, "all": [NINE_DIGITS], "other": "2026-01-02T03:04:05.1234567Z"},
        "own": "2026-01-02T03:04Z",
    }
    media["examples"] = {"one": {"value": [value]}}
    document["paths"]["/others"] = {"get": {"responses": {"200": {"description": "", "content": {"a/json": media}}}}}
    endpoint = read(tmp_path, document, options)
    found = {one.name: fields_of(one) for one in endpoint.types}
    assert ("string", "string[]") == (found["Inner"]["at"].type, found["Inner"]["all"].type)
    assert any("seven" in note for note in found["Inner"]["at"].notes)
    assert (time, time) == (found["Inner"]["other"].type, fields_of(endpoint.root)["own"].type)
    del media["examples"]
    fresh = tmp_path / "without"
    fresh.mkdir()
    again = {one.name: fields_of(one) for one in read(fresh, document, options).types}
    assert time == again["Inner"]["at"].type


@pytest.mark.parametrize(
    ("schema", "is_written"),
    [
        ({}, True),
        ({"description": "Anything."}, True),
        ({"anyOf": [{"$ref": "#/components/schemas/State"}, {}]}, True),
        ({"oneOf": [{"$ref": "#/components/schemas/State"}, {"type": "string"}]}, False),
        ({"$ref": "#/components/schemas/Nowhere"}, False),
    ],
)
def test_a_schema_that_says_nothing_allows_null_so_that_null_is_written(
    tmp_path: Path, schema: Any, is_written: bool
) -> None:
    endpoint = thing(tmp_path, properties={**THING["properties"], "it": schema})
    field = fields_of(endpoint.root)["it"]
    assert field.nullable
    assert is_written == (not any(one.startswith("JsonIgnore(") for one in field.attributes))
