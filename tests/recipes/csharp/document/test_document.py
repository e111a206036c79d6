"""Loading documents: which are refused, with which messages, and which are accepted."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from retouch._lib.yaml12 import YamlError, parse_yaml
from retouch.errors import BadInput
from retouch.recipes.csharp.document.document import load_document
from retouch.recipes.csharp.document.texts import MAX_BYTES
from retouch.recipes.csharp.reading.endpoint import ReadingOptions, read_endpoint
from tests.recipes.csharp.read_documents import read_properties, saved, spec

if TYPE_CHECKING:
    from pathlib import Path

HEAD = "openapi: 3.0.3\npaths: {}\n"


def refused(path: Path, *, max_bytes: int = MAX_BYTES) -> BadInput:
    with pytest.raises(BadInput) as caught:
        load_document(path, max_bytes=max_bytes)
    assert caught.value.hint
    return caught.value


def refused_text(folder: Path, text: str | bytes, name: str = "api.yaml") -> str:
    path = folder / name
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    return refused(path).message


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    assert "api.json" in refused(tmp_path / "api.json").message


def test_a_directory_is_refused(tmp_path: Path) -> None:
    assert "is a directory" in refused(tmp_path).message


def test_a_pipe_is_refused_without_being_opened(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.yaml")
    assert "is not a regular file" in refused(tmp_path / "pipe.yaml").message


@pytest.mark.parametrize("text", ["", "  \n\n"])
def test_an_empty_file_is_refused(tmp_path: Path, text: str) -> None:
    assert "is empty" in refused_text(tmp_path, text)


def test_a_binary_file_is_refused(tmp_path: Path) -> None:
    assert "binary" in refused_text(tmp_path, b"openapi\x00\x01\x02")


def test_bytes_that_are_not_utf8_are_refused_with_their_place(tmp_path: Path) -> None:
    assert "byte 9 is not UTF-8" in refused_text(tmp_path, b"openapi: \xe9")


def test_a_file_over_the_limit_is_refused_with_the_limit_named(tmp_path: Path) -> None:
    path = tmp_path / "api.yaml"
    path.write_text(HEAD + "#" * 1000)
    assert "limit of 1,000 bytes" in refused(path, max_bytes=1000).message


def test_a_sparse_file_of_200_mb_is_refused_quickly(tmp_path: Path) -> None:
    path = tmp_path / "api.json"
    with path.open("wb") as stream:
        stream.truncate(200_000_000)
    assert "limit of 150,000,000 bytes" in refused(path).message


def test_invalid_json_is_reported_with_line_and_column(tmp_path: Path) -> None:
    assert "line 2, column 11: Expecting value" in refused_text(
        tmp_path, '{"openapi": "3.0.3",\n "paths": }', "api.json"
    )


@pytest.mark.parametrize("number", ["NaN", "Infinity", "-Infinity"])
def test_json_numbers_that_are_none_are_refused(tmp_path: Path, number: str) -> None:
    assert number in refused_text(tmp_path, f'{{"openapi": "3.0.3", "x": {number}}}', "api.json")


def test_json_nested_too_deeply_is_refused(tmp_path: Path) -> None:
    assert "nested too deeply" in refused_text(tmp_path, '{"a":' * 100_000, "api.json")


def test_half_a_surrogate_pair_is_replaced_and_a_whole_one_is_kept(tmp_path: Path) -> None:
    document = saved(tmp_path, '{"openapi": "3.0.3", "a\\ud800": ["\\ud83d\\ude00\\udfff", 1]}')
    assert {"openapi": "3.0.3", "a\ufffd": ["\U0001f600\ufffd", 1]} == document.root.value


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16"])
def test_byte_order_marks_are_understood(tmp_path: Path, encoding: str) -> None:
    path = tmp_path / "api.yaml"
    path.write_text(HEAD, encoding=encoding)
    assert {"openapi": "3.0.3", "paths": {}} == load_document(path).root.value


def test_flow_yaml_is_read_although_it_looks_like_json(tmp_path: Path) -> None:
    assert {"openapi": "3.0.3", "paths": {}} == saved(tmp_path, "{openapi: 3.0.3,\n paths: {}}", "api.yaml").root.value


def test_json_in_a_yaml_file_is_read(tmp_path: Path) -> None:
    assert {"openapi": "3.0.3"} == saved(tmp_path, '{"openapi": "3.0.3"}', "api.yaml").root.value


@pytest.mark.parametrize(
    ("text", "seen"),
    [
        ("[1, 2]", "holds a list"),
        ("just text", "holds a single value"),
        ("name: x\nversion: 1", "it has 'name', 'version'"),
        ("swagger: '1.2'\napis: []", "has the unsupported version '1.2'"),
    ],
)
def test_a_file_that_is_not_an_openapi_document_is_refused_with_its_kind(tmp_path: Path, text: str, seen: str) -> None:
    assert seen in refused_text(tmp_path, text)


@pytest.mark.parametrize(
    ("text", "seen"),
    [
        (HEAD + "paths: {}\n", "line 3, column 1: the key 'paths' is given twice"),
        ("openapi: 3.0.3\nx: {200: a, '200': b}", "line 2, column 13: the key '200' is given twice"),
        ("openapi: [3\n", "line 2, column 1: while parsing a flow sequence did not find expected"),
        ("openapi: 3.0.3\n\tpaths: {}", "line 2, column 1"),
        (HEAD + "---\n" + HEAD, "line 3, column 1: a second document"),
        (HEAD + "x: *nowhere", "line 3, column 4: the anchor 'nowhere' is not defined"),
        (HEAD + "x: &a [*a]", "line 3, column 8: the anchor 'a' contains itself"),
        (HEAD + "x: &a 1\ny: &a [*a]", "line 4, column 8: the anchor 'a' contains itself"),
        (HEAD + "{a: b}: c", "line 3, column 1: a mapping or sequence cannot be a key"),
        (HEAD + "x: .inf", "line 3, column 4: '.inf' is not a number that JSON can hold"),
        (HEAD + "x: 1e999", "line 3, column 4"),
        (HEAD + "<<: text", "'<<' merges a mapping"),
        ("a: " + "[" * 900 + "]" * 900, "nested more than 800 levels deep"),
    ],
)
def test_invalid_yaml_is_reported_with_line_and_column(tmp_path: Path, text: str, seen: str) -> None:
    assert seen in refused_text(tmp_path, text)


def test_aliases_that_explode_are_refused(tmp_path: Path) -> None:
    lines = ["a0: &a0 [x, x, x, x, x, x, x, x, x, x]"]
    lines += [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 10)}]" for n in range(1, 12)]
    assert "expand to more than 10,000,000 values" in refused_text(tmp_path, HEAD + "\n".join(lines))


def test_aliases_in_reason_are_shared_values() -> None:
    assert ({"a": {"b": 1}, "c": {"b": 1}}, []) == parse_yaml("a: &x {b: 1}\nc: *x")


def test_an_anchor_used_a_second_time_loads_with_a_warning() -> None:
    value, warnings = parse_yaml("a: &x 1\nb: *x\nc: &x 2\nd: *x")
    assert {"a": 1, "b": 1, "c": 2, "d": 2} == value
    assert ["line 3: the anchor 'x' is used a second time"] == warnings


def test_merge_keys_fill_in_what_is_not_said() -> None:
    value, _ = parse_yaml("base: &b {x: 1, y: 2}\nit: {<<: *b, y: 3}\nall: {<<: [*b, {z: 4}]}")
    assert {"base": {"x": 1, "y": 2}, "it": {"y": 3, "x": 1}, "all": {"x": 1, "y": 2, "z": 4}} == value


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("NO", "NO"),
        ("yes", "yes"),
        ("on", "on"),
        ("2020-01-01", "2020-01-01"),
        ("2020-01-01T10:00:00Z", "2020-01-01T10:00:00Z"),
        ("18:00", "18:00"),
        ("190:20:30", "190:20:30"),
        ("1_000", "1_000"),
        ("0b11", "0b11"),
        ("'1'", "1"),
        ("!!str 1", "1"),
        ("!custom 1", "1"),
        ("true", True),
        ("FALSE", False),
        ("null", None),
        ("~", None),
        ("", None),
        ("12", 12),
        ("-0", 0),
        ("012", 12),
        ("+3", 3),
        ("0o17", 15),
        ("0xFF", 255),
        ("1e3", 1000.0),
        (".5", 0.5),
        ("-1.50", -1.5),
        ("!!int '7'", 7),
        ("9007199254740993", 9007199254740993),
        ("18446744073709551615", 18446744073709551615),
        ("-x", "-x"),
        (".", "."),
        ("e3", "e3"),
        ("nullable", "nullable"),
        ("1.2.3", "1.2.3"),
        ("|\n  a\n  b\n", "a\nb\n"),
    ],
)
def test_scalars_follow_the_core_schema_of_yaml_1_2(text: str, value: object) -> None:
    found, _ = parse_yaml(f"x: {text}")
    assert {"x": value} == found
    assert type(value) is type(found["x"])  # type: ignore[index, call-overload]


def test_keys_are_text_as_written() -> None:
    assert {"200": 1, "true": 2, "null": 3, "1.0": 4} == parse_yaml("200: 1\ntrue: 2\nnull: 3\n1.0: 4")[0]


def test_a_number_with_thousands_of_digits_is_refused_not_crashed_on() -> None:
    with pytest.raises(YamlError, match="not a number that JSON can hold"):
        parse_yaml("x: " + "9" * 5000)


def test_the_words_no_and_dates_stay_text_in_an_enum(tmp_path: Path) -> None:
    text = "openapi: 3.0.3\npaths: {/a: {get: {responses: {200: {content: {application/json: {schema: {type: object,\n"
    text += " properties: {country: {type: string, enum: [NO, SE, 2020-01-01]}}}}}}}}}}\n"
    document = saved(tmp_path, text, "api.yaml")
    schema = document.root.child("paths", "/a", "get", "responses", "200", "content", "application/json", "schema")
    assert ["NO", "SE", "2020-01-01"] == schema.child("properties", "country", "enum").value


def test_a_document_of_components_alone_is_read_as_openapi_3(tmp_path: Path) -> None:
    document = saved(tmp_path, {"components": {"schemas": {"Pet": {"properties": {"a": {}}}}}})
    assert "PetDataObject" == read_endpoint(document, "", ReadingOptions(style="connector", schema="Pet")).root.name


def test_an_example_with_any_content_is_left_alone(tmp_path: Path) -> None:
    fields = read_properties(
        tmp_path,
        {"a": {"type": "object", "example": {"$ref": 5}, "default": {"$ref": "#/nowhere"}}},
    )
    assert "Dictionary<string, object>" == fields["a"].type


def test_spec_writes_what_load_reads(tmp_path: Path) -> None:
    value = spec({"type": "object"})
    assert value == saved(tmp_path, value).root.value
