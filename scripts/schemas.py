"""The JSON Schemas of the files that users write: retouch.toml, rules, policies and tool annotations."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from retouch.cli.root import command
from retouch.cli.settings import Setting
from retouch.cli.verb import SETTING_MARK, LazyGroup
from retouch.recipes.policy.language.forms import AnnotationsForm, PolicyForm
from retouch.recipes.rule.language.field_schema import (
    KEYS_OF_2,
    KEYS_OF_PART,
    LEAST_PARTS,
    MOST_DESCRIPTION,
    MOST_UNIT,
)
from retouch.recipes.rule.language.schema import KEYS
from retouch.recipes.rule.language.values import NORMALIZERS, TYPES

if TYPE_CHECKING:
    from collections.abc import Mapping

PLACE = Path(__file__).resolve().parents[1] / "docs" / "reference" / "schemas"
DIALECT = "https://json-schema.org/draft/2020-12/schema"
THEIRS = frozenset({"csharp", "edit", "extract", "policy", "chisel", "rule"})


def schemas() -> Mapping[Path, str]:
    """Return the text of each schema by its path."""
    found = {
        "retouch.toml": settings_schema(command, top=True),
        "rule": rule_schema(),
        "policy": PolicyForm.model_json_schema(),
        "tools": AnnotationsForm.model_json_schema(),
    }
    return {PLACE / f"{name}.schema.json": _text(name, schema) for name, schema in found.items()}


def _text(name: str, schema: Mapping[str, Any]) -> str:
    whole = {"$schema": DIALECT, **schema, "title": name}
    return json.dumps(whole, indent=2, sort_keys=True) + "\n"


def settings_schema(one: click.Command, *, top: bool = False) -> dict[str, Any]:
    """Return the schema of the table of a command: its settings, those of the commands below it, and their tables."""
    below = _commands(one, top=top)
    properties = {key: _setting(each) for key, each in sorted(_settings(one, top=top).items())}
    tables = {name: settings_schema(each) for name, each in sorted(below.items())}
    tables = {name: table for name, table in tables.items() if table["properties"]}
    return {"type": "object", "additionalProperties": False, "properties": {**properties, **tables}}


def _commands(one: click.Command, *, top: bool) -> dict[str, click.Command]:
    """Return the commands below a command, without those of other packages."""
    if not isinstance(one, LazyGroup):
        return {}
    known = {name for names in _sections(one) for name in names} | THEIRS if top else set(one.table)
    return {name: one.load(name) for name in one.table if name in known}


def _sections(one: LazyGroup) -> list[set[str]]:
    return [set(table) for heading, table in one.sections().items() if heading != "Recipes"]


def _settings(one: click.Command, *, top: bool) -> dict[str, Setting]:
    found = {str(each.name).replace("_", "-"): each for each in one.params if isinstance(each, Setting)}
    for each in _commands(one, top=top).values():
        found.update(_settings(each, top=False))
    return found


def _setting(one: Setting) -> dict[str, Any]:
    meaning = " ".join((one.help or "").replace(SETTING_MARK, "").split())
    value = _value(one)
    if one.multiple:
        value = {"anyOf": [value, {"type": "array", "items": value}]}
    return {**value, "description": meaning} if meaning else value


def _value(one: Setting) -> dict[str, Any]:
    if one.is_flag:
        return {"type": "boolean"}
    if isinstance(one.type, click.Choice):
        return {"enum": [str(each) for each in one.type.choices]}
    if isinstance(one.type, (click.IntRange, click.FloatRange)):
        return {"type": "integer" if isinstance(one.type, click.IntRange) else "number", **_limits(one.type)}
    kinds = {"integer": "integer", "float": "number", "boolean": "boolean"}
    kind = kinds.get(one.type.name)
    return {"type": kind} if kind else {"type": ["string", "integer", "number"]}


def _limits(kind: click.IntRange | click.FloatRange) -> dict[str, Any]:
    low = "exclusiveMinimum" if kind.min_open else "minimum"
    high = "exclusiveMaximum" if kind.max_open else "maximum"
    return {key: number for key, number in ((low, kind.min), (high, kind.max)) if number is not None}


def rule_schema() -> dict[str, Any]:
    """Return the schema of a file with one rule or with several."""
    text = {"type": "string"}
    name = {"type": "string", "pattern": "^[a-z][a-z0-9_]*$"}
    field: dict[str, Any] = {
        "from": {"anyOf": [{"enum": ["filename", "full_path", "rel_path"]}, {"pattern": r"^segment\(-?[0-9]{1,4}\)$"}]},
        "pattern": text,
        "type": {"enum": list(TYPES)},
        "format": text,
        "normalize": {"enum": list(NORMALIZERS)},
        "default": {"type": ["string", "integer", "boolean", "null"]},
        "null": {"type": "array", "items": text},
        "join": text,
        "description": {"type": "string", "maxLength": MOST_DESCRIPTION},
        "unit": {"type": "string", "maxLength": MOST_UNIT},
    }
    part = {"type": "object", "additionalProperties": False, "required": ["from"]}
    field["parts"] = {
        "type": "array",
        "minItems": LEAST_PARTS,
        "items": {**part, "properties": {key: field[key] for key in KEYS_OF_PART}},
    }
    rule = {
        "version": {"enum": [1, 2]},
        "name": name,
        "glob": text,
        "extract": {
            "type": ["object", "null"],
            "propertyNames": name,
            "additionalProperties": {
                "type": "object",
                "additionalProperties": False,
                "properties": {key: field[key] for key in KEYS_OF_2},
                "oneOf": [{"required": ["from"]}, {"required": ["parts"]}],
            },
        },
        "tag": name,
        "priority": {"type": "integer", "minimum": 0, "maximum": 1000},
    }
    properties = {key: rule[key] for key in KEYS}
    one = {"type": "object", "additionalProperties": False, "properties": properties, "required": ["name", "glob"]}
    several = {
        "type": "object",
        "additionalProperties": False,
        "properties": {"version": rule["version"], "rules": {"type": "array", "items": {"$ref": "#/$defs/rule"}}},
        "required": ["rules"],
    }
    return {"anyOf": [{"$ref": "#/$defs/rule"}, several], "$defs": {"rule": one}}
