"""Runs an export on paths, and compares its values with those of the rule."""

from __future__ import annotations

import json
import re
from datetime import date, datetime
from importlib import import_module
from typing import TYPE_CHECKING, Any
from uuid import UUID

from retouch.errors import MissingTool
from retouch.recipes.rule.applying.evaluation import apply_rule
from retouch.recipes.rule.detecting.specificity import near_misses_of
from retouch.recipes.rule.exporting.code import exported
from retouch.recipes.rule.exporting.plan import plan_of
from retouch.recipes.rule.globs.parsing import SCHEME
from retouch.recipes.rule.language.dates import with_milliseconds
from retouch.recipes.rule.language.values import converter

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from retouch._lib.json_text import JSON
    from retouch.recipes.rule.exporting.code import Target
    from retouch.recipes.rule.language.model import ExtractionRule, Field

_PACKAGES = {"duckdb": "duckdb", "polars": "polars", "pandas": "pandas"}
_CERTAIN = frozenset({"COMPLETE", "UNMATCHED"})
_START = re.compile(rf"\A(?:{SCHEME})?(?:\.?/)*")
_PROBED = 20  # samples whose near misses are compared too


def differences(rule: ExtractionRule, target: Target, samples: Sequence[str]) -> list[str]:
    """Return the paths for which an export gives other values than the rule: samples, and names that are no data.

    An export has a row for each path that gives every field.

    Raises:
        MissingTool: the tool is not installed, so the export cannot be run.
    """
    paths = list(dict.fromkeys(samples))
    probed = paths[:_PROBED]
    matched = [path for path in probed if apply_rule(rule, path).status == "COMPLETE"]
    others = [miss for path in probed for miss in near_misses_of(path)]
    others += [f"{path}\n" for path in matched]
    others += [f"{start}{inside(path)}" for path in matched for start in ("", "/", "s3://")]
    others += [other for path in matched for other in _altered(path) if apply_rule(rule, other).status in _CERTAIN]
    paths = list(dict.fromkeys(path for path in (*paths, *(one for one in others if not fails(rule, one))) if path))
    given = values_given(rule, target, paths)
    return [path for path in paths if _as_text(rule, _expected(rule, path)) != _as_text(rule, given.get(path))]


def fails(rule: ExtractionRule, path: str) -> bool:
    """Return whether an export fails on a path: the rule takes a text there that is no value of its type."""
    reasons = apply_rule(rule, path).reasons.values()
    return any(reason.code == "TYPE_COERCION_FAILED" and not reason.defaulted for reason in reasons)


def _expected(rule: ExtractionRule, path: str) -> Mapping[str, JSON] | None:
    result = apply_rule(rule, path)
    return result.values if result.status == "COMPLETE" else None


def _as_text(rule: ExtractionRule, values: Mapping[str, JSON] | None) -> str:
    """Return values in a form that can be compared. A field that a shape lacks is null in the columns of a table."""
    names = [field.name for one in (rule, *rule.others) for field in one.fields]
    return json.dumps(values and {**dict.fromkeys(names), **values}, sort_keys=True)


def _altered(path: str) -> Iterator[str]:
    """Yield a path with one other character, of the same kind and of another, or with one that starts a directory."""
    for at, char in enumerate(path):
        if char == "/":
            continue
        kinds = ("x", "4" if char == "3" else "3") if char.isdigit() else ("7", "y" if char == "z" else "z")
        for other in (*kinds, "/"):
            changed = f"{path[:at]}{other}{path[at + 1 :]}"
            if {"", ".", ".."}.isdisjoint(inside(changed).split("/")):
                yield changed


def inside(path: str) -> str:
    """Return a path without what names no part of it at the start."""
    return _START.sub("", path, count=1)


def values_given(rule: ExtractionRule, target: Target, paths: Sequence[str]) -> dict[str, dict[str, JSON]]:
    """Return the values of each path for which an export has a row, as rules write them."""
    if target in _PACKAGES:
        try:
            import_module(_PACKAGES[target])
        except ImportError as error:
            message = f"{target} is not installed, so the export cannot be run and compared"
            raise MissingTool(message, hint=f"pip install {_PACKAGES[target]}") from error
    code = exported(rule, target)
    if target == "regex":
        return {path: found for path in paths if (found := _by_regex(rule, code.splitlines(), path)) is not None}
    if target == "duckdb":
        return _by_table(rule, _duckdb_rows(code, paths))
    module: dict[str, Any] = {}
    exec(compile(code, "<export>", "exec"), module)  # noqa: S102 - it is the code that was just written from the rule
    if target == "python":
        return {path: found for path in paths if (found := module["extract"](path)) is not None}
    return _by_table(rule, _frame_rows(module["extract"], target, paths))


def _duckdb_rows(code: str, paths: Sequence[str]) -> dict[str, dict[str, Any]]:
    connection: Any = import_module("duckdb").connect()
    connection.execute("CREATE TABLE paths AS SELECT unnest(?) AS path", [list(paths)])
    done = connection.execute(code)
    names = [one[0] for one in done.description]
    rows = [dict(zip(names, row, strict=True)) for row in done.fetchall()]
    return {row.pop("path"): row for row in rows}


def _frame_rows(extract: Any, target: Target, paths: Sequence[str]) -> dict[str, dict[str, Any]]:
    if target == "polars":
        frame: Any = import_module("polars").DataFrame({"path": list(paths)})
        return {row.pop("path"): row for row in extract(frame).to_dicts()}
    pandas: Any = import_module("pandas")
    found: Any = extract(pandas.Series(list(paths), index=list(paths), dtype="string"))
    return found.astype(object).where(found.notna(), None).to_dict("index")


def _by_table(rule: ExtractionRule, rows: Mapping[str, Mapping[str, Any]]) -> dict[str, dict[str, JSON]]:
    """Return the values of a table as rules write them."""
    in_utc = {one.field.name for shape in plan_of(rule).shapes for one in shape.columns if one.in_utc}
    return {
        path: {name: _plain(value, in_utc=name in in_utc) for name, value in row.items()} for path, row in rows.items()
    }


def _plain(value: Any, *, in_utc: bool) -> JSON:
    if isinstance(value, date):
        text = with_milliseconds(value.isoformat())
        return f"{text}{'Z' if in_utc and isinstance(value, datetime) else ''}"
    if isinstance(value, UUID):
        return str(value)
    return value.item() if hasattr(value, "item") else value


def _by_regex(rule: ExtractionRule, patterns: Sequence[str], path: str) -> dict[str, JSON] | None:
    for shape, pattern in zip((rule, *rule.others), patterns, strict=True):
        if found := re.fullmatch(pattern, path):
            return {field.name: _value(field, found[field.name]) for field in shape.fields}
    return None


def _value(field: Field, text: str | None) -> JSON:
    convert = converter(field.type, field.format)
    return None if text is None or text in field.nulls else convert(text) if convert else text
