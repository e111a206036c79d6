"""Writes a rule as a Python function of a Polars frame."""

from __future__ import annotations

from typing import TYPE_CHECKING

from retouch.recipes.rule.exporting.globs import STEPS
from retouch.recipes.rule.exporting.plan import expect_same_types
from retouch.recipes.rule.exporting.types import ASCII, WORDS, expect_names, expect_same_days, format_of, shapes_of
from retouch.recipes.rule.language.dates import EPOCHS
from retouch.recipes.rule.regexes.writing import RUST, regex_text

if TYPE_CHECKING:
    from retouch.recipes.rule.exporting.plan import ExportColumn, ExportPlan, Take

_OTHERWISE = {"%y": "some years of two digits as another day", "%f": "parts of a second as another time"}
_HEAD = '''"""Extracts columns from a frame with the column path; written from the rule {name}."""

from urllib.parse import unquote

import polars as pl

STEPS = {steps}  # they leave out of a path what names no directory, such as the scheme of a URL
GLOBS = [
{globs}
]


def found(shape, at, pattern, group=1):
    """Return the texts that a pattern finds in a part of the paths of a shape, or in the paths if `at` is None."""
    path = pl.when(pl.col("_shape") == shape).then(pl.col("_path"))
    part = path if at is None else path.str.split("/").list.get(at, null_on_oob=True)
    return part.str.extract(pattern, group)


def checked(text, pattern, what):
    """Return the texts. One that does not match makes the query fail."""
    other = pl.when(~text.str.contains(pattern)).then(pl.concat_str(pl.lit(f"no {{what}}: "), text))
    return pl.when(other.cast(pl.Int64).is_null()).then(text)


def extract(frame):
    """Return the rows whose path the rule takes, with its columns. `frame` may be lazy."""
    path = pl.col("path")
    for pattern, other in STEPS:
        path = path.str.replace_all(pattern, other)
    frame = frame.with_columns(path.alias("_path"))
    fits = [pl.when(pl.col("_path").str.contains(glob)).then(at) for at, glob in enumerate(GLOBS)]
    frame = frame.with_columns(pl.coalesce(fits).alias("_shape")).with_columns(
'''


def polars_code(plan: ExportPlan) -> str:
    """Return the program of a rule for Polars.

    Raises:
        BadInput: a field has several types or a format that Polars reads otherwise, or is called `path`.
    """
    expect_same_types(plan, "polars")
    expect_same_days(plan, "polars", _OTHERWISE)
    expect_names(plan, "polars")
    globs = "\n".join(f"    {regex_text(shape.glob, RUST)!r},  # {shape.name}" for shape in plan.shapes)
    steps = tuple((pattern, other.replace(r"\1", "${1}")) for pattern, other in STEPS)
    columns = [(at, column) for at, shape in enumerate(plan.shapes) for column in shape.columns]
    texts = [f"        {_text(at, column)}.alias({_alias(at, column)!r})," for at, column in columns]
    lines = [_HEAD.format(name=plan.name, globs=globs, steps=steps) + "\n".join(texts), "    )"]
    wanted = ["pl.col('_shape').is_not_null()"]
    wanted += [f"{_is_there(at, column)}" for at, column in columns if not column.field.optional]
    lines += [
        "    frame = frame.filter(",
        *(f"        {one}," for one in wanted),
        "    )",
        "    return frame.with_columns(",
    ]
    for name in plan.names:
        values = [_value(at, column) for at, column in columns if column.field.name == name]
        whole = values[0] if len(values) == 1 else f"pl.coalesce({', '.join(values)})"
        lines.append(f"        {whole}.alias({name!r}),")
    hidden = ", ".join(repr(one) for one in ("_path", "_shape", *(_alias(at, column) for at, column in columns)))
    code = "\n".join([*lines, f"    ).drop({hidden})", ""])
    return code if "unquote," in code else code.replace("from urllib.parse import unquote\n\n", "")


def _alias(at: int, column: ExportColumn) -> str:
    return f"_{at}_{column.field.name}"


def _is_there(at: int, column: ExportColumn) -> str:
    return f"(pl.col('_shape') != {at}) | pl.col({_alias(at, column)!r}).is_not_null()"


def _text(at: int, column: ExportColumn) -> str:
    texts = ", ".join(_take(at, take) for take in column.takes)
    return texts if len(column.takes) == 1 else f"pl.concat_str({texts}, separator={column.field.join!r})"


def _take(at: int, take: Take) -> str:
    pattern = "(?s:.*)" if take.pattern is None else regex_text(take.pattern, RUST)
    return f"found({at}, {take.segment}, {pattern!r}{'' if take.group else ', 0'})"


def _value(at: int, column: ExportColumn) -> str:
    field = column.field
    raw = f"pl.col({_alias(at, column)!r})"
    text = f"{raw}.replace(dict.fromkeys({list(field.nulls)!r}))" if field.nulls else raw
    value = _typed(column, _normalized(column, text))
    if not field.optional or field.default is None:
        return value
    owned = f"pl.col('_shape') == {at}"
    if field.nulls:
        owned = f"({owned}) & {raw}.is_in({list(field.nulls)!r}).fill_null(False).not_()"
    return f"pl.coalesce({value}, pl.when({owned}).then({_default(column)}))"


def _normalized(column: ExportColumn, text: str) -> str:
    match column.field.normalize:
        case "strip_leading_zeros":
            return f"{text}.str.replace(r'^0+((?s:.))', '${{1}}')"
        case "percent_decode":
            return f"{text}.map_elements(unquote, return_dtype=pl.String)"
        case "lowercase" | "uppercase" as case:
            return f"checked({text}, {f'^{ASCII}$'!r}, 'ASCII text').str.to_{case}()"
        case None:
            return text


def _typed(column: ExportColumn, text: str) -> str:
    """Return the value of a text. One that the rule does not read is null if the field is optional, else it fails."""
    field, form = column.field, format_of(column)
    if field.type == "string":
        return text
    read, alike = shapes_of(column)
    if field.optional:
        text = f"pl.when({text}.str.contains({f'^(?:{read})$'!r})).then({text})"
    if read != alike or not field.optional:
        text = f"checked({text}, {f'^(?:{alike})$'!r}, {WORDS[field.type]!r})"
    strict = ", strict=False" if field.optional else ""
    if field.type == "decimal":
        return f"{text}.str.strip_prefix('+')"
    if field.type == "uuid":
        plain = f"{text}.str.to_lowercase().str.replace_all('-', '')"
        return (
            f"{plain}.str.replace('^(.{{8}})(.{{4}})(.{{4}})(.{{4}})(.{{12}})$', '${{1}}-${{2}}-${{3}}-${{4}}-${{5}}')"
        )
    if form in EPOCHS:
        return f"pl.from_epoch({text}.cast(pl.Int64), time_unit={'s' if EPOCHS[form] == 1 else 'ms'!r})"
    if field.type == "date":
        return _date(text, form, strict)
    if field.type == "timestamp":
        return _timestamp(text, form, strict)
    return f"{text}.cast({'pl.Int64' if field.type == 'integer' else 'pl.Float64'})"


def _date(text: str, form: str | None, strict: str) -> str:
    if form:
        return f"{text}.str.to_date({form!r}{strict})"
    tidy = f"{text}.str.replace('^([0-9]{{4}})[-/_.]?([0-9]{{1,2}})[-/_.]?([0-9]{{1,2}})$', '${{1}}-${{2}}-${{3}}')"
    return f"{tidy}.str.to_date('%Y-%m-%d'{strict})"


def _timestamp(text: str, form: str | None, strict: str) -> str:
    if form:
        return f"{text}.str.to_datetime({form!r}{strict})"
    digits = f"{text}.str.replace_all('[^0-9]', '').str.pad_end(20, '0')"
    pattern = "^(....)(..)(..)(..)(..)(..)(......)$"
    tidy = f"{digits}.str.replace({pattern!r}, '${{1}}-${{2}}-${{3}}T${{4}}:${{5}}:${{6}}.${{7}}')"
    return f"{tidy}.str.to_datetime('%Y-%m-%dT%H:%M:%S%.f'{strict})"


def _default(column: ExportColumn) -> str:
    default = column.field.default
    if column.field.type == "date":
        return f"pl.lit({default!r}).str.to_date('%Y-%m-%d')"
    if column.field.type == "timestamp":
        return f"pl.lit({str(default).removesuffix('Z')!r}).str.to_datetime('%Y-%m-%dT%H:%M:%S%.f')"
    return f"pl.lit({default!r})"
