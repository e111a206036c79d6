"""What the plain style adds on request: records, defaults and the context of the source generator."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from retouch._lib.run_sync import run_sync
from retouch.engine.options import RunOptions
from retouch.errors import MissingTool
from retouch.recipes.csharp.answering.offline import answer
from retouch.recipes.csharp.asking.pages import plan
from retouch.recipes.csharp.checking.answers import read as read_answers
from retouch.recipes.csharp.compilers.check import check_file
from retouch.recipes.csharp.compilers.roslyn import find_roslyn
from retouch.recipes.csharp.job import assemble, recipe
from retouch.recipes.csharp.reading.endpoint import ReadingOptions
from tests.recipes.csharp.commands.conftest import retouch, work_folder
from tests.recipes.csharp.read_documents import fields_of, read, record, saved, spec

if TYPE_CHECKING:
    from retouch.recipes.csharp.ir import Endpoint, Extra
    from tests.cli.conftest import Retouch

__all__ = ["retouch", "work_folder"]

CAT = record("kind", kind={"type": "string"}, lives={"type": "integer", "default": 9})
DOG = record("kind", kind={"type": "string"}, name={"type": "string", "default": 'Rex "I"'})
PET = {
    "oneOf": [{"$ref": "#/components/schemas/Cat"}, {"$ref": "#/components/schemas/Dog"}],
    "discriminator": {"propertyName": "kind", "mapping": {"cat": "#/components/schemas/Cat", "dog": "Dog"}},
}
THING = record(
    "id",
    id={"type": "integer"},
    size={"type": "number", "default": 1.5},
    tame={"type": "boolean", "default": True},
    state={"type": "string", "enum": ["open", "shut"], "default": "open"},
    tags={"type": "array", "items": {"type": "string"}, "default": []},
    huge={"type": "integer", "default": 2**70},
    pet={"$ref": "#/components/schemas/Pet"},
)


def document() -> Any:
    return spec({"$ref": "#/components/schemas/Thing"}, {"Thing": THING, "Pet": PET, "Cat": CAT, "Dog": DOG})


def thing(folder: Path, *extras: Extra) -> Endpoint:
    return read(folder, document(), ReadingOptions(style="plain", extras=extras))


def files_of(endpoint: Endpoint) -> dict[str, str]:
    pages: dict[str, list[str]] = {}
    for prompt in plan(endpoint):
        pages.setdefault(prompt.unit, []).append(answer(prompt))
    found = {unit: read_answers(endpoint, unit, given) for unit, given in pages.items()}
    assert [] == [issue for one in found.values() for issue in one.issues]
    return {**assemble(endpoint, {unit: one.value for unit, one in found.items() if one.value is not None})}


def test_records_are_written_instead_of_classes_and_accepted(tmp_path: Path) -> None:
    code = files_of(thing(tmp_path, "records"))["Thing.cs"]
    assert {"Thing", "Cat : Pet", "Dog : Pet", "Pet"} == {*re.findall(r"^public record ([\w :]+)$", code, re.MULTILINE)}
    assert "public class" not in code.partition("[SCHMITH:END Thing]")[0]


def test_a_class_is_an_error_where_a_record_is_wanted_and_the_other_way(tmp_path: Path) -> None:
    cases: list[tuple[tuple[Extra, ...], str, str]] = [
        (("records",), "public record", "public class"),
        ((), "public class", "public struct"),
    ]
    for extras, old, new in cases:
        endpoint = thing(tmp_path, *extras)
        page = next(answer(prompt) for prompt in plan(endpoint) if prompt.unit == "Thing")
        wrong = read_answers(endpoint, "Thing", [page.replace(old, new, 1)])
        assert "MISSING_CLASS" in {issue.code for issue in wrong.issues}


def test_defaults_are_attributes_that_change_nothing_on_the_wire(tmp_path: Path) -> None:
    endpoint = thing(tmp_path, "defaults")
    found = {name: one.attributes[-1:] for name, one in fields_of(endpoint.root).items()}
    assert ("DefaultValue(1.5)",) == found["size"]
    assert ("DefaultValue(true)",) == found["tame"]
    assert ('DefaultValue("open")',) == found["state"]
    assert not any("Default" in one for name in ("id", "tags", "huge") for one in found[name])
    code = files_of(endpoint)["Thing.cs"]
    assert '[DefaultValue("Rex \\"I\\"")]' in code
    assert "using System.ComponentModel;" in code
    assert "DefaultValue" not in files_of(thing(tmp_path))["Thing.cs"]


def test_the_context_names_every_type_and_is_never_called_checked(tmp_path: Path) -> None:
    endpoint = thing(tmp_path, "context")
    context = files_of(endpoint)["ThingJsonContext.cs"]
    assert {"Thing", "ThingState", "Pet", "Cat", "Dog"} == {*re.findall(r"typeof\((\w+)\)", context)}
    assert "public partial class ThingJsonContext : JsonSerializerContext;" in context
    for source in (endpoint, replace(endpoint, runtime=True)):
        assert [("context", True)] == [(tier.name, bool(tier.why)) for tier in recipe.tiers(source) if tier.tier == 5]


def test_the_context_renames_the_properties_that_the_source_generator_would_declare_twice(tmp_path: Path) -> None:
    names = ("Options", "Decimal", "Tag", "TagArray", "NullableTag", "Array", "TagType")
    parts = {name.lower(): {"$ref": f"#/components/schemas/{name}"} for name in names}
    schemas = {name: record(text={"type": "string"}) for name in names}
    endpoint = read(tmp_path, spec(record(**parts), schemas), ReadingOptions(style="plain", extras=("context",)))
    context = next(text for name, text in files_of(endpoint).items() if name.endswith("JsonContext.cs"))
    renamed = dict(re.findall(r'typeof\((\w+)\), TypeInfoPropertyName = "(\w+)"', context))
    types = {type_.name for type_ in endpoint.types}
    clashing = {"Options", "Decimal", "TagArray", "NullableTag"} & types
    assert {"Options", "TagArray", "NullableTag"} <= clashing == {*renamed}
    assert len(types) == len({*(types - {*renamed}), *renamed.values()})


def test_a_real_compiler_accepts_records_and_defaults(tmp_path: Path) -> None:
    try:
        find_roslyn({})
    except MissingTool as missing:
        pytest.skip(missing.message)
    endpoint = thing(tmp_path, "records", "defaults")
    found = run_sync(check_file(endpoint, {}, files_of(endpoint)["Thing.cs"], RunOptions(compiler="roslyn")))
    assert [] == [(issue.code, issue.message) for issue in found]


@pytest.mark.parametrize("extras", [(), ("records",)])
def test_a_real_compiler_accepts_properties_with_the_names_of_what_is_used_and_added(
    tmp_path: Path, extras: tuple[Extra, ...]
) -> None:
    wire = ("clone", "EqualityContract", "PrintMembers", "Deconstruct", "JsonIgnoreCondition", "JsonPropertyName")
    thing_of_names = record(**{name: {"type": "string"} for name in wire})
    endpoint = read(tmp_path, spec(thing_of_names), ReadingOptions(style="plain", extras=extras))
    names = {name: one.name for name, one in fields_of(endpoint.root).items()}
    assert "JsonIgnoreConditionValue" == names["JsonIgnoreCondition"]
    assert ("CloneValue" if extras else "Clone") == names["clone"]
    try:
        find_roslyn({})
    except MissingTool as missing:
        pytest.skip(missing.message)
    (code,) = (text for name, text in files_of(endpoint).items() if name.endswith(".cs") and "clone" in text)
    found = run_sync(check_file(endpoint, {}, code, RunOptions(compiler="roslyn")))
    assert [] == [(issue.code, issue.message) for issue in found]


def test_a_run_keeps_its_extras_and_the_connector_style_has_none(
    retouch: Retouch, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("RETOUCH_STYLE", raising=False)
    saved(Path(), document())
    path = next(Path().glob("*.json"))
    name = next(iter(json.loads(path.read_text())["paths"]))
    make = ("generate", "csharp", str(path), f"GET {name}", "--compiler", "none", "-q", "-o", "out")
    first = retouch(*make, "--extra", "records", "--extra", "context")
    assert 0 == first.exit_code, first.stderr
    assert 0 == retouch(*make).exit_code
    assert "public record Thing\n" in Path("out/Thing.cs").read_text()
    assert Path("out/ThingJsonContext.cs").is_file()
    assert 2 == retouch(*make, "--extra", "records", "--style", "connector").exit_code
