"""Calls of regions become calls that a tool would take."""

from __future__ import annotations

from typing import Any

import pytest

from retouch.recipes.policy import Tool, ToolCall
from retouch.recipes.policy.analysing.completing import completed
from retouch.recipes.policy.language.values import Condition, Mode, RoleSpec

ROLES = {"path": "read-path", "remote": "git-remote-url", "note": "none"}


def tool(required: list[str], **properties: Any) -> Tool:
    args = {name: RoleSpec(default=(ROLES.get(name, "none"),)) for name in properties}
    schema: Any = {"type": "object", "properties": properties, "required": required}
    return Tool(server="git", name="push", args=args, input_schema=schema)


def whole(one: Tool, **arguments: Any) -> Any:
    found = completed(one, ToolCall(server="git", tool="push", arguments=arguments))
    return None if found is None else dict(found.arguments)


@pytest.mark.parametrize(
    ("schema", "expected"),
    [
        ({"type": "string"}, "example"),
        ({"type": "integer", "minimum": 5}, 5),
        ({"type": "boolean"}, False),
        ({"type": "array"}, []),
        ({"type": "object"}, {}),
        ({"enum": ["b", "a"]}, "b"),
    ],
)
def test_what_is_wanted_and_not_looked_at_gets_a_value_of_its_schema(schema: Any, expected: Any):
    assert {"note": expected} == whole(tool(["note"], note=schema))


def test_what_names_something_is_something_that_nobody_speaks_of():
    one = tool(["path", "remote"], path={"type": "string"}, remote={"type": "array", "items": {"type": "string"}})
    assert {"path": "/outside/example", "remote": ["https://unlisted.example"]} == whole(one)


def test_what_is_there_stays_and_stands_in_a_list_where_one_is_wanted():
    one = tool(["path"], path={"type": "array"}, note={"type": "string"})
    assert {"path": ["/a"]} == whole(one, path="/a")
    assert {"path": ["/a"], "note": "x"} == whole(one, path=["/a"], note="x")


def test_a_call_that_cannot_be_made_whole_is_none():
    assert whole(tool(["note"], note={"type": "string", "pattern": "^[0-9]{20}$"})) is None
    mode = Mode(condition=Condition(arg="note", kind="equals", equals="known"), roles=("read-path",))
    args = {"path": RoleSpec(default=("write-path",), modes=(mode,)), "note": RoleSpec(default=("none",))}
    assert whole(Tool(server="git", name="push", args=args), path="/a", note="strange") is None


def test_a_tool_without_a_schema_wants_nothing():
    assert {} == whole(Tool(server="git", name="push", args={}))


def test_a_list_of_objects_has_one_with_the_value_as_its_path():
    items = {
        "type": "object",
        "properties": {"content": {"type": "string"}, "path": {"type": "string"}},
        "required": ["path", "content"],
    }
    found = whole(tool(["files"], files={"type": "array", "items": items}), files="docs/example")
    assert ["docs/example"] == [one["path"] for one in found["files"]]


def test_texts_of_a_list_of_objects_are_in_the_only_text_that_each_object_must_have():
    guest: Any = {"type": "object", "properties": {"email": {"type": "string"}, "optional": {"type": "boolean"}}}
    guests: Any = {"type": "array", "items": {**guest, "required": ["email"]}}
    assert {"note": [{"email": "ada@a.example"}]} == whole(tool(["note"], note=guests), note="ada@a.example")
