"""Reads files of tools: the result of MCP's `tools/list`, OpenAPI documents, and Python modules."""

from __future__ import annotations

import ast
import json
from typing import TYPE_CHECKING, cast

from retouch._lib.yaml12 import parse_yaml
from retouch.errors import BadInput
from retouch.recipes.policy.annotating.proposing import ListedTool

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from retouch._lib.json_text import JSON

_METHODS = ("get", "put", "post", "delete", "patch", "head", "options")
_DEEPEST = 12
_TYPES = {"str": "string", "int": "integer", "float": "number", "bool": "boolean", "list": "array", "dict": "object"}


def tools_of_file(path: Path) -> tuple[ListedTool, ...]:
    """Return the tools in a file: MCP `tools/list` as JSON, an OpenAPI document, or a Python module.

    A module is parsed and never executed: its public functions are the tools.

    Raises:
        BadInput: it cannot be read, or contains no tools.
    """
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise BadInput(f"cannot read {str(path)!r}: {error}", hint="Pass a JSON, YAML or Python file.") from error
    if path.suffix == ".py":
        return some_tools(tuple(_functions(text, str(path))), str(path))
    value = parse_yaml(text)[0] if path.suffix in {".yaml", ".yml"} else _parsed(text, str(path))
    if isinstance(value, dict) and ("openapi" in value or "swagger" in value):
        return some_tools(tuple(_operations(value)), str(path))
    return some_tools(tools_in(value, name=str(path)), str(path))


def tools_in(value: JSON, *, name: str) -> tuple[ListedTool, ...]:
    """Return the tools of a `tools/list` result, of the whole response, or of a list.

    Raises:
        BadInput: it has another shape.
    """
    inner = value.get("result", value) if isinstance(value, dict) else value
    tools = inner.get("tools") if isinstance(inner, dict) else inner
    if not isinstance(tools, list):
        hint = "Pass the result of MCP's tools/list, an OpenAPI document, or a Python module."
        raise BadInput(f"{name!r} has no list of tools", hint=hint)
    return tuple(_tool(one, name) for one in tools)


def _tool(value: JSON, name: str) -> ListedTool:
    if not isinstance(value, dict) or not isinstance(value.get("name"), str) or not value["name"]:
        raise BadInput(f"{name!r} contains a tool without a name", hint="Each tool is an object with 'name'.")
    schema, hints = value.get("inputSchema") or value.get("input_schema"), value.get("annotations")
    parameters = value.get("parameters")
    known = schema if isinstance(schema, dict) else parameters if isinstance(parameters, dict) else {}
    description = value.get("description")
    return ListedTool(
        name=cast("str", value["name"]),
        description=description if isinstance(description, str) else "",
        schema=known,
        hints=hints if isinstance(hints, dict) else {},
    )


def _parsed(text: str, name: str) -> JSON:
    try:
        return cast("JSON", json.loads(text))
    except ValueError as error:
        raise BadInput(f"{name!r} is not JSON: {error}", hint="Pass JSON, YAML (.yaml) or Python (.py).") from error


def some_tools(tools: tuple[ListedTool, ...], name: str) -> tuple[ListedTool, ...]:
    """Return the tools.

    Raises:
        BadInput: there are none, or two have the same name.
    """
    if not tools:
        raise BadInput(f"{name!r} contains no tools", hint="There is nothing to annotate.")
    names = [one.name for one in tools]
    twice = next((one for one in names if names.count(one) > 1), None)
    if twice is not None:
        raise BadInput(f"{name!r} contains the tool {twice!r} twice", hint="Names of tools must be unique.")
    return tools


def _operations(document: Mapping[str, JSON]) -> Iterator[ListedTool]:
    """Yield the operations of an OpenAPI document: parameters and the properties of the JSON body are arguments."""
    paths = document.get("paths")
    for path, item in paths.items() if isinstance(paths, dict) else ():
        for method in _METHODS if isinstance(item, dict) else ():
            operation = item.get(method) if isinstance(item, dict) else None
            if not isinstance(operation, dict):
                continue
            common = item.get("parameters") if isinstance(item, dict) else None
            given = [*_listed(common), *_listed(operation.get("parameters"))]
            properties: dict[str, JSON] = {}
            required: list[JSON] = []
            for one in (_resolved(document, each) for each in given):
                name = one.get("name")
                if isinstance(name, str):
                    properties[name] = _inlined(document, one.get("schema") or {"type": one.get("type", "string")})
                    required += [name] if one.get("required") is True or one.get("in") == "path" else []
            more, needed = _body(document, operation)
            schema: dict[str, JSON] = {"type": "object", "properties": properties | more}
            required = list(dict.fromkeys(map(str, (*required, *needed))))
            name = operation.get("operationId") or f"{method}_{path.strip('/').replace('/', '_')}"
            yield ListedTool(
                name=str(name),
                description=str(operation.get("summary") or operation.get("description") or ""),
                schema=schema | ({"required": required} if required else {}),
                hints={},
            )


def _body(document: Mapping[str, JSON], operation: Mapping[str, JSON]) -> tuple[dict[str, JSON], list[str]]:
    """Return the properties of a JSON body, and the names of those that a call must have."""
    body = _resolved(document, operation.get("requestBody"))
    found: JSON = dict(body)
    for key in ("content", "application/json", "schema"):
        found = found.get(key) if isinstance(found, dict) else None
    properties, required = _properties(document, found, 0)
    return properties, required if body.get("required") is True else []


def _properties(document: Mapping[str, JSON], schema: JSON, depth: int) -> tuple[dict[str, JSON], list[str]]:
    """Return the properties of an object and of the parts that it is made of, and the required ones."""
    found = _resolved(document, schema)
    own = found.get("properties")
    properties = {name: _inlined(document, one) for name, one in own.items()} if isinstance(own, dict) else {}
    required = [one for one in _listed(found.get("required")) if isinstance(one, str)]
    for part in _listed(found.get("allOf")) if depth < _DEEPEST else ():
        more, needed = _properties(document, part, depth + 1)
        properties, required = more | properties, [*required, *needed]
    return properties, [one for one in required if one in properties]


def _inlined(document: Mapping[str, JSON], value: JSON, depth: int = 0) -> JSON:
    """Return a schema with its references replaced by what they name. Below many levels, any value is accepted."""
    if isinstance(value, list):
        return [_inlined(document, one, depth) for one in value]
    if not isinstance(value, dict):
        return value
    if depth > _DEEPEST:
        return {}
    found = _resolved(document, value)
    return {name: _inlined(document, one, depth + 1) for name, one in found.items()}


def _listed(value: JSON) -> list[JSON]:
    return value if isinstance(value, list) else []


def _resolved(document: Mapping[str, JSON], value: JSON) -> Mapping[str, JSON]:
    """Return an object, following its `$ref` inside the document. {} if there is no such object."""
    for _ in range(_DEEPEST):
        if not isinstance(value, dict) or not isinstance(value.get("$ref"), str):
            return value if isinstance(value, dict) else {}
        found: JSON = dict(document)
        for part in str(value["$ref"]).removeprefix("#/").split("/"):
            found = found.get(part.replace("~1", "/").replace("~0", "~")) if isinstance(found, dict) else None
        value = found
    return {}


def _functions(text: str, name: str) -> Iterator[ListedTool]:
    try:
        module = ast.parse(text)
    except SyntaxError as error:
        raise BadInput(f"{name!r} is not Python: line {error.lineno}", hint="Correct it, then try again.") from error
    bodies = [module.body, *(one.body for one in module.body if isinstance(one, ast.ClassDef))]
    for one in (node for body in bodies for node in body):
        if isinstance(one, (ast.FunctionDef, ast.AsyncFunctionDef)) and not one.name.startswith("_"):
            known = [arg for arg in (*one.args.posonlyargs, *one.args.args, *one.args.kwonlyargs) if arg.arg != "self"]
            properties: dict[str, JSON] = {arg.arg: _typed(arg) for arg in known}
            required: list[JSON] = [name for name in properties if name in _without_default(one.args)]
            schema: dict[str, JSON] = {"type": "object", "properties": properties}
            schema |= {"required": required} if required else {}
            yield ListedTool(name=one.name, description=ast.get_docstring(one) or "", schema=schema, hints={})


def _without_default(args: ast.arguments) -> set[str]:
    """Return the names of the arguments that every call must have."""
    in_order = [*args.posonlyargs, *args.args]
    found = {one.arg for one in in_order[: len(in_order) - len(args.defaults)]}
    return found | {one.arg for one, default in zip(args.kwonlyargs, args.kw_defaults, strict=True) if default is None}


def _typed(arg: ast.arg) -> JSON:
    name = arg.annotation.id if isinstance(arg.annotation, ast.Name) else ""
    return {"type": _TYPES[name]} if name in _TYPES else {}
