"""The large public documents: every JSON operation resolves, with valid names, and quickly."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import pytest

from retouch.errors import BadInput
from retouch.recipes.csharp.document.bodies import request_content
from retouch.recipes.csharp.document.document import Document, load_document
from retouch.recipes.csharp.document.operations import operations_of
from retouch.recipes.csharp.reading.catalogue import list_endpoints
from retouch.recipes.csharp.reading.endpoint import ReadingOptions, read_endpoint
from retouch.recipes.csharp.shapes.schemas import component_schemas
from tests.recipes.csharp.read_documents import fields_of, types_of

if TYPE_CHECKING:
    from pathlib import Path

    from retouch.recipes.csharp.ir import Endpoint

_NAME = re.compile(r"[^\W\d_]\w*")
_MENTIONED = re.compile(r"[A-Za-z]\w*")
_BUILT_IN = frozenset({
    "string", "int", "long", "ulong", "double", "decimal", "bool", "object", "DateTime", "DateOnly", "TimeOnly", "Guid",
    "JsonElement", "Dictionary",
})  # fmt: skip


def problems(endpoint: Endpoint) -> list[str]:
    """The problems of an endpoint that no document justifies."""
    types = types_of(endpoint)
    found = ["two types of one name"] if len(types) < len(endpoint.types) else []
    found += [] if [True] == [t.is_root for t in endpoint.types[:1]] else ["the root is not the first"]
    for cs_type in endpoint.types:
        names = [field.name for field in cs_type.fields] + [value.name for value in cs_type.values]
        found += [
            f"{cs_type.name}: {name!r} is no name" for name in [cs_type.name, *names] if not _NAME.fullmatch(name)
        ]
        if len(names) > len(set(names)) or cs_type.name in {field.name for field in cs_type.fields}:
            found.append(f"{cs_type.name}: names collide")
        if not names or len(cs_type.fields) != len(fields_of(cs_type)):
            found.append(f"{cs_type.name}: nothing in it, or a JSON name twice")
        for field in cs_type.fields:
            mentioned = set(_MENTIONED.findall(field.type)) - _BUILT_IN
            if mentioned != set(field.types) or not mentioned <= set(types):
                found.append(f"{cs_type.name}.{field.name}: {field.type} mentions {mentioned}, not {field.types}")
    return found


def loaded(shared_data: Path, name: str) -> Document:
    return load_document(shared_data / "openapi" / name)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "operations", "json"),
    [
        ("museum.yaml", 8, 6),
        ("feature_zoo.yaml", 1, 1),
        ("xero_accounting.yaml", 235, 204),
        ("openai.yaml", 288, 277),
        ("digitalocean.bundle.yaml", 659, 546),
        ("github.json", 1223, 926),
    ],
)
def test_every_json_operation_resolves(shared_data: Path, name: str, operations: int, json: int) -> None:
    document = loaded(shared_data, name)
    infos = list_endpoints(document, style="connector")
    assert (operations, json) == (len(infos), sum(info.json for info in infos))
    for info in infos:
        if info.json:
            endpoint = read_endpoint(document, f"{info.method} {info.path}", ReadingOptions(style="connector"))
            assert [] == problems(endpoint)
            assert (info.status, info.root, info.types) == (endpoint.status, endpoint.root.name, len(endpoint.types))


@pytest.mark.parametrize(("name", "read"), [("oas_discriminators.json", 34), ("oas_schema_circular.json", 13)])
def test_documents_of_requests_alone_are_read_by_request_and_by_schema(shared_data: Path, name: str, read: int) -> None:
    document = loaded(shared_data, name)
    wanted = [
        (operation.name, ReadingOptions(style="connector", request=True))
        for operation in operations_of(document).values()
        if request_content(document, operation).schema is not None
    ]
    wanted += [
        ("", ReadingOptions(style="connector", schema=component))
        for component, _ in component_schemas(document).entries()
    ]
    assert read == len(wanted)
    for words, options in wanted:
        assert [] == problems(read_endpoint(document, words, options))


def test_a_form_is_read_if_its_media_type_is_requested(shared_data: Path) -> None:
    document = loaded(shared_data, "oas_schema_circular.json")
    with pytest.raises(BadInput) as caught:
        read_endpoint(document, "PUT /circular", ReadingOptions(style="connector", request=True))
    assert "multipart/form-data" in caught.value.hint
    options = ReadingOptions(style="connector", request=True, media_type="multipart/form-data")
    assert ["file", "typename"] == list(fields_of(read_endpoint(document, "PUT /circular", options).root))


@pytest.fixture
def zoo(shared_data: Path) -> Endpoint:
    return read_endpoint(loaded(shared_data, "feature_zoo.yaml"), "GET /things/{id}", ReadingOptions(style="connector"))


def test_the_awkward_names_of_the_zoo_are_right(zoo: Endpoint) -> None:
    awkward = {
        "class": "Class", "Class": "ClassUpper", "thing": "Thing", "@type": "Type", "a.b": "ADotB", "a-b": "ADashB",
        "a_b": "AB", "2fa": "Value2fa", "$ref": "Ref",
    }  # fmt: skip
    assert awkward == {name: field.name for name, field in fields_of(zoo.root).items() if name in awkward}


def test_the_types_of_the_zoo_are_right(zoo: Endpoint) -> None:
    written = {name: field.type + ("?" if field.nullable else "") for name, field in fields_of(zoo.root).items()}
    expected: dict[str, Any] = {
        "id": "long", "at": "DateTime", "day": "DateOnly?", "uid": "Guid?", "price": "decimal?", "ratio": "double?",
        "big": "long?", "pet": "Pet", "pets": "Pet[]?", "soi": "JsonElement?", "weird": "Weird?", "inl": "ThingInl?",
        "ie": "IntEnum?", "map": "Dictionary<string, long>?", "free": "Dictionary<string, object>?",
        "any": "JsonElement?", "matrix": "double[][]?", "tree": "Node?", "ext": "Node?", "inner": "ThingInner?",
    }  # fmt: skip
    assert expected == {name: text for name, text in written.items() if name in expected}
    assert ("id", "id") == zoo.root.key


def test_the_enum_of_the_zoo_takes_the_names_that_the_document_proposes(zoo: Endpoint) -> None:
    names = [
        "PlusOne",
        "MinusOne",
        "Empty",
        "AB",
        "ADashB",
        "AUnderB",
        "Class",
        "First",
        "EAcute",
        "Star",
        "None",
        "NoneLower",
    ]
    assert names == [value.name for value in types_of(zoo)["Weird"].values]


def test_moments_written_by_microsoft_stay_text(shared_data: Path) -> None:
    document = loaded(shared_data, "xero_accounting.yaml")
    fields = fields_of(types_of(read_endpoint(document, "GET /Invoices", ReadingOptions(style="connector")))["Invoice"])
    assert "string" == fields["UpdatedDateUTC"].type
