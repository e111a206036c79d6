"""Applies a function in Python that was approved, in the engine that it was checked in."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from retouch.errors import BadInput

if TYPE_CHECKING:
    from collections import Counter
    from collections.abc import Iterable, Iterator
    from pathlib import Path

    from retouch.cli.rule_files import Given
    from retouch.recipes.rule import Rule
    from retouch.recipes.rule.judging.rows import Row

BATCH = 5_000


def function_rows(
    file: Path, given: Iterable[Given], counts: Counter[str]
) -> tuple[list[dict[str, Any]], tuple[Rule, ...]]:
    """Return what the function in `file` takes from each path, and a rule that only names the fields.

    Raises:
        BadInput: the file does not say which engine must run it.
        MissingTool: that engine is not here.
    """
    from retouch.recipes.rule import Field, Rule
    from retouch.recipes.rule.drafts.approval import read_extractor
    from retouch.recipes.rule.globs.parsing import parse_glob
    from retouch.recipes.rule.language.load import decoded

    extractor = read_extractor(decoded(file.read_bytes()))
    rows: list[dict[str, Any]] = []
    for row in _rows(extractor.code, extractor.engine, given):
        counts[row.status] += 1
        if row.failure is not None:
            counts[f"{file.stem}: {row.failure[0]}"] += 1
        rows.append(_plain(row, file.stem))
    names = dict.fromkeys(name for row in rows for name in row["values"])
    fields = tuple(Field(name=name, source="full_path") for name in names)
    return rows, (Rule(name=file.stem, glob=parse_glob("**"), fields=fields),)


def _rows(code: str, engine: str, given: Iterable[Given]) -> Iterator[Row]:
    from itertools import islice

    from retouch.recipes.rule.judging.python_run import run_on

    paths = iter(given)
    while batch := [one.path for one in islice(paths, BATCH)]:
        yield from run_on(code, batch, engine=engine, twice=False).rows


def _plain(row: Row, name: str) -> dict[str, Any]:
    reasons: dict[str, Any] = {key: asdict(reason) for key, reason in row.reasons.items()}
    if row.failure is not None:
        reasons[""] = {"code": row.failure[0], "message": row.failure[1], "defaulted": False}
    return {"path": row.path, "rule": name, "status": row.status, "values": dict(row.values), "reasons": reasons}


def is_function(file: Path, *, unmatched: bool) -> bool:
    """Return whether a file holds a function.

    Raises:
        BadInput: the paths that it does not fit are asked for: it has no glob.
    """
    if file.suffix != ".py":
        return False
    if unmatched:
        raise BadInput(f"{str(file)!r} is a function: it is tried on every path", hint="Leave --unmatched out.")
    return True
