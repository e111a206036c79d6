"""The rule as a value."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal, TypeAlias

from retouch.recipes.rule.language.values import SINCE_VERSION_2

if TYPE_CHECKING:
    from collections.abc import Callable

    from retouch._lib.json_text import JSON
    from retouch.recipes.rule.errors import Problem
    from retouch.recipes.rule.globs.parsing import Glob
    from retouch.recipes.rule.language.extraction import Extraction
    from retouch.recipes.rule.language.values import FieldType, Normalize

Source: TypeAlias = "int | Literal['filename', 'full_path', 'rel_path']"

DEFAULT_PRIORITY = 100


@dataclass(frozen=True, kw_only=True)
class FieldPart:
    """A part of a field that is joined from several: the source and the pattern, as those of a field."""

    source: Source
    pattern: str | None = None


@dataclass(frozen=True, kw_only=True)
class Field:
    """One field of a rule.

    `source` is the number of a segment (-1 is the file name, -2 its directory, 0 the first below the root) or the name
    of a text. `default` is used only if the field is `optional`. `nulls` are the strings that mean null.

    `description` states what the value means, and `unit` what a number counts; neither changes the value.

    If there are further parts in `rest`, the value is made of the text of the first part, which `source` and `pattern`
    describe, and those of the rest, with `join` between them.
    """

    name: str
    source: Source
    pattern: str | None = None
    type: FieldType = "string"
    format: str | None = None
    normalize: Normalize | None = None
    optional: bool = False
    default: JSON = None
    nulls: tuple[str, ...] = ()
    description: str = ""
    unit: str = ""
    rest: tuple[FieldPart, ...] = ()
    join: str = ""


@dataclass(frozen=True, kw_only=True)
class ExtractionRule:
    """The paths that a rule matches, and the fields that it extracts from them.

    `others` are further shapes of a rule set: `apply_rule` uses the first rule whose glob matches. `order` is the
    number of a rule in its set; it decides between rules of the same priority before their names do.

    `repaired` names the automatic fixes of its text. `warnings` are problems that do not make it invalid.
    """

    name: str
    glob: Glob
    fields: tuple[Field, ...] = ()
    tag: str | None = None
    priority: int = DEFAULT_PRIORITY
    order: int = 0
    others: tuple[ExtractionRule, ...] = ()
    repaired: tuple[str, ...] = field(default=(), compare=False)
    warnings: tuple[Problem, ...] = field(default=(), compare=False)
    evaluators: dict[str, Callable[[str], Extraction]] = field(
        init=False, default_factory=dict[str, "Callable[[str], Extraction]"], compare=False, repr=False
    )  # the functions that `apply_rule` prepared, by root; a changed copy of a rule has none


def precedence(rule: ExtractionRule) -> tuple[int, int, str]:
    """Return the sort key of rules that match the same path: the lowest priority, then the order in their set, then the
    name.
    """
    return rule.priority, rule.order, rule.name


def version_of(rule: ExtractionRule) -> int:
    """Return the version of the rule format that a rule needs: 1, unless it uses what only version 2 has."""
    newer = any(
        field.nulls or field.rest or field.description or field.unit or {field.normalize, field.type} & SINCE_VERSION_2
        for field in rule.fields
    )
    return 2 if newer or rule.others else 1
