"""Writes a rule as code for DuckDB, Polars, pandas and plain Python, or as regular expressions."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, TypeAlias, get_args

from retouch.recipes.rule.exporting.pattern import whole_patterns
from retouch.recipes.rule.exporting.plan import plan_of
from retouch.recipes.rule.exporting.to_duckdb import duckdb_code
from retouch.recipes.rule.exporting.to_polars import polars_code
from retouch.recipes.rule.exporting.to_python import pandas_code, python_code

if TYPE_CHECKING:
    from retouch.recipes.rule.language.model import ExtractionRule

Target: TypeAlias = Literal["regex", "python", "pandas", "polars", "duckdb"]
TARGETS: tuple[Target, ...] = get_args(Target)
_WRITERS = {"duckdb": duckdb_code, "python": python_code, "pandas": pandas_code, "polars": polars_code}


def exported(rule: ExtractionRule, target: Target) -> str:
    """Return the code of a rule for a tool. It takes paths in the forms that the rule takes below the root `/`.

    For `regex` it is one expression per line, one for each shape. It takes no `\\`, and no empty parts or `.`.

    Raises:
        BadInput: the target cannot express a part of the rule, which is named.
    """
    if target == "regex":
        return "".join(f"{pattern}\n" for pattern in whole_patterns(rule))
    return _WRITERS[target](plan_of(rule))
