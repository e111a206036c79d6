"""Tier 4 of unions: nothing is lost, and an exception inside of a union is excused by its own place alone."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from retouch.errors import MissingTool
from retouch.recipes.csharp.ir import TypeExample
from retouch.recipes.csharp.runtime.check import check_run_time
from retouch.recipes.csharp.runtime.comparing import is_excused
from retouch.recipes.csharp.runtime.runtimes import find_runtime
from tests.recipes.csharp.runtime.test_run_time import code
from tests.recipes.csharp.test_unions import UNIONS, thing

if TYPE_CHECKING:
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
