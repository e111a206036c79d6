"""Writes a rule as a Python function of one path, and of a pandas Series of paths."""

from __future__ import annotations

import inspect
from typing import TYPE_CHECKING

from retouch.recipes.rule.exporting import readers
from retouch.recipes.rule.exporting.plan import expect_no_hang, expect_same_types
from retouch.recipes.rule.language.dates import ISO_NAMES, date_shape, timestamp_shape
from retouch.recipes.rule.regexes.writing import regex_text

if TYPE_CHECKING:
    from collections.abc import Callable

    from retouch.recipes.rule.exporting.plan import ExportColumn, ExportPlan, ExportShape, Take
    from retouch.recipes.rule.language.model import Field
    from retouch.recipes.rule.language.values import Normalize

_READERS: dict[str, Callable[..., object]] = {
    "integer": readers.read_integer,
    "decimal": readers.read_decimal,
    "float": readers.read_float,
    "uuid": readers.read_uuid,
    "date": readers.read_date,
    "timestamp": readers.read_timestamp,
}
_NORMALIZED: dict[Normalize, str] = {
    "lowercase": "text.lower()",
    "uppercase": "text.upper()",
    "strip_leading_zeros": "without_zeros(text)",
    "percent_decode": "urllib.parse.unquote(text)",
}
_IMPORTS = ("datetime", "math", "re", "urllib.parse", "uuid")
_FUNCTIONS = '''
def found(parts, at, pattern, group):
    """Return the text that a pattern finds in a part of a path, or in the path if `at` is None."""
    if at is not None and not -len(parts) <= at < len(parts):
        return None
    match = re.search(pattern, "/".join(parts) if at is None else parts[at])
    return None if match is None else match[group]


def joined(mark, *texts):
    """Return texts with a mark between them, or None if one is missing."""
    return None if None in texts else mark.join(texts)


def optional(read, text, default):
    """Return the value of a text, or the default if there is none."""
    try:
        return default if text is None else read(text)
    except ValueError:
        return default
'''
_PANDAS_FUNCTIONS = _FUNCTIONS[_FUNCTIONS.index("def joined") :]


def python_code(plan: ExportPlan) -> str:
    """Return the program of a rule for Python.

    Raises:
        BadInput: a pattern can hang there.
    """
    expect_no_hang(plan, "python")
    shapes = "\n\n".join(_python_shape(number, shape) for number, shape in enumerate(plan.shapes, 1))
    tests = "".join(
        f"    if re.fullmatch({regex_text(shape.glob)!r}, path):\n        return shape_{number}(parts)\n"
        for number, shape in enumerate(plan.shapes, 1)
    )
    said = "Return the values of a path, or None if the rule does not take it."
    normal = '    parts = parts_of(path)\n    path = "/".join(parts)\n'
    main = f'def extract(path):\n    """{said}"""\n{normal}{tests}    return None\n'
    return _program(plan, "Extracts values from paths", _FUNCTIONS, f"{shapes}\n\n{main}")


def _program(plan: ExportPlan, title: str, functions: str, body: str, *imports: str) -> str:
    """Return a program with the imports, functions and readers that its body uses."""
    used = [reader for kind, reader in _READERS.items() if f"read_{kind}(" in body]
    used += [readers.parts_of]
    used += [readers.without_zeros] if "without_zeros(" in body else []
    parts = [one.strip("\n") for one in functions.split("\n\n\n")]
    parts = [one for one in parts if f"{one.split('(')[0].removeprefix('def ')}(" in body]
    code = "\n\n\n".join([*parts, *(inspect.getsource(one).strip() for one in used), body.strip("\n")])
    wanted = [f"import {name}" for name in _IMPORTS if f"{name}." in code]
    head = "\n".join([*wanted, *(["", *imports] if imports else [])]).strip("\n")
    return f'"""{title}; written from the rule {plan.name}."""\n\n{head}\n\n\n{code}\n'


def _python_shape(number: int, shape: ExportShape) -> str:
    lines = [f"def shape_{number}(parts):  # {shape.name}", "    values = {}"]
    for column in shape.columns:
        lines.append(f"    text = {_text(column, _python_take)}")
        if not column.field.optional:
            lines += ["    if text is None:", "        return None"]
        lines.append(f"    values[{column.field.name!r}] = {_value(column.field)}")
    return "\n".join([*lines, "    return values", ""])


def _text(column: ExportColumn, take: Callable[[Take], str]) -> str:
    texts = [take(one) for one in column.takes]
    return texts[0] if len(texts) == 1 else f"joined({column.field.join!r}, {', '.join(texts)})"


def _python_take(take: Take) -> str:
    pattern = r"(?s:\A.*)" if take.pattern is None else regex_text(take.pattern)
    return f"found(parts, {take.segment}, {pattern!r}, {take.group})"


def _value(field: Field, *, zone: str | None = None) -> str:
    """Return the expression of the value of a field. It reads `text`, which is None only if the field is optional.

    `zone` is the end of all times of a column, "Z" or "".
    """
    read = _NORMALIZED[field.normalize] if field.normalize else "text"
    form = None if field.format in ISO_NAMES else field.format
    if field.type == "date":
        read = f"read_date({read}, {date_shape(form)!r}, {form!r})"
    elif field.type == "timestamp":
        shape = timestamp_shape(form)
        shape = shape if zone is None or form else f"{shape.removesuffix('Z?')}{zone}"
        read = f"read_timestamp({read}, {shape!r}, {form!r})"
    elif field.type != "string":
        read = f"read_{field.type}({read})"
    if field.optional:
        read = (
            "text"
            if read == "text" and field.default is None
            else f"optional(lambda text: {read}, text, {field.default!r})"
        )
    return f"None if text in {field.nulls!r} else {read}" if field.nulls else read


def pandas_code(plan: ExportPlan) -> str:
    """Return the program of a rule for pandas.

    Raises:
        BadInput: a pattern can hang there, or a field has several types.
    """
    expect_no_hang(plan, "pandas")
    expect_same_types(plan, "pandas")
    shapes = "\n\n".join(_pandas_shape(number, shape) for number, shape in enumerate(plan.shapes, 1))
    globs = [f"    ({regex_text(shape.glob)!r}, shape_{number})," for number, shape in enumerate(plan.shapes, 1)]
    table = "\n".join(["SHAPES = (", *globs, ")", ""])
    body = f"{shapes}\n\n{table}\n{_PANDAS_MAIN}"
    return _program(
        plan, "Extracts columns from a Series of paths", _PANDAS_FUNCTIONS + _PANDAS_FOUND, body, "import pandas as pd"
    )


_PANDAS_MAIN = '''
def extract(paths):
    """Return a row for each path that the rule takes, with the index of `paths`."""
    index, paths = paths.index, paths.astype("string").reset_index(drop=True)
    rows, free = [], paths.notna()
    paths = paths.map(lambda path: "/".join(parts_of(path)), na_action="ignore").astype("string")
    for glob, shape in SHAPES:
        fits = free & paths.str.fullmatch(glob, na=False)
        free &= ~fits
        rows.append(shape(paths[fits].str.split("/")))
    found = pd.concat(rows).sort_index()
    return found.set_axis(index[found.index])
'''
_PANDAS_FOUND = '''

def found(parts, at, pattern):
    """Return the texts that the first group of a pattern finds in a part of paths, or in the paths if `at` is None."""
    texts = (parts.str.join("/") if at is None else parts.str[at]).astype("string")
    texts = texts.str.extract(pattern)[0].astype(object)
    return texts.where(texts.notna(), None)
'''


def _pandas_shape(number: int, shape: ExportShape) -> str:
    lines = [f"def shape_{number}(parts):  # {shape.name}", "    texts = pd.DataFrame(index=parts.index)"]
    for column in shape.columns:
        name = column.field.name
        takes = [_pandas_take(one) for one in column.takes]
        if len(takes) == 1:
            lines.append(f"    texts[{name!r}] = {takes[0]}")
        else:
            together = f"[joined({column.field.join!r}, *one) for one in zip({', '.join(takes)})]"
            lines.append(f"    texts[{name!r}] = pd.Series({together}, parts.index, dtype=object)")
    if wanted := [column.field.name for column in shape.columns if not column.field.optional]:
        lines.append(f"    texts = texts.dropna(subset={wanted!r})")
    lines.append("    values = pd.DataFrame(index=texts.index)")
    lines += [_pandas_column(column) for column in shape.columns]
    return "\n".join([*lines, "    return values", ""])


def _pandas_take(take: Take) -> str:
    pattern = r"(?s:\A.*)" if take.pattern is None else regex_text(take.pattern)
    return f"found(parts, {take.segment}, {(pattern if take.group else f'({pattern})')!r})"


def _pandas_column(column: ExportColumn) -> str:
    field = column.field
    zone = ("Z" if column.in_utc else "") if field.type == "timestamp" else None
    values = f"[{_value(field, zone=zone)} for text in texts[{field.name!r}]]"
    kinds = {"integer": "Int64", "float": "Float64"}
    if field.type == "date":
        made = f"pd.Series({values}, texts.index, dtype=object).map(datetime.date.fromisoformat, na_action='ignore')"
    elif field.type == "timestamp":
        made = (
            f"pd.to_datetime(pd.Series({values}, texts.index, dtype='string').str.removesuffix('Z'), format='ISO8601')"
        )
    else:
        made = f"pd.array({values}, dtype={kinds.get(field.type, 'string')!r})"
    return f"    values[{field.name!r}] = {made}"
