"""Runs an export on paths, and compares its values with those of the rule."""

from __future__ import annotations

import json
import re
from datetime import datetime
from importlib import import_module
from typing import TYPE_CHECKING, Any

from retouch.errors import MissingTool
from retouch.recipes.rule.applying.evaluation import apply_rule
from retouch.recipes.rule.applying.places import locate
from retouch.recipes.rule.detecting.specificity import near_misses_of
from retouch.recipes.rule.exporting.code import exported
from retouch.recipes.rule.language.dates import date_reader, timestamp_reader, usual_date
from retouch.recipes.rule.language.values import integer, real, uuid

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from retouch._lib.json_text import JSON
    from retouch.recipes.rule.exporting.code import Target
    from retouch.recipes.rule.language.model import ExtractionRule, Field

_PACKAGES = {"duckdb": "duckdb", "polars": "polars", "pandas": "pandas"}
_CERTAIN = frozenset({"COMPLETE", "UNMATCHED"})
_PROBED = 20  # samples whose near misses are compared too


def differences(rule: ExtractionRule, target: Target, samples: Sequence[str]) -> list[str]:
    """Return the paths for which an export gives other values than the rule: samples, and names that are no data.

    An export has a row for each path that gives every field.

    Raises:
        MissingTool: the tool is not installed, so the export cannot be run.
    """
    paths = list(dict.fromkeys(_subject(rule, path) for path in samples))
    probed = paths[:_PROBED]
    paths += [miss for path in probed for miss in near_misses_of(path)]
    matched = [path for path in probed if apply_rule(rule, path).status == "COMPLETE"]
    paths += [f"{path}\n" for path in matched]
    paths += [other for path in matched for other in _altered(path) if apply_rule(rule, other).status in _CERTAIN]
    paths = list(dict.fromkeys(path for path in paths if path))
    given = values_given(rule, target, paths)
    wrong: list[str] = []
    for path in paths:
        result = apply_rule(rule, path)
        expected = dict(result.values) if result.status == "COMPLETE" else None
        if json.dumps(expected, sort_keys=True) != json.dumps(given.get(path), sort_keys=True, default=as_rules_write):
            wrong.append(path)
    return wrong


def _altered(path: str) -> Iterator[str]:
    """Yield a path with one other character, of the same kind and of another, or with one that begins a directory."""
    for at, char in enumerate(path):
        if char == "/":
            continue
        kinds = ("x", "4" if char == "3" else "3") if char.isdigit() else ("7", "y" if char == "z" else "z")
        for other in (*kinds, "/"):
            changed = f"{path[:at]}{other}{path[at + 1 :]}"
            is_of_its_kind = changed.startswith("/") == path.startswith("/")  # relative, or not
            if is_of_its_kind and {"", ".", ".."}.isdisjoint(changed.removeprefix("/").split("/")):
                yield changed


def _subject(rule: ExtractionRule, path: str) -> str:
    """Return a path as exports read it: normalised, and relative unless the glob is absolute."""
    place = locate(path)
    return place.absolute if rule.glob.text.startswith("/") else place.absolute[1:]


def values_given(rule: ExtractionRule, target: Target, paths: Sequence[str]) -> dict[str, dict[str, Any]]:
    """Return the values of each path for which an export has a row."""
    if target in _PACKAGES:
        try:
            import_module(_PACKAGES[target])
        except ImportError as error:
            message = f"{target} is not installed, so the export cannot be run and compared"
            raise MissingTool(message, hint=f"pip install {_PACKAGES[target]}") from error
    code = exported(rule, target)
    if target == "regex":
        return {path: found for path in paths if (found := _by_regex(rule, code.rstrip("\n"), path)) is not None}
    if target == "duckdb":
        return _by_duckdb(code, paths)
    module: dict[str, Any] = {}
    exec(compile(code, "<export>", "exec"), module)  # noqa: S102 - it is the code that was just written from the rule
    if target == "python":
        return {path: found for path in paths if (found := module["extract"](path)) is not None}
    return _by_frame(module["extract"], target, paths)


def _by_duckdb(code: str, paths: Sequence[str]) -> dict[str, dict[str, Any]]:
    connection: Any = import_module("duckdb").connect()
    connection.execute("CREATE TABLE paths AS SELECT unnest(?) AS path", [list(paths)])
    done = connection.execute(code)
    names = [one[0] for one in done.description]
    rows = [dict(zip(names, row, strict=True)) for row in done.fetchall()]
    return {row.pop("path"): row for row in rows}


def _by_frame(extract: Any, target: Target, paths: Sequence[str]) -> dict[str, dict[str, Any]]:
    if target == "polars":
        frame: Any = import_module("polars").DataFrame({"path": list(paths)})
        return {row.pop("path"): row for row in extract(frame).to_dicts()}
    pandas: Any = import_module("pandas")
    found: Any = extract(pandas.Series(list(paths), index=list(paths)))
    rows: dict[str, dict[str, Any]] = found.astype(object).where(found.notna(), None).to_dict("index")
    return {path: {name: _plain(value) for name, value in row.items()} for path, row in rows.items()}


def as_rules_write(value: object) -> str:
    """Return a value of a tool as rules write it: times since 1970 with a Z."""
    return f"{value.isoformat()}Z" if isinstance(value, datetime) else str(value)


def _plain(value: Any) -> Any:
    return value.item() if hasattr(value, "item") else value


def _by_regex(rule: ExtractionRule, pattern: str, path: str) -> dict[str, JSON] | None:
    found = re.fullmatch(pattern, path)
    return {field.name: _value(field, found[field.name]) for field in rule.fields} if found is not None else None


def _value(field: Field, text: str | None) -> JSON:
    if text is None or text in field.nulls:
        return None
    if field.type == "integer":
        return integer(text)
    if field.type == "uuid":
        return uuid(text)
    if field.type == "date":
        return date_reader(field.format)(text) if field.format else usual_date(text)
    if field.type == "timestamp":
        return timestamp_reader(field.format)(text)
    return real(text) if field.type == "float" else text
