"""Many endpoints as one project: each schema once, no two types with one name, and the report of breaking changes."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from retouch.errors import BadInput, MissingTool
from retouch.recipes.csharp.asking.pages import plan
from retouch.recipes.csharp.changes import breaking_changes, with_changes
from retouch.recipes.csharp.compilers.roslyn import find_roslyn
from retouch.recipes.csharp.job import recipe
from retouch.recipes.csharp.reading.catalogue import list_endpoints
from retouch.recipes.csharp.reading.endpoint import ReadingOptions
from retouch.recipes.csharp.reading.project import read_project
from tests.recipes.csharp.commands.conftest import retouch, work_folder
from tests.recipes.csharp.read_documents import read, record, saved, spec

if TYPE_CHECKING:
    from collections.abc import Sequence

    from retouch.recipes.csharp.ir import Endpoint
    from tests.cli.conftest import Retouch

__all__ = ["retouch", "work_folder"]

PLAIN = ReadingOptions(style="plain")
TEXT: dict[str, Any] = {"type": "string"}
PET = record("id", id={"type": "integer"}, kind={"$ref": "#/components/schemas/Kind"}, owner=record(name=TEXT))
KIND = {"type": "string", "enum": ["cat", "dog"]}


def operation(schema: Any, **more: Any) -> Any:
    return {"responses": {"200": {"description": "ok", "content": {"application/json": {"schema": schema}}}}, **more}


def ref(name: str) -> Any:
    return {"$ref": f"#/components/schemas/{name}"}


def document(**schemas: Any) -> Any:
    """Return a document with endpoints that share schemas, and with anonymous bodies of equal shape."""
    anonymous = record(total={"type": "integer"}, pets={"type": "array", "items": ref("Pet")})
    return {
        "openapi": "3.0.3",
        "info": {"title": "Pet shop", "version": "1"},
        "paths": {
            "/pets": {
                "get": operation({"type": "array", "items": ref("Pet")}, operationId="listPets"),
                "post": operation(ref("Pet")),
            },
            "/pets/search": {"get": operation(anonymous, operationId="search_pets"), "post": operation(anonymous)},
            "/v2/pets/search": {"get": operation({**anonymous, "title": "Found pets"})},
            "/counts": {"get": operation({"type": "object", "additionalProperties": {"type": "integer"}})},
            "/gone": {"get": operation(ref("Gone"))},
        },
        "components": {"schemas": {"Pet": PET, "Kind": KIND, **schemas}},
    }


def project(folder: Path, value: Any = None, *, merge: bool = False, options: ReadingOptions = PLAIN) -> Endpoint:
    loaded = saved(folder, value or document())
    names = [f"{one.method} {one.path}" for one in list_endpoints(loaded)]
    return read_project(loaded, names, options, merge=merge)


def served(found: Endpoint) -> dict[str, str]:
    return {one.endpoint: one.type for one in found.served}


def test_each_schema_is_there_once_and_endpoints_are_an_index(tmp_path: Path) -> None:
    found = project(tmp_path)
    assert {
        "GET /pets": "Pet[]",
        "POST /pets": "Pet",
        "GET /pets/search": "SearchPetsResponse",
        "POST /pets/search": "PostSearchResponse",
        "GET /v2/pets/search": "FoundPets",
        "GET /counts": "Dictionary<string, long>",
        "GET /gone": "",
    } == served(found)
    names = [type_.name for type_ in found.types]
    assert ["FoundPets", "Kind", "Pet", "PetOwner", "PostSearchResponse", "SearchPetsResponse"] == names
    assert "PetShop.Models" == found.namespace


def test_an_endpoint_that_cannot_be_read_is_listed_with_its_error(tmp_path: Path) -> None:
    gone = next(one for one in project(tmp_path).served if one.endpoint == "GET /gone")
    assert ("", True) == (gone.type, "Gone" in gone.error)


def test_a_project_with_an_endpoint_that_cannot_be_read_is_never_verified(tmp_path: Path) -> None:
    declared = recipe.tiers(project(tmp_path))
    assert [(4, "1 of 7 endpoints could not be read, for example GET /gone")] == [
        (tier.tier, tier.why) for tier in declared if tier.why
    ]


def test_a_project_without_any_type_is_refused(tmp_path: Path) -> None:
    loaded = saved(tmp_path, document())
    with pytest.raises(BadInput, match="no type in the 1 endpoints"):
        read_project(loaded, ["GET /counts"], PLAIN)


def test_identical_shapes_are_merged_on_request(tmp_path: Path) -> None:
    found = project(tmp_path, merge=True)
    kept = {served(found)[name] for name in ("GET /pets/search", "POST /pets/search", "GET /v2/pets/search")}
    assert {"FoundPets"} == kept
    assert ["FoundPets", "Kind", "Pet", "PetOwner"] == [type_.name for type_ in found.types]
    assert any("merged: 2 types" in note for note in found.notes)


def test_types_whose_parts_were_merged_are_merged_too(tmp_path: Path) -> None:
    node = {name: record(next=ref(name), leaf=ref(f"{name}Leaf")) for name in ("A", "Bb")}
    leaves = {f"{name}Leaf": record(x=TEXT) for name in ("A", "Bb")}
    value = spec(record(a=ref("A"), b=ref("Bb")), {**node, **leaves})
    found = project(tmp_path, value, merge=True)
    assert ["A", "ALeaf", "GetThingResponse"] == [type_.name for type_ in found.types]
    assert {"A"} == {field.type for field in found.by_name["GetThingResponse"].fields[:2]}


def test_types_that_differ_in_one_attribute_stay_apart(tmp_path: Path) -> None:
    value = spec(record(a=ref("A"), b=ref("B")), {"A": record(x=TEXT), "B": record(x={**TEXT, "nullable": True})})
    assert 3 == len(project(tmp_path, value, merge=True).types)


def test_a_change_of_one_schema_changes_the_prompts_of_that_type_alone(tmp_path: Path) -> None:
    before = {prompt.unit: prompt.user for prompt in plan(project(tmp_path))}
    changed = document(Kind={"type": "string", "enum": ["cat", "dog", "fish"]})
    changed["paths"]["/more"] = {"get": operation(ref("Pet"))}
    after = {prompt.unit: prompt.user for prompt in plan(project(tmp_path, changed))}
    assert ["Kind"] == [unit for unit in after if after[unit] != before.get(unit)]


@pytest.mark.parametrize(
    ("old", "new", "change"),
    [
        (record(a=TEXT, b=TEXT), record(a=TEXT), "Thing.b: the property is gone"),
        (record(a=TEXT), record(a={"type": "integer"}), "Thing.a: the type was 'string?' and is 'long?'"),
        (record("a", a=TEXT), record(a=TEXT), "Thing.a: it can be null now"),
        (record(a=TEXT), record("a", a=TEXT), "Thing.a: it can no longer be null"),
        (record(a=TEXT), record("a", a=TEXT), "Thing.a: it is required now"),
        (record(a=TEXT), record("b", a=TEXT, b=TEXT), "Thing.b: the property is new and required"),
        (record("id", id=TEXT), record("uuid", uuid=TEXT), "Thing: the key was 'id' and is 'uuid'"),
        (record(e=KIND), record(e={**KIND, "enum": ["cat", "cow"]}), "ThingE: the value 'dog' is gone"),
        (record(e=KIND), record(e={**KIND, "x-enum-varnames": ["Tom", "Rex"]}),
         "ThingE: the C# name of 'cat' was Cat and is Tom"),
        (record(e=KIND), record(e=TEXT), "ThingE: the type is gone"),
        (record(e={**KIND, "x-ms-enum": {"modelAsString": False}}), record(e=KIND),
         "ThingE: it was an enum and is an open enum"),
    ],
)  # fmt: skip
def test_each_breaking_change_is_reported(tmp_path: Path, old: Any, new: Any, change: str) -> None:
    before, after = (read(tmp_path, spec(schema), PLAIN) for schema in (old, new))
    assert change in breaking_changes(before, after)
    assert () == breaking_changes(before, before)


@pytest.mark.parametrize("style", ["plain", "connector"])
def test_an_addition_breaks_nothing(tmp_path: Path, style: Any) -> None:
    options = ReadingOptions(style=style)
    before = read(tmp_path, spec(record("id", id=TEXT, e=KIND)), options)
    new = record("id", id=TEXT, e={**KIND, "enum": ["cat", "dog", "cow"]}, more=TEXT, part=record(x=TEXT))
    assert () == breaking_changes(before, read(tmp_path, spec(new), options))


def test_another_namespace_or_style_is_a_breaking_change(tmp_path: Path) -> None:
    plain = read(tmp_path, spec(record(a=TEXT)), PLAIN)
    connector = read(tmp_path, spec(record(a=TEXT)), ReadingOptions(style="connector"))
    assert "every type is written in another way" in breaking_changes(connector, plain)[0]
    assert "the namespace was" in breaking_changes(replace(plain, namespace="Other"), plain)[0]


def test_the_changes_of_the_last_rewrite_are_kept_until_the_next(tmp_path: Path) -> None:
    first = read(tmp_path, spec(record(a=TEXT, b=TEXT)), PLAIN)
    second = with_changes(first, read(tmp_path, spec(record(a=TEXT)), PLAIN))
    assert ("Thing.b: the property is gone",) == second.changes
    assert second is with_changes(second, read(tmp_path, spec(record(a=TEXT)), PLAIN))


def write(value: Any) -> None:
    Path("api.json").write_text(json.dumps(value), encoding="utf-8")


def made(run: Retouch, *words: str) -> tuple[int, Any]:
    done = run("generate", "csharp", "api.json", *words, "--compiler", "none", "--json")
    return done.exit_code, json.loads(done.stdout)


@pytest.fixture(autouse=True)
def plain_by_default(monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest) -> None:
    if "retouch" in request.fixturenames:
        request.getfixturevalue("work_folder")
    monkeypatch.delenv("RETOUCH_STYLE", raising=False)


def test_all_endpoints_become_one_project(retouch: Retouch) -> None:
    write(document())
    status, found = made(retouch, "--all", "-o", "shop")
    assert {"runs", "status", "calls", "tokens", "project", "breaking"} == found.keys()
    assert (2, "failed") == (status, found["status"])  # one of the endpoints leads nowhere
    assert ["PetShop.Models", "GET /gone"] == [run["endpoint"] for run in found["runs"]]
    assert "Gone" in found["runs"][1]["error"]["message"]
    assert {"run", "namespace", "files", "types", "endpoints"} == found["project"].keys()
    part = {"part": "response", "status": "200", "media_type": "application/json"}
    assert {"endpoint": "GET /pets", "type": "Pet[]", **part} == found["project"]["endpoints"][0]
    assert {"PetShop.cs", "PetShop.csproj", "endpoints.md", "schema.md"} == set(found["project"]["files"])
    code = Path("shop/PetShop.cs").read_text(encoding="utf-8")
    assert 1 == code.count("public class Pet\n")
    assert "<RootNamespace>PetShop.Models</RootNamespace>" in Path("shop/PetShop.csproj").read_text(encoding="utf-8")
    assert "| `GET /pets` | response | 200 |" in Path("shop/endpoints.md").read_text(encoding="utf-8")


def without_gone(**schemas: Any) -> Any:
    value = document(**schemas)
    del value["paths"]["/gone"]
    return value


def test_only_the_types_that_changed_are_requested_again(retouch: Retouch) -> None:
    write(without_gone())
    assert (0, 6) == ((first := made(retouch, "--all"))[0], first[1]["calls"])
    write(without_gone(Kind={"type": "string", "enum": ["cat", "cow"]}))
    status, found = made(retouch, "--all")
    assert (0, 1, ["Kind: the value 'dog' is gone"]) == (status, found["calls"], found["breaking"])
    assert "- Kind: the value 'dog' is gone" in Path("output/PetShop/schema.md").read_text(encoding="utf-8")
    assert ["Kind: the value 'dog' is gone"] == made(retouch, "--all")[1]["breaking"]


@pytest.mark.parametrize(("words", "folder"), [(("--all",), "PetShop"), (("POST /pets",), "POST_pets")])
def test_a_breaking_rewrite_can_fail_the_command_once(retouch: Retouch, words: Sequence[str], folder: str) -> None:
    write(without_gone())
    assert 0 == made(retouch, *words, "--fail-on-breaking")[0]
    write(without_gone(Pet=record("id", id=TEXT)))
    status, found = made(retouch, *words, "--fail-on-breaking")
    assert (1, True) == (status, "Pet.id: the type was 'long' and is 'string'" in found["breaking"])
    assert 0 == made(retouch, *words, "--fail-on-breaking")[0]
    assert "Breaking changes" in Path("output", folder, "schema.md").read_text(encoding="utf-8")


@pytest.mark.slow
def test_runs_of_the_connector_style_report_and_fail_as_well(retouch: Retouch) -> None:
    write(without_gone())
    assert 0 == made(retouch, "--match", "/pets", "--style", "connector", "-o", "runs")[0]
    write(without_gone(Pet=record("id", id=TEXT)))
    status, found = made(retouch, "--match", "/pets", "-o", "runs", "--fail-on-breaking")
    assert (1, None) == (status, found["project"])
    assert "POST /pets: PetDataObject.id: the type was 'long' and is 'string'" in found["breaking"]


def test_a_run_keeps_its_style_unless_another_is_named(retouch: Retouch) -> None:
    write(without_gone())
    assert ["PetDataObject.cs"] == made(retouch, "GET /pets", "--style", "connector")[1]["files"][:1]
    again = made(retouch, "GET /pets")[1]
    assert (0, []) == (again["calls"], again["breaking"])
    changed = made(retouch, "GET /pets", "--style", "plain", "--force")[1]
    assert ("Pet.cs", True) == (changed["files"][0], "every type" in changed["breaking"][0])


def test_new_runs_are_plain(retouch: Retouch) -> None:
    write(without_gone())
    assert ["Pet.cs", "schema.md"] == made(retouch, "POST /pets")[1]["files"]


def test_a_real_compiler_accepts_a_whole_project(retouch: Retouch) -> None:
    try:
        find_roslyn()
    except MissingTool as missing:
        pytest.skip(f"needs a C# compiler: {missing}")
    write(without_gone())
    done = retouch("generate", "csharp", "api.json", "--all", "--compiler", "roslyn")
    assert (0, "verified") == (done.exit_code, done.stdout.split(maxsplit=1)[0])


INCLUDED = ReadingOptions(style="plain", include=("headers", "parameters", "request", "responses"))
PAGE = {"name": "page", "in": "query", "description": "The number of the page.", "schema": {"type": "integer"}}


def described(*parameters: Any, **more: Any) -> Any:
    """Return an operation with parameters, a request, two responses and their headers."""
    found = operation(ref("Pet"), operationId="savePet", parameters=[*parameters], **more)
    limit = {"Retry-After": {"schema": {"type": "integer"}, "required": True}, "Content-Type": {"schema": TEXT}}
    found["requestBody"] = {"content": {"application/json": {"schema": record("note", note=TEXT)}}}
    found["responses"]["429"] = {
        "description": "too many",
        "headers": limit,
        "content": {"application/json": {"schema": record(wait={"type": "integer"})}},
    }
    return found


def including(folder: Path, *, include: Any = INCLUDED.include, **paths: Any) -> Endpoint:
    value = document() | {"paths": {f"/{name}/{{id}}": item for name, item in paths.items()}}
    sort = {"name": "sort", "in": "query", "schema": {"type": "string", "enum": ["asc", "desc"]}}
    value["components"]["parameters"] = {"Sort": sort}
    return project(folder, value, options=replace(INCLUDED, include=include))


def parts_of(found: Endpoint) -> dict[tuple[str, str], str]:
    return {(one.part, one.status): one.type for one in found.served}


def test_parameters_headers_requests_and_all_responses_become_types_if_they_are_included(tmp_path: Path) -> None:
    own = {"name": "id", "in": "query", "schema": {"type": "string", "format": "uuid"}, "required": True}
    header = {"name": "X-Trace", "in": "header", "schema": TEXT}
    ignored = {"name": "Authorization", "in": "header", "schema": TEXT}
    cookie = {"name": "session", "in": "cookie", "schema": TEXT}
    shared = {"name": "id", "in": "path", "required": True, "schema": {"type": "integer"}}
    found = including(tmp_path, pets={"parameters": [shared], "put": described(PAGE, own, header, ignored, cookie)})
    assert {
        ("", "200"): "Pet",
        ("request", ""): "SavePetRequest",
        ("response", "429"): "SavePetResponse429",
        ("path", ""): "SavePetPathParameters",
        ("query", ""): "SavePetQueryParameters",
        ("cookie", ""): "SavePetCookieParameters",
        ("header", ""): "SavePetRequestHeaders",
        ("response header", "429"): "SavePetResponse429Headers",
    } == parts_of(found)
    types = {one.name: {field.json_name: field for field in one.fields[:-1]} for one in found.types}
    assert "long" == types["SavePetPathParameters"]["id"].type
    query = types["SavePetQueryParameters"]
    assert ("Guid", True, "The number of the page.") == (
        query["id"].type,
        query["id"].required,
        query["page"].description,
    )
    assert ["X-Trace"] == [*types["SavePetRequestHeaders"]]
    assert ["Retry-After"] == [*types["SavePetResponse429Headers"]]
    assert types["SavePetResponse429Headers"]["Retry-After"].required


def test_a_parameter_that_operations_share_is_one_type(tmp_path: Path) -> None:
    sort = {"$ref": "#/components/parameters/Sort"}
    found = including(tmp_path, pets={"get": operation(ref("Pet"), parameters=[sort])}, cats={"get": described(sort)})
    uses = [field.type for one in found.types for field in one.fields if field.json_name == "sort"]
    assert ["Sort", "Sort"] == uses


@pytest.mark.parametrize("include", [("headers",), ("parameters",), ("request",), ("responses",)])
def test_only_what_is_included_is_read(tmp_path: Path, include: tuple[str, ...]) -> None:
    header = {"name": "X-Trace", "in": "header", "schema": TEXT}
    parts = {
        "headers": {"header", "response header"},
        "parameters": {"query"},
        "request": {"request"},
        "responses": {"response"},
    }
    found = including(tmp_path, include=include, pets={"put": described(PAGE, header)})
    assert {"", *parts[include[0]]} == {one.part for one in found.served}


def test_an_endpoint_without_a_json_response_has_its_other_parts(tmp_path: Path) -> None:
    gone = {"responses": {"204": {"description": "gone"}}, "parameters": [PAGE]}
    found = including(tmp_path, pets={"delete": gone, "get": operation(ref("Pet"))})
    assert {"query": "DeletePetQueryParameters"} == {
        one.part: one.type for one in found.served if one.endpoint.startswith("DELETE")
    }


def test_what_only_responses_have_is_not_required_in_a_type_that_is_also_sent(tmp_path: Path) -> None:
    pet = record("id", id={"type": "integer", "readOnly": True})
    both = {**operation(pet), "requestBody": {"content": {"application/json": {"schema": ref("Own")}}}}
    value = document(Own=pet) | {"paths": {"/own": {"put": both, "get": operation(ref("Own"))}}}
    for include, required in ((INCLUDED.include, False), ((), True)):
        found = project(tmp_path / str(required), value, options=replace(INCLUDED, include=include))
        assert required == next(one for one in found.types if one.name == "Own").fields[0].required


def test_parameters_of_swagger_2_become_types(tmp_path: Path) -> None:
    limit = {"name": "limit", "in": "query", "type": "integer", "format": "int32", "required": True}
    tags = {"name": "tags", "in": "query", "type": "array", "items": {"type": "string", "enum": ["a", "b"]}}
    body = {"name": "body", "in": "body", "schema": {"$ref": "#/definitions/Pet"}}
    headers = {"X-Total": {"type": "integer"}}
    answer = {"200": {"description": "ok", "schema": {"$ref": "#/definitions/Pet"}, "headers": headers}}
    value = {
        "swagger": "2.0",
        "info": {"title": "Old", "version": "1"},
        "paths": {"/pets": {"post": {"operationId": "add", "parameters": [limit, tags, body], "responses": answer}}},
        "definitions": {"Pet": record(name=TEXT)},
    }
    found = project(tmp_path, value, options=INCLUDED)
    assert {
        ("", "200"): "Pet",
        ("request", ""): "Pet",
        ("query", ""): "AddQueryParameters",
        ("response header", "200"): "AddResponseHeaders",
    } == parts_of(found)
    query = next(one for one in found.types if one.name == "AddQueryParameters")
    assert [("int", True), ("AddQueryParametersTag[]", False)] == [(one.type, one.required) for one in query.fields[:2]]


def test_a_part_that_is_gone_or_has_another_type_breaks(tmp_path: Path) -> None:
    sort = {"$ref": "#/components/parameters/Sort"}
    old = including(tmp_path / "old", pets={"put": described(sort)})
    new = including(tmp_path / "new", pets={"put": operation(ref("Pet"), operationId="savePet")})
    assert {
        "PUT /pets/{id}: the request is gone",
        "PUT /pets/{id}: the response 429 is gone",
        "PUT /pets/{id}: the query is gone",
        "PUT /pets/{id}: the response header 429 is gone",
    } <= {*breaking_changes(old, new)}


def test_the_command_includes_parts_and_refuses_what_excludes_them(retouch: Retouch) -> None:
    make = ("generate", "csharp", "doc.json", "GET /pets", "--include", "parameters", "--include", "request", "-q")
    Path("doc.json").write_text(json.dumps(document()))
    assert 0 == retouch(*make, "-o", "out", "--compiler", "none").exit_code
    assert "| `GET /pets` | response | 200 | application/json | `Pet[]` |" in Path("out/endpoints.md").read_text()
    refused = retouch(*make, "-o", "other", "--style", "connector")
    assert (2, True) == (refused.exit_code, "--include and --style connector exclude each other" in refused.stderr)
