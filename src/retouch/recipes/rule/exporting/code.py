"""Writes a rule as code for DuckDB, Polars, pandas and plain Python."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Literal, TypeAlias, get_args

from retouch.errors import BadInput
from retouch.recipes.rule.exporting.pattern import may_be_empty, whole_pattern
from retouch.recipes.rule.language.dates import EPOCHS, date_shape

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
        if whole.joined:
            names = ", ".join(whole.joined)
            message = f"the rule {rule.name!r} cannot be one regular expression: {names} is joined from several parts"
            raise BadInput(message, hint="Drop it with 'retouch rule edit --drop', or export to another tool.")
        return whole.pattern + "\n"
    _expect_same_years(rule, target)
    return _WRITERS[target](rule, whole)


def _expect_same_years(rule: ExtractionRule, target: Target) -> None:
    """Check that the tool reads each day of the rule's formats as the rule does.

    Raises:
        BadInput: polars reads the year 69 as 2069, and DuckDB and pandas the day 366 of any year.
    """
    other = {"polars": "%y", "duckdb": "%j", "pandas": "%j"}.get(target, "")
    for field in rule.fields:
        if other and field.type == "date" and other in (field.format or "").replace("%%", ""):
            what = "some years of two digits" if other == "%y" else "the day 366 of a year that has none"
            message = f"{field.name!r} cannot be exported: {target} reads {what} as another day than the rule"
            raise BadInput(message, hint="Export to python, or retype the field to string and convert it there.")


def _number_shape(field: Field) -> str:
    """Return the pattern of the texts that are a number, or a time in seconds or milliseconds since 1970, or "".

    Tools also read other texts as numbers, such as `nan`, and numbers that are too large.
    """
    if field.type == "timestamp":
        return "[0-9]{1,14}" if field.format == "epoch_ms" else "[0-9]{1,11}"
    return r"[+-]?[0-9]{1,200}(?:\.[0-9]{1,200})?(?:[eE][+-]?[0-9]{1,2})?" if field.type == "float" else ""


def _duckdb(rule: ExtractionRule, whole: Whole) -> str:
    plain, columns = whole.pattern, list[str]()
    for field in whole.fields:
        texts = [_sql_group(plain, name) for name in whole.joined.get(field.name, (field.name,))]
        text = f" || {_sql(field.join)} || ".join(texts)
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


def _sql_group(pattern: str, name: str) -> str:
    one = re.sub(r"\(\?P<(\w+)>", lambda found: "(" if found[1] == name else "(?:", pattern)
    return f"regexp_extract(path, {_sql(one)}, 1)"


_NOT_EMPTY = "Write a pattern whose value has a character, for example with + instead of *."


def _sql(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"


def _sql_value(field: Field, text: str) -> str:
    if field.type == "integer":
        return f"CAST({text} AS BIGINT)"
    if field.type == "uuid":
        return f"CAST({text} AS UUID)"
    if shape := _number_shape(field):
        unread = f"CASE WHEN NOT regexp_full_match({text}, {_sql(shape)}) THEN error('no number: ' || {text}) ELSE"
        if field.type == "float":
            return f"{unread} CAST({text} AS DOUBLE) END"
        return f"{unread} make_timestamp(CAST({text} AS BIGINT) * {1_000_000 // EPOCHS[field.format or '']}) END"
    if field.type == "date":
        fits = f"regexp_full_match({text}, {_sql(date_shape(field.format))})"
        unread = f"CASE WHEN NOT {fits} THEN error('no date: ' || {text}) ELSE"
        if field.format:
            return f"{unread} CAST(strptime({text}, {_sql(field.format)}) AS DATE) END"
        digits = f"regexp_replace({text}, '^([0-9]{{4}})[-/_.]?([0-9]{{1,2}})[-/_.]?([0-9]{{1,2}})$', '\\1-\\2-\\3')"
        return f"{unread} CAST({digits} AS DATE) END"
    return text


_DAY = (  # the function of the program that reads a date
    "def day(text, form, shape):",
    "    if re.fullmatch(shape, text) is None:",
    '        raise ValueError(f"{text!r} is no date")',
    "    if form:",
    "        read = datetime.datetime.strptime(text, form)",
    '        numbers = [[int(one) for one in re.findall("[0-9]+", each)] for each in (text, read.strftime(form))]',
    "        if '%j' in form and numbers[0] != numbers[1]:  # the day 366 of a year that has none",
    '            raise ValueError(f"{text!r} is no date")',
    "        return read.date().isoformat()",
    '    found = re.fullmatch(r"([0-9]{4})([-/_.]?)([0-9]{1,2})\\2([0-9]{1,2})", text)',
    "    return datetime.date(int(found[1]), int(found[3]), int(found[4])).isoformat()",
    "",
    "",
)


_NUMBER = (  # the function of the program that reads a number, or a time as a number of `parts` of a second since 1970
    "def number(text, shape, parts):",
    "    if re.fullmatch(shape, text) is None:",
    '        raise ValueError(f"{text!r} is no number")',
    "    if not parts:",
    "        return float(text)",
    "    since = datetime.timedelta(microseconds=int(text) * 1_000_000 // parts)",
    '    return f"{(datetime.datetime(1970, 1, 1) + since).isoformat()}Z"',
    "",
    "",
)


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
        *_DAY,
        *_NUMBER,
        "def extract(path):",
        '    """Return the values of a relative path, or None if the rule does not match it."""',
        "    found = PATTERN.fullmatch(path)",
        "    if found is None:",
        "        return None",
        "    values = {}",
    ]
    for field in whole.fields:
        reads = {"integer": "int(text)", "uuid": "str(uuid.UUID(text))"}
        if field.type == "date":
            reads["date"] = f"day(text, {field.format!r}, {date_shape(field.format)!r})"
        if shape := _number_shape(field):
            parts = EPOCHS.get(field.format or "", 0)
            reads[field.type] = f"number(text, {shape!r}, {parts})"
        value = reads.get(field.type, "text")
        lines += [
            f"    text = {_python_text(field, whole)}",
            f"    values[{field.name!r}] = None if text is None or text in {field.nulls!r} else {value}",
        ]
    return "\n".join([*lines, "    return values", ""])


def _python_text(field: Field, whole: Whole) -> str:
    names = whole.joined.get(field.name)
    return f"found[{field.name!r}]" if names is None else f"{field.join!r}.join(found.group{names!r})"


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
        if names := whole.joined.get(field.name):  # before its parts become numbers
            parts = f" + {field.join!r} + ".join(f"found[{name!r}]" for name in names)
            lines.append(f"    found[{field.name!r}] = {parts}")
    for field in whole.fields:
        here = f"found[{field.name!r}]"
        if field.nulls:
            lines.append(f"    {here} = {here}.replace({list(field.nulls)!r}, None)")
        if field.type == "integer":
            lines.append(f'    {here} = pd.to_numeric({here}).astype("Int64")')
        elif field.type == "uuid":
            lines.append(f"    {here} = {here}.str.lower()")
        elif shape := _number_shape(field):
            lines.append(f'    {here} = {here}.where({here}.str.fullmatch({shape!r}, na=True), "no number")')
            unit = "ms" if field.format == "epoch_ms" else "s"
            number = f"pd.to_numeric({here})"
            value = (
                f'{number}.astype("Float64")' if field.type == "float" else f"pd.to_datetime({number}, unit={unit!r})"
            )
            lines.append(f"    {here} = {value}")
        elif field.type == "date":
            shape = f"{here}.str.fullmatch({date_shape(field.format)!r}, na=True)"
            lines.append(f'    {here} = {here}.where({shape}, "no date")')
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
        names = whole.joined.get(field.name, (field.name,))
        texts = ", ".join(f"groups.struct.field({name!r})" for name in names)
        text = texts if len(names) == 1 else f"pl.concat_str({texts}, separator={field.join!r})"
        if field.nulls:
            text = f"{text}.replace(dict.fromkeys({list(field.nulls)!r}))"
        lines.append(f"        {_polars_value(field, text)}.alias({field.name!r}),")
    return "\n".join([*lines, "    )", "    return found", ""])


def _polars_value(field: Field, text: str) -> str:
    if field.type == "integer":
        return f"{text}.cast(pl.Int64)"
    if field.type == "uuid":
        return f"{text}.str.to_lowercase()"
    if shape := _number_shape(field):
        fits = f"{text}.str.contains({f'^(?:{shape})$'!r})"
        number = f'pl.when(~{fits}).then(pl.lit("no number")).otherwise({text})'
        unit = "ms" if field.format == "epoch_ms" else "s"
        is_float = field.type == "float"
        return (
            f"{number}.cast(pl.Float64)" if is_float else f"pl.from_epoch({number}.cast(pl.Int64), time_unit={unit!r})"
        )
    if field.type == "date":
        fits = f"{text}.str.contains({f'^(?:{date_shape(field.format)})$'!r})"
        text = f'pl.when(~{fits}).then(pl.lit("no date")).otherwise({text})'
        plain = text if field.format else f'{text}.str.replace_all("[-/_.]", "")'
        return f"{plain}.str.to_date({_form(field)!r})"
    return text


_WRITERS = {"duckdb": _duckdb, "python": _python, "pandas": _pandas, "polars": _polars}
