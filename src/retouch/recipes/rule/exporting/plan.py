"""What an export has to do, whatever the tool: which shape matches a path, and where the strings of its fields are."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from retouch.errors import BadInput
from retouch.recipes.rule.exporting.globs import glob_tree
from retouch.recipes.rule.globs.parsing import SCHEME
from retouch.recipes.rule.language.dates import EPOCHS_IN_UTC, ISO_NAMES
from retouch.recipes.rule.regexes.cost import longest_safe
from retouch.recipes.rule.regexes.parsing import parse_regex
from retouch.recipes.rule.regexes.tree import Chars, Choice, Group, Repeat, Sequence

if TYPE_CHECKING:
    from collections.abc import Sequence as Items

    from retouch.recipes.rule.language.model import ExtractionRule, Field, FieldPart
    from retouch.recipes.rule.regexes.tree import Node


@dataclass(frozen=True, kw_only=True)
class Take:
    """The text that a pattern finds in a part of a path.

    `segment` counts from the end, where the file name is -1, or from the first directory, which is 0. None is the path.

    `pattern` is None if the whole part is the text; otherwise `group` is 1, or 0 without groups. `is_sure` means
    that the group takes part in every match, `may_be_empty` that its text can be empty.
    """

    segment: int | None
    pattern: Node | None
    group: int = 0
    is_sure: bool = True
    may_be_empty: bool = False


@dataclass(frozen=True, kw_only=True)
class ExportColumn:
    """A field of a shape: its strings, joined if there are several. `in_utc` means that its times end with Z."""

    field: Field
    takes: tuple[Take, ...]
    in_utc: bool


@dataclass(frozen=True, kw_only=True)
class ExportShape:
    """The paths of one rule of a set, and the columns that they give."""

    name: str
    glob: Node
    columns: tuple[ExportColumn, ...]


@dataclass(frozen=True, kw_only=True)
class ExportPlan:
    """The shapes of a rule in their order: the first whose glob matches takes a path.

    `names` are the names of all fields. A field that a shape lacks is null there. `listing` is a glob of all files
    below the directory where the globs of the shapes start.
    """

    name: str
    shapes: tuple[ExportShape, ...]
    names: tuple[str, ...]
    listing: str


def plan_of(rule: ExtractionRule) -> ExportPlan:
    """Return what an export of a rule has to do.

    Raises:
        BadInput: a field is not from a part that counts from the end, globs are partly absolute, or a pattern repeats a
            group that may be empty.
    """
    rules = (rule, *rule.others)
    absolute = {alternative.absolute for one in rules for alternative in one.glob.alternatives}
    if len(absolute) > 1:
        hint = "Let all globs begin with '/', or none."
        raise BadInput(f"the rule {rule.name!r} cannot be exported: some of its globs are absolute", hint=hint)
    is_absolute = absolute.pop()
    shapes = tuple(
        ExportShape(
            name=one.name,
            glob=glob_tree(one.glob),
            columns=tuple(_column(field, is_absolute=is_absolute) for field in one.fields),
        )
        for one in rules
    )
    names = dict.fromkeys(field.name for one in rules for field in one.fields)
    return ExportPlan(name=rule.name, shapes=shapes, names=tuple(names), listing=_listing(rules))


def _listing(rules: Items[ExtractionRule]) -> str:
    """Return the directories that all globs start with, followed by `**`. If they fit in any, it is to be named."""
    globs = [re.sub(SCHEME, "/", one.glob.text).split("/") for one in rules]
    above = ["DIRECTORY"] if all(one[0] == "**" for one in globs) else list[str]()
    for parts in zip(*(one[:-1] for one in globs), strict=False):
        if len({*parts}) > 1 or re.search(r"[*?\[{\\]", parts[0]):
            break
        above.append(parts[0])
    return "/".join((*above, "**"))


def expect_same_types(plan: ExportPlan, target: str) -> None:
    """Check that each field has one type in all shapes, as a column of a table must.

    Raises:
        BadInput: a field has several.
    """
    seen: dict[str, str] = {}
    for shape in plan.shapes:
        for column in shape.columns:
            kind = f"{column.field.type}{' in UTC' if column.in_utc else ''}"
            if kind != seen.setdefault(column.field.name, kind):
                what = f"{seen[column.field.name]} in one shape, and {kind} in {shape.name!r}"
                message = f"{column.field.name!r} cannot be a column of {target}: it is {what}"
                raise BadInput(message, hint="Rename it in one shape, or export to python.")


def expect_no_hang(plan: ExportPlan, target: str) -> None:
    """Check that no pattern can hang in an engine that backtracks.

    Raises:
        BadInput: one can.
    """
    for column in (column for shape in plan.shapes for column in shape.columns):
        if any(take.pattern is not None and longest_safe(take.pattern) == 0 for take in column.takes):
            message = f"{column.field.name!r} cannot be exported to {target}: its pattern can hang there"
            raise BadInput(message, hint="Export to duckdb or polars, or write the pattern without nested repetitions.")


def _column(field: Field, *, is_absolute: bool) -> ExportColumn:
    takes = tuple(_take(field.name, one, is_absolute=is_absolute) for one in (field, *field.rest))
    is_usual = field.format is None or field.format in ISO_NAMES
    in_utc = field.format in EPOCHS_IN_UTC or (is_usual and _ends_with_z(takes[-1].pattern))
    return ExportColumn(field=field, takes=takes, in_utc=field.type == "timestamp" and in_utc)


def _take(name: str, part: Field | FieldPart, *, is_absolute: bool) -> Take:
    at = {"filename": -1, "rel_path": None}.get(str(part.source), part.source)
    if isinstance(at, str) or (is_absolute and (at is None or at >= 0)):
        where = at if isinstance(at, str) else "rel_path" if at is None else f"segment({at})"
        message = f"{name!r} cannot be exported: it is from {where}, which depends on the root directory"
        raise BadInput(message, hint="Take it from 'filename' or a part that counts from the end, as segment(-2).")
    pattern = part.pattern
    if pattern is None:
        return Take(segment=at, pattern=None)
    regex = parse_regex(pattern)
    group = _group_of(regex.tree, name) if regex.groups else None
    return Take(
        segment=at,
        pattern=regex.tree,
        group=min(regex.groups, 1),
        is_sure=group is None or takes_part(regex.tree),
        may_be_empty=_may_be_empty(regex.tree if group is None else group.body),
    )


def _group_of(node: Node, name: str) -> Group | None:
    """Return the first group of an expression.

    Raises:
        BadInput: it is in a repetition that may be empty; engines differ in what such a group has at the end.
    """
    if isinstance(node, Group):
        return node if node.number == 1 else _group_of(node.body, name)
    if isinstance(node, Repeat):
        found = _group_of(node.body, name)
        if found is not None and node.most != 1 and _may_be_empty(node.body):
            message = f"{name!r} cannot be exported: its pattern repeats a group that may be empty"
            raise BadInput(message, hint="Put the group around the repetition.")
        return found
    parts = node.parts if isinstance(node, (Sequence, Choice)) else ()
    return next((found for part in parts if (found := _group_of(part, name)) is not None), None)


def takes_part(node: Node) -> bool:
    """Return whether the first group takes part in every match."""
    match node:
        case Group(number=number, body=body):
            return number == 1 or takes_part(body)
        case Sequence(parts=parts):
            return any(map(takes_part, parts))
        case Choice(parts=parts):
            return all(map(takes_part, parts))
        case Repeat(body=body, least=least):
            return least > 0 and takes_part(body)
        case _:
            return False


def _may_be_empty(node: Node) -> bool:
    match node:
        case Group(body=body):
            return _may_be_empty(body)
        case Sequence(parts=parts):
            return all(map(_may_be_empty, parts))
        case Choice(parts=parts):
            return any(map(_may_be_empty, parts))
        case Repeat(body=body, least=least):
            return least == 0 or _may_be_empty(body)
        case _:
            return not isinstance(node, Chars)


def _ends_with_z(node: Node | None) -> bool:
    """Return whether every text that the first group of an expression takes ends with Z.

    Only an end that is written out is found. Otherwise exports fail on a time with Z.
    """
    match node:
        case None:
            return False
        case Chars(ranges=ranges, negated=negated):
            return ranges == ((ord("Z"), ord("Z")),) and not negated
        case Sequence(parts=parts):
            group = next((part for part in parts if isinstance(part, Group)), None)
            return _ends_with_z(group or parts[-1]) if parts else False
        case Group(body=body):
            return _ends_with_z(body)
        case _:
            return False
