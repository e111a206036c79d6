"""Discriminators in the plain style: a base class, the class of each value, and the unions that stay one class."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

import retouch
from retouch.errors import MissingTool
from retouch.recipes.csharp.answering.offline import answer
from retouch.recipes.csharp.asking.pages import plan
from retouch.recipes.csharp.changes import breaking_changes
from retouch.recipes.csharp.checking.answers import read as read_answers
from retouch.recipes.csharp.compilers.roslyn import find_roslyn
from retouch.recipes.csharp.job import recipe
from retouch.recipes.csharp.reading.endpoint import ReadingOptions
from retouch.recipes.csharp.reading.project import read_project
from retouch.recipes.csharp.writing.files import assemble
from tests.recipes.csharp.read_documents import fields_of, read, record, saved, spec, types_of

if TYPE_CHECKING:
    from pathlib import Path

    from retouch.recipes.csharp.ir import Endpoint

PLAIN = ReadingOptions(style="plain")
TEXT = {"type": "string"}
CONSTANT_KINDS = {name: {"type": "string", "enum": [name.lower()]} for name in ("Cat", "Dog")}


def ref(name: str) -> Any:
    return {"$ref": f"#/components/schemas/{name}"}


def union(**discriminator: Any) -> Any:
    """A union of a cat and a dog, whose `kind` selects the variant."""
    return {"oneOf": [ref("Cat"), ref("Dog")], "discriminator": {"propertyName": "kind", **discriminator}}


def variants(**kinds: Any) -> Any:
    cat = record("kind", "name", kind=kinds.get("Cat", TEXT), name=TEXT, lives={"type": "integer"})
    dog = record("kind", "name", kind=kinds.get("Dog", TEXT), name=TEXT, bark=TEXT)
    return {"Cat": cat, "Dog": dog}


def selected(endpoint: Endpoint, base: str) -> dict[str, str]:
    """The derived class of each value of the discriminator, as the attributes of the base class list them."""
    found = (one for one in types_of(endpoint)[base].attributes if one.startswith("JsonDerivedType"))
    pairs = (one.removeprefix("JsonDerivedType(typeof(").removesuffix(")").split("), ") for one in found)
    return {value.strip('"'): name for name, value in pairs}


def code(endpoint: Endpoint) -> str:
    """The assembled file with the offline model's answers."""
    pages: dict[str, list[str]] = {}
    for prompt in plan(endpoint):
        pages.setdefault(prompt.unit, []).append(answer(prompt))
    values = {unit: read_answers(endpoint, unit, texts).value for unit, texts in pages.items()}
    return assemble(endpoint, {unit: value for unit, value in values.items() if value})[f"{endpoint.root.name}.cs"]


def pets(folder: Path, pet: Any, schemas: Any) -> Endpoint:
    return read(folder, spec(record(pet=ref("Pet")), {"Pet": pet, **schemas}), PLAIN)


@pytest.mark.parametrize(
    ("discriminator", "kinds", "values"),
    [
        ({"mapping": {"cat": "#/components/schemas/Cat", "dog": "Dog"}}, {}, {"cat": "Cat", "dog": "Dog"}),
        ({}, {}, {"Cat": "Cat", "Dog": "Dog"}),
        ({}, CONSTANT_KINDS, {"cat": "Cat", "dog": "Dog"}),
        ({"mapping": {"meow": "Cat"}}, {}, {"meow": "Cat", "Dog": "Dog"}),
    ],
)  # fmt: skip
def test_a_union_is_a_base_class_with_a_class_for_each_value(
    tmp_path: Path, discriminator: Any, kinds: Any, values: Any
) -> None:
    endpoint = pets(tmp_path, union(**discriminator), variants(**kinds))
    types = types_of(endpoint)
    assert values == selected(endpoint, "Pet")
    first = 'JsonPolymorphic(TypeDiscriminatorPropertyName = "kind", IgnoreUnrecognizedTypeDiscriminators = true)'
    assert first == types["Pet"].attributes[0]
    assert ["AdditionalProperties"] == [field.name for field in types["Pet"].fields]
    assert [("Pet", ["name", "lives"]), ("Pet", ["name", "bark"])] == [
        (types[name].base, [*fields_of(types[name])]) for name in ("Cat", "Dog")
    ]


@pytest.mark.parametrize(
    ("discriminator", "changes"),
    [
        ({"mapping": {"cat": "Cat", "lion": "Cat", "dog": "Dog"}}, {}),  # two values select a cat
        ({}, {"Cat": record(kind={"type": "string", "enum": ["cat", "lion"]}), "Dog": ref("Cat")}),  # one class, twice
        ({"mapping": {"cat": "Cat"}}, {"Cat": record(kind={"type": "string", "enum": ["lion"]})}),  # a contradiction
        ({"mapping": {"Dog": "Cat"}}, {}),  # the name of a dog selects a cat
        ({}, {"Cat": {"type": "array", "items": TEXT}}),
        ({"propertyName": 7}, {}),
        ({}, {"Cat": record(kind={"type": "integer", "enum": [7]})}),
    ],
)
def test_a_union_that_csharp_cannot_select_from_stays_one_class(
    tmp_path: Path, discriminator: Any, changes: Any
) -> None:
    endpoint = pets(tmp_path, union(**discriminator), {**variants(), **changes})
    assert [] == [type_.name for type_ in endpoint.types if type_.base or type_.attributes]


def hierarchy(**base: Any) -> Any:
    pet = {
        **record("kind", "name", kind=TEXT, name=TEXT, age={"type": "integer"}),
        "discriminator": {"propertyName": "kind"},
    }
    cat = {"allOf": [ref("Pet"), record(lives={"type": "integer"})]}
    dog = {"allOf": [ref("Pet"), record("age", bark=TEXT)]}
    return {"Pet": {**pet, **base}, "Cat": cat, "Dog": dog}  # fmt: skip


def test_schemas_that_inherit_have_the_properties_of_their_base_once(tmp_path: Path) -> None:
    endpoint = read(tmp_path, spec(ref("Pet"), hierarchy()), PLAIN)
    fields = {name: [*fields_of(type_)] for name, type_ in types_of(endpoint).items()}
    assert {"Cat": "Cat", "Dog": "Dog", "Pet": "Pet"} == selected(endpoint, "Pet")
    # A dog has an age in every case, so the age cannot be inherited.
    assert {"Pet": ["name", "AdditionalProperties"], "Cat": ["age", "lives"], "Dog": ["age", "bark"]} == fields


def test_a_variant_without_its_base_is_a_class_of_its_own(tmp_path: Path) -> None:
    endpoint = read(tmp_path, spec(ref("Cat"), hierarchy()), PLAIN)
    assert [("Cat", "", ["kind", "name", "age", "lives", "AdditionalProperties"])] == [
        (type_.name, type_.base, [*fields_of(type_)]) for type_ in endpoint.types
    ]


def test_a_variant_of_two_unions_has_one_base_class(tmp_path: Path) -> None:
    schemas = {**variants(), "Pet": union(), "Beast": union()}
    endpoint = read(tmp_path, spec(record(pet=ref("Pet"), beast=ref("Beast")), schemas), PLAIN)
    bases = {type_.name: type_.base for type_ in endpoint.types if type_.kind == "class"}
    assert {"Thing": "", "Pet": "", "Beast": "", "Cat": "Pet", "Dog": "Pet"} == bases
    assert "kind" in fields_of(types_of(endpoint)["Beast"])


def test_a_property_of_a_variant_never_has_the_name_of_an_inherited_one(tmp_path: Path) -> None:
    cat = {"allOf": [ref("Pet"), record(additional_properties=TEXT, Name=TEXT)]}
    endpoint = read(tmp_path, spec(ref("Pet"), {**hierarchy(), "Cat": cat}), PLAIN)
    types = types_of(endpoint)
    inherited = {field.name for field in types["Pet"].fields}
    assert inherited.isdisjoint(field.name for field in types["Cat"].fields)


def test_merging_keeps_classes_that_differ_only_by_their_discriminator(tmp_path: Path) -> None:
    schemas = {**variants(), "Pet": union()}
    schemas["Dog"] = schemas["Cat"]
    document = saved(tmp_path, spec(record(pet=ref("Pet")), schemas))
    project = read_project(document, ["GET /things/{id}"], PLAIN, merge=True)
    assert {"Cat": "Cat", "Dog": "Dog"} == selected(project, "Pet")


def test_removed_values_are_breaking_and_moved_properties_are_not(tmp_path: Path) -> None:
    old = read(tmp_path, spec(ref("Pet"), hierarchy()), PLAIN)
    schemas = hierarchy()
    schemas["Dog"]["allOf"][1].pop("required")  # now the age is inherited
    moved = read(tmp_path, spec(ref("Pet"), schemas), PLAIN)
    assert ("Dog.age: it can be null now",) == breaking_changes(old, moved)
    bird = {**schemas, "Bird": schemas["Dog"]}
    del bird["Dog"]
    found = breaking_changes(moved, read(tmp_path, spec(ref("Pet"), bird), PLAIN))
    assert 'Pet: the attribute [JsonDerivedType(typeof(Dog), "Dog")] is gone' in found


@pytest.mark.parametrize(
    ("unit", "old", "new", "code"),
    [
        ("Pet", '[JsonDerivedType(typeof(Dog), "Dog")]\n', "", "WRONG_ATTRIBUTE"),
        ("Pet", 'typeof(Dog), "Dog"', 'typeof(Dog), "Cat"', "WRONG_ATTRIBUTE"),
        ("Pet", 'typeof(Dog), "Dog"', 'typeof(Cat), "Dog"', "WRONG_ATTRIBUTE"),
        ("Pet", 'typeof(Dog), "Dog"', "typeof(Dog)", "WRONG_ATTRIBUTE"),
        ("Pet", '"kind"', '"type"', "WRONG_ATTRIBUTE"),
        ("Pet", "Discriminators = true", "Discriminators = false", "WRONG_ATTRIBUTE"),
        ("Pet", ", IgnoreUnrecognizedTypeDiscriminators = true", "", "WRONG_ATTRIBUTE"),
        ("Pet", "public class", "public abstract class", "CLASS_FORM"),
        ("Pet", "public class", "public sealed class", "CLASS_FORM"),
        ("Cat", "public class Cat : Pet", "public class Cat", "CLASS_FORM"),
        ("Cat", "public class Cat : Pet", "public class Cat : Dog", "CLASS_FORM"),
        ("Cat", "{\n", '{\n    [JsonPropertyName("kind")]\n    public string? Kind { get; init; }\n', "PHANTOM_FIELD"),
        ("Cat", "public class", '[JsonDerivedType(typeof(Cat), "Cat")]\npublic class', "WRONG_ATTRIBUTE"),
    ],
)  # fmt: skip
def test_each_defect_of_a_hierarchy_is_found(tmp_path: Path, unit: str, old: str, new: str, code: str) -> None:
    endpoint = read(tmp_path, spec(ref("Pet"), hierarchy()), PLAIN)
    pages = [answer(prompt) for prompt in plan(endpoint) if prompt.unit == unit]
    assert [] == [*read_answers(endpoint, unit, pages).issues]
    broken = [page.replace(old, new, 1) for page in pages]
    assert pages != broken
    assert code in [issue.code for issue in read_answers(endpoint, unit, broken).issues if issue.is_error]


def test_a_prompt_names_the_base_class_and_the_derived_classes(tmp_path: Path) -> None:
    endpoint = read(tmp_path, spec(ref("Pet"), hierarchy()), PLAIN)
    users = {prompt.unit: prompt.user.partition("YOUR TASK:")[2] for prompt in plan(endpoint)}
    assert users["Pet"].endswith("TYPE REFERENCE:\n- Cat (class)\n- Dog (class)\n")
    assert "BASE: Pet\n" in users["Cat"]
    assert users["Cat"].endswith("TYPE REFERENCE:\n- Pet (class)\n")


def test_the_options_that_find_a_discriminator_anywhere_come_with_a_hierarchy_alone(tmp_path: Path) -> None:
    with_base = read(tmp_path, spec(ref("Pet"), hierarchy()), PLAIN)
    without = read(tmp_path, spec(ref("Cat"), hierarchy()), PLAIN)
    texts = [code(endpoint) for endpoint in (with_base, without)]
    assert [True, False] == ["AllowOutOfOrderMetadataProperties = true" in text for text in texts]


@pytest.mark.slow
def test_a_real_compiler_accepts_hierarchies_without_a_warning(tmp_path: Path) -> None:
    try:
        find_roslyn()
    except MissingTool as missing:
        pytest.skip(f"needs a C# compiler: {missing}")
    schemas = {**hierarchy(), "Union": {**union(), "properties": {"at": {"type": "string", "format": "date-time"}}}}
    schemas |= variants()
    schemas["Pet"].pop("discriminator")
    endpoint = read(tmp_path, spec(record(pet=ref("Pet"), union=ref("Union")), schemas), PLAIN)
    assert {"Cat", "Dog"} == {type_.name for type_ in endpoint.types if type_.base == "Union"}
    model = retouch.open_model("offline", recipe=recipe)
    result = retouch.generate(recipe, endpoint, tmp_path / "run", model, retouch.RunOptions(compiler="roslyn"))
    assert ("verified", ()) == (result.status, result.issues)
