"""Patterns of the strings that a type accepts, for tools that accept other strings too."""

from __future__ import annotations

from typing import TYPE_CHECKING

from retouch.errors import BadInput
from retouch.recipes.rule.language.dates import ISO_NAMES, date_shape, timestamp_shape

if TYPE_CHECKING:
    from retouch.recipes.rule.exporting.plan import ExportColumn, ExportPlan

ASCII = r"[\x{0}-\x{7F}]*"
_HEX = "[0-9A-Fa-f]"
_UUID = f"{_HEX}{{32}}|{_HEX}{{8}}(?:-{_HEX}{{4}}){{3}}-{_HEX}{{12}}"
_FLOAT = r"[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?"
_FINITE = r"[+-]?(?:[0-9]{1,200}(?:\.[0-9]{0,200})?|\.[0-9]{1,200})(?:[eE][+-]?[0-9]{1,2})?"
_READ = {"integer": "[+-]?[0-9]+", "decimal": r"[+-]?[0-9]+(?:\.[0-9]+)?", "float": _FLOAT, "uuid": _UUID}
WORDS = {kind: kind for kind in ("integer", "decimal", "date", "timestamp")} | {"float": "number", "uuid": "UUID"}
_SECONDS = "[0-9]{1,15}"  # since 1970


def format_of(column: ExportColumn) -> str | None:
    """Return the format of the dates of a column, or None for those that start with the year."""
    return None if column.field.format in ISO_NAMES else column.field.format


def shapes_of(column: ExportColumn) -> tuple[str, str]:
    """Return the pattern of the strings that the rule reads as the type, and of those that tools read alike.

    A text of neither is no value. Tools fail on one that only the rule reads, such as a time after the year 5000.
    """
    kind, form = column.field.type, format_of(column)
    if kind == "date":
        return date_shape(form), date_shape(form)
    if kind == "timestamp":
        shape = timestamp_shape(form)
        if form is not None:
            return (_SECONDS if form.startswith("epoch") else shape, shape)
        return shape, f"{shape.removesuffix('Z?')}{'Z' if column.in_utc else ''}"
    return _READ[kind], _FINITE if kind == "float" else _READ[kind]


def expect_same_days(plan: ExportPlan, target: str, directives: dict[str, str]) -> None:
    """Check that a tool reads each directive of the formats of a plan as the rule does.

    Raises:
        BadInput: it reads one otherwise; `directives` says what.
    """
    for column in (column for shape in plan.shapes for column in shape.columns):
        for directive, what in directives.items():
            if directive in (column.field.format or "").replace("%%", ""):
                message = f"{column.field.name!r} cannot be exported: {target} reads {what} than the rule"
                hint = "Export to python, or retype the field to string and convert it there."
                raise BadInput(message, hint=hint)


def expect_names(plan: ExportPlan, target: str) -> None:
    """Check that no field is called as the column of the paths.

    Raises:
        BadInput: one is.
    """
    if "path" in plan.names:
        message = f"the field 'path' cannot be a column of {target}, which already has the paths there"
        raise BadInput(message, hint="Rename it with 'retouch rule edit --rename path=NEW'.")
