"""Tier 4 of unions: nothing is lost, and an exception inside of a union is excused by its own place alone."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

from retouch.errors import MissingTool
from retouch.recipes.csharp.ir import TypeExample
from retouch.recipes.csharp.reading.endpoint import ReadingOptions
from retouch.recipes.csharp.runtime.check import check_run_time
from retouch.recipes.csharp.runtime.comparing import is_excused
from retouch.recipes.csharp.runtime.payloads import payloads_of
from retouch.recipes.csharp.runtime.runtimes import find_runtime
from tests.recipes.csharp.read_documents import read, record, spec
from tests.recipes.csharp.runtime.test_run_time import code
from tests.recipes.csharp.test_unions import NAMED, TEXT, UNIONS, thing

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from retouch._lib.json_text import JSON


def test_unions_keep_every_value_at_run_time_and_refuse_what_no_variant_allows(tmp_path: Path) -> None:
    try:
        find_runtime()
    except MissingTool as missing:
        pytest.skip(missing.message)
    endpoint = thing(tmp_path, UNIONS, "id")
    kept = [
        {"id": 7, "choice": "later", "stop": ["a"], "mixed": [1, "x", True], "deep": {"k": [1]}, "level": 2},
        {"id": "x", "choice": {"name": "f"}, "stop": "a", "when": "2024-01-01T10:00:00.5+02:00", "level": "low"},
        {"id": 7, "choice": None, "tree": ["a", ["b"]], "shape": {"size": {"x": "y"}}, "deep": {"k": {"name": "n"}}},
        {"id": 7, "shape": "round", "when": 5, "deep": {"k": 0.5, "l": "text"}, "stop": {"a": "new kind"}},
    ]
    refused: JSON = {"id": 7, "mixed": [1], "deep": {"k": {"more": "no name"}}}
    examples = (TypeExample(type="Thing", where=f"/{index}", json=json.dumps(one)) for index, one in enumerate(kept))
    wrong = TypeExample(type="Thing", where="/wrong", json=json.dumps(refused), contradicts=("/name",))
    report = check_run_time(replace(endpoint, examples=(*examples, wrong)), code(endpoint))
    [(_, what, problem)] = report.failures
    assert "the example at /wrong" == what, report
    assert "missing required properties including: 'name'" in problem
    assert not is_excused(problem, ["/name"], refused)
    assert is_excused(problem, ["/deep/k/name"], refused)  # its place is that of the value, not that of the union


SELF: Any = {"$ref": "#/components/schemas/Self"}
NUMBER: Any = {"type": "number"}
FLAG: Any = {"type": "boolean"}
WORD: Any = {"type": "string", "enum": ["low", "high"]}
MANY: Any = {"type": "array", "items": {"anyOf": [TEXT, NUMBER, FLAG, NAMED]}}
ALTERNATIVES: list[tuple[Any, Callable[[Any], bool]]] = [
    ({"oneOf": [NUMBER, TEXT, FLAG, NAMED]}, lambda value: value is True),
    ({"oneOf": [NUMBER, TEXT, MANY, FLAG]}, lambda value: isinstance(value, list) and isinstance(value[0], dict)),
    ({"oneOf": [NUMBER, TEXT, MANY, FLAG]}, lambda value: isinstance(value, list) and value[0] is True),
    ({"additionalProperties": {"oneOf": [NUMBER, MANY, TEXT, NAMED]}}, lambda value: isinstance(value["a key"], str)),
    ({"oneOf": [NUMBER, FLAG, WORD, NAMED]}, lambda value: value == "low"),
    ({"oneOf": [NUMBER, FLAG, WORD, NAMED]}, lambda value: value == "a value that no document names"),
]


@pytest.mark.parametrize(("schema", "is_it"), ALTERNATIVES)
def test_every_alternative_of_a_union_is_executed(tmp_path: Path, schema: Any, is_it: Callable[[Any], bool]) -> None:
    found = payloads_of(thing(tmp_path, {"it": schema}), "Thing")
    assert any(is_it(one.value["it"]) for one in found if isinstance(one.value, dict) and one.value.get("it"))
    texts = [json.dumps(one.value) for one in found]
    assert len({*texts}) == len(texts)
    assert len(found) <= 14


ENDLESS: list[tuple[dict[str, Any], list[str], Any]] = [
    ({"all": {"type": "array", "items": SELF}}, ["all"], {"all": [{"all": []}, {"all": []}]}),
    ({"by": {"additionalProperties": SELF}}, ["by"], {"by": {"a key": {"by": {}}}}),
    ({"next": SELF, "id": FLAG}, ["id"], {"next": {"id": True}, "id": True}),
    ({"it": {"oneOf": [FLAG, TEXT, SELF, NUMBER]}}, ["it"], {"it": {"it": True}}),
]


@pytest.mark.parametrize(("properties", "required", "wanted"), ENDLESS)
def test_a_type_that_contains_itself_is_executed_inside_of_itself(
    tmp_path: Path, properties: dict[str, Any], required: list[str], wanted: Any
) -> None:
    schemas = {"Self": record(*required, **properties)}
    endpoint = read(tmp_path, spec(SELF, schemas, version="3.1.0"), ReadingOptions(style="plain"))
    assert wanted in [one.value for one in payloads_of(endpoint, "Self")]
