"""Writes a rule as a query for DuckDB."""

from __future__ import annotations

from typing import TYPE_CHECKING

from retouch.errors import BadInput
from retouch.recipes.rule.exporting.globs import STEPS
from retouch.recipes.rule.exporting.plan import expect_same_types
from retouch.recipes.rule.exporting.types import ASCII, WORDS, expect_names, expect_same_days, format_of, shapes_of
from retouch.recipes.rule.language.dates import EPOCHS
from retouch.recipes.rule.regexes.writing import RE2, regex_text

if TYPE_CHECKING:
    from collections.abc import Callable

    from retouch.recipes.rule.exporting.plan import ExportColumn, ExportPlan, ExportShape, Take

_OTHERWISE = {"%j": "the day 366 of a year that has none as another day"}
_NOT_EMPTY = "Write a pattern whose value has a character, for example with + instead of *."


def duckdb_code(plan: ExportPlan) -> str:
    """Return the query of a rule for DuckDB.

    Raises:
        BadInput: a field has several types or a format that DuckDB reads otherwise, is called as the column of paths,
            or may be empty or missing.
    """
    expect_same_types(plan, "duckdb")
    expect_same_days(plan, "duckdb", _OTHERWISE)
    expect_names(plan, "duckdb")
    globs = [f"regexp_matches(_path, {_sql(regex_text(shape.glob, RE2))})" for shape in plan.shapes]
    several = len(plan.shapes) > 1
    number = " ".join(f"\n      WHEN {glob} THEN {at}" for at, glob in enumerate(globs, 1))
    texts = [f'{_of_shapes(plan, name, _text)} AS "_{name}"' for name in plan.names]
    values = [f'{_of_shapes(plan, name, _value)} AS "{name}"' for name in plan.names]
    lines = [
        f"-- The rule {plan.name} over a table or view `paths` with the column `path`, for example",
        "-- CREATE VIEW paths AS SELECT file AS path",
        f"-- FROM glob({_sql(plan.listing)});",
        "WITH normalised AS (",
        f"  SELECT path, {_normalised_path()} AS _path",
        "  FROM paths",
        "), parted AS (",
        "  SELECT path, _path, string_split(_path, '/') AS _parts",
        *([f"    , CASE {number} END AS _shape"] if several else []),
        "  FROM normalised" if several else f"  FROM normalised WHERE {globs[0]}",
        "), texts AS (",
        f"  SELECT {', '.join(['path', *(['_shape'] if several else [])])}",
        *(f"    , {one}" for one in texts),
        "  FROM parted",
        ")",
        "SELECT path",
        *(f"  , {one}" for one in values),
        "FROM texts",
        f"WHERE {_taken(plan)};",
    ]
    return "\n".join(lines) + "\n"


def _normalised_path() -> str:
    text = "path"
    for pattern, other in STEPS:
        text = f"regexp_replace({text}, {_sql(pattern)}, {_sql(other)}, 'g')"
    return f"CASE WHEN regexp_matches(path, {_sql(_UNTIDY)}) THEN {text} ELSE path END"


_UNTIDY = r"^/|/$|//|\\|(?:^|/)\.(?:/|$)"


def _of_shapes(plan: ExportPlan, name: str, write: Callable[[ExportColumn], str]) -> str:
    """Return what a column is in the shapes that have it."""
    found = [
        (number, write(column))
        for number, shape in enumerate(plan.shapes, 1)
        for column in shape.columns
        if column.field.name == name
    ]
    if len(plan.shapes) == 1:
        return found[0][1]
    cases = " ".join(f"WHEN {number} THEN {text}" for number, text in found)
    return f"CASE _shape {cases} END"


def _taken(plan: ExportPlan) -> str:
    if len(plan.shapes) == 1:
        return _all_there(plan.shapes[0])
    cases = " ".join(f"WHEN {number} THEN {_all_there(shape)}" for number, shape in enumerate(plan.shapes, 1))
    return f"CASE _shape {cases} ELSE false END"


def _all_there(shape: ExportShape) -> str:
    wanted = [f'"_{one.field.name}" IS NOT NULL' for one in shape.columns if not one.field.optional]
    return " AND ".join(wanted) or "true"


def _text(column: ExportColumn) -> str:
    texts = [_take(column.field.name, take) for take in column.takes]
    return f" || {_sql(column.field.join)} || ".join(texts)


def _take(name: str, take: Take) -> str:
    at = take.segment
    part = "_path" if at is None else f"_parts[{at if at < 0 else at + 1}]"
    if take.pattern is None:
        return part
    pattern = _sql(regex_text(take.pattern, RE2))
    text = f"regexp_extract({part}, {pattern}, {take.group})"
    if not take.may_be_empty:
        return f"nullif({text}, '')"
    if not take.is_sure:
        raise BadInput(f"{name!r} may be empty or missing, which DuckDB does not distinguish", hint=_NOT_EMPTY)
    return f"CASE WHEN regexp_matches({part}, {pattern}) THEN {text} END"


def _value(column: ExportColumn) -> str:
    field = column.field
    raw = f'"_{field.name}"'
    text = raw
    for null in field.nulls:
        text = f"nullif({text}, {_sql(null)})"
    value = _typed(column, _normalized(column, text))
    if not field.optional or field.default is None:
        return value
    default = f"coalesce({value}, {_default(column)})"
    return (
        f"CASE WHEN {raw} IN ({', '.join(map(_sql, field.nulls))}) THEN NULL ELSE {default} END"
        if field.nulls
        else default
    )


def _normalized(column: ExportColumn, text: str) -> str:
    match column.field.normalize:
        case "strip_leading_zeros":
            return f"regexp_replace({text}, '^0+((?s:.))', '\\1')"
        case "percent_decode":
            return f"url_decode({text})"
        case "lowercase" | "uppercase" as case:
            return _checked(text, ASCII, "ASCII text", f"{'lower' if case == 'lowercase' else 'upper'}({text})")
        case None:
            return text


def _checked(text: str, shape: str, what: str, value: str) -> str:
    unread = f"NOT regexp_full_match({text}, {_sql(shape)})"
    return f"CASE WHEN {unread} THEN error('no {what}: ' || {text}) ELSE {value} END"


def _typed(column: ExportColumn, text: str) -> str:
    """Return the value of a text. If the rule does not read it, it is null for an optional field, else an error."""
    field = column.field
    if field.type == "string":
        return text
    read, alike = shapes_of(column)
    value = _cast(column, text)
    if read != alike or not field.optional:
        value = _checked(text, alike, WORDS[field.type], value)
    return f"CASE WHEN regexp_full_match({text}, {_sql(read)}) THEN {value} END" if field.optional else value


def _cast(column: ExportColumn, text: str) -> str:
    field, form = column.field, format_of(column)
    cast, strptime = ("TRY_CAST", "try_strptime") if field.optional else ("CAST", "strptime")
    if field.type == "decimal":
        return f"ltrim({text}, '+')"
    if form in EPOCHS:
        return f"make_timestamp(CAST({text} AS BIGINT) * {1_000_000 // EPOCHS[form]})"
    if form is not None:
        moment = f"{strptime}({text}, {_sql(form)})"
        return moment if field.type == "timestamp" else f"CAST({moment} AS DATE)"
    if field.type == "date":
        pattern = "'^([0-9]{4})[-/_.]?([0-9]{1,2})[-/_.]?([0-9]{1,2})$'"
        return f"{cast}(regexp_replace({text}, {pattern}, '\\1-\\2-\\3') AS DATE)"
    if field.type == "timestamp":
        digits = f"rpad(regexp_replace({text}, '[^0-9]', '', 'g'), 20, '0')"
        pattern = "'^(....)(..)(..)(..)(..)(..)(......)$'"
        return f"{cast}(regexp_replace({digits}, {pattern}, '\\1-\\2-\\3 \\4:\\5:\\6.\\7') AS TIMESTAMP)"
    return f"CAST({text} AS {_TYPES[field.type]})"


_TYPES = {"integer": "BIGINT", "float": "DOUBLE", "uuid": "UUID", "date": "DATE", "timestamp": "TIMESTAMP"}


def _default(column: ExportColumn) -> str:
    text = _sql(str(column.field.default).removesuffix("Z" if column.field.type == "timestamp" else ""))
    kind = _TYPES.get(column.field.type)
    return text if kind is None else f"CAST({text} AS {kind})"


def _sql(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"
