"""Writes rules from globs and columns."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from retouch.recipes.rule.globs.parsing import parse_glob
from retouch.recipes.rule.language.model import ExtractionRule, Field
from retouch.recipes.rule.language.names import as_name

if TYPE_CHECKING:
    from collections.abc import Sequence

    from retouch.recipes.rule.detecting.columns import Column

_KEYS = re.compile(r"[A-Za-z_][A-Za-z0-9_.-]*=")


def write_rule(glob: str, columns: Sequence[Column], *, name: str = "") -> ExtractionRule:
    """Return the rule of a glob and columns. The columns may have been renamed, retyped or dropped."""
    words = as_name(name) if name else _name_from(glob, columns)
    fields = tuple(map(field_of, columns))
    return ExtractionRule(name=words, glob=parse_glob(glob), fields=fields, tag=words)


def field_of(column: Column) -> Field:
    """Return the field of a rule that a column becomes."""
    return Field(
        name=column.name,
        source=column.source,
        pattern=column.pattern,
        type=column.type,
        format=column.format,
        optional=column.optional,
        nulls=column.nulls,
        normalize=column.normalize,
        rest=column.rest,
        join=column.join,
    )


def _name_from(glob: str, columns: Sequence[Column]) -> str:
    """Return a name from the longest word of the glob without its extension, or from the first column."""
    stem = _KEYS.sub(" ", glob.rpartition(".")[0] or glob)
    words = "".join(char if char.isalpha() else " " for char in stem).split()
    longest = max(words, key=len, default="")
    return as_name(longest) if len(longest) >= 3 else f"by_{columns[0].name}" if columns else "files"
