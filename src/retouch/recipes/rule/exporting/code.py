"""Writes a rule as code for DuckDB, Polars, pandas and plain Python."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Literal, TypeAlias, get_args

from retouch.errors import BadInput
from retouch.recipes.rule.exporting.pattern import may_be_empty, whole_pattern

if TYPE_CHECKING:
    from retouch.recipes.rule.exporting.pattern import Whole
    from retouch.recipes.rule.language.model import ExtractionRule, Field

Target: TypeAlias = Literal["regex", "python", "pandas", "polars", "duckdb"]
TARGETS: tuple[Target, ...] = get_args(Target)


def exported(rule: ExtractionRule, target: Target) -> str:
    """Return the code of a rule for a tool. Paths are relative, with `/`, and without a leading `/`.

    Raises:
        BadInput: the rule cannot be written as one regular expression, or a type does not exist there.
    """
    whole = whole_pattern(rule)
    if target == "regex":
        return whole.pattern + "\n"
    return _WRITERS[target](rule, whole)


def _duckdb(rule: ExtractionRule, whole: Whole) -> str:
    plain, columns = whole.pattern, list[str]()
    for field in whole.fields:
        one = re.sub(r"\(\?P<(\w+)>", lambda found, n=field.name: "(" if found[1] == n else "(?:", plain)
        text = f"regexp_extract(path, {_sql(one)}, 1)"
        if field.optional:
            if field.pattern and may_be_empty(field.pattern):
                raise BadInput(
                    f"{field.name!r} may be empty or missing, which DuckDB does not distinguish", hint=_NOT_EMPTY
                )
            text = f"nullif({text}, '')"
        for null in field.nulls:
            text = f"nullif({text}, {_sql(null)})"
        columns.append(f"    {_sql_value(field, text)} AS {field.name}")
    where = f"regexp_full_match(path, {_sql(re.sub(r'[(][?]P<[^>]+>', '(?:', plain)[1:-1])})"
    lines = [
        f"-- The rule {rule.name} over a table or view `paths` with the column `path`, for example",
        "-- CREATE VIEW paths AS SELECT file AS path FROM glob('data/**');",
        "SELECT",
        ",\n".join(["    path", *columns]),
        "FROM paths",
        f"WHERE {where};",
    ]
    return "\n".join(lines) + "\n"


_NOT_EMPTY = "Write a pattern whose value has a character, for example with + instead of *."


def _sql(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"


def _sql_value(field: Field, text: str) -> str:
    if field.type == "integer":
        return f"CAST({text} AS BIGINT)"
    if field.type == "uuid":
        return f"CAST({text} AS UUID)"
    if field.type == "date":
        if field.format:
            return f"CAST(strptime({text}, {_sql(field.format)}) AS DATE)"
        digits = f"regexp_replace({text}, '^([0-9]{{4}})[-/_.]?([0-9]{{1,2}})[-/_.]?([0-9]{{1,2}})$', '\\1-\\2-\\3')"
        return f"CAST({digits} AS DATE)"
    return text


def _python(rule: ExtractionRule, whole: Whole) -> str:
    lines = [
        '"""Extracts values from paths; written from the rule ' + rule.name + '."""',
        "",
        "import datetime",
        "import re",
        "import uuid",
        "",
        f"PATTERN = re.compile({whole.pattern!r}, re.DOTALL)",
        "",
        "",
        "def day(text, form):",
        "    if form:",
        "        return datetime.datetime.strptime(text, form).date().isoformat()",
        '    found = re.fullmatch(r"([0-9]{4})([-/_.]?)([0-9]{1,2})\\2([0-9]{1,2})", text)',
        "    return datetime.date(int(found[1]), int(found[3]), int(found[4])).isoformat()",
        "",
        "",
        "def extract(path):",
        '    """Return the values of a relative path, or None if the rule does not match it."""',
        "    found = PATTERN.fullmatch(path)",
        "    if found is None:",
        "        return None",
        "    values = {}",
    ]
    for field in whole.fields:
        reads = {"integer": "int(text)", "uuid": "str(uuid.UUID(text))", "date": f"day(text, {field.format!r})"}
        value = reads.get(field.type, "text")
        lines += [
            f"    text = found[{field.name!r}]",
            f"    values[{field.name!r}] = None if text is None or text in {field.nulls!r} else {value}",
        ]
    return "\n".join([*lines, "    return values", ""])


def _pandas(rule: ExtractionRule, whole: Whole) -> str:
    lines = [
        f'"""Extracts columns from a Series of relative paths; written from the rule {rule.name}."""',
        "",
        "import pandas as pd",
        "",
        f"PATTERN = {whole.pattern!r}",
        "",
        "",
        "def extract(paths):",
        '    """Return a row for each path that the rule matches, with the index of `paths`."""',
        '    paths = paths.astype("string")',
        "    found = paths.str.extract(PATTERN)[paths.str.fullmatch(PATTERN)]",
    ]
    for field in whole.fields:
        here = f"found[{field.name!r}]"
        if field.nulls:
            lines.append(f"    {here} = {here}.replace({list(field.nulls)!r}, None)")
        if field.type == "integer":
            lines.append(f'    {here} = pd.to_numeric({here}).astype("Int64")')
        elif field.type == "uuid":
            lines.append(f"    {here} = {here}.str.lower()")
        elif field.type == "date":
            lines.append(f"    {here} = pd.to_datetime({_compact(field, here)}, format={_form(field)!r}).dt.date")
    return "\n".join([*lines, "    return found", ""])


def _compact(field: Field, here: str) -> str:
    return here if field.format else f'{here}.str.replace(r"[-/_.]", "", regex=True)'


def _form(field: Field) -> str:
    return field.format or "%Y%m%d"


def _polars(rule: ExtractionRule, whole: Whole) -> str:
    lines = [
        f'"""Extracts columns from a frame with the column path; written from the rule {rule.name}."""',
        "",
        "import polars as pl",
        "",
        f"PATTERN = {whole.pattern!r}",
        "",
        "",
        "def extract(frame):",
        '    """Return the rows whose path the rule matches, with its columns. `frame` may be lazy."""',
        '    groups = pl.col("path").str.extract_groups(PATTERN)',
        '    found = frame.filter(pl.col("path").str.contains(PATTERN)).with_columns(',
    ]
    for field in whole.fields:
        text = f"groups.struct.field({field.name!r})"
        if field.nulls:
            text = f"{text}.replace(dict.fromkeys({list(field.nulls)!r}))"
        lines.append(f"        {_polars_value(field, text)}.alias({field.name!r}),")
    return "\n".join([*lines, "    )", "    return found", ""])


def _polars_value(field: Field, text: str) -> str:
    if field.type == "integer":
        return f"{text}.cast(pl.Int64)"
    if field.type == "uuid":
        return f"{text}.str.to_lowercase()"
    if field.type == "date":
        plain = text if field.format else f'{text}.str.replace_all("[-/_.]", "")'
        return f"{plain}.str.to_date({_form(field)!r})"
    return text


_WRITERS = {"duckdb": _duckdb, "python": _python, "pandas": _pandas, "polars": _polars}
